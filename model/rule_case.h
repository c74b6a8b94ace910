/*
 * One plan under judgement: what the rules of rule.def look at and write to.
 *
 * A judge adds clauses: inequalities and divisibilities, each with its numbers, and for a broken
 * one with a message and the nearest legal value. When all clauses hold the verdict shows all
 * numbers; otherwise it shows those of the broken clauses.
 */
#ifndef CUBESIM_MODEL_RULE_CASE_H
#define CUBESIM_MODEL_RULE_CASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/plan.h"
#include "model/tile_rules.h"

enum { LOAD3D_SIZE_MAX = 32767, LOAD3D_K_MAX = 65535, LOAD3D_REPEAT_MAX = 255, MMAD_MAX = 4095 };
enum {
    RULE_DIMENSION_MAX = 1000000,
    RULE_KERNEL_MAX = 255,
    RULE_PAD_MAX = 255,
    RULE_STEP_MAX = 63
};
enum { RULE_GROUPS_MAX = 65535, RULE_KERNEL_BLOCK_MAX = 65535 };
enum { DOCUMENT_L0A_BYTES = 65536, DOCUMENT_L0B_BYTES = 65536, DOCUMENT_L0C_BYTES = 131072 };

struct rule_case {
    const struct plan *plan;
    const struct conv *conv;
    const struct product *product;
    enum rule_set set;
    struct arena *arena;
    bool no_memory;

    const struct tile_l1 *l1;         /* NULL: no pypto tile was written, or set is vendor */
    const struct tile_l0 *l0;         /* NULL: none was written, or set is vendor */
    const struct tile_vendor *vendor; /* NULL unless set is vendor and there is a whole tile */
    struct tile_vendor translated;    /* of a pypto tile under set vendor */
    const struct tile_matmul *base;   /* NULL: no tile of a matrix product was written */
    struct tile tile;                 /* valid when rule_has_tile */
    bool conv_holds;                  /* rules 1 to 9 hold; known from rule 10 on */
    bool holds;                       /* all rules before this one, as far as they count */

    uint64_t size, c0;              /* bytes of an element; elements in 32 bytes */
    uint64_t area;                  /* Kh * Kw */
    uint64_t cin_aligned;           /* Cin / groups rounded up to C0 */
    uint64_t cout_group, n_aligned; /* Cout / groups; rounded up to 16 */
    uint64_t rows, columns;         /* Hout and Wout; 0: the kernel does not fit */
    uint64_t columns_aligned;       /* Wout rounded up to 16 */
    uint64_t k_a, k_b;              /* kAL1, kBL1 of the set, 0 without a tile */

    /* What R3 to R9 look at, from either form; valid when tile is. */
    uint64_t depth_k_a, depth_k_b;      /* K of one depth in an L1 tile of A and of B */
    uint64_t input_rows, input_columns; /* in an L1 tile of A */
    uint64_t m_start;                   /* bound of the first position of an L0 tile in L1 */

    struct rule_verdict *verdict; /* of the rule that is being judged */
    const char *held, *broken;    /* numbers of its clauses so far */
};

/* One number of a rule. */
struct rule_measure {
    enum plan_word word;
    const char *name; /* the plan's word for it */
    uint64_t value;
    uint64_t low, high; /* legal range */
    uint64_t step;      /* the number must be a multiple of it; 1: any */
    bool exact;         /* shown as "1 = 1" */
    const char *names;  /* subject of the message: of this word and the next; "": said before */
    bool range_only;    /* the multiple is another rule's business */
    bool multiple_only; /* the range is another rule's business */
};

/* Text in the arena, "" when memory ran out (no_memory is set then). */
const char *rule_text(struct rule_case *c, const char *format, ...) PRINTF_LIKE(2, 3);
/* 73728 -> "73,728". */
const char *rule_number(struct rule_case *c, uint64_t value);

/* Records a number for scripts. */
void rule_value(struct rule_case *c, const char *name, uint64_t value);

/* The rule does not apply; why is shown in place of its numbers. */
void rule_skip(struct rule_case *c, const char *why);

/* Whether there is a whole tile, in any form, and outputs that it can cover. */
bool rule_has_tile(const struct rule_case *c);

/* Whether the layer has no output, which is another rule's business; skips this one then. */
bool rule_lacks_output(struct rule_case *c);

/* Adds a clause. message and nearest are used when it is broken. */
void rule_clause(struct rule_case *c, bool ok, enum plan_word word, const char *numbers,
                 const char *message, const char *nearest);

/* The clauses of one number: its range and its multiple, with the nearest legal values. */
void rule_measure_clause(struct rule_case *c, const struct rule_measure *measure);

/* The same for 1 <= value <= high, without a multiple. */
void rule_limit_clause(struct rule_case *c, enum plan_word word, const char *name, uint64_t value,
                       uint64_t high);

/* Slots that a buffer must have room for: as written, else by the tile, else one. */
uint64_t rule_slots(const struct rule_case *c, enum buffer buffer);

/* bytes <= capacity; product spells the left side ("576 x 64 x 2"). */
void rule_space_clause(struct rule_case *c, enum plan_word word, const char *product,
                       uint64_t bytes, uint64_t capacity, const char *message, const char *nearest);

/* "a", "a and b", "a, b and c": one name more, of count in all, of which at are there. */
const char *rule_names(struct rule_case *c, const char *names, const char *name, uint32_t at,
                       uint32_t count);

/* value % step as "56 % 16 = 8"; a step of 0 is shown as such. */
const char *rule_rest_text(struct rule_case *c, uint64_t value, uint64_t step);

/* The nearest K of an L0 tile below and above value that is a multiple of C0 and divides k_a and
 * k_b, at most most; 0 when there is none. */
uint64_t rule_k_below(const struct rule_case *c, uint64_t value, uint64_t most);
uint64_t rule_k_above(const struct rule_case *c, uint64_t value, uint64_t most);

/* "tileK 32 or 48": the nearest K of at most most around the given one, or "". */
const char *rule_k_nearest(struct rule_case *c, const char *name, uint64_t k, uint64_t most);

/* The clauses of rules 16, 17 (K), 20 for the word that the form has for K of an L0 tile. */
void rule_k_multiple_clause(struct rule_case *c, enum plan_word word, const char *name, uint64_t k);
void rule_k_range_clause(struct rule_case *c, enum plan_word word, const char *name, uint64_t low,
                         uint64_t k);
void rule_k_divides_clause(struct rule_case *c, enum plan_word word, const char *name, uint64_t k);

uint64_t rule_common_divisor(uint64_t a, uint64_t b);
bool rule_divides(uint64_t step, uint64_t value); /* step 0 divides nothing */

#define RULE(id, sets, decides, needed, judge, what, formula)                                      \
    void rule_judge_##judge(struct rule_case *c);
#include "model/rule.def"
#undef RULE

#endif
