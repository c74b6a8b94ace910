#include "cli/path_text.h"

#include <inttypes.h>
#include <string.h>

#include "cli/text.h"

enum {
    PIPE_SET_ALL = (1 << PIPE_COUNT) - 1,
    PIPE_SET_MTE = 1 << PIPE_MTE1 | 1 << PIPE_MTE2 | 1 << PIPE_MTE3
};

/* A letter stands for a kind of step on some pipes, or for a cause of waiting. Large letters and
 * digits are pipes at work, small ones are all else. */
struct sign {
    char letter;
    const char *words;
    enum step_kind kind;
    uint32_t pipes;  /* bits; of a wait all */
    uint32_t causes; /* bits; of STEP_WAIT */
};

static const struct sign signs[] = {
    {'s', "startup and dispatch", STEP_WAIT, PIPE_SET_ALL,
     1 << CAUSE_STARTUP | 1 << CAUSE_DISPATCH | 1 << CAUSE_QUEUE_FULL},
    {'2', "MTE2", STEP_BUSY, 1 << PIPE_MTE2, 0},
    {'1', "MTE1", STEP_BUSY, 1 << PIPE_MTE1, 0},
    {'C', "CUBE", STEP_BUSY, 1 << PIPE_CUBE, 0},
    {'F', "FIXP", STEP_BUSY, 1 << PIPE_FIXP, 0},
    {'V', "VECTOR", STEP_BUSY, 1 << PIPE_VECTOR, 0},
    {'3', "MTE3", STEP_BUSY, 1 << PIPE_MTE3, 0},
    {'S', "SCALAR", STEP_BUSY, 1 << PIPE_SCALAR, 0},
    {'m', "latency of MTE", STEP_LATENCY, PIPE_SET_MTE, 0},
    {'c', "latency of CUBE", STEP_LATENCY, 1 << PIPE_CUBE, 0},
    {'f', "latency of FIXP", STEP_LATENCY, 1 << PIPE_FIXP, 0},
    {'v', "latency of VECTOR", STEP_LATENCY, 1 << PIPE_VECTOR, 0},
    {'l', "latency of SCALAR", STEP_LATENCY, 1 << PIPE_SCALAR, 0},
    {'x', "share of a link", STEP_LINK, PIPE_SET_ALL, 0},
    {'w', "flag", STEP_WAIT, PIPE_SET_ALL, 1 << CAUSE_FLAG},
    {'b', "barrier", STEP_WAIT, PIPE_SET_ALL, 1 << CAUSE_BARRIER},
    {'u', "unit flag", STEP_WAIT, PIPE_SET_ALL, 1 << CAUSE_UNIT_FLAG},
    {'a', "same address", STEP_WAIT, PIPE_SET_ALL, 1 << CAUSE_SAME_ADDRESS},
};

enum { SIGN_COUNT = sizeof signs / sizeof *signs };

/* Cycles of a column that a sign stands for. */
static tick sign_cycles(const struct sign *sign, const struct path_lane_column *column)
{
    tick cycles = 0;
    for (uint32_t pipe = 0; sign->kind != STEP_WAIT && pipe < PIPE_COUNT; pipe++)
        if ((sign->pipes >> pipe & 1) != 0)
            cycles += column->part[path_lane_part(sign->kind, pipe, CAUSE_NONE)];
    for (uint32_t cause = 0; sign->kind == STEP_WAIT && cause < CAUSE_COUNT; cause++)
        if ((sign->causes >> cause & 1) != 0)
            cycles += column->part[path_lane_part(STEP_WAIT, 0, (enum cause)cause)];
    return cycles;
}

/* The sign with the most cycles of a column, or SIGN_COUNT. */
static size_t column_sign(const struct path_lane_column *column)
{
    size_t largest = SIGN_COUNT;
    tick most = 0;
    for (size_t sign = 0; sign < SIGN_COUNT; sign++) {
        tick cycles = sign_cycles(&signs[sign], column);
        if (cycles <= most)
            continue;
        most = cycles;
        largest = sign;
    }
    return largest;
}

const char *path_text_line(const struct path_lane *lane, struct arena *arena)
{
    size_t count = lane->lanes->column_count;
    char *line = arena_take(arena, count + 1, 1);
    text_need(line);
    for (size_t column = 0; column < count; column++) {
        size_t sign = column_sign(&lane->columns[column]);
        line[column] = sign == SIGN_COUNT ? ' ' : signs[sign].letter;
    }
    return line;
}

const char *path_text_legend(const struct path_lane *lane, uint32_t core, struct arena *arena)
{
    bool seen[SIGN_COUNT] = {false};
    for (size_t column = 0; column < lane->lanes->column_count; column++) {
        size_t sign = column_sign(&lane->columns[column]);
        if (sign < SIGN_COUNT)
            seen[sign] = true;
    }
    const char *legend = "largest part of the column;";
    if (lane->core != core)
        legend =
            text_format(arena, "that of core %" PRIu32 "; largest part of the column;", lane->core);
    const char *between = " ";
    for (size_t sign = 0; sign < SIGN_COUNT; sign++) {
        if (!seen[sign])
            continue;
        legend =
            text_format(arena, "%s%s%c %s", legend, between, signs[sign].letter, signs[sign].words);
        between = ", ";
    }
    return legend;
}
