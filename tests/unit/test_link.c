#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/base/arena.h"
#include "engine/link.h"
#include "tests/support/splitmix.h"

enum { ONE = 1 << RATE_SHIFT };

struct rig {
    struct arena arena;
    struct link link;
};

static void rig_open(struct rig *rig, uint64_t bytes_per_tick)
{
    arena_init(&rig->arena, 0);
    assert_int_equal(link_init(&rig->link, bytes_per_tick * ONE, 8, &rig->arena), STATUS_OK);
}

static void test_a_transfer_alone_runs_at_its_cap_and_ends_rounded_up(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig, 1000);
    link_add(&rig.link, 50, 3, 1001, 100 * ONE);
    link_settle(&rig.link, 50);
    assert_int_equal(link_next(&rig.link), 50 + 11);
    assert_int_equal(link_alone(1001, 100 * ONE), 11);
    uint32_t owner = 0;
    assert_false(link_pop(&rig.link, 60, &owner));
    assert_true(link_pop(&rig.link, 61, &owner));
    assert_int_equal(owner, 3);
    assert_int_equal(link_next(&rig.link), UINT64_MAX);
    arena_deinit(&rig.arena);
}

static void test_shares_are_equal_when_no_cap_binds(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig, 100);
    for (uint32_t owner = 0; owner < 4; owner++)
        link_add(&rig.link, 0, owner, 1000, 100 * ONE);
    link_settle(&rig.link, 0);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(rig.link.transfers[i].rate, 25 * ONE);
    assert_int_equal(link_next(&rig.link), 40);
    arena_deinit(&rig.arena);
}

static void test_what_a_small_cap_leaves_goes_to_the_others(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig, 90);
    link_add(&rig.link, 0, 0, 9000, 80 * ONE);
    link_add(&rig.link, 0, 1, 9000, 10 * ONE);
    link_add(&rig.link, 0, 2, 9000, 80 * ONE);
    link_settle(&rig.link, 0);
    assert_int_equal(rig.link.transfers[0].owner, 1);
    assert_int_equal(rig.link.transfers[0].rate, 10 * ONE);
    assert_int_equal(rig.link.transfers[1].rate, 40 * ONE);
    assert_int_equal(rig.link.transfers[2].rate, 40 * ONE);
    arena_deinit(&rig.arena);
}

static void test_units_left_over_go_to_the_first_owners(void **state)
{
    (void)state;
    struct rig rig;
    arena_init(&rig.arena, 0);
    assert_int_equal(link_init(&rig.link, 100 * ONE + 1, 8, &rig.arena), STATUS_OK);
    for (uint32_t owner = 0; owner < 3; owner++)
        link_add(&rig.link, 0, owner, 1000, 100 * ONE);
    link_settle(&rig.link, 0);
    uint64_t share = (100 * ONE + 1) / 3, over = (100 * ONE + 1) % 3;
    assert_true(over > 0);
    for (uint64_t i = 0; i < 3; i++)
        assert_int_equal(rig.link.transfers[i].rate, share + (i < over));
    arena_deinit(&rig.arena);
}

static void test_a_transfer_that_ends_speeds_up_the_rest(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig, 100);
    link_add(&rig.link, 0, 0, 500, 100 * ONE);
    link_add(&rig.link, 0, 1, 1000, 100 * ONE);
    link_settle(&rig.link, 0);
    assert_int_equal(link_next(&rig.link), 10);
    uint32_t owner = 9;
    assert_true(link_pop(&rig.link, 10, &owner));
    assert_int_equal(owner, 0);
    assert_false(link_pop(&rig.link, 10, &owner));
    link_settle(&rig.link, 10);
    assert_int_equal(link_next(&rig.link), 15);
    arena_deinit(&rig.arena);
}

static void test_a_late_transfer_slows_the_first_from_its_own_tick_on(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig, 100);
    link_add(&rig.link, 0, 0, 1000, 100 * ONE);
    link_settle(&rig.link, 0);
    link_add(&rig.link, 5, 1, 1000, 100 * ONE);
    link_settle(&rig.link, 5);
    /* 500 B are left at 50 B per tick. */
    assert_int_equal(link_next(&rig.link), 15);
    assert_int_equal(rig.link.bytes, 2000);
    arena_deinit(&rig.arena);
}

/* Of any transfers: none is faster than its cap, together they have all that is to be had, and one
 * below its cap has as much as any other, up to the unit left over. */
static void check_fair(const struct link *link)
{
    uint64_t rates = 0, caps = 0, least = UINT64_MAX, most = 0;
    for (uint32_t i = 0; i < link->count; i++) {
        const struct transfer *transfer = &link->transfers[i];
        assert_true(transfer->rate > 0 && transfer->rate <= transfer->cap);
        rates += transfer->rate;
        caps += transfer->cap;
        most = transfer->rate > most ? transfer->rate : most;
        if (transfer->rate < transfer->cap && transfer->rate < least)
            least = transfer->rate;
    }
    assert_int_equal(rates, caps < link->capacity ? caps : link->capacity);
    assert_true(least == UINT64_MAX || most <= least + 1);
}

static void test_no_transfer_exceeds_its_cap_and_nothing_is_left_unused(void **state)
{
    enum { ROUNDS = 20000, OWNERS = 8 };
    (void)state;
    uint64_t random = splitmix_seed();
    for (int round = 0; round < ROUNDS; round++) {
        struct arena arena;
        struct link link;
        arena_init(&arena, 0);
        /* Small numbers, so that caps and shares meet and differ by one often. */
        uint64_t capacity = splitmix_range(&random, OWNERS + 1, 64);
        uint32_t count = (uint32_t)splitmix_range(&random, 1, OWNERS);
        assert_int_equal(link_init(&link, capacity, OWNERS, &arena), STATUS_OK);
        for (uint32_t owner = 0; owner < count; owner++)
            link_add(&link, 0, owner, 1000 + owner, splitmix_range(&random, 1, 24));
        link_settle(&link, 0);
        check_fair(&link);
        uint32_t owner = 0;
        tick next = link_next(&link);
        assert_true(link_pop(&link, next, &owner));
        link_settle(&link, next);
        if (link.count > 0 && link_next(&link) > next)
            check_fair(&link);
        arena_deinit(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_transfer_alone_runs_at_its_cap_and_ends_rounded_up),
        cmocka_unit_test(test_shares_are_equal_when_no_cap_binds),
        cmocka_unit_test(test_what_a_small_cap_leaves_goes_to_the_others),
        cmocka_unit_test(test_units_left_over_go_to_the_first_owners),
        cmocka_unit_test(test_a_transfer_that_ends_speeds_up_the_rest),
        cmocka_unit_test(test_a_late_transfer_slows_the_first_from_its_own_tick_on),
        cmocka_unit_test(test_no_transfer_exceeds_its_cap_and_nothing_is_left_unused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
