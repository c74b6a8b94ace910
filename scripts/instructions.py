#!/usr/bin/env python3
"""Keeps docs/instructions.md true.

    scripts/instructions.py [PROGRAM]           writes what `cubesim isa --markdown` prints into it
    scripts/instructions.py --check [PROGRAM]   exit 1 when it shows something else
"""
import subprocess
import sys

import built
from built import ROOT


def main():
    check, program = built.arguments(__doc__)
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
    sys.exit(main())
