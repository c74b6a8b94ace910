"""Stores from L0C: layouts, quantisation, ReLU, and K in several Mmads."""
import functools
import struct

import loads
from case import Case, ROUND, first_are, matmul, rows_of
from legacy_random import Legacy
from loads import A2, A5
from matmul_cases import Product, uniform, whole
from program import Program
from vectors.number import BITS

ND, NZ, SPLIT, DN = 'nz2nd', 'nz', 'split', 'nz2dn'
SIGNED = 1 << 46                # of a quantisation word: the result is int8, not uint8


def word_of(scale, target):
    bits = struct.unpack('<I', struct.pack('<f', scale))[0]
    return bits | (SIGNED if target == 'int8' else 0)


def to_byte(value, scale, target):
    """Scaled, to the nearest integer, clamped; None so near to a half that the last bit of a sum
    of floats decides."""
    scaled = value * scale
    if isinstance(value, float) and value != int(value) and abs(scaled % 1 - 0.5) < 1e-3:
        return None
    low, high = (-128, 127) if target == 'int8' else (0, 255)
    return max(low, min(high, round(max(-256, min(255, scaled)))))


def converted(value, target, scale):
    """What a store makes of a sum; scale None: no quantisation."""
    if target in ('int8', 'uint8'):
        return to_byte(value, scale, target)
    if scale is not None:
        value = value * scale
    return ROUND[target]([float(value)])[0] if target in ROUND else value


def laid_out(rows, layout, target):
    """Rows as they lie in the destination; groups of 32 columns of 8-bit types, else 16."""
    if layout == ND:
        return loads.flat(rows)
    if layout == DN:
        return loads.flat(loads.transposed(rows))
    width = 8 if layout == SPLIT else 32 if BITS[target] == 8 else 16
    return [v for j in range(0, len(rows[0]), width) for row in rows for v in row[j:j + width]]


def mode_of(source, target, scale, vector):
    if scale is None:
        return {'fp16': 'F322F16', 'bf16': 'F322BF16'}.get(target, 'NoQuant')
    mode = {('int32', 'fp16'): 'DEQF16', ('fp32', 'int8'): 'QF322B8_PRE',
            ('fp32', 'uint8'): 'QF322B8_PRE'}.get((source, target), 'REQ8')
    return 'V' + mode if vector else mode


def store(p, c, source, target, shape, layout, scale=None, words=None, relu=False, **more):
    """fixpipe of m x n, of an L0C whose rows are filled up to 16; words: a scale per column."""
    m, n = shape
    y = p.output('y', target, [m * n])
    keys = {'dst': y, 'src': c, 'type': source, 'mSize': m, 'nSize': n,
            'srcStride': loads.up(m, 16), 'mode': mode_of(source, target, words or scale, words),
            'layout': NZ if layout == SPLIT else layout, 'reluEn': relu}
    width = 8 if layout == SPLIT else 32 if BITS[target] == 8 else 16
    keys['dstStride'] = {ND: n, DN: m}.get(
        layout, m * width if p.product == A5 else m * width * BITS[target] // 256)
    if layout == SPLIT:
        keys['channelSplit'] = 1
    if words:
        count = loads.up(n, 16)
        raw = [word_of(float(word), target) if word else 0 for word in words] + [0] * (count - n)
        gm = p.input('words', 'uint64', [count], raw)
        l1, table = p.room('l1', count * 8), p.room('fb', count * 8)
        p.add('data_copy', dst=l1, src=gm, blockCount=1, blockLen=count // 4)
        p.add('load_fb', dst=table, src=l1, blockLen=count * 8 // (64 if p.product == A5 else 128))
        keys['quant'] = table
    elif scale is not None:
        keys['deqScalar'] = word_of(float(scale), target)
    p.add('fixpipe', **keys, **more)


# ---- TSTORE of PTO: number, stored type, input type, layout, m, n, k, scale or 'vector' ---------

TSTORE = [
    ('54.1', 'fp32', 'fp32', ND, 128, 128, 61, None),
    ('54.2', 'fp32', 'fp32', ND, 31, 32, 126, None),
    ('55', 'fp32', 'fp16', ND, 65, 128, 96, None), ('56', 'fp16', 'fp16', ND, 73, 64, 32, None),
    ('57', 'fp32', 'bf16', ND, 13, 32, 25, None), ('58', 'bf16', 'bf16', ND, 100, 222, 60, None),
    ('59.1', 'fp32', 'fp32', NZ, 32, 64, 25, None), ('59.2', 'fp32', 'fp32', NZ, 48, 32, 45, None),
    ('60', 'fp32', 'fp16', NZ, 32, 64, 24, None), ('61.1', 'fp16', 'fp16', NZ, 96, 96, 23, None),
    ('61.2', 'fp32', 'bf16', NZ, 48, 96, 22, None), ('61.3', 'bf16', 'bf16', NZ, 48, 256, 32, None),
    ('62.1', 'int32', 'int8', ND, 44, 128, 27, None),
    ('62.2', 'int32', 'int8', NZ, 64, 96, 30, None),
    ('63', 'fp32', 'fp32', SPLIT, 64, 192, 43, None),
    ('64.1', 'fp16', 'int8', ND, 64, 64, 64, 5), ('64.2', 'int8', 'int8', ND, 31, 32, 26, 2),
    ('64.3', 'uint8', 'int8', ND, 16, 32, 17, 2), ('64.4', 'fp16', 'int8', NZ, 64, 32, 64, 5),
    ('64.5', 'int8', 'int8', NZ, 32, 32, 32, 2), ('64.6', 'uint8', 'int8', NZ, 32, 32, 17, 2),
    ('64.7', 'int8', 'fp16', ND, 25, 35, 32, 2), ('64.8', 'uint8', 'fp32', ND, 16, 20, 25, 1.5),
    ('64.9', 'int8', 'fp32', NZ, 16, 64, 32, 2.5), ('64.10', 'uint8', 'bf16', NZ, 32, 64, 16, 2),
    ('65.1', 'fp16', 'int8', ND, 55, 88, 32, 'vector'),
    ('65.2', 'int8', 'int8', ND, 34, 85, 19, 'vector'),
    ('65.3', 'uint8', 'int8', ND, 31, 32, 29, 'vector'),
    ('65.4', 'int8', 'int8', NZ, 32, 32, 32, 'vector')]
RANGES = {'int8': (-1, 2), 'uint8': (1, 4)}


@functools.lru_cache(None)
def tstore_draws():
    """Inputs and scales of all cases from one generator, in their order."""
    legacy, draws = Legacy(19), {}
    for number, target, kind, _, m, n, k, scale in TSTORE:
        low, high = RANGES.get(target, (-5, 5))
        a, b = legacy.randint(low, high, m * k), legacy.randint(low, high, k * n)
        if kind != 'int8':
            a, b = ([float(v) for v in values] for values in (a, b))
        # The golden script cuts the words of uint8 down to 8 bits: scale 0, all results 0.
        words = legacy.randint(1, 5, n) if scale == 'vector' else None
        draws[number] = (rows_of(a, k), rows_of(b, n), [0] * n if words and target == 'uint8'
                         else words)
    return draws


def product_of(product, kind, a, b):
    if product == A5:
        return Product(kind, a, b, 'load2dv2', 'load2dv2')
    turning = {'int8': 'transpose', 'fp32': 'load3d'}.get(kind, 'load2d')
    return Product(kind, a, b, 'load2d', turning)


def tstore_case(number, target, kind, layout, m, n, k, scale):
    def make(product):
        a, b, words = tstore_draws()[number]
        source = 'int32' if kind == 'int8' else 'fp32'
        p = Program(product)
        c = product_of(product, kind, a, b).multiply(p)
        single = None if words else scale
        store(p, c, source, target, (m, n), layout, single, words)
        rows = [[converted(value, target, words[j] if words else scale)
                 for j, value in enumerate(row)] for row in matmul(a, b)]
        return p, {'y': laid_out(rows, layout, target)}
    what = 'tstore %s of %s, %s, %dx%d, K %d%s' % (
        target, kind, layout, m, n, k, '' if scale is None else ', a scale per column'
        if scale == 'vector' else ', times %g' % scale)
    return Case(number, 'PTO', what, (A2, A5), make, 0.0)


# ---- fixpipe samples of asc-devkit: 128 x 128 x 256, K in two halves ----------------------------

def split_multiply(p, case, parts, unit_flag=False):
    """C as the sum of Mmads over parts of K; the operands lie in L1 as a whole."""
    m, n, k = case.m, case.n, case.k // parts
    left = loads.to_l1(p, 'a', case.kind, case.a, case.pad_of(False))
    right = loads.to_l1(p, 'b', case.kind, case.b, case.pad_of(True))
    c = p.room('l0c', m * n * 4)
    for part in range(parts):
        p.reuse('l0a', 'l0b')
        a = loads.a_plain(p, case.how_a, left.part(0, m, part * k, k))
        b = loads.b_turned(p, case.how_b, right.part(part * k, k, 0, n))
        flag = {'unitFlag': 3 if part + 1 == parts else 2} if unit_flag else {}
        p.add('mmad', dst=c, a=a, b=b, type=case.kind, m=m, n=n, k=k, cmatrixInitVal=part == 0,
              **flag)
    return c


@functools.lru_cache(None)
def drawn(draw):
    """A, B and their product, computed once for all cases that share them."""
    a, b = draw()
    return a, b, matmul(a, b)


def sample_case(number, what, kind, draw, target, layout, products, known=(), scale=None,
                vector=False, relu=False, tolerance=1e-3):
    def make(product):
        a, b, rows = drawn(draw)
        case = product_of(product, kind, a, b)
        first_are(rows[0], known, 3)
        if relu:
            rows = [[max(value, 0) for value in row] for row in rows]
        p = Program(product)
        c = split_multiply(p, case, 2)
        source = 'int32' if kind == 'int8' else 'fp32'
        store(p, c, source, target, (case.m, case.n), layout, None if vector else scale,
              [scale] * case.n if vector else None, relu)
        rows = [[converted(value, target, scale) for value in row] for row in rows]
        return p, {'y': laid_out(rows, layout, target)}
    return Case(number, 'AD', 'fixpipe_l0c2gm ' + what, products, make,
                0.0 if target in ('int8', 'uint8', 'fp16') else tolerance)


def whole_draw(low, high):
    def draw():
        legacy = Legacy(9)
        return (rows_of(legacy.randint(low, high, 128 * 128), 128),
                rows_of(legacy.randint(low, high, 128 * 256), 256))
    return draw


def sample_cases():
    half, both = uniform('fp16', -1, 3, 128, 128, 256), (A2, A5)
    known = (137.256,)
    small, mixed = whole_draw(-3, 3), uniform('fp16', -3.0, 3.0, 128, 128, 256)
    return [
        sample_case('68', 'NZ', 'fp16', half, 'fp32', NZ, both, known),
        sample_case('69', 'ND', 'fp16', half, 'fp32', ND, both, known),
        sample_case('70', 'DN', 'fp16', half, 'fp32', DN, (A5,), known),
        sample_case('71', 'QF322B8_PRE, times 2', 'fp16', half, 'int8', ND, both, known, 2.0),
        sample_case('72', 'VQF322B8_PRE, times 2', 'fp16', half, 'int8', ND, both, known, 2.0,
                    True),
        sample_case('73', 'ReLU', 'fp16', half, 'fp32', ND, both, known, relu=True),
        sample_case('74', 'channel split', 'fp16', half, 'fp32', SPLIT, both, known),
        sample_case('74.1', 'REQ8, times 2, NZ', 'int8', small, 'int8', NZ, both, (), 2),
        sample_case('74.2', 'VREQ8, times 2', 'int8', small, 'int8', ND, both, (), 2, True),
        sample_case('74.3', 'REQ8, times 2, ReLU', 'int8', small, 'int8', ND, both, (), 2,
                    relu=True),
        sample_case('74.4', 'DEQF16, times 2', 'int8', small, 'fp16', ND, both, (), 2),
        sample_case('74.5', 'VDEQF16, times 2, NZ, ReLU', 'int8', small, 'fp16', NZ, both, (), 2,
                    True, True),
        sample_case('74.6', 'QF322B8_PRE of -3..3, NZ', 'fp16', mixed, 'int8', NZ, both, (), 2.0)]


def unit_flag_case():
    """128 x 512 x 256 in 8 parts of K; Mmad and the store hand C over block by block."""
    draw = uniform('fp16', 1, 10, 128, 512, 256)

    def make(product):
        a, b, rows = drawn(draw)
        p = Program(product)
        c = split_multiply(p, product_of(product, 'fp16', a, b), 8, True)
        store(p, c, 'fp32', 'fp32', (128, 256), ND, unitFlag=3)
        return p, {'y': loads.flat(rows)}
    return Case('76', 'AD', 'mmad_unitflag fp16 128x512x256, 8 parts of K', (A2, A5), make, 1e-3)


# ---- worked numbers of the pages ---------------------------------------------------------------

def worked_case(number, what, shape, keys, place, size, products):
    """A product of small numbers in L0C; place(b, i, j) is where an element of matrix b goes."""
    m, n, matrices, rows, cols, width = shape

    def make(product):
        legacy = Legacy(9)
        a = [[float(v) for v in row] for row in rows_of(legacy.randint(-5, 5, m * 16), 16)]
        b = [[float(v) for v in row] for row in rows_of(legacy.randint(-5, 5, 16 * n), n)]
        p = Program(product)
        c = product_of(product, 'fp16', a, b).multiply(p)
        zero = [0.0] * size
        y = p.input('y', 'fp32', [size], zero)
        p.dumps.append('dump y y_out.npy')
        p.outputs.append(('y', 'fp32'))
        p.add('fixpipe', dst=y, src=c, mSize=rows, nSize=cols, mode='NoQuant', **keys)
        found = matmul(a, b)
        for index in range(matrices):
            for i in range(rows):
                for j in range(cols):
                    zero[place(index, i, j)] = found[i][index * width + j]
        return p, {'y': zero}
    return Case(number, 'AD', what, products, make)


def worked_cases():
    return [
        worked_case('98.4', 'NZ2ND 48x32, ndNum 2, srcStride 64, dstStride 64, 256, 4096',
                    (64, 128, 2, 48, 32, 64),
                    {'layout': ND, 'srcStride': 64, 'dstStride': 64, 'ndNum': 2,
                     'srcNdStride': 256, 'dstNdStride': 4096},
                    lambda b, i, j: b * 4096 + i * 64 + j, 8192, (A5,)),
        worked_case('98.5', 'NZ2DN 48x32, dnNum 2, srcStride 80, dstStride 80, 240, 3840',
                    (80, 96, 2, 48, 32, 48),
                    {'layout': DN, 'srcStride': 80, 'dstStride': 80, 'dnNum': 2,
                     'srcNzMatrixStride': 240, 'dstDnMatrixStride': 3840},
                    lambda b, i, j: b * 3840 + j * 80 + i, 7680, (A5,)),
        worked_case('98.6', 'NZ2NZ 24x48, srcStride 64, dstStride 40 blocks of 32 bytes',
                    (64, 48, 1, 24, 48, 48), {'layout': NZ, 'srcStride': 64, 'dstStride': 80},
                    lambda b, i, j: j // 16 * 640 + i * 16 + j % 16, 1920, (A2,)),
        worked_case('98.7', 'NZ2NZ 24x48, srcStride 64, dstStride 640 elements',
                    (64, 48, 1, 24, 48, 48), {'layout': NZ, 'srcStride': 64, 'dstStride': 640},
                    lambda b, i, j: j // 16 * 640 + i * 16 + j % 16, 1920, (A5,))]


def cases():
    return [tstore_case(*row) for row in TSTORE] + sample_cases() + [unit_flag_case()] + \
        worked_cases()
