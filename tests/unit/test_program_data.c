/*
 * What the tensors of a program file hold at the start, and what its dumps hold at the end.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unistd.h>

#include <cmocka.h>

#include "model/program_check.h"
#include "model/program_data.h"
#include "model/tensor.h"

enum { REGIONS = 5 };

static const char *const text = ".product atlas-a2\n"
                                ".gm x fp16 [2,3] = x.npy\n"
                                "\t.gm w int8 [4,4] = seed=2  # weights\n"
                                ".gm z fp32 [2] = zero\n"
                                ".gm n int4 [3]\n"
                                ".l1 a 0 600000\n"
                                "dump n out.npy\n";

struct data_case {
    struct arena arena;
    struct diag diag;
    struct source source;
    struct region region[REGIONS];
    struct dump dump;
    struct program program;
    char folder[64], input[96], output[96];
};

static void gm(struct region *region, const char *name, enum element element, uint64_t rows,
               uint64_t columns, uint32_t line)
{
    *region = (struct region){.name = name, .space = SPACE_GM, .element = element, .line = line};
    region->rank = columns > 0 ? 2 : 1;
    region->shape[0] = rows;
    region->shape[1] = columns;
    region->size_bytes = element_array_bytes(element, columns > 0 ? rows * columns : rows);
}

static int setup(void **state)
{
    static struct data_case c;
    memset(&c, 0, sizeof c);
    arena_init(&c.arena, 0);
    diag_init(&c.diag);
    strcpy(c.folder, "/tmp/cubesim_data_XXXXXX");
    if (mkdtemp(c.folder) == NULL)
        return -1;
    (void)snprintf(c.input, sizeof c.input, "%s/x.npy", c.folder);
    (void)snprintf(c.output, sizeof c.output, "%s/out.npy", c.folder);
    c.source = (struct source){.name = "k.prog", .text = text, .length = strlen(text)};
    gm(&c.region[0], "x", ELEMENT_FP16, 2, 3, 2);
    c.region[0].binding = BINDING_FILE;
    c.region[0].path = c.input;
    gm(&c.region[1], "w", ELEMENT_INT8, 4, 4, 3);
    c.region[1].binding = BINDING_SEED;
    c.region[1].seed = 2;
    gm(&c.region[2], "z", ELEMENT_FP32, 2, 0, 4);
    c.region[2].binding = BINDING_ZERO;
    gm(&c.region[3], "n", ELEMENT_INT4, 3, 0, 5);
    c.region[4] = (struct region){.name = "a", .space = SPACE_L1, .size_bytes = 600000, .line = 6};
    c.dump = (struct dump){.region = 3, .path = c.output, .line = 7};
    c.program = (struct program){.product = "atlas-a2",
                                 .arch = ARCH_2201,
                                 .regions = c.region,
                                 .region_count = REGIONS,
                                 .dumps = &c.dump,
                                 .dump_count = 1,
                                 .core_count = 1};
    *state = &c;
    return 0;
}

static int teardown(void **state)
{
    struct data_case *c = *state;
    (void)remove(c->input);
    (void)remove(c->output);
    arena_deinit(&c->arena);
    diag_deinit(&c->diag);
    return rmdir(c->folder);
}

static void save_input(struct data_case *c, enum element element, uint64_t columns)
{
    static const uint16_t codes[8] = {0x3C00, 0x4000, 0xC000, 0x0001, 0x7BFF, 0x8000, 1, 2};
    struct tensor tensor;
    uint16_t data[8];
    tensor_shape(&tensor, element, 2, (uint64_t[]){2, columns});
    memcpy(data, codes, sizeof data);
    tensor.data = data;
    assert_int_equal(npy_save(c->input, place_none(), &tensor, NULL), STATUS_OK);
}

static enum status make(struct data_case *c, uint64_t seed, bool files_only, struct memory **tensor)
{
    struct program_data_options options = {
        .source = &c->source, .seed = seed, .files_only = files_only};
    enum status status =
        program_data_find(&c->program, &c->source, &c->arena, &c->diag, &options.file);
    if (status != STATUS_OK)
        return status;
    return program_data_make(&c->program, &options, &c->arena, &c->diag, tensor);
}

static void test_a_tensor_holds_what_it_is_bound_to(void **state)
{
    struct data_case *c = *state;
    struct memory *tensor;
    static const uint8_t zeros[16] = {0};
    save_input(c, ELEMENT_FP16, 3);
    assert_int_equal(make(c, 1, false, &tensor), STATUS_OK);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(tensor[i].size_bytes, c->region[i].size_bytes);
    assert_memory_equal(tensor[0].bytes,
                        ((uint16_t[]){0x3C00, 0x4000, 0xC000, 0x0001, 0x7BFF, 0x8000}), 12);
    assert_memory_not_equal(tensor[1].bytes, zeros, 16);
    assert_memory_equal(tensor[2].bytes, zeros, 8);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(memory_unwritten_bytes(&tensor[i]), 0);
    assert_int_equal(memory_unwritten_bytes(&tensor[3]), 2);
    assert_int_equal(tensor[4].size_bytes, 0);
}

static void test_values_are_what_the_tensor_holds(void **state)
{
    struct data_case *c = *state;
    struct memory *tensor;
    static const uint16_t codes[6] = {0x3C00, 0, 0xC000, 0xFFFF, 0x7BFF, 1};
    c->region[0].binding = BINDING_VALUES;
    c->region[0].values = codes;
    assert_int_equal(make(c, 1, false, &tensor), STATUS_OK);
    assert_memory_equal(tensor[0].bytes, codes, sizeof codes);
    assert_int_equal(memory_unwritten_bytes(&tensor[0]), 0);
    tensor[0].bytes[0] = 7; /* the run has its own copy */
    assert_int_equal(make(c, 1, false, &tensor), STATUS_OK);
    assert_memory_equal(tensor[0].bytes, codes, sizeof codes);
}

static void test_generated_numbers_follow_both_seeds(void **state)
{
    struct data_case *c = *state;
    struct memory *first, *again, *run_seed, *tensor_seed;
    struct tensor expected;
    c->region[0].binding = BINDING_NONE;
    assert_int_equal(make(c, 7, false, &first), STATUS_OK);
    assert_int_equal(make(c, 7, false, &again), STATUS_OK);
    assert_int_equal(make(c, 8, false, &run_seed), STATUS_OK);
    c->region[1].seed = 3;
    assert_int_equal(make(c, 7, false, &tensor_seed), STATUS_OK);
    assert_memory_equal(first[1].bytes, again[1].bytes, 16);
    assert_memory_not_equal(first[1].bytes, run_seed[1].bytes, 16);
    assert_memory_not_equal(first[1].bytes, tensor_seed[1].bytes, 16);
    tensor_shape(&expected, ELEMENT_INT8, 2, (uint64_t[]){4, 4});
    assert_int_equal(tensor_take(&expected, &c->arena), STATUS_OK);
    tensor_fill(&expected, 7, 2);
    assert_memory_equal(first[1].bytes, expected.data, 16);
}

static void test_problems_of_files_carry_the_place_that_names_them(void **state)
{
    struct data_case *c = *state;
    struct memory *tensor;
    char named[32];
    (void)snprintf(named, sizeof named, "k.prog:2:1: ");
    for (int files_only = 0; files_only <= 1; files_only++) {
        save_input(c, ELEMENT_FP16, 4);
        assert_int_equal(make(c, 1, files_only, &tensor), STATUS_BAD_INPUT);
        save_input(c, ELEMENT_BF16, 3);
        assert_int_equal(make(c, 1, files_only, &tensor), STATUS_BAD_INPUT);
        assert_int_equal(remove(c->input), 0);
        assert_int_equal(make(c, 1, files_only, &tensor), STATUS_BAD_INPUT);
    }
    assert_int_equal(c->diag.count, 3); /* those of the second time are the same */
    static const char *const found[3] = {"found shape (2, 4); expected (2, 3)",
                                         "found type '<u2'; expected '<f2' for fp16",
                                         "cannot open the file"};
    for (size_t i = 0; i < 3; i++) {
        const char *message = diag_text(&c->diag, i);
        assert_memory_equal(message, named, strlen(named));
        assert_non_null(strstr(message, c->input));
        assert_non_null(strstr(message, found[i]));
    }
}

static void test_nothing_but_files_is_made_where_only_files_are_asked_for(void **state)
{
    struct data_case *c = *state;
    struct memory *tensor;
    save_input(c, ELEMENT_FP16, 3);
    assert_int_equal(make(c, 1, true, &tensor), STATUS_OK);
    assert_int_equal(tensor[0].size_bytes, 12);
    for (uint32_t i = 1; i < REGIONS; i++)
        assert_int_equal(tensor[i].size_bytes, 0);
}

static void test_quantisation_words_are_not_generated(void **state)
{
    struct data_case *c = *state;
    struct memory *tensor;
    c->region[0].binding = BINDING_NONE;
    gm(&c->region[1], "w", ELEMENT_UINT64, 4, 0, 3);
    c->region[1].binding = BINDING_SEED;
    assert_int_equal(make(c, 1, false, &tensor), STATUS_BAD_INPUT);
    assert_memory_equal(diag_text(&c->diag, 0), "k.prog:3:21: found generated numbers for uint64",
                        47);
}

static void test_a_dump_is_the_tensor_as_it_lies_in_gm(void **state)
{
    struct data_case *c = *state;
    struct memory *tensor;
    struct tensor loaded;
    c->region[0].binding = BINDING_NONE;
    assert_int_equal(make(c, 1, false, &tensor), STATUS_OK);
    memcpy(tensor[3].bytes, "\x8F\x03", 2);
    assert_int_equal(program_data_dump(&c->program, &c->source, tensor, &c->diag), STATUS_OK);
    tensor_shape(&loaded, ELEMENT_INT4, 1, (uint64_t[]){3});
    assert_int_equal(npy_load(c->output, place_none(), &loaded, &c->arena, &c->diag), STATUS_OK);
    assert_memory_equal(loaded.data, "\x8F\x03", 2);
    c->dump.path = "/nowhere/out.npy";
    assert_int_equal(program_data_dump(&c->program, &c->source, tensor, &c->diag), STATUS_IO);
    assert_memory_equal(diag_text(&c->diag, 0), "k.prog:7:1: /nowhere/out.npy: cannot write", 42);
}

static void test_memory_that_runs_out_is_reported_as_such(void **state)
{
    struct data_case *c = *state;
    struct memory *tensor;
    bool whole = false;
    save_input(c, ELEMENT_FP16, 3);
    for (uint64_t nth = 1; !whole; nth++) {
        assert_true(nth < 100);
        arena_fail_at(nth);
        enum status status = make(c, 1, false, &tensor);
        whole = arena_fail_pending();
        arena_fail_at(0);
        assert_int_equal(status, whole ? STATUS_OK : STATUS_NO_MEMORY);
    }
}

/* ---- the check against a product ---- */

static enum status check(struct data_case *c, const char *name)
{
    struct product product;
    assert_int_equal(product_load(name, place_none(), &c->arena, &c->diag, &product), STATUS_OK);
    return program_check(&c->program, &product, &c->source, &c->diag);
}

static void test_a_buffer_ends_within_its_memory(void **state)
{
    struct data_case *c = *state;
    assert_int_equal(check(c, "atlas-a2"), STATUS_BAD_INPUT);
    assert_memory_equal(diag_text(&c->diag, 0),
                        "k.prog:6:1: found 'a' of 600000 bytes from 0 on; expected it to end "
                        "within the 524288 bytes of l1 on ascend910b1\n",
                        110);
    c->region[4].size_bytes = 524288;
    assert_int_equal(check(c, "atlas-a2"), STATUS_OK);
    c->region[4].base_bytes = 1;
    assert_int_equal(check(c, "atlas-a2"), STATUS_BAD_INPUT);
    c->region[4].base_bytes = UINT64_MAX - 100;
    assert_int_equal(check(c, "atlas-a2"), STATUS_BAD_INPUT);
    assert_int_equal(c->diag.count, 3);
}

static void test_a_buffer_lies_in_a_memory_that_the_product_has(void **state)
{
    struct data_case *c = *state;
    c->region[4] = (struct region){.name = "b", .space = SPACE_BT, .size_bytes = 64, .line = 6};
    assert_int_equal(check(c, "atlas-a2"), STATUS_OK);
    assert_int_equal(check(c, "atlas-inference"), STATUS_BAD_INPUT);
    assert_non_null(strstr(diag_text(&c->diag, 0), "in bt, which ascend310p3 does not have"));
}

static void test_a_program_has_no_more_cores_than_the_product(void **state)
{
    struct data_case *c = *state;
    c->region[4].size_bytes = 512;
    c->program.core_count = 24;
    assert_int_equal(check(c, "atlas-a2"), STATUS_OK);
    c->program.core_count = 25;
    assert_int_equal(check(c, "atlas-a2"), STATUS_BAD_INPUT);
    assert_non_null(strstr(diag_text(&c->diag, 0), "found streams for 25 cores; expected at most "
                                                   "24, the cores of ascend910b1"));
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_a_tensor_holds_what_it_is_bound_to),
        TEST(test_values_are_what_the_tensor_holds),
        TEST(test_generated_numbers_follow_both_seeds),
        TEST(test_problems_of_files_carry_the_place_that_names_them),
        TEST(test_nothing_but_files_is_made_where_only_files_are_asked_for),
        TEST(test_quantisation_words_are_not_generated),
        TEST(test_a_dump_is_the_tensor_as_it_lies_in_gm),
        TEST(test_memory_that_runs_out_is_reported_as_such),
        TEST(test_a_buffer_ends_within_its_memory),
        TEST(test_a_buffer_lies_in_a_memory_that_the_product_has),
        TEST(test_a_program_has_no_more_cores_than_the_product),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
