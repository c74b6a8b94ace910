#!/usr/bin/env python3
"""Vectors of single instructions from an independent oracle: frozen files, or a live comparison.

    scripts/make_vectors.py --oracle PATH --freeze tests/data     writes the frozen files
    scripts/make_vectors.py --oracle PATH --driver PROGRAM [...]  runs fresh cases through PROGRAM
    scripts/make_vectors.py --oracle PATH --print [...]           prints them

    --group NAME   one group of instructions: a frozen file each
    --cases N      fresh cases for each instruction (default 200)
    --seed N       of the fresh cases; also SEED in the environment (default 1)

The oracle is a Python file with functions on flat lists (nd2nz, load3dv2, mmad, quant, ...) that
was written from the documents apart from the C code; CUBESIM_ORACLE names it too. A live
run without an oracle exits with 77, which the tests show as skipped. tests/support/vectors.h has
the format; PROGRAM reads it from its standard input (tests/oracle/vector_driver.c).
"""
import argparse
import importlib.util
import os
import subprocess
import sys

from vectors import convert, exit as way_out, fixpipe, load2d, load3d, mmad, move, ranges
from vectors.text import Bench, Once

SKIPPED = 77
TRIES = 400

# name of the group and its rows
GROUPS = {'move': move.rows, 'load2d': load2d.rows, 'load3d': load3d.rows, 'mmad': mmad.rows,
          'fixpipe': fixpipe.rows, 'exit': way_out.rows, 'ranges': ranges.rows,
          'convert': convert.rows}
FROZEN_BYTES = {'load2d': 2048, 'fixpipe': 768, 'exit': 1024}  # of a destination: many kinds
FROZEN = [name for name in GROUPS if name != 'convert']     # the C tests have every code


def oracle_load(path):
    spec = importlib.util.spec_from_file_location('oracle', path)
    oracle = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(oracle)
    return oracle


def case_text(oracle, row, seed, extent, limit):
    """A case of a row, or None when no draw fits (edges of ranges need room)."""
    options = dict(row.options)
    bench = Bench(oracle, '%s %s' % (seed, row.name()), extent, limit)
    bench.edge = options.pop('edge', {})
    for _ in range(TRIES):
        case = row.make(bench, **options)
        if case is not None:
            return case.text()
    if not isinstance(row, Once):
        raise SystemExit('no case fits: ' + row.name())
    return None


def freeze(oracle, folder, group):
    path = os.path.join(folder, 'vectors_%s.txt' % group)
    limit = FROZEN_BYTES.get(group, 4096)
    texts = [case_text(oracle, row, 'frozen', 20, limit) for row in GROUPS[group]()]
    texts = [text for text in texts if text is not None]
    with open(path, 'w', encoding='utf-8') as file:
        file.write('# made by scripts/make_vectors.py\n' + ''.join(texts))
    print('%s: %d cases, %d bytes' % (path, len(texts), os.path.getsize(path)))


def row_cycle(rows, cases):
    """Those of which one is enough, then the others in turn until there are enough."""
    once = [row for row in rows if isinstance(row, Once)]
    others = [row for row in rows if not isinstance(row, Once)]
    count = max(len(others), cases - len(once)) if others else 0
    return once + [others[index % len(others)] for index in range(count)]


def live_texts(oracle, groups, cases, seed):
    """Cases of each instruction of the groups."""
    for group in groups:
        rows = {}
        for row in GROUPS[group]():
            rows.setdefault(row.mnemonic, []).append(row)
        for mine in rows.values():
            for index, row in enumerate(row_cycle(mine, cases)):
                text = case_text(oracle, row, '%d %d' % (seed, index), 48, 1 << 20)
                if text is not None:
                    yield '# %s\n%s' % (row.name(), text)


def live(oracle, program, groups, cases, seed):
    texts = ''.join(live_texts(oracle, groups, cases, seed))
    result = subprocess.run([program], input=texts, text=True, stdout=subprocess.PIPE, check=False)
    sys.stdout.write(result.stdout)
    if result.returncode == 0:
        return 0
    lines = texts.split('\n')
    for line in result.stdout.split('\n'):
        place = line.split(':')
        if line.startswith('vectors:') and place[1].isdigit():
            at = int(place[1]) - 1
            while not lines[at].startswith('#'):
                at -= 1
            print('\n    '.join(text[:300] for text in lines[at:at + 3]))
    print('repeat with SEED=%d' % seed)
    return 1


def arguments_read():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--oracle', default=os.environ.get('CUBESIM_ORACLE'))
    parser.add_argument('--freeze', metavar='FOLDER')
    parser.add_argument('--driver', metavar='PROGRAM')
    parser.add_argument('--print', action='store_true')
    parser.add_argument('--group', choices=GROUPS)
    parser.add_argument('--cases', type=int, default=200)
    parser.add_argument('--seed', type=int, default=int(os.environ.get('SEED', '1')))
    return parser.parse_args()


def main():
    choice = arguments_read()
    if not choice.oracle:
        print('skipped: no oracle; name it with CUBESIM_ORACLE or --oracle')
        return SKIPPED
    oracle = oracle_load(choice.oracle)
    groups = [choice.group] if choice.group else list(GROUPS)
    if choice.freeze:
        for group in groups:
            if group in FROZEN:
                freeze(oracle, choice.freeze, group)
    if choice.print:
        sys.stdout.writelines(live_texts(oracle, groups, choice.cases, choice.seed))
    if choice.driver:
        if not os.access(choice.driver, os.X_OK):
            raise SystemExit('no program %s: build it first' % choice.driver)
        return live(oracle, choice.driver, groups, choice.cases, choice.seed)
    return 0


if __name__ == '__main__':
    sys.exit(main())
