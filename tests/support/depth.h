/*
 * How many cases a long property test takes: CUBESIM_DEPTH in the environment is few, for builds
 * that sanitizers make slow, or all; without it the usual number.
 */
#ifndef CUBESIM_TESTS_SUPPORT_DEPTH_H
#define CUBESIM_TESTS_SUPPORT_DEPTH_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct depth {
    uint32_t few, usual, all;
};

/* The number that is asked for. */
static inline uint32_t depth_choose(const struct depth *depth)
{
    const char *wanted = getenv("CUBESIM_DEPTH");
    if (wanted == NULL)
        return depth->usual;
    if (strcmp(wanted, "all") != 0 && strcmp(wanted, "few") != 0)
        fail_msg("CUBESIM_DEPTH is '%s'; expected all or few", wanted);
    return strcmp(wanted, "all") == 0 ? depth->all : depth->few;
}

#endif
