#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/vectors.h"

/* What all files have shown so far. */
static struct vectors seen;

/* Runs a frozen file; it has at least `least` cases. */
static void file_run(const char *path, uint32_t least)
{
    uint32_t before = seen.cases;
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    vectors_run(&seen, file, path);
    fclose(file);
    if (seen.failures != 0) {
        fail_msg("%u of %u cases failed, the last at %s", seen.failures, seen.cases - before,
                 seen.message);
    }
    assert_true(seen.cases - before >= least);
}

static void test_moves_agree_with_the_oracle(void **state)
{
    (void)state;
    file_run("tests/data/vectors_move.txt", 130);
}

static void test_load2d_agrees_with_the_oracle(void **state)
{
    (void)state;
    file_run("tests/data/vectors_load2d.txt", 240);
}

static void test_load3d_agrees_with_the_oracle(void **state)
{
    (void)state;
    file_run("tests/data/vectors_load3d.txt", 370);
}

static void test_mmad_agrees_with_the_oracle(void **state)
{
    (void)state;
    file_run("tests/data/vectors_mmad.txt", 90);
}

static void test_fixpipe_agrees_with_the_oracle(void **state)
{
    (void)state;
    file_run("tests/data/vectors_fixpipe.txt", 200);
}

static void test_the_way_out_without_fixpipe_agrees_with_the_oracle(void **state)
{
    (void)state;
    file_run("tests/data/vectors_exit.txt", 30);
}

static void test_parameters_outside_their_ranges_are_refused_by_name(void **state)
{
    (void)state;
    file_run("tests/data/vectors_ranges.txt", 140);
}

/* Whether a row takes an element type, or the type of A of a product, on a product. */
static bool type_allowed(const struct insn_info *info, enum arch arch, int element)
{
    bool allowed = info->type_count + info->product_count == 0 && element == ELEMENT_COUNT;
    for (size_t index = 0; index < info->type_count; index++) {
        const struct types_info *types = &info->types[index];
        allowed = allowed || ((types->arches & arch_bit(arch)) != 0 && element < ELEMENT_COUNT &&
                              (types->types >> element & 1) != 0);
    }
    for (size_t index = 0; index < info->product_count; index++) {
        const struct product_info *product = &info->products[index];
        allowed = allowed || ((product->arches & arch_bit(arch)) != 0 && element < ELEMENT_COUNT &&
                              (product->a >> element & 1) != 0);
    }
    return allowed && (info->arches & arch_bit(arch)) != 0;
}

static void test_every_instruction_product_and_type_has_a_case(void **state)
{
    (void)state;
    for (int opcode = 0; opcode < OP_COUNT; opcode++) {
        const struct insn_info *info = insn_info((enum opcode)opcode);
        for (int arch = 0; info->effect && arch < ARCH_COUNT; arch++) {
            for (int element = 0; element <= ELEMENT_COUNT; element++) {
                if (type_allowed(info, (enum arch)arch, element) &&
                    !seen.types[opcode][arch][element]) {
                    fail_msg(
                        "no case of %s on %s with %s", info->mnemonic, arch_word((enum arch)arch),
                        element == ELEMENT_COUNT ? "no type" : element_word((enum element)element));
                }
            }
        }
    }
}

/* Words and switches; types and the unit flag are another matter. */
static bool field_counts(const struct field_info *field)
{
    return field->high < VECTORS_VALUES && strcmp(field->name, "unitFlag") != 0 &&
           strcmp(field->name, "type") != 0 && strcmp(field->name, "typeB") != 0 &&
           strcmp(field->name, "typeC") != 0 && strcmp(field->name, "dstType") != 0 &&
           strcmp(field->name, "atomicAdd") != 0 && (field->words != NULL || field->high == 1);
}

static void test_every_word_and_switch_of_an_instruction_has_a_case(void **state)
{
    (void)state;
    for (int opcode = 0; opcode < OP_COUNT; opcode++) {
        const struct insn_info *info = insn_info((enum opcode)opcode);
        for (size_t index = 0; info->effect && index < info->field_count; index++) {
            const struct field_info *field = &info->fields[index];
            for (int64_t value = field->low; field_counts(field) && value <= field->high; value++) {
                if (!seen.values[opcode][index][value]) {
                    fail_msg("no case of %s with %s=%lld", info->mnemonic, field->name,
                             (long long)value);
                }
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_moves_agree_with_the_oracle),
        cmocka_unit_test(test_load2d_agrees_with_the_oracle),
        cmocka_unit_test(test_load3d_agrees_with_the_oracle),
        cmocka_unit_test(test_mmad_agrees_with_the_oracle),
        cmocka_unit_test(test_fixpipe_agrees_with_the_oracle),
        cmocka_unit_test(test_the_way_out_without_fixpipe_agrees_with_the_oracle),
        cmocka_unit_test(test_parameters_outside_their_ranges_are_refused_by_name),
        cmocka_unit_test(test_every_instruction_product_and_type_has_a_case),
        cmocka_unit_test(test_every_word_and_switch_of_an_instruction_has_a_case),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
