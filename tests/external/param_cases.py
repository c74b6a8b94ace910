"""The parameter sets of tests/data/load3d_params.csv: those that are valid give the img2col matrix
of the definition, the others are refused with the limit named."""
import csv
import pathlib

import loads
from case import Case, Refusal
from img2col_cases import Conv
from load_cases import copied, tail_matrix
from loads import A2, A5
from program import Program, size_of
from vectors.number import c0_of

ROWS = pathlib.Path(__file__).parent.parent / 'data' / 'load3d_params.csv'
TRAINING = 'atlas-training'
TILE = 64

# what a refused row writes in place of its parameters, and what the message must say
REFUSED = {
    'neg_l1h0': ({'l1H': 0}, 'l1H is 0; expected 1..'),
    'neg_l1w0': ({'l1W': 0}, 'l1W is 0; expected 1..'),
    'neg_strideW0': ({'strideW': 0}, 'strideW is 0; expected 1..63'),
    'neg_dilW0': ({'dilationFilterW': 0}, 'dilationFilterW is 0; expected 1..255'),
    'neg_srcpos': ({'src': 'other'}, "src 'other' lies in l0a; expected l1"),
    'neg_b2int8': ({'dst': 'l0b', 'type': 'int8'}, 'takes no int8 to l0b'),
    'neg_v1_repeat0': ({'repeatTime': 0}, 'repeatTime is 0; expected 1..255'),
    'neg_v1_repeatMode2': ({'repeatMode': 2}, 'repeatMode is 2; expected 0..1'),
    'neg_v1_jump0': ({'jumpStride': 0}, 'jumpStride is 0; expected 1..127'),
    'neg_v1_csize2': ({'cSize': 2}, 'cSize is 2; expected 0..1')}


class Params:
    """A row as a convolution and a block."""

    def __init__(self, row):
        self.id, self.api, self.expected = row['id'], row['api'], row['expected']
        self.kind = row['dtype'].split('/')[0] or 'fp16'
        number = {key: int(row[key] or 0) for key in row if key not in (
            'id', 'api', 'dtype', 'expected', 'source')}
        self.channels, self.out = number['c1_or_channel'], (number['hout'], number['wout'])
        self.m, self.k = number['m_ext'], number['k_ext']
        self.m_start, self.k_start = number['m_start'], number['k_start']
        c0 = c0_of(self.kind)
        pads = tuple(number['pad_' + side] for side in ('top', 'bottom', 'left', 'right'))
        self.conv = Conv(self.kind, (-(-self.channels // c0), number['l1h'], number['l1w']),
                         (number['kh'], number['kw'], 16),
                         (number['stride_h'], number['stride_w']),
                         (number['dil_h'], number['dil_w']), pads)
        self.columns = self.channels * number['kh'] * number['kw']
        assert not number['c0'] or number['c0'] == c0, self.id
        self.product = TRAINING if 'V1' in self.api else \
            A5 if 'tensor API' in self.api or 'Stride' in self.api else A2

    def fields(self, k):
        """Keys of the load of k columns, by the form that the row is about."""
        conv = self.conv
        keys = dict(conv.filter(), type=self.kind, mExtension=self.m, kExtension=k,
                    mStartPt=self.m_start, **conv.fields())
        keys['channelSize'] = self.channels
        if 'tensor API' in self.api:
            for name in ('l1H', 'l1W', 'channelSize'):
                del keys[name]
            keys.update(H=conv.h, W=conv.w, C1=conv.c1, padValue=0x3C00)
            return 'copy_l12l0a_img2col', keys
        return ('load_data_with_stride' if 'Stride' in self.api else 'load3dv2'), keys


def pixels(kind, count):
    spans = {'int4': (16, -8), 'int8': (251, -125), 'bf16': (509, -254)}
    span, low = spans.get(kind, (2039, -1019))
    values = [(index * 7) % span + low for index in range(count)]
    return values if kind in ('int4', 'int8') else [float(v) for v in values]


def matrix_case(row):
    def make(product):
        params = Params(row)
        conv, k = params.conv, min(params.k, params.columns - params.k_start)
        assert (conv.ho, conv.wo) == params.out, 'the matrix has %d x %d windows' % (
            conv.ho, conv.wo)
        image = pixels(params.kind, conv.h * conv.w * params.channels)
        outside = 1.0 if 'tensor API' in params.api else 0
        matrix = tail_matrix(conv, image, params.channels) if params.channels % conv.c0 else \
            conv.matrix(image, outside)
        p = Program(product)
        x = copied(p, 'x', params.kind, [len(image)], image)
        m = min(params.m, conv.ho * conv.wo - params.m_start)
        y = p.output('y', 'int32' if 'int' in params.kind else 'fp32', [m, k])
        target = p.room('l0a', size_of(params.kind, loads.up(params.m, 16) * TILE))
        c = p.room('l0c', loads.up(m, 16) * TILE * 4)
        unit = loads.identity(p, params.kind, TILE)
        for first in range(0, k, TILE):
            tile = min(TILE, k - first)
            form, keys = params.fields(tile)
            if form == 'load_data_with_stride':
                p.add('set_load_data_repeat', repeatStride=0, repeatTime=1,
                      dstStride=loads.up(params.m, 16) // 16)
            p.add(form, dst=target, src=x, kStartPt=params.k_start + first, **keys)
            # One row would be read as a vector; the row below it holds zeros.
            p.add('mmad', dst=c, a=target, b=unit, type=params.kind, m=max(2, m), n=TILE, k=tile)
            p.add('fixpipe', dst=y.at(first * 4), src=c, mSize=m, nSize=tile,
                  srcStride=loads.up(m, 16), dstStride=k, mode='NoQuant', layout='nz2nd',
                  type='int32' if 'int' in params.kind else 'fp32')
        rows = matrix[params.m_start:params.m_start + m]
        return p, {'y': [v for line in rows for v in line[params.k_start:params.k_start + k]]}
    params = Params(row)
    return Case(params.id, 'AD' if 'asc' in row['source'] else 'PTO', '%s %s: %s' % (
        params.api, params.kind, params.expected), (params.product,), make)


def refused_program(params, changes, mnemonic='load3dv2'):
    """One load with its parameters changed; the spaces have the parts that the row names."""
    p = Program(params.product)
    for space, name in (('l1', 'image'), ('l0a', 'l0a'), ('l0b', 'l0b'), ('l0a', 'other')):
        p.room(space, 32768, name)
    if mnemonic == 'load3dv1':
        keys = dict(params.conv.fields(), type=params.kind, filterW=1, filterH=1, repeatTime=1)
    else:
        keys = params.fields(params.k)[1]
    p.add(mnemonic, **dict({'dst': 'l0a', 'src': 'image'}, **keys, **{
        key: value for key, value in changes.items() if key not in ('dst', 'src', 'type')
        and key not in keys}) | changes)
    return p


def refused_case(row):
    params = Params(row)
    changes, words = REFUSED[params.id]
    mnemonic = 'load3dv1' if 'V1' in params.api else 'load3dv2'
    return Refusal(params.id, 'AD', '%s: %s' % (params.api, params.expected),
                   lambda: refused_program(params, changes, mnemonic), 2, words)


def flagged_case(row, words):
    """A block that reaches beyond the matrix: run and reported."""
    params = Params(row)
    return Refusal(params.id, 'AD', '%s: %s' % (params.api, params.expected),
                   lambda: refused_program(params, {}), 1, words)


def cases():
    with open(ROWS, newline='', encoding='utf-8') as file:
        rows = list(csv.DictReader(file))
    result = []
    for row in rows:
        params = Params(row)
        if row['id'] in REFUSED:
            result.append(refused_case(row))
            continue
        beyond = params.k_start + params.k > params.columns
        if beyond:
            result.append(flagged_case(row, 'kStartPt + kExtension is %d; expected at most %d' % (
                params.k, loads.up(params.columns, params.conv.c0))))
        if not beyond or 'K %d' % params.columns in params.expected:
            result.append(matrix_case(row))
    return result
