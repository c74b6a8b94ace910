"""Moves between GM, L1 and UB, and loads of the tables of bias and quantisation words."""
from .atomic import TYPES, added, initial_code
from .number import BITS, c0_of, fp32_code, value_of
from .text import UNTOUCHED, Case, Once, Row

B4 = ('int4', 'fp4_e2m1', 'fp4_e1m2')
B8 = ('int8', 'uint8', 'fp8_e4m3', 'fp8_e5m2', 'hif8')
B16 = ('fp16', 'bf16', 'int16', 'uint16')
B32 = ('fp32', 'int32', 'uint32')
ARCHES = ('dav-1001', 'dav-2002', 'dav-2201', 'dav-3002', 'dav-3510')


def edges(mnemonic, make, values, /, **options):
    """A row for each value at the edge of a range."""
    return [Once(mnemonic, make, edge={name: value}, **options)
            for name, ends in values.items() for value in ends]


# ---- ND2NZ and DN2NZ ---------------------------------------------------------------------------

def nz_sizes(bench, kind, transposed, small):
    """Extents and strides of a move to NZ whose source and destination are of a fair size."""
    c0 = c0_of(kind)
    word = 'dn' if transposed else 'nd'
    number = bench.draw(word + 'Num', 1, 3)
    n = bench.draw('nValue', 1, min(48, bench.extent))
    d = bench.draw('dValue', 1, 4 if small else min(48, 2 * c0 + 3))
    row = bench.draw('dstNzNStride', 1, 3)
    group = bench.draw('dstNzC0Stride', max(1, n) * row, max(1, n) * row + 3)
    groups = -(-d // c0)
    least = ((groups - 1) * group + max(0, n - 1) * row + 1) * c0 if groups else 0
    if small:
        least = -(-n * 4 // c0) * c0
    matrix = bench.draw('dstNzMatrixStride', -(-least // c0), -(-least // c0) + 2)
    matrix = matrix if 'dstNzMatrixStride' in bench.edge else matrix * c0
    pitch = bench.draw('srcDValue', max(1, n if transposed else d),
                       max(1, n if transposed else d) + 4)
    lines = max(1, d if transposed else n)
    step = bench.draw('src%sMatrixStride' % word.title(), pitch * lines, pitch * lines + 5)
    return number, n, d, row, group, matrix, pitch, step, least


def small_dn2nz(codes, l1, sizes):
    """DN2NZ with rows of 4 elements packed; the oracle has it for ND2NZ only."""
    number, n, d, matrix, pitch, step, c0 = sizes
    for b in range(number):
        for at in range(-(-n * 4 // c0) * c0):
            i, j = divmod(at, 4)
            inside = i < n and j < d
            l1[b * matrix + at] = codes[b * step + j * pitch + i] if inside else 0


def nz_case(bench, mnemonic, arch, kind, small=False):
    """nd2nz or dn2nz with distinct destinations for distinct elements, or none at all."""
    transposed = mnemonic == 'dn2nz'
    unit = 'int8' if BITS[kind] == 4 else kind       # 4-bit types move as bytes
    number, n, d, row, group, matrix, pitch, step, least = nz_sizes(bench, unit, transposed, small)
    word = 'Dn' if transposed else 'Nd'
    across, down = (n, d) if transposed else (d, n)
    source = max(1, max(0, number - 1) * step + (down - 1) * pitch + across)
    target = max(1, max(0, number - 1) * matrix + least)
    overlap = (number > 1 and matrix < least) or (d > c0_of(unit) and group < n * row)
    if overlap or not bench.holds('gm', unit, source) or not bench.takes('l1', unit, target):
        return None
    if transposed and BITS[kind] == 4 and n % 2 != 0:
        return None
    if max(group, matrix) > 16384 or max(pitch, step) > 65535:
        return None
    codes = bench.codes(unit, source)
    l1 = [UNTOUCHED] * target
    if small and transposed:
        small_dn2nz(codes, l1, (number, n, d, matrix, pitch, step, c0_of(unit)))
    elif transposed:
        bench.oracle.dn2nz(codes, l1, BITS[unit], number, n, d, step, pitch, group, row, matrix)
    else:
        bench.oracle.nd2nz(codes, l1, BITS[unit], number, n, d, step, pitch, group, row, matrix,
                           small_c0=small)
    fields = {'type': kind, word.lower() + 'Num': number, 'nValue': n, 'dValue': d,
              'src%sMatrixStride' % word: step, 'srcDValue': pitch, 'dstNzC0Stride': group,
              'dstNzNStride': row, 'dstNzMatrixStride': matrix, 'enableSmallC0': small}
    return Case(mnemonic, arch, fields, [('src', 'gm', unit, codes)], ('l1', unit, l1))


NZ_EDGES = {'nValue': (0, 16384), 'dstNzC0Stride': (1, 16384), 'dstNzNStride': (1, 16384),
            'dstNzMatrixStride': (0, 16384)}


def nz_rows():
    result = []
    for mnemonic, arch, kinds in (
            ('nd2nz', 'dav-2002', ('int16', 'uint16', 'fp16') + B32),
            ('nd2nz', 'dav-2201', ('int4', 'int8', 'uint8') + B16 + B32),
            ('nd2nz', 'dav-3510', B4[1:] + B8 + B16 + B32),
            ('dn2nz', 'dav-3510', B4[1:] + B8 + B16 + B32)):
        for kind in kinds:
            result.append(Row(mnemonic, nz_case, mnemonic=mnemonic, arch=arch, kind=kind))
    for mnemonic in ('nd2nz', 'dn2nz'):
        for kind in ('int8', 'fp16', 'fp32'):
            result.append(Row(mnemonic, nz_case, mnemonic=mnemonic, arch='dav-3510', kind=kind,
                              small=True))
    result += edges('nd2nz', nz_case, dict(NZ_EDGES, ndNum=(0, 4095), dValue=(0, 65535),
                                           srcDValue=(1, 65535), srcNdMatrixStride=(0, 65535)),
                    mnemonic='nd2nz', arch='dav-2201', kind='fp16')
    return result + edges('dn2nz', nz_case,
                          dict(NZ_EDGES, dnNum=(0, 4095), dValue=(0, 65535), srcDValue=(1, 65535),
                               srcDnMatrixStride=(0, 65535)),
                          mnemonic='dn2nz', arch='dav-3510', kind='fp16')


# ---- plain and padded blocks; the statements are the definitions, the oracle has none of it ------

def blocks_move(codes, target, count, length, source_pitch, target_pitch):
    for block in range(count):
        for at in range(length):
            target[block * target_pitch + at] = codes[block * source_pitch + at]


def data_copy_case(bench, arch, source, target, add=None):
    """Blocks with gaps, to GM also added to what is there (atomic)."""
    kind = add or 'fp16'
    c0 = c0_of(kind)
    count, length = bench.draw('blockCount', 1, 4), bench.draw('blockLen', 1, 5)
    source_gap, target_gap = bench.draw('srcGap', 0, 3), bench.draw('dstGap', 0, 3)
    from_size = (max(0, count - 1) * (length + source_gap) + max(1, length)) * c0
    to_size = (max(0, count - 1) * (length + target_gap) + max(1, length)) * c0
    if not bench.holds(source, kind, from_size) or not bench.takes(target, kind, to_size):
        return None
    fields = {'blockCount': count, 'blockLen': length, 'srcGap': source_gap, 'dstGap': target_gap}
    codes = [initial_code(bench.rng, kind) for _ in range(from_size)] if add else \
        bench.codes(kind, from_size)
    out = [UNTOUCHED] * to_size
    blocks_move(codes, out, count, length * c0, (length + source_gap) * c0,
                (length + target_gap) * c0)
    operands, before = [('src', source, kind, codes)], []
    if add:
        old = [initial_code(bench.rng, kind) for _ in out]
        operands.append(('dst', target, kind, old))
        out = [code if code == UNTOUCHED else added(bench.oracle, kind, (code, first))
               for code, first in zip(out, old)]
        before = [('set_atomic_add', {'type': kind})]
    return Case('data_copy', arch, fields, operands, (target, kind, out), before)


def data_copy_pad_case(bench, kind, padded, compact=False):
    """Blocks of any length, each, or with Compact all together, filled up to 32 bytes. Bytes that
    nothing is said about may have any value."""
    c0, size = c0_of(kind), BITS[kind] // 8
    count, length = bench.draw('blockCount', 1, 4), bench.rng.randint(1, 40)
    source_gap = bench.rng.randint(-length, 9)
    left = 0 if compact else bench.rng.randint(0, c0)
    right = 0 if compact else bench.rng.randint(0, c0)
    gap = 0 if compact else bench.draw('dstStride', 0, 3)
    value = bench.rng.getrandbits(min(32, BITS[kind])) if size < 8 else 0
    pitch = length if compact else -(-(left + length + right) // c0) * c0 + gap * c0
    source = (count - 1) * (length + source_gap) + length
    whole = -(-count * length // c0) * c0 if compact else (count - 1) * pitch + \
        -(-(left + length + right) // c0) * c0
    if source < length or not bench.takes('l1', kind, whole):
        return None
    codes = bench.codes(kind, source)
    l1 = [None if compact else UNTOUCHED] * whole
    padding = value if padded else None
    for block in range(count):
        at = block * pitch
        for lane in range(0 if compact else -(-(left + length + right) // c0) * c0):
            l1[at + lane] = padding if lane < left + length + right else None
        for lane in range(length):
            l1[at + left + lane] = codes[block * (length + source_gap) + lane]
    fields = {'type': kind, 'blockCount': count, 'blockLen': length * size,
              'srcStride': source_gap * size, 'dstStride': gap, 'isPad': padded,
              'leftPadding': left, 'rightPadding': right, 'paddingValue': value,
              'mode': 'Compact' if compact else 'Normal'}
    return Case('data_copy_pad', 'dav-3510', fields, [('src', 'gm', kind, codes)],
                ('l1', kind, l1))


def copy_rows():
    result = []
    for arch in ARCHES:
        paths = [('gm', 'l1'), ('gm', 'ub'), ('ub', 'gm')]
        paths += [('ub', 'l1')] if arch in ('dav-2002', 'dav-3510') else []
        paths += [('l1', 'gm')] if arch == 'dav-2201' else []
        for source, target in paths:
            for add in (None,) + TYPES[arch] if target == 'gm' else (None,):
                result.append(Row('data_copy', data_copy_case, arch=arch, source=source,
                                  target=target, add=add))
    result += edges('data_copy', data_copy_case,
                    {'blockCount': (0, 4095), 'blockLen': (0, 16384), 'srcGap': (0, 65535),
                     'dstGap': (0, 8000)}, arch='dav-2201', source='gm', target='l1')
    for kind in ('int8', 'uint8') + B16 + B32 + ('uint64',):
        for padded in (False, True):
            result.append(Row('data_copy_pad', data_copy_pad_case, kind=kind, padded=padded))
        result.append(Row('data_copy_pad', data_copy_pad_case, kind=kind, padded=False,
                          compact=True))
    return result


# ---- tables ------------------------------------------------------------------------------------

def load_bt_case(bench, arch, kind):
    """Blocks of bias; 16-bit types become fp32. Lengths in 64 bytes, on 950 in 32, even."""
    unit = 32 if arch == 'dav-3510' else 64
    count, length = bench.draw('blockCount', 1, 3), bench.draw('blockLen', 1, 3)
    length *= 64 // unit
    source_gap, target_gap = bench.rng.randint(0, 2), bench.rng.randint(0, 2)
    size = BITS[kind] // 8
    lanes, wide = length * unit // size, 4
    from_pitch, to_pitch = lanes + source_gap * 32 // size, lanes + target_gap * unit // wide
    to_size = (count - 1) * to_pitch + lanes
    if not bench.takes('bt', 'fp32', to_size):
        return None
    codes = bench.codes(kind, (count - 1) * from_pitch + lanes)
    table = [UNTOUCHED] * to_size
    target = 'fp32' if size == 2 else kind
    for block in range(count):
        for lane in range(lanes):
            code = codes[block * from_pitch + lane]
            if size == 2:
                value = value_of(kind, code)
                code = '*' if value != value else fp32_code(value)
            table[block * to_pitch + lane] = code
    fields = {'type': kind, 'blockCount': count, 'blockLen': length, 'srcGap': source_gap,
              'dstGap': target_gap}
    return Case('load_bt', arch, fields, [('src', 'l1', kind, codes)], ('bt', target, table))


def load_fb_case(bench, arch):
    """Blocks of quantisation words. Lengths in 128 bytes, on 950 in 64; gaps from head to head."""
    unit = 64 if arch == 'dav-3510' else 128
    count, length = bench.draw('blockCount', 1, 3), bench.draw('blockLen', 1, 3)
    source_gap = bench.rng.randint(0, length * unit // 32 + 2)
    target_gap = bench.rng.randint(-(-length * unit // 128), 4)
    words = length * unit // 8
    to_size = (count - 1) * target_gap * 16 + words
    if not bench.takes('fb', 'uint64', to_size):
        return None
    codes = bench.codes('uint64', (count - 1) * source_gap * 4 + words)
    table = [UNTOUCHED] * to_size
    blocks_move(codes, table, count, words, source_gap * 4, target_gap * 16)
    fields = {'blockCount': count, 'blockLen': length, 'srcGap': source_gap, 'dstGap': target_gap}
    return Case('load_fb', arch, fields, [('src', 'l1', 'uint64', codes)], ('fb', 'uint64', table))


def table_rows():
    result = [Row('load_fb', load_fb_case, arch=arch) for arch in ('dav-2201', 'dav-3510')]
    for arch, kinds in (('dav-2201', ('fp32', 'int32', 'fp16')),
                        ('dav-3510', ('fp32', 'int32', 'fp16', 'bf16'))):
        result += [Row('load_bt', load_bt_case, arch=arch, kind=kind) for kind in kinds]
    return result


def rows():
    return nz_rows() + copy_rows() + table_rows()
