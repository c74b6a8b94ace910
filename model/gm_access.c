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

/* The side of a copy that lies in GM; NULL when none does. */
static const struct operand *access_copy(const struct program *program, const struct insn *insn,
                                         struct gm_access *access)
{
    const struct operand *source = &insn->operand[DATA_COPY_src];
    const struct operand *target = &insn->operand[DATA_COPY_dst];
    bool reads = program->regions[source->region].space == SPACE_GM;
    access->write = program->regions[target->region].space == SPACE_GM;
    access->length = field(insn, DATA_COPY_blockLen) * BLOCK_BYTES;
    access->inner_count = field(insn, DATA_COPY_blockCount);
    uint64_t gap = field(insn, access->write ? DATA_COPY_dstGap : DATA_COPY_srcGap);
    access->inner_stride = access->length + gap * BLOCK_BYTES;
    return access->write ? target : reads ? source : NULL;
}

/* Blocks may overlap, down to one block that is read again and again. */
static void access_pad(const struct insn *insn, struct gm_access *access)
{
    access->length = field(insn, DATA_COPY_PAD_blockLen);
    access->inner_count = field(insn, DATA_COPY_PAD_blockCount);
    access->inner_stride = access->length + field(insn, DATA_COPY_PAD_srcStride);
}

/* A descent reads the fractals from its last one on. */
static void access_load2d(const struct insn *insn, struct gm_access *access)
{
    uint64_t start = field(insn, LOAD2D_startIndex), stride = field(insn, LOAD2D_srcStride);
    access->length = FRACTAL_BYTES;
    access->inner_count = field(insn, LOAD2D_repeatTimes);
    access->inner_stride = stride * FRACTAL_BYTES;
    if (field(insn, LOAD2D_addrMode) != 0 && access->inner_count > 0) {
        uint64_t way = (access->inner_count - 1) * stride;
        start -= way < start ? way : start;
    }
    access->from = start * FRACTAL_BYTES;
}

static void access_load2dv2(const struct insn *insn, struct gm_access *access)
{
    uint64_t stride = field(insn, LOAD2DV2_srcStride);
    access->length = field(insn, LOAD2DV2_mStep) * FRACTAL_BYTES;
    access->inner_count = field(insn, LOAD2DV2_kStep);
    access->inner_stride = stride * FRACTAL_BYTES;
    access->from =
        (field(insn, LOAD2DV2_kStartPosition) * stride + field(insn, LOAD2DV2_mStartPosition)) *
        FRACTAL_BYTES;
}

static void access_nd2nz(const struct insn *insn, struct gm_access *access)
{
    uint64_t size = nz_element_bytes(insn);
    access->length = field(insn, ND2NZ_dValue) * size;
    access->inner_count = field(insn, ND2NZ_nValue);
    access->inner_stride = field(insn, ND2NZ_srcDValue) * size;
    access->outer_count = field(insn, ND2NZ_ndNum);
    access->outer_stride = field(insn, ND2NZ_srcNdMatrixStride) * size;
}

static void access_dn2nz(const struct insn *insn, struct gm_access *access)
{
    uint64_t size = nz_element_bytes(insn);
    access->length = field(insn, DN2NZ_nValue) * size;
    access->inner_count = field(insn, DN2NZ_dValue);
    access->inner_stride = field(insn, DN2NZ_srcDValue) * size;
    access->outer_count = field(insn, DN2NZ_dnNum);
    access->outer_stride = field(insn, DN2NZ_srcDnMatrixStride) * size;
}

static void access_fixpipe(const struct program *program, const struct insn *insn,
                           struct gm_access *access)
{
    struct fixpipe_shape shape;
    fixpipe_shape(insn, program->arch, &shape);
    access->write = true;
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
    return until <= room && gm_access_bytes(access) <= UINT32_MAX;
}

bool gm_access(const struct program *program, const struct insn *insn, struct gm_access *access)
{
    *access = (struct gm_access){.outer_count = 1, .inner_count = 1};
    const struct operand *operand;
    switch (insn->opcode) {
    case OP_DATA_COPY:
        operand = access_copy(program, insn, access);
        if (operand == NULL)
            return false;
        break;
    case OP_DATA_COPY_PAD:
        operand = &insn->operand[DATA_COPY_PAD_src];
        access_pad(insn, access);
        break;
    case OP_LOAD2D:
        if (!insn_copies(insn))
            return false;
        operand = &insn->operand[LOAD2D_src];
        access_load2d(insn, access);
        break;
    case OP_LOAD2DV2:
        if (!insn_copies(insn))
            return false;
        operand = &insn->operand[LOAD2DV2_src];
        access_load2dv2(insn, access);
        break;
    case OP_ND2NZ:
        operand = &insn->operand[ND2NZ_src];
        access_nd2nz(insn, access);
        break;
    case OP_DN2NZ:
        operand = &insn->operand[DN2NZ_src];
        access_dn2nz(insn, access);
        break;
    case OP_FIXPIPE:
        operand = &insn->operand[FIXPIPE_dst];
        if (program->regions[operand->region].space != SPACE_GM)
            return false;
        access_fixpipe(program, insn, access);
        break;
    default:
        return false;
    }
    access->region = operand->region;
    if (gm_access_bytes(access) == 0 ||
        !access_place(&program->regions[operand->region], operand->offset, access))
        return false;
    access_join(access);
    return true;
}
