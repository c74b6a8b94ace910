/*
 * What a terminal can show: how wide it is, whether it knows colour and UTF-8, and the blocks that
 * lanes and bars are drawn with.
 *
 * Colour is only a second cue: everything reads the same without it.
 */
#ifndef CUBESIM_CLI_TERMINAL_H
#define CUBESIM_CLI_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "engine/base/arena.h"

enum { TERMINAL_WIDTH = 80, TERMINAL_WIDTH_MIN = 80, TERMINAL_WIDTH_MAX = 1000 };

struct terminal {
    size_t width; /* columns, TERMINAL_WIDTH_MIN..TERMINAL_WIDTH_MAX */
    bool colour, utf8;
};

/* Looks at a stream and its surroundings. width: as given by --width, 0 when it was not given; then
 * it is $COLUMNS, else what the terminal says, else 80. Colour: a terminal, no NO_COLOR, TERM not
 * dumb. UTF-8: the locale says so, TERM not dumb. Sets the locale's character type. */
struct terminal terminal_look(FILE *stream, size_t width);

enum terminal_style { STYLE_PLAIN, STYLE_BOLD, STYLE_DIM, STYLE_RED, STYLE_GREEN };

/* The escape sequence that switches to a style, or "" without colour. */
const char *terminal_style(const struct terminal *terminal, enum terminal_style style);

/* One column of a lane, filled from the foot by 1 to 8 eighths; in ASCII '#' full, '+' half or
 * more, '-' less. */
const char *terminal_block(const struct terminal *terminal, uint32_t eighths);

/* One column in which something waits: a middle dot, or '.'. */
const char *terminal_wait(const struct terminal *terminal);

/* A bar of share (0..1) of columns, drawn in eighths of a column from the left; in ASCII of whole
 * columns. Text in the arena; NULL when memory runs out. */
const char *terminal_bar(const struct terminal *terminal, double share, size_t columns,
                         struct arena *arena);

#endif
