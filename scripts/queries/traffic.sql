-- Traffic amplification
-- Bytes that cores read, as a multiple of the bytes of all tensors but what was written, each counted
-- once, as `run` prints it; how much of them came from L2, and what was written. A large multiple is
-- re-reading: other tiles would have less.
WITH traffic AS (
  SELECT r.run_id, r.problem, r.gm_read_bytes, r.gm_write_bytes, d.gm_miss_bytes,
         max(d.tensor_bytes - r.gm_write_bytes, 0) AS input_bytes
  FROM v_run AS r JOIN v_run_detail AS d USING (run_id))
SELECT run_id, problem, gm_read_bytes, input_bytes,
       round(1.0 * gm_read_bytes / nullif(input_bytes, 0), 2) AS amplification,
       round(1.0 - 1.0 * gm_miss_bytes / nullif(gm_read_bytes, 0), 3) AS l2_share,
       gm_write_bytes
FROM traffic ORDER BY amplification DESC, run_id LIMIT 20;
