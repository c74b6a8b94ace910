/*
 * Memory that runs out while a network is read: the n-th allocation fails, for every n.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "model/network.h"
#include "tests/support/onnx_model.h"

enum { FLOAT = 1, DOUBLE = 11 };

/* Reads with the n-th allocation failing until none is left; every failure is told as one. */
static void fail_each(const char *name, const char *bytes, size_t length)
{
    const struct network_options options = {.batch = 0};
    bool pending = false;
    for (uint64_t n = 1; !pending; n++) {
        struct arena arena;
        struct diag diag;
        struct network network;
        arena_init(&arena, 0);
        diag_init(&diag);
        arena_fail_at(n);
        enum status status = network_read(name, bytes, length, &options, &arena, &diag, &network);
        pending = arena_fail_pending();
        arena_fail_at(0);
        if (status != (pending ? STATUS_OK : STATUS_NO_MEMORY))
            fail_msg("%s, allocation %d: status %d", name, (int)n, (int)status);
        diag_deinit(&diag);
        arena_deinit(&arena);
        assert_true(n < 2000);
    }
}

static void a_table_without_memory_is_no_other_error(void **state)
{
    (void)state;
    static const char text[] = "layer,cin,win,cout,kw,m,n,k\n\"a, b\",4,9,5,3\nc,4,9,5,3,\n"
                               "p,,,,,7,5,3\n";
    fail_each("net.csv", text, strlen(text));
}

static void a_topology_without_memory_is_no_other_error(void **state)
{
    (void)state;
    static const char conv[] = "Layer,IFMAP Height,IFMAP Width,Filter Height,Filter Width,Channels,"
                               "Num Filter,Strides,Eh,Sparsity,\n"
                               "a,9,9,3,3,8,16,4,,\nb,9,9,3,3,8,16,1,,2:4\n";
    static const char gemm[] = "Layer,M,N,K,Batch\na,2,3,4,5,\n";
    fail_each("net.csv", conv, strlen(conv));
    fail_each("net.csv", gemm, strlen(gemm));
}

static void a_model_without_memory_is_no_other_error(void **state)
{
    (void)state;
    static struct onnx_model model;
    static uint8_t bytes[MODEL_BYTES_MAX];
    model_input(&model, "x", FLOAT, (const long[]){0, 4, 8, 8}, 4);
    model_input(&model, "d", DOUBLE, (const long[]){1, 4, 8, 8}, 4);
    model_weight(&model, "w", FLOAT, (const long[]){4, 4, 3, 3}, 4);
    model_stated(&model, "s", FLOAT, (const long[]){1, 4, 8, 8}, 4);
    model_node(&model, "Conv", "c", "x w", "y", "strides=[2,2]");
    model_node(&model, "Relu", "r", "y", "z", "");
    model_node(&model, "Conv", "lost", "hidden w", "u", "");
    model_node(&model, "Conv", "double", "d w", "v", "");
    fail_each("net.onnx", (const char *)bytes, model_bytes(&model, bytes, sizeof bytes));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_without_memory_is_no_other_error),
        cmocka_unit_test(a_topology_without_memory_is_no_other_error),
        cmocka_unit_test(a_model_without_memory_is_no_other_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
