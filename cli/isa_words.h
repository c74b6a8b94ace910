/*
 * The columns of the instruction table in words, as text, markdown and JSON show them alike.
 */
#ifndef CUBESIM_CLI_ISA_WORDS_H
#define CUBESIM_CLI_ISA_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/arena.h"
#include "engine/base/diag.h"
#include "isa/insn.h"

struct isa_soc {
    const char *soc;
    const char *alias; /* or "" */
};

/* The known products by their architecture. */
struct isa_socs {
    struct isa_soc *list[ARCH_COUNT];
    size_t count[ARCH_COUNT];
};

enum status isa_socs_load(struct arena *arena, struct diag *diag, struct isa_socs *socs) MUST_CHECK;

/* "ascend910b1 (atlas-a2), ascend910b2". */
const char *isa_socs_text(struct arena *arena, const struct isa_socs *socs, enum arch arch);

/* Lists of what bits say, "dav-2201, dav-3510", "l0a, l0b", "fp16, bf16"; all architectures: "all".
 */
const char *isa_arches(struct arena *arena, unsigned arches);
const char *isa_spaces(struct arena *arena, unsigned spaces);
const char *isa_types(struct arena *arena, uint32_t types);

/* What a mode stores: its types, or "as it is"; the parameter that it takes: "a word", "words". */
const char *isa_stored(struct arena *arena, const struct quant_info *mode);
const char *isa_parameter(const struct quant_info *mode);

/* The products that have a mode; of a Fixpipe also those that have it to L1, where that is not so
 * on all that store there: "2201, 3510; to l1 3510". */
const char *isa_mode_arches(struct arena *arena, enum opcode opcode, const struct quant_info *mode,
                            const char *(*list)(struct arena *arena, unsigned arches));

/* Where an instruction runs: "MTE1", "MTE2, MTE3" for one with several paths, "any" where its keys
 * say. */
const char *isa_pipes(struct arena *arena, const struct insn_info *info);

/* What the address of an operand is a multiple of: "512 B", "gm 1 B, l1 32 B". */
const char *isa_align(struct arena *arena, const struct operand_info *operand);

/* Whether a hole of a row is one on every product that has the instruction. */
bool isa_hole_is_everywhere(const struct insn_info *info, size_t hole);

/* "0..255", "0..3 but 1", "64 bits", "word". */
const char *isa_range(struct arena *arena, enum opcode opcode, size_t field);

/* Whether a field that is left out follows from the others, or from the tensors that are named. */
bool isa_implied(enum opcode opcode, size_t field);

/* The value of a field that is left out: "required", "implied", "0", "fp16". */
const char *isa_initial(struct arena *arena, enum opcode opcode, size_t field);

/* What a field is, with its unit or its words, and when it can be written: "padding on the left
 * (columns)". The words of the types of a row are left to its list of types. */
const char *isa_meaning(struct arena *arena, enum opcode opcode, size_t field);

/* The page of docs/ where it is described, "isa.md", and where there: "section 7", "sections
 * 5, 6.1".
 */
const char *isa_page(struct arena *arena, const struct insn_info *info);
const char *isa_sections(struct arena *arena, const struct insn_info *info);

/* A line with the keys that may not be left out: "load2d dst=NAME src=NAME repeatTimes=N". */
const char *isa_usage(struct arena *arena, const struct insn_info *info);

/* Its operands and keys, those that may be left out in brackets behind the others: "dst src
 * repeatTimes [type sid]"; "" for one that has none. */
const char *isa_keys(struct arena *arena, const struct insn_info *info);

#endif
