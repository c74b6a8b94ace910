"""A case: how it is made, on which products it runs, how its results are compared."""
import math
import operator
import struct

from vectors.number import code_near, value_of

SOURCES = {'PTO': 'hw-native-sys/pto-isa 3186c38', 'AD': 'asc-devkit 82b89a15f', 'MS': 'mindspore',
           'PY': 'pypto'}


class Case:
    """make(product) gives a program and the wanted values of its output tensors by name."""

    def __init__(self, number, source, what, products, make, tolerance=0.0):
        self.number, self.source, self.what = number, source, what
        self.products, self.make, self.tolerance = products, make, tolerance


class Refusal:
    """A program that ends with this exit code and says these words with a place."""

    def __init__(self, number, source, what, make, code, words):
        self.number, self.source, self.what = number, source, what
        self.make, self.code, self.words = make, code, words


class Missing:
    """A case that cannot be made, and why."""

    def __init__(self, number, source, what, reason):
        self.number, self.source, self.what, self.reason = number, source, what, reason


def first_are(values, wanted, digits=4):
    """Whether a rule gave the first outputs that are known from elsewhere."""
    for value, known in zip(values, wanted):
        allowed = 0.6 * 10.0 ** -digits * max(1.0, abs(known) / 100) if digits else 0
        assert abs(value - known) <= allowed, 'the rule gives %r, known is %r' % (value, known)


def half(values):
    """Rounded to fp16."""
    return list(struct.unpack('<%de' % len(values), struct.pack('<%de' % len(values), *values)))


def single(values):
    """Rounded to fp32."""
    return list(struct.unpack('<%df' % len(values), struct.pack('<%df' % len(values), *values)))


def bfloat(values):
    """Rounded to bf16."""
    return [value_of('bf16', code_near('bf16', value, True)) for value in values]


ROUND = {'fp16': half, 'fp32': single, 'bf16': bfloat}


def rows_of(values, width):
    return [values[at:at + width] for at in range(0, len(values), width)]


def matmul(a, b):
    """Rows times columns; sums of doubles or of whole numbers."""
    columns = list(zip(*b))
    return [[sum(map(operator.mul, row, column)) for column in columns] for row in a]


def difference(got, want, tolerance):
    """None when all values agree, else a word on the first that does not. A value may differ by
    the tolerance, or by this part of the wanted value where that is more."""
    if len(got) != len(want):
        return '%d values, expected %d' % (len(got), len(want))
    for at, (mine, theirs) in enumerate(zip(got, want)):
        if theirs is None or mine == theirs:
            continue
        if tolerance == 0 or not math.isfinite(mine) or \
                abs(mine - theirs) > tolerance * max(1.0, abs(theirs)):
            return 'value %d is %r, expected %r' % (at, mine, theirs)
    return None
