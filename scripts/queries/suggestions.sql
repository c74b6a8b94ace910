-- What to try next
-- Changes of a plan that were simulated when the run was saved, with what suggested them and the time
-- that they save; above 0 is faster.
SELECT rank, change, round(gain_percent, 1) AS gain_percent, cycles, looked_at
FROM v_suggestion WHERE run_id = coalesce(:run, (SELECT max(run_id) FROM v_run)) ORDER BY rank;
