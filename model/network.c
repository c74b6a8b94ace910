#include "model/network.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "model/network_reader.h"

enum { TABLE_BYTES_MAX = 16 << 20, ONNX_BYTES_MAX = 1 << 30 };

const char *network_format_word(enum network_format format)
{
    static const char *const words[NETWORK_FORMAT_COUNT] = {
#define ROW(name, word) word,
        NETWORK_FORMAT_LIST(ROW)
#undef ROW
    };
    return words[format];
}

/* ---- adding ---- */

void network_no_memory(struct network_reader *reader)
{
    reader->status = STATUS_NO_MEMORY;
    (void)diag_add(reader->diag, STATUS_NO_MEMORY, place_none(),
                   "memory ran out while reading '%s'", reader->network->path);
}

void network_refuse(struct network_reader *reader, struct place place, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *message = arena_format_list(reader->arena, format, arguments);
    va_end(arguments);
    if (message == NULL) {
        network_no_memory(reader);
        return;
    }
    reader->status =
        diag_graver(reader->status, diag_add(reader->diag, STATUS_BAD_INPUT, place, "%s", message));
}

void network_note(struct network_reader *reader, const char *sentence)
{
    struct network *network = reader->network;
    if (sentence == NULL)
        network_no_memory(reader);
    else if (network->note_count < sizeof network->notes / sizeof *network->notes)
        network->notes[network->note_count++] = sentence;
}

uint64_t network_product(uint64_t left, uint64_t right)
{
    return right != 0 && left > INT64_MAX / right ? UINT64_MAX : left * right;
}

struct layer layer_make(const char *name, struct place place)
{
    struct layer layer = {.name = name, .place = place, .count = 1};
    layer.conv = (struct conv){.rank = 2,
                               .batch = 1,
                               .cin = 1,
                               .cout = 1,
                               .groups = 1,
                               .dtype = ELEMENT_FP16,
                               .out_dtype = ELEMENT_FP16};
    for (uint32_t axis = 0; axis < AXIS_COUNT; axis++)
        layer.conv.in[axis] = layer.conv.kernel[axis] = layer.conv.stride[axis] =
            layer.conv.dilation[axis] = 1;
    return layer;
}

/* Doubles an arena array that is full; false without memory. */
static bool make_room(struct network_reader *reader, void *items, size_t count, size_t *capacity,
                      size_t size_bytes)
{
    if (count < *capacity)
        return true;
    size_t wanted = *capacity == 0 ? 64 : 2 * *capacity;
    void *old, *grown = arena_take(reader->arena, wanted, size_bytes);
    if (grown == NULL) {
        network_no_memory(reader);
        return false;
    }
    memcpy(&old, items, sizeof old);
    if (count > 0)
        memcpy(grown, old, count * size_bytes);
    memcpy(items, &grown, sizeof grown);
    *capacity = wanted;
    return true;
}

void network_skip(struct network_reader *reader, const char *name, const char *what,
                  const char *reason)
{
    struct network *network = reader->network;
    if (!make_room(reader, &network->skipped, network->skipped_count, &reader->skipped_capacity,
                   sizeof *network->skipped))
        return;
    struct skipped_layer skipped = {.name = arena_text(reader->arena, name, strlen(name)),
                                    .what = arena_text(reader->arena, what, strlen(what)),
                                    .reason = reason};
    if (skipped.name == NULL || skipped.what == NULL || reason == NULL)
        network_no_memory(reader);
    else
        network->skipped[network->skipped_count++] = skipped;
}

/* What the options change; false when a number is then too large. */
static bool take_options(const struct network_options *options, struct layer *layer)
{
    struct conv *conv = &layer->conv;
    if (options->batch > 0)
        conv->batch = options->batch;
    if (options->dtype_given) {
        conv->dtype = options->dtype;
        conv->quant.given = false;
    }
    if (layer->matmul) {
        conv->in[AXIS_W] = network_product(conv->in[AXIS_W], conv->batch);
        conv->batch = 1;
    }
    return conv->in[AXIS_W] <= INT64_MAX;
}

/* Derives what follows from a shape; false with a problem when it is none. */
static bool layer_complete(struct network_reader *reader, struct layer *layer)
{
    static const char *const words[AXIS_COUNT] = {"depth", "height", "width"};
    struct conv *conv = &layer->conv;
    if (conv->cin % conv->groups != 0 || conv->cout % conv->groups != 0) {
        network_refuse(reader, layer->place,
                       "found %llu groups for %llu to %llu channels; expected a divisor of both",
                       (unsigned long long)conv->groups, (unsigned long long)conv->cin,
                       (unsigned long long)conv->cout);
        return false;
    }
    conv->cin_group = conv->cin / conv->groups;
    conv_derive(conv);
    for (uint32_t axis = 0; axis < AXIS_COUNT; axis++)
        if (conv->out[axis] < 1) {
            network_refuse(
                reader, layer->place,
                "found a kernel of %s %llu with dilation %llu on an input of %llu with padding "
                "%llu + %llu; expected one that fits",
                words[axis], (unsigned long long)conv->kernel[axis],
                (unsigned long long)conv->dilation[axis], (unsigned long long)conv->in[axis],
                (unsigned long long)conv->pad_head[axis], (unsigned long long)conv->pad_tail[axis]);
            return false;
        }
    return true;
}

/* Occurrences and MACs of the whole network, which must not run over. */
static bool network_count(struct network_reader *reader, const struct layer *layer)
{
    struct network *network = reader->network;
    bool fits = conv_macs_fit(&layer->conv) && conv_bytes_fit(&layer->conv);
    uint64_t macs = fits ? network_product(conv_macs(&layer->conv), layer->count) : UINT64_MAX;
    if (macs > INT64_MAX - network->macs || layer->count > INT64_MAX - network->occurrences) {
        network_refuse(reader, layer->place,
                       "found more multiply-accumulates or bytes than 63 bits count; expected a "
                       "smaller layer");
        return false;
    }
    network->macs += macs;
    network->occurrences += layer->count;
    return true;
}

void network_add(struct network_reader *reader, const struct layer *layer)
{
    struct network *network = reader->network;
    struct layer whole = *layer;
    if (!take_options(reader->options, &whole)) {
        network_refuse(reader, layer->place, "found more rows than 63 bits count; expected fewer");
        return;
    }
    if (!layer_complete(reader, &whole) || !network_count(reader, &whole))
        return;
    if (make_room(reader, &network->layers, network->layer_count, &reader->layer_capacity,
                  sizeof *network->layers))
        network->layers[network->layer_count++] = whole;
}

/* ---- equal layers ---- */

/* "[1, 2]" of numbers along the axes of a convolution, behind a head of numbers. */
static const char *list_text(struct arena *arena, const char *head, const struct conv *conv,
                             const uint64_t *first, const uint64_t *second)
{
    const char *text = head;
    for (uint32_t axis = AXIS_COUNT - conv->rank; axis < AXIS_COUNT && text != NULL; axis++) {
        const char *comma = *text == '\0' ? "" : ", ";
        text = arena_format(arena, "%s%s%llu", text, comma, (unsigned long long)first[axis]);
        if (second != NULL && text != NULL)
            text = arena_format(arena, "%s, %llu", text, (unsigned long long)second[axis]);
    }
    return text;
}

static const char *conv_text(struct arena *arena, const struct conv *conv, const char *rest)
{
    const char *input = arena_format(arena, "%llu, %llu", (unsigned long long)conv->batch,
                                     (unsigned long long)conv->cin);
    const char *weight = arena_format(arena, "%llu, %llu", (unsigned long long)conv->cout,
                                      (unsigned long long)conv->cin_group);
    if (input == NULL || weight == NULL)
        return NULL;
    input = list_text(arena, input, conv, conv->in, NULL);
    weight = list_text(arena, weight, conv, conv->kernel, NULL);
    const char *stride = list_text(arena, "", conv, conv->stride, NULL);
    const char *padding = list_text(arena, "", conv, conv->pad_head, conv->pad_tail);
    const char *dilation = list_text(arena, "", conv, conv->dilation, NULL);
    if (input == NULL || weight == NULL || stride == NULL || padding == NULL || dilation == NULL)
        return NULL;
    return arena_format(arena,
                        "conv: {input: [%s], weight: [%s],\n"
                        "       stride: [%s], padding: [%s], dilation: [%s], groups: %llu,\n"
                        "       %s}\n",
                        input, weight, stride, padding, dilation, (unsigned long long)conv->groups,
                        rest);
}

/* A plan of the layer; NULL without memory. Scales do not move a timeline, so any will do. */
static const char *layer_plan(struct arena *arena, const struct layer *layer, bool turn_b)
{
    const struct conv *conv = &layer->conv;
    const char *rest = arena_format(arena, "dtype: %s%s, bias: %s", element_word(conv->dtype),
                                    conv->quant.given ? ", out_dtype: int8, quant: {scale: 1}" : "",
                                    conv->bias ? "true" : "false");
    if (rest == NULL)
        return NULL;
    if (!layer->matmul)
        return conv_text(arena, conv, rest);
    return arena_format(arena, "matmul: {m: %llu, n: %llu, k: %llu, %s%s}\n",
                        (unsigned long long)conv->in[AXIS_W], (unsigned long long)conv->cout,
                        (unsigned long long)conv->cin, rest,
                        turn_b && element_bits(conv->dtype) != 16 ? ", b_layout: dn" : "");
}

struct layer_key {
    const char *plan;
    size_t index;
};

static int key_order(const void *left, const void *right)
{
    const struct layer_key *a = left, *b = right;
    int order = strcmp(a->plan, b->plan);
    if (order != 0)
        return order;
    return a->index < b->index ? -1 : a->index > b->index;
}

/* Gives equal layers the index of the first of them among the layers. */
static bool find_first(struct network_reader *reader, struct layer_key *keys)
{
    struct network *network = reader->network;
    for (size_t i = 0; i < network->layer_count; i++) {
        keys[i] = (struct layer_key){
            layer_plan(reader->arena, &network->layers[i], reader->options->turn_b), i};
        if (keys[i].plan == NULL)
            return false;
    }
    qsort(keys, network->layer_count, sizeof *keys, key_order);
    for (size_t i = 0, first = 0; i < network->layer_count; i++) {
        if (strcmp(keys[i].plan, keys[first].plan) != 0)
            first = i;
        network->layers[keys[i].index].distinct = keys[first].index;
    }
    return true;
}

static void network_merge(struct network_reader *reader)
{
    struct network *network = reader->network;
    size_t count = network->layer_count;
    struct layer_key *keys = arena_take(reader->arena, count, sizeof *keys);
    network->distinct = arena_take(reader->arena, count, sizeof *network->distinct);
    if (keys == NULL || network->distinct == NULL || !find_first(reader, keys)) {
        network_no_memory(reader);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        struct layer *layer = &network->layers[i];
        if (layer->distinct == i) {
            layer->distinct = network->distinct_count;
            network->distinct[network->distinct_count++] =
                (struct distinct_layer){.first = i, .macs = conv_macs(&layer->conv)};
        } else {
            layer->distinct = network->layers[layer->distinct].distinct;
        }
        network->distinct[layer->distinct].count += layer->count;
    }
    for (size_t i = 0; i < count; i++) {
        struct distinct_layer *distinct =
            &network->distinct[network->layers[keys[i].index].distinct];
        distinct->plan = keys[i].plan;
    }
}

/* ---- files ---- */

static void read_table(struct network_reader *reader)
{
    struct row_reader rows = {.reader = reader, .next = reader->source->text, .line = 1};
    struct row head;
    reader->status = diag_graver(reader->status, source_check(reader->source, reader->diag));
    if (reader->status != STATUS_OK)
        return;
    if (!row_next(&rows, &head)) {
        if (reader->status == STATUS_OK)
            network_refuse(reader, (struct place){.source = reader->source},
                           "found an empty table; expected a row with the names of the columns");
        return;
    }
    if (scalesim_is(reader, &head))
        network_read_scalesim(reader, &rows, &head);
    else
        network_read_csv(reader, &rows, &head);
}

/* Whether the option moves any layer. */
static bool turns_any(const struct network *network, bool turn_b)
{
    for (size_t i = 0; i < network->layer_count && turn_b; i++)
        if (network->layers[i].matmul && element_bits(network->layers[i].conv.dtype) != 16)
            return true;
    return false;
}

static enum status network_finish(struct network_reader *reader)
{
    struct network *network = reader->network;
    if (reader->status == STATUS_OK && network->layer_count == 0)
        network_refuse(reader, (struct place){.source = reader->source},
                       network->skipped_count > 0
                           ? "found no layer that can be simulated; expected one at least"
                           : "found no layer; expected one at least");
    if (reader->status == STATUS_OK && turns_any(network, reader->options->turn_b))
        network_note(reader, "the second matrices of products lie transposed (b_layout dn), as the "
                             "product needs it for types that have not 16 bits");
    if (reader->status == STATUS_OK)
        network_merge(reader);
    return reader->status;
}

static bool is_onnx(const char *name)
{
    static const char ending[] = ".onnx";
    size_t length = strlen(name), tail = sizeof ending - 1;
    return length >= tail && strcmp(name + length - tail, ending) == 0;
}

/* Most bytes of a file; a model holds its weights. */
static size_t bytes_max(const char *name)
{
    return is_onnx(name) ? ONNX_BYTES_MAX : TABLE_BYTES_MAX;
}

static enum status read_source(const struct source *source, const struct network_options *options,
                               struct arena *arena, struct diag *diag, struct network *network)
{
    struct network_reader reader = {
        .network = network, .options = options, .arena = arena, .diag = diag, .source = source};
    if (is_onnx(source->name))
        network_read_onnx(&reader);
    else
        read_table(&reader);
    return network_finish(&reader);
}

enum status network_read(const char *name, const char *bytes, size_t length,
                         const struct network_options *options, struct arena *arena,
                         struct diag *diag, struct network *network)
{
    const struct source *source = NULL;
    *network = (struct network){.path = name};
    enum status status = source_copy(name, bytes, length, bytes_max(name), arena, diag, &source);
    return status == STATUS_OK ? read_source(source, options, arena, diag, network) : status;
}

enum status network_load(const char *path, const struct network_options *options,
                         struct arena *arena, struct diag *diag, struct network *network)
{
    const struct source *source = NULL;
    *network = (struct network){.path = path};
    enum status status = source_load(path, bytes_max(path), arena, diag, &source);
    return status == STATUS_OK ? read_source(source, options, arena, diag, network) : status;
}
