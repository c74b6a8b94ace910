/*
 * The shadow of a memory: who has touched which byte, cut and joined.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/race_shadow.h"

enum { SEGMENTS_MAX = 8 };

struct fixture {
    struct arena arena;
    struct shadow_pool pool;
    struct shadow shadow;
    struct access access; /* that visits put */
    /* what the last visit met */
    size_t count;
    uint32_t from[SEGMENTS_MAX], to[SEGMENTS_MAX], core[SEGMENTS_MAX], seq[SEGMENTS_MAX];
};

static void fixture_init(struct fixture *fixture)
{
    *fixture = (struct fixture){0};
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

static bool superseded_always(void *context, const struct access *old, const struct access *new)
{
    (void)context;
    (void)old;
    (void)new;
    return true;
}

static void put(void *context, uint32_t segment, uint32_t from, uint32_t to)
{
    struct fixture *fixture = context;
    (void)from;
    (void)to;
    shadow_put(&fixture->pool, segment, &fixture->access, superseded_always, NULL);
}

static void touch(struct fixture *fixture, uint32_t from, uint32_t to, uint32_t core, uint32_t seq,
                  enum access_kind kind)
{
    fixture->access = (struct access){.core = core, .ref = {.seq = seq}, .kind = (uint8_t)kind};
    shadow_visit(&fixture->shadow, &fixture->pool, 1, from, to, put, fixture);
}

static void note(void *context, uint32_t segment, uint32_t from, uint32_t to)
{
    struct fixture *fixture = context;
    uint32_t first = fixture->pool.segment[segment].first;
    size_t at = fixture->count++;
    assert_true(at < SEGMENTS_MAX);
    fixture->from[at] = from;
    fixture->to[at] = to;
    fixture->core[at] = first == 0 ? UINT32_MAX : fixture->pool.access[first].access.core;
    fixture->seq[at] = first == 0 ? UINT32_MAX : fixture->pool.access[first].access.ref.seq;
}

/* Joins what can be joined in bytes [0, 64) of page 1 and looks at what is left there. */
static void join(struct fixture *fixture)
{
    for (int round = 0; round < 2; round++) {
        fixture->count = 0;
        shadow_visit(&fixture->shadow, &fixture->pool, 1, 0, 64, note, fixture);
        if (round == 0)
            shadow_join(&fixture->shadow, &fixture->pool, 1, 64);
    }
}

static void test_neighbours_that_one_write_has_made_are_joined(void **state)
{
    struct fixture fixture;
    (void)state;
    fixture_init(&fixture);
    touch(&fixture, 0, 32, 1, 5, ACCESS_WRITE);
    touch(&fixture, 32, 64, 1, 5, ACCESS_WRITE);
    join(&fixture);
    assert_int_equal(fixture.count, 1);
    assert_int_equal(fixture.from[0], 0);
    assert_int_equal(fixture.to[0], 64);
    assert_int_equal(fixture.seq[0], 5);
    fixture_deinit(&fixture);
}

static void test_neighbours_that_others_have_made_stay_apart(void **state)
{
    static const struct {
        uint32_t core, seq;
        enum access_kind kind;
    } other[] = {{2, 5, ACCESS_WRITE}, {1, 6, ACCESS_WRITE}, {1, 5, ACCESS_READ}};
    (void)state;
    for (size_t i = 0; i < sizeof other / sizeof other[0]; i++) {
        struct fixture fixture;
        fixture_init(&fixture);
        touch(&fixture, 0, 32, 1, 5, ACCESS_WRITE);
        touch(&fixture, 32, 64, other[i].core, other[i].seq, other[i].kind);
        join(&fixture);
        assert_int_equal(fixture.count, 2);
        assert_int_equal(fixture.to[0], 32);
        assert_int_equal(fixture.core[0], 1);
        assert_int_equal(fixture.seq[0], 5);
        assert_int_equal(fixture.core[1], other[i].core);
        assert_int_equal(fixture.seq[1], other[i].seq);
        fixture_deinit(&fixture);
    }
}

static void test_a_visit_cuts_a_segment_and_keeps_who_touched_its_parts(void **state)
{
    struct fixture fixture;
    (void)state;
    fixture_init(&fixture);
    touch(&fixture, 0, 64, 1, 5, ACCESS_WRITE);
    touch(&fixture, 10, 20, 2, 7, ACCESS_WRITE);
    join(&fixture);
    static const uint32_t from[] = {0, 10, 20}, core[] = {1, 2, 1}, seq[] = {5, 7, 5};
    assert_int_equal(fixture.count, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(fixture.from[i], from[i]);
        assert_int_equal(fixture.core[i], core[i]);
        assert_int_equal(fixture.seq[i], seq[i]);
    }
    fixture_deinit(&fixture);
}

/* Nothing is superseded, but of other cores one access of each kind says all. */
static bool superseded_never(void *context, const struct access *old, const struct access *new)
{
    (void)context;
    (void)old;
    (void)new;
    return false;
}

static void test_one_access_of_each_kind_is_kept_of_other_cores(void **state)
{
    struct fixture fixture;
    (void)state;
    fixture_init(&fixture);
    static const struct access accesses[] = {
        {.core = 1, .ref = {.seq = 3}, .kind = ACCESS_READ},
        {.core = 1, .ref = {.seq = 4}, .kind = ACCESS_READ},
        {.core = 1, .ref = {.seq = 5}, .kind = ACCESS_ATOMIC},
        {.core = 2, .ref = {.seq = 6}, .kind = ACCESS_READ},
    };
    touch(&fixture, 0, 64, 1, 2, ACCESS_READ);
    uint32_t segment = fixture.shadow.page[1];
    for (size_t i = 0; i < sizeof accesses / sizeof accesses[0]; i++)
        shadow_put(&fixture.pool, segment, &accesses[i], superseded_never, NULL);
    static const uint32_t kept[] = {6, 5, 4}; /* newest first */
    uint32_t index = fixture.pool.segment[segment].first;
    for (size_t i = 0; i < 3; i++) {
        assert_int_not_equal(index, 0);
        assert_int_equal(fixture.pool.access[index].access.ref.seq, kept[i]);
        index = fixture.pool.access[index].next;
    }
    assert_int_equal(index, 0);
    fixture_deinit(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_neighbours_that_one_write_has_made_are_joined),
        cmocka_unit_test(test_neighbours_that_others_have_made_stay_apart),
        cmocka_unit_test(test_a_visit_cuts_a_segment_and_keeps_who_touched_its_parts),
        cmocka_unit_test(test_one_access_of_each_kind_is_kept_of_other_cores),
    };
    return cmocka_run_group_tests_name("race shadow", tests, NULL, NULL);
}
