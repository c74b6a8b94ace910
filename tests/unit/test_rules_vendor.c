/* The rules in the words of the vendor's kernels. */
#include "tests/unit/tile_fixture.h"

/* A linear-M tile of 3 x 3 over 56 x 56: seven rows of output in L1, three and a half in L0. */
static void linear(struct tile_bench *bench)
{
    bench_init(bench, A2_PRODUCT);
    bench->plan.conv = bench_conv(64, 56, 56, 64, 3, 1);
    bench->plan.form = TILE_VENDOR;
    bench->plan.vendor = (struct tile_vendor){
        .m_al1 = 448, .m_l0 = 224, .n_bl1 = 64, .k_al1 = 576, .k_bl1 = 288, .k_l0 = 48, .n_l0 = 32};
}

/* A rectangle over 32 x 32: four full rows in L1, two in L0. */
static void rectangle(struct tile_bench *bench)
{
    bench_init(bench, A2_PRODUCT);
    bench->plan.conv = bench_conv(64, 32, 32, 64, 3, 1);
    bench->plan.form = TILE_VENDOR;
    bench->plan.vendor = (struct tile_vendor){.ho_l1 = 4,
                                              .wo_l1 = 32,
                                              .ho_l0 = 2,
                                              .wo_l0 = 32,
                                              .n_bl1 = 64,
                                              .k_al1 = 576,
                                              .k_bl1 = 288,
                                              .k_l0 = 48,
                                              .n_l0 = 32};
}

static void assert_only_broken(struct tile_bench *bench, const char *id, const char *numbers,
                               const char *nearest)
{
    bench_check(bench, RULES_PYPTO);
    assert_int_equal(bench->report.set, RULES_VENDOR);
    assert_false(bench->report.legal);
    for (uint32_t i = 0; i < bench->report.count; i++) {
        const struct rule_verdict *verdict = &bench->report.verdicts[i];
        bool is_it = strcmp(verdict->id, id) == 0;
        if (verdict->ok == is_it)
            fail_msg("rule %s: ok %d, %s", verdict->id, verdict->ok, verdict->numbers);
        if (!is_it)
            continue;
        assert_string_equal(verdict->numbers, numbers);
        assert_string_equal(verdict->nearest, nearest);
        assert_true(verdict->message[0] != '\0' && verdict->decides);
    }
}

static void good_tiles_of_both_modes_are_legal_in_whatever_set_is_asked(void **state)
{
    struct tile_bench bench;

    (void)state;
    for (enum rule_set set = RULES_PYPTO; set < RULES_CONV_COUNT; set++) {
        linear(&bench);
        bench_check(&bench, set);
        assert_int_equal(bench.report.set, RULES_VENDOR);
        assert_true(bench.report.legal && bench.report.runnable);
        assert_int_equal(bench.report.count, 32);
        bench_deinit(&bench);
        rectangle(&bench);
        bench_check(&bench, set);
        assert_true(bench.report.legal && bench.report.runnable);
        bench_deinit(&bench);
    }
}

static void each_rule_of_a_linear_tile_is_found(void **state)
{
    const struct {
        size_t field;
        uint64_t value;
        const char *id, *numbers, *nearest;
    } cases[] = {
        {offsetof(struct tile_vendor, k_al1), 72 * 9, "11", "648 > 576", "kAL1 576"},
        {offsetof(struct tile_vendor, n_bl1), 80, "12", "80 > 64", "nBL1 64"},
        {offsetof(struct tile_vendor, m_al1), 456, "14", "456 % 16 = 8", "mAL1 448 or 464"},
        {offsetof(struct tile_vendor, k_l0), 36, "16", "36 % 16 = 4", "kL0 32 or 48"},
        {offsetof(struct tile_vendor, m_l0), 232, "18", "232 % 16 = 8", "mL0 224 or 240"},
        {offsetof(struct tile_vendor, n_l0), 40, "18", "40 % 16 = 8", "nL0 32 or 48"},
        {offsetof(struct tile_vendor, k_l0), 64, "20", "288 % 64 = 32", "kL0 48 or 96"},
        {offsetof(struct tile_vendor, m_l0), 160, "R1", "448 % 160 = 128", ""},
    };
    struct tile_bench bench;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        linear(&bench);
        memcpy((char *)&bench.plan.vendor + cases[i].field, &cases[i].value, sizeof(uint64_t));
        bench_check(&bench, RULES_VENDOR);
        const struct rule_verdict *verdict = bench_verdict(&bench, cases[i].id);
        assert_false(verdict->ok);
        assert_string_equal(verdict->numbers, cases[i].numbers);
        assert_string_equal(verdict->nearest, cases[i].nearest);
        bench_deinit(&bench);
    }
}

static void an_image_lies_in_l1_as_whole_planes(void **state)
{
    struct tile_bench bench;

    (void)state;
    linear(&bench);
    bench.plan.vendor.k_al1 = 528;
    bench.plan.vendor.k_bl1 = 528;
    /* 528 is a multiple of 16 but not of 16 x 9; for weights in fractal_z that is enough. */
    assert_only_broken(&bench, "15", "528 % 144 = 96", "kAL1 432 or 576");
    bench.plan.conv.weight_format = FORMAT_NCHW;
    assert_only_broken(&bench, "15", "528 % 144 = 96, 528 % 144 = 96",
                       "kAL1 432 or 576, kBL1 432 or 576");
    bench_deinit(&bench);
}

static void several_rows_in_l0_need_the_full_width(void **state)
{
    struct tile_bench bench;

    (void)state;
    rectangle(&bench);
    bench.plan.vendor.wo_l0 = 16;
    assert_only_broken(&bench, "13", "hoL0 2, woL0 16, woL1 32, align(Wout, 16) 32", "hoL0 1");
    bench.plan.vendor.ho_l0 = 1;
    bench_check(&bench, RULES_VENDOR);
    assert_true(bench.report.legal);
    bench_deinit(&bench);
}

static void rows_of_l0_divide_those_of_l1_or_l1_has_all(void **state)
{
    struct tile_bench bench;

    (void)state;
    rectangle(&bench);
    bench.plan.vendor.ho_l0 = 3;
    assert_only_broken(&bench, "R1", "4 % 3 = 1", "");
    bench.plan.vendor.ho_l1 = 32;
    bench.plan.vendor.k_al1 = 144;
    bench.plan.vendor.k_bl1 = 144;
    bench_check(&bench, RULES_VENDOR);
    assert_true(bench.report.legal);
    bench_deinit(&bench);
}

static void n_of_l0_divides_that_of_l1_or_l1_has_all_of_a_core(void **state)
{
    struct tile_bench bench;

    (void)state;
    linear(&bench);
    bench.plan.conv = bench_conv(64, 56, 56, 192, 3, 1);
    bench.plan.vendor.n_bl1 = 64;
    bench.plan.vendor.n_l0 = 48;
    assert_only_broken(&bench, "19", "64 % 48 = 16", "");
    bench.plan.given[WORD_CORE_SPLIT] = true;
    bench.plan.schedule.split[SPLIT_N] = 3;
    bench.plan.schedule.split[SPLIT_M] = 1;
    bench_check(&bench, RULES_VENDOR);
    assert_true(bench.report.legal);
    assert_string_equal(bench_verdict(&bench, "19")->numbers, "48 <= 64, 64 >= 64");
    bench_deinit(&bench);
}

static void capacities_count_the_slots_of_the_flag(void **state)
{
    struct tile_bench bench;

    (void)state;
    linear(&bench);
    bench.plan.vendor.k_l0 = 96;
    /* 224 x 96 x 2 B fits once, not twice. */
    bench_check(&bench, RULES_VENDOR);
    assert_true(bench.report.legal);
    bench.plan.vendor.p_buffer_given = true;
    bench.plan.vendor.p_buffer_flag = 1;
    assert_only_broken(&bench, "21", "L0A 2 x 43,008 = 86,016 > 65,536, 20,480 too many",
                       "one slot in L0A");
    bench.plan.vendor.p_buffer_flag = 2 + 4 + 8 + 16;
    bench_check(&bench, RULES_VENDOR);
    assert_true(bench.report.legal);
    assert_string_equal(bench_verdict(&bench, "22")->numbers, "2 x 71,680 + 2 x 36,864 = 217,088");
    bench_set(&bench, "l1.size=217087 B");
    assert_only_broken(&bench, "22", "2 x 71,680 + 2 x 36,864 = 217,088 > 217,087, 1 too many",
                       "one slot of A and of B");
    bench_deinit(&bench);
}

/* mAL1 448 over rows of 56 is 8 whole rows of output, 10 of input; the estimate mAL1/Wo + 2 would
 * count 10 of output. 464 positions start anywhere on multiples of 8, so they touch up to 10. */
static void the_height_of_a_linear_tile_is_the_true_maximum(void **state)
{
    struct tile_bench bench;

    (void)state;
    linear(&bench);
    bench_check(&bench, RULES_VENDOR);
    assert_string_equal(bench_verdict(&bench, "22")->numbers, "1 x 71,680 + 1 x 36,864 = 108,544");
    assert_int_equal(bench.report.buffers[0].single_bytes, 10 * 56 * 64 * 2 + 288 * 64 * 2);
    bench.plan.vendor.m_al1 = 464;
    bench.plan.vendor.m_l0 = 464;
    bench.plan.vendor.k_l0 = 16;
    bench_check(&bench, RULES_VENDOR);
    assert_true(bench.report.legal);
    assert_int_equal(bench.report.buffers[0].single_bytes, 12 * 56 * 64 * 2 + 288 * 64 * 2);
    bench_deinit(&bench);
}

/* Entries of the vendor's tuned banks that no check had looked at. */
static void infeasible_bank_entries_are_refused(void **state)
{
    struct tile_bench bench;

    (void)state;
    linear(&bench);
    bench.plan.vendor.k_l0 = 8;
    assert_only_broken(&bench, "16", "8 % 16 = 8", "kL0 16");
    bench.plan.conv.dtype = ELEMENT_FP32;
    bench.plan.conv.out_dtype = ELEMENT_FP32;
    bench.plan.vendor.k_l0 = 4;
    bench_check(&bench, RULES_VENDOR);
    assert_string_equal(bench_first_broken(&bench), "16");
    bench_deinit(&bench);
    linear(&bench);
    bench.plan.vendor.m_al1 = 3136;
    bench.plan.vendor.m_l0 = 3136;
    bench.plan.vendor.k_l0 = 288;
    bench_check(&bench, RULES_VENDOR);
    assert_string_equal(bench_first_broken(&bench), "21");
    bench_deinit(&bench);
}

static void fields_of_load3d_are_limits_of_the_vendor_set(void **state)
{
    struct tile_bench bench;

    (void)state;
    linear(&bench);
    bench.plan.conv = bench_conv(16, 200, 200, 16, 1, 0);
    bench.plan.vendor = (struct tile_vendor){
        .m_al1 = 32768, .m_l0 = 512, .n_bl1 = 16, .k_al1 = 16, .k_bl1 = 16, .k_l0 = 16, .n_l0 = 16};
    bench_set(&bench, "l1.size=8 MiB");
    /* 32,768 positions may start at column 192 of their first row. */
    assert_only_broken(&bench, "R7", "32,960 > 32,767", "");
    bench.plan.conv = bench_conv(16, 1, 40000, 16, 1, 0);
    bench.plan.vendor.m_al1 = 512;
    bench_check(&bench, RULES_VENDOR);
    assert_string_equal(bench_first_broken(&bench), "R6");
    assert_string_equal(bench_verdict(&bench, "R6")->numbers, "40,000 > 32,767");
    bench_deinit(&bench);
}

static void a_pypto_tile_is_translated_for_the_vendor_set(void **state)
{
    struct tile_bench bench;

    (void)state;
    bench_init(&bench, A2_PRODUCT);
    bench.plan.conv = bench_conv(64, 32, 32, 64, 3, 1);
    bench.plan.form = TILE_PYPTO;
    bench.plan.has_l0 = true;
    bench.plan.l1 = (struct tile_l1){6, 4, 32, 32, 64, 32, 64, 1};
    bench.plan.l0 = (struct tile_l0){2, 32, 48, 32};
    bench_check(&bench, RULES_VENDOR);
    assert_int_equal(bench.report.set, RULES_VENDOR);
    assert_true(bench.report.legal);
    assert_string_equal(bench_verdict(&bench, "20")->numbers, "576 % 48 = 0, 288 % 48 = 0");
    /* Legal for pypto, not for the vendor: two rows of half the width. */
    bench.plan.l0.w = 16;
    bench_check(&bench, RULES_PYPTO);
    assert_true(bench.report.legal);
    bench_check(&bench, RULES_VENDOR);
    assert_string_equal(bench_first_broken(&bench), "13");
    assert_int_equal(bench_verdict(&bench, "13")->word, WORD_TILE_H);
    bench_deinit(&bench);
}

static void depths_bound_k_in_the_words_of_the_vendor(void **state)
{
    struct tile_bench bench;

    (void)state;
    linear(&bench);
    struct conv *conv = &bench.plan.conv;
    conv->rank = 3;
    conv->stride_length = 3;
    conv->dilation_length = 3;
    conv->padding_length = 6;
    conv->in[AXIS_D] = 4;
    conv->kernel[AXIS_D] = 2;
    conv_derive(conv);
    /* Two depths of B in one chunk of the vendor's. */
    bench.plan.vendor.k_bl1 = 1152;
    bench_check(&bench, RULES_VENDOR);
    assert_true(bench.report.legal);
    bench.plan.vendor.k_bl1 = 432;
    bench.plan.vendor.k_l0 = 144;
    bench.plan.vendor.m_l0 = 64;
    assert_only_broken(&bench, "R4", "576 % 432 = 144", "kBL1 288");
    bench.plan.vendor.k_bl1 = 1152;
    bench.plan.vendor.k_al1 = 1152;
    bench.plan.vendor.k_l0 = 128;
    assert_only_broken(&bench, "R3", "576 % 128 = 64, 576 % 128 = 64", "kL0 96");
    bench_deinit(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_tiles_of_both_modes_are_legal_in_whatever_set_is_asked),
        cmocka_unit_test(each_rule_of_a_linear_tile_is_found),
        cmocka_unit_test(an_image_lies_in_l1_as_whole_planes),
        cmocka_unit_test(several_rows_in_l0_need_the_full_width),
        cmocka_unit_test(rows_of_l0_divide_those_of_l1_or_l1_has_all),
        cmocka_unit_test(n_of_l0_divides_that_of_l1_or_l1_has_all_of_a_core),
        cmocka_unit_test(capacities_count_the_slots_of_the_flag),
        cmocka_unit_test(the_height_of_a_linear_tile_is_the_true_maximum),
        cmocka_unit_test(infeasible_bank_entries_are_refused),
        cmocka_unit_test(fields_of_load3d_are_limits_of_the_vendor_set),
        cmocka_unit_test(a_pypto_tile_is_translated_for_the_vendor_set),
        cmocka_unit_test(depths_bound_k_in_the_words_of_the_vendor),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
