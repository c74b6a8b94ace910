"""Fixpipe: from L0C to a layout, converted."""
import struct
from fractions import Fraction

from .number import BITS, c0_of, code_near, code_of, fp32_code, is_float, value_of
from .text import UNTOUCHED, Case, Row

# What is stored; int8 stands for uint8 as well, the word says which.
TARGET = {'F322F16': 'fp16', 'F322BF16': 'bf16', 'REQ8': 'int8', 'QF322B8_PRE': 'int8',
          'DEQF16': 'fp16', 'QF322FP8_PRE': 'fp8_e4m3', 'QF322HIF8_PRE': 'hif8',
          'QS322BF16_PRE': 'bf16', 'QF322F16_PRE': 'fp16', 'QF322BF16_PRE': 'bf16',
          'QF322F32_PRE': 'fp32'}
INT32 = ('REQ8', 'DEQF16', 'QS322BF16_PRE')
ON_ALL = ('DEQF16', 'REQ8', 'QF322B8_PRE')
ON_950 = tuple(mode for mode in TARGET if mode not in ('F322F16', 'F322BF16'))
SPLIT = 8                               # columns of a group with channelSplit


def source_code(rng, kind):
    """Values of all sizes; every fourth with few bits, so that ties and exact values occur."""
    if kind == 'int32':
        return rng.getrandbits(32) if rng.randrange(3) else rng.getrandbits(10) & 0xFFFFFFFF
    value = rng.uniform(-1, 1) * 10.0 ** rng.randint(-4, 5)
    code = struct.unpack('<I', struct.pack('<f', value))[0]
    return code if rng.randrange(4) else code & 0xFFFFF000


def word_draw(rng, oracle, signed):
    """A quantisation word; scales that bring some values into 8 bits."""
    scale = rng.uniform(0.5, 2) * 2.0 ** rng.randint(-24, 3)
    return oracle.quant_word(scale if rng.randrange(3) else 2.0 ** rng.randint(-8, 1), signed,
                             rng.randint(-256, 255), rng.randint(1, 16), rng.randint(0, 1))


def quantised(oracle, arch, source, mode, target, relu, code, word):
    """The stored code of a code in L0C; word is 0 in a mode without one."""
    if arch == 'dav-3510':
        word &= ~(0x1F << 32)           # neither shift nor its switch
    value = value_of(source, code)
    if BITS[target] == 8 and is_float(target):
        scale = oracle.quant_fields(word)['scale']
        scaled = float(oracle.f32(Fraction(value) * scale)) if value > 0 or not relu else 0.0
        return code_near(target, scaled, True)
    value = Fraction(value) if source == 'fp32' else value
    result = oracle.quant(value, mode, word, relu=relu)
    if target == 'fp32':
        code = fp32_code(float(result))
    else:
        code = code_of(target, result)
    # The fractions of the oracle have no sign of zero.
    tiny = is_float(target) and result == 0 and value < 0 and not relu
    return code | 1 << (BITS[target] - 1) if tiny else code


def fixpipe_case(bench, arch, layout, source, mode, relu=False, split=False, vector=False,
                 signed=True, to='gm'):
    rng, fields, operands = bench.rng, {}, []
    target = TARGET.get(mode, source)
    if target == 'int8' and not signed:
        target = 'uint8'
    quant = mode if mode in ('NoQuant', 'F322F16', 'F322BF16') else None
    m = bench.draw('mSize', 1, bench.extent)
    n = bench.draw('nSize', 1, bench.extent)
    if layout == 'nz':
        n = -(-n // (SPLIT if split else 16)) * (SPLIT if split else 16)
    elif to != 'gm':                    # whole blocks
        step = c0_of(target)
        m, n = (m, -(-n // step) * step) if layout == 'nz2nd' else (-(-m // step) * step, n)
    row = rng.randint(1, 3) if layout == 'nz2dn' else 1
    pitch = bench.draw('srcStride', m * row, m * row + 5)
    number = 1 if layout == 'nz' else rng.randint(1, 2)
    groups = -(-n // 16)
    unit = 256 if arch != 'dav-3510' and layout == 'nz2nd' else 16
    matrix = -(-groups * pitch * 16 // unit) if number > 1 else 0
    size = (number - 1) * matrix * unit + groups * pitch * 16
    if not bench.holds('l0c', source, size):
        return None
    l0c = [source_code(rng, source) for _ in range(size)]
    operands.append(('src', 'l0c', source, l0c))
    words = [0] * n
    if quant is None and vector:
        words = [word_draw(rng, bench.oracle, signed) for _ in range(n)]
        if not bench.holds('fb', 'uint64', n):
            return None
        operands.append(('quant', 'fb', 'uint64', words))
    elif quant is None:
        words = [word_draw(rng, bench.oracle, signed)] * n
        fields['deqScalar'] = words[0]

    def convert(code, column):
        return quantised(bench.oracle, arch, source, mode, target, relu, code, words[column])

    fields.update({'type': source, 'mode': ('V' if vector else '') + mode, 'layout': layout,
                   'mSize': m, 'nSize': n, 'srcStride': pitch, 'reluEn': relu})
    if layout == 'nz':
        merged = BITS[target] == 8
        width, block = SPLIT if split else 32 if merged else 16, c0_of(target)
        stride = rng.randint(-(-m * width // block), -(-m * width // block) + 2)
        tail = n % 32 == 16 and merged
        gm = [UNTOUCHED] * ((-(-n // width) - 1) * stride * block + m * (16 if tail else width))
        bench.oracle.nz2nz(l0c, gm, m, n, pitch, stride * block, BITS[target], split, convert)
        fields['dstStride'] = stride * block if arch == 'dav-3510' else stride
        fields['channelSplit'] = split
    else:
        lines, columns = (m, n) if layout == 'nz2nd' else (n, m)
        align = c0_of(target) if to != 'gm' else 1
        stride = columns + rng.randint(0, 3) * align
        step = lines * stride + rng.randint(0, 4) * align
        gm = [UNTOUCHED] * ((number - 1) * step + (lines - 1) * stride + columns)
        if layout == 'nz2nd':
            bench.oracle.nz2nd(l0c, gm, m, n, pitch, stride, number, matrix, step, unit, convert)
            fields.update({'ndNum': number, 'srcNdStride': matrix, 'dstNdStride': step})
        else:
            bench.oracle.nz2dn(l0c, gm, m, n, pitch, stride, number, matrix, step, row, convert)
            fields.update({'dnNum': number, 'srcNzMatrixStride': matrix, 'dstDnMatrixStride': step,
                           'srcNzC0Stride': row})
        fields['dstStride'] = stride
    if not bench.takes(to, target, len(gm)):
        return None
    return Case('fixpipe', arch, fields, operands, (to, target, gm))


def plain_rows():
    result = []
    for arch, layouts in (('dav-2201', ('nz', 'nz2nd')), ('dav-3002', ('nz', 'nz2nd')),
                          ('dav-3510', ('nz', 'nz2nd', 'nz2dn'))):
        for layout in layouts:
            for source, mode in (('fp32', 'NoQuant'), ('fp32', 'F322F16'), ('fp32', 'F322BF16'),
                                 ('int32', 'NoQuant')):
                for relu in (False, True):
                    result.append(Row('fixpipe', fixpipe_case, arch=arch, layout=layout,
                                      source=source, mode=mode, relu=relu))
    for arch in ('dav-2201', 'dav-3510'):
        for relu in (False, True):
            result.append(Row('fixpipe', fixpipe_case, arch=arch, layout='nz', source='fp32',
                              mode='NoQuant', relu=relu, split=True))
    return result


def quant_rows():
    """Every mode with one word and with a word for each column."""
    result = []
    for arch, modes, layouts in (('dav-2201', ON_ALL, ('nz', 'nz2nd')),
                                 ('dav-3002', ON_ALL, ('nz2nd', 'nz')),
                                 ('dav-3510', ON_950, ('nz', 'nz2nd', 'nz2dn'))):
        for index, mode in enumerate(mode for mode in modes for _ in range(4)):
            vector, signed = index % 2 == 1, index // 2 % 2 == 0
            result.append(Row('fixpipe', fixpipe_case, arch=arch, mode=mode, vector=vector,
                              source='int32' if mode in INT32 else 'fp32', signed=signed,
                              layout=layouts[index % len(layouts)], relu=index % 4 == 3))
    return result


def local_rows():
    """To L1 and to the unified buffer."""
    result = []
    for arch, to, layouts, modes in (
            ('dav-2201', 'l1', ('nz',), ('F322F16', 'REQ8', 'DEQF16', 'QF322B8_PRE')),
            ('dav-3002', 'ub', ('nz', 'nz2nd'), ('NoQuant', 'F322F16', 'REQ8', 'QF322B8_PRE')),
            ('dav-3510', 'l1', ('nz', 'nz2nd', 'nz2dn'),
             ('NoQuant', 'F322BF16', 'REQ8', 'QF322HIF8_PRE')),
            ('dav-3510', 'ub', ('nz', 'nz2nd', 'nz2dn'),
             ('NoQuant', 'F322F16', 'REQ8', 'QF322FP8_PRE'))):
        for layout in layouts:
            for index, mode in enumerate(modes):
                result.append(Row('fixpipe', fixpipe_case, arch=arch, mode=mode, layout=layout,
                                  source='int32' if mode in INT32 else 'fp32', to=to,
                                  vector=index == 2))
    return result


def rows():
    return plain_rows() + quant_rows() + local_rows()
