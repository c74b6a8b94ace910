/*
 * The roofline of real runs: in text, in JSON, in the database.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/cli_program.h"

CLI_FIXTURE(cli)

static json_t *level_of(const json_t *root, const char *word)
{
    json_t *levels = json_object_get(json_object_get(root, "roofline"), "levels"), *level;
    size_t i;
    json_array_foreach(levels, i, level)
    {
        if (strcmp(json_words_of(level, "level"), word) == 0)
            return level;
    }
    fail_msg("no level '%s'", word);
    return NULL;
}

static double real_of(const json_t *map, const char *key)
{
    return json_number_value(json_object_get(map, key));
}

/* Of every product family and element size, both tile forms, with and without a fixpipe. */
static const char *const subjects[] = {
    "configs/plans/res2a.yaml",
    "configs/plans/res3_310p.yaml",
    "configs/plans/res4_int8_quant.yaml",
    "configs/plans/res4a_vendor_tile.yaml",
    "configs/plans/wav2vec_1d.yaml",
    "configs/plans/video_3d.yaml",
    "configs/plans/matmul_tails.yaml",
    "configs/plans/vgg_nchw.yaml --set \"chip.clock=900 MHz\"",
    "traces/samples/matmul_double_buffered.prog",
    "traces/samples/conv_load3d.prog",
};

static void no_run_is_over_a_roof(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++) {
        cli_run(&cli, "run %s --timing-only --json", subjects[i]);
        assert_int_equal(cli.code, 0);
        json_t *root = cli_json(&cli), *level;
        json_t *roofline = json_object_get(root, "roofline");
        double most = 0.0;
        const char *nearest = "";
        size_t at;
        json_array_foreach(json_object_get(roofline, "levels"), at, level)
        {
            double reached = real_of(level, "reached");
            if (reached < 0.0 || reached > 1.0)
                fail_msg("%s: %g of %s", subjects[i], reached, json_words_of(level, "level"));
            if (reached > most) {
                most = reached;
                nearest = json_words_of(level, "level");
            }
        }
        assert_true(most > 0.0);
        assert_string_equal(json_words_of(roofline, "nearest"), nearest);
        json_decref(root);
    }
}

/* Every byte that a core reads comes from GM or from L2. */
static void levels_count_the_bytes_of_the_run(void **state)
{
    (void)state;
    cli_run(&cli, "run configs/plans/res2a.yaml --timing-only --json");
    json_t *root = cli_json(&cli);
    long long a = json_whole_of(level_of(root, "l0a"), "bytes");
    long long b = json_whole_of(level_of(root, "l0b"), "bytes");
    assert_int_equal(json_whole_of(level_of(root, "gm"), "bytes"),
                     json_whole_of(root, "gm_miss_bytes"));
    assert_int_equal(json_whole_of(level_of(root, "gm"), "bytes") +
                         json_whole_of(level_of(root, "l2"), "bytes"),
                     json_whole_of(root, "gm_read_bytes"));
    /* 896 L0 tiles, K of 576: 64 positions and 64 channels of 2 bytes each */
    assert_int_equal(a, 896LL * 576 * 64 * 2);
    assert_int_equal(b, a);
    assert_int_equal(json_whole_of(level_of(root, "mte1"), "bytes"), a + b);
    assert_int_equal(json_whole_of(level_of(root, "l0c"), "bytes"),
                     json_whole_of(root, "gm_write_bytes"));
    json_decref(root);
}

/* A cube that works without a pause on full fractals reaches what is useful of them: the rate of
 * its steps is that of its type. */
static void the_roof_of_the_cube_is_that_of_the_type(void **state)
{
    (void)state;
    static const struct {
        const char *words;
        double macs; /* of a cube in a cycle: 16 x 16 x C0 over the cycles of a step */
    } rows[] = {{"dtype: fp16", 4096},
                {"dtype: int8, out_dtype: int32", 8192},
                {"dtype: fp32", 1024},
                {"dtype: fp32, hf32: true", 2048}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[256];
        snprintf(text, sizeof text,
                 "product: atlas-a2\nconv: {input: [1, 32, 8, 16], weight: [32, 32, 1, 1], %s}\n"
                 "schedule: {cores: 1}\n",
                 rows[i].words);
        cli_run(&cli, "run %s --timing-only --json", cli_write(&cli, "type.yaml", text));
        json_t *root = cli_json(&cli);
        double roof = real_of(level_of(root, "cube"), "roof_macs_per_cycle");
        if (roof != rows[i].macs)
            fail_msg("%s: %g MAC/cycle", rows[i].words, roof);
        json_decref(root);
    }
}

static void text_json_and_database_agree(void **state)
{
    (void)state;
    char database[160], question[512];
    snprintf(database, sizeof database, "%s", cli_path(&cli, "runs.db"));
    cli_run(&cli, "run configs/plans/res2a.yaml --timing-only --db %s --timeline none", database);
    cli_assert_page(&cli);
    cli_assert_out(&cli, "\nlevel         bytes  B/cycle     roof  MAC/B  MAC/cycle roof  reached");
    cli_assert_out(&cli, "\nL1-L0A   66,060,288  ");
    cli_assert_out(&cli, "\nCUBE              -        -        -      -          98,304  ");
    cli_run(&cli, "run configs/plans/res2a.yaml --timing-only --json");
    json_t *root = cli_json(&cli), *level;
    size_t i;
    json_array_foreach(json_object_get(json_object_get(root, "roofline"), "levels"), i, level)
    {
        snprintf(question, sizeof question,
                 "SELECT count(*) FROM v_roofline WHERE level = '%s' AND bytes = %lld AND\n"
                 "abs(bytes_per_cycle - %.17g) < 1e-9 AND abs(reached - %.17g) < 1e-12",
                 json_words_of(level, "level"), json_whole_of(level, "bytes"),
                 real_of(level, "bytes_per_cycle"), real_of(level, "reached"));
        assert_int_equal(cli_count(database, question), 1);
    }
    assert_int_equal(i, 7);
    assert_int_equal(cli_count(database, "SELECT count(*) FROM v_roofline"), 7);
    json_decref(root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_run_is_over_a_roof),
        cmocka_unit_test(levels_count_the_bytes_of_the_run),
        cmocka_unit_test(the_roof_of_the_cube_is_that_of_the_type),
        cmocka_unit_test(text_json_and_database_agree),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
