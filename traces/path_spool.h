/*
 * The steps of a run on their way to the database, and the critical path among them.
 *
 * All steps of all paths are kept in a file as they come; when the run has ended, the path of its
 * last completion is walked back to time zero and told from there on. Memory stays small however
 * long the run is.
 */
#ifndef CUBESIM_TRACES_PATH_SPOOL_H
#define CUBESIM_TRACES_PATH_SPOOL_H

#include "model/run.h"
#include "traces/record_file.h"
#include "traces/store.h"

struct path_spool {
    struct record_file steps; /* [number - 1] */
    struct record_file path;  /* numbers of the steps of the critical path, from its end */
};

/* path: of the database, borrowed. */
void path_spool_init(struct path_spool *spool, const char *path);
void path_spool_deinit(struct path_spool *spool);

/* Steps come in the order of their numbers. NO_MEMORY, or IO with errno set. */
enum status path_spool_add(struct path_spool *spool, const struct timeline_step *step) MUST_CHECK;

/* Visits the path that ends with a step, from time zero on. NO_MEMORY, IO, or what the visit
 * gave. */
enum status path_spool_walk(struct path_spool *spool, uint64_t last, stored_step_sink *visit,
                            void *context) MUST_CHECK;

#endif
