"""Mmad: C = start + A x B."""
from .move import edges
from .number import BITS, LAYOUTS, c0_of, code_of, is_float, value_of
from .text import PRODUCT, Case, Random, Row

# Codes of moderate size: bits that are free and bits that are set. Exponents of eight binades
# below 1, of the narrow types all below 2; no infinities and no NaN.
MODERATE = {'fp16': (0x9FFF, 0x2000), 'bf16': (0x83FF, 0x3C00), 'fp32': (0x83FFFFFF, 0x3C000000),
            'fp8_e4m3': (0xBF, 0), 'fp8_e5m2': (0xBF, 0), 'hif8': (0xDF, 1)}


def float_code(rng, kind):
    """Mostly moderate; now and then zero, the smallest or a subnormal value."""
    keep, add = MODERATE[kind]
    draw = rng.randrange(24)
    if draw == 0:
        return 0
    if draw == 1 and kind in LAYOUTS:
        return rng.getrandbits(LAYOUTS[kind][1])
    if BITS[kind] == 8 and draw < 12:
        while True:                                  # any finite code, large ones too
            code = rng.getrandbits(8)
            if abs(value_of(kind, code)) < 1e9:
                return code
    return rng.getrandbits(BITS[kind]) & keep | add


def operand(bench, kind, count):
    """Codes of A, B, C or bias; those of a file by a rule, to keep it small."""
    if not is_float(kind):
        return bench.codes(kind, count)
    if bench.small:
        return bench.codes(kind, count, *MODERATE[kind])
    return [float_code(bench.rng, kind) for _ in range(count)]


def values(kind, codes):
    return [value_of(kind, code) for code in codes]


def mmad_case(bench, arch, a, b, c, start, align=False):
    c0 = c0_of(a)
    m, n = bench.draw('m', 1, bench.extent), bench.draw('n', 1, bench.extent)
    k = bench.draw('k', 1, min(max(48, c0 + 5), 4 * bench.extent) if not bench.small else c0 + 5)
    if m * n * k > 4000 and not bench.edge and not bench.chance(10):
        return None                                  # the oracle takes its time for large ones
    if a == 'int4':
        k += k % 2
    if align:
        m, k = bench.rng.randint(17, 20), bench.rng.randint(17, 24)  # an odd number of blocks
    depth = -(-k // 16) * 16 // c0 if align else -(-k // c0)
    rows, columns = -(-max(1, m) // 16), -(-max(1, n) // 16)
    left = operand(bench, a, rows * max(1, depth) * 16 * c0)
    right = operand(bench, b, columns * max(1, depth) * 16 * c0)
    bias = operand(bench, c, max(1, n))
    old = operand(bench, c, rows * columns * 256)
    if len(old) > bench.limit or max(len(left) * BITS[a], len(right) * BITS[b]) > 64 * 1024 * 8:
        return None
    out = 'int32' if not is_float(c) else 'float'
    keep = [None] * len(old)
    result = bench.oracle.mmad(values(a, left), values(b, right), values(c, old), m, k, n, BITS[a],
                               PRODUCT[arch], out, start, values(c, bias), 'double', align)
    want = [code_of(c, value) for value in result] if m * n * k else ['.'] * len(keep)
    fields = {'type': a, 'm': m, 'n': n, 'k': k, 'cmatrixInitVal': start == 'zero',
              'cmatrixSource': start == 'bias', 'kDirectionAlign': align}
    operands = [('a', 'l0a', a, left), ('b', 'l0b', b, right), ('dst', 'l0c', c, old)]
    if start == 'bias':
        operands.append(('bias', 'bt', c, bias))
    return Case('mmad', arch, fields, operands, ('l0c', c, want))


TYPES = {
    'dav-2201': (('int8', 'int8', 'int32'), ('fp16', 'fp16', 'fp32'), ('bf16', 'bf16', 'fp32'),
                 ('fp32', 'fp32', 'fp32')),
    'dav-3510': (('int8', 'int8', 'int32'), ('fp16', 'fp16', 'fp32'), ('bf16', 'bf16', 'fp32'),
                 ('fp32', 'fp32', 'fp32')),
}


def rows():
    result = []
    for arch, kinds in TYPES.items():
        for a, b, c in kinds:
            for start in ('zero', 'l0c', 'bias'):
                result.append(Row('mmad', mmad_case, arch=arch, a=a, b=b, c=c, start=start))
    for start in ('zero', 'l0c', 'bias'):
        result.append(Row('mmad', mmad_case, arch='dav-2201', a='fp32', b='fp32', c='fp32',
                          start=start, align=True))
    return result + edges('mmad', mmad_case, {'m': (0, 512), 'n': (0, 512), 'k': (0, 1024)},
                          arch='dav-2201', a='int8', b='int8', c='int32', start='l0c')
