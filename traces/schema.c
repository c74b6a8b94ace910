#include "traces/schema.h"

#include <assert.h>
#include <stddef.h>

/* Version 1. Cycles are stored as integers; lengths stand in place of ends because small numbers
 * take fewer bytes in a record. The names of enumerations are data, so that SQL can join them. */
static const char *const version_1[] = {
    "CREATE TABLE enum_pipe (\n"
    "  pipe INTEGER PRIMARY KEY,\n"
    "  name TEXT NOT NULL UNIQUE\n"
    ") STRICT",

    "INSERT INTO enum_pipe (pipe, name) VALUES (0, 'SCALAR'), (1, 'MTE2'), (2, 'MTE1'),\n"
    "  (3, 'CUBE'), (4, 'FIXP'), (5, 'VECTOR'), (6, 'MTE3')",

    "CREATE TABLE enum_cause (\n"
    "  cause INTEGER PRIMARY KEY,\n"
    "  name TEXT NOT NULL UNIQUE\n"
    ") STRICT",

    "INSERT INTO enum_cause (cause, name) VALUES (1, 'flag'), (2, 'barrier'), (3, 'dispatch'),\n"
    "  (4, 'unit_flag'), (5, 'startup'), (6, 'same_address'), (7, 'queue_full')",

    "CREATE TABLE run_counter (\n"
    "  last_run_id INTEGER NOT NULL\n"
    ") STRICT",

    "INSERT INTO run_counter (last_run_id) VALUES (0)",

    "CREATE TABLE run (\n"
    "  run_id INTEGER PRIMARY KEY,\n"
    "  created_utc TEXT NOT NULL,\n"
    "  version TEXT NOT NULL,\n"
    "  product TEXT NOT NULL,\n"
    "  soc TEXT NOT NULL,\n"
    "  clock_mhz REAL NOT NULL CHECK (clock_mhz > 0),\n"
    "  problem TEXT NOT NULL,\n"
    "  tiling TEXT NOT NULL,\n"
    "  cores INTEGER NOT NULL CHECK (cores > 0),\n"
    "  deciding_core INTEGER NOT NULL,\n"
    "  cycles INTEGER NOT NULL,\n"
    "  time_low_us REAL,\n"
    "  time_high_us REAL,\n"
    "  launch_us REAL NOT NULL,\n"
    "  bound TEXT NOT NULL,\n"
    "  macs INTEGER NOT NULL,\n"
    "  mmad_macs INTEGER NOT NULL,\n"
    "  cube_macs INTEGER NOT NULL,\n"
    "  instructions INTEGER NOT NULL,\n"
    "  gm_read_bytes INTEGER NOT NULL,\n"
    "  gm_write_bytes INTEGER NOT NULL,\n"
    "  gm_miss_bytes INTEGER NOT NULL,\n"
    "  tensor_bytes INTEGER NOT NULL,\n"
    "  compared INTEGER,\n"
    "  mismatches INTEGER,\n"
    "  max_abs_error REAL,\n"
    "  hazards INTEGER NOT NULL,\n"
    "  timeline TEXT NOT NULL CHECK (timeline IN ('all', 'core0', 'none')),\n"
    "  simulator_seconds REAL NOT NULL,\n"
    "  run_key TEXT NOT NULL,\n"
    "  plan_json TEXT NOT NULL CHECK (json_valid(plan_json)),\n"
    "  product_json TEXT NOT NULL CHECK (json_valid(product_json))\n"
    ") STRICT",

    "CREATE INDEX run_by_key ON run (run_key)",

    "CREATE TABLE core_total (\n"
    "  run_id INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,\n"
    "  core INTEGER NOT NULL,\n"
    "  cycles INTEGER NOT NULL,\n"
    "  PRIMARY KEY (run_id, core)\n"
    ") STRICT, WITHOUT ROWID",

    "CREATE TABLE pipe_total (\n"
    "  run_id INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,\n"
    "  core INTEGER NOT NULL,\n"
    "  pipe INTEGER NOT NULL REFERENCES enum_pipe,\n"
    "  instructions INTEGER NOT NULL,\n"
    "  busy_cycles INTEGER NOT NULL,\n"
    "  waiting_cycles INTEGER NOT NULL,\n"
    "  idle_cycles INTEGER NOT NULL,\n"
    "  link_cycles INTEGER NOT NULL,\n"
    "  active_cycles INTEGER NOT NULL,\n"
    "  PRIMARY KEY (run_id, core, pipe)\n"
    ") STRICT, WITHOUT ROWID",

    "CREATE TABLE wait_total (\n"
    "  run_id INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,\n"
    "  core INTEGER NOT NULL,\n"
    "  pipe INTEGER NOT NULL REFERENCES enum_pipe,\n"
    "  cause INTEGER NOT NULL REFERENCES enum_cause,\n"
    "  cycles INTEGER NOT NULL CHECK (cycles > 0),\n"
    "  occurrences INTEGER NOT NULL,\n"
    "  PRIMARY KEY (run_id, core, pipe, cause)\n"
    ") STRICT, WITHOUT ROWID",

    "CREATE TABLE wait_for_total (\n"
    "  run_id INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,\n"
    "  core INTEGER NOT NULL,\n"
    "  pipe INTEGER NOT NULL REFERENCES enum_pipe,\n"
    "  for_pipe INTEGER NOT NULL REFERENCES enum_pipe,\n"
    "  cycles INTEGER NOT NULL CHECK (cycles > 0),\n"
    "  PRIMARY KEY (run_id, core, pipe, for_pipe)\n"
    ") STRICT, WITHOUT ROWID",

    "CREATE TABLE path_total (\n"
    "  run_id INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,\n"
    "  kind TEXT NOT NULL CHECK (kind IN ('busy', 'latency', 'link', 'wait')),\n"
    "  pipe INTEGER REFERENCES enum_pipe,\n"
    "  cause INTEGER REFERENCES enum_cause,\n"
    "  cycles INTEGER NOT NULL CHECK (cycles > 0),\n"
    "  CHECK ((kind = 'wait') = (pipe IS NULL)),\n"
    "  CHECK ((kind = 'wait') = (cause IS NOT NULL))\n"
    ") STRICT",

    "CREATE INDEX path_total_by_run ON path_total (run_id)",

    "CREATE TABLE basis_total (\n"
    "  run_id INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,\n"
    "  basis TEXT NOT NULL CHECK (basis IN ('vendor', 'measured', 'fitted', 'guess')),\n"
    "  cycles INTEGER NOT NULL,\n"
    "  PRIMARY KEY (run_id, basis)\n"
    ") STRICT, WITHOUT ROWID",

    "CREATE TABLE hazard (\n"
    "  run_id INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,\n"
    "  hazard_id INTEGER NOT NULL,\n"
    "  core INTEGER NOT NULL,\n"
    "  seq INTEGER NOT NULL,\n"
    "  kind TEXT NOT NULL,\n"
    "  message TEXT NOT NULL,\n"
    "  PRIMARY KEY (run_id, hazard_id)\n"
    ") STRICT, WITHOUT ROWID",

    /* Each distinct instruction of a run once; most rows of a timeline repeat one. */
    "CREATE TABLE instruction (\n"
    "  run_id INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,\n"
    "  instruction_id INTEGER NOT NULL,\n"
    "  opcode TEXT NOT NULL,\n"
    "  operands TEXT NOT NULL,\n"
    "  bytes INTEGER NOT NULL,\n"
    "  macs INTEGER NOT NULL,\n"
    "  PRIMARY KEY (run_id, instruction_id)\n"
    ") STRICT, WITHOUT ROWID",

    "CREATE TABLE timeline (\n"
    "  run_id INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,\n"
    "  core INTEGER NOT NULL,\n"
    "  pipe INTEGER NOT NULL,\n"
    "  seq INTEGER NOT NULL,\n"
    "  instruction_id INTEGER NOT NULL,\n"
    "  start_cycle INTEGER NOT NULL,\n"
    "  length_cycles INTEGER NOT NULL,\n"
    "  latency_cycles INTEGER NOT NULL,\n"
    "  busy_cycles INTEGER NOT NULL,\n"
    "  link_cycles INTEGER NOT NULL,\n"
    "  wait_cycles INTEGER NOT NULL,\n"
    "  cause INTEGER,\n"
    "  blocker_core INTEGER,\n"
    "  blocker_pipe INTEGER,\n"
    "  blocker_seq INTEGER,\n"
    "  PRIMARY KEY (run_id, core, pipe, seq)\n"
    ") STRICT, WITHOUT ROWID",

    "CREATE VIEW v_run AS SELECT\n"
    "  run_id, created_utc, version, product, soc, clock_mhz, problem, tiling, cores, cycles,\n"
    "  cycles / clock_mhz AS time_us, launch_us, bound, macs,\n"
    "  CAST(macs AS REAL) / NULLIF(cycles, 0) AS macs_per_cycle,\n"
    "  (SELECT SUM(p.busy_cycles) FROM pipe_total AS p\n"
    "     WHERE p.run_id = run.run_id AND p.pipe = 3) * 1.0\n"
    "    / NULLIF(cycles * cores, 0) AS cube_utilization,\n"
    "  instructions, gm_read_bytes, gm_write_bytes,\n"
    "  mismatches = 0 AS verified,\n"
    "  run_key, plan_json, product_json\n"
    "FROM run",

    "CREATE VIEW v_run_detail AS SELECT\n"
    "  run_id, deciding_core, timeline, time_low_us, time_high_us,\n"
    "  launch_us + cycles / clock_mhz AS task_us, mmad_macs, cube_macs,\n"
    "  CAST(macs AS REAL) / NULLIF(cube_macs, 0) AS useful_mac_share,\n"
    "  gm_miss_bytes, tensor_bytes, compared, mismatches, max_abs_error, hazards,\n"
    "  simulator_seconds\n"
    "FROM run",

    "CREATE VIEW v_instruction AS SELECT\n"
    "  t.run_id, t.core, p.name AS pipe, t.seq, i.opcode, t.start_cycle,\n"
    "  t.start_cycle + t.length_cycles AS end_cycle,\n"
    "  t.start_cycle + t.length_cycles + t.latency_cycles AS done_cycle,\n"
    "  t.busy_cycles, t.link_cycles, t.wait_cycles, c.name AS wait_cause,\n"
    "  t.blocker_core, b.name AS blocker_pipe, t.blocker_seq, i.bytes, i.macs, i.operands\n"
    "FROM timeline AS t\n"
    "JOIN enum_pipe AS p ON p.pipe = t.pipe\n"
    "JOIN instruction AS i ON i.run_id = t.run_id AND i.instruction_id = t.instruction_id\n"
    "LEFT JOIN enum_cause AS c ON c.cause = t.cause\n"
    "LEFT JOIN enum_pipe AS b ON b.pipe = t.blocker_pipe",

    "CREATE VIEW v_pipe AS SELECT\n"
    "  t.run_id, t.core, p.name AS pipe, t.instructions, t.busy_cycles, t.waiting_cycles,\n"
    "  t.idle_cycles, t.link_cycles, t.active_cycles,\n"
    "  CAST(t.busy_cycles AS REAL) / NULLIF(r.cycles, 0) AS utilization\n"
    "FROM pipe_total AS t\n"
    "JOIN enum_pipe AS p ON p.pipe = t.pipe\n"
    "JOIN run AS r ON r.run_id = t.run_id",

    "CREATE VIEW v_core AS SELECT\n"
    "  t.run_id, t.core, t.cycles, t.core = r.deciding_core AS deciding\n"
    "FROM core_total AS t JOIN run AS r ON r.run_id = t.run_id",

    "CREATE VIEW v_wait AS SELECT\n"
    "  t.run_id, t.core, p.name AS pipe, c.name AS cause, t.cycles, t.occurrences\n"
    "FROM wait_total AS t\n"
    "JOIN enum_pipe AS p ON p.pipe = t.pipe\n"
    "JOIN enum_cause AS c ON c.cause = t.cause",

    "CREATE VIEW v_wait_for AS SELECT\n"
    "  t.run_id, t.core, p.name AS pipe, f.name AS for_pipe, t.cycles\n"
    "FROM wait_for_total AS t\n"
    "JOIN enum_pipe AS p ON p.pipe = t.pipe\n"
    "JOIN enum_pipe AS f ON f.pipe = t.for_pipe",

    "CREATE VIEW v_path_total AS SELECT\n"
    "  t.run_id, t.kind, p.name AS pipe, c.name AS cause, t.cycles,\n"
    "  CAST(t.cycles AS REAL) / NULLIF(r.cycles, 0) AS share\n"
    "FROM path_total AS t\n"
    "JOIN run AS r ON r.run_id = t.run_id\n"
    "LEFT JOIN enum_pipe AS p ON p.pipe = t.pipe\n"
    "LEFT JOIN enum_cause AS c ON c.cause = t.cause",

    "CREATE VIEW v_basis AS SELECT\n"
    "  t.run_id, t.basis, t.cycles, CAST(t.cycles AS REAL) / NULLIF(r.cycles, 0) AS share\n"
    "FROM basis_total AS t JOIN run AS r ON r.run_id = t.run_id",

    "CREATE VIEW v_hazard AS SELECT run_id, core, seq, kind, message FROM hazard",

    NULL,
};

/* Version 2: the critical path step by step, and the slack of instructions. */
static const char *const version_2[] = {
    "CREATE TABLE path_step (\n"
    "  run_id INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,\n"
    "  step INTEGER NOT NULL,\n"
    "  core INTEGER NOT NULL,\n"
    "  pipe INTEGER NOT NULL REFERENCES enum_pipe,\n"
    "  seq INTEGER,\n"
    "  opcode TEXT,\n"
    "  kind TEXT NOT NULL CHECK (kind IN ('busy', 'latency', 'link', 'wait')),\n"
    "  cause INTEGER REFERENCES enum_cause,\n"
    "  start_cycle INTEGER NOT NULL,\n"
    "  cycles INTEGER NOT NULL CHECK (cycles > 0),\n"
    "  PRIMARY KEY (run_id, step),\n"
    "  CHECK ((seq IS NULL) = (opcode IS NULL)),\n"
    "  CHECK ((kind = 'wait') = (cause IS NOT NULL))\n"
    ") STRICT, WITHOUT ROWID",

    "CREATE VIEW v_critical_path AS SELECT\n"
    "  s.run_id, s.step, s.core, p.name AS pipe, s.seq, s.opcode,\n"
    "  COALESCE(c.name, s.kind) AS cause, s.start_cycle, s.cycles\n"
    "FROM path_step AS s\n"
    "JOIN enum_pipe AS p ON p.pipe = s.pipe\n"
    "LEFT JOIN enum_cause AS c ON c.cause = s.cause",

    "ALTER TABLE timeline ADD COLUMN slack_cycles INTEGER",

    "DROP VIEW v_instruction",

    "CREATE VIEW v_instruction AS SELECT\n"
    "  t.run_id, t.core, p.name AS pipe, t.seq, i.opcode, t.start_cycle,\n"
    "  t.start_cycle + t.length_cycles AS end_cycle,\n"
    "  t.start_cycle + t.length_cycles + t.latency_cycles AS done_cycle,\n"
    "  t.busy_cycles, t.link_cycles, t.wait_cycles, c.name AS wait_cause,\n"
    "  t.blocker_core, b.name AS blocker_pipe, t.blocker_seq, i.bytes, i.macs, i.operands,\n"
    "  t.slack_cycles\n"
    "FROM timeline AS t\n"
    "JOIN enum_pipe AS p ON p.pipe = t.pipe\n"
    "JOIN instruction AS i ON i.run_id = t.run_id AND i.instruction_id = t.instruction_id\n"
    "LEFT JOIN enum_cause AS c ON c.cause = t.cause\n"
    "LEFT JOIN enum_pipe AS b ON b.pipe = t.blocker_pipe",

    "CREATE TABLE roofline (\n"
    "  run_id INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,\n"
    "  level INTEGER NOT NULL,\n"
    "  name TEXT NOT NULL,\n"
    "  bytes INTEGER NOT NULL,\n"
    "  roof_bytes_per_cycle REAL,\n"
    "  macs_per_byte REAL,\n"
    "  roof_macs_per_cycle REAL,\n"
    "  reached REAL NOT NULL,\n"
    "  PRIMARY KEY (run_id, level)\n"
    ") STRICT, WITHOUT ROWID",

    "CREATE VIEW v_roofline AS SELECT\n"
    "  f.run_id, f.name AS level, f.bytes,\n"
    "  CAST(f.bytes AS REAL) / NULLIF(r.cycles, 0) AS bytes_per_cycle,\n"
    "  f.roof_bytes_per_cycle, f.macs_per_byte, f.roof_macs_per_cycle, f.reached\n"
    "FROM roofline AS f JOIN run AS r ON r.run_id = f.run_id",

    "CREATE TABLE suggestion (\n"
    "  run_id INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,\n"
    "  rank INTEGER NOT NULL,\n"
    "  change TEXT NOT NULL,\n"
    "  looked_at TEXT NOT NULL,\n"
    "  cycles INTEGER NOT NULL,\n"
    "  PRIMARY KEY (run_id, rank)\n"
    ") STRICT, WITHOUT ROWID",

    "CREATE VIEW v_suggestion AS SELECT\n"
    "  s.run_id, s.rank, s.change, s.looked_at, s.cycles,\n"
    "  100.0 * (r.cycles - s.cycles) / r.cycles AS gain_percent\n"
    "FROM suggestion AS s JOIN run AS r ON r.run_id = s.run_id",

    NULL,
};

static const char *const *const steps[] = {version_1, version_2};

_Static_assert(sizeof steps / sizeof *steps == SCHEMA_VERSION, "one step for each version");

const char *const *schema_step(uint32_t version)
{
    assert(version >= 1 && version <= SCHEMA_VERSION);
    return steps[version - 1];
}
