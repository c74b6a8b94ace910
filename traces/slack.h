/*
 * How much later each moment of a run could be without moving the end of the run.
 *
 * Precedences of all cores are kept in temporary files as they come. When the run has ended they
 * are walked backwards, core by core, as cores do not hold each other but by their shares of links,
 * which count as they were. Memory is that of the moments of one core.
 */
#ifndef CUBESIM_TRACES_SLACK_H
#define CUBESIM_TRACES_SLACK_H

#include <stddef.h>

#include "engine/precedence.h"
#include "traces/record_file.h"

struct slack_core {
    struct record_file precedences;
    uint64_t moments; /* the highest number */
};

struct slack {
    const char *path;         /* of the database; borrowed */
    struct slack_core *cores; /* [core]; array_grow */
    size_t core_count, core_capacity;
    tick *later; /* [moment - 1] of the core that was found last */
    size_t later_capacity;
};

void slack_init(struct slack *slack, const char *path);
void slack_deinit(struct slack *slack);

/* NO_MEMORY, or IO with errno set. */
enum status slack_add(struct slack *slack, const struct precedence *precedence) MUST_CHECK;

/* Finds the slack of all moments of a core of a run that ended at a tick. NO_MEMORY or IO. */
enum status slack_find(struct slack *slack, uint32_t core, tick end) MUST_CHECK;

/* Of a moment of the core of the last slack_find; UINT64_MAX: not known. */
tick slack_of(const struct slack *slack, uint32_t core, uint64_t moment);

#endif
