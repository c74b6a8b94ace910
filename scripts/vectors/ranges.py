"""Parameters just outside the documented ranges: refused, with the parameter named, and without
effect. The ranges are those of the documents, written down apart from the instruction table."""
from . import fixpipe, load2d, load3d, mmad, move
from .text import Case, Once

STEPS, BYTE = (0, 65535), (0, 255)
IMAGE = {'l1H': (1, 32767), 'l1W': (1, 32767), 'padLeft': BYTE, 'padRight': BYTE, 'padTop': BYTE,
         'padBottom': BYTE, 'strideW': (1, 63), 'strideH': (1, 63), 'dilationFilterW': (1, 255),
         'dilationFilterH': (1, 255), 'filterW': (1, 255), 'filterH': (1, 255)}
NZ = {'nValue': (0, 16384), 'dstNzC0Stride': (1, 16384), 'dstNzNStride': (1, 16384),
      'dstNzMatrixStride': (0, 16384)}

# The kind of case that is changed, its options, and the ranges of its parameters.
TABLE = {
    'nd2nz': (move.nz_case, {'mnemonic': 'nd2nz', 'arch': 'dav-2201', 'kind': 'fp16'},
     dict(NZ, ndNum=(0, 4095), dValue=(0, 65535), srcNdMatrixStride=(0, 65535),
          srcDValue=(1, 65535))),
    'dn2nz': (move.nz_case, {'mnemonic': 'dn2nz', 'arch': 'dav-3510', 'kind': 'fp16'},
     dict(NZ, dnNum=(0, 4095), dValue=(0, (1 << 21) - 1),
          srcDnMatrixStride=(0, (1 << 40) - 1), srcDValue=(1, (1 << 40) - 1))),
    'load2d': (load2d.load2d_case, {'arch': 'dav-2201', 'kind': 'fp16'},
     {'startIndex': STEPS, 'srcStride': STEPS, 'dstGap': STEPS, 'repeatTimes': BYTE}),
    'load_data_with_transpose': (load2d.transpose_case, {'arch': 'dav-2201', 'kind': 'fp16'},
     {'startIndex': STEPS, 'srcStride': STEPS, 'dstGap': STEPS, 'repeatTimes': BYTE}),
    'load2dv2': (load2d.load2dv2_case, {'kind': 'fp16'}, {'mStep': BYTE, 'kStep': BYTE}),
    'load3dv1': (load3d.load3dv1_case, {'arch': 'dav-1001', 'kind': 'fp16', 'space': 'l0a',
                                        'mode': 0},
     dict(IMAGE, c1Index=(0, 4095), fetchFilterW=(0, 254), fetchFilterH=(0, 254),
          leftTopW=(-255, 32767), leftTopH=(-255, 32767), jumpStride=(1, 127),
          repeatTime=(1, 255), repeatMode=(0, 1), cSize=(0, 1))),
    'load3dv2': (load3d.load3dv2_case, {'arch': 'dav-2201', 'kind': 'fp16', 'space': 'l0a'},
     dict(IMAGE, mExtension=(1, 65535), kExtension=(1, 65535), mStartPt=(0, 32767),
          kStartPt=(0, 65535))),
    'mmad': (mmad.mmad_case, {'arch': 'dav-2201', 'a': 'int8', 'b': 'int8', 'c': 'int32',
                              'start': 'l0c'},
     {'m': (0, 4095), 'n': (0, 4095), 'k': (0, 4095)}),
    'fixpipe': (fixpipe.fixpipe_case, {'arch': 'dav-2201', 'layout': 'nz2nd', 'source': 'fp32',
                                       'mode': 'F322F16', 'target': 'fp16'},
     {'mSize': (0, 8192), 'nSize': (0, 4095), 'ndNum': (0, 65535), 'srcNdStride': (0, 512),
      'dstNdStride': (0, 65535)}),
}


class Refused(Case):
    """A case whose instruction does nothing but name a parameter."""

    def __init__(self, case, bench, name, value):
        space, kind, codes = case.want
        fields = dict(case.fields)
        fields[name] = value
        operands = [part for part in case.operands if not part[0].startswith('dst')]
        operands.append(('dst', space, kind, bench.codes(kind, len(codes))))
        super().__init__(case.mnemonic, case.arch, fields, operands, case.want, case.before)
        self.words = '%s is %d' % (name, value)

    def text(self):
        lines = super().text().split('\n')
        lines = [line for line in lines if not line.startswith('want')]
        return '\n'.join(lines[:-2] + ['refused out_of_bounds ' + self.words] + lines[-2:])


def beyond_case(bench, mnemonic, name, value):
    make, options, _ = TABLE[mnemonic]
    case = make(bench, **options)
    if case is None or case.fields.get('isSetFMatrix') == 0:
        return None
    return Refused(case, bench, name, value)


def rows():
    return [Once(mnemonic, beyond_case, mnemonic=mnemonic, name=name, value=value)
            for mnemonic, (_, _, ranges) in TABLE.items()
            for name, (low, high) in ranges.items() for value in (low - 1, high + 1)]
