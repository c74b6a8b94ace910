/*
 * The tile-constraint module: every rule of docs/tiling.md section 1 in one table.
 *
 * A rule has an id, a formula, the sets it belongs to, a check that puts numbers in, a message and
 * the nearest legal value. rules_check runs all rules of a set in their order and judges each;
 * rules 1 to 22 are those of pypto, M1 to M10 those of matrix products, R1 to R10 what hardware
 * needs and pypto does not check.
 */
#ifndef CUBESIM_MODEL_TILE_RULES_H
#define CUBESIM_MODEL_TILE_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/arena.h"
#include "model/plan.h"

enum { RULE_VALUES_MAX = 12, RULE_COUNT_MAX = 40, BUFFER_ROWS_MAX = 6 };

/* A number that was put into a formula, by name. */
struct rule_value {
    const char *name;
    int64_t value;
};

struct rule_verdict {
    const char *id;      /* "13", "R5" */
    const char *what;    /* "Wout % 16 != 0 -> tileHout 1": short name of the rule */
    const char *formula; /* with symbols */
    const char *numbers; /* with numbers: "56 % 16 = 8, tileHout 2"; both sides of an inequality */
    bool ok;
    bool judged;         /* false: does not apply to this plan (counts as ok) */
    bool decides;        /* the verdict of `check` depends on it */
    bool needed_to_run;  /* hardware needs it: breaks `run` whatever the rule set */
    const char *message; /* sentence; "" when ok */
    const char *nearest; /* "tileHout 1"; "" when ok or when there is none */
    enum plan_word word; /* the word at fault, for its place; WORD_RULES when ok */
    struct rule_value values[RULE_VALUES_MAX];
    uint32_t value_count;
};

struct buffer_row {
    const char *buffer; /* "L1", "L0A", "L0B", "L0C", "BT", "FB" */
    uint64_t capacity_bytes, single_bytes, double_bytes;
    bool fits_single, fits_double;
    uint64_t planned;   /* slots of the plan; for L1 see planned_b */
    uint64_t planned_b; /* L1: slots of B (planned: of A) */
};

struct rule_report {
    enum rule_set set; /* that was applied: vendor for a tile in the vendor's form, or matmul */
    bool legal;        /* every deciding rule holds */
    bool runnable;     /* and every rule that hardware needs */
    struct rule_verdict verdicts[RULE_COUNT_MAX];
    uint32_t count;
    uint32_t problem_count; /* the first so many are about the convolution or product itself */
    struct buffer_row buffers[BUFFER_ROWS_MAX];
    uint32_t buffer_count;
    /* "tileHout 1, tileW 64, tileK 288 (one slot in L0A and L0B)", or ""; and the same with two
     * slots in L0A, L0B and L1 where that is another plan, or "". */
    const char *nearest_plan, *nearest_plan_double;
};

/* Judges a plan with conv and tile as far as they were written; plan->product must be set. Texts
 * live in the arena. A tile in the vendor's form is judged by set vendor and a matrix product by
 * set matmul whatever set says; no convolution is judged by set matmul. The only failure is
 * NO_MEMORY: broken rules are in the report. */
enum status rules_check(const struct plan *plan, enum rule_set set, struct arena *arena,
                        struct rule_report *report) MUST_CHECK;

/* The fast question for searches: does a pypto tile break a rule of the pypto set or one that
 * hardware needs, on this product? No texts. */
bool rules_tile_legal(const struct conv *conv, const struct product *product,
                      const struct tile_l1 *l1, const struct tile_l0 *l0);

/* Bytes of one slot of a buffer under a tile; BUFFER_L1A and BUFFER_L1B apart. bias is apart. */
uint64_t tile_slot_bytes(const struct conv *conv, const struct tile *tile, enum buffer buffer);
/* Bytes that the bias of an L0 tile takes in L1, and the quantisation words (0 without them, and
 * where one word stands for all channels); one slot each. */
uint64_t tile_bias_bytes(const struct conv *conv, const struct tile *tile);
uint64_t tile_quant_bytes(const struct conv *conv, const struct tile *tile);

#endif
