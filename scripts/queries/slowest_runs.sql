-- Slowest runs
-- The twenty runs that take longest, with what bounds each and how much of the cubes' time is Mmad.
SELECT run_id, problem, soc, cores, cycles, round(time_us, 2) AS time_us, bound,
       round(cube_utilization, 3) AS cube_utilization
FROM v_run ORDER BY v_run.time_us DESC, run_id LIMIT 20;
