#include "isa/registers.h"

void registers_init(struct registers *registers)
{
    *registers = (struct registers){.repeatTime = 1};
}

static void fmatrix_set(struct registers *registers, int64_t l1H, int64_t l1W)
{
    registers->l1H = l1H;
    registers->l1W = l1W;
}

static void capture_load3dv2(struct registers *registers, struct insn *insn)
{
    int64_t *field = insn->field;
    if (field[LOAD3DV2_isSetFMatrix] != 0) {
        fmatrix_set(registers, field[LOAD3DV2_l1H], field[LOAD3DV2_l1W]);
        registers->padLeft = field[LOAD3DV2_padLeft];
        registers->padRight = field[LOAD3DV2_padRight];
        registers->padTop = field[LOAD3DV2_padTop];
        registers->padBottom = field[LOAD3DV2_padBottom];
    } else {
        field[LOAD3DV2_l1H] = registers->l1H;
        field[LOAD3DV2_l1W] = registers->l1W;
        field[LOAD3DV2_padLeft] = registers->padLeft;
        field[LOAD3DV2_padRight] = registers->padRight;
        field[LOAD3DV2_padTop] = registers->padTop;
        field[LOAD3DV2_padBottom] = registers->padBottom;
    }
    if (field[LOAD3DV2_isSetPadding] != 0) {
        registers->padValue = field[LOAD3DV2_padValue];
    } else {
        field[LOAD3DV2_padValue] = registers->padValue;
    }
    field[LOAD3DV2_repeatStride] = registers->repeatStride;
    field[LOAD3DV2_repeatTime] = registers->repeatTime;
    field[LOAD3DV2_repeatMode] = registers->repeatMode;
    field[LOAD3DV2_dstStride] = registers->dstStride;
}

static void capture_set_fmatrix(struct registers *registers, struct insn *insn)
{
    const int64_t *field = insn->field;
    fmatrix_set(registers, field[SET_FMATRIX_l1H], field[SET_FMATRIX_l1W]);
    registers->padLeft = field[SET_FMATRIX_padLeft];
    registers->padRight = field[SET_FMATRIX_padRight];
    registers->padTop = field[SET_FMATRIX_padTop];
    registers->padBottom = field[SET_FMATRIX_padBottom];
}

static void capture_set_padding_value(struct registers *registers, struct insn *insn)
{
    registers->padValue = insn->field[SET_PADDING_VALUE_padValue];
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
