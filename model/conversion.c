#include "model/conversion.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "isa/insn.h"
#include "isa/quant.h"

enum { FIXPIPE_FRACTION_BITS = 10, BINARY32_FRACTION_BITS = 23 };

/* Types that plans store, in the order of messages. */
static const enum element outputs[] = {ELEMENT_FP16, ELEMENT_BF16,     ELEMENT_FP32, ELEMENT_INT32,
                                       ELEMENT_INT8, ELEMENT_FP8_E4M3, ELEMENT_HIF8};
enum { OUTPUTS = sizeof outputs / sizeof outputs[0], LIST_BYTES = 128 };

static bool mode_fits(const struct quant_info *mode, enum element accumulator, enum element out)
{
    bool same = accumulator == out;

    return (mode->sources >> accumulator & 1) != 0 &&
           (mode->targets == 0 ? same : (mode->targets >> out & 1) != 0);
}

/* The first mode of Fixpipe that does it, or MODE_COUNT. */
static enum insn_mode mode_find(unsigned arches, enum element accumulator, enum element out,
                                enum quant_parameter parameter)
{
    for (enum insn_mode mode = 0; mode < MODE_COUNT; mode++) {
        const struct quant_info *info = quant_info(mode);
        if ((info->arches & arches) != 0 && info->parameter == parameter &&
            mode_fits(info, accumulator, out))
            return mode;
    }
    return MODE_COUNT;
}

/* The last deqScale of the copy to the unified buffer that does it: of those from int32 to fp16 the
 * one whose parameter is a word, and not an fp16 code. DEQ_COUNT: none. */
static enum insn_deq deq_find(enum element accumulator, enum element out,
                              enum quant_parameter parameter)
{
    if (parameter == PARAMETER_NONE)
        return out == accumulator || (accumulator == ELEMENT_FP32 && out == ELEMENT_FP16)
                   ? DEQ_NONE
                   : DEQ_COUNT;
    for (enum insn_deq deq = DEQ_COUNT; deq > 0; deq--) {
        const struct quant_info *info = deq_info(deq - 1);
        if (info->parameter == parameter && mode_fits(info, accumulator, out))
            return deq - 1;
    }
    return DEQ_COUNT;
}

/* Products without a fixpipe, as bits of enum arch. */
static unsigned exit_arches(void)
{
    unsigned arches = 0;

    for (enum arch arch = 0; arch < ARCH_COUNT; arch++)
        arches |= arch_has_vector_exit(arch) ? arch_bit(arch) : 0;
    return arches;
}

bool conversion_exists(unsigned arches, enum element accumulator, enum element out, bool scaled)
{
    const enum quant_parameter parameter = scaled ? PARAMETER_SCALAR : PARAMETER_NONE;

    if ((arches & exit_arches()) != 0 && deq_find(accumulator, out, parameter) != DEQ_COUNT)
        return true;
    return mode_find(arches, accumulator, out, parameter) != MODE_COUNT;
}

static enum quant_parameter parameter_of(const struct conv *conv)
{
    if (!conv->quant.given)
        return PARAMETER_NONE;
    return conv->quant.by_channel ? PARAMETER_VECTOR : PARAMETER_SCALAR;
}

enum insn_mode conversion_mode(enum arch arch, const struct conv *conv)
{
    const enum insn_mode mode =
        mode_find(arch_bit(arch), conv_accumulator(conv), conv->out_dtype, parameter_of(conv));

    assert(mode != MODE_COUNT);
    return mode;
}

enum insn_deq conversion_deq(const struct conv *conv)
{
    const enum insn_deq deq = deq_find(conv_accumulator(conv), conv->out_dtype, parameter_of(conv));

    assert(deq != DEQ_COUNT);
    return deq;
}

const char *conversion_name(enum arch arch, const struct conv *conv)
{
    return arch_has_vector_exit(arch) ? deq_info(conversion_deq(conv))->word
                                      : quant_info(conversion_mode(arch, conv))->word;
}

uint32_t conversion_scale_bits(enum arch arch)
{
    return arch_has_vector_exit(arch) ? BINARY32_FRACTION_BITS : FIXPIPE_FRACTION_BITS;
}

float conversion_scale(float scale, uint32_t scale_bits)
{
    uint32_t bits;

    assert(scale_bits <= BINARY32_FRACTION_BITS);
    memcpy(&bits, &scale, sizeof bits);
    bits &= UINT32_MAX << (BINARY32_FRACTION_BITS - scale_bits);
    memcpy(&scale, &bits, sizeof scale);
    return scale;
}

uint64_t conversion_word(const struct conv *conv, uint64_t channel)
{
    const struct quant *quant = &conv->quant;
    const float written = quant->scales[quant->by_channel ? channel : 0];
    const float scale = conversion_scale(written, quant->scale_bits);
    const uint64_t offset = (uint64_t)(int64_t)quant->offset & QUANT_OFFSET_MASK;
    const uint64_t is_signed = conv->out_dtype == ELEMENT_INT8;
    uint32_t bits;

    memcpy(&bits, &scale, sizeof bits);
    return (uint64_t)bits << QUANT_WORD_SCALE | offset << QUANT_WORD_OFFSET |
           is_signed << QUANT_WORD_SIGNED;
}

/* "fp32", "fp16, bf16 or fp32": outputs that are stored without a scale, or with one only. */
static size_t list_outputs(unsigned arches, enum element accumulator, bool scaled, bool more,
                           char *text, size_t size)
{
    const char *words[OUTPUTS];
    size_t count = 0, used = 0;

    for (size_t i = 0; i < OUTPUTS; i++) {
        const bool plain = conversion_exists(arches, accumulator, outputs[i], false);
        if (scaled ? !plain && conversion_exists(arches, accumulator, outputs[i], true) : plain)
            words[count++] = element_word(outputs[i]);
    }
    text[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        const char *before = i == 0 ? "" : i + 1 < count || more ? ", " : " or ";
        used += (size_t)snprintf(text + used, size - used, "%s%s", before, words[i]);
        assert(used < size);
    }
    return used;
}

const char *conversion_list(unsigned arches, enum element accumulator, char *text, size_t size)
{
    char scaled[LIST_BYTES];
    bool both = list_outputs(arches, accumulator, true, false, scaled, sizeof scaled) > 0;
    size_t plain = list_outputs(arches, accumulator, false, both, text, size);

    if (both)
        (void)snprintf(text + plain, size - plain, "%s%s with quant", plain > 0 ? ", or " : "",
                       scaled);
    return text;
}
