-- Busiest cores
-- How even the load is: the last completion of each core, by how much it comes before the last of
-- all, and how busy its CUBE and MTE2 are. The first rows decide the time.
SELECT c.core, c.cycles, round(100.0 * (r.cycles - c.cycles) / r.cycles, 1) AS early_percent,
       round(max(CASE WHEN p.pipe = 'CUBE' THEN p.utilization END), 3) AS cube,
       round(max(CASE WHEN p.pipe = 'MTE2' THEN p.utilization END), 3) AS mte2,
       sum(p.instructions) AS instructions
FROM v_core AS c JOIN v_run AS r USING (run_id) JOIN v_pipe AS p USING (run_id, core)
WHERE run_id = coalesce(:run, (SELECT max(run_id) FROM v_run))
GROUP BY c.core ORDER BY c.cycles DESC, c.core LIMIT 12;
