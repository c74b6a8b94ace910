#!/usr/bin/env python3
"""Runs every program of traces/samples/ and compares what it does with what is written down.

    scripts/check_samples.py BINARY            compares, exit 1 on a difference
    scripts/check_samples.py BINARY --renew    writes the golden files anew

A program hazard_KIND.prog has to exit 1 with a hazard of that kind, any other has to exit 0 without
one. traces/samples/golden/NAME.txt holds the tensors that the program dumps and its timeline as SQL
gives it. What a dump has to be is also computed here, from the generated inputs and the definition
of the operation, so that golden files cannot hold a wrong value.
"""
import argparse
import ast
import json
import os
import re
import sqlite3
import struct
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDER = os.path.join(ROOT, 'traces', 'samples')
FORMATS = {'<f2': 'e', '<f4': 'f', '|i1': 'b', '|u1': 'B', '<i4': 'i', '<u4': 'I', '<u2': 'H'}
TIMELINE = ('SELECT core, pipe, seq, opcode, start_cycle, end_cycle, done_cycle, wait_cycles,'
            ' wait_cause FROM v_instruction ORDER BY core, seq, pipe')


def npy_read(path):
    """(shape, flat values) of a .npy file."""
    with open(path, 'rb') as file:
        data = file.read()
    assert data[:8] == b'\x93NUMPY\x01\x00', path
    length = struct.unpack('<H', data[8:10])[0]
    header = ast.literal_eval(data[10:10 + length].decode())
    letter = FORMATS[header['descr']]
    body = data[10 + length:]
    count = len(body) // struct.calcsize('<' + letter)
    return header['shape'], list(struct.unpack('<%d%s' % (count, letter), body))


def matmul(a, b, m, k, n):
    return [sum(a[i * k + q] * b[q * n + j] for q in range(k)) for i in range(m) for j in range(n)]


def img2col(image, channels, height, width, kernel, pad=1, stride=1, dilation=1):
    """Rows of the matrix of an NC1HWC0 image with 16 channels in a plane."""
    out = lambda size: (size + 2 * pad - (kernel - 1) * dilation - 1) // stride + 1
    rows = []
    for row in range(out(height) * out(width)):
        ho, wo = divmod(row, out(width))
        for plane in range(channels // 16):
            for kh in range(kernel):
                for kw in range(kernel):
                    h, w = ho * stride + kh * dilation - pad, wo * stride + kw * dilation - pad
                    inside = 0 <= h < height and 0 <= w < width
                    at = ((plane * height + h) * width + w) * 16
                    rows += image[at:at + 16] if inside else [0] * 16
    return rows


def fractal_z(weight, blocks):
    """K x 16 matrix of a FRACTAL_Z tensor [blocks, 1, 16, 16]."""
    return [weight[(k // 16) * 256 + n * 16 + k % 16]
            for k in range(blocks * 16) for n in range(16)]


def conv_matrix(image, weight, channels, height, width, kernel, blocks, **more):
    rows = img2col(image, channels, height, width, kernel, **more)
    depth = blocks * 16
    return matmul(rows, fractal_z(weight, blocks), len(rows) // depth, depth, 16)


def wanted(name, tensor):
    """What the dumps of a program have to be; tensor(NAME) gives an input."""
    if name == 'matmul_double_buffered':
        return {'y': matmul(tensor('x'), tensor('w'), 64, 128, 64)}
    if name == 'conv_load3d':
        return {'y': conv_matrix(tensor('x'), tensor('w'), 64, 8, 16, 3, 36)}
    if name == 'set_conv_tile_shapes':
        return {'y': conv_matrix(tensor('x'), tensor('w'), 32, 8, 16, 3, 18)}
    if name == 'load3dv1':
        y = conv_matrix(tensor('x'), tensor('w'), 32, 4, 4, 2, 8, dilation=2)
        return {'y': y, 'y1': y}
    if name == 'copy_l12l0a':
        x2, w = tensor('x2'), tensor('w')
        return {'y': matmul(tensor('x'), w, 16, 16, 16),
                'y2': matmul(x2[:256], w, 16, 16, 16) + matmul(x2[256:], w, 16, 16, 16),
                'y3': conv_matrix(tensor('image'), tensor('w3'), 32, 5, 5, 3, 18)}
    return {}


def run(binary, program, folder):
    """Runs a program in an empty folder; (exit code, JSON, error text, timeline)."""
    database = os.path.join(folder, 'runs.db')
    done = subprocess.run([binary, 'run', program, '--db', database, '--json'], cwd=folder,
                          text=True, capture_output=True, check=False)
    report = json.loads(done.stdout) if done.stdout else {}
    with sqlite3.connect(database) as db:
        rows = db.execute(TIMELINE).fetchall()
        stored = {kind for kind, in db.execute('SELECT kind FROM v_hazard')}
    return done.returncode, report, done.stderr, rows, stored


def text_of(value):
    return '%d' % value if value == int(value) else repr(value)


def dump_lines(name, shape, values):
    yield 'tensor %s [%s]' % (name, ','.join(map(str, shape)))
    width = shape[-1]
    for at in range(0, len(values), width):
        yield ' '.join(text_of(value) for value in values[at:at + width])


def inputs(binary, program, folder):
    """A function that gives generated tensors: the program's head with a dump of each of them."""
    with open(program) as file:
        head = [line for line in file if re.match(r'\.(product|gm|core)', line)]
    names = [line.split()[1] for line in head if line.startswith('.gm') and '=' in line]
    path = os.path.join(folder, 'inputs.prog')
    with open(path, 'w') as file:
        file.writelines(head + ['pipe_barrier pipe=ALL\n'])
        file.writelines('dump %s in_%s.npy\n' % (name, name) for name in names)
    subprocess.run([binary, 'run', path], cwd=folder, stdout=subprocess.DEVNULL, check=True)
    return lambda name: npy_read(os.path.join(folder, 'in_%s.npy' % name))[1]


def check(binary, path, renew):
    """Problems of one program, as text."""
    name = os.path.splitext(os.path.basename(path))[0]
    with tempfile.TemporaryDirectory() as folder:
        code, report, errors, rows, stored = run(binary, path, folder)
        kinds = {hazard['kind'] for hazard in report.get('hazards', [])}
        if name.startswith('hazard_'):
            kind = name[len('hazard_'):]
            if code != 1 or kind not in kinds or kind not in stored:
                yield 'exit %d with %s; expected 1 with %s\n%s' % (code, kinds, kind, errors)
        elif code != 0 or kinds:
            yield 'exit %d with %s; expected 0 without hazards\n%s' % (code, kinds, errors)
            return
        with open(path) as file:
            dumps = re.findall(r'^dump (\w+) (\S+)', file.read(), re.M)
        lines = ['# written by scripts/check_samples.py --renew']
        if not name.startswith('hazard_'):
            right = wanted(name, inputs(binary, path, folder))
            if set(right) != {tensor for tensor, _ in dumps}:
                yield 'no independent value for a dump of %s' % dumps
            for tensor, file in dumps:
                shape, values = npy_read(os.path.join(folder, file))
                if values != right.get(tensor):
                    yield '%s differs from its definition' % tensor
                lines += dump_lines(tensor, shape, values)
        lines.append('timeline core pipe seq opcode start end done wait cause')
        lines += [' '.join('-' if value is None else str(value) for value in row) for row in rows]
        golden = os.path.join(FOLDER, 'golden', name + '.txt')
        text = '\n'.join(lines) + '\n'
        if renew:
            with open(golden, 'w') as file:
                file.write(text)
        elif not os.path.exists(golden):
            yield 'no golden file; run with --renew and look at it'
        elif open(golden).read() != text:
            yield 'differs from %s' % os.path.relpath(golden)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument('binary')
    parser.add_argument('--renew', action='store_true')
    options = parser.parse_args()
    binary = os.path.abspath(options.binary)
    programs = sorted(name for name in os.listdir(FOLDER) if name.endswith('.prog'))
    failed = False
    for program in programs:
        for problem in check(binary, os.path.join(FOLDER, program), options.renew):
            print('%s: %s' % (program, problem))
            failed = True
    print('%d programs%s' % (len(programs), '' if failed else ', all as written'))
    return 1 if failed or not programs else 0


if __name__ == '__main__':
    sys.exit(main())
