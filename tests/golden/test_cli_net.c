/*
 * `cubesim net` through the binary: text, JSON, database, refusals.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/cli.h"
#include "tests/support/onnx_model.h"

CLI_FIXTURE(cli)

/* Two layers that are equal, a third, and a product that occurs twice. */
static const char *write_network(void)
{
    return cli_write(
        &cli, "net.csv",
        "layer,count,cin,hin,win,cout,kh,kw,pad_top,pad_bottom,pad_left,pad_right,m,n,k"
        "\n"
        "first,1,16,14,14,32,3,3,1,1,1,1\n"
        "second,1,32,14,14,48,1,1\n"
        "again,2,16,14,14,32,3,3,1,1,1,1\n"
        "fc,2,,,,,,,,,,,64,48,80\n");
}

static double number(const json_t *map, const char *key)
{
    const json_t *value = json_object_get(map, key);
    if (!json_is_number(value))
        fail_msg("no number %s", key);
    return json_number_value(value);
}

static void totals_weigh_how_often_a_layer_occurs(void **state)
{
    (void)state;
    cli_run(&cli, "net %s --json", write_network());
    assert_int_equal(cli.code, 0);
    json_t *root = cli_json(&cli);
    const json_t *layers = json_object_get(root, "layers"), *total = json_object_get(root, "total");
    double cycles = 0.0, macs = 0.0, share = 0.0;
    assert_int_equal(json_array_size(layers), 3);
    for (size_t i = 0; i < 3; i++) {
        const json_t *layer = json_array_get(layers, i);
        cycles += number(layer, "cycles") * number(layer, "count");
        macs += number(layer, "macs") * number(layer, "count");
        share += number(layer, "share");
    }
    assert_int_equal(number(json_array_get(layers, 0), "count"), 3);
    assert_int_equal(json_array_size(json_object_get(json_array_get(layers, 0), "names")), 2);
    assert_int_equal(number(total, "layers"), 6);
    assert_int_equal(number(total, "cycles"), cycles);
    assert_int_equal(number(total, "macs"), macs);
    assert_int_equal(macs, 3 * (14 * 14 * 32 * 16 * 9) + 14 * 14 * 32 * 48 + 2 * 64 * 48 * 80);
    assert_true(fabs(share - 1.0) < 1e-9);
    assert_int_equal(number(total, "simulated"), 3);
    json_decref(root);
}

static void a_layer_takes_as_long_as_run_says(void **state)
{
    (void)state;
    cli_run(&cli, "net %s --json --product ascend-950pr --set 'cube.issue=9 cycles'",
            write_network());
    json_t *net = cli_json(&cli);
    const json_t *layer = json_array_get(json_object_get(net, "layers"), 0);
    cli_run(&cli, "run %s --timing-only --json --product ascend-950pr --set 'cube.issue=9 cycles'",
            cli_write(&cli, "plan.yaml",
                      "conv: {input: [1, 16, 14, 14], weight: [32, 16, 3, 3],\n"
                      "       padding: [1, 1, 1, 1], dtype: fp16}\n"));
    json_t *run = cli_json(&cli);
    assert_int_equal(number(layer, "cycles"), number(run, "cycles"));
    assert_string_equal(json_string_value(json_object_get(layer, "bound")),
                        json_string_value(json_object_get(run, "bound")));
    assert_true(json_equal(json_object_get(layer, "tile"), json_object_get(run, "tile")));
    assert_true(json_equal(json_object_get(layer, "schedule"), json_object_get(run, "schedule")));
    assert_true(json_equal(json_object_get(layer, "range_us"), json_object_get(run, "range_us")));
    json_decref(net);
    json_decref(run);
}

static void a_stored_run_is_not_simulated_again(void **state)
{
    (void)state;
    char folder[64], first[4096];
    (void)snprintf(folder, sizeof folder, "%s", cli.folder);
    write_network();
    cli_run(&cli, "net %s/net.csv --db %s/net.db", folder, folder);
    assert_int_equal(cli.code, 0);
    cli_assert_out(&cli, "3 layers simulated and saved, 0 stored already");
    (void)snprintf(first, sizeof first, "%s", strstr(cli.out, "\nlayer"));
    cli_run(&cli, "net %s/net.csv --db %s/net.db", folder, folder);
    cli_assert_out(&cli, "0 layers simulated and saved, 3 stored already");
    assert_string_equal(strstr(cli.out, "\nlayer"), first);
    assert_int_equal(cli_count(cli_path(&cli, "net.db"), "SELECT count(*) FROM v_run"), 3);
    cli_run(&cli, "net %s/net.csv --db %s/net.db --batch 2", folder, folder);
    cli_assert_out(&cli, "3 layers simulated and saved, 0 stored already");
    assert_int_equal(
        cli_count(cli_path(&cli, "net.db"), "SELECT count(DISTINCT run_key) FROM v_run"), 6);
}

static void text_fits_into_the_page_and_is_one_table_where_there_is_room(void **state)
{
    (void)state;
    const char *path = write_network();
    cli_run(&cli, "net %s", path);
    cli_assert_page(&cli);
    cli_assert_out(&cli, "\nlayer   count ");
    cli_assert_out(&cli, "\nlayer   shape ");
    cli_run(&cli, "net configs/networks/vit_b16_patch.csv");
    cli_assert_page(&cli);
    cli_assert_out(&cli,
                   "\npatch_embed  3x224x224 -> 768 16x16 s16  1x16x16 k4096  1x16x16 k1024\n");
    cli_run(&cli, "--version >/dev/null; COLUMNS=120 '%s' net configs/networks/vit_b16_patch.csv",
            getenv("CUBESIM_BINARY"));
    cli_assert_out(&cli, "\nlayer        shape                       L1 tile        L0 tile        "
                         "count     us  all us    share  bound   peak\n");
}

static void a_layer_that_breaks_a_rule_is_told_and_the_others_run(void **state)
{
    (void)state;
    cli_run(&cli, "net %s",
            cli_write(&cli, "net.csv",
                      "layer,cin,hin,win,cout,kh,kw,pad_top,pad_bottom\n"
                      "good,16,14,14,32,3,3,1,1\nbad,16,14,14,32,300,3,150,150\n"));
    assert_int_equal(cli.code, 1);
    cli_assert_err(&cli, "cubesim net: layer 'bad': rule ");
    cli_assert_out(&cli, "leave out 1 refused and 0 not reached");
    cli_assert_out(&cli, "refused");
    cli_run(&cli, "net %s --product atlas-inference --dtype bf16", write_network());
    assert_int_equal(cli.code, 2);
    cli_assert_err(&cli, "layer 'fc': ");
}

static void products_in_fp32_run_on_a2_with_b_transposed(void **state)
{
    (void)state;
    cli_run(&cli, "net tests/data/scalesim_gemm.csv --dtype fp32");
    assert_int_equal(cli.code, 0);
    cli_assert_out(&cli, "transposed (b_layout dn)");
    cli_run(&cli, "net tests/data/scalesim_gemm.csv --dtype bf16");
    assert_int_equal(cli.code, 0);
    assert_null(strstr(cli.out, "b_layout"));
}

static void an_onnx_model_is_a_network_too(void **state)
{
    (void)state;
    static struct onnx_model model;
    static uint8_t bytes[MODEL_BYTES_MAX];
    const char *path = cli_path(&cli, "net.onnx");
    model_input(&model, "x", 10, (const long[]){0, 16, 14, 14}, 4);
    model_weight(&model, "w", 10, (const long[]){32, 16, 3, 3}, 4);
    model_node(&model, "Conv", "conv", "x w", "y", "pads=[1,1,1,1]");
    model_node(&model, "Relu", "relu", "y", "z", "");
    FILE *file = fopen(path, "wb");
    size_t length = model_bytes(&model, bytes, sizeof bytes);
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
    cli_run(&cli, "net %s", path);
    assert_int_equal(cli.code, 0);
    cli_assert_out(&cli, "\nconv ");
    cli_assert_out(&cli, "16x14x14 -> 32 3x3 p1");
    cli_assert_out(&cli, "\nskipped    Relu: 1 node: neither a convolution nor a matrix product\n");
    cli_assert_out(&cli, "\nnote       the file leaves the batch open: 1; --batch sets it\n");
    cli_assert_page(&cli);
    cli_write(&cli, "net.onnx", "no model");
    cli_run(&cli, "net %s", path);
    assert_int_equal(cli.code, 2);
    cli_assert_err(&cli, "net.onnx: found no ONNX model");
}

static void what_is_wrong_with_files_and_options_is_told(void **state)
{
    (void)state;
    cli_run(&cli, "net %s", cli_write(&cli, "bad.csv", "layer,m,n,k\na,1,2,x\nb,1,y,3\n"));
    assert_int_equal(cli.code, 2);
    cli_assert_err(&cli, "bad.csv:2:7: found 'x'; expected a whole number from 1");
    cli_assert_err(&cli, "bad.csv:3:5: found 'y'; expected a whole number from 1");
    cli_assert_err(&cli, "    3 | b,1,y,3");
    cli_run(&cli, "net %s --batch 0", write_network());
    assert_int_equal(cli.code, 2);
    cli_assert_err(&cli, "--batch: found '0'; expected a whole number from 1");
    cli_run(&cli, "net %s --dtype fp61", write_network());
    cli_assert_err(&cli, "--dtype: found 'fp61'; expected fp16, ");
    cli_run(&cli, "net %s --product atlas-z9", write_network());
    assert_int_equal(cli.code, 2);
    cli_run(&cli, "net /nowhere.csv");
    assert_int_equal(cli.code, 2);
    cli_run(&cli, "net");
    assert_int_equal(cli.code, 2);
    cli_assert_err(&cli, "found no NETWORK; expected a file");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(totals_weigh_how_often_a_layer_occurs),
        cmocka_unit_test(a_layer_takes_as_long_as_run_says),
        cmocka_unit_test(a_stored_run_is_not_simulated_again),
        cmocka_unit_test(text_fits_into_the_page_and_is_one_table_where_there_is_room),
        cmocka_unit_test(a_layer_that_breaks_a_rule_is_told_and_the_others_run),
        cmocka_unit_test(products_in_fp32_run_on_a2_with_b_transposed),
        cmocka_unit_test(an_onnx_model_is_a_network_too),
        cmocka_unit_test(what_is_wrong_with_files_and_options_is_told),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
