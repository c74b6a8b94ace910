"""Whole convolutions: one as instructions of the Tensor API, others as plans."""
import itertools

import loads
from case import Case, ROUND, first_are, half, matmul
from img2col_cases import Conv
from legacy_random import Legacy
from loads import A5
from plan import Plan
from program import Program, size_of

PAD_VALUE = 1.0


def tensor_api_case():
    """Four images of 9 x 9 x 32, 16 filters of 3 x 3, stride, dilation and padding 2, padded with
    1. The sum is exact in double and rounded to fp32, then to fp16."""
    conv = Conv('fp16', (2, 9, 9), (3, 3, 16), (2, 2), (2, 2), (2, 2, 2, 2))

    def images():
        legacy = Legacy(19)
        fmap = half(legacy.uniform(-1, 1, 4 * 9 * 9 * 32))      # NHWC
        weight = half(legacy.uniform(-1, 1, 16 * 32 * 3 * 3))   # OIHW
        planes = [[fmap[((n * 9 + h) * 9 + w) * 32 + c1 * 16 + c0] for c1 in range(2)
                   for h in range(9) for w in range(9) for c0 in range(16)] for n in range(4)]
        rows = [[weight[((o * 32 + c1 * 16 + c0) * 3 + kh) * 3 + kw] for o in range(16)]
                for c1 in range(2) for kh in range(3) for kw in range(3) for c0 in range(16)]
        return planes, rows

    def make(product):
        planes, rows = images()
        p, wanted = Program(product), []
        x = p.input('x', 'fp16', [4, 2, 9, 9, 16], [v for plane in planes for v in plane])
        weight = loads.to_l1(p, 'w', 'fp16', rows)
        b = loads.b_turned(p, 'load2dv2', weight)
        y = p.output('y', 'fp16', [4, 1, 5, 5, 16])
        l1 = p.room('l1', size_of('fp16', 2592))
        a, c = p.room('l0a', 32 * 288 * 2), p.room('l0c', 32 * 16 * 4)
        for n, plane in enumerate(planes):
            p.add('data_copy', dst=l1, src=x.at(n * 5184), blockCount=1, blockLen=162)
            p.add('copy_l12l0a_img2col', dst=a, src=l1, type='fp16', H=9, W=9, C1=2, padTop=2,
                  padBottom=2, padLeft=2, padRight=2, strideH=2, strideW=2, dilationFilterH=2,
                  dilationFilterW=2, filterH=3, filterW=3, padValue=0x3C00, mExtension=25,
                  kExtension=288)
            p.add('mmad', dst=c, a=a, b=b, type='fp16', m=25, n=16, k=288)
            p.add('fixpipe', dst=y.at(n * 800), src=c, mSize=25, nSize=16, srcStride=32,
                  dstStride=16, mode='F322F16', layout='nz2nd')
            wanted += half([v for row in matmul(conv.matrix(plane, PAD_VALUE), rows) for v in row])
        first_are(wanted, (-7.82421875, 1.5029296875), 0)
        return p, {'y': wanted}
    return Case('35', 'AD', 'conv2d_forward_tensor_api fp16, padValue 1', (A5,), make)


def direct(image, weight, sizes, steps, groups):
    """A convolution by its definition: image C x (D, H, W), weight Cout x Cin/groups x kernel; the
    three axes of all, 1 where there are fewer; steps: stride, padding on both sides, dilation."""
    (cin, *extent), (cout, each, *kernel) = sizes
    stride, padding, dilation = steps
    outputs = [(extent[i] + 2 * padding[i] - (kernel[i] - 1) * dilation[i] - 1) // stride[i] + 1
               for i in range(3)]
    places = []                                      # (offset in a channel, offset in a filter)
    for d, h, w in itertools.product(*map(range, outputs)):
        window = []
        for tap, point in enumerate(itertools.product(*map(range, kernel))):
            at = [o * stride[i] + point[i] * dilation[i] - padding[i]
                  for i, o in enumerate((d, h, w))]
            if all(0 <= at[i] < extent[i] for i in range(3)):
                window.append(((at[0] * extent[1] + at[1]) * extent[2] + at[2], tap))
        places.append(window)
    pixels, taps = extent[0] * extent[1] * extent[2], kernel[0] * kernel[1] * kernel[2]
    result = []
    for o in range(cout):
        first = o // (cout // groups) * each
        for window in places:
            result.append(sum(image[(first + c) * pixels + x] * weight[(o * each + c) * taps + k]
                              for c in range(each) for x, k in window))
    return result, cin


# number, what, product, type, input C and D H W, weight Cout Cin and kernel, stride, padding,
# dilation, groups, bias, relu, tiles; axes in front of a lower rank are 1
PLANS = [
    ('99', 'conv1d fp16, groups 2, with bias', 'atlas-a2', 'fp16', (16, 1, 1, 32),
     (16, 8, 1, 1, 3), (1, 1, 2), (0, 0, 1), (1, 1, 2), 2, True, False, 1,
     (1, 1, 32, 16, 16, 16, 16), (1, 16, 16, 16)),
    ('101', 'conv2d fp32 with ReLU', A5, 'fp32', (16, 1, 34, 34), (64, 16, 1, 3, 3), (1, 1, 1),
     (0, 0, 0), (1, 1, 1), 1, False, True, 2, (8, 8, 32, 32, 16, 16, 64), (8, 32, 48, 64)),
    ('102', 'conv1d bf16', A5, 'bf16', (16, 1, 1, 64), (64, 16, 1, 1, 3), (1, 1, 1), (0, 0, 1),
     (1, 1, 1), 1, False, False, 1, (1, 1, 64, 64, 16, 16, 32), (1, 64, 48, 32)),
    ('103', 'conv3d bf16, groups 2, with bias', A5, 'bf16', (16, 5, 5, 32), (16, 8, 3, 3, 3),
     (2, 2, 2), (1, 1, 1), (2, 2, 2), 2, True, False, 3, (1, 1, 32, 16, 16, 16, 16),
     (1, 16, 16, 16))]
TILE_L1 = ('tileHin', 'tileHout', 'tileWin', 'tileWout', 'tileCinFmap', 'tileCinWeight', 'tileN')
TILE_L0 = ('tileH', 'tileW', 'tileK', 'tileN')


def plan_text(product, row):
    (kind, image, weight, stride, padding, dilation, groups, bias, relu, rank, l1, l0) = row
    axes = slice(3 - rank, 3)
    pads = [pad for pad in padding[axes] for _ in range(2)]
    lines = ['product: ' + product, 'conv:',
             '  input: %s' % ([1, image[0]] + list(image[1:][axes])),
             '  weight: %s' % (list(weight[:2]) + list(weight[2:][axes])),
             '  stride: %s' % list(stride[axes]), '  padding: %s' % pads,
             '  dilation: %s' % list(dilation[axes]), '  groups: %d' % groups,
             '  dtype: ' + kind, '  bias: %s' % str(bias).lower(), '  relu: %s' % str(relu).lower(),
             'tile_l1: {%s, tileBatch: 1}' % ', '.join(
                 '%s: %d' % part for part in zip(TILE_L1, l1)),
             'tile_l0: {%s}' % ', '.join('%s: %d' % part for part in zip(TILE_L0, l0))]
    return '\n'.join(lines) + '\n'


def plan_case(number, what, product, *row):
    kind, image, weight, stride, padding, dilation, groups, bias, relu, rank = row[:10]

    def make(where):
        legacy, rounded = Legacy(19), ROUND[kind]
        pixels, taps = image[1] * image[2] * image[3], weight[2] * weight[3] * weight[4]
        x = rounded(legacy.uniform(0, 1, image[0] * pixels))
        w = rounded(legacy.uniform(0, 1, weight[0] * weight[1] * taps))
        more = rounded(legacy.uniform(0, 1, weight[0]))
        wanted, _ = direct(x, w, (image, weight), (stride, padding, dilation), groups)
        each = len(wanted) // weight[0]
        if bias:
            wanted = [value + more[index // each] for index, value in enumerate(wanted)]
        if relu:
            wanted = [max(0.0, value) for value in wanted]
        axes = slice(3 - rank, 3)
        tensors = {'input': (kind, [1, image[0]] + list(image[1:][axes]), x),
                   'weight': (kind, list(weight[:2]) + list(weight[2:][axes]), w)}
        if bias:
            tensors['bias'] = ('fp32', [weight[0]], more)
        return Plan(plan_text(where, row), kind, tensors, kind), {'y': rounded(wanted)}
    # The source compares in the type of the output, whose last bit may be larger than 1e-3.
    return Case(number, 'PY', what + ', as a plan', (product,), make,
                max(1e-3, {'bf16': 2.0 ** -7}.get(kind, 0)))


def cases():
    return [tensor_api_case()] + [plan_case(*row) for row in PLANS]
