/*
 * The words of a measurement: what was measured, in which unit, how, and what it is used for.
 *
 * Times are compared in the clock of the product. A rate is compared by the time that it means, so
 * that the sign of an error says the same everywhere: above 0 the model is slower than what was
 * measured. Shares are compared in points.
 */
#ifndef CUBESIM_MODEL_MEASURE_H
#define CUBESIM_MODEL_MEASURE_H

#include <stdbool.h>
#include <stddef.h>

/* name, word, whether it is of a pipe, meaning */
#define METRIC_LIST(ROW)                                                                           \
    ROW(TASK, "task", false, "time of the slowest core, and the launch")                           \
    ROW(CORE, "core", false, "time of a core, averaged over the cores")                            \
    ROW(CORE_SUM, "core_sum", false, "time of all cores added up")                                 \
    ROW(CORE_MAX, "core_max", false, "time of the slowest core, without the launch")               \
    ROW(COUNTER, "counter", true,                                                                  \
        "the pipe's counter, averaged over the cores: for MTE2 the time that it is busy, for the " \
        "others the time from start to completion of its instructions, overlaps once")             \
    ROW(SHARE, "share", true, "the counter in percent of task")                                    \
    ROW(STEP, "step", true, "the counter over the number of Mmads")                                \
    ROW(EACH, "each", true, "the counter over the number of the pipe's instructions")              \
    ROW(INTERVAL, "interval", true, "from start to start of core 0's instructions")                \
    ROW(ISOLATED, "isolated", true,                                                                \
        "from the start of core 0's last instruction until its results can be used")               \
    ROW(LATENCY, "latency", true,                                                                  \
        "from the end of that instruction until its results can be used")                          \
    ROW(STREAM, "stream", true,                                                                    \
        "bytes of a core from the first start to the last completion of any core")

enum metric {
#define ROW(name, word, pipe, meaning) METRIC_##name,
    METRIC_LIST(ROW)
#undef ROW
        METRIC_COUNT
};

const char *metric_word(enum metric metric);
bool metric_has_pipe(enum metric metric);
const char *metric_meaning(enum metric metric);

enum dimension {
    DIMENSION_TIME,
    DIMENSION_CYCLES,
    DIMENSION_SHARE,
    DIMENSION_BYTES,
    DIMENSION_OPS
};

/* name, word, dimension, base units in one: microseconds, cycles, points; bytes or operations in a
 * cycle, or in a microsecond when the unit is one of seconds */
#define MEASURE_UNIT_LIST(ROW)                                                                     \
    ROW(US, "us", TIME, false, 1.0)                                                                \
    ROW(CYCLES, "cycles", CYCLES, false, 1.0)                                                      \
    ROW(PERCENT, "%", SHARE, false, 1.0)                                                           \
    ROW(B_CYCLE, "B/cycle", BYTES, false, 1.0)                                                     \
    ROW(GIB_S, "GiB/s", BYTES, true, 1073.741824)                                                  \
    ROW(GB_S, "GB/s", BYTES, true, 1e3)                                                            \
    ROW(TB_S, "TB/s", BYTES, true, 1e6)                                                            \
    ROW(OP_CYCLE, "op/cycle", OPS, false, 1.0)                                                     \
    ROW(TOP_S, "Top/s", OPS, true, 1e6)

enum measure_unit {
#define ROW(name, word, dimension, seconds, factor) MEASURE_##name,
    MEASURE_UNIT_LIST(ROW)
#undef ROW
        MEASURE_UNIT_COUNT
};

const char *measure_unit_word(enum measure_unit unit);
enum dimension measure_unit_dimension(enum measure_unit unit);

/* What a model says about a metric: its time, and what was done in it. */
struct measure {
    double cycles; /* or points of a share */
    double bytes, ops;
};

/* The number of a measure in a unit, at a clock. */
double measure_in(const struct measure *measure, enum measure_unit unit, double clock_mhz);

/* And back: the cycles (or points) that a number in a unit means for the work of a measure. */
double measure_cycles(double value, enum measure_unit unit, const struct measure *work,
                      double clock_mhz);

/* Whether a metric can be told in a unit. */
bool metric_takes(enum metric metric, enum measure_unit unit);

/* Relative error of the time that a prediction means, in percent; for a share the difference in
 * points. */
double measure_error(enum measure_unit unit, double predicted, double measured);

/* How a number was measured. */
#define EVIDENCE_LIST(ROW)                                                                         \
    ROW(TIME, "time")                                                                              \
    ROW(COUNTER, "counter")                                                                        \
    ROW(SIMULATOR, "simulator")                                                                    \
    ROW(TABLE, "table")

enum evidence {
#define ROW(name, word) EVIDENCE_##name,
    EVIDENCE_LIST(ROW)
#undef ROW
        EVIDENCE_COUNT
};

const char *evidence_word(enum evidence evidence);

/* What it is used for; only the first two count. */
#define USE_LIST(ROW)                                                                              \
    ROW(FIT, "fit")                                                                                \
    ROW(CHECK, "check")                                                                            \
    ROW(CALIBRATION, "calibration")                                                                \
    ROW(PRINTED, "printed")

enum use {
#define ROW(name, word) USE_##name,
    USE_LIST(ROW)
#undef ROW
        USE_COUNT
};

const char *use_word(enum use use);

#endif
