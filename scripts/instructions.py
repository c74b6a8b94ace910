#!/usr/bin/env python3
"""Keeps docs/instructions.md true.

    scripts/instructions.py [PROGRAM]           writes what `cubesim isa --markdown` prints into it
    scripts/instructions.py --check [PROGRAM]   exit 1 when it shows something else
"""
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def main(arguments):
    check = "--check" in arguments
    rest = [a for a in arguments if a != "--check"]
    program = pathlib.Path(rest[0] if rest else ROOT / "build/release/cubesim").resolve()
    if not program.is_file():
        print(f"{program} is not there; build it first: cmake --preset release && "
              "cmake --build --preset release, or name a program", file=sys.stderr)
        return 3
    now = subprocess.run([program, "isa", "--markdown"], check=True, stdout=subprocess.PIPE,
                         env={"LC_ALL": "C.UTF-8", "CUBESIM_CONFIGS": str(ROOT / "configs")}).stdout
    page = ROOT / "docs/instructions.md"
    if not check:
        page.write_bytes(now)
    elif not page.is_file() or page.read_bytes() != now:
        print("docs/instructions.md shows another table than the program has; "
              "run scripts/instructions.py")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
