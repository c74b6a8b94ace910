/*
 * What the database says that a run is of: a program file with all that determines its result.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "traces/store.h"

struct subject_case {
    struct arena arena;
    struct diag diag;
    struct product product;
    struct source source;
    struct region region[2];
    struct program program;
    uint8_t bytes[4];
    struct memory tensor[2];
    struct subject_file file;
};

static struct subject_case c;

static int setup(void **state)
{
    static const char text[] = ".product atlas-a2  # \"quoted\"\n.gm x int8 [4] = x.npy\n";
    (void)state;
    memset(&c, 0, sizeof c);
    arena_init(&c.arena, 0);
    diag_init(&c.diag);
    c.source = (struct source){.name = "here/k.prog", .text = text, .length = strlen(text)};
    c.region[0] = (struct region){.name = "x", .space = SPACE_GM, .binding = BINDING_FILE};
    c.region[1] = (struct region){.name = "y", .space = SPACE_GM, .binding = BINDING_SEED};
    c.program = (struct program){.regions = c.region, .region_count = 2, .core_count = 2};
    memcpy(c.bytes, "abcd", 4);
    c.tensor[0] = (struct memory){.bytes = c.bytes, .size_bytes = 4};
    c.file = (struct subject_file){.source = &c.source,
                                   .program = &c.program,
                                   .product = &c.product,
                                   .tensor = c.tensor,
                                   .instructions = 12,
                                   .seed = 1};
    enum status status = product_load("atlas-a2", place_none(), &c.arena, &c.diag, &c.product);
    return status == STATUS_OK ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    diag_deinit(&c.diag);
    arena_deinit(&c.arena);
    return 0;
}

static struct subject subject_of(void)
{
    struct subject subject;
    assert_int_equal(subject_program(&c.file, &c.arena, &subject), STATUS_OK);
    return subject;
}

static void the_text_stands_in_the_json_as_it_was_written(void **state)
{
    (void)state;
    struct subject subject = subject_of();
    assert_string_equal(subject.problem, "k.prog");
    assert_string_equal(subject.tiling, "12 instructions on 2 cores");
    const char *head = "{\"product\":\"ascend910b1\",\"program\":\".product atlas-a2  # "
                       "\\\"quoted\\\"\\n.gm x int8 [4] = x.npy\\n\",\"seed\":1,\"tensors\":"
                       "{\"x\":\"";
    assert_memory_equal(subject.plan_json, head, strlen(head));
    assert_string_equal(subject.plan_json + strlen(head) + 32, "\"}}");
    c.file.instructions = c.program.core_count = 1;
    assert_string_equal(subject_of().tiling, "1 instruction on 1 core");
}

static void a_seed_of_64_bits_keeps_its_digits(void **state)
{
    (void)state;
    c.file.seed = UINT64_MAX;
    assert_non_null(strstr(subject_of().plan_json, "\"seed\":\"18446744073709551615\""));
}

static void the_key_follows_text_data_and_seed_and_nothing_else(void **state)
{
    (void)state;
    const char *first = subject_of().plan_json;
    c.source.name = "elsewhere/k.prog";
    c.bytes[0] = 'a';
    assert_string_equal(subject_of().plan_json, first);
    c.bytes[3] = 'e';
    const char *data = subject_of().plan_json;
    assert_string_not_equal(data, first);
    c.file.seed = 2;
    const char *seed = subject_of().plan_json;
    assert_string_not_equal(seed, data);
    c.source.length--;
    assert_string_not_equal(subject_of().plan_json, seed);
}

static void memory_that_runs_out_is_told(void **state)
{
    (void)state;
    struct subject subject;
    bool whole = false;
    for (uint64_t nth = 1; !whole; nth++) {
        arena_fail_at(nth);
        enum status status = subject_program(&c.file, &c.arena, &subject);
        whole = arena_fail_pending();
        arena_fail_at(0);
        assert_int_equal(status, whole ? STATUS_OK : STATUS_NO_MEMORY);
    }
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_text_stands_in_the_json_as_it_was_written),
        TEST(a_seed_of_64_bits_keeps_its_digits),
        TEST(the_key_follows_text_data_and_seed_and_nothing_else),
        TEST(memory_that_runs_out_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
