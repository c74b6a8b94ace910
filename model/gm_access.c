#include "model/gm_access.h"

#include <assert.h>

#include "isa/effect.h"
#include "isa/fixpipe.h"

/* Joins levels whose runs touch. */
static void access_join(struct gm_access *access)
{
    if (access->inner_count == 1 && access->outer_count > 1) {
        access->inner_count = access->outer_count;
        access->inner_stride = access->outer_stride;
        access->outer_count = 1;
    }
    if (access->inner_stride == access->length) {
        access->length *= access->inner_count;
        access->inner_count = 1;
    }
    if (access->inner_count == 1 && access->outer_count > 1 &&
        access->outer_stride == access->length) {
        access->length *= access->outer_count;
        access->outer_count = 1;
    }
}

static uint64_t field(const struct insn *insn, int index)
{
    return (uint64_t)insn->field[index];
}

static void access_data_copy(const struct insn *insn, enum arch arch, struct gm_access *access)
{
    (void)arch;
    access->length = field(insn, DATA_COPY_blockLen) * BLOCK_BYTES;
    access->inner_count = field(insn, DATA_COPY_blockCount);
    uint64_t gap = field(insn, access->write ? DATA_COPY_dstGap : DATA_COPY_srcGap);
    access->inner_stride = access->length + gap * BLOCK_BYTES;
}

/* Blocks may overlap, down to one block that is read again and again. */
static void access_data_copy_pad(const struct insn *insn, enum arch arch, struct gm_access *access)
{
    (void)arch;
    access->length = field(insn, DATA_COPY_PAD_blockLen);
    /* A block that would begin before the one before it is refused by the effect. */
    if (insn->field[DATA_COPY_PAD_srcStride] < -insn->field[DATA_COPY_PAD_blockLen]) {
        access->length = 0;
        return;
    }
    access->inner_count = field(insn, DATA_COPY_PAD_blockCount);
    access->inner_stride = access->length + field(insn, DATA_COPY_PAD_srcStride);
}

/* A descent reads the fractals from its last one on; one that passes its operand is refused by the
 * effect. */
static void access_load2d(const struct insn *insn, enum arch arch, struct gm_access *access)
{
    (void)arch;
    uint64_t start = field(insn, LOAD2D_startIndex), stride = field(insn, LOAD2D_srcStride);
    access->length = FRACTAL_BYTES;
    access->inner_count = field(insn, LOAD2D_repeatTimes);
    access->inner_stride = stride * FRACTAL_BYTES;
    if (field(insn, LOAD2D_addrMode) != 0 && access->inner_count > 0) {
        uint64_t way = (access->inner_count - 1) * stride;
        if (way > start) {
            access->length = 0;
            return;
        }
        start -= way;
    }
    access->from = start * FRACTAL_BYTES;
}

static void access_load2dv2(const struct insn *insn, enum arch arch, struct gm_access *access)
{
    (void)arch;
    uint64_t stride = field(insn, LOAD2DV2_srcStride);
    access->length = field(insn, LOAD2DV2_mStep) * FRACTAL_BYTES;
    access->inner_count = field(insn, LOAD2DV2_kStep);
    access->inner_stride = stride * FRACTAL_BYTES;
    access->from =
        (field(insn, LOAD2DV2_kStartPosition) * stride + field(insn, LOAD2DV2_mStartPosition)) *
        FRACTAL_BYTES;
}

static void access_nd2nz(const struct insn *insn, enum arch arch, struct gm_access *access)
{
    (void)arch;
    uint64_t size = nz_element_bytes(insn);
    access->length = field(insn, ND2NZ_dValue) * size;
    access->inner_count = field(insn, ND2NZ_nValue);
    access->inner_stride = field(insn, ND2NZ_srcDValue) * size;
    access->outer_count = field(insn, ND2NZ_ndNum);
    access->outer_stride = field(insn, ND2NZ_srcNdMatrixStride) * size;
}

static void access_dn2nz(const struct insn *insn, enum arch arch, struct gm_access *access)
{
    (void)arch;
    uint64_t size = nz_element_bytes(insn);
    access->length = field(insn, DN2NZ_nValue) * size;
    access->inner_count = field(insn, DN2NZ_dValue);
    access->inner_stride = field(insn, DN2NZ_srcDValue) * size;
    access->outer_count = field(insn, DN2NZ_dnNum);
    access->outer_stride = field(insn, DN2NZ_srcDnMatrixStride) * size;
}

static void access_fixpipe(const struct insn *insn, enum arch arch, struct gm_access *access)
{
    struct fixpipe_shape shape;
    fixpipe_shape(insn, arch, &shape);
    access->outer_count = shape.matrices;
    access->outer_stride = shape.matrix;
    switch ((enum insn_layout)insn->field[FIXPIPE_layout]) {
    case LAYOUT_NZ: {
        uint64_t last = shape.columns % shape.group_columns;
        access->length = shape.rows * shape.row;
        access->inner_count = (shape.columns + shape.group_columns - 1) / shape.group_columns;
        access->inner_stride = shape.group;
        if (shape.tail_from < shape.columns)
            access->last_lacks = shape.rows * (shape.row - shape.tail_row);
        else if (last != 0)
            access->last_lacks = (shape.group_columns - last) * shape.size;
        break;
    }
    case LAYOUT_NZ2ND:
        access->length = shape.columns * shape.size;
        access->inner_count = shape.rows;
        access->inner_stride = shape.row;
        break;
    case LAYOUT_NZ2DN:
        access->length = shape.rows * shape.size;
        access->inner_count = shape.columns;
        access->inner_stride = shape.column;
        break;
    }
}

/* Moves an access, whose start counts from its operand, to its address; false when it leaves its
 * tensor. No field of an instruction is so large that this could wrap. */
static bool access_place(const struct region *region, uint64_t offset, struct gm_access *access)
{
    uint64_t room = offset <= region->size_bytes ? region->size_bytes - offset : 0;
    uint64_t until = access->from + (access->outer_count - 1) * access->outer_stride +
                     (access->inner_count - 1) * access->inner_stride + access->length;
    /* A short last run may end before the one before it does. */
    bool before = access->inner_count > 1 && access->inner_stride < access->last_lacks;
    until -= before ? access->inner_stride : access->last_lacks;
    access->from += region->base_bytes + offset;
    return until <= room && gm_access_bytes(access) <= INSN_BYTES_MAX;
}

/* The functions that the table names; they find counts, strides and the start within the operand
 * that lies in GM. */
static void (*const accesses[OP_COUNT])(const struct insn *insn, enum arch arch,
                                        struct gm_access *access) = {
#define GM(op, access) [OP_##op] = access_##access,
#include "isa/opcode.def"
};

/* The operand that lies in GM, or NULL: no row has two at once. */
static const struct operand *operand_in_gm(const struct program *program, const struct insn *insn)
{
    const struct operand *operand = insn->operand;
    for (size_t left = insn_info((enum opcode)insn->opcode)->operand_count; left > 0; left--) {
        if (operand->region < program->region_count &&
            program->regions[operand->region].space == SPACE_GM)
            return operand;
        operand++;
    }
    return NULL;
}

bool gm_access(const struct program *program, const struct insn *insn, struct gm_access *access)
{
    *access = (struct gm_access){.outer_count = 1, .inner_count = 1};
    if (accesses[insn->opcode] == NULL)
        return false;
    const struct operand *operand = operand_in_gm(program, insn);
    if (operand == NULL)
        return false;
    access->region = operand->region;
    access->write = operand == &insn->operand[0];
    accesses[insn->opcode](insn, program->arch, access);
    if (gm_access_bytes(access) == 0 ||
        !access_place(&program->regions[operand->region], operand->offset, access))
        return false;
    access_join(access);
    return true;
}
