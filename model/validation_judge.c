#include "model/validation.h"

#include <math.h>
#include <string.h>

/* Rows of one metric and pipe, gathered for statistics. */
struct gathering {
    const struct validation *validation;
    struct arena *arena;
    size_t *row; /* index */
    double *error, *other, *third;
    size_t count;
};

static enum status gathering_init(struct gathering *gathering, const struct validation *validation,
                                  struct arena *arena)
{
    size_t most = validation->row_count + validation->effect_count + 1;
    *gathering = (struct gathering){
        .validation = validation,
        .arena = arena,
        .row = arena_take(arena, most, sizeof *gathering->row),
        .error = arena_take(arena, most, sizeof *gathering->error),
        .other = arena_take(arena, most, sizeof *gathering->other),
        .third = arena_take(arena, most, sizeof *gathering->third),
    };
    bool whole = gathering->row != NULL && gathering->error != NULL && gathering->other != NULL &&
                 gathering->third != NULL;
    return whole ? STATUS_OK : STATUS_NO_MEMORY;
}

/* The spread of what was gathered, with the index of a row. */
static enum status gathering_spread(const struct gathering *gathering, struct spread *spread)
{
    enum status status = spread_of(gathering->error, gathering->count, gathering->arena, spread);
    if (status == STATUS_OK && gathering->count > 0)
        spread->worst_index = gathering->row[spread->worst_index];
    return status;
}

/* Rows of a group; use: USE_COUNT for all that count. */
static void gather_errors(struct gathering *gathering, const struct validation_group *group,
                          enum use use)
{
    const struct validation *validation = gathering->validation;
    gathering->count = 0;
    for (size_t i = 0; i < validation->row_count; i++) {
        const struct validation_row *row = &validation->rows[i];
        if (!validation_counts(validation, row) || row->metric != group->metric ||
            row->pipe != group->pipe || (use != USE_COUNT && row->use != use))
            continue;
        gathering->row[gathering->count] = i;
        gathering->error[gathering->count++] = row->error;
    }
}

static bool effect_counts(const struct validation_effect *effect)
{
    return effect->use == USE_FIT || effect->use == USE_CHECK;
}

/* ---- the null baseline ---- */

/* The roofline and a constant that is fitted to the rows of the group themselves. */
static enum status judge_null(struct validation *validation, struct gathering *gathering,
                              struct validation_group *group)
{
    bool share = group->metric == METRIC_SHARE;
    gather_errors(gathering, group, USE_COUNT);
    for (size_t i = 0; i < gathering->count; i++) {
        const struct validation_row *row = &validation->rows[gathering->row[i]];
        gathering->other[i] = row->roofline;
        gathering->third[i] = row->cycles;
    }
    group->null_constant =
        constant_of(gathering->other, gathering->third, gathering->count, !share);
    for (size_t i = 0; i < gathering->count; i++) {
        struct validation_row *row = &validation->rows[gathering->row[i]];
        double guess = row->roofline + group->null_constant;
        row->null_error = share ? guess - row->cycles : 100.0 * (guess / row->cycles - 1.0);
        gathering->error[i] = row->null_error;
    }
    return gathering_spread(gathering, &group->null);
}

/* ---- groups ---- */

static const struct validation_bound *bound_find(const struct validation *validation,
                                                 const struct validation_group *group)
{
    const struct validation_bound *found = NULL;
    for (size_t i = 0; i < validation->bound_count; i++) {
        const struct validation_bound *bound = &validation->bounds[i];
        if (bound->of_effects || bound->metric != group->metric)
            continue;
        if (bound->pipe == group->pipe)
            return bound;
        if (bound->pipe == PIPE_ALL)
            found = bound;
    }
    return found;
}

static bool bound_has_rows(const struct validation *validation,
                           const struct validation_bound *bound)
{
    for (size_t i = 0; i < validation->effect_count && bound->of_effects; i++)
        if (effect_counts(&validation->effects[i]))
            return true;
    for (size_t i = 0; i < validation->row_count && !bound->of_effects; i++) {
        const struct validation_row *row = &validation->rows[i];
        if (validation_counts(validation, row) && row->metric == bound->metric &&
            (bound->pipe == PIPE_ALL || bound->pipe == row->pipe))
            return true;
    }
    return false;
}

enum status validation_check_bounds(const struct validation *validation, struct diag *diag)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; i < validation->bound_count; i++) {
        const struct validation_bound *bound = &validation->bounds[i];
        for (size_t j = 0; j < i; j++) {
            const struct validation_bound *other = &validation->bounds[j];
            if (other->of_effects == bound->of_effects && other->metric == bound->metric &&
                other->pipe == bound->pipe)
                status = diag_add(diag, STATUS_BAD_INPUT, bound->place,
                                  "found a second bound of the same; expected one (first in line "
                                  "%u)",
                                  (unsigned)other->place.line);
        }
        if (!bound_has_rows(validation, bound))
            status = diag_add(diag, STATUS_BAD_INPUT, bound->place,
                              "found a bound that nothing falls under; expected a metric and pipe "
                              "of rows that count, or effects");
    }
    return status;
}

/* Printed with one decimal, a bound that is met looks met. */
static bool within(double value, double bound)
{
    return bound < 0.0 || floor(value * 10.0 + 0.5) <= floor(bound * 10.0 + 0.5);
}

static bool spread_holds(const struct spread *spread, const struct validation_bound *bound)
{
    return bound == NULL ||
           (within(spread->median, bound->median) && within(spread->worst, bound->worst));
}

static struct validation_group *group_find(struct validation *validation, enum metric metric,
                                           enum pipe pipe)
{
    for (size_t i = 0; i < validation->group_count; i++)
        if (validation->groups[i].metric == metric && validation->groups[i].pipe == pipe)
            return &validation->groups[i];
    return NULL;
}

static enum status judge_group(struct validation *validation, struct gathering *gathering,
                               struct validation_group *group)
{
    gather_errors(gathering, group, USE_COUNT);
    enum status status = gathering_spread(gathering, &group->all);
    gather_errors(gathering, group, USE_FIT);
    if (status == STATUS_OK)
        status = gathering_spread(gathering, &group->fit);
    gather_errors(gathering, group, USE_CHECK);
    if (status == STATUS_OK)
        status = gathering_spread(gathering, &group->check);
    if (status == STATUS_OK)
        status = judge_null(validation, gathering, group);
    group->informative = group->all.median < group->null.median;
    group->bound = bound_find(validation, group);
    group->holds = spread_holds(&group->all, group->bound);
    return status;
}

static enum status judge_groups(struct validation *validation, struct gathering *gathering)
{
    enum status status = STATUS_OK;
    validation->groups =
        arena_take(gathering->arena, validation->row_count + 1, sizeof *validation->groups);
    if (validation->groups == NULL)
        return STATUS_NO_MEMORY;
    for (size_t i = 0; i < validation->row_count; i++) {
        const struct validation_row *row = &validation->rows[i];
        if (validation_counts(validation, row) &&
            group_find(validation, row->metric, row->pipe) == NULL)
            validation->groups[validation->group_count++] =
                (struct validation_group){.metric = row->metric, .pipe = row->pipe};
    }
    for (size_t i = 0; i < validation->group_count && status == STATUS_OK; i++) {
        status = judge_group(validation, gathering, &validation->groups[i]);
        validation->holds = validation->holds && validation->groups[i].holds;
    }
    return status;
}

/* ---- ranks ---- */

enum { RANKED_MIN = 3 };

static bool rank_is_known(const struct validation *validation, const char *kernel,
                          const struct validation_row *row)
{
    for (size_t i = 0; i < validation->rank_count; i++) {
        const struct validation_rank *rank = &validation->ranks[i];
        if (strcmp(rank->kernel, kernel) == 0 && rank->metric == row->metric &&
            rank->pipe == row->pipe)
            return true;
    }
    return false;
}

static enum status judge_rank(struct validation *validation, struct gathering *gathering,
                              const char *kernel, const struct validation_row *like)
{
    struct validation_rank rank = {.kernel = kernel, .metric = like->metric, .pipe = like->pipe};
    for (size_t i = 0; i < validation->row_count; i++) {
        const struct validation_row *row = &validation->rows[i];
        const char *own = validation->cases[row->case_index].kernel;
        if (!validation_counts(validation, row) || own == NULL || strcmp(own, kernel) != 0 ||
            row->metric != like->metric || row->pipe != like->pipe || row->unit != like->unit)
            continue;
        gathering->other[rank.count] = row->predicted;
        gathering->third[rank.count++] = row->measured;
    }
    if (rank.count < RANKED_MIN)
        return STATUS_OK;
    enum status status = spearman_of(gathering->other, gathering->third, rank.count,
                                     gathering->arena, &rank.spearman);
    validation->ranks[validation->rank_count++] = rank;
    return status;
}

static enum status judge_ranks(struct validation *validation, struct gathering *gathering)
{
    enum status status = STATUS_OK;
    validation->ranks =
        arena_take(gathering->arena, validation->row_count + 1, sizeof *validation->ranks);
    if (validation->ranks == NULL)
        return STATUS_NO_MEMORY;
    for (size_t i = 0; i < validation->row_count && status == STATUS_OK; i++) {
        const struct validation_row *row = &validation->rows[i];
        const char *kernel = validation->cases[row->case_index].kernel;
        if (kernel != NULL && validation_counts(validation, row) &&
            !rank_is_known(validation, kernel, row))
            status = judge_rank(validation, gathering, kernel, row);
    }
    return status;
}

/* ---- effects ---- */

/* What b takes against a, in percent; of rates as of the times that they mean. */
static double change_of(const struct validation_row *row, double before, double after)
{
    return measure_error(row->unit, after, before);
}

static enum status judge_effects(struct validation *validation, struct gathering *gathering)
{
    gathering->count = 0;
    for (size_t i = 0; i < validation->effect_count; i++) {
        struct validation_effect *effect = &validation->effects[i];
        const struct validation_row *before = &validation->rows[effect->before];
        const struct validation_row *after = &validation->rows[effect->after];
        effect->predicted = change_of(before, before->predicted, after->predicted);
        effect->measured = change_of(before, before->measured, after->measured);
        effect->error = 100.0 * (effect->predicted / effect->measured - 1.0);
        effect->direction = effect->predicted * effect->measured > 0.0;
        if (!effect_counts(effect))
            continue;
        validation->effect_wrong += effect->direction ? 0 : 1;
        gathering->row[gathering->count] = i;
        gathering->error[gathering->count++] = effect->error;
    }
    for (size_t i = 0; i < validation->bound_count; i++)
        if (validation->bounds[i].of_effects)
            validation->effect_bound = &validation->bounds[i];
    enum status status = gathering_spread(gathering, &validation->effect_spread);
    validation->effects_hold = validation->effect_bound == NULL ||
                               (validation->effect_wrong == 0 &&
                                spread_holds(&validation->effect_spread, validation->effect_bound));
    validation->holds = validation->holds && validation->effects_hold;
    return status;
}

enum status validation_judge(struct validation *validation, struct arena *arena)
{
    struct gathering gathering;
    enum status status = gathering_init(&gathering, validation, arena);
    validation->holds = true;
    if (status == STATUS_OK)
        status = judge_groups(validation, &gathering);
    if (status == STATUS_OK)
        status = judge_ranks(validation, &gathering);
    return status == STATUS_OK ? judge_effects(validation, &gathering) : status;
}
