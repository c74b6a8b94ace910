-- Traffic amplification
-- Bytes that cores read, as a multiple of the bytes of all tensors, each counted once; how much of
-- them came from L2, and what was written. A large multiple is re-reading: other tiles would have less.
SELECT r.run_id, r.problem, r.gm_read_bytes, d.tensor_bytes,
       round(1.0 * r.gm_read_bytes / nullif(d.tensor_bytes, 0), 2) AS amplification,
       round(1.0 - 1.0 * d.gm_miss_bytes / nullif(r.gm_read_bytes, 0), 3) AS l2_share,
       r.gm_write_bytes
FROM v_run AS r JOIN v_run_detail AS d USING (run_id)
ORDER BY amplification DESC, r.run_id LIMIT 20;
