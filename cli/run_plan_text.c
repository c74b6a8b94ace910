/*
 * What the summary of a run says of its plan.
 */
#include <inttypes.h>
#include <string.h>

#include "cli/run_view.h"
#include "cli/text.h"
#include "model/load3d_rate.h"

/* Output rows that a Load3D of a full tile can span. */
static uint64_t tile_rows(const struct plan *plan)
{
    const struct tile *tile = &plan->tile;
    uint64_t width = (uint64_t)plan->conv.out[AXIS_W];
    return tile->linear_m ? (tile->m_l0 - 1) / width + 1 : tile->h_l0;
}

/* What slows Load3D down, when MTE1 leads and moves far less than it could. */
void run_print_why(const struct page *page, const struct run_view *view)
{
    const struct run_result *result = view->result;
    const struct plan *plan = view->plan;
    int64_t most = product_value(view->product, PRODUCT_MTE1_L0A_RATE);
    double rate = view_load3d_rate(view), full = (double)most / (double)QUANTITY_ONE;
    uint64_t stride = plan->conv.stride[AXIS_W], rows = tile_rows(plan);
    const char *causes = "";
    if (strcmp(result->bound, "mte1") != 0 || result->load3d_cycles == 0 || rate >= 0.75 * full)
        return;
    if (stride > 1)
        causes = text_format(page->arena, "strideW %" PRIu64, stride);
    if (load3d_rate_slowed(view->product, rows))
        causes = text_format(page->arena, "%s%sit spans %s output rows", causes,
                             *causes != '\0' ? ", " : "", text_number(page->arena, rows));
    page_field(page, "why",
               text_format(page->arena, "Load3D moves %s of %s%s%s",
                           text_real(page->arena, rate, 1),
                           text_quantity(page->arena, most, UNIT_RATE), *causes != '\0' ? ": " : "",
                           causes));
}

static void print_schedule(const struct page *page, const struct schedule *schedule)
{
    static const char *const split_words[SPLIT_COUNT] = {"batch", "group", "m", "n"};
    const uint64_t *buffers = schedule->buffers;
    const char *split = "";
    for (uint32_t i = 0; i < SPLIT_COUNT; i++)
        if (schedule->split[i] > 1)
            split = text_format(page->arena, "%s%s%s %" PRIu64, split, *split != '\0' ? " x " : "",
                                split_words[i], schedule->split[i]);
    page_field(page, "schedule",
               text_format(page->arena,
                           "policy %s, cores %" PRIu64 "%s%s, order %s, residency %s, "
                           "l1a_buffers %" PRIu64 ", l1b_buffers %" PRIu64 ", l0a_buffers %" PRIu64
                           ", l0b_buffers %" PRIu64 ", l0c_buffers %" PRIu64
                           ", unit_flag %s, handover %s, fixpipe %s, l2 %s",
                           policy_word(schedule->policy), schedule->cores,
                           *split != '\0' ? " = " : "", split, order_word(schedule->order),
                           residency_word(schedule->residency), buffers[BUFFER_L1A],
                           buffers[BUFFER_L1B], buffers[BUFFER_L0A], buffers[BUFFER_L0B],
                           buffers[BUFFER_L0C], schedule->unit_flag ? "true" : "false",
                           handover_word(schedule->handover),
                           fixpipe_policy_word(schedule->fixpipe), l2_state_word(schedule->l2)));
}

/* Adds "name" to a list. */
static const char *names_add(const struct page *page, const char *names, const char *name)
{
    return text_format(page->arena, "%s%s%s", names, *names != '\0' ? ", " : "", name);
}

/* "input from x.npy; weight, bias generated, seed 1". */
static const char *sources_text(const struct page *page, const struct run_view *view)
{
    const struct run_data *data = view->data;
    const bool matmul = view->plan->matmul;
    const struct {
        const char *name, *path;
        bool generated;
    } tensors[] = {{matmul ? "A" : "input", view->files->input, data->input_generated},
                   {matmul ? "B" : "weight", view->files->weight, data->weight_generated},
                   {"bias", view->files->bias, data->bias_generated}};
    const char *files = "", *names = "";
    for (size_t i = 0; i < sizeof tensors / sizeof *tensors; i++) {
        if (tensors[i].generated)
            names = names_add(page, names, tensors[i].name);
        else if (tensors[i].path != NULL)
            files =
                names_add(page, files,
                          text_format(page->arena, "%s from %s", tensors[i].name, tensors[i].path));
    }
    if (*names == '\0')
        return files;
    names = text_format(page->arena, "%s generated, seed %" PRIu64, names, view->files->seed);
    return *files != '\0' ? text_format(page->arena, "%s; %s", files, names) : names;
}

/* "NCHW to nhwc", or "": what a tensor's layout is changed from and to before the kernel starts. */
static const char *moves_text(const struct page *page, const struct conv *conv)
{
    const char *moves = "";
    if (conv->input_format != FORMAT_NCHW)
        moves = text_format(page->arena, "NCHW to %s", format_word(conv->input_format));
    if (conv->weight_format != FORMAT_NCHW)
        moves = text_format(page->arena, "%s%sOIHW to %s", moves, *moves != '\0' ? ", " : "",
                            format_word(conv->weight_format));
    return moves;
}

static void print_data(const struct page *page, const struct run_view *view)
{
    const char *moves =
        view->plan->matmul ? "matrices to their layouts" : moves_text(page, &view->plan->conv);
    if (*moves != '\0')
        moves = text_format(page->arena, "%s outside the simulated time", moves);
    else
        moves = "no change of layout";
    if (!view->timing_only)
        page_field(page, "data",
                   text_format(page->arena, "%s; %s", sources_text(page, view), moves));
}

void run_print_plan(const struct page *page, const struct run_view *view)
{
    const struct plan *plan = view->plan;
    page_field(page, "problem", text_need(plan_problem_text(plan, page->arena)));
    page_field(page, "tile", text_need(plan_tiling_text(plan, page->arena)));
    print_schedule(page, &plan->schedule);
    print_data(page, view);
    for (uint32_t i = 0; i < plan->note_count; i++)
        page_field(page, "note", plan->notes[i]);
}
