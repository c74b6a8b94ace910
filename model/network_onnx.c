#include <string.h>

#include "model/network_onnx.h"

enum { OPERATORS_MAX = 64 };

/* ---- layers ---- */

/* Inputs of a layer: their places differ from operator to operator. */
struct onnx_layer {
    const Onnx__NodeProto *node;
    const char *name;
    const struct onnx_value *input, *weight;
    bool bias, quant;
};

/* A reason in place of a layer. */
static void skip(struct onnx_reader *onnx, const struct onnx_layer *layer, const char *reason)
{
    network_skip(onnx->reader, layer->name, layer->node->op_type, reason);
}

/* Messages about a layer name the file and the node. */
static struct place node_place(struct onnx_reader *onnx, const struct onnx_layer *layer)
{
    char shown[EXCERPT_SIZE_BYTES];
    struct arena *arena = onnx->reader->arena;
    struct source *source = arena_take(arena, 1, sizeof *source);
    const char *name =
        arena_format(arena, "%s: %s '%s'", onnx->reader->source->name, layer->node->op_type,
                     excerpt_format(layer->name, shown, sizeof shown));
    if (source == NULL || name == NULL) {
        network_no_memory(onnx->reader);
        return place_none();
    }
    *source = (struct source){.name = name, .text = ""};
    return (struct place){.source = source};
}

/* ELEMENT_COUNT: not modelled. */
static enum element element_of(int32_t type)
{
    switch (type) {
    case ONNX_FLOAT:
        return ELEMENT_FP32;
    case ONNX_FLOAT16:
        return ELEMENT_FP16;
    case ONNX_BFLOAT16:
        return ELEMENT_BF16;
    case ONNX_INT8:
    case ONNX_UINT8:
        return ELEMENT_INT8;
    case ONNX_FLOAT8E4M3FN:
        return ELEMENT_FP8_E4M3;
    case ONNX_FLOAT8E5M2:
        return ELEMENT_FP8_E5M2;
    default:
        return ELEMENT_COUNT;
    }
}

/* A reason with a name or number in it; memory that runs out is remembered. */
static const char *reason_need(struct onnx_reader *onnx, const char *reason)
{
    if (reason == NULL)
        network_no_memory(onnx->reader);
    return reason != NULL ? reason : "memory ran out";
}

/* The shapes of both operands and a type, or the reason why there are none. */
static const char *operands_find(struct onnx_reader *onnx, struct onnx_layer *layer, size_t input,
                                 size_t weight)
{
    struct arena *arena = onnx->reader->arena;
    const size_t inputs[] = {input, weight};
    const struct onnx_value *found[2];
    for (size_t i = 0; i < 2; i++) {
        char shown[EXCERPT_SIZE_BYTES];
        found[i] = onnx_input(onnx, layer->node, inputs[i]);
        excerpt_format(onnx_input_name(layer->node, inputs[i]), shown, sizeof shown);
        if (found[i] == NULL)
            return reason_need(
                onnx, arena_format(arena, "the shape of its input '%s' is not known", shown));
    }
    layer->input = found[0];
    layer->weight = found[1];
    int32_t type = layer->input->type != 0 ? layer->input->type : layer->weight->type;
    if (element_of(type) == ELEMENT_COUNT && !onnx->reader->options->dtype_given)
        return reason_need(
            onnx, arena_format(arena, "its type (number %d of ONNX) is not modelled", (int)type));
    return NULL;
}

static struct layer layer_start(struct onnx_reader *onnx, const struct onnx_layer *from)
{
    struct layer layer = layer_make(from->name, node_place(onnx, from));
    int32_t type = from->input->type != 0 ? from->input->type : from->weight->type;
    if (element_of(type) != ELEMENT_COUNT)
        layer.conv.dtype = layer.conv.out_dtype = element_of(type);
    layer.conv.bias = from->bias;
    layer.conv.quant.given = from->quant && layer.conv.dtype == ELEMENT_INT8;
    return layer;
}

/* The window of a convolution, whose kernel is that of its weight; else what is wrong with it. */
static const char *window_find(const struct onnx_layer *layer, struct onnx_window *window)
{
    const Onnx__AttributeProto *kernel = onnx_attribute(layer->node, "kernel_shape");
    const struct onnx_value *weight = layer->weight;
    if (layer->input->rank < 3 || layer->input->rank > 5 || weight->rank != layer->input->rank)
        return "it has not one, two or three axes besides batch and channels";
    window->rank = weight->rank - 2;
    for (size_t axis = 0; axis < window->rank; axis++) {
        window->kernel[axis] = weight->dim[2 + axis];
        if (kernel != NULL &&
            (kernel->n_ints != window->rank || kernel->ints[axis] != window->kernel[axis]))
            return "its kernel_shape is not that of its weight";
    }
    return onnx_window_read(layer->node, layer->input, window);
}

static void read_conv(struct onnx_reader *onnx, struct onnx_layer *from, size_t weight, size_t bias)
{
    const Onnx__NodeProto *node = from->node;
    from->bias = bias > 0 && onnx_has_input(node, bias);
    struct onnx_window window;
    int64_t dim[ONNX_RANK_MAX], groups = onnx_whole(node, "group", 1);
    const char *reason = operands_find(onnx, from, 0, weight);
    if (reason == NULL)
        reason = window_find(from, &window);
    if (reason == NULL && (groups < 1 || from->input->dim[1] % groups != 0 ||
                           from->weight->dim[1] != from->input->dim[1] / groups))
        reason = "the channels of its input, its weight and its groups do not agree";
    if (reason != NULL) {
        skip(onnx, from, reason);
        return;
    }
    struct layer layer = layer_start(onnx, from);
    struct conv *conv = &layer.conv;
    conv->rank = (uint32_t)window.rank;
    conv->batch = (uint64_t)from->input->dim[0];
    conv->cin = (uint64_t)from->input->dim[1];
    conv->cout = (uint64_t)from->weight->dim[0];
    conv->groups = (uint64_t)groups;
    memcpy(dim, from->input->dim, sizeof dim);
    dim[1] = from->weight->dim[0];
    for (size_t i = 0; i < window.rank; i++) {
        size_t axis = AXIS_COUNT - window.rank + i;
        conv->in[axis] = (uint64_t)from->input->dim[2 + i];
        conv->kernel[axis] = (uint64_t)window.kernel[i];
        conv->stride[axis] = (uint64_t)window.stride[i];
        conv->dilation[axis] = (uint64_t)window.dilation[i];
        conv->pad_head[axis] = (uint64_t)window.pad_head[i];
        conv->pad_tail[axis] = (uint64_t)window.pad_tail[i];
        dim[2 + i] = window.out[i];
    }
    int32_t type = strcmp(node->op_type, "ConvInteger") == 0 ? ONNX_INT32 : from->input->type;
    onnx_output(onnx, node, 0, type, from->input->rank, dim);
    network_add(onnx->reader, &layer);
}

/* count products of m x k and k x n. */
struct product_shape {
    uint64_t count, m, k, n;
};

static void add_product(struct onnx_reader *onnx, const struct onnx_layer *from,
                        struct product_shape shape)
{
    struct layer layer = layer_start(onnx, from);
    layer.matmul = true;
    layer.count = shape.count;
    layer.conv.in[AXIS_W] = shape.m;
    layer.conv.cin = shape.k;
    layer.conv.cout = shape.n;
    if (shape.count > INT64_MAX || shape.m > INT64_MAX)
        skip(onnx, from, "it has more rows than 63 bits count");
    else
        network_add(onnx->reader, &layer);
}

static void read_gemm(struct onnx_reader *onnx, struct onnx_layer *from)
{
    const Onnx__NodeProto *node = from->node;
    const char *reason = operands_find(onnx, from, 0, 1);
    const struct onnx_value *a = from->input, *b = from->weight, *c = onnx_input(onnx, node, 2);
    bool turn_a = onnx_whole(node, "transA", 0) != 0, turn_b = onnx_whole(node, "transB", 0) != 0;
    if (reason == NULL && (a->rank != 2 || b->rank != 2 || a->dim[!turn_a] != b->dim[turn_b]))
        reason = "its operands are no matrices that fit";
    if (reason != NULL) {
        skip(onnx, from, reason);
        return;
    }
    int64_t m = a->dim[turn_a], n = b->dim[!turn_b];
    from->bias =
        c != NULL && c->rank > 0 && c->dim[c->rank - 1] == n && (c->rank == 1 || c->dim[0] == 1);
    onnx_output(onnx, node, 0, a->type, 2, (int64_t[]){m, n});
    add_product(onnx, from,
                (struct product_shape){1, (uint64_t)m, (uint64_t)a->dim[!turn_a], (uint64_t)n});
}

/* Axes before the last two, broadcast; 0 when they do not agree. */
static uint64_t matmul_batch(const struct onnx_value *a, const struct onnx_value *b, int64_t *dim,
                             size_t *rank)
{
    size_t most = a->rank > b->rank ? a->rank : b->rank;
    uint64_t batch = 1;
    *rank = most;
    for (size_t i = 0; i + 2 < most; i++) {
        int64_t of_a = i + a->rank >= most ? a->dim[i + a->rank - most] : 1;
        int64_t of_b = i + b->rank >= most ? b->dim[i + b->rank - most] : 1;
        if (of_a != of_b && of_a != 1 && of_b != 1)
            return 0;
        dim[i] = of_a > of_b ? of_a : of_b;
        batch = network_product(batch, (uint64_t)dim[i]);
        if (batch > INT64_MAX)
            return 0;
    }
    return batch;
}

static void read_matmul(struct onnx_reader *onnx, struct onnx_layer *from)
{
    const Onnx__NodeProto *node = from->node;
    const char *reason = operands_find(onnx, from, 0, 1);
    const struct onnx_value *a = from->input, *b = from->weight;
    int64_t dim[ONNX_RANK_MAX];
    size_t rank = 0;
    uint64_t batch = 0;
    if (reason == NULL && (a->rank < 2 || b->rank < 2))
        reason = "an operand is a vector";
    if (reason == NULL && a->dim[a->rank - 1] != b->dim[b->rank - 2])
        reason = "its operands are no matrices that fit";
    if (reason == NULL && (batch = matmul_batch(a, b, dim, &rank)) == 0)
        reason = "the axes before its matrices do not agree";
    if (reason != NULL) {
        skip(onnx, from, reason);
        return;
    }
    int64_t m = a->dim[a->rank - 2], n = b->dim[b->rank - 1];
    struct product_shape shape = {batch, (uint64_t)m, (uint64_t)a->dim[a->rank - 1], (uint64_t)n};
    dim[rank - 2] = m;
    dim[rank - 1] = n;
    int32_t type = strcmp(node->op_type, "MatMulInteger") == 0 ? ONNX_INT32 : a->type;
    onnx_output(onnx, node, 0, type, rank, dim);
    /* One matrix for all: their rows are those of one product. */
    if (b->rank == 2) {
        shape.m = network_product(shape.m, batch);
        shape.count = 1;
    }
    add_product(onnx, from, shape);
}

/* ---- nodes ---- */

/* How often an operator that is no layer occurs. */
struct operator_count {
    const char *name;
    uint64_t count;
};

static void count_operator(struct operator_count *counts, const char *name)
{
    size_t i = 0;
    while (i + 1 < OPERATORS_MAX && counts[i].name != NULL && strcmp(counts[i].name, name) != 0)
        i++;
    if (counts[i].name == NULL)
        counts[i].name = i + 1 < OPERATORS_MAX ? name : "others";
    counts[i].count++;
}

static const char *operator_reason(const char *name)
{
    static const struct {
        const char *name, *reason;
    } reasons[] = {
        {"ConvTranspose", "transposed convolutions are not modelled"},
        {"DeformConv", "deformable convolutions are not modelled"},
        {"LSTM", "recurrent layers are not modelled"},
        {"GRU", "recurrent layers are not modelled"},
        {"RNN", "recurrent layers are not modelled"},
        {"Attention", "its products are not taken apart"},
        {"QLinearMatMul", "its products are not read"},
        {"Einsum", "its products are not taken apart"},
        {"If", "its graphs are not read"},
        {"Loop", "its graphs are not read"},
        {"Scan", "its graphs are not read"},
    };
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (strcmp(reasons[i].name, name) == 0)
            return reasons[i].reason;
    return "neither a convolution nor a matrix product";
}

static void read_node(struct onnx_reader *onnx, const Onnx__NodeProto *node,
                      struct operator_count *counts)
{
    const char *operator= node->op_type != NULL ? node->op_type : "";
    struct onnx_layer layer = {.node = node, .name = node->name};
    if ((layer.name == NULL || *layer.name == '\0') && node->n_output > 0)
        layer.name = node->output[0];
    if (layer.name == NULL)
        layer.name = "";
    if (strcmp(operator, "Conv") == 0) {
        read_conv(onnx, &layer, 1, 2);
    } else if (strcmp(operator, "ConvInteger") == 0) {
        read_conv(onnx, &layer, 1, 0);
    } else if (strcmp(operator, "QLinearConv") == 0) {
        layer.quant = true;
        read_conv(onnx, &layer, 3, 8);
    } else if (strcmp(operator, "Gemm") == 0) {
        read_gemm(onnx, &layer);
    } else if (strcmp(operator, "MatMul") == 0 || strcmp(operator, "MatMulInteger") == 0) {
        read_matmul(onnx, &layer);
    } else {
        count_operator(counts, operator);
        onnx_infer(onnx, node);
    }
}

static void skip_operators(struct onnx_reader *onnx, const struct operator_count *counts)
{
    for (size_t i = 0; i < OPERATORS_MAX && counts[i].name != NULL; i++) {
        const char *what =
            arena_format(onnx->reader->arena, "%llu node%s", (unsigned long long)counts[i].count,
                         counts[i].count == 1 ? "" : "s");
        if (what == NULL)
            network_no_memory(onnx->reader);
        else
            network_skip(onnx->reader, counts[i].name, what, operator_reason(counts[i].name));
    }
}

/* ---- the graph ---- */

/* A value as the graph states it. batch: in place of its first axis, 0: as it says; an axis with a
 * name in place of a number is 1 when it is the first, and tells so. */
static void take_info(struct onnx_reader *onnx, struct onnx_values *values,
                      const Onnx__ValueInfoProto *info, uint64_t batch, bool *assumed)
{
    const Onnx__TypeProto__Tensor *tensor = info->type != NULL ? info->type->tensor_type : NULL;
    const Onnx__TensorShapeProto *shape = tensor != NULL ? tensor->shape : NULL;
    if (info->name == NULL || shape == NULL || shape->n_dim > ONNX_RANK_MAX ||
        onnx_value_find(&onnx->known, info->name) != NULL)
        return;
    struct onnx_value *value = onnx_value_make(values, info->name, onnx->reader->arena);
    if (value == NULL) {
        network_no_memory(onnx->reader);
        return;
    }
    value->type = tensor->elem_type;
    value->rank = shape->n_dim;
    value->has_shape = true;
    for (size_t i = 0; i < shape->n_dim; i++) {
        value->dim[i] = shape->dim[i]->has_dim_value ? shape->dim[i]->dim_value : 0;
        if (i == 0 && batch > 0)
            value->dim[i] = batch <= INT32_MAX ? (int64_t)batch : 0;
        else if (i == 0 && value->dim[i] < 1 && assumed != NULL) {
            value->dim[i] = 1;
            *assumed = true;
        }
        if (value->dim[i] < 1 || value->dim[i] > INT32_MAX)
            value->has_shape = false;
    }
}

/* Weights, inputs and, as long as the batch is that of the file, what is stated of other values. */
static void take_values(struct onnx_reader *onnx, const Onnx__GraphProto *graph, uint64_t batch)
{
    bool assumed = false;
    for (size_t i = 0; i < graph->n_initializer; i++) {
        const Onnx__TensorProto *tensor = graph->initializer[i];
        if (tensor->name == NULL)
            continue;
        struct onnx_value *value = onnx_value_make(&onnx->known, tensor->name, onnx->reader->arena);
        if (value == NULL)
            network_no_memory(onnx->reader);
        else
            onnx_take_tensor(value, tensor);
    }
    for (size_t i = 0; i < graph->n_input; i++)
        take_info(onnx, &onnx->known, graph->input[i], batch, &assumed);
    for (size_t i = 0; i < graph->n_value_info && batch == 0; i++)
        take_info(onnx, &onnx->stated, graph->value_info[i], 0, NULL);
    if (assumed)
        network_note(onnx->reader, "the file leaves the batch open: 1; --batch sets it");
}

static void read_graph(struct network_reader *reader, const Onnx__GraphProto *graph)
{
    struct operator_count counts[OPERATORS_MAX] = {{NULL, 0}};
    struct onnx_reader onnx = {.reader = reader};
    const struct network_options *whole = reader->options;
    /* Shapes follow from the batch of the inputs, so no layer takes it again. */
    const struct network_options options = {.dtype_given = whole->dtype_given,
                                            .dtype = whole->dtype};
    reader->options = &options;
    take_values(&onnx, graph, whole->batch);
    for (size_t i = 0; i < graph->n_node && reader->status != STATUS_NO_MEMORY; i++)
        read_node(&onnx, graph->node[i], counts);
    skip_operators(&onnx, counts);
    reader->options = whole;
}

/* ---- the file ---- */

struct message_memory {
    ProtobufCAllocator allocator;
    struct arena *arena;
    bool ran_out;
};

static void *message_take(void *data, size_t size_bytes)
{
    struct message_memory *memory = data;
    void *taken = arena_take(memory->arena, size_bytes, 1);
    memory->ran_out = memory->ran_out || taken == NULL;
    return taken;
}

/* The arena goes as a whole. */
static void message_release(void *data, void *pointer)
{
    (void)data;
    (void)pointer;
}

void network_read_onnx(struct network_reader *reader)
{
    struct message_memory memory = {
        .allocator = {.alloc = message_take, .free = message_release},
        .arena = reader->arena,
    };
    memory.allocator.allocator_data = &memory;
    reader->network->format = NETWORK_ONNX;
    const struct place place = {.source = reader->source};
    const Onnx__ModelProto *model = onnx__model_proto__unpack(
        &memory.allocator, reader->source->length, (const uint8_t *)reader->source->text);
    if (model == NULL && memory.ran_out)
        network_no_memory(reader);
    else if (model == NULL)
        network_refuse(reader, place,
                       "found no ONNX model, or a part of one; expected a whole one");
    else if (model->graph == NULL)
        network_refuse(reader, place, "found a model without a graph; expected one with a graph");
    else
        read_graph(reader, model->graph);
}
