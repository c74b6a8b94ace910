/*
 * Goal: two instructions race over exactly those bytes that both touch, whatever pieces they touch
 * them in.
 * Method: random pieces of an on-chip memory, of bytes, of whole blocks and across them, told in
 * any order: one instruction writes its pieces, then one of another pipe reads its own. The bytes
 * from the first to the last that both touch must be told, and nothing when there are none.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "model/race.h"
#include "tests/support/splitmix.h"

enum { ROUNDS = 4000, MEMORY_BYTES = 4096, PIECES_MAX = 24, PIECE_MAX = 100 };

struct told {
    uint32_t count;
    unsigned from, to; /* first and last byte */
};

static void told_take(void *context, const struct finding *finding)
{
    struct told *told = context;
    const char *bytes = strstr(finding->message, " bytes ");
    assert_int_equal(finding->kind, HAZARD_RACE);
    assert_non_null(bytes);
    assert_int_equal(sscanf(bytes, " bytes %u..%u of l1", &told->from, &told->to), 2);
    told->count++;
}

/* Executes an instruction that touches random pieces, and marks their bytes. */
static void touch(struct race *race, enum pipe pipe, uint32_t seq, bool write, uint64_t *random,
                  bool touched[MEMORY_BYTES])
{
    const struct insn insn = {.opcode = OP_DATA_COPY, .pipe = (uint8_t)pipe};
    uint64_t pieces = splitmix_range(random, 1, PIECES_MAX);
    uint64_t unit = splitmix_range(random, 0, 1) == 0 ? 1 : 32;
    race_begin(race, &insn, seq);
    for (uint64_t i = 0; i < pieces; i++) {
        uint64_t size = splitmix_range(random, 1, unit == 1 ? PIECE_MAX : 4) * unit;
        uint64_t from = splitmix_range(random, 0, (MEMORY_BYTES - size) / unit) * unit;
        race_access(race, SPACE_L1, 0, from, size, write);
        for (uint64_t byte = from; byte < from + size; byte++)
            touched[byte] = true;
    }
    assert_int_equal(race_end(race), STATUS_OK);
}

static void check_told(const struct told *told, const bool written[MEMORY_BYTES],
                       const bool read[MEMORY_BYTES])
{
    uint32_t first = MEMORY_BYTES, last = 0;
    for (uint32_t byte = 0; byte < MEMORY_BYTES; byte++)
        if (written[byte] && read[byte]) {
            first = first == MEMORY_BYTES ? byte : first;
            last = byte;
        }
    assert_int_equal(told->count, first < MEMORY_BYTES);
    if (told->count != 0) {
        assert_int_equal(told->from, first);
        assert_int_equal(told->to, last);
    }
}

static void test_races_are_over_the_bytes_that_both_touch(void **state)
{
    (void)state;
    uint64_t random = splitmix_seed();
    uint32_t races = 0;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        struct told told = {0};
        struct arena arena;
        const struct program program = {.core_count = 1};
        const struct machine machine = {.program = &program};
        const struct clocks clocks = {0};
        const struct finding_sink sink = {told_take, &told};
        struct race_options options = {
            .program = &program, .machine = &machine, .clocks = &clocks, .sink = &sink};
        options.size_bytes[SPACE_L1] = MEMORY_BYTES;
        struct race *race;
        bool written[MEMORY_BYTES] = {false}, read[MEMORY_BYTES] = {false};
        arena_init(&arena, 0);
        assert_int_equal(race_open(&options, &arena, &race), STATUS_OK);
        race_core(race, 0);
        touch(race, PIPE_MTE2, 0, true, &random, written);
        touch(race, PIPE_MTE1, 1, false, &random, read);
        check_told(&told, written, read);
        races += told.count;
        race_close(race);
        arena_deinit(&arena);
    }
    assert_true(races > ROUNDS / 4 && races < ROUNDS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_races_are_over_the_bytes_that_both_touch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
