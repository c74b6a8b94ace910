"""configs/kernels/measured.yaml: the kernels whose time was measured, for scripts/accuracy.py."""
import json
import pathlib
import re

TABLE = pathlib.Path(__file__).resolve().parent.parent / "configs/kernels/measured.yaml"
METRICS = ("task", "core_max", "core")
HEAD = """# Kernels that were measured, as runs of the model, with its error: made by
# scripts/accuracy.py from configs/validation; do not edit. `cubesim run` looks here for the nearest
# one (docs/summary.md).
kernels:
"""


def chosen(rows):
    """Of every case one row of its whole time, if it is not only printed."""
    cases = {}
    for row in rows:
        if row["features"] and row["metric"] in METRICS and row["use"] != "printed" \
                and row["unit"] == "us":
            key = (row["case"], json.dumps(row["with"], sort_keys=True))
            cases.setdefault(key, []).append(row)
    return [min(found, key=lambda r: (METRICS.index(r["metric"]), r["id"]))
            for found in cases.values()]


def name_of(row):
    """The name of the kernel, if that of the case does not have it, and that of the case."""
    kernel = row["kernel"]
    size = r"\d+ x \d+"
    known = not kernel or kernel in row["case"] or re.search(size, row["case"])
    if known and row["features"]["operation"] not in row["case"]:
        return f"{row['features']['operation']} {row['case']}"
    return row["case"] if known else f"{kernel}, {row['case']}"


def entry(file, row):
    return {"name": name_of(row), "file": file, "source": row["source"].strip(),
            "metric": row["metric"], "use": row["use"], "row": row["id"],
            "measured_ns": round(row["measured"] * 1000),
            "error_permille": round(row["error"] * 10), **row["features"]}


def lines(entry):
    for i, (key, value) in enumerate(entry.items()):
        shown = json.dumps(value, ensure_ascii=False) if isinstance(value, str) else value
        yield f"  {' ' if i else '-'} {key}: {shown}"


def table(results):
    entries = [entry(name, row) for name, result in results for row in chosen(result["rows"])]
    return HEAD + "\n\n".join("\n".join(lines(e)) for e in entries) + "\n"


def problems(page_text):
    """Kernels whose row or error is another one on the page."""
    text = TABLE.read_text(encoding="utf-8") if TABLE.is_file() else ""
    found = re.findall(r"^    row: (\d+)$.*?^    error_permille: (-?\d+)$", text, re.M | re.S)
    if not found:
        yield "configs/kernels/measured.yaml has no kernels; run scripts/accuracy.py"
    for row, error in found:
        on_page = re.search(rf"^\| {row} \|[^\n]*\| us \| ([+-]?[\d.]+) \|", page_text, re.M)
        if not on_page or abs(float(on_page.group(1)) * 10 - int(error)) > 1:
            yield (f"configs/kernels/measured.yaml: row {row} is another one in docs/accuracy.md; "
                   "run scripts/accuracy.py")
