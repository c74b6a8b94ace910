#!/usr/bin/env python3
"""Makes docs/accuracy.md, its plot and configs/kernels/measured.yaml from `cubesim validate`.

    scripts/accuracy.py [PROGRAM]           writes all of them; takes some minutes
    scripts/accuracy.py --check [PROGRAM]   exit 1 when the page has other rows than the files, or
                                            when a file that held its bounds there does so no more
                                            (files that take long are left out of that), or when a
                                            group over its bound has no note

The page is not made while a group over its bound has no note in scripts/accuracy/notes.md, which
begins `- **FILE: GROUP, GROUP.**`, or a note is there of a group that holds its bound.
"""
import concurrent.futures
import json
import math
import re
import subprocess
import sys

import built
import kernels
from built import ROOT

FILES = ROOT / "configs/validation"
PAGE = ROOT / "docs/accuracy.md"
PLOT = ROOT / "docs/accuracy.svg"
TEXTS = ROOT / "scripts/accuracy"
SLOW = ("_matmul.yaml", "_matmul_one_core.yaml", "a3_gemm.yaml", "a3_conv.yaml")


def measure(program, path):
    done = subprocess.run([program, "validate", path, "--json"], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, cwd=ROOT,
                          env={"LC_ALL": "C.UTF-8", "CUBESIM_CONFIGS": str(ROOT / "configs")})
    if done.returncode not in (0, 1) or not done.stdout:
        sys.exit(f"{path.name}: {done.stderr}")
    return json.loads(done.stdout)


def number(value):
    """Four or five digits."""
    if value >= 1000:
        return f"{value:,.0f}"
    return f"{value:.4g}"


def signed(value):
    text = f"{value:+.1f}"
    return "0.0" if text in ("+0.0", "-0.0") else text


def table(head, align, rows):
    yield "| " + " | ".join(head) + " |"
    yield "|" + "|".join("---:" if a == "r" else "---" for a in align) + "|"
    for row in rows:
        yield "| " + " | ".join(str(cell) for cell in row) + " |"
    yield ""


def metric_of(item):
    return item["metric"] + (" " + item["pipe"] if item["pipe"] else "")


def bound_of(group):
    bound = group["bound"]
    if not bound:
        return "-"
    ends = ["-" if bound[end] is None else f"{bound[end]:g}" for end in ("median", "worst")]
    return " / ".join(ends)


def spread(errors):
    errors = sorted(abs(e) for e in errors)
    half = len(errors) // 2
    median = errors[half] if len(errors) % 2 else (errors[half - 1] + errors[half]) / 2
    return len(errors), median, errors[(9 * len(errors) + 9) // 10 - 1], errors[-1]


def groups_of(result):
    """The groups of a file, and its effects as one more where they have a bound."""
    effect = result["effect_summary"]
    if effect["bound"] and effect["rows"]:
        return result["groups"] + [effect | {"metric": "effect", "pipe": None, "null": None}]
    return result["groups"]


def summary(results):
    rows = []
    for name, result in results:
        for group in groups_of(result):
            null = group["null"]
            rows.append((name, metric_of(group), group["rows"], f"{group['median']:.1f}",
                         f"{group['p90']:.1f}", f"{group['worst']:.1f}", bound_of(group),
                         f"{null['median']:.1f}" if null else "-",
                         "-" if not null else "yes" if group["informative"] else "no",
                         "-" if not group["bound"] else "yes" if group["holds"] else "**no**"))
    yield "## Groups"
    yield ""
    yield ("Errors in percent, of shares in points, of effects in percent of the effect; bound: "
           "median / worst.")
    yield ""
    yield from table(("file", "group", "rows", "median", "p90", "worst", "bound", "null",
                      "informative", "holds"), "llrrrrrrll", rows)


def by_pipe(results):
    kinds = {}
    for _, result in results:
        for row in result["rows"]:
            if row["counted"]:
                key = (result["soc"], row["pipe"] or "whole kernel", row["kind"],
                       "points" if row["unit"] == "%" else "%")
                kinds.setdefault(key, []).append(row["error"])
    yield "## By product, pipe and kind of measurement"
    yield ""
    yield from table(("product", "pipe", "kind", "rows", "median", "p90", "worst", ""),
                     "lllrrrrl",
                     [(*key[:3], *(f"{v:.1f}" if i else v for i, v in enumerate(spread(errors))),
                       key[3]) for key, errors in sorted(kinds.items())])


def effects(results):
    rows = [(name, e["name"], f"{e['before']}, {e['after']}", signed(e["measured_percent"]),
             signed(e["predicted_percent"]), "right" if e["direction"] else "**wrong**", e["use"])
            for name, result in results for e in result["effects"]]
    yield "## Effects of changes"
    yield ""
    yield "What the second row takes against the first one, in percent."
    yield ""
    yield from table(("file", "change", "rows", "measured", "predicted", "direction", "use"),
                     "lllrrll", rows)


def ranks(results):
    rows = [(name, r["kernel"], metric_of(r), r["rows"], f"{r['spearman']:.2f}")
            for name, result in results for r in result["ranks"]]
    yield "## Rank correlation over the rows of a kernel"
    yield ""
    yield from table(("file", "kernel", "group", "rows", "Spearman"), "lllrr", rows)


def left_out(results):
    yield "## Not replayed"
    yield ""
    rows = []
    for name, result in results:
        cases = {}
        for row in result["not_replayed"]:
            cases.setdefault((row["case"], row["reason"]), []).append(str(row["id"]))
        rows += [(name, case, ", ".join(ids), reason) for (case, reason), ids in cases.items()]
    yield from table(("file", "what", "rows", "why"), "llll", rows)


def all_rows(results):
    yield "## Rows"
    yield ""
    for name, result in results:
        if not result["rows"]:
            continue
        yield f"### {name}: {result['title']}"
        yield ""
        rows = []
        for row in result["rows"]:
            case = row["case"] + "".join(f", {k} {v}" for k, v in row["with"].items())
            rows.append((row["id"], case, metric_of(row), number(row["measured"]),
                         number(row["predicted"]), row["unit"], signed(row["error"]),
                         row["use"] + (f": {row['reason']}" if row["reason"] else "")))
        yield from table(("row", "what", "metric", "measured", "predicted", "unit", "error",
                          "use"), "rllrrlrl", rows)


# ---- the plot ----

COLOURS = {"time": "#0b6fb8", "counter": "#c2571a", "simulator": "#7a4fa3", "table": "#2f8f4e"}
WIDE, HIGH, LEFT, TOP = 760, 420, 64, 24


class Axis:
    def __init__(self, low, high, start, end, log):
        self.low, self.high, self.start, self.end, self.log = low, high, start, end, log

    def at(self, value):
        if self.log:
            share = math.log(value / self.low) / math.log(self.high / self.low)
        else:
            share = (value - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)


def text(x, y, words, anchor="middle"):
    return (f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-family="sans-serif" '
            f'font-size="12" fill="#666">{words}</text>')


def line(x0, y0, x1, y1, colour="#bbb", width=1):
    return (f'<line x1="{x0:.1f}" y1="{y0:.1f}" x2="{x1:.1f}" y2="{y1:.1f}" stroke="{colour}" '
            f'stroke-width="{width}"/>')


def points_of(results):
    for _, result in results:
        for row in result["rows"]:
            if row["counted"] and row["measured_cycles"]:
                measured = row["measured_cycles"] / result["clock_mhz"]
                yield row["kind"], measured, measured * (1 + row["error"] / 100)


def plot(results):
    points = list(points_of(results))
    ends = [value for _, measured, predicted in points for value in (measured, predicted)]
    low = 10 ** math.floor(math.log10(min(ends)))
    high = 10 ** math.ceil(math.log10(max(ends)))
    x = Axis(low, high, LEFT, WIDE - 150, True)
    y = Axis(low, high, HIGH - 40, TOP, True)
    yield (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE} {HIGH}" '
           f'width="{WIDE}" height="{HIGH}">')
    yield "<title>Predicted against measured time</title>"
    decade = low
    while decade <= high * 1.001:
        yield line(x.at(decade), y.start, x.at(decade), y.end, "#ddd")
        yield line(x.start, y.at(decade), x.end, y.at(decade), "#ddd")
        yield text(x.at(decade), y.start + 16, f"{decade:g}")
        yield text(x.start - 6, y.at(decade) + 4, f"{decade:g}", "end")
        decade *= 10
    yield line(x.at(low), y.at(low), x.at(high), y.at(high), "#888", 1.5)
    for kind, measured, predicted in points:
        yield (f'<circle cx="{x.at(measured):.1f}" cy="{y.at(predicted):.1f}" r="3" '
               f'fill="{COLOURS[kind]}" fill-opacity="0.7"/>')
    yield text((x.start + x.end) / 2, HIGH - 6, "measured, us")
    yield text(LEFT, TOP - 8, "predicted, us", "start")
    for i, kind in enumerate(COLOURS):
        yield f'<circle cx="{WIDE - 132}" cy="{TOP + 20 * i + 6}" r="4" fill="{COLOURS[kind]}"/>'
        count = sum(1 for k, _, _ in points if k == kind)
        yield text(WIDE - 120, TOP + 20 * i + 10, f"{kind}, {count} rows", "start")
    yield "</svg>"


# ---- groups over their bounds ----

NOTE = re.compile(r"^- \*\*(\S+\.yaml): (.+?)\.\*\*", re.M)


def over_bounds(results):
    return {(name, metric_of(group)): group for name, result in results
            for group in groups_of(result) if not group["holds"]}


def unexplained(over, notes):
    """Groups over their bounds that have no note, and notes of groups that are not."""
    noted = {(name, group) for name, groups in NOTE.findall(notes) for group in groups.split(", ")}
    return ([f"{name}: {group} is over its bound and has no note in scripts/accuracy/notes.md"
             for name, group in sorted(over - noted)] +
            [f"scripts/accuracy/notes.md: {name}: {group} is not over its bound"
             for name, group in sorted(noted - over)])


def noted(results, notes):
    """The notes, each with by how much its groups are over."""
    over = over_bounds(results)

    def told(found):
        parts = []
        for group in found[2].split(", "):
            what = over[found[1], group]
            parts.append(f"{group} {what['median']:.1f} / {what['worst']:.1f} of {bound_of(what)}")
        return f"- **{found[1]}**: {'; '.join(parts)}."

    return NOTE.sub(told, notes)


def page(results):
    yield (TEXTS / "intro.md").read_text()
    yield "![Predicted against measured time of all rows that count](accuracy.svg)"
    yield ""
    yield from summary(results)
    yield from by_pipe(results)
    yield from effects(results)
    yield from ranks(results)
    yield noted(results, (TEXTS / "notes.md").read_text())
    yield from left_out(results)
    yield from all_rows(results)


# ---- the check ----

def over_on_page(page_text):
    return set(re.findall(r"^\| (\S+\.yaml) \| ([^|]+) \|.*\| \*\*no\*\* \|$", page_text, re.M))


def held(page_text, name):
    """Whether a file has bounds on the page and holds all of them; None when it has none."""
    rows = re.findall(rf"^\| {re.escape(name)} \|.*\| (yes|\*\*no\*\*|-) \|$", page_text, re.M)
    bounded = [row for row in rows if row != "-"]
    return None if not bounded else "**no**" not in bounded


def ids_of_page(page_text, name):
    found = []
    part = re.search(rf"^### {re.escape(name)}:[^\n]*\n(.*?)(?=^### |\Z)", page_text, re.M | re.S)
    if part:
        found += re.findall(r"^\| (\d+) \|", part.group(1), re.M)
    part = re.search(r"^## Not replayed\n(.*?)^## ", page_text, re.M | re.S)
    for cells in re.findall(rf"^\| {re.escape(name)} \|[^\n]*", part.group(1) if part else "",
                            re.M):
        found += re.findall(r"\d+", cells.split(" | ")[2])
    return sorted(int(i) for i in found)


def check(program, paths):
    page_text = PAGE.read_text() if PAGE.is_file() else ""
    wrong = []
    for path in paths:
        ids = sorted(int(i) for i in re.findall(r"\bid: (\d+)", path.read_text()))
        if ids != ids_of_page(page_text, path.name):
            wrong.append(f"{path.name}: docs/accuracy.md has other rows; run scripts/accuracy.py")
        if path.name.endswith(SLOW) or held(page_text, path.name) is not True:
            continue
        result = measure(program, path)
        wrong += [f"{path.name}: {metric_of(group)} is over its bound: median "
                  f"{group['median']:.1f}, worst {group['worst']:.1f}, bound {bound_of(group)}"
                  for group in groups_of(result) if not group["holds"]]
    wrong += unexplained(over_on_page(page_text), (TEXTS / "notes.md").read_text())
    wrong += kernels.problems(page_text)
    for problem in wrong:
        print(problem)
    return 1 if wrong else 0


def main():
    checks, program = built.arguments(__doc__)
    paths = sorted(FILES.glob("*.yaml"))
    if checks:
        return check(program, paths)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = list(zip((p.name for p in paths),
                           pool.map(lambda path: measure(program, path), paths)))
    wrong = unexplained(over_bounds(results).keys(), (TEXTS / "notes.md").read_text())
    if wrong:
        sys.exit("\n".join(wrong))
    PAGE.write_text("\n".join(page(results)).rstrip("\n") + "\n")
    kernels.TABLE.write_text(kernels.table(results), encoding="utf-8")
    PLOT.write_text("\n".join(plot(results)) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
