/*
 * The views for people who know other tools: slices, tracks, flows and counters in nanoseconds, and
 * the shares of pipes in the words of the vendor's profiler.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "tests/support/open_store.h"

static int setup(void **state)
{
    open_store(state);
    fixture_save(&fixture, store);
    return 0;
}

/* At 1,850 MHz cycle 10 is 5.4 ns and cycle 40 is 21.6 ns: the ends are rounded, not the length. */
static void slices_begin_and_end_at_whole_nanoseconds_rounded_alike(void **state)
{
    (void)state;
    assert_string_equal(ask("SELECT s.name, category, depth, ts, dur, cycles FROM v_slice AS s\n"
                            "JOIN v_track AS t ON t.id = s.track_id\n"
                            "WHERE t.name IN ('core 1 MTE2', 'core 1 FIXP') ORDER BY seq"),
                        "data_copy|busy|0|5|17|30\n"
                        "set_flag|signal|1|24|0|0\n"
                        "wait_flag|wait|0|0|48|88\n"
                        "fixpipe|busy|0|48|4|9\n");
}

static void slices_of_a_track_do_not_overlap_however_short_they_are(void **state)
{
    (void)state;
    assert_int_equal(fixture_flood(&fixture, store, 5000), STATUS_OK);
    fixture.result.cycles = 20000;
    assert_int_equal(store_finish(store, &fixture.result, &fixture.diag), STATUS_OK);
    assert_string_equal(
        ask("SELECT COUNT(*), SUM(before > ts), MIN(dur) > 0, MAX(dur) FROM (SELECT ts, dur,\n"
            "  LAG(ts + dur) OVER (PARTITION BY track_id ORDER BY seq) AS before\n"
            "  FROM v_slice WHERE depth = 0 AND run_id = 2)"),
        "5000|0|1|2\n");
}

static void ids_are_those_of_one_run_core_and_instruction(void **state)
{
    (void)state;
    fixture_save(&fixture, store);
    assert_string_equal(ask("SELECT COUNT(*), COUNT(DISTINCT id) FROM v_slice"), "22|22\n");
    assert_string_equal(ask("SELECT COUNT(*), COUNT(DISTINCT id) FROM v_track"),
                        ask("SELECT COUNT(*), COUNT(*) FROM v_pipe"));
    assert_string_equal(ask("SELECT COUNT(*) FROM v_slice WHERE track_id NOT IN\n"
                            "  (SELECT id FROM v_track AS t WHERE t.run_id = v_slice.run_id\n"
                            "   AND t.core = v_slice.core AND t.pipe = v_slice.pipe)"),
                        "0\n");
}

static void a_flow_leads_from_the_instruction_waited_for_to_the_one_that_waited(void **state)
{
    (void)state;
    assert_string_equal(
        ask("SELECT a.pipe, a.name, a.seq, b.pipe, b.name, b.seq, f.name, f.cycles FROM v_flow AS "
            "f\n"
            "JOIN v_slice AS a ON a.id = f.slice_out JOIN v_slice AS b ON b.id = f.slice_in\n"
            "ORDER BY b.seq"),
        "MTE2|set_flag|1|MTE1|wait_flag|2|flag|45\n"
        "MTE1|set_flag|4|CUBE|wait_flag|5|flag|65\n"
        "CUBE|set_flag|7|FIXP|wait_flag|8|flag|88\n");
}

static void the_counter_of_a_pipe_holds_its_rate_and_falls_to_0_where_nothing_follows(void **state)
{
    (void)state;
    assert_int_equal(fixture_flood(&fixture, store, 6), STATUS_OK);
    assert_int_equal(store_finish(store, &fixture.result, &fixture.diag), STATUS_OK);
    /* Copies at 0, 8 and 16 of 3 cycles each: the second follows the first, the third comes later.
     */
    ask("UPDATE instruction SET bytes = 300 * instruction_id + 300 WHERE run_id = 2;\n"
        "UPDATE timeline SET start_cycle = 3 WHERE run_id = 2 AND seq = 2");
    assert_string_equal(
        ask("SELECT c.cycle, CASE WHEN value > 0 THEN value * 3 = s.bytes ELSE 0 END\n"
            "FROM v_counter AS c LEFT JOIN v_slice AS s USING (run_id, track_id)\n"
            "WHERE run_id = 2 AND c.pipe = 'MTE2'\n"
            "  AND (value = 0 OR s.start_cycle = c.cycle)\n"
            "GROUP BY c.cycle, value ORDER BY c.cycle"),
        "0|1\n3|1\n6|0\n16|1\n19|0\n");
    /* Every byte is under the counter: its integral is what the pipe moved. */
    assert_string_equal(
        ask("SELECT ROUND(SUM(value * (next - cycle))) = (SELECT SUM(bytes) FROM v_slice\n"
            "  WHERE run_id = 1 AND core = 1 AND pipe = 'MTE2') FROM (SELECT cycle, value,\n"
            "  LEAD(cycle, 1, cycle) OVER (ORDER BY cycle) AS next FROM v_counter\n"
            "  WHERE run_id = 1 AND core = 1 AND pipe = 'MTE2')"),
        "1\n");
}

static void the_vendors_shares_are_active_cycles_of_the_cycles_of_a_core(void **state)
{
    (void)state;
    assert_string_equal(
        ask("SELECT block_id, aic_total_cycles, ROUND(aic_mte2_ratio, 6), ROUND(aic_mac_ratio, "
            "6),\n"
            "  ROUND(aic_fixpipe_ratio, 6), aic_cube_ratio = aic_mac_ratio, aiv_vec_ratio,\n"
            "  ROUND(aic_mte2_time_us * 1850, 6) FROM v_msprof_pipe ORDER BY block_id"),
        "0|35|0.714286|0.0|0.0|1||25.0\n"
        "1|100|0.35|0.88|1.0|1||35.0\n");
}

static void the_row_of_a_run_is_the_mean_of_its_cores_weighted_by_time(void **state)
{
    (void)state;
    assert_string_equal(
        ask("SELECT block_dim, aic_total_cycles, ROUND(aicore_time_us * 1850, 6),\n"
            "  ROUND(aic_mte2_ratio * 135, 6), ROUND(aic_mac_time_us * 1850, 6),\n"
            "  task_duration_us = (SELECT task_us FROM v_run_detail) FROM v_msprof_op"),
        "2|135|67.5|60.0|44.0|1\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, close_store)
        TEST(slices_begin_and_end_at_whole_nanoseconds_rounded_alike),
        TEST(slices_of_a_track_do_not_overlap_however_short_they_are),
        TEST(ids_are_those_of_one_run_core_and_instruction),
        TEST(a_flow_leads_from_the_instruction_waited_for_to_the_one_that_waited),
        TEST(the_counter_of_a_pipe_holds_its_rate_and_falls_to_0_where_nothing_follows),
        TEST(the_vendors_shares_are_active_cycles_of_the_cycles_of_a_core),
        TEST(the_row_of_a_run_is_the_mean_of_its_cores_weighted_by_time),
#undef TEST
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
