/*
 * Problems found in what a person wrote, each with its place.
 *
 * A diag collects all problems of an input, not only the first. A place names file, line and
 * column (from 1); line 0 means that the problem has no place inside the file. A problem is kept
 * as text together with its source line, so it outlives the source. After the first line of a
 * message further lines may follow; they are notes, shown below the caret.
 */
#ifndef CUBESIM_ENGINE_BASE_DIAG_H
#define CUBESIM_ENGINE_BASE_DIAG_H

#include <stddef.h>
#include <stdint.h>

#include "engine/base/arena.h"
#include "engine/base/status.h"

/* The text that places point into; borrowed by places, lives as long as its arena. */
struct source {
    const char *name;      /* as the user named it: a path, or "--set" */
    const char *text;      /* whole text, zero-terminated */
    size_t length;         /* bytes without the zero */
    uint32_t lines_before; /* lines of the file that come before text; 0 for a whole text */
};

struct place {
    const struct source *source; /* NULL: unknown */
    uint32_t line;               /* from 1; 0: no place */
    uint32_t column;             /* from 1, in bytes */
    uint32_t width;              /* bytes to underline, at least 1 */
};

struct problem {
    enum status status;
    struct place place;  /* its source is a copy that has the name, but no text */
    const char *message; /* "what was found; what was expected", then notes */
    const char *excerpt; /* the source line and the caret line; NULL: none */
};

/* Of more problems than this only the gravest status is kept. */
enum { DIAG_PROBLEMS_MAX = 1000 };

struct diag {
    struct arena arena;
    struct problem *problems; /* array_grow */
    size_t count;
    size_t capacity;
    enum status lost; /* gravest status of the problems that found no room; OK: none */
};

void diag_init(struct diag *diag);
void diag_deinit(struct diag *diag);

/* Adds a problem and returns its status, so that a caller can return it at once; NO_MEMORY when
 * the problem found no room. diag may be NULL, then the problem is dropped. The same message at the
 * same place is kept once. */
enum status diag_add(struct diag *diag, enum status status, struct place place, const char *format,
                     ...) PRINTF_LIKE(4, 5);

/* Brings the problems from index first on into the order of their places, as far as neighbours
 * belong to one file; those at the same place stay in order. diag may be NULL. */
void diag_sort(struct diag *diag, size_t first);

/* The first place of a word in a line of a source, or the whole line, without the spaces around it,
 * when the word is NULL or does not stand there. */
struct place place_in_line(const struct source *source, uint32_t line, const char *word);

/* A place inside no file: only the name is printed (may be NULL). */
struct place place_none(void);

/* The status of the gravest problem: the one with the largest exit code, OK when there is none. */
enum status diag_status(const struct diag *diag);

/* "file:line:column: message", then the source line and a caret below it when the place is known,
 * then the notes, without a closing newline. Lines too long for a terminal are shown around the
 * place. Returns text in diag->arena. */
const char *diag_text(struct diag *diag, size_t index);

/* The graver of two statuses: the one with the larger exit code, the first of equals. */
enum status diag_graver(enum status first, enum status second);

/* Text of a person as messages quote it: long text shortened, control characters escaped, so that
 * it stays on one line. Returns buffer; size is at least 8. */
const char *excerpt_format(const char *text, char *buffer, size_t size);
enum { EXCERPT_SIZE_BYTES = 72 };

/* Length in bytes of the UTF-8 character at the start of length bytes of text, and its code
 * point; 0 when there is none (cut off, overlong, a surrogate or no character at all). */
size_t utf8_decode(const char *text, size_t length, uint32_t *code);

#endif
