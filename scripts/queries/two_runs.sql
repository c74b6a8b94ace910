-- Two runs side by side
-- Each pipe of the core that ends last in runs :a and :b (by default the two latest): busy and
-- waiting cycles of both and the differences. `cubesim diff` tells more.
WITH side AS (
  SELECT p.*, p.run_id = coalesce(:b, (SELECT max(run_id) FROM v_run)) AS is_b
  FROM v_pipe AS p JOIN v_core AS c USING (run_id, core)
  WHERE c.deciding AND p.run_id IN (
    coalesce(:a, (SELECT max(run_id) FROM v_run WHERE run_id < (SELECT max(run_id) FROM v_run))),
    coalesce(:b, (SELECT max(run_id) FROM v_run))))
SELECT pipe,
       max(CASE WHEN NOT is_b THEN busy_cycles END) AS busy_a,
       max(CASE WHEN is_b THEN busy_cycles END) AS busy_b,
       max(CASE WHEN is_b THEN busy_cycles END) - max(CASE WHEN NOT is_b THEN busy_cycles END)
         AS more_busy,
       max(CASE WHEN NOT is_b THEN waiting_cycles END) AS waiting_a,
       max(CASE WHEN is_b THEN waiting_cycles END) AS waiting_b,
       max(CASE WHEN is_b THEN waiting_cycles END)
         - max(CASE WHEN NOT is_b THEN waiting_cycles END) AS more_waiting
FROM side GROUP BY pipe ORDER BY abs(more_busy) + abs(more_waiting) DESC, pipe;
