"""Programs for `cubesim run`: written line by line, run in a folder, their tensors read back.

Each step waits for all steps before it; the cases are about bytes, not about time.
"""
import os
import subprocess

import npy
from vectors.number import BITS, code_near, value_of

RAW = ('bf16', 'fp8_e4m3', 'fp8_e5m2', 'hif8')      # lie in files as codes


class Region:
    """A region, or a place in it."""

    def __init__(self, name, offset=0):
        self.name, self.offset = name, offset

    def at(self, offset):
        return Region(self.name, self.offset + offset)

    def __str__(self):
        return '%s+%d' % (self.name, self.offset) if self.offset else self.name


def codes_of(kind, values):
    return [code_near(kind, float(value), True) for value in values] if kind in RAW else values


def values_of(kind, codes):
    return [value_of(kind, code) for code in codes] if kind in RAW else codes


class Program:
    def __init__(self, product):
        self.product = product
        self.head, self.steps, self.dumps, self.files = [], [], [], {}
        self.used = {}
        self.outputs = []

    def input(self, name, kind, shape, values):
        """A tensor that holds values."""
        count = 1
        for size in shape:
            count *= size
        assert len(values) == count, (name, len(values), shape)
        self.files[name + '.npy'] = (kind, shape, codes_of(kind, values))
        self.head.append('.gm %s %s [%s] = %s.npy' % (name, kind, ','.join(map(str, shape)), name))
        return Region(name)

    def output(self, name, kind, shape):
        """A tensor that the program writes."""
        self.head.append('.gm %s %s [%s]' % (name, kind, ','.join(map(str, shape))))
        self.dumps.append('dump %s %s_out.npy' % (name, name))
        self.outputs.append((name, kind))
        return Region(name)

    def zeros(self, name, kind, count):
        self.head.append('.gm %s %s [%d] = zero' % (name, kind, count))
        return Region(name)

    def room(self, space, size_bytes, name=None):
        """A part of an on-chip memory behind the parts before it."""
        index = len(self.head)
        offset = self.used.get(space, 0)
        name = name or '%s_%d' % (space, index)
        self.head.append('.%s %s %d %d' % (space, name, offset, size_bytes))
        self.used[space] = -(-(offset + size_bytes) // 1024) * 1024
        return Region(name)

    def reuse(self, *spaces):
        """The next parts of these memories lie over the first ones."""
        for space in spaces:
            self.used[space] = 0

    def add(self, mnemonic, **keys):
        self.steps.append(' '.join([mnemonic] + ['%s=%s' % (key, int(value) if isinstance(
            value, bool) else value) for key, value in keys.items()]))
        if not mnemonic.startswith('set_'):
            self.steps.append('pipe_barrier pipe=ALL')

    def text(self):
        return '\n'.join(['.product ' + self.product] + self.head + ['.core 0'] + self.steps +
                         self.dumps) + '\n'

    def start(self, cubesim, folder):
        """Runs the program; its exit code and what it says."""
        for name, (kind, shape, values) in self.files.items():
            npy.save(os.path.join(folder, name), kind, shape, values)
        with open(os.path.join(folder, 'case.prog'), 'w', encoding='utf-8') as file:
            file.write(self.text())
        return subprocess.run([cubesim, 'run', 'case.prog'], cwd=folder, text=True, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def run(self, cubesim, folder):
        """The values of the output tensors by name; the run must end without a hazard."""
        result = self.start(cubesim, folder)
        if result.returncode != 0:
            raise AssertionError('cubesim run: exit %d\n%s%s' % (
                result.returncode, result.stderr[:600],
                '' if result.stderr else result.stdout[-800:]))
        return {name: values_of(kind, npy.load(os.path.join(folder, name + '_out.npy'), kind))
                for name, kind in self.outputs}


def size_of(kind, count):
    return count * BITS[kind] // 8
