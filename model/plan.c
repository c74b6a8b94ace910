#include "model/plan.h"

#include <assert.h>

const char *rule_set_word(enum rule_set set)
{
    static const char *const words[RULES_COUNT] = {
#define ROW(name, word) [RULES_##name] = word,
        RULE_SET_LIST(ROW)
#undef ROW
    };

    assert((unsigned)set < RULES_COUNT);
    return words[set];
}

const char *policy_word(enum policy policy)
{
    static const char *const words[POLICY_COUNT] = {
#define ROW(name, word) [POLICY_##name] = word,
        POLICY_LIST(ROW)
#undef ROW
    };

    assert((unsigned)policy < POLICY_COUNT);
    return words[policy];
}

const char *order_word(enum order order)
{
    static const char *const words[ORDER_COUNT] = {
#define ROW(name, word) [ORDER_##name] = word,
        ORDER_LIST(ROW)
#undef ROW
    };

    assert((unsigned)order < ORDER_COUNT);
    return words[order];
}

const char *residency_word(enum residency residency)
{
    static const char *const words[RESIDENCY_COUNT] = {
#define ROW(name, word) [RESIDENCY_##name] = word,
        RESIDENCY_LIST(ROW)
#undef ROW
    };

    assert((unsigned)residency < RESIDENCY_COUNT);
    return words[residency];
}

const char *handover_word(enum handover handover)
{
    static const char *const words[HANDOVER_COUNT] = {
#define ROW(name, word) [HANDOVER_##name] = word,
        HANDOVER_LIST(ROW)
#undef ROW
    };

    assert((unsigned)handover < HANDOVER_COUNT);
    return words[handover];
}

const char *fixpipe_policy_word(enum fixpipe_policy policy)
{
    static const char *const words[FIXPIPE_POLICY_COUNT] = {
#define ROW(name, word) [FIXPIPE_##name] = word,
        FIXPIPE_POLICY_LIST(ROW)
#undef ROW
    };

    assert((unsigned)policy < FIXPIPE_POLICY_COUNT);
    return words[policy];
}

const char *l2_state_word(enum l2_state state)
{
    static const char *const words[L2_STATE_COUNT] = {
#define ROW(name, word) [L2_##name] = word,
        L2_STATE_LIST(ROW)
#undef ROW
    };

    assert((unsigned)state < L2_STATE_COUNT);
    return words[state];
}
