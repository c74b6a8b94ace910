"""Cases as text, the way tests/support/vectors.h describes it."""
import itertools
import random

from .number import BITS

MASK64 = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15

# Architecture of an instruction set: what the oracle calls it.
PRODUCT = {'dav-1001': '910', 'dav-2002': '310P', 'dav-2201': 'A2', 'dav-3002': '200I',
           'dav-3510': '950'}
UNTOUCHED = '.'     # marks of `want`, beside codes; None of the oracle is "any value"
NAN = '*'


class Random:
    """The codes of `random SEED COUNT AND OR`, made when they are asked for."""

    def __init__(self, kind, seed, count, keep=None, add=0):
        self.kind, self.seed, self.count = kind, seed, count
        self.keep = (1 << BITS[kind]) - 1 if keep is None else keep
        self.add = add
        self.words = 'random %d %d %x %x' % (seed, count, self.keep, add)

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        if isinstance(index, slice):
            return [self[at] for at in range(*index.indices(self.count))]
        if not 0 <= index < self.count:
            raise IndexError(index)
        z = (self.seed + (index + 1) * GOLDEN) & MASK64
        z = ((z ^ z >> 30) * 0xBF58476D1CE4E5B9) & MASK64
        z = ((z ^ z >> 27) * 0x94D049BB133111EB) & MASK64
        return (z ^ z >> 31) & self.keep | self.add


def codes_text(kind, codes):
    """Codes without separators; marks stand for themselves, None for '-'."""
    if isinstance(codes, Random):
        return codes.words
    digits = BITS[kind] // 4
    parts = []
    for code, group in itertools.groupby('-' if code is None else code for code in codes):
        count = sum(1 for _ in group)
        if not isinstance(code, str):
            parts.append('%0*x' % (digits, code) * count)
        else:
            parts.append(code * count if count < 5 else '%s{%d}' % (code, count))
    return ''.join(parts)


class Case:
    """One instruction: before: (mnemonic, fields) of register instructions; operands: (name with
    offset, space, type, codes); want: (space, type, codes)."""

    def __init__(self, mnemonic, arch, fields, operands, want, before=()):
        self.mnemonic, self.arch, self.fields = mnemonic, arch, fields
        self.operands, self.want, self.before = operands, want, before

    def text(self):
        lines = ['case %s %s' % (self.mnemonic, self.arch)]
        for mnemonic, fields in self.before:
            lines.append('before %s %s' % (mnemonic, fields_text(fields)))
        lines.append('set ' + fields_text(self.fields))
        for name, space, kind, codes in self.operands:
            lines.append('%s %s %s %s' % (name, space, kind, codes_text(kind, codes)))
        space, kind, codes = self.want
        lines.append('want %s %s %s' % (space, kind, codes_text(kind, codes)))
        return '\n'.join(lines + ['end']) + '\n'


def fields_text(fields):
    return ' '.join('%s=%s' % (key, int(value) if isinstance(value, bool) else value)
                    for key, value in fields.items())


class Row:
    """A kind of case: make(bench, **options) gives one, or None when the draw was no good."""

    def __init__(self, mnemonic, make, /, **options):
        self.mnemonic, self.make, self.options = mnemonic, make, options

    def name(self):
        return self.mnemonic + ''.join(' %s=%s' % item for item in sorted(self.options.items()))


class Once(Row):
    """One such case is enough: an edge of a range, all codes of a type."""


class Bench:
    """What a maker needs: the oracle, a generator of its own, and how large a block may be."""

    # bytes of the on-chip memories that the cases are made for
    ROOM = {'l1': 512 * 1024, 'l0a': 64 * 1024, 'l0b': 64 * 1024, 'l0c': 128 * 1024, 'bt': 1024,
            'fb': 2048, 'ub': 192 * 1024, 'gm': 1 << 22}

    def __init__(self, oracle, seed, extent, limit):
        self.oracle = oracle
        self.rng = random.Random(seed)
        self.extent = extent        # the largest M, N or K of a block
        self.limit = limit          # bytes of a destination
        self.small = limit < 10000  # for a file that is kept
        self.edge = {}

    def draw(self, name, low, high):
        """A parameter: the value on the edge of its range when the case is about it."""
        if name in self.edge:
            return self.edge[name]
        return self.rng.randint(low, min(high, low + 2) if self.edge else high)

    def codes(self, kind, count, keep=None, add=0):
        """Random codes, all bits or those of a mask."""
        return Random(kind, self.rng.getrandbits(32), count, keep, add)

    def holds(self, space, kind, count):
        """Whether a memory has room for so many elements."""
        return count * BITS[kind] // 8 <= self.ROOM[space]

    def takes(self, space, kind, count):
        """The same for a destination, whose elements are all written down."""
        return self.holds(space, kind, count) and count * BITS[kind] // 8 <= self.limit

    def either(self, *choices):
        return self.rng.choice(choices)

    def chance(self, one_in):
        return self.rng.randrange(one_in) == 0
