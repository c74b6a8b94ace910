#!/usr/bin/env python3
"""Makes the frozen test vectors of the instruction effects from an independent oracle.

    scripts/make_vectors.py --oracle PATH/img2col_oracle.py [--seed N] [--out tests/data]

The oracle is a Python file with the functions nd2nz, dn2nz, load2d, load2dv2, load3dv2, mmad,
nz2nd, nz2dn and nz2nz on flat lists. The tests read the files that this script wrote; they never
need the oracle. A file holds cases:

    case MNEMONIC ARCH            an instruction on a product
    set KEY=VALUE ...             its fields
    OPERAND SPACE TYPE CODES      bytes of an operand, all of them written
    want SPACE TYPE CODES         the destination afterwards
    end

CODES are hexadecimal codes without separators, of the width of the type, lowest element first. In
`want`, '-' stands for an element that may have any value and '.' for one that is not touched.
"""
import argparse
import importlib.util
import os
import random
import struct
from fractions import Fraction

BITS = {'fp16': 16, 'bf16': 16, 'fp32': 32, 'int8': 8, 'int32': 32}
PRODUCT = {'dav-2201': 'A2', 'dav-3510': '950', 'dav-3002': '200I', 'dav-2002': '310P'}


def value_of(kind, code):
    if kind == 'fp16':
        return struct.unpack('<e', struct.pack('<H', code))[0]
    if kind == 'bf16':
        return struct.unpack('<f', struct.pack('<I', code << 16))[0]
    if kind == 'fp32':
        return struct.unpack('<f', struct.pack('<I', code))[0]
    bits = BITS[kind]
    return code - (1 << bits) if code >> (bits - 1) else code


def code_of(kind, value):
    """The code of a value that the type holds exactly."""
    if kind in ('int8', 'int32'):
        return int(value) & ((1 << BITS[kind]) - 1)
    if kind == 'fp16':
        code = struct.unpack('<H', struct.pack('<e', float(value)))[0]
    else:
        code = struct.unpack('<I', struct.pack('<f', float(value)))[0]
        if kind == 'bf16':
            assert code & 0xFFFF == 0
            code >>= 16
    assert Fraction(value_of(kind, code)) == Fraction(value)
    return code


def text_of(kind, codes, missing='-'):
    digits = BITS[kind] // 4
    return ''.join(missing if code is None else '%0*x' % (digits, code) for code in codes)


class Writer:
    def __init__(self, folder, name):
        self.path = os.path.join(folder, 'vectors_%s.txt' % name)
        self.lines = []

    def case(self, mnemonic, arch, fields, operands, want, missing='-'):
        """operands: (name, space, type, codes); want: (space, type, codes)."""
        self.lines.append('case %s %s' % (mnemonic, arch))
        self.lines.append('set ' + ' '.join('%s=%s' % item for item in fields.items()))
        for name, space, kind, codes in operands:
            self.lines.append('%s %s %s %s' % (name, space, kind, text_of(kind, codes)))
        space, kind, codes = want
        self.lines.append('want %s %s %s' % (space, kind, text_of(kind, codes, missing)))
        self.lines.append('end')

    def save(self, seed):
        with open(self.path, 'w') as file:
            file.write('# made by scripts/make_vectors.py, seed %d\n' % seed)
            file.write('\n'.join(self.lines) + '\n')
        print('%s: %d bytes' % (self.path, os.path.getsize(self.path)))


def codes(rng, kind, count):
    return [rng.getrandbits(BITS[kind]) for _ in range(count)]


def nz_cases(oracle, rng, writer):
    for index in range(18):
        kind = ('fp16', 'bf16', 'fp32', 'int8')[index % 4]
        c0 = 256 // BITS[kind]
        transposed = index >= 10
        number, n, d = rng.randint(1, 3), rng.randint(1, 9), rng.randint(1, 2 * c0 + 3)
        row = rng.randint(1, 3)
        column_group = n * row + rng.randint(0, 3)
        groups = -(-d // c0)
        matrix = groups * column_group * c0 + rng.randint(0, 2) * c0
        pitch = (n if transposed else d) + rng.randint(0, 4)
        step = pitch * (d if transposed else n) + rng.randint(0, 5)
        source = codes(rng, kind, number * step)
        l1 = [None] * (number * matrix)
        move = oracle.dn2nz if transposed else oracle.nd2nz
        move(source, l1, BITS[kind], number, n, d, step, pitch, column_group, row, matrix)
        word = 'Dn' if transposed else 'Nd'
        fields = {'type': kind, word.lower() + 'Num': number, 'nValue': n, 'dValue': d,
                  'src%sMatrixStride' % word: step, 'srcDValue': pitch,
                  'dstNzC0Stride': column_group, 'dstNzNStride': row,
                  'dstNzMatrixStride': matrix}
        arch = 'dav-3510' if transposed or index % 2 else 'dav-2201'
        writer.case('dn2nz' if transposed else 'nd2nz', arch, fields,
                    [('src', 'gm', kind, source)], ('l1', kind, l1), '.')


def load2d_cases(oracle, rng, writer):
    for index in range(12):
        kind = ('fp16', 'int8', 'bf16', 'fp32')[index % 4]
        fractal = 4096 // BITS[kind]
        transpose = BITS[kind] == 16 and index % 3 != 0
        start, repeat = rng.randint(0, 2), rng.randint(1, 3)
        stride, gap = rng.randint(0, 2), rng.randint(0, 2)
        source = codes(rng, kind, (start + stride * (repeat - 1) + 1) * fractal)
        target = [None] * (((gap + 1) * (repeat - 1) + 1) * fractal)
        oracle.load2d(source, target, BITS[kind], start, repeat, stride, gap, transpose)
        fields = {'type': kind, 'startIndex': start, 'repeatTimes': repeat, 'srcStride': stride,
                  'dstGap': gap, 'ifTranspose': int(transpose)}
        space = rng.choice(['l0a', 'l0b'])
        writer.case('load2d', rng.choice(['dav-2201', 'dav-2002', 'dav-3002']), fields,
                    [('src', 'l1', kind, source)], (space, kind, target), '.')


def load2dv2_cases(oracle, rng, writer):
    for index in range(12):
        kind = ('fp16', 'int8', 'fp32', 'bf16')[index % 4]
        c0, fractal = 256 // BITS[kind], 4096 // BITS[kind]
        transpose = index >= 4
        m, k = rng.randint(1, 2), rng.randint(1, 2)
        if transpose:
            m, k = (2 if kind == 'int8' else m), (2 if kind == 'fp32' else k)
        m_start, k_start = rng.randint(0, 1), rng.randint(0, 1)
        pitch = m_start + m + rng.randint(0, 1)
        rows = k * c0 // 16 if transpose else m
        to_pitch = max(1, rows) + rng.randint(0, 1)
        columns = m * 16 // c0 if transpose else k
        source = codes(rng, kind, (k_start + k) * pitch * fractal)
        target = [None] * (((columns - 1) * to_pitch + max(1, rows)) * fractal)
        oracle.load2dv2(source, target, BITS[kind], m_start, k_start, m, k, pitch, to_pitch,
                        transpose)
        fields = {'type': kind, 'mStartPosition': m_start, 'kStartPosition': k_start, 'mStep': m,
                  'kStep': k, 'srcStride': pitch, 'dstStride': to_pitch,
                  'ifTranspose': int(transpose)}
        writer.case('load2dv2', 'dav-3510', fields, [('src', 'l1', kind, source)],
                    (rng.choice(['l0a', 'l0b']), kind, target), '.')


def random_conv(oracle, rng, kind):
    c0 = 256 // BITS[kind]
    while True:
        channels = rng.choice([c0, 2 * c0, 4, 3 * c0] + ([8, c0 + 4] if c0 > 8 else []) +
                              ([16] if c0 > 16 else []))
        conv = oracle.Conv(rng.randint(2, 7), rng.randint(2, 8), channels, rng.randint(1, 3),
                           rng.randint(1, 3), rng.randint(1, 3), rng.randint(1, 3),
                           rng.randint(1, 2), rng.randint(1, 2),
                           tuple(rng.randint(0, 3) for _ in range(4)), BITS[kind],
                           rng.getrandbits(BITS[kind]))
        if conv.H + conv.pt + conv.pb >= conv.ekh and conv.W + conv.pl + conv.pr >= conv.ekw:
            return conv


def load3d_fields(conv, kind, fields):
    return dict({'type': kind, 'l1H': conv.H, 'l1W': conv.W, 'padLeft': conv.pl,
                 'padRight': conv.pr, 'padTop': conv.pt, 'padBottom': conv.pb,
                 'channelSize': conv.C, 'strideW': conv.sw, 'strideH': conv.sh,
                 'filterW': conv.Kw, 'filterH': conv.Kh, 'dilationFilterW': conv.dw,
                 'dilationFilterH': conv.dh, 'padValue': conv.padv}, **fields)


def l1_image(rng, conv, kind):
    """Channel planes of C0, a last one that is packed."""
    return codes(rng, kind, conv.H * conv.W * conv.C)


def load3d_case(oracle, rng, writer, kind, arch, space, transpose, repeat):
    conv = random_conv(oracle, rng, kind)
    c0 = conv.C0
    source = l1_image(rng, conv, kind)
    m = rng.randint(1, min(conv.M, 34))
    k = rng.randint(1, min(conv.K, 3 * c0))
    m_start = rng.randint(0, conv.M - m)
    k_start = rng.randint(0, (conv.K - k) // c0) * c0
    mode, time, step, stride = 0, 1, 0, None
    if repeat:
        mode, time, step = rng.randint(0, 1), 2, rng.randint(0, 2)
    target = oracle.load3dv2(source, conv, m, k, m_start, k_start, PRODUCT[arch], space.upper(),
                             transpose, mode, time, step)
    if arch == 'dav-3510' and rng.randint(0, 2) != 0:
        stride = len(target) // (16 * c0) + rng.randint(0, 1)
        target = oracle.load3dv2(source, conv, m, k, m_start, k_start, PRODUCT[arch],
                                 space.upper(), transpose, mode, time, step, stride)
    if len(target) > 6000:
        return False
    fields = load3d_fields(conv, kind, {
        'mExtension': m, 'kExtension': k, 'mStartPt': m_start, 'kStartPt': k_start,
        'enTranspose': int(transpose), 'repeatStride': step, 'repeatTime': time,
        'repeatMode': mode, 'dstStride': stride or 0})
    # A last packed plane may end inside a 32 B block; the bytes behind it are never read.
    writer.case('load3dv2', arch, fields, [('src', 'l1', kind, source)], (space, kind, target))
    return True


def load3d_cases(oracle, rng, writer):
    plan = []
    for kind in ('fp16', 'bf16', 'fp32', 'int8'):
        for arch in ('dav-2201', 'dav-3510', 'dav-3002', 'dav-2002'):
            if arch == 'dav-2002' and kind in ('bf16', 'fp32'):
                continue
            wide = kind != 'int8' or arch == 'dav-3510'
            plan += [(kind, arch, 'l0a', False, False), (kind, arch, 'l0a', False, True)]
            if arch == 'dav-2201' or arch == 'dav-3510':
                plan += [(kind, arch, 'l0a', False, False), (kind, arch, 'l0a', False, False)]
            if wide and arch in ('dav-2201', 'dav-3510'):
                plan += [(kind, arch, 'l0a', True, False), (kind, arch, 'l0a', True, True)]
            if wide and arch != 'dav-2002':
                plan += [(kind, arch, 'l0b', False, False), (kind, arch, 'l0b', False, True)]
    for row in plan:
        while not load3d_case(oracle, rng, writer, *row):
            pass


def float_code(rng, kind):
    """A finite value of moderate size with all its mantissa bits in use."""
    exponent = rng.randint(-6, 6)
    mantissa = {'fp16': 10, 'bf16': 7, 'fp32': 23}[kind]
    value = rng.choice([-1, 1]) * (1 + Fraction(rng.getrandbits(mantissa), 1 << mantissa))
    return 0 if rng.randint(0, 20) == 0 else code_of(kind, value * Fraction(2) ** exponent)


def mmad_case(oracle, rng, writer, kind, arch, start, align):
    integer = kind == 'int8'
    c0 = 256 // BITS[kind]
    m, n, k = rng.randint(1, 20), rng.randint(1, 34), rng.randint(1, 2 * c0 + 5)
    if align:
        m, k = rng.randint(17, 20), rng.randint(17, 24)   # an odd number of blocks, two rows
    out = 'int32' if integer else 'fp32'
    depth = -(-k // 16) * 2 if align else -(-k // c0)
    pick = (lambda: rng.getrandbits(8)) if integer else (lambda: float_code(rng, kind))
    size_a, size_b = -(-m // 16) * depth * 16 * c0, -(-n // 16) * depth * 16 * c0
    a = [pick() for _ in range(size_a)]
    b = [pick() for _ in range(size_b)]
    big = (lambda: rng.getrandbits(32)) if integer else (lambda: float_code(rng, 'fp32'))
    bias = [big() for _ in range(n)]
    c = [big() for _ in range(-(-m // 16) * -(-n // 16) * 256)]
    values = lambda kind, list: [value_of(kind, code) for code in list]
    result = oracle.mmad(values(kind, a), values(kind, b), values(out, c), m, k, n, BITS[kind],
                         PRODUCT[arch], out, start, values(out, bias), 'double', align)
    fields = {'type': kind, 'm': m, 'n': n, 'k': k, 'cmatrixInitVal': int(start == 'zero'),
              'cmatrixSource': int(start == 'bias'), 'kDirectionAlign': int(align)}
    if m == 1 and arch == 'dav-3510':
        fields['disableGemv'] = 1
    elif m == 1:                                          # one row is read as a vector
        row = [a[block * 16 * c0 + q] for block in range(depth) for q in range(c0)]
        a = row + a[len(row):]
    writer.case('mmad', arch, fields,
                [('a', 'l0a', kind, a), ('b', 'l0b', kind, b), ('bias', 'bt', out, bias),
                 ('dst', 'l0c', out, c)],
                ('l0c', out, [code_of(out, value) for value in result]))


def mmad_cases(oracle, rng, writer):
    for kind in ('fp16', 'bf16', 'fp32', 'int8'):
        for arch in ('dav-2201', 'dav-3510'):
            for start in ('zero', 'l0c', 'bias'):
                mmad_case(oracle, rng, writer, kind, arch, start, False)
    mmad_case(oracle, rng, writer, 'fp32', 'dav-2201', 'l0c', True)
    mmad_case(oracle, rng, writer, 'fp32', 'dav-2201', 'zero', True)


def fixpipe_value(rng, source):
    if source == 'int32':
        return rng.getrandbits(32)
    value = rng.uniform(-1, 1) * 10.0 ** rng.randint(-4, 5)
    code = struct.unpack('<I', struct.pack('<f', value))[0]
    return code if rng.randint(0, 3) else code & 0xFFFFF000   # ties and exact values too


def fixpipe_case(oracle, rng, writer, layout, arch, source, mode, relu, split):
    m, n = rng.randint(1, 20), rng.randint(1, 40)
    if layout == 'nz':
        n = rng.randint(1, 3) * (8 if split else 16)
    target = {'NoQuant': source, 'F322F16': 'fp16', 'F322BF16': 'bf16'}[mode]
    pitch = m + rng.randint(0, 5)
    number = rng.randint(1, 2) if layout != 'nz' else 1
    groups = -(-n // 16)
    unit = 16 if arch == 'dav-3510' else 256
    matrix = -(-groups * pitch * 16 // unit) if number > 1 else 0
    l0c = [fixpipe_value(rng, source)
           for _ in range((number - 1) * matrix * unit + groups * pitch * 16)]
    convert = lambda code, _: code_of(target, oracle.quant(
        value_of(source, code) if source == 'int32' else Fraction(value_of(source, code)), mode,
        relu=relu))
    fields = {'type': source, 'mode': mode, 'layout': layout, 'mSize': m, 'nSize': n,
              'srcStride': pitch, 'reluEn': int(relu), 'channelSplit': int(split)}
    if layout == 'nz':
        width = 8 if split else 16
        block = 256 // BITS[target]
        stride = -(-m * width // block) + rng.randint(0, 2)
        gm = [None] * ((n // width - 1) * stride * block + m * width)
        oracle.nz2nz(l0c, gm, m, n, pitch, stride * block, BITS[target], split, convert)
    else:
        rows, columns = (m, n) if layout == 'nz2nd' else (n, m)
        stride = columns + rng.randint(0, 3)
        step = rows * stride + rng.randint(0, 4)
        gm = [None] * ((number - 1) * step + (rows - 1) * stride + columns)
        if layout == 'nz2nd':
            oracle.nz2nd(l0c, gm, m, n, pitch, stride, number, matrix, step, unit, convert)
        else:
            oracle.nz2dn(l0c, gm, m, n, pitch, stride, number, matrix, step, fn=convert)
        fields.update({'ndNum': number, 'srcNdStride': matrix, 'dstNdStride': step})
    fields['dstStride'] = stride
    writer.case('fixpipe', arch, fields, [('src', 'l0c', source, l0c)], ('gm', target, gm), '.')


def fixpipe_cases(oracle, rng, writer):
    for source, mode in (('fp32', 'NoQuant'), ('fp32', 'F322F16'), ('fp32', 'F322BF16'),
                         ('int32', 'NoQuant')):
        for layout, arch in (('nz', 'dav-2201'), ('nz2nd', 'dav-2201'), ('nz', 'dav-3510'),
                             ('nz2nd', 'dav-3510'), ('nz2dn', 'dav-3510')):
            fixpipe_case(oracle, rng, writer, layout, arch, source, mode,
                         rng.randint(0, 1) == 1, False)
    for relu in (False, True):
        fixpipe_case(oracle, rng, writer, 'nz', 'dav-2201', 'fp32', 'NoQuant', relu, True)


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument('--oracle', required=True, help='the Python file of the oracle')
    options.add_argument('--seed', type=int, default=1)
    options.add_argument('--out', default='tests/data', help='folder of the files')
    choice = options.parse_args()
    spec = importlib.util.spec_from_file_location('oracle', choice.oracle)
    oracle = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(oracle)
    for name, makers in (('move', (nz_cases, load2d_cases, load2dv2_cases)),
                         ('load3d', (load3d_cases,)), ('mmad', (mmad_cases,)),
                         ('fixpipe', (fixpipe_cases,))):
        rng = random.Random('%d %s' % (choice.seed, name))
        writer = Writer(choice.out, name)
        for maker in makers:
            maker(oracle, rng, writer)
        writer.save(choice.seed)


if __name__ == '__main__':
    main()
