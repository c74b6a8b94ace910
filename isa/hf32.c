#include "isa/hf32.h"

#include <assert.h>

#include "isa/float_bits.h"

uint32_t hf32_fraction_bits(enum arch arch)
{
    return arch == ARCH_3510 ? 10 : 11;
}

float hf32_round(float value, uint32_t fraction_bits, enum hf32_mode mode)
{
    assert(fraction_bits >= 1 && fraction_bits <= 22);
    uint32_t bits = float_to_bits(value);
    if ((bits & 0x7F800000) == 0x7F800000) {
        return value;
    }
    uint32_t step = 1U << (23 - fraction_bits);
    uint32_t odd = (bits & step) != 0;
    /* The sum carries into the kept bits above a half, and at a half only from odd to even. */
    bits += step / 2 - 1 + (mode == HF32_NEAREST_EVEN ? odd : 0);
    return float_from_bits(bits & ~(step - 1));
}
