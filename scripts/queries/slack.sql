-- Slack by pipe
-- Of the instructions that occupy a pipe of the core that ends last: how many could not end later
-- without moving the end of the run, and how much later the others could.
SELECT i.pipe, count(*) AS instructions, sum(i.slack_cycles = 0) AS no_slack,
       round(avg(i.slack_cycles), 1) AS mean_slack, max(i.slack_cycles) AS most_slack
FROM v_instruction AS i JOIN v_core AS c USING (run_id, core)
WHERE c.deciding AND i.busy_cycles > 0
  AND i.run_id = coalesce(:run, (SELECT max(run_id) FROM v_run))
GROUP BY i.pipe ORDER BY no_slack DESC, i.pipe;
