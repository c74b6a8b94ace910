#include "tests/support/cli_program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "model/tensor.h"

enum { M = PRODUCT_ROWS, N = PRODUCT_COLUMNS, K = PRODUCT_K };

/* y = x w on two cores, each with 16 rows. */
#define CORE(core, rows, place)                                                                    \
    ".core " core "\n"                                                                             \
    "nd2nz dst=a src=x" rows " ndNum=1 nValue=16 dValue=32 srcDValue=32 dstNzC0Stride=16 "         \
    "dstNzNStride=1\n"                                                                             \
    "nd2nz dst=b src=w ndNum=1 nValue=32 dValue=16 srcDValue=16 dstNzC0Stride=32 "                 \
    "dstNzNStride=1\n"                                                                             \
    "set_flag src=MTE2 dst=MTE1 id=0\n"                                                            \
    "wait_flag src=MTE2 dst=MTE1 id=0\n"                                                           \
    "load2d dst=a0 src=a repeatTimes=2 srcStride=1\n"                                              \
    "load2d dst=b0 src=b repeatTimes=2 srcStride=1 ifTranspose=1\n"                                \
    "set_flag src=MTE1 dst=CUBE id=0\n"                                                            \
    "wait_flag src=MTE1 dst=CUBE id=0\n"                                                           \
    "mmad dst=c0 a=a0 b=b0 m=16 n=16 k=32\n"                                                       \
    "set_flag src=CUBE dst=FIXP id=0\n"                                                            \
    "wait_flag src=CUBE dst=FIXP id=0\n"                                                           \
    "fixpipe dst=y" place " src=c0 mSize=16 nSize=16 srcStride=16 dstStride=16 layout=nz2nd\n"

static const char *const product_of_two_cores =
    ".product atlas-a2\n"
    ".gm x fp16 [32,32] = x.npy\n"
    ".gm w fp16 [32,16] = w.npy\n"
    ".gm y fp32 [32,16]\n"
    ".l1 a 0 1024\n"
    ".l1 b 1024 1024\n"
    ".l0a a0 0 1024\n"
    ".l0b b0 0 1024\n"
    ".l0c c0 0 1024\n" CORE("0", "", "") CORE("1", "+1024", "+1024") "dump y y.npy\n";

int x_value(int row, int column)
{
    return (31 * row + 7 * column) % 15 - 7;
}

int w_value(int row, int column)
{
    return (13 * row + 5 * column) % 11 - 5;
}

void save_half(const char *name, int rows, int columns, int (*value)(int, int))
{
    static uint16_t codes[M * K];
    struct tensor tensor;
    tensor_shape(&tensor, ELEMENT_FP16, 2, (uint64_t[]){(uint64_t)rows, (uint64_t)columns});
    for (int i = 0; i < rows * columns; i++)
        codes[i] =
            (uint16_t)element_encode(ELEMENT_FP16, (float)value(i / columns, i % columns), false);
    tensor.data = codes;
    assert_int_equal(npy_save(name, place_none(), &tensor, NULL), STATUS_OK);
}

void cli_program_restore(struct cli_program *program)
{
    snprintf(program->text, sizeof program->text, "%s", product_of_two_cores);
    cli_write(&program->cli, "k.prog", program->text);
}

int cli_program_init(struct cli_program *program)
{
    cli_init(&program->cli);
    if (chdir(program->cli.folder) != 0)
        return -1;
    save_half("x.npy", M, K, x_value);
    save_half("w.npy", K, N, w_value);
    cli_program_restore(program);
    return 0;
}

int cli_program_deinit(struct cli_program *program)
{
    if (chdir("/") != 0)
        return -1;
    cli_deinit(&program->cli);
    return 0;
}

void cli_program_edit(struct cli_program *program, const char *from, const char *to)
{
    static char edited[sizeof program->text];
    char *at = strstr(program->text, from);
    assert_non_null(at);
    snprintf(edited, sizeof edited, "%.*s%s%s", (int)(at - program->text), program->text, to,
             at + strlen(from));
    memcpy(program->text, edited, sizeof edited);
    cli_write(&program->cli, "k.prog", program->text);
}

void assert_product(const char *name, int first_row, int rows)
{
    struct arena arena;
    struct tensor tensor;
    arena_init(&arena, 0);
    tensor_shape(&tensor, ELEMENT_FP32, 2, (uint64_t[]){M, N});
    assert_int_equal(npy_load(name, place_none(), &tensor, &arena, NULL), STATUS_OK);
    for (int row = first_row; row < first_row + rows; row++)
        for (int column = 0; column < N; column++) {
            int sum = 0;
            for (int k = 0; k < K; k++)
                sum += x_value(row, k) * w_value(k, column);
            uint32_t code = element_load(ELEMENT_FP32, tensor.data, (size_t)(row * N + column));
            if (element_decode(ELEMENT_FP32, code) != (double)sum)
                fail_msg("y[%d, %d] is not %d", row, column, sum);
        }
    arena_deinit(&arena);
}

long long json_whole_of(const json_t *map, const char *key)
{
    const json_t *value = json_object_get(map, key);
    if (!json_is_integer(value))
        fail_msg("'%s' is no whole number", key);
    return json_integer_value(value);
}

const char *json_words_of(const json_t *map, const char *key)
{
    const char *value = json_string_value(json_object_get(map, key));
    if (value == NULL)
        fail_msg("'%s' is no text", key);
    return value;
}
