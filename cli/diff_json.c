#include "cli/diff_view.h"
#include "cli/json.h"

static json_t *run_json(const struct diff_side *side)
{
    const struct stored_run *run = &side->run;
    json_t *map = json_object();
    json_put(map, "db", json_words(side->path));
    json_put(map, "run_id", json_integer(run->run_id));
    json_put(map, "version", json_words(side->definition.version));
    json_put(map, "product", json_words(run->product));
    json_put(map, "soc", json_words(run->soc));
    json_put(map, "clock_mhz", json_number(run->clock_mhz));
    json_put(map, "problem", json_words(run->problem));
    json_put(map, "tiling", json_words(run->tiling));
    json_put(map, "cores", json_whole(run->cores));
    json_put(map, "deciding_core", json_whole(run->deciding_core));
    json_put(map, "cycles", json_whole(run->cycles));
    json_put(map, "time_us", json_number((double)run->cycles / run->clock_mhz));
    json_put(map, "bound", json_words(run->bound));
    json_put(map, "deadlock", json_boolean(run->deadlocked));
    return map;
}

static json_t *value_json(const char *value)
{
    return value != NULL ? json_words(value) : json_null();
}

static json_t *keys_json(const struct diff_view *view)
{
    json_t *list = json_array();
    for (size_t i = 0; i < view->key_count; i++) {
        json_t *map = json_object();
        json_put(map, "part", json_words(view->keys[i].part));
        json_put(map, "key", json_words(view->keys[i].key));
        json_put(map, "a", value_json(view->keys[i].a));
        json_put(map, "b", value_json(view->keys[i].b));
        json_add(list, map);
    }
    return list;
}

static json_int_t step(tick a, tick b)
{
    return (json_int_t)b - (json_int_t)a;
}

static void put_change(json_t *map, tick a, tick b)
{
    json_put(map, "a_cycles", json_whole(a));
    json_put(map, "b_cycles", json_whole(b));
    json_put(map, "change_cycles", json_integer(step(a, b)));
}

static json_t *path_json(const struct diff_view *view)
{
    json_t *list = json_array();
    for (size_t i = 0; i < view->path_count; i++) {
        json_t *map = json_object();
        json_put(map, "cause", json_words(view->path[i].name));
        put_change(map, view->path[i].a, view->path[i].b);
        json_add(list, map);
    }
    return list;
}

static json_t *pipe_json(const struct diff_side *side, uint32_t pipe)
{
    const struct stored_pipe *stats = &side->pipes.pipe[pipe];
    double all = (double)side->run.cycles;
    json_t *map = json_object();
    json_put(map, "instructions", json_whole(stats->instructions));
    json_put(map, "busy_cycles", json_whole(stats->busy));
    json_put(map, "waiting_cycles", json_whole(stats->waiting));
    json_put(map, "idle_cycles", json_whole(stats->idle));
    json_put(map, "link_cycles", json_whole(stats->link));
    json_put(map, "active_cycles", json_whole(stats->active));
    json_put(map, "utilization", json_number(all > 0.0 ? (double)stats->busy / all : 0.0));
    return map;
}

static json_t *pipes_json(const struct diff_view *view)
{
    json_t *list = json_array();
    for (uint32_t pipe = 0; pipe < PIPE_COUNT; pipe++) {
        if (!view->side[0].pipes.used[pipe] && !view->side[1].pipes.used[pipe])
            continue;
        json_t *map = json_object();
        json_put(map, "pipe", json_words(pipe_word((enum pipe)pipe)));
        json_put(map, "a", pipe_json(&view->side[0], pipe));
        json_put(map, "b", pipe_json(&view->side[1], pipe));
        json_add(list, map);
    }
    return list;
}

static json_t *waits_json(const struct diff_view *view)
{
    json_t *list = json_array();
    for (size_t i = 0; i < view->wait_count; i++) {
        const struct pipe_change *wait = &view->waits[i];
        bool flag = wait->reason >= CAUSE_COUNT;
        json_t *map = json_object();
        json_put(map, "pipe", json_words(pipe_word((enum pipe)wait->pipe)));
        json_put(map, "cause",
                 json_words(cause_word(flag ? CAUSE_FLAG : (enum cause)wait->reason)));
        json_put(map, "for_pipe", flag ? json_words(lane_reason_word(wait->reason)) : json_null());
        put_change(map, wait->a, wait->b);
        json_add(list, map);
    }
    return list;
}

static json_t *limit_json(const struct diff_limit *limit)
{
    return limit->given ? json_number(limit->percent) : json_null();
}

void diff_print_json(const struct diff_view *view, struct arena *arena)
{
    const struct stored_run *a = &view->side[0].run, *b = &view->side[1].run;
    bool timed = !a->deadlocked && !b->deadlocked && a->cycles > 0;
    json_t *root = json_object();
    json_put(root, "a", run_json(&view->side[0]));
    json_put(root, "b", run_json(&view->side[1]));
    json_put(root, "change_percent", timed ? json_number(100.0 * diff_ratio(view)) : json_null());
    json_put(root, "change_cycles", json_integer(step(a->cycles, b->cycles)));
    json_put(root, "fail_on_percent", limit_json(&view->limit));
    json_put(root, "failed", json_boolean(view->failed));
    json_put(root, "changed", keys_json(view));
    json_put(root, "critical_path", path_json(view));
    json_put(root, "pipes", pipes_json(view));
    json_put(root, "waits", waits_json(view));
    json_put(root, "why",
             view->has_reason ? json_words(diff_reason_text(view, arena)) : json_null());
    json_print(root);
}

/* ---- sets ---- */

static json_t *set_json(const struct sets_view *view, int side)
{
    json_t *map = json_object(), *alone = json_array();
    json_put(map, "db", json_words(view->path[side]));
    json_put(map, "condition", value_json(view->condition[side]));
    json_put(map, "runs", json_whole(view->run_count[side]));
    json_put(map, "superseded", json_whole(view->pairs.superseded_count[side]));
    for (size_t i = 0; i < view->pairs.alone_count[side]; i++)
        json_add(alone, json_integer(view->pairs.alone[side][i]->run_id));
    json_put(map, "alone", alone);
    return map;
}

static json_t *listed_json(const struct listed_run *run)
{
    json_t *map = json_object();
    json_put(map, "run_id", json_integer(run->run_id));
    json_put(map, "soc", json_words(run->soc));
    json_put(map, "problem", json_words(run->problem));
    json_put(map, "tiling", json_words(run->tiling));
    json_put(map, "cycles", json_whole(run->cycles));
    json_put(map, "time_us", json_number(listed_run_us(run)));
    json_put(map, "bound", json_words(run->bound));
    json_put(map, "deadlock", json_boolean(run->deadlocked));
    return map;
}

static json_t *change_json(double ratio)
{
    return ratio > 0.0 ? json_number(100.0 * (ratio - 1.0)) : json_null();
}

void sets_print_json(const struct sets_view *view)
{
    json_t *root = json_object(), *list = json_array();
    json_put(root, "a", set_json(view, 0));
    json_put(root, "b", set_json(view, 1));
    json_put(root, "mean_change_percent",
             view->pairs.ratios > 0 ? change_json(view->pairs.mean) : json_null());
    json_put(root, "fail_on_percent", limit_json(&view->limit));
    json_put(root, "failed", json_boolean(view->failed));
    for (size_t i = 0; i < view->pairs.count; i++) {
        const struct run_pair *pair = &view->pairs.pairs[i];
        json_t *map = json_object();
        json_put(map, "a", listed_json(pair->a));
        json_put(map, "b", listed_json(pair->b));
        json_put(map, "change_percent", change_json(run_pair_ratio(pair)));
        json_add(list, map);
    }
    json_put(root, "pairs", list);
    json_print(root);
}
