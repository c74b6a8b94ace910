"""Mmad: C = start + A x B."""
from .move import edges
from .number import BITS, LAYOUTS, c0_of, code_near, code_of, is_float, value_of
from .text import PRODUCT, UNTOUCHED, Case, Row

# Codes of moderate size: bits that are free and bits that are set. Exponents of eight binades
# below 1, of the narrow types all below 2; no infinities and no NaN.
MODERATE = {'fp16': (0x9FFF, 0x2000), 'bf16': (0x83FF, 0x3C00), 'fp32': (0x83FFFFFF, 0x3C000000),
            'fp8_e4m3': (0xBF, 0), 'fp8_e5m2': (0xBF, 0), 'hif8': (0xDF, 1)}
# Codes whose products lie at the end of binary32, and C near the ends of int32.
LARGE = {'bf16': (0x83FF, 0x5C00), 'fp32': (0x83FFFFFF, 0x5C000000)}
ENDS = ((0x7FFFF, 0x7FF80000), (0x7FFFF, 0x80000000))
# HF32: codes that are all ties, by the fraction bits that stay.
TIES = {11: (0x83FFF000, 0x3C000800), 10: (0x83FFE000, 0x3C001000)}
HF32_BITS = {'dav-2201': 11, 'dav-3002': 11, 'dav-3510': 10}
HF32_MODES = {'NEAREST_EVEN': 'rne', 'NEAREST_ZERO': 'zero'}


def float_code(rng, kind):
    """Mostly moderate; now and then zero, subnormal or, of 8 bits, any finite value."""
    keep, add = MODERATE[kind]
    draw = rng.randrange(24)
    if draw == 0:
        return 0
    if draw == 1 and kind in LAYOUTS:
        return rng.getrandbits(LAYOUTS[kind][1])
    if BITS[kind] == 8 and draw < 12:
        while True:
            code = rng.getrandbits(8)
            if abs(value_of(kind, code)) < 1e9:
                return code
    return rng.getrandbits(BITS[kind]) & keep | add


def codes_draw(bench, kind, count, masks=None):
    """Codes of an operand; those of a file by a rule, to keep it small."""
    if masks is not None:
        return bench.codes(kind, count, *masks)
    if not is_float(kind):
        return bench.codes(kind, count)
    if bench.small:
        return bench.codes(kind, count, *MODERATE[kind])
    return [float_code(bench.rng, kind) for _ in range(count)]


def sizes_draw(bench, a, align):
    """m, n and k; the oracle takes its time for large ones, which come less often."""
    c0 = c0_of(a)
    while True:
        m, n = bench.draw('m', 1, bench.extent), bench.draw('n', 1, bench.extent)
        most = c0 + 5 if bench.small else min(max(48, c0 + 5), 4 * bench.extent)
        k = bench.draw('k', 1, most)
        if align:
            m, k = bench.rng.randint(17, 20), bench.rng.randint(17, 24)  # an odd number of blocks
        k += k % 2 if a == 'int4' else 0
        if m * n * k <= 4000 or bench.edge or bench.chance(10):
            return m, n, k


def matrix_a(left, m, k, c0, vector):
    """A as the oracle reads it; GEMV has one row whose elements follow each other in L0A."""
    if not vector:
        return left
    view = [0] * (-(-max(1, k) // c0) * 16 * c0)
    for q in range(k):
        view[q // c0 * 16 * c0 + q % c0] = left[q]
    return view


def mmad_values(bench, arch, types, sizes, parts, align):
    """The values of C afterwards."""
    a, _, c = types
    m, n, k = sizes
    left, right, old, bias, start = parts
    if c == 'uint32':                                # the oracle clamps to int32
        result = bench.oracle.mmad(left, right, [0] * len(old), m, k, n, BITS[a], PRODUCT[arch])
        first = old if start == 'l0c' else [0] * len(old)
        return [min(0xFFFFFFFF, low + more) for low, more in zip(first, result)]
    out = 'float' if is_float(c) else 'int32'
    return bench.oracle.mmad(left, right, list(old), m, k, n, BITS[a], PRODUCT[arch], out, start,
                             bias, 'double', align)


def result_code(c, value, keep):
    """The code of a result: saturated unless infinities are kept."""
    if c == 'fp32':
        if abs(value) == float('inf'):
            return (0x7F800000 if keep else 0x7F7FFFFF) | (0x80000000 if value < 0 else 0)
        return code_of(c, value)
    return code_near(c, float(value), not keep) if is_float(c) else code_of(c, value)


def hf32_round(bench, arch, mode, values):
    if mode is None:
        return values
    return [bench.oracle.hf32(value, HF32_BITS[arch], HF32_MODES[mode]) for value in values]


def mmad_case(bench, arch, a, b, c, start, align=False, hf32=None, large=False, keep=False):
    m, n, k = sizes_draw(bench, a, align)
    c0 = c0_of(a)
    k = min(k, c0) if large else k                   # the oracle has no sums from infinity
    depth = -(-k // 16) * 16 // c0 if align else -(-k // c0)
    rows, columns = -(-max(1, m) // 16), -(-max(1, n) // 16)
    disable = arch == 'dav-3510' and bench.chance(2)
    vector = m == 1 and not disable
    ties = TIES[HF32_BITS[arch]] if hf32 and bench.chance(2) else None
    masks = LARGE[a] if large else ties
    blocks = max(1, depth)
    left = codes_draw(bench, a, (-(-blocks // 16) if vector else rows * blocks) * 16 * c0, masks)
    right = codes_draw(bench, b, columns * blocks * 16 * c0, masks)
    ends = bench.rng.choice(ENDS) if c == 'int32' and bench.chance(2) else None
    bias = codes_draw(bench, c, max(1, n), ends)
    old = codes_draw(bench, c, rows * columns * 256, ends)
    if not (bench.takes('l0c', c, len(old)) and bench.holds('l0a', a, len(left)) and
            bench.holds('l0b', b, len(right))):
        return None
    values = [hf32_round(bench, arch, hf32, [value_of(kind, code) for code in codes])
              for kind, codes in ((a, left), (b, right))]
    parts = (matrix_a(values[0], m, k, c0, vector), values[1],
             [value_of(c, code) for code in old], [value_of(c, code) for code in bias], start)
    if m * n * k == 0:
        want = [UNTOUCHED] * len(old)
    else:
        want = merge(c, old, m, n, mmad_values(bench, arch, (a, b, c), (m, n, k), parts, align),
                     keep)
    fields = {'type': a, 'typeB': b, 'typeC': c, 'm': m, 'n': n, 'k': k,
              'cmatrixInitVal': start == 'zero', 'cmatrixSource': start == 'bias',
              'kDirectionAlign': align, 'disableGemv': disable}
    operands = [('a', 'l0a', a, left), ('b', 'l0b', b, right), ('dst', 'l0c', c, old)]
    if start == 'bias':
        operands.append(('bias', 'bt', c, bias))
    before = [('set_overflow', {'ctrlValue': 1})] if keep else []
    if arch in HF32_BITS and bench.chance(4):        # an order of the work, not of the bytes
        before.append(('set_mm_row_major', {}))
    if hf32:
        before += [('set_hf32_mode', {'mode': 'ENABLE'}), ('set_hf32_trans_mode', {'mode': hf32})]
    return Case('mmad', arch, fields, operands, ('l0c', c, want), before)


def merge(c, old, m, n, values, keep):
    """C afterwards: results where there are any, the old lanes elsewhere."""
    pitch = -(-m // 16) * 16
    want = [UNTOUCHED] * len(old)
    for i in range(m):
        for j in range(n):
            at = j // 16 * pitch * 16 + i * 16 + j % 16
            want[at] = result_code(c, values[at], keep)
    return want


F32 = [('fp16', 'fp16', 'fp32')]
WIDE = F32 + [('bf16', 'bf16', 'fp32'), ('fp32', 'fp32', 'fp32')]
FP8 = ('fp8_e4m3', 'fp8_e5m2')
S8, U8, U8S8 = ('int8', 'int8', 'int32'), ('uint8', 'uint8', 'int32'), ('uint8', 'int8', 'int32')
S4, F16 = ('int4', 'int4', 'int32'), ('fp16', 'fp16', 'fp16')
TYPES = {
    'dav-1001': [('uint8', 'uint8', 'uint32'), S8, U8S8, F16] + F32,
    'dav-2002': [S8, U8, U8S8, S4, F16] + F32,
    'dav-2201': [S8, S4] + WIDE,
    'dav-3002': [S8, S4] + WIDE,
    'dav-3510': [S8] + WIDE + [(a, b, 'fp32') for a in FP8 for b in FP8] +
                [('hif8', 'hif8', 'fp32')],
}
BIAS = ('dav-2201', 'dav-3510')


def rows():
    result = []
    for arch, kinds in TYPES.items():
        for a, b, c in kinds:
            for start in ('zero', 'l0c', 'bias') if arch in BIAS else ('zero', 'l0c'):
                result.append(Row('mmad', mmad_case, arch=arch, a=a, b=b, c=c, start=start))
    fp32 = {'a': 'fp32', 'b': 'fp32', 'c': 'fp32'}
    for start in ('zero', 'l0c', 'bias'):
        result.append(Row('mmad', mmad_case, arch='dav-2201', start=start, align=True, **fp32))
    for arch in HF32_BITS:
        for mode in HF32_MODES:
            result.append(Row('mmad', mmad_case, arch=arch, start='zero', hf32=mode, **fp32))
    for kind in LARGE:
        for keep in (False, True):
            result.append(Row('mmad', mmad_case, arch='dav-2201', a=kind, b=kind, c='fp32',
                              start='zero', large=True, keep=keep))
    return result + edges('mmad', mmad_case,
                          {'m': (0, 1, 512), 'n': (0, 1, 512), 'k': (0, 1, 1024)},
                          arch='dav-2201', a='int8', b='int8', c='int32', start='l0c')
