-- What happens at a moment
-- Everything on the core that ends last that occupies or holds its pipe at cycle :cycle (by default
-- in the middle of the run).
SELECT i.pipe, i.seq, i.opcode, i.start_cycle, i.end_cycle, i.done_cycle, i.wait_cycles,
       i.wait_cause, i.operands
FROM v_instruction AS i JOIN v_run AS r USING (run_id) JOIN v_core AS c USING (run_id, core)
WHERE c.deciding AND run_id = coalesce(:run, (SELECT max(run_id) FROM v_run))
  AND i.start_cycle - iif(i.busy_cycles > 0, i.wait_cycles, 0) <= coalesce(:cycle, r.cycles / 2)
  AND i.end_cycle > coalesce(:cycle, r.cycles / 2)
ORDER BY i.pipe, i.seq;
