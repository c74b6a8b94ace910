"""Load2D, its transposing and second forms: whole fractals from L1 to L0."""
from .move import B8, B16, B32, edges
from .number import BITS, c0_of
from .text import UNTOUCHED, Case, Row

L1_BYTES, L0_BYTES = 512 * 1024, 64 * 1024


def fits(bench, kind, source, target):
    """Whether the elements of both sides have room in L1 and L0."""
    return target <= bench.limit and target * BITS[kind] // 8 <= L0_BYTES and \
        source * BITS[kind] // 8 <= L1_BYTES


def load2d_case(bench, arch, kind, space, transpose=False):
    fractal = 16 * c0_of(kind)
    start = bench.draw('startIndex', 0, 2)
    repeat = bench.draw('repeatTimes', 1, 2 if bench.small else 4)
    stride, gap = bench.draw('srcStride', 0, 3), bench.draw('dstGap', 0, 2)
    source = (start + stride * max(0, repeat - 1) + 1) * fractal
    target = ((gap + 1) * max(0, repeat - 1) + 1) * fractal
    if not fits(bench, kind, source, target):
        return None
    codes = bench.codes(kind, source)
    l0 = [UNTOUCHED] * target
    bench.oracle.load2d(codes, l0, BITS[kind], start, repeat, stride, gap, transpose)
    fields = {'type': kind, 'startIndex': start, 'repeatTimes': repeat, 'srcStride': stride,
              'dstGap': gap, 'ifTranspose': transpose}
    return Case('load2d', arch, fields, [('src', 'l1', kind, codes)], (space, kind, l0))


def load2dv2_case(bench, arch, kind, space, transpose=False):
    bits, c0, fractal = BITS[kind], c0_of(kind), 16 * c0_of(kind)
    most = 2 if bench.small else 3
    m, k = bench.draw('mStep', 1, most), bench.draw('kStep', 1, most)
    m_start, k_start = bench.draw('mStartPosition', 0, 2), bench.draw('kStartPosition', 0, 2)
    if transpose and (m % {4: 4, 8: 2}.get(bits, 1) or k % (2 if bits == 32 else 1)):
        return None
    pitch = bench.draw('srcStride', m_start + m, m_start + m + 2)
    down, across = (k * c0 // 16, m * 16 // c0) if transpose else (m, k)
    to_pitch = bench.draw('dstStride', max(1, down), max(1, down) + 2)
    source = (max(0, k_start + k - 1) * pitch + m_start + max(1, m)) * fractal
    target = (max(0, across - 1) * to_pitch + max(1, down)) * fractal
    if (across > 1 and to_pitch < down) or not fits(bench, kind, source, target):
        return None
    codes = bench.codes(kind, source)
    l0 = [UNTOUCHED] * target
    bench.oracle.load2dv2(codes, l0, bits, m_start, k_start, m, k, pitch, to_pitch, transpose)
    fields = {'type': kind, 'mStartPosition': m_start, 'kStartPosition': k_start, 'mStep': m,
              'kStep': k, 'srcStride': pitch, 'dstStride': to_pitch, 'ifTranspose': transpose}
    return Case('load2dv2', arch, fields, [('src', 'l1', kind, codes)], (space, kind, l0))


def load2d_rows():
    result = []
    for arch, kinds in (('dav-1001', B8[:2] + B16), ('dav-2002', B8[:2] + B16),
                        ('dav-2201', B8[:2] + B16 + B32), ('dav-3002', B8[:2] + B16 + B32),
                        ('dav-3510', B8 + B16 + B32)):
        for kind in kinds:
            for space in ('l0a', 'l0b'):
                result.append(Row('load2d', load2d_case, arch=arch, kind=kind, space=space))
                if BITS[kind] == 16:
                    result.append(Row('load2d', load2d_case, arch=arch, kind=kind, space=space,
                                      transpose=True))
    return result + edges('load2d', load2d_case,
                          {'startIndex': (0, 1000), 'repeatTimes': (0, 127), 'srcStride': (0, 500),
                           'dstGap': (0, 126)}, arch='dav-2201', kind='fp16', space='l0a')


def load2dv2_rows():
    result = []
    for kind in B8 + B16 + B32:
        for space in ('l0a', 'l0b'):
            for transpose in (False, True):
                result.append(Row('load2dv2', load2dv2_case, arch='dav-3510', kind=kind,
                                  space=space, transpose=transpose))
    return result + edges('load2dv2', load2dv2_case,
                          {'mStartPosition': (0, 900), 'kStartPosition': (0, 300), 'mStep': (0, 60),
                           'kStep': (0, 60), 'srcStride': (1, 900), 'dstStride': (1, 100)},
                          arch='dav-3510', kind='fp16', space='l0a')


def rows():
    return load2d_rows() + load2dv2_rows()
