/*
 * What a function that meets the outside world can answer.
 *
 * Each status knows the exit code of the program and a sentence. Functions that cannot fail
 * assert instead; asserts stay on in every build.
 */
#ifndef CUBESIM_ENGINE_BASE_STATUS_H
#define CUBESIM_ENGINE_BASE_STATUS_H

/* name, exit code, sentence */
#define STATUS_LIST(ROW)                                                                           \
    ROW(OK, 0, "done")                                                                             \
    ROW(BROKEN, 1, "what was checked does not hold")                                               \
    ROW(DEADLOCK, 1, "no event is left and work is unfinished")                                    \
    ROW(BAD_INPUT, 2, "the input is wrong")                                                        \
    ROW(IO, 3, "a file could not be read or written")                                              \
    ROW(DATABASE, 3, "the database failed")                                                        \
    ROW(NO_MEMORY, 3, "memory ran out")                                                            \
    ROW(LIMIT, 3, "a limit of the program was reached")                                            \
    ROW(STOPPED, 130, "stopped by a signal")

enum status {
#define ROW(name, code, sentence) STATUS_##name,
    STATUS_LIST(ROW)
#undef ROW
        STATUS_COUNT
};

#define MUST_CHECK __attribute__((warn_unused_result))
#define PRINTF_LIKE(format_index, first_index)                                                     \
    __attribute__((format(printf, format_index, first_index)))

/* The exit code of the program for a status (contract: 0, 1, 2, 3 or 130). */
int status_exit_code(enum status status);

/* One sentence, a static string. */
const char *status_sentence(enum status status);

#endif
