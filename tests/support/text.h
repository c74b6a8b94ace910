/* A text that a test puts together, such as a random plan. */
#ifndef CUBESIM_TESTS_SUPPORT_TEXT_H
#define CUBESIM_TESTS_SUPPORT_TEXT_H

#include <stddef.h>

enum { TEXT_MAX = 8192 };

/* Starts as zeros. */
struct text {
    char bytes[TEXT_MAX];
    size_t length;
};

/* Fails the test when there is no room. */
void text_add(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
