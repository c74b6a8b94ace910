#include "model/mutex.h"

#include <assert.h>

_Static_assert((int)MUTEX_LOCK_pipe == (int)MUTEX_UNLOCK_pipe &&
                   (int)MUTEX_LOCK_id == (int)MUTEX_UNLOCK_id,
               "mutex_lock and mutex_unlock have the same fields");

uint32_t mutex_turn(struct mutex_turns *turns, const struct insn *insn)
{
    assert(insn->opcode == OP_MUTEX_LOCK || insn->opcode == OP_MUTEX_UNLOCK);
    int64_t id = insn->field[MUTEX_LOCK_id];
    uint32_t *held = &turns->held[id][insn->field[MUTEX_LOCK_pipe]];
    if (insn->opcode == OP_MUTEX_LOCK) {
        *held = ++turns->locks[id];
        return *held - 1;
    }
    uint32_t turn = *held == 0 ? TURN_NONE : *held - 1;
    *held = 0;
    return turn;
}
