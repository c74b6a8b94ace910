/*
 * Which bytes of GM an instruction reads or writes: runs of bytes at two levels of stride.
 */
#ifndef CUBESIM_MODEL_GM_ACCESS_H
#define CUBESIM_MODEL_GM_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/insn.h"
#include "isa/program.h"

/* outer_count times, outer_stride apart: inner_count runs of length bytes, inner_stride apart; the
 * very last one may be shorter. Runs that follow each other without a gap are one run. */
struct gm_access {
    bool write;
    uint32_t region;
    uint64_t from; /* address in GM of the first byte */
    uint64_t outer_count, outer_stride;
    uint64_t inner_count, inner_stride;
    uint64_t length;
    uint64_t last_lacks; /* bytes that the last run is shorter */
};

/* False when the instruction does not touch GM or moves nothing, as one that would leave its
 * tensor, or move more than INSN_BYTES_MAX (isa/effect.h). */
bool gm_access(const struct program *program, const struct insn *insn, struct gm_access *access);

/* Whether an instruction is a copy from GM, however much it moves: what MTE2 does but flags. */
static inline bool insn_copies(const struct insn *insn)
{
    return insn->pipe == PIPE_MTE2 && insn_info((enum opcode)insn->opcode)->effect;
}

static inline uint64_t gm_access_runs(const struct gm_access *access)
{
    return access->outer_count * access->inner_count;
}

static inline uint64_t gm_access_bytes(const struct gm_access *access)
{
    return gm_access_runs(access) * access->length - access->last_lacks;
}

#endif
