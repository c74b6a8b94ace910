/*
 * Single elements with their shadow, where layouts are transposed.
 */
#ifndef CUBESIM_ISA_LANE_H
#define CUBESIM_ISA_LANE_H

#include <stdint.h>
#include <string.h>

/* Copies element `from` of an array to element `to` of another, of 4, 8, 16 or 32 bits. Two 4-bit
 * elements share a byte: the lower half is copied first and clears the upper one, and the byte
 * counts as written when both were. */
static inline void lane_copy(uint32_t bits, uint8_t *bytes, uint8_t *written, uint64_t to,
                             const uint8_t *from_bytes, const uint8_t *from_written, uint64_t from)
{
    if (bits == 4) {
        unsigned code = from_bytes[from / 2] >> 4 * (from % 2) & 0x0F;
        uint8_t known = from_written[from / 2];
        if (to % 2 == 0) {
            bytes[to / 2] = (uint8_t)code;
            written[to / 2] = known;
        } else {
            bytes[to / 2] = (uint8_t)(bytes[to / 2] | code << 4);
            written[to / 2] &= known;
        }
        return;
    }
    uint32_t size = bits / 8;
    memcpy(bytes + to * size, from_bytes + from * size, size);
    memcpy(written + to * size, from_written + from * size, size);
}

#endif
