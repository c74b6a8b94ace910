/*
 * The steps of a run as it told them, and whether its critical path holds together.
 *
 *     struct path_check check = {0};
 *     config.steps = path_check_step; config.steps_context = &check;
 *     ... run ...
 *     path_check(&check, path, cycles);
 *     path_check_deinit(&check);
 */
#ifndef CUBESIM_TESTS_SUPPORT_PATH_CHECK_H
#define CUBESIM_TESTS_SUPPORT_PATH_CHECK_H

#include <stddef.h>

#include "engine/path_step.h"

struct path_check {
    struct path_step *steps; /* [number - 1] */
    size_t count, capacity;
};

void path_check_deinit(struct path_check *check);

/* A path_step_sink, and what a timeline_step_sink calls. Fails the test when a step is empty, has
 * no number of its own, or follows one that comes later. */
void path_check_step(void *check, const struct path_step *step);

/* Fails the test when the steps that lead to a path do not add up to it, part by part and cause by
 * cause, or do not fill the cycles. */
void path_check(const struct path_check *check, const struct path *path, tick cycles);

#endif
