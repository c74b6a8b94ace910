#include "model/insn_ref.h"

#include <stdio.h>

const char *insn_ref_text(const struct insn_ref *ref, char text[INSN_REF_TEXT_BYTES])
{
    bool filed = ref->line != 0;
    snprintf(text, INSN_REF_TEXT_BYTES, "%s%lu (%s)", filed ? "line " : "#",
             (unsigned long)(filed ? ref->line : ref->seq),
             insn_info((enum opcode)ref->opcode)->mnemonic);
    return text;
}
