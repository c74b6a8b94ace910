#include "isa/insn.h"

#include <assert.h>
#include <string.h>

enum need { REQUIRED, OPTIONAL, HIDDEN };

/* Spaces of operands. */
#define IN_GM  (1U << SPACE_GM)
#define IN_L1  (1U << SPACE_L1)
#define IN_L0A (1U << SPACE_L0A)
#define IN_L0B (1U << SPACE_L0B)
#define IN_L0C (1U << SPACE_L0C)
#define IN_BT  (1U << SPACE_BT)
#define IN_FB  (1U << SPACE_FB)
#define IN_UB  (1U << SPACE_UB)

/* Products of instructions, in the bits of ARCH_LIST. */
enum {
#define ROW(number, word, bit) ARCH_BIT_##number = bit,
    ARCH_LIST(ROW)
#undef ROW
};
enum {
    ARCHES_ALL = ARCH_BIT_1001 | ARCH_BIT_2002 | ARCH_BIT_2201 | ARCH_BIT_3002 | ARCH_BIT_3510,
    ARCHES_ND2NZ = ARCH_BIT_2201 | ARCH_BIT_3510,
    ARCHES_DN2NZ = ARCH_BIT_3510,
    ARCHES_950 = ARCH_BIT_3510,
    ARCHES_LOAD3DV1 = ARCH_BIT_1001 | ARCH_BIT_2002,
    ARCHES_LOAD3DV2 = ARCH_BIT_2002 | ARCH_BIT_2201 | ARCH_BIT_3002 | ARCH_BIT_3510,
    ARCHES_REPEAT = ARCH_BIT_2201 | ARCH_BIT_3002 | ARCH_BIT_3510,
    ARCHES_BOUNDARY = ARCH_BIT_2002 | ARCH_BIT_2201,
    ARCHES_BT = ARCH_BIT_2201 | ARCH_BIT_3510,
    ARCHES_TRANSPOSE = ARCHES_ALL & ~ARCH_BIT_1001,
    ARCHES_HF32 = ARCH_BIT_2201 | ARCH_BIT_3002 | ARCH_BIT_3510, /* and the rest of CTRL */
    ARCHES_GM_L0 = ARCHES_ALL & ~ARCH_BIT_3510,
    ARCHES_FIXPIPE = ARCH_BIT_2201 | ARCH_BIT_3002 | ARCH_BIT_3510,
    ARCHES_EXIT = ARCH_BIT_1001 | ARCH_BIT_2002,
    ARCHES_FIXPIPE_L1 = ARCH_BIT_2201 | ARCH_BIT_3510,
    ARCHES_FIXPIPE_UB = ARCH_BIT_3002 | ARCH_BIT_3510,
};

/* Element types, as bits; TYPES_B8 and so on: all of a width. */
#define T(name)           (UINT32_C(1) << ELEMENT_##name)
#define TYPES_B4          (T(INT4) | T(FP4_E2M1) | T(FP4_E1M2))
#define TYPES_B8          (T(INT8) | T(UINT8) | T(FP8_E4M3) | T(FP8_E5M2) | T(HIF8))
#define TYPES_B16         (T(FP16) | T(BF16) | T(INT16) | T(UINT16))
#define TYPES_B32         (T(FP32) | T(INT32) | T(UINT32))
#define TYPES_IMG2COL_950 (TYPES_B8 | T(FP16) | T(BF16) | TYPES_B32)

/* Word lists of the table. */
static const char *const element_types[] = {
#define ROW(name, word, ...) word,
    ELEMENT_LIST(ROW)
#undef ROW
};
static const char *const quant_modes[] = {
#define QUANT(name, word, ...) word,
#include "isa/quant_mode.def"
};
static const char *const deq_scales[] = {
#define DEQ(name, word, ...) word,
#include "isa/quant_mode.def"
};
static const char *const block_modes[] = {"BLOCK_MODE_MATRIX"};
static const char *const fixpipe_layouts[] = {"nz", "nz2nd", "nz2dn"};
static const char *const l1_layouts[] = {"nz", "zn"};
static const char *const padding_modes[] = {"Normal", "Compact"};
static const char *const hf32_modes[] = {"DISABLE", "ENABLE"};
static const char *const hf32_trans_modes[] = {"NEAREST_EVEN", "NEAREST_ZERO"};
static const char *const barrier_pipes[] = {
#define ROW(name, word) word,
    PIPE_LIST(ROW)
#undef ROW
};
enum {
    element_types_count = ELEMENT_COUNT,
    deq_scales_count = sizeof deq_scales / sizeof deq_scales[0],
    block_modes_count = sizeof block_modes / sizeof block_modes[0],
    quant_modes_count = sizeof quant_modes / sizeof quant_modes[0],
    fixpipe_layouts_count = sizeof fixpipe_layouts / sizeof fixpipe_layouts[0],
    l1_layouts_count = sizeof l1_layouts / sizeof l1_layouts[0],
    padding_modes_count = sizeof padding_modes / sizeof padding_modes[0],
    hf32_modes_count = sizeof hf32_modes / sizeof hf32_modes[0],
    hf32_trans_modes_count = sizeof hf32_trans_modes / sizeof hf32_trans_modes[0],
    barrier_pipes_count = sizeof barrier_pipes / sizeof barrier_pipes[0],
    pipes_count = PIPE_COUNT,
};
/* The pipes that execute come first, ALL is last. */
#define pipes barrier_pipes

static const char *const space_words[] = {
#define ROW(name, word) word,
    SPACE_LIST(ROW)
#undef ROW
};

/* Operands and fields of each row; a closing entry keeps the array of a row without any valid. */
#define INSN(op, ...) static const struct operand_info operands_##op[] = {
#define OPERAND(op, name, spaces, need, align, meaning)                                            \
    {#name, spaces, (need) == REQUIRED, align, meaning},
#define END(op)                                                                                    \
    {                                                                                              \
        NULL, 0, false, 0, NULL                                                                    \
    }                                                                                              \
    }                                                                                              \
    ;
#include "isa/opcode.def"

#define INSN(op, ...) static const struct field_info fields_##op[] = {
#define FIELD(op, name, low, high, initial, need, unit, meaning)                                   \
    {#name, low, high, initial, (need) == REQUIRED, (need) == HIDDEN, NULL, 0, unit, meaning},
#define WORD(op, name, words, initial, need, meaning)                                              \
    {#name,                                                                                        \
     0,                                                                                            \
     words##_count - 1,                                                                            \
     initial,                                                                                      \
     (need) == REQUIRED,                                                                           \
     (need) == HIDDEN,                                                                             \
     words,                                                                                        \
     words##_count,                                                                                \
     "",                                                                                           \
     meaning},
#define END(op)                                                                                    \
    {                                                                                              \
        NULL, 0, 0, 0, false, false, NULL, 0, NULL, NULL                                           \
    }                                                                                              \
    }                                                                                              \
    ;
#include "isa/opcode.def"

#define INSN(op, ...) static const struct path_info paths_##op[] = {
#define PATH(op, source, target, pipe, arches)                                                     \
    {SPACE_##source, SPACE_##target, PIPE_##pipe, arches},
#define END(op)                                                                                    \
    {                                                                                              \
        SPACE_GM, SPACE_GM, PIPE_ALL, 0                                                            \
    }                                                                                              \
    }                                                                                              \
    ;
#include "isa/opcode.def"

#define INSN(op, ...)                     static const struct types_info types_##op[] = {
#define TYPES(op, arches, targets, types) {arches, targets, types},
#define END(op)                                                                                    \
    {                                                                                              \
        0, 0, 0                                                                                    \
    }                                                                                              \
    }                                                                                              \
    ;
#include "isa/opcode.def"

#define INSN(op, ...)                static const struct product_info products_##op[] = {
#define PRODUCT(op, arches, a, b, c) {arches, a, b, c},
#define END(op)                                                                                    \
    {                                                                                              \
        0, 0, 0, 0                                                                                 \
    }                                                                                              \
    }                                                                                              \
    ;
#include "isa/opcode.def"

#define INSN(op, ...)           static const struct limit_info limits_##op[] = {
#define LIMIT(op, name, arches) {op##_##name, arches},
#define END(op)                                                                                    \
    {                                                                                              \
        0, 0                                                                                       \
    }                                                                                              \
    }                                                                                              \
    ;
#include "isa/opcode.def"

#define INSN(op, ...)                 static const struct hole_info holes_##op[] = {
#define HOLE(op, name, value, arches) {op##_##name, value, arches},
#define END(op)                                                                                    \
    {                                                                                              \
        0, 0, 0                                                                                    \
    }                                                                                              \
    }                                                                                              \
    ;
#include "isa/opcode.def"

#define INSN(op, ...)                        static const struct unless_info unless_##op[] = {
#define UNLESS(op, field, low, other, value) {op##_##field, low, op##_##other, value},
#define END(op)                                                                                    \
    {                                                                                              \
        0, 0, 0, 0                                                                                 \
    }                                                                                              \
    }                                                                                              \
    ;
#include "isa/opcode.def"

#define INSN(op, ...)                   static const struct implied_info implied_##op[] = {
#define IMPLIED(op, field, first, last) {op##_##field, op##_##first, op##_##last},
#define END(op)                                                                                    \
    {                                                                                              \
        0, 0, 0                                                                                    \
    }                                                                                              \
    }                                                                                              \
    ;
#include "isa/opcode.def"

static const struct quant_info quant_infos[] = {
#define SAME 0
#define QUANT(name, word, sources, targets, parameter, arches, arches_l1)                          \
    {word, sources, targets, PARAMETER_##parameter, arches, arches_l1},
#include "isa/quant_mode.def"
};

static const struct quant_info deq_infos[] = {
#define DEQ(name, word, sources, targets, parameter)                                               \
    {word, sources, targets, PARAMETER_##parameter, ARCHES_EXIT, 0},
#include "isa/quant_mode.def"
};

/* An array of lines and their number, without the closing entry. */
#define LINES(array) array, sizeof(array) / sizeof(array)[0] - 1
static const struct insn_info insn_infos[] = {
#define INSN(op, mnemonic, pipe, arches, capture, effect, cost, meaning, source)                   \
    {mnemonic,                                                                                     \
     PIPE_##pipe,                                                                                  \
     arches,                                                                                       \
     meaning,                                                                                      \
     source,                                                                                       \
     operands_##op,                                                                                \
     op##_OPERAND_COUNT,                                                                           \
     fields_##op,                                                                                  \
     op##_FIELD_COUNT,                                                                             \
     LINES(paths_##op),                                                                            \
     LINES(types_##op),                                                                            \
     LINES(products_##op),                                                                         \
     LINES(limits_##op),                                                                           \
     LINES(holes_##op),                                                                            \
     LINES(unless_##op),                                                                           \
     LINES(implied_##op),                                                                          \
     sizeof #capture != sizeof "none" || #capture[0] != 'n',                                       \
     sizeof #effect != sizeof "none" || #effect[0] != 'n'},
#include "isa/opcode.def"
};
_Static_assert(sizeof insn_infos / sizeof insn_infos[0] == OP_COUNT, "one row per opcode");

#define INSN(op, ...)                                                                              \
    _Static_assert((int)op##_OPERAND_COUNT <= INSN_OPERANDS_MAX, "operands of " #op);              \
    _Static_assert((int)op##_FIELD_COUNT <= INSN_FIELDS_MAX, "fields of " #op);
#include "isa/opcode.def"

/* What may lie in GM has its bytes there told (model/gm_access.c), and nothing else has. */
#define INSN(op, ...)                  enum { op##_SPACES = 0
#define OPERAND(op, name, spaces, ...) | (int)(spaces)
#define END(op)                                                                                    \
    }                                                                                              \
    ;
#include "isa/opcode.def"

#define INSN(op, ...)  enum { op##_GM_LINES = 0
#define GM(op, access) +1
#define END(op)                                                                                    \
    }                                                                                              \
    ;
#include "isa/opcode.def"

#define INSN(op, ...)                                                                              \
    _Static_assert(((op##_SPACES & (int)IN_GM) != 0) == (op##_GM_LINES == 1),                      \
                   #op ": one GM line where an operand may lie in GM");
#include "isa/opcode.def"

const char *pipe_word(enum pipe pipe)
{
    assert(pipe <= PIPE_ALL);
    return barrier_pipes[pipe];
}

const char *space_word(enum space space)
{
    assert(space < SPACE_COUNT);
    return space_words[space];
}

const struct insn_info *insn_info(enum opcode opcode)
{
    assert(opcode < OP_COUNT);
    return &insn_infos[opcode];
}

uint32_t operand_align(const struct operand_info *operand, enum space space)
{
    if (space == SPACE_GM) {
        return 1;
    }
    bool blocks = space == SPACE_L1 || space == SPACE_UB;
    return blocks && operand->align_bytes > BLOCK_BYTES ? BLOCK_BYTES : operand->align_bytes;
}

const struct quant_info *quant_info(enum insn_mode mode)
{
    assert(mode < MODE_COUNT);
    return &quant_infos[mode];
}

const struct quant_info *deq_info(enum insn_deq scale)
{
    assert(scale < DEQ_COUNT);
    return &deq_infos[scale];
}

const struct quant_info *insn_conversions(enum opcode opcode, size_t *count)
{
    *count = opcode == OP_FIXPIPE ? MODE_COUNT : opcode == OP_DATA_COPY_L0C2UB ? DEQ_COUNT : 0;
    return opcode == OP_FIXPIPE ? quant_infos : deq_infos;
}

enum opcode opcode_find(const char *mnemonic)
{
    for (int opcode = 0; opcode < OP_COUNT; opcode++) {
        if (strcmp(insn_infos[opcode].mnemonic, mnemonic) == 0) {
            return (enum opcode)opcode;
        }
    }
    return OP_COUNT;
}

enum element insn_element(const struct insn *insn)
{
    const struct insn_info *info = insn_info((enum opcode)insn->opcode);
    if (info->type_count == 0 && info->product_count == 0) {
        return ELEMENT_COUNT;
    }
    assert(insn->field[0] >= 0 && insn->field[0] < ELEMENT_COUNT);
    return (enum element)insn->field[0];
}

void insn_init(struct insn *insn, enum opcode opcode)
{
    const struct insn_info *info = insn_info(opcode);
    memset(insn, 0, sizeof *insn);
    insn->opcode = (uint16_t)opcode;
    insn->pipe = (uint8_t)info->pipe;
    for (size_t index = 0; index < INSN_OPERANDS_MAX; index++) {
        insn->operand[index].region = REGION_NONE;
    }
    for (size_t index = 0; index < info->field_count; index++) {
        insn->field[index] = info->fields[index].initial;
    }
}

void insn_copy(struct insn *target, const struct insn *source)
{
    static const uint16_t sizes[] = {
#define INSN(op, ...)                                                                              \
    [OP_##op] = (uint16_t)(offsetof(struct insn, field) + op##_FIELD_COUNT * sizeof(int64_t)),
#include "isa/opcode.def"
    };
    memcpy(target, source, sizes[source->opcode]);
}

_Static_assert((int)SET_FLAG_src == (int)WAIT_FLAG_src && (int)SET_FLAG_dst == (int)WAIT_FLAG_dst &&
                   (int)SET_FLAG_id == (int)WAIT_FLAG_id,
               "set_flag and wait_flag have the same fields");

uint32_t flag_count(uint32_t ids)
{
    return (uint32_t)(PIPE_COUNT * PIPE_COUNT) * ids;
}

uint32_t insn_flag(const struct insn *insn, uint32_t ids)
{
    assert(insn->opcode == OP_SET_FLAG || insn->opcode == OP_WAIT_FLAG);
    int64_t pair = insn->field[SET_FLAG_src] * PIPE_COUNT + insn->field[SET_FLAG_dst];
    assert(insn->field[SET_FLAG_id] >= 0 && insn->field[SET_FLAG_id] < ids);
    return (uint32_t)(pair * ids + insn->field[SET_FLAG_id]);
}

enum pipe flag_source(uint32_t flag, uint32_t ids)
{
    assert(flag < flag_count(ids));
    return (enum pipe)(flag / ids / PIPE_COUNT);
}

enum pipe flag_target(uint32_t flag, uint32_t ids)
{
    assert(flag < flag_count(ids));
    return (enum pipe)(flag / ids % PIPE_COUNT);
}
