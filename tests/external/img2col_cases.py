"""TIMG2COL of PTO: a convolution as Load3D and Mmad, K in tiles of 64; and its two CPU tests."""
import hashlib
import struct

import loads
from case import Case, ROUND, bfloat, first_are, half, matmul, rows_of
from legacy_random import Legacy
from program import Program, size_of
from vectors.number import c0_of

TILE = 64

# number, type, C1 H W, Kh Kw N, stride, dilation, padding top bottom left right, first outputs of
# the file's own golden (bf16: of the same draws rounded to fp16), start of its sha256 if integer
ROWS = [
    (1, 'bf16', (2, 4, 16), (3, 3, 16), (1, 1), (1, 1), (1, 1, 1, 1), (-89.3466, 93.6510), None),
    (2, 'fp16', (4, 4, 16), (3, 3, 16), (1, 1), (2, 1), (1, 1, 1, 1), (10.6012, -162.1147), None),
    (3, 'fp32', (4, 8, 16), (3, 3, 16), (2, 2), (1, 1), (1, 1, 1, 1), (47.3441, -155.8035), None),
    (4, 'int8', (1, 8, 16), (3, 3, 16), (1, 1), (1, 1), (1, 1, 1, 1), (17286, -47364),
     '962624336232fa02'),
    (5, 'bf16', (4, 13, 57), (3, 3, 16), (2, 2), (2, 2), (1, 2, 1, 2), (-78.2165, -185.1437),
     None),
    (6, 'fp16', (4, 25, 9), (3, 3, 16), (2, 1), (1, 2), (1, 1, 1, 1), (), None),
    (7, 'fp32', (2, 14, 30), (4, 4, 16), (2, 2), (1, 1), (1, 2, 3, 0), (51.9586, -64.5437), None),
    (8, 'int8', (2, 29, 60), (2, 2, 64), (2, 2), (2, 2), (1, 1, 1, 0), (), None),
    (9, 'bf16', (4, 13, 57), (3, 3, 48), (2, 2), (2, 2), (1, 2, 1, 2), (-83.1797, -39.4496), None),
    (10, 'fp16', (4, 25, 9), (3, 3, 64), (2, 1), (1, 2), (1, 1, 1, 1), (-144.9196, 174.1191), None),
    (11, 'fp32', (2, 14, 30), (4, 4, 32), (2, 2), (1, 1), (1, 2, 3, 0), (), None),
    (12, 'int8', (2, 29, 60), (2, 2, 64), (2, 2), (2, 2), (1, 1, 1, 0), (), None),
]


class Conv:
    """One image in NC1HWC0 and weights as C1, Kh, Kw, N, C0."""

    def __init__(self, kind, image, kernel, stride, dilation, padding):
        self.kind, self.c0 = kind, c0_of(kind)
        self.c1, self.h, self.w = image
        self.kh, self.kw, self.n = kernel
        self.stride, self.dilation, self.padding = stride, dilation, padding
        top, bottom, left, right = padding
        self.ho = (self.h + top + bottom - (self.kh - 1) * dilation[0] - 1) // stride[0] + 1
        self.wo = (self.w + left + right - (self.kw - 1) * dilation[1] - 1) // stride[1] + 1
        self.k = self.c1 * self.kh * self.kw * self.c0

    def matrix(self, image, outside=0):
        """The img2col matrix of an image."""
        result = []
        for row in range(self.ho):
            for column in range(self.wo):
                line = []
                for c1 in range(self.c1):
                    for kh in range(self.kh):
                        for kw in range(self.kw):
                            h = row * self.stride[0] + kh * self.dilation[0] - self.padding[0]
                            w = column * self.stride[1] + kw * self.dilation[1] - self.padding[2]
                            at = ((c1 * self.h + h) * self.w + w) * self.c0
                            inside = 0 <= h < self.h and 0 <= w < self.w
                            line += image[at:at + self.c0] if inside else [outside] * self.c0
                result.append(line)
        return result

    def weights(self, weight):
        """C1, Kh, Kw, N, C0 as the K x N matrix."""
        blocks = rows_of(weight, self.n * self.c0)
        return [[block[n * self.c0 + c] for n in range(self.n)]
                for block in blocks for c in range(self.c0)]

    def fields(self):
        top, bottom, left, right = self.padding
        return {'l1H': self.h, 'l1W': self.w, 'padTop': top, 'padBottom': bottom, 'padLeft': left,
                'padRight': right}

    def filter(self):
        return {'channelSize': self.c1 * self.c0, 'filterH': self.kh, 'filterW': self.kw,
                'strideH': self.stride[0], 'strideW': self.stride[1],
                'dilationFilterH': self.dilation[0], 'dilationFilterW': self.dilation[1]}


DRAWS = {}


def draws():
    """The tensors of all cases, drawn from one generator in their order."""
    if not DRAWS:
        legacy = Legacy(19)
        for number, kind, image, kernel, *_ in ROWS:
            c0 = c0_of(kind)
            counts = (image[0] * image[1] * image[2] * c0,
                      image[0] * kernel[0] * kernel[1] * kernel[2] * c0)
            DRAWS[number] = [legacy.bytes(count) if kind == 'int8' else legacy.uniform(-5, 5, count)
                             for count in counts]
    return DRAWS


def known_check(conv, image, weight, known, sha):
    """The rule against what is known of the golden file."""
    if conv.kind == 'bf16':
        image, weight = half(image), half(weight)
    golden = [v for row in matmul(conv.matrix(image), conv.weights(weight)) for v in row]
    first_are(golden, known, 0 if conv.kind == 'int8' else 4)
    if sha is not None:
        data = struct.pack('<%di' % len(golden), *golden)
        assert hashlib.sha256(data).hexdigest()[:16] == sha, 'the golden differs from the known one'
    return golden


def conv_program(product, conv, image, weight):
    """FMATRIX once; per tile of K a Load3D, a Load2D of the weights and an Mmad that adds."""
    p = Program(product)
    kind, n1 = conv.kind, conv.n // 16
    m = conv.ho * conv.wo
    x = p.input('x', kind, [1, conv.c1, conv.h, conv.w, conv.c0], image)
    w = p.input('w', kind, [conv.k // conv.c0, n1, 16, conv.c0], weight)
    y = p.output('y', 'int32' if kind == 'int8' else 'fp32', [m, conv.n])
    l1 = p.room('l1', size_of(kind, len(image))), p.room('l1', size_of(kind, len(weight)))
    a = p.room('l0a', loads.up(m, 16) * size_of(kind, TILE))
    b = p.room('l0b', conv.n * size_of(kind, TILE))
    c = p.room('l0c', loads.up(m, 16) * conv.n * 4)
    p.add('data_copy', dst=l1[0], src=x, blockCount=1, blockLen=size_of(kind, len(image)) // 32)
    p.add('data_copy', dst=l1[1], src=w, blockCount=1, blockLen=size_of(kind, len(weight)) // 32)
    p.add('set_fmatrix', **conv.fields())
    for k in range(0, conv.k, TILE):
        depth = min(TILE, conv.k - k)
        p.add('load3dv2', dst=a, src=l1[0], type=kind, mExtension=m, kExtension=depth, kStartPt=k,
              isSetFMatrix=0, **conv.filter())
        p.add('load2d', dst=b, src=l1[1], type=kind, startIndex=k // conv.c0 * n1,
              repeatTimes=depth // conv.c0 * n1, srcStride=1)
        p.add('mmad', dst=c, a=a, b=b, type=kind, m=m, n=conv.n, k=depth, cmatrixInitVal=k == 0)
    p.add('fixpipe', dst=y, src=c, mSize=m, nSize=conv.n, srcStride=loads.up(m, 16),
          dstStride=conv.n, mode='NoQuant', layout='nz2nd')
    return p


def conv_case(row):
    number, kind, image, kernel, stride, dilation, padding, known, sha = row
    conv = Conv(kind, image, kernel, stride, dilation, padding)

    def make(product):
        data, weight = draws()[number]
        golden = known_check(conv, data if kind in ('int8', 'bf16') else ROUND[kind](data),
                             weight if kind in ('int8', 'bf16') else ROUND[kind](weight), known,
                             sha)
        if kind == 'bf16':
            data, weight = bfloat(data), bfloat(weight)
            golden = [v for line in matmul(conv.matrix(data), conv.weights(weight)) for v in line]
        elif kind != 'int8':
            data, weight = ROUND[kind](data), ROUND[kind](weight)
        return conv_program(product, conv, data, weight), {'y': golden}

    what = 'timg2col %s, %dx%dx%d, %dx%d filter, M %d, K %d, N %d' % (
        kind, image[0] * conv.c0, image[1], image[2], kernel[0], kernel[1], conv.ho * conv.wo,
        conv.k, kernel[2])
    return Case(str(number), 'PTO', what, (loads.A2, loads.A5), make,
                0.0 if kind == 'int8' else 1e-3)


def cpu_case(number, conv, value, outside, m_start, k_start, k_count):
    """A tile of the matrix, shown by Mmad with the unit matrix."""
    def make(product):
        p = Program(product)
        image = [value(h, w, c) for h in range(conv.h) for w in range(conv.w)
                 for c in range(conv.c0)]
        if conv.kind == 'fp32':
            image = [float(v) for v in image]
        x = p.input('x', conv.kind, [1, 1, conv.h, conv.w, conv.c0], image)
        y = p.output('y', 'fp32' if conv.kind == 'fp32' else 'int32', [4, k_count])
        l1 = p.room('l1', size_of(conv.kind, len(image)))
        a, c = p.room('l0a', size_of(conv.kind, 16 * k_count)), p.room('l0c', 16 * 64 * 4)
        p.add('data_copy', dst=l1, src=x, blockCount=1,
              blockLen=size_of(conv.kind, len(image)) // 32)
        code = struct.unpack('<I', struct.pack('<f', outside))[0] if conv.kind == 'fp32' else 0
        p.add('load3dv2', dst=a, src=l1, type=conv.kind, mExtension=4, kExtension=k_count,
              mStartPt=m_start, kStartPt=k_start, padValue=code, **conv.fields(), **conv.filter())
        p.add('mmad', dst=c, a=a, b=loads.identity(p, conv.kind, k_count), type=conv.kind, m=4,
              n=k_count, k=k_count)
        p.add('fixpipe', dst=y, src=c, mSize=4, nSize=k_count, srcStride=16, dstStride=k_count,
              mode='NoQuant', layout='nz2nd')
        rows = conv.matrix(image, outside)[m_start:m_start + 4]
        return p, {'y': [v for row in rows for v in row[k_start:k_start + k_count]]}
    return Case(number, 'PTO', 'timg2col on the CPU model, %s, posM %d, posK %d' % (
        conv.kind, m_start, k_start), (loads.A2, loads.A5), make)


def cases():
    result = [conv_case(row) for row in ROWS]
    result.append(cpu_case('13', Conv('fp32', (1, 3, 4), (2, 2, 16), (1, 1), (1, 1), (1, 0, 1, 0)),
                           lambda h, w, c: 100 * h + 10 * w + c, -1.0, 1, 8, 16))
    result.append(cpu_case('14', Conv('int8', (1, 4, 4), (2, 2, 16), (2, 2), (1, 1), (0, 0, 0, 0)),
                           lambda h, w, c: (4 * h + w + c) % 97, 0, 0, 32, 32))
    return result
