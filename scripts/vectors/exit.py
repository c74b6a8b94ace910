"""The way out of L0C without Fixpipe: data_copy_l0c2ub, and a bias by broadcast_vec_to_mm."""
from fractions import Fraction

from .number import BITS, c0_of, code_of, is_float, value_of
from .text import UNTOUCHED, Case, Row

FRACTAL = 256                           # elements
# deqScale: what L0C holds, what is stored
CONVERSIONS = (('DEQ_NONE', 'fp16', 'fp16'), ('DEQ_NONE', 'fp32', 'fp32'),
               ('DEQ_NONE', 'fp32', 'fp16'), ('DEQ_NONE', 'int32', 'int32'),
               ('DEQ_NONE', 'uint32', 'uint32'),
               ('DEQ', 'int32', 'fp16'), ('DEQ', 'fp16', 'fp16'), ('VDEQ', 'int32', 'fp16'),
               ('DEQ8', 'int32', 'int8'), ('DEQ8', 'int32', 'uint8'), ('VDEQ8', 'int32', 'int8'),
               ('VDEQ8', 'int32', 'uint8'), ('DEQ16', 'int32', 'fp16'), ('DEQ16', 'int32', 'int16'),
               ('VDEQ16', 'int32', 'fp16'), ('VDEQ16', 'int32', 'int16'))


def value_draw(rng, kind):
    """A code whose value is neither infinite nor NaN."""
    if kind in ('int32', 'uint32'):
        return rng.getrandbits(32) if rng.randrange(3) else rng.randint(-600, 600) & 0xFFFFFFFF
    return code_of(kind, rng.randint(-2000, 2000) / rng.choice((1, 2, 8)))


def scale_draw(rng):
    """At most 10 bits of fraction, which fp16 holds and every reading of a word keeps."""
    return (1024 + rng.randint(0, 1023)) / 1024 * 2.0 ** rng.randint(-12, 0)


def parameter_draw(rng, oracle, conversion, target):
    """A word as bits, and what it says."""
    scale = scale_draw(rng)
    if conversion in ('DEQ', 'VDEQ'):
        return code_of('fp16', scale), (scale, None, 0, False)
    shift = rng.randint(1, 16)
    shifts = bool(rng.randint(0, 1))
    word = oracle.quant_word(scale, int(target == 'int8'), rng.randint(-256, 255), shift,
                             int(shifts))
    return word, (scale, shift if shifts or target == 'int16' else None, word, False)


def convert(oracle, source, target, code, says, relu):
    value = value_of(source, code)
    if says is None:
        scaled = Fraction(value)
    elif target == 'int16':
        scaled = oracle.clamp(value >> says[1], -32768, 32767)
        return code_of('int16', max(0, scaled) if relu else scaled)
    elif target in ('int8', 'uint8'):
        return code_of(target, oracle.quant(value, 'REQ8', says[2], relu=relu))
    else:
        if says[1] is not None:
            value = oracle.clamp(value >> says[1], -32768, 32767)
        scaled = oracle.f32(oracle.f32(Fraction(value)) * Fraction(says[0]))
    if relu and scaled < 0:
        scaled = 0
    result = oracle.f16(scaled, True) if target == 'fp16' else scaled
    stored = code_of(target, result)
    tiny = is_float(target) and result == 0 and value < 0 and not relu
    return stored | 1 << (BITS[target] - 1) if tiny else stored


def exit_case(bench, arch, conversion, source, target):
    rng, oracle = bench.rng, bench.oracle
    count, length = rng.randint(1, 3), rng.randint(1, 2 if bench.small else 6)
    source_gap, target_gap = rng.randint(0, 2), rng.randint(0, 3)
    relu, mode = bool(rng.randint(0, 1)), rng.randint(0, 2) if BITS[target] == 8 else 0
    row = 32 if BITS[target] == 8 and mode != 2 else 16          # elements
    l0c = [value_draw(rng, source) for _ in range((count * length + (count - 1) * source_gap) *
                                                  FRACTAL)]
    pitch = length * 16 * row + target_gap * c0_of(target)
    out = [UNTOUCHED] * ((count - 1) * pitch + (length * 16 - 1) * row + 16 + 16 * (mode == 1))
    if not bench.holds('l0c', source, len(l0c)) or not bench.takes('ub', target, len(out)):
        return None
    operands = [('src', 'l0c', source, l0c)]
    fields = {'type': source, 'dstType': target, 'deqScale': conversion, 'blockCount': count,
              'blockLen': length, 'srcGap': source_gap, 'dstGap': target_gap, 'isRelu': relu,
              'sidStoreMode': mode}
    words = None
    if conversion.startswith('V'):
        words = [parameter_draw(rng, oracle, conversion, target) for _ in range(16 * count)]
        operands.append(('deqTensorAddr', 'ub', 'fp16' if conversion == 'VDEQ' else 'uint64',
                         [word for word, _ in words]))
    elif conversion != 'DEQ_NONE':
        words = [parameter_draw(rng, oracle, conversion, target)] * 16 * count
        fields['deqValue'] = words[0][0]
        if conversion != 'DEQ' and rng.randint(0, 1):
            fields['deqValue'] |= 1 << 47
            relu = True
    for block in range(count):
        for index in range(length * FRACTAL):
            code = l0c[block * (length + source_gap) * FRACTAL + index]
            says = words[block * 16 + index % 16][1] if words else None
            at = block * pitch + index // 16 * row + index % 16 + 16 * (mode == 1)
            out[at] = convert(oracle, source, target, code, says, relu)
    return Case('data_copy_l0c2ub', arch, fields, operands, ('ub', target, out))


def broadcast_case(bench, kind):
    rng = bench.rng
    count, length = rng.randint(1, 3), rng.randint(1, 3)
    source_gap, target_gap = rng.randint(0, 2), rng.randint(0, 2)
    pitch = length * 16 + source_gap * c0_of(kind)
    vector = bench.codes(kind, (count - 1) * pitch + length * 16)
    l0c = [UNTOUCHED] * ((count * length + (count - 1) * target_gap) * FRACTAL)
    if not bench.takes('l0c', kind, len(l0c)):
        return None
    for block in range(count):
        for index in range(length * FRACTAL):
            l0c[block * (length + target_gap) * FRACTAL + index] = \
                vector[block * pitch + index // FRACTAL * 16 + index % 16]
    fields = {'type': kind, 'blockCount': count, 'blockLen': length, 'srcGap': source_gap,
              'dstGap': target_gap}
    return Case('broadcast_vec_to_mm', 'dav-2002', fields, [('src', 'ub', kind, vector)],
                ('l0c', kind, l0c))


def rows():
    result = [Row('data_copy_l0c2ub', exit_case, arch=arch, conversion=conversion, source=source,
                  target=target)
              for conversion, source, target in CONVERSIONS for arch in ('dav-1001', 'dav-2002')]
    return result + [Row('broadcast_vec_to_mm', broadcast_case, kind=kind)
                     for kind in ('fp16', 'fp32', 'int32')]
