#include "isa/gm_store.h"

#include <assert.h>
#include <string.h>

enum element gm_store_adds(enum space space, int64_t atomicAdd)
{
    assert(atomicAdd >= 0 && atomicAdd <= ELEMENT_COUNT);
    return space == SPACE_GM && atomicAdd != 0 ? (enum element)(atomicAdd - 1) : ELEMENT_COUNT;
}

void gm_store_mark(struct machine *machine, const struct view *target, uint64_t offset,
                   size_t size_bytes)
{
    uint8_t *written = target->written + offset;
    if (target->space == SPACE_GM && !target->whole && memchr(written, 1, size_bytes) != NULL) {
        for (size_t byte = 0; byte < size_bytes; byte++) {
            machine->stored_twice += written[byte];
        }
    }
    memset(written, 1, size_bytes);
}

/* The sum of two codes. Sums of integers are exact in binary64. A sum that is rounded first to a
 * format of at least 2p + 2 bits and then to one of p bits is the sum rounded once, so neither
 * binary64 before binary32 nor binary32 before the types of 11 and 8 bits changes a result. */
static uint32_t code_add(enum element element, uint32_t left, uint32_t right)
{
    double sum = element_decode(element, left) + element_decode(element, right);
    return element_is_integer(element) ? element_encode_integer(element, (int64_t)sum)
                                       : element_encode(element, (float)sum, false);
}

void gm_store_add(const struct view *target, uint64_t offset, enum element element,
                  const void *source, size_t count)
{
    uint8_t *bytes = target->bytes + offset;
    for (size_t index = 0; index < count; index++) {
        uint32_t sum = code_add(element, element_load(element, bytes, index),
                                element_load(element, source, index));
        element_store(element, bytes, index, sum);
    }
    memset(target->written + offset, 1, count * element_bytes(element));
}
