/*
 * The critical path as a table: what most of its cycles went to, with bars.
 */
#ifndef CUBESIM_CLI_PATH_TABLE_H
#define CUBESIM_CLI_PATH_TABLE_H

#include "cli/page.h"
#include "engine/path.h"

/* Prints an empty line, the parts of a path, the largest first, and their sum, which is cycles; the
 * smallest parts in one row where there are many. 80 columns wide whatever the page is. */
void path_table_print(const struct page *page, const struct path *path, tick cycles);

#endif
