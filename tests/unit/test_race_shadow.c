/*
 * The shadow of a memory: which accesses count for which bytes of a page, newest first.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/race_shadow.h"

enum { MET_MAX = 8 };

struct fixture {
    struct arena arena;
    struct shadow_pool pool;
    struct shadow shadow;
    bool replaces; /* what a visit answers */
    /* what the last visits met */
    size_t count;
    uint32_t first[MET_MAX], last[MET_MAX], seq[MET_MAX];
};

static void fixture_init(struct fixture *fixture)
{
    *fixture = (struct fixture){.replaces = true};
    arena_init(&fixture->arena, 0);
    shadow_pool_init(&fixture->pool);
    assert_int_equal(shadow_init(&fixture->shadow, 2 * SHADOW_PAGE_BYTES, &fixture->arena),
                     STATUS_OK);
}

static void fixture_deinit(struct fixture *fixture)
{
    assert_false(fixture->pool.failed);
    shadow_pool_deinit(&fixture->pool);
    arena_deinit(&fixture->arena);
}

static bool meet(void *context, const struct access *old, const struct page_bytes *shared)
{
    struct fixture *fixture = context;
    size_t at = fixture->count++;
    assert_true(at < MET_MAX);
    fixture->first[at] = page_bytes_first(shared);
    fixture->last[at] = page_bytes_last(shared);
    fixture->seq[at] = old->ref.seq;
    return fixture->replaces;
}

/* An access to bytes [from, to) of page 1. */
static void touch(struct fixture *fixture, uint32_t from, uint32_t to, const struct access *access)
{
    uint32_t mask[SHADOW_PAGE_BLOCKS] = {0};
    struct page_bytes bytes = {.mask = mask};
    for (uint32_t byte = from; byte < to; byte++) {
        mask[byte / SHADOW_BLOCK_BYTES] |= UINT32_C(1) << byte % SHADOW_BLOCK_BYTES;
        bytes.blocks |= (uint16_t)(1U << byte / SHADOW_BLOCK_BYTES);
    }
    if (from % SHADOW_BLOCK_BYTES == 0 && to % SHADOW_BLOCK_BYTES == 0)
        bytes.mask = NULL;
    fixture->count = 0;
    shadow_put(&fixture->shadow, &fixture->pool, 1, &bytes, access, meet, fixture);
}

static void touch_by(struct fixture *fixture, uint32_t from, uint32_t to, uint32_t seq)
{
    const struct access access = {.core = 1, .ref = {.seq = seq}, .kind = ACCESS_WRITE};
    touch(fixture, from, to, &access);
}

/* The n-th access that the last one met is this one, over bytes [from, to). */
static void assert_met(const struct fixture *fixture, size_t n, uint32_t seq, uint32_t from,
                       uint32_t to)
{
    assert_true(n < fixture->count);
    assert_int_equal(fixture->seq[n], seq);
    assert_int_equal(fixture->first[n], from);
    assert_int_equal(fixture->last[n] + 1, to);
}

static void test_an_access_that_is_replaced_counts_for_the_rest_of_its_bytes(void **state)
{
    /* by whole blocks, within a block, and across two */
    static const uint32_t bounds[][2] = {{64, 96}, {70, 80}, {90, 100}, {32, 97}};
    (void)state;
    for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++) {
        struct fixture fixture;
        uint32_t from = bounds[i][0], to = bounds[i][1];
        fixture_init(&fixture);
        touch_by(&fixture, 0, 128, 5);
        assert_int_equal(fixture.count, 0);
        touch_by(&fixture, from, to, 7);
        assert_int_equal(fixture.count, 1);
        assert_met(&fixture, 0, 5, from, to);
        fixture.replaces = false;
        touch_by(&fixture, from, to, 8);
        assert_int_equal(fixture.count, 1);
        assert_met(&fixture, 0, 7, from, to);
        touch_by(&fixture, 0, from, 9);
        assert_int_equal(fixture.count, 1);
        assert_met(&fixture, 0, 5, 0, from);
        touch_by(&fixture, to, 512, 10);
        assert_int_equal(fixture.count, 1);
        assert_met(&fixture, 0, 5, to, 128);
        fixture_deinit(&fixture);
    }
}

static void test_bytes_of_one_block_that_are_apart_do_not_meet(void **state)
{
    struct fixture fixture;
    (void)state;
    fixture_init(&fixture);
    touch_by(&fixture, 3, 5, 5);
    touch_by(&fixture, 5, 7, 6);
    assert_int_equal(fixture.count, 0);
    touch_by(&fixture, 511, 512, 7);
    assert_int_equal(fixture.count, 0);
    touch_by(&fixture, 0, 512, 8);
    assert_int_equal(fixture.count, 3); /* newest first */
    assert_met(&fixture, 0, 7, 511, 512);
    assert_met(&fixture, 1, 6, 5, 7);
    assert_met(&fixture, 2, 5, 3, 5);
    touch_by(&fixture, 0, 512, 9);
    assert_int_equal(fixture.count, 1);
    fixture_deinit(&fixture);
}

/* Nothing is replaced, but of other cores one access of each kind says all. */
static void test_one_access_of_each_kind_is_kept_of_other_cores(void **state)
{
    struct fixture fixture;
    (void)state;
    fixture_init(&fixture);
    fixture.replaces = false;
    static const struct access accesses[] = {
        {.core = 1, .ref = {.seq = 2}, .kind = ACCESS_READ},
        {.core = 1, .ref = {.seq = 3}, .kind = ACCESS_READ},
        {.core = 1, .ref = {.seq = 4}, .kind = ACCESS_READ},
        {.core = 1, .ref = {.seq = 5}, .kind = ACCESS_ATOMIC},
        {.core = 2, .ref = {.seq = 6}, .kind = ACCESS_READ},
        {.core = 2, .ref = {.seq = 7}, .kind = ACCESS_READ},
    };
    for (size_t i = 0; i < sizeof accesses / sizeof accesses[0]; i++)
        touch(&fixture, 0, i == 2 ? 60 : 64, &accesses[i]);
    static const uint32_t kept[] = {6, 5, 4, 3};
    assert_int_equal(fixture.count, 4);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(fixture.seq[i], kept[i]);
    assert_met(&fixture, 3, 3, 60, 64);
    fixture_deinit(&fixture);
}

static void test_a_shadow_that_is_cleared_knows_nothing(void **state)
{
    struct fixture fixture;
    (void)state;
    fixture_init(&fixture);
    touch_by(&fixture, 0, 100, 5);
    touch_by(&fixture, 100, 200, 6);
    shadow_clear(&fixture.shadow, &fixture.pool);
    touch_by(&fixture, 0, 512, 7);
    assert_int_equal(fixture.count, 0);
    assert_int_equal(fixture.pool.count, 3); /* the room of both is used again */
    fixture_deinit(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_access_that_is_replaced_counts_for_the_rest_of_its_bytes),
        cmocka_unit_test(test_bytes_of_one_block_that_are_apart_do_not_meet),
        cmocka_unit_test(test_one_access_of_each_kind_is_kept_of_other_cores),
        cmocka_unit_test(test_a_shadow_that_is_cleared_knows_nothing),
    };
    return cmocka_run_group_tests_name("race shadow", tests, NULL, NULL);
}
