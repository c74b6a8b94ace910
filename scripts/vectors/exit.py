"""The way out of L0C over the unified buffer, and a bias on its way in (310P, Atlas training).

The oracle has neither; the statements are the definitions of docs/isa.md section 9.
"""
from fractions import Fraction

from .fixpipe import source_codes
from .number import BITS, code_near, code_of, fp32_code, is_float, value_of
from .text import UNTOUCHED, Case, Once, Row

# conversion: pairs of the type in L0C and the stored type
CONVERSIONS = {
    'DEQ_NONE': (('fp16', 'fp16'), ('fp32', 'fp32'), ('int32', 'int32'), ('uint32', 'uint32'),
                 ('fp32', 'fp16')),
    'DEQ': (('int32', 'fp16'), ('fp16', 'fp16')), 'VDEQ': (('int32', 'fp16'),),
    'DEQ8': (('int32', 'int8'), ('int32', 'uint8')),
    'VDEQ8': (('int32', 'int8'), ('int32', 'uint8')),
    'DEQ16': (('int32', 'fp16'), ('int32', 'int16')),
    'VDEQ16': (('int32', 'fp16'), ('int32', 'int16'))}
RELU_BIT = 1 << 47


def l0c_codes(bench, kind, count):
    if kind == 'fp16':
        return bench.codes(kind, count, *bench.either((0x9FFF, 0x2000), (0x8FFF, 0x5000)))
    return bench.codes(kind, count) if kind == 'uint32' else source_codes(bench, kind, count)


def word_draw(bench, scale_type, target):
    """A scale of fp16, or a word: scale, shift, its switch, offset, sign."""
    rng = bench.rng
    scale = rng.choice([1, 1, 1, -1]) * rng.uniform(1, 2) * 2.0 ** rng.randint(-9, 3)
    if scale_type == 'fp16':
        return code_near('fp16', scale, True)
    word = bench.oracle.quant_word(1.0, int(target != 'uint8'), rng.randint(-256, 255),
                                   rng.randint(1, 16), int(rng.randrange(3) == 0))
    return word & ~0xFFFFFFFF | fp32_code(scale)


def clamped(value, bits, signed=True):
    low = -(1 << (bits - 1)) if signed else 0
    return max(low, min(low + (1 << bits) - 1, value))


def converted(oracle, mode, pair, code, word, relu):
    """The code that is stored; None where only the sign of a zero is open."""
    source, target = pair
    value = value_of(source, code)
    if mode.endswith(('8', '16')):
        shift = (word >> 32 & 15) + 1
        if target == 'int16' or word >> 36 & 1:
            value = clamped(value >> shift, 16)
    value = max(value, 0) if relu else value
    if target == 'int16':
        return value & 0xFFFF
    if mode == 'DEQ_NONE' and source == target:
        return None if is_float(source) and value == 0 else code_of(target, value)
    if mode != 'DEQ_NONE':
        scale = value_of('fp16', word) if mode in ('DEQ', 'VDEQ') else \
            value_of('fp32', word & 0xFFFFFFFF)
        single = value if is_float(source) else oracle.f32(value)
        value = oracle.f32(Fraction(single) * Fraction(scale))
    if target == 'fp16':
        rounded = oracle.f16(Fraction(value), True)
        return None if rounded == 0 else code_of('fp16', float(rounded))
    offset = word >> 37 & 0x1FF
    offset -= 512 if offset & 0x100 else 0
    value = max(-256, min(255, oracle.rint(value))) + offset
    return clamped(value, 8, target == 'int8') & 0xFF


def exit_case(bench, arch, mode, pair, relu=False):
    source, target = pair
    count, length = bench.draw('blockCount', 1, 3), bench.draw('blockLen', 1, 2)
    if count * length > 2 and not bench.chance(6):
        return None                                  # the oracle takes its time for large ones
    source_gap, target_gap = bench.draw('srcGap', 0, 2), bench.draw('dstGap', 0, 3)
    half = bench.rng.randint(0, 2) if BITS[target] == 8 else 0
    row = 32 if BITS[target] == 8 and half < 2 else 16       # elements from a row to the next
    step = length * 16 * row + target_gap * 256 // BITS[target]
    size = (count - 1) * step + length * 16 * row
    fractals = (count - 1) * (length + source_gap) + length
    if not bench.holds('l0c', source, fractals * 256) or not bench.takes('ub', target, size):
        return None
    l0c = l0c_codes(bench, source, fractals * 256)
    vector = mode.startswith('V')
    scale_type = 'fp16' if mode in ('DEQ', 'VDEQ') else 'uint64'
    words = [word_draw(bench, scale_type, target) for _ in range(16 * count if vector else 1)]
    by_bit = not vector and mode in ('DEQ8', 'DEQ16') and bench.chance(3)
    out = [UNTOUCHED] * size
    for block in range(count):
        for at in range(length * 256):
            place = block * step + at // 16 * row + at % 16 + (16 if half == 1 else 0)
            code = l0c[block * (length + source_gap) * 256 + at]
            word = words[block * 16 + at % 16 if vector else 0]
            out[place] = converted(bench.oracle, mode, pair, code, word, relu or by_bit)
    fields = {'type': source, 'dstType': target, 'deqScale': mode, 'blockCount': count,
              'blockLen': length, 'srcGap': source_gap, 'dstGap': target_gap,
              'sidStoreMode': half, 'isRelu': relu}
    operands = [('src', 'l0c', source, l0c)]
    if vector:
        operands.append(('deqTensorAddr', 'ub', scale_type, words))
    elif mode != 'DEQ_NONE':
        fields['deqValue'] = words[0] | (RELU_BIT if by_bit else 0)
    return Case('data_copy_l0c2ub', arch, fields, operands, ('ub', target, out))


def all_codes_case(bench, scale):
    """Every fp16 code but infinities and NaN, times a scale."""
    if not bench.takes('ub', 'fp16', 1 << 16):
        return None
    codes = [code if code & 0x7C00 != 0x7C00 else 0 for code in range(1 << 16)]
    out = [converted(bench.oracle, 'DEQ', ('fp16', 'fp16'), code, scale, False) for code in codes]
    fields = {'type': 'fp16', 'dstType': 'fp16', 'deqScale': 'DEQ', 'blockCount': 1,
              'blockLen': len(codes) // 256, 'deqValue': scale}
    return Case('data_copy_l0c2ub', 'dav-2002', fields, [('src', 'l0c', 'fp16', codes)],
                ('ub', 'fp16', out))


def broadcast_case(bench, kind):
    """Each 16 elements in the 16 rows of a fractal."""
    count, length = bench.draw('blockCount', 1, 3), bench.draw('blockLen', 1, 2)
    source_gap, target_gap = bench.draw('srcGap', 0, 2), bench.draw('dstGap', 0, 2)
    step = length * 16 + source_gap * 256 // BITS[kind]
    fractals = (count - 1) * (length + target_gap) + length
    if not bench.takes('l0c', kind, fractals * 256):
        return None
    codes = bench.codes(kind, (count - 1) * step + length * 16)
    l0c = [UNTOUCHED] * (fractals * 256)
    for block in range(count):
        for part in range(length):
            for at in range(256):
                l0c[(block * (length + target_gap) + part) * 256 + at] = \
                    codes[block * step + part * 16 + at % 16]
    fields = {'type': kind, 'blockCount': count, 'blockLen': length, 'srcGap': source_gap,
              'dstGap': target_gap}
    return Case('broadcast_vec_to_mm', 'dav-2002', fields, [('src', 'ub', kind, codes)],
                ('l0c', kind, l0c))


def rows():
    result = []
    for arch in ('dav-1001', 'dav-2002'):
        for mode, pairs in CONVERSIONS.items():
            for pair in pairs:
                for relu in (False, True):
                    result.append(Row('data_copy_l0c2ub', exit_case, arch=arch, mode=mode,
                                      pair=pair, relu=relu))
    result.append(Once('data_copy_l0c2ub', all_codes_case, scale=0x3555))
    return result + [Row('broadcast_vec_to_mm', broadcast_case, kind=kind)
                     for kind in ('fp16', 'fp32', 'int32')]
