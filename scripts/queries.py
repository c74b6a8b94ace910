#!/usr/bin/env python3
"""Keeps docs/queries.md true: every query of scripts/queries with what it answers.

    scripts/queries.py [PROGRAM]           simulates some runs and writes docs/queries.md
    scripts/queries.py --check [PROGRAM]   exit 1 when the page shows something else, when a query
                                           has no answer, or when the sqlite3 shell (where there is
                                           one) answers otherwise than Python
"""
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import tempfile

import built
from built import ROOT

FOLDER = ROOT / "scripts/queries"
PAGE = ROOT / "docs/queries.md"
ROWS_SHOWN = 12
PLAN = "configs/plans/res2a.yaml"

INTRO = """# Queries

`scripts/queries` (installed: `share/cubesim/queries`) has a file for each question below; nothing
but SQLite is needed:

```
sqlite3 -box runs.db < scripts/queries/stalls.sql
sqlite3 -box runs.db -cmd '.parameter set :run 3' < scripts/queries/stalls.sql
```

and in Python, with pandas or without:

```python
import pathlib, sqlite3
db = sqlite3.connect("file:runs.db?mode=ro", uri=True)
sql = pathlib.Path("scripts/queries/stalls.sql").read_text()
for row in db.execute(sql, {"run": None}):
    print(row)
```

`:run` is the number of a run; without one (in Python: `None`) it is the latest. `two_runs.sql`
takes `:a` and `:b`, `window.sql` also `:cycle`. What views and columns mean is in
[sql.md](sql.md), and `cubesim help metrics` has every word in a line. Queries about instructions
answer for the cores whose timeline was kept.

The answers below are of the runs that `scripts/queries.py` makes: four images of `res2a.yaml` (the
latest), with a rate of MTE1 doubled, with two slots in L0C, and with a larger tileK; a 1-D
convolution; a program with a hazard. Long answers are cut.
"""


def make_database(program, folder):
    """The runs that the page is about; the latest is the plain one. Also what that printed."""
    database = folder / "runs.db"
    plan = (ROOT / PLAN).read_text(encoding="utf-8")
    plan = plan.replace("[16, 64, 56, 56]", "[4, 64, 56, 56]").replace("batch: 8, m: 3",
                                                                     "batch: 4, m: 6")
    plain, deeper, slots = (folder / name for name in ("plain.yaml", "deeper.yaml", "slots.yaml"))
    plain.write_text(plan, encoding="utf-8")
    deeper.write_text(plan.replace("tileK: 64", "tileK: 192"), encoding="utf-8")
    slots.write_text(plan.replace("schedule:", "schedule:\n  l0c_buffers: 2"), encoding="utf-8")
    for arguments, code in (
            (["traces/samples/hazard_race.prog"], 1),
            (["configs/plans/wav2vec_1d.yaml", "--timing-only"], 0),
            ([str(deeper), "--timing-only"], 0),
            ([str(slots), "--timing-only"], 0),
            ([str(plain), "--timing-only", "--set", "mte1.l1_to_l0b.rate=256 B/cycle"], 0),
            ([str(plain), "--timing-only"], 0)):
        done = subprocess.run([program, "run", *arguments, "--db", database], cwd=ROOT, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                              env={"LC_ALL": "C.UTF-8", "CUBESIM_CONFIGS": str(ROOT / "configs")})
        if done.returncode != code:
            sys.exit(f"cubesim run {' '.join(arguments)}: exit {done.returncode}\n{done.stdout}")
    return database, done.stdout


def split(text):
    """The title, the explanation and the statement of a file."""
    lines = text.split("\n")
    end = next(i for i, line in enumerate(lines) if not line.startswith("--"))
    comment = [line.removeprefix("--").strip() for line in lines[:end]]
    return comment[0], " ".join(comment[1:]), "\n".join(lines[end:]).strip()


def cell(value):
    return "" if value is None else str(value)


def ask(database, statement):
    """The names of the columns and the rows, as Python's own sqlite3 answers."""
    found = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    unbound = {name: None for name in ("run", "a", "b", "cycle")}
    answer = found.execute(statement, unbound)
    return [column[0] for column in answer.description], [list(map(cell, row)) for row in answer]


def ask_shell(shell, database, path):
    with open(path, encoding="utf-8") as script:
        text = subprocess.run([shell, "-batch", "-readonly", "-list", "-separator", "\x1f",
                               "-newline", "\x1e", str(database)], stdin=script, text=True,
                              check=True, stdout=subprocess.PIPE).stdout
    return [row.split("\x1f") for row in text.split("\x1e")[:-1]]


def table(names, rows):
    """Columns as wide as they must be; numbers to the right."""
    shown = rows[:ROWS_SHOWN]
    numeric = [all(not row[i] or row[i].replace(".", "").replace("-", "").isdigit() for row in rows)
               for i in range(len(names))]
    widths = [max(len(line[i]) for line in [names, *shown]) for i in range(len(names))]

    def line(cells):
        return "  ".join(text.rjust(width) if right else text.ljust(width)
                         for text, width, right in zip(cells, widths, numeric)).rstrip()
    text = "\n".join(map(line, [names, *shown]))
    return text + (f"\n... {len(rows) - len(shown)} more" if len(rows) > len(shown) else "")


def check_words(database, printed, problems):
    """What a run prints and what a query answers about it is one definition."""
    statement = split((FOLDER / "traffic.sql").read_text(encoding="utf-8"))[2]
    names, rows = ask(database, statement)
    latest = dict(zip(names, max(rows, key=lambda row: int(row[0]))))
    words = f"{float(latest['amplification']):.1f} x the tensors"
    if words not in printed:
        problems.append(f"traffic.sql answers {words}, which the run does not print")


def page(database, problems):
    text = INTRO
    shell = shutil.which("sqlite3")
    parts = []
    for path in sorted(FOLDER.glob("*.sql")):
        title, explanation, statement = split(path.read_text(encoding="utf-8"))
        names, rows = ask(database, statement)
        parts.append((title, f"\n## {title}\n\n`{path.name}`: {explanation}\n\n"
                      f"```sql\n{statement}\n```\n\n```\n{table(names, rows)}\n```\n"))
        if not rows:
            problems.append(f"{path.name} answers nothing")
        if shell and ask_shell(shell, database, path) != rows:
            problems.append(f"{path.name}: the sqlite3 shell answers otherwise than Python")
    return text + "".join(part for _, part in sorted(parts))


def main():
    check, program = built.arguments(__doc__)
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        database, printed = make_database(program, pathlib.Path(folder))
        now = page(database, problems)
        check_words(database, printed, problems)
    if not check:
        PAGE.write_text(now, encoding="utf-8")
    elif not PAGE.is_file() or PAGE.read_text(encoding="utf-8") != now:
        problems.append("docs/queries.md shows other answers; run scripts/queries.py")
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
