/*
 * Text and program are the same thing: for random instructions of every row of the table, for what
 * is lowered from plans, and for whatever random changes of a text leave of it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "isa/insn_check.h"
#include "isa/insn_imply.h"
#include "isa/program_format.h"
#include "model/lower.h"
#include "tests/support/program_reading.h"
#include "tests/support/run_check.h"
#include "tests/support/splitmix.h"

enum {
    TEXT_BYTES = 256 * 1024,
    TRIES = 20000,    /* to find an instruction that its row takes */
    PER_ROW = 24,     /* of each on each product */
    MUTATIONS = 1500, /* of the text of each product */
    INSNS_MAX = 4096,
};

static const char *const products[ARCH_COUNT] = {
    [ARCH_1001] = "atlas-training",    [ARCH_2002] = "atlas-inference", [ARCH_2201] = "atlas-a2",
    [ARCH_3002] = "atlas-200i-500-a2", [ARCH_3510] = "ascend-950pr",
};

/* Codes of a type, and a tensor of it that is bound to them. */
static size_t values_print(char *text, enum element element)
{
    uint32_t bits = element_bits(element);
    size_t length = (size_t)sprintf(text, ".gm  v%d %s [2,3]", element, element_word(element));
    for (uint32_t i = 0; i < 6; i++) {
        uint32_t code = i == 0 ? UINT32_MAX : UINT32_C(0x9D5B3A71) * i;
        uint32_t low = bits < 32 ? code & ((1U << bits) - 1) : code;
        uint32_t sign = 1U << (bits < 32 ? bits - 1 : 31);
        length += (size_t)sprintf(text + length, i == 0 ? " = [" : ", ");
        if (bits == 64)
            length += (size_t)sprintf(text + length, "0x%X%08X", code, ~code | 1);
        else if (element_is_float(element))
            length += (size_t)sprintf(text + length, "0x%0*X", (int)(bits / 4), low);
        else if (element_is_signed(element))
            length += (size_t)sprintf(text + length, "%lld", (long long)(low ^ sign) - sign);
        else
            length += (size_t)sprintf(text + length, "%u", low);
    }
    return length + (size_t)sprintf(text + length, "]\n");
}

/* Two tensors of every element type, and a part of every memory. */
static size_t head_print(char *text, const char *product)
{
    static const char *const bindings[] = {"", " = zero", " = seed=7", " = \"a b.npy\""};
    size_t length = (size_t)sprintf(text, ".product %s\n", product);
    for (int element = 0; element < ELEMENT_COUNT; element++)
        length += (size_t)sprintf(text + length, ".gm  x%d %s [4,%d]%s\n", element,
                                  element_word((enum element)element), 64 * element + 32,
                                  bindings[element % 4]);
    for (int element = 0; element < ELEMENT_COUNT; element++)
        length += values_print(text + length, (enum element)element);
    for (int space = SPACE_L1; space < SPACE_COUNT; space++)
        length +=
            (size_t)sprintf(text + length, ".%-3s %s_0 %d 65536\n", space_word((enum space)space),
                            space_word((enum space)space), 1024 * space);
    return length + (size_t)sprintf(text + length, ".l2  x1 x4\n");
}

static struct operand operand_random(const struct program *program, const struct operand_info *info,
                                     uint64_t *state)
{
    struct operand operand = {.region = REGION_NONE};
    if (!info->required && splitmix_range(state, 0, 1) == 0)
        return operand;
    do {
        operand.region = (uint32_t)splitmix_range(state, 0, program->region_count - 1);
    } while ((info->spaces & 1U << program->regions[operand.region].space) == 0);
    if (splitmix_range(state, 0, 1) == 0)
        operand.offset = splitmix_range(state, 0, program->regions[operand.region].size_bytes - 1);
    return operand;
}

static int64_t field_random(const struct field_info *field, uint64_t *state)
{
    uint64_t count = (uint64_t)field->high - (uint64_t)field->low + 1;
    switch (splitmix_range(state, 0, 5)) {
    case 0:
        return field->low;
    case 1:
        return field->high;
    case 2:
    case 3:
        return field->initial;
    default:
        return (int64_t)((uint64_t)field->low +
                         (count == 0 ? splitmix_next(state) : splitmix_next(state) % count));
    }
}

/* An instruction that its row takes on the product of the program. */
static void insn_random(const struct program *program, enum opcode opcode, uint64_t *state,
                        struct insn *insn)
{
    const struct insn_info *info = insn_info(opcode);
    struct insn_problem problem = {.key = NULL};
    for (int i = 0; i < TRIES; i++) {
        insn_init(insn, opcode);
        for (size_t o = 0; o < info->operand_count; o++)
            insn->operand[o] = operand_random(program, &info->operands[o], state);
        for (size_t f = 0; f < info->field_count; f++)
            if (!info->fields[f].hidden)
                insn->field[f] = field_random(&info->fields[f], state);
        if (insn_check(program, insn, &problem)) {
            insn->pipe = (uint8_t)insn_pipe(program, insn);
            return;
        }
    }
    fail_msg("%s: no instruction in %d tries; last: %s", info->mnemonic, TRIES, problem.message);
}

static void read_text(struct program_reading *reading, const char *text)
{
    program_reading_init(reading, text, strlen(text));
    if (reading->status != STATUS_OK)
        fail_msg("%s\nof:\n%s", diag_text(&reading->diag, 0), text);
}

/* Random instructions of every row that the product has, one core for each row, into text and
 * insn. Returns how many. */
static size_t program_random(enum arch arch, uint64_t *state, char *text, struct insn *insn)
{
    struct program_reading head;
    size_t count = 0, length = head_print(text, products[arch]);
    uint32_t core = 0;
    strcpy(text + length, "pipe_barrier pipe=ALL\n");
    read_text(&head, text);
    for (int opcode = 0; opcode < OP_COUNT; opcode++) {
        if ((insn_info((enum opcode)opcode)->arches & arch_bit(arch)) == 0)
            continue;
        length += (size_t)sprintf(text + length, ".core %u\n", (unsigned)core++);
        for (int i = 0; i < PER_ROW; i++) {
            assert_true(count < INSNS_MAX && length + 4096 < TEXT_BYTES);
            insn_random(&head.program, (enum opcode)opcode, state, &insn[count]);
            length += program_format_insn(&head.program, &insn[count++], text + length,
                                          TEXT_BYTES - length);
            length += (size_t)sprintf(text + length, "\n");
        }
    }
    length += (size_t)sprintf(text + length, "dump x0 y.npy\ndump x1 \"y 1.npy\"\n");
    program_reading_deinit(&head);
    return count;
}

static char text[TEXT_BYTES], changed[2 * TEXT_BYTES];
static struct insn insns[INSNS_MAX];

static void any_instruction_of_any_row_is_read_as_it_was_printed(void **state)
{
    (void)state;
    uint64_t random = splitmix_seed();
    for (int arch = 0; arch < ARCH_COUNT; arch++) {
        struct program_reading reading;
        size_t count = program_random((enum arch)arch, &random, text, insns), read = 0;
        read_text(&reading, text);
        for (uint32_t core = 0; core < reading.program.core_count; core++) {
            void *stream = reading.program.open(reading.program.context, core, &reading.arena);
            struct insn insn;
            while (reading.program.next(stream, &insn)) {
                assert_true(read < count);
                insn_assert_same(&insn, &insns[read++]);
            }
        }
        assert_int_equal(read, count);
        assert_string_equal(program_format(&reading.program, &reading.arena), text);
        program_reading_deinit(&reading);
    }
}

/* Text of the program, the program of that text, and its text again. */
static void check_round_trip(const struct program *program, struct arena *arena)
{
    struct program_reading again;
    const char *printed = program_format(program, arena);
    assert_non_null(printed);
    read_text(&again, printed);
    program_assert_same(program, &again.program, &again.arena);
    assert_string_equal(program_format(&again.program, &again.arena), printed);
    program_reading_deinit(&again);
}

static void lowered_plans_are_read_as_they_were_printed(void **state)
{
    (void)state;
    static const char *const plans[][2] = {
        {"atlas-a2", "{input: [2, 20, 6, 10], weight: [24, 20, 3, 3], padding: [1, 1, 1, 1], "
                     "dtype: fp16, bias: true, relu: true}"},
        {"atlas-a2", "{input: [1, 12, 40], weight: [10, 6, 3], groups: 2, dtype: fp32}"},
        {"atlas-a3", "{input: [1, 12, 4, 6, 20], weight: [10, 12, 2, 2, 2], dtype: bf16}"},
        {"atlas-a2", "{input: [1, 40, 6, 10], weight: [24, 40, 1, 1], dtype: int8, bias: true}"},
        {"atlas-a2", "{input: [1, 20, 6, 10], weight: [24, 20, 1, 1], dtype: fp16, "
                     "input_format: nhwc}"},
        {"ascend-950pr", "{input: [1, 20, 6, 10], weight: [24, 20, 3, 3], dtype: fp16}"},
        {"ascend-950pr", "{input: [1, 20, 3, 6, 10], weight: [24, 20, 3, 3, 3], dtype: fp16, "
                         "weight_format: hwcn}"},
        {"atlas-350", "{input: [4, 64, 14, 14], weight: [64, 64, 3, 3], padding: [1, 1, 1, 1], "
                      "dtype: int8}"},
        {"atlas-200i-500-a2", "{input: [1, 16, 12, 12], weight: [16, 16, 3, 3], dtype: fp16}"},
        {"atlas-inference", "{input: [1, 32, 4, 16], weight: [4, 32, 1, 1], dtype: int8, "
                            "quant: {scale: [0.5, 2, 0.001, 7], offset: -2}}"},
        {"atlas-a3", "{input: [1, 32, 4, 16], weight: [4, 16, 1, 1], groups: 2, dtype: int8, "
                     "quant: {scale: [0.5, 2, 0.001, 7]}}"},
    };
    static const char *const policies[] = {"pypto", "vendor"};
    for (size_t i = 0; i < 2 * (sizeof plans / sizeof plans[0]); i++) {
        char yaml[512];
        struct run_case *c = run_case_open("round trip");
        struct program program;
        snprintf(yaml, sizeof yaml, "conv: %s\nschedule: {policy: %s}\n", plans[i / 2][1],
                 policies[i % 2]);
        if (run_case_load(c, yaml, plans[i / 2][0]) != STATUS_OK ||
            lower_plan(&c->plan, &c->arena, &c->diag, &program) != STATUS_OK)
            fail_msg("%s: %s", yaml, c->diag.count > 0 ? diag_text(&c->diag, 0) : "a rule");
        check_round_trip(&program, &c->arena);
        run_case_close(c);
    }
}

/* One random change of a text of *length bytes. */
static void text_change(char *bytes, size_t *length, uint64_t *state)
{
    static const char signs[] = "abx019 =+-[],.#\"\\\t\r\n\x01\xFF\xC3z";
    size_t at = (size_t)splitmix_range(state, 0, *length - 1);
    size_t other = (size_t)splitmix_range(state, 0, *length - 1);
    size_t count = (size_t)splitmix_range(state, 1, 40);
    switch (splitmix_range(state, 0, 6)) {
    case 0: /* another sign */
        bytes[at] = signs[splitmix_range(state, 0, sizeof signs - 1)];
        break;
    case 1: /* one more sign */
        memmove(bytes + at + 1, bytes + at, *length - at);
        bytes[at] = signs[splitmix_range(state, 0, sizeof signs - 1)];
        ++*length;
        break;
    case 2: /* a piece less */
        count = count < *length - at ? count : *length - at;
        memmove(bytes + at, bytes + at + count, *length - at - count);
        *length -= count;
        break;
    case 3: /* a piece of elsewhere */
        count = count < *length - other ? count : *length - other;
        count = count < *length - at ? count : *length - at;
        memmove(bytes + at, bytes + other, count);
        break;
    case 4: /* a digit or a letter that fits its place */
        if (bytes[at] >= '0' && bytes[at] <= '9')
            bytes[at] = (char)('0' + splitmix_range(state, 0, 9));
        else if (bytes[at] >= 'a' && bytes[at] <= 'z')
            bytes[at] = (char)('a' + splitmix_range(state, 0, 25));
        break;
    case 5: { /* a line at another place */
        char line[512];
        char *start = memchr(bytes + other, '\n', *length - other);
        char *end =
            start == NULL ? NULL : memchr(start + 1, '\n', *length - (size_t)(start + 1 - bytes));
        char *to = memchr(bytes + at, '\n', *length - at);
        if (end == NULL || to == NULL || (size_t)(end - start) > sizeof line)
            break;
        size_t size = (size_t)(end - start);
        memcpy(line, start, size);
        memmove(to + size, to, *length - (size_t)(to - bytes));
        memcpy(to, line, size);
        *length += size;
        break;
    }
    default: /* the rest is missing */
        if (splitmix_range(state, 0, 9) == 0)
            *length = at + 1;
        break;
    }
}

static uint32_t count_lines(const char *bytes, size_t length)
{
    uint32_t lines = 1;
    for (size_t i = 0; i < length; i++)
        lines += bytes[i] == '\n';
    return lines;
}

/* The head of a text and some lines of one of its cores, into changed; their length. */
static size_t text_piece(enum arch arch, uint64_t *state)
{
    size_t length = head_print(changed, products[arch]);
    const char *line = text + splitmix_range(state, length, strlen(text) - 1);
    for (int lines = 0; lines < 8; lines++) {
        const char *end = strchr(line, '\n');
        line = end == NULL || end[1] == '\0' ? strstr(text, "dump ") : end + 1;
        if (strncmp(line, ".core", 5) == 0)
            continue;
        size_t count = strcspn(line, "\n") + 1;
        memcpy(changed + length, line, count);
        length += count;
    }
    changed[length] = '\0';
    return length;
}

/* Reads what stands in changed: true when it is a program. */
static bool check_changed(size_t length)
{
    struct program_reading reading;
    char *exact = malloc(length + 1); /* so that a read beyond the end is seen */
    assert_non_null(exact);
    memcpy(exact, changed, length);
    exact[length] = '\0';
    program_reading_init(&reading, exact, length);
    bool accepted = reading.status == STATUS_OK;
    if (accepted) {
        check_round_trip(&reading.program, &reading.arena);
    } else {
        assert_int_equal(reading.status, STATUS_BAD_INPUT);
        assert_true(reading.diag.count > 0);
        for (size_t p = 0; p < reading.diag.count; p++)
            assert_true(reading.diag.problems[p].place.line <= count_lines(exact, length));
    }
    program_reading_deinit(&reading);
    free(exact);
    return accepted;
}

static void a_changed_text_is_refused_with_places_or_reads_as_it_prints(void **state)
{
    (void)state;
    uint64_t random = splitmix_seed() ^ 0x7E87;
    uint32_t accepted = 0;
    for (int arch = 0; arch < ARCH_COUNT; arch++) {
        (void)program_random((enum arch)arch, &random, text, insns);
        for (int i = 0; i < MUTATIONS; i++) {
            size_t length = text_piece((enum arch)arch, &random);
            for (uint64_t n = splitmix_range(&random, 1, 3); n > 0 && length > 1; n--)
                text_change(changed, &length, &random);
            accepted += check_changed(length);
        }
    }
    assert_in_range(accepted, MUTATIONS / 4, MUTATIONS * (ARCH_COUNT - 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_instruction_of_any_row_is_read_as_it_was_printed),
        cmocka_unit_test(lowered_plans_are_read_as_they_were_printed),
        cmocka_unit_test(a_changed_text_is_refused_with_places_or_reads_as_it_prints),
    };
    return cmocka_run_group_tests_name("program text", tests, NULL, NULL);
}
