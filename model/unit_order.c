#include "model/unit_order.h"

#include <inttypes.h>

#include "isa/fixpipe.h"

void unit_order_reset(struct unit_order *order)
{
    order->set = order->cleared = (struct unit_blocks){0};
}

static bool block_in(const struct unit_blocks *blocks, uint32_t block)
{
    return (blocks->word[block / 64] >> block % 64 & 1) != 0;
}

/* What comes next on a pipe comes behind those that changed the unit flags of these blocks last. A
 * pipe works in order: what is done by the last of them says all. */
static void unit_acquire(struct unit_order *order, enum pipe pipe, const struct unit_hand *hands,
                         const struct unit_blocks *blocks)
{
    const struct unit_hand *last = NULL;
    for (uint32_t block = 0; block < UNIT_BLOCKS_MAX; block++)
        if (block_in(blocks, block) && (last == NULL || hands[block].ref.seq > last->ref.seq))
            last = &hands[block];
    if (last != NULL)
        clocks_acquire(order->clocks, pipe, &last->clock);
}

bool unit_order_take(struct unit_order *order, const struct insn *insn)
{
    struct unit_blocks blocks;
    enum unit_use use = unit_flag_use(order->program, insn, order->l0c_bytes, &blocks);
    if (use == UNIT_UNUSED)
        return true;
    bool wants_set = use == UNIT_WAIT_SET || use == UNIT_CLEAR;
    uint64_t wrong = 0;
    for (int word = 0; word < UNIT_WORDS; word++)
        wrong |= blocks.word[word] & (wants_set ? ~order->set.word[word] : order->set.word[word]);
    if (wrong != 0)
        return false;
    for (int word = 0; word < UNIT_WORDS && !wants_set; word++)
        blocks.word[word] &= order->cleared.word[word];
    unit_acquire(order, (enum pipe)insn->pipe, wants_set ? order->maker : order->taker, &blocks);
    return true;
}

/* An Mmad that hands blocks over, or a Fixpipe that hands them back. */
static void blocks_hand(struct unit_order *order, const struct insn *insn, uint32_t seq,
                        const struct unit_blocks *blocks)
{
    bool made = insn->opcode == OP_MMAD;
    struct unit_hand *hands = made ? order->maker : order->taker;
    const struct unit_hand hand = {
        .ref = insn_ref_of(insn, seq),
        .clock = clocks_release(order->clocks, (enum pipe)insn->pipe, false),
        .wide = made && insn->field[MMAD_m] > FRACTAL_ROWS && insn->field[MMAD_n] > FRACTAL_ROWS,
        .row_major = made && insn->field[MMAD_rowMajor] != 0,
    };
    for (uint32_t block = 0; block < UNIT_BLOCKS_MAX; block++)
        if (block_in(blocks, block))
            hands[block] = hand;
    for (int word = 0; word < UNIT_WORDS; word++) {
        if (made) {
            order->set.word[word] |= blocks->word[word];
        } else {
            order->set.word[word] &= ~blocks->word[word];
            order->cleared.word[word] |= blocks->word[word];
        }
    }
}

/* A Fixpipe that waits for blocks takes them along N first when it makes rows of them or joins
 * groups of 8-bit columns, else along M. It follows an Mmad of the other direction late: no hazard,
 * but the vendor advises against. */
static void unit_judge_direction(const struct unit_order *order, const struct insn *insn,
                                 uint32_t seq, const struct unit_blocks *blocks)
{
    struct fixpipe_shape shape;
    fixpipe_shape(insn, order->program->arch, &shape);
    int64_t layout = insn->field[FIXPIPE_layout];
    bool joins = layout == LAYOUT_NZ && shape.group_columns > FIXPIPE_GROUP;
    bool rows = layout == LAYOUT_NZ2ND || joins;
    uint32_t block = 0;
    while (block < UNIT_BLOCKS_MAX && (!block_in(blocks, block) || !order->maker[block].wide ||
                                       order->maker[block].row_major == rows))
        block++;
    if (block == UNIT_BLOCKS_MAX)
        return;
    char here[INSN_REF_TEXT_BYTES], there[INSN_REF_TEXT_BYTES];
    const struct insn_ref where = insn_ref_of(insn, seq);
    struct finding finding = finding_about(HAZARD_COUNT, &where, 0);
    finding.note = true;
    finding_tell(
        order->sink, &finding,
        "%s takes blocks of L0C along %s first and %s makes them along %s first; with unit "
        "flags expected set_mm_%s_major before the mmad",
        insn_ref_text(&where, here), rows ? "N" : "M",
        insn_ref_text(&order->maker[block].ref, there), rows ? "M" : "N", rows ? "row" : "column");
}

bool unit_order_change(struct unit_order *order, const struct insn *insn, uint32_t seq)
{
    struct unit_blocks blocks;
    enum unit_use use = unit_flag_use(order->program, insn, order->l0c_bytes, &blocks);
    bool changes = use == UNIT_SET || use == UNIT_CLEAR;
    if (use == UNIT_WAIT_SET || use == UNIT_CLEAR)
        unit_judge_direction(order, insn, seq, &blocks);
    if (changes)
        blocks_hand(order, insn, seq, &blocks);
    return changes;
}

/* Blocks of L0C that an Mmad has handed over and no Fixpipe has handed back: the next Mmad with
 * unit flags that touches them, be it of the next kernel, waits for ever. Each Mmad is told once,
 * with its first block. */
static void unit_judge_left(const struct unit_order *order, uint32_t block)
{
    const struct insn_ref *maker = &order->maker[block].ref;
    uint32_t left = 0;
    for (uint32_t other = 0; other < UNIT_BLOCKS_MAX; other++) {
        if (!block_in(&order->set, other) || order->maker[other].ref.seq != maker->seq)
            continue;
        if (other < block)
            return;
        left++;
    }
    char here[INSN_REF_TEXT_BYTES];
    uint64_t bytes = unit_block_bytes(order->l0c_bytes);
    const struct finding finding = finding_about(HAZARD_FLAG_LEFT, maker, 0);
    finding_tell(order->sink, &finding,
                 "%s leaves unit flags set, %" PRIu32 " in all, the first that of bytes %" PRIu64
                 "..%" PRIu64 " of l0c; expected a fixpipe with unitFlag=3 that takes them",
                 insn_ref_text(maker, here), left, block * bytes, (block + 1) * bytes - 1);
}

void unit_order_finish(const struct unit_order *order)
{
    for (uint32_t block = 0; block < UNIT_BLOCKS_MAX; block++)
        if (block_in(&order->set, block))
            unit_judge_left(order, block);
}
