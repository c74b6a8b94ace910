-- Longest steps of the critical path
-- The ten longest pieces of the path, in their place in time and with their instruction. All steps
-- one after the other fill the run from cycle 0 to its end.
SELECT step, core, pipe, seq, opcode, cause, start_cycle, cycles
FROM v_critical_path WHERE run_id = coalesce(:run, (SELECT max(run_id) FROM v_run))
ORDER BY cycles DESC, step LIMIT 10;
