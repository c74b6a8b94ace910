#include "isa/effect.h"

#include <inttypes.h>

#include "isa/effect_parts.h"
#include "isa/insn_check.h"
#include "isa/view.h"

/* Flags, barriers and registers change no bytes. */
void effect_none(struct machine *machine, const struct insn *insn)
{
    (void)machine;
    (void)insn;
}

uint64_t bytes_none(const struct program *program, const struct insn *insn)
{
    (void)program;
    (void)insn;
    return 0;
}

/* The functions that the table names. */
static void (*const effects[OP_COUNT])(struct machine *machine, const struct insn *insn) = {
#define INSN(op, mnemonic, pipe, arches, capture, effect, ...) [OP_##op] = effect_##effect,
#include "isa/opcode.def"
};
static uint64_t (*const bytes[OP_COUNT])(const struct program *program, const struct insn *insn) = {
#define INSN(op, mnemonic, pipe, arches, capture, effect, ...) [OP_##op] = bytes_##effect,
#include "isa/opcode.def"
};

/* Reports an instruction whose counts come to more bytes than any memory has. */
static bool bytes_fit(struct machine *machine, const struct insn *insn)
{
    uint64_t moved = insn_bytes(machine->program, insn);
    if (moved > INSN_BYTES_MAX) {
        hazard_report(machine, HAZARD_OUT_OF_BOUNDS, insn,
                      "it moves %" PRIu64 " bytes; expected at most %" PRIu64, moved,
                      INSN_BYTES_MAX);
        return false;
    }
    return true;
}

void effect_apply(struct machine *machine, const struct insn *insn)
{
    struct insn_problem problem;
    machine->refusing = false;
    /* Registers take more bits than the documents allow, so nothing is known about the effect of a
     * field outside its range: it is reported and the instruction does nothing. */
    if (!insn_check(machine->program, insn, &problem)) {
        hazard_report(machine, HAZARD_OUT_OF_BOUNDS, insn, "%s", problem.message);
    } else if (bytes_fit(machine, insn)) {
        effects[insn->opcode](machine, insn);
    }
    machine->refused += machine->refusing;
}

uint64_t insn_macs(const struct insn *insn)
{
    if (insn->opcode != OP_MMAD) {
        return 0;
    }
    return (uint64_t)insn->field[MMAD_m] * (uint64_t)insn->field[MMAD_n] *
           (uint64_t)insn->field[MMAD_k];
}

uint64_t insn_bytes(const struct program *program, const struct insn *insn)
{
    return bytes[insn->opcode](program, insn);
}
