#include "model/run.h"

#include "model/lower.h"
#include "model/run_program.h"

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

static enum status run_verify(const struct plan *plan, const struct run_options *options,
                              struct run_result *result)
{
    struct tensor reference;
    struct arena work;
    arena_init(&work, 0);
    tensor_shape_output(&plan->conv, &reference);
    enum status status = tensor_take(&reference, &work);
    if (status == STATUS_OK)
        status = reference_conv(&plan->conv, plan->tile.k_l0, options->input, options->weight,
                                options->bias, &reference, &work);
    if (status == STATUS_OK) {
        result->comparison = reference_compare(&result->output, &reference);
        result->verified = true;
    }
    arena_deinit(&work);
    return status;
}

/* GM tensors in the product's formats. */
static enum status run_pack(const struct program *program, const struct plan *plan,
                            const struct run_options *options, struct memory *tensor,
                            struct arena *work)
{
    for (uint32_t i = 0; i < program->region_count; i++) {
        const struct region *region = &program->regions[i];
        if (region->space != SPACE_GM)
            continue;
        enum status status = memory_init(&tensor[i], region->size_bytes, i != REGION_OUTPUT, work);
        if (status != STATUS_OK)
            return status;
    }
    layout_input_pack(&plan->conv, options->input, tensor[REGION_INPUT].bytes);
    layout_weight_pack(&plan->conv, options->weight, tensor[REGION_WEIGHT].bytes);
    if (plan->conv.bias)
        layout_bias_pack(&plan->conv, options->bias, tensor[REGION_BIAS].bytes);
    if (plan->conv.quant.by_channel)
        layout_quant_pack(&plan->conv, tensor[lowered_quant_region(&plan->conv)].bytes);
    return STATUS_OK;
}

static enum status run_unpack(const struct plan *plan, const struct memory *output,
                              struct arena *arena, struct run_result *result)
{
    result->output_missing_bytes = memory_unwritten_bytes(output);
    /* A fixpipe leaves lanes alone that are no channels, a copy of whole blocks does not. */
    if (arch_has_fixpipe(plan->product->arch))
        result->output_missing_bytes -=
            layout_output_unwritten(&plan->conv) * element_bytes(plan->conv.out_dtype);
    tensor_shape_output(&plan->conv, &result->output);
    enum status status = tensor_take(&result->output, arena);
    if (status != STATUS_OK)
        return status;
    layout_output_unpack(&plan->conv, output->bytes, &result->output);
    result->has_output = true;
    return STATUS_OK;
}

static enum status run_lowered(const struct program *program, const struct plan *plan,
                               const struct run_options *options, struct arena *arena,
                               struct run_result *result)
{
    struct arena work;
    struct memory *tensor = NULL;
    enum status status = STATUS_OK;
    arena_init(&work, 0);
    if (!options->timing_only) {
        tensor = arena_take(&work, program->region_count, sizeof *tensor);
        status =
            tensor == NULL ? STATUS_NO_MEMORY : run_pack(program, plan, options, tensor, &work);
    }
    struct program_run run = {
        .program = program,
        .product = plan->product,
        .tensor = tensor,
        .with_range = options->with_range,
        .sink = options->sink,
        .steps = options->steps,
        .precedences = options->precedences,
        .sink_context = options->sink_context,
        .core0_only = options->core0_only,
        .unchecked = options->unchecked,
    };
    if (status == STATUS_OK)
        status = run_program(&run, arena, result);
    if (!result->deadlocked)
        result->macs = conv_macs(&plan->conv);
    if (status == STATUS_OK && tensor != NULL && !result->deadlocked)
        status = run_unpack(plan, &tensor[REGION_OUTPUT], arena, result);
    arena_deinit(&work);
    return status;
}

enum status run_plan(const struct plan *plan, const struct run_options *options,
                     struct arena *arena, struct diag *diag, struct run_result *result)
{
    struct program program;
    *result = (struct run_result){0};
    enum status status = lower_plan(plan, arena, diag, &program);
    if (status == STATUS_OK)
        status = run_lowered(&program, plan, options, arena, result);
    if (status == STATUS_OK && options->verify && result->has_output)
        status = run_verify(plan, options, result);
    return run_explain(status, result, diag);
}
