-- Basis shares
-- How firm the numbers are that the critical path of each run rests on, as shares, and the range of
-- its time when all of them are at their fast and at their slow end.
SELECT r.run_id, r.problem,
       round(max(CASE WHEN b.basis = 'vendor' THEN b.share END), 3) AS vendor,
       round(max(CASE WHEN b.basis = 'measured' THEN b.share END), 3) AS measured,
       round(max(CASE WHEN b.basis = 'fitted' THEN b.share END), 3) AS fitted,
       round(max(CASE WHEN b.basis = 'guess' THEN b.share END), 3) AS guess,
       round(d.time_low_us, 2) AS low_us, round(r.time_us, 2) AS time_us,
       round(d.time_high_us, 2) AS high_us
FROM v_run AS r JOIN v_run_detail AS d USING (run_id) JOIN v_basis AS b USING (run_id)
GROUP BY r.run_id ORDER BY r.run_id DESC LIMIT 20;
