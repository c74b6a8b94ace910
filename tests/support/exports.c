#include "tests/support/exports.h"

#include "tests/support/open_store.h"

struct cli cli;

int make_database(void **state)
{
    (void)state;
    cli_init(&cli);
    fixture_init(&fixture);
    fixture_make_three(&fixture);
    return 0;
}

int remove_database(void **state)
{
    (void)state;
    fixture_deinit(&fixture);
    cli_deinit(&cli);
    return 0;
}

void export_run(const char *arguments)
{
    cli_run(&cli, "export '%s' %s", fixture.path, arguments);
}
