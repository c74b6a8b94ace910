/* Rules 1 to 9, and sizes of any magnitude. */
#include "tests/unit/tile_fixture.h"

static void the_output_type_is_a_float_of_the_cube(void **state)
{
    struct tile_bench bench;

    (void)state;
    pointwise(&bench, 16, 16);
    bench.plan.conv.out_dtype = ELEMENT_FP32;
    bench_check(&bench, RULES_PYPTO);
    assert_true(bench.report.legal);
    bench.plan.conv.out_dtype = ELEMENT_INT32;
    bench_check(&bench, RULES_PYPTO);
    assert_broken(&bench, "1", "out_dtype is one of fp32, fp16, bf16",
                  "int32 not in fp32 fp16 bf16", "out_dtype fp16");
    bench_deinit(&bench);
}

static void the_rules_of_the_convolution_find_each_fault(void **state)
{
    struct tile_bench bench;

    (void)state;
    bench_init(&bench, A2_PRODUCT);
    bench.plan.conv = bench_conv(2000000, 2, 6, 16, 8, 0);
    bench.plan.conv.bias = true;
    bench.plan.conv.bias_length = 15;
    bench.plan.conv.padding_length = 3;
    bench.plan.conv.stride[AXIS_W] = 64;
    conv_derive(&bench.plan.conv);
    bench_check(&bench, RULES_PYPTO);
    assert_broken(&bench, "2", "Cin and Cin of the weight lie in 1 .. 1,000,000",
                  "Cin 2,000,000 > 1,000,000, Cin of the weight 2,000,000 > 1,000,000",
                  "Cin 1,000,000, Cin of the weight 1,000,000");
    assert_broken(&bench, "3", "the bias has one value per output channel", "15 != Cout 16",
                  "a bias of 16 values");
    assert_broken(&bench, "4", "the kernel does not fit into the padded input along H and W",
                  "Hout 0 < 1, Wout 0 < 1", "H 8, W 8");
    assert_broken(&bench, "5", "padding has 4 numbers for 2 axes", "padding 3 != 4",
                  "padding with 4 numbers");
    assert_broken(&bench, "8", "stride lies in 1 .. 63", "stride 64 > 63", "stride 63");
    assert_true(bench_verdict(&bench, "6")->ok);
    bench.plan.conv = bench_conv(60, 80, 80, 16, 3, 3);
    bench.plan.conv.groups = 7;
    bench.plan.conv.dilation[AXIS_H] = 64;
    bench.plan.conv.kernel[AXIS_H] = 256;
    conv_derive(&bench.plan.conv);
    bench_check(&bench, RULES_PYPTO);
    assert_broken(&bench, "6", "padding along W is smaller than the kernel", "3 >= 3",
                  "padding 2 along W");
    assert_broken(&bench, "7",
                  "Cin and Cout are multiples of groups; Cin is Cin of the weight x groups",
                  "60 % 7 = 4, 16 % 7 = 2, 60 != 60 x 7 = 420", "groups 1");
    assert_broken(&bench, "8", "dilation lies in 1 .. 63", "dilation 64 > 63", "dilation 63");
    assert_broken(&bench, "9", "Kh is at most 255", "Kh 256 > 255", "Kh 255");
    bench_deinit(&bench);
}

static void assert_groups_nearest(uint64_t cin, uint64_t cin_group, uint64_t cout, uint64_t groups,
                                  const char *nearest)
{
    struct tile_bench bench;

    bench_init(&bench, A2_PRODUCT);
    bench.plan.conv = bench_conv(cin, 56, 56, cout, 3, 1);
    bench.plan.conv.cin_group = cin_group;
    bench.plan.conv.groups = groups;
    bench_check(&bench, RULES_PYPTO);
    assert_false(bench_verdict(&bench, "7")->ok);
    assert_string_equal(bench_verdict(&bench, "7")->nearest, nearest);
    bench_deinit(&bench);
}

/* One number of groups where it makes the rule hold, else all that has to change. */
static void the_nearest_of_groups_is_consistent(void **state)
{
    (void)state;
    assert_groups_nearest(64, 32, 64, 3, "groups 2");
    assert_groups_nearest(64, 64, 64, 2, "groups 1");
    assert_groups_nearest(64, 32, 63, 2, "Cout 64");
    assert_groups_nearest(66, 32, 66, 3, "Cin of the weight 22");
    assert_groups_nearest(64, 30, 64, 3, "Cin 90, Cout 63");
    assert_groups_nearest(131072, 1, 131072, 131072, "groups 65,535, Cin 65,535, Cout 131,070");
}

static void axes_that_break_a_rule_share_a_sentence(void **state)
{
    struct tile_bench bench;

    (void)state;
    bench_init(&bench, A2_PRODUCT);
    bench.plan.conv = bench_conv(16, 80, 80, 16, 3, 4);
    bench_check(&bench, RULES_PYPTO);
    assert_broken(&bench, "6", "padding along H and W is smaller than the kernel", "4 >= 3, 4 >= 3",
                  "padding 2 along H, padding 2 along W");
    bench.plan.conv.rank = 3;
    bench.plan.conv.pad_head[AXIS_D] = 1;
    bench_check(&bench, RULES_PYPTO);
    assert_string_equal(bench_verdict(&bench, "6")->message,
                        "padding along D, H and W is smaller than the kernel");
    bench_deinit(&bench);
}

static void three_different_strides_keep_their_axes(void **state)
{
    struct tile_bench bench;

    (void)state;
    bench_init(&bench, A2_PRODUCT);
    bench.plan.conv = bench_conv(4, 32, 32, 16, 2, 0);
    bench.plan.conv.rank = 3;
    bench.plan.conv.in[AXIS_D] = 120;
    bench.plan.conv.stride[AXIS_H] = 2;
    bench.plan.conv.stride[AXIS_W] = 3;
    conv_derive(&bench.plan.conv);
    bench_check(&bench, RULES_PYPTO);
    assert_string_equal(bench_verdict(&bench, "4")->numbers, "Dout 120, Hout 16, Wout 11 >= 1");
    bench_deinit(&bench);
}

static void huge_numbers_are_judged_and_never_wrap(void **state)
{
    const uint64_t huge = (uint64_t)INT64_MAX;
    struct tile_bench bench;

    (void)state;
    for (int at = 0; at < 12; at++) {
        pointwise(&bench, 16, 16);
        uint64_t *fields[] = {
            &bench.plan.l1.hin,  &bench.plan.l1.hout,     &bench.plan.l1.win,
            &bench.plan.l1.wout, &bench.plan.l1.cin_fmap, &bench.plan.l1.cin_weight,
            &bench.plan.l1.n,    &bench.plan.l1.batch,    &bench.plan.l0.h,
            &bench.plan.l0.w,    &bench.plan.l0.k,        &bench.plan.l0.n};
        *fields[at] = at % 2 == 0 ? huge : huge / 16 * 16;
        for (enum rule_set set = RULES_PYPTO; set < RULES_CONV_COUNT; set++) {
            bench_check(&bench, set);
            /* The vendor's form has no hin, win and batch. */
            bool advisory = at == 0 || at == 2 || at == 7;
            assert_int_equal(bench.report.legal, set == RULES_VENDOR && advisory);
        }
        bench_deinit(&bench);
    }
    /* 2^32 x 2^32 x ... would be 0 in 64 bits. */
    pointwise(&bench, 16, 16);
    bench.plan.l0.h = (uint64_t)1 << 32;
    bench.plan.l0.w = (uint64_t)1 << 32;
    bench_check(&bench, RULES_PYPTO);
    assert_string_equal(bench_verdict(&bench, "21")->numbers,
                        "4,294,967,296 x 4,294,967,296 x 16 x 2 = 2^63 or more > 65,536, "
                        "2^63 or more too many, 4,294,967,296 x 4,294,967,296 x 16 x 4 = "
                        "2^63 or more > 131,072, 2^63 or more too many");
    bench_deinit(&bench);
}

static void a_convolution_of_any_size_is_judged(void **state)
{
    const uint64_t huge = (uint64_t)INT64_MAX;
    struct tile_bench bench;

    (void)state;
    for (int at = 0; at < 8; at++) {
        pointwise(&bench, 16, 16);
        struct conv *conv = &bench.plan.conv;
        uint64_t *fields[] = {&conv->batch,          &conv->cin,
                              &conv->cout,           &conv->in[AXIS_H],
                              &conv->in[AXIS_W],     &conv->kernel[AXIS_W],
                              &conv->stride[AXIS_W], &conv->dilation[AXIS_W]};
        *fields[at] = huge;
        conv_derive(conv);
        for (enum rule_set set = RULES_PYPTO; set < RULES_CONV_COUNT; set++) {
            bench_check(&bench, set);
            assert_false(bench.report.legal);
        }
        bench_deinit(&bench);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_output_type_is_a_float_of_the_cube),
        cmocka_unit_test(the_rules_of_the_convolution_find_each_fault),
        cmocka_unit_test(the_nearest_of_groups_is_consistent),
        cmocka_unit_test(axes_that_break_a_rule_share_a_sentence),
        cmocka_unit_test(three_different_strides_keep_their_axes),
        cmocka_unit_test(huge_numbers_are_judged_and_never_wrap),
        cmocka_unit_test(a_convolution_of_any_size_is_judged),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
