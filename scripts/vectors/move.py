"""Moves from GM to L1."""
from .number import BITS, c0_of
from .text import UNTOUCHED, Case, Once, Row

B8 = ('int8', 'uint8', 'fp8_e4m3', 'fp8_e5m2', 'hif8')
B16 = ('fp16', 'bf16', 'int16', 'uint16')
B32 = ('fp32', 'int32', 'uint32')


def nz_sizes(bench, kind, transposed):
    """Extents and strides of a move to NZ whose source and destination are of a fair size."""
    c0 = c0_of(kind)
    word = 'dn' if transposed else 'nd'
    number = bench.draw(word + 'Num', 1, 3)
    n = bench.draw('nValue', 1, min(48, bench.extent))
    d = bench.draw('dValue', 1, min(48, 2 * c0 + 3))
    row = bench.draw('dstNzNStride', 1, 3)
    group = bench.draw('dstNzC0Stride', max(1, n) * row, max(1, n) * row + 3)
    groups = -(-d // c0)
    least = ((groups - 1) * group + max(0, n - 1) * row + 1) * c0 if groups else 0
    matrix = bench.draw('dstNzMatrixStride', -(-least // c0), -(-least // c0) + 2)
    matrix = matrix if 'dstNzMatrixStride' in bench.edge else matrix * c0
    pitch = bench.draw('srcDValue', max(1, n if transposed else d),
                       max(1, n if transposed else d) + 4)
    lines = max(1, d if transposed else n)
    step = bench.draw('src%sMatrixStride' % word.title(), pitch * lines, pitch * lines + 5)
    return number, n, d, row, group, matrix, pitch, step, least


def nz_case(bench, mnemonic, arch, kind):
    """nd2nz or dn2nz with distinct destinations for distinct elements, or none at all."""
    transposed = mnemonic == 'dn2nz'
    number, n, d, row, group, matrix, pitch, step, least = nz_sizes(bench, kind, transposed)
    word = 'Dn' if transposed else 'Nd'
    across, down = (n, d) if transposed else (d, n)
    source = max(1, max(0, number - 1) * step + (down - 1) * pitch + across)
    target = max(1, max(0, number - 1) * matrix + least)
    overlap = (number > 1 and matrix < least) or (d > c0_of(kind) and group < n * row)
    if overlap or source > 1 << 21 or target > bench.limit or matrix > 16384:
        return None
    if target * BITS[kind] // 8 > 512 * 1024 or group > 16384 or pitch > 65535 or step > 65535:
        return None
    codes = bench.codes(kind, source)
    l1 = [UNTOUCHED] * target
    move = bench.oracle.dn2nz if transposed else bench.oracle.nd2nz
    move(codes, l1, BITS[kind], number, n, d, step, pitch, group, row, matrix)
    fields = {'type': kind, word.lower() + 'Num': number, 'nValue': n, 'dValue': d,
              'src%sMatrixStride' % word: step, 'srcDValue': pitch, 'dstNzC0Stride': group,
              'dstNzNStride': row, 'dstNzMatrixStride': matrix}
    return Case(mnemonic, arch, fields, [('src', 'gm', kind, codes)], ('l1', kind, l1))


def data_copy_case(bench, arch, kind):
    """Blocks with gaps; the oracle has none of it, the statement is the definition."""
    c0 = c0_of(kind)
    count, length = bench.draw('blockCount', 1, 4), bench.draw('blockLen', 1, 5)
    source_gap, target_gap = bench.draw('srcGap', 0, 3), bench.draw('dstGap', 0, 3)
    source = ((count - 1) * (length + source_gap) + length) * c0
    target = ((count - 1) * (length + target_gap) + length) * c0
    if source > 1 << 21 or target > bench.limit or target * BITS[kind] // 8 > 512 * 1024:
        return None
    codes = bench.codes(kind, source)
    l1 = [UNTOUCHED] * target
    for block in range(count):
        for at in range(length * c0):
            l1[block * (length + target_gap) * c0 + at] = \
                codes[block * (length + source_gap) * c0 + at]
    fields = {'blockCount': count, 'blockLen': length, 'srcGap': source_gap, 'dstGap': target_gap}
    return Case('data_copy', arch, fields, [('src', 'gm', kind, codes)], ('l1', kind, l1))


def edges(mnemonic, make, values, /, **options):
    """A row for each value at the edge of a range."""
    return [Once(mnemonic, make, edge={name: value}, **options)
            for name, ends in values.items() for value in ends]


NZ_EDGES = {'nValue': (0, 16384), 'dstNzC0Stride': (1, 16384),
            'dstNzNStride': (1, 16384), 'dstNzMatrixStride': (0, 16384)}


def rows():
    result = []
    for arch, kinds in (('dav-2201', B8 + B16 + B32), ('dav-3510', B8 + B16 + B32)):
        for kind in kinds:
            result.append(Row('nd2nz', nz_case, mnemonic='nd2nz', arch=arch, kind=kind))
    for kind in B8 + B16 + B32:
        result.append(Row('dn2nz', nz_case, mnemonic='dn2nz', arch='dav-3510', kind=kind))
    result += edges('nd2nz', nz_case, dict(NZ_EDGES, ndNum=(0, 4095), dValue=(0, 65535),
                                           srcDValue=(1, 65535), srcNdMatrixStride=(0, 65535)),
                    mnemonic='nd2nz', arch='dav-2201', kind='fp16')
    result += edges('dn2nz', nz_case, dict(NZ_EDGES, dnNum=(0, 4095), dValue=(0, 65535),
                                           srcDValue=(1, 65535), srcDnMatrixStride=(0, 65535)),
                    mnemonic='dn2nz', arch='dav-3510', kind='fp16')
    for arch in ('dav-1001', 'dav-2002', 'dav-2201', 'dav-3002', 'dav-3510'):
        result.append(Row('data_copy', data_copy_case, arch=arch, kind='fp16'))
    result += edges('data_copy', data_copy_case,
                    {'blockCount': (1, 4095), 'blockLen': (1, 65535), 'srcGap': (0, 65535),
                     'dstGap': (0, 65535)}, arch='dav-2201', kind='fp16')
    return result
