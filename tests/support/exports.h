/*
 * `cubesim export` of the three runs of the fixture: what its tests begin with.
 */
#ifndef CUBESIM_TESTS_SUPPORT_EXPORTS_H
#define CUBESIM_TESTS_SUPPORT_EXPORTS_H

#include "tests/support/cli.h"
#include "tests/support/store_fixture.h"

extern struct fixture fixture;
extern struct cli cli;

/* Setup and teardown of a group: fixture_make_three in a folder of its own. */
int make_database(void **state);
int remove_database(void **state);

/* `cubesim export DB ARGUMENTS`. */
void export_run(const char *arguments);

#endif
