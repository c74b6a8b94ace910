#!/usr/bin/env python3
"""Evaluates the suggestions of `cubesim run` on 200 layers of published networks: docs/advice.md.

    scripts/advice_check.py [PROGRAM]           writes the page; takes some minutes
    scripts/advice_check.py --check [PROGRAM]   on a few of them: exit 1 when a suggestion does
                                                not gain what it says, when fewer than half of
                                                the layers have one, or when the page lacks a rule

The layers are every so many rows of tests/data/networks.csv, shapes once, with the batch cut so
that a run stays short; where one has no legal tile the next row stands in. The tile is left out, so
it is derived; products alternate.
"""
import concurrent.futures
import copy
import csv
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import built
from built import ROOT

LAYERS = ROOT / "tests/data/networks.csv"
PAGE = ROOT / "docs/advice.md"
RULES = ROOT / "model/advice.def"
COUNT, SAMPLE, MACS_MOST = 200, 8, 400_000_000
PRODUCTS = {"atlas-a2": ("fp16", "bf16", "fp32", "int8"),
            "ascend-950pr": ("fp16", "bf16", "fp32", "int8", "fp8_e4m3", "hif8")}
OUTPUTS = {"int8": "int32", "fp8_e4m3": "fp16", "hif8": "fp16"}
SHAPE = ("cin", "hin", "win", "cout", "kh", "kw", "stride_h", "stride_w", "pad_top", "pad_bottom",
         "pad_left", "pad_right", "dil_h", "dil_w", "groups")


def plan_of(row, product):
    """The plan of a layer, or None when it is no layer that the product can have."""
    try:
        n = {key: int(row[key]) for key in SHAPE + ("batch",)}
    except (ValueError, TypeError):
        return None
    out = [(n["hin"] + n["pad_top"] + n["pad_bottom"] - n["dil_h"] * (n["kh"] - 1) - 1)
           // n["stride_h"] + 1,
           (n["win"] + n["pad_left"] + n["pad_right"] - n["dil_w"] * (n["kw"] - 1) - 1)
           // n["stride_w"] + 1]
    macs = out[0] * out[1] * n["cout"] * n["cin"] // n["groups"] * n["kh"] * n["kw"]
    pads = max(n["pad_top"], n["pad_bottom"]) >= n["kh"] or \
        max(n["pad_left"], n["pad_right"]) >= n["kw"]  # no rule set allows that
    if min(out) < 1 or not 1 <= macs <= 10 * MACS_MOST or pads or \
            row["dtype"] not in PRODUCTS[product]:
        return None
    conv = {"input": [max(1, min(n["batch"], MACS_MOST // macs)), n["cin"], n["hin"], n["win"]],
            "weight": [n["cout"], n["cin"] // n["groups"], n["kh"], n["kw"]],
            "stride": [n["stride_h"], n["stride_w"]],
            "padding": [n["pad_top"], n["pad_bottom"], n["pad_left"], n["pad_right"]],
            "dilation": [n["dil_h"], n["dil_w"]], "groups": n["groups"], "dtype": row["dtype"]}
    conv["out_dtype"] = OUTPUTS.get(row["dtype"], row["dtype"])
    return {"product": product, "conv": conv}


def layers():
    """Lists of (name, plan), always the same: a layer, and those that may stand in for it."""
    found, seen = [], set()
    with open(LAYERS, encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            product = list(PRODUCTS)[len(found) % 2]
            plan = plan_of(row, product) or plan_of(row, "ascend-950pr")
            key = json.dumps([row[key] for key in SHAPE] + [row["dtype"]])
            if plan is None or key in seen:
                continue
            seen.add(key)
            found.append((f"{row['network']} {row['layer']}", plan))
    ends = [i * len(found) // COUNT for i in range(COUNT + 1)]
    return [found[start:end] for start, end in zip(ends, ends[1:])]


def run(program, plan, *options):
    """The JSON of a run, or None when the plan is refused."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "plan.json"
        path.write_text(json.dumps(plan), encoding="utf-8")
        done = subprocess.run([program, "run", path, "--timing-only", "--json", *options],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              env={"LC_ALL": "C.UTF-8", "CUBESIM_CONFIGS": str(ROOT / "configs")})
    if done.returncode not in (0, 1):
        sys.exit(f"{json.dumps(plan)}: {done.stderr}")
    return json.loads(done.stdout) if done.stdout else None


def edited(plan, tile, edits):
    """The plan with the words of a suggestion; those of a derived tile need the whole of it."""
    plan = copy.deepcopy(plan)
    if any(name.startswith("tile") for name in edits):
        for name, words in tile.items():
            plan.setdefault(name, dict(words))
    for name, words in edits.items():
        plan.setdefault(name, {}).update(words)
    return plan


def evaluate(program, layer, effort):
    """What is known of a layer: its run, its suggestions, and the best one tried from outside."""
    name, plan, result = None, None, None
    for name, plan in layer:
        result = run(program, plan, "--advice", effort)
        if result is not None:
            break
    if result is None:
        sys.exit(f"{name}, and all that could stand in: no legal tile")
    tale = {"name": name, "product": plan["product"], "cycles": result["cycles"],
            "bound": result["bound"], "tries": result["suggestion_tries"],
            "suggestions": result["suggestions"], "false": 0, "firm": None}
    if result["suggestions"]:
        best = result["suggestions"][0]
        again = run(program, edited(plan, result["tile"], best["edits"]), "--advice", "none")
        tale["false"] = again is None or again["cycles"] != best["cycles"]
        tale["firm"] = not tale["false"] and all(
            new < old for new, old in zip(again["range_us"], result["range_us"]))
    return tale


def evaluate_all(program, chosen, effort="some"):
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(lambda layer: evaluate(program, layer, effort), chosen))


def gain(tale):
    return tale["suggestions"][0]["gain_percent"] if tale["suggestions"] else 0.0


def median(values):
    values = sorted(values)
    half = len(values) // 2
    return values[half] if len(values) % 2 else (values[half - 1] + values[half]) / 2


def table(head, align, rows):
    yield "| " + " | ".join(head) + " |"
    yield "|" + "|".join("---:" if a == "r" else "---" for a in align) + "|"
    for row in rows:
        yield "| " + " | ".join(str(cell) for cell in row) + " |"
    yield ""


def rules():
    """(name, looks at, when, proposes) of every rule."""
    text = RULES.read_text(encoding="utf-8")
    return re.findall(r'^ADVICE\((\w+), "(.*?)", "(.*?)", "(.*?)"\)$', text, re.M)


def summary(tales, label):
    helped = [tale for tale in tales if tale["suggestions"]]
    gains = [gain(tale) for tale in tales]
    return (label, len(tales), f"{100 * len(helped) / len(tales):.1f} %",
            f"{sum(gains) / len(gains):.1f} %", f"{median(gains):.1f} %",
            f"{sum(g >= 5 for g in gains)}", f"{sum(g >= 20 for g in gains)}")


def summaries(tales):
    yield summary(tales, "all layers")
    for product in PRODUCTS:
        yield summary([t for t in tales if t["product"] == product], product)
    for bound in sorted({tale["bound"] for tale in tales}):
        yield summary([t for t in tales if t["bound"] == bound], f"{bound}-bound")


def rule_rows(tales):
    for name, *_ in rules() + [("both",)]:
        first = [gain(t) for t in tales if t["suggestions"] and t["suggestions"][0]["rule"] == name]
        anywhere = sum(any(s["rule"] == name for s in t["suggestions"]) for t in tales)
        yield (f"`{name}`", len(first), f"{median(first):.1f} %" if first else "-", anywhere)


def sample_rows(tales):
    for tale in tales:
        best = tale["suggestions"][0] if tale["suggestions"] else None
        yield (tale["name"], tale["product"], f"{tale['cycles']:,}",
               best["change"] if best else "-", f"-{best['gain_percent']:.1f} %" if best else "-")


def sample_of(chosen):
    return chosen[::COUNT // SAMPLE][:SAMPLE]


def page(tales, every, sample):
    text = (ROOT / "scripts/advice/head.md").read_text(encoding="utf-8")
    yield text.rstrip("\n")
    yield ""
    yield from table(("rule", "looks at", "when", "proposes"), "llll",
                     [(f"`{name}`", *rest) for name, *rest in rules()])
    yield "## How often they help"
    yield ""
    yield (f"{len(tales)} layers of published networks (`tests/data/networks.csv`), tiles "
           "derived, products in turn, batches cut to about 400 million multiply-accumulates. "
           "*Helped*: the share of layers with a suggestion, so a simulation has found it faster. "
           "Gains are those of the first suggestion, 0 where there is none. Made by "
           "`scripts/advice_check.py`.")
    yield ""
    yield from table(("layers", "number", "helped", "mean gain", "median gain", "5 % and more",
                      "20 % and more"), "lrrrrrr", summaries(tales))
    helped = [tale for tale in tales if tale["suggestions"]]
    firm = sum(tale["firm"] for tale in helped)
    yield (f"Edited into the plan and run from outside, {sum(bool(t['false']) for t in helped)} of "
           f"{len(helped)} first suggestions took other cycles than were told. {firm} of them "
           f"({100 * firm / len(helped):.1f} %) are also faster with all numbers of the product at "
           "their fast ends and with all at their slow ends. "
           f"{sum(t['tries'] for t in tales) / len(tales):.1f} plans were simulated for a layer.")
    yield ""
    lost = [gain(a) - gain(s) for s, a in zip(quarter_of(tales), every)]
    better = sum(points > 0.05 for points in lost)
    yield ("`--advice all` tries every proposal: on every fourth of these layers it found a "
           f"better first suggestion {better} times of {len(every)}, by {max(lost):.1f} points at "
           f"most and {sum(lost) / len(lost):.1f} on average.")
    yield ""
    yield "Which rules they come from:"
    yield ""
    yield from table(("rule", "first", "median gain then", "suggested"), "lrrr", rule_rows(tales))
    yield "## A sample"
    yield ""
    yield from table(("layer", "product", "cycles", "first suggestion", "gain"), "llrlr",
                     sample_rows(sample))


def quarter_of(tales):
    return tales[::4]


def write(program):
    chosen = layers()
    tales = evaluate_all(program, chosen)
    every = evaluate_all(program, quarter_of(chosen), "all")
    PAGE.write_text("\n".join(page(tales, every, sample_of(tales))).rstrip("\n") + "\n",
                    encoding="utf-8")
    return 0


def check(program):
    text = PAGE.read_text(encoding="utf-8")
    tales = evaluate_all(program, sample_of(layers()))
    problems = [f"{tale['name']}: the first suggestion does not gain what it says"
                for tale in tales if tale["false"]]
    lines = ["| " + " | ".join((f"`{name}`", *rest)) + " |" for name, *rest in rules()]
    problems += [f"docs/advice.md lacks: {line}; run scripts/advice_check.py"
                 for line in lines if line not in text]
    if 2 * sum(gain(tale) > 0 for tale in tales) < len(tales):
        problems.append(f"fewer than half of {len(tales)} layers have a suggestion")
    for problem in problems:
        print(problem)
    return 1 if problems else 0


def main():
    only_check, program = built.arguments(__doc__)
    return check(program) if only_check else write(program)


if __name__ == "__main__":
    sys.exit(main())
