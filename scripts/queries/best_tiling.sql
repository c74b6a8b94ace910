-- Best tiling of each layer
-- The fastest run of each problem on each product (one with other numbers is another product), how many
-- runs there are of it, and how much more time the slowest of them takes.
WITH ranked AS (
  SELECT *, row_number() OVER layer AS place, count(*) OVER all_runs AS runs,
         max(time_us) OVER all_runs AS slowest_us
  FROM v_run
  WINDOW all_runs AS (PARTITION BY problem, product_json),
         layer AS (PARTITION BY problem, product_json ORDER BY time_us, run_id))
SELECT problem, soc, tiling, run_id, round(time_us, 2) AS time_us, runs,
       round(100.0 * (slowest_us / time_us - 1), 1) AS slowest_percent
FROM ranked WHERE place = 1 ORDER BY problem, soc, run_id;
