#include "tests/support/open_store.h"

struct fixture fixture;
struct store *store;

int open_store(void **state)
{
    (void)state;
    fixture_init(&fixture);
    store = fixture_open(&fixture);
    return 0;
}

int close_store(void **state)
{
    (void)state;
    store_close(store);
    fixture_deinit(&fixture);
    return 0;
}

const char *ask(const char *sql)
{
    return fixture_query(&fixture, store, sql);
}
