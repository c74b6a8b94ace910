-- Time by opcode
-- Where the busy cycles go, all kept cores together: how often each instruction is done, its mean
-- length, bytes per busy cycle and the waits before it.
SELECT pipe, opcode, count(*) AS times, sum(busy_cycles) AS busy_cycles,
       round(avg(busy_cycles), 1) AS mean,
       round(1.0 * sum(bytes) / nullif(sum(busy_cycles), 0), 1) AS bytes_per_cycle,
       sum(link_cycles) AS link_cycles, sum(wait_cycles) AS wait_cycles
FROM v_instruction WHERE run_id = coalesce(:run, (SELECT max(run_id) FROM v_run))
GROUP BY pipe, opcode ORDER BY busy_cycles DESC, wait_cycles DESC, opcode;
