#include "model/gm_access.h"

#include <assert.h>

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

static void access_nd2nz(const struct insn *insn, struct gm_access *access)
{
    uint64_t size = element_bytes(insn_element(insn));
    access->length = field(insn, ND2NZ_dValue) * size;
    access->inner_count = field(insn, ND2NZ_nValue);
    access->inner_stride = field(insn, ND2NZ_srcDValue) * size;
    access->outer_count = field(insn, ND2NZ_ndNum);
    access->outer_stride = field(insn, ND2NZ_srcNdMatrixStride) * size;
}

static void access_dn2nz(const struct insn *insn, struct gm_access *access)
{
    uint64_t size = element_bytes(insn_element(insn));
    access->length = field(insn, DN2NZ_nValue) * size;
    access->inner_count = field(insn, DN2NZ_dValue);
    access->inner_stride = field(insn, DN2NZ_srcDValue) * size;
    access->outer_count = field(insn, DN2NZ_dnNum);
    access->outer_stride = field(insn, DN2NZ_srcDnMatrixStride) * size;
}

static void access_fixpipe(const struct program *program, const struct insn *insn,
                           struct gm_access *access)
{
    uint64_t size = element_bytes(program->regions[insn->operand[FIXPIPE_dst].region].element);
    uint64_t rows = field(insn, FIXPIPE_mSize), columns = field(insn, FIXPIPE_nSize);
    access->write = true;
    access->outer_count = field(insn, FIXPIPE_ndNum);
    access->outer_stride = field(insn, FIXPIPE_dstNdStride) * size;
    switch ((enum insn_layout)insn->field[FIXPIPE_layout]) {
    case LAYOUT_NZ: {
        uint64_t group = field(insn, FIXPIPE_channelSplit) ? 8 : 16;
        access->length = rows * group * size;
        access->inner_count = (columns + group - 1) / group;
        access->inner_stride = field(insn, FIXPIPE_dstStride) * BLOCK_BYTES;
        access->outer_count = 1;
        break;
    }
    case LAYOUT_NZ2ND:
        access->length = columns * size;
        access->inner_count = rows;
        access->inner_stride = field(insn, FIXPIPE_dstStride) * size;
        break;
    case LAYOUT_NZ2DN:
        access->length = rows * size;
        access->inner_count = columns;
        access->inner_stride = field(insn, FIXPIPE_dstStride) * size;
        break;
    }
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
        access_fixpipe(program, insn, access);
        break;
    default:
        return false;
    }
    access->region = operand->region;
    access->from = program->regions[operand->region].base_bytes + operand->offset;
    if (gm_access_bytes(access) == 0)
        return false;
    access_join(access);
    return true;
}
