#include "isa/effect.h"

#include <inttypes.h>

#include "isa/effect_parts.h"
#include "isa/view.h"

/* Registers take more bits than the documents allow, so nothing is known about the effect of a
 * field outside its range: it is reported and the instruction does nothing. */
static bool fields_in_range(struct machine *machine, const struct insn *insn)
{
    const struct insn_info *info = insn_info((enum opcode)insn->opcode);
    for (size_t index = 0; index < info->field_count; index++) {
        const struct field_info *field = &info->fields[index];
        int64_t value = insn->field[index];
        if (value < field->low || value > field->high) {
            hazard_report(machine, HAZARD_OUT_OF_BOUNDS, insn,
                          "%s is %" PRId64 "; expected %" PRId64 "..%" PRId64, field->name, value,
                          field->low, field->high);
            return false;
        }
    }
    return true;
}

void effect_apply(struct machine *machine, const struct insn *insn)
{
    if (!fields_in_range(machine, insn)) {
        return;
    }
    switch (insn->opcode) {
    case OP_DATA_COPY:
        effect_data_copy(machine, insn);
        break;
    case OP_ND2NZ:
        effect_nd2nz(machine, insn);
        break;
    case OP_DN2NZ:
        effect_dn2nz(machine, insn);
        break;
    case OP_LOAD2D:
        effect_load2d(machine, insn);
        break;
    case OP_LOAD2DV2:
        effect_load2dv2(machine, insn);
        break;
    case OP_LOAD3DV2:
        effect_load3dv2(machine, insn);
        break;
    case OP_LOAD_BT:
        effect_load_bt(machine, insn);
        break;
    case OP_MMAD:
        effect_mmad(machine, insn);
        break;
    case OP_FIXPIPE:
        effect_fixpipe(machine, insn);
        break;
    default:
        break; /* flags, barriers and registers change no bytes */
    }
}

uint64_t insn_macs(const struct insn *insn)
{
    if (insn->opcode != OP_MMAD) {
        return 0;
    }
    return (uint64_t)insn->field[MMAD_m] * (uint64_t)insn->field[MMAD_n] *
           (uint64_t)insn->field[MMAD_k];
}

uint64_t insn_bytes(const struct insn *insn)
{
    const int64_t *field = insn->field;
    switch (insn->opcode) {
    case OP_DATA_COPY:
        return (uint64_t)(field[DATA_COPY_blockCount] * field[DATA_COPY_blockLen]) * BLOCK_BYTES;
    case OP_ND2NZ:
        return (uint64_t)(field[ND2NZ_ndNum] * field[ND2NZ_nValue] * field[ND2NZ_dValue]) *
               element_bytes(insn_element(insn));
    case OP_DN2NZ:
        return (uint64_t)(field[DN2NZ_dnNum] * field[DN2NZ_nValue] * field[DN2NZ_dValue]) *
               element_bytes(insn_element(insn));
    case OP_LOAD2D:
        return (uint64_t)field[LOAD2D_repeatTimes] * FRACTAL_BYTES;
    case OP_LOAD2DV2:
        return (uint64_t)(field[LOAD2DV2_mStep] * field[LOAD2DV2_kStep]) * FRACTAL_BYTES;
    case OP_LOAD3DV2:
        return load3d_bytes(insn);
    case OP_LOAD_BT:
        return (uint64_t)(field[LOAD_BT_blockCount] * field[LOAD_BT_blockLen]) * 64;
    case OP_FIXPIPE: {
        uint64_t matrices = field[FIXPIPE_layout] == LAYOUT_NZ ? 1 : (uint64_t)field[FIXPIPE_ndNum];
        return matrices * (uint64_t)(field[FIXPIPE_mSize] * field[FIXPIPE_nSize]) *
               element_bytes(fixpipe_target(insn));
    }
    default:
        return 0;
    }
}
