"""Matrix products: every way to L0 that the samples have, all types, bias, GEMV, split K."""
import functools
import struct

import loads
from case import Case, ROUND, first_are, matmul, rows_of
from legacy_random import Legacy
from loads import A2, A5
from program import Program
from vectors.number import BITS, c0_of


class Product:
    """C = A x B + bias in a program; how_a and how_b name the loads, turn_a and turn_b say that
    the transpose lies in GM."""

    suffix = ''

    def __init__(self, kind, a, b, how_a, how_b, turn_a=False, turn_b=False, bias=None,
                 twice=False, hf32=None):
        self.kind, self.a, self.b, self.bias = kind, a, b, bias
        self.twice, self.hf32 = twice, hf32
        self.how_a, self.how_b, self.turn_a, self.turn_b = how_a, how_b, turn_a, turn_b
        self.m, self.k, self.n = len(a), len(a[0]), len(b[0])
        self.out = 'int32' if kind in ('int8', 'int4') else 'fp32'

    def golden(self):
        a, b = self.a, self.b
        if self.hf32:
            a, b = ([hf32(row) for row in rows] for rows in (a, b))
        rows = matmul(a, b)
        if self.twice:
            rows = [[2 * value for value in row] for row in rows]
        if self.bias:
            rows = [[value + more for value, more in zip(row, self.bias)] for row in rows]
        return loads.flat(rows)

    def pad_of(self, turned):
        """Rows of a matrix in L1: whole squares where squares are transposed."""
        if not turned or BITS[self.kind] == 16:
            return 16
        return loads.EDGE[BITS[self.kind]]

    def to_l1(self, p, name, rows, turned):
        how = self.how_a if name == 'a' else self.how_b
        if turned and how == 'transpose' and self.kind == 'fp32':
            return loads.to_l1_strips(p, self.named(name), self.kind, rows)
        return loads.to_l1(p, self.named(name), self.kind, rows, self.pad_of(turned))

    def named(self, name):
        """Names of the tensors when a program has several products."""
        return name + self.suffix

    def load_a(self, p):
        if self.how_a == 'vector':
            return loads.vector(p, self.named('a'), self.kind, self.a[0])
        rows = loads.transposed(self.a) if self.turn_a else self.a
        matrix = self.to_l1(p, 'a', rows, self.turn_a)
        return (loads.a_turned if self.turn_a else loads.a_plain)(p, self.how_a, matrix)

    def load_b(self, p):
        rows = loads.transposed(self.b) if self.turn_b else self.b
        matrix = self.to_l1(p, 'b', rows, not self.turn_b)
        return (loads.b_plain if self.turn_b else loads.b_turned)(p, self.how_b, matrix)

    def multiply(self, p):
        """C in L0C."""
        a, b = self.load_a(p), self.load_b(p)
        c = p.room('l0c', loads.up(self.m, 16) * loads.up(self.n, 16) * 4)
        keys = {'dst': c, 'a': a, 'b': b, 'type': self.kind, 'm': self.m, 'n': self.n, 'k': self.k}
        if self.kind == 'fp32' and self.turn_a and self.how_a != 'load2dv2' and p.product == A2:
            keys['kDirectionAlign'] = 1                  # L0A has whole 16 columns of K
        if self.bias:
            keys['bias'] = loads.bias_table(p, 'bias', self.out, self.bias)
        if self.hf32:
            p.add('set_hf32_mode', mode='ENABLE')
            p.add('set_hf32_trans_mode', mode=self.hf32)
        p.add('mmad', **keys)
        if self.twice:
            p.add('mmad', cmatrixInitVal=0, **keys)
        return c

    def store(self, p):
        """The product as a tensor of rows."""
        y = p.output(self.named('y'), self.out, [self.m, self.n])
        c = self.multiply(p)
        p.add('fixpipe', dst=y, src=c, type=self.out, mSize=self.m, nSize=self.n,
              srcStride=loads.up(self.m, 16), dstStride=self.n, mode='NoQuant', layout='nz2nd')

    def program(self, product):
        p = Program(product)
        self.store(p)
        return p


def hf32(values):
    """Rounded to 11 bits of fraction, ties to even. The source rounds ties of case 45 up and the
    product has no such mode; the case has none."""
    codes = struct.unpack('<%dI' % len(values), struct.pack('<%df' % len(values), *values))
    rounded = [(code + 0x7FF + (code >> 12 & 1)) & 0xFFFFF000 for code in codes]
    return list(struct.unpack('<%df' % len(values), struct.pack('<%dI' % len(values), *rounded)))


def whole(values):
    """As astype(int8) makes whole numbers of floats: toward zero."""
    return [int(value) for value in values]


def product_case(number, source, what, products, kind, draw, known=(), tolerance=1e-3, **how):
    """draw() gives A, B and maybe a bias, as rows; a way to load may be one for each product."""
    def make(product):
        a, b, *bias = draw()
        mine = {key: value[product] if isinstance(value, dict) else value
                for key, value in how.items()}
        case = Product(kind, a, b, bias=bias[0] if bias else None, **mine)
        golden = case.golden()
        first_are(golden, known, 0 if kind in ('int8', 'int4') else 4)
        return case.program(product), {'y': golden}
    whole_numbers = kind in ('int8', 'int4')
    return Case(number, source, what, products, make, 0.0 if whole_numbers else tolerance)


def uniform(kind, low, high, m, k, n):
    """A and B from seed 9, as the samples of asc-devkit draw them."""
    def draw():
        legacy = Legacy(9)
        round_to = ROUND.get(kind, whole)
        a = rows_of(round_to(legacy.uniform(low, high, m * k)), k)
        return a, rows_of(round_to(legacy.uniform(low, high, k * n)), n)
    return draw


def integers(low, high, m, k, n, bias=False):
    def draw():
        legacy = Legacy(9)
        parts = [rows_of(legacy.randint(low, high, m * k), k),
                 rows_of(legacy.randint(low, high, k * n), n)]
        return parts + ([legacy.randint(low, high, n)] if bias else [])
    return draw


# ---- a matmul whose operands come through Load3D (30 x 40 x 70) --------------------------------

def load3d_cases():
    half = uniform('fp16', 1, 10, 30, 40, 70)
    single, small = uniform('fp32', 1, 10, 30, 40, 70), uniform('int8', 1, 10, 30, 40, 70)
    both = {'how_a': 'load3d', 'how_b': 'load3d'}
    rows = [('24', 'fp16', half, (1244.9734, 1301.7839), {}),
            ('25', 'fp16', half, (1244.9734, 1301.7839), {'turn_a': True}),
            ('26', 'fp32', single, (1245.0006, 1301.8599), {}),
            ('27', 'fp32', single, (1245.0006, 1301.8599), {'turn_a': True})]
    result = [product_case(number, 'AD', 'mmad_load3dv2 %s%s' % (
        kind, ', A transposed' if how else ''), (A2, A5), kind, draw, known, **both, **how)
        for number, kind, draw, known, how in rows]
    result.append(product_case('28', 'AD', 'mmad_load3dv2 int8, B as N x K', (A2, A5), 'int8',
                               small, (1043, 1072), how_a='load3d', how_b='load2d', turn_b=True))
    return result


class Strided(Product):
    """Operands by LoadDataWithStride: column blocks in L0 lie dstStride fractals apart."""

    def load_a(self, p):
        rows = loads.transposed(self.a) if self.turn_a else self.a
        matrix = loads.to_l1(p, self.named('a'), self.kind, rows, 32)
        down = -(-(matrix.groups() * matrix.c0) // 16) if self.turn_a else matrix.blocks
        target = p.room('l0a', 64 * 1024)
        self.strided(p, target, matrix, down, self.turn_a)
        return target

    def load_b(self, p):
        matrix = loads.to_l1(p, self.named('b'), self.kind, self.b, 32)
        target = p.room('l0b', 64 * 1024)
        self.strided(p, target, matrix, -(-(matrix.groups() * matrix.c0) // 16), False)
        return target

    def strided(self, p, target, matrix, stride, turn):
        p.add('set_load_data_repeat', repeatStride=0, repeatTime=1, dstStride=stride)
        loads.load3d(p, target, matrix, turn, 'load_data_with_stride')

    def multiply(self, p):
        """All m and n of the padded grids, so that the grids of Mmad are those in L0."""
        a, b = self.load_a(p), self.load_b(p)
        m = loads.up(self.m, c0_of(self.kind) if self.turn_a else 32)
        n = loads.up(self.n, max(16, c0_of(self.kind)))
        c = p.room('l0c', m * n * 4)
        p.add('mmad', dst=c, a=a, b=b, type=self.kind, m=self.m, n=n, k=self.k)
        return c


def stride_cases():
    result = []
    for number, kind, turn in (('29', 'int8', False), ('30', 'int8', True), ('31', 'fp16', False),
                               ('32', 'fp16', True), ('33', 'fp32', False), ('34', 'fp32', True)):
        draw = integers(1, 10, 30, 40, 70) if kind == 'int8' else \
            uniform(kind, 1, 10, 30, 40, 70)

        def make(product, kind=kind, turn=turn, draw=draw):
            a, b = draw()
            case = Strided(kind, a, b, 'load3d', 'load3d', turn_a=turn)
            return case.program(product), {'y': case.golden()}
        result.append(Case(number, 'AD', 'load_data_with_stride %s%s' % (
            kind, ', A transposed' if turn else ''), (A5,), make, 0.0 if kind == 'int8' else 1e-3))
    return result


# ---- TMATMUL of PTO ----------------------------------------------------------------------------

# number, type, m, k, n, bias, first output
TMATMUL = [
    ('38', 'fp16', 31, 120, 58, False, ()), ('39', 'int8', 65, 90, 89, False, (12,)),
    ('40', 'fp16', 5, 75, 11, False, ()), ('41', 'fp16', 1, 256, 64, False, ()),
    ('42', 'fp16', 1, 16, 32, False, ()), ('43', 'fp16', 1, 200, 32, False, ()),
    ('44', 'fp32', 16, 32, 64, False, ()), ('45', 'fp32', 5, 75, 11, False, ()),
    ('46', 'fp16', 26, 100, 94, True, ()), ('47', 'fp16', 101, 288, 67, True, ()),
    ('48', 'fp32', 15, 16, 15, True, ()), ('49', 'int8', 55, 127, 29, True, (-150,)),
    ('50', 'bf16', 11, 402, 30, True, ()), ('51', 'int8', 150, 89, 50, True, ()),
    ('52', 'int8', 135, 64, 88, True, ()), ('53', 'fp16', 15, 64, 32, True, ())]
HF32 = {'44': 'NEAREST_EVEN', '45': 'NEAREST_ZERO'}
DRAWS = {}


def tmatmul_draw(number):
    """All cases from one generator in their order; a bias is drawn for each."""
    if not DRAWS:
        legacy = Legacy(19)
        for name, kind, m, k, n, bias, _ in TMATMUL:
            round_to = ROUND.get(kind, whole)
            a = rows_of(round_to(legacy.uniform(-10, 10, m * k)), k)
            b = rows_of(round_to(legacy.uniform(-10, 10, k * n)), n)
            more = legacy.uniform(1, 10, n)
            DRAWS[name] = [a, b] + ([whole(more) if kind == 'int8' else ROUND['fp32'](more)]
                                    if bias else [])
    return DRAWS[number]


def tmatmul_cases():
    """On A2 with Load2D and what transposes, on 950 with Load2Dv2."""
    result = []
    for number, kind, m, k, n, bias, known in TMATMUL:
        turning = {'int8': 'transpose', 'fp32': 'load3d'}.get(kind, 'load2d')
        how = {'how_a': 'vector' if m == 1 else {A2: 'load2d', A5: 'load2dv2'},
               'how_b': {A2: turning, A5: 'load2dv2'}, 'hf32': HF32.get(number)}
        what = 'tmatmul %s %dx%dx%d%s%s%s' % (
            kind, m, k, n, ' with bias' if bias else '', ' as GEMV' if m == 1 else '',
            ' in HF32' if number in HF32 else '')
        result.append(product_case(number, 'PTO', what, (A2,) if number in HF32 else (A2, A5), kind,
                                   functools.partial(tmatmul_draw, number), known,
                                   2e-5 if number in HF32 else 1e-3, **how))
    return result


# ---- samples of single loads and of Mmad -------------------------------------------------------

# number, type, how A and B are loaded, what is transposed in GM
SAMPLES = [
    ('80.1', 'int4', 'load2d', 'load2d', 'b'), ('80.2', 'int4', 'load2d', 'transpose', ''),
    ('80.3', 'int8', 'load2d', 'load2d', 'b'), ('80.4', 'int8', 'load3d', 'load2d', 'b'),
    ('80.5', 'int8', 'transpose', 'transpose', 'a'), ('80.6', 'fp16', 'load2d', 'load2d', 'b'),
    ('80.7', 'fp16', 'load3d', 'load2d', 'b'), ('80.8', 'fp16', 'load2d', 'load2d', 'a'),
    ('80.9', 'fp16', 'transpose', 'transpose', 'a'), ('80.10', 'fp16', 'load3d', 'load3d', 'a'),
    ('80.11', 'fp32', 'load2d', 'load2d', 'b'), ('80.12', 'fp32', 'load3d', 'load2d', 'b'),
    ('80.13', 'fp32', 'transpose', 'transpose', 'a'), ('80.14', 'fp32', 'load3d', 'load3d', 'a'),
    ('79.1', 'int8', 'load2dv2', 'load2dv2', 'b'), ('79.2', 'int8', 'load2dv2', 'load2dv2', 'a'),
    ('79.3', 'fp16', 'load2dv2', 'load2dv2', 'b'), ('79.4', 'fp16', 'load2dv2', 'load2dv2', 'a'),
    ('79.5', 'fp32', 'load2dv2', 'load2dv2', 'b'), ('79.6', 'fp32', 'load2dv2', 'load2dv2', 'a'),
    ('79.7', 'int8', 'load2dv2', 'load2dv2', 'a')]


def sample_cases():
    """40 x 70 times 70 x 50: the transposition combinations of load_data_l12l0 on A2 and of
    load_data_2dv2_l12l0 on 950."""
    result = []
    for number, kind, how_a, how_b, turned in SAMPLES:
        old = number.startswith('80')
        low, high = (-8, 7) if kind == 'int4' else (1, 10)
        gm = {'a': 'K x M, K x N', 'b': 'M x K, N x K', '': 'M x K, K x N'}[turned]
        result.append(product_case(
            number, 'AD', '%s %s in GM as %s, by %s and %s' % (
                'load_data_l12l0' if old else 'load_data_2dv2_l12l0', kind, gm, how_a, how_b),
            (A2,) if old else (A5,), kind, uniform(kind, low, high, 40, 70, 50), how_a=how_a,
            how_b=how_b, turn_a=turned == 'a', turn_b=turned == 'b'))
    return result


def mmad_cases():
    result = [product_case('75.1', 'AD', 'mmad int8 with bias', (A2,), 'int8',
                           integers(1, 10, 30, 70, 40, bias=True), how_a='load2d',
                           how_b='transpose')]
    result.append(product_case('75.2', 'AD', 'mmad bf16 accumulated twice', (A2, A5), 'bf16',
                               uniform('bf16', 1, 10, 30, 70, 40), how_a='load3d', how_b='load2d',
                               turn_b=True, twice=True))

    def biased():
        legacy = Legacy(9)
        a, b = (rows_of(ROUND['fp32'](legacy.uniform(1, 10, rows * cols)), cols)
                for rows, cols in ((30, 70), (70, 40)))
        return a, b, ROUND['fp32'](legacy.uniform(1, 10, 40))
    result.append(product_case('75.3', 'AD', 'mmad fp32 with bias, A and B transposed', (A2, A5),
                               'fp32', biased, how_a='load3d', how_b='load2d', turn_a=True,
                               turn_b=True))
    result.append(product_case('75.4', 'AD', 'mmad int4, B as N x K', (A2,), 'int4',
                               integers(1, 7, 30, 70, 40), how_a='load2d', how_b='load2d',
                               turn_b=True))
    result.append(product_case('77', 'AD', 'mmad_gemv 1x256x32', (A2, A5), 'fp16',
                               uniform('fp16', 1, 10, 1, 256, 32), how_a='vector',
                               how_b='load2d', turn_b=True))
    return result


def batch_case():
    """Four products, one behind the other in the same places of L0."""
    def make(product):
        legacy = Legacy(9)
        a = rows_of(rows_of(ROUND['fp32'](legacy.uniform(1, 10, 4 * 30 * 40)), 40), 30)
        b = rows_of(rows_of(ROUND['fp32'](legacy.uniform(1, 10, 4 * 40 * 70)), 70), 40)
        p, wanted = Program(product), {}
        for index in range(4):
            case = Product('fp32', a[index], b[index], 'load3d', 'load3d')
            case.suffix = str(index)
            p.reuse('l0a', 'l0b', 'l0c')
            case.store(p)
            wanted['y%d' % index] = case.golden()
        return p, wanted
    return Case('78', 'AD', 'batch_matmul fp32, 4 of 30x40x70', (A2, A5), make, 1e-3)


def cases():
    return load3d_cases() + stride_cases() + tmatmul_cases() + mmad_cases() + [batch_case()] + \
        sample_cases()
