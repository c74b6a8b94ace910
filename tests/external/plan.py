"""Plans for `cubesim run`: a convolution with its tiles, tensors in logical order."""
import os
import subprocess

import npy
from program import codes_of, values_of


class Plan:
    def __init__(self, text, kind, tensors, output):
        """tensors: option and (type, shape, values); output: type."""
        self.text, self.kind, self.tensors, self.output = text, kind, tensors, output

    def run(self, cubesim, folder):
        with open(os.path.join(folder, 'case.yaml'), 'w', encoding='utf-8') as file:
            file.write(self.text)
        command = [cubesim, 'run', 'case.yaml', '--output', 'y.npy', '--verify', '--hazards',
                   'error']
        for option, (kind, shape, values) in self.tensors.items():
            npy.save(os.path.join(folder, option + '.npy'), kind, shape, codes_of(kind, values))
            command += ['--' + option, option + '.npy']
        result = subprocess.run(command, cwd=folder, text=True, check=False,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if result.returncode != 0:
            raise AssertionError('cubesim run: exit %d\n%s%s' % (
                result.returncode, result.stderr[:600], result.stdout[-300:]))
        return {'y': values_of(self.output, npy.load(os.path.join(folder, 'y.npy'), self.output))}
