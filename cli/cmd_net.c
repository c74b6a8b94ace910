#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/json.h"
#include "cli/net_view.h"
#include "cli/plan_case.h"
#include "cli/problems.h"
#include "cli/text.h"
#include "model/cost.h"
#include "model/derive.h"
#include "model/lower.h"
#include "model/run.h"
#include "model/version.h"
#include "traces/store.h"

#define NET_PRODUCT "atlas-a2"

enum net_key { NET_BATCH = 512, NET_DTYPE };

struct net_request {
    struct plan_options plan;
    struct network_options network;
    const char *db;
};

static const struct argp_option net_rows[] = {
    {"product", OPTION_PRODUCT, "P", 0, "SoC, alias or product file (default: " NET_PRODUCT ")", 0},
    {"batch", NET_BATCH, "N", 0,
     "Images, or samples, of every layer (default: as the file says, else 1)", 0},
    {"dtype", NET_DTYPE, "TYPE", 0,
     "Type of every layer: fp16, bf16, fp32, int8, fp8_e4m3, fp8_e5m2 or hif8 (default: as the "
     "file says, else fp16)",
     0},
    OPTION_ROW_SET,
    OPTION_ROW_RULES,
    {"db", OPTION_DB, "FILE", 0,
     "Save a run of each layer in this SQLite database, and simulate none that it holds (default: "
     "not saved)",
     0},
    OPTION_ROW_JSON,
    OPTION_ROW_HELP,
    {0},
};

static error_t net_parse(int key, char *argument, struct argp_state *state)
{
    static const char *const types[] = {"fp16",     "bf16",     "fp32", "int8",
                                        "fp8_e4m3", "fp8_e5m2", "hif8"};
    struct net_request *request = state->input;
    size_t index = 0;
    switch (key) {
    case NET_BATCH:
        return options_number(state, "--batch", argument, 1, INT64_MAX, &request->network.batch);
    case NET_DTYPE:
        if (options_word(state, "--dtype", argument, types, sizeof types / sizeof *types, &index) !=
            0)
            return EINVAL;
        request->network.dtype = element_find(types[index]);
        request->network.dtype_given = true;
        return 0;
    case OPTION_DB:
        return options_db(state, argument, &request->db);
    default:
        return options_parse_plan(key, argument, state);
    }
}

static const struct argp net_argp = {
    .options = net_rows,
    .parser = net_parse,
    .args_doc = "NETWORK",
    .doc = "Simulates every convolution and matrix product of a network, each with a tiling that "
           "is derived; time only. Layers that are equal are simulated once and counted.\v"
           "NETWORK is a table of layers (CSV), a topology of SCALE-Sim, or an ONNX model (.onnx); "
           "configs/networks has some.\n\n"
           "Exit status: 0 done, 1 a layer breaks a rule, 2 bad input, 3 a file or the database "
           "cannot be written.",
};

/* What a network needs while it runs. */
struct netting {
    const struct net_request *request;
    struct arena arena; /* of the whole network */
    struct diag diag;
    struct network network;
    struct product product;
    struct store *store; /* NULL: not saved */
    struct net_view view;
};

/* ---- one layer ---- */

/* A layer is refused; what is wrong becomes its message. */
static enum status refuse_layer(struct netting *net, struct plan_case *c, struct net_layer *layer,
                                enum status status)
{
    struct arena *arena = &net->arena;
    const char *message = "";
    if (status_exit_code(status) >= status_exit_code(STATUS_IO))
        return status;
    for (size_t i = 0; i < c->diag.count; i++)
        message = text_format(arena, "%s%s%.*s", message, *message != '\0' ? "\n" : "",
                              (int)strcspn(c->diag.problems[i].message, "\n"),
                              c->diag.problems[i].message);
    for (uint32_t i = 0; i < c->report.count && c->diag.count == 0; i++) {
        const struct rule_verdict *verdict = &c->report.verdicts[i];
        if (!verdict->ok && (verdict->decides || verdict->needed_to_run))
            message = text_format(arena, "%s%srule %s: %s", message, *message != '\0' ? "\n" : "",
                                  verdict->id, verdict->message);
    }
    layer->outcome = NET_REFUSED;
    layer->status = status;
    layer->message = message;
    return STATUS_OK;
}

/* "3x7x7", of the axes that there are, or "" when all numbers are plain. */
static const char *axes_text(struct arena *arena, const struct conv *conv, const uint64_t *numbers,
                             const char *head, uint64_t plain)
{
    const char *text = head;
    bool same = true, told = false;
    for (uint32_t axis = AXIS_COUNT - conv->rank; axis < AXIS_COUNT; axis++) {
        told = told || numbers[axis] != plain;
        same = same && numbers[axis] == numbers[AXIS_W];
    }
    if (plain > 0 && !told)
        return "";
    if (plain != UINT64_MAX && same && *head != '\0' && conv->rank > 0)
        return text_format(arena, "%s%llu", head, (unsigned long long)numbers[AXIS_W]);
    for (uint32_t axis = AXIS_COUNT - conv->rank; axis < AXIS_COUNT; axis++)
        text = text_format(arena, "%s%s%llu", text, axis > AXIS_COUNT - conv->rank ? "x" : "",
                           (unsigned long long)numbers[axis]);
    return text;
}

/* "p1", "p1,0" when head and tail differ, "" without. */
static const char *padding_text(struct arena *arena, const struct conv *conv)
{
    bool any = false, even = true;
    for (uint32_t axis = 0; axis < AXIS_COUNT; axis++) {
        any = any || conv->pad_head[axis] + conv->pad_tail[axis] > 0;
        even = even && conv->pad_head[axis] == conv->pad_tail[axis];
    }
    const char *head = axes_text(arena, conv, conv->pad_head, " p", 0);
    if (!any)
        return "";
    return even ? head
                : text_format(arena, "%s%s", head, axes_text(arena, conv, conv->pad_tail, ",", 0));
}

static const char *shape_text(struct arena *arena, const struct layer *layer)
{
    const struct conv *conv = &layer->conv;
    const char *groups = "", *batch = "";
    if (layer->matmul)
        return text_format(arena, "%llu x %llu x %llu", (unsigned long long)conv->in[AXIS_W],
                           (unsigned long long)conv->cin, (unsigned long long)conv->cout);
    if (conv->groups > 1)
        groups = text_format(arena, " g%llu", (unsigned long long)conv->groups);
    if (conv->batch > 1)
        batch = text_format(arena, "%llu*", (unsigned long long)conv->batch);
    return text_format(arena, "%s%llux%s -> %llu %s%s%s%s%s", batch, (unsigned long long)conv->cin,
                       axes_text(arena, conv, conv->in, "", UINT64_MAX),
                       (unsigned long long)conv->cout,
                       axes_text(arena, conv, conv->kernel, "", UINT64_MAX),
                       axes_text(arena, conv, conv->stride, " s", 1), padding_text(arena, conv),
                       axes_text(arena, conv, conv->dilation, " d", 1), groups);
}

/* "1x64x64 k576" and "m 128"-like tiles: rows x columns x channels, or positions x channels. */
static const char *tile_text(struct arena *arena, const struct plan *plan, bool is_l1)
{
    const struct tile *tile = &plan->tile;
    uint64_t n = is_l1 ? tile->n_l1 : tile->n_l0, k = is_l1 ? tile->k_a : tile->k_l0;
    const char *other = "";
    if (is_l1 && tile->k_b != tile->k_a)
        other = text_format(arena, ",%llu", (unsigned long long)tile->k_b);
    if (tile->linear_m || plan->matmul) {
        uint64_t m =
            plan->matmul ? (is_l1 ? tile->w_l1 : tile->w_l0) : (is_l1 ? tile->m_l1 : tile->m_l0);
        return text_format(arena, "%llux%llu k%llu%s", (unsigned long long)m, (unsigned long long)n,
                           (unsigned long long)k, other);
    }
    return text_format(arena, "%llux%llux%llu k%llu%s",
                       (unsigned long long)(is_l1 ? tile->h_l1 : tile->h_l0),
                       (unsigned long long)(is_l1 ? tile->w_l1 : tile->w_l0), (unsigned long long)n,
                       (unsigned long long)k, other);
}

/* What is known of a layer before it has run; it outlives the plan. */
static void describe(struct netting *net, const struct plan_case *c, const struct subject *subject,
                     struct net_layer *layer)
{
    struct arena *arena = &net->arena;
    const struct product *product = &net->product;
    layer->problem = text_format(arena, "%s", subject->problem);
    layer->tiling = text_format(arena, "%s", subject->tiling);
    layer->l1 = tile_text(arena, &c->plan, true);
    layer->l0 = tile_text(arena, &c->plan, false);
    layer->cores = c->plan.schedule.cores;
    layer->peak = cost_cube_rate(product, c->plan.conv.dtype) *
                  (double)product_whole(product, PRODUCT_CHIP_CORES);
    if (net->request->plan.common.json) {
        layer->tile = json_plan_tile(&c->plan, arena);
        layer->schedule = json_plan_schedule(&c->plan, arena);
    }
}

/* Reads, judges and completes the plan of a layer; a layer that cannot run is refused. */
static enum status make_plan(struct netting *net, struct plan_case *c, size_t index)
{
    const struct net_request *request = net->request;
    const struct distinct_layer *distinct = &net->network.distinct[index];
    const struct node *root = NULL;
    const char *name = net->network.layers[distinct->first].name;
    enum status status =
        tree_parse(name, distinct->plan, strlen(distinct->plan), &c->arena, &c->diag, &root);
    if (status == STATUS_OK)
        status =
            plan_from_tree(name, root, request->plan.product, request->plan.sets,
                           request->plan.set_count, &c->arena, &c->diag, &c->product, &c->plan);
    if (status == STATUS_OK)
        status = plan_case_judge(c, &request->plan);
    if (status == STATUS_OK && !c->report.runnable)
        return STATUS_BROKEN;
    return status == STATUS_OK ? plan_case_resolve(c) : status;
}

/* Looks for a run of the same key; layer->outcome says whether there is one. */
static enum status find_stored(struct netting *net, const struct subject *subject,
                               struct net_layer *layer)
{
    char key[33], bound[16] = "";
    const char *product = product_json(&net->product, &net->arena), *text = NULL;
    if (net->store == NULL)
        return STATUS_OK;
    store_run_key(subject->plan_json, text_need(product), CUBESIM_VERSION, 0, key);
    enum status status = store_query(
        net->store,
        text_format(&net->arena,
                    "SELECT r.run_id, cycles, bound, time_low_us, time_high_us\n"
                    "FROM v_run AS r JOIN v_run_detail AS d USING (run_id)\n"
                    "WHERE run_key = '%s' AND time_low_us IS NOT NULL\n"
                    "  AND time_high_us IS NOT NULL AND NOT EXISTS (SELECT * FROM\n"
                    "    v_hazard AS h WHERE h.run_id = r.run_id AND kind = 'deadlock')\n"
                    "ORDER BY r.run_id LIMIT 1",
                    key),
        &net->arena, &net->diag, &text);
    if (status != STATUS_OK || *text == '\0')
        return status;
    char *at = NULL;
    layer->run_id = strtoll(text, &at, 10);
    layer->cycles = strtoull(at + 1, &at, 10);
    size_t length = strcspn(at + 1, "|");
    if (length >= sizeof bound)
        length = sizeof bound - 1;
    memcpy(bound, at + 1, length);
    layer->bound = text_format(&net->arena, "%s", bound);
    layer->range_us[0] = strtod(at + 1 + strcspn(at + 1, "|") + 1, &at);
    layer->range_us[1] = strtod(at + 1, &at);
    layer->outcome = NET_STORED;
    return STATUS_OK;
}

static enum status simulate_layer(struct netting *net, struct plan_case *c,
                                  const struct subject *subject, struct net_layer *layer)
{
    const struct run_options options = {.timing_only = true, .with_range = true};
    struct run_result result;
    enum status status = STATUS_OK;
    if (net->store != NULL)
        status = store_begin(net->store, subject, CUBESIM_VERSION, &net->diag, &layer->run_id);
    if (status != STATUS_OK)
        return status;
    status = run_plan(&c->plan, &options, &c->arena, &c->diag, &result);
    if (net->store != NULL && status == STATUS_OK)
        status = store_finish(net->store, &result, &net->diag);
    else if (net->store != NULL)
        store_abort(net->store);
    if (status != STATUS_OK)
        return status;
    if (result.deadlocked)
        return diag_add(&c->diag, STATUS_DEADLOCK, place_none(), "the program stands for ever");
    layer->cycles = result.cycles;
    layer->bound = text_format(&net->arena, "%s", result.bound);
    layer->range_us[0] = result.range_us[0];
    layer->range_us[1] = result.range_us[1];
    layer->outcome = NET_SIMULATED;
    return STATUS_OK;
}

/* OK also when the layer is refused. */
static enum status run_layer(struct netting *net, size_t index)
{
    struct plan_case c;
    struct program program;
    struct subject subject;
    struct net_layer *layer = &net->view.layers[index];
    plan_case_init(&c);
    enum status status = make_plan(net, &c, index);
    if (status == STATUS_OK)
        status = lower_plan(&c.plan, &c.arena, &c.diag, &program);
    if (status == STATUS_OK)
        status = subject_plan(&c.plan, &program, &c.arena, &subject);
    if (status == STATUS_OK) {
        describe(net, &c, &subject, layer);
        status = find_stored(net, &subject, layer);
    }
    if (status == STATUS_OK && layer->outcome == NET_WAITING)
        status = simulate_layer(net, &c, &subject, layer);
    if (status != STATUS_OK)
        status = refuse_layer(net, &c, layer, status);
    plan_case_deinit(&c);
    return status;
}

/* ---- the network ---- */

static enum status load_product(struct netting *net)
{
    static const struct source option = {.name = "--product", .text = ""};
    const struct plan_options *options = &net->request->plan;
    enum status status = product_load(options->product, (struct place){.source = &option},
                                      &net->arena, &net->diag, &net->product);
    for (size_t i = 0; i < options->set_count && status != STATUS_NO_MEMORY; i++)
        if (net->product.soc != NULL)
            status = diag_graver(
                status, product_set(&net->product, options->sets[i], &net->arena, &net->diag));
    return status;
}

static enum status run_layers(struct netting *net)
{
    const struct network *network = &net->network;
    struct net_layer *layers = arena_take(&net->arena, network->distinct_count, sizeof *layers);
    enum status status = STATUS_OK;
    if (layers == NULL)
        return diag_add(&net->diag, STATUS_NO_MEMORY, place_none(), "memory ran out");
    net->view.layers = layers;
    for (size_t i = 0; i < network->distinct_count; i++) {
        const struct layer *first = &network->layers[network->distinct[i].first];
        layers[i] = (struct net_layer){
            .shape = shape_text(&net->arena, first), .l1 = "", .l0 = "", .bound = ""};
    }
    for (size_t i = 0; i < network->distinct_count && status == STATUS_OK && !interrupt_came(); i++)
        status = run_layer(net, i);
    return status;
}

static enum status net_steps(struct netting *net)
{
    const struct net_request *request = net->request;
    enum status status = load_product(net);
    struct network_options options = request->network;
    options.turn_b = status == STATUS_OK && net->product.arch == ARCH_2201;
    status = diag_graver(status, network_load(request->plan.common.argument, &options, &net->arena,
                                              &net->diag, &net->network));
    if (status != STATUS_OK)
        return status;
    interrupt_finishes();
    if (request->db != NULL)
        status = store_open(request->db, true, &net->diag, &net->store);
    if (status == STATUS_OK)
        status = run_layers(net);
    store_close(net->store);
    net->store = NULL;
    return status;
}

/* Tells what was refused; the gravest status of all layers. */
static enum status print_refused(struct netting *net)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; i < net->network.distinct_count; i++) {
        const struct net_layer *layer = &net->view.layers[i];
        const struct layer *first = &net->network.layers[net->network.distinct[i].first];
        char shown[EXCERPT_SIZE_BYTES];
        if (layer->outcome != NET_REFUSED)
            continue;
        status = diag_graver(status, layer->status);
        message_print(stderr,
                      text_format(&net->arena,
                                  "%s: layer '%s': ", net->request->plan.common.command,
                                  excerpt_format(first->name, shown, sizeof shown)),
                      layer->message);
    }
    return status;
}

static void release_json(struct netting *net)
{
    for (size_t i = 0; net->view.layers != NULL && i < net->network.distinct_count; i++) {
        json_decref(net->view.layers[i].tile);
        json_decref(net->view.layers[i].schedule);
    }
}

static int net_run(struct netting *net)
{
    const struct net_request *request = net->request;
    enum status status = net_steps(net);
    if (status != STATUS_OK)
        return problems_print(&net->diag, request->plan.common.command, status);
    struct net_view *view = &net->view;
    view->network = &net->network;
    view->product = &net->product;
    view->options = &request->network;
    view->db = request->db;
    view->clock_mhz = (double)product_value(&net->product, PRODUCT_CHIP_CLOCK) / QUANTITY_ONE;
    view->launch_us = product_launch_us(&net->product);
    net_sum(view);
    struct page page = page_stdout(&net->arena);
    status = print_refused(net);
    if (request->plan.common.json)
        net_print_json(view);
    else
        net_print_text(&page, view);
    return status_exit_code(interrupt_came() ? STATUS_STOPPED : status);
}

int cmd_net(int argc, char **argv)
{
    struct netting net;
    memset(&net, 0, sizeof net);
    arena_init(&net.arena, 0);
    diag_init(&net.diag);
    struct net_request request = {
        .plan = {.common = {.missing = "NETWORK; expected a file", .refused = "one network"},
                 .product = NET_PRODUCT,
                 .arena = &net.arena},
    };
    net.request = &request;
    enum status status = options_parse(&net_argp, argc, argv, &request.plan.common);
    int code = status_exit_code(status);
    if (status == STATUS_OK && !request.plan.common.help)
        code = net_run(&net);
    release_json(&net);
    diag_deinit(&net.diag);
    arena_deinit(&net.arena);
    return code;
}
