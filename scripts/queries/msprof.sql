-- Shares of pipes, in the words of the vendor's profiler
-- Each run as a row of op_summary. Ratios are of active cycles, which go on until the results are
-- there, so they are larger than utilisation, which counts occupancy.
SELECT run_id, op_name, block_dim, round(aicore_time_us, 2) AS aicore_time_us,
       round(aic_mac_ratio, 3) AS aic_mac_ratio, round(aic_scalar_ratio, 3) AS aic_scalar_ratio,
       round(aic_mte1_ratio, 3) AS aic_mte1_ratio, round(aic_mte2_ratio, 3) AS aic_mte2_ratio,
       round(aic_fixpipe_ratio, 3) AS aic_fixpipe_ratio
FROM v_msprof_op ORDER BY aicore_time_us DESC, run_id LIMIT 20;
