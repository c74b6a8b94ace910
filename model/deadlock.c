#include "model/deadlock.h"

#include <stdlib.h>

#include "model/insn_ref.h"

const char *standing_awaited(const struct standing *standing, struct arena *arena)
{
    const struct insn *insn = &standing->insn;
    switch (standing->cause) {
    case STANDING_FLAG:
        return arena_format(
            arena, "flag %s->%s id %lld", pipe_word((enum pipe)insn->field[WAIT_FLAG_src]),
            pipe_word((enum pipe)insn->field[WAIT_FLAG_dst]), (long long)insn->field[WAIT_FLAG_id]);
    case STANDING_MUTEX:
        return arena_format(arena, "mutex %lld, which a lock before it holds",
                            (long long)insn->field[MUTEX_LOCK_id]);
    case STANDING_UNIT_FLAG:
        return insn->opcode == OP_MMAD ? "a fixpipe to hand its blocks of L0C back"
                                       : "an mmad to hand its blocks of L0C over";
    case STANDING_BARRIER:
        return "all pipes";
    case STANDING_QUEUE:
        break;
    }
    return arena_format(arena, "a place in the queue of %s", pipe_word((enum pipe)insn->pipe));
}

static int standing_compare(const void *left, const void *right)
{
    uint32_t a = ((const struct standing *)left)->seq, b = ((const struct standing *)right)->seq;
    return (a > b) - (a < b);
}

const char *deadlock_message(struct standing *standing, size_t count, struct arena *arena)
{
    const char *message = "nothing can go on";
    qsort(standing, count, sizeof *standing, standing_compare);
    for (size_t i = 0; i < count && message != NULL; i++) {
        char where[INSN_REF_TEXT_BYTES];
        const struct insn_ref ref = insn_ref_of(&standing[i].insn, standing[i].seq);
        const char *awaited = standing_awaited(&standing[i], arena);
        if (awaited == NULL)
            return NULL;
        message = arena_format(arena, "%s%s %s stands at %s and waits for %s", message,
                               i == 0 ? ":" : ";", pipe_word(standing[i].pipe),
                               insn_ref_text(&ref, where), awaited);
    }
    return message;
}
