-- Roofline
-- Of each level of the memories and of the cube: bytes per cycle and their roof, MACs per byte of the
-- plan, and how much of the roof is reached.
SELECT level, bytes, round(bytes_per_cycle, 1) AS bytes_per_cycle,
       round(roof_bytes_per_cycle, 1) AS roof_bytes_per_cycle,
       round(macs_per_byte, 1) AS macs_per_byte,
       round(roof_macs_per_cycle, 0) AS roof_macs_per_cycle, round(reached, 3) AS reached
FROM v_roofline WHERE run_id = coalesce(:run, (SELECT max(run_id) FROM v_run))
ORDER BY v_roofline.reached DESC, level;
