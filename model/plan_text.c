#include <assert.h>
#include <jansson.h>
#include <string.h>

#include "model/plan.h"

static json_t *json_number(uint64_t value)
{
    assert(value <= INT64_MAX);
    return json_integer((json_int_t)value);
}

/* Sets a key and takes value over; what failed is NULL and makes the whole text NULL in the end. */
static void put(json_t *map, const char *key, json_t *value, bool *whole)
{
    if (json_object_set_new(map, key, value) != 0) {
        *whole = false;
    }
}

static json_t *json_sizes(const uint64_t *sizes, size_t count, bool *whole)
{
    json_t *list = json_array();

    for (size_t i = 0; i < count; i++) {
        if (json_array_append_new(list, json_number(sizes[i])) != 0) {
            *whole = false;
        }
    }
    return list;
}

/* Two sizes before the spatial axes that a convolution of this rank has. Returns how many. */
static size_t conv_shape(const struct conv *conv, uint64_t first, uint64_t second,
                         const uint64_t *axes, uint64_t *shape)
{
    shape[0] = first;
    shape[1] = second;
    memcpy(shape + 2, axes + AXIS_COUNT - conv->rank, conv->rank * sizeof *axes);
    return (size_t)conv->rank + 2;
}

/* Padding in the order of plan files: pairs of head and tail. Returns how many numbers. */
static size_t conv_padding(const struct conv *conv, uint64_t *padding)
{
    const size_t first = AXIS_COUNT - (size_t)conv->rank;

    for (size_t i = 0; i < conv->rank; i++) {
        padding[2 * i] = conv->pad_head[first + i];
        padding[2 * i + 1] = conv->pad_tail[first + i];
    }
    return 2 * (size_t)conv->rank;
}

/* Scales as numbers, whether they came from a file or not. */
static json_t *quant_json(const struct conv *conv, bool *whole)
{
    const struct quant *quant = &conv->quant;
    json_t *map = json_object();
    json_t *scale = quant->by_channel ? json_array() : json_real((double)quant->scales[0]);

    for (uint64_t i = 0; quant->by_channel && i < conv->cout; i++) {
        if (json_array_append_new(scale, json_real((double)quant->scales[i])) != 0) {
            *whole = false;
        }
    }
    put(map, "scale", scale, whole);
    put(map, "offset", json_integer(quant->offset), whole);
    return map;
}

/* What a convolution and a matrix product have in common. */
static void put_types(json_t *map, const struct conv *conv, bool *whole)
{
    put(map, "dtype", json_string(element_word(conv->dtype)), whole);
    put(map, "out_dtype", json_string(element_word(conv->out_dtype)), whole);
    if (conv->hf32_bits != 0) {
        put(map, "hf32", json_true(), whole);
    }
    if (conv->quant.given) {
        put(map, "quant", quant_json(conv, whole), whole);
    }
    put(map, "bias", json_boolean(conv->bias), whole);
    put(map, "relu", json_boolean(conv->relu), whole);
}

/* The layout of A, of B or of C by the format that stands for it. */
static const char *layout_word(enum tensor_format format, bool is_b)
{
    if (format == FORMAT_NC1HWC0 || format == FORMAT_FRACTAL_Z) {
        return "nz";
    }
    return format == (is_b ? FORMAT_HWCN : FORMAT_NHWC) ? "nd" : "dn";
}

static json_t *matmul_json(const struct conv *conv, bool *whole)
{
    json_t *map = json_object();

    put(map, "m", json_number(conv->in[AXIS_W]), whole);
    put(map, "n", json_number(conv->cout), whole);
    put(map, "k", json_number(conv->cin), whole);
    put_types(map, conv, whole);
    put(map, "a_layout", json_string(layout_word(conv->input_format, false)), whole);
    put(map, "b_layout", json_string(layout_word(conv->weight_format, true)), whole);
    put(map, "c_layout", json_string(layout_word(conv->output_format, false)), whole);
    return map;
}

static json_t *conv_json(const struct conv *conv, bool *whole)
{
    const size_t first = AXIS_COUNT - (size_t)conv->rank;
    uint64_t list[2 * AXIS_COUNT];
    json_t *map = json_object();
    size_t count = conv_shape(conv, conv->batch, conv->cin, conv->in, list);

    put(map, "input", json_sizes(list, count, whole), whole);
    count = conv_shape(conv, conv->cout, conv->cin_group, conv->kernel, list);
    put(map, "weight", json_sizes(list, count, whole), whole);
    count = conv_padding(conv, list);
    put(map, "padding", json_sizes(list, count, whole), whole);
    put(map, "stride", json_sizes(conv->stride + first, conv->rank, whole), whole);
    put(map, "dilation", json_sizes(conv->dilation + first, conv->rank, whole), whole);
    put(map, "groups", json_number(conv->groups), whole);
    put_types(map, conv, whole);
    put(map, "input_format", json_string(format_word(conv->input_format)), whole);
    put(map, "weight_format", json_string(format_word(conv->weight_format)), whole);
    return map;
}

static json_t *schedule_json(const struct schedule *schedule, bool *whole)
{
    json_t *map = json_object();
    json_t *split = json_object();

    put(split, "batch", json_number(schedule->split[SPLIT_BATCH]), whole);
    put(split, "group", json_number(schedule->split[SPLIT_GROUP]), whole);
    if (schedule->deal != 0) {
        put(split, "mn", json_number(schedule->deal), whole);
    } else {
        put(split, "m", json_number(schedule->split[SPLIT_M]), whole);
        put(split, "n", json_number(schedule->split[SPLIT_N]), whole);
    }
    put(map, "core_split", split, whole);
    put(map, "cores", json_number(schedule->cores), whole);
    put(map, "policy", json_string(policy_word(schedule->policy)), whole);
    put(map, "order", json_string(order_word(schedule->order)), whole);
    put(map, "residency", json_string(residency_word(schedule->residency)), whole);
    put(map, "l1a_buffers", json_number(schedule->buffers[BUFFER_L1A]), whole);
    put(map, "l1b_buffers", json_number(schedule->buffers[BUFFER_L1B]), whole);
    put(map, "l0a_buffers", json_number(schedule->buffers[BUFFER_L0A]), whole);
    put(map, "l0b_buffers", json_number(schedule->buffers[BUFFER_L0B]), whole);
    put(map, "l0c_buffers", json_number(schedule->buffers[BUFFER_L0C]), whole);
    put(map, "unit_flag", json_boolean(schedule->unit_flag), whole);
    put(map, "handover", json_string(handover_word(schedule->handover)), whole);
    put(map, "fixpipe", json_string(fixpipe_policy_word(schedule->fixpipe)), whole);
    put(map, "l2", json_string(l2_state_word(schedule->l2)), whole);
    return map;
}

/* A tile that pypto's names can express: a rectangle whose K chunks are whole channel blocks. */
static bool tile_is_pypto(const struct plan *plan)
{
    const struct conv *conv = &plan->conv;
    const uint64_t points = conv->kernel[AXIS_H] * conv->kernel[AXIS_W];
    const struct tile *tile = &plan->tile;

    return plan->form != TILE_VENDOR && !tile->linear_m && tile->k_a % points == 0 &&
           tile->k_b % points == 0;
}

/* Input rows or columns of an L1 tile; the lowering does not read them, so they are canonical. */
static uint64_t tile_input(const struct conv *conv, enum axis axis, uint64_t outputs)
{
    const uint64_t window = conv_window(conv, axis, outputs);

    return window < conv->in[axis] ? window : conv->in[axis];
}

static void put_pypto_tile(json_t *plan_map, const struct plan *plan, bool *whole)
{
    const struct conv *conv = &plan->conv;
    const struct tile *tile = &plan->tile;
    const uint64_t points = conv->kernel[AXIS_H] * conv->kernel[AXIS_W];
    json_t *l1 = json_object();
    json_t *l0 = json_object();

    put(l1, "tileHin", json_number(tile_input(conv, AXIS_H, tile->h_l1)), whole);
    put(l1, "tileHout", json_number(tile->h_l1), whole);
    put(l1, "tileWin", json_number(tile_input(conv, AXIS_W, tile->w_l1)), whole);
    put(l1, "tileWout", json_number(tile->w_l1), whole);
    put(l1, "tileCinFmap", json_number(tile->k_a / points), whole);
    put(l1, "tileCinWeight", json_number(tile->k_b / points), whole);
    put(l1, "tileN", json_number(tile->n_l1), whole);
    put(l1, "tileBatch", json_number(1), whole);
    put(l0, "tileH", json_number(tile->h_l0), whole);
    put(l0, "tileW", json_number(tile->w_l0), whole);
    put(l0, "tileK", json_number(tile->k_l0), whole);
    put(l0, "tileN", json_number(tile->n_l0), whole);
    put(plan_map, "tile_l1", l1, whole);
    put(plan_map, "tile_l0", l0, whole);
}

static void put_vendor_tile(json_t *plan_map, const struct tile *tile, bool *whole)
{
    json_t *map = json_object();

    if (tile->linear_m) {
        put(map, "mAL1", json_number(tile->m_l1), whole);
        put(map, "mL0", json_number(tile->m_l0), whole);
    } else {
        put(map, "hoL1", json_number(tile->h_l1), whole);
        put(map, "woL1", json_number(tile->w_l1), whole);
        put(map, "hoL0", json_number(tile->h_l0), whole);
        put(map, "woL0", json_number(tile->w_l0), whole);
    }
    put(map, "nBL1", json_number(tile->n_l1), whole);
    put(map, "kAL1", json_number(tile->k_a), whole);
    put(map, "kBL1", json_number(tile->k_b), whole);
    put(map, "kL0", json_number(tile->k_l0), whole);
    put(map, "nL0", json_number(tile->n_l0), whole);
    put(plan_map, "tile", map, whole);
}

/* The depths are those of the slots that were chosen. */
static void put_matmul_tile(json_t *plan_map, const struct plan *plan, bool *whole)
{
    const struct tile_matmul *base = &plan->base;
    const uint64_t *slots = plan->schedule.buffers;
    json_t *map = json_object();

    put(map, "baseM", json_number(base->base_m), whole);
    put(map, "baseN", json_number(base->base_n), whole);
    put(map, "baseK", json_number(base->base_k), whole);
    put(map, "stepM", json_number(base->step_m), whole);
    put(map, "stepN", json_number(base->step_n), whole);
    put(map, "stepKa", json_number(base->step_ka), whole);
    put(map, "stepKb", json_number(base->step_kb), whole);
    put(map, "depthA1", json_number(slots[BUFFER_L1A] * base->step_m * base->step_ka), whole);
    put(map, "depthB1", json_number(slots[BUFFER_L1B] * base->step_n * base->step_kb), whole);
    put(map, "l2_m", json_number(base->l2_m), whole);
    put(map, "l2_n", json_number(base->l2_n), whole);
    put(plan_map, "tile", map, whole);
}

/* Compact text with sorted keys in the arena, or NULL. */
static const char *json_text(const json_t *root, struct arena *arena)
{
    const size_t flags = JSON_COMPACT | JSON_SORT_KEYS;
    const size_t size = json_dumpb(root, NULL, 0, flags);
    char *text = size == 0 ? NULL : arena_take(arena, size + 1, 1);

    if (text != NULL && json_dumpb(root, text, size, flags) != size) {
        return NULL;
    }
    return text;
}

const char *plan_json(const struct plan *plan, struct arena *arena)
{
    json_t *map = json_object();
    const char *text = NULL;
    bool whole = map != NULL;

    assert(plan->product != NULL && plan->tile.k_l0 > 0);
    put(map, "product", json_string(plan->product->soc), &whole);
    put(map, "rules", json_string(rule_set_word(plan->rules)), &whole);
    if (plan->matmul) {
        put(map, "matmul", matmul_json(&plan->conv, &whole), &whole);
    } else {
        put(map, "conv", conv_json(&plan->conv, &whole), &whole);
    }
    put(map, "schedule", schedule_json(&plan->schedule, &whole), &whole);
    if (plan->matmul) {
        put_matmul_tile(map, plan, &whole);
    } else if (tile_is_pypto(plan)) {
        put_pypto_tile(map, plan, &whole);
    } else {
        put_vendor_tile(map, &plan->tile, &whole);
    }
    if (whole) {
        text = json_text(map, arena);
    }
    json_decref(map);
    return text;
}

/* "3,1" or, when all numbers are equal, "1". */
static const char *list_text(const uint64_t *values, size_t count, bool shorten,
                             struct arena *arena)
{
    const char *text = "";
    bool equal = true;

    for (size_t i = 1; i < count; i++) {
        equal = equal && values[i] == values[0];
    }
    for (size_t i = 0; i < (equal && shorten ? 1 : count) && text != NULL; i++) {
        text =
            arena_format(arena, "%s%s%llu", text, i == 0 ? "" : ",", (unsigned long long)values[i]);
    }
    return text != NULL ? text : "";
}

static bool all_ones(const uint64_t *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (values[i] != 1) {
            return false;
        }
    }
    return true;
}

/* "fp16 to fp32 bias": types, and what is done to sums. */
static const char *types_text(const struct conv *conv, struct arena *arena)
{
    const bool sums = conv->dtype == ELEMENT_INT8 && !conv->quant.given;
    const enum element usual = sums ? ELEMENT_INT32 : conv->dtype;

    return arena_format(arena, "%s%s%s%s%s%s%s", element_word(conv->dtype),
                        conv->hf32_bits != 0 ? " hf32" : "", conv->out_dtype != usual ? " to " : "",
                        conv->out_dtype != usual ? element_word(conv->out_dtype) : "",
                        conv->quant.given ? " quant" : "", conv->bias ? " bias" : "",
                        conv->relu ? " relu" : "");
}

static const char *matmul_text(const struct conv *conv, const char *types, struct arena *arena)
{
    return arena_format(
        arena, "matmul m %llu n %llu k %llu %s, A %s, B %s, C %s",
        (unsigned long long)conv->in[AXIS_W], (unsigned long long)conv->cout,
        (unsigned long long)conv->cin, types, layout_word(conv->input_format, false),
        layout_word(conv->weight_format, true), layout_word(conv->output_format, false));
}

const char *plan_problem_text(const struct plan *plan, struct arena *arena)
{
    const struct conv *conv = &plan->conv;
    const size_t first = AXIS_COUNT - (size_t)conv->rank;
    const char *types = types_text(conv, arena);
    uint64_t list[2 * AXIS_COUNT];
    size_t count = conv_shape(conv, conv->batch, conv->cin, conv->in, list);
    const char *input = list_text(list, count, false, arena);
    const char *weight;
    const char *groups = "";
    const char *dilation = "";

    count = conv_shape(conv, conv->cout, conv->cin_group, conv->kernel, list);
    weight = list_text(list, count, false, arena);
    count = conv_padding(conv, list);
    if (conv->groups != 1) {
        groups = arena_format(arena, " groups %llu", (unsigned long long)conv->groups);
    }
    if (!all_ones(conv->dilation, AXIS_COUNT)) {
        dilation = arena_format(arena, " dilation %s",
                                list_text(conv->dilation + first, conv->rank, true, arena));
    }
    if (groups == NULL || dilation == NULL || types == NULL) {
        return NULL;
    }
    if (plan->matmul) {
        return matmul_text(conv, types, arena);
    }
    return arena_format(arena, "[%s] x [%s] stride %s pad %s%s%s %s", input, weight,
                        list_text(conv->stride + first, conv->rank, true, arena),
                        list_text(list, count, true, arena), dilation, groups, types);
}

const char *plan_tiling_text(const struct plan *plan, struct arena *arena)
{
    const struct tile *tile = &plan->tile;
    const char *m_l1;
    const char *m_l0;

    if (tile->k_l0 == 0) {
        return plan->form == TILE_NONE ? "to be derived" : "as written";
    }
    if (tile->linear_m || plan->matmul) {
        const uint64_t l1 = plan->matmul ? tile->w_l1 : tile->m_l1;
        const uint64_t l0 = plan->matmul ? tile->w_l0 : tile->m_l0;

        m_l1 = arena_format(arena, "m %llu", (unsigned long long)l1);
        m_l0 = arena_format(arena, "m %llu", (unsigned long long)l0);
    } else {
        m_l1 = arena_format(arena, "h %llu w %llu", (unsigned long long)tile->h_l1,
                            (unsigned long long)tile->w_l1);
        m_l0 = arena_format(arena, "h %llu w %llu", (unsigned long long)tile->h_l0,
                            (unsigned long long)tile->w_l0);
    }
    if (m_l1 == NULL || m_l0 == NULL) {
        return NULL;
    }
    return arena_format(arena, "L1 %s n %llu kA %llu kB %llu, L0 %s n %llu k %llu", m_l1,
                        (unsigned long long)tile->n_l1, (unsigned long long)tile->k_a,
                        (unsigned long long)tile->k_b, m_l0, (unsigned long long)tile->n_l0,
                        (unsigned long long)tile->k_l0);
}
