"""Fixpipe: from L0C to a layout, converted, or added to what is there."""
import math
import struct
from fractions import Fraction

from .atomic import added, initial_code
from .move import edges
from .number import BITS, code_near, code_of, fp32_code, is_float, value_of
from .text import UNTOUCHED, Case, Row

# mode of the oracle, types in L0C, stored types; V in front of the name: a word for each column
PLAIN = {'NoQuant': (('fp32', 'int32'), None), 'F322F16': (('fp32',), ('fp16',)),
         'F322BF16': (('fp32',), ('bf16',))}
WORDS = {'DEQF16': (('int32',), ('fp16',)), 'REQ8': (('int32',), ('int8', 'uint8')),
         'QF322B8_PRE': (('fp32',), ('int8', 'uint8'))}
WORDS_950 = {'QS322BF16_PRE': (('int32',), ('bf16',))}
WORDS_950.update((mode, (('fp32',), (target,))) for mode, target in (
    ('QF322FP8_PRE', 'fp8_e4m3'), ('QF322HIF8_PRE', 'hif8'), ('QF322HIF8_PRE_HYBRID', 'hif8'),
    ('QF322F16_PRE', 'fp16'), ('QF322BF16_PRE', 'bf16'), ('QF322F32_PRE', 'fp32')))
LAYOUTS = {'dav-2201': ('nz', 'nz2nd'), 'dav-3002': ('nz', 'nz2nd'),
           'dav-3510': ('nz', 'nz2nd', 'nz2dn')}
SHIFT_BITS = 31 << 32       # of a word: without effect on 950


def source_code(rng, kind):
    """Values of all sizes; every fourth with few bits, so that ties and exact values occur."""
    if kind == 'int32':
        code = rng.getrandbits(32) if rng.randrange(3) else rng.randint(-600, 600)
        return code & 0xFFFFFFFF
    code = fp32_code(rng.uniform(-1, 1) * 10.0 ** rng.randint(-4, 5))
    return code if rng.randrange(4) else code & 0xFFFFF000


# Codes of a file: eight binades each, once with few bits, so that ties occur.
WINDOWS = ((0x83FFFFFF, 0x3C000000), (0x83FFFFFF, 0x40000000), (0x83FFF000, 0x40000000),
           (0x83FFFFFF, 0x44000000))


def source_codes(bench, kind, count):
    """What L0C holds; in a file by a rule, to keep it small."""
    if not bench.small:
        return [source_code(bench.rng, kind) for _ in range(count)]
    return bench.codes(kind, count, *(bench.rng.choice(WINDOWS) if kind == 'fp32' else
                                      ((1 << bench.rng.choice([32, 20, 10])) - 1, 0)))


def word_draw(bench, target, mode):
    """A quantisation word: a scale whose last 13 bits do not count, an offset, a shift."""
    rng = bench.rng
    scale = fp32_code(rng.choice([1, 1, 1, -1]) * rng.uniform(1, 2) *
                      2.0 ** rng.randint(*rng.choice([(-24, 3), (-9, 3)])))
    shift = rng.randint(1, 16)
    counts = int(mode == 'REQ8' and rng.randrange(3) == 0)
    offset = rng.choice([0, 255, -256, rng.randint(-256, 255)])
    return bench.oracle.quant_word(value_of('fp32', scale), int(target != 'uint8'), offset, shift,
                                   counts)


def hybrid_code(code, saturate):
    """hif8 by QF322HIF8_PRE_HYBRID: outside [2^-3, 2^4) the first 14 bits that do not fit are
    compared with the last 14 bits of the fraction; what is exact stays. None where nothing fits."""
    value = value_of('fp32', code)
    size = abs(value)
    nearest = code_near('hif8', value, saturate)
    if size == 0 or 2.0 ** -3 <= size < 2.0 ** 4 or size >= 2.0 ** 15 or \
            value_of('hif8', nearest) == value:
        return nearest
    exponent, fraction = math.frexp(size)[1] - 1, code & 0x7FFFFF
    if exponent < -23:
        return None
    bits = fraction | 1 << 23                        # the implicit one and 23 bits
    kept = 2 if -8 < exponent < 8 else 1 if exponent > -16 else 0 if exponent > -23 else -1
    rest, left = bits & ((1 << (23 - kept)) - 1), bits >> (23 - kept)
    up = rest >> (23 - kept - 14) >= (fraction & 0x3FFF)
    value = math.copysign((left + up) * 2.0 ** (exponent - kept), value)
    return code_near('hif8', value, saturate)


class Conversion:
    """What happens to a value on its way."""

    def __init__(self, bench, arch, mode, source, target, relu, keep):
        self.oracle, self.mode, self.source, self.target = bench.oracle, mode, source, target
        self.relu, self.keep, self.v950 = relu, keep, arch == 'dav-3510'

    def code(self, code, word):
        """The code that is stored; None where only the sign of a zero is open."""
        value = value_of(self.source, code)
        value = Fraction(value) if self.source == 'fp32' else value
        if self.mode in ('QF322FP8_PRE', 'QF322HIF8_PRE', 'QF322HIF8_PRE_HYBRID'):
            scaled = self.oracle.quant(value, 'QF322F32_PRE', word, self.relu)
            if self.mode == 'QF322HIF8_PRE_HYBRID':
                return hybrid_code(fp32_code(float(scaled)), not self.keep)
            result = float(scaled)
        else:
            word &= ~SHIFT_BITS if self.v950 else -1
            result = self.oracle.quant(value, self.mode, word, self.relu, not self.keep)
        if not is_float(self.target):
            return code_of(self.target, result)
        if result == 0 and (value != 0 or self.mode not in PLAIN) and self.target != 'hif8':
            return None
        if self.target == 'fp32':
            return fp32_code(float(result))
        code = code_near(self.target, float(result), not self.keep)
        return '*' if code is None else code


def sizes_draw(bench, layout, target, split, space):
    """mSize and nSize; whole groups in NZ, whole blocks of 32 bytes on chip."""
    m, n = bench.draw('mSize', 1, bench.extent), bench.draw('nSize', 1, bench.extent)
    block = max(1, 256 // BITS[target])
    if layout == 'nz':
        return m, -(-n // (8 if split else 16)) * (8 if split else 16)
    if space != 'gm':
        return (m, -(-n // block) * block) if layout == 'nz2nd' else (-(-m // block) * block, n)
    return m, n


class Geometry:
    """Where the matrices lie in L0C and at the destination."""

    def __init__(self, bench, arch, layout, target, split, space):
        self.layout, self.target, self.split = layout, target, split
        self.v950 = arch == 'dav-3510'
        self.m, self.n = sizes_draw(bench, layout, target, split, space)
        self.pitch = bench.draw('srcStride', self.m, self.m + 5)
        self.number = 1 if layout == 'nz' else bench.draw('ndNum', 1, 2)
        groups, self.row = -(-self.n // 16), 1
        if layout == 'nz2dn' and bench.chance(3):
            self.row = 2
            self.pitch = 2 * self.pitch
        unit = 256 if layout == 'nz2nd' and not self.v950 else 16
        self.matrix = -(-groups * self.pitch * 16 // unit) if self.number > 1 else 0
        self.source = (self.number - 1) * self.matrix * unit + groups * self.pitch * 16
        self.unit = unit
        self.place(bench, 256 // BITS[target])

    def place(self, bench, block):
        """Strides of the destination and its size, in elements."""
        if self.layout == 'nz':
            merged = BITS[self.target] == 8
            width = 8 if self.split else 32 if merged and self.n >= 32 else 16
            last = 16 if merged and self.n % 32 else width
            groups = -(-self.n // (8 if self.split else 32 if merged else 16))
            step = block if not self.v950 else max(1, block)
            least = -(-self.m * width // step)
            self.stride = bench.draw('dstStride', least, least + 2)
            self.stride_elements = self.stride * step
            if self.v950:
                self.stride = self.stride_elements
            self.step = 0
            before = (groups - 2) * self.stride_elements + self.m * width if groups > 1 else 0
            self.size = max(before, (groups - 1) * self.stride_elements + self.m * last)
            return
        lines, columns = (self.m, self.n) if self.layout == 'nz2nd' else (self.n, self.m)
        columns = -(-columns // block) * block
        self.stride = bench.draw('dstStride', columns, columns + 3)
        self.step = bench.draw('dstNdStride', lines * self.stride, lines * self.stride + 4)
        self.size = (self.number - 1) * self.step + (lines - 1) * self.stride + \
            (self.n if self.layout == 'nz2nd' else self.m)

    def fits(self):
        return self.layout == 'nz' or (self.stride <= self.step <= 65535 and self.stride > 0)

    def fields(self):
        fields = {'mSize': self.m, 'nSize': self.n, 'srcStride': self.pitch,
                  'dstStride': self.stride, 'channelSplit': self.split}
        if self.layout == 'nz2nd':
            fields.update(ndNum=self.number, srcNdStride=self.matrix, dstNdStride=self.step)
        if self.layout == 'nz2dn':
            fields.update(dnNum=self.number, srcNzMatrixStride=self.matrix,
                          dstDnMatrixStride=self.step, srcNzC0Stride=self.row)
        return fields

    def move(self, oracle, l0c, out, convert):
        """The oracle's store."""
        if self.layout == 'nz':
            oracle.nz2nz(l0c, out, self.m, self.n, self.pitch, self.stride_elements,
                         BITS[self.target], self.split, convert)
        elif self.layout == 'nz2nd':
            oracle.nz2nd(l0c, out, self.m, self.n, self.pitch, self.stride, self.number,
                         self.matrix, self.step, self.unit, convert)
        else:
            oracle.nz2dn(l0c, out, self.m, self.n, self.pitch, self.stride, self.number,
                         self.matrix, self.step, self.row, convert)


def fixpipe_case(bench, arch, layout, source, mode, target, relu=False, split=False, space='gm',
                 vector=False, keep=False, add=False):
    shape = Geometry(bench, arch, layout, target, split, space)
    if shape.m * shape.n > 700 and not bench.edge and not bench.chance(8):
        return None                                  # the oracle takes its time for large ones
    if not (shape.fits() and bench.holds('l0c', source, shape.source) and
            bench.takes(space, target, shape.size)):
        return None
    l0c = source_codes(bench, source, shape.source)
    conversion = Conversion(bench, arch, mode, source, target, relu, keep)
    scalar = mode not in PLAIN and not vector
    words = [word_draw(bench, target, mode) for _ in range(shape.n if vector else 1)]
    out = [UNTOUCHED] * shape.size
    shape.move(bench.oracle, l0c, out,
               lambda code, j: conversion.code(code, words[j if vector else 0]))
    fields = dict({'type': source, 'mode': 'V' + mode if vector else mode, 'layout': layout,
                   'reluEn': relu}, **shape.fields())
    operands = [('src', 'l0c', source, l0c)]
    before = [('set_overflow', {'ctrlValue': 1})] if keep else []
    if scalar:
        fields['deqScalar'] = words[0]
    if vector:
        operands.append(('quant', 'fb', 'uint64', words))
    if add:
        before.append(('set_atomic_add', {'type': target}))
        old = [initial_code(bench.rng, target) for _ in out]
        operands.append(('dst', space, target, old))
        out = [code if code in (UNTOUCHED, None) else added(bench.oracle, target, (code, first))
               for code, first in zip(out, old)]
    return Case('fixpipe', arch, fields, operands, (space, target, out), before)


def mode_rows(arch, modes, vectors):
    result = []
    for mode, (sources, targets) in modes.items():
        for source in sources:
            for target in targets or (source,):
                for layout in LAYOUTS[arch]:
                    for vector in vectors:
                        result.append(Row('fixpipe', fixpipe_case, arch=arch, layout=layout,
                                          source=source, mode=mode, target=target, vector=vector))
                result.append(Row('fixpipe', fixpipe_case, arch=arch, layout='nz2nd',
                                  source=source, mode=mode, target=target, relu=True))
    return result


def other_rows():
    """Destinations on chip, channel split, infinities kept, stores that add."""
    result = []
    options = {'source': 'fp32', 'mode': 'NoQuant', 'target': 'fp32'}
    for arch in LAYOUTS:
        for relu in (False, True):
            result.append(Row('fixpipe', fixpipe_case, arch=arch, layout='nz', relu=relu,
                              split=True, **options))
        for mode, target in (('F322F16', 'fp16'), ('F322BF16', 'bf16')):
            result.append(Row('fixpipe', fixpipe_case, arch=arch, layout='nz2nd', source='fp32',
                              mode=mode, target=target, keep=True))
    v950 = LAYOUTS['dav-3510']
    for space, arch, layouts in (('l1', 'dav-2201', ('nz',)), ('l1', 'dav-3510', v950),
                                 ('ub', 'dav-3002', LAYOUTS['dav-3002']),
                                 ('ub', 'dav-3510', v950)):
        for layout in layouts:
            for source, mode, target in (('fp32', 'F322F16', 'fp16'), ('int32', 'REQ8', 'int8')):
                result.append(Row('fixpipe', fixpipe_case, arch=arch, layout=layout, source=source,
                                  mode=mode, target=target, space=space))
    for source, mode, target in (('fp32', 'NoQuant', 'fp32'), ('fp32', 'F322F16', 'fp16'),
                                 ('fp32', 'F322BF16', 'bf16'), ('int32', 'NoQuant', 'int32'),
                                 ('int32', 'REQ8', 'int8')):
        for arch in ('dav-2201', 'dav-3510'):
            result.append(Row('fixpipe', fixpipe_case, arch=arch, layout='nz2nd', source=source,
                              mode=mode, target=target, add=True))
    return result


EDGES = {'mSize': (1, 2000), 'nSize': (1, 2000), 'srcStride': (2048,), 'dstStride': (30000,),
         'ndNum': (1,), 'dstNdStride': (65535,)}


def rows():
    result = []
    for arch in LAYOUTS:
        result += mode_rows(arch, PLAIN, (False,)) + mode_rows(arch, WORDS, (False, True))
    result += mode_rows('dav-3510', WORDS_950, (False, True)) + other_rows()
    return result + edges('fixpipe', fixpipe_case, EDGES, arch='dav-2201', layout='nz2nd',
                          source='fp32', mode='F322F16', target='fp16')
