#include "model/tile_buffers.h"

#include <assert.h>

#include "model/saturate.h"
#include "model/tile_rules.h"
#include "model/tile_space.h"

enum policy plan_policy(const struct plan *plan)
{
    if (plan->given[WORD_POLICY])
        return plan->schedule.policy;
    return plan->form == TILE_VENDOR || plan->matmul ? POLICY_VENDOR : POLICY_PYPTO;
}

enum plan_word buffer_word(enum buffer buffer)
{
    static const enum plan_word words[BUFFER_COUNT] = {
        [BUFFER_L1A] = WORD_L1A_BUFFERS, [BUFFER_L1B] = WORD_L1B_BUFFERS,
        [BUFFER_L0A] = WORD_L0A_BUFFERS, [BUFFER_L0B] = WORD_L0B_BUFFERS,
        [BUFFER_L0C] = WORD_L0C_BUFFERS,
    };

    assert((unsigned)buffer < BUFFER_COUNT);
    return words[buffer];
}

uint64_t buffers_l1_bytes(const struct buffer_plan *choice, uint64_t a_slots, uint64_t b_slots)
{
    uint64_t a = saturate_mul(choice->slot[BUFFER_L1A], a_slots);
    uint64_t b = saturate_mul(choice->slot[BUFFER_L1B], b_slots);

    return saturate_add(saturate_add(a, b), choice->bias);
}

void buffers_written(const struct plan *plan, uint64_t slots[BUFFER_COUNT])
{
    for (enum buffer buffer = BUFFER_L1A; buffer < BUFFER_COUNT; buffer++)
        slots[buffer] = plan->given[buffer_word(buffer)] ? plan->schedule.buffers[buffer] : 0;
}

/* Slots that depthA1 or depthB1 asks for; 0: neither is given. */
static uint64_t depth_slots(const struct plan *plan, enum buffer buffer)
{
    bool in_l1 = buffer == BUFFER_L1A || buffer == BUFFER_L1B;

    return in_l1 && plan->form == TILE_MATMUL ? tile_matmul_slots(&plan->base, buffer) : 0;
}

/* Kernels for matrix products have one slot of L0C unless they are told otherwise. */
static void want(const struct plan *plan, struct buffer_plan *choice)
{
    bool two_of_l0c = plan_policy(plan) == POLICY_VENDOR && !plan->matmul;
    bool flag = plan->form == TILE_VENDOR && plan->vendor.p_buffer_given;

    for (enum buffer buffer = BUFFER_L1A; buffer < BUFFER_COUNT; buffer++) {
        bool word = plan->given[buffer_word(buffer)];
        uint64_t deep = depth_slots(plan, buffer);
        choice->written[buffer] = word || flag || deep != 0;
        if (word)
            choice->wanted[buffer] = plan->schedule.buffers[buffer];
        else if (flag)
            choice->wanted[buffer] = tile_vendor_slots(&plan->vendor, buffer);
        else if (deep != 0)
            choice->wanted[buffer] = deep;
        else
            choice->wanted[buffer] = buffer == BUFFER_L0C && !two_of_l0c ? 1 : 2;
        choice->chosen[buffer] = choice->wanted[buffer];
    }
}

static void fit_alone(struct buffer_plan *choice, enum buffer buffer, uint64_t capacity)
{
    if (!choice->written[buffer] && saturate_mul(choice->slot[buffer], 2) > capacity)
        choice->chosen[buffer] = 1;
}

static void fit_l1(struct buffer_plan *choice)
{
    uint64_t *a = &choice->chosen[BUFFER_L1A];
    uint64_t *b = &choice->chosen[BUFFER_L1B];
    bool a_free = !choice->written[BUFFER_L1A] && *a > 1;
    bool b_free = !choice->written[BUFFER_L1B] && *b > 1;

    if (buffers_l1_bytes(choice, *a, *b) <= choice->l1 || (!a_free && !b_free))
        return;
    if (a_free && b_free) {
        bool a_larger = choice->slot[BUFFER_L1A] >= choice->slot[BUFFER_L1B];
        /* Two slots for the larger operand, else for the smaller one, else for none. */
        bool keep_a = buffers_l1_bytes(choice, 2, 1) <= choice->l1;
        bool keep_b = buffers_l1_bytes(choice, 1, 2) <= choice->l1;
        bool a_stays = keep_a && (a_larger || !keep_b);
        bool b_stays = keep_b && !a_stays;
        *a = a_stays ? 2 : 1;
        *b = b_stays ? 2 : 1;
        return;
    }
    if (a_free)
        *a = 1;
    else
        *b = 1;
}

void buffers_choose(const struct plan *plan, const struct product *product, const struct tile *tile,
                    struct buffer_plan *choice)
{
    *choice = (struct buffer_plan){
        .bias =
            saturate_add(tile_bias_bytes(&plan->conv, tile), tile_quant_bytes(&plan->conv, tile)),
        .l1 = tile_l1_usable(product),
        .l0a = product_whole(product, PRODUCT_L0A_SIZE),
        .l0b = product_whole(product, PRODUCT_L0B_SIZE),
        .l0c = product_whole(product, PRODUCT_L0C_SIZE),
    };
    for (enum buffer buffer = BUFFER_L1A; buffer < BUFFER_COUNT; buffer++)
        choice->slot[buffer] = tile_slot_bytes(&plan->conv, tile, buffer);
    want(plan, choice);
    fit_alone(choice, BUFFER_L0A, choice->l0a);
    fit_alone(choice, BUFFER_L0B, choice->l0b);
    fit_alone(choice, BUFFER_L0C, choice->l0c);
    fit_l1(choice);
}
