"""Moves from GM to L1, read back from L1 to GM, and worked numbers of the pages."""
import loads
from case import Case, Missing
from legacy_random import Legacy
from loads import A2, A5
from program import Program, size_of
from vectors.number import BITS, c0_of

# type, rows and columns that move, rows and columns of the tensor
ND2NZ = [('fp32', 49, 35, 49, 35), ('int16', 155, 250, 752, 1000), ('int8', 1023, 511, 1024, 1024),
         ('fp16', 1023, 51, 1024, 1024), ('fp16', 1, 1, 1, 1), ('fp16', 1, 1, 16, 16),
         ('fp16', 256, 1024, 256, 1024)]


def number(kind, values):
    return [float(value) for value in values] if kind in ('fp16', 'fp32') else values


def nz_case(name, what, shape, pitch_rows):
    """A matrix of small numbers to NZ in L1 and from there, as it lies, to GM."""
    kind, rows, cols, whole_rows, whole_cols = shape

    def make(product):
        p = Program(product)
        values = number(kind, Legacy(19).randint(-5, 5, whole_rows * whole_cols))
        x = p.input('x', kind, [whole_rows, whole_cols], values)
        c0 = c0_of(kind)
        groups = -(-cols // c0)
        l1 = p.room('l1', groups * pitch_rows * 32)
        y = p.output('y', kind, [groups, pitch_rows, c0])
        p.add('nd2nz', dst=l1, src=x, ndNum=1, nValue=rows, dValue=cols, srcDValue=whole_cols,
              dstNzC0Stride=pitch_rows, dstNzNStride=1)
        p.add('data_copy', dst=y, src=l1, blockCount=1, blockLen=groups * pitch_rows)
        zero = number(kind, [0])[0]
        wanted = [values[i * whole_cols + j] if j < cols else zero for group in range(groups)
                  for i in range(rows) for j in range(group * c0, group * c0 + c0)]
        return p, {'y': wanted}
    return Case(name, 'PTO', what, (A2,), make)


def nd2nz_cases():
    result = []
    for index, shape in enumerate(ND2NZ):
        kind, rows, cols, whole_rows, whole_cols = shape
        result.append(nz_case('96.%d' % (index + 1), 'ND2NZ %s %dx%d of %dx%d' % (
            kind, rows, cols, whole_rows, whole_cols), shape, rows))
    # DN2ZN reads columns as rows: the same bytes as ND2NZ of the tensor as it lies.
    for index, shape in enumerate((('fp32', 35, 49, 35, 49), ('int16', 250, 155, 1000, 752),
                                   ('int8', 511, 1023, 1024, 1024),
                                   ('fp16', 1024, 256, 1024, 256))):
        kind, rows, cols, whole_rows, whole_cols = shape
        result.append(nz_case('97.%d' % (index + 1), 'DN2ZN %s %dx%d of %dx%d, as ND2NZ' % (
            kind, rows, cols, whole_rows, whole_cols), shape, rows))
    return result


# A part of a tensor: type, sizes of the part, sizes of the tensor
PARTS = [('FZ2FZ', 'fp16', (1, 7, 7, 20, 16), (3, 7, 7, 100, 16)),
         ('FZ2FZ', 'int8', (2, 3, 3, 64, 32), (3, 3, 3, 128, 32)),
         ('FZ2FZ', 'int8', (3, 5, 5, 128, 32), (8, 5, 5, 128, 32)),
         ('FZ4D2FZ4D', 'fp16', (1, 81, 3, 16, 16), (1, 90, 3, 16, 16)),
         ('FZ4D2FZ4D', 'int8', (1, 63, 3, 16, 32), (1, 63, 9, 16, 32)),
         ('FZ4D2FZ4D', 'int8', (1, 125, 3, 16, 32), (1, 250, 5, 16, 32)),
         ('NC1HWC02NC1HWC0', 'fp16', (1, 16, 10, 100, 16), (1, 16, 100, 100, 16))]


def part_case(name, what, kind, part, whole):
    """Lines of the part by data_copy with gaps, each line of blocks behind the one before."""
    def make(product):
        p = Program(product)
        count = 1
        for size in whole:
            count *= size
        values = number(kind, Legacy(19).randint(-5, 5, count))
        x = p.input('x', kind, list(whole), values)
        blocks = part[1] * part[2] * part[3] * size_of(kind, part[4]) // 32 * part[0]
        l1, y = p.room('l1', blocks * 32), p.output('y', kind, list(part))
        wanted, to = [], 0
        line = size_of(kind, part[4]) * part[3] // 32
        gap = size_of(kind, whole[4]) * (whole[3] - part[3]) // 32
        for i in range(part[0]):
            for j in range(part[1]):
                start = (i * whole[1] + j) * whole[2] * whole[3] * whole[4]
                p.add('data_copy', dst=l1.at(to), src=x.at(size_of(kind, start)),
                      blockCount=part[2], blockLen=line, srcGap=gap)
                to += part[2] * line * 32
                for k in range(part[2]):
                    first = start + k * whole[3] * whole[4]
                    wanted += values[first:first + part[3] * part[4]]
        p.add('data_copy', dst=y, src=l1, blockCount=1, blockLen=blocks)
        return p, {'y': wanted}
    return Case(name, 'PTO', '%s %s %s of %s' % (what, kind, 'x'.join(map(str, part)),
                                                 'x'.join(map(str, whole))), (A2,), make)


# ---- worked numbers ----------------------------------------------------------------------------

def worked_case(name, what, mnemonic, kind, fields, products, count, element):
    """element(index) is the element of L1 that a page gives, or None where it says nothing;
    L1 is shown through L0A and Mmad with the unit matrix."""
    def make(product):
        p = Program(product)
        source = [float(index % 2039 - 1000) for index in range(count[0])]
        x = p.input('x', kind, [count[0]], source)
        zero = p.zeros('zero', kind, count[1])
        l1 = p.room('l1', size_of(kind, count[1]))
        p.add('data_copy', dst=l1, src=zero, blockCount=1, blockLen=size_of(kind, count[1]) // 32)
        p.add(mnemonic, dst=l1, src=x, type=kind, **fields)
        rows = count[1] // 16
        a, c = p.room('l0a', count[1] * 2), p.room('l0c', count[1] * 4)
        fractals = rows // 16
        y = p.output('y', 'fp32', [rows, 16])
        # One fractal behind the other is ZZ and NZ alike when K is one group.
        p.add('load2d', dst=a, src=l1, type=kind, repeatTimes=fractals, srcStride=1)
        p.add('mmad', dst=c, a=a, b=loads.identity(p, kind, 16), type=kind, m=rows, n=16, k=16)
        p.add('fixpipe', dst=y, src=c, mSize=rows, nSize=16, srcStride=rows, dstStride=16,
              mode='NoQuant', layout='nz2nd')
        wanted = [0.0] * count[1]
        for index in range(count[1]):
            at = element(index)
            wanted[index] = source[at] if at is not None else 0.0
        return p, {'y': wanted}
    return Case(name, 'AD', what, products, make)


def nz_place(index, shape, strides):
    """Which element (b, i, j) of the matrices lies at an element of L1, or None."""
    number_, rows, cols = shape
    group, row, matrix = strides
    for b in range(number_):
        rest = index - b * matrix
        for j in range(-(-cols // 16)):
            for i in range(rows):
                start = (j * group + i * row) * 16
                if start <= rest < start + 16:
                    column = j * 16 + rest - start
                    return (b, i, column) if column < cols else None
    return None


def worked_cases():
    def one(index):
        place = nz_place(index, (1, 16, 23), (16, 1, 0))
        return place and place[1] * 32 + place[2]

    def two(index):
        place = nz_place(index, (2, 8, 23), (37, 2, 320))
        return place and place[0] * 384 + place[1] * 32 + place[2]

    def down(index):
        place = nz_place(index, (2, 8, 23), (37, 2, 320))
        return place and place[0] * 400 + place[2] * 16 + place[1]
    return [
        worked_case('98.1', 'ND2NZ 16x23 in a pitch of 32, C0Stride 16', 'nd2nz', 'fp16',
                    {'ndNum': 1, 'nValue': 16, 'dValue': 23, 'srcDValue': 32, 'dstNzC0Stride': 16,
                     'dstNzNStride': 1}, (A2, A5), (512, 512), one),
        worked_case('98.2', 'ND2NZ two of 8x23, strides 384, 32, 37, 2, 320', 'nd2nz', 'fp16',
                    {'ndNum': 2, 'nValue': 8, 'dValue': 23, 'srcNdMatrixStride': 384,
                     'srcDValue': 32, 'dstNzC0Stride': 37, 'dstNzNStride': 2,
                     'dstNzMatrixStride': 320}, (A2, A5), (768, 1280), two),
        worked_case('98.3', 'DN2NZ two of 8x23, strides 400, 16, 37, 2, 320', 'dn2nz', 'fp16',
                    {'dnNum': 2, 'nValue': 8, 'dValue': 23, 'srcDnMatrixStride': 400,
                     'srcDValue': 16, 'dstNzC0Stride': 37, 'dstNzNStride': 2,
                     'dstNzMatrixStride': 320}, (A5,), (800, 1280), down)]


def cases():
    result = nd2nz_cases()
    for index, (what, kind, part, whole) in enumerate(PARTS):
        result.append(part_case('97.%d' % (index + 5), what, kind, part, whole))
    result.append(Missing('97', 'PTO', 'other NC1HWC0, FZ2FZ and NDC1HWC0 parts',
                          'tensors of up to 400 MB for copies of the same kind'))
    result.append(Missing('97', 'PTO', 'tloadconv, tstore_conv and tstore_quant of the CPU model',
                          'operations on tiles of its own, no instructions'))
    return result + worked_cases()
