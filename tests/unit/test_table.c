/*
 * What every row of isa/opcode.def must have, whichever it is: an effect, a register or an order of
 * pipes; a cost; vectors; what it touches in GM.
 */
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "isa/effect.h"
#include "isa/registers.h"
#include "model/cost.h"
#include "model/gm_access.h"
#include "tests/support/product_sample.h"
#include "tests/support/vectors.h"

/* Rows that neither change bytes nor registers: they order pipes (model/sync.c). */
static bool orders_pipes(enum opcode opcode)
{
    return opcode == OP_SET_FLAG || opcode == OP_WAIT_FLAG || opcode == OP_MUTEX_LOCK ||
           opcode == OP_MUTEX_UNLOCK || opcode == OP_PIPE_BARRIER;
}

static void test_every_row_changes_bytes_or_registers_or_orders_pipes(void **state)
{
    (void)state;
    for (int opcode = 0; opcode < OP_COUNT; opcode++) {
        const struct insn_info *info = insn_info((enum opcode)opcode);
        bool works = info->effect || info->registers;
        if (works == orders_pipes((enum opcode)opcode))
            fail_msg("%s has %s", info->mnemonic, works ? "too much" : "no effect and no register");
    }
}

static void
test_every_limit_takes_a_field_from_some_products_of_its_row_and_not_from_all(void **state)
{
    (void)state;
    for (int opcode = 0; opcode < OP_COUNT; opcode++) {
        const struct insn_info *info = insn_info((enum opcode)opcode);
        for (size_t i = 0; i < info->limit_count; i++) {
            unsigned left = info->arches & info->limits[i].arches;
            if (left == 0 || left == info->arches)
                fail_msg("%s has %s on %s its products", info->mnemonic,
                         info->fields[info->limits[i].field].name, left == 0 ? "none of" : "all");
        }
    }
}

/* ---- rows with an effect, by their frozen vectors ---------------------------------------------
 */

/* Told bytes of GM: from the first to the last. */
struct reach {
    uint64_t from, end;
    uint32_t region;
    bool write;
};

struct rows {
    struct sample product[ARCH_COUNT];
    bool changes[OP_COUNT][ARCH_COUNT]; /* a vector that changes bytes held */
    bool in_gm[OP_COUNT];               /* and one that touches GM */
};

static void reach_access(void *context, enum space space, uint32_t region, uint64_t address,
                         uint64_t size_bytes, bool write)
{
    struct reach *reach = context;
    if (space != SPACE_GM || size_bytes == 0)
        return;
    reach->from = address < reach->from ? address : reach->from;
    reach->end = address + size_bytes > reach->end ? address + size_bytes : reach->end;
    reach->region = region;
    reach->write = reach->write || write;
}

/* Does the instruction once more and hears what it touches in GM. */
static struct reach reach_of(struct rig *rig, const struct insn *insn)
{
    struct reach reach = {.from = UINT64_MAX};
    rig->machine.access = reach_access;
    rig->machine.access_context = &reach;
    effect_apply(&rig->machine, insn);
    rig->machine.access = NULL;
    return reach;
}

/* A last run that is shorter may end before the one before it. */
static uint64_t access_end(const struct gm_access *access)
{
    uint64_t end = access->from + (access->outer_count - 1) * access->outer_stride +
                   (access->inner_count - 1) * access->inner_stride + access->length;
    bool before = access->inner_count > 1 && access->inner_stride < access->last_lacks;
    return end - (before ? access->inner_stride : access->last_lacks);
}

static void check_gm(struct rows *rows, struct rig *rig, const struct insn *insn)
{
    const char *mnemonic = insn_info((enum opcode)insn->opcode)->mnemonic;
    struct reach reach = reach_of(rig, insn);
    struct gm_access access;
    bool found = gm_access(&rig->program, insn, &access);
    if (found != (reach.end != 0))
        fail_msg("%s touches %s in GM, gm_access says %s", mnemonic,
                 reach.end != 0 ? "bytes" : "nothing", found ? "bytes" : "nothing");
    if (!found)
        return;
    uint64_t base = rig->region[reach.region].base_bytes;
    rows->in_gm[insn->opcode] = true;
    assert_int_equal(access.region, reach.region);
    assert_int_equal(access.write, reach.write);
    assert_int_equal(insn_copies(insn), !access.write); /* what is read goes by L2 */
    if (access.from != base + reach.from || access_end(&access) != base + reach.end)
        fail_msg("%s touches bytes %llu..%llu of GM, gm_access says %llu..%llu", mnemonic,
                 (unsigned long long)(base + reach.from), (unsigned long long)(base + reach.end),
                 (unsigned long long)access.from, (unsigned long long)access_end(&access));
}

/* The time that its pipe or a link is busy with it. */
static void check_cost(const struct rows *rows, const struct rig *rig, const struct insn *insn)
{
    struct cost_model model;
    struct job job;
    memset(&job, 0, sizeof job);
    cost_init(&model, &rows->product[rig->program.arch].product, &rig->program, 1);
    cost_job(&model, &(struct cost_history){0}, insn, &(struct l2_split){.share = L2_SHARE_ONE},
             &job);
    uint64_t transferred = 0;
    for (size_t leg = 0; leg < sizeof job.leg / sizeof job.leg[0]; leg++)
        transferred += job.leg[leg].bytes;
    if (job.occupancy == 0 && transferred == 0)
        fail_msg("%s takes no time", insn_info((enum opcode)insn->opcode)->mnemonic);
    assert_true(insn_bytes(&rig->program, insn) + insn_macs(insn) > 0);
}

static void row_held(void *context, struct rig *rig, const struct insn *insn, bool changed)
{
    struct rows *rows = context;
    if (!changed)
        return;
    rows->changes[insn->opcode][rig->program.arch] = true;
    check_cost(rows, rig, insn);
    check_gm(rows, rig, insn);
}

static void rows_read(struct rows *rows)
{
    struct vectors vectors = {.held = row_held, .held_context = rows};
    glob_t files;
    assert_int_equal(glob("tests/data/vectors_*.txt", 0, NULL, &files), 0);
    for (size_t index = 0; index < files.gl_pathc; index++) {
        FILE *file = fopen(files.gl_pathv[index], "r");
        assert_non_null(file);
        vectors_run(&vectors, file, files.gl_pathv[index]);
        fclose(file);
    }
    globfree(&files);
    if (vectors.failures != 0)
        fail_msg("%s", vectors.message);
}

static bool in_gm_possible(const struct insn_info *info)
{
    unsigned spaces = 0;
    for (size_t index = 0; index < info->operand_count; index++)
        spaces |= info->operands[index].spaces;
    return (spaces & 1U << SPACE_GM) != 0;
}

static void test_every_row_with_an_effect_changes_bytes_and_takes_time_on_each_product(void **state)
{
    (void)state;
    static struct rows rows;
    for (int arch = 0; arch < ARCH_COUNT; arch++) {
        sample_load(&rows.product[arch], shipped_of((enum arch)arch));
        assert_int_equal(rows.product[arch].product.arch, arch);
    }
    rows_read(&rows);
    for (int opcode = 0; opcode < OP_COUNT; opcode++) {
        const struct insn_info *info = insn_info((enum opcode)opcode);
        for (int arch = 0; arch < ARCH_COUNT && info->effect; arch++) {
            if ((info->arches & arch_bit((enum arch)arch)) != 0 && !rows.changes[opcode][arch])
                fail_msg("no vector of %s on %s changes bytes", info->mnemonic,
                         arch_word((enum arch)arch));
        }
        if (rows.in_gm[opcode] != in_gm_possible(info))
            fail_msg("%s of %s touches GM", in_gm_possible(info) ? "no vector" : "a vector",
                     info->mnemonic);
    }
    for (int arch = 0; arch < ARCH_COUNT; arch++)
        sample_deinit(&rows.product[arch]);
}

/* ---- rows with registers ----------------------------------------------------------------------
 */

/* Registers that hold the same small number everywhere. */
static struct registers registers_of(int64_t value)
{
    int64_t values[sizeof(struct registers) / sizeof(int64_t)];
    struct registers registers;
    for (size_t index = 0; index < sizeof values / sizeof values[0]; index++)
        values[index] = value;
    memcpy(&registers, values, sizeof registers);
    return registers;
}

/* A field that has one value says nothing, and one of an instruction with an effect may be for
 * that; every other one reaches the registers. */
static void check_field_sets(enum opcode opcode, size_t index)
{
    const struct field_info *field = &insn_info(opcode)->fields[index];
    struct registers low = registers_of(1), high = registers_of(1);
    struct insn insn;
    insn_init(&insn, opcode);
    insn.field[index] = field->low;
    insn_capture(&low, &insn);
    insn.field[index] = field->high;
    insn_capture(&high, &insn);
    if (field->low != field->high && memcmp(&low, &high, sizeof low) == 0)
        fail_msg("%s of %s reaches no register", field->name, insn_info(opcode)->mnemonic);
}

static void test_register_rows_set_registers_to_what_their_fields_say(void **state)
{
    (void)state;
    for (int opcode = 0; opcode < OP_COUNT; opcode++) {
        const struct insn_info *info = insn_info((enum opcode)opcode);
        if (!info->registers || info->effect)
            continue;
        bool changes = false;
        for (int64_t value = 0; value < 2; value++) {
            struct registers before = registers_of(value), after = before;
            struct insn insn;
            insn_init(&insn, (enum opcode)opcode);
            insn_capture(&after, &insn);
            changes = changes || memcmp(&before, &after, sizeof before) != 0;
        }
        if (!changes)
            fail_msg("%s sets no register", info->mnemonic);
        for (size_t index = 0; index < info->field_count; index++)
            check_field_sets((enum opcode)opcode, index);
    }
}

/* Hidden fields are those that a register fills; a row with both sets or reads some. */
static void test_hidden_fields_hold_what_the_registers_hold(void **state)
{
    (void)state;
    for (int opcode = 0; opcode < OP_COUNT; opcode++) {
        const struct insn_info *info = insn_info((enum opcode)opcode);
        struct registers few = registers_of(2), many = registers_of(3);
        struct insn little, much;
        insn_init(&little, (enum opcode)opcode);
        insn_init(&much, (enum opcode)opcode);
        insn_capture(&few, &little);
        insn_capture(&many, &much);
        for (size_t index = 0; index < info->field_count; index++) {
            if (info->fields[index].hidden && little.field[index] == much.field[index])
                fail_msg("no register fills %s of %s", info->fields[index].name, info->mnemonic);
        }
        const struct registers untouched = registers_of(2);
        bool reads = memcmp(little.field, much.field, sizeof little.field) != 0;
        bool sets = memcmp(&few, &untouched, sizeof few) != 0;
        if (info->registers != (reads || sets))
            fail_msg("%s %s registers", info->mnemonic, info->registers ? "has no" : "touches");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_row_changes_bytes_or_registers_or_orders_pipes),
        cmocka_unit_test(
            test_every_limit_takes_a_field_from_some_products_of_its_row_and_not_from_all),
        cmocka_unit_test(
            test_every_row_with_an_effect_changes_bytes_and_takes_time_on_each_product),
        cmocka_unit_test(test_register_rows_set_registers_to_what_their_fields_say),
        cmocka_unit_test(test_hidden_fields_hold_what_the_registers_hold),
    };
    return cmocka_run_group_tests_name("table", tests, NULL, NULL);
}
