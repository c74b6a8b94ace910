#include <string.h>

#include "cli/net_view.h"

const char *const net_bounds[8] = {"cube",   "mte2", "mte1",   "fixp",
                                   "vector", "mte3", "scalar", "latency"};

enum { BOUNDS = sizeof net_bounds / sizeof *net_bounds };

bool net_has_time(const struct net_layer *layer)
{
    return layer->outcome == NET_SIMULATED || layer->outcome == NET_STORED;
}

double net_us(const struct net_view *view, uint64_t cycles)
{
    return (double)cycles / view->clock_mhz;
}

double net_layer_share(const struct net_view *view, size_t index)
{
    const struct net_layer *layer = &view->layers[index];
    double could = layer->peak * (double)layer->cycles;
    return could > 0.0 ? (double)view->network->distinct[index].macs / could : 0.0;
}

static void sum_layer(struct net_total *total, const struct net_layer *layer,
                      const struct distinct_layer *distinct)
{
    if (distinct->count > 0 && layer->cycles > (INT64_MAX - total->cycles) / distinct->count) {
        total->too_long = true;
        return;
    }
    uint64_t cycles = layer->cycles * distinct->count;
    total->cycles += cycles;
    total->occurrences += distinct->count;
    total->macs += distinct->macs * distinct->count;
    total->peak_macs += layer->peak * (double)cycles;
    for (size_t i = 0; i < 2; i++)
        total->range_us[i] += layer->range_us[i] * (double)distinct->count;
    for (size_t i = 0; i < BOUNDS; i++)
        if (strcmp(net_bounds[i], layer->bound) == 0)
            total->by_bound[i] += cycles;
}

void net_sum(struct net_view *view)
{
    struct net_total *total = &view->total;
    memset(total, 0, sizeof *total);
    for (size_t i = 0; i < view->network->distinct_count; i++) {
        const struct net_layer *layer = &view->layers[i];
        total->simulated += layer->outcome == NET_SIMULATED;
        total->stored += layer->outcome == NET_STORED;
        total->refused += layer->outcome == NET_REFUSED;
        total->waiting += layer->outcome == NET_WAITING;
        if (net_has_time(layer))
            sum_layer(total, layer, &view->network->distinct[i]);
    }
}
