/*
 * Conflicts of an instruction: one for each earlier instruction that it meets.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/race_conflict.h"

enum { MANY = 1000 };

static const struct access now = {.ref = {.seq = 2 * MANY}, .kind = ACCESS_WRITE};

static void meet(struct conflicts *conflicts, uint32_t core, uint32_t seq, uint64_t from,
                 uint64_t to)
{
    const struct access old = {.core = core, .ref = {.seq = seq}, .kind = ACCESS_READ};
    const struct stretch bytes = {.from = from, .to = to, .space = SPACE_L1};
    conflicts_add(conflicts, &old, &now, &bytes, false);
    assert_false(conflicts->failed);
}

static void assert_conflict(const struct conflicts *conflicts, size_t index, uint32_t core,
                            uint32_t seq, uint64_t from, uint64_t to)
{
    const struct conflict *conflict = &conflicts->item[index];
    assert_true(index < conflicts->count);
    assert_int_equal(conflict->old.core, core);
    assert_int_equal(conflict->old.ref.seq, seq);
    assert_int_equal(conflict->bytes.from, from);
    assert_int_equal(conflict->bytes.to, to);
}

static void test_places_where_two_instructions_meet_are_one_conflict(void **state)
{
    struct conflicts conflicts = {0};
    (void)state;
    for (uint32_t i = 0; i < MANY; i++)
        meet(&conflicts, i % 3, i / 3, 100 + i, 200 + i);
    for (uint32_t i = MANY; i-- > 0;) {
        meet(&conflicts, i % 3, i / 3, 50 + i, 60 + i);
        meet(&conflicts, i % 3, i / 3, 300 + i, 310 + i);
    }
    assert_int_equal(conflicts.count, MANY);
    for (uint32_t i = 0; i < MANY; i++)
        assert_conflict(&conflicts, i, i % 3, i / 3, 50 + i, 310 + i);
    conflicts_close(&conflicts);
}

static void test_other_memories_and_kinds_do_not_lengthen_a_conflict(void **state)
{
    struct conflicts conflicts = {0};
    struct access reads = now, writes = {.ref = {.seq = 7}, .kind = ACCESS_WRITE};
    const struct stretch chip = {.from = 0, .to = 900, .space = SPACE_L0A};
    const struct stretch tensor = {.from = 0, .to = 900, .space = SPACE_L1, .region = 1};
    const struct stretch bytes = {.from = 0, .to = 900, .space = SPACE_L1};
    const struct access old = {.ref = {.seq = 7}, .kind = ACCESS_READ};
    (void)state;
    reads.kind = ACCESS_READ;
    meet(&conflicts, 0, 7, 100, 200);
    conflicts_add(&conflicts, &old, &now, &chip, false);
    conflicts_add(&conflicts, &old, &now, &tensor, false);
    conflicts_add(&conflicts, &old, &reads, &bytes, false);
    conflicts_add(&conflicts, &writes, &now, &bytes, false);
    assert_int_equal(conflicts.count, 1);
    assert_conflict(&conflicts, 0, 0, 7, 100, 200);
    conflicts_close(&conflicts);
}

static void test_the_next_instruction_starts_with_none(void **state)
{
    struct conflicts conflicts = {0};
    (void)state;
    for (uint32_t round = 0; round < 3; round++) {
        for (uint32_t i = 0; i < MANY; i++)
            meet(&conflicts, 0, i + round * 500, i, i + 1);
        assert_int_equal(conflicts.count, MANY);
        for (uint32_t i = 0; i < MANY; i++)
            assert_conflict(&conflicts, i, 0, i + round * 500, i, i + 1);
        conflicts_clear(&conflicts);
        assert_int_equal(conflicts.count, 0);
    }
    conflicts_close(&conflicts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_places_where_two_instructions_meet_are_one_conflict),
        cmocka_unit_test(test_other_memories_and_kinds_do_not_lengthen_a_conflict),
        cmocka_unit_test(test_the_next_instruction_starts_with_none),
    };
    return cmocka_run_group_tests_name("race conflict", tests, NULL, NULL);
}
