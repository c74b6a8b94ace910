#include "isa/arch.h"

#include <assert.h>
#include <string.h>

static const char *const arch_words[] = {
#define ROW(number, word, bit) word,
    ARCH_LIST(ROW)
#undef ROW
};

static const unsigned arch_bits[] = {
#define ROW(number, word, bit) bit,
    ARCH_LIST(ROW)
#undef ROW
};

const char *arch_word(enum arch arch)
{
    assert(arch < ARCH_COUNT);
    return arch_words[arch];
}

const char *arch_family(enum arch arch)
{
    static const char *const families[ARCH_COUNT] = {
        [ARCH_1001] = "Atlas training", [ARCH_2002] = "Atlas inference",
        [ARCH_2201] = "Atlas A2, A3",   [ARCH_3002] = "Atlas 200I/500 A2",
        [ARCH_3510] = "Ascend 950",
    };
    return families[arch];
}

enum arch arch_find(const char *word)
{
    for (int arch = 0; arch < ARCH_COUNT; arch++) {
        if (strcmp(arch_words[arch], word) == 0) {
            return (enum arch)arch;
        }
    }
    return ARCH_COUNT;
}

unsigned arch_bit(enum arch arch)
{
    assert(arch < ARCH_COUNT);
    return arch_bits[arch];
}

bool arch_l0a_is_nz(enum arch arch)
{
    return arch == ARCH_3510;
}

bool arch_has_nd2nz(enum arch arch)
{
    return arch == ARCH_2201 || arch == ARCH_3510;
}

bool arch_has_dn2nz(enum arch arch)
{
    return arch == ARCH_3510;
}

bool arch_has_bias_table(enum arch arch)
{
    return arch == ARCH_2201 || arch == ARCH_3510;
}

bool arch_has_parameter_load(enum arch arch)
{
    return arch == ARCH_2201 || arch == ARCH_3510;
}

bool arch_has_int4(enum arch arch)
{
    return arch == ARCH_2002 || arch == ARCH_2201 || arch == ARCH_3002;
}

bool arch_has_hf32(enum arch arch)
{
    return arch == ARCH_2201 || arch == ARCH_3002 || arch == ARCH_3510;
}

bool arch_has_cores(enum arch arch)
{
    return arch != ARCH_3002;
}

bool arch_has_fixpipe(enum arch arch)
{
    return arch == ARCH_2201 || arch == ARCH_3002 || arch == ARCH_3510;
}

bool arch_has_vector_exit(enum arch arch)
{
    return !arch_has_fixpipe(arch);
}
