/*
 * `cubesim isa` from outside, against the table that it prints.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/refused.h"
#include "tests/support/cli.h"
#include "tests/support/product_sample.h"

CLI_FIXTURE(cli)

static bool out_has_line_of(const char *word)
{
    char start[128];
    snprintf(start, sizeof start, "\n%s ", word);
    return strstr(cli.out, start) != NULL;
}

static void every_instruction_and_every_refused_one_is_listed(void **state)
{
    (void)state;
    size_t count;
    const struct refused *refused = refused_list(&count);
    cli_run(&cli, "isa");
    assert_int_equal(cli.code, 0);
    cli_assert_page(&cli);
    for (int opcode = 0; opcode < OP_COUNT; opcode++)
        if (!out_has_line_of(insn_info((enum opcode)opcode)->mnemonic))
            fail_msg("no line of %s", insn_info((enum opcode)opcode)->mnemonic);
    for (size_t i = 0; i < count; i++)
        cli_assert_out(&cli, refused[i].mnemonic);
    cli_assert_out(&cli, "\ndav-2002  ascend310p3 (atlas-inference)\n");
}

/* The keys below the line of a mnemonic, which are set in further than what it does. */
static void keys_below(const char *mnemonic, char *keys, size_t size)
{
    char start[128];
    size_t length = 0;
    snprintf(start, sizeof start, "\n%s ", mnemonic);
    const char *line = strstr(cli.out, start);
    assert_non_null(line);
    for (line = strchr(line + 1, '\n'); line != NULL && line[1] == ' '; line = strchr(line, '\n')) {
        line++;
        if (strspn(line, " ") != 6)
            continue;
        size_t word = strcspn(line + 6, "\n");
        assert_true(length + word + 2 < size);
        length += (size_t)snprintf(keys + length, size - length, "%.*s ", (int)word, line + 6);
    }
    keys[length] = '\0';
}

static void assert_key(const char *mnemonic, const char *keys, const char *name, bool required)
{
    const char *bracket = strchr(keys, '[');
    size_t length = strlen(name);
    for (const char *at = strstr(keys, name); at != NULL; at = strstr(at + 1, name)) {
        bool whole =
            (at == keys || at[-1] == ' ' || at[-1] == '[') && strchr(" ]", at[length]) != NULL;
        if (whole && required == (bracket == NULL || at < bracket))
            return;
    }
    fail_msg("%s: no %s in '%s'", mnemonic, name, keys);
}

static void the_list_has_the_operands_and_keys_of_every_instruction(void **state)
{
    (void)state;
    char keys[1024];
    cli_run(&cli, "isa");
    for (int opcode = 0; opcode < OP_COUNT; opcode++) {
        const struct insn_info *info = insn_info((enum opcode)opcode);
        keys_below(info->mnemonic, keys, sizeof keys);
        for (size_t i = 0; i < info->operand_count; i++)
            assert_key(info->mnemonic, keys, info->operands[i].name, info->operands[i].required);
        for (size_t i = 0; i < info->field_count; i++)
            if (!info->fields[i].hidden)
                assert_key(info->mnemonic, keys, info->fields[i].name, info->fields[i].required);
    }
    keys_below("set_fmatrix", keys, sizeof keys);
    assert_string_equal(keys, "l1H l1W [padLeft padRight padTop padBottom fmatrixMode] ");
}

static void the_list_names_the_pipes_of_moves(void **state)
{
    (void)state;
    cli_run(&cli, "isa");
    cli_assert_out(&cli, "\nload_data_with_transpose  MTE1        2002 2201 3002 3510\n");
    cli_assert_out(&cli, "\nload2d                    MTE2, MTE1  all\n");
}

static void an_instruction_is_told_with_all_its_keys_within_80_columns(void **state)
{
    (void)state;
    for (int opcode = 0; opcode < OP_COUNT; opcode++) {
        const struct insn_info *info = insn_info((enum opcode)opcode);
        cli_run(&cli, "isa %s", info->mnemonic);
        assert_int_equal(cli.code, 0);
        cli_assert_page(&cli);
        for (size_t i = 0; i < info->operand_count; i++)
            assert_true(out_has_line_of(info->operands[i].name));
        for (size_t i = 0; i < info->field_count; i++)
            if (!out_has_line_of(info->fields[i].name))
                fail_msg("%s: no line of %s", info->mnemonic, info->fields[i].name);
    }
}

static void ranges_units_defaults_and_types_are_those_of_the_table(void **state)
{
    (void)state;
    cli_run(&cli, "isa nd2nz");
    cli_assert_out(&cli, "nd2nz: row-major matrices from GM to NZ in L1\n");
    cli_assert_out(&cli, "\npipe       MTE2\n");
    cli_assert_out(&cli, "\nsrc      gm  1 B        source in GM\n");
    cli_assert_out(&cli, "\nnValue             0..16384  required  rows of a matrix (rows)\n");
    cli_assert_out(&cli, "\ntype               word      implied   element type");
    cli_run(&cli, "isa load2dv2");
    cli_assert_out(&cli, "\nproducts   dav-3510: ascend950dt_9581 (ascend-950dt),\n");
    cli_run(&cli, "isa load3dv");
    cli_assert_err(&cli, "expected 'load3dv1', 'load3dv2', 'load3dv2pro' or 'load3dv2_mx'");
    cli_run(&cli, "isa pipe_barrier");
    cli_assert_out(&cli, "order: MTE2,");
    cli_run(&cli, "isa set_flag");
    cli_assert_out(&cli, "\ndescribed  docs/hazards.md, section 1\n");
    cli_assert_out(&cli, "\npipe       any\n");
    cli_assert_out(&cli, "pipe that sets: SCALAR, MTE2, MTE1, CUBE, FIXP, VECTOR,\n");
    cli_run(&cli, "isa mmad");
    cli_assert_out(&cli, "\nunitFlag         0..3 but 1  0 ");
    cli_assert_out(&cli, "\n2002 2201 3002  int4                int4                int32\n");
}

/* Numbers of one list of JSON that have a text under a key. */
static size_t json_count(const json_t *list, const char *key, const char *text)
{
    size_t count = 0, i;
    json_t *item;
    json_array_foreach((json_t *)(uintptr_t)list, i, item) count +=
        strcmp(json_string_value(json_object_get(item, key)), text) == 0;
    return count;
}

static void check_fields(const json_t *found, const struct insn_info *info)
{
    const json_t *fields = json_object_get(found, "fields");
    assert_int_equal(json_array_size(fields), info->field_count);
    for (size_t i = 0; i < info->field_count; i++) {
        const struct field_info *field = &info->fields[i];
        const json_t *map = json_array_get(fields, i);
        assert_string_equal(json_string_value(json_object_get(map, "name")), field->name);
        assert_int_equal(json_is_true(json_object_get(map, "required")), field->required);
        assert_int_equal(json_is_true(json_object_get(map, "register")), field->hidden);
        if (field->words != NULL) {
            assert_int_equal(json_array_size(json_object_get(map, "words")), field->word_count);
            continue;
        }
        assert_int_equal(json_integer_value(json_object_get(map, "low")), field->low);
        assert_int_equal(json_integer_value(json_object_get(map, "high")), field->high);
        assert_int_equal(json_object_get(map, "default") == NULL, field->required);
        assert_int_equal(json_integer_value(json_object_get(map, "default")),
                         field->required ? 0 : field->initial);
        assert_string_equal(json_string_value(json_object_get(map, "unit")), field->unit);
    }
}

static void json_has_the_whole_table(void **state)
{
    (void)state;
    size_t count;
    refused_list(&count);
    cli_run(&cli, "isa --json");
    assert_int_equal(cli.code, 0);
    json_t *root = cli_json(&cli);
    const json_t *insns = json_object_get(root, "instructions");
    assert_int_equal(json_array_size(insns), OP_COUNT);
    assert_int_equal(json_array_size(json_object_get(root, "refused")), count);
    for (int opcode = 0; opcode < OP_COUNT; opcode++) {
        const struct insn_info *info = insn_info((enum opcode)opcode);
        const json_t *found = json_array_get(insns, (size_t)opcode);
        const json_t *products = json_object_get(found, "products");
        assert_string_equal(json_string_value(json_object_get(found, "mnemonic")), info->mnemonic);
        assert_int_equal(json_array_size(json_object_get(found, "operands")), info->operand_count);
        assert_int_equal(json_array_size(json_object_get(found, "paths")), info->path_count);
        assert_int_equal(json_array_size(json_object_get(found, "types")), info->type_count);
        insn_conversions((enum opcode)opcode, &count);
        assert_int_equal(json_array_size(json_object_get(found, "conversions")), count);
        for (size_t i = 0; i < SHIPPED_COUNT; i++)
            assert_int_equal(json_count(products, "soc", shipped[i].soc),
                             (info->arches & arch_bit(arch_find(shipped[i].arch))) != 0);
        check_fields(found, info);
    }
    json_decref(root);
}

static void json_of_one_instruction_is_its_part_of_the_whole(void **state)
{
    (void)state;
    cli_run(&cli, "isa --json");
    json_t *root = cli_json(&cli);
    cli_run(&cli, "isa load2dv2 --json");
    json_t *one = cli_json(&cli);
    assert_true(
        json_equal(one, json_array_get(json_object_get(root, "instructions"), OP_LOAD2DV2)));
    json_decref(one);
    json_decref(root);
}

static void conversions_are_listed_with_their_types_and_products(void **state)
{
    (void)state;
    cli_run(&cli, "isa fixpipe");
    cli_assert_out(&cli,
                   "conversion             l0c          stored       takes   dav-\n"
                   "NoQuant                fp32, int32  as it is             2201 3002 3510; to\n"
                   "                                                         l1 3510\n");
    cli_assert_out(&cli, "\n2201 3510       l1  fp32, int32\n");
    cli_assert_out(&cli,
                   "VREQ8                  int32        int8, uint8  words   2201 3002 3510\n");
    cli_assert_out(&cli, "QF322FP8_PRE           fp32         fp8_e4m3     a word  3510\n");
    cli_run(&cli, "isa data_copy_l0c2ub --json");
    json_t *root = cli_json(&cli);
    const json_t *modes = json_object_get(root, "conversions");
    assert_int_equal(json_array_size(modes), DEQ_COUNT);
    const json_t *mode = json_array_get(modes, DEQ_B8);
    assert_string_equal(json_string_value(json_object_get(mode, "word")), "DEQ8");
    assert_string_equal(json_string_value(json_object_get(mode, "takes")), "a word");
    assert_int_equal(json_array_size(json_object_get(mode, "stored")), 2);
    json_decref(root);
}

static void what_is_refused_is_told_with_its_reason(void **state)
{
    (void)state;
    cli_run(&cli, "isa mmad_mx");
    assert_int_equal(cli.code, 0);
    cli_assert_out(&cli, "mmad_mx is not modelled: MX types have a scale");
    cli_run(&cli, "isa LoadDataMx");
    assert_int_equal(cli.code, 0);
    cli_assert_out(&cli, "load2dv2_mx is not modelled: MX types have a scale");
    cli_run(&cli, "isa mmad_mx --json");
    json_t *root = cli_json(&cli);
    assert_true(json_is_false(json_object_get(root, "modelled")));
    assert_memory_equal(json_string_value(json_object_get(root, "reason")), "MX types", 8);
    json_decref(root);
}

static void the_section_of_an_instruction_is_a_part_of_the_page(void **state)
{
    (void)state;
    cli_run(&cli, "isa fixpipe --markdown");
    assert_int_equal(cli.code, 0);
    assert_memory_equal(cli.out, "## fixpipe\n", 11);
    char *section = strdup(cli.out);
    assert_non_null(section);
    cli_run(&cli, "isa --markdown");
    cli_assert_out(&cli, section);
    assert_memory_equal(cli.out, "# Instructions\n", 15);
    free(section);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_instruction_and_every_refused_one_is_listed),
        cmocka_unit_test(the_list_has_the_operands_and_keys_of_every_instruction),
        cmocka_unit_test(the_list_names_the_pipes_of_moves),
        cmocka_unit_test(an_instruction_is_told_with_all_its_keys_within_80_columns),
        cmocka_unit_test(ranges_units_defaults_and_types_are_those_of_the_table),
        cmocka_unit_test(json_has_the_whole_table),
        cmocka_unit_test(json_of_one_instruction_is_its_part_of_the_whole),
        cmocka_unit_test(conversions_are_listed_with_their_types_and_products),
        cmocka_unit_test(what_is_refused_is_told_with_its_reason),
        cmocka_unit_test(the_section_of_an_instruction_is_a_part_of_the_page),
    };
    return cmocka_run_group_tests_name("isa", tests, make_folder, remove_folder);
}
