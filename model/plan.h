/*
 * What a person writes: a convolution or a matrix product, a tiling and a schedule, with the place
 * of every word. A matrix product is held as a convolution: A (m x k) is an image of k channels and
 * one row of m columns, B (k x n) a weight of n output channels with a kernel of one point.
 *
 * plan_load reads a file (YAML or JSON of the same shape) and types it; it knows no tile rules.
 * tile_rules.h judges it, derive.h completes it. A plan that came through plan_resolve is whole:
 * product loaded, tile and schedule without gaps, and is read-only from then on.
 */
#ifndef CUBESIM_MODEL_PLAN_H
#define CUBESIM_MODEL_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/arena.h"
#include "engine/base/diag.h"
#include "engine/base/tree.h"
#include "model/conv.h"
#include "model/product.h"

#define RULE_SET_LIST(ROW)                                                                         \
    ROW(PYPTO, "pypto")                                                                            \
    ROW(DOCUMENT, "document")                                                                      \
    ROW(STRICT, "strict")                                                                          \
    ROW(VENDOR, "vendor")                                                                          \
    ROW(MATMUL, "matmul") /* of matrix products, and of these only */

enum rule_set {
#define ROW(name, word) RULES_##name,
    RULE_SET_LIST(ROW)
#undef ROW
        RULES_COUNT,
    RULES_CONV_COUNT = RULES_MATMUL /* those before it are of convolutions */
};

const char *rule_set_word(enum rule_set set);

/* The words of a plan whose place is kept, for messages; a missing word has line 0. */
enum plan_word {
    WORD_PRODUCT,
    WORD_RULES,
    WORD_INPUT,
    WORD_WEIGHT,
    WORD_STRIDE,
    WORD_PADDING,
    WORD_DILATION,
    WORD_GROUPS,
    WORD_DTYPE,
    WORD_OUT_DTYPE,
    WORD_HF32,
    WORD_QUANT,
    WORD_QUANT_OFFSET,
    WORD_BIAS,
    WORD_RELU,
    WORD_INPUT_FORMAT,
    WORD_WEIGHT_FORMAT,
    WORD_TILE_HIN,
    WORD_TILE_HOUT,
    WORD_TILE_WIN,
    WORD_TILE_WOUT,
    WORD_TILE_CIN_FMAP,
    WORD_TILE_CIN_WEIGHT,
    WORD_TILE_L1_N,
    WORD_TILE_BATCH,
    WORD_TILE_H,
    WORD_TILE_W,
    WORD_TILE_K,
    WORD_TILE_L0_N,
    WORD_M_AL1,
    WORD_HO_L1,
    WORD_WO_L1,
    WORD_N_BL1,
    WORD_K_AL1,
    WORD_K_BL1,
    WORD_M_L0,
    WORD_HO_L0,
    WORD_WO_L0,
    WORD_K_L0,
    WORD_N_L0,
    WORD_M,
    WORD_N,
    WORD_K,
    WORD_OUTPUT_FORMAT,
    WORD_BASE_M,
    WORD_BASE_N,
    WORD_BASE_K,
    WORD_STEP_M,
    WORD_STEP_N,
    WORD_STEP_KA,
    WORD_STEP_KB,
    WORD_DEPTH_A1,
    WORD_DEPTH_B1,
    WORD_L2_M,
    WORD_L2_N,
    WORD_P_BUFFER_FLAG,
    WORD_ITERATE_MN_ORDER,
    WORD_POLICY,
    WORD_CORES,
    WORD_CORE_SPLIT,
    WORD_ORDER,
    WORD_RESIDENCY,
    WORD_L1A_BUFFERS,
    WORD_L1B_BUFFERS,
    WORD_L0A_BUFFERS,
    WORD_L0B_BUFFERS,
    WORD_L0C_BUFFERS,
    WORD_UNIT_FLAG,
    WORD_HANDOVER,
    WORD_FIXPIPE,
    WORD_L2,
    WORD_COUNT_
};

/* pypto TileL1Info and TileL0Info; 0: not given. */
struct tile_l1 {
    uint64_t hin, hout, win, wout, cin_fmap, cin_weight, n, batch;
};
struct tile_l0 {
    uint64_t h, w, k, n;
};

/* The vendor's linear-M or HW form; 0: not given. */
struct tile_vendor {
    uint64_t m_al1, ho_l1, wo_l1, n_bl1, k_al1, k_bl1, m_l0, ho_l0, wo_l0, k_l0, n_l0;
    uint64_t p_buffer_flag; /* bits from the lowest: L0A, L0B, L0C, A1, B1 have two buffers */
    bool p_buffer_given;
    uint64_t iterate_mn_order; /* 0: M first, 1: N first */
};

/*
 * The tile of a matrix product in the words of the vendor's TCubeTiling. base: of an L0 tile. step:
 * base blocks of an L1 tile; one slot of A in L1 is step_m * base_m x step_ka * base_k. depth: base
 * blocks that L1 holds in all its slots, 0: not given. l2: slices of the M and N tiles that are
 * worked off one after the other, each by all cores.
 */
struct tile_matmul {
    uint64_t base_m, base_n, base_k;
    uint64_t step_m, step_n, step_ka, step_kb;
    uint64_t depth_a1, depth_b1;
    uint64_t l2_m, l2_n;
};

enum tile_form { TILE_NONE, TILE_PYPTO, TILE_VENDOR, TILE_MATMUL };

/*
 * The one tile that lowering knows. An M tile is a linear range of output positions of one depth
 * (Ho*Wo, W fastest; whole rows of input lie in L1) or a rectangle of rows and columns.
 */
struct tile {
    bool linear_m;
    uint64_t m_l1, m_l0; /* linear: output positions in L1 and L0 */
    uint64_t h_l1, w_l1; /* rectangle: output rows and columns of the L1 tile */
    uint64_t h_l0, w_l0; /* rectangle: of the L0 tile */
    uint64_t n_l1, n_l0; /* output channels, multiples of 16 */
    uint64_t k_a, k_b;   /* K of an L1 chunk of A and of B, one depth */
    uint64_t k_l0;       /* K of an L0 tile */
};

#define POLICY_LIST(ROW)         ROW(PYPTO, "pypto") ROW(VENDOR, "vendor")
#define ORDER_LIST(ROW)          ROW(M_FIRST, "m_first") ROW(N_FIRST, "n_first")
#define RESIDENCY_LIST(ROW)      ROW(RELOAD, "reload") ROW(KEEP, "keep") ROW(PREFETCH, "prefetch")
#define HANDOVER_LIST(ROW)       ROW(OPERAND, "operand") ROW(STEP, "step")
#define FIXPIPE_POLICY_LIST(ROW) ROW(ROW, "row") ROW(TILE, "tile")
#define L2_STATE_LIST(ROW)       ROW(COLD, "cold") ROW(WARM, "warm")

enum policy { POLICY_PYPTO, POLICY_VENDOR, POLICY_COUNT };
enum order { ORDER_M_FIRST, ORDER_N_FIRST, ORDER_COUNT };
enum residency { RESIDENCY_RELOAD, RESIDENCY_KEEP, RESIDENCY_PREFETCH, RESIDENCY_COUNT };
enum handover { HANDOVER_OPERAND, HANDOVER_STEP, HANDOVER_COUNT };
enum fixpipe_policy { FIXPIPE_ROW, FIXPIPE_TILE, FIXPIPE_POLICY_COUNT };
enum l2_state { L2_COLD, L2_WARM, L2_STATE_COUNT };
enum split { SPLIT_BATCH, SPLIT_GROUP, SPLIT_M, SPLIT_N, SPLIT_COUNT };

const char *policy_word(enum policy policy);
const char *order_word(enum order order);
const char *residency_word(enum residency residency);
const char *handover_word(enum handover handover);
const char *fixpipe_policy_word(enum fixpipe_policy policy);
const char *l2_state_word(enum l2_state state);

/* Buffers of which one or two slots can be had. */
enum buffer { BUFFER_L1A, BUFFER_L1B, BUFFER_L0A, BUFFER_L0B, BUFFER_L0C, BUFFER_COUNT };

struct schedule {
    enum policy policy;
    uint64_t cores;              /* simulated cores: the product of the split */
    uint64_t split[SPLIT_COUNT]; /* ways along batch, group, M tiles (with depth), N tiles */
    uint64_t deal; /* 0, or cores that the grid of M and N tiles is dealt to, tile by tile */
    enum order order;
    enum residency residency;
    uint64_t buffers[BUFFER_COUNT]; /* 1 or 2 */
    bool unit_flag;
    enum handover handover; /* of L1 slots: each operand by itself, or both of a step together */
    enum fixpipe_policy fixpipe;
    enum l2_state l2;
};

/* Ways of the split and of the deal multiplied: the cores they take; UINT64_MAX when that is too
 * much. */
uint64_t schedule_ways(const struct schedule *schedule);

struct plan {
    const struct source *source;
    const char *path;                /* as the user named it */
    struct place place[WORD_COUNT_]; /* of the value of each word that was written */
    const char *product_name;        /* as written, or NULL */
    enum rule_set rules;
    struct conv conv;
    bool matmul; /* conv stands for a matrix product */
    enum tile_form form;
    struct tile_l1 l1; /* TILE_PYPTO */
    struct tile_l0 l0; /* TILE_PYPTO; all 0 when only tile_l1 was given */
    bool has_l0;
    struct tile_vendor vendor; /* TILE_VENDOR */
    struct tile_matmul base;  /* TILE_MATMUL; the steps and slices are 1 where they are not given */
    struct schedule schedule; /* as written; plan_resolve fills the gaps */
    bool given[WORD_COUNT_];  /* the word was written */

    const struct product *product; /* the loaded one; NULL when it could not be loaded */

    /* filled by plan_resolve */
    struct tile tile;
    uint64_t written_cores; /* schedule.cores as it was written; fewer may be used */
    const char *notes[16];  /* what was derived or degraded, sentences for the summary */
    uint32_t note_count;
    bool tile_derived;
};

/* Reads and types a plan. All problems go to diag. product_override (from --product, may be NULL)
 * stands in place of the file's product; the product is loaded into *product with the places of
 * the file. Formats and types that depend on the product get their defaults here, and what the
 * product cannot do at all (bias on 310B, nchw on A2) is refused here. Tile sizes below 1 are bad
 * input; everything else about tiles is for the rules, and whether the product has as many cores is
 * for plan_resolve. sets are the --set overrides. A vendor tile sets the rules to vendor; when the
 * file says otherwise a note tells so; so does a matrix product with its own. Dim words of a vendor
 * tile count as a written core split. */
enum status plan_load(const char *path, const char *product_override, const char *const *sets,
                      size_t set_count, struct arena *arena, struct diag *diag,
                      struct product *product, struct plan *plan) MUST_CHECK;

/* The same from a tree that was read already; name is what the plan is called. */
enum status plan_from_tree(const char *name, const struct node *root, const char *product_override,
                           const char *const *sets, size_t set_count, struct arena *arena,
                           struct diag *diag, struct product *product,
                           struct plan *plan) MUST_CHECK;

/* The same from text, for tests. */
enum status plan_parse(const char *name, const char *text, const char *product_override,
                       struct arena *arena, struct diag *diag, struct product *product,
                       struct plan *plan) MUST_CHECK;

/* Canonical JSON of the resolved plan (sorted keys, without paths), in the arena, or NULL without
 * memory. It has the shape of a plan file and can be read as one: the tile in pypto's names
 * (tileHin and tileWin as large as the tile needs), the vendor's, or those of a matrix product. */
const char *plan_json(const struct plan *plan, struct arena *arena);

/* "[1,64,56,56] x [64,64,3,3] stride 1 pad 1 fp16" and "L1 h 1 w 64 n 64 kA 576 kB 576, L0 h 1 w 64
 * n 64 k 64" ("to be derived" or "as written" before plan_resolve); "matmul m 256 n 128 k 64 fp16,
 * A nd, B dn, C nd" and "L1 m 128 n 256 kA 512 kB 256, L0 m 128 n 256 k 64". In the arena; NULL
 * without memory. */
const char *plan_problem_text(const struct plan *plan, struct arena *arena);
const char *plan_tiling_text(const struct plan *plan, struct arena *arena);

#endif
