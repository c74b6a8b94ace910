"""Codes and values of the element types, by enumeration of their layouts."""
import bisect
import functools
import math
import struct

BITS = {'fp16': 16, 'bf16': 16, 'fp32': 32, 'int8': 8, 'int32': 32, 'uint8': 8, 'int16': 16,
        'uint16': 16, 'uint32': 32, 'uint64': 64, 'int4': 4, 'fp8_e4m3': 8, 'fp8_e5m2': 8,
        'hif8': 8, 'fp4_e2m1': 4, 'fp4_e1m2': 4}

# name: exponent bits, fraction bits, bias
LAYOUTS = {'fp16': (5, 10, 15), 'bf16': (8, 7, 127), 'fp32': (8, 23, 127),
           'fp8_e4m3': (4, 3, 7), 'fp8_e5m2': (5, 2, 15), 'fp4_e2m1': (2, 1, 1),
           'fp4_e1m2': (1, 2, 1)}
INFINITE = ('fp16', 'bf16', 'fp32', 'fp8_e5m2')     # the largest exponent is infinity and NaN
FLOATS = tuple(LAYOUTS) + ('hif8',)
NARROW_FLOATS = tuple(kind for kind in FLOATS if BITS[kind] <= 16)


def c0_of(kind):
    """Elements in 32 bytes."""
    return 256 // BITS[kind]


def is_float(kind):
    return kind in FLOATS


def is_signed(kind):
    return not kind.startswith('u')


def hif8_value(code):
    """Prefix code: the dot field says how many bits of exponent follow."""
    sign = -1.0 if code & 0x80 else 1.0
    rest = code & 0x7F
    if code == 0x80:
        return math.nan
    if rest == 0x6F:
        return sign * math.inf
    if rest < 8:
        return sign * 2.0 ** (rest - 23) if rest else 0.0
    if rest < 16:
        return sign * (1 + (rest & 7) / 8)
    width = {1: 1, 2: 2, 3: 2, 4: 3, 5: 3, 6: 4, 7: 4}[rest >> 4]
    if rest >> 4 == 1:                              # 001 e mmm
        field, fraction = rest >> 3 & 1, 3
    else:
        fraction = 5 - width
        field = rest >> fraction & ((1 << width) - 1)
    low = field & ((1 << (width - 1)) - 1)
    exponent = (1 << (width - 1)) | low
    if field >> (width - 1):
        exponent = -exponent
    scale = 1 + (rest & ((1 << fraction) - 1)) / (1 << fraction)
    return sign * scale * 2.0 ** exponent


def value_of(kind, code):
    """The value of a code: a float, or an int for integer types; both are exact."""
    bits = BITS[kind]
    if not is_float(kind):
        return code - (1 << bits) if is_signed(kind) and code >> (bits - 1) else code
    if kind == 'hif8':
        return hif8_value(code)
    exponent_bits, fraction_bits, bias = LAYOUTS[kind]
    sign = -1.0 if code >> (bits - 1) else 1.0
    exponent = code >> fraction_bits & ((1 << exponent_bits) - 1)
    fraction = code & ((1 << fraction_bits) - 1)
    if kind in INFINITE and exponent == (1 << exponent_bits) - 1:
        return math.nan if fraction else sign * math.inf
    if kind == 'fp8_e4m3' and code & 0x7F == 0x7F:
        return math.nan
    if exponent == 0:
        return sign * fraction * 2.0 ** (1 - bias - fraction_bits)
    return sign * (1 + fraction / (1 << fraction_bits)) * 2.0 ** (exponent - bias)


@functools.lru_cache(None)
def finite_values(kind):
    """(values, codes) of the finite codes without sign bit, ascending."""
    codes = range(1 << (BITS[kind] - 1))
    pairs = [(value_of(kind, code), code) for code in codes]
    pairs = sorted(pair for pair in pairs if math.isfinite(pair[0]))
    return [value for value, _ in pairs], [code for _, code in pairs]


@functools.lru_cache(None)
def overflow_from(kind):
    """The smallest magnitude that rounds beyond the largest finite value; a tie that rounds down
    is still in."""
    values, codes = finite_values(kind)
    step = values[-1] - values[-2]
    if kind == 'hif8':
        return values[-1] * 1.25                    # half way to the code that means infinity
    edge = values[-1] + step / 2
    return edge if codes[-1] & 1 else math.nextafter(edge, math.inf)


def code_near(kind, value, saturate):
    """The code of the nearest value of a type of at most 16 bits; None for any NaN."""
    values, codes = finite_values(kind)
    sign = 1 << (BITS[kind] - 1) if math.copysign(1, value) < 0 else 0
    whole = saturate or kind.startswith('fp4')
    if math.isnan(value):
        return 0 if whole else None
    size = abs(value)
    if size >= overflow_from(kind):
        if whole:
            return sign | codes[-1]
        if kind == 'fp8_e4m3':
            return None
        return sign | (0x6F if kind == 'hif8' else codes[-1] + 1)
    above = bisect.bisect_left(values, size)
    if above == len(values) or (above > 0 and values[above] != size):
        below = above - 1
        middle = values[below] + (values[above] - values[below]) / 2 if above < len(values) \
            else math.inf
        down = size < middle or (size == middle and kind != 'hif8' and codes[below] % 2 == 0)
        above = below if down else above
    if kind == 'hif8' and above == 0:
        return 0                                    # the code of -0 is NaN
    return sign | codes[above]


def code_of(kind, value):
    """The code of a value that the type holds exactly."""
    if not is_float(kind):
        code = int(value) & ((1 << BITS[kind]) - 1)
        assert value_of(kind, code) == value
        return code
    value = float(value)
    if kind == 'fp32':
        code = struct.unpack('<I', struct.pack('<f', value))[0]
    else:
        code = code_near(kind, value, False)
    assert value_of(kind, code) == value, (kind, value)
    return code


def fp32_code(value):
    """The code of the binary32 nearest to a double; infinities beyond the range."""
    try:
        return struct.unpack('<I', struct.pack('<f', value))[0]
    except OverflowError:
        return 0xFF800000 if value < 0 else 0x7F800000
