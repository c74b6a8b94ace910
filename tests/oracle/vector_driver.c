/*
 * Runs vectors (tests/support/vectors.h) from the standard input and prints what fails.
 *
 *     scripts/make_vectors.py --oracle PATH --print | vector_driver
 *
 * Exit code: 0 all held, 1 some did not.
 */
#include <stdio.h>

#include "tests/support/vectors.h"

enum { TOLD_MAX = 20 };

static void failure_tell(const char *message)
{
    static int told = 0;
    if (told++ < TOLD_MAX) {
        puts(message);
    }
}

int main(void)
{
    static struct vectors vectors = {.tell = failure_tell};
    vectors_run(&vectors, stdin, "vectors");
    printf("%u cases, %u failed\n", vectors.cases, vectors.failures);
    return vectors.failures != 0 || vectors.cases == 0;
}
