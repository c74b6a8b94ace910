#include <math.h>

#include "cli/json.h"
#include "cli/validate_view.h"

static json_t *words_or_null(const char *text)
{
    return text != NULL ? json_words(text) : json_null();
}

static json_t *pipe_json(enum pipe pipe)
{
    return pipe != PIPE_ALL ? json_words(pipe_word(pipe)) : json_null();
}

static json_t *spread_json(const struct spread *spread)
{
    json_t *map = json_object();
    json_put(map, "rows", json_whole(spread->count));
    json_put(map, "median", spread->count > 0 ? json_number(spread->median) : json_null());
    json_put(map, "p90", spread->count > 0 ? json_number(spread->p90) : json_null());
    json_put(map, "worst", spread->count > 0 ? json_number(spread->worst) : json_null());
    return map;
}

static json_t *bound_json(const struct validation_bound *bound)
{
    if (bound == NULL)
        return json_null();
    json_t *map = json_object();
    json_put(map, "median", bound->median >= 0.0 ? json_number(bound->median) : json_null());
    json_put(map, "worst", bound->worst >= 0.0 ? json_number(bound->worst) : json_null());
    return map;
}

static json_t *groups_json(const struct validation *validation)
{
    json_t *list = json_array();
    for (size_t i = 0; i < validation->group_count; i++) {
        const struct validation_group *group = &validation->groups[i];
        json_t *map = spread_json(&group->all);
        json_put(map, "metric", json_words(metric_word(group->metric)));
        json_put(map, "pipe", pipe_json(group->pipe));
        json_put(map, "worst_id",
                 json_whole((uint64_t)validation->rows[group->all.worst_index].id));
        json_put(map, "fit", spread_json(&group->fit));
        json_put(map, "check", spread_json(&group->check));
        json_put(map, "null", spread_json(&group->null));
        json_put(map, "null_constant", json_number(group->null_constant));
        json_put(map, "informative", json_boolean(group->informative));
        json_put(map, "bound", bound_json(group->bound));
        json_put(map, "holds", json_boolean(group->holds));
        json_add(list, map);
    }
    return list;
}

static json_t *ranks_json(const struct validation *validation)
{
    json_t *list = json_array();
    for (size_t i = 0; i < validation->rank_count; i++) {
        const struct validation_rank *rank = &validation->ranks[i];
        json_t *map = json_object();
        json_put(map, "kernel", json_words(rank->kernel));
        json_put(map, "metric", json_words(metric_word(rank->metric)));
        json_put(map, "pipe", pipe_json(rank->pipe));
        json_put(map, "rows", json_whole(rank->count));
        json_put(map, "spearman", json_number(rank->spearman));
        json_add(list, map);
    }
    return list;
}

static json_t *effects_json(const struct validation *validation)
{
    json_t *list = json_array();
    for (size_t i = 0; i < validation->effect_count; i++) {
        const struct validation_effect *effect = &validation->effects[i];
        json_t *map = json_object();
        json_put(map, "name", json_words(effect->name));
        json_put(map, "before", json_whole((uint64_t)effect->before_id));
        json_put(map, "after", json_whole((uint64_t)effect->after_id));
        json_put(map, "measured_percent", json_number(effect->measured));
        json_put(map, "predicted_percent", json_number(effect->predicted));
        json_put(map, "error_percent", json_number(effect->error));
        json_put(map, "direction", json_boolean(effect->direction));
        json_put(map, "use", json_words(use_word(effect->use)));
        json_put(map, "reason", words_or_null(effect->reason));
        json_add(list, map);
    }
    return list;
}

static json_t *effect_summary_json(const struct validation *validation)
{
    json_t *map = spread_json(&validation->effect_spread);
    json_put(map, "wrong_direction", json_whole(validation->effect_wrong));
    json_put(map, "bound", bound_json(validation->effect_bound));
    json_put(map, "holds", json_boolean(validation->effects_hold));
    return map;
}

static json_t *fills_json(const struct validation_row *row)
{
    json_t *map = json_object();
    for (size_t i = 0; i < row->fill_count; i++)
        json_put(map, row->fills[i].name, words_or_null(row->fills[i].value->text));
    return map;
}

static json_t *row_json(const struct validation *validation, const struct validation_row *row)
{
    const struct validation_case *in_case = &validation->cases[row->case_index];
    const struct validation_run *run = &validation->runs[row->run_index];
    bool counts = validation_counts(validation, row);
    json_t *map = json_object();
    json_put(map, "id", json_whole((uint64_t)row->id));
    json_put(map, "case", json_words(in_case->name));
    json_put(map, "kernel", words_or_null(in_case->kernel));
    json_put(map, "with", fills_json(row));
    json_put(map, "metric", json_words(metric_word(row->metric)));
    json_put(map, "pipe", pipe_json(row->pipe));
    json_put(map, "kind", json_words(evidence_word(row->kind)));
    json_put(map, "use", json_words(use_word(row->use)));
    json_put(map, "reason", words_or_null(row->reason));
    json_put(map, "source", words_or_null(row->source));
    json_put(map, "unit", json_words(measure_unit_word(row->unit)));
    json_put(map, "measured", json_number(row->measured));
    json_put(map, "predicted", json_number(row->predicted));
    json_put(map, "error", json_number(row->error));
    json_put(map, "measured_cycles",
             row->unit != MEASURE_PERCENT ? json_number(row->cycles) : json_null());
    json_put(map, "null_error", counts ? json_number(row->null_error) : json_null());
    json_put(map, "counted", json_boolean(counts));
    json_put(map, "features", run->is_kernel ? json_kernel(&run->kernel) : json_null());
    return map;
}

static json_t *left_out_json(const struct validation *validation, const struct validation_row *row)
{
    const struct validation_case *in_case = &validation->cases[row->case_index];
    json_t *map = json_object();
    json_put(map, "id", json_whole((uint64_t)row->id));
    json_put(map, "case", json_words(in_case->name));
    json_put(map, "what", words_or_null(row->what));
    json_put(map, "value", words_or_null(row->value_text));
    json_put(map, "source", words_or_null(row->source));
    json_put(map, "reason", json_words(in_case->not_replayed));
    return map;
}

void validate_print_json(const struct validation *validation)
{
    const struct product *product = &validation->product;
    json_t *root = json_object(), *rows = json_array(), *left_out = json_array();
    for (size_t i = 0; i < validation->row_count; i++) {
        const struct validation_row *row = &validation->rows[i];
        if (validation_replayed(validation, row))
            json_add(rows, row_json(validation, row));
        else
            json_add(left_out, left_out_json(validation, row));
    }
    json_put(root, "file", json_words(validation->path));
    json_put(root, "title", json_words(validation->title));
    json_put(root, "product", json_words(validation->product_name));
    json_put(root, "soc", json_words(product->soc));
    json_put(root, "clock_mhz",
             json_number((double)product_value(product, PRODUCT_CHIP_CLOCK) / QUANTITY_ONE));
    json_put(root, "holds", json_boolean(validation->holds));
    json_put(root, "groups", groups_json(validation));
    json_put(root, "ranks", ranks_json(validation));
    json_put(root, "effects", effects_json(validation));
    json_put(root, "effect_summary", effect_summary_json(validation));
    json_put(root, "rows", rows);
    json_put(root, "not_replayed", left_out);
    json_print(root);
}
