-- Hazards
-- What runs were found to do wrong, by kind, with one message of each.
SELECT h.run_id, r.problem, h.kind, count(*) AS hazards, min(h.core) AS first_core,
       min(h.message) AS message
FROM v_hazard AS h JOIN v_run AS r USING (run_id)
GROUP BY h.run_id, h.kind ORDER BY hazards DESC, h.run_id, h.kind LIMIT 20;
