"""Conversions between element types: all codes of 16 bits and less, and all ties of binary32."""
import math

from .number import (BITS, FLOATS, NARROW_FLOATS, code_near, finite_values, fp32_code, is_float,
                     value_of)
from .text import NAN, Once, codes_text

WORDS = {False: 'keep', True: 'saturate'}
ORACLE_STEP = 23     # its exact fractions take their time
SOURCES = [kind for kind in BITS if BITS[kind] <= 16]


class Conversion:
    """Codes of a type and what they become."""

    def __init__(self, source, target, saturate, codes, want):
        self.parts = source, target, saturate, codes, want

    def text(self):
        source, target, saturate, codes, want = self.parts
        return 'convert %s %s %s\ncodes %s\nwant %s\nend\n' % (
            source, target, WORDS[saturate], codes_text(source, codes), codes_text(target, want))


def near(target, value, saturate):
    """The wanted code."""
    if target == 'fp32':
        return fp32_code(value) if math.isfinite(value) else code_near_fp32(value, saturate)
    code = code_near(target, value, saturate)
    return NAN if code is None else code


def wanted(oracle, target, values, saturate):
    """The wanted codes; a part of those of 16 bits is held against the oracle's own rounding."""
    codes = [near(target, value, saturate) for value in values]
    if target in ('fp16', 'bf16'):
        rounding = oracle.f16 if target == 'fp16' else oracle.bf16
        for code, value in list(zip(codes, values))[::ORACLE_STEP]:
            if math.isfinite(value):
                assert value_of(target, code) == rounding(value, saturate), (target, value)
    return codes


def code_near_fp32(value, saturate):
    if math.isnan(value):
        return 0 if saturate else NAN
    largest = 0x7F7FFFFF if saturate else 0x7F800000
    return largest | (0x80000000 if value < 0 else 0)


def all_codes(bench, source, target, saturate):
    codes = list(range(1 << BITS[source]))
    values = [float(value_of(source, code)) for code in codes]
    want = wanted(bench.oracle, target, values, saturate)
    return Conversion(source, target, saturate, codes, want)


def ties(bench, target, saturate):
    """binary32 codes at each tie between neighbours of a type, one step beside, and at the ends."""
    found, codes = finite_values(target)
    codes = [0, 1, 0x7FFFFF, 0x800000, 0x7F7FFFFF, 0x7F800000, 0x7F800001, 0x7FC00000, 0x33000000]
    beyond = 2 * found[-1] - found[-2]
    for low, high in zip(found, found[1:] + [beyond]):
        middle = fp32_code((low + high) / 2)
        codes += [middle - 1, middle, middle + 1]
    codes += [code | 0x80000000 for code in codes]
    values = [value_of('fp32', code) for code in codes]
    want = wanted(bench.oracle, target, values, saturate)
    return Conversion('fp32', target, saturate, codes, want)


def rows():
    result = []
    for saturate in (False, True):
        for source in SOURCES:
            for target in FLOATS if is_float(source) else ('fp32',):
                result.append(Once('convert', all_codes, source=source, target=target,
                                  saturate=saturate))
        for target in NARROW_FLOATS:
            result.append(Once('convert', ties, target=target, saturate=saturate))
    return result
