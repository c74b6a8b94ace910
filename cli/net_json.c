#include "cli/json.h"
#include "cli/net_view.h"
#include "cli/plan_case.h"

static const char *const outcome_words[] = {
    [NET_WAITING] = "not reached",
    [NET_SIMULATED] = "simulated",
    [NET_STORED] = "stored",
    [NET_REFUSED] = "refused",
};

static json_t *words_or_null(const char *text)
{
    return text != NULL ? json_words(text) : json_null();
}

static json_t *range_json(const double range_us[2])
{
    if (range_us[1] <= 0.0)
        return json_null();
    json_t *range = json_array();
    json_add(range, json_number(range_us[0]));
    json_add(range, json_number(range_us[1]));
    return range;
}

/* Names of all layers that are equal to a distinct one. */
static json_t *names_json(const struct network *network, size_t distinct)
{
    json_t *names = json_array();
    for (size_t i = 0; i < network->layer_count; i++)
        if (network->layers[i].distinct == distinct)
            json_add(names, json_words(network->layers[i].name));
    return names;
}

static json_t *output_json(const struct layer *layer)
{
    const struct conv *conv = &layer->conv;
    json_t *output = json_array();
    if (layer->matmul) {
        json_add(output, json_whole(conv->in[AXIS_W]));
        json_add(output, json_whole(conv->cout));
        return output;
    }
    json_add(output, json_whole(conv->batch));
    json_add(output, json_whole(conv->cout));
    for (uint32_t axis = AXIS_COUNT - conv->rank; axis < AXIS_COUNT; axis++)
        json_add(output, json_whole((uint64_t)conv->out[axis]));
    return output;
}

static void put_time(json_t *map, const struct net_view *view, size_t index)
{
    const struct net_layer *layer = &view->layers[index];
    uint64_t count = view->network->distinct[index].count;
    json_put(map, "cores", json_whole(layer->cores));
    json_put(map, "cycles", json_whole(layer->cycles));
    json_put(map, "time_us", json_number(net_us(view, layer->cycles)));
    json_put(map, "range_us", range_json(layer->range_us));
    json_put(map, "total_us", json_number(net_us(view, layer->cycles) * (double)count));
    json_put(map, "share",
             json_number(view->total.cycles > 0
                             ? (double)layer->cycles * (double)count / (double)view->total.cycles
                             : 0.0));
    json_put(map, "bound", json_words(layer->bound));
    json_put(map, "peak_share", json_number(net_layer_share(view, index)));
    json_put(map, "run_id", layer->run_id > 0 ? json_integer(layer->run_id) : json_null());
}

static json_t *layer_json(const struct net_view *view, size_t index)
{
    const struct net_layer *layer = &view->layers[index];
    const struct distinct_layer *distinct = &view->network->distinct[index];
    const struct layer *first = &view->network->layers[distinct->first];
    json_t *map = json_object();
    json_put(map, "name", json_words(first->name));
    json_put(map, "names", names_json(view->network, index));
    json_put(map, "count", json_whole(distinct->count));
    json_put(map, "operation", json_words(first->matmul ? "matmul" : "conv"));
    json_put(map, "macs", json_whole(distinct->macs));
    json_put(map, "output", output_json(first));
    json_put(map, "outcome", json_words(outcome_words[layer->outcome]));
    json_put(map, "problem", words_or_null(layer->problem));
    json_put(map, "tiling", words_or_null(layer->tiling));
    json_put(map, "tile", layer->tile != NULL ? json_incref(layer->tile) : json_null());
    json_put(map, "schedule", layer->schedule != NULL ? json_incref(layer->schedule) : json_null());
    if (net_has_time(layer))
        put_time(map, view, index);
    json_put(map, "message", words_or_null(layer->message));
    return map;
}

static json_t *total_json(const struct net_view *view)
{
    const struct net_total *total = &view->total;
    double time_us = net_us(view, total->cycles);
    double launches_us = view->launch_us * (double)total->occurrences;
    json_t *map = json_object(), *bounds = json_array();
    json_put(map, "layers", json_whole(total->occurrences));
    json_put(map, "cycles", total->too_long ? json_null() : json_whole(total->cycles));
    json_put(map, "time_us", total->too_long ? json_null() : json_number(time_us));
    json_put(map, "range_us", range_json(total->range_us));
    json_put(map, "launch_us", json_number(launches_us));
    json_put(map, "task_us", total->too_long ? json_null() : json_number(time_us + launches_us));
    json_put(map, "macs", json_whole(total->macs));
    json_put(map, "peak_share",
             json_number(total->peak_macs > 0.0 ? (double)total->macs / total->peak_macs : 0.0));
    for (size_t i = 0; i < sizeof net_bounds / sizeof *net_bounds; i++) {
        json_t *bound = json_object();
        json_put(bound, "bound", json_words(net_bounds[i]));
        json_put(bound, "cycles", json_whole(total->by_bound[i]));
        json_add(bounds, bound);
    }
    json_put(map, "cycles_by_bound", bounds);
    json_put(map, "simulated", json_whole(total->simulated));
    json_put(map, "stored", json_whole(total->stored));
    json_put(map, "refused", json_whole(total->refused));
    json_put(map, "not_reached", json_whole(total->waiting));
    return map;
}

static json_t *skipped_json(const struct network *network)
{
    json_t *list = json_array();
    for (size_t i = 0; i < network->skipped_count; i++) {
        const struct skipped_layer *skipped = &network->skipped[i];
        json_t *map = json_object();
        json_put(map, "name", json_words(skipped->name));
        json_put(map, "what", json_words(skipped->what));
        json_put(map, "reason", json_words(skipped->reason));
        json_add(list, map);
    }
    return list;
}

void net_print_json(const struct net_view *view)
{
    const struct network *network = view->network;
    json_t *map = json_object(), *layers = json_array(), *notes = json_array();
    json_put(map, "network", json_words(network->path));
    json_put(map, "format", json_words(network_format_word(network->format)));
    json_put(map, "product", json_words(product_word(view->product)));
    json_put(map, "soc", json_words(view->product->soc));
    json_put(map, "clock_mhz", json_number(view->clock_mhz));
    json_put(map, "cores", json_whole(product_whole(view->product, PRODUCT_CHIP_CORES)));
    json_put(map, "batch",
             view->options->batch > 0 ? json_whole(view->options->batch) : json_null());
    json_put(map, "macs", json_whole(network->macs));
    for (size_t i = 0; i < network->distinct_count; i++)
        json_add(layers, layer_json(view, i));
    json_put(map, "layers", layers);
    json_put(map, "skipped", skipped_json(network));
    for (uint32_t i = 0; i < network->note_count; i++)
        json_add(notes, json_words(network->notes[i]));
    json_put(map, "notes", notes);
    json_put(map, "total", total_json(view));
    json_print(map);
}
