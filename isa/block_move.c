#include "isa/block_move.h"

enum { DST, SRC };
_Static_assert((int)DATA_COPY_dst == (int)DST && (int)DATA_COPY_src == (int)SRC, "data_copy");
_Static_assert((int)LOAD_BT_dst == (int)DST && (int)LOAD_BT_src == (int)SRC, "load_bt");
_Static_assert((int)LOAD_FB_dst == (int)DST && (int)LOAD_FB_src == (int)SRC, "load_fb");

bool block_move_open(struct block_move *move, struct machine *machine, const struct insn *insn)
{
    if (move->count == 0 || move->source_length == 0) {
        return false;
    }
    uint64_t last = move->count - 1;
    return view_open(machine, insn, DST, last * move->target_pitch + move->target_length,
                     &move->target) &&
           view_open(machine, insn, SRC, last * move->source_pitch + move->source_length,
                     &move->source);
}

void block_move_copy(const struct block_move *move)
{
    for (uint64_t block = 0; block < move->count; block++) {
        view_copy(&move->target, block * move->target_pitch, &move->source,
                  block * move->source_pitch, (size_t)move->source_length);
    }
}
