/*
 * Lines of a program's text: one for its product, each region, each dump and each instruction.
 * isa/program_text.h puts them together.
 */
#ifndef CUBESIM_ISA_PROGRAM_FORMAT_H
#define CUBESIM_ISA_PROGRAM_FORMAT_H

#include <stddef.h>
#include <stdint.h>

#include "isa/program.h"

/* Print the .product line, a .gm or buffer line, a dump or one instruction, without a newline at
 * the end, into buffer; they return the length that the text needs, like snprintf. Fields that a
 * reader would conclude are left out unless required. Parsing gives the same back. Names of regions
 * are words of letters, digits, '_' and '.'; paths hold no control characters. */
size_t program_format_product(const struct program *program, char *buffer, size_t size);
size_t program_format_region(const struct program *program, uint32_t region, char *buffer,
                             size_t size);
/* ".l2 NAME ..." of all warm tensors; "" when there is none. */
size_t program_format_l2(const struct program *program, char *buffer, size_t size);
size_t program_format_dump(const struct program *program, uint32_t dump, char *buffer, size_t size);
size_t program_format_insn(const struct program *program, const struct insn *insn, char *buffer,
                           size_t size);

#endif
