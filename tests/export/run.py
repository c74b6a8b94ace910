#!/usr/bin/env python3
"""Exports of real runs, read back by strict readers and compared with the database.

    tests/export/run.py CUBESIM
"""

import csv
import functools
import io
import math
import os
import re
import sqlite3
import subprocess
import sys
import tempfile
import unittest
from collections import Counter, defaultdict
from pathlib import Path
from xml.etree import ElementTree

from trace import Trace, TraceError

CUBESIM = sys.argv.pop(1) if len(sys.argv) > 1 else "cubesim"
FLAG_OPCODES = ("set_flag", "wait_flag")
TIMEBASES = ("ns", "cycle")
SVG = "{http://www.w3.org/2000/svg}"

# A plan or program, options of run, its exit code.
CASES = (
    ("configs/plans/wav2vec_1d.yaml", ["--timing-only", "--timeline", "core0"], 0),
    ("configs/plans/res3_310p.yaml", ["--timing-only", "--timeline", "core0"], 0),
    ("configs/plans/matmul_tails.yaml", ["--timing-only"], 0),
    ("traces/samples/matmul_double_buffered.prog", [], 0),
    ("traces/samples/conv_load3d.prog", [], 0),
    ("traces/samples/hazard_deadlock.prog", [], 1),
    ("traces/samples/hazard_flag_twice.prog", [], 1),
    ("traces/samples/hazard_flag_left.prog", [], 1),
    ("traces/samples/hazard_flag_unset.prog", [], 1),
)


def run(*words, code=0, **keywords):
    done = subprocess.run([CUBESIM, *map(str, words)], capture_output=True, **keywords)
    done.stdout, done.stderr = done.stdout.decode(), done.stderr.decode()
    if done.returncode != code:
        raise AssertionError(f"{words}: exit {done.returncode}, expected {code}: {done.stderr}")
    return done


class Saved:
    """The database of all cases; run i + 1 is case i."""

    folder = tempfile.TemporaryDirectory()
    path = Path(folder.name) / "runs.db"
    made = False

    @classmethod
    def make(cls):
        if not cls.made:
            for subject, options, code in CASES:
                run("run", subject, *options, "--db", cls.path, code=code)
        cls.made = True
        return cls.path

    @classmethod
    def copy(cls, statements):
        """A copy of the database that a test may spoil."""
        path = Path(cls.folder.name) / "copy.db"
        path.unlink(missing_ok=True)
        source, target = sqlite3.connect(cls.make()), sqlite3.connect(path)
        source.backup(target)
        with target:
            for statement in statements:
                target.execute(statement)
        target.close()
        source.close()
        return path


def ask(path, sql, *parameters):
    connection = sqlite3.connect(path)
    connection.row_factory = sqlite3.Row
    rows = connection.execute(sql, parameters).fetchall()
    connection.close()
    return rows


def export(run_id, *words, path=None):
    return run("export", path or Saved.make(), run_id, *words).stdout


def trace_of(run_id, *words, path=None):
    return Trace(export(run_id, "--format", "chrome", *words, path=path))


@functools.cache
def whole_trace(run_id, timebase):
    return trace_of(run_id, "--timebase", timebase)


def rows_of(run_id, path=None):
    return ask(path or Saved.make(), "SELECT * FROM v_instruction WHERE run_id = ?", run_id)


def slots_of(run_id):
    """Name -> buffer of the slots of a run: of a plan by their names, of a program as declared."""
    (run,) = ask(Saved.make(), "SELECT json_extract(plan_json, '$.program') AS text FROM v_run"
                 " WHERE run_id = ?", run_id)
    if run["text"] is None:
        return {f"{name}_{i}": space for i in range(8)
                for name, space in (("a1", "L1"), ("b1", "L1"), ("a0", "L0A"), ("b0", "L0B"),
                                    ("c0", "L0C"))}
    return {name: space.upper() for space, name in
            re.findall(r"^\s*\.(l1|l0a|l0b|l0c)\s+(\S+)", run["text"], re.MULTILINE)}


def slots_in_use(run_id):
    """(core, "L1 slots") -> [(cycle, slots in use)], from all rows at once."""
    spaces = slots_of(run_id)
    accesses = defaultdict(list)  # (core, slot) -> [(start, order, kind, end)]
    for row in sorted(rows_of(run_id), key=lambda row: row["start_cycle"]):
        if row["busy_cycles"] == 0:
            continue
        for key, name in re.findall(r"(?:^| )(dst|src|a|b|bias)=([^+ ]+)", row["operands"]):
            if name in spaces:
                accesses[row["core"], name].append(
                    (row["start_cycle"], key == "dst", row["end_cycle"]))
    changes = defaultdict(Counter)
    for (core, name), list_ in accesses.items():
        held, read_until = False, None
        change = changes[core, spaces[name] + " slots"]
        for start, writes, end in list_:
            if not writes and held:
                read_until = max(end, read_until or 0)
            elif writes:
                if held and read_until is not None and read_until < start:
                    change[read_until] -= 1
                    held = False
                if not held:
                    change[start] += 1
                held, read_until = True, None
        if held and read_until is not None:
            change[read_until] -= 1
    result = {}
    for place, change in changes.items():
        value, result[place] = 0, []
        for at in sorted(change):
            value += change[at]
            result[place].append((at, value))
    return result


class Chrome(unittest.TestCase):
    def all_traces(self):
        """(run, timebase, trace) of each."""
        Saved.make()
        for run_id in range(1, len(CASES) + 1):
            for timebase in TIMEBASES:
                with self.subTest(run=CASES[run_id - 1][0], timebase=timebase):
                    yield run_id, timebase, whole_trace(run_id, timebase)

    def test_every_row_is_there_once_with_the_numbers_of_the_database(self):
        for run_id, timebase, trace in self.all_traces():
            khz = trace.other["clock_khz"]
            drawn = {}
            for pid, tid, start, end, event in trace.work() + trace.of_category("flag"):
                pipe = trace.threads[pid, tid].removesuffix(" flags")
                key = trace.core(pid), pipe, event["args"]["seq"]
                self.assertNotIn(key, drawn)
                drawn[key] = start, end, event
            rows = rows_of(run_id)
            self.assertEqual(len(rows), len(drawn))
            for row in rows:
                start, end, event = drawn[row["core"], row["pipe"], row["seq"]]
                arguments = event["args"]
                self.assertEqual(event["name"], row["opcode"])
                self.assertEqual(arguments["detail"], row["operands"])
                if row["busy_cycles"] == 0:
                    self.assertEqual(arguments["cyc"], row["end_cycle"])
                    continue
                self.assertEqual(
                    (arguments["cyc"], arguments["dcyc"], arguments["done"],
                     arguments.get("wait", 0), arguments.get("link", 0), arguments.get("bytes", 0),
                     arguments.get("macs", 0), arguments.get("slack")),
                    (row["start_cycle"], row["busy_cycles"], row["done_cycle"], row["wait_cycles"],
                     row["link_cycles"], row["bytes"], row["macs"], row["slack_cycles"]))
                scale = 1 if timebase == "cycle" else 10**6 / khz
                self.assertEqual(start, math.floor(row["start_cycle"] * scale))
                self.assertEqual(end, math.floor(row["end_cycle"] * scale))

    def test_work_and_waits_of_a_pipe_add_up_to_those_of_the_database(self):
        for run_id, timebase, trace in self.all_traces():
            if timebase == "ns":
                continue
            length = defaultdict(int)
            for pid, tid, start, end, event in trace.slices:
                if event["cat"] != "flag":
                    kind = "wait" if event["cat"] == "wait" else "work"
                    length[trace.core(pid), trace.threads[pid, tid], kind] += end - start
            pipes = ask(Saved.path, "SELECT * FROM v_pipe WHERE run_id = ? AND core IN"
                        " (SELECT core FROM v_instruction WHERE run_id = v_pipe.run_id)", run_id)
            for pipe in pipes:
                place = pipe["core"], pipe["pipe"]
                if pipe["pipe"] != "SCALAR":
                    self.assertEqual(length[*place, "work"], pipe["busy_cycles"])
                    self.assertEqual(length[*place, "wait"], pipe["waiting_cycles"])

    def test_each_flag_that_is_set_and_waited_for_has_one_arrow(self):
        for run_id, _, trace in self.all_traces():
            count = Counter((row["core"], row["operands"], row["opcode"])
                            for row in rows_of(run_id) if row["opcode"] in FLAG_OPCODES)
            arrows = sum(min(number, count[core, operands, "wait_flag"])
                         for (core, operands, opcode), number in count.items()
                         if opcode == "set_flag")
            self.assertEqual(len(trace.flows), arrows)
            for (category, _), ends in trace.flows.items():
                names = [trace.threads[pid, tid].split()[0] for _, _, pid, tid in ends]
                self.assertEqual(category, "To".join(names))

    def test_rates_add_up_to_the_bytes_that_were_moved(self):
        for run_id, timebase, trace in self.all_traces():
            if timebase == "ns":
                continue
            for (pid, name), values in trace.counters.items():
                if name not in ("MTE2 from GM", "FIXP from L0C", "MTE3 to GM"):
                    continue
                area = sum(rate * (until - at)
                           for (at, rate), (until, _) in zip(values, values[1:]))
                (moved,) = ask(Saved.path, "SELECT sum(bytes) AS bytes FROM v_instruction"
                               " WHERE run_id = ? AND core = ? AND pipe = ?",
                               run_id, trace.core(pid), name.split()[0])
                self.assertAlmostEqual(area, moved["bytes"], delta=1 + moved["bytes"] / 1000)
                self.assertEqual(values[-1][1], 0)

    def test_slots_in_use_are_those_between_first_write_and_last_read(self):
        most = defaultdict(float)
        for run_id, timebase, trace in self.all_traces():
            if timebase == "ns":
                continue
            expected = slots_in_use(run_id)
            for (pid, name), values in trace.counters.items():
                if name.endswith(" slots"):
                    self.assertEqual(values, expected.pop((trace.core(pid), name)))
                    most[run_id, name] = max(most[run_id, name], max(value for _, value in values))
            self.assertFalse(expected)
        self.assertEqual(most[3, "L0A slots"], 2)
        self.assertEqual(most[3, "L1 slots"], 4)
        self.assertEqual(most[4, "L0C slots"], 1)

    def test_a_deadlock_waits_for_ever_up_to_the_end(self):
        run_id = 1 + [case[0] for case in CASES].index("traces/samples/hazard_deadlock.prog")
        trace = trace_of(run_id, "--timebase", "cycle")
        standing = [s for s in trace.of_category("wait") if s[4]["name"].endswith("for ever")]
        self.assertTrue(standing)
        for _, _, _, end, event in standing:
            self.assertEqual(end, trace.other["cycles"])
            self.assertNotIn("seq", event["args"])

    def test_a_run_of_core_0_has_core_0_alone(self):
        trace = trace_of(1)
        self.assertEqual(set(trace.processes.values()), {"core0.cubecore0"})
        self.assertGreater(trace.other["cores"], 1)

    def test_a_window_has_what_touches_it_and_whole_arrows(self):
        trace = trace_of(3, "--timebase", "cycle")
        first, last = 5000, 9000
        window = trace_of(3, "--timebase", "cycle", "--from", first, "--to", last, "--core", 1)
        def places(of):
            return sorted((s[2], s[3], s[4]["name"]) for s in of.slices
                          if of.core(s[0]) == 1 and s[3] > first and s[2] < last
                          and s[4]["cat"] != "flag")
        self.assertEqual(places(window), places(trace))
        self.assertEqual(len(window.slices) - len(window.of_category("flag")), len(places(trace)))
        inside = [ends for ends in trace.flows.values()
                  if trace.core(ends[0][2]) == 1 and first <= ends[0][0] and ends[1][0] < last]
        self.assertGreater(len(inside), 3)
        self.assertAlmostEqual(len(window.flows), len(inside), delta=1)
        for (pid, name), values in window.counters.items():
            if name.endswith(" slots"):
                whole = trace.counters[pid, name]
                before = [value for at, value in whole if at <= first][-1:]
                if before and before[0] > 0:
                    self.assertEqual(values[0], (first, before[0]))


class Tables(unittest.TestCase):
    def test_csv_has_the_view_value_for_value(self):
        for run_id in (1, 4, 6):
            rows = rows_of(run_id)
            text = export(run_id, "--format", "csv")
            read = list(csv.reader(io.StringIO(text, newline="")))
            self.assertEqual(read[0], list(rows[0].keys()))
            self.assertEqual(
                sorted(tuple(row) for row in read[1:]),
                sorted(tuple("" if v is None else str(v) for v in tuple(row)) for row in rows))

    def test_instr_exe_has_each_instruction_of_a_core_once_with_its_sums(self):
        path = Saved.make()
        for run_id, core in ((1, 0), (3, 5), (4, 0)):
            (run,) = ask(path, "SELECT clock_mhz FROM v_run WHERE run_id = ?", run_id)
            text = export(run_id, "--format", "instr_exe", "--core", core)
            self.assertTrue(
                text.startswith("instr,addr,pipe,call_count,cycles,running_time(us),detail\n"))
            expected = defaultdict(lambda: [None, 0, 0, 0])
            for row in rows_of(run_id):
                if row["core"] != core:
                    continue
                sums = expected[row["opcode"].upper(), row["pipe"], row["operands"]]
                busy = row["busy_cycles"]
                sums[0] = row["seq"] if sums[0] is None else min(sums[0], row["seq"])
                sums[1] += 1
                sums[2] += row["done_cycle"] - row["start_cycle"] if busy else row["wait_cycles"]
                sums[3] += busy
            cycles = []
            for row in csv.DictReader(io.StringIO(text)):
                sums = expected.pop((row["instr"], row["pipe"], row["detail"]))
                self.assertEqual([int(row["addr"]), int(row["call_count"]), int(row["cycles"])],
                                 sums[:3])
                self.assertAlmostEqual(float(row["running_time(us)"]), sums[3] / run["clock_mhz"],
                                       places=5)
                cycles.append(int(row["cycles"]))
            self.assertFalse(expected)
            self.assertEqual(cycles, sorted(cycles, reverse=True))

    def test_pipe_has_the_columns_of_the_profiler_and_the_cycles_of_the_database(self):
        names = {"CUBE": "aic_cube", "SCALAR": "aic_scalar", "FIXP": "aic_fixpipe",
                 "MTE1": "aic_mte1", "MTE2": "aic_mte2", "MTE3": "aic_mte3", "VECTOR": "aiv_vec"}
        for run_id in range(1, len(CASES) + 1):
            rows = list(csv.DictReader(io.StringIO(export(run_id, "--format", "pipe"))))
            (run,) = ask(Saved.path, "SELECT clock_mhz, cores FROM v_run WHERE run_id = ?", run_id)
            self.assertEqual([int(row["block_id"]) for row in rows], list(range(run["cores"])))
            for pipe in ask(Saved.path, "SELECT * FROM v_pipe WHERE run_id = ?", run_id):
                row, name = rows[pipe["core"]], names[pipe["pipe"]]
                self.assertEqual(row["sub_block_id"], "cube0")
                active = pipe["active_cycles"]
                self.assertAlmostEqual(float(row[f"{name}_time(us)"]), active / run["clock_mhz"],
                                       delta=0.0006)
                self.assertAlmostEqual(float(row[f"{name}_ratio"]),
                                       active / int(row["aic_total_cycles"]), delta=0.00006)
            for row in rows:
                self.assertEqual(row["aic_icache_miss_rate"], "NA")
            self.assertGreater(float(rows[0]["aic_mte2_active_bw(GB/s)"]), 0)
            if CASES[run_id - 1][1:2] == (["--timing-only", "--timeline", "core0"],):
                self.assertEqual(rows[1]["aic_mte2_active_bw(GB/s)"], "NA")


class Picture(unittest.TestCase):
    """Boxes say in their titles which cycles they show."""

    LEFT, WIDTH = 104, 840

    def picture(self, run_id, *words):
        root = ElementTree.fromstring(export(run_id, "--format", "svg", *words))
        boxes = []
        for rect in root.iter(f"{SVG}rect"):
            title = rect.find(f"{SVG}title")
            if title is not None:
                boxes.append((title.text, float(rect.get("x")), float(rect.get("width"))))
            self.assertGreaterEqual(float(rect.get("x", 0)), 0)
            self.assertLessEqual(float(rect.get("x", 0)) + float(rect.get("width")),
                                 float(root.get("width")) + 0.1)
        texts = ["".join(text.itertext()) for text in root.iter(f"{SVG}text")]
        return root, boxes, texts

    def test_a_window_has_each_box_at_its_place(self):
        first, last, core = 5000, 9000, 1
        _, boxes, texts = self.picture(3, "--from", first, "--to", last, "--core", core)
        self.assertIn("run 3, core 1, cycles 5,000 \u2013 9,000 (2.70 \u2013 4.86 \u00b5s)", texts)
        drawn = {}
        for title, x, width in boxes:
            match = re.match(r"(\w+) #(\d+), cycles ([\d,]+) \u2013 ([\d,]+), result at ", title)
            if match:
                drawn[int(match[2])] = (match[1], match[3], match[4], x, width)
        expected = 0
        for row in rows_of(3):
            start, end = row["start_cycle"], row["end_cycle"]
            if row["core"] != core or not row["busy_cycles"] or end <= first or start >= last:
                continue
            opcode, from_, to, x, width = drawn[row["seq"]]
            expected += 1
            self.assertEqual((opcode, from_, to), (row["opcode"], f"{start:,}", f"{end:,}"))
            at = [self.LEFT + (min(max(c, first), last) - first) * self.WIDTH / (last - first)
                  for c in (start, end)]
            self.assertAlmostEqual(x, at[0], delta=0.06)
            self.assertAlmostEqual(width, max(at[1] - at[0], 0.5), delta=0.06)
        self.assertEqual(len(drawn), expected)
        self.assertGreater(expected, 10)

    def test_the_line_of_the_critical_path_has_no_gap(self):
        root, _, texts = self.picture(4)
        lines = [line for line in root.iter(f"{SVG}line") if line.get("stroke-width") == "3"]
        self.assertTrue(all(float(line.get("y1")) > 120 for line in lines))
        pieces = sorted((float(line.get("x1")), float(line.get("x2"))) for line in lines)
        legend = [piece for piece in pieces if piece[1] - piece[0] == 18][-1:]
        at = self.LEFT
        for start, end in [piece for piece in pieces if piece not in legend]:
            self.assertAlmostEqual(start, at, delta=0.11)
            at = end
        self.assertAlmostEqual(at, self.LEFT + self.WIDTH, delta=0.11)
        self.assertIn("critical path (dashed: only time passes)", texts)

    def test_a_deadlock_waits_for_ever_in_the_picture(self):
        run_id = 1 + [case[0] for case in CASES].index("traces/samples/hazard_deadlock.prog")
        _, boxes, texts = self.picture(run_id)
        self.assertIn("deadlock", texts)
        self.assertTrue(any(title.startswith("waits ") and abs(x + width - 944) < 0.11
                            for title, x, width in boxes))

    def test_the_size_of_a_picture_does_not_follow_the_run(self):
        for run_id in (1, 2, 3):
            text = export(run_id, "--format", "svg")
            self.assertLess(len(text), 400_000)
            self.assertNotIn("http", text.replace('xmlns="http://www.w3.org/2000/svg"', ""))

    def test_a_run_of_core_0_shows_core_0(self):
        _, _, texts = self.picture(1)
        self.assertTrue(texts[0].startswith("run 1, core 0, "))


class KnownFaults(unittest.TestCase):
    """Faults that people met in traces and databases of other tools."""

    def test_e55_work_that_overlaps_stands_on_two_tracks(self):
        rows = [row for row in rows_of(4) if row["busy_cycles"] > 0]
        pipes = {row["pipe"]: row for row in rows}
        first, second = pipes["MTE2"], pipes["MTE1"]
        place = "UPDATE timeline SET start_cycle = {}, length_cycles = {}, busy_cycles = {}," \
                " wait_cycles = 0 WHERE run_id = 4 AND core = {} AND seq = {}"
        path = Saved.copy([
            "DELETE FROM timeline WHERE run_id = 4"
            f" AND seq NOT IN ({first['seq']}, {second['seq']})",
            place.format(200, 100, 100, first["core"], first["seq"]),
            place.format(280, 70, 70, second["core"], second["seq"]),
        ])
        trace = trace_of(4, "--timebase", "cycle", path=path)
        self.assertEqual({trace.threads[s[0], s[1]]: s[2:4] for s in trace.work()},
                         {"MTE2": (200, 300), "MTE1": (280, 350)})

    def test_e55_work_that_overlaps_on_one_pipe_is_refused(self):
        path = Saved.copy(["UPDATE timeline SET length_cycles = length_cycles + 5000,"
                           " busy_cycles = busy_cycles + 5000"
                           " WHERE run_id = 4 AND pipe = 2 AND busy_cycles > 0"])
        done = run("export", path, 4, "--format", "chrome", code=3)
        self.assertIn("begins before the one before it ends", done.stderr.replace("\n    ", " "))

    def test_e57_cycles_late_in_a_long_run_stay_apart(self):
        offset = 1_670_000_000_000_000
        path = Saved.copy([
            "DELETE FROM timeline WHERE run_id = 4 AND (pipe <> 3 OR busy_cycles = 0)",
            "UPDATE timeline SET length_cycles = 1, busy_cycles = 1, latency_cycles = 0,"
            f" wait_cycles = 0, link_cycles = 0, start_cycle = {offset} + (SELECT count(*)"
            " FROM timeline AS t WHERE t.run_id = 4 AND t.seq < timeline.seq) WHERE run_id = 4",
            f"UPDATE run SET cycles = {offset} + 1000 WHERE run_id = 4",
        ])
        for timebase in TIMEBASES:
            work = trace_of(4, "--timebase", timebase, path=path).work()
            self.assertGreater(len(work), 1)
            self.assertEqual([s[4]["args"]["cyc"] for s in work],
                             [offset + i for i in range(len(work))])
            self.assertTrue(all(s[3] > s[2] for s in work))
            if timebase == "cycle":
                self.assertEqual([s[2] for s in work], [offset + i for i in range(len(work))])

    def test_instructions_that_share_a_place_among_the_known_ones_are_told_apart(self):
        """The numbers of all end in the same bits."""
        far = "UPDATE {} SET instruction_id = instruction_id * 65536 WHERE run_id = 1"
        path = Saved.copy([far.format("instruction"), far.format("timeline")])
        self.assertGreater(len(ask(path, "SELECT 1 FROM instruction WHERE run_id = 1")), 10)
        self.assertEqual(export(1, "--format", "chrome", path=path),
                         export(1, "--format", "chrome"))

    def test_e58_a_trace_that_is_too_large_is_told_before_it_is_written(self):
        path = Saved.copy([
            "DELETE FROM timeline WHERE run_id = 4",
            "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 170000)"
            " INSERT INTO timeline (run_id, core, pipe, seq, instruction_id, start_cycle,"
            " length_cycles, latency_cycles, busy_cycles, link_cycles, wait_cycles, cause)"
            " SELECT 4, 0, 1, i, copy, 20 * i + 10, 10, 0, 10, 0, 10, 3"
            " FROM n, (SELECT max(instruction_id) AS copy FROM instruction"
            " WHERE run_id = 4 AND opcode = 'nd2nz')",
            "UPDATE run SET cycles = 3400040, instructions = 170001 WHERE run_id = 4",
        ])
        done = subprocess.run(
            ["sh", "-c", f"'{CUBESIM}' export '{path}' 4 --format chrome | head -c 100"],
            capture_output=True, text=True, check=True)
        self.assertIn("warning: about 1,020,006 events", done.stderr)
        self.assertIn("--core, --from and --to write less", done.stderr.replace("\n    ", " "))
        window = run("export", path, 4, "--format", "chrome", "--from", 5000, "--to", 5100)
        self.assertEqual(window.stderr, "")
        self.assertEqual(len(Trace(window.stdout).work()), 5)

    def test_f61_a_run_is_exported_while_another_process_writes(self):
        path = Saved.copy([])
        connection = sqlite3.connect(path, isolation_level=None)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("DELETE FROM timeline WHERE run_id = 4")
        self.assertEqual(export(4, "--format", "csv", path=path), export(4, "--format", "csv"))
        connection.execute("ROLLBACK")
        connection.close()


class Reader(unittest.TestCase):
    """The reader of these tests sees what it is there to see."""

    def spoiled(self, old, new, count=1):
        text = export(4, "--format", "chrome")
        self.assertIn(old, text)
        with self.assertRaises((TraceError, ValueError)):
            Trace(text.replace(old, new, count))

    def test_it_refuses_what_viewers_stumble_over(self):
        self.spoiled('"profilingType":"op",', "")
        self.spoiled('"ph":"t"', '"ph":"s"')
        self.spoiled('"dur":0.', '"dur":9.')
        self.spoiled('"ts":0.', '"ts":9.')
        self.spoiled('"ts":', '"ts":-')
        self.spoiled("}}\n],", "}},\n],")
        self.spoiled('"ph":"X"', '"ph":"X","ph":"X"')


if __name__ == "__main__":
    os.chdir(Path(__file__).resolve().parents[2])
    unittest.main(verbosity=1)
