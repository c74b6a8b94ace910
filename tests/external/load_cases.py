"""Loads to L0, shown byte by byte: Load3D, Load2D, squares, copies of the Tensor API."""
import loads
import raw
from case import Case
from img2col_cases import Conv
from legacy_random import Legacy
from loads import A2, A5
from program import Program, size_of
from vectors.number import BITS, c0_of


def copied(p, name, kind, shape, values):
    """A tensor as it lies in GM, filled up to 32 bytes, to a part of L1."""
    more = -len(values) % c0_of(kind)
    if more:
        shape, values = [len(values) + more], values + [0] * more
    gm = p.input(name, kind, shape, values)
    blocks = size_of(kind, len(values)) // 32
    l1 = p.room('l1', blocks * 32)
    p.add('data_copy', dst=l1, src=gm, blockCount=1, blockLen=blocks)
    return l1


def ramp(kind, count):
    """Different bytes at every place: numbers that count up, in as many bits as there are."""
    if BITS[kind] == 4:
        return [(index * 7 + index // 16) % 16 - 8 for index in range(count)]
    if BITS[kind] == 8:
        return [(index + index // 256 * 5) % 256 - 128 for index in range(count)]
    return list(range(count)) if kind in ('int16', 'int32') else [float(v) for v in range(count)]


# ---- load3d.py of asc-devkit -------------------------------------------------------------------

def block(matrix, m_start, m, k_start, k):
    return [row[k_start:k_start + k] for row in matrix[m_start:m_start + m]]


def placed(rows, kind, product, space, turned):
    """The bytes of a block in L0 and how many of the first fractals they are."""
    c0 = c0_of(kind)
    if space == 'l0b' or turned:
        # The transpose; K of 32-bit elements is filled up to 16 there.
        wide = loads.up(len(rows), max(16, c0))
        rows = loads.transposed(rows + [[0] * len(rows[0])] * (wide - len(rows)))
    if space == 'l0b' or product == A5:
        return raw.fractals_of(rows, kind, 'nz')
    return raw.fractals_of(rows, kind, 'zz')


def load3d_case(number, kind, sizes, space='l0a', turned=False, filters=1):
    """sizes: mStart, mExtension, kExtension; an image of 3 planes of 8 x 8, values 1 to 9."""
    m_start, m, k = sizes
    conv = Conv(kind, (3, 8, 8), (filters, filters, 16), (1, 1), (1, 1), (0, 0, 0, 0))

    def make(product):
        p = Program(product)
        image = Legacy(0).randint(1, 10, 3 * 8 * 8 * conv.c0)
        x = copied(p, 'x', kind, [1, 3, 8, 8, conv.c0], image)
        data = placed(block(conv.matrix(image), m_start, m, 0, k), kind, product, space, turned)
        count = len(data) // raw.FRACTAL
        target = p.room(space, count * raw.FRACTAL)
        # Types of integers have no Load3D on A2 at these widths, those of floats have.
        p.add('load3dv2', dst=target, src=x, type={'int16': 'fp16'}.get(kind, kind), mExtension=m,
              kExtension=k, mStartPt=m_start, enTranspose=turned, **conv.fields(), **conv.filter())
        raw.show(p, space, target, count)
        return p, {'y': raw.shown(space, data)}
    return Case(number, 'AD', 'load3d.py %s to %s, mStart %d, mExt %d, kExt %d%s' % (
        kind, space, m_start, m, k, ', transposed' if turned else ''), (A2, A5), make)


# ---- load2d.py and load_data_with_transpose.py -------------------------------------------------

def load2d_case(number, parameters):
    repeat, stride, gap, start, descends, turned = parameters

    def make(product):
        p = Program(product)
        source = list(range(4096))
        target_count = (repeat - 1) * (gap + 1) + 1
        target = raw.zeroed(p, 'l0a', target_count)
        gm = p.input('x', 'int16', [4096], source)
        if descends:                                 # descending sources lie in GM
            place = gm
        else:
            place = p.room('l1', 8192)
            p.add('data_copy', dst=place, src=gm, blockCount=1, blockLen=256)
        p.add('load2d', dst=target, src=place, type='int16', startIndex=start, repeatTimes=repeat,
              srcStride=stride, dstGap=gap, addrMode=descends, ifTranspose=turned)
        raw.show(p, 'l0a', target, target_count)
        wanted = [0] * (256 * target_count)
        for index in range(repeat):
            first = (start + (-index if descends else index) * stride) * 256
            for at in range(256):
                from_at = at % 16 * 16 + at // 16 if turned else at
                wanted[index * (gap + 1) * 256 + at] = source[first + from_at]
        return p, {'y': raw.packed('int16', wanted)}
    return Case(number, 'AD', 'load2d.py, repeat %d, srcStride %d, dstGap %d, start %d%s%s' % (
        repeat, stride, gap, start, ', descending' if descends else '',
        ', transposed' if turned else ''), (A2,), make)


def square_case(number, kind, parameters):
    """Squares whose fractals lie one behind the other; transposed, the fractals of the result lie
    dstFracGap apart."""
    start, repeat, stride, gap, inside = parameters
    space = 'l0b' if BITS[kind] == 4 else 'l0a'
    edge, c0 = loads.EDGE[BITS[kind]], c0_of(kind)
    fractals = edge * edge // (16 * c0)

    def make(product):
        p = Program(product)
        count = (start + (repeat - 1) * stride + 1) * edge * edge
        source = ramp(kind, count)
        x = copied(p, 'x', kind, [count], source)
        target_count = (repeat - 1) * (gap + 1) + (fractals - 1) * (inside + 1) + 1
        target = raw.zeroed(p, space, target_count)
        p.add('load_data_with_transpose', dst=target, src=x, type=kind, startIndex=start,
              repeatTimes=repeat, srcStride=stride, dstGap=gap, dstFracGap=inside)
        raw.show(p, space, target, target_count)
        wanted = [0] * (16 * c0 * target_count)
        for index in range(repeat):
            first = (start + index * stride) * edge * edge
            for r in range(edge):
                for c in range(edge):
                    # element (r, c) of the source becomes (c, r)
                    if BITS[kind] == 32:
                        from_at = c // 8 * 128 + r * 8 + c % 8
                        fractal, to_at = r // 8, c * 8 + r % 8
                    else:
                        from_at, fractal, to_at = r * c0 + c, c // 16, c % 16 * c0 + r
                    to = (index * (gap + 1) + fractal * (inside + 1)) * 16 * c0 + to_at
                    wanted[to] = source[first + from_at]
        return p, {'y': raw.shown(space, raw.packed(kind, wanted))}
    return Case(number, 'AD', 'load_data_with_transpose.py %s, start %d, repeat %d, srcStride %d, '
                'dstGap %d, dstFracGap %d' % ((kind,) + parameters), (A2,), make)


# ---- parameters of the unit tests of asc-devkit; the expected matrix is the definition ----------

def unit_case(number, what, kind, conv, sizes, products=(A2,), space='l0a', form='load3dv2',
              channels=None):
    """sizes: mStart, kStart, mExtension, kExtension."""
    m_start, k_start, m, k = sizes

    def make(product):
        p = Program(product)
        count = conv.h * conv.w * (channels or conv.c1 * conv.c0)
        image = [float(index % 2039 - 1019) for index in range(count)]
        x = copied(p, 'x', kind, [count], image)
        matrix = tail_matrix(conv, image, channels) if channels else conv.matrix(image)
        data = placed(block(matrix, m_start, m, k_start, k), kind, product, space, False)
        target = p.room(space, len(data))
        keys = dict(conv.filter(), channelSize=channels or conv.c1 * conv.c0)
        if form == 'load3dv2pro':
            p.add('set_fmatrix', **conv.fields())
            p.add('set_padding_value', padValue=0)
            p.add(form, dst=target, src=x, type=kind, channelSize=keys['channelSize'],
                  extConfig=m_start << 48 | k_start << 32 | m << 16 | k,
                  filterConfig=conv.dilation[0] << 40 | conv.dilation[1] << 32 | conv.kh << 24 |
                  conv.kw << 16 | conv.stride[0] << 8 | conv.stride[1])
        elif form == 'copy_l12l0a_img2col':
            keys.update(conv.fields(), H=conv.h, W=conv.w, C1=conv.c1)
            for name in ('l1H', 'l1W', 'channelSize'):
                del keys[name]
            p.add(form, dst=target, src=x, type=kind, mExtension=m, kExtension=k, mStartPt=m_start,
                  kStartPt=k_start, **keys)
        else:
            p.add(form, dst=target, src=x, type=kind, mExtension=m, kExtension=k, mStartPt=m_start,
                  kStartPt=k_start, **conv.fields(), **keys)
        raw.show(p, space, target, len(data) // raw.FRACTAL)
        return p, {'y': raw.shown(space, data)}
    return Case(number, 'AD', what, products, make)


def tail_matrix(conv, image, channels):
    """Full planes, then a packed one of what is left."""
    full, left = channels // conv.c0, channels % conv.c0
    whole = Conv(conv.kind, (full, conv.h, conv.w), (conv.kh, conv.kw, 16), conv.stride,
                 conv.dilation, conv.padding).matrix(image) if full else \
        [[] for _ in range(conv.ho * conv.wo)]
    pixels = conv.h * conv.w
    packed = []
    for at in range(pixels):
        first = full * pixels * conv.c0 + at * left
        packed += image[first:first + left] + [0.0] * (conv.c0 - left)
    last = Conv(conv.kind, (1, conv.h, conv.w), (conv.kh, conv.kw, 16), conv.stride, conv.dilation,
                conv.padding).matrix(packed)
    return [row + [v for at in range(0, len(more), conv.c0) for v in more[at:at + left]]
            for row, more in zip(whole, last)]


def unit_cases():
    def conv(kind, image, kernel, dilation=(1, 1), padding=(0, 0, 0, 0)):
        return Conv(kind, image, kernel + (16,), (1, 1), dilation, padding)
    return [
        unit_case('89', 'LoadData3DV2 of fp32, 12x16x36 (a packed plane of 4), kExt 32, mExt 192',
                  'fp32', conv('fp32', (5, 12, 16), (1, 1)), (0, 0, 192, 32), channels=36),
        unit_case('90', 'LoadData3DV2 to L0B, 5x9x20, 2x2 filter, kExt 64, mExt 32', 'fp16',
                  conv('fp16', (2, 5, 9), (2, 2)), (0, 0, 32, 64), space='l0b', channels=20),
        unit_case('91', 'Load3Dv2Pro, 32 channels, mExt 16, kExt 128, dilation 2', 'fp16',
                  conv('fp16', (2, 6, 6), (2, 2), (2, 2)), (0, 0, 16, 128), (A5,),
                  form='load3dv2pro'),
        unit_case('92', 'CopyL12L0A Img2Col, C1 2, 5x5, 3x3 filter, padding 1, mExt 32, kExt 288',
                  'fp16', conv('fp16', (2, 5, 5), (3, 3), padding=(1, 1, 1, 1)),
                  (0, 0, 32, 288), (A5,), form='copy_l12l0a_img2col')]


def copy_case(number, what, kind, layout, m, k, batch=1):
    """A Tensor API copy and the Load2Dv2 that the unit test names: the same bytes."""
    def make(product):
        p = Program(product)
        rows = [[[float((17 * i + 31 * j + 7 * b) % 251 - 125) for j in range(k)]
                 for i in range(m)] for b in range(batch)]
        images = rows if layout == 'nz' else [loads.transposed(part) for part in rows]
        # ZN of a matrix is NZ of its transpose: its bytes are those of NZ.
        source = [v for part in images for v in nz(part, kind)]
        x = copied(p, 'x', kind, [len(source)], source)
        data = [v for part in rows for v in raw.fractals_of(part, kind, 'nz')]
        count = len(data) // raw.FRACTAL
        target = p.room('l0a', 2 * len(data))
        again = target.at(len(data))
        p.add('copy_l12l0a', dst=target, src=x, type=kind, layout=layout, batch=batch, m=m, k=k)
        c0 = c0_of(kind)
        if layout == 'nz':
            p.add('load2dv2', dst=again, src=x, type=kind, mStep=m // 16, kStep=k // c0 * batch,
                  srcStride=m // 16, dstStride=m // 16)
        else:
            p.add('load2dv2', dst=again, src=x, type=kind, mStep=k // 16, kStep=m // c0,
                  srcStride=k // 16, dstStride=m // 16, ifTranspose=1)
        raw.show(p, 'l0a', target, 2 * count)        # both parts, which follow each other
        return p, {'y': data + data}
    return Case(number, 'AD', what, (A5,), make)


def narrow_case():
    """fp4, 16 x 128 from ZN: squares of 64 would fill 64 rows. Two loads of a column group each;
    the second overwrites the surplus rows of the first."""
    def make(product):
        p = Program(product)
        rows = [[(3 * i + 5 * j + j // 16) % 16 - 8 for j in range(128)] for i in range(16)]
        padded = loads.transposed(rows + [[0] * 128] * 48)
        x = copied(p, 'x', 'int4', [128 * 64], loads.flat(padded))
        target = raw.zeroed(p, 'l0a', 8)
        for column in range(2):
            p.add('load2dv2', dst=target.at(column * raw.FRACTAL), src=x, type='fp4_e2m1',
                  mStartPosition=4 * column, mStep=4, kStep=1, srcStride=8, dstStride=1,
                  ifTranspose=1)
        raw.show(p, 'l0a', target, 2)
        return p, {'y': raw.fractals_of(rows, 'int4', 'nz')}
    return Case('95', 'AD', 'Copy ZN to NZ, fp4, 16x128, as two Load2Dv2 of 4x1 fractals', (A5,),
                make)


def extract_case():
    """A part of FRACTAL_Z weights: 3 x 2 fractals from fractal (1, 1) of 4 x 3."""
    def make(product):
        p = Program(product)
        values = [float(index % 2039 - 1000) for index in range(12 * 256)]
        x = copied(p, 'x', 'fp16', [4, 3, 16, 16], values)
        target = p.room('l0b', 6 * raw.FRACTAL)
        for row in range(3):
            p.add('load2d', dst=target.at(row * 2 * raw.FRACTAL), src=x, type='fp16',
                  startIndex=(row + 1) * 3 + 1, repeatTimes=2, srcStride=1)
        raw.show(p, 'l0b', target, 6)
        wanted = [v for row in range(3) for v in
                  values[((row + 1) * 3 + 1) * 256:((row + 1) * 3 + 3) * 256]]
        return p, {'y': raw.shown('l0b', raw.packed('fp16', wanted))}
    return Case('97.12', 'PTO', 'textract_conv fp16: 48x32 at (16,16) of FRACTAL_Z 4x3', (A2, A5),
                make)


def boundary_case():
    """The image of 32 x 1 x 32 channels starts in the middle of a ring of 2048 bytes."""
    def make(product):
        p = Program(product)
        image = [float(v) for v in range(1024)]
        x = copied(p, 'x', 'fp16', [1024], image[512:] + image[:512])
        conv = Conv('fp16', (2, 32, 1), (1, 1, 16), (1, 1), (1, 1), (0, 0, 0, 0))
        data = placed(conv.matrix(image), 'fp16', product, 'l0a', False)
        target = p.room('l0a', len(data))
        p.add('set_load_data_boundary', boundaryValue=2048)
        p.add('load3dv2', dst=target, src=x.at(1024), type='fp16', mExtension=32, kExtension=32,
              **conv.fields(), **conv.filter())
        raw.show(p, 'l0a', target, len(data) // raw.FRACTAL)
        return p, {'y': data}
    return Case('81', 'AD', 'set_loaddata_boundary 32x32, the image across the boundary', (A2,),
                make)


def nz(rows, kind):
    c0 = c0_of(kind)
    return [v for j in range(0, len(rows[0]), c0) for row in rows for v in row[j:j + c0]]


def cases():
    result = [load3d_case('15', 'int8', (32, 32, 64)), load3d_case('16', 'int16', (32, 32, 32)),
              load3d_case('17', 'int16', (32, 32, 32), turned=True),
              load3d_case('18', 'int32', (32, 32, 24)),
              load3d_case('19', 'int32', (32, 32, 24), turned=True),
              load3d_case('20', 'int16', (16, 32, 32), 'l0b', filters=2),
              load3d_case('21', 'int32', (16, 32, 32), 'l0b', filters=2)]
    for index, parameters in enumerate(((4, 2, 2, 0, 0, 0), (4, 2, 2, 1, 0, 0), (2, 2, 2, 0, 0, 1),
                                        (3, 2, 1, 0, 0, 1), (4, 2, 2, 6, 1, 0))):
        result.append(load2d_case('22.%d' % (index + 1), parameters))
    for kind in ('int4', 'int8', 'int16', 'int32'):
        for index, parameters in enumerate(((0, 1, 0, 0, 0), (0, 3, 1, 3, 0), (1, 2, 1, 0, 2),
                                            (0, 2, 2, 2, 1))):
            result.append(square_case('23.b%d.%d' % (BITS[kind], index + 1), kind, parameters))
    result += unit_cases()
    result.append(copy_case('93', 'Copy NZ to NZ, two fp32 matrices of 32x32', 'fp32', 'nz', 32,
                            32, 2))
    result.append(copy_case('94', 'Copy ZN to NZ, fp16, 64x32', 'fp16', 'zn', 64, 32))
    return result + [narrow_case(), extract_case(), boundary_case()]
