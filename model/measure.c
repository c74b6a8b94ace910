#include "model/measure.h"

#include <assert.h>

struct metric_info {
    const char *word;
    bool pipe;
    const char *meaning;
};

static const struct metric_info metrics[METRIC_COUNT] = {
#define ROW(name, word, pipe, meaning) {word, pipe, meaning},
    METRIC_LIST(ROW)
#undef ROW
};

struct measure_unit_info {
    const char *word;
    enum dimension dimension;
    bool seconds;
    double factor;
};

static const struct measure_unit_info units[MEASURE_UNIT_COUNT] = {
#define ROW(name, word, dimension, seconds, factor) {word, DIMENSION_##dimension, seconds, factor},
    MEASURE_UNIT_LIST(ROW)
#undef ROW
};

const char *metric_word(enum metric metric)
{
    return metrics[metric].word;
}

bool metric_has_pipe(enum metric metric)
{
    return metrics[metric].pipe;
}

const char *metric_meaning(enum metric metric)
{
    return metrics[metric].meaning;
}

const char *measure_unit_word(enum measure_unit unit)
{
    return units[unit].word;
}

enum dimension measure_unit_dimension(enum measure_unit unit)
{
    return units[unit].dimension;
}

const char *evidence_word(enum evidence evidence)
{
    static const char *const words[EVIDENCE_COUNT] = {
#define ROW(name, word) word,
        EVIDENCE_LIST(ROW)
#undef ROW
    };
    return words[evidence];
}

const char *use_word(enum use use)
{
    static const char *const words[USE_COUNT] = {
#define ROW(name, word) word,
        USE_LIST(ROW)
#undef ROW
    };
    return words[use];
}

static bool is_rate(enum dimension dimension)
{
    return dimension == DIMENSION_BYTES || dimension == DIMENSION_OPS;
}

double measure_in(const struct measure *measure, enum measure_unit unit, double clock_mhz)
{
    const struct measure_unit_info *info = &units[unit];
    double time = info->seconds || info->dimension == DIMENSION_TIME ? measure->cycles / clock_mhz
                                                                     : measure->cycles;
    if (!is_rate(info->dimension))
        return time / info->factor;
    double work = info->dimension == DIMENSION_BYTES ? measure->bytes : measure->ops;
    return time > 0.0 ? work / time / info->factor : 0.0;
}

double measure_cycles(double value, enum measure_unit unit, const struct measure *work,
                      double clock_mhz)
{
    const struct measure_unit_info *info = &units[unit];
    double cycles = info->seconds || info->dimension == DIMENSION_TIME ? clock_mhz : 1.0;
    if (!is_rate(info->dimension))
        return value * info->factor * cycles;
    return (info->dimension == DIMENSION_BYTES ? work->bytes : work->ops) / (value * info->factor) *
           cycles;
}

bool metric_takes(enum metric metric, enum measure_unit unit)
{
    enum dimension dimension = units[unit].dimension;
    switch (metric) {
    case METRIC_SHARE:
        return dimension == DIMENSION_SHARE;
    case METRIC_STREAM:
        return dimension == DIMENSION_BYTES;
    case METRIC_INTERVAL:
    case METRIC_ISOLATED:
        return dimension != DIMENSION_SHARE;
    case METRIC_TASK:
    case METRIC_CORE:
    case METRIC_CORE_SUM:
    case METRIC_CORE_MAX:
    case METRIC_COUNTER:
    case METRIC_STEP:
    case METRIC_EACH:
    case METRIC_LATENCY:
    case METRIC_COUNT:
        break;
    }
    return dimension == DIMENSION_TIME || dimension == DIMENSION_CYCLES;
}

double measure_error(enum measure_unit unit, double predicted, double measured)
{
    enum dimension dimension = units[unit].dimension;
    assert(measured > 0.0);
    if (dimension == DIMENSION_SHARE)
        return predicted - measured;
    if (!is_rate(dimension))
        return 100.0 * (predicted / measured - 1.0);
    /* A rate of 0 stands for a time without end; the caller has no such prediction. */
    return predicted > 0.0 ? 100.0 * (measured / predicted - 1.0) : 1e9;
}
