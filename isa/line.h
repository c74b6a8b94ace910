/*
 * The lines of a program's text, and the words of each.
 *
 * Words are separated by blanks and tabs; '#' starts a comment outside quotes. Lines end with LF or
 * CR LF, the last one also without.
 */
#ifndef CUBESIM_ISA_LINE_H
#define CUBESIM_ISA_LINE_H

#include <stdbool.h>

#include "engine/base/arena.h"
#include "engine/base/diag.h"
#include "isa/word.h"

struct line {
    struct source window; /* the source from this line on, so that places in it cost no search */
    const char *end;      /* of the line */
    const char *at;       /* what comes next */
    const char *behind;   /* end of what was read last */
    const char *next;     /* start of the next line; NULL after the last */
    uint32_t number;      /* from 1 */
};

/* Before the first line of a source. */
void line_init(struct line *line, const struct source *source);

/* Moves to the next line; false when there is none. */
bool line_next(struct line *line);

/* Whether nothing but a comment is left, which is skipped. */
bool line_ends(struct line *line);

/* The next word, up to a blank, a comment or one of stops; empty at the end of the line. */
struct word line_word(struct line *line, const char *stops);

/* Whether the next sign is this one; then it is taken. */
bool line_takes(struct line *line, char sign);

/* The place of a word of this line. An empty word has a width of 1. */
struct place line_place(const struct line *line, struct word word);

enum path_result { PATH_OK, PATH_MISSING, PATH_OPEN, PATH_ESCAPE, PATH_NO_MEMORY };

/* A path: a word, or a text in double quotes in which \" and \\ stand for the sign behind the
 * backslash. It goes to the arena; raw is the word as written, or for OPEN and ESCAPE what is
 * wrong: the whole open text, the backslash. quoted: it was in quotes. */
enum path_result line_path(struct line *line, struct arena *arena, struct word *raw, bool *quoted,
                           const char **path);

#endif
