#include "tests/unit/plan_fixture.h"

#include <stdlib.h>
#include <unistd.h>

#include "model/conversion.h"
#include "model/derive.h"
#include "model/tensor.h"

#define TYPED(type) "conv:\n" SHAPES "  padding: [1, 1, 1, 1]\n  dtype: " type "\n"
#define P310        "product: ascend310p3\n"
#define P310B       "product: ascend310b1\n"
#define P910A       "product: ascend910a\n"

static void test_the_output_type_follows_type_and_quant(void **state)
{
    static const struct {
        const char *text;
        enum element out;
    } rows[] = {
        {A2 TYPED("fp16"), ELEMENT_FP16},
        {A2 TYPED("fp16") "  out_dtype: fp32\n", ELEMENT_FP32},
        {A2 TYPED("fp16") "  out_dtype: bf16\n", ELEMENT_BF16},
        {A2 TYPED("bf16"), ELEMENT_BF16},
        {A2 TYPED("fp32"), ELEMENT_FP32},
        {A2 TYPED("fp32") "  out_dtype: fp16\n", ELEMENT_FP16},
        {A2 TYPED("fp16") "  out_dtype: int8\n  quant: {scale: 0.5}\n", ELEMENT_INT8},
        {A2 TYPED("int8"), ELEMENT_INT32},
        {A2 TYPED("int8") "  out_dtype: int32\n", ELEMENT_INT32},
        {A2 TYPED("int8") "  quant: {scale: 0.5}\n", ELEMENT_INT8},
        {A2 TYPED("int8") "  out_dtype: fp16\n  quant: {scale: 0.5}\n", ELEMENT_FP16},
        {P310B TYPED("int8") "  quant: {scale: 0.5}\n", ELEMENT_INT8},
        {PRO TYPED("int8") "  out_dtype: bf16\n  quant: {scale: 0.5}\n", ELEMENT_BF16},
        {P310 TYPED("fp16"), ELEMENT_FP16},
        {P310 TYPED("fp16") "  out_dtype: fp32\n", ELEMENT_FP32},
        {P310 TYPED("int8") "  out_dtype: fp16\n  quant: {scale: 0.5}\n", ELEMENT_FP16},
        {P910A TYPED("int8"), ELEMENT_INT32},
        {P910A TYPED("int8") "  quant: {scale: 0.5}\n", ELEMENT_INT8},
        {PRO TYPED("fp16") "  quant: {scale: 0.5}\n", ELEMENT_FP16},
        {PRO TYPED("fp8_e4m3") "  quant: {scale: 0.5}\n", ELEMENT_FP8_E4M3},
        {PRO TYPED("fp8_e4m3") "  out_dtype: bf16\n", ELEMENT_BF16},
        {PRO TYPED("fp8_e5m2") "  out_dtype: fp16\n", ELEMENT_FP16},
        {PRO TYPED("fp8_e5m2") "  out_dtype: hif8\n  quant: {scale: 0.5}\n", ELEMENT_HIF8},
        {PRO TYPED("hif8") "  quant: {scale: 0.5}\n", ELEMENT_HIF8},
        {PRO TYPED("hif8") "  out_dtype: fp32\n", ELEMENT_FP32},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct fixture fixture;

        accept(&fixture, rows[i].text);
        assert_int_equal(fixture.plan.conv.out_dtype, rows[i].out);
        fixture_deinit(&fixture);
    }
}

static void test_outputs_that_the_product_does_not_make_are_refused(void **state)
{
    static const struct refusal rows[] = {
        {A2 TYPED("fp16") "  out_dtype: int32\n", 7, 14,
         "found out_dtype 'int32' for dtype 'fp16' on ascend910b1; expected fp16, bf16, fp32, or "
         "int8 with quant"},
        {A2 TYPED("int8") "  out_dtype: fp32\n", 7, 14,
         "expected int32, or fp16 or int8 with quant"},
        {A2 TYPED("int8") "  out_dtype: bf16\n  quant: {scale: 2}\n", 7, 14, "on ascend910b1"},
        {PRO TYPED("int8") "  out_dtype: bf16\n", 7, 14, "'bf16' without quant"},
        {A2 TYPED("int8") "  out_dtype: int8\n", 7, 14,
         "found out_dtype 'int8' without quant, which an output of int8 needs; expected 'quant: "
         "{scale: NUMBER}'"},
        {A2 TYPED("fp16") "  out_dtype: int8\n", 7, 14, "without quant"},
        {A2 TYPED("fp16") "  out_dtype: hif8\n  quant: {scale: 1}\n", 7, 14, "on ascend910b1"},
        {P310 TYPED("fp16") "  out_dtype: int8\n  quant: {scale: 1}\n", 7, 14,
         "on ascend310p3; expected fp16 or fp32"},
        {P310 TYPED("fp16") "  quant: {scale: 1}\n", 7, 3, "stores fp16 of fp16 without a scale"},
        {PRO TYPED("fp8_e4m3"), 6, 10, "found dtype 'fp8_e4m3' without quant"},
        {PRO TYPED("hif8"), 6, 10, "found dtype 'hif8' without quant"},
        {PRO TYPED("fp8_e5m2"), 6, 10, "found no out_dtype for dtype 'fp8_e5m2'"},
        {PRO TYPED("fp8_e5m2") "  quant: {scale: 1}\n", 6, 10, "found no out_dtype"},
        {PRO TYPED("fp16") "  out_dtype: fp8_e5m2\n  quant: {scale: 1}\n", 7, 14,
         "on ascend950pr_9589"},
    };

    (void)state;
    REFUSE_ALL(rows);
}

static void test_types_that_the_cube_lacks_are_refused(void **state)
{
    static const struct refusal rows[] = {
        {A2 TYPED("fp8_e4m3") "  out_dtype: fp16\n", 6, 10, "ascend910b1 has fp16, bf16, fp32"},
        {A2 TYPED("hif8") "  out_dtype: fp16\n", 6, 10, "expected one of them"},
        {P310B TYPED("fp8_e5m2") "  out_dtype: fp16\n", 6, 10, "ascend310b1"},
        {P910A TYPED("bf16"), 6, 10, "fp16 and int8"},
        {P310 TYPED("fp32"), 6, 10, "fp16 and int8"},
        {A2 TYPED("int4"), 6, 10, "found 'int4'"},
        {A2 TYPED("int32"), 6, 10, "found 'int32'"},
    };

    (void)state;
    REFUSE_ALL(rows);
}

static void test_hf32_is_for_fp32_on_products_that_have_it(void **state)
{
    static const struct refusal rows[] = {
        {A2 TYPED("fp16") "  hf32: true\n", 7, 9, "with dtype 'fp16'; expected fp32"},
        {A2 TYPED("fp32") "  hf32: 1\n", 7, 9, "true or false"},
    };
    static const struct {
        const char *text;
        uint32_t bits;
    } accepted[] = {
        {A2 TYPED("fp32") "  hf32: true\n", 11},
        {PRO TYPED("fp32") "  hf32: true\n", 10},
        {A2 TYPED("fp32") "  hf32: false\n", 0},
        {A2 TYPED("fp16") "  hf32: false\n", 0},
    };

    (void)state;
    REFUSE_ALL(rows);
    for (size_t i = 0; i < sizeof accepted / sizeof accepted[0]; i++) {
        struct fixture fixture;

        accept(&fixture, accepted[i].text);
        assert_int_equal(fixture.plan.conv.hf32_bits, accepted[i].bits);
        fixture_deinit(&fixture);
    }
}

static void test_malformed_quant_is_refused_with_its_place(void **state)
{
#define QUANT(map) A2 TYPED("int8") "  quant: " map "\n"
    static const struct refusal rows[] = {
        {QUANT("0.5"), 7, 10, "found '0.5'; expected"},
        {QUANT("{}"), 7, 10, "without scale or scale_file"},
        {QUANT("{offset: 1}"), 7, 10, "without scale or scale_file"},
        {QUANT("{scal: 1}"), 7, 11, "'scale'"},
        {QUANT("{scale: 1, scale_file: s.npy}"), 7, 21, "both scale and scale_file"},
        {QUANT("{scale: 0}"), 7, 18, "found '0'; expected a decimal number from"},
        {QUANT("{scale: -0.5}"), 7, 18, "found '-0.5'"},
        {QUANT("{scale: 1e39}"), 7, 18, "found '1e39'"},
        {QUANT("{scale: 1e-39}"), 7, 18, "found '1e-39'"},
        {QUANT("{scale: nan}"), 7, 18, "found 'nan'"},
        {QUANT("{scale: 0x1p-1}"), 7, 18, "found '0x1p-1'"},
        {QUANT("{scale: .5}"), 7, 18, "found '.5'"},
        {QUANT("{scale: '0.5'}"), 7, 18, "expected a decimal number"},
        {QUANT("{scale: {a: 1}}"), 7, 18, "found no number"},
        {QUANT("{scale: [0.5, 0.25]}"), 7, 18, "found a list of 2 scales; expected 64"},
        {QUANT("{scale: 1, offset: 256}"), 7, 29, "from -256 to 255"},
        {QUANT("{scale: 1, offset: -257}"), 7, 29, "from -256 to 255"},
        {QUANT("{scale: 1, offset: 0.5}"), 7, 29, "whole number"},
        {QUANT("{scale_file: no_such_file.npy}"), 7, 23, "no_such_file.npy: cannot open the file"},
        {A2 TYPED("int8") "  out_dtype: int32\n  quant: {scale: 0.5}\n", 8, 3,
         "ascend910b1 stores int32 of int8 without a scale; expected no quant"},
        {A2 TYPED("fp16") "  quant: {scale: 0.5}\n", 7, 3, "stores fp16 of fp16 without a scale"},
        {A2 TYPED("int8") "  out_dtype: fp16\n  quant: {scale: 0.5, offset: 3}\n", 8, 31,
         "found offset 3 with an output of fp16"},
    };
#undef QUANT

    (void)state;
    REFUSE_ALL(rows);
}

/* A list of so many scales, i of them (i + 1) / 64, in YAML. */
static void scale_list(char *text, size_t size, int count)
{
    size_t used = (size_t)snprintf(text, size, "[");

    for (int i = 0; i < count; i++) {
        used +=
            (size_t)snprintf(text + used, size - used, "%s%.6f", i > 0 ? ", " : "", (i + 1) / 64.0);
    }
    (void)snprintf(text + used, size - used, "]");
}

static void test_scales_of_channels_come_from_a_list_or_a_file(void **state)
{
    char folder[] = "/tmp/cubesim-types-XXXXXX";
    char list[1024], text[2048], path[64];
    float data[64];
    struct tensor scales = {
        .element = ELEMENT_FP32, .rank = 1, .shape = {64}, .count = 64, .data = data};
    struct fixture fixture;

    (void)state;
    for (int i = 0; i < 64; i++) {
        data[i] = (float)(i + 1) / 64.0F;
    }
    assert_non_null(mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/s.npy", folder);
    scale_list(list, sizeof list, 64);
    (void)snprintf(text, sizeof text, A2 TYPED("int8") "  quant: {scale: %s, offset: -3}\n", list);
    accept(&fixture, text);
    assert_true(fixture.plan.conv.quant.by_channel);
    assert_memory_equal(fixture.plan.conv.quant.scales, data, sizeof data);
    assert_int_equal(npy_save(path, place_none(), &scales, &fixture.diag), STATUS_OK);
    fixture_deinit(&fixture);

    /* The file lies beside the plan, whatever the current folder is. */
    char plan_path[64];
    (void)snprintf(plan_path, sizeof plan_path, "%s/plan.yaml", folder);
    fixture_init(&fixture);
    assert_int_equal(plan_parse(plan_path,
                                A2 TYPED("int8") "  quant: {scale_file: s.npy, offset: -3}\n", NULL,
                                &fixture.arena, &fixture.diag, &fixture.product, &fixture.plan),
                     STATUS_OK);
    assert_memory_equal(fixture.plan.conv.quant.scales, data, sizeof data);
    fixture_deinit(&fixture);

    /* A scale of 0 in the file is told by its channel. */
    data[5] = 0.0F;
    fixture_init(&fixture);
    assert_int_equal(npy_save(path, place_none(), &scales, &fixture.diag), STATUS_OK);
    (void)snprintf(text, sizeof text, A2 TYPED("int8") "  quant: {scale_file: %s}\n", path);
    refuse(text, 7, 23, "found the scale 0 for output channel 5");
    assert_int_equal(remove(path), 0);
    assert_int_equal(rmdir(folder), 0);
    fixture_deinit(&fixture);
}

/* A file of scales becomes a list: the JSON needs no other file. */
static void test_scales_in_the_json_read_back_as_the_same_numbers(void **state)
{
    static const float scales[4] = {0.1F, 0x1.fffffep+127F, 0x1p-126F, 3.0F};
    struct fixture fixture, again;

    (void)state;
    accept(&fixture, A2 "conv:\n  input: [1, 32, 4, 16]\n  weight: [4, 32, 1, 1]\n  dtype: int8\n"
                        "  quant: {scale: [1, 2, 3, 4], offset: -9}\n");
    fixture.plan.conv.quant.scales = scales;
    assert_int_equal(plan_resolve(&fixture.plan, &fixture.product, &fixture.arena, &fixture.diag),
                     STATUS_OK);
    const char *json = plan_json(&fixture.plan, &fixture.arena);
    assert_non_null(json);
    accept(&again, json);
    assert_true(again.plan.conv.quant.by_channel);
    assert_memory_equal(again.plan.conv.quant.scales, scales, sizeof scales);
    assert_int_equal(again.plan.conv.quant.offset, -9);
    fixture_deinit(&again);
    fixture_deinit(&fixture);
}

static void test_scales_of_channels_need_a_place(void **state)
{
    char list[1024], text[2048];
    struct fixture fixture;

    (void)state;
    scale_list(list, sizeof list, 64);
    (void)snprintf(text, sizeof text, P910A TYPED("int8") "  quant: {scale: %s}\n", list);
    accept(&fixture, text);
    fixture_deinit(&fixture);
    (void)snprintf(text, sizeof text, P310B TYPED("int8") "  quant: {scale: %s}\n", list);
    refuse(text, 7, 3, "found a scale for each channel, but ascend310b1");
}

/* Sign bit and exponent stay, and ten bits behind the leading one. */
static void test_a_quantisation_word_holds_scale_offset_and_sign(void **state)
{
    const float scales[2] = {0.1F, 1.5F};
    struct conv conv = {
        .out_dtype = ELEMENT_INT8,
        .quant = {.given = true, .by_channel = true, .scales = scales, .scale_bits = 10}};

    (void)state;
    /* 0.1 = 0x3DCCCCCD; 1.5 = 0x3FC00000. */
    conv.quant.offset = -1;
    assert_int_equal(conversion_word(&conv, 0),
                     UINT64_C(1) << 46 | UINT64_C(0x1FF) << 37 | UINT64_C(0x3DCCC000));
    conv.quant.offset = 5;
    assert_int_equal(conversion_word(&conv, 1),
                     UINT64_C(1) << 46 | UINT64_C(5) << 37 | UINT64_C(0x3FC00000));
    assert_true(conversion_scale(0.1F, 10) < 0.1F);
    assert_true(conversion_scale(1.5F, 10) == 1.5F);
}

static void test_a_scale_that_hardware_cuts_is_told(void **state)
{
    struct fixture fixture;
    uint32_t told = 0;

    (void)state;
    accept(&fixture, A2 TYPED("int8") "  quant: {scale: 0.1}\n");
    assert_int_equal(plan_resolve(&fixture.plan, &fixture.product, &fixture.arena, &fixture.diag),
                     STATUS_OK);
    for (uint32_t i = 0; i < fixture.plan.note_count; i++) {
        told += strstr(fixture.plan.notes[i], "scale 0.100000001 counts as 0.0999755859") != NULL;
    }
    assert_int_equal(told, 1);
    fixture_deinit(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_output_type_follows_type_and_quant),
        cmocka_unit_test(test_outputs_that_the_product_does_not_make_are_refused),
        cmocka_unit_test(test_types_that_the_cube_lacks_are_refused),
        cmocka_unit_test(test_hf32_is_for_fp32_on_products_that_have_it),
        cmocka_unit_test(test_malformed_quant_is_refused_with_its_place),
        cmocka_unit_test(test_scales_of_channels_come_from_a_list_or_a_file),
        cmocka_unit_test(test_scales_in_the_json_read_back_as_the_same_numbers),
        cmocka_unit_test(test_scales_of_channels_need_a_place),
        cmocka_unit_test(test_a_quantisation_word_holds_scale_offset_and_sign),
        cmocka_unit_test(test_a_scale_that_hardware_cuts_is_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
