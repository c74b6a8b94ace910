/* How a plan is completed: tiles, schedule, slots, cores. */
#include "tests/unit/tile_fixture.h"

#include "model/tile_space.h"
#include "model/tile_traffic.h"

#define CONV_56                                                                                    \
    "conv:\n  input: [16, 64, 56, 56]\n  weight: [64, 64, 3, 3]\n  padding: [1, 1, 1, 1]\n"        \
    "  dtype: fp16\n  bias: true\n"
#define TILES_56                                                                                   \
    "tile_l1: {tileHin: 3, tileHout: 1, tileWin: 56, tileWout: 64, tileCinFmap: 64,\n"             \
    "  tileCinWeight: 64, tileN: 64, tileBatch: 1}\n"                                              \
    "tile_l0: {tileH: 1, tileW: 64, tileK: 64, tileN: 64}\n"
#define LINEAR_56                                                                                  \
    "tile: {mAL1: 448, mL0: 224, nBL1: 64, kAL1: 576, kBL1: 576, kL0: 48, nL0: 64%s}\n"

static enum status resolve(struct tile_bench *bench)
{
    return plan_resolve(&bench->plan, &bench->product, &bench->arena, &bench->diag);
}

static void resolve_ok(struct tile_bench *bench)
{
    if (resolve(bench) != STATUS_OK)
        fail_msg("%s", diag_text(&bench->diag, 0));
}

static void assert_buffers(const struct plan *plan, uint64_t l1a, uint64_t l1b, uint64_t l0a,
                           uint64_t l0b, uint64_t l0c)
{
    const uint64_t *buffers = plan->schedule.buffers;

    assert_int_equal(buffers[BUFFER_L1A], l1a);
    assert_int_equal(buffers[BUFFER_L1B], l1b);
    assert_int_equal(buffers[BUFFER_L0A], l0a);
    assert_int_equal(buffers[BUFFER_L0B], l0b);
    assert_int_equal(buffers[BUFFER_L0C], l0c);
}

static bool has_note(const struct plan *plan, const char *part)
{
    for (uint32_t i = 0; i < plan->note_count; i++)
        if (strstr(plan->notes[i], part) != NULL)
            return true;
    return false;
}

static void assert_problem(struct tile_bench *bench, enum status status, const char *part,
                           uint32_t line)
{
    assert_int_equal(resolve(bench), status);
    assert_int_equal(bench->diag.count, 1);
    if (strstr(bench->diag.problems[0].message, part) == NULL)
        fail_msg("'%s' has no '%s'", bench->diag.problems[0].message, part);
    assert_int_equal(bench->diag.problems[0].place.line, line);
}

static void a_pypto_plan_gets_the_schedule_of_pypto(void **state)
{
    struct tile_bench bench;

    (void)state;
    bench_parse(&bench, "product: atlas-a2\n" CONV_56 TILES_56);
    resolve_ok(&bench);
    const struct plan *plan = &bench.plan;
    assert_int_equal(plan->schedule.policy, POLICY_PYPTO);
    assert_int_equal(plan->schedule.order, ORDER_M_FIRST);
    assert_int_equal(plan->schedule.residency, RESIDENCY_RELOAD);
    assert_int_equal(plan->schedule.fixpipe, FIXPIPE_ROW);
    assert_int_equal(plan->schedule.l2, L2_COLD);
    assert_false(plan->schedule.unit_flag);
    assert_buffers(plan, 2, 2, 2, 2, 1);
    assert_int_equal(plan->schedule.cores, 24);
    assert_int_equal(plan->schedule.split[SPLIT_BATCH], 8);
    assert_int_equal(plan->schedule.split[SPLIT_M], 3);
    assert_false(plan->tile.linear_m);
    assert_int_equal(plan->tile.w_l1, 64);
    assert_int_equal(plan->tile.k_a, 576);
    assert_false(plan->tile_derived);
    assert_int_equal(plan->note_count, 0);
    bench_deinit(&bench);
}

static void a_vendor_plan_gets_the_schedule_of_the_vendor(void **state)
{
    struct tile_bench bench;
    char text[1024];

    (void)state;
    snprintf(text, sizeof text, "product: atlas-a2\n" CONV_56 LINEAR_56, ", iterateMNOrder: 1");
    bench_parse(&bench, text);
    resolve_ok(&bench);
    const struct plan *plan = &bench.plan;
    assert_int_equal(plan->schedule.policy, POLICY_VENDOR);
    assert_int_equal(plan->schedule.order, ORDER_N_FIRST);
    assert_int_equal(plan->schedule.residency, RESIDENCY_PREFETCH);
    assert_int_equal(plan->schedule.fixpipe, FIXPIPE_TILE);
    assert_false(plan->schedule.unit_flag);
    assert_true(plan->tile.linear_m);
    assert_int_equal(plan->tile.m_l1, 448);
    assert_int_equal(plan->tile.m_l0, 224);
    assert_buffers(plan, 2, 2, 2, 2, 2);
    bench_deinit(&bench);
    snprintf(text, sizeof text, "product: ascend950pr_9589\n" CONV_56 LINEAR_56, "");
    bench_parse(&bench, text);
    resolve_ok(&bench);
    assert_true(bench.plan.schedule.unit_flag);
    assert_int_equal(bench.plan.schedule.order, ORDER_M_FIRST);
    bench_deinit(&bench);
}

static void a_written_policy_and_written_words_win(void **state)
{
    struct tile_bench bench;

    (void)state;
    bench_parse(&bench, "product: atlas-a2\n" CONV_56 TILES_56
                        "schedule: {policy: vendor, residency: keep, l0c_buffers: 1, "
                        "unit_flag: true, order: n_first, l2: warm, cores: 5}\n");
    resolve_ok(&bench);
    const struct plan *plan = &bench.plan;
    assert_int_equal(plan->schedule.policy, POLICY_VENDOR);
    assert_int_equal(plan->schedule.residency, RESIDENCY_KEEP);
    assert_int_equal(plan->schedule.order, ORDER_N_FIRST);
    assert_int_equal(plan->schedule.fixpipe, FIXPIPE_TILE);
    assert_int_equal(plan->schedule.l2, L2_WARM);
    assert_true(plan->schedule.unit_flag);
    assert_buffers(plan, 2, 2, 2, 2, 1);
    assert_true(plan->schedule.cores <= 5);
    bench_deinit(&bench);
}

static void the_flag_of_the_vendor_sets_the_slots(void **state)
{
    struct tile_bench bench;
    char text[1024];

    (void)state;
    snprintf(text, sizeof text, "product: atlas-a2\n" CONV_56 LINEAR_56, ", pBufferFlag: 17");
    bench_parse(&bench, text);
    resolve_ok(&bench);
    assert_buffers(&bench.plan, 1, 2, 2, 1, 1);
    bench_deinit(&bench);
}

/* A tile that fills more than half of L0A: 64 x 288 x 2 = 36,864 B. */
#define TILES_K288                                                                                 \
    "tile_l1: {tileHin: 3, tileHout: 1, tileWin: 56, tileWout: 64, tileCinFmap: 64,\n"             \
    "  tileCinWeight: 64, tileN: 64, tileBatch: 1}\n"                                              \
    "tile_l0: {tileH: 1, tileW: 64, tileK: 288, tileN: 16}\n"

static void default_slots_that_do_not_fit_become_one_and_say_so(void **state)
{
    struct tile_bench bench;

    (void)state;
    bench_parse(&bench, "product: atlas-a2\n" CONV_56 TILES_K288);
    resolve_ok(&bench);
    assert_buffers(&bench.plan, 2, 2, 1, 2, 1);
    assert_true(has_note(&bench.plan, "L0A: one slot; two of 36,864 B need 73,728 B of 65,536"));
    bench_deinit(&bench);
}

static void written_slots_that_do_not_fit_are_broken_at_their_place(void **state)
{
    struct tile_bench bench;

    (void)state;
    bench_parse(&bench, "product: atlas-a2\n" CONV_56 TILES_K288
                        "schedule:\n  l0b_buffers: 2\n  l0a_buffers: 2\n");
    assert_problem(&bench, STATUS_BROKEN,
                   "2 slots of 36,864 B need 73,728 B of L0A; it has 65,536 B, 8,192 too few", 13);
    bench_deinit(&bench);
}

/* A of 3 x 56 x 64 x 2 = 21,504 B and B of 73,728 B in an L1 of a chosen size. */
static void in_a_small_l1(const char *size, const char *schedule, uint64_t a, uint64_t b,
                          bool noted)
{
    struct tile_bench bench;
    char text[1024];

    snprintf(text, sizeof text, "product: atlas-a2\n" CONV_56 TILES_56 "%s", schedule);
    bench_parse(&bench, text);
    bench_set(&bench, size);
    resolve_ok(&bench);
    assert_int_equal(bench.plan.schedule.buffers[BUFFER_L1A], a);
    assert_int_equal(bench.plan.schedule.buffers[BUFFER_L1B], b);
    assert_int_equal(has_note(&bench.plan, "L1: "), noted);
    bench_deinit(&bench);
}

static void in_l1_the_larger_operand_keeps_two_slots_while_one_can(void **state)
{
    (void)state;
    /* Bias: 256 B. Two of both need 190,720 B, two of B 169,216 B, two of A 116,992 B. */
    in_a_small_l1("l1.size=190720 B", "", 2, 2, false);
    in_a_small_l1("l1.size=190719 B", "", 1, 2, true);
    in_a_small_l1("l1.size=169216 B", "", 1, 2, true);
    in_a_small_l1("l1.size=169215 B", "", 2, 1, true);
    in_a_small_l1("l1.size=116992 B", "", 2, 1, true);
    in_a_small_l1("l1.size=116991 B", "", 1, 1, true);
    in_a_small_l1("l1.size=116992 B", "schedule: {l1a_buffers: 2}\n", 2, 1, true);
    in_a_small_l1("l1.size=190720 B", "schedule: {l1b_buffers: 1}\n", 2, 1, false);
}

static void reserved_bytes_take_slots_away(void **state)
{
    struct tile_bench bench;

    (void)state;
    bench_parse(&bench, "product: atlas-a2\n" CONV_56 TILES_56);
    bench_set(&bench, "l1.size=190976 B");
    bench_set(&bench, "l1.reserved_bytes=257 B");
    resolve_ok(&bench);
    assert_int_equal(bench.plan.schedule.buffers[BUFFER_L1A], 1);
    bench_deinit(&bench);
}

static void a_plan_that_breaks_a_rule_is_not_completed(void **state)
{
    struct tile_bench bench;

    (void)state;
    bench_parse(&bench, "product: atlas-a2\n" CONV_56
                        "tile_l1: {tileHin: 3, tileHout: 1, tileWin: 56, tileWout: 64,\n"
                        "  tileCinFmap: 64, tileCinWeight: 64, tileN: 64, tileBatch: 1}\n"
                        "tile_l0: {tileH: 1, tileW: 64, tileK: 80, tileN: 64}\n");
    assert_problem(&bench, STATUS_BROKEN, "rule 20: tileK divides kAL1; tileK divides kBL1", 10);
    bench_deinit(&bench);
}

static void what_hardware_needs_stops_a_plan_that_pypto_accepts(void **state)
{
    struct tile_bench bench;

    (void)state;
    bench_parse(&bench,
                "product: atlas-a2\nconv:\n  input: [1, 16, 1, 16]\n  weight: [512, 16, 1, 1]\n"
                "  dtype: fp16\n  bias: true\n"
                "tile_l1: {tileHin: 1, tileHout: 1, tileWin: 16, tileWout: 16, tileCinFmap: 16,\n"
                "  tileCinWeight: 16, tileN: 512, tileBatch: 1}\n"
                "tile_l0: {tileH: 1, tileW: 16, tileK: 16, tileN: 512}\n");
    assert_problem(&bench, STATUS_BROKEN, "rule R5", 9);
    bench_deinit(&bench);
}

static void missing_tiles_are_derived_and_noted(void **state)
{
    struct tile_bench bench;

    (void)state;
    bench_parse(&bench, "product: atlas-a2\n" CONV_56);
    resolve_ok(&bench);
    const struct plan *plan = &bench.plan;
    assert_true(plan->tile_derived && plan->has_l0);
    assert_int_equal(plan->form, TILE_PYPTO);
    /* Wout is no multiple of 16: one row; 64 columns and 64 channels fetch the fewest bytes, and
     * 192 is the largest divisor of 576 that fits twice into L0A and L0B. */
    assert_int_equal(plan->l1.hin, 3);
    assert_int_equal(plan->l1.hout, 1);
    assert_int_equal(plan->l1.win, 56);
    assert_int_equal(plan->l1.wout, 64);
    assert_int_equal(plan->l1.cin_fmap, 64);
    assert_int_equal(plan->l1.cin_weight, 64);
    assert_int_equal(plan->l1.n, 64);
    assert_int_equal(plan->l0.h, 1);
    assert_int_equal(plan->l0.w, 64);
    assert_int_equal(plan->l0.k, 192);
    assert_int_equal(plan->l0.n, 64);
    assert_buffers(plan, 2, 2, 2, 2, 1);
    assert_true(has_note(plan,
                         "derived: tile_l1: {tileHin: 3, tileHout: 1, tileWin: 56, tileWout: 64, "
                         "tileCinFmap: 64, tileCinWeight: 64, tileN: 64, tileBatch: 1}"));
    assert_true(has_note(plan, "derived: tile_l0: {tileH: 1, tileW: 64, tileK: 192, tileN: 64}"));
    bench_check(&bench, RULES_STRICT);
    assert_true(bench.report.legal);
    bench_deinit(&bench);
}

static void an_l0_tile_is_derived_under_a_given_l1_tile(void **state)
{
    struct tile_bench bench;

    (void)state;
    bench_parse(&bench, "product: atlas-a2\n" CONV_56
                        "tile_l1: {tileHin: 3, tileHout: 1, tileWin: 56, tileWout: 48,\n"
                        "  tileCinFmap: 32, tileCinWeight: 16, tileN: 32, tileBatch: 1}\n");
    resolve_ok(&bench);
    assert_true(bench.plan.tile_derived);
    assert_int_equal(bench.plan.l1.wout, 48);
    assert_int_equal(bench.plan.l0.w, 48);
    assert_int_equal(bench.plan.l0.n, 32);
    /* It divides 288 and 144. */
    assert_int_equal(bench.plan.l0.k, 144);
    bench_deinit(&bench);
}

static uint64_t traffic(const struct plan *plan)
{
    struct tile_axis height;
    struct tile_axis width;

    tile_axis_cut(&plan->conv, AXIS_H, plan->l1.hout, &height);
    tile_axis_cut(&plan->conv, AXIS_W, plan->l1.wout, &width);
    return tile_traffic_bytes(&plan->conv, &height, &width, &plan->l1, &plan->l0);
}

/* Less room never saves traffic, and more never costs any. */
static void traffic_rises_when_l1_and_l0_shrink(void **state)
{
    static const char *const sizes[] = {"l1.size=512 KiB", "l1.size=128 KiB", "l1.size=64 KiB"};
    struct tile_bench bench;
    uint64_t bytes[3];

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        bench_init(&bench, A2_PRODUCT);
        bench.plan.conv = bench_conv(256, 64, 64, 256, 3, 1);
        bench_set(&bench, sizes[i]);
        resolve_ok(&bench);
        bytes[i] = traffic(&bench.plan);
        bench_deinit(&bench);
    }
    assert_true(bytes[0] <= bytes[1] && bytes[1] <= bytes[2]);
    assert_true(bytes[2] > bytes[0]);
    assert_true(bytes[0] >= 64 * 64 * 256 * 2 + 256 * 256 * 9 * 2);
}

static void a_tile_that_fits_only_once_is_still_derived(void **state)
{
    struct tile_bench bench;

    (void)state;
    bench_init(&bench, A2_PRODUCT);
    bench.plan.conv = bench_conv(16, 255, 255, 16, 55, 0);
    /* One chunk of A is 55 x 70 x 16 x 2 = 123,200 B, one of B 1,548,800 B: no L1 holds it. */
    assert_int_equal(resolve(&bench), STATUS_BROKEN);
    assert_non_null(strstr(bench.diag.problems[0].message, "rule R10"));
    bench_deinit(&bench);
    bench_init(&bench, A2_PRODUCT);
    bench.plan.conv = bench_conv(16, 60, 60, 16, 25, 0);
    /* B: 625 x 16 x 16 x 2 = 320,000 B, so one slot of it and two of A. */
    resolve_ok(&bench);
    assert_int_equal(bench.plan.schedule.buffers[BUFFER_L1B], 1);
    assert_int_equal(bench.plan.schedule.buffers[BUFFER_L1A], 2);
    bench_deinit(&bench);
}

/* Half of L0C for two slots of it, and all of L0A for a single one. */
static void written_buffers_steer_what_is_derived(void **state)
{
    static const char conv[] = "product: atlas-a2\nconv:\n  input: [1, 256, 64, 64]\n"
                               "  weight: [256, 256, 3, 3]\n  padding: [1, 1, 1, 1]\n"
                               "  dtype: fp16\n%s";
    struct tile_bench bench;
    char text[1024];
    uint64_t l0c[2];
    uint64_t l0a[2];

    (void)state;
    for (int i = 0; i < 2; i++) {
        snprintf(text, sizeof text, conv, i == 0 ? "" : "schedule: {l0c_buffers: 2}\n");
        bench_parse(&bench, text);
        resolve_ok(&bench);
        l0c[i] = tile_slot_bytes(&bench.plan.conv, &bench.plan.tile, BUFFER_L0C);
        assert_int_equal(bench.plan.schedule.buffers[BUFFER_L0C], i + 1);
        bench_deinit(&bench);
    }
    assert_true(l0c[0] > 65536 && l0c[1] <= 65536);
    for (int i = 0; i < 2; i++) {
        snprintf(text, sizeof text, conv,
                 i == 0 ? "" : "schedule: {l0a_buffers: 1, l0b_buffers: 1}\n");
        bench_parse(&bench, text);
        resolve_ok(&bench);
        l0a[i] = tile_slot_bytes(&bench.plan.conv, &bench.plan.tile, BUFFER_L0A);
        bench_deinit(&bench);
    }
    assert_true(l0a[0] <= 32768 && l0a[1] > 32768 && l0a[1] <= 65536);
}

/* The kernel of 625 points leaves room in L1 for one slot of B only. */
static void written_buffers_that_no_tile_fits_are_named(void **state)
{
    struct tile_bench bench;

    (void)state;
    bench_parse(&bench, "product: atlas-a2\nconv:\n  input: [1, 16, 60, 60]\n"
                        "  weight: [16, 16, 25, 25]\n  dtype: fp16\n"
                        "schedule: {l1b_buffers: 2}\n");
    assert_int_equal(resolve(&bench), STATUS_BROKEN);
    assert_int_equal(bench.diag.count, 1);
    assert_non_null(strstr(bench.diag.problems[0].message,
                           "rule R10: no legal tile has room for the slots that the schedule "
                           "asks for"));
    bench_deinit(&bench);
}

static void a_derived_tile_is_judged_as_derived(void **state)
{
    struct tile_bench bench;

    (void)state;
    bench_parse(&bench, "product: atlas-a2\n" CONV_56);
    resolve_ok(&bench);
    bench_check(&bench, RULES_PYPTO);
    assert_string_equal(bench_verdict(&bench, "R10")->numbers, "both derived");
    bench_deinit(&bench);
    bench_parse(&bench, "product: atlas-a2\n" CONV_56 TILES_56);
    resolve_ok(&bench);
    bench_check(&bench, RULES_PYPTO);
    assert_string_equal(bench_verdict(&bench, "R10")->numbers, "given");
    bench_deinit(&bench);
}

static void degenerate_layers_get_tiles(void **state)
{
    static const uint64_t shapes[][5] = {
        /* Cin, H, W, Cout, kernel */
        {1, 1, 1, 1, 1},          {3, 224, 224, 64, 7},
        {5, 17, 33, 19, 3},       {1, 8, 8, 1, 8},
        {2048, 7, 7, 1000, 1},    {100000, 1, 1, 1000000, 1},
        {16, 1000000, 3, 16, 3},  {16, 3, 1000000, 16, 3},
        {1000000, 64, 64, 16, 1}, {64, 1000000, 999984, 64, 3},
    };
    struct tile_bench bench;

    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        const uint64_t *s = shapes[i];
        bench_init(&bench, A2_PRODUCT);
        bench.plan.conv = bench_conv(s[0], s[1], s[2], s[3], s[4], s[4] / 2 < s[1] ? s[4] / 2 : 0);
        resolve_ok(&bench);
        bench_check(&bench, RULES_STRICT);
        assert_true(bench.report.legal);
        bench_deinit(&bench);
    }
}

/* Whatever room there is, Mmad takes 4,095 of M, N and K. */
static void larger_buffers_do_not_lead_beyond_the_fields_of_mmad(void **state)
{
    struct tile_bench bench;

    (void)state;
    bench_init(&bench, A2_PRODUCT);
    bench.plan.conv = bench_conv(8192, 256, 256, 8192, 1, 0);
    bench_set(&bench, "l1.size=1 GiB");
    bench_set(&bench, "l0a.size=256 MiB");
    bench_set(&bench, "l0b.size=256 MiB");
    bench_set(&bench, "l0c.size=256 MiB");
    resolve_ok(&bench);
    const struct tile_l0 *l0 = &bench.plan.l0;
    assert_true(l0->h * l0->w <= 4095 && l0->n <= 4095 && l0->k <= 4095);
    bench.plan.l0.n = 4096;
    bench.plan.l1.n = 4096;
    bench_check(&bench, RULES_PYPTO);
    assert_true(bench.report.legal);
    assert_false(bench_verdict(&bench, "R8")->ok);
    bench_deinit(&bench);
}

static void cores_beyond_the_product_or_the_work_are_refused(void **state)
{
    struct tile_bench bench;

    (void)state;
    bench_parse(&bench, "product: atlas-a2\n" CONV_56 TILES_56 "schedule: {cores: 25}\n");
    assert_problem(&bench, STATUS_BAD_INPUT, "found cores 25; expected 1 to 24", 11);
    bench_deinit(&bench);
    bench_parse(&bench, "product: atlas-a2\n" CONV_56 TILES_56 "schedule: {core_split: {n: 2}}\n");
    assert_problem(&bench, STATUS_BAD_INPUT, "found core_split n 2; expected 1 to 1, the N tiles",
                   11);
    bench_deinit(&bench);
    bench_parse(&bench, "product: atlas-a2\n" CONV_56 TILES_56
                        "schedule: {core_split: {batch: 16, m: 2}}\n");
    assert_problem(&bench, STATUS_BAD_INPUT, "a core_split over 32 cores; expected at most 24", 11);
    bench_deinit(&bench);
    bench_parse(&bench, "product: atlas-a2\n" CONV_56 TILES_56
                        "schedule: {core_split: {batch: 2, m: 5}}\n");
    resolve_ok(&bench);
    assert_int_equal(bench.plan.schedule.cores, 10);
    bench_deinit(&bench);
}

static void cores_without_work_are_not_used(void **state)
{
    struct tile_bench bench;

    (void)state;
    bench_init(&bench, A2_PRODUCT);
    bench.plan.conv = bench_conv(16, 1, 16, 16, 1, 0);
    resolve_ok(&bench);
    assert_int_equal(bench.plan.schedule.cores, 1);
    assert_true(has_note(&bench.plan, "1 of 24 cores are used"));
    bench_deinit(&bench);
}

static void unit_flags_need_a_fixpipe(void **state)
{
    struct tile_bench bench;

    (void)state;
    bench_parse(&bench, "product: ascend310p3\nconv:\n  input: [1, 16, 16, 16]\n"
                        "  weight: [16, 16, 1, 1]\n  dtype: fp16\n"
                        "schedule: {unit_flag: true}\n");
    assert_problem(&bench, STATUS_BAD_INPUT, "unit_flag true on ascend310p3", 6);
    bench_deinit(&bench);
}

#define SPLIT_PLAN                                                                                 \
    "product: ascend-950pr\nconv:\n  input: [1, 16, 16, 16]\n"                                     \
    "  weight: [16, 16, 1, 1]\n  dtype: fp16\n  out_dtype: fp32\n  input_format: nc1hwc0\n"

/* Planes of 8 channels are split from columns of 16, which Fixpipe does without unit flags. */
static void unit_flags_need_whole_columns(void **state)
{
    struct tile_bench bench;

    (void)state;
    bench_parse(&bench, SPLIT_PLAN "schedule: {unit_flag: true}\n");
    assert_problem(&bench, STATUS_BAD_INPUT, "unit_flag true with an output of fp32 in nc1hwc0", 8);
    bench_deinit(&bench);
    bench_parse(&bench, SPLIT_PLAN "schedule: {policy: vendor}\n");
    resolve_ok(&bench);
    assert_false(bench.plan.schedule.unit_flag);
    bench_deinit(&bench);
    bench_parse(&bench, "product: ascend-950pr\nconv: {input: [1, 16, 16, 16], weight: [16, 16, 1, "
                        "1], dtype: fp16, input_format: nc1hwc0}\nschedule: {policy: vendor}\n");
    resolve_ok(&bench);
    assert_true(bench.plan.schedule.unit_flag);
    bench_deinit(&bench);
}

static void vendor_k_over_depths_is_cut_to_one_depth_and_noted(void **state)
{
    struct tile_bench bench;

    (void)state;
    bench_parse(&bench,
                "product: atlas-a2\nconv:\n  input: [1, 64, 4, 16, 16]\n"
                "  weight: [64, 64, 3, 3, 3]\n  padding: [1, 1, 1, 1, 1, 1]\n  dtype: fp16\n"
                "tile: {mAL1: 256, mL0: 256, nBL1: 64, kAL1: 576, kBL1: 1728, kL0: 32, nL0: 64,\n"
                "  pBufferFlag: 11}\n");
    resolve_ok(&bench);
    assert_int_equal(bench.plan.tile.k_a, 576);
    assert_int_equal(bench.plan.tile.k_b, 576);
    assert_true(has_note(&bench.plan, "kBL1 1,728 is more than the K of one depth"));
    bench_deinit(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pypto_plan_gets_the_schedule_of_pypto),
        cmocka_unit_test(a_vendor_plan_gets_the_schedule_of_the_vendor),
        cmocka_unit_test(a_written_policy_and_written_words_win),
        cmocka_unit_test(the_flag_of_the_vendor_sets_the_slots),
        cmocka_unit_test(default_slots_that_do_not_fit_become_one_and_say_so),
        cmocka_unit_test(written_slots_that_do_not_fit_are_broken_at_their_place),
        cmocka_unit_test(in_l1_the_larger_operand_keeps_two_slots_while_one_can),
        cmocka_unit_test(reserved_bytes_take_slots_away),
        cmocka_unit_test(a_plan_that_breaks_a_rule_is_not_completed),
        cmocka_unit_test(what_hardware_needs_stops_a_plan_that_pypto_accepts),
        cmocka_unit_test(missing_tiles_are_derived_and_noted),
        cmocka_unit_test(an_l0_tile_is_derived_under_a_given_l1_tile),
        cmocka_unit_test(traffic_rises_when_l1_and_l0_shrink),
        cmocka_unit_test(a_tile_that_fits_only_once_is_still_derived),
        cmocka_unit_test(written_buffers_steer_what_is_derived),
        cmocka_unit_test(written_buffers_that_no_tile_fits_are_named),
        cmocka_unit_test(a_derived_tile_is_judged_as_derived),
        cmocka_unit_test(degenerate_layers_get_tiles),
        cmocka_unit_test(larger_buffers_do_not_lead_beyond_the_fields_of_mmad),
        cmocka_unit_test(cores_beyond_the_product_or_the_work_are_refused),
        cmocka_unit_test(cores_without_work_are_not_used),
        cmocka_unit_test(unit_flags_need_a_fixpipe),
        cmocka_unit_test(unit_flags_need_whole_columns),
        cmocka_unit_test(vendor_k_over_depths_is_cut_to_one_depth_and_noted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
