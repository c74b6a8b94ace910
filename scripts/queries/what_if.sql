-- Numbers changed by --set
-- Each number of the product that a run was given by hand, and the time of the run. The whole product
-- is in product_json, so any number of it can be asked for in this way.
SELECT r.run_id, r.problem, replace(substr(t.path, 3), '"', '') AS number,
       json_extract(r.product_json, t.path || '.value') AS value, r.cycles
FROM v_run AS r, json_tree(r.product_json) AS t
WHERE t.key = 'set' AND t.atom = 1 ORDER BY r.run_id, number;
