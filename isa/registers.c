#include "isa/registers.h"

void registers_init(struct registers *registers)
{
    *registers = (struct registers){.repeatTime = 1};
}

/* Image size and pads stand side by side in every row that has them, in this order. */
enum { IMAGE_FIELDS = 6 };
_Static_assert(SET_FMATRIX_padBottom - SET_FMATRIX_l1H + 1 == IMAGE_FIELDS &&
                   LOAD3DV2_padBottom - LOAD3DV2_l1H + 1 == IMAGE_FIELDS,
               "rows, columns and four pads");

static void image_set(struct registers *registers, const int64_t image[IMAGE_FIELDS])
{
    registers->l1H = image[0];
    registers->l1W = image[1];
    registers->padLeft = image[2];
    registers->padRight = image[3];
    registers->padTop = image[4];
    registers->padBottom = image[5];
}

static void image_get(const struct registers *registers, int64_t image[IMAGE_FIELDS])
{
    image[0] = registers->l1H;
    image[1] = registers->l1W;
    image[2] = registers->padLeft;
    image[3] = registers->padRight;
    image[4] = registers->padTop;
    image[5] = registers->padBottom;
}

/* The repeat and the boundary, from repeatStride on. */
enum { REPEAT_FIELDS = 5 };
_Static_assert(LOAD3DV2_boundaryValue - LOAD3DV2_repeatStride + 1 == REPEAT_FIELDS &&
                   LOAD3DV2PRO_boundaryValue - LOAD3DV2PRO_repeatStride + 1 == REPEAT_FIELDS,
               "stride, time, mode, destination stride, boundary");

static void repeat_get(const struct registers *registers, int64_t repeat[REPEAT_FIELDS])
{
    repeat[0] = registers->repeatStride;
    repeat[1] = registers->repeatTime;
    repeat[2] = registers->repeatMode;
    repeat[3] = registers->dstStride;
    repeat[4] = registers->boundaryValue;
}

/* Load3Dv1, Load3Dv2 and LoadDataWithStride have these fields at the same places (isa/load3d.c). */
static void switches_obey(struct registers *registers, int64_t *field)
{
    if (field[LOAD3DV2_isSetFMatrix] != 0) {
        image_set(registers, field + LOAD3DV2_l1H);
    } else {
        image_get(registers, field + LOAD3DV2_l1H);
    }
    if (field[LOAD3DV2_isSetPadding] != 0) {
        registers->padValue = field[LOAD3DV2_padValue];
        registers->padValueSet = 0;
    } else {
        field[LOAD3DV2_padValue] = registers->padValue;
    }
}

static void capture_load3dv1(struct registers *registers, struct insn *insn)
{
    switches_obey(registers, insn->field);
    insn->field[LOAD3DV1_boundaryValue] = registers->boundaryValue;
}

static void capture_load3dv2(struct registers *registers, struct insn *insn)
{
    switches_obey(registers, insn->field);
    repeat_get(registers, insn->field + LOAD3DV2_repeatStride);
}

static void capture_load3dv2pro(struct registers *registers, struct insn *insn)
{
    image_get(registers, insn->field + LOAD3DV2PRO_l1H);
    insn->field[LOAD3DV2PRO_padValue] = registers->padValue;
    repeat_get(registers, insn->field + LOAD3DV2PRO_repeatStride);
}

/* The copy sets all registers that its Load3D reads, and they keep that; but its stride fits its
 * own block alone, and a later load derives another. */
static void capture_copy_l12l0a_img2col(struct registers *registers, struct insn *insn)
{
    const int64_t *field = insn->field;
    image_set(registers, field + COPY_L12L0A_IMG2COL_H);
    registers->padValue = field[COPY_L12L0A_IMG2COL_padValue];
    registers->padValueSet = 0;
    registers->repeatStride = 0;
    registers->repeatTime = 1;
    registers->repeatMode = 0;
    registers->dstStride = 0;
}

static void capture_set_fmatrix(struct registers *registers, struct insn *insn)
{
    image_set(registers, insn->field + SET_FMATRIX_l1H);
}

static void capture_set_padding_value(struct registers *registers, struct insn *insn)
{
    registers->padValue = insn->field[SET_PADDING_VALUE_padValue];
    registers->padValueSet = 1;
}

static void capture_set_load_data_repeat(struct registers *registers, struct insn *insn)
{
    const int64_t *field = insn->field;
    registers->repeatStride = field[SET_LOAD_DATA_REPEAT_repeatStride];
    registers->repeatTime = field[SET_LOAD_DATA_REPEAT_repeatTime];
    registers->repeatMode = field[SET_LOAD_DATA_REPEAT_repeatMode];
    registers->dstStride = field[SET_LOAD_DATA_REPEAT_dstStride];
}

static void capture_set_atomic_add(struct registers *registers, struct insn *insn)
{
    registers->atomicAdd = 1 + insn->field[SET_ATOMIC_ADD_type];
}

static void capture_set_atomic_none(struct registers *registers, struct insn *insn)
{
    (void)insn;
    registers->atomicAdd = 0;
}

static void capture_data_copy(struct registers *registers, struct insn *insn)
{
    insn->field[DATA_COPY_atomicAdd] = registers->atomicAdd;
}

static void capture_set_load_data_boundary(struct registers *registers, struct insn *insn)
{
    registers->boundaryValue = insn->field[SET_LOAD_DATA_BOUNDARY_boundaryValue];
}

static void capture_set_hf32_mode(struct registers *registers, struct insn *insn)
{
    registers->hf32 = insn->field[SET_HF32_MODE_mode];
}

static void capture_set_hf32_trans_mode(struct registers *registers, struct insn *insn)
{
    registers->hf32Trans = insn->field[SET_HF32_TRANS_MODE_mode];
}

static void capture_set_mm_row_major(struct registers *registers, struct insn *insn)
{
    (void)insn;
    registers->rowMajor = 1;
}

static void capture_set_mm_column_major(struct registers *registers, struct insn *insn)
{
    (void)insn;
    registers->rowMajor = 0;
}

static void capture_set_overflow(struct registers *registers, struct insn *insn)
{
    registers->keepInfNan = insn->field[SET_OVERFLOW_ctrlValue];
}

static void capture_mmad(struct registers *registers, struct insn *insn)
{
    insn->field[MMAD_hf32] = registers->hf32;
    insn->field[MMAD_hf32Trans] = registers->hf32Trans;
    insn->field[MMAD_rowMajor] = registers->rowMajor;
    insn->field[MMAD_keepInfNan] = registers->keepInfNan;
}

static void capture_fixpipe(struct registers *registers, struct insn *insn)
{
    insn->field[FIXPIPE_keepInfNan] = registers->keepInfNan;
    insn->field[FIXPIPE_atomicAdd] = registers->atomicAdd;
}

static void capture_none(struct registers *registers, struct insn *insn)
{
    (void)registers;
    (void)insn;
}

/* The functions that the table names. */
static void (*const captures[OP_COUNT])(struct registers *registers, struct insn *insn) = {
#define INSN(op, mnemonic, pipe, arches, capture, ...) [OP_##op] = capture_##capture,
#include "isa/opcode.def"
};

void insn_capture(struct registers *registers, struct insn *insn)
{
    captures[insn->opcode](registers, insn);
}

bool insn_loses_padding(const struct registers *registers, const struct insn *insn)
{
    bool switches =
        captures[insn->opcode] == capture_load3dv1 || captures[insn->opcode] == capture_load3dv2;
    return switches && registers->padValueSet != 0 && registers->padValue != 0 &&
           insn->field[LOAD3DV2_isSetPadding] != 0 && insn->field[LOAD3DV2_padValue] == 0;
}
