/*
 * Conflicting accesses that nothing orders, found in program texts: with both lines, whatever the
 * timing, and never where something orders them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/text_run.h"

enum { TEXT_MAX = 8192 };

/* Lines 1 to 10 of every text; y is stored row by row. */
#define HEAD(product)                                                                              \
    ".product " product "\n"                                                                       \
    ".gm x fp16 [16,16] = seed=1\n"                                                                \
    ".gm w fp16 [16,16] = seed=2\n"                                                                \
    ".gm y fp32 [16,16]\n"                                                                         \
    ".l1 a 0 512\n"                                                                                \
    ".l1 b 512 512\n"                                                                              \
    ".l0a a0 0 512\n"                                                                              \
    ".l0b b0 0 512\n"                                                                              \
    ".l0c c0 0 1024\n"                                                                             \
    ".core 0\n"
#define COPY_A                                                                                     \
    "nd2nz dst=a src=x ndNum=1 nValue=16 dValue=16 srcDValue=16 dstNzC0Stride=16 dstNzNStride=1\n"
#define COPY_B                                                                                     \
    "nd2nz dst=b src=w ndNum=1 nValue=16 dValue=16 srcDValue=16 dstNzC0Stride=16 dstNzNStride=1\n"
#define LOAD_A         "load2d dst=a0 src=a repeatTimes=1\n"
#define LOAD_B         "load2d dst=b0 src=b repeatTimes=1\n"
#define MMAD           "mmad dst=c0 a=a0 b=b0 m=16 n=16 k=16\n"
#define SET(from, to)  "set_flag src=" from " dst=" to " id=0\n"
#define WAIT(from, to) "wait_flag src=" from " dst=" to " id=0\n"
#define TELL(from, to) SET(from, to) WAIT(from, to)
#define STORE_AT(byte)                                                                             \
    "fixpipe dst=y+" byte " src=c0 mSize=16 nSize=16 srcStride=16 dstStride=16 layout=nz2nd\n"
#define STORE STORE_AT("0")

/* 11: copies, 13: flag, 15: loads, 17: flag, 19: Mmad, 20: flag, 22: store. */
static const char *const product = HEAD("atlas-a2") COPY_A COPY_B TELL("MTE2", "MTE1")
    LOAD_A LOAD_B TELL("MTE1", "CUBE") MMAD TELL("CUBE", "FIXP") STORE;

/* The text with a line commented out, in buffer. */
static const char *without(const char *text, uint32_t line, char buffer[TEXT_MAX])
{
    assert_true(strlen(text) < TEXT_MAX);
    strcpy(buffer, text);
    char *at = buffer;
    for (uint32_t i = 1; i < line; i++)
        at = strchr(at, '\n') + 1;
    *at = '#';
    return buffer;
}

static void assert_race(const char *text, uint32_t line, const char *message)
{
    struct text_run run;
    text_run_init(&run, text);
    assert_string_equal(text_run_hazard(&run, HAZARD_RACE, line), message);
    text_run_deinit(&run);
}

static void assert_races(const char *text, uint32_t races)
{
    struct text_run run;
    text_run_init(&run, text);
    if (races == 0)
        text_run_assert_clean(&run);
    assert_int_equal(text_run_count(&run, HAZARD_RACE), races);
    text_run_deinit(&run);
}

static void test_a_program_with_its_flags_is_clean(void **state)
{
    (void)state;
    assert_races(product, 0);
}

static void test_a_missing_wait_is_a_race_of_both_lines(void **state)
{
    (void)state;
    char text[TEXT_MAX];
    assert_race(without(product, 14, text), 15,
                "line 15 (load2d) and line 11 (nd2nz) are not ordered: the first reads, the second "
                "writes bytes 0..511 of l1 ('a'); expected set_flag src=MTE2 dst=MTE1 behind line "
                "11 (nd2nz) and its wait_flag before line 15 (load2d), or pipe_barrier pipe=ALL "
                "between them");
    assert_race(text, 16,
                "line 16 (load2d) and line 12 (nd2nz) are not ordered: the first reads, the second "
                "writes bytes 512..1023 of l1 ('b'); expected set_flag src=MTE2 dst=MTE1 behind "
                "line 12 (nd2nz) and its wait_flag before line 16 (load2d), or pipe_barrier "
                "pipe=ALL between them");
    assert_races(text, 2);
    assert_races(without(product, 18, text), 2);
    assert_races(without(product, 21, text), 1);
}

/* When the last copy was done, and when the last load began. */
struct harmless {
    tick copied, loaded;
};

static enum status harmless_row(void *context, const struct timeline_row *line)
{
    struct harmless *harmless = context;
    if (line->insn->opcode == OP_ND2NZ)
        harmless->copied = line->row->done;
    if (line->insn->opcode == OP_LOAD2D)
        harmless->loaded = line->row->start;
    return STATUS_OK;
}

/* MTE1 waits for a long store before it loads; by then the copy is over, but nothing says so. */
static void test_a_race_is_found_where_the_timing_was_harmless(void **state)
{
    (void)state;
    static const char *const text = HEAD("atlas-a2") COPY_A COPY_B TELL("MTE2", "MTE1")
        LOAD_A LOAD_B TELL("MTE1", "CUBE") MMAD TELL("CUBE", "FIXP") STORE TELL(
            "FIXP",
            "MTE1") "nd2nz dst=a src=w ndNum=1 nValue=16 dValue=16 srcDValue=16 dstNzC0Stride=16 "
                    "dstNzNStride=1\n" LOAD_A;
    struct harmless harmless = {0};
    struct text_run run;
    text_run_init_with(&run, text,
                       &(struct text_run_options){.sink = harmless_row, .sink_context = &harmless});
    assert_true(harmless.copied > 0 && harmless.copied < harmless.loaded);
    text_run_hazard(&run, HAZARD_RACE, 26);
    text_run_deinit(&run);
}

/* ---- what a flag of CUBE to MTE1 says ---- */

static const char *const reuse = HEAD("atlas-a2") COPY_A COPY_B TELL("MTE2", "MTE1")
    LOAD_A LOAD_B TELL("MTE1", "CUBE") MMAD TELL("CUBE", "MTE1") LOAD_A;

static void test_a_flag_to_mte1_frees_the_operands_of_mmad(void **state)
{
    (void)state;
    char text[TEXT_MAX];
    assert_races(reuse, 0);
    assert_races(without(reuse, 21, text), 1);
}

static void test_a_flag_to_mte1_says_nothing_about_the_results(void **state)
{
    (void)state;
    static const char *const round = HEAD("atlas-a2") COPY_A COPY_B TELL("MTE2", "MTE1")
        LOAD_A LOAD_B TELL("MTE1", "CUBE") MMAD TELL("CUBE", "MTE1") TELL("MTE1", "FIXP") STORE;
    static const char *const barrier =
        HEAD("atlas-a2") COPY_A COPY_B TELL("MTE2", "MTE1") LOAD_A LOAD_B TELL("MTE1", "CUBE") MMAD
        "pipe_barrier pipe=CUBE\n" TELL("CUBE", "MTE1") TELL("MTE1", "FIXP") STORE;
    assert_race(round, 24,
                "line 24 (fixpipe) and line 19 (mmad) are not ordered: the first reads, the second "
                "writes bytes 0..1023 of l0c ('c0'); expected set_flag src=CUBE dst=FIXP behind "
                "line 19 (mmad) and its wait_flag before line 24 (fixpipe), or pipe_barrier "
                "pipe=ALL between them");
    assert_races(barrier, 0);
}

/* ---- barriers, locks and the scalar unit ---- */

static void test_a_barrier_of_all_pipes_orders_everything(void **state)
{
    (void)state;
    assert_races(HEAD("atlas-a2") COPY_A COPY_B "pipe_barrier pipe=ALL\n" LOAD_A LOAD_B
                                                "pipe_barrier pipe=ALL\n" MMAD
                                                "pipe_barrier pipe=ALL\n" STORE,
                 0);
}

static void test_a_barrier_of_one_pipe_orders_no_other(void **state)
{
    (void)state;
    assert_races(HEAD("atlas-a2") COPY_A COPY_B "pipe_barrier pipe=MTE2\n" LOAD_A, 1);
}

#define LOCK(pipe, id)   "mutex_lock pipe=" pipe " id=" id "\n"
#define UNLOCK(pipe, id) "mutex_unlock pipe=" pipe " id=" id "\n"

static void test_an_unlock_and_the_next_lock_order_pipes(void **state)
{
    (void)state;
    static const char *const text = HEAD("ascend-950pr") LOCK("MTE2", "3")
        COPY_A COPY_B UNLOCK("MTE2", "3") LOCK("MTE1", "3") LOAD_A LOAD_B UNLOCK("MTE1", "3");
    char changed[TEXT_MAX];
    assert_races(text, 0);
    assert_races(HEAD("ascend-950pr") LOCK("MTE2", "3") COPY_A COPY_B UNLOCK("MTE2", "3")
                     LOCK("MTE1", "4") LOAD_A LOAD_B UNLOCK("MTE1", "4"),
                 2);
    struct text_run run;
    text_run_init(&run, without(text, 15, changed)); /* the lock of MTE1 */
    assert_int_equal(text_run_count(&run, HAZARD_RACE), 2);
    text_run_deinit(&run);
}

/* The lock of MTE1 is its turn only behind the unlock of MTE2, though MTE1 comes to it first. */
static void test_locks_take_turns_in_the_order_of_the_program(void **state)
{
    (void)state;
    assert_races(HEAD("ascend-950pr") LOCK("MTE2", "0") LOCK("MTE1", "0")
                     COPY_A COPY_B LOAD_A LOAD_B UNLOCK("MTE2", "0") UNLOCK("MTE1", "0"),
                 0);
}

static void test_what_scalar_dispatches_comes_behind_what_it_waited_for(void **state)
{
    (void)state;
    assert_races(HEAD("atlas-a2") COPY_A COPY_B TELL("MTE2", "SCALAR") LOAD_A LOAD_B, 0);
    assert_races(
        HEAD("atlas-a2") COPY_A COPY_B SET("MTE2", "MTE1") LOAD_A LOAD_B WAIT("MTE2", "MTE1"), 2);
}

/* ---- accumulation ---- */

#define TALL                                                                                       \
    ".product atlas-a2\n"                                                                          \
    ".gm x fp16 [160,16] = seed=1\n"                                                               \
    ".l1 a 0 5120\n"                                                                               \
    ".l0a a0 0 5120\n"                                                                             \
    ".l0b b0 0 512\n"                                                                              \
    ".l0c c0 0 10240\n"                                                                            \
    ".core 0\n"                                                                                    \
    "nd2nz dst=a src=x ndNum=1 nValue=160 dValue=16 srcDValue=16 dstNzC0Stride=160 "               \
    "dstNzNStride=1\n" TELL("MTE2", "MTE1") "load2d dst=a0 src=a repeatTimes=10\n"                 \
                                            "load2d dst=b0 src=a repeatTimes=1\n" TELL("MTE1",     \
                                                                                       "CUBE")
#define ADD(m) "mmad dst=c0 a=a0 b=b0 m=" m " n=16 k=16 cmatrixInitVal=0\n"

static void test_a_small_mmad_adds_to_the_one_before_only_behind_a_barrier(void **state)
{
    (void)state;
    assert_race(TALL "mmad dst=c0 a=a0 b=b0 m=144 n=16 k=16\n" ADD("144"), 16,
                "line 16 (mmad) and line 15 (mmad) are not ordered: the first reads, the second "
                "writes bytes 0..9215 of l0c ('c0'); expected pipe_barrier pipe=CUBE between them");
    assert_races(TALL "mmad dst=c0 a=a0 b=b0 m=144 n=16 k=16\n"
                      "pipe_barrier pipe=CUBE\n" ADD("144"),
                 0);
}

static void test_ten_fractals_are_enough_to_add_without_a_barrier(void **state)
{
    (void)state;
    assert_races(TALL "mmad dst=c0 a=a0 b=b0 m=145 n=16 k=16\n" ADD("145"), 0);
}

static void test_a_small_mmad_that_starts_anew_needs_no_barrier(void **state)
{
    (void)state;
    assert_races(TALL "mmad dst=c0 a=a0 b=b0 m=16 n=16 k=16\n"
                      "mmad dst=c0 a=a0 b=b0 m=16 n=16 k=16\n",
                 0);
}

/* ---- unit flags ---- */

#define FLAGGED(m, flag) "mmad dst=c0 a=a0 b=b0 m=" m " n=16 k=16 unitFlag=" flag "\n"
#define TAKE(from, m, flag)                                                                        \
    "fixpipe dst=y src=c0+" from " mSize=" m                                                       \
    " nSize=16 srcStride=160 dstStride=16 layout=nz2nd unitFlag=" flag "\n"

/* With a tensor to store to as line 2. */
static const char *tall_store(const char *tail, char text[TEXT_MAX])
{
    static const char *const first = ".product atlas-a2\n";
    snprintf(text, TEXT_MAX, "%s.gm y fp32 [160,16]\n%s%s", first, &TALL[strlen(first)], tail);
    return text;
}

static void test_unit_flags_order_mmad_and_store(void **state)
{
    (void)state;
    char text[TEXT_MAX];
    assert_races(tall_store(FLAGGED("160", "3") TAKE("0", "160", "3") FLAGGED("160", "3")
                                TAKE("0", "160", "3"),
                            text),
                 0);
    assert_races(tall_store(FLAGGED("160", "0") TAKE("0", "160", "0"), text), 1);
    assert_races(tall_store(FLAGGED("160", "3") TAKE("0", "160", "3") FLAGGED("160", "0"), text),
                 1);
}

static void test_unit_flags_are_handed_back_block_by_block(void **state)
{
    (void)state;
    char text[TEXT_MAX];
    struct text_run run;
    assert_races(tall_store(FLAGGED("160", "3") TAKE("0", "96", "3") TAKE("6144", "64", "3")
                                FLAGGED("160", "2"),
                            text),
                 0);
    text_run_init(&run,
                  tall_store(FLAGGED("160", "3") TAKE("0", "96", "3") FLAGGED("160", "2"), text));
    assert_true(run.result.deadlocked);
    assert_string_equal(text_run_hazard(&run, HAZARD_DEADLOCK, 18),
                        "nothing can go on: CUBE stands at line 18 (mmad) and waits for a fixpipe "
                        "to hand its blocks of L0C back");
    text_run_deinit(&run);
}

/* ---- GM ---- */

#define CORES(first, second)                                                                       \
    ".product atlas-a2\n"                                                                          \
    ".gm x fp16 [16,16] = seed=1\n"                                                                \
    ".gm y fp32 [32,16]\n"                                                                         \
    ".l1 a 0 512\n"                                                                                \
    ".l0a a0 0 512\n"                                                                              \
    ".l0b b0 0 512\n"                                                                              \
    ".l0c c0 0 1024\n"                                                                             \
    ".core 0\n" first ".core 1\n" second
#define MAKE                                                                                       \
    COPY_A TELL("MTE2", "MTE1") LOAD_A "load2d dst=b0 src=a repeatTimes=1\n" TELL("MTE1", "CUBE")  \
        MMAD TELL("CUBE", "FIXP")

static void test_cores_that_store_to_other_bytes_are_clean(void **state)
{
    (void)state;
    assert_races(CORES(MAKE STORE_AT("0"), MAKE STORE_AT("1024")), 0);
}

static void test_cores_that_store_to_the_same_bytes_race(void **state)
{
    (void)state;
    assert_race(
        CORES(MAKE STORE_AT("0"), MAKE STORE_AT("960")), 31,
        "line 31 (fixpipe) of core 1 and line 19 (fixpipe) of core 0 are not ordered: the "
        "first writes, the second writes bytes 960..1023 of gm ('y'); expected other bytes, "
        "as nothing orders cores");
}

static void test_a_core_that_reads_what_another_stores_races(void **state)
{
    (void)state;
    assert_races(CORES(MAKE STORE_AT("0"), "data_copy dst=a src=y blockCount=1 blockLen=1\n"), 1);
    assert_races(CORES("data_copy dst=a src=y blockCount=1 blockLen=1\n", MAKE STORE_AT("0")), 1);
}

static void test_a_load_of_what_was_stored_needs_a_flag(void **state)
{
    (void)state;
    assert_races(CORES(MAKE STORE_AT("0")
                           TELL("FIXP", "MTE2") "data_copy dst=a src=y blockCount=1 blockLen=1\n",
                       ""),
                 0);
    assert_races(CORES(MAKE STORE_AT("0")
                           TELL("MTE1", "MTE2") "data_copy dst=a src=y blockCount=1 blockLen=1\n",
                       ""),
                 1);
}

/* Two cores that store 64 bytes of L1 to y, which holds zeros: lines 5 to 9, and 11 to 15. */
#define STORES(first, second)                                                                      \
    ".product atlas-a2\n"                                                                          \
    ".gm x fp16 [16,16] = seed=1\n"                                                                \
    ".gm y fp32 [16,16] = zero\n"                                                                  \
    ".l1 a 0 512\n" COPY_A TELL("MTE2", "MTE3") first ".core 1\n" COPY_A TELL("MTE2", "MTE3")      \
        second
#define ADD_TO_Y "set_atomic_add type=fp32\ndata_copy dst=y src=a blockCount=1 blockLen=2\n"
#define PUT_TO_Y "set_atomic_none\ndata_copy dst=y src=a blockCount=1 blockLen=2\n"
#define GET_Y    "set_atomic_none\ndata_copy dst=a src=y blockCount=1 blockLen=1\n"

static void test_atomic_additions_do_not_race_with_each_other(void **state)
{
    (void)state;
    assert_races(STORES(ADD_TO_Y, ADD_TO_Y), 0);
    assert_races(STORES(ADD_TO_Y, PUT_TO_Y), 1);
    assert_races(STORES(PUT_TO_Y, ADD_TO_Y), 1);
    assert_races(STORES(GET_Y, ADD_TO_Y), 1);
    assert_race(
        STORES(ADD_TO_Y, GET_Y), 15,
        "line 15 (data_copy) of core 1 and line 9 (data_copy) of core 0 are not ordered: "
        "the first reads, the second adds to bytes 0..31 of gm ('y'); expected other bytes, "
        "as nothing orders cores");
}

static void test_an_addition_hides_neither_reads_nor_additions_before_it(void **state)
{
    (void)state;
    assert_races(STORES(GET_Y TELL("MTE2", "MTE3") ADD_TO_Y, ADD_TO_Y), 1);
    assert_races(STORES(ADD_TO_Y TELL("MTE3", "MTE2") GET_Y, GET_Y), 1);
    assert_races(STORES(ADD_TO_Y TELL("MTE3", "MTE2") GET_Y, "set_atomic_none\n"), 0);
}

/* On chip an addition reads like any other store. */
static void test_what_an_addition_adds_may_not_be_overwritten_before(void **state)
{
    (void)state;
    assert_race(STORES(ADD_TO_Y COPY_A, ""), 10,
                "line 10 (nd2nz) and line 9 (data_copy) are not ordered: the first writes, the "
                "second reads bytes 0..63 of l1 ('a'); expected set_flag src=MTE3 dst=MTE2 behind "
                "line 9 (data_copy) and its wait_flag before line 10 (nd2nz), or pipe_barrier "
                "pipe=ALL between them");
    assert_races(STORES(ADD_TO_Y TELL("MTE3", "MTE2") COPY_A, ""), 0);
    assert_races(STORES("set_atomic_add type=fp32\n" TELL("MTE3", "MTE2") COPY_A
                        "data_copy dst=y src=a blockCount=1 blockLen=2\n",
                        ""),
                 1);
}

/* ---- what is told ---- */

/* A load for each of 40 fractals, then one copy over all of them. */
static void test_an_instruction_races_with_every_one_before_it(void **state)
{
    (void)state;
    enum { LOADS = 40 };
    char text[TEXT_MAX], bytes[64];
    int used = snprintf(text, sizeof text,
                        ".product atlas-a2\n.gm x fp16 [%d,256] = seed=1\n.l1 a 0 20480\n"
                        ".l0a b 0 512\n.core 0\n"
                        "data_copy dst=a src=x blockCount=1 blockLen=640\n" TELL("MTE2", "MTE1"),
                        LOADS);
    for (int i = 0; i < LOADS; i++)
        used += snprintf(text + used, sizeof text - (size_t)used,
                         "load2d dst=b src=a+%d repeatTimes=1\n", 512 * i);
    snprintf(text + used, sizeof text - (size_t)used,
             "data_copy dst=a src=x blockCount=1 blockLen=640\n");
    struct text_run run;
    text_run_init(&run, text);
    assert_int_equal(run.result.hazard_count, LOADS);
    for (int i = 0; i < LOADS; i++) {
        const struct hazard_record *hazard = &run.result.hazards[i];
        assert_int_equal(hazard->line, 9 + LOADS);
        snprintf(bytes, sizeof bytes, "line %d (load2d) are not ordered: ", 9 + i);
        assert_non_null(strstr(hazard->message, bytes));
        snprintf(bytes, sizeof bytes, " reads bytes %d..%d of l1 ", 512 * i, 512 * i + 511);
        assert_non_null(strstr(hazard->message, bytes));
    }
    text_run_deinit(&run);
}

/* Both Mmads read what one load writes: a hazard for each pair of lines, whatever the bytes. */
static void test_a_pair_of_lines_is_told_once(void **state)
{
    (void)state;
    struct text_run run;
    text_run_init(&run, HEAD("atlas-a2") COPY_A COPY_B TELL("MTE2", "MTE1") LOAD_B LOAD_A MMAD
                  "mmad dst=c0+0 a=a0 b=b0 m=1 n=1 k=16\n");
    assert_int_equal(text_run_count(&run, HAZARD_RACE), 4);
    assert_int_equal(run.result.hazard_count, 4);
    text_run_deinit(&run);
}

static void test_nobody_looks_for_races_when_not_asked_to(void **state)
{
    (void)state;
    char text[TEXT_MAX];
    struct text_run checked, unchecked;
    text_run_init(&checked, without(product, 14, text));
    text_run_init_with(&unchecked, text, &(struct text_run_options){.unchecked = true});
    assert_int_equal(text_run_count(&unchecked, HAZARD_RACE), 0);
    assert_int_equal(text_run_count(&unchecked, HAZARD_FLAG_LEFT), 1);
    assert_int_equal(unchecked.result.cycles, checked.result.cycles);
    assert_memory_equal(unchecked.tensor[2].bytes, checked.tensor[2].bytes, 1024);
    text_run_deinit(&checked);
    text_run_deinit(&unchecked);
}

/* What only reads GM is not watched: the tensor that a program stores to is its first operand. */
static void test_the_destination_of_every_row_is_its_first_operand(void **state)
{
    (void)state;
    for (uint32_t opcode = 0; opcode < OP_COUNT; opcode++) {
        const struct insn_info *info = insn_info((enum opcode)opcode);
        for (size_t i = 1; i < info->operand_count; i++)
            assert_string_not_equal(info->operands[i].name, "dst");
        if (info->operand_count > 0)
            assert_string_equal(info->operands[0].name, "dst");
    }
}

static void test_a_tensor_that_is_stored_to_is_watched_from_the_start(void **state)
{
    (void)state;
    assert_race(HEAD("atlas-a2") "nd2nz dst=a src=y ndNum=1 nValue=8 dValue=16 srcDValue=16 "
                                 "dstNzC0Stride=8 dstNzNStride=1\n" STORE,
                12,
                "line 12 (fixpipe) and line 11 (nd2nz) are not ordered: the first writes, the "
                "second reads bytes 0..511 of gm ('y'); expected set_flag src=MTE2 dst=FIXP behind "
                "line 11 (nd2nz) and its wait_flag before line 12 (fixpipe), or pipe_barrier "
                "pipe=ALL between them");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_program_with_its_flags_is_clean),
        cmocka_unit_test(test_a_missing_wait_is_a_race_of_both_lines),
        cmocka_unit_test(test_a_race_is_found_where_the_timing_was_harmless),
        cmocka_unit_test(test_a_flag_to_mte1_frees_the_operands_of_mmad),
        cmocka_unit_test(test_a_flag_to_mte1_says_nothing_about_the_results),
        cmocka_unit_test(test_a_barrier_of_all_pipes_orders_everything),
        cmocka_unit_test(test_a_barrier_of_one_pipe_orders_no_other),
        cmocka_unit_test(test_an_unlock_and_the_next_lock_order_pipes),
        cmocka_unit_test(test_locks_take_turns_in_the_order_of_the_program),
        cmocka_unit_test(test_what_scalar_dispatches_comes_behind_what_it_waited_for),
        cmocka_unit_test(test_a_small_mmad_adds_to_the_one_before_only_behind_a_barrier),
        cmocka_unit_test(test_ten_fractals_are_enough_to_add_without_a_barrier),
        cmocka_unit_test(test_a_small_mmad_that_starts_anew_needs_no_barrier),
        cmocka_unit_test(test_unit_flags_order_mmad_and_store),
        cmocka_unit_test(test_unit_flags_are_handed_back_block_by_block),
        cmocka_unit_test(test_cores_that_store_to_other_bytes_are_clean),
        cmocka_unit_test(test_cores_that_store_to_the_same_bytes_race),
        cmocka_unit_test(test_a_core_that_reads_what_another_stores_races),
        cmocka_unit_test(test_a_load_of_what_was_stored_needs_a_flag),
        cmocka_unit_test(test_atomic_additions_do_not_race_with_each_other),
        cmocka_unit_test(test_an_addition_hides_neither_reads_nor_additions_before_it),
        cmocka_unit_test(test_what_an_addition_adds_may_not_be_overwritten_before),
        cmocka_unit_test(test_an_instruction_races_with_every_one_before_it),
        cmocka_unit_test(test_a_pair_of_lines_is_told_once),
        cmocka_unit_test(test_nobody_looks_for_races_when_not_asked_to),
        cmocka_unit_test(test_the_destination_of_every_row_is_its_first_operand),
        cmocka_unit_test(test_a_tensor_that_is_stored_to_is_watched_from_the_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
