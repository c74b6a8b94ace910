#!/usr/bin/env python3
"""Replays cases whose expected values other people's rules give, through `cubesim run`.

    tests/external/run.py CUBESIM [--group NAME] [--case NUMBER] [--keep FOLDER]
    tests/external/run.py --table write|check    docs/external_cases.md

Each case draws its inputs and computes the expected output by the rule of its source, checks the
rule against what is known of the source's own files, writes a program with .npy tensors and
compares what the program dumps. Exit code: 0 all agree, 1 some do not.
"""
import argparse
import contextlib
import os
import pathlib
import re
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / 'scripts'))

import conv_cases
import fixpipe_cases
import img2col_cases
import load_cases
import matmul_cases
import move_cases
import param_cases
import v1_cases
from case import Missing, Refusal, difference

GROUPS = {'img2col': img2col_cases, 'matmul': matmul_cases, 'load': load_cases,
          'fixpipe': fixpipe_cases, 'move': move_cases, 'conv': conv_cases,
          'params': param_cases, 'v1': v1_cases}


@contextlib.contextmanager
def folder_of(name, keep):
    """Where a program is run: a scratch folder, or one that stays."""
    if keep:
        folder = os.path.join(keep, name)
        os.makedirs(folder, exist_ok=True)
        yield folder
    else:
        with tempfile.TemporaryDirectory(prefix='cubesim-external-') as folder:
            yield folder


def refusal_run(case, cubesim, folder):
    result = case.make().start(cubesim, folder)
    if result.returncode != case.code:
        return 'exit %d, expected %d\n%s' % (result.returncode, case.code, result.stderr[:600])
    if not re.search(r'^case\.prog:\d+:', result.stderr, re.M) or case.words not in result.stderr:
        return 'expected a place and "%s"; found\n%s' % (case.words, result.stderr[:600])
    return None


def product_run(case, product, cubesim, folder):
    try:
        program, wanted = case.make(product)
        found = program.run(cubesim, folder)
    except AssertionError as problem:
        return '%s: %s' % (product, problem)
    for name, values in wanted.items():
        problem = difference(found[name], values, case.tolerance)
        if problem is not None:
            return '%s: %s: %s' % (product, name, problem)
    return None


def case_run(case, cubesim, keep):
    """A word on what differs, or None."""
    if isinstance(case, Refusal):
        with folder_of(case.number, keep) as folder:
            return refusal_run(case, cubesim, folder)
    for product in case.products:
        with folder_of('%s-%s' % (case.number, product), keep) as folder:
            problem = product_run(case, product, cubesim, folder)
        if problem is not None:
            return problem
    return None


def run(choice):
    failures = count = 0
    for group, module in GROUPS.items():
        if choice.group not in (None, group):
            continue
        for case in module.cases():
            if isinstance(case, Missing) or choice.case not in (None, case.number):
                continue
            count += 1
            problem = case_run(case, os.path.abspath(choice.cubesim), choice.keep)
            failures += problem is not None
            print('%-4s %-8s %s%s' % ('FAIL' if problem else 'ok', case.number, case.what,
                                      '\n     ' + problem if problem else ''))
    print('%d cases, %d differ' % (count, failures))
    return 1 if failures or count == 0 else 0


HEAD = """# Cases from other people's tests

`tests/external/run.py` replays these cases through `cubesim run`, as programs or plans (ctest label
`external`). Inputs and expected values come from the rule of the source, which is written anew in
`tests/external/`: the same generator and order of draws as the source's script, the same shapes,
and a product or a matrix computed by definition. None of the expected values was measured on a
chip.

Where the first outputs of a source's own file, or the SHA-256 of an integer one, are known, the
rule must give them before anything is run. The SHA-256 of floating files is not used: it depends on
the order of summation of the matrix library that made them.

Integers, fp16 and copies must be equal; where a result is "within" something, that is the source's
tolerance, absolute and relative. A result that a last bit of a floating sum could round to either
side is not compared. Cases 1, 5 and 9 are known with fp16 in place of bf16; the rule is checked so,
and bf16 is run. The names of `tests/data/load3d_params.csv` stand at the end.

Sources: PTO is hw-native-sys/pto-isa at 3186c38, AD asc-devkit at 82b89a15f, MS mindspore, PY
pypto.

| case | source | what | runs on | result |
|---|---|---|---|---|
"""


def table_row(case):
    if isinstance(case, Missing):
        return '| %s | %s | %s | - | not made: %s |' % (case.number, case.source, case.what,
                                                       case.reason)
    if isinstance(case, Refusal):
        where, result = case.make().product, 'exit %d, "%s"' % (case.code, case.words)
    else:
        where = ', '.join(case.products)
        result = 'within %g' % case.tolerance if case.tolerance else 'equal'
    return '| %s | %s | %s | %s | %s |' % (case.number, case.source, case.what, where, result)


def order_of(case):
    """By the parts of a number; names behind them, as they come."""
    if not case.number[0].isdigit():
        return [1000]
    return [int(part) for part in re.findall(r'\d+', case.number)]


def table(task):
    path = ROOT / 'docs' / 'external_cases.md'
    rows = [case for module in GROUPS.values() for case in module.cases()]
    numbers = [case.number for case in rows if not isinstance(case, (Refusal, Missing))]
    assert len(numbers) == len(set(numbers)), 'two cases have one number'
    rows.sort(key=order_of)
    text = HEAD + ''.join(table_row(case) + '\n' for case in rows)
    if task == 'write':
        path.write_text(text, encoding='utf-8')
    elif path.read_text(encoding='utf-8') != text:
        print('%s is not what the cases say; run tests/external/run.py --table write' % path)
        return 1
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('cubesim', nargs='?')
    parser.add_argument('--group', choices=GROUPS)
    parser.add_argument('--case')
    parser.add_argument('--keep', metavar='FOLDER')
    parser.add_argument('--table', choices=('write', 'check'))
    choice = parser.parse_args()
    if choice.table:
        return table(choice.table)
    if choice.cubesim is None:
        parser.error('expected the program')
    return run(choice)


if __name__ == '__main__':
    sys.exit(main())
