/*
 * The ranges of every row of isa/opcode.def: an instruction that fits its row is taken, and with
 * one value outside what the row says it is refused by the name of that field.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "isa/insn_check.h"
#include "isa/insn_imply.h"
#include "tests/support/product_sample.h"
#include "tests/support/program_reading.h"

/* One region of each space: region number = enum space. */
struct bench {
    struct program program;
    struct region region[SPACE_COUNT];
};

static void bench_init(struct bench *bench, enum arch arch)
{
    memset(bench, 0, sizeof *bench);
    for (int space = 0; space < SPACE_COUNT; space++)
        bench->region[space] = (struct region){.name = space_word((enum space)space),
                                               .space = (enum space)space,
                                               .size_bytes = 1 << 20,
                                               .element = ELEMENT_FP32};
    bench->program = (struct program){
        .arch = arch, .regions = bench->region, .region_count = SPACE_COUNT, .core_count = 1};
}

static size_t field_find(const struct insn_info *info, const char *name)
{
    size_t index = 0;
    while (index < info->field_count && strcmp(info->fields[index].name, name) != 0)
        index++;
    return index;
}

/* Puts the operands where the row first lets them lie. */
static void operands_set(const struct bench *bench, const struct insn_info *info, struct insn *insn)
{
    for (size_t index = 0; index < info->operand_count; index++) {
        uint32_t space = 0;
        while ((info->operands[index].spaces >> space & 1) == 0)
            space++;
        if (info->operands[index].required)
            insn->operand[index] = (struct operand){space, 0};
    }
    for (size_t index = info->path_count; index-- > 0;) {
        if ((info->paths[index].arches & arch_bit(bench->program.arch)) == 0)
            continue;
        insn->operand[0].region = info->paths[index].target;
        insn->operand[1].region = info->paths[index].source;
    }
}

/* Changes the field that a check complains about until it fits; false when nothing helps. */
static bool insn_mend(const struct bench *bench, const struct insn_info *info, struct insn *insn)
{
    struct insn_problem problem;
    for (size_t tries = 0; tries < (size_t)INSN_FIELDS_MAX * ELEMENT_COUNT; tries++) {
        if (insn_check(&bench->program, insn, &problem))
            return true;
        size_t index = problem.key == NULL ? info->field_count : field_find(info, problem.key);
        if (index == info->field_count)
            break;
        bool wide = info->fields[index].words == NULL;
        insn->field[index] = wide ? info->fields[index].high
                                  : (insn->field[index] + 1) % (info->fields[index].high + 1);
    }
    print_error("%s on %s: %s\n", info->mnemonic, arch_word(bench->program.arch), problem.message);
    return false;
}

/* An instruction that fits its row on a product that has it. */
static void insn_fitting(struct bench *bench, enum opcode opcode, enum arch arch, struct insn *insn)
{
    const struct insn_info *info = insn_info(opcode);
    bench_init(bench, arch);
    insn_init(insn, opcode);
    operands_set(bench, info, insn);
    insn_imply(&bench->program, insn, 0);
    assert_true(insn_mend(bench, info, insn));
}

/* Calls a check with a fitting instruction of every row on every product that has it. */
static void rows_each(void (*check)(const struct bench *bench, const struct insn *insn))
{
    for (int opcode = 0; opcode < OP_COUNT; opcode++) {
        for (int arch = 0; arch < ARCH_COUNT; arch++) {
            struct bench bench;
            struct insn insn;
            if ((insn_info((enum opcode)opcode)->arches & arch_bit((enum arch)arch)) == 0)
                continue;
            insn_fitting(&bench, (enum opcode)opcode, (enum arch)arch, &insn);
            check(&bench, &insn);
        }
    }
}

/* The instruction with another value in a field is refused, and the message begins with its name.
 * A mistake is told with `what` was wrong about the value. */
static void check_refused(const struct bench *bench, const struct insn *insn, size_t index,
                          int64_t value, const char *what)
{
    const struct insn_info *info = insn_info((enum opcode)insn->opcode);
    const char *name = info->fields[index].name;
    struct insn other = *insn;
    struct insn_problem problem;
    other.field[index] = value;
    if (insn_check(&bench->program, &other, &problem))
        fail_msg("%s takes %s=%lld, %s", info->mnemonic, name, (long long)value, what);
    if (problem.key == NULL || strcmp(problem.key, name) != 0 ||
        strstr(problem.message, name) == NULL)
        fail_msg("%s with %s=%lld is refused for '%s'", info->mnemonic, name, (long long)value,
                 problem.message);
}

/* A value that lies in the range of a field, unless the table leaves it out. */
static void check_taken(const struct insn *insn, size_t index, int64_t value)
{
    const struct insn_info *info = insn_info((enum opcode)insn->opcode);
    struct insn other = *insn;
    struct insn_problem problem;
    bool hole = false;
    for (size_t each = 0; each < info->hole_count; each++)
        hole = hole || (info->holes[each].field == index && info->holes[each].value == value &&
                        (info->arches & ~info->holes[each].arches) == 0);
    other.field[index] = value;
    assert_int_equal(insn_check_field(&other, index, &problem), !hole);
}

static void check_ranges(const struct bench *bench, const struct insn *insn)
{
    const struct insn_info *info = insn_info((enum opcode)insn->opcode);
    for (size_t index = 0; index < info->field_count; index++) {
        const struct field_info *field = &info->fields[index];
        check_taken(insn, index, field->low);
        check_taken(insn, index, field->high);
        if (field->low > INT64_MIN)
            check_refused(bench, insn, index, field->low - 1, "below its range");
        if (field->high < INT64_MAX)
            check_refused(bench, insn, index, field->high + 1, "above its range");
    }
}

static void test_every_field_takes_its_range_and_is_refused_one_below_and_one_above(void **state)
{
    (void)state;
    rows_each(check_ranges);
}

static void check_holes(const struct bench *bench, const struct insn *insn)
{
    const struct insn_info *info = insn_info((enum opcode)insn->opcode);
    for (size_t index = 0; index < info->hole_count; index++) {
        const struct hole_info *hole = &info->holes[index];
        struct insn other = *insn;
        struct insn_problem problem;
        other.field[hole->field] = hole->value;
        if ((hole->arches & arch_bit(bench->program.arch)) != 0)
            check_refused(bench, insn, hole->field, hole->value, "a hole");
        else if (!insn_check(&bench->program, &other, &problem))
            fail_msg("%s: a hole of other products: %s", info->mnemonic, problem.message);
    }
}

static void test_values_that_the_table_leaves_out_are_refused(void **state)
{
    (void)state;
    rows_each(check_holes);
}

static void check_limits(const struct bench *bench, const struct insn *insn)
{
    const struct insn_info *info = insn_info((enum opcode)insn->opcode);
    for (size_t index = 0; index < info->limit_count; index++) {
        const struct limit_info *limit = &info->limits[index];
        const struct field_info *field = &info->fields[limit->field];
        int64_t other = field->initial == field->high ? field->low : field->high;
        if ((limit->arches & arch_bit(bench->program.arch)) == 0)
            check_refused(bench, insn, limit->field, other, "which the product lacks");
    }
}

static void test_fields_that_a_product_lacks_keep_their_initial_value(void **state)
{
    (void)state;
    rows_each(check_limits);
}

static void check_unless(const struct bench *bench, const struct insn *insn)
{
    const struct insn_info *info = insn_info((enum opcode)insn->opcode);
    for (size_t index = 0; index < info->unless_count; index++) {
        const struct unless_info *unless = &info->unless[index];
        struct insn other = *insn;
        struct insn_problem problem;
        other.field[unless->field] = unless->low - 1;
        other.field[unless->other] = unless->value;
        /* Fields that come in pairs have the other one's rule, too. */
        for (size_t also = 0; also < info->unless_count; also++)
            if (info->unless[also].other == unless->other)
                other.field[info->unless[also].field] = info->unless[also].low;
        assert_true(insn_check(&bench->program, &other, &problem));
        for (size_t also = 0; also < info->unless_count; also++)
            other.field[info->unless[also].other] = 1 - info->unless[also].value;
        check_refused(bench, &other, unless->field, unless->low - 1, "without its switch");
    }
}

static void test_fields_that_a_switch_replaces_are_needed_without_it(void **state)
{
    (void)state;
    rows_each(check_unless);
}

/* Types that a row has nowhere: refused to every destination and on every product. */
static void check_types(const struct bench *bench, const struct insn *insn)
{
    const struct insn_info *info = insn_info((enum opcode)insn->opcode);
    uint32_t types = 0;
    for (size_t index = 0; index < info->type_count; index++)
        types |= info->types[index].types;
    for (size_t index = 0; index < info->product_count; index++)
        types |= info->products[index].a;
    for (int element = 0; types != 0 && element < ELEMENT_COUNT; element++) {
        if ((types >> element & 1) != 0)
            continue;
        struct insn other = *insn;
        struct insn_problem problem;
        other.field[0] = element;
        assert_false(insn_check(&bench->program, &other, &problem));
        assert_string_equal(problem.key, info->fields[0].name);
        assert_non_null(strstr(problem.message, element_word((enum element)element)));
    }
}

static void test_types_that_no_line_of_a_row_has_are_refused(void **state)
{
    (void)state;
    rows_each(check_types);
}

static void check_spaces(const struct bench *bench, const struct insn *insn)
{
    const struct insn_info *info = insn_info((enum opcode)insn->opcode);
    for (size_t index = 0; index < info->operand_count; index++) {
        struct insn other = *insn;
        struct insn_problem problem;
        for (uint32_t space = 0; space < SPACE_COUNT; space++) {
            other.operand[index] = (struct operand){space, 0};
            if ((info->operands[index].spaces >> space & 1) != 0)
                continue;
            assert_false(insn_check(&bench->program, &other, &problem));
            assert_string_equal(problem.key, info->operands[index].name);
        }
        other.operand[index].region = REGION_NONE;
        assert_int_equal(insn_check(&bench->program, &other, &problem),
                         !info->operands[index].required);
    }
}

static void test_operands_in_other_memories_and_missing_ones_are_refused(void **state)
{
    (void)state;
    rows_each(check_spaces);
}

static void test_products_that_a_row_does_not_name_are_refused(void **state)
{
    (void)state;
    for (int opcode = 0; opcode < OP_COUNT; opcode++) {
        const struct insn_info *info = insn_info((enum opcode)opcode);
        for (int arch = 0; arch < ARCH_COUNT; arch++) {
            struct bench bench;
            struct insn insn;
            struct insn_problem problem;
            bench_init(&bench, (enum arch)arch);
            insn_init(&insn, (enum opcode)opcode);
            operands_set(&bench, info, &insn);
            if ((info->arches & arch_bit((enum arch)arch)) != 0)
                continue;
            assert_false(insn_check(&bench.program, &insn, &problem));
            assert_non_null(strstr(problem.message, info->mnemonic));
            assert_non_null(strstr(problem.message, arch_word((enum arch)arch)));
        }
    }
}

/* A program of one line with one key of an instruction is refused for it, whatever else lacks. */
static void check_text(const struct insn_info *info, const char *product, const char *key,
                       const char *value, const char *words)
{
    char text[256];
    struct program_reading reading;
    bool found = false;
    snprintf(text, sizeof text, ".product %s\n%s %s=%s\n", product, info->mnemonic, key, value);
    program_reading_init(&reading, text, strlen(text));
    assert_int_equal(reading.status, STATUS_BAD_INPUT);
    for (size_t index = 0; index < reading.diag.count; index++) {
        const struct problem *problem = &reading.diag.problems[index];
        found = found || (problem->place.line == 2 && strstr(problem->message, words) != NULL);
    }
    if (!found)
        fail_msg("no problem of '%s' has '%s' in it", text, words);
    program_reading_deinit(&reading);
}

static void check_text_of(enum opcode opcode, const char *product)
{
    const struct insn_info *info = insn_info(opcode);
    for (size_t index = 0; index < info->field_count; index++) {
        const struct field_info *field = &info->fields[index];
        char value[32], words[96];
        if (field->hidden)
            continue;
        snprintf(words, sizeof words, "%s is 'wrong'; expected ", field->name);
        check_text(info, product, field->name, "wrong", words);
        if (field->words != NULL)
            continue;
        snprintf(value, sizeof value, "%lld", (long long)field->low - 1);
        snprintf(words, sizeof words, "%s is %s; expected %lld", field->name, value,
                 (long long)field->low);
        check_text(info, product, field->name, value, words);
    }
}

static void test_the_text_of_a_program_has_the_ranges_and_words_of_the_table(void **state)
{
    (void)state;
    for (int opcode = 0; opcode < OP_COUNT; opcode++) {
        enum arch arch = ARCH_COUNT;
        for (int other = 0; other < ARCH_COUNT; other++)
            if ((insn_info((enum opcode)opcode)->arches & arch_bit((enum arch)other)) != 0)
                arch = (enum arch)other;
        check_text_of((enum opcode)opcode, shipped_of(arch));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_field_takes_its_range_and_is_refused_one_below_and_one_above),
        cmocka_unit_test(test_values_that_the_table_leaves_out_are_refused),
        cmocka_unit_test(test_fields_that_a_product_lacks_keep_their_initial_value),
        cmocka_unit_test(test_fields_that_a_switch_replaces_are_needed_without_it),
        cmocka_unit_test(test_types_that_no_line_of_a_row_has_are_refused),
        cmocka_unit_test(test_operands_in_other_memories_and_missing_ones_are_refused),
        cmocka_unit_test(test_products_that_a_row_does_not_name_are_refused),
        cmocka_unit_test(test_the_text_of_a_program_has_the_ranges_and_words_of_the_table),
    };
    return cmocka_run_group_tests_name("table ranges", tests, NULL, NULL);
}
