"""Load3Dv1 as mindspore programs it: a column of fractals for each plane and filter point, 16
windows a repeat. The expected matrix is the definition; results leave L0C over the unified buffer.
"""
import loads
from case import Case
from img2col_cases import Conv
from load_cases import copied
from program import Program

TRAINING, INFERENCE = 'atlas-training', 'atlas-inference'
AT_ONCE = 49                # fractals of a load: what L0A and the unified buffer have room for

# number, source, planes, height and width, filter, stride, padding, repeats, products
ROWS = [('82', 'MS', 4, (56, 56), 3, 1, 1, 196, (TRAINING,)),
        ('83', 'MS', 8, (56, 56), 3, 2, 1, 49, (TRAINING,)),
        ('84', 'MS', 4, (56, 56), 1, 1, 0, 196, (TRAINING, INFERENCE)),
        ('85', 'MS', 4, (56, 56), 1, 2, 0, 49, (TRAINING, INFERENCE)),
        ('86', 'MS', 8, (28, 28), 3, 1, 1, 49, (TRAINING,)),
        ('87', 'MS', 16, (28, 28), 3, 2, 1, 13, (TRAINING, INFERENCE)),
        ('88', 'AD', 1, (2, 56), 1, 1, 0, 7, (TRAINING, INFERENCE))]


def column(conv, image, c1, kh, kw):
    """The 16 channels of a plane at a filter point, for all windows."""
    result = []
    for row in range(conv.ho):
        for window in range(conv.wo):
            h = row * conv.stride[0] + kh - conv.padding[0]
            w = window * conv.stride[1] + kw - conv.padding[2]
            inside = 0 <= h < conv.h and 0 <= w < conv.w
            at = ((c1 * conv.h + h) * conv.w + w) * 16
            result += image[at:at + 16] if inside else [0.0] * 16
    return result


def case_of(number, source, planes, size, kernel, stride, padding, repeats, products):
    conv = Conv('fp16', (planes,) + size, (kernel, kernel, 16), (stride, stride), (1, 1),
                (padding,) * 4)
    rows = conv.ho * conv.wo

    def make(product):
        p = Program(product)
        image = [float(index * 7 % 4093 - 2046) for index in range(planes * size[0] * size[1] * 16)]
        x = copied(p, 'x', 'fp16', [1, planes, size[0], size[1], 16], image)
        unit = loads.b_plain(p, 'load2d', unit_matrix(p))
        columns = [(c1, kh, kw) for c1 in range(planes) for kh in range(kernel)
                   for kw in range(kernel)]
        y = p.output('y', 'fp32', [len(columns), rows, 16])
        a, c, ub = (p.room(space, AT_ONCE * bytes_) for space, bytes_ in (
            ('l0a', 512), ('l0c', 1024), ('ub', 1024)))
        p.add('set_fmatrix', **conv.fields())
        for index, (c1, kh, kw) in enumerate(columns):
            for first in range(0, repeats, AT_ONCE):
                count = min(AT_ONCE, repeats - first)
                top, left = divmod(first * 16, conv.wo)
                p.add('load3dv1', dst=a, src=x, type='fp16', c1Index=c1, fetchFilterW=kw,
                      fetchFilterH=kh, leftTopW=left * stride - padding,
                      leftTopH=top * stride - padding, strideW=stride, strideH=stride,
                      filterW=kernel, filterH=kernel, jumpStride=1, repeatMode=1,
                      repeatTime=count, isSetFMatrix=0)
                height = min(count * 16, rows - first * 16)
                p.add('mmad', dst=c, a=a, b=unit, type='fp16', typeC='fp32', m=height, n=16, k=16)
                p.add('data_copy_l0c2ub', dst=ub, src=c, type='fp32', blockCount=1,
                      blockLen=-(-height // 16))
                p.add('data_copy', dst=y.at((index * rows + first * 16) * 64), src=ub,
                      blockCount=1, blockLen=height * 2)
        return p, {'y': [v for point in columns for v in column(conv, image, *point)]}
    what = 'Load3Dv1 fp16, %d planes of %dx%d, %dx%d filter, stride %d, repeatMode 1, repeat %d' % (
        planes, size[0], size[1], kernel, kernel, stride, repeats)
    return Case(number, source, what, products, make)


def unit_matrix(p):
    """The unit matrix in L1: 16 rows of 32 bytes are NZ as they are."""
    rows = [[float(i == j) for j in range(16)] for i in range(16)]
    gm = p.input('unit', 'fp16', [16, 16], loads.flat(rows))
    matrix = loads.Matrix(p.room('l1', 512), 'fp16', 16, 16, 16)
    p.add('data_copy', dst=matrix.name, src=gm, blockCount=1, blockLen=16)
    return matrix


def cases():
    return [case_of(*row) for row in ROWS]
