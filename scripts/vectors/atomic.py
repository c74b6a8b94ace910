"""Stores that add to what lies in GM."""
from fractions import Fraction

from .number import BITS, code_near, fp32_code, is_float, value_of

# What a product can add.
TYPES = {'dav-1001': ('fp32',), 'dav-2002': ('fp32', 'fp16', 'int16'),
         'dav-2201': ('fp32', 'fp16', 'bf16', 'int32', 'int16', 'int8'),
         'dav-3002': ('fp32', 'fp16', 'int32', 'int16'),
         'dav-3510': ('fp32', 'fp16', 'bf16', 'int32', 'int16', 'int8')}


def added(oracle, kind, codes):
    """The sum of two elements, rounded once; integers clamp."""
    values = [value_of(kind, code) for code in codes]
    if not is_float(kind):
        most = 1 << (BITS[kind] - 1)
        return max(-most, min(most - 1, sum(values))) & ((1 << BITS[kind]) - 1)
    total = Fraction(values[0]) + Fraction(values[1])
    if total == 0:
        return None                                  # of either sign
    if kind == 'fp32':
        return fp32_code(float(oracle.f32(total)))
    rounded = (oracle.f16 if kind == 'fp16' else oracle.bf16)(total)
    return code_near(kind, float(rounded), False)


def initial_code(rng, kind):
    """Something to add to."""
    if not is_float(kind):
        return rng.getrandbits(BITS[kind])
    return code_near(kind, rng.uniform(-9, 9), False) if kind != 'fp32' else \
        fp32_code(rng.uniform(-9, 9))
