/*
 * Flags and mutexes that are misused, and cores that stand for ever, found in program texts.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/text_run.h"

/* Two lines of head, so that instructions begin at line 3. */
#define HEAD(product)      ".product " product "\n.core 0\n"
#define SET(from, to, id)  "set_flag src=" from " dst=" to " id=" id "\n"
#define WAIT(from, to, id) "wait_flag src=" from " dst=" to " id=" id "\n"
#define LOCK(pipe, id)     "mutex_lock pipe=" pipe " id=" id "\n"
#define UNLOCK(pipe, id)   "mutex_unlock pipe=" pipe " id=" id "\n"

static void assert_hazard(const char *text, enum hazard_kind kind, uint32_t line,
                          const char *message)
{
    struct text_run run;
    text_run_init(&run, text);
    assert_string_equal(text_run_hazard(&run, kind, line), message);
    assert_int_equal(text_run_count(&run, kind), 1);
    text_run_deinit(&run);
}

static void assert_count(const char *text, uint64_t hazards)
{
    struct text_run run;
    text_run_init(&run, text);
    if (hazards == 0)
        text_run_assert_clean(&run);
    assert_int_equal(run.result.hazard_count, hazards);
    text_run_deinit(&run);
}

static void assert_notes(const char *text, uint64_t notes)
{
    struct text_run run;
    text_run_init(&run, text);
    assert_int_equal(run.result.notes_kept, notes);
    assert_int_equal(text_run_count(&run, HAZARD_RACE), 0);
    text_run_deinit(&run);
}

/* ---- flags ---- */

static void test_a_wait_may_stand_before_its_set(void **state)
{
    (void)state;
    assert_count(HEAD("atlas-a2") WAIT("MTE2", "MTE1", "0") SET("MTE2", "MTE1", "0"), 0);
}

static void test_a_wait_that_nothing_sets_is_told(void **state)
{
    (void)state;
    static const char *const text = HEAD("atlas-a2") SET("MTE2", "MTE1", "1")
        WAIT("MTE2", "MTE1", "1") WAIT("MTE2", "MTE1", "1");
    assert_hazard(
        text, HAZARD_FLAG_UNSET, 5,
        "line 5 (wait_flag) waits for flag MTE2->MTE1 id 1, which nothing sets; expected a "
        "set_flag src=MTE2 dst=MTE1 id=1");
    assert_hazard(text, HAZARD_DEADLOCK, 5,
                  "nothing can go on: MTE1 stands at line 5 (wait_flag) and waits for flag "
                  "MTE2->MTE1 id 1");
    assert_count(text, 2);
}

/* CUBE would be told by MTE1, which stands before it: its flag is set, only never. */
static void test_a_wait_whose_set_stands_behind_another_is_not_called_unset(void **state)
{
    (void)state;
    struct text_run run;
    text_run_init(&run, HEAD("atlas-a2") WAIT("MTE2", "MTE1", "0") SET("MTE1", "CUBE", "0")
                            WAIT("MTE1", "CUBE", "0"));
    assert_int_equal(text_run_count(&run, HAZARD_FLAG_UNSET), 1);
    text_run_hazard(&run, HAZARD_FLAG_UNSET, 3);
    text_run_deinit(&run);
}

static void test_a_flag_set_twice_names_both_lines(void **state)
{
    (void)state;
    assert_hazard(
        HEAD("atlas-a2") SET("MTE2", "MTE1", "0") SET("MTE2", "MTE1", "0") WAIT("MTE2", "MTE1", "0")
            WAIT("MTE2", "MTE1", "0"),
        HAZARD_FLAG_TWICE, 4,
        "line 4 (set_flag) sets flag MTE2->MTE1 id 0, which line 3 (set_flag) has set, and "
        "nothing puts it behind line 5 (wait_flag), which takes that; expected another id, "
        "or set_flag src=MTE1 dst=MTE2 behind line 5 (wait_flag) and its wait_flag before "
        "line 4 (set_flag)");
    assert_hazard(
        HEAD("atlas-a2") SET("MTE2", "MTE1", "0") SET("MTE2", "MTE1", "0"), HAZARD_FLAG_TWICE, 4,
        "line 4 (set_flag) sets flag MTE2->MTE1 id 0, which line 3 (set_flag) has set and "
        "no wait_flag has taken; expected a wait_flag between them");
}

/* The stream of one pipe stands behind that of the other. */
static void test_a_set_behind_its_wait_is_clean_wherever_the_lines_stand(void **state)
{
    (void)state;
    assert_count(HEAD("atlas-a2") SET("MTE2", "MTE1", "0") WAIT("MTE1", "MTE2", "0")
                     SET("MTE2", "MTE1", "0") WAIT("MTE2", "MTE1", "0") SET("MTE1", "MTE2", "0")
                         WAIT("MTE2", "MTE1", "0"),
                 0);
    assert_count(HEAD("atlas-a2") WAIT("CUBE", "FIXP", "0") SET("FIXP", "CUBE", "0")
                     WAIT("CUBE", "FIXP", "0") SET("CUBE", "FIXP", "0") WAIT("FIXP", "CUBE", "0")
                         SET("CUBE", "FIXP", "0"),
                 0);
}

/* Line 4 holds MTE1 until the second set of id 0 is long done. */
static void test_a_set_that_is_certain_to_come_before_its_wait_is_told_behind_it(void **state)
{
    (void)state;
    assert_hazard(HEAD("atlas-a2") SET("MTE2", "MTE1", "0") WAIT("MTE2", "MTE1", "1")
                      WAIT("MTE2", "MTE1", "0") SET("MTE2", "MTE1", "0") SET("MTE2", "MTE1", "1")
                          WAIT("MTE2", "MTE1", "0"),
                  HAZARD_FLAG_TWICE, 6,
                  "line 6 (set_flag) sets flag MTE2->MTE1 id 0, which line 3 (set_flag) has set, "
                  "before line 5 (wait_flag) takes it; expected another id, or set_flag src=MTE1 "
                  "dst=MTE2 behind line 5 (wait_flag) and its wait_flag before line 6 (set_flag)");
}

static void test_a_wait_of_scalar_comes_before_what_it_dispatches_later(void **state)
{
    (void)state;
    assert_notes(HEAD("atlas-a2") SET("FIXP", "SCALAR", "0") WAIT("FIXP", "SCALAR", "0")
                     SET("FIXP", "SCALAR", "0") WAIT("FIXP", "SCALAR", "0"),
                 0);
}

/* Nothing is said of sets and waits that are never executed. */
static void test_a_flag_is_not_set_twice_behind_a_deadlock(void **state)
{
    (void)state;
    struct text_run run;
    text_run_init(&run,
                  HEAD("atlas-a2") WAIT("MTE1", "MTE2", "0") SET("MTE2", "MTE1", "0")
                      SET("MTE2", "MTE1", "0") WAIT("MTE2", "MTE1", "0") WAIT("MTE2", "MTE1", "0"));
    assert_true(run.result.deadlocked);
    assert_int_equal(text_run_count(&run, HAZARD_FLAG_TWICE), 0);
    text_run_deinit(&run);
}

static void test_other_ids_and_pairs_are_other_flags(void **state)
{
    (void)state;
    assert_count(HEAD("atlas-a2") SET("MTE2", "MTE1", "0") SET("MTE2", "MTE1", "1")
                     SET("MTE1", "MTE2", "0") SET("MTE2", "CUBE", "0") WAIT("MTE2", "MTE1", "0")
                         WAIT("MTE2", "MTE1", "1") WAIT("MTE1", "MTE2", "0")
                             WAIT("MTE2", "CUBE", "0"),
                 0);
}

static void test_a_flag_that_is_left_set_is_told_with_its_counts(void **state)
{
    (void)state;
    assert_hazard(HEAD("atlas-a2") SET("FIXP", "CUBE", "2") WAIT("FIXP", "CUBE", "2")
                      SET("FIXP", "CUBE", "2"),
                  HAZARD_FLAG_LEFT, 5,
                  "line 5 (set_flag) leaves flag FIXP->CUBE id 2 set: 2 set_flag and 1 wait_flag; "
                  "expected as many of both");
}

static void test_ids_end_where_the_product_ends(void **state)
{
    (void)state;
    assert_hazard(HEAD("atlas-a2") SET("MTE2", "MTE1", "8") "pipe_barrier pipe=MTE2\n",
                  HAZARD_FLAG_ID, 3, "line 3 (set_flag) has event id 8; expected 0..7");
    assert_hazard(HEAD("atlas-training") WAIT("MTE2", "MTE1", "4") SET("MTE2", "MTE1", "3"),
                  HAZARD_FLAG_ID, 3, "line 3 (wait_flag) has event id 4; expected 0..3");
    assert_count(HEAD("atlas-training") SET("MTE2", "MTE1", "3") WAIT("MTE2", "MTE1", "3"), 0);
    /* Each line that has it. */
    assert_count(HEAD("atlas-a2") SET("MTE2", "MTE1", "1000") WAIT("MTE2", "MTE1", "1000"), 2);
}

static void test_ids_of_the_vendor_are_a_note_and_no_hazard(void **state)
{
    (void)state;
    struct text_run run;
    text_run_init(&run, HEAD("atlas-a2") SET("MTE2", "MTE1", "6") WAIT("MTE2", "MTE1", "6")
                            SET("MTE2", "MTE1", "5") WAIT("MTE2", "MTE1", "5"));
    text_run_assert_clean(&run);
    assert_int_equal(run.result.notes_kept, 2);
    assert_int_equal(run.result.notes[0].line, 3);
    assert_string_equal(run.result.notes[0].message,
                        "line 3 (set_flag) has event id 6; the vendor's libraries use ids above 5, "
                        "expected 0..5");
    text_run_deinit(&run);
}

static void test_a_flag_that_may_be_set_before_its_wait_has_passed_is_a_note(void **state)
{
    (void)state;
    struct text_run run;
    text_run_init(&run, HEAD("atlas-a2") SET("MTE2", "MTE1", "0") WAIT("MTE2", "MTE1", "0")
                            SET("MTE2", "MTE1", "0") WAIT("MTE2", "MTE1", "0"));
    text_run_assert_clean(&run);
    assert_int_equal(run.result.notes_kept, 1);
    assert_string_equal(run.result.notes[0].message,
                        "line 5 (set_flag) sets flag MTE2->MTE1 id 0 again and nothing puts it "
                        "behind line 4 (wait_flag), which takes what line 3 (set_flag) has set");
    text_run_deinit(&run);
    assert_notes(HEAD("atlas-a2") SET("MTE2", "MTE1", "0") WAIT("MTE2", "MTE1", "0")
                     SET("MTE1", "MTE2", "0") WAIT("MTE1", "MTE2", "0") SET("MTE2", "MTE1", "0")
                         WAIT("MTE2", "MTE1", "0"),
                 0);
    assert_notes(HEAD("atlas-a2") SET("MTE1", "CUBE", "0") WAIT("MTE1", "CUBE", "0")
                     SET("CUBE", "MTE1", "0") WAIT("CUBE", "MTE1", "0") SET("MTE1", "CUBE", "0")
                         WAIT("MTE1", "CUBE", "0"),
                 0);
    assert_notes(HEAD("atlas-a2") SET("MTE2", "MTE1", "0")
                     WAIT("MTE2", "MTE1", "0") "pipe_barrier pipe=ALL\n" SET("MTE2", "MTE1", "0")
                         WAIT("MTE2", "MTE1", "0"),
                 0);
}

/* ---- mutexes ---- */

static void test_locks_that_alternate_are_clean(void **state)
{
    (void)state;
    assert_count(HEAD("ascend-950pr") LOCK("MTE2", "0") UNLOCK("MTE2", "0") LOCK("MTE1", "0")
                     UNLOCK("MTE1", "0") LOCK("MTE2", "27") UNLOCK("MTE2", "27"),
                 0);
}

static void test_a_lock_of_what_its_pipe_holds_is_told_and_never_passes(void **state)
{
    (void)state;
    static const char *const text =
        HEAD("ascend-950pr") LOCK("MTE2", "0") LOCK("MTE2", "0") UNLOCK("MTE2", "0");
    assert_hazard(text, HAZARD_FLAG_TWICE, 4,
                  "line 4 (mutex_lock) locks mutex 0, which line 3 (mutex_lock) holds on MTE2; "
                  "expected a mutex_unlock between them");
    assert_hazard(text, HAZARD_DEADLOCK, 4,
                  "nothing can go on: MTE2 stands at line 4 (mutex_lock) and waits for mutex 0, "
                  "which a lock before it holds");
}

static void test_an_unlock_of_what_its_pipe_does_not_hold_is_told_and_does_nothing(void **state)
{
    (void)state;
    assert_hazard(HEAD("ascend-950pr") LOCK("MTE2", "5") UNLOCK("MTE1", "5") UNLOCK("MTE2", "5")
                      LOCK("MTE1", "5") UNLOCK("MTE1", "5"),
                  HAZARD_FLAG_UNSET, 4,
                  "line 4 (mutex_unlock) unlocks mutex 5, which MTE1 does not hold; expected a "
                  "mutex_lock before it");
    assert_count(HEAD("ascend-950pr") LOCK("MTE2", "5") UNLOCK("MTE1", "5") UNLOCK("MTE2", "5")
                     LOCK("MTE1", "5") UNLOCK("MTE1", "5"),
                 1);
}

static void test_a_lock_that_is_never_given_back_is_told(void **state)
{
    (void)state;
    assert_hazard(HEAD("ascend-950pr") LOCK("CUBE", "1"), HAZARD_FLAG_LEFT, 3,
                  "line 3 (mutex_lock) locks mutex 1 and CUBE never unlocks it; expected a "
                  "mutex_unlock");
    struct text_run run;
    text_run_init(&run,
                  HEAD("ascend-950pr") LOCK("CUBE", "1") LOCK("FIXP", "1") UNLOCK("FIXP", "1"));
    assert_true(run.result.deadlocked);
    text_run_hazard(&run, HAZARD_FLAG_LEFT, 3);
    text_run_hazard(&run, HAZARD_DEADLOCK, 4);
    text_run_deinit(&run);
}

/* ---- deadlocks ---- */

static const char *const circle =
    HEAD("atlas-a2") WAIT("CUBE", "MTE1", "0") SET("MTE1", "CUBE", "0") WAIT("MTE1", "CUBE", "0")
        SET("CUBE", "MTE1", "0") SET("CUBE", "FIXP", "3")
            WAIT("CUBE", "FIXP", "3") "pipe_barrier pipe=ALL\n" SET("MTE2", "MTE1", "0")
                WAIT("MTE2", "MTE1", "0");

static const char *const circle_told =
    "nothing can go on: MTE1 stands at line 3 (wait_flag) and waits for flag CUBE->MTE1 id 0; CUBE "
    "stands at line 5 (wait_flag) and waits for flag MTE1->CUBE id 0; FIXP stands at line 8 "
    "(wait_flag) and waits for flag CUBE->FIXP id 3; SCALAR stands at line 9 (pipe_barrier) and "
    "waits for all pipes";

static void test_a_deadlock_names_every_pipe_that_stands(void **state)
{
    (void)state;
    struct text_run run;
    text_run_init(&run, circle);
    assert_true(run.result.deadlocked);
    assert_int_equal(run.result.hazard_count, 1);
    assert_string_equal(run.result.hazards[0].message, circle_told);
    text_run_deinit(&run);
}

static void test_time_alone_finds_the_same_deadlock(void **state)
{
    (void)state;
    struct text_run run;
    text_run_init_with(&run, circle, &(struct text_run_options){.timing_only = true});
    assert_true(run.result.deadlocked);
    assert_int_equal(run.result.hazard_count, 1);
    assert_string_equal(run.result.hazards[0].message, circle_told);
    text_run_deinit(&run);
}

static void test_cores_stand_each_for_itself(void **state)
{
    (void)state;
    struct text_run run;
    text_run_init(&run, HEAD("atlas-a2")
                            WAIT("MTE2", "MTE1",
                                 "0") ".core 1\n"
                                      "pipe_barrier pipe=ALL\n.core 2\n" WAIT("MTE1", "CUBE", "0"));
    assert_int_equal(text_run_count(&run, HAZARD_DEADLOCK), 2);
    assert_int_equal(run.result.hazards[1].core, 0);
    assert_int_equal(run.result.hazards[3].core, 2);
    text_run_deinit(&run);
}

/* MTE1 waits for a flag that comes behind more loads than its queue holds: with a queue of any
 * length the program would end. */
static void test_a_full_queue_can_stand_for_ever_in_time_alone(void **state)
{
    (void)state;
    static char text[8192];
    size_t used = (size_t)snprintf(text, sizeof text,
                                   ".product atlas-a2\n.l1 a 0 512\n.l0a a0 0 512\n.core 0\n%s",
                                   WAIT("MTE2", "MTE1", "0"));
    for (int i = 0; i < 40; i++)
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "load2d dst=a0 src=a repeatTimes=1\n");
    snprintf(text + used, sizeof text - used, "%s", SET("MTE2", "MTE1", "0"));
    struct text_run run;
    text_run_init(&run, text);
    assert_true(run.result.deadlocked);
    assert_string_equal(
        text_run_hazard(&run, HAZARD_DEADLOCK, 5),
        "nothing can go on: MTE1 stands at line 5 (wait_flag) and waits for flag "
        "MTE2->MTE1 id 0; SCALAR stands at line 38 (load2d) and waits for a place in "
        "the queue of MTE1");
    assert_int_equal(run.result.hazard_count, 1);
    text_run_deinit(&run);
}

/* 1,100 flags with ids that no product has, then a wait for ever. */
static void test_no_kind_of_hazard_is_lost_whatever_was_found_before(void **state)
{
    (void)state;
    static char text[128 * 1024];
    size_t used = (size_t)snprintf(text, sizeof text, "%s", HEAD("atlas-a2"));
    for (int i = 0; i < 550; i++)
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "set_flag src=MTE2 dst=MTE1 id=%d\n"
                                 "wait_flag src=MTE2 dst=MTE1 id=%d\n",
                                 100 + i, 100 + i);
    snprintf(text + used, sizeof text - used, "%s", WAIT("MTE2", "MTE1", "0"));
    struct text_run run;
    text_run_init(&run, text);
    assert_int_equal(run.result.hazards_kept, RUN_HAZARDS_MAX);
    assert_int_equal(run.result.hazard_count, 1100 + 2);
    text_run_hazard(&run, HAZARD_DEADLOCK, 1103);
    assert_int_equal(text_run_count(&run, HAZARD_FLAG_UNSET), 1);
    for (uint32_t i = 0; i < RUN_HAZARDS_MAX - 2; i++) { /* in the order in which they were found */
        assert_int_equal(run.result.hazards[i].kind, HAZARD_FLAG_ID);
        assert_int_equal(run.result.hazards[i].line, 3 + i);
    }
    text_run_deinit(&run);
}

/* 1,100 notes of blocks that are no whole fractals, then a flag that is left. */
static void test_a_hazard_is_kept_however_many_notes_were_told(void **state)
{
    (void)state;
    static char text[256 * 1024];
    size_t used =
        (size_t)snprintf(text, sizeof text,
                         ".product atlas-a2\n.gm x fp16 [1,64,16] = seed=1\n"
                         ".l1 a 0 2048\n.l0a l 0 1024\n.core 0\n"
                         "data_copy dst=a src=x blockCount=1 blockLen=64\n" SET("MTE2", "MTE1", "0")
                             WAIT("MTE2", "MTE1", "0"));
    for (int i = 0; i < 1100; i++)
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "load3dv2 dst=l src=a l1H=1 l1W=64 channelSize=16 mExtension=17 "
                                 "kExtension=16 filterW=1 filterH=1\n");
    snprintf(text + used, sizeof text - used, "%s", SET("MTE1", "CUBE", "1"));
    struct text_run run;
    text_run_init(&run, text);
    assert_int_equal(run.result.notes_kept, RUN_NOTES_MAX);
    assert_true(run.result.note_count > RUN_NOTES_MAX);
    assert_int_equal(run.result.hazard_count, 1);
    text_run_hazard(&run, HAZARD_FLAG_LEFT, 1109);
    text_run_deinit(&run);
}

static void test_scalar_can_stand_for_ever(void **state)
{
    (void)state;
    assert_hazard(HEAD("atlas-a2") WAIT("MTE2", "SCALAR", "0") SET("MTE2", "SCALAR", "0"),
                  HAZARD_DEADLOCK, 3,
                  "nothing can go on: SCALAR stands at line 3 (wait_flag) and waits for flag "
                  "MTE2->SCALAR id 0");
}

/* ---- unit flags ---- */

#define UNIT(major, m, n, stride, layout)                                                          \
    ".product ascend-950pr\n"                                                                      \
    ".gm y fp32 [32,32]\n"                                                                         \
    ".l0a a0 0 1024\n"                                                                             \
    ".l0b b0 0 1024\n"                                                                             \
    ".l0c c0 0 4096\n"                                                                             \
    ".core 0\n" major "mmad dst=c0 a=a0 b=b0 m=" m " n=" n " k=16 unitFlag=3\n"                    \
    "fixpipe dst=y src=c0 mSize=" m " nSize=" n " srcStride=" stride                               \
    " dstStride=32 layout=" layout " unitFlag=3\n"

static void test_a_store_that_follows_mmad_across_is_a_note(void **state)
{
    (void)state;
    struct text_run run;
    text_run_init(&run, UNIT("set_mm_column_major\n", "32", "32", "32", "nz2nd"));
    assert_int_equal(run.result.notes_kept, 1);
    assert_string_equal(
        run.result.notes[0].message,
        "line 9 (fixpipe) takes blocks of L0C along N first and line 8 (mmad) makes "
        "them along M first; with unit flags expected set_mm_row_major before the "
        "mmad");
    text_run_deinit(&run);
    assert_notes(UNIT("set_mm_row_major\n", "32", "32", "32", "nz2nd"), 0);
    assert_notes(UNIT("set_mm_row_major\n", "32", "32", "32", "nz"), 1);
    assert_notes(UNIT("set_mm_column_major\n", "32", "32", "32", "nz"), 0);
}

static void test_one_row_or_column_of_fractals_has_no_direction(void **state)
{
    (void)state;
    assert_notes(UNIT("set_mm_column_major\n", "16", "32", "16", "nz2nd"), 0);
    assert_notes(UNIT("set_mm_column_major\n", "32", "16", "32", "nz2nd"), 0);
    assert_notes(UNIT("set_mm_column_major\n", "17", "17", "32", "nz2nd"), 1);
}

#define HALVES(mmad, first, second)                                                                \
    ".product atlas-a2\n"                                                                          \
    ".gm x fp16 [512] = seed=1\n"                                                                  \
    ".gm y fp32 [32,16]\n"                                                                         \
    ".l1 l 0 1024\n"                                                                               \
    ".l0a a 0 512\n"                                                                               \
    ".l0b b 0 512\n"                                                                               \
    ".l0c c 0 1024\n"                                                                              \
    ".core 0\n"                                                                                    \
    "data_copy dst=l src=x blockCount=1 blockLen=32\n" SET("MTE2", "MTE1", "0") WAIT(              \
        "MTE2", "MTE1", "0") "load2d dst=a src=l repeatTimes=1\n"                                  \
                             "load2d dst=b src=l+512 repeatTimes=1\n" SET("MTE1", "CUBE", "0")     \
                                 WAIT("MTE1", "CUBE",                                              \
                                      "0") "set_mm_row_major\n"                                    \
                                           "mmad dst=c a=a b=b n=16 k=16 m=" mmad "\n"             \
                                           "fixpipe dst=y src=c nSize=16 srcStride=16 "            \
                                           "dstStride=16 layout=nz2nd mSize=" first "\n"           \
                                           "fixpipe dst=y+512 src=c+512 nSize=16 srcStride=16 "    \
                                           "dstStride=16 layout=nz2nd mSize=" second "\n"

static void test_halves_of_a_fractal_are_handed_back_apart(void **state)
{
    (void)state;
    assert_count(HALVES("16 unitFlag=3", "8 unitFlag=3", "8 unitFlag=3"), 0);
    assert_count(
        HALVES(
            "16 unitFlag=3", "8 unitFlag=2",
            "8 unitFlag=3") "fixpipe dst=y+1024 src=c "
                            "nSize=16 srcStride=16 dstStride=16 layout=nz2nd mSize=8 unitFlag=3\n",
        0);
}

static void test_unit_flags_that_are_left_set_name_their_mmad(void **state)
{
    (void)state;
    assert_hazard(HALVES("16 unitFlag=3", "8 unitFlag=3", "8 unitFlag=2"), HAZARD_FLAG_LEFT, 17,
                  "line 17 (mmad) leaves unit flags set, 1 in all, the first that of bytes "
                  "512..1023 of l0c; expected a fixpipe with unitFlag=3 that takes them");
    assert_hazard(HALVES("16 unitFlag=3", "8 unitFlag=2", "8 unitFlag=2"), HAZARD_FLAG_LEFT, 17,
                  "line 17 (mmad) leaves unit flags set, 2 in all, the first that of bytes "
                  "0..511 of l0c; expected a fixpipe with unitFlag=3 that takes them");
    assert_hazard(HALVES("9 unitFlag=3", "8 unitFlag=3", "1 unitFlag=2"), HAZARD_FLAG_LEFT, 17,
                  "line 17 (mmad) leaves unit flags set, 1 in all, the first that of bytes "
                  "512..1023 of l0c; expected a fixpipe with unitFlag=3 that takes them");
}

/* The store stands for ever at the second half, which Mmad has not made. */
static void test_unit_flags_behind_a_deadlock_are_not_called_left(void **state)
{
    (void)state;
    struct text_run run;
    text_run_init(&run, HALVES("8 unitFlag=3", "16 unitFlag=3", "8 unitFlag=3"));
    assert_true(run.result.deadlocked);
    assert_int_equal(text_run_count(&run, HAZARD_FLAG_LEFT), 0);
    text_run_deinit(&run);
}

static void test_order_goes_on_along_unit_flags(void **state)
{
    (void)state;
    /* FIXP takes what CUBE made, so CUBE has read a; then back from FIXP to CUBE. */
    assert_count(HALVES("16 unitFlag=3", "8 unitFlag=3", "8 unitFlag=3") SET("FIXP", "MTE1", "0")
                     WAIT("FIXP", "MTE1", "0") "load2d dst=a src=l repeatTimes=1\n",
                 0);
    assert_count(HALVES("16 unitFlag=3", "8 unitFlag=3",
                        "8 unitFlag=3") "mmad dst=c a=a b=b n=16 k=16 m=16 unitFlag=2\n" SET("CUBE",
                                                                                             "MTE2",
                                                                                             "0")
                     WAIT("CUBE", "MTE2", "0") "data_copy dst=l src=y blockCount=1 blockLen=1\n",
                 0);
    struct text_run run;
    text_run_init(&run, HALVES("16 unitFlag=3", "8 unitFlag=3",
                               "8 unitFlag=3") "load2d dst=a src=l repeatTimes=1\n");
    text_run_hazard(&run, HAZARD_RACE, 20);
    text_run_deinit(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_wait_may_stand_before_its_set),
        cmocka_unit_test(test_a_wait_that_nothing_sets_is_told),
        cmocka_unit_test(test_a_wait_whose_set_stands_behind_another_is_not_called_unset),
        cmocka_unit_test(test_a_flag_set_twice_names_both_lines),
        cmocka_unit_test(test_a_set_behind_its_wait_is_clean_wherever_the_lines_stand),
        cmocka_unit_test(test_a_set_that_is_certain_to_come_before_its_wait_is_told_behind_it),
        cmocka_unit_test(test_a_wait_of_scalar_comes_before_what_it_dispatches_later),
        cmocka_unit_test(test_a_flag_is_not_set_twice_behind_a_deadlock),
        cmocka_unit_test(test_other_ids_and_pairs_are_other_flags),
        cmocka_unit_test(test_a_flag_that_is_left_set_is_told_with_its_counts),
        cmocka_unit_test(test_ids_end_where_the_product_ends),
        cmocka_unit_test(test_ids_of_the_vendor_are_a_note_and_no_hazard),
        cmocka_unit_test(test_a_flag_that_may_be_set_before_its_wait_has_passed_is_a_note),
        cmocka_unit_test(test_locks_that_alternate_are_clean),
        cmocka_unit_test(test_a_lock_of_what_its_pipe_holds_is_told_and_never_passes),
        cmocka_unit_test(test_an_unlock_of_what_its_pipe_does_not_hold_is_told_and_does_nothing),
        cmocka_unit_test(test_a_lock_that_is_never_given_back_is_told),
        cmocka_unit_test(test_a_deadlock_names_every_pipe_that_stands),
        cmocka_unit_test(test_time_alone_finds_the_same_deadlock),
        cmocka_unit_test(test_cores_stand_each_for_itself),
        cmocka_unit_test(test_a_full_queue_can_stand_for_ever_in_time_alone),
        cmocka_unit_test(test_no_kind_of_hazard_is_lost_whatever_was_found_before),
        cmocka_unit_test(test_a_hazard_is_kept_however_many_notes_were_told),
        cmocka_unit_test(test_scalar_can_stand_for_ever),
        cmocka_unit_test(test_a_store_that_follows_mmad_across_is_a_note),
        cmocka_unit_test(test_one_row_or_column_of_fractals_has_no_direction),
        cmocka_unit_test(test_halves_of_a_fractal_are_handed_back_apart),
        cmocka_unit_test(test_unit_flags_that_are_left_set_name_their_mmad),
        cmocka_unit_test(test_unit_flags_behind_a_deadlock_are_not_called_left),
        cmocka_unit_test(test_order_goes_on_along_unit_flags),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
