#include "isa/quant.h"

#include "isa/float_bits.h"
#include "isa/hif8.h"

struct quant_word quant_word_read(uint64_t word, unsigned scale_bits)
{
    uint32_t scale = (uint32_t)(word >> QUANT_WORD_SCALE & UINT32_MAX);
    int16_t offset = (int16_t)(word >> QUANT_WORD_OFFSET & QUANT_OFFSET_MASK);
    return (struct quant_word){
        .scale = float_from_bits(scale >> (32 - scale_bits) << (32 - scale_bits)),
        .offset =
            (int16_t)((offset & QUANT_OFFSET_SIGN) != 0 ? offset - 2 * QUANT_OFFSET_SIGN : offset),
        .shift = (uint8_t)((word >> QUANT_WORD_SHIFT & 15) + 1),
        .shifts = (word >> QUANT_WORD_MCB & 1) != 0,
        .is_signed = (word >> QUANT_WORD_SIGNED & 1) != 0,
    };
}

struct quant_word quant_word_half(uint16_t code)
{
    return (struct quant_word){.scale = (float)element_decode(ELEMENT_FP16, code), .shift = 1};
}

bool quant_word_is_sound(const struct quant_word *word)
{
    uint32_t bits = float_to_bits(word->scale) & 0x7FFFFFFF;
    uint32_t exponent = bits >> 23;
    return bits == 0 || (exponent != 0 && exponent != 0xFF);
}

static int32_t clamp(int32_t value, int32_t low, int32_t high)
{
    return value < low ? low : value > high ? high : value;
}

/* An arithmetic shift to the right, rounding down. */
static int32_t shift_down(int32_t value, uint32_t shift)
{
    return value >= 0 ? value >> shift : ~(~value >> shift);
}

/* A type that is stored as it is. */
static uint32_t code_keep(const struct quant_rule *rule, uint32_t code)
{
    if (!rule->relu) {
        return code;
    }
    if (rule->source == ELEMENT_INT32) {
        return (code & 0x80000000) != 0 ? 0 : code;
    }
    return element_decode(rule->source, code) > 0.0 ? code : 0;
}

static float code_value(const struct quant_rule *rule, const struct quant_word *word, uint32_t code)
{
    if (rule->source == ELEMENT_FP32) {
        return float_from_bits(code);
    }
    if (rule->source != ELEMENT_INT32) {
        return (float)element_decode(rule->source, code);
    }
    int32_t value = (int32_t)code;
    if (rule->shifts && word->shifts) {
        value = clamp(shift_down(value, word->shift), INT16_MIN, INT16_MAX);
    }
    return (float)value;
}

/* To the nearest integer, halves to even; NaN is 0 and the ends are beyond every clamp. */
static int32_t value_round(float value)
{
    if (value != value) {
        return 0;
    }
    if (value < -1024.0F || value > 1024.0F) {
        return value < 0.0F ? -1024 : 1024;
    }
    int32_t whole = (int32_t)value; /* towards zero */
    float rest = value - (float)whole;
    float size = rest < 0.0F ? -rest : rest;
    bool away = size > 0.5F || (size == 0.5F && whole % 2 != 0);
    return away ? whole + (value < 0.0F ? -1 : 1) : whole;
}

static uint32_t value_to_8_bits(const struct quant_word *word, float value, bool *clamped)
{
    int32_t low = word->is_signed ? INT8_MIN : 0;
    int32_t high = word->is_signed ? INT8_MAX : UINT8_MAX;
    int32_t rounded = value_round(value);
    int32_t sum = clamp(rounded, -256, 255) + word->offset;
    *clamped = rounded < -256 || rounded > 255 || sum < low || sum > high;
    return (uint32_t)clamp(sum, low, high) & 0xFF;
}

static uint32_t code_to_16_bits(const struct quant_rule *rule, const struct quant_word *word,
                                uint32_t code, bool *clamped)
{
    int32_t value = shift_down((int32_t)code, word->shift);
    int32_t held = clamp(value, rule->relu ? 0 : INT16_MIN, INT16_MAX);
    *clamped = value < INT16_MIN || value > INT16_MAX;
    return (uint32_t)held & 0xFFFF;
}

/* The largest finite value of a floating type that is stored. */
static float largest_value(enum element element)
{
    switch ((int)element) {
    case ELEMENT_FP16:
        return 65504.0F;
    case ELEMENT_BF16:
        return float_from_bits(0x7F7F0000);
    case ELEMENT_FP8_E4M3:
        return 448.0F;
    case ELEMENT_HIF8:
        return 32768.0F;
    default:
        return float_from_bits(0x7F7FFFFF);
    }
}

static uint32_t code_convert(const struct quant_rule *rule, const struct quant_word *word,
                             uint32_t code, float largest, bool *clamped)
{
    float value = code_value(rule, word, code);
    if (rule->relu && !(value > 0.0F)) {
        value = 0.0F;
    } else if (rule->scales) {
        value = (float)((double)value * (double)word->scale);
    }
    if (element_is_integer(rule->target)) {
        return value_to_8_bits(word, value, clamped);
    }
    *clamped = rule->saturate && (value > largest || value < -largest);
    return rule->hybrid ? hif8_encode_hybrid(value, rule->saturate)
                        : element_encode(rule->target, value, rule->saturate);
}

uint64_t quant_apply(const struct quant_rule *rule, const struct quant_word *words,
                     size_t word_step, const uint32_t *codes, size_t count, uint32_t *stored)
{
    uint64_t held = 0;
    bool keeps = !rule->scales && rule->source == rule->target;
    float largest = largest_value(rule->target);
    for (size_t index = 0; index < count; index++) {
        const struct quant_word *word = words + index * word_step;
        bool clamped = false;
        if (keeps) {
            stored[index] = code_keep(rule, codes[index]);
        } else if (rule->target == ELEMENT_INT16) {
            stored[index] = code_to_16_bits(rule, word, codes[index], &clamped);
        } else {
            stored[index] = code_convert(rule, word, codes[index], largest, &clamped);
        }
        held += clamped;
    }
    return held;
}
