/*
 * The instruction table as text for people, as markdown and as JSON.
 */
#ifndef CUBESIM_CLI_ISA_VIEW_H
#define CUBESIM_CLI_ISA_VIEW_H

#include "cli/isa_words.h"
#include "isa/refused.h"

/* Every instruction in a row, then what is refused; one instruction; one that is refused. */
void isa_print_table(struct arena *arena, const struct isa_socs *socs);
void isa_print_insn(struct arena *arena, const struct isa_socs *socs, enum opcode opcode);
void isa_print_refused(struct arena *arena, const struct refused *refused);

/* The same as JSON. */
void isa_print_table_json(struct arena *arena, const struct isa_socs *socs);
void isa_print_insn_json(struct arena *arena, const struct isa_socs *socs, enum opcode opcode);
void isa_print_refused_json(const struct refused *refused);

/* A page of documentation with all instructions, or the section of one. */
void isa_print_markdown(struct arena *arena, const struct isa_socs *socs);
void isa_print_insn_markdown(struct arena *arena, enum opcode opcode);

#endif
