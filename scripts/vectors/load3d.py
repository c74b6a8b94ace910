"""Load3D: blocks of the img2col matrix."""
from .move import B8, B16, B32
from .number import BITS, c0_of
from .text import PRODUCT, Case, Row


def conv_draw(bench, kind):
    """An image and a filter that fits into it."""
    rng, c0 = bench.rng, c0_of(kind)
    while True:
        tails = [tail for tail in (4, 8, 16, 32) if tail < c0 and (tail > 4 or c0 < 64)]
        channels = rng.choice([c0, 2 * c0, 3 * c0, tails[0]] + tails +
                              [c0 + tail for tail in tails])
        conv = bench.oracle.Conv(
            rng.randint(1, 9), rng.randint(1, 9), channels, rng.randint(1, 3), rng.randint(1, 3),
            rng.randint(1, 3), rng.randint(1, 3), rng.randint(1, 2), rng.randint(1, 2),
            tuple(rng.randint(0, 3) for _ in range(4)), BITS[kind], rng.getrandbits(BITS[kind]))
        if conv.H + conv.pt + conv.pb >= conv.ekh and conv.W + conv.pl + conv.pr >= conv.ekw:
            return conv


def load3d_fields(conv, kind, fields):
    return dict({'type': kind, 'l1H': conv.H, 'l1W': conv.W, 'padLeft': conv.pl,
                 'padRight': conv.pr, 'padTop': conv.pt, 'padBottom': conv.pb,
                 'channelSize': conv.C, 'strideW': conv.sw, 'strideH': conv.sh,
                 'filterW': conv.Kw, 'filterH': conv.Kh, 'dilationFilterW': conv.dw,
                 'dilationFilterH': conv.dh, 'padValue': conv.padv}, **fields)


def load3dv2_case(bench, arch, kind, space, transpose=False, repeat=None):
    rng, c0 = bench.rng, c0_of(kind)
    conv = conv_draw(bench, kind)
    m = rng.randint(1, min(conv.M, bench.extent))
    k = rng.randint(1, min(conv.K, max(bench.extent, c0 + 5)))
    m_start = rng.randint(0, conv.M - m)
    k_start = rng.randint(0, (conv.K - k) // c0) * c0
    mode, time, step, stride = 0, 1, 0, None
    if repeat is not None:
        mode, time, step = repeat, rng.randint(2, 3), rng.randint(0, 2)
    codes = bench.codes(kind, conv.H * conv.W * conv.C)     # the last plane may be packed
    place = [conv, m, k, m_start, k_start, PRODUCT[arch], space.upper(), transpose, mode, time,
             step]
    l0 = bench.oracle.load3dv2(codes, *place)
    if arch == 'dav-3510' and bench.chance(2):
        stride = -(-len(l0) // (16 * c0)) + rng.randint(0, 1)
        l0 = bench.oracle.load3dv2(codes, *place, stride)
    if len(l0) > bench.limit or len(l0) * BITS[kind] // 8 > 64 * 1024:
        return None
    before = []
    if time != 1 or stride is not None:
        before.append(('set_load_data_repeat', {'repeatStride': step, 'repeatTime': time,
                                                'repeatMode': mode, 'dstStride': stride or 0}))
    fields = load3d_fields(conv, kind, {'mExtension': m, 'kExtension': k, 'mStartPt': m_start,
                                        'kStartPt': k_start, 'enTranspose': transpose})
    return Case('load3dv2', arch, fields, [('src', 'l1', kind, codes)], (space, kind, l0), before)


def v2_rows(arch, l0a, transposed, l0b):
    result = []
    for kinds, space, transpose in ((l0a, 'l0a', False), (transposed, 'l0a', True),
                                    (l0b, 'l0b', False)):
        for kind in kinds:
            for repeat in (None, 0, 1):
                result.append(Row('load3dv2', load3dv2_case, arch=arch, kind=kind, space=space,
                                  transpose=transpose, repeat=repeat))
    return result


def rows():
    wide = ('fp16', 'bf16') + B32
    return v2_rows('dav-2002', B8[:2] + ('fp16',), (), ('fp16',)) + \
        v2_rows('dav-2201', B8[:2] + wide, wide, wide) + \
        v2_rows('dav-3002', B8[:2] + wide, (), wide) + \
        v2_rows('dav-3510', B8 + wide, B8 + wide, B8 + wide)
