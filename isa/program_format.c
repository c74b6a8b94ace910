#include "isa/program_format.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "engine/base/status.h"
#include "isa/insn_imply.h"

/* Text that may run past its buffer and still knows its whole length. */
struct output {
    char *buffer;
    size_t size;
    size_t length;
};

static void line_add(struct output *line, const char *format, ...) PRINTF_LIKE(2, 3);

static void line_add(struct output *line, const char *format, ...)
{
    bool room = line->length < line->size;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(room ? line->buffer + line->length : NULL,
                           room ? line->size - line->length : 0, format, arguments);
    va_end(arguments);
    assert(length >= 0);
    line->length += (size_t)length;
}

/* Whether a path can stand as a word, and is not taken for another binding. */
static bool path_is_word(const char *path)
{
    static const char signs[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-+:@%,~";
    return path[0] != '\0' && path[strspn(path, signs)] == '\0' && strcmp(path, "zero") != 0;
}

static void path_format(const char *path, struct output *line)
{
    if (path_is_word(path)) {
        line_add(line, "%s", path);
        return;
    }
    line_add(line, "\"");
    for (; *path != '\0'; path++) {
        line_add(line, "%s%c", *path == '"' || *path == '\\' ? "\\" : "", *path);
    }
    line_add(line, "\"");
}

/* As builder_read_values reads them: words and bits in hexadecimal, numbers in decimal. */
static void values_format(const struct region *region, struct output *line)
{
    uint32_t bits = element_bits(region->element);
    for (uint64_t index = 0; index < region->size_bytes * 8 / bits; index++) {
        line_add(line, index == 0 ? " = [" : ", ");
        if (region->element == ELEMENT_UINT64) {
            uint64_t word;
            memcpy(&word, (const uint8_t *)region->values + index * sizeof word, sizeof word);
            line_add(line, "0x%" PRIX64, word);
            continue;
        }
        uint32_t code = element_load(region->element, region->values, (size_t)index);
        if (element_is_float(region->element)) {
            line_add(line, "0x%0*" PRIX32, (int)(bits / 4), code);
        } else if (element_is_signed(region->element)) {
            int64_t sign = INT64_C(1) << (bits - 1);
            line_add(line, "%" PRId64, ((int64_t)code ^ sign) - sign);
        } else {
            line_add(line, "%" PRIu32, code);
        }
    }
    line_add(line, "]");
}

static void binding_format(const struct region *region, struct output *line)
{
    switch (region->binding) {
    case BINDING_NONE:
        break;
    case BINDING_FILE:
        line_add(line, " = ");
        path_format(region->path, line);
        break;
    case BINDING_ZERO:
        line_add(line, " = zero");
        break;
    case BINDING_SEED:
        line_add(line, " = seed=%" PRIu64, region->seed);
        break;
    case BINDING_VALUES:
        values_format(region, line);
        break;
    }
}

size_t program_format_product(const struct program *program, char *buffer, size_t size)
{
    struct output line = {buffer, size, 0};
    line_add(&line, ".product ");
    path_format(program->product, &line);
    return line.length;
}

size_t program_format_l2(const struct program *program, char *buffer, size_t size)
{
    struct output line = {buffer, size, 0};
    line_add(&line, "%s", "");
    for (uint32_t region = 0; region < program->region_count; region++) {
        if (program->regions[region].warm) {
            line_add(&line, "%s %s", line.length == 0 ? ".l2 " : "", program->regions[region].name);
        }
    }
    return line.length;
}

size_t program_format_dump(const struct program *program, uint32_t dump, char *buffer, size_t size)
{
    assert(dump < program->dump_count && program->dumps[dump].region < program->region_count);
    struct output line = {buffer, size, 0};
    line_add(&line, "dump %s ", program->regions[program->dumps[dump].region].name);
    path_format(program->dumps[dump].path, &line);
    return line.length;
}

size_t program_format_region(const struct program *program, uint32_t region, char *buffer,
                             size_t size)
{
    assert(region < program->region_count);
    const struct region *found = &program->regions[region];
    struct output line = {buffer, size, 0};
    line_add(&line, ".%-3s %s", space_word(found->space), found->name);
    if (found->space == SPACE_GM) {
        line_add(&line, " %s [", element_word(found->element));
        for (uint32_t axis = 0; axis < found->rank; axis++) {
            line_add(&line, "%s%" PRIu64, axis == 0 ? "" : ",", found->shape[axis]);
        }
        line_add(&line, "]");
        binding_format(found, &line);
    } else {
        line_add(&line, " %" PRIu64 " %" PRIu64, found->base_bytes, found->size_bytes);
    }
    return line.length;
}

static void operand_format(const struct program *program, const struct operand *operand,
                           struct output *line)
{
    assert(operand->region < program->region_count);
    line_add(line, "%s", program->regions[operand->region].name);
    if (operand->offset != 0) {
        line_add(line, "+%" PRIu64, operand->offset);
    }
}

static void field_format(const struct field_info *field, int64_t value, struct output *line)
{
    if (field->words != NULL) {
        assert(value >= 0 && (uint64_t)value < field->word_count);
        line_add(line, " %s=%s", field->name, field->words[value]);
    } else {
        line_add(line, " %s=%" PRId64, field->name, value);
    }
}

/* Whether a reader who was given the fields so far would know the value. */
static bool field_follows(const struct program *program, const struct insn *insn, size_t index,
                          uint32_t given)
{
    struct insn read = *insn;
    read.field[index] = insn_info((enum opcode)insn->opcode)->fields[index].initial;
    insn_imply(program, &read, given | ~(UINT32_MAX >> (31 - index)));
    return read.field[index] == insn->field[index];
}

size_t program_format_insn(const struct program *program, const struct insn *insn, char *buffer,
                           size_t size)
{
    const struct insn_info *info = insn_info((enum opcode)insn->opcode);
    struct output line = {buffer, size, 0};
    line_add(&line, "%s", info->mnemonic);
    for (size_t index = 0; index < info->operand_count; index++) {
        if (insn->operand[index].region != REGION_NONE) {
            line_add(&line, " %s=", info->operands[index].name);
            operand_format(program, &insn->operand[index], &line);
        }
    }
    uint32_t given = 0;
    for (size_t index = 0; index < info->field_count; index++) {
        const struct field_info *field = &info->fields[index];
        if (!field->hidden && (field->required || !field_follows(program, insn, index, given))) {
            field_format(field, insn->field[index], &line);
            given |= 1U << index;
        }
    }
    return line.length;
}
