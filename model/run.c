#include "model/run.h"

#include <time.h>

#include "model/lower.h"
#include "model/run_bytes.h"
#include "model/run_time.h"

tick path_cycles(const struct path *path)
{
    tick cycles = 0;
    for (uint32_t pipe = 0; pipe < SIM_PIPES_MAX; pipe++)
        for (uint32_t part = 0; part < PATH_PART_COUNT; part++)
            cycles += path->part[pipe][part];
    for (uint32_t cause = 0; cause < CAUSE_COUNT; cause++)
        cycles += path->cause[cause];
    return cycles;
}

const char *path_bound(const struct path *path, double *share)
{
    static const char *const words[PIPE_COUNT] = {"scalar", "mte2",   "mte1", "cube",
                                                  "fixp",   "vector", "mte3"};
    const char *bound = "latency";
    tick most = path->cause[CAUSE_FLAG] + path->cause[CAUSE_BARRIER] + path->cause[CAUSE_UNIT_FLAG];
    for (uint32_t pipe = 0; pipe < PIPE_COUNT; pipe++)
        most += path->part[pipe][PATH_LATENCY];
    for (uint32_t pipe = 0; pipe < PIPE_COUNT; pipe++) {
        tick own = path->part[pipe][PATH_BUSY] + path->part[pipe][PATH_LINK];
        if (pipe == PIPE_SCALAR)
            own += path->cause[CAUSE_STARTUP] + path->cause[CAUSE_DISPATCH];
        if (own <= most)
            continue;
        most = own;
        bound = words[pipe];
    }
    tick all = path_cycles(path);
    if (share != NULL)
        *share = all > 0 ? (double)most / (double)all : 0.0;
    return bound;
}

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static double cycles_us(const struct product *product, tick cycles)
{
    double mhz = (double)product_value(product, PRODUCT_CHIP_CLOCK) / (double)QUANTITY_ONE;
    return (double)cycles / mhz;
}

static enum status run_l2(const struct plan *plan, const struct product *product,
                          const struct program *program, struct arena *arena, struct l2_plan *l2)
{
    struct l2_options options = {
        .size_bytes = product_whole(product, PRODUCT_L2_SIZE),
        .line_bytes = product_whole(product, PRODUCT_L2_LINE),
        .warm = plan->schedule.l2 == L2_WARM,
        .output_region = REGION_OUTPUT,
    };
    return l2_decide(program, &options, l2, arena);
}

/* The time with all numbers of the product at one end of their range. Sizes have no such ends, so
 * the split into hits and misses stays. */
static enum status run_range_end(const struct plan *plan, const struct program *program,
                                 const struct l2_plan *l2, bool faster, struct arena *arena,
                                 double *time_us)
{
    struct product *product = arena_take(arena, 1, sizeof *product);
    struct run_result *result = arena_take(arena, 1, sizeof *result);
    if (product == NULL || result == NULL)
        return STATUS_NO_MEMORY;
    product_at_range_end(plan->product, faster, product);
    struct time_options options = {.program = program, .product = product, .l2 = l2};
    enum status status = time_program(&options, arena, result);
    if (status == STATUS_OK)
        *time_us = cycles_us(product, result->cycles);
    return status;
}

static enum status run_range(const struct plan *plan, const struct program *program,
                             const struct l2_plan *l2, struct run_result *result)
{
    struct arena work;
    double fast = 0.0, slow = 0.0, nominal = cycles_us(plan->product, result->cycles);
    arena_init(&work, 0);
    enum status status = run_range_end(plan, program, l2, true, &work, &fast);
    if (status == STATUS_OK)
        status = run_range_end(plan, program, l2, false, &work, &slow);
    arena_deinit(&work);
    /* In-order pipes know anomalies: a faster part can, rarely, make a run slower. */
    result->range_us[0] = fast < nominal ? fast : nominal;
    result->range_us[1] = slow > nominal ? slow : nominal;
    return status;
}

static enum status run_verify(const struct plan *plan, const struct run_options *options,
                              struct run_result *result)
{
    struct tensor reference;
    struct arena work;
    arena_init(&work, 0);
    tensor_shape_output(&plan->conv, &reference);
    enum status status = tensor_take(&reference, &work);
    if (status == STATUS_OK)
        status = reference_conv(&plan->conv, options->input, options->weight, options->bias,
                                &reference, &work);
    if (status == STATUS_OK) {
        result->comparison = reference_compare(&result->output, &reference);
        result->verified = true;
    }
    arena_deinit(&work);
    return status;
}

static uint64_t tensor_bytes(const struct conv *conv)
{
    uint64_t bytes =
        layout_input_bytes(conv) + layout_weight_bytes(conv) + layout_output_bytes(conv);
    return bytes + (conv->bias ? layout_bias_bytes(conv) : 0);
}

/* Time: the nominal run with its observers, then the ends of the range. */
static enum status run_timing(const struct plan *plan, const struct program *program,
                              const struct run_options *options, struct arena *arena,
                              struct run_result *result)
{
    struct l2_plan l2 = {0};
    double started = seconds_now();
    enum status status = run_l2(plan, plan->product, program, arena, &l2);
    if (status == STATUS_OK) {
        result->gm_read_bytes = l2.read_bytes;
        result->gm_miss_bytes = l2.miss_bytes;
        result->gm_write_bytes = l2.write_bytes;
        struct time_options time = {
            .program = program,
            .product = plan->product,
            .l2 = &l2,
            .sink = options->sink,
            .sink_context = options->sink_context,
            .core0_only = options->core0_only,
        };
        status = time_program(&time, arena, result);
    }
    result->simulator_seconds = seconds_now() - started;
    result->range_us[0] = result->range_us[1] = cycles_us(plan->product, result->cycles);
    if (status == STATUS_OK && options->with_range)
        status = run_range(plan, program, &l2, result);
    l2_deinit(&l2);
    return status;
}

enum status run_plan(const struct plan *plan, const struct run_options *options,
                     struct arena *arena, struct diag *diag, struct run_result *result)
{
    struct program program;
    *result = (struct run_result){
        .macs = conv_macs(&plan->conv),
        .tensor_bytes = tensor_bytes(&plan->conv),
        .launch_us = product_launch_us(plan->product),
    };
    enum status status = lower_plan(plan, arena, diag, &program);
    if (status == STATUS_OK)
        status = run_timing(plan, &program, options, arena, result);
    if (status == STATUS_OK && !options->timing_only)
        status = run_bytes(&program, plan, options, arena, result);
    if (status == STATUS_OK && options->verify && !options->timing_only)
        status = run_verify(plan, options, result);
    if (status == STATUS_NO_MEMORY)
        return diag_add(diag, status, place_none(), "memory ran out");
    if (status == STATUS_LIMIT)
        return diag_add(diag, status, place_none(),
                        "the tensors take %llu bytes of GM and the program %llu instructions on a "
                        "core so far; expected less than 2^32 L2 lines and instructions",
                        (unsigned long long)result->tensor_bytes,
                        (unsigned long long)(result->instructions / plan->schedule.cores));
    return status;
}
