/*
 * Codes of elements as text: hexadecimal of a fixed width without separators, lowest element first,
 * and marks in place of codes: '-', '.' and '*', ".{40}" for 40 of them.
 */
#ifndef CUBESIM_TESTS_SUPPORT_CODES_H
#define CUBESIM_TESTS_SUPPORT_CODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct codes {
    const char *at; /* what is still to be read */
    size_t digits;  /* of a code, at most 16 */
    char mark;      /* the mark that is being repeated */
    size_t left;    /* how often it is still to come */
};

/* The codes of a text, of elements of `bits`; the text must live as long. */
struct codes codes_open(const char *text, uint32_t bits);

/* The next code, with *mark = 0, or mark. False at the end and where the text is no code. */
bool codes_next(struct codes *codes, char *mark, uint64_t *code);

/* How many elements there are; 0 when the text is not well-formed. */
size_t codes_count(struct codes codes);

#endif
