-- Utilisation by pipe
-- How busy each pipe of a run is: mean over the cores, the least and the most busy core, and the part
-- of busy that is lost on shared links.
SELECT pipe, round(avg(utilization), 3) AS mean, round(min(utilization), 3) AS least,
       round(max(utilization), 3) AS most,
       round(1.0 * sum(link_cycles) / nullif(sum(busy_cycles), 0), 3) AS link_share
FROM v_pipe WHERE run_id = coalesce(:run, (SELECT max(run_id) FROM v_run))
GROUP BY pipe ORDER BY mean DESC, pipe;
