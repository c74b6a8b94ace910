/*
 * The critical path on a terminal: a line under the lanes with one letter for each column, which
 * names what most cycles of the column went to, and what the letters mean.
 */
#ifndef CUBESIM_CLI_PATH_TEXT_H
#define CUBESIM_CLI_PATH_TEXT_H

#include "engine/base/arena.h"
#include "traces/path_lane.h"

/* The letters of a lane, one for each column; a space where no step is known. */
const char *path_text_line(const struct path_lane *lane, struct arena *arena);

/* What the letters of the lane mean, but those that do not occur. core: whose pipes stand above. */
const char *path_text_legend(const struct path_lane *lane, uint32_t core, struct arena *arena);

#endif
