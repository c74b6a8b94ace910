#include "model/lower.h"

#include <assert.h>

#include "model/conversion.h"
#include "model/layout.h"
#include "model/lower_stream.h"
#include "model/tensor.h"
#include "model/tile_rules.h"

enum { REGIONS_MAX = 24, MMAD_MAX = 4095, ND_VALUE_MAX = 65535, NZ_STRIDE_MAX = 16384 };

static struct place plan_place(const struct plan *plan, enum plan_word word)
{
    return plan->given[word] ? plan->place[word] : place_none();
}

enum status lower_product(const struct plan *plan, struct diag *diag)
{
    if (arch_has_fixpipe(plan->product->arch))
        return STATUS_OK;
    return diag_add(diag, STATUS_BAD_INPUT, plan_place(plan, WORD_PRODUCT),
                    "%s has no fixpipe, which run needs; check works", plan->product->soc);
}

/* What the instructions of this version cannot express. */
static enum status lower_check(const struct plan *plan, struct diag *diag)
{
    const struct conv *conv = &plan->conv;
    const struct tile *tile = &plan->tile;
    uint64_t points = conv->kernel[AXIS_H] * conv->kernel[AXIS_W];
    uint64_t m = tile->linear_m ? tile->m_l0 : tile->h_l0 * tile->w_l0;
    enum status status = lower_product(plan, diag);
    if (m > MMAD_MAX || tile->n_l0 > MMAD_MAX || tile->k_l0 > MMAD_MAX)
        status = diag_add(diag, STATUS_BROKEN, place_none(),
                          "L0 tile of m %llu, n %llu, k %llu; Mmad takes at most %d of each",
                          (unsigned long long)m, (unsigned long long)tile->n_l0,
                          (unsigned long long)tile->k_l0, MMAD_MAX);
    if (tile->k_a % (points * conv_c0(conv)) != 0)
        status =
            diag_add(diag, STATUS_BROKEN, plan_place(plan, WORD_K_AL1),
                     "K of A in L1 is %llu; expected a multiple of C0 * Kh * Kw = %llu, "
                     "since L1 holds whole planes of the image",
                     (unsigned long long)tile->k_a, (unsigned long long)(points * conv_c0(conv)));
    if (conv->weight_format != FORMAT_FRACTAL_Z && tile->k_b % (points * conv_c0(conv)) != 0)
        status =
            diag_add(diag, STATUS_BROKEN, plan_place(plan, WORD_K_BL1),
                     "K of B in L1 is %llu; expected a multiple of C0 * Kh * Kw = %llu for "
                     "weights in %s",
                     (unsigned long long)tile->k_b, (unsigned long long)(points * conv_c0(conv)),
                     format_word(conv->weight_format));
    if (conv->input_format == FORMAT_NC1HWC0 && conv->weight_format != FORMAT_FRACTAL_Z &&
        conv_cout_group(conv) % FRACTAL_ROWS != 0)
        status =
            diag_add(diag, STATUS_BAD_INPUT, plan_place(plan, WORD_WEIGHT_FORMAT),
                     "weights in %s with output in nc1hwc0 and %llu channels a group; expected "
                     "fractal_z, or a multiple of 16 channels",
                     format_word(conv->weight_format), (unsigned long long)conv_cout_group(conv));
    return status;
}

/* The event ids that the stream will use, against those of the product. */
static enum status lower_check_ids(const struct plan *plan, struct diag *diag)
{
    const uint64_t *buffers = plan->schedule.buffers;
    uint64_t used = ID_L1B + buffers[BUFFER_L1B];
    if (plan->conv.bias && ID_BIAS + 1 > used)
        used = ID_BIAS + 1;
    if (buffers[BUFFER_L0A] != buffers[BUFFER_L0B] && ID_L0B + buffers[BUFFER_L0B] > used)
        used = ID_L0B + buffers[BUFFER_L0B];
    uint64_t ids = product_whole(plan->product, PRODUCT_SYNC_IDS);
    if (used <= ids)
        return STATUS_OK;
    return diag_add(diag, STATUS_BROKEN, place_none(),
                    "the schedule needs %llu event ids of a pipe pair; %s has %llu",
                    (unsigned long long)used, plan->product->soc, (unsigned long long)ids);
}

/* The widest row and the largest part of the image that a tile of L1 holds, in positions. */
static void tile_image(const struct plan *plan, uint64_t *columns, uint64_t *positions)
{
    const struct conv *conv = &plan->conv;
    const struct tile *tile = &plan->tile;
    uint64_t width = (uint64_t)conv->out[AXIS_W], height = (uint64_t)conv->out[AXIS_H];
    uint64_t out_rows = tile->linear_m ? ceil_div(tile->m_l1, width) + 1 : tile->h_l1;
    uint64_t out_columns = tile->linear_m ? width : tile->w_l1;
    uint64_t rows = conv_window(conv, AXIS_H, out_rows < height ? out_rows : height);
    *columns = conv_window(conv, AXIS_W, out_columns < width ? out_columns : width);
    *columns = *columns < conv->in[AXIS_W] ? *columns : conv->in[AXIS_W];
    *positions = *columns * (rows < conv->in[AXIS_H] ? rows : conv->in[AXIS_H]);
}

/* nd2nz and dn2nz have fields of 14 and 16 bits that only a very large L1 or image can exceed. */
static enum status lower_check_formats(const struct plan *plan, struct diag *diag)
{
    const struct conv *conv = &plan->conv;
    enum status status = STATUS_OK;
    uint64_t columns, positions;
    tile_image(plan, &columns, &positions);
    if (conv->input_format == FORMAT_NHWC && conv->cin > ND_VALUE_MAX)
        status = diag_add(diag, STATUS_BAD_INPUT, plan_place(plan, WORD_INPUT_FORMAT),
                          "nhwc with %llu channels; expected at most %d, the srcDValue of nd2nz",
                          (unsigned long long)conv->cin, ND_VALUE_MAX);
    if (conv->input_format != FORMAT_NC1HWC0 && positions > NZ_STRIDE_MAX)
        status = diag_add(diag, STATUS_BROKEN, place_none(),
                          "an L1 tile holds %llu positions of the image; expected at most %d, the "
                          "dstNzC0Stride of nd2nz and dn2nz",
                          (unsigned long long)positions, NZ_STRIDE_MAX);
    uint64_t points = conv->kernel[AXIS_H] * conv->kernel[AXIS_W];
    if (conv->weight_format != FORMAT_FRACTAL_Z && points * plan->tile.n_l1 > NZ_STRIDE_MAX)
        status = diag_add(diag, STATUS_BROKEN, place_none(),
                          "an L1 tile holds %llu x %llu weights of a channel; expected at most %d "
                          "in all, the dstNzC0Stride of dn2nz",
                          (unsigned long long)points, (unsigned long long)plan->tile.n_l1,
                          NZ_STRIDE_MAX);
    return status;
}

/* Depths that meet only padding have no products to sum. */
static enum status lower_check_depths(const struct plan *plan, struct diag *diag)
{
    const struct conv *conv = &plan->conv;
    for (int64_t depth = 0; depth < conv->out[AXIS_D]; depth++) {
        bool any = false;
        for (uint64_t kd = 0; kd < conv->kernel[AXIS_D] && !any; kd++) {
            int64_t at = depth * (int64_t)conv->stride[AXIS_D] +
                         (int64_t)(kd * conv->dilation[AXIS_D]) - (int64_t)conv->pad_head[AXIS_D];
            any = at >= 0 && at < (int64_t)conv->in[AXIS_D];
        }
        if (!any)
            return diag_add(diag, STATUS_BAD_INPUT, plan_place(plan, WORD_PADDING),
                            "output depth %lld reads nothing but padding; expected every depth to "
                            "meet the input",
                            (long long)depth);
    }
    return STATUS_OK;
}

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
static void region_image(struct program *program, const struct conv *conv, const uint64_t *sizes,
                         uint64_t c1, uint64_t c0, uint64_t channels)
{
    region_axis(program, conv->batch);
    switch (conv->input_format) {
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
    region_image(program, conv, conv->in, conv->groups * layout_input_c1(conv), conv_c0(conv),
                 conv->cin);
    region_input(program, STREAM_INPUT);
    region_tensor(program, "w", &gm, layout_weight_bytes(conv), conv->dtype);
    region_weight(program, conv);
    region_input(program, STREAM_WEIGHT);
    region_tensor(program, "y", &gm, layout_output_bytes(conv), conv->out_dtype);
    region_image(program, conv, out, conv->groups * layout_output_c1(conv), layout_output_c0(conv),
                 conv->cout);
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
    if (conv->bias) {
        uint64_t bytes = tile_bias_bytes(conv, &plan->tile);
        lower->region_l1_bias = region_add(program, "bias1", SPACE_L1, base, bytes);
        lower->region_bt = region_add(program, "bt", SPACE_BT, 0, align_up(bytes, 64));
        base += bytes;
    }
    if (conv->quant.by_channel) {
        uint64_t bytes = tile_quant_bytes(conv, &plan->tile);
        lower->region_l1_quant = region_add(program, "quant1", SPACE_L1, base, bytes);
        lower->region_fb = region_add(program, "fb", SPACE_FB, 0, bytes);
        lower->fb_block_bytes = lower->arch == ARCH_3510 ? 64 : 128;
    }
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

static void shape_load3dv1(struct insn *load, const struct conv *conv)
{
    load->field[LOAD3DV1_strideW] = (int64_t)conv->stride[AXIS_W];
    load->field[LOAD3DV1_strideH] = (int64_t)conv->stride[AXIS_H];
    load->field[LOAD3DV1_filterW] = (int64_t)conv->kernel[AXIS_W];
    load->field[LOAD3DV1_filterH] = (int64_t)conv->kernel[AXIS_H];
    load->field[LOAD3DV1_dilationFilterW] = (int64_t)conv->dilation[AXIS_W];
    load->field[LOAD3DV1_dilationFilterH] = (int64_t)conv->dilation[AXIS_H];
    load->field[LOAD3DV1_isSetFMatrix] = 0;
    load->field[LOAD3DV1_isSetPadding] = 0;
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
    shape_load3dv1(&lower->shape[OP_LOAD3DV1], conv);
    struct insn *store = &lower->shape[OP_FIXPIPE];
    store->field[FIXPIPE_type] = conv_accumulator(conv);
    store->field[FIXPIPE_mode] = conversion_mode(lower->arch, conv);
    if (conv->quant.given && !conv->quant.by_channel)
        store->field[FIXPIPE_deqScalar] = (int64_t)conversion_word(conv, 0);
}

enum status lower_plan(const struct plan *plan, struct arena *arena, struct diag *diag,
                       struct program *program)
{
    enum status status = lower_check(plan, diag);
    if (status == STATUS_OK)
        status = lower_check_formats(plan, diag);
    if (status == STATUS_OK)
        status = lower_check_ids(plan, diag);
    if (status == STATUS_OK)
        status = lower_check_depths(plan, diag);
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
    lower->slots_l0[SIDE_A] = buffers[BUFFER_L0A];
    lower->slots_l0[SIDE_B] = buffers[BUFFER_L0B];
    lower->slots_l0c = buffers[BUFFER_L0C];
    lower->barrier_below = product_whole(plan->product, PRODUCT_CUBE_BARRIER_BELOW);
    lower_tensors(lower, program);
    lower_buffers(lower, program);
    lower_shapes(lower);
    stream_attach(program, lower);
    return STATUS_OK;
}
