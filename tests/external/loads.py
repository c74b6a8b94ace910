"""How matrices come to L0: row-major in GM, NZ in L1, then the way that a case is about."""
from program import size_of
from vectors.number import BITS, c0_of

EDGE = {4: 64, 8: 32, 16: 16, 32: 16}       # sides of the squares that transposing loads move
A2, A5 = 'atlas-a2', 'ascend-950pr'


def up(value, step):
    return -(-value // step) * step


class Matrix:
    """rows x cols in L1 as NZ, `pitch` rows in a column group."""

    strips = False      # of 16 rows, each an NZ matrix of its own

    def __init__(self, name, kind, rows, cols, pitch):
        self.name, self.kind, self.rows, self.cols, self.pitch = name, kind, rows, cols, pitch
        self.c0 = c0_of(kind)
        self.blocks = pitch // 16

    def groups(self):
        return -(-self.cols // self.c0)

    def squares(self):
        """Blocks of 16 rows of whole squares, as a transposing Load2Dv2 takes them."""
        edge = {4: 64, 8: 32}.get(BITS[self.kind], 16)
        return up(self.rows, edge) // 16

    def part(self, row, rows, col, cols):
        """A part that starts at a block of 16 rows and a column group."""
        place = self.name.at(col // self.c0 * self.pitch * 32 + row // 16 * 512)
        return Matrix(place, self.kind, rows, cols, self.pitch)


def flat(rows):
    return [value for row in rows for value in row]


def transposed(rows):
    return [list(column) for column in zip(*rows)]


def to_l1(p, name, kind, rows, pad=16):
    """A row-major matrix to NZ; 4-bit types move as bytes."""
    height, width = len(rows), len(rows[0])
    gm = p.input(name, kind, [height, width], flat(rows))
    matrix = Matrix(None, kind, height, width, up(height, pad))
    matrix.name = p.room('l1', matrix.pitch * up(matrix.groups(), 2) * 32)
    per_unit = 2 if BITS[kind] == 4 else 1
    p.add('nd2nz', dst=matrix.name, src=gm, ndNum=1, nValue=height, dValue=width // per_unit,
          srcDValue=width // per_unit, dstNzC0Stride=matrix.pitch, dstNzNStride=1)
    return matrix


def to_l1_strips(p, name, kind, rows):
    """NZ matrices of 16 rows, one behind the other: the fractals of a square of 32-bit elements,
    which is two fractals wide, must follow each other."""
    height, width = len(rows), len(rows[0])
    gm = p.input(name, kind, [height, width], flat(rows))
    matrix = Matrix(None, kind, height, width, up(height, 16))
    matrix.strips = True
    strip = up(matrix.groups(), 2) * 512
    matrix.name = p.room('l1', matrix.blocks * strip)
    for block in range(matrix.blocks):
        p.add('nd2nz', dst=matrix.name.at(block * strip), src=gm.at(block * 16 * width * 4),
              ndNum=1, nValue=min(16, height - block * 16), dValue=width, srcDValue=width,
              dstNzC0Stride=16, dstNzNStride=1)
    return matrix


def image_of(matrix):
    """A matrix as an image of one column for Load3D."""
    return {'l1H': matrix.pitch, 'l1W': 1, 'channelSize': matrix.groups() * matrix.c0,
            'filterW': 1, 'filterH': 1, 'type': matrix.kind}


def load3d(p, target, matrix, transpose=False, mnemonic='load3dv2'):
    """The whole padded matrix by one Load3D."""
    p.add(mnemonic, dst=target, src=matrix.name, mExtension=matrix.pitch,
          kExtension=matrix.groups() * matrix.c0, enTranspose=transpose, **image_of(matrix))


def squares(p, target, matrix, start, count, stride, gap, inside):
    p.add('load_data_with_transpose', dst=target, src=matrix.name, type=matrix.kind,
          startIndex=start, repeatTimes=count, srcStride=stride, dstGap=gap, dstFracGap=inside)


def a_plain(p, how, matrix):
    """A of m x k from NZ of itself. ZZ on A2, NZ on 950."""
    m1, k1 = -(-matrix.rows // 16), matrix.groups()
    target = p.room('l0a', m1 * k1 * 512)
    if how == 'load3d':
        load3d(p, target, matrix)
    elif how == 'load2dv2':
        p.add('load2dv2', dst=target, src=matrix.name, type=matrix.kind, mStep=m1, kStep=k1,
              srcStride=matrix.blocks, dstStride=m1)
    elif how == 'copy':
        p.add('copy_l12l0a', dst=target, src=matrix.name, type=matrix.kind, m=matrix.rows,
              k=matrix.cols)
    else:
        for block in range(m1):
            p.add('load2d', dst=target.at(block * k1 * 512), src=matrix.name, type=matrix.kind,
                  startIndex=block, repeatTimes=k1, srcStride=matrix.blocks)
    return target


def a_turned(p, how, matrix):
    """A of m x k from NZ of its transpose, k x m."""
    k, m = matrix.rows, matrix.cols
    m1, k1 = -(-m // 16), -(-k // matrix.c0)
    wide = up(k, max(16, matrix.c0)) // matrix.c0
    target = p.room('l0a', up(m, EDGE[BITS[matrix.kind]]) // 16 * wide * 512)
    if how == 'load3d':
        load3d(p, target, matrix, True)
    elif how == 'load2d':
        for block in range(m1):
            p.add('load2d', dst=target.at(block * k1 * 512), src=matrix.name, type=matrix.kind,
                  startIndex=block * matrix.blocks, repeatTimes=k1, srcStride=1, ifTranspose=1)
    elif how == 'load2dv2':
        p.add('load2dv2', dst=target, src=matrix.name, type=matrix.kind, mStep=matrix.squares(),
              kStep=up(matrix.groups(), 2 if BITS[matrix.kind] == 32 else 1),
              srcStride=matrix.blocks, dstStride=m1, ifTranspose=1)
    elif matrix.strips:
        across = up(matrix.groups(), 2) // 2
        for group in range(m1):
            squares(p, target.at(group * wide * 512), matrix, group, matrix.blocks, across, 1, 0)
    else:
        fractals = EDGE[BITS[matrix.kind]] // 16
        for group in range(matrix.groups()):
            squares(p, target.at(group * fractals * k1 * 512), matrix,
                    group * matrix.blocks // fractals, k1, 1, 0, k1 - 1)
    return target


def b_plain(p, how, matrix):
    """B of k x n from NZ of its transpose, n x k, which is ZN of B byte for byte."""
    n1, k1 = matrix.blocks, matrix.groups()
    target = p.room('l0b', n1 * up(k1, 2) * 512)
    if how == 'load2dv2':
        p.add('load2dv2', dst=target, src=matrix.name, type=matrix.kind, mStep=n1, kStep=k1,
              srcStride=n1, dstStride=n1)
        return target
    for first in range(0, n1 * k1, 255):
        p.add('load2d', dst=target.at(first * 512), src=matrix.name, type=matrix.kind,
              startIndex=first, repeatTimes=min(255, n1 * k1 - first), srcStride=1)
    return target


def b_turned(p, how, matrix):
    """B of k x n from NZ of itself."""
    bits, k, n = BITS[matrix.kind], matrix.rows, matrix.cols
    n1, edge = -(-n // 16), EDGE[BITS[matrix.kind]]
    target = p.room('l0b', (-(-k // edge) * (edge // matrix.c0) * n1 + 4) * 512)
    if how == 'load3d':
        load3d(p, target, matrix)
    elif how == 'load2d':
        for block in range(-(-k // 16)):
            p.add('load2d', dst=target.at(block * n1 * 512), src=matrix.name, type=matrix.kind,
                  startIndex=block, repeatTimes=n1, srcStride=matrix.blocks, ifTranspose=1)
    elif how == 'load2dv2':
        p.add('load2dv2', dst=target, src=matrix.name, type=matrix.kind, mStep=matrix.squares(),
              kStep=up(matrix.groups(), 2 if bits == 32 else 1), srcStride=matrix.blocks,
              dstStride=up(matrix.groups() * matrix.c0, 16) // 16, ifTranspose=1)
    elif matrix.strips:
        across = up(matrix.groups(), 2) // 2
        for block in range(matrix.blocks):
            squares(p, target.at(2 * block * n1 * 512), matrix, block * across, n1, 1, 0, n1 - 1)
    else:
        fractals = edge // 16
        for block in range(-(-k // edge)):
            squares(p, target.at(block * n1 * 512), matrix, block, -(-n // edge),
                    matrix.blocks // fractals, fractals - 1, 0)
    return target


def vector(p, name, kind, row):
    """A of one row for GEMV: its elements follow each other."""
    count = up(len(row), 256 * 16 // BITS[kind] * 2)
    gm = p.input(name, kind, [1, count], row + [0] * (count - len(row)))
    l1, target = p.room('l1', size_of(kind, count)), p.room('l0a', size_of(kind, count))
    p.add('data_copy', dst=l1, src=gm, blockCount=1, blockLen=size_of(kind, count) // 32)
    p.add('load2d', dst=target, src=l1, type=kind, repeatTimes=size_of(kind, count) // 512,
          srcStride=1)
    return target


def bias_table(p, name, kind, values):
    """One value for each column of C."""
    count = up(len(values), 16)
    gm = p.input(name, kind, [count], values + [0] * (count - len(values)))
    l1, table = p.room('l1', 4 * count), p.room('bt', 4 * count)
    p.add('data_copy', dst=l1, src=gm, blockCount=1, blockLen=count // 8)
    p.add('load_bt', dst=table, src=l1, type=kind,
          blockLen=count // 8 if p.product == A5 else count // 16)
    return table


def identity(p, kind, count):
    """The unit matrix in L0B: Mmad with it shows what L0A holds."""
    rows = [[int(i == j) for j in range(count)] for i in range(count)]
    return b_plain(p, 'load2d', to_l1(p, 'unit', kind, rows))
