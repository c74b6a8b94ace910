#include "cli/bottleneck.h"
#include "cli/json.h"
#include "cli/plan_case.h"
#include "cli/run_view.h"

static json_t *pair_json(double low, double high)
{
    json_t *pair = json_array();
    json_add(pair, json_number(low));
    json_add(pair, json_number(high));
    return pair;
}

static json_t *basis_json(const struct run_result *result)
{
    json_t *map = json_object();
    for (uint32_t basis = 0; basis < BASIS_COUNT; basis++)
        json_put(map, basis_word((enum basis)basis),
                 json_number(view_share(result->path.by_class[basis], result->cycles)));
    return map;
}

static json_t *pipes_json(const struct run_result *result)
{
    json_t *list = json_array();
    for (uint64_t i = 0; i < result->cores * PIPE_COUNT; i++) {
        const struct pipe_stats *stats = &result->pipe[i];
        json_t *map = json_object();
        json_put(map, "core", json_whole(i / PIPE_COUNT));
        json_put(map, "pipe", json_words(pipe_word((enum pipe)(i % PIPE_COUNT))));
        json_put(map, "instructions", json_whole(stats->instructions));
        json_put(map, "busy_cycles", json_whole(stats->busy));
        json_put(map, "waiting_cycles", json_whole(stats->waiting));
        json_put(map, "idle_cycles", json_whole(stats->idle));
        json_put(map, "link_cycles", json_whole(stats->link));
        json_put(map, "active_cycles", json_whole(stats->active));
        json_put(map, "utilization", json_number(view_share(stats->busy, result->cycles)));
        json_add(list, map);
    }
    return list;
}

static json_t *waits_json(const struct run_result *result)
{
    json_t *list = json_array();
    for (uint64_t i = 0; i < result->cores * PIPE_COUNT; i++)
        for (uint32_t cause = 0; cause < CAUSE_COUNT; cause++) {
            if (result->pipe[i].wait[cause] == 0)
                continue;
            json_t *map = json_object();
            json_put(map, "core", json_whole(i / PIPE_COUNT));
            json_put(map, "pipe", json_words(pipe_word((enum pipe)(i % PIPE_COUNT))));
            json_put(map, "cause", json_words(cause_word((enum cause)cause)));
            json_put(map, "cycles", json_whole(result->pipe[i].wait[cause]));
            json_put(map, "occurrences", json_whole(result->pipe[i].wait_count[cause]));
            json_add(list, map);
        }
    return list;
}

static json_t *path_json(const struct run_result *result, struct arena *arena)
{
    struct named_cycles entries[PATH_ENTRIES_MAX];
    size_t count = path_entries(&result->path, arena, entries);
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) {
        json_t *map = json_object();
        json_put(map, "cause", json_words(entries[i].name));
        json_put(map, "cycles", json_whole(entries[i].cycles));
        json_put(map, "share", json_number(view_share(entries[i].cycles, result->cycles)));
        json_add(list, map);
    }
    return list;
}

/* Hazards, or notes, which have no kind. */
static json_t *records_json(const struct hazard_record *records, uint64_t count, bool kinds)
{
    json_t *list = json_array();
    for (uint64_t i = 0; i < count; i++) {
        const struct hazard_record *record = &records[i];
        json_t *map = json_object();
        if (kinds)
            json_put(map, "kind", json_words(hazard_word(record->kind)));
        json_put(map, "core", json_whole(record->core));
        json_put(map, "instruction", json_whole(record->seq));
        json_put(map, "line", record->line > 0 ? json_whole(record->line) : json_null());
        json_put(map, "message", json_words(record->message));
        json_add(list, map);
    }
    return list;
}

static json_t *verify_json(const struct run_view *view)
{
    const struct run_result *result = view->result;
    if (!result->verified)
        return json_null();
    json_t *map = json_object();
    json_put(map, "compared", json_whole(result->comparison.compared));
    json_put(map, "mismatches", json_whole(result->comparison.mismatches));
    json_put(map, "max_abs_error", json_number(result->comparison.max_abs_error));
    json_put(map, "reference",
             json_words(view->plan != NULL && view->plan->matmul
                            ? "direct product, documented summation order"
                            : "direct convolution, documented summation order"));
    return map;
}

static json_t *sets_json(const struct product *product)
{
    json_t *map = json_object();
    char buffer[64];
    for (enum product_key key = 0; key < PRODUCT_KEY_COUNT; key++)
        if (product->number[key].present && product->number[key].overridden)
            json_put(
                map, product_key_info(key)->path,
                json_words(quantity_format(product->number[key].value, product_key_info(key)->unit,
                                           buffer, sizeof buffer)));
    return map;
}

static void put_identity(json_t *root, const struct run_view *view)
{
    const struct product *product = view->product;
    json_put(root, "run_id",
             view->db != NULL ? json_integer((json_int_t)view->run_id) : json_null());
    json_put(root, "plan", view->plan != NULL ? json_words(view->path) : json_null());
    json_put(root, "program", view->plan == NULL ? json_words(view->path) : json_null());
    json_put(root, "product", json_words(product_word(product)));
    json_put(root, "soc", json_words(product->soc));
    json_put(root, "clock_mhz", json_number(view_clock_mhz(view)));
    json_put(root, "cores", json_whole(view->result->cores));
}

static void put_time(json_t *root, const struct run_view *view)
{
    const struct run_result *result = view->result;
    double time_us = view_us(view, result->cycles), launch_us = view_launch_us(view);
    json_put(root, "cycles", json_whole(result->cycles));
    json_put(root, "time_us", json_number(time_us));
    json_put(root, "launch_us", json_number(launch_us));
    json_put(root, "task_us", json_number(time_us + launch_us));
    json_put(root, "range_us",
             result->deadlocked ? json_null()
                                : pair_json(result->range_us[0], result->range_us[1]));
    json_put(root, "basis", basis_json(result));
    json_put(root, "bound", json_words(result->bound));
}

static void put_work(json_t *root, const struct run_view *view)
{
    const struct run_result *result = view->result;
    json_put(root, "macs", json_whole(result->macs));
    json_put(root, "useful_mac_share", json_number(view_share(result->macs, result->cube_macs)));
    json_put(root, "gm_read_bytes", json_whole(result->gm_read_bytes));
    json_put(root, "gm_miss_bytes", json_whole(result->gm_miss_bytes));
    json_put(root, "gm_write_bytes", json_whole(result->gm_write_bytes));
    json_put(root, "gm_write_back_bytes", json_whole(result->gm_write_back_bytes));
    json_put(root, "load3d_bytes_per_cycle",
             result->load3d_cycles > 0 ? json_number(view_load3d_rate(view)) : json_null());
    json_put(root, "instructions", json_whole(result->instructions));
}

static void put_plan(json_t *root, const struct run_view *view, struct arena *arena)
{
    const struct plan *plan = view->plan;
    json_put(root, "tile", plan != NULL ? json_plan_tile(plan, arena) : json_object());
    json_put(root, "tile_derived", json_boolean(plan != NULL && plan->tile_derived));
    json_put(root, "schedule", plan != NULL ? json_plan_schedule(plan, arena) : json_object());
    json_put(root, "set", sets_json(view->product));
    json_put(root, "notes", plan != NULL ? json_plan_notes(plan) : json_array());
}

/* The files that tensors were read from. */
static json_t *inputs_json(const struct run_view *view)
{
    json_t *list = json_array();
    for (uint32_t i = 0; view->file != NULL && i < view->file->program->region_count; i++) {
        if (view->input[i] == NULL)
            continue;
        json_t *map = json_object();
        json_put(map, "tensor", json_words(view->file->program->regions[i].name));
        json_put(map, "file", json_words(view->input[i]));
        json_add(list, map);
    }
    return list;
}

/* What was written when the program had ended. */
static json_t *dumps_json(const struct run_view *view)
{
    json_t *list = json_array();
    if (view->file == NULL || view->timing_only || view->result->deadlocked)
        return list;
    for (uint32_t i = 0; i < view->file->program->dump_count; i++) {
        const struct dump *dump = &view->file->program->dumps[i];
        const struct memory *memory = &view->file->tensor[dump->region];
        json_t *map = json_object();
        json_put(map, "tensor", json_words(view->file->program->regions[dump->region].name));
        json_put(map, "file", json_words(dump->path));
        json_put(map, "bytes", json_whole(memory->size_bytes));
        json_put(map, "unwritten_bytes", json_whole(memory_unwritten_bytes(memory)));
        json_add(list, map);
    }
    return list;
}

void run_print_json(const struct run_view *view, struct arena *arena)
{
    const struct run_result *result = view->result;
    json_t *root = json_object();
    put_identity(root, view);
    put_time(root, view);
    put_work(root, view);
    put_plan(root, view, arena);
    json_put(root, "deciding_core", json_whole(result->deciding_core));
    json_put(root, "doubts", run_doubts_json(view, arena));
    json_put(root, "tail", run_tail_json(view));
    json_put(root, "roofline", run_roofline_json(view));
    json_put(root, "pipes", pipes_json(result));
    json_put(root, "waits", waits_json(result));
    json_put(root, "suggestions", run_advice_json(view, arena));
    json_put(root, "suggestion_tries", json_whole(view->advice->simulated));
    json_put(root, "critical_path", path_json(result, arena));
    json_put(root, "hazards", records_json(result->hazards, result->hazards_kept, true));
    json_put(root, "advice", records_json(result->notes, result->notes_kept, false));
    json_put(root, "advice_count", json_whole(result->note_count));
    json_put(root, "hazard_count", json_whole(result->hazard_count));
    json_put(root, "hazards_checked", json_boolean(!view->timing_only && !view->hazards_off));
    json_put(root, "refused_instructions", json_whole(result->refused_instructions));
    json_put(root, "deadlock", json_boolean(result->deadlocked));
    json_put(root, "inputs", inputs_json(view));
    json_put(root, "dumps", dumps_json(view));
    json_put(root, "output_missing_bytes", json_whole(result->output_missing_bytes));
    json_put(root, "stored_twice_bytes", json_whole(result->stored_twice_bytes));
    json_put(root, "saturated_values", json_whole(result->saturated_values));
    json_put(root, "verify", verify_json(view));
    json_put(root, "simulator_seconds", json_number(result->simulator_seconds));
    json_print(root);
}
