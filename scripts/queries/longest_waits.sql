-- Longest waits
-- The ten longest waits of the core that ends last, each with the instruction that ended it. All
-- cores together would show one wait many times, as cores with equal work wait alike.
WITH longest AS (
  SELECT i.* FROM v_instruction AS i JOIN v_core AS c USING (run_id, core)
  WHERE c.deciding AND i.run_id = coalesce(:run, (SELECT max(run_id) FROM v_run))
  ORDER BY i.wait_cycles DESC, i.pipe, i.seq LIMIT 10)
SELECT w.pipe, w.seq, w.opcode, w.wait_cycles, w.wait_cause, w.blocker_pipe AS blocker,
       w.blocker_seq, b.opcode AS blocker_opcode, b.operands AS blocker_operands
FROM longest AS w LEFT JOIN v_instruction AS b ON b.run_id = w.run_id AND b.core = w.blocker_core
  AND b.pipe = w.blocker_pipe AND b.seq = w.blocker_seq
ORDER BY w.wait_cycles DESC, w.pipe, w.seq;
