"""Load2D, its transposing and second forms, and the Tensor API copies: whole fractals to L0."""
from .move import B4, B8, B16, B32, edges
from .number import BITS, c0_of
from .text import UNTOUCHED, Case, Row


def fits(bench, kind, source, target, space='l0a'):
    """Whether the elements of both sides have room."""
    return bench.takes(space, kind, target) and bench.holds('l1', kind, source)


def repeat_draw(bench):
    """Fractals or squares: start, count, stride and whether they descend."""
    start = bench.draw('startIndex', 0, 2)
    repeat = bench.draw('repeatTimes', 1, 2 if bench.small else 4)
    return start, repeat, bench.draw('srcStride', 0, 3)


def load2d_case(bench, arch, kind, space=None, transpose=False, gm=False):
    space = space or bench.either('l0a', 'l0b')
    fractal = 16 * c0_of(kind)
    start, repeat, stride = repeat_draw(bench)
    descends = int(gm and bench.chance(2))
    start += stride * max(0, repeat - 1) if descends else 0
    gap = 0 if arch == 'dav-1001' and space == 'l1' else bench.draw('dstGap', 0, 2)
    source = (start + (0 if descends else stride * max(0, repeat - 1)) + 1) * fractal
    target = ((gap + 1) * max(0, repeat - 1) + 1) * fractal
    if not fits(bench, kind, source, target, space):
        return None
    codes = bench.codes(kind, source)
    l0 = [UNTOUCHED] * target
    bench.oracle.load2d(codes, l0, BITS[kind], start, repeat, stride, gap, transpose, descends)
    fields = {'type': kind, 'startIndex': start, 'repeatTimes': repeat, 'srcStride': stride,
              'dstGap': gap, 'ifTranspose': transpose, 'addrMode': descends}
    return Case('load2d', arch, fields, [('src', 'gm' if gm else 'l1', kind, codes)],
                (space, kind, l0))


def square_gather(codes, count, start, step, fractals, inside, fractal):
    """The squares of a source whose fractals lie apart, one behind the other."""
    squares = []
    for index in range(count):
        for part in range(fractals):
            at = (start + step * index + part * (inside + 1)) * fractal
            squares += codes[at:at + fractal]
    return squares


def transpose_case(bench, arch, kind, space=None):
    """LoadDataWithTranspose; on 950 starts and strides count fractals, which may lie apart."""
    space = space or ('l0b' if arch == 'dav-3510' else bench.either('l0a', 'l0b'))
    bits, fractal = BITS[kind], 16 * c0_of(kind)
    fractals = bench.oracle.SQUARE[bits][1]
    start, repeat, stride = repeat_draw(bench)
    gap, inside = bench.draw('dstGap', 0, 2 * fractals), bench.draw('dstFracGap', 0, 2)
    descends, apart = int(bench.chance(2)), 0
    unit = 1 if arch == 'dav-3510' else fractals
    if arch == 'dav-3510':
        apart = bench.rng.randint(0, 2)
    way = stride * max(0, repeat - 1)
    start += way if descends else 0
    last = (start + (0 if descends else way)) * unit
    source = (last + (fractals - 1) * (apart + 1) + 1) * fractal
    target = ((gap + 1) * max(0, repeat - 1) + (fractals - 1) * (inside + 1) + 1) * fractal
    if not fits(bench, kind, source, target):
        return None
    codes = bench.codes(kind, source)
    step = -stride * unit if descends else stride * unit
    squares = square_gather(codes, repeat, start * unit, step, fractals, apart, fractal)
    l0 = [UNTOUCHED] * target
    bench.oracle.load_transpose(squares, l0, bits, 0, repeat, 1, gap, inside)
    fields = {'type': kind, 'startIndex': start, 'repeatTimes': repeat, 'srcStride': stride,
              'dstGap': gap, 'dstFracGap': inside, 'srcFracGap': apart, 'addrMode': descends}
    return Case('load_data_with_transpose', arch, fields, [('src', 'l1', kind, codes)],
                (space, kind, l0))


def load2dv2_case(bench, kind, space=None, transpose=False, gm=False):
    space = space or bench.either('l0a', 'l0b')
    bits, c0, fractal = BITS[kind], c0_of(kind), 16 * c0_of(kind)
    most = 2 if bench.small else 3
    m, k = bench.draw('mStep', 1, most), bench.draw('kStep', 1, most)
    if transpose:
        m *= {4: 4, 8: 2}.get(bits, 1)
        k *= 2 if bits == 32 else 1
    m_start, k_start = bench.draw('mStartPosition', 0, 2), bench.draw('kStartPosition', 0, 2)
    pitch = bench.draw('srcStride', m_start + m, m_start + m + 2)
    down, across = (k * c0 // 16, m * 16 // c0) if transpose else (m, k)
    to_pitch = bench.draw('dstStride', max(1, down), max(1, down) + 2)
    source = (max(0, k_start + k - 1) * pitch + m_start + max(1, m)) * fractal
    target = (max(0, across - 1) * to_pitch + max(1, down)) * fractal
    if (across > 1 and to_pitch < down) or not fits(bench, kind, source, target, space):
        return None
    codes = bench.codes(kind, source)
    l0 = [UNTOUCHED] * target
    bench.oracle.load2dv2(codes, l0, bits, m_start, k_start, m, k, pitch, to_pitch, transpose)
    fields = {'type': kind, 'mStartPosition': m_start, 'kStartPosition': k_start, 'mStep': m,
              'kStep': k, 'srcStride': pitch, 'dstStride': to_pitch, 'ifTranspose': transpose}
    return Case('load2dv2', 'dav-3510', fields, [('src', 'gm' if gm else 'l1', kind, codes)],
                (space, kind, l0))


def copy_case(bench, kind, layout):
    """Tensor API: NZ to NZ, or ZN to NZ with whole squares."""
    bits, c0 = BITS[kind], c0_of(kind)
    batch = bench.draw('batch', 1, 2 if bench.small else 3)
    m, k = bench.draw('m', 1, bench.extent), bench.draw('k', 1, max(bench.extent, c0 + 3))
    if layout == 'zn':
        m = -(-m // {4: 64, 8: 32}.get(bits, 1)) * {4: 64, 8: 32}.get(bits, 1)
        k = -(-k // 16) * 16 if bits == 32 else k
        size = -(-m // c0) * -(-k // 16) * 16 * c0
    else:
        size = -(-m // 16) * -(-k // c0) * 16 * c0
    codes = bench.codes(kind, batch * size)
    copy = bench.oracle.te_nz2nz if layout == 'nz' else bench.oracle.te_zn2nz
    l0 = copy(codes, m, k, bits, batch)
    if batch * -(-k // c0) > 255 or not fits(bench, kind, len(codes), len(l0)):
        return None
    return Case('copy_l12l0a', 'dav-3510', {'type': kind, 'layout': layout, 'batch': batch,
                                            'm': m, 'k': k},
                [('src', 'l1', kind, codes)], ('l0a', kind, l0))


def load2d_rows():
    result = []
    for arch, kinds in (('dav-1001', B8[:2] + B16), ('dav-2002', B8[:2] + B16),
                        ('dav-2201', B8[:2] + B16 + B32), ('dav-3002', B8[:2] + B16 + B32),
                        ('dav-3510', B8 + B16 + B32)):
        for kind in kinds:
            result.append(Row('load2d', load2d_case, arch=arch, kind=kind))
            if BITS[kind] == 16:
                result.append(Row('load2d', load2d_case, arch=arch, kind=kind, transpose=True))
            result.append(Row('load2d', load2d_case, arch=arch, kind=kind, space='l1', gm=True))
        if arch != 'dav-3510':
            result.append(Row('load2d', load2d_case, arch=arch, kind='fp16', gm=True))
        if arch in ('dav-2002', 'dav-2201'):
            result.append(Row('load2d', load2d_case, arch=arch, kind='int4'))
    return result + edges('load2d', load2d_case,
                          {'startIndex': (0, 1000), 'repeatTimes': (0, 127), 'srcStride': (0, 500),
                           'dstGap': (0, 126)}, arch='dav-2201', kind='fp16', space='l0a')


def transpose_rows():
    result = []
    narrow = ('int8', 'uint8')
    for arch, kinds in (('dav-2002', narrow + B16), ('dav-2201', narrow + B16 + B32),
                        ('dav-3002', narrow + B16 + B32), ('dav-3510', narrow + B16 + B32)):
        for kind in kinds:
            result.append(Row('load_data_with_transpose', transpose_case, arch=arch, kind=kind))
        if arch != 'dav-3510':
            result.append(Row('load_data_with_transpose', transpose_case, arch=arch, kind='int4',
                              space='l0b'))
    return result + edges('load_data_with_transpose', transpose_case,
                          {'startIndex': (0, 900), 'repeatTimes': (0, 100), 'srcStride': (0, 300),
                           'dstGap': (0, 60), 'dstFracGap': (0, 60)},
                          arch='dav-2201', kind='fp16', space='l0a')


def load2dv2_rows():
    result = []
    for kind in B4 + B8 + B16 + B32:
        for transpose in (False, True):
            result.append(Row('load2dv2', load2dv2_case, kind=kind, transpose=transpose))
        result.append(Row('load2dv2', load2dv2_case, kind=kind, space='l1', gm=True))
    return result + edges('load2dv2', load2dv2_case,
                          {'mStartPosition': (0, 900), 'kStartPosition': (0, 300), 'mStep': (0, 60),
                           'kStep': (0, 60), 'srcStride': (1, 900), 'dstStride': (1, 100)},
                          kind='fp16', space='l0a')


def copy_rows():
    result = [Row('copy_l12l0a', copy_case, kind=kind, layout=layout)
              for kind in B4[1:] + B8 + B16 + B32 for layout in ('nz', 'zn')]
    return result + edges('copy_l12l0a', copy_case,
                          {'batch': (1, 85), 'm': (1, 512), 'k': (1, 900)},
                          kind='fp16', layout='nz')


def rows():
    return load2d_rows() + transpose_rows() + load2dv2_rows() + copy_rows()
