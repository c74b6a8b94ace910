/*
 * L2 against a model that is as plain as can be: a list of lines by age, a byte for each sector.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "model/l2.h"
#include "tests/support/splitmix.h"
#include "tests/support/stream_fixture.h"

enum { LINE = 512, SECTOR = 32, SECTORS = 16, LINES = 24, OPS = 60, ROUNDS = 400 };

struct plain {
    uint32_t lines_max, count;
    uint32_t by_age[2 * LINES]; /* the oldest first */
    bool there[2 * LINES][SECTORS], written[2 * LINES][SECTORS];
    uint64_t miss, back;
};

static void plain_replace_oldest(struct plain *plain)
{
    uint32_t oldest = plain->by_age[0];
    for (uint32_t sector = 0; sector < SECTORS; sector++) {
        plain->back += plain->written[oldest][sector] ? SECTOR : 0;
        plain->there[oldest][sector] = plain->written[oldest][sector] = false;
    }
    plain->count--;
    memmove(plain->by_age, plain->by_age + 1, plain->count * sizeof plain->by_age[0]);
}

static void plain_use(struct plain *plain, uint32_t line)
{
    uint32_t place = 0;
    while (place < plain->count && plain->by_age[place] != line)
        place++;
    if (place < plain->count) {
        plain->count--;
        memmove(plain->by_age + place, plain->by_age + place + 1,
                (plain->count - place) * sizeof plain->by_age[0]);
    } else if (plain->count == plain->lines_max) {
        plain_replace_oldest(plain);
    }
    plain->by_age[plain->count++] = line;
}

/* Bytes are whole sectors. */
static void plain_access(struct plain *plain, uint64_t from, uint64_t bytes, bool write)
{
    for (uint64_t at = from; at < from + bytes; at += SECTOR) {
        uint32_t line = (uint32_t)(at / LINE), sector = (uint32_t)(at % LINE / SECTOR);
        plain_use(plain, line);
        plain->miss += !write && !plain->there[line][sector] ? SECTOR : 0;
        plain->there[line][sector] = true;
        plain->written[line][sector] |= write;
    }
}

static void test_misses_and_what_goes_back_are_those_of_a_plain_model(void **state)
{
    (void)state;
    uint64_t seed = splitmix_seed(), pushed = 0;
    printf("SEED=%llu\n", (unsigned long long)seed);
    for (int round = 0; round < ROUNDS; round++) {
        struct stream_fixture fixture;
        struct plain plain = {.lines_max = (uint32_t)splitmix_range(&seed, 1, 2 * LINES)};
        stream_fixture_init(&fixture, 1, LINES * LINE, LINES * LINE);
        for (int op = 0; op < OPS; op++) {
            uint64_t from = splitmix_range(&seed, 0, (LINES - 4) * SECTORS) * SECTOR;
            uint64_t bytes = splitmix_range(&seed, 1, 4 * SECTORS) * SECTOR;
            bool write = splitmix_range(&seed, 0, 1) == 1;
            if (write)
                stream_fixture_store(&fixture, 0, from, bytes / SECTOR);
            else
                stream_fixture_copy(&fixture, 0, from, 1, bytes, bytes);
            plain_access(&plain, write ? LINES * LINE + from : from, bytes, write);
        }
        struct arena arena;
        struct l2_plan plan;
        struct l2_options options = {.size_bytes = (uint64_t)plain.lines_max * LINE,
                                     .line_bytes = LINE};
        arena_init(&arena, 0);
        assert_int_equal(l2_decide(&fixture.program, &options, &plan, &arena), STATUS_OK);
        assert_int_equal(plan.cores[0].count, OPS);
        assert_int_equal(plan.miss_bytes, plain.miss);
        assert_int_equal(plan.write_back_bytes, plain.back);
        uint64_t sum = 0;
        for (size_t i = 0; i < plan.cores[0].count; i++)
            sum += plan.cores[0].splits[i].write_back_bytes;
        assert_int_equal(sum, plan.write_back_bytes);
        pushed += plan.write_back_bytes;
        l2_deinit(&plan);
        arena_deinit(&arena);
    }
    assert_true(pushed > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_misses_and_what_goes_back_are_those_of_a_plain_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
