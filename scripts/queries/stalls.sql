-- Stalls by cause
-- What the pipes of the core that ends last wait for, how often, how long on average, and as a share
-- of the run. The cycles of a pipe are its waiting_cycles.
SELECT w.pipe, w.cause, w.cycles, w.occurrences, round(1.0 * w.cycles / w.occurrences, 1) AS mean,
       round(1.0 * w.cycles / r.cycles, 3) AS share
FROM v_wait AS w JOIN v_run AS r USING (run_id) JOIN v_core AS c USING (run_id, core)
WHERE c.deciding AND run_id = coalesce(:run, (SELECT max(run_id) FROM v_run))
ORDER BY w.cycles DESC, w.pipe, w.cause;
