#include "model/conversion.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "isa/insn.h"

/* Fields of a quantisation word, docs/isa.md section 8. */
enum { WORD_OFFSET_BIT = 37, WORD_SIGNED_BIT = 46, WORD_OFFSET_MASK = 0x1FF };

/* Types that plans store, in the order of messages. */
static const enum element outputs[] = {ELEMENT_FP16, ELEMENT_BF16,     ELEMENT_FP32, ELEMENT_INT32,
                                       ELEMENT_INT8, ELEMENT_FP8_E4M3, ELEMENT_HIF8};
enum { OUTPUTS = sizeof outputs / sizeof outputs[0] };

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

/* What a copy from L0C to the unified buffer makes, on products without a fixpipe. */
static bool copy_exists(unsigned arches, enum element accumulator, enum element out, bool scaled)
{
    bool copies = (arches & (arch_bit(ARCH_1001) | arch_bit(ARCH_2002))) != 0;

    return copies && !scaled &&
           (out == accumulator || (accumulator == ELEMENT_FP32 && out == ELEMENT_FP16));
}

bool conversion_exists(unsigned arches, enum element accumulator, enum element out, bool scaled)
{
    if (copy_exists(arches, accumulator, out, scaled))
        return true;
    return mode_find(arches, accumulator, out, scaled ? PARAMETER_SCALAR : PARAMETER_NONE) !=
           MODE_COUNT;
}

enum insn_mode conversion_mode(enum arch arch, const struct conv *conv)
{
    const enum quant_parameter parameter = !conv->quant.given       ? PARAMETER_NONE
                                           : conv->quant.by_channel ? PARAMETER_VECTOR
                                                                    : PARAMETER_SCALAR;
    const enum insn_mode mode =
        mode_find(arch_bit(arch), conv_accumulator(conv), conv->out_dtype, parameter);

    assert(mode != MODE_COUNT);
    return mode;
}

float conversion_scale(float scale)
{
    uint32_t bits;

    memcpy(&bits, &scale, sizeof bits);
    bits &= ~UINT32_C(0x1FFF);
    memcpy(&scale, &bits, sizeof scale);
    return scale;
}

uint64_t conversion_word(const struct conv *conv, uint64_t channel)
{
    const struct quant *quant = &conv->quant;
    const float scale = conversion_scale(quant->scales[quant->by_channel ? channel : 0]);
    const uint64_t offset = (uint64_t)(int64_t)quant->offset & WORD_OFFSET_MASK;
    const uint64_t is_signed = conv->out_dtype == ELEMENT_INT8;
    uint32_t bits;

    memcpy(&bits, &scale, sizeof bits);
    return bits | offset << WORD_OFFSET_BIT | is_signed << WORD_SIGNED_BIT;
}

/* Appends " or "-separated words of the outputs that are stored with a scale only, or without one;
 * first stands before the first word. Returns the length of the text. */
static size_t list_outputs(unsigned arches, enum element accumulator, bool scaled,
                           const char *first, const char *between, char *text, size_t size)
{
    size_t used = strlen(text);

    for (size_t i = 0; i < OUTPUTS; i++) {
        const bool plain = conversion_exists(arches, accumulator, outputs[i], false);
        if (scaled ? plain || !conversion_exists(arches, accumulator, outputs[i], true) : !plain)
            continue;
        used += (size_t)snprintf(text + used, size - used, "%s%s", first, element_word(outputs[i]));
        assert(used < size);
        first = between;
    }
    return used;
}

const char *conversion_list(unsigned arches, enum element accumulator, char *text, size_t size)
{
    text[0] = '\0';
    size_t plain = list_outputs(arches, accumulator, false, "", ", ", text, size);
    size_t whole =
        list_outputs(arches, accumulator, true, plain > 0 ? ", or " : "", " or ", text, size);
    if (whole > plain)
        (void)snprintf(text + whole, size - whole, " with quant");
    return text;
}
