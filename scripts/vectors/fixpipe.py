"""Fixpipe: from L0C to a layout, converted."""
import struct
from fractions import Fraction

from .number import BITS, code_of, value_of
from .text import UNTOUCHED, Case, Row

TARGET = {'F322F16': 'fp16', 'F322BF16': 'bf16'}


def source_code(rng, kind):
    """Values of all sizes; every fourth with few bits, so that ties and exact values occur."""
    if kind == 'int32':
        return rng.getrandbits(32) if rng.randrange(3) else rng.getrandbits(10) & 0xFFFFFFFF
    value = rng.uniform(-1, 1) * 10.0 ** rng.randint(-4, 5)
    code = struct.unpack('<I', struct.pack('<f', value))[0]
    return code if rng.randrange(4) else code & 0xFFFFF000


def fixpipe_case(bench, arch, layout, source, mode, relu=False, split=False):
    rng = bench.rng
    target = TARGET.get(mode, source)
    m = bench.draw('mSize', 1, bench.extent)
    n = bench.draw('nSize', 1, bench.extent)
    if layout == 'nz':
        n = -(-n // (8 if split else 16)) * (8 if split else 16)
    pitch = bench.draw('srcStride', m, m + 5)
    number = 1 if layout == 'nz' else bench.draw('ndNum', 1, 2)
    groups = -(-n // 16)
    unit = 16 if arch == 'dav-3510' else 256
    matrix = bench.draw('srcNdStride', -(-groups * pitch * 16 // unit),
                        -(-groups * pitch * 16 // unit)) if number > 1 else 0
    size = (number - 1) * matrix * unit + groups * pitch * 16
    if not bench.holds('l0c', source, size):
        return None
    l0c = [source_code(rng, source) for _ in range(size)]

    def convert(code, _):
        value = value_of(source, code)
        value = Fraction(value) if source == 'fp32' else value
        return code_of(target, bench.oracle.quant(value, mode, relu=relu))

    fields = {'type': source, 'mode': mode, 'layout': layout, 'mSize': m, 'nSize': n,
              'srcStride': pitch, 'reluEn': relu, 'channelSplit': split}
    if layout == 'nz':
        width, block = 8 if split else 16, 256 // BITS[target]
        stride = bench.draw('dstStride', -(-m * width // block), -(-m * width // block) + 2)
        gm = [UNTOUCHED] * ((n // width - 1) * stride * block + m * width)
        bench.oracle.nz2nz(l0c, gm, m, n, pitch, stride * block, BITS[target], split, convert)
    else:
        lines, columns = (m, n) if layout == 'nz2nd' else (n, m)
        stride = bench.draw('dstStride', columns, columns + 3)
        step = bench.draw('dstNdStride', lines * stride, lines * stride + 4)
        if stride < columns or step < lines * stride:
            return None
        gm = [UNTOUCHED] * ((number - 1) * step + (lines - 1) * stride + columns)
        if layout == 'nz2nd':
            bench.oracle.nz2nd(l0c, gm, m, n, pitch, stride, number, matrix, step, unit, convert)
        else:
            bench.oracle.nz2dn(l0c, gm, m, n, pitch, stride, number, matrix, step, fn=convert)
        fields.update({'ndNum': number, 'srcNdStride': matrix, 'dstNdStride': step})
    fields['dstStride'] = stride
    if not bench.takes('gm', target, len(gm)):
        return None
    return Case('fixpipe', arch, fields, [('src', 'l0c', source, l0c)], ('gm', target, gm))


def rows():
    result = []
    for arch, layouts in (('dav-2201', ('nz', 'nz2nd')), ('dav-3510', ('nz', 'nz2nd', 'nz2dn'))):
        for layout in layouts:
            for source, mode in (('fp32', 'NoQuant'), ('fp32', 'F322F16'), ('fp32', 'F322BF16'),
                                 ('int32', 'NoQuant')):
                for relu in (False, True):
                    result.append(Row('fixpipe', fixpipe_case, arch=arch, layout=layout,
                                      source=source, mode=mode, relu=relu))
    for relu in (False, True):
        result.append(Row('fixpipe', fixpipe_case, arch='dav-2201', layout='nz', source='fp32',
                          mode='NoQuant', relu=relu, split=True))
    return result
