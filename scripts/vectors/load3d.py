"""Load3D in all its forms: blocks of the img2col matrix."""
from .move import B8, B16, B32, edges
from .number import BITS, c0_of
from .text import PRODUCT, Case, Once, Row

WIDE = ('fp16', 'bf16') + B32


class Rotated:
    """The image in a ring of L1: element i lies at (start + i) % length."""

    def __init__(self, codes, start):
        self.codes, self.start = codes, start

    def __len__(self):
        return len(self.codes)

    def __getitem__(self, index):
        return self.codes[(self.start + index) % len(self.codes)]


def channels_draw(bench, kind, whole):
    """A number of channels: whole planes, or with a packed last one."""
    c0 = c0_of(kind)
    tails = [] if whole else [tail for tail in (4, 8, 16, 32)
                              if tail < c0 and (tail > 4 or c0 < 64)]
    choices = [c0, 2 * c0, 3 * c0] + tails + [c0 + tail for tail in tails]
    return bench.edge.get('channelSize') or bench.rng.choice(choices)


def conv_draw(bench, kind, whole=False):
    """An image and a filter that fits into it, padded; None when it does not fit into L1."""
    padding = bench.rng.getrandbits(BITS[kind])
    while True:
        filters = [bench.draw('filter' + axis, 1, 3) for axis in 'HW']
        dilation = [bench.draw('dilationFilter' + axis, 1, 2) for axis in 'HW']
        pads = tuple(bench.draw('pad' + side, 0, 3) for side in ('Left', 'Right', 'Top', 'Bottom'))
        reach = [(size - 1) * step + 1 for size, step in zip(filters, dilation)]
        least = [reach[0] - pads[2] - pads[3], reach[1] - pads[0] - pads[1]]
        sizes = [max(1, bench.draw('l1' + axis, 1, 9), low) for axis, low in zip('HW', least)]
        strides = [bench.draw('stride' + axis, 1, 3) for axis in 'HW']
        channels = channels_draw(bench, kind, whole)
        if bench.holds('l1', kind, sizes[0] * sizes[1] * channels) and max(sizes) <= 32767:
            return bench.oracle.Conv(sizes[0], sizes[1], channels, filters[0], filters[1],
                                     strides[0], strides[1], dilation[0], dilation[1], pads,
                                     BITS[kind], padding)


def pads_of(conv):
    return {'padLeft': conv.pl, 'padRight': conv.pr, 'padTop': conv.pt, 'padBottom': conv.pb}


def image_of(conv):
    return dict({'l1H': conv.H, 'l1W': conv.W}, **pads_of(conv))


def filter_of(conv):
    """Fields of the filter; 256 and more of a dimension go into its flag."""
    return {'strideW': conv.sw, 'strideH': conv.sh, 'filterW': conv.Kw & 255,
            'filterH': conv.Kh & 255, 'dilationFilterW': conv.dw, 'dilationFilterH': conv.dh,
            'filterSizeW': conv.Kw >> 8, 'filterSizeH': conv.Kh >> 8}


def registers_of(bench, conv, fields):
    """Image and padding value: in the instruction, or in registers that it is told to use while
    its own fields say something else."""
    before, image, padding = [], image_of(conv), {'padValue': conv.padv}
    if conv.bits == 8 and bench.chance(2):           # as the register holds a byte: twice
        padding['padValue'] = bench.oracle.padding_word(conv.padv, 8)
    if bench.chance(4):
        before.append(('set_fmatrix', image))
        image = {'isSetFMatrix': 0, 'l1H': 77, 'l1W': 5, 'padLeft': 9}
    if bench.chance(4):
        before.append(('set_padding_value', padding))
        padding = {'isSetPadding': 0, 'padValue': 1}
    return before, dict(fields, **image, **padding)


# ---- Load3Dv2, LoadDataWithStride, Load3Dv2Pro -------------------------------------------------

def block_draw(bench, conv):
    """mExtension, kExtension, mStartPt, kStartPt inside the matrix."""
    c0 = conv.C0
    m = bench.draw('mExtension', 1, min(conv.M, bench.extent))
    k = bench.draw('kExtension', 1, min(conv.K, max(bench.extent, c0 + 5)))
    m_start = bench.draw('mStartPt', 0, min(32767, max(0, conv.M - m)))
    k_start = bench.draw('kStartPt', 0, max(0, min(65535, conv.K - k)) // c0 * c0) // c0 * c0
    return m, k, m_start, k_start


def repeat_draw(bench, arch, repeat):
    if repeat is None or arch == 'dav-2002':         # 310P has no repeat register
        return 0, 1, 0
    return repeat, bench.draw('repeatTime', 2, 3), bench.draw('repeatStride', 0, 2)


def ring_draw(bench, arch, codes):
    """A boundary that the image runs across, and where the image starts; or none."""
    size = len(codes) * BITS[codes.kind] // 8
    if arch not in ('dav-2002', 'dav-2201') or size < 1024 or size % 32 or not bench.chance(3):
        return 0, codes
    block = 256 // BITS[codes.kind]
    start = bench.rng.randrange(0, len(codes) // block) * block
    return start * BITS[codes.kind] // 8, Rotated(codes, start)


def matrix_codes(bench, place, stride, codes):
    """The destination; 310P to L0B with 8 and 4 bits is placed like any ZN."""
    product, space = place[5], place[6]
    if product == '310P' and space == 'L0B':
        if place[0].bits == 4:
            return zn_block(codes, place)
        place = place[:5] + ['950'] + place[6:]
    return bench.oracle.load3dv2(codes, *place, stride)


def zn_block(codes, place):
    """ZN of a block of 4-bit elements in L0B, which the oracle does not have."""
    conv, m, k, m_start, k_start = place[:5]
    rows, columns = -(-m // 64) * 64, -(-k // 16) * 16
    out = [None] * (rows * columns)
    for i in range(m):
        for j in range(k):
            at = (i // 64 * (columns // 16) + j // 16) * 1024 + j % 16 * 64 + i % 64
            out[at] = conv.at(codes, m_start + i, k_start + j)
    return out


def load3dv2_case(bench, arch, kind, space, transpose=False, repeat=None, form='load3dv2'):
    conv = conv_draw(bench, kind)
    m, k, m_start, k_start = block_draw(bench, conv)
    mode, time, step = repeat_draw(bench, arch, repeat)
    if not bench.holds('l0a', kind, m * k * time) or m_start >= conv.M or k_start + k > conv.K:
        return None
    codes = bench.codes(kind, conv.H * conv.W * conv.C)     # the last plane may be packed
    offset, image = ring_draw(bench, arch, codes)
    place = [conv, m, k, m_start, k_start, PRODUCT[arch], space.upper(), transpose, mode, time,
             step]
    l0 = matrix_codes(bench, place, None, image)
    stride = None
    if arch == 'dav-3510' and (form == 'load_data_with_stride' or bench.chance(2)):
        stride = -(-len(l0) // (16 * conv.C0)) + bench.rng.randint(0, 1)
        l0 = matrix_codes(bench, place, stride, image)
    if not bench.takes('l0a', kind, len(l0)):
        return None
    fields = dict({'type': kind, 'channelSize': conv.C, 'enTranspose': transpose},
                  **(packed(bench.oracle, conv, m, k, m_start, k_start)
                     if form == 'load3dv2pro' else
                     dict(filter_of(conv), mExtension=m, kExtension=k, mStartPt=m_start,
                          kStartPt=k_start)))
    if form == 'load3dv2pro':
        before = [('set_fmatrix', image_of(conv)), ('set_padding_value', {'padValue': conv.padv})]
    else:
        before, fields = registers_of(bench, conv, fields)
    if time != 1 or stride is not None:
        before.append(('set_load_data_repeat', {'repeatStride': step, 'repeatTime': time,
                                                'repeatMode': mode, 'dstStride': stride or 0}))
    if offset or isinstance(image, Rotated):
        before.append(('set_load_data_boundary', {'boundaryValue': len(codes) * BITS[kind] // 8}))
    return Case(form, arch, fields, [('src+%d' % offset, 'l1', kind, codes)], (space, kind, l0),
                before)


def packed(oracle, conv, m, k, m_start, k_start):
    """extConfig and filterConfig of Load3Dv2Pro, by the oracle."""
    fields = filter_of(conv)
    extension, filters = oracle.pro_config(m_start, k_start, m, k, conv.dh, conv.dw,
                                           fields['filterH'], fields['filterW'], conv.sh, conv.sw)
    return {'extConfig': extension, 'filterConfig': filters,
            'filterSizeW': fields['filterSizeW'], 'filterSizeH': fields['filterSizeH']}


LONG = {'filterW': (256, 300), 'filterH': (256, 300)}
V2_EDGES = {'filterW': (1, 255, 256, 511), 'filterH': (1, 255, 256, 511),
            'dilationFilterW': (1, 255), 'dilationFilterH': (1, 255), 'strideW': (1, 63),
            'strideH': (1, 63), 'padLeft': (0, 255), 'padRight': (0, 255), 'padTop': (0, 255),
            'padBottom': (0, 255), 'l1H': (1, 4096), 'l1W': (1, 4096), 'channelSize': (4, 65520),
            'mExtension': (1, 1024), 'kExtension': (1, 144)}
FAR = ({'filterW': 255, 'filterH': 255, 'kStartPt': 65520},
       {'l1H': 200, 'l1W': 200, 'mStartPt': 32767},
       {'l1H': 32767, 'channelSize': 4}, {'l1W': 32767, 'channelSize': 4})


def v2_rows(arch, l0a, transposed, l0b, form='load3dv2', repeats=(None, 0, 1)):
    result = []
    for kinds, space, transpose in ((l0a, 'l0a', False), (transposed, 'l0a', True),
                                    (l0b, 'l0b', False)):
        for kind in kinds:
            for repeat in repeats if arch != 'dav-2002' else (None,):
                result.append(Row(form, load3dv2_case, arch=arch, kind=kind, space=space,
                                  transpose=transpose, repeat=repeat, form=form))
    return result


def all_v2_rows():
    narrow, all_950 = ('int4', 'int8', 'uint8'), B8 + WIDE
    result = v2_rows('dav-2002', narrow + ('fp16',), (), narrow + ('fp16',)) + \
        v2_rows('dav-2201', narrow + WIDE, WIDE, WIDE) + \
        v2_rows('dav-3002', narrow + WIDE, (), WIDE)
    for form in ('load3dv2', 'load_data_with_stride', 'load3dv2pro'):
        few = (None, 0, 1) if form == 'load3dv2' else (None,)
        result += v2_rows('dav-3510', all_950, all_950, all_950, form, few)
        result += v2_rows('dav-3510', ('bf16',), ('bf16',), ('bf16',), form, (0, 1))
        result += edges(form, load3dv2_case, LONG, arch='dav-3510', kind='fp16', space='l0a',
                        form=form)
    result += edges('load3dv2', load3dv2_case, V2_EDGES, arch='dav-2201', kind='fp16', space='l0a')
    return result + edges('load3dv2', load3dv2_case,
                          {'repeatTime': (1, 60), 'repeatStride': (0, 65535)},
                          arch='dav-2201', kind='fp16', space='l0a', repeat=0) + \
        [Once('load3dv2', load3dv2_case, arch='dav-2201', kind='fp16', space='l0a', edge=edge)
         for edge in FAR]


# ---- Load3Dv1 ----------------------------------------------------------------------------------

def v1_point(bench, conv, small, mode):
    """First plane and filter point, and how many fractals have their points in the image."""
    planes = conv.C // (conv.C0 // 4 if small else conv.C0)
    plane = bench.draw('c1Index', 0, planes - 1)
    w = min(bench.draw('fetchFilterW', 0, conv.Kw - 1), conv.Kw - 1)
    h = min(bench.draw('fetchFilterH', 0, conv.Kh - 1), conv.Kh - 1)
    points = (planes - plane) * conv.Kh * conv.Kw - (h * conv.Kw + w)
    most = points // (4 if small else 1) if mode == 0 else 255
    if mode == 1 and small and points < 4:
        most = 0
    return plane, w, h, most


def load3dv1_case(bench, arch, kind, space, mode, small=False):
    conv = conv_draw(bench, kind, whole=True)
    plane, w, h, most = v1_point(bench, conv, small, mode)
    if most < 1 or plane >= conv.C // (conv.C0 // 4 if small else conv.C0):
        return None
    time = bench.draw('repeatTime', 1, min(most, 3 if bench.small else 8))
    jump = bench.draw('jumpStride', 1, 3)
    left = bench.draw('leftTopW', -conv.pl, -conv.pl + conv.W // 2)
    top = bench.draw('leftTopH', -conv.pt, -conv.pt + conv.H // 2)
    codes = bench.codes(kind, conv.H * conv.W * conv.C)
    offset, image = ring_draw(bench, arch, codes)
    if time > most or left + conv.ekw > conv.W + conv.pr:
        return None
    l0 = bench.oracle.load3dv1(image, conv, plane, w, h, left, top, jump, mode, time, int(small))
    if not bench.takes('l0a', kind, len(l0)):
        return None
    gaps = range(len(l0))
    l0 = ['.' if at // (16 * conv.C0) % jump else l0[at] for at in gaps]
    fields = dict(filter_of(conv), type=kind, c1Index=plane, fetchFilterW=w, fetchFilterH=h,
                  leftTopW=left, leftTopH=top, jumpStride=jump, repeatMode=mode, repeatTime=time,
                  cSize=small)
    del fields['filterSizeW'], fields['filterSizeH']
    before, fields = registers_of(bench, conv, fields)
    if isinstance(image, Rotated):
        before.append(('set_load_data_boundary', {'boundaryValue': len(codes) * BITS[kind] // 256}))
    return Case('load3dv1', arch, fields, [('src+%d' % offset, 'l1', kind, codes)],
                (space, kind, l0), before)


V1_EDGES = {'filterW': (1, 255), 'filterH': (1, 255), 'dilationFilterW': (1, 255),
            'dilationFilterH': (1, 255), 'strideW': (1, 63), 'strideH': (1, 63),
            'padLeft': (0, 255), 'padRight': (0, 255), 'padTop': (0, 255), 'padBottom': (0, 255),
            'l1H': (1, 4096), 'l1W': (1, 4096), 'jumpStride': (1, 127), 'repeatTime': (1, 128),
            'leftTopW': (-255,), 'leftTopH': (-255,)}
V1_FAR = ({'channelSize': 65536, 'c1Index': 4095}, {'filterW': 255, 'fetchFilterW': 254},
          {'filterH': 255, 'fetchFilterH': 254})


def v1_rows():
    result = []
    for arch in ('dav-1001', 'dav-2002'):
        for kind in ('uint8', 'int8', 'fp16'):
            for space in ('l0a', 'l0b'):
                for mode in (0, 1):
                    result.append(Row('load3dv1', load3dv1_case, arch=arch, kind=kind, space=space,
                                      mode=mode))
            result.append(Row('load3dv1', load3dv1_case, arch=arch, kind=kind, space='l0a', mode=0,
                              small=True))
    options = {'arch': 'dav-1001', 'kind': 'fp16', 'space': 'l0a', 'mode': 1}
    return result + edges('load3dv1', load3dv1_case, V1_EDGES, **options) + \
        [Once('load3dv1', load3dv1_case, edge=edge, **options) for edge in V1_FAR]


# ---- Img2Col copy of the Tensor API ------------------------------------------------------------

def img2col_case(bench, kind, transpose):
    conv = conv_draw(bench, kind, whole=True)
    m, k, m_start, k_start = block_draw(bench, conv)
    codes = bench.codes(kind, conv.H * conv.W * conv.C)
    if not bench.holds('l0a', kind, m * k):
        return None
    l0 = bench.oracle.te_img2col(codes, conv, m, k, m_start, k_start, transpose)
    if not bench.takes('l0a', kind, len(l0)):
        return None
    fields = dict(filter_of(conv), type=kind, H=conv.H, W=conv.W, C1=conv.C // conv.C0,
                  padValue=conv.padv, mExtension=m, kExtension=k, mStartPt=m_start,
                  kStartPt=k_start, transpose=transpose, **pads_of(conv))
    return Case('copy_l12l0a_img2col', 'dav-3510', fields, [('src', 'l1', kind, codes)],
                ('l0a', kind, l0))


def img2col_rows():
    return [Row('copy_l12l0a_img2col', img2col_case, kind=kind, transpose=transpose)
            for kind in B8 + B16 + B32 for transpose in (False, True)] + \
        edges('copy_l12l0a_img2col', img2col_case, LONG, kind='fp16', transpose=False)


def rows():
    return all_v2_rows() + v1_rows() + img2col_rows()
