/*
 * The memories of one core and the GM tensors, with what was written to them.
 *
 * Every byte has a shadow: 0 until it is written. On-chip memories start as poison (0xA5 and
 * shadow 0). Copies carry the shadow along; arithmetic and stores to GM report bytes never written.
 * GM inputs are marked as written by their owner.
 */
#ifndef CUBESIM_ISA_MACHINE_H
#define CUBESIM_ISA_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/arena.h"
#include "engine/base/status.h"
#include "isa/insn.h"
#include "isa/program.h"

/* kinds of contract.md; the word is what users see */
#define HAZARD_LIST(ROW)                                                                           \
    ROW(OUT_OF_BOUNDS, "out_of_bounds")                                                            \
    ROW(MISALIGNED, "misaligned")                                                                  \
    ROW(UNINITIALIZED, "uninitialized")                                                            \
    ROW(RACE, "race")                                                                              \
    ROW(FLAG_UNSET, "flag_unset")                                                                  \
    ROW(FLAG_TWICE, "flag_twice")                                                                  \
    ROW(FLAG_LEFT, "flag_left")                                                                    \
    ROW(FLAG_ID, "flag_id")                                                                        \
    ROW(DEADLOCK, "deadlock")

enum hazard_kind {
#define ROW(name, word) HAZARD_##name,
    HAZARD_LIST(ROW)
#undef ROW
        HAZARD_COUNT
};

const char *hazard_word(enum hazard_kind kind);

struct memory {
    uint8_t *bytes;
    uint8_t *written; /* 1 per byte: it was written */
    uint64_t size_bytes;
    bool whole; /* every byte was written from the start: no need to look */
};

/* Bytes of a memory that were never written. */
uint64_t memory_unwritten_bytes(const struct memory *memory);

enum { MACHINE_POISON = 0xA5 };

/* Called for every hazard; message lives only during the call. */
typedef void hazard_sink(void *context, enum hazard_kind kind, const struct insn *insn,
                         const char *message);

/* Called for what is no fault and yet surprises: an instruction that does nothing. */
typedef void note_sink(void *context, const struct insn *insn, const char *message);

/* Told of every access of an effect, if there is one: size_bytes bytes of a memory. GM: the region
 * says which tensor and address counts from its start; else address lies in the memory `space`. */
typedef void access_sink(void *context, enum space space, uint32_t region, uint64_t address,
                         uint64_t size_bytes, bool write);

struct machine {
    const struct program *program;
    struct memory buffer[SPACE_COUNT]; /* on-chip memories by space; SPACE_GM is unused */
    struct memory *tensor;             /* [region]: GM tensors, shared by all cores; others empty */
    hazard_sink *hazard;               /* may be NULL */
    void *hazard_context;              /* of hazards and notes */
    note_sink *note;                   /* may be NULL */
    access_sink *access;               /* may be NULL */
    void *access_context;
    const bool *quiet;      /* [region]: accesses to this GM tensor are not told; NULL: all are */
    bool adding;            /* the accesses told now are those of an addition in GM */
    bool refusing;          /* the instruction at work was refused and does nothing */
    uint64_t refused;       /* instructions that did nothing: out of bounds, or no image size */
    uint64_t stored_twice;  /* GM bytes stored again, of tensors that held nothing; no additions */
    uint64_t saturated;     /* stored values that their type could not hold, clamped */
    uint8_t *scratch;       /* work area of the effects, 64-byte aligned */
    uint64_t scratch_bytes; /* its size; follows from the sizes of L0A and L0B */
};

/* Takes on-chip memories of the given sizes (bytes, by space; 0: the product has none) from the
 * arena and poisons them. */
enum status machine_init(struct machine *machine, const struct program *program,
                         const uint64_t size_bytes[SPACE_COUNT], struct memory *tensor,
                         struct arena *arena) MUST_CHECK;

/* Poisons the on-chip memories again, for the next core. */
void machine_reset(struct machine *machine);

/* A GM tensor of size_bytes; its bytes count as written when written is true. */
enum status memory_init(struct memory *memory, uint64_t size_bytes, bool written,
                        struct arena *arena) MUST_CHECK;

#endif
