/* Where the published constraint page states a rule differently from pypto's code
 * (docs/tiling.md section 1.3). */
#include "model/rule_case.h"

static void cin_clause(struct rule_case *c, enum plan_word word, const char *name, uint64_t value,
                       uint64_t high)
{
    rule_measure_clause(c, &(struct rule_measure){.word = word,
                                                  .name = name,
                                                  .value = value,
                                                  .low = 1,
                                                  .high = high,
                                                  .step = c->c0,
                                                  .range_only = true});
}

void rule_judge_document_cin(struct rule_case *c)
{
    if (c->l1 == NULL) {
        rule_skip(c, "no tile_l1");
        return;
    }
    cin_clause(c, WORD_TILE_CIN_FMAP, "tileCinFmap", c->l1->cin_fmap, c->conv->cin);
    cin_clause(c, WORD_TILE_CIN_WEIGHT, "tileCinWeight", c->l1->cin_weight, c->conv->cin_group);
}
