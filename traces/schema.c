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

/* Version 2: the critical path step by step, the slack of instructions, and what L2 writes back. */
static const char *const version_2[] = {
    "ALTER TABLE run ADD COLUMN gm_write_back_bytes INTEGER",

    "DROP VIEW v_run_detail",

    "CREATE VIEW v_run_detail AS SELECT\n"
    "  run_id, deciding_core, timeline, time_low_us, time_high_us,\n"
    "  launch_us + cycles / clock_mhz AS task_us, mmad_macs, cube_macs,\n"
    "  CAST(macs AS REAL) / NULLIF(cube_macs, 0) AS useful_mac_share,\n"
    "  gm_miss_bytes, tensor_bytes, compared, mismatches, max_abs_error, hazards,\n"
    "  simulator_seconds, gm_write_back_bytes\n"
    "FROM run",

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
    "  rule TEXT NOT NULL,\n"
    "  looked_at TEXT NOT NULL,\n"
    "  cycles INTEGER NOT NULL,\n"
    "  PRIMARY KEY (run_id, rank)\n"
    ") STRICT, WITHOUT ROWID",

    "CREATE VIEW v_suggestion AS SELECT\n"
    "  s.run_id, s.rank, s.change, s.rule, s.looked_at, s.cycles,\n"
    "  100.0 * (r.cycles - s.cycles) / r.cycles AS gain_percent\n"
    "FROM suggestion AS s JOIN run AS r ON r.run_id = s.run_id",

    /* Names that readers of Perfetto's tables know. Ids are made of what a row is of, so that they
     * are the same whichever view has them; both ends are rounded alike, so slices of a track at
     * depth 0 never overlap. A set_flag may fire while its pipe does a later instruction. */
    "CREATE VIEW v_track AS SELECT\n"
    "  (t.run_id * 1024 + t.core) * 8 + t.pipe AS id,\n"
    "  'core ' || t.core || ' ' || p.name AS name, 'pipe' AS type, t.run_id, t.core,\n"
    "  p.name AS pipe\n"
    "FROM pipe_total AS t JOIN enum_pipe AS p ON p.pipe = t.pipe",

    "CREATE VIEW v_slice AS SELECT\n"
    "  (t.run_id * 1024 + t.core) * 4294967296 + t.seq AS id,\n"
    "  CAST(ROUND(t.start_cycle * 1000.0 / r.clock_mhz) AS INTEGER) AS ts,\n"
    "  CAST(ROUND((t.start_cycle + t.length_cycles) * 1000.0 / r.clock_mhz) AS INTEGER)\n"
    "    - CAST(ROUND(t.start_cycle * 1000.0 / r.clock_mhz) AS INTEGER) AS dur,\n"
    "  (t.run_id * 1024 + t.core) * 8 + t.pipe AS track_id, i.opcode AS name,\n"
    "  CASE WHEN t.busy_cycles > 0 THEN 'busy' WHEN i.opcode = 'set_flag' THEN 'signal'\n"
    "    ELSE 'wait' END AS category,\n"
    "  i.opcode = 'set_flag' AS depth, t.run_id, t.core, p.name AS pipe, t.seq, t.start_cycle,\n"
    "  t.length_cycles AS cycles, i.bytes, i.operands\n"
    "FROM timeline AS t\n"
    "JOIN run AS r ON r.run_id = t.run_id\n"
    "JOIN enum_pipe AS p ON p.pipe = t.pipe\n"
    "JOIN instruction AS i ON i.run_id = t.run_id AND i.instruction_id = t.instruction_id",

    "CREATE VIEW v_flow AS SELECT\n"
    "  (t.run_id * 1024 + t.core) * 4294967296 + t.seq AS id,\n"
    "  (t.run_id * 1024 + t.blocker_core) * 4294967296 + t.blocker_seq AS slice_out,\n"
    "  (t.run_id * 1024 + t.core) * 4294967296 + t.seq AS slice_in,\n"
    "  c.name AS name, t.run_id, t.wait_cycles AS cycles\n"
    "FROM timeline AS t JOIN enum_cause AS c ON c.cause = t.cause\n"
    "WHERE t.blocker_seq IS NOT NULL",

    /* Bytes per cycle of a pipe: a value where a transfer begins, 0 where none follows at once. */
    "CREATE VIEW v_counter AS\n"
    "WITH transfer AS (SELECT\n"
    "    t.run_id, t.core, t.pipe, t.start_cycle, t.start_cycle + t.length_cycles AS end_cycle,\n"
    "    CAST(i.bytes AS REAL) / t.length_cycles AS value,\n"
    "    LEAD(t.start_cycle) OVER (PARTITION BY t.run_id, t.core, t.pipe ORDER BY t.seq)\n"
    "      AS next_cycle\n"
    "  FROM timeline AS t JOIN instruction AS i\n"
    "    ON i.run_id = t.run_id AND i.instruction_id = t.instruction_id\n"
    "  WHERE t.busy_cycles > 0 AND i.bytes > 0),\n"
    "change AS (\n"
    "  SELECT run_id, core, pipe, start_cycle AS cycle, value FROM transfer\n"
    "  UNION ALL\n"
    "  SELECT run_id, core, pipe, end_cycle, 0.0 FROM transfer\n"
    "  WHERE next_cycle IS NULL OR next_cycle > end_cycle)\n"
    "SELECT\n"
    "  CAST(ROUND(c.cycle * 1000.0 / r.clock_mhz) AS INTEGER) AS ts,\n"
    "  (c.run_id * 1024 + c.core) * 8 + c.pipe AS track_id, c.value,\n"
    "  p.name || ' bytes per cycle' AS name, c.run_id, c.core, p.name AS pipe, c.cycle\n"
    "FROM change AS c JOIN run AS r ON r.run_id = c.run_id\n"
    "JOIN enum_pipe AS p ON p.pipe = c.pipe",

    /* Names that readers of the vendor's profiler know: a row for each core, as its tables for each
     * pipe have, and a row for each run, as its summary of operators has. Its counters of a pipe
     * run from the start of an instruction to its result, as active_cycles do. */
    "CREATE VIEW v_msprof_pipe AS\n"
    "WITH core AS (SELECT c.run_id, c.core AS block_id, c.cycles AS aic_total_cycles,\n"
    "    r.clock_mhz,\n"
    "    MAX(CASE t.pipe WHEN 3 THEN t.active_cycles END) AS cube,\n"
    "    MAX(CASE t.pipe WHEN 0 THEN t.active_cycles END) AS scalar,\n"
    "    MAX(CASE t.pipe WHEN 2 THEN t.active_cycles END) AS mte1,\n"
    "    MAX(CASE t.pipe WHEN 1 THEN t.active_cycles END) AS mte2,\n"
    "    MAX(CASE t.pipe WHEN 6 THEN t.active_cycles END) AS mte3,\n"
    "    MAX(CASE t.pipe WHEN 4 THEN t.active_cycles END) AS fixpipe,\n"
    "    MAX(CASE t.pipe WHEN 5 THEN t.active_cycles END) AS vec\n"
    "  FROM core_total AS c JOIN run AS r ON r.run_id = c.run_id\n"
    "  LEFT JOIN pipe_total AS t ON t.run_id = c.run_id AND t.core = c.core\n"
    "  GROUP BY c.run_id, c.core)\n"
    "SELECT run_id, block_id, aic_total_cycles / clock_mhz AS aic_time_us, aic_total_cycles,\n"
    "  cube / clock_mhz AS aic_cube_time_us,\n"
    "  CAST(cube AS REAL) / NULLIF(aic_total_cycles, 0) AS aic_cube_ratio,\n"
    "  cube / clock_mhz AS aic_mac_time_us,\n"
    "  CAST(cube AS REAL) / NULLIF(aic_total_cycles, 0) AS aic_mac_ratio,\n"
    "  scalar / clock_mhz AS aic_scalar_time_us,\n"
    "  CAST(scalar AS REAL) / NULLIF(aic_total_cycles, 0) AS aic_scalar_ratio,\n"
    "  mte1 / clock_mhz AS aic_mte1_time_us,\n"
    "  CAST(mte1 AS REAL) / NULLIF(aic_total_cycles, 0) AS aic_mte1_ratio,\n"
    "  mte2 / clock_mhz AS aic_mte2_time_us,\n"
    "  CAST(mte2 AS REAL) / NULLIF(aic_total_cycles, 0) AS aic_mte2_ratio,\n"
    "  mte3 / clock_mhz AS aic_mte3_time_us,\n"
    "  CAST(mte3 AS REAL) / NULLIF(aic_total_cycles, 0) AS aic_mte3_ratio,\n"
    "  fixpipe / clock_mhz AS aic_fixpipe_time_us,\n"
    "  CAST(fixpipe AS REAL) / NULLIF(aic_total_cycles, 0) AS aic_fixpipe_ratio,\n"
    "  vec / clock_mhz AS aiv_vec_time_us,\n"
    "  CAST(vec AS REAL) / NULLIF(aic_total_cycles, 0) AS aiv_vec_ratio\n"
    "FROM core",

    "CREATE VIEW v_msprof_op AS SELECT\n"
    "  r.run_id, r.problem AS op_name, r.launch_us + r.cycles / r.clock_mhz AS task_duration_us,\n"
    "  COUNT(*) AS block_dim, AVG(p.aic_time_us) AS aicore_time_us,\n"
    "  SUM(p.aic_total_cycles) AS aic_total_cycles,\n"
    "  AVG(p.aic_mac_time_us) AS aic_mac_time_us,\n"
    "  SUM(p.aic_mac_time_us) / SUM(p.aic_time_us) AS aic_mac_ratio,\n"
    "  AVG(p.aic_scalar_time_us) AS aic_scalar_time_us,\n"
    "  SUM(p.aic_scalar_time_us) / SUM(p.aic_time_us) AS aic_scalar_ratio,\n"
    "  AVG(p.aic_mte1_time_us) AS aic_mte1_time_us,\n"
    "  SUM(p.aic_mte1_time_us) / SUM(p.aic_time_us) AS aic_mte1_ratio,\n"
    "  AVG(p.aic_mte2_time_us) AS aic_mte2_time_us,\n"
    "  SUM(p.aic_mte2_time_us) / SUM(p.aic_time_us) AS aic_mte2_ratio,\n"
    "  AVG(p.aic_fixpipe_time_us) AS aic_fixpipe_time_us,\n"
    "  SUM(p.aic_fixpipe_time_us) / SUM(p.aic_time_us) AS aic_fixpipe_ratio\n"
    "FROM run AS r JOIN v_msprof_pipe AS p ON p.run_id = r.run_id\n"
    "GROUP BY r.run_id",

    NULL,
};

static const char *const *const steps[] = {version_1, version_2};

_Static_assert(sizeof steps / sizeof *steps == SCHEMA_VERSION, "one step for each version");

const char *const *schema_step(uint32_t version)
{
    assert(version >= 1 && version <= SCHEMA_VERSION);
    return steps[version - 1];
}
