#include <string.h>

#include "engine/base/tree.h"
#include "model/derive.h"
#include "model/tensor.h"
#include "model/tile_buffers.h"
#include "model/tile_rules.h"
#include "traces/report_parts.h"

/* The plan of a run, read again from what the database keeps. */
struct kept_plan {
    struct product product;
    struct plan plan;
    struct rule_report rules;
    struct buffer_plan slots;
};

enum { SIZES_MAX = 16 };

struct sizes {
    struct arena *arena;
    const char *text[SIZES_MAX]; /* "l1.size=512 KiB" */
    size_t count;
    const char *plan; /* as JSON */
};

static enum status take_size(void *context, const struct stored_cells *cells)
{
    struct sizes *sizes = context;
    if (cells->is_head || cells->cell[0] == NULL || sizes->count == SIZES_MAX)
        return STATUS_OK;
    const char *text = arena_text(sizes->arena, cells->cell[0], strlen(cells->cell[0]));
    sizes->text[sizes->count++] = text;
    return text == NULL ? STATUS_NO_MEMORY : STATUS_OK;
}

static enum status take_plan(void *context, const struct stored_cells *cells)
{
    struct sizes *sizes = context;
    if (cells->is_head || cells->cell[0] == NULL)
        return STATUS_OK;
    sizes->plan = arena_text(sizes->arena, cells->cell[0], strlen(cells->cell[0]));
    return sizes->plan == NULL ? STATUS_NO_MEMORY : STATUS_OK;
}

/* Sizes of buffers go with the run: --set may have changed them. */
static enum status read_kept(const struct report *report, int64_t run_id, struct sizes *sizes)
{
    enum status status =
        store_visit_cells(report->store,
                          "SELECT substr(t.path, 3) || '=' || t.atom FROM v_run AS r,\n"
                          "  json_tree(r.product_json) AS t\n"
                          "WHERE r.run_id = ?1 AND t.path LIKE '$.%.size' AND t.key = 'value'",
                          &run_id, 1, take_size, sizes, report->diag);
    if (status == STATUS_OK)
        status = store_visit_cells(report->store,
                                   "SELECT plan_json FROM v_run WHERE run_id = ?1\n"
                                   "  AND json_type(plan_json, '$.program') IS NULL",
                                   &run_id, 1, take_plan, sizes, report->diag);
    return status;
}

/* A plan of a product that is not found any more cannot be read, which is no fault of the page. */
static enum status resolve_kept(const struct sizes *sizes, struct kept_plan *kept)
{
    const struct node *root = NULL;
    struct diag diag;
    diag_init(&diag);
    enum status status =
        tree_parse("plan_json", sizes->plan, strlen(sizes->plan), sizes->arena, &diag, &root);
    if (status == STATUS_OK)
        status = plan_from_tree("plan_json", root, NULL, sizes->text, sizes->count, sizes->arena,
                                &diag, &kept->product, &kept->plan);
    if (status == STATUS_OK)
        status = plan_resolve(&kept->plan, &kept->product, sizes->arena, &diag);
    if (status == STATUS_OK)
        status = rules_check(&kept->plan, kept->plan.rules, sizes->arena, &kept->rules);
    if (status == STATUS_OK)
        buffers_choose(&kept->plan, &kept->product, &kept->plan.tile, &kept->slots);
    diag_deinit(&diag);
    return status;
}

static void put_field(struct output *output, const char *before, uint64_t number)
{
    output_text(output, before);
    output_number(output, number);
}

static void put_buffers(struct output *output, const struct kept_plan *kept)
{
    put_field(output, "{\"a\":", kept->slots.slot[BUFFER_L1A]);
    put_field(output, ",\"b\":", kept->slots.slot[BUFFER_L1B]);
    put_field(output, ",\"output\":", layout_output_bytes(&kept->plan.conv));
    output_text(output, ",\"rows\":[");
    for (uint32_t i = 0; i < kept->rules.buffer_count; i++) {
        const struct buffer_row *row = &kept->rules.buffers[i];
        output_text(output, i > 0 ? ",[" : "[");
        output_json(output, row->buffer);
        put_field(output, ",", row->capacity_bytes);
        put_field(output, ",", row->single_bytes);
        put_field(output, ",", row->double_bytes);
        put_field(output, ",", row->planned);
        put_field(output, ",", row->planned_b);
        output_text(output, "]");
    }
    output_text(output, "]}");
}

enum status report_write_buffers(const struct report *report, const struct report_run *run)
{
    struct sizes sizes = {.arena = report->arena};
    struct kept_plan *kept = arena_take(report->arena, 1, sizeof *kept);
    enum status status = kept == NULL ? STATUS_NO_MEMORY : STATUS_OK;
    if (status == STATUS_OK)
        status = read_kept(report, run->stored.run_id, &sizes);
    if (status != STATUS_OK)
        return status;
    output_text(report->output, ",\n\"buffers\":");
    if (sizes.plan != NULL)
        status = resolve_kept(&sizes, kept);
    if (status == STATUS_NO_MEMORY)
        return status;
    if (sizes.plan != NULL && status == STATUS_OK)
        put_buffers(report->output, kept);
    else
        output_text(report->output, "null");
    return STATUS_OK;
}
