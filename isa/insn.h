/*
 * One instruction: an opcode, its operands and its fields, as the vendor's documents name them.
 *
 * isa/opcode.def has one row per instruction and one line per operand and field; the enums below
 * come from it, so a field is LOAD3DV2_mExtension, an operand LOAD3DV2_src. An operand is a region
 * of the program (a GM tensor or a named part of an on-chip buffer) and a byte offset in it.
 */
#ifndef CUBESIM_ISA_INSN_H
#define CUBESIM_ISA_INSN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isa/arch.h"
#include "isa/element.h"

/* Pipes, in the order in which data flows; words of the contract. */
#define PIPE_LIST(ROW)                                                                             \
    ROW(SCALAR, "SCALAR")                                                                          \
    ROW(MTE2, "MTE2")                                                                              \
    ROW(MTE1, "MTE1")                                                                              \
    ROW(CUBE, "CUBE")                                                                              \
    ROW(FIXP, "FIXP")                                                                              \
    ROW(VECTOR, "VECTOR")                                                                          \
    ROW(MTE3, "MTE3")                                                                              \
    ROW(ALL, "ALL") /* only as the operand of pipe_barrier */

enum pipe {
#define ROW(name, word) PIPE_##name,
    PIPE_LIST(ROW)
#undef ROW
};
enum { PIPE_COUNT = PIPE_ALL }; /* pipes that execute */

const char *pipe_word(enum pipe pipe);

/* Memories an operand can lie in; bits, so that a row can allow several. */
#define SPACE_LIST(ROW)                                                                            \
    ROW(GM, "gm")                                                                                  \
    ROW(L1, "l1")                                                                                  \
    ROW(L0A, "l0a")                                                                                \
    ROW(L0B, "l0b")                                                                                \
    ROW(L0C, "l0c")                                                                                \
    ROW(BT, "bt")                                                                                  \
    ROW(FB, "fb")                                                                                  \
    ROW(UB, "ub")

enum space {
#define ROW(name, word) SPACE_##name,
    SPACE_LIST(ROW)
#undef ROW
        SPACE_COUNT
};

const char *space_word(enum space space);

enum opcode {
#define INSN(op, ...) OP_##op,
#include "isa/opcode.def"
    OP_COUNT
};

/* <OP>_<operand>: index into insn.operand. */
#define INSN(op, ...)                                                                              \
    enum op##_operand                                                                              \
    {
#define OPERAND(op, name, ...) op##_##name,
#define END(op)                                                                                    \
    op##_OPERAND_COUNT                                                                             \
    }                                                                                              \
    ;
#include "isa/opcode.def"

/* <OP>_<field>: index into insn.field. */
#define INSN(op, ...)                                                                              \
    enum op##_field                                                                                \
    {
#define FIELD(op, name, ...) op##_##name,
#define WORD(op, name, ...)  op##_##name,
#define END(op)                                                                                    \
    op##_FIELD_COUNT                                                                               \
    }                                                                                              \
    ;
#include "isa/opcode.def"

enum { INSN_OPERANDS_MAX = 4, INSN_FIELDS_MAX = 32, INSN_WORDS_MAX = 32 };

struct operand {
    uint32_t region; /* index into the program's regions; REGION_NONE when absent */
    uint64_t offset; /* bytes from the start of the region */
};
#define REGION_NONE UINT32_MAX /* no enum constant: it does not fit an int */

struct insn {
    uint16_t opcode; /* enum opcode */
    uint8_t pipe;    /* enum pipe that executes it; for flags the pipe that sets or waits */
    uint32_t line;   /* line of a program file; 0 when lowered */
    uint32_t tile;   /* serial number of the output tile in the core's stream, from 0 */
    struct operand operand[INSN_OPERANDS_MAX];
    int64_t field[INSN_FIELDS_MAX];
};

/* A field or word column of a row. */
struct field_info {
    const char *name;
    int64_t low, high;        /* allowed values; words: 0..word_count-1 */
    int64_t initial;          /* value when the key is left out */
    bool required;            /* the key may not be left out */
    bool hidden;              /* filled by insn_capture; neither parsed nor printed */
    const char *const *words; /* NULL for numbers */
    size_t word_count;
    const char *unit; /* "rows", "32 B", "elements", "fractals", "" */
    const char *meaning;
};

/* An allowed pair of spaces of the operands src and dst, and the pipe that moves it. */
struct path_info {
    enum space source, target;
    enum pipe pipe;
    unsigned arches; /* bits of enum arch */
};

/* Element types that a row takes to a destination. */
struct types_info {
    unsigned arches;
    unsigned targets; /* bits 1 << enum space of the first operand */
    uint32_t types;   /* bits 1 << enum element */
};

/* A field must be at least low unless another one, a switch, has a value. */
struct unless_info {
    size_t field;
    int64_t low;
    size_t other;
    int64_t value;
};

/* A switch that is 1 when any of the fields first..last is written, and 0 otherwise. */
struct implied_info {
    size_t field;
    size_t first, last;
};

/* A combination of element types that a row with several of them takes: one bit of a, one of b and
 * one of c. */
struct product_info {
    unsigned arches;
    uint32_t a, b, c; /* bits 1 << enum element */
};

/* A field that only some products have: on the others it keeps its initial value. */
struct limit_info {
    size_t field;
    unsigned arches; /* that have it */
};

/* A value inside the range of a field that is none of its values on some products. */
struct hole_info {
    size_t field;
    int64_t value;
    unsigned arches; /* where it is none */
};

struct operand_info {
    const char *name;
    unsigned spaces; /* bits 1 << enum space */
    bool required;
    uint32_t align_bytes; /* of the absolute address where its space has no smaller one */
    const char *meaning;
};

struct insn_info {
    const char *mnemonic;
    enum pipe pipe;  /* PIPE_ALL: depends on the fields (flags, barriers) */
    unsigned arches; /* bits of enum arch */
    const char *meaning;
    const char *source; /* where the rule stands */
    const struct operand_info *operands;
    size_t operand_count;
    const struct field_info *fields;
    size_t field_count;
    const struct path_info *paths;
    size_t path_count; /* 0: any allowed spaces */
    const struct types_info *types;
    size_t type_count; /* with product_count 0: the row has no type */
    const struct product_info *products;
    size_t product_count; /* 0: one type says all */
    const struct limit_info *limits;
    size_t limit_count;
    const struct hole_info *holes;
    size_t hole_count;
    const struct unless_info *unless;
    size_t unless_count;
    const struct implied_info *implied;
    size_t implied_count;
    bool registers; /* insn_capture reads or sets registers for it */
    bool effect;    /* it changes bytes */
};

/* Index into the word lists of isa/insn.c, which several rows of the table share. */
enum insn_layout { LAYOUT_NZ, LAYOUT_NZ2ND, LAYOUT_NZ2DN }; /* fixpipe_layouts */
enum l1_layout { LAYOUT_L1_NZ, LAYOUT_L1_ZN };              /* l1_layouts */
enum insn_mode {                                            /* quant_modes */
#define QUANT(name, ...) MODE_##name,
#include "isa/quant_mode.def"
                 MODE_COUNT
};
enum insn_deq { /* deq_scales */
#define DEQ(name, ...) DEQ_##name,
#include "isa/quant_mode.def"
                DEQ_COUNT
};
enum insn_padding { PADDING_NORMAL, PADDING_COMPACT }; /* padding_modes */
/* hf32_modes: 0 off, 1 on; hf32_trans_modes: index = enum hf32_mode.
 * pipes: index = enum pipe without ALL; barrier_pipes: index = enum pipe with ALL.
 * element_types: index = enum element. A row with a type has it as its first field. */

/* What a mode of isa/quant_mode.def does. */
enum quant_parameter { PARAMETER_NONE, PARAMETER_SCALAR, PARAMETER_VECTOR };
struct quant_info {
    const char *word;
    uint32_t sources; /* types in L0C, bits 1 << enum element */
    uint32_t targets; /* stored types; 0: the type in L0C */
    enum quant_parameter parameter;
    unsigned arches, arches_l1; /* products that have it; those that have it to L1 */
};
const struct quant_info *quant_info(enum insn_mode mode);
const struct quant_info *deq_info(enum insn_deq scale);

/* The modes of an instruction that converts, in the order of its words; count 0: it has none. */
const struct quant_info *insn_conversions(enum opcode opcode, size_t *count);

/* The element type that the "type" word of an instruction names; ELEMENT_COUNT when its row has
 * no such word. */
enum element insn_element(const struct insn *insn);

const struct insn_info *insn_info(enum opcode opcode);

/* What the address of an operand in a space is a multiple of: that of the operand, but 1 in GM and
 * at most a block of 32 bytes in L1 and UB. */
uint32_t operand_align(const struct operand_info *operand, enum space space);
enum opcode opcode_find(const char *mnemonic); /* OP_COUNT when unknown */

/* Flags of a core: one for each ordered pair of pipes and event id below `ids`. */
enum { EVENT_IDS = 8 };

/* How many flags a core has; the number of the flag that a set_flag or wait_flag names; and back.
 */
uint32_t flag_count(uint32_t ids);
uint32_t insn_flag(const struct insn *insn, uint32_t ids);
enum pipe flag_source(uint32_t flag, uint32_t ids);
enum pipe flag_target(uint32_t flag, uint32_t ids);

/* Copies an instruction: its head and the fields that its row has. */
void insn_copy(struct insn *target, const struct insn *source);

/* An instruction with every field at its initial value and no operands. */
void insn_init(struct insn *insn, enum opcode opcode);

#endif
