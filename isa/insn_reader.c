/*
 * The line of an instruction: its operands and fields by the keys of its row
 * (builder_read_insn of program_builder.h).
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "engine/base/bind.h"
#include "isa/insn_check.h"
#include "isa/insn_imply.h"
#include "isa/program_builder.h"

enum { KEYS_MAX = INSN_OPERANDS_MAX + INSN_FIELDS_MAX };

/* An instruction while its keys are read. Keys count operands first, then fields. */
struct insn_line {
    struct word mnemonic;
    const struct insn_info *info;
    struct insn insn;
    size_t key_count;
    size_t key_next;             /* where the next key probably is: behind the last one */
    bool given[KEYS_MAX];        /* the key was written, */
    bool misspelt[KEYS_MAX];     /* or another that was taken for it */
    struct word value[KEYS_MAX]; /* behind '=' */
    bool broken;                 /* it names a region that is wrong itself */
};

static const char *key_name(const struct insn_line *line, size_t key)
{
    size_t operands = line->info->operand_count;
    return key < operands ? line->info->operands[key].name
                          : line->info->fields[key - operands].name;
}

static const struct field_info *key_field(const struct insn_line *line, size_t key)
{
    size_t operands = line->info->operand_count;
    return key < operands ? NULL : &line->info->fields[key - operands];
}

static bool key_is_hidden(const struct insn_line *line, size_t key)
{
    const struct field_info *field = key_field(line, key);
    return field != NULL && field->hidden;
}

/* The key of that name, or key_count. */
static size_t key_find(const struct insn_line *line, struct word name)
{
    for (size_t i = 0; i < line->key_count; i++) {
        size_t key = (line->key_next + i) % line->key_count;
        if (word_is(name, key_name(line, key))) {
            return key;
        }
    }
    return line->key_count;
}

static void refuse_key(struct program_builder *builder, struct insn_line *line, struct word name)
{
    const char *names[KEYS_MAX];
    char excerpt[EXCERPT_SIZE_BYTES], list[WORDS_BYTES];
    size_t count = 0;
    for (size_t key = 0; key < line->key_count; key++) {
        if (!key_is_hidden(line, key)) {
            names[count++] = key_name(line, key);
        }
    }
    const char *nearest = word_nearest(name, names, count);
    word_excerpt(name, excerpt);
    if (nearest != NULL) {
        size_t key = key_find(line, (struct word){nearest, strlen(nearest)});
        line->misspelt[key] = true;
        builder_refuse(builder, name, "unknown key '%s'; expected '%s'", excerpt, nearest);
    } else if (count == 0) {
        builder_refuse(builder, name, "unknown key '%s'; expected no key", excerpt);
    } else {
        builder_refuse(builder, name, "unknown key '%s'; expected %s", excerpt,
                       words_format(names, count, list, sizeof list));
    }
}

/* What a field takes, for messages. */
static const char *field_expectation(const struct field_info *field, char *buffer, size_t size)
{
    if (field->low == field->high) {
        (void)snprintf(buffer, size, "%" PRId64 ": %s", field->low, field->meaning);
    } else {
        (void)snprintf(buffer, size, "a whole number of %" PRId64 "..%" PRId64, field->low,
                       field->high);
    }
    return buffer;
}

static void read_word_field(struct program_builder *builder, struct insn_line *line, size_t index,
                            struct word value)
{
    const struct field_info *field = &line->info->fields[index];
    const char *words[INSN_WORDS_MAX];
    char excerpt[EXCERPT_SIZE_BYTES], list[WORDS_BYTES];
    size_t found = word_find(value, field->words, field->word_count);
    if (found < field->word_count) {
        line->insn.field[index] = (int64_t)found;
        return;
    }
    unsigned arches = builder->arch_known ? arch_bit(builder->program->arch) : ARCHES_ANY;
    size_t count = insn_field_words(line->info, index, arches, words);
    const char *nearest = word_nearest(value, words, count);
    word_excerpt(value, excerpt);
    words_format(words, count, list, sizeof list);
    if (nearest != NULL) {
        builder_refuse(builder, value, "%s is '%s'; expected '%s' (one of %s)", field->name,
                       excerpt, nearest, list);
    } else {
        builder_refuse(builder, value, "%s is '%s'; expected %s", field->name, excerpt, list);
    }
}

/* Whether a number fits 64 bits with a sign; then it is the value. */
static bool number_fits(uint64_t magnitude, bool negative, int64_t *value)
{
    uint64_t most = (uint64_t)INT64_MAX + negative;
    *value = (int64_t)(negative ? 0 - magnitude : magnitude);
    return magnitude <= most;
}

static void read_number_field(struct program_builder *builder, struct insn_line *line, size_t index,
                              struct word value)
{
    const struct field_info *field = &line->info->fields[index];
    char excerpt[EXCERPT_SIZE_BYTES], expectation[256];
    uint64_t magnitude;
    bool negative;
    if (word_number(value, &magnitude, &negative) != NUMBER_OK ||
        !number_fits(magnitude, negative, &line->insn.field[index])) {
        builder_refuse(builder, value, "%s is '%s'; expected %s", field->name,
                       word_excerpt(value, excerpt),
                       field_expectation(field, expectation, sizeof expectation));
        return;
    }
    struct insn_problem problem;
    if (!insn_check_field(&line->insn, index, &problem)) {
        builder_refuse(builder, value, "%s", problem.message);
    }
}

/* NAME or NAME+bytes. */
static void read_operand(struct program_builder *builder, struct insn_line *line, size_t index,
                         struct word value)
{
    struct word name, bytes;
    char excerpt[EXCERPT_SIZE_BYTES];
    struct insn_problem problem;
    uint64_t offset = 0;
    bool plus = word_split(value, '+', &name, &bytes);
    uint32_t region = builder_region(builder, name);
    bool number = !plus || word_count(bytes, 0, UINT64_MAX, &offset) == NUMBER_OK;
    if (!number) {
        builder_refuse(builder, bytes, "found '%s' behind '+'; expected a number of bytes",
                       word_excerpt(bytes, excerpt));
    }
    if (region == REGION_NONE) {
        return;
    }
    const struct region *found = &builder->program->regions[region];
    line->insn.operand[index] = (struct operand){region, offset};
    line->broken = line->broken || found->size_bytes == 0;
    if (!insn_check_operand(builder->program, &line->insn, index, &problem)) {
        builder_refuse(builder, name, "%s", problem.message);
    } else if (number && found->size_bytes > 0 && offset >= found->size_bytes) {
        builder_refuse(builder, bytes,
                       "%s begins %" PRIu64 " bytes into '%s'; expected less than "
                       "its %" PRIu64,
                       line->info->operands[index].name, offset, found->name, found->size_bytes);
    }
}

/* "key=value". */
static void read_key(struct program_builder *builder, struct insn_line *line, struct word word)
{
    struct word name, value;
    char excerpt[EXCERPT_SIZE_BYTES];
    if (!word_split(word, '=', &name, &value)) {
        builder_refuse(builder, word, "found '%s'; expected key=value",
                       word_excerpt(word, excerpt));
        return;
    }
    size_t key = key_find(line, name);
    if (key == line->key_count) {
        refuse_key(builder, line, name);
        return;
    }
    if (key_is_hidden(line, key)) {
        builder_refuse(builder, name, "found '%s'; %s takes it from a register: %s",
                       key_name(line, key), line->info->mnemonic, key_field(line, key)->meaning);
        return;
    }
    if (line->given[key]) {
        builder_refuse(builder, name, "found '%s' again; expected it once", key_name(line, key));
        return;
    }
    line->given[key] = true;
    line->value[key] = value;
    line->key_next = key + 1;
    if (value.length == 0) {
        builder_refuse(builder, word, "found no value of '%s'; expected one behind '='",
                       key_name(line, key));
    } else if (key < line->info->operand_count) {
        read_operand(builder, line, key, value);
    } else if (key_field(line, key)->words != NULL) {
        read_word_field(builder, line, key - line->info->operand_count, value);
    } else {
        read_number_field(builder, line, key - line->info->operand_count, value);
    }
}

static void refuse_missing(struct program_builder *builder, const struct insn_line *line)
{
    for (size_t key = 0; key < line->key_count; key++) {
        const struct field_info *field = key_field(line, key);
        bool required = field != NULL ? field->required : line->info->operands[key].required;
        if (required && !line->given[key] && !line->misspelt[key]) {
            builder_refuse(builder, line->mnemonic, "found no '%s'; %s needs it: %s",
                           key_name(line, key), line->info->mnemonic,
                           field != NULL ? field->meaning : line->info->operands[key].meaning);
        }
    }
}

/* Where a problem of the finished instruction is told: at the value of its key, if that stands
 * there. */
static struct word problem_word(const struct insn_line *line, const struct insn_problem *problem)
{
    for (size_t key = 0; key < line->key_count && problem->key != NULL; key++) {
        if (line->given[key] && strcmp(key_name(line, key), problem->key) == 0) {
            return line->value[key];
        }
    }
    return line->mnemonic;
}

/* A key that is not written has a value too, which a reader looks for in vain. */
static void refuse_insn(struct program_builder *builder, const struct insn_line *line,
                        const struct insn_problem *problem)
{
    struct word word = problem_word(line, problem);
    bool left_out = problem->key != NULL && word.text == line->mnemonic.text;
    builder_refuse(builder, word, "%s%s%s%s", left_out ? "found no '" : "",
                   left_out ? problem->key : "", left_out ? "': " : "", problem->message);
}

/* What the keys together must fulfil, and what follows from them. */
static void finish_insn(struct program_builder *builder, struct insn_line *line)
{
    uint32_t given = 0;
    struct insn_problem problem;
    for (size_t key = line->info->operand_count; key < line->key_count; key++) {
        given |= (uint32_t)line->given[key] << (key - line->info->operand_count);
    }
    insn_imply(builder->program, &line->insn, given);
    if (!insn_check(builder->program, &line->insn, &problem)) {
        refuse_insn(builder, line, &problem);
        return;
    }
    line->insn.pipe = (uint8_t)insn_pipe(builder->program, &line->insn);
    if (line->insn.opcode == OP_SET_FLAG || line->insn.opcode == OP_WAIT_FLAG) {
        uint32_t ids = (uint32_t)line->insn.field[SET_FLAG_id] + 1;
        if (ids > builder->program->event_ids) {
            builder->program->event_ids = ids;
        }
    }
    /* Of a program with problems nothing is kept. */
    if (builder->status == STATUS_OK && !insn_store_add(builder->store, &line->insn)) {
        builder_fail(builder);
    }
}

void builder_read_insn(struct program_builder *builder, struct word mnemonic, enum opcode opcode)
{
    struct insn_line line = {.mnemonic = mnemonic, .info = insn_info(opcode)};
    uint32_t problems = builder->problem_count;
    insn_init(&line.insn, opcode);
    line.insn.line = builder->line.number;
    line.key_count = line.info->operand_count + line.info->field_count;
    while (!line_ends(&builder->line) && builder->problem_count < DIAG_PROBLEMS_MAX) {
        read_key(builder, &line, line_word(&builder->line, ""));
    }
    refuse_missing(builder, &line);
    if (problems == builder->problem_count && !line.broken && builder->arch_known) {
        finish_insn(builder, &line);
    }
}
