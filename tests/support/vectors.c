#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "isa/insn_check.h"
#include "tests/support/access_check.h"
#include "tests/support/rig.h"

enum { LINE_BYTES = 1 << 18 };

/* One case while it is read. */
struct vector {
    const char *path;
    unsigned line;
    struct rig rig;
    struct insn insn;
    uint32_t given; /* fields that were written, as bits */
    const struct insn_info *info;
};

static const char *next_word(char **rest)
{
    const char *word = strtok_r(NULL, " \n", rest);
    assert_non_null(word);
    return word;
}

static enum space space_find(const char *word)
{
    for (int space = 0; space < SPACE_COUNT; space++) {
        if (strcmp(space_word((enum space)space), word) == 0) {
            return (enum space)space;
        }
    }
    fail_msg("no space '%s'", word);
    return SPACE_COUNT;
}

static size_t operand_find(const struct insn_info *info, const char *name)
{
    for (size_t index = 0; index < info->operand_count; index++) {
        if (strcmp(info->operands[index].name, name) == 0) {
            return index;
        }
    }
    fail_msg("%s has no operand '%s'", info->mnemonic, name);
    return 0;
}

static void field_read(struct vector *vector, char *assignment)
{
    char *value = strchr(assignment, '=');
    assert_non_null(value);
    *value++ = '\0';
    for (size_t index = 0; index < vector->info->field_count; index++) {
        const struct field_info *field = &vector->info->fields[index];
        if (strcmp(field->name, assignment) != 0) {
            continue;
        }
        vector->given |= 1U << index;
        for (size_t word = 0; word < field->word_count; word++) {
            if (strcmp(field->words[word], value) == 0) {
                vector->insn.field[index] = (int64_t)word;
                return;
            }
        }
        assert_null(field->words);
        vector->insn.field[index] = strtoll(value, NULL, 10);
        return;
    }
    fail_msg("%s:%u: no field '%s'", vector->path, vector->line, assignment);
}

/* The code at a place of the text. */
static uint32_t code_read(const char *text, size_t digits)
{
    char word[9] = {0};
    memcpy(word, text, digits);
    char *end;
    uint32_t code = (uint32_t)strtoul(word, &end, 16);
    assert_ptr_equal(end, word + digits);
    return code;
}

static size_t codes_count(const char *codes, size_t digits)
{
    size_t count = 0;
    for (const char *at = codes; *at != '\0'; count++) {
        at += *at == '-' || *at == '.' ? 1 : digits;
    }
    return count;
}

static void operand_read(struct vector *vector, const char *name, char **rest)
{
    enum space space = space_find(next_word(rest));
    enum element element = element_find(next_word(rest));
    const char *codes = next_word(rest);
    size_t digits = element_bits(element) / 4;
    size_t count = codes_count(codes, digits);
    uint32_t region = rig_region(&vector->rig, space, element, count);
    for (size_t index = 0; index < count; index++) {
        uint32_t code = code_read(codes + index * digits, digits);
        rig_store(&vector->rig, region, index, code);
    }
    vector->insn.operand[operand_find(vector->info, name)].region = region;
}

static void element_check(struct vector *vector, uint32_t region, size_t index, const char *at,
                          size_t digits)
{
    uint32_t found = rig_load(&vector->rig, region, index);
    if (*at == '.') {
        uint32_t poison = 0xA5A5A5A5U >> (32 - 4 * digits);
        if (found != poison || rig_is_written(&vector->rig, region, index)) {
            fail_msg("%s:%u: element %zu was touched", vector->path, vector->line, index);
        }
        return;
    }
    uint32_t wanted = code_read(at, digits);
    if (found != wanted || !rig_is_written(&vector->rig, region, index)) {
        fail_msg("%s:%u: element %zu is %x, expected %x", vector->path, vector->line, index, found,
                 wanted);
    }
}

static void vector_check(struct vector *vector, char **rest)
{
    enum space space = space_find(next_word(rest));
    enum element element = element_find(next_word(rest));
    const char *codes = next_word(rest);
    size_t digits = element_bits(element) / 4;
    size_t index = operand_find(vector->info, "dst");
    if (vector->insn.operand[index].region == REGION_NONE) {
        vector->insn.operand[index].region =
            rig_region(&vector->rig, space, element, codes_count(codes, digits));
    }
    insn_imply(&vector->rig.program, &vector->insn, vector->given);
    access_check_apply(&vector->rig, &vector->insn);
    if (rig_hazards(&vector->rig) != 0) {
        fail_msg("%s:%u: %s", vector->path, vector->line, vector->rig.message);
    }
    uint32_t region = vector->insn.operand[index].region;
    size_t element_index = 0;
    for (const char *at = codes; *at != '\0'; element_index++) {
        if (*at != '-') {
            element_check(vector, region, element_index, at, digits);
        }
        at += *at == '-' || *at == '.' ? 1 : digits;
    }
}

static void vector_line(struct vector *vector, const char *word, char **rest)
{
    if (strcmp(word, "case") == 0) {
        enum opcode opcode = opcode_find(next_word(rest));
        vector->info = insn_info(opcode);
        insn_init(&vector->insn, opcode);
        vector->given = 0;
        rig_init(&vector->rig, arch_find(next_word(rest)));
    } else if (strcmp(word, "set") == 0) {
        for (char *field; (field = strtok_r(NULL, " \n", rest)) != NULL;) {
            field_read(vector, field);
        }
    } else if (strcmp(word, "want") == 0) {
        vector_check(vector, rest);
    } else if (strcmp(word, "end") == 0) {
        rig_deinit(&vector->rig);
    } else {
        operand_read(vector, word, rest);
    }
}

uint32_t vectors_run(const char *path)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    char *line = malloc(LINE_BYTES);
    assert_non_null(line);
    struct vector vector = {.path = path};
    uint32_t cases = 0;
    while (fgets(line, LINE_BYTES, file) != NULL) {
        vector.line++;
        assert_non_null(strchr(line, '\n'));
        char *rest;
        const char *word = strtok_r(line, " \n", &rest);
        if (word != NULL && word[0] != '#') {
            vector_line(&vector, word, &rest);
            cases += strcmp(word, "end") == 0;
        }
    }
    free(line);
    fclose(file);
    return cases;
}
