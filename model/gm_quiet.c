#include "model/gm_quiet.h"

enum { DESTINATION /* the first operand of every row that has one */ };

static enum status stream_look(const struct program *program, uint32_t core, bool *quiet)
{
    struct arena work;
    struct insn insn;
    arena_init(&work, 0);
    void *stream = program->open(program->context, core, &work);
    while (stream != NULL && program->next(stream, &insn)) {
        uint32_t region = insn.operand[DESTINATION].region;
        if (insn_info((enum opcode)insn.opcode)->operand_count != 0 &&
            region < program->region_count)
            quiet[region] = false;
    }
    arena_deinit(&work);
    return stream == NULL ? STATUS_NO_MEMORY : STATUS_OK;
}

enum status gm_quiet(const struct program *program, struct arena *arena, bool **quiet)
{
    enum status status = STATUS_OK;
    *quiet = arena_take(arena, (size_t)program->region_count + 1, sizeof **quiet);
    if (*quiet == NULL)
        return STATUS_NO_MEMORY;
    for (uint32_t region = 0; region < program->region_count; region++)
        (*quiet)[region] = program->regions[region].space == SPACE_GM;
    for (uint32_t core = 0; core < program->core_count && status == STATUS_OK; core++)
        status = stream_look(program, core, *quiet);
    return status;
}
