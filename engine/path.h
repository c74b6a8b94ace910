/*
 * The critical path as totals: what the ticks from the start to a moment went to.
 *
 * Each moment of a run (the end of a job, a fired flag) has exactly one binding predecessor, so the
 * totals of a path are those of its predecessor plus one segment, and they always add up to the
 * moment itself. Classes split the same ticks a second way, by the pedigree of the numbers that
 * made them; their meaning belongs to the owner of the engine.
 */
#ifndef CUBESIM_ENGINE_PATH_H
#define CUBESIM_ENGINE_PATH_H

#include <stdint.h>

#include "engine/row.h"

enum { SIM_PIPES_MAX = 8, SIM_CLASSES = 4 };
enum path_part { PATH_BUSY, PATH_LATENCY, PATH_LINK, PATH_PART_COUNT };

struct path {
    tick part[SIM_PIPES_MAX][PATH_PART_COUNT];
    tick cause[CAUSE_COUNT];
    tick by_class[SIM_CLASSES];
    uint64_t step; /* the last step that led to the moment, see path_step.h; 0: none, or untold */
};

static inline void path_add_part(struct path *path, uint32_t pipe, enum path_part part, tick ticks,
                                 uint32_t class_index)
{
    path->part[pipe][part] += ticks;
    path->by_class[class_index] += ticks;
}

static inline void path_add_cause(struct path *path, enum cause cause, tick ticks,
                                  uint32_t class_index)
{
    path->cause[cause] += ticks;
    path->by_class[class_index] += ticks;
}

#endif
