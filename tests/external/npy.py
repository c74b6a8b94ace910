"""Arrays as .npy files: flat lists of values and a shape."""
import ast
import struct

# descriptor of the file and letter of struct; types that numpy has not lie as raw codes
FORMATS = {'fp16': ('<f2', 'e'), 'fp32': ('<f4', 'f'), 'int8': ('|i1', 'b'), 'uint8': ('|u1', 'B'),
           'int16': ('<i2', 'h'), 'uint16': ('<u2', 'H'), 'int32': ('<i4', 'i'),
           'uint32': ('<u4', 'I'), 'uint64': ('<u8', 'Q'), 'bf16': ('<u2', 'H'),
           'int4': ('|i1', 'b'), 'fp8_e4m3': ('|u1', 'B'), 'fp8_e5m2': ('|u1', 'B'),
           'hif8': ('|u1', 'B')}


def save(path, kind, shape, values):
    descriptor, letter = FORMATS[kind]
    text = "{'descr': '%s', 'fortran_order': False, 'shape': (%s,), }" % (
        descriptor, ', '.join(str(size) for size in shape))
    text += ' ' * (-(len(text) + 11) % 64) + '\n'
    with open(path, 'wb') as file:
        file.write(b'\x93NUMPY\x01\x00' + struct.pack('<H', len(text)) + text.encode())
        file.write(struct.pack('<%d%s' % (len(values), letter), *values))


def load(path, kind):
    """The values of a file of a type, flat."""
    descriptor, letter = FORMATS[kind]
    with open(path, 'rb') as file:
        data = file.read()
    length = struct.unpack('<H', data[8:10])[0]
    head = ast.literal_eval(data[10:10 + length].decode())
    assert head['descr'] == descriptor, '%s holds %s' % (path, head['descr'])
    body = data[10 + length:]
    return list(struct.unpack('<%d%s' % (len(body) // struct.calcsize(letter), letter), body))
