#include "model/lower.h"

#include <assert.h>

#include "model/conversion.h"
#include "model/layout.h"
#include "model/lower_stream.h"
#include "model/tensor.h"
#include "model/tile_rules.h"

enum { REGIONS_MAX = 24, MMAD_MAX = 4095, ND_VALUE_MAX = 65535, NZ_STRIDE_MAX = 16384 };

uint32_t lowered_quant_region(const struct conv *conv)
{
    return conv->bias ? REGION_BIAS + 1 : REGION_BIAS;
}

static uint32_t region_add(struct program *program, const char *name, enum space space,
                           uint64_t base, uint64_t size)
{
    assert(program->region_count < REGIONS_MAX);
    program->regions[program->region_count] = (struct region){
        .name = name,
        .space = space,
        .base_bytes = base,
        .size_bytes = size,
    };
    return program->region_count++;
}

static void region_tensor(struct program *program, const char *name, uint64_t *gm, uint64_t size,
                          enum element element)
{
    uint32_t index = region_add(program, name, SPACE_GM, *gm, size);
    program->regions[index].element = element;
    *gm = align_up(*gm + size, GM_ALIGN_BYTES);
}

/* Appends a dimension to the shape of the tensor that was added last. */
static void region_axis(struct program *program, uint64_t size)
{
    struct region *region = &program->regions[program->region_count - 1];
    assert(region->rank < REGION_RANK_MAX);
    region->shape[region->rank++] = size;
}

/* The tensor that was added last is an input: the program as text can be run as it stands, with
 * generated numbers. */
static void region_input(struct program *program, enum data_stream stream)
{
    struct region *region = &program->regions[program->region_count - 1];
    region->binding = BINDING_SEED;
    region->seed = stream;
}

/* Spatial axes, as many as the convolution has. */
static void region_axes(struct program *program, const struct conv *conv, const uint64_t *sizes)
{
    for (uint32_t axis = AXIS_COUNT - conv->rank; axis < AXIS_COUNT; axis++)
        region_axis(program, sizes[axis]);
}

/* The shape in GM of an input or output: c1 planes of c0 channels, or channels. */
static void region_image(struct program *program, const struct conv *conv,
                         enum tensor_format format, const uint64_t *sizes, uint64_t c1, uint64_t c0,
                         uint64_t channels)
{
    region_axis(program, conv->batch);
    switch (format) {
    case FORMAT_NC1HWC0: /* D before C1; a 1-D convolution has an H of 1 */
        if (conv->rank == AXIS_COUNT)
            region_axis(program, sizes[AXIS_D]);
        region_axis(program, c1);
        region_axis(program, sizes[AXIS_H]);
        region_axis(program, sizes[AXIS_W]);
        region_axis(program, c0);
        break;
    case FORMAT_NHWC:
        region_axes(program, conv, sizes);
        region_axis(program, channels);
        break;
    case FORMAT_NCHW:
    case FORMAT_FRACTAL_Z:
    case FORMAT_HWCN:
    case FORMAT_COUNT:
        region_axis(program, channels);
        region_axes(program, conv, sizes);
        break;
    }
}

static void region_weight(struct program *program, const struct conv *conv)
{
    uint64_t points = conv->kernel[AXIS_H] * conv->kernel[AXIS_W];
    switch (conv->weight_format) {
    case FORMAT_FRACTAL_Z:
        region_axis(program, conv->groups);
        if (conv->rank == AXIS_COUNT)
            region_axis(program, conv->kernel[AXIS_D]);
        region_axis(program, layout_input_c1(conv) * points);
        region_axis(program, layout_n1(conv));
        region_axis(program, FRACTAL_ROWS);
        region_axis(program, conv_c0(conv));
        break;
    case FORMAT_HWCN:
        region_axes(program, conv, conv->kernel);
        region_axis(program, conv->cin_group);
        region_axis(program, conv->cout);
        break;
    case FORMAT_NCHW:
    case FORMAT_NC1HWC0:
    case FORMAT_NHWC:
    case FORMAT_COUNT:
        region_axis(program, conv->cout);
        region_axis(program, conv->cin_group);
        region_axes(program, conv, conv->kernel);
        break;
    }
}

/* GM tensors with the shapes that they have in memory. */
static void lower_tensors(struct lower *lower, struct program *program)
{
    const struct conv *conv = &lower->plan->conv;
    const uint64_t out[AXIS_COUNT] = {(uint64_t)conv->out[AXIS_D], (uint64_t)conv->out[AXIS_H],
                                      (uint64_t)conv->out[AXIS_W]};
    uint64_t gm = 0;
    region_tensor(program, "x", &gm, layout_input_bytes(conv), conv->dtype);
    region_image(program, conv, conv->input_format, conv->in, conv->groups * layout_input_c1(conv),
                 conv_c0(conv), conv->cin);
    region_input(program, STREAM_INPUT);
    region_tensor(program, "w", &gm, layout_weight_bytes(conv), conv->dtype);
    region_weight(program, conv);
    region_input(program, STREAM_WEIGHT);
    region_tensor(program, "y", &gm, layout_output_bytes(conv), conv->out_dtype);
    region_image(program, conv, conv->output_format, out, conv->groups * layout_output_c1(conv),
                 layout_output_c0(conv), conv->cout);
    lower->bias_region = lower->quant_region = REGION_NONE;
    if (conv->bias) {
        region_tensor(program, "bias", &gm, layout_bias_bytes(conv), conv_accumulator(conv));
        region_axis(program, conv->groups);
        region_axis(program, layout_n1(conv) * FRACTAL_ROWS);
        region_input(program, STREAM_BIAS);
        lower->bias_region = REGION_BIAS;
    }
    if (conv->quant.by_channel) {
        region_tensor(program, "quant", &gm, layout_quant_bytes(conv), ELEMENT_UINT64);
        region_axis(program, conv->groups);
        region_axis(program, layout_n1(conv) * FRACTAL_ROWS);
        lower->quant_region = lowered_quant_region(conv);
    }
}

/* No generated numbers are words, and so the program has those of the plan. */
static bool lower_words(const struct lower *lower, struct program *program, struct arena *arena)
{
    struct region *region = &program->regions[lower->quant_region];
    void *words = arena_take(arena, (size_t)region->size_bytes, 1);
    if (words == NULL)
        return false;
    layout_quant_pack(&lower->plan->conv, words);
    region->binding = BINDING_VALUES;
    region->values = words;
    return true;
}

/* Bias and quantisation words on their way to the bias table and the fixpipe buffer: in L1 from
 * base on. */
static void lower_table_buffers(struct lower *lower, struct program *program, uint64_t base)
{
    const struct conv *conv = &lower->plan->conv;
    const uint64_t bias = tile_bias_bytes(conv, &lower->plan->tile);
    const uint64_t quant = tile_quant_bytes(conv, &lower->plan->tile);
    if (bias > 0) {
        lower->region_l1_bias = region_add(program, "bias1", SPACE_L1, base, bias);
        lower->region_bt = region_add(program, "bt", SPACE_BT, 0, align_up(bias, 64));
        base += bias;
    }
    if (quant > 0) {
        lower->region_l1_quant = region_add(program, "quant1", SPACE_L1, base, quant);
        lower->region_fb = region_add(program, "fb", SPACE_FB, 0, quant);
        lower->fb_block_bytes = lower->arch == ARCH_3510 ? 64 : 128;
    }
}

/* Slots of results in the unified buffer, and the tables there. */
static void lower_exit_buffers(struct lower *lower, struct program *program)
{
    static const char *const names[SLOTS_MAX] = {"u0", "u1"};
    struct exit_room *room = &lower->room;
    uint64_t base = 0, bytes = 0;
    bool fits = exit_room_find(lower->plan, room, &bytes);
    assert(fits); /* lower_check */
    (void)fits;
    for (uint64_t slot = 0; slot < room->slots; slot++, base += room->units * room->unit_bytes)
        lower->region_ub[slot] =
            region_add(program, names[slot], SPACE_UB, base, room->units * room->unit_bytes);
    if (room->bias_bytes > 0)
        lower->region_ub_bias = region_add(program, "biasu", SPACE_UB, base, room->bias_bytes);
    base += room->bias_bytes;
    if (room->quant_bytes > 0)
        lower->region_ub_quant = region_add(program, "quantu", SPACE_UB, base, room->quant_bytes);
}

/* What the kernel reads lies in L2 at the start, if the plan says so. */
static void lower_warm(const struct plan *plan, struct program *program)
{
    for (uint32_t i = 0; i < program->region_count; i++)
        program->regions[i].warm = plan->schedule.l2 == L2_WARM && i != REGION_OUTPUT &&
                                   program->regions[i].space == SPACE_GM;
}

static void lower_buffers(struct lower *lower, struct program *program)
{
    static const char *const l1_names[2][SLOTS_MAX] = {{"a1_0", "a1_1"}, {"b1_0", "b1_1"}};
    static const char *const l0_names[2][SLOTS_MAX] = {{"a0_0", "a0_1"}, {"b0_0", "b0_1"}};
    static const char *const l0c_names[SLOTS_MAX] = {"c0_0", "c0_1"};
    const struct plan *plan = lower->plan;
    const struct conv *conv = &plan->conv;
    uint64_t base = 0;
    for (enum side side = SIDE_A; side <= SIDE_B; side++) {
        uint64_t size =
            align_up(tile_slot_bytes(conv, &plan->tile, side == SIDE_A ? BUFFER_L1A : BUFFER_L1B),
                     BLOCK_BYTES);
        for (uint64_t slot = 0; slot < lower->slots_l1[side]; slot++, base += size)
            lower->region_l1[side][slot] =
                region_add(program, l1_names[side][slot], SPACE_L1, base, size);
    }
    lower->region_bt = lower->region_fb = REGION_NONE;
    if (lower->out_pipe == PIPE_VECTOR)
        lower_exit_buffers(lower, program);
    else
        lower_table_buffers(lower, program, base);
    for (enum side side = SIDE_A; side <= SIDE_B; side++) {
        uint64_t size =
            tile_slot_bytes(conv, &plan->tile, side == SIDE_A ? BUFFER_L0A : BUFFER_L0B);
        for (uint64_t slot = 0; slot < lower->slots_l0[side]; slot++)
            lower->region_l0[side][slot] =
                region_add(program, l0_names[side][slot], side == SIDE_A ? SPACE_L0A : SPACE_L0B,
                           slot * size, size);
    }
    uint64_t size = tile_slot_bytes(conv, &plan->tile, BUFFER_L0C);
    for (uint64_t slot = 0; slot < lower->slots_l0c; slot++)
        lower->region_l0c[slot] =
            region_add(program, l0c_names[slot], SPACE_L0C, slot * size, size);
}

/* Load3Dv1 has these fields at the same places (isa/load3d.c). */
static void shape_load3d(struct insn *load, const struct conv *conv)
{
    load->field[LOAD3DV2_strideW] = (int64_t)conv->stride[AXIS_W];
    load->field[LOAD3DV2_strideH] = (int64_t)conv->stride[AXIS_H];
    load->field[LOAD3DV2_filterW] = (int64_t)conv->kernel[AXIS_W];
    load->field[LOAD3DV2_filterH] = (int64_t)conv->kernel[AXIS_H];
    load->field[LOAD3DV2_dilationFilterW] = (int64_t)conv->dilation[AXIS_W];
    load->field[LOAD3DV2_dilationFilterH] = (int64_t)conv->dilation[AXIS_H];
    load->field[LOAD3DV2_isSetFMatrix] = 0;
    load->field[LOAD3DV2_isSetPadding] = 0;
}

static void shape_fixpipe(struct insn *store, const struct lower *lower)
{
    const struct conv *conv = &lower->plan->conv;
    store->field[FIXPIPE_type] = conv_accumulator(conv);
    store->field[FIXPIPE_mode] = conversion_mode(lower->arch, conv);
    if (conv->quant.given && !conv->quant.by_channel)
        store->field[FIXPIPE_deqScalar] = (int64_t)conversion_word(conv, 0);
}

static void shape_exit(struct lower *lower)
{
    const struct conv *conv = &lower->plan->conv;
    struct insn *store = &lower->shape[OP_DATA_COPY_L0C2UB];
    store->field[DATA_COPY_L0C2UB_type] = conv_accumulator(conv);
    store->field[DATA_COPY_L0C2UB_dstType] = conv->out_dtype;
    store->field[DATA_COPY_L0C2UB_deqScale] = conversion_deq(conv);
    store->field[DATA_COPY_L0C2UB_isRelu] = conv->relu;
    if (conv->quant.given && !conv->quant.by_channel)
        store->field[DATA_COPY_L0C2UB_deqValue] = (int64_t)conversion_word(conv, 0);
    lower->shape[OP_BROADCAST_VEC_TO_MM].field[BROADCAST_VEC_TO_MM_type] = conv_accumulator(conv);
}

/* Instructions with all that is the same for every tile of the plan. */
static void lower_shapes(struct lower *lower)
{
    const struct conv *conv = &lower->plan->conv;
    for (enum opcode opcode = 0; opcode < OP_COUNT; opcode++)
        insn_init(&lower->shape[opcode], opcode);
    static const enum opcode typed[] = {OP_ND2NZ,    OP_DN2NZ,    OP_LOAD2D, OP_LOAD2DV2,
                                        OP_LOAD3DV2, OP_LOAD3DV1, OP_MMAD};
    for (size_t i = 0; i < sizeof typed / sizeof typed[0]; i++)
        lower->shape[typed[i]].field[0] = conv->dtype; /* a row with a type has it first */
    lower->shape[OP_LOAD_BT].field[LOAD_BT_type] = conv_accumulator(conv);
    lower->shape[OP_MMAD].field[MMAD_typeB] = conv->dtype;
    lower->shape[OP_MMAD].field[MMAD_typeC] = conv_accumulator(conv);
    lower->shape[OP_SET_HF32_MODE].field[SET_HF32_MODE_mode] = 1;
    shape_load3d(&lower->shape[OP_LOAD3DV2], conv);
    shape_load3d(&lower->shape[OP_LOAD3DV1], conv);
    if (lower->out_pipe == PIPE_VECTOR)
        shape_exit(lower);
    else
        shape_fixpipe(&lower->shape[OP_FIXPIPE], lower);
}

enum status lower_plan(const struct plan *plan, struct arena *arena, struct diag *diag,
                       struct program *program)
{
    enum status status = lower_check(plan, diag);
    if (status != STATUS_OK)
        return status;
    struct lower *lower = arena_take(arena, 1, sizeof *lower);
    *program = (struct program){
        .product = plan->product->soc,
        .arch = plan->product->arch,
        .regions = arena_take(arena, REGIONS_MAX, sizeof(struct region)),
        .core_count = (uint32_t)plan->schedule.cores,
        .event_ids = EVENT_IDS,
    };
    if (lower == NULL || program->regions == NULL)
        return STATUS_NO_MEMORY;
    const struct conv *conv = &plan->conv;
    const uint64_t *buffers = plan->schedule.buffers;
    lower->plan = plan;
    lower->arch = plan->product->arch;
    lower->c0 = conv_c0(conv);
    lower->points = conv->kernel[AXIS_H] * conv->kernel[AXIS_W];
    lower->element_bytes = element_bytes(conv->dtype);
    lower->k_depth = conv_k(conv);
    lower->k_chunk[SIDE_A] = plan->tile.k_a;
    lower->k_chunk[SIDE_B] = plan->tile.k_b;
    lower->slots_l1[SIDE_A] = buffers[BUFFER_L1A];
    lower->slots_l1[SIDE_B] = buffers[BUFFER_L1B];
    if (plan->schedule.residency == RESIDENCY_PREFETCH)
        lower->prefetch = plan->matmul ? PREFETCH_BEHIND_MMAD : PREFETCH_WITH_CHUNK;
    lower->slots_l0[SIDE_A] = buffers[BUFFER_L0A];
    lower->slots_l0[SIDE_B] = buffers[BUFFER_L0B];
    lower->slots_l0c = buffers[BUFFER_L0C];
    lower->out_pipe = arch_has_vector_exit(lower->arch) ? PIPE_VECTOR : PIPE_FIXP;
    lower->id_l0b = lower_id_l0b(lower->arch);
    lower->b_by_rows = lower_by_rows(conv, lower->arch);
    lower->barrier_below = product_whole(plan->product, PRODUCT_CUBE_BARRIER_BELOW);
    lower_tensors(lower, program);
    lower_warm(plan, program);
    if (lower->quant_region != REGION_NONE && !lower_words(lower, program, arena))
        return STATUS_NO_MEMORY;
    lower_buffers(lower, program);
    lower_shapes(lower);
    stream_attach(program, lower);
    return STATUS_OK;
}
