/*
 * Which instruction of a stream is meant, and how messages call it.
 */
#ifndef CUBESIM_MODEL_INSN_REF_H
#define CUBESIM_MODEL_INSN_REF_H

#include <stdint.h>

#include "isa/insn.h"

struct insn_ref {
    uint32_t seq;    /* index in the core's stream */
    uint32_t line;   /* of a program file; 0 when lowered */
    uint16_t opcode; /* enum opcode */
};

static inline struct insn_ref insn_ref_of(const struct insn *insn, uint32_t seq)
{
    return (struct insn_ref){.seq = seq, .line = insn->line, .opcode = insn->opcode};
}

enum { INSN_REF_TEXT_BYTES = 64 };

/* "line 12 (mmad)" of a program file, "#12 (mmad)" of a lowered one; returns text. */
const char *insn_ref_text(const struct insn_ref *ref, char text[INSN_REF_TEXT_BYTES]);

#endif
