/*
 * A simulated network with everything that is told about it.
 */
#ifndef CUBESIM_CLI_NET_VIEW_H
#define CUBESIM_CLI_NET_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "cli/page.h"
#include "model/network.h"
#include "model/product.h"

enum net_outcome {
    NET_WAITING, /* not reached: the network was interrupted */
    NET_SIMULATED,
    NET_STORED, /* the database had a run of it */
    NET_REFUSED /* a rule or the product forbids it */
};

/* One of the distinct layers. */
struct net_layer {
    enum net_outcome outcome;
    enum status status;  /* of a refused one */
    const char *message; /* why it was refused, lines */
    const char *problem, *tiling, *bound;
    const char *shape, *l1,
        *l0;                 /* short: "64x56x56 -> 64 3x3 p1", "1x64x64 k576", "1x64x64 k192" */
    json_t *tile, *schedule; /* NULL without --json */
    uint64_t cores, cycles;
    double range_us[2]; /* zeros: not known */
    double peak;        /* MACs per cycle of the cubes of all cores */
    int64_t run_id;     /* 0: not saved */
};

/* Sums over all occurrences of the layers that have a time. */
struct net_total {
    uint64_t occurrences, cycles, macs;
    uint64_t by_bound[8];                         /* cycles, in the order of net_bounds */
    uint64_t simulated, stored, refused, waiting; /* distinct layers */
    double range_us[2];
    double peak_macs; /* that the cubes of all cores could have done in these cycles */
    bool too_long;    /* cycles are beyond 63 bits */
};

extern const char *const net_bounds[8];

struct net_view {
    const struct network *network;
    const struct product *product;
    const struct network_options *options;
    const char *db;           /* NULL: not saved */
    struct net_layer *layers; /* [network->distinct_count] */
    struct net_total total;
    double clock_mhz, launch_us;
};

/* Fills the total from the layers. */
void net_sum(struct net_view *view);

/* Time of so many cycles, in microseconds. */
double net_us(const struct net_view *view, uint64_t cycles);
/* MACs of all occurrences against the peak of all cores; 0 without a time. */
double net_layer_share(const struct net_view *view, size_t index);

bool net_has_time(const struct net_layer *layer);

void net_print_json(const struct net_view *view);
void net_print_text(const struct page *page, const struct net_view *view);

#endif
