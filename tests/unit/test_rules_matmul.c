/* The rules of matrix products: each broken alone, with its numbers and a nearest value that holds.
 */
#include "model/derive.h"
#include "tests/unit/tile_fixture.h"

#define HEAD "product: ascend910b1\nmatmul: {m: 1000, n: 500, k: 600, dtype: fp16, b_layout: dn"
#define LEGAL                                                                                      \
    HEAD "}\ntile: {baseM: 128, baseN: 256, baseK: 64, stepKa: 4, stepKb: 2, depthA1: 8, "         \
         "depthB1: 4}\n"

static void judge(struct tile_bench *bench, const char *text)
{
    bench_parse(bench, text);
    bench_check(bench, RULES_PYPTO);
    assert_int_equal(bench->report.set, RULES_MATMUL);
}

static void a_tile_of_the_vendor_s_kernels_is_legal_in_whatever_set_is_asked(void **state)
{
    struct tile_bench bench;

    (void)state;
    bench_parse(&bench, LEGAL);
    for (enum rule_set set = RULES_PYPTO; set < RULES_COUNT; set++) {
        bench_check(&bench, set);
        assert_int_equal(bench.report.set, RULES_MATMUL);
        assert_true(bench.report.legal && bench.report.runnable);
        assert_int_equal(bench.report.count, 15);
        assert_string_equal(bench.report.verdicts[0].id, "M1");
        assert_string_equal(bench.report.verdicts[14].id, "R10");
    }
    assert_string_equal(bench_verdict(&bench, "M9")->numbers,
                        "A 131,072 + B 131,072 = 262,144 <= 524,288");
    assert_int_equal(bench.report.buffer_count, 4);
    bench_deinit(&bench);
}

/* The words of the tile from one that stands first in each row on: the rest of the plan is legal.
 */
static void each_rule_is_broken_alone_with_the_nearest_value(void **state)
{
    static const struct {
        const char *tile, *id, *numbers, *nearest;
    } rows[] = {
        {"baseM: 120, baseN: 256, baseK: 64", "M2", "120 % 16 = 8", "baseM 112 or 128"},
        {"baseM: 1024, baseN: 16, baseK: 16, stepKa: 2", "M2", "1,024 > 1,008", "baseM 1,008"},
        {"baseM: 16, baseN: 248, baseK: 64", "M3", "248 % 16 = 8", "baseN 240 or 256"},
        {"baseM: 16, baseN: 528, baseK: 16", "M3", "528 > 512", "baseN 512"},
        {"baseM: 16, baseN: 16, baseK: 40", "M4", "40 % 16 = 8", "baseK 32 or 48"},
        {"baseM: 16, baseN: 16, baseK: 624", "M4", "624 > 608", "baseK 608"},
        {"baseM: 512, baseN: 16, baseK: 16, stepM: 3", "M5", "3 > 2", "stepM 2"},
        {"baseM: 16, baseN: 256, baseK: 16, stepN: 3", "M5", "3 > 2", "stepN 2"},
        {"baseM: 16, baseN: 16, baseK: 256, stepKa: 4", "M6", "4 > 3", "stepKa 3"},
        {"baseM: 16, baseN: 16, baseK: 256, stepKb: 4", "M6", "4 > 3", "stepKb 3"},
        {"baseM: 16, baseN: 16, baseK: 16, stepM: 2, stepKa: 3, depthA1: 8", "M7",
         "8, blocks of a slot 6", "depthA1 6"},
        {"baseM: 16, baseN: 16, baseK: 16, stepKa: 3, depthA1: 4", "M7", "4, blocks of a slot 3",
         "depthA1 3"},
        {"baseM: 16, baseN: 16, baseK: 16, stepKa: 3, depthA1: 5", "M7", "5, blocks of a slot 3",
         "depthA1 6"},
        {"baseM: 16, baseN: 16, baseK: 16, stepN: 2, stepKb: 3, depthB1: 18", "M7",
         "18, blocks of a slot 6", "depthB1 12"},
        {"baseM: 256, baseN: 16, baseK: 192", "M8",
         "L0A 1 x 256 x 192 x 2 = 98,304 > 65,536, "
         "32,768 too many",
         "baseK 128"},
        {"baseM: 16, baseN: 256, baseK: 192", "M8",
         "L0B 1 x 256 x 192 x 2 = 98,304 > 65,536, "
         "32,768 too many",
         "baseK 128"},
        {"baseM: 256, baseN: 256, baseK: 64", "M8",
         "L0C 1 x 256 x 256 x 4 = 262,144 > 131,072, "
         "131,072 too many",
         "baseN 128"},
        {"baseM: 128, baseN: 256, baseK: 64, stepM: 3, stepKa: 9, stepKb: 9", "M9",
         "A 442,368 + B 294,912 = 737,280 > 524,288, 212,992 too many", "stepKa 4"},
        {"baseM: 128, baseN: 256, baseK: 64, stepKb: 9, depthB1: 18", "M9",
         "A 16,384 + B 589,824 = 606,208 > 524,288, 81,920 too many", "stepKb 7 with depthB1 14"},
        {"baseM: 128, baseN: 16, baseK: 64, stepM: 3, stepKa: 6, depthA1: 36", "M9",
         "A 589,824 + B 2,048 = 591,872 > 524,288, 67,584 too many", "stepKa 5 with depthA1 30"},
        {"baseM: 16, baseN: 128, baseK: 64, stepN: 2, l2_n: 3", "M10", "3 > 2", "l2_n 2"},
        {"baseM: 128, baseN: 256, baseK: 64, l2_m: 9", "M10", "9 > 8", "l2_m 8"},
        {"baseM: 128, baseN: 256, baseK: 64, l2_n: 3", "M10", "3 > 2", "l2_n 2"},
    };

    (void)state;
    for (size_t row = 0; row < sizeof rows / sizeof rows[0]; row++) {
        struct tile_bench bench;
        char text[512];

        snprintf(text, sizeof text, HEAD "}\ntile: {%s}\n", rows[row].tile);
        judge(&bench, text);
        assert_false(bench.report.legal);
        for (uint32_t i = 0; i < bench.report.count; i++) {
            const struct rule_verdict *verdict = &bench.report.verdicts[i];
            bool is_it = strcmp(verdict->id, rows[row].id) == 0;
            if (verdict->ok == is_it)
                fail_msg("{%s}: rule %s: %s", rows[row].tile, verdict->id, verdict->numbers);
            if (!is_it)
                continue;
            assert_string_equal(verdict->numbers, rows[row].numbers);
            assert_string_equal(verdict->nearest, rows[row].nearest);
            assert_true(verdict->message[0] != '\0' && verdict->decides);
            assert_int_equal(bench.plan.place[verdict->word].line, 3);
        }
        bench_deinit(&bench);
    }
}

static void sizes_beyond_the_vendor_s_own_type_are_refused(void **state)
{
    struct tile_bench bench;

    (void)state;
    judge(&bench, "product: ascend910b1\n"
                  "matmul: {m: 2147483648, n: 16, k: 16, dtype: fp16, b_layout: dn}\n"
                  "tile: {baseM: 16, baseN: 16, baseK: 16}\n");
    assert_broken(&bench, "M1", "m lies in 1 .. 2,147,483,647", "2,147,483,648 > 2,147,483,647",
                  "m 2,147,483,647");
    bench_deinit(&bench);
}

static void written_slots_need_room_too(void **state)
{
    struct tile_bench bench;

    (void)state;
    judge(&bench, LEGAL "schedule: {l0b_buffers: 2, l0c_buffers: 2}\n");
    assert_broken(&bench, "M8", "slots x block <= L0C",
                  "L0C 2 x 128 x 256 x 4 = 262,144 > 131,072, 131,072 too many", "baseN 128");
    bench_deinit(&bench);
}

/* A and B fill L1 to the last byte: a bias has no room. */
static void a_bias_needs_room_in_l1(void **state)
{
    static const char tile[] = "\ntile: {baseM: 128, baseN: 128, baseK: 64, stepKa: 8, stepKb: 8, "
                               "depthA1: 16, depthB1: 16}\n";
    struct tile_bench bench;
    char text[512];

    (void)state;
    snprintf(text, sizeof text, HEAD "}%s", tile);
    judge(&bench, text);
    assert_true(bench.report.legal);
    assert_string_equal(bench_verdict(&bench, "M9")->nearest, "");
    bench_deinit(&bench);
    snprintf(text, sizeof text, HEAD ", bias: true}%s", tile);
    judge(&bench, text);
    assert_broken(&bench, "M9", "slots of A and B and the bias <= L1",
                  "A 262,144 + B 262,144 + bias 512 = 524,800 > 524,288, 512 too many",
                  "stepKa 7 with depthA1 14");
    bench_deinit(&bench);
}

static void needs_of_the_hardware_are_told_in_the_words_of_the_product(void **state)
{
    struct tile_bench bench;

    (void)state;
    judge(&bench, HEAD ", bias: true}\ntile: {baseM: 16, baseN: 272, baseK: 16}\n");
    assert_broken(&bench, "R5", "baseN x 4 B <= BT", "272 x 4 = 1,088 > 1,024, 64 too many",
                  "baseN 256");
    assert_int_equal(bench_verdict(&bench, "R5")->word, WORD_BASE_N);
    bench_deinit(&bench);
}

static void without_a_tile_one_is_derived_and_holds_every_rule(void **state)
{
    struct tile_bench bench;

    (void)state;
    judge(&bench, HEAD "}\n");
    assert_true(bench.report.legal && bench.report.runnable);
    assert_false(bench_verdict(&bench, "M2")->judged);
    assert_non_null(strstr(bench_verdict(&bench, "R10")->numbers, "derived: baseM "));
    assert_int_equal(plan_resolve(&bench.plan, &bench.product, &bench.arena, &bench.diag),
                     STATUS_OK);
    bench_check(&bench, RULES_MATMUL);
    assert_true(bench.report.legal && bench.report.runnable);
    assert_true(bench_verdict(&bench, "M2")->judged);
    assert_string_equal(bench_verdict(&bench, "R10")->numbers, "derived");
    bench_deinit(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tile_of_the_vendor_s_kernels_is_legal_in_whatever_set_is_asked),
        cmocka_unit_test(each_rule_is_broken_alone_with_the_nearest_value),
        cmocka_unit_test(sizes_beyond_the_vendor_s_own_type_are_refused),
        cmocka_unit_test(written_slots_need_room_too),
        cmocka_unit_test(a_bias_needs_room_in_l1),
        cmocka_unit_test(needs_of_the_hardware_are_told_in_the_words_of_the_product),
        cmocka_unit_test(without_a_tile_one_is_derived_and_holds_every_rule),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
