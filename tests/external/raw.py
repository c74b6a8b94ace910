"""What lies in L0, byte by byte: Mmad with a unit matrix of bytes shows fractal after fractal."""
import struct

import loads
import npy
from vectors.number import BITS, code_near

FRACTAL = 512


def packed(kind, values):
    """Values as the signed bytes that they take, two 4-bit elements in one, the first low."""
    if BITS[kind] == 4:
        codes = [value & 15 for value in values]
        data = bytes(low | high << 4 for low, high in zip(codes[::2], codes[1::2]))
    elif kind in ('bf16', 'fp8_e4m3', 'fp8_e5m2', 'hif8'):
        data = struct.pack('<%d%s' % (len(values), npy.FORMATS[kind][1]),
                           *[code_near(kind, value, True) for value in values])
    else:
        data = struct.pack('<%d%s' % (len(values), npy.FORMATS[kind][1]), *values)
    return list(struct.unpack('<%db' % len(data), data))


def unit(p, space):
    """A unit matrix of 32 bytes in the other L0."""
    rows = [[int(i == j) for j in range(32)] for i in range(32)]
    gm = p.input('unit', 'int8', [32, 32], loads.flat(rows))
    l1, target = p.room('l1', 1024), p.room(space, 1024)
    # Row i of NZ and column i of ZN hold the same 32 bytes: a unit matrix is its own transpose.
    p.add('data_copy', dst=l1, src=gm, blockCount=1, blockLen=32)
    p.add('load2d', dst=target, src=l1, type='int8', repeatTimes=2, srcStride=1)
    return target


def zeroed(p, space, fractals):
    """A part of L0 that holds zeros, so that what a load leaves alone can be told."""
    gm = p.zeros('zero', 'int8', FRACTAL)
    l1, target = p.room('l1', FRACTAL), p.room(space, fractals * FRACTAL)
    p.add('data_copy', dst=l1, src=gm, blockCount=1, blockLen=16)
    for first in range(0, fractals, 255):
        p.add('load2d', dst=target.at(first * FRACTAL), src=l1, type='int8',
              repeatTimes=min(255, fractals - first), srcStride=0)
    return target


def show(p, space, target, fractals):
    """Dumps the fractals as tensor y; L0A: rows of 32 bytes, L0B: its bytes transposed."""
    y = p.output('y', 'int32', [fractals, FRACTAL])
    other, c = unit(p, 'l0b' if space == 'l0a' else 'l0a'), p.room('l0c', 2 * 16 * 16 * 4)
    m, n = (16, 32) if space == 'l0a' else (32, 16)
    for index in range(fractals):
        mine = target.at(index * FRACTAL)
        a, b = (mine, other) if space == 'l0a' else (other, mine)
        p.add('mmad', dst=c, a=a, b=b, type='int8', m=m, n=n, k=32)
        p.add('fixpipe', dst=y.at(index * FRACTAL * 4), src=c, type='int32', mSize=m, nSize=n,
              srcStride=m, dstStride=n, mode='NoQuant', layout='nz2nd')


def shown(space, data):
    """What show dumps of these bytes."""
    if space == 'l0a':
        return data
    result = []
    for at in range(0, len(data), FRACTAL):
        part = data[at:at + FRACTAL]
        result += [part[j * 32 + q] for q in range(32) for j in range(16)]
    return result


def fractals_of(rows, kind, order, down=None):
    """A matrix as bytes of whole 16 x C0 fractals, zeros beyond it. order zz: rows of fractals;
    nz: columns of them, each `down` fractals long."""
    c0 = 256 // BITS[kind]
    high, wide = -(-len(rows) // 16), -(-len(rows[0]) // c0)
    padded = [row + [0] * (wide * c0 - len(row)) for row in rows]
    padded += [[0] * (wide * c0)] * (high * 16 - len(rows))

    def fractal(i, j):
        if i >= high:
            return [0] * (16 * c0)
        return [v for row in padded[i * 16:i * 16 + 16] for v in row[j * c0:j * c0 + c0]]
    places = [(i, j) for i in range(high) for j in range(wide)] if order == 'zz' else \
        [(i, j) for j in range(wide) for i in range(down or high)]
    return packed(kind, [v for i, j in places for v in fractal(i, j)])
