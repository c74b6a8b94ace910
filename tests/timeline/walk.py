#!/usr/bin/env python3
"""Finds the critical path of saved runs a second time, from nothing but their rows.

    tests/timeline/walk.py PROGRAM

Runs plans and programs, saves them, and walks v_instruction backwards from the last completion by
causes and blockers; dispatch, which has no rows, is counted anew from the stream, the depth of the
queues and the starts of jobs. What it finds has to be v_critical_path, step by step. Runs with unit
flags are walked by their steps alone: rows do not say which part of a store waited at its end.
Checks besides that steps fill the run, that sums are those of v_path_total, and that what is on the
path has no slack.
"""
import json
import pathlib
import sqlite3
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CASES = [
    "configs/plans/res4_int8.yaml", "configs/plans/res4_fp8.yaml", "configs/plans/res3_310p.yaml",
    "configs/plans/matmul_tails.yaml", "configs/plans/wav2vec_1d.yaml",
    "configs/plans/resnext_grouped.yaml", "configs/plans/pointwise_vendor_tile.yaml",
    "traces/samples/conv_load3d.prog", "traces/samples/matmul_double_buffered.prog",
    "traces/samples/set_conv_tile_shapes.prog", "traces/samples/hazard_deadlock.prog",
    "traces/samples/load3dv1.prog",
]


class Row:
    def __init__(self, values):
        (self.core, self.pipe, self.seq, self.opcode, self.start, self.end, self.done, self.busy,
         self.link, self.wait, self.cause, self.by_pipe, self.by_seq, self.operands,
         self.slack) = values
        self.is_set = self.opcode in ("set_flag", "mutex_unlock")
        self.is_wait = self.opcode in ("wait_flag", "mutex_lock")
        self.is_barrier = self.opcode == "pipe_barrier"
        self.works = not (self.is_set or self.is_wait or self.is_barrier)
        self.early = self.is_set and "src=CUBE" in self.operands and "dst=MTE1" in self.operands


def whole(product, group, key):
    return int(product[group][key]["value"].split()[0].replace(",", ""))


class Walk:
    """The rows of one core, and the path to any of their moments as steps from the last back."""

    def __init__(self, rows, product, startup):
        self.startup = startup
        self.barrier = whole(product, "sync", "barrier")
        self.stream = sorted(rows, key=lambda row: row.seq)
        self.rows = {row.seq: row for row in self.stream}
        self.depth = whole(product, "scalar", "queue")
        self.dispatch = whole(product, "scalar", "dispatch")
        self.before = {}   # seq: the row before it that holds its pipe
        self.works = {}    # pipe: [working rows]
        self.arrival = {}  # seq: (cycle, cycle of the base, row that the base starts with)
        self.count_dispatch()

    def count_dispatch(self):
        at = base_at = self.startup
        base = None
        last = {}
        for row in self.stream:
            works = self.works.setdefault(row.pipe, [])
            if row.pipe != "SCALAR" and row.works and len(works) >= self.depth:
                held = works[len(works) - self.depth]
                if held.start > at:
                    at = base_at = held.start
                    base = held
            at += self.dispatch
            self.arrival[row.seq] = (at, base_at, base)
            self.before[row.seq] = last.get(row.pipe)
            if row.works:
                works.append(row)
            if not row.is_set:
                last[row.pipe] = row
            if row.pipe == "SCALAR" and not row.works and not row.is_set:
                at = base_at = row.end
                base = row

    # Each part returns (step, what the path goes on with); steps are (seq, cause, cycles).

    def arrived(self, row):
        at, base_at, base = self.arrival[row.seq]
        step = (row.seq, "dispatch", at - base_at)
        if base is None:
            return step, ("startup", None)
        return step, ("end" if base.pipe == "SCALAR" else "start", base)

    def front(self, row):
        previous = self.before[row.seq]
        return ("end", previous) if previous is not None else None

    def free_at(self, row):
        previous = self.before[row.seq]
        return previous.end if previous is not None else 0

    def results(self, row):
        """The working row before a row whose results come last, the later of two."""
        works = [other for other in self.works.get(row.pipe, []) if other.seq < row.seq]
        return max(works, key=lambda other: (other.done, other.seq), default=None)

    def start(self, row):
        if row.cause in ("dispatch", "startup"):
            return self.arrived(row)
        if row.cause == "unit_flag":
            raise LookupError("a unit flag")
        return None, self.front(row)

    def fires(self, row):
        arrival, free_at = self.arrival[row.seq][0], self.free_at(row)
        if row.pipe == "SCALAR":
            return self.arrived(row)
        results = self.results(row)
        if not row.early and results is not None and results.done > max(arrival, free_at):
            return None, ("done", results)
        return self.arrived(row) if arrival > free_at else (None, self.front(row))

    def end(self, row):
        arrival, free_at = self.arrival[row.seq][0], self.free_at(row)
        if row.works:
            return [(row.seq, "link", row.link),
                    (row.seq, "busy", row.busy - row.link)], ("start", row)
        if row.is_wait and row.end > row.start:
            setter = self.rows[row.by_seq]
            return (row.seq, "flag", row.end - setter.end), ("fires", setter)
        if row.is_wait and row.pipe == "SCALAR":
            return self.arrived(row)
        if row.is_wait:
            return self.arrived(row) if arrival > free_at else (None, self.front(row))
        rest = row.end - self.barrier
        step = (row.seq, "barrier", self.barrier)
        if row.by_seq is not None:
            other = self.rows[row.by_seq]
            return step, ("done" if other.works and other.done == rest else "end", other)
        if row.pipe == "SCALAR" or arrival > free_at:
            return step, ("arrived", row)
        return step, self.front(row)

    def done(self, row):
        return (row.seq, "latency", row.done - row.end), ("end", row)

    def path(self):
        last = max(self.stream, key=lambda row: row.done)
        steps, part, row = [], "done" if last.works else "fires" if last.is_set else "end", last
        while part != "startup":
            found, behind = getattr(self, part)(row)
            for step in found if isinstance(found, list) else [found]:
                if step is not None and step[2] > 0:
                    steps.append(step)
            part, row = behind
        return [(None, "startup", self.startup)] + steps[::-1]


def check(condition, case, words):
    if not condition:
        raise SystemExit(f"{case}: {words}")


def check_run(case, database):
    run = database.execute("SELECT cycles, deciding_core, product_json FROM run").fetchone()
    cycles, core, product = run[0], run[1], json.loads(run[2])
    steps = database.execute("SELECT core, pipe, seq, cause, start_cycle, cycles, step "
                             "FROM v_critical_path ORDER BY step").fetchall()
    at = 0
    for number, step in enumerate(steps):
        check(step[4] == at and step[5] > 0 and step[6] == number, case, f"a gap before {step}")
        check(step[0] == core, case, f"{step} is not of core {core}")
        at += step[5]
    check(at == cycles, case, f"the path has {at} cycles, the run {cycles}")
    sums = database.execute(
        "SELECT CASE WHEN cause IN ('busy', 'link', 'latency') THEN pipe END, cause, SUM(cycles) "
        "FROM v_critical_path GROUP BY 1, 2 EXCEPT "
        "SELECT pipe, COALESCE(cause, kind), cycles FROM v_path_total").fetchall()
    check(not sums, case, f"sums that v_path_total does not have: {sums}")
    late = database.execute(
        "SELECT p.step, i.slack_cycles FROM v_critical_path AS p JOIN v_instruction AS i "
        "USING (run_id, core, pipe, seq) WHERE i.slack_cycles > 0 "
        "AND p.cause NOT IN ('unit_flag', 'dispatch')").fetchall()
    check(not late, case, f"steps with slack: {late[:5]}")
    unknown = database.execute("SELECT COUNT(*) FROM v_instruction "
                               "WHERE slack_cycles IS NULL").fetchone()[0]
    check(unknown == 0, case, f"{unknown} rows without slack")
    if database.execute("SELECT COUNT(*) FROM v_instruction "
                        "WHERE wait_cause = 'unit_flag'").fetchone()[0] > 0:
        return len(steps), False
    rows = [Row(values) for values in database.execute(
        "SELECT core, pipe, seq, opcode, start_cycle, end_cycle, done_cycle, busy_cycles, "
        "link_cycles, wait_cycles, wait_cause, blocker_pipe, blocker_seq, operands, slack_cycles "
        "FROM v_instruction WHERE core = ?", (core,))]
    check(steps[0][3] == "startup", case, "the path does not begin with the startup")
    found = Walk(rows, product, steps[0][5]).path()
    told = [(step[2], step[3], step[5]) for step in steps]
    for number, pair in enumerate(zip(found, told)):
        check(pair[0] == pair[1], case, f"step {number}: rows give {pair[0]}, told is {pair[1]}")
    check(len(found) == len(told), case, f"{len(found)} steps in rows, {len(told)} told")
    return len(steps), True


def main():
    program, walked = sys.argv[1], 0
    with tempfile.TemporaryDirectory() as folder:
        for number, case in enumerate(CASES):
            path = f"{folder}/{number}.db"
            subprocess.run([program, "run", ROOT / case, "--timing-only", "--hazards", "warn",
                            "--timeline", "all", "--db", path],
                           check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            database = sqlite3.connect(path)
            steps, by_rows = check_run(case, database)
            database.close()
            walked += by_rows
            print(f"{case}: {steps} steps{'' if by_rows else ', by steps alone'}")
    check(walked >= len(CASES) - 3, "all", "too few runs were walked by their rows")


if __name__ == "__main__":
    main()
