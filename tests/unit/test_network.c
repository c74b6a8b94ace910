/*
 * Networks from tables: our CSV and topologies of SCALE-Sim, good rows and bad ones.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "model/network.h"
#include "tests/support/splitmix.h"

struct reading {
    struct arena arena;
    struct diag diag;
    struct network network;
    enum status status;
};

static void read_text(struct reading *reading, const char *text, struct network_options options)
{
    arena_init(&reading->arena, 0);
    diag_init(&reading->diag);
    reading->status = network_read("net.csv", text, strlen(text), &options, &reading->arena,
                                   &reading->diag, &reading->network);
}

static void read_file(struct reading *reading, const char *path, struct network_options options)
{
    arena_init(&reading->arena, 0);
    diag_init(&reading->diag);
    reading->status =
        network_load(path, &options, &reading->arena, &reading->diag, &reading->network);
    if (reading->status != STATUS_OK)
        fail_msg("%s", diag_text(&reading->diag, 0));
}

static void done(struct reading *reading)
{
    diag_deinit(&reading->diag);
    arena_deinit(&reading->arena);
}

static const struct network_options as_written;

/* Fails unless a text is refused with just these problems. */
static void assert_refused(const char *text, const char *const *problems, size_t count)
{
    struct reading reading;
    read_text(&reading, text, as_written);
    assert_int_equal(reading.status, STATUS_BAD_INPUT);
    for (size_t i = 0; i < reading.diag.count && i < count; i++)
        if (strstr(diag_text(&reading.diag, i), problems[i]) == NULL)
            fail_msg("'%s' is not in: %s", problems[i], diag_text(&reading.diag, i));
    assert_int_equal(reading.diag.count, count);
    done(&reading);
}

#define REFUSED(text, ...)                                                                         \
    assert_refused(text, (const char *const[]){__VA_ARGS__},                                       \
                   sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

static const struct layer *layer_named(const struct network *network, const char *name)
{
    for (size_t i = 0; i < network->layer_count; i++)
        if (strcmp(network->layers[i].name, name) == 0)
            return &network->layers[i];
    fail_msg("no layer %s", name);
    return NULL;
}

static void a_row_of_each_rank_gives_its_convolution(void **state)
{
    (void)state;
    struct reading reading;
    read_text(&reading,
              "# a remark\n"
              "layer,count,batch,cin,din,hin,win,cout,kd,kh,kw,stride_d,stride_h,stride_w,"
              "pad_front,pad_back,pad_top,pad_bottom,pad_left,pad_right,dil_d,dil_h,dil_w,groups,"
              "dtype,bias,dout,hout,wout,source\n"
              "\"a, b\",2,3,8,9,10,11,24,2,3,4,1,2,3,1,2,3,0,1,2,2,1,2,4,bf16,1,10,6,3,\"x\"\"y\"\n"
              "flat,,,8,,10,11,24,,3,4,,2,1\n"
              "\n"
              "line,,,8,,,11,24,,,4,,,3,,,,,1,2,,,2,4,,,,,3\n",
              as_written);
    if (reading.status != STATUS_OK)
        fail_msg("%s", diag_text(&reading.diag, 0));
    const struct network *network = &reading.network;
    assert_int_equal(network->format, NETWORK_CSV);
    assert_int_equal(network->layer_count, 3);
    assert_int_equal(network->occurrences, 4);
    assert_string_equal(network->distinct[0].plan,
                        "conv: {input: [3, 8, 9, 10, 11], weight: [24, 2, 2, 3, 4],\n"
                        "       stride: [1, 2, 3], padding: [1, 2, 3, 0, 1, 2], "
                        "dilation: [2, 1, 2], groups: 4,\n"
                        "       dtype: bf16, bias: true}\n");
    assert_string_equal(network->layers[0].name, "a, b");
    assert_string_equal(
        network->distinct[1].plan,
        "conv: {input: [1, 8, 10, 11], weight: [24, 8, 3, 4],\n"
        "       stride: [2, 1], padding: [0, 0, 0, 0], dilation: [1, 1], groups: 1,\n"
        "       dtype: fp16, bias: false}\n");
    assert_string_equal(network->distinct[2].plan,
                        "conv: {input: [1, 8, 11], weight: [24, 2, 4],\n"
                        "       stride: [3], padding: [1, 2], dilation: [2], groups: 4,\n"
                        "       dtype: fp16, bias: false}\n");
    done(&reading);
}

static void equal_layers_are_counted_and_kept_apart_from_others(void **state)
{
    (void)state;
    struct reading reading;
    read_text(&reading,
              "layer,cin,win,cout,kw,pad_left,count,m,n,k\n"
              "a,4,9,5,3,,2,,,\n"
              "b,4,9,5,3,1,,,,\n"
              "c,4,9,5,3,0,3,,,\n"
              "p,,,,,,,7,5,3\n"
              "q,,,,,,4,7,5,3,,,\n",
              as_written);
    const struct network *network = &reading.network;
    assert_int_equal(reading.status, STATUS_OK);
    assert_int_equal(network->distinct_count, 3);
    assert_int_equal(network->distinct[0].count, 5);
    assert_int_equal(network->distinct[1].count, 1);
    assert_int_equal(network->distinct[2].count, 5);
    assert_int_equal(network->distinct[2].macs, 7 * 5 * 3);
    assert_string_equal(network->distinct[2].plan,
                        "matmul: {m: 7, n: 5, k: 3, dtype: fp16, bias: false}\n");
    /* 7 outputs of 3 x 4 taps, one more with a column of padding. */
    assert_int_equal(network->macs, 5 * (5 * 7 * 12) + 5 * 8 * 12 + 5 * 105);
    done(&reading);
}

static void batch_and_type_of_the_options_stand_in_place_of_the_files(void **state)
{
    (void)state;
    struct reading reading;
    read_text(&reading,
              "layer,batch,cin,win,cout,kw,dtype,m,n,k\n"
              "a,5,4,9,5,3,fp32,,,\n"
              "p,2,,,,,fp32,7,5,3\n",
              (struct network_options){.batch = 6, .dtype_given = true, .dtype = ELEMENT_BF16});
    assert_int_equal(reading.status, STATUS_OK);
    assert_non_null(strstr(reading.network.distinct[0].plan, "input: [6, 4, 9]"));
    assert_non_null(strstr(reading.network.distinct[0].plan, "dtype: bf16"));
    assert_non_null(strstr(reading.network.distinct[1].plan, "m: 42, n: 5, k: 3, dtype: bf16"));
    done(&reading);
}

static void every_bad_cell_is_refused_at_its_place_with_what_was_found(void **state)
{
    (void)state;
    REFUSED("layer,cin,hin,win,cout,kh,kw\n"
            "a,4,9,9,5,3,x\n"
            "b,4,9,9,5,0,3\n"
            "c,4,9,9,5,3,3\n"
            "d,4,9,,5,3,3\n"
            "e,4,9,9,5,3,3,,7\n"
            "f,4,9,9,99999999999999999999,3,3\n",
            "net.csv:2:13: found 'x'; expected a whole number from 1",
            "net.csv:3:11: found '0'; expected a whole number from 1",
            "net.csv:5:1: found no 'win' in this row",
            "net.csv:6:16: found '7' behind the last column; expected 7 cells",
            "net.csv:7:9: found '99999999999999999999', which is too large");
    REFUSED("layer,cin,win,cout,kw,dtype,groups,wout\n"
            "a,4,9,5,3,fp64\n"
            "b,4,9,6,3,fp16,3\n"
            "c,4,9,6,11\n"
            "d,4,9,6,3,,,8\n",
            "net.csv:2:11: found 'fp64'; expected fp16",
            "net.csv:3:1: found 3 groups for 4 to 6 channels; expected a divisor of both",
            "net.csv:4:1: found a kernel of width 11 with dilation 1 on an input of 9",
            "net.csv:5:13: found an output of 8; expected 7");
    REFUSED("layer,cin,win,cout,kw,m,n,k,kh,bias\n"
            "a,4,9,5,3,7,5,3\n"
            "b,,,,,7,,3\n"
            "c,4,9,5,3,,,,2\n"
            "d,4,9,5,3,,,,,2\n"
            "e,4,9,5,\"3,,\n",
            "net.csv:2:3: found a number of a convolution in a row with 'm'",
            "net.csv:2:5: found a number of a convolution", "net.csv:2:7: found",
            "net.csv:2:9: found", "net.csv:3:1: found no 'n' in this row",
            "net.csv:4:1: found a kernel, stride, padding or dilation of height without 'hin'",
            "net.csv:5:15: found a number above 1; expected 0 or 1",
            "net.csv:6:9: found an open quote");
}

static void a_bad_head_is_refused_before_its_rows(void **state)
{
    (void)state;
    REFUSED("layer,cin,win,cuot,kw\nx,y\n",
            "net.csv:1:15: found a column 'cuot'; expected one of a network, such as 'cou",
            "net.csv:1:1: found no column 'cout'");
    REFUSED("layer,m,n,k,m\nx,y\n", "net.csv:1:13: found a second column 'm'");
    REFUSED("# nothing\n\n , ,\n", "found an empty table");
    REFUSED("layer,m,n,k,count\n", "found no layer; expected one at least");
    REFUSED("network,layer,m,n,k\nA,a,1,2,3\nB,b,1,2,3\n",
            "net.csv:3:1: found the network 'B' behind another one");
    REFUSED("layer,m,n,k\nb\xff,1,2,3\n", "net.csv:2:2: ");
}

static void sizes_beyond_63_bits_are_refused(void **state)
{
    (void)state;
    REFUSED("layer,m,n,k,count\na,9000000000000000000,2,3,1\nb,4,4,4,9000000000000000000\n",
            "net.csv:2:1: found more multiply-accumulates", "net.csv:3:1: found more multiply-");
    struct reading reading;
    read_text(&reading, "layer,m,n,k,count\na,9000000000000000000,1,1,1\n",
              (struct network_options){.batch = 5});
    assert_int_equal(reading.status, STATUS_BAD_INPUT);
    done(&reading);
}

static void scalesim_rows_with_commas_blanks_and_remarks_are_read(void **state)
{
    (void)state;
    struct reading reading;
    read_file(&reading, "tests/data/scalesim_conv.csv", as_written);
    const struct network *network = &reading.network;
    assert_int_equal(network->format, NETWORK_SCALESIM);
    assert_int_equal(network->layer_count, 6);
    assert_int_equal(network->distinct_count, 5);
    assert_int_equal(network->distinct[1].count, 2);
    const struct conv *first = &layer_named(network, "Conv1")->conv;
    assert_int_equal(first->out[AXIS_H], 109);
    assert_int_equal(first->stride[AXIS_W], 2);
    const struct conv *depthwise = &layer_named(network, "Conv2/DP")->conv;
    assert_int_equal(depthwise->groups, 32);
    assert_int_equal(depthwise->cout, 32);
    assert_int_equal(depthwise->in[AXIS_W], 114);
    assert_int_equal(conv_macs(depthwise), 32 * 110 * 112 * 9);
    assert_int_equal(conv_macs(&layer_named(network, "FC6")->conv), 2048 * 1000);
    assert_string_equal(network->notes[0], "columns not read: 'Eh', 'Ew'");
    done(&reading);
}

static void scalesim_gemm_is_read_and_sparse_rows_are_skipped(void **state)
{
    (void)state;
    struct reading reading;
    read_file(&reading, "tests/data/scalesim_gemm.csv", as_written);
    const struct network *network = &reading.network;
    assert_int_equal(network->format, NETWORK_GEMM);
    assert_int_equal(network->layer_count, 4);
    assert_int_equal(network->distinct_count, 3);
    assert_string_equal(network->distinct[0].plan,
                        "matmul: {m: 1024, n: 1000, k: 64, dtype: fp16, bias: false}\n");
    assert_non_null(strstr(network->distinct[2].plan, "m: 2048, n: 3072, k: 1600"));
    assert_int_equal(network->skipped_count, 1);
    assert_string_equal(network->skipped[0].what, "sparsity 2:4");
    done(&reading);
}

static void scalesim_heads_may_have_two_strides_and_two_widths(void **state)
{
    (void)state;
    struct reading reading;
    read_text(&reading,
              "Layer, IFMAP Width, IFMAP Width, Filter Height, Filter Width, Channels, Num Filters,"
              " Stride height, Stride width, Batch,\n"
              "a,700,161,41,11,1,32,2,3,4,\n"
              "QKTV,700,64,1,64,1,48,1,1,2\n",
              as_written);
    assert_int_equal(reading.status, STATUS_OK);
    assert_string_equal(reading.network.distinct[1].plan,
                        "matmul: {m: 1400, n: 48, k: 64, dtype: fp16, bias: false}\n");
    assert_string_equal(reading.network.distinct[0].plan,
                        "conv: {input: [4, 1, 700, 161], weight: [32, 1, 41, 11],\n"
                        "       stride: [2, 3], padding: [0, 0, 0, 0], dilation: [1, 1], "
                        "groups: 1,\n       dtype: fp16, bias: false}\n");
    done(&reading);
}

static void bad_scalesim_rows_are_refused_at_their_cells(void **state)
{
    (void)state;
    static const char head[] = "Layer name,IFMAP Height,IFMAP Width,Filter Height,Filter Width,"
                               "Channels,Num Filter,Strides,\n";
    char text[512];
    (void)snprintf(text, sizeof text,
                   "%sa,5,5,3,3,2,six,1,\nb,5,5,3,3,2,6\nc,5,5,7,3,2,6,1,\nd,5,5,3,3,2,6,1,9,\n"
                   "e,5,5,3,3,2,6,1,1,#dw\n",
                   head);
    REFUSED(text, "net.csv:2:13: found 'six'; expected a whole number from 1",
            "net.csv:3:13: found a row of 7 cells; expected 8, the last one 'Strides'",
            "net.csv:4:1: found a kernel of height 7", "net.csv:5:17: found '9' behind the last",
            "net.csv:6:17: found '1' behind the last");
    REFUSED("Layer name,IFMAP Height,IFMAP Width,Filter Width,Filter Height,Channels,Num Filter\n"
            "a,1,1,1,1,1,1,\n",
            "net.csv:1:37: found the column 'Filter Width'; expected 'filter height'",
            "net.csv:1:50: found the column 'Filter Height'; expected 'filter width'",
            "net.csv:1:1: found 7 columns; expected 'strides' as column 8");
}

/* Cuts and changed bytes give layers or BAD_INPUT, and nothing else. */
static void cut_and_changed_tables_are_read_or_refused(void **state)
{
    (void)state;
    static const char *const tables[] = {
        "layer,count,cin,hin,win,cout,kh,kw,pad_top,dtype,m,n,k,wout\n\"a\"\"b\",2,3,9,9,8,3,3,1,"
        "bf16"
        ",,,,7\n#x\n,,,,,,,,,,7,5,3\n",
        "Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter,"
        " Strides, Batch, Sparsity,\na/DP,9,9,3,3,8,2,1,,1:1,\n\tb,9,9,3,3,8,2,2,4,2:4\n",
    };
    uint64_t seed = splitmix_seed();
    for (size_t i = 0; i < 4000; i++) {
        char text[512];
        const char *table = tables[i % 2];
        size_t length = strlen(table);
        memcpy(text, table, length + 1);
        for (size_t change = 0; change < i / 2 % 4; change++)
            text[splitmix_next(&seed) % length] =
                "0123456789,\"\n #:ax\xff"[splitmix_next(&seed) % 19];
        text[length - splitmix_next(&seed) % (i % 3 == 0 ? length : 1)] = '\0';
        struct reading reading;
        read_text(&reading, text, as_written);
        assert_true(reading.status == STATUS_OK || reading.status == STATUS_BAD_INPUT);
        assert_int_equal(reading.status == STATUS_OK, reading.diag.count == 0);
        done(&reading);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_of_each_rank_gives_its_convolution),
        cmocka_unit_test(equal_layers_are_counted_and_kept_apart_from_others),
        cmocka_unit_test(batch_and_type_of_the_options_stand_in_place_of_the_files),
        cmocka_unit_test(every_bad_cell_is_refused_at_its_place_with_what_was_found),
        cmocka_unit_test(a_bad_head_is_refused_before_its_rows),
        cmocka_unit_test(sizes_beyond_63_bits_are_refused),
        cmocka_unit_test(scalesim_rows_with_commas_blanks_and_remarks_are_read),
        cmocka_unit_test(scalesim_gemm_is_read_and_sparse_rows_are_skipped),
        cmocka_unit_test(scalesim_heads_may_have_two_strides_and_two_widths),
        cmocka_unit_test(bad_scalesim_rows_are_refused_at_their_cells),
        cmocka_unit_test(cut_and_changed_tables_are_read_or_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
