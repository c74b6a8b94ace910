#!/usr/bin/env python3
"""Keeps the example of README.md and its picture, docs/timeline.svg, true.

    scripts/readme_sample.py [PROGRAM]           writes what the program prints into them
    scripts/readme_sample.py --check [PROGRAM]   exit 1 when they show something else
"""
import subprocess
import sys
import tempfile

import built
from built import ROOT

PLAN = "configs/plans/res2a.yaml"
WINDOW = ["--from", "20000", "--to", "22000"]


def lines_before(text, start):
    """The lines up to the first that starts with start, without empty lines at the end."""
    lines = text.split("\n")
    end = next(i for i, line in enumerate(lines) if line.startswith(start))
    return "\n".join(lines[:end]).rstrip("\n")


def sample(program):
    """The text of the example, and its picture."""
    def output(*arguments):
        return subprocess.run([program, *arguments], cwd=ROOT, check=True, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              env={"LC_ALL": "C.UTF-8", "CUBESIM_CONFIGS": str(ROOT / "configs")}
                              ).stdout

    with tempfile.TemporaryDirectory() as folder:
        database = folder + "/runs.db"
        run = output("run", PLAN, "--verify", "--db", database)
        show = output("show", database, "1", *WINDOW)
        picture = output("export", database, "1", "--format", "svg", *WINDOW)
    text = (f"```\n$ cubesim run {PLAN} --verify --db runs.db\n"
            + lines_before(run, "problem") + "\n...\n\n"
            + f"$ cubesim show runs.db 1 {' '.join(WINDOW)}\n"
            + lines_before(show, "pipe") + "\n...\n```\n")
    return text, picture


def main():
    check, program = built.arguments(__doc__)
    readme, timeline = ROOT / "README.md", ROOT / "docs" / "timeline.svg"
    text = readme.read_text(encoding="utf-8")
    start = text.index("```\n$ cubesim run ")
    end = text.index("```\n", start + 4) + 4
    example, picture = sample(str(program))
    now = {readme: text[:start] + example + text[end:], timeline: picture}
    for path, wanted in now.items():
        if not check:
            path.write_text(wanted, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != wanted:
            print(f"{path.relative_to(ROOT)} shows other output than the program prints; "
                  "run scripts/readme_sample.py")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
