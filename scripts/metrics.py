#!/usr/bin/env python3
"""Keeps the tables of words in docs/summary.md true: they are those of `cubesim help metrics`.

    scripts/metrics.py [PROGRAM]           writes them
    scripts/metrics.py --check [PROGRAM]   exit 1 when docs/summary.md shows others
"""
import subprocess
import sys

import built
from built import ROOT

HEAD = "## Every word\n"
INTRO = """
What is printed by every command, in JSON and in the views of the database; `cubesim help metrics`
prints the same, `cubesim help metrics WORD` one of them. Keys of plans are in [plan.md](plan.md).

"""


def main():
    check, program = built.arguments(__doc__)
    page = ROOT / "docs/summary.md"
    text = page.read_text(encoding="utf-8")
    tables = subprocess.run([program, "help", "metrics", "--markdown"], check=True, text=True,
                            stdout=subprocess.PIPE).stdout
    now = text[:text.index(HEAD)] + HEAD + INTRO + tables
    if check and now != text:
        print("docs/summary.md has other words than cubesim help metrics; run scripts/metrics.py")
        return 1
    if not check:
        page.write_text(now, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
