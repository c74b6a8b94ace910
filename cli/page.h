/*
 * Where a command prints to, and what that place can show.
 */
#ifndef CUBESIM_CLI_PAGE_H
#define CUBESIM_CLI_PAGE_H

#include <stddef.h>
#include <stdio.h>

#include "cli/terminal.h"

struct page {
    FILE *stream;
    struct arena *arena; /* for texts on their way */
    struct terminal terminal;
    size_t width; /* columns, at least 80: summaries are made for that */
};

/* Standard output. */
struct page page_stdout(struct arena *arena);

/* Standard error: plain and 80 columns wide. */
struct page page_stderr(struct arena *arena);

/* Escape sequences, "" without colour. */
const char *page_style(const struct page *page, enum terminal_style style);

/* A sentence wrapped over lines, each in a style. */
void page_sentence(const struct page *page, enum terminal_style style, const char *text);

/* "label      text", wrapped, further lines under the text; label may be "". */
void page_field(const struct page *page, const char *label, const char *text);

#endif
