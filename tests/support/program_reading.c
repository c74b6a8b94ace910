#include "tests/support/program_reading.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/product_sample.h"

enum status program_reading_lookup(void *context, const char *name, struct place place,
                                   struct diag *diag, enum arch *arch)
{
    (void)context;
    for (size_t i = 0; i < SHIPPED_COUNT; i++) {
        if (strcmp(name, shipped[i].soc) == 0 || strcmp(name, shipped[i].alias) == 0) {
            *arch = arch_find(shipped[i].arch);
            return STATUS_OK;
        }
    }
    return diag_add(diag, STATUS_BAD_INPUT, place, "unknown product '%s'; expected another", name);
}

void program_reading_init_for(struct program_reading *reading, const char *text, size_t length,
                              const char *product)
{
    const struct program_reader reader = {.product = product, .lookup = program_reading_lookup};
    memset(reading, 0, sizeof *reading);
    arena_init(&reading->arena, 0);
    diag_init(&reading->diag);
    reading->source = (struct source){.name = "a.prog", .text = text, .length = length};
    reading->status = program_parse(&reading->source, &reader, &reading->arena, &reading->diag,
                                    &reading->program);
}

void program_reading_init(struct program_reading *reading, const char *text, size_t length)
{
    program_reading_init_for(reading, text, length, NULL);
}

void program_reading_deinit(struct program_reading *reading)
{
    diag_deinit(&reading->diag);
    arena_deinit(&reading->arena);
}

static void assert_same_text(const char *text, const char *other)
{
    assert_int_equal(text == NULL, other == NULL);
    if (text != NULL)
        assert_string_equal(text, other);
}

static void assert_same_region(const struct region *region, const struct region *other)
{
    assert_string_equal(region->name, other->name);
    assert_int_equal(region->space, other->space);
    assert_int_equal(region->base_bytes, other->base_bytes);
    assert_int_equal(region->size_bytes, other->size_bytes);
    if (region->space != SPACE_GM)
        return;
    assert_int_equal(region->element, other->element);
    assert_int_equal(region->rank, other->rank);
    for (uint32_t axis = 0; axis < region->rank; axis++)
        assert_int_equal(region->shape[axis], other->shape[axis]);
    assert_int_equal(region->binding, other->binding);
    assert_int_equal(region->warm, other->warm);
    assert_int_equal(region->seed, other->seed);
    if (region->binding == BINDING_VALUES)
        assert_memory_equal(region->values, other->values, (size_t)region->size_bytes);
    assert_same_text(region->path, other->path);
}

void insn_assert_same(const struct insn *insn, const struct insn *other)
{
    const struct insn_info *info = insn_info((enum opcode)insn->opcode);
    assert_int_equal(insn->opcode, other->opcode);
    assert_int_equal(insn->pipe, other->pipe);
    for (size_t i = 0; i < info->operand_count; i++) {
        assert_int_equal(insn->operand[i].region, other->operand[i].region);
        if (insn->operand[i].region != REGION_NONE)
            assert_int_equal(insn->operand[i].offset, other->operand[i].offset);
    }
    for (size_t i = 0; i < info->field_count; i++)
        if (insn->field[i] != other->field[i])
            fail_msg("%s %s: %lld and %lld", info->mnemonic, info->fields[i].name,
                     (long long)insn->field[i], (long long)other->field[i]);
}

void program_assert_same(const struct program *program, const struct program *other,
                         struct arena *arena)
{
    assert_string_equal(program->product, other->product);
    assert_int_equal(program->arch, other->arch);
    assert_int_equal(program->region_count, other->region_count);
    for (uint32_t i = 0; i < program->region_count; i++)
        assert_same_region(&program->regions[i], &other->regions[i]);
    assert_int_equal(program->dump_count, other->dump_count);
    for (uint32_t i = 0; i < program->dump_count; i++) {
        assert_int_equal(program->dumps[i].region, other->dumps[i].region);
        assert_string_equal(program->dumps[i].path, other->dumps[i].path);
    }
    assert_int_equal(program->event_ids, other->event_ids);
    assert_int_equal(program->core_count, other->core_count);
    for (uint32_t core = 0; core < program->core_count; core++) {
        struct insn insn, again;
        void *stream = program->open(program->context, core, arena);
        void *second = other->open(other->context, core, arena);
        assert_true(stream != NULL && second != NULL);
        while (program->next(stream, &insn)) {
            assert_true(other->next(second, &again));
            insn_assert_same(&insn, &again);
        }
        assert_false(other->next(second, &again));
        assert_int_equal(program->ended(stream), STATUS_OK);
        assert_int_equal(other->ended(second), STATUS_OK);
    }
}
