#include <string.h>

#include "model/network_onnx.h"

typedef void infer(struct onnx_reader *onnx, const Onnx__NodeProto *node);

static void infer_same(struct onnx_reader *onnx, const Onnx__NodeProto *node)
{
    const struct onnx_value *input = onnx_input(onnx, node, 0);
    if (input != NULL)
        onnx_output(onnx, node, 0, input->type, input->rank, input->dim);
}

static void infer_cast(struct onnx_reader *onnx, const Onnx__NodeProto *node)
{
    const struct onnx_value *input = onnx_input(onnx, node, 0);
    int64_t to = onnx_whole(node, "to", 0);
    if (input != NULL && to > 0 && to < 100)
        onnx_output(onnx, node, 0, (int32_t)to, input->rank, input->dim);
}

static void infer_quantize(struct onnx_reader *onnx, const Onnx__NodeProto *node)
{
    const struct onnx_value *input = onnx_input(onnx, node, 0), *zero = onnx_input(onnx, node, 2);
    int32_t type = strcmp(node->op_type, "DequantizeLinear") == 0 ? ONNX_FLOAT : ONNX_UINT8;
    if (type == ONNX_UINT8 && zero != NULL)
        type = zero->type;
    if (input != NULL)
        onnx_output(onnx, node, 0, type, input->rank, input->dim);
}

/* Shapes are aligned at their last axes; an axis of 1 goes with any other. */
static void infer_broadcast(struct onnx_reader *onnx, const Onnx__NodeProto *node)
{
    int64_t dim[ONNX_RANK_MAX];
    size_t rank = 0;
    int32_t type = 0;
    for (size_t i = 0; i < node->n_input; i++) {
        const struct onnx_value *input = onnx_input(onnx, node, i);
        if (input == NULL)
            return;
        type = type == 0 ? input->type : type;
        for (; rank < input->rank; rank++) {
            memmove(dim + 1, dim, rank * sizeof *dim);
            dim[0] = 1;
        }
        for (size_t axis = 0; axis < input->rank; axis++) {
            int64_t *wide = &dim[rank - input->rank + axis], own = input->dim[axis];
            if (*wide != own && *wide != 1 && own != 1)
                return;
            *wide = own > *wide ? own : *wide;
        }
    }
    if (node->n_input > 0)
        onnx_output(onnx, node, 0, type, rank, dim);
}

static void infer_pool(struct onnx_reader *onnx, const Onnx__NodeProto *node)
{
    const struct onnx_value *input = onnx_input(onnx, node, 0);
    const Onnx__AttributeProto *kernel = onnx_attribute(node, "kernel_shape");
    struct onnx_window window = {.rank = kernel != NULL ? kernel->n_ints : 0};
    int64_t dim[ONNX_RANK_MAX];
    if (input == NULL || window.rank < 1 || window.rank > 3 || input->rank != window.rank + 2)
        return;
    for (size_t axis = 0; axis < window.rank; axis++) {
        window.kernel[axis] = kernel->ints[axis];
        if (window.kernel[axis] < 1 || window.kernel[axis] > INT32_MAX)
            return;
    }
    if (onnx_window_read(node, input, &window) != NULL)
        return;
    memcpy(dim, input->dim, sizeof dim);
    memcpy(dim + 2, window.out, window.rank * sizeof *dim);
    onnx_output(onnx, node, 0, input->type, input->rank, dim);
}

static void infer_global_pool(struct onnx_reader *onnx, const Onnx__NodeProto *node)
{
    const struct onnx_value *input = onnx_input(onnx, node, 0);
    int64_t dim[ONNX_RANK_MAX];
    if (input == NULL || input->rank < 2)
        return;
    for (size_t axis = 0; axis < input->rank; axis++)
        dim[axis] = axis < 2 ? input->dim[axis] : 1;
    onnx_output(onnx, node, 0, input->type, input->rank, dim);
}

/* An axis counted from the end when it is below 0; rank when there is no such axis. */
static size_t axis_find(int64_t axis, size_t rank)
{
    int64_t whole = axis < 0 ? axis + (int64_t)rank : axis;
    return whole >= 0 && whole < (int64_t)rank ? (size_t)whole : rank;
}

static void infer_concat(struct onnx_reader *onnx, const Onnx__NodeProto *node)
{
    const struct onnx_value *first = onnx_input(onnx, node, 0);
    int64_t dim[ONNX_RANK_MAX];
    if (first == NULL)
        return;
    size_t along = axis_find(onnx_whole(node, "axis", 0), first->rank);
    memcpy(dim, first->dim, sizeof dim);
    for (size_t i = 1; i < node->n_input; i++) {
        const struct onnx_value *input = onnx_input(onnx, node, i);
        if (input == NULL || input->rank != first->rank || along == first->rank)
            return;
        for (size_t axis = 0; axis < input->rank; axis++)
            if (axis != along && input->dim[axis] != dim[axis])
                return;
        if (dim[along] > INT32_MAX)
            return;
        dim[along] += input->dim[along];
    }
    onnx_output(onnx, node, 0, first->type, first->rank, dim);
}

/* Elements of some axes; beyond INT64_MAX UINT64_MAX. */
static uint64_t elements(const int64_t *dim, size_t count)
{
    uint64_t product = 1;
    for (size_t i = 0; i < count && product <= INT64_MAX; i++)
        product = network_product(product, (uint64_t)dim[i]);
    return product;
}

/* 0 keeps an axis, -1 takes what is left. */
static void infer_reshape(struct onnx_reader *onnx, const Onnx__NodeProto *node)
{
    const struct onnx_value *input = onnx_input(onnx, node, 0), *shape = onnx_input(onnx, node, 1);
    int64_t dim[ONNX_RANK_MAX];
    size_t open = ONNX_RANK_MAX;
    if (input == NULL || shape == NULL || !shape->has_data)
        return;
    for (size_t i = 0; i < shape->data_count; i++) {
        dim[i] = shape->data[i] == 0 && i < input->rank ? input->dim[i] : shape->data[i];
        if (dim[i] == -1 && open == ONNX_RANK_MAX) {
            open = i;
            dim[i] = 1;
        }
        if (dim[i] < 1 || dim[i] > INT32_MAX)
            return;
    }
    uint64_t all = elements(input->dim, input->rank), given = elements(dim, shape->data_count);
    if (all > INT64_MAX || given > all || all % given != 0 || all / given > INT32_MAX)
        return;
    if (open < ONNX_RANK_MAX)
        dim[open] = (int64_t)(all / given);
    else if (all != given)
        return;
    onnx_output(onnx, node, 0, input->type, shape->data_count, dim);
}

static void infer_flatten(struct onnx_reader *onnx, const Onnx__NodeProto *node)
{
    const struct onnx_value *input = onnx_input(onnx, node, 0);
    int64_t axis = onnx_whole(node, "axis", 1);
    if (input == NULL)
        return;
    axis = axis < 0 ? axis + (int64_t)input->rank : axis;
    if (axis < 0 || axis > (int64_t)input->rank)
        return;
    uint64_t head = elements(input->dim, (size_t)axis);
    uint64_t tail = elements(input->dim + axis, input->rank - (size_t)axis);
    if (head <= INT32_MAX && tail <= INT32_MAX)
        onnx_output(onnx, node, 0, input->type, 2, (int64_t[]){(int64_t)head, (int64_t)tail});
}

static void infer_transpose(struct onnx_reader *onnx, const Onnx__NodeProto *node)
{
    const struct onnx_value *input = onnx_input(onnx, node, 0);
    const Onnx__AttributeProto *order = onnx_attribute(node, "perm");
    int64_t dim[ONNX_RANK_MAX];
    if (input == NULL || (order != NULL && order->n_ints != input->rank))
        return;
    for (size_t i = 0; i < input->rank; i++) {
        size_t from = input->rank - 1 - i;
        if (order != NULL)
            from = axis_find(order->ints[i], input->rank);
        if (from == input->rank)
            return;
        dim[i] = input->dim[from];
    }
    onnx_output(onnx, node, 0, input->type, input->rank, dim);
}

/* The axes of Squeeze and Unsqueeze: an attribute, or an input of whole numbers; false: neither. */
static bool axes_read(const struct onnx_reader *onnx, const Onnx__NodeProto *node, size_t rank,
                      bool *chosen)
{
    const Onnx__AttributeProto *list = onnx_attribute(node, "axes");
    const struct onnx_value *input = onnx_has_input(node, 1) ? onnx_input(onnx, node, 1) : NULL;
    const int64_t *axes = list != NULL ? list->ints : input != NULL ? input->data : NULL;
    size_t count = list != NULL ? list->n_ints : input != NULL ? input->data_count : 0;
    if (axes == NULL || rank > ONNX_RANK_MAX || count > rank || (list == NULL && !input->has_data))
        return false;
    for (size_t i = 0; i < count; i++) {
        size_t axis = axis_find(axes[i], rank);
        if (axis == rank || chosen[axis])
            return false;
        chosen[axis] = true;
    }
    return true;
}

static void infer_squeeze(struct onnx_reader *onnx, const Onnx__NodeProto *node)
{
    const struct onnx_value *input = onnx_input(onnx, node, 0);
    bool chosen[ONNX_RANK_MAX] = {false};
    int64_t dim[ONNX_RANK_MAX];
    size_t rank = 0;
    if (input == NULL)
        return;
    bool all = onnx_attribute(node, "axes") == NULL && !onnx_has_input(node, 1);
    if (!all && !axes_read(onnx, node, input->rank, chosen))
        return;
    for (size_t axis = 0; axis < input->rank; axis++)
        if (!(all ? input->dim[axis] == 1 : chosen[axis]))
            dim[rank++] = input->dim[axis];
        else if (input->dim[axis] != 1)
            return;
    onnx_output(onnx, node, 0, input->type, rank, dim);
}

static void infer_unsqueeze(struct onnx_reader *onnx, const Onnx__NodeProto *node)
{
    const struct onnx_value *input = onnx_input(onnx, node, 0), *list = onnx_input(onnx, node, 1);
    const Onnx__AttributeProto *axes = onnx_attribute(node, "axes");
    bool chosen[ONNX_RANK_MAX] = {false};
    int64_t dim[ONNX_RANK_MAX];
    size_t added = axes != NULL ? axes->n_ints : list != NULL ? list->data_count : 0;
    if (input == NULL || added > ONNX_RANK_MAX - input->rank ||
        !axes_read(onnx, node, input->rank + added, chosen))
        return;
    for (size_t axis = 0, from = 0; axis < input->rank + added; axis++)
        dim[axis] = chosen[axis] ? 1 : input->dim[from++];
    onnx_output(onnx, node, 0, input->type, input->rank + added, dim);
}

/* Parts as they are given, or equal ones. */
static void infer_split(struct onnx_reader *onnx, const Onnx__NodeProto *node)
{
    const struct onnx_value *input = onnx_input(onnx, node, 0), *list = onnx_input(onnx, node, 1);
    const Onnx__AttributeProto *split = onnx_attribute(node, "split");
    int64_t dim[ONNX_RANK_MAX];
    if (input == NULL)
        return;
    size_t along = axis_find(onnx_whole(node, "axis", 0), input->rank), parts = node->n_output;
    if (along == input->rank || parts == 0)
        return;
    const int64_t *sizes = split != NULL ? split->ints : NULL;
    size_t given = split != NULL ? split->n_ints : 0;
    if (sizes == NULL && list != NULL && list->has_data) {
        sizes = list->data;
        given = list->data_count;
    }
    if (sizes != NULL ? given != parts : onnx_has_input(node, 1))
        return;
    int64_t each = (input->dim[along] + (int64_t)parts - 1) / (int64_t)parts;
    memcpy(dim, input->dim, sizeof dim);
    for (size_t i = 0; i < parts; i++) {
        dim[along] = sizes != NULL   ? sizes[i]
                     : i + 1 < parts ? each
                                     : input->dim[along] - each * (int64_t)(parts - 1);
        onnx_output(onnx, node, i, input->type, input->rank, dim);
    }
}

static void infer_constant(struct onnx_reader *onnx, const Onnx__NodeProto *node)
{
    const Onnx__AttributeProto *tensor = onnx_attribute(node, "value");
    if (tensor == NULL || tensor->t == NULL || node->n_output == 0 || node->output[0] == NULL)
        return;
    struct onnx_value *value = onnx_value_make(&onnx->known, node->output[0], onnx->reader->arena);
    if (value == NULL)
        network_no_memory(onnx->reader);
    else
        onnx_take_tensor(value, tensor->t);
}

static const struct {
    infer *infer;
    const char *operators; /* names, each between spaces */
} inferences[] = {
    {infer_same,
     " Relu LeakyRelu Sigmoid HardSigmoid HardSwish Swish Tanh Elu Selu Celu Gelu Erf Exp Log Sqrt "
     "Abs "
     "Neg Ceil Floor Round Sign Reciprocal Clip Softmax LogSoftmax Softplus Softsign Mish "
     "ThresholdedRelu BatchNormalization InstanceNormalization LayerNormalization "
     "GroupNormalization RMSNormalization LRN LpNormalization MeanVarianceNormalization Dropout "
     "Identity Sin Cos "},
    {infer_broadcast, " Add Sub Mul Div Pow Max Min Sum Mean PRelu "},
    {infer_cast, " Cast "},
    {infer_quantize, " QuantizeLinear DequantizeLinear "},
    {infer_pool, " MaxPool AveragePool LpPool "},
    {infer_global_pool, " GlobalMaxPool GlobalAveragePool GlobalLpPool "},
    {infer_concat, " Concat "},
    {infer_reshape, " Reshape "},
    {infer_flatten, " Flatten "},
    {infer_transpose, " Transpose "},
    {infer_squeeze, " Squeeze "},
    {infer_unsqueeze, " Unsqueeze "},
    {infer_split, " Split "},
    {infer_constant, " Constant "},
};

/* Whether a word stands in a list of words, each between spaces. */
static bool word_is_in(const char *words, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = strstr(words, word); at != NULL && length > 0; at = strstr(at + 1, word))
        if (at[-1] == ' ' && at[length] == ' ')
            return true;
    return false;
}

void onnx_infer(struct onnx_reader *onnx, const Onnx__NodeProto *node)
{
    const char *operator= node->op_type != NULL ? node->op_type : "";
    if (strchr(operator, ' ') != NULL)
        return;
    for (size_t i = 0; i < sizeof inferences / sizeof *inferences; i++)
        if (word_is_in(inferences[i].operators, operator))
            inferences[i].infer(onnx, node);
}
