-- Who waits for whom
-- Waits for flags by the pipe that sets the flag, all cores together: a row for each pipe that waits,
-- a column for each that is waited for.
SELECT pipe AS waits,
       sum(CASE WHEN for_pipe = 'MTE2' THEN cycles ELSE 0 END) AS for_mte2,
       sum(CASE WHEN for_pipe = 'MTE1' THEN cycles ELSE 0 END) AS for_mte1,
       sum(CASE WHEN for_pipe = 'CUBE' THEN cycles ELSE 0 END) AS for_cube,
       sum(CASE WHEN for_pipe = 'FIXP' THEN cycles ELSE 0 END) AS for_fixp,
       sum(cycles) AS cycles
FROM v_wait_for WHERE run_id = coalesce(:run, (SELECT max(run_id) FROM v_run))
GROUP BY pipe ORDER BY cycles DESC;
