/*
 * The types of a convolution: dtype, out_dtype, hf32, quant (docs/plan.md section 2).
 */
#include <assert.h>
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/bind.h"
#include "isa/hf32.h"
#include "isa/insn.h"
#include "model/conversion.h"
#include "model/plan_reader.h"
#include "model/tensor.h"

enum { LIST_BYTES = 160, PATH_BYTES = 4096 };

static const char *const in_words[] = {"fp16",     "bf16",     "fp32", "int8",
                                       "fp8_e4m3", "fp8_e5m2", "hif8"};
static const char *const out_words[] = {"fp16", "bf16",     "fp32",     "int32",
                                        "int8", "fp8_e4m3", "fp8_e5m2", "hif8"};

/* The product that the plan is for, or any of them while it is not known. */
static unsigned reader_arches(const struct plan_reader *reader)
{
    return reader->product != NULL ? arch_bit(reader->product->arch) : ~0U;
}

static const char *reader_soc(const struct plan_reader *reader)
{
    return reader->product != NULL ? reader->product->soc : "any product";
}

/* Element types of A that the cube units of arches take. */
static uint32_t cube_types(unsigned arches)
{
    const struct insn_info *info = insn_info(OP_MMAD);
    uint32_t types = 0;

    for (size_t i = 0; i < info->product_count; i++) {
        if ((info->products[i].arches & arches) != 0) {
            types |= info->products[i].a;
        }
    }
    return types;
}

/* "fp16 and int8": those of the plan's types that the mask has. */
static const char *types_list(uint32_t types, char *text, size_t size)
{
    size_t left = 0;
    size_t used = 0;

    for (size_t i = 0; i < COUNT_OF(in_words); i++) {
        left += types >> element_find(in_words[i]) & 1;
    }
    text[0] = '\0';
    for (size_t i = 0; i < COUNT_OF(in_words); i++) {
        if ((types >> element_find(in_words[i]) & 1) == 0) {
            continue;
        }
        const char *before = used == 0 ? "" : left == 1 ? " and " : ", ";
        used += (size_t)snprintf(text + used, size - used, "%s%s", before, in_words[i]);
        assert(used < size);
        left--;
    }
    return text;
}

/* One of words, or ELEMENT_COUNT when it is missing or refused. */
static enum element read_element(struct plan_reader *reader, const struct node *map,
                                 const char *key, enum plan_word word, const char *const *words,
                                 size_t count)
{
    const size_t index = reader_choice(reader, map, key, word, words, count, count);

    return index == count ? ELEMENT_COUNT : element_find(words[index]);
}

/* Every convolution says its type; the message lists what there is. */
static void require_dtype(struct plan_reader *reader, const struct node *map)
{
    char list[LIST_BYTES];

    if (tree_find(map, "dtype") == NULL &&
        !bind_misspelt(map, "dtype", reader->keys, reader->key_count)) {
        READER_REFUSE(reader, map->place, "found no key 'dtype'; expected one of %s",
                      types_list(UINT32_MAX, list, sizeof list));
    }
}

/* Decimal digits with a point and an exponent, or without; nothing else that strtof would take. */
static bool is_decimal(const char *text)
{
    const char *digits = "0123456789";
    size_t length = strspn(text, digits);

    if (length == 0) {
        return false;
    }
    text += length;
    if (*text == '.') {
        length = strspn(++text, digits);
        if (length == 0) {
            return false;
        }
        text += length;
    }
    if (*text == 'e' || *text == 'E') {
        text++;
        text += *text == '+' || *text == '-';
        length = strspn(text, digits);
        if (length == 0) {
            return false;
        }
        text += length;
    }
    return *text == '\0';
}

/* Scales are above 0 and no subnormals: what hardware keeps of those could be 0. */
static bool scale_is_usable(float scale)
{
    return scale >= FLT_MIN && scale <= FLT_MAX;
}

static bool read_scale(struct plan_reader *reader, const struct node *node, float *scale)
{
    char found[EXCERPT_SIZE_BYTES];
    const bool scalar = node->kind == NODE_SCALAR;

    if (scalar && !node->quoted && is_decimal(node->text)) {
        *scale = strtof(node->text, NULL);
        if (scale_is_usable(*scale)) {
            return true;
        }
    }
    READER_REFUSE(reader, node->place, "found %s%s%s; expected a decimal number from %g to %g",
                  scalar ? "'" : "",
                  scalar ? excerpt_format(node->text, found, sizeof found) : "no number",
                  scalar ? "'" : "", (double)FLT_MIN, (double)FLT_MAX);
    return false;
}

static float *take_scales(struct plan_reader *reader, size_t count)
{
    float *scales = arena_take(reader->arena, count, sizeof *scales);

    if (scales == NULL) {
        (void)reader_note(reader, STATUS_NO_MEMORY);
    }
    return scales;
}

/* One number for all output channels, or a list with one for each. */
static void read_scales(struct plan_reader *reader, const struct node *node)
{
    struct conv *conv = &reader->plan->conv;
    const bool list = node->kind == NODE_LIST;
    const size_t count = list ? node->count : 1;
    bool good = true;

    if (list && count != conv->cout) {
        READER_REFUSE(reader, node->place,
                      "found a list of %zu scales; expected %llu, one for each output channel",
                      count, (unsigned long long)conv->cout);
        return;
    }
    float *scales = take_scales(reader, count);
    for (size_t i = 0; scales != NULL && i < count; i++) {
        good = read_scale(reader, list ? node->items[i] : node, &scales[i]) && good;
    }
    if (scales != NULL && good) {
        conv->quant.scales = scales;
        conv->quant.by_channel = list;
    }
}

/* A file that the plan names lies where the plan's own path says, unless it is absolute. */
static const char *beside_plan(const struct plan_reader *reader, const char *name)
{
    const char *slash = strrchr(reader->plan->path, '/');

    if (name[0] == '/' || slash == NULL) {
        return name;
    }
    return arena_format(reader->arena, "%.*s%s", (int)(slash - reader->plan->path + 1),
                        reader->plan->path, name);
}

static void read_scale_file(struct plan_reader *reader, const struct node *node)
{
    struct conv *conv = &reader->plan->conv;
    struct tensor file = {.element = ELEMENT_FP32, .rank = 1, .shape = {conv->cout}, .bias = true};
    const char *name = NULL;

    if (!reader_note(reader, bind_text(node, reader->diag, &name)) || conv->cout == 0) {
        return;
    }
    name = beside_plan(reader, name);
    if (name == NULL) {
        (void)reader_note(reader, STATUS_NO_MEMORY);
        return;
    }
    file.count = conv->cout;
    if (!reader_note(reader, npy_load(name, node->place, &file, reader->arena, reader->diag))) {
        return;
    }
    const float *scales = file.data;
    for (uint64_t i = 0; i < conv->cout; i++) {
        if (!scale_is_usable(scales[i])) {
            READER_REFUSE(reader, node->place,
                          "found the scale %g for output channel %llu in the file; expected a "
                          "number from %g to %g",
                          (double)scales[i], (unsigned long long)i, (double)FLT_MIN,
                          (double)FLT_MAX);
            return;
        }
    }
    conv->quant.scales = scales;
    conv->quant.by_channel = true;
}

static void read_quant(struct plan_reader *reader, const struct node *map)
{
    static const char *const keys[] = {"scale", "scale_file", "offset"};
    const struct node *node = reader_find(reader, map, "quant", WORD_QUANT);
    struct quant *quant = &reader->plan->conv.quant;
    int64_t offset = 0;

    if (node == NULL) {
        return;
    }
    quant->given = true;
    quant->scale_bits =
        conversion_scale_bits(reader->product != NULL ? reader->product->arch : ARCH_2201);
    reader->plan->place[WORD_QUANT] = reader_key_place(map, "quant");
    if (!reader_keys(reader, node, keys, COUNT_OF(keys)) && node->kind != NODE_MAP) {
        return;
    }
    const struct node *scale = tree_find(node, "scale");
    const struct node *file = tree_find(node, "scale_file");
    if (scale != NULL && file != NULL) {
        READER_REFUSE(reader, reader_key_place(node, "scale_file"),
                      "found both scale and scale_file; expected one of them");
    } else if (scale != NULL) {
        read_scales(reader, scale);
    } else if (file != NULL) {
        read_scale_file(reader, file);
    } else if (!bind_misspelt(node, "scale", keys, COUNT_OF(keys)) &&
               !bind_misspelt(node, "scale_file", keys, COUNT_OF(keys))) {
        READER_REFUSE(reader, node->place, "found quant without scale or scale_file; expected one");
    }
    node = reader_find(reader, node, "offset", WORD_QUANT_OFFSET);
    if (node != NULL && reader_note(reader, bind_integer(node, QUANT_OFFSET_MIN, QUANT_OFFSET_MAX,
                                                         reader->diag, &offset))) {
        quant->offset = (int32_t)offset;
    }
}

/* Without a word of its own the output has the type of the input; int8 without a scale stays in the
 * type of the sums. */
static enum element default_out(const struct conv *conv)
{
    return conv->dtype == ELEMENT_INT8 && !conv->quant.given ? ELEMENT_INT32 : conv->dtype;
}

/* Whether the product makes this output of these sums, with a scale or without one as written. */
static void check_out(struct plan_reader *reader)
{
    const struct plan *plan = reader->plan;
    const struct conv *conv = &plan->conv;
    const unsigned arches = reader_arches(reader);
    const enum element sums = conv_accumulator(conv);
    const bool written = plan->given[WORD_OUT_DTYPE];
    const bool scaled = conv->quant.given;
    const char *out = element_word(conv->out_dtype);
    const struct place place = plan->place[written ? WORD_OUT_DTYPE : WORD_DTYPE];
    char list[LIST_BYTES];

    if (conversion_exists(arches, sums, conv->out_dtype, scaled)) {
        return;
    }
    if (!conversion_exists(arches, sums, conv->out_dtype, !scaled)) {
        READER_REFUSE(reader, place, "found %sout_dtype%s%s%s for dtype '%s' on %s; expected %s",
                      written ? "" : "no ", written ? " '" : "", written ? out : "",
                      written ? "'" : "", element_word(conv->dtype), reader_soc(reader),
                      conversion_list(arches, sums, list, sizeof list));
    } else if (scaled) {
        READER_REFUSE(reader, plan->place[WORD_QUANT],
                      "found quant, but %s stores %s of %s without a scale; expected no quant, or "
                      "an out_dtype of %s",
                      reader_soc(reader), out, element_word(conv->dtype),
                      conversion_list(arches, sums, list, sizeof list));
    } else {
        READER_REFUSE(reader, place,
                      "found %s '%s' without quant, which an output of %s needs; expected 'quant: "
                      "{scale: NUMBER}', or an out_dtype of %s",
                      written ? "out_dtype" : "dtype", out, out,
                      conversion_list(arches, sums, list, sizeof list));
    }
}

/* Words for each channel reach the fixpipe through a buffer that not every product can fill. */
static void check_channels(struct plan_reader *reader)
{
    const struct product *product = reader->product;

    if (reader->plan->conv.quant.by_channel && product != NULL &&
        !arch_has_parameter_load(product->arch) && !arch_has_vector_exit(product->arch)) {
        READER_REFUSE(reader, reader->plan->place[WORD_QUANT],
                      "found a scale for each channel, but %s has no load into a fixpipe buffer; "
                      "expected one scale for all",
                      product->soc);
    }
}

static void check_offset(struct plan_reader *reader)
{
    const struct plan *plan = reader->plan;

    if (plan->conv.quant.offset != 0 && plan->conv.out_dtype != ELEMENT_INT8) {
        READER_REFUSE(reader, plan->place[WORD_QUANT_OFFSET],
                      "found offset %d with an output of %s; expected 0: only int8 outputs have an "
                      "offset",
                      plan->conv.quant.offset, element_word(plan->conv.out_dtype));
    }
}

static void read_hf32(struct plan_reader *reader, const struct node *map)
{
    struct plan *plan = reader->plan;
    bool on = false;

    reader_flag(reader, map, "hf32", WORD_HF32, &on);
    if (!on) {
        return;
    }
    if (plan->conv.dtype != ELEMENT_FP32 && plan->conv.dtype != ELEMENT_COUNT) {
        READER_REFUSE(reader, plan->place[WORD_HF32],
                      "found hf32 true with dtype '%s'; expected fp32",
                      element_word(plan->conv.dtype));
    } else if (reader->product != NULL && arch_has_hf32(reader->product->arch)) {
        plan->conv.hf32_bits = hf32_fraction_bits(reader->product->arch);
    } else if (reader->product != NULL) {
        READER_REFUSE(reader, plan->place[WORD_HF32],
                      "found hf32 true, but the cube unit of %s has no such mode; expected false",
                      reader_soc(reader));
    }
}

void plan_read_types(struct plan_reader *reader, const struct node *map)
{
    struct conv *conv = &reader->plan->conv;
    const unsigned arches = reader_arches(reader);
    char list[LIST_BYTES];

    require_dtype(reader, map);
    conv->dtype = read_element(reader, map, "dtype", WORD_DTYPE, in_words, COUNT_OF(in_words));
    conv->out_dtype =
        read_element(reader, map, "out_dtype", WORD_OUT_DTYPE, out_words, COUNT_OF(out_words));
    read_hf32(reader, map);
    read_quant(reader, map);
    if (conv->dtype == ELEMENT_COUNT) {
        return;
    }
    const bool refused = conv->out_dtype == ELEMENT_COUNT && reader->plan->given[WORD_OUT_DTYPE];
    if (conv->out_dtype == ELEMENT_COUNT) {
        conv->out_dtype = default_out(conv);
    }
    if ((cube_types(arches) >> conv->dtype & 1) == 0) {
        READER_REFUSE(reader, reader->plan->place[WORD_DTYPE],
                      "found dtype '%s', but the cube unit of %s has %s only; expected one of them",
                      element_word(conv->dtype), reader_soc(reader),
                      types_list(cube_types(arches), list, sizeof list));
    } else if (!refused) {
        check_out(reader);
        check_channels(reader);
        check_offset(reader);
    }
}
