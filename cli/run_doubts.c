#include <string.h>

#include "cli/json.h"
#include "cli/run_view.h"
#include "cli/text.h"

/* How numbers are called in a summary: before the number and behind it; for 0 or 1 only a name. */
static const struct number_look {
    const char *name, *unit;
    bool is_flag;
    double unit_parts; /* 1: whole; else it is shown with a decimal */
} looks[KERNEL_NUMBER_COUNT] = {
    [KERNEL_MACS] = {"", " MAC", false, 1.0},
    [KERNEL_READ_BYTES] = {"", " B read", false, 1.0},
    [KERNEL_TILE_M] = {"M of a tile ", "", false, 1.0},
    [KERNEL_TILE_N] = {"N of a tile ", "", false, 1.0},
    [KERNEL_CORES] = {"cores ", "", false, 1.0},
    [KERNEL_ROW_BYTES] = {"rows of ", " B", false, 1.0},
    [KERNEL_TIME_NS] = {"time ", " us", false, 1000.0},
    [KERNEL_MISS_PERMILLE] = {"from HBM ", " %", false, 10.0},
    [KERNEL_USEFUL_PERMILLE] = {"useful ", " %", false, 10.0},
    [KERNEL_STRIDE] = {"stride ", "", false, 1.0},
    [KERNEL_DILATION] = {"dilation ", "", false, 1.0},
    [KERNEL_KERNEL] = {"kernel points ", "", false, 1.0},
    [KERNEL_DEPTH] = {"depth ", "", false, 1.0},
    [KERNEL_CHANNELS] = {"channels ", "", false, 1.0},
    [KERNEL_GROUPS] = {"groups ", "", false, 1.0},
    [KERNEL_BIAS] = {"bias", "", true, 1.0},
    [KERNEL_QUANT] = {"quantisation", "", true, 1.0},
};

static const char *value_text(struct arena *arena, enum kernel_number number, uint64_t value)
{
    double parts = looks[number].unit_parts;
    return parts > 1.0 ? text_real(arena, (double)value / parts, 1) : text_number(arena, value);
}

/* "stride 2 (1)", "time 9.1 us (15.2 - 12,284.0)", "bias". */
static const char *number_text(struct arena *arena, const struct run_view *view,
                               const struct kernel *kernel, enum kernel_number number)
{
    const struct number_look *look = &looks[number];
    uint64_t range[2] = {0, 0};
    if (look->is_flag && kernel->number[number] == 1)
        return look->name;
    (void)kernel_range(view->measured, kernel->arch, number, range);
    const char *low = value_text(arena, number, range[0]);
    const char *high = value_text(arena, number, range[1]);
    return text_format(arena, "%s%s%s (%s%s%s)", look->name,
                       value_text(arena, number, kernel->number[number]), look->unit, low,
                       range[0] < range[1] ? " - " : "", range[0] < range[1] ? high : "");
}

/* The first words that were measured, each once: "nhwc, nc1hwc0". */
static const char *measured_words(struct arena *arena, const struct run_view *view, enum arch arch,
                                  enum kernel_word word)
{
    const struct kernel_table *table = view->measured;
    const char *text = "";
    for (size_t i = 0; i < table->count; i++) {
        const struct kernel *kernel = &table->kernels[i].kernel;
        bool again = kernel->arch != arch;
        for (size_t j = 0; j < i && !again; j++)
            again = table->kernels[j].kernel.arch == arch &&
                    strcmp(table->kernels[j].kernel.word[word], kernel->word[word]) == 0;
        if (!again)
            text =
                text_format(arena, "%s%s%s", text, *text != '\0' ? ", " : "", kernel->word[word]);
    }
    return text;
}

/* What the run is that no measured kernel was, in words; NULL: the number or word is none of it. */
static const char *outside_number(struct arena *arena, const struct run_view *view,
                                  const struct kernel *kernel, uint32_t number)
{
    if (!kernel_number_outside(view->measured, kernel, (enum kernel_number)number))
        return NULL;
    return number_text(arena, view, kernel, (enum kernel_number)number);
}

static const char *outside_word(struct arena *arena, const struct run_view *view,
                                const struct kernel *kernel, uint32_t word)
{
    if (!kernel_word_outside(view->measured, kernel, (enum kernel_word)word))
        return NULL;
    return text_format(arena, "%s %s (%s)", kernel_word_word((enum kernel_word)word),
                       kernel->word[word],
                       measured_words(arena, view, kernel->arch, (enum kernel_word)word));
}

/* ---- what the time does not include ---- */

enum { LEFT_OUT_MAX = 3 };

/* Of a plan whose tensors lie in the layout of the framework, nothing has to change it. */
static bool layout_changes(const struct plan *plan)
{
    if (plan->matmul)
        return plan->conv.input_format == FORMAT_NC1HWC0 ||
               plan->conv.weight_format == FORMAT_FRACTAL_Z ||
               plan->conv.output_format == FORMAT_NC1HWC0;
    return plan->conv.input_format != FORMAT_NCHW || plan->conv.weight_format != FORMAT_NCHW;
}

static size_t left_out(const struct run_view *view, const char *list[LEFT_OUT_MAX])
{
    size_t count = 0;
    if (view->plan != NULL && layout_changes(view->plan))
        list[count++] = "TransData to and from these layouts";
    list[count++] = "dispatch by the AI CPU";
    list[count++] = "throttling";
    return count;
}

/* ---- text ---- */

static const char *error_text(struct arena *arena, int64_t permille)
{
    return text_format(arena, "%s%s %%", permille < 0 ? "-" : "+",
                       text_real(arena, (double)(permille < 0 ? -permille : permille) / 10.0, 1));
}

static const char *joined(struct arena *arena, const char *text, const char *part)
{
    if (part == NULL)
        return text;
    return text_format(arena, "%s%s%s", text, *text != '\0' ? ", " : "", part);
}

static void print_nearest(const struct page *page, const struct run_view *view,
                          const struct kernel *kernel)
{
    struct arena *arena = page->arena;
    double distance = 0.0;
    const struct measured_kernel *nearest = kernel_nearest(view->measured, kernel, &distance);
    const char *outside = "";
    if (nearest == NULL)
        return;
    page_field(page, "nearest",
               text_format(arena, "%s on %s: error %s (%s), distance %s", nearest->name,
                           nearest->kernel.soc, error_text(arena, nearest->error_permille),
                           nearest->use, text_real(arena, distance, 1)));
    for (uint32_t i = 0; i < KERNEL_WORD_COUNT; i++)
        outside = joined(arena, outside, outside_word(arena, view, kernel, i));
    for (uint32_t i = 0; i < KERNEL_NUMBER_COUNT; i++)
        outside = joined(arena, outside, outside_number(arena, view, kernel, i));
    page_field(page, "outside",
               *outside != '\0' ? text_format(arena, "of what was measured: %s", outside)
                                : "nothing: within what was measured");
}

static bool product_was_measured(const struct run_view *view)
{
    uint64_t range[2];
    return kernel_range(view->measured, view->product->arch, KERNEL_CORES, range);
}

/* Why a run has no nearest kernel; NULL: it has one. */
static const char *no_nearest(struct arena *arena, const struct run_view *view)
{
    if (view->measured->count == 0)
        return "unknown: configs/kernels/measured.yaml was not found";
    if (!product_was_measured(view))
        return text_format(arena, "none: no kernel was measured on %s; its numbers rest on tables",
                           arch_family(view->product->arch));
    if (view->plan == NULL)
        return "none: a program states no shape or tiling to compare with those of measured "
               "kernels; docs/accuracy.md has single instructions";
    return NULL;
}

void run_print_doubts(const struct page *page, const struct run_view *view)
{
    const char *list[LEFT_OUT_MAX], *text = "";
    size_t count = left_out(view, list);
    const char *none = no_nearest(page->arena, view);
    struct kernel kernel;
    if (none != NULL) {
        page_field(page, "nearest", none);
    } else {
        kernel_of(view->plan, view->result, &kernel);
        print_nearest(page, view, &kernel);
    }
    for (size_t i = 0; i < count; i++)
        text = joined(page->arena, text, list[i]);
    page_field(page, "left out", text);
}

/* ---- JSON ---- */

static json_t *nearest_json(const struct measured_kernel *nearest, double distance)
{
    if (nearest == NULL)
        return json_null();
    json_t *map = json_object();
    json_put(map, "name", json_words(nearest->name));
    json_put(map, "file", json_words(nearest->file));
    json_put(map, "source", json_words(nearest->source));
    json_put(map, "metric", json_words(nearest->metric));
    json_put(map, "use", json_words(nearest->use));
    json_put(map, "row", json_whole((uint64_t)nearest->row));
    json_put(map, "measured_us", json_number((double)nearest->measured_ns / 1000.0));
    json_put(map, "error_percent", json_number((double)nearest->error_permille / 10.0));
    json_put(map, "distance", json_number(distance));
    json_put(map, "features", json_kernel(&nearest->kernel));
    return map;
}

static void add_outside(json_t *list, const char *feature, const char *text)
{
    if (text == NULL)
        return;
    json_t *map = json_object();
    json_put(map, "feature", json_words(feature));
    json_put(map, "text", json_words(text));
    json_add(list, map);
}

static json_t *outside_json(const struct run_view *view, const struct kernel *kernel,
                            struct arena *arena)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < KERNEL_WORD_COUNT; i++)
        add_outside(list, kernel_word_word((enum kernel_word)i),
                    outside_word(arena, view, kernel, i));
    for (uint32_t i = 0; i < KERNEL_NUMBER_COUNT; i++)
        add_outside(list, kernel_number_word((enum kernel_number)i),
                    outside_number(arena, view, kernel, i));
    return list;
}

json_t *run_doubts_json(const struct run_view *view, struct arena *arena)
{
    const char *list[LEFT_OUT_MAX];
    size_t count = left_out(view, list);
    json_t *map = json_object(), *texts = json_array();
    const char *none = no_nearest(arena, view);
    json_put(map, "product_measured", json_boolean(product_was_measured(view)));
    json_put(map, "no_nearest", none != NULL ? json_words(none) : json_null());
    if (view->plan != NULL) {
        struct kernel kernel;
        double distance = 0.0;
        kernel_of(view->plan, view->result, &kernel);
        const struct measured_kernel *nearest = kernel_nearest(view->measured, &kernel, &distance);
        json_put(map, "nearest", nearest_json(nearest, distance));
        json_put(map, "outside", outside_json(view, &kernel, arena));
        json_put(map, "features", json_kernel(&kernel));
    } else {
        json_put(map, "nearest", json_null());
        json_put(map, "outside", json_array());
        json_put(map, "features", json_null());
    }
    for (size_t i = 0; i < count; i++)
        json_add(texts, json_words(list[i]));
    json_put(map, "left_out", texts);
    return map;
}
