/*
 * The run made by hand with its database open: what tests of the store begin with.
 */
#ifndef CUBESIM_TESTS_SUPPORT_OPEN_STORE_H
#define CUBESIM_TESTS_SUPPORT_OPEN_STORE_H

#include "tests/support/store_fixture.h"

extern struct fixture fixture;
extern struct store *store; /* of the fixture; empty */

/* Setup and teardown of a test of cmocka. */
int open_store(void **state);
int close_store(void **state);

/* The answer of the store to a query; lives as long as the test. */
const char *ask(const char *sql);

#endif
