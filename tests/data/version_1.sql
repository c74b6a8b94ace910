-- A database of schema version 1, as the sqlite3 shell dumps it: one run of
-- traces/samples/hazard_race.prog.
PRAGMA application_id=1129660997; PRAGMA user_version=1;
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE enum_pipe (
  pipe INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
) STRICT;
INSERT INTO enum_pipe VALUES(0,'SCALAR');
INSERT INTO enum_pipe VALUES(1,'MTE2');
INSERT INTO enum_pipe VALUES(2,'MTE1');
INSERT INTO enum_pipe VALUES(3,'CUBE');
INSERT INTO enum_pipe VALUES(4,'FIXP');
INSERT INTO enum_pipe VALUES(5,'VECTOR');
INSERT INTO enum_pipe VALUES(6,'MTE3');
CREATE TABLE enum_cause (
  cause INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
) STRICT;
INSERT INTO enum_cause VALUES(1,'flag');
INSERT INTO enum_cause VALUES(2,'barrier');
INSERT INTO enum_cause VALUES(3,'dispatch');
INSERT INTO enum_cause VALUES(4,'unit_flag');
INSERT INTO enum_cause VALUES(5,'startup');
INSERT INTO enum_cause VALUES(6,'same_address');
INSERT INTO enum_cause VALUES(7,'queue_full');
CREATE TABLE run_counter (
  last_run_id INTEGER NOT NULL
) STRICT;
INSERT INTO run_counter VALUES(1);
CREATE TABLE run (
  run_id INTEGER PRIMARY KEY,
  created_utc TEXT NOT NULL,
  version TEXT NOT NULL,
  product TEXT NOT NULL,
  soc TEXT NOT NULL,
  clock_mhz REAL NOT NULL CHECK (clock_mhz > 0),
  problem TEXT NOT NULL,
  tiling TEXT NOT NULL,
  cores INTEGER NOT NULL CHECK (cores > 0),
  deciding_core INTEGER NOT NULL,
  cycles INTEGER NOT NULL,
  time_low_us REAL,
  time_high_us REAL,
  launch_us REAL NOT NULL,
  bound TEXT NOT NULL,
  macs INTEGER NOT NULL,
  mmad_macs INTEGER NOT NULL,
  cube_macs INTEGER NOT NULL,
  instructions INTEGER NOT NULL,
  gm_read_bytes INTEGER NOT NULL,
  gm_write_bytes INTEGER NOT NULL,
  gm_miss_bytes INTEGER NOT NULL,
  tensor_bytes INTEGER NOT NULL,
  compared INTEGER,
  mismatches INTEGER,
  max_abs_error REAL,
  hazards INTEGER NOT NULL,
  timeline TEXT NOT NULL CHECK (timeline IN ('all', 'core0', 'none')),
  simulator_seconds REAL NOT NULL,
  run_key TEXT NOT NULL,
  plan_json TEXT NOT NULL CHECK (json_valid(plan_json)),
  product_json TEXT NOT NULL CHECK (json_valid(product_json))
) STRICT;
INSERT INTO run VALUES(1,'2026-11-30T12:00:00Z','0.1.0','atlas-a2','ascend910b1',1850.0,'hazard_race.prog','10 instructions on 1 core',1,0,4376,2.3621621621621620157,3.7437837837837837362,9.4000000000000003552,'scalar',4096,4096,4096,10,1024,1024,1024,2048,NULL,NULL,NULL,2,'all',0.0010000000000000000208,'87e86f744152b3567114de64f0d25462','{}','{}');
CREATE TABLE core_total (
  run_id INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
  core INTEGER NOT NULL,
  cycles INTEGER NOT NULL,
  PRIMARY KEY (run_id, core)
) STRICT, WITHOUT ROWID;
INSERT INTO core_total VALUES(1,0,4376);
CREATE TABLE pipe_total (
  run_id INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
  core INTEGER NOT NULL,
  pipe INTEGER NOT NULL REFERENCES enum_pipe,
  instructions INTEGER NOT NULL,
  busy_cycles INTEGER NOT NULL,
  waiting_cycles INTEGER NOT NULL,
  idle_cycles INTEGER NOT NULL,
  link_cycles INTEGER NOT NULL,
  active_cycles INTEGER NOT NULL,
  PRIMARY KEY (run_id, core, pipe)
) STRICT, WITHOUT ROWID;
INSERT INTO pipe_total VALUES(1,0,0,10,40,4070,266,0,40);
INSERT INTO pipe_total VALUES(1,0,1,2,188,4074,114,0,297);
INSERT INTO pipe_total VALUES(1,0,2,3,19,4082,275,0,47);
INSERT INTO pipe_total VALUES(1,0,3,3,3,4136,237,0,64);
INSERT INTO pipe_total VALUES(1,0,4,2,109,4207,60,0,169);
CREATE TABLE wait_total (
  run_id INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
  core INTEGER NOT NULL,
  pipe INTEGER NOT NULL REFERENCES enum_pipe,
  cause INTEGER NOT NULL REFERENCES enum_cause,
  cycles INTEGER NOT NULL CHECK (cycles > 0),
  occurrences INTEGER NOT NULL,
  PRIMARY KEY (run_id, core, pipe, cause)
) STRICT, WITHOUT ROWID;
INSERT INTO wait_total VALUES(1,0,0,5,4070,1);
INSERT INTO wait_total VALUES(1,0,1,5,4074,1);
INSERT INTO wait_total VALUES(1,0,2,5,4082,1);
INSERT INTO wait_total VALUES(1,0,3,1,4136,1);
INSERT INTO wait_total VALUES(1,0,4,1,4207,1);
CREATE TABLE wait_for_total (
  run_id INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
  core INTEGER NOT NULL,
  pipe INTEGER NOT NULL REFERENCES enum_pipe,
  for_pipe INTEGER NOT NULL REFERENCES enum_pipe,
  cycles INTEGER NOT NULL CHECK (cycles > 0),
  PRIMARY KEY (run_id, core, pipe, for_pipe)
) STRICT, WITHOUT ROWID;
INSERT INTO wait_for_total VALUES(1,0,3,2,4136);
INSERT INTO wait_for_total VALUES(1,0,4,3,4207);
CREATE TABLE path_total (
  run_id INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('busy', 'latency', 'link', 'wait')),
  pipe INTEGER REFERENCES enum_pipe,
  cause INTEGER REFERENCES enum_cause,
  cycles INTEGER NOT NULL CHECK (cycles > 0),
  CHECK ((kind = 'wait') = (pipe IS NULL)),
  CHECK ((kind = 'wait') = (cause IS NOT NULL))
) STRICT;
INSERT INTO path_total VALUES(1,'busy',2,NULL,19);
INSERT INTO path_total VALUES(1,'latency',2,NULL,28);
INSERT INTO path_total VALUES(1,'busy',3,NULL,3);
INSERT INTO path_total VALUES(1,'latency',3,NULL,61);
INSERT INTO path_total VALUES(1,'busy',4,NULL,109);
INSERT INTO path_total VALUES(1,'latency',4,NULL,60);
INSERT INTO path_total VALUES(1,'wait',NULL,1,14);
INSERT INTO path_total VALUES(1,'wait',NULL,3,12);
INSERT INTO path_total VALUES(1,'wait',NULL,5,4070);
CREATE TABLE basis_total (
  run_id INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
  basis TEXT NOT NULL CHECK (basis IN ('vendor', 'measured', 'fitted', 'guess')),
  cycles INTEGER NOT NULL,
  PRIMARY KEY (run_id, basis)
) STRICT, WITHOUT ROWID;
INSERT INTO basis_total VALUES(1,'fitted',193);
INSERT INTO basis_total VALUES(1,'guess',72);
INSERT INTO basis_total VALUES(1,'measured',6);
INSERT INTO basis_total VALUES(1,'vendor',4105);
CREATE TABLE hazard (
  run_id INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
  hazard_id INTEGER NOT NULL,
  core INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  kind TEXT NOT NULL,
  message TEXT NOT NULL,
  PRIMARY KEY (run_id, hazard_id)
) STRICT, WITHOUT ROWID;
INSERT INTO hazard VALUES(1,0,0,2,'race','line 15 (load2d) and line 13 (nd2nz) are not ordered: the first reads, the second writes bytes 0..511 of l1 (''xa''); expected set_flag src=MTE2 dst=MTE1 behind line 13 (nd2nz) and its wait_flag before line 15 (load2d), or pipe_barrier pipe=ALL between them');
INSERT INTO hazard VALUES(1,1,0,3,'race','line 16 (load2d) and line 14 (nd2nz) are not ordered: the first reads, the second writes bytes 512..1023 of l1 (''xb''); expected set_flag src=MTE2 dst=MTE1 behind line 14 (nd2nz) and its wait_flag before line 16 (load2d), or pipe_barrier pipe=ALL between them');
CREATE TABLE instruction (
  run_id INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
  instruction_id INTEGER NOT NULL,
  opcode TEXT NOT NULL,
  operands TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  macs INTEGER NOT NULL,
  PRIMARY KEY (run_id, instruction_id)
) STRICT, WITHOUT ROWID;
INSERT INTO instruction VALUES(1,0,'load2d','dst=a src=xa repeatTimes=1',512,0);
INSERT INTO instruction VALUES(1,1,'load2d','dst=b src=xb repeatTimes=1 ifTranspose=1',512,0);
INSERT INTO instruction VALUES(1,2,'set_flag','src=MTE1 dst=CUBE id=0',0,0);
INSERT INTO instruction VALUES(1,3,'wait_flag','src=MTE1 dst=CUBE id=0',0,0);
INSERT INTO instruction VALUES(1,4,'mmad','dst=c a=a b=b m=16 n=16 k=16',0,4096);
INSERT INTO instruction VALUES(1,5,'nd2nz','dst=xa src=x ndNum=1 nValue=16 dValue=16 srcDValue=16 dstNzC0Stride=16 dstNzNStride=1',512,0);
INSERT INTO instruction VALUES(1,6,'set_flag','src=CUBE dst=FIXP id=0',0,0);
INSERT INTO instruction VALUES(1,7,'wait_flag','src=CUBE dst=FIXP id=0',0,0);
INSERT INTO instruction VALUES(1,8,'nd2nz','dst=xb src=w ndNum=1 nValue=16 dValue=16 srcDValue=16 dstNzC0Stride=16 dstNzNStride=1',512,0);
INSERT INTO instruction VALUES(1,9,'fixpipe','dst=y src=c layout=nz2nd mSize=16 nSize=16 srcStride=16 dstStride=16',1024,0);
CREATE TABLE timeline (
  run_id INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
  core INTEGER NOT NULL,
  pipe INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  instruction_id INTEGER NOT NULL,
  start_cycle INTEGER NOT NULL,
  length_cycles INTEGER NOT NULL,
  latency_cycles INTEGER NOT NULL,
  busy_cycles INTEGER NOT NULL,
  link_cycles INTEGER NOT NULL,
  wait_cycles INTEGER NOT NULL,
  cause INTEGER,
  blocker_core INTEGER,
  blocker_pipe INTEGER,
  blocker_seq INTEGER,
  PRIMARY KEY (run_id, core, pipe, seq)
) STRICT, WITHOUT ROWID;
INSERT INTO timeline VALUES(1,0,1,0,5,4074,94,163,94,0,4074,5,NULL,NULL,NULL);
INSERT INTO timeline VALUES(1,0,1,1,8,4168,94,109,94,0,0,NULL,NULL,NULL,NULL);
INSERT INTO timeline VALUES(1,0,2,2,0,4082,4,28,4,0,4082,5,NULL,NULL,NULL);
INSERT INTO timeline VALUES(1,0,2,3,1,4086,15,28,15,0,0,NULL,NULL,NULL,NULL);
INSERT INTO timeline VALUES(1,0,2,4,2,4129,0,0,0,0,0,NULL,NULL,NULL,NULL);
INSERT INTO timeline VALUES(1,0,3,5,3,4094,42,0,0,0,4136,1,0,2,4);
INSERT INTO timeline VALUES(1,0,3,6,4,4136,3,61,3,0,0,NULL,NULL,NULL,NULL);
INSERT INTO timeline VALUES(1,0,3,7,6,4200,0,0,0,0,0,NULL,NULL,NULL,NULL);
INSERT INTO timeline VALUES(1,0,4,8,7,4106,101,0,0,0,4207,1,0,3,7);
INSERT INTO timeline VALUES(1,0,4,9,9,4207,109,60,109,0,0,NULL,NULL,NULL,NULL);
CREATE INDEX run_by_key ON run (run_key);
CREATE INDEX path_total_by_run ON path_total (run_id);
CREATE VIEW v_run AS SELECT
  run_id, created_utc, version, product, soc, clock_mhz, problem, tiling, cores, cycles,
  cycles / clock_mhz AS time_us, launch_us, bound, macs,
  CAST(macs AS REAL) / NULLIF(cycles, 0) AS macs_per_cycle,
  (SELECT SUM(p.busy_cycles) FROM pipe_total AS p
     WHERE p.run_id = run.run_id AND p.pipe = 3) * 1.0
    / NULLIF(cycles * cores, 0) AS cube_utilization,
  instructions, gm_read_bytes, gm_write_bytes,
  mismatches = 0 AS verified,
  run_key, plan_json, product_json
FROM run;
CREATE VIEW v_run_detail AS SELECT
  run_id, deciding_core, timeline, time_low_us, time_high_us,
  launch_us + cycles / clock_mhz AS task_us, mmad_macs, cube_macs,
  CAST(macs AS REAL) / NULLIF(cube_macs, 0) AS useful_mac_share,
  gm_miss_bytes, tensor_bytes, compared, mismatches, max_abs_error, hazards,
  simulator_seconds
FROM run;
CREATE VIEW v_instruction AS SELECT
  t.run_id, t.core, p.name AS pipe, t.seq, i.opcode, t.start_cycle,
  t.start_cycle + t.length_cycles AS end_cycle,
  t.start_cycle + t.length_cycles + t.latency_cycles AS done_cycle,
  t.busy_cycles, t.link_cycles, t.wait_cycles, c.name AS wait_cause,
  t.blocker_core, b.name AS blocker_pipe, t.blocker_seq, i.bytes, i.macs, i.operands
FROM timeline AS t
JOIN enum_pipe AS p ON p.pipe = t.pipe
JOIN instruction AS i ON i.run_id = t.run_id AND i.instruction_id = t.instruction_id
LEFT JOIN enum_cause AS c ON c.cause = t.cause
LEFT JOIN enum_pipe AS b ON b.pipe = t.blocker_pipe;
CREATE VIEW v_pipe AS SELECT
  t.run_id, t.core, p.name AS pipe, t.instructions, t.busy_cycles, t.waiting_cycles,
  t.idle_cycles, t.link_cycles, t.active_cycles,
  CAST(t.busy_cycles AS REAL) / NULLIF(r.cycles, 0) AS utilization
FROM pipe_total AS t
JOIN enum_pipe AS p ON p.pipe = t.pipe
JOIN run AS r ON r.run_id = t.run_id;
CREATE VIEW v_core AS SELECT
  t.run_id, t.core, t.cycles, t.core = r.deciding_core AS deciding
FROM core_total AS t JOIN run AS r ON r.run_id = t.run_id;
CREATE VIEW v_wait AS SELECT
  t.run_id, t.core, p.name AS pipe, c.name AS cause, t.cycles, t.occurrences
FROM wait_total AS t
JOIN enum_pipe AS p ON p.pipe = t.pipe
JOIN enum_cause AS c ON c.cause = t.cause;
CREATE VIEW v_wait_for AS SELECT
  t.run_id, t.core, p.name AS pipe, f.name AS for_pipe, t.cycles
FROM wait_for_total AS t
JOIN enum_pipe AS p ON p.pipe = t.pipe
JOIN enum_pipe AS f ON f.pipe = t.for_pipe;
CREATE VIEW v_path_total AS SELECT
  t.run_id, t.kind, p.name AS pipe, c.name AS cause, t.cycles,
  CAST(t.cycles AS REAL) / NULLIF(r.cycles, 0) AS share
FROM path_total AS t
JOIN run AS r ON r.run_id = t.run_id
LEFT JOIN enum_pipe AS p ON p.pipe = t.pipe
LEFT JOIN enum_cause AS c ON c.cause = t.cause;
CREATE VIEW v_basis AS SELECT
  t.run_id, t.basis, t.cycles, CAST(t.cycles AS REAL) / NULLIF(r.cycles, 0) AS share
FROM basis_total AS t JOIN run AS r ON r.run_id = t.run_id;
CREATE VIEW v_hazard AS SELECT run_id, core, seq, kind, message FROM hazard;
COMMIT;
