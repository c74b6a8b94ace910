-- Critical path by cause
-- What must get faster: the chain of work, latencies and waits that leads to the last completion. The
-- cycles of a run add up to its time.
SELECT coalesce(pipe || ' ' || kind, cause) AS part, cycles, round(share, 3) AS share
FROM v_path_total WHERE run_id = coalesce(:run, (SELECT max(run_id) FROM v_run))
ORDER BY v_path_total.cycles DESC, part;
