#include "cli/bottleneck.h"

#include <stdbool.h>
#include <string.h>

#include "cli/text.h"
#include "isa/insn.h"
#include "model/run.h"

enum { GROUPS_MAX = PIPE_COUNT + CAUSE_COUNT + 1, GROUPS_TOLD = 4 };

static const char *const part_words[PATH_PART_COUNT] = {
    [PATH_BUSY] = "busy", [PATH_LATENCY] = "latency", [PATH_LINK] = "link"};

void named_cycles_add(struct named_cycles *entries, size_t *count, const char *name, tick cycles)
{
    size_t at = *count;
    if (cycles == 0)
        return;
    for (; at > 0 && entries[at - 1].cycles < cycles; at--)
        entries[at] = entries[at - 1];
    entries[at] = (struct named_cycles){name, cycles};
    ++*count;
}

size_t path_entries(const struct path *path, struct arena *arena,
                    struct named_cycles entries[PATH_ENTRIES_MAX])
{
    size_t count = 0;
    for (uint32_t pipe = 0; pipe < PIPE_COUNT; pipe++)
        for (uint32_t part = 0; part < PATH_PART_COUNT; part++)
            if (path->part[pipe][part] > 0)
                named_cycles_add(
                    entries, &count,
                    text_format(arena, "%s %s", pipe_word((enum pipe)pipe), part_words[part]),
                    path->part[pipe][part]);
    for (uint32_t cause = 0; cause < CAUSE_COUNT; cause++) {
        const char *word = cause_word((enum cause)cause);
        named_cycles_add(entries, &count, *word != '\0' ? word : "unknown", path->cause[cause]);
    }
    return count;
}

/* The path by what a reader can act on; the same sums as path_bound makes. */
static size_t path_groups(const struct path *path, struct named_cycles groups[GROUPS_MAX])
{
    static const char *const other[CAUSE_COUNT] = {[CAUSE_NONE] = "unknown",
                                                   [CAUSE_UNIT_FLAG] = "unit flags",
                                                   [CAUSE_SAME_ADDRESS] = "same addresses",
                                                   [CAUSE_QUEUE_FULL] = "full queues"};
    size_t count = 0;
    tick latency =
        path->cause[CAUSE_FLAG] + path->cause[CAUSE_BARRIER] + path->cause[CAUSE_UNIT_FLAG];
    for (uint32_t pipe = 0; pipe < PIPE_COUNT; pipe++) {
        tick own = path->part[pipe][PATH_BUSY] + path->part[pipe][PATH_LINK];
        const char *name = pipe_word((enum pipe)pipe);
        latency += path->part[pipe][PATH_LATENCY];
        if (pipe == PIPE_SCALAR) {
            own += path->cause[CAUSE_STARTUP] + path->cause[CAUSE_DISPATCH];
            name = "startup and dispatch";
        }
        named_cycles_add(groups, &count, name, own);
    }
    named_cycles_add(groups, &count, "hand-over latency between pipes", latency);
    for (uint32_t cause = 0; cause < CAUSE_COUNT; cause++)
        if (other[cause] != NULL)
            named_cycles_add(groups, &count, other[cause], path->cause[cause]);
    return count;
}

static const char *busy_text(struct arena *arena, const char *bound, const double *busy)
{
    static const char *const words[PIPE_COUNT] = {"scalar", "mte2",   "mte1", "cube",
                                                  "fixp",   "vector", "mte3"};
    double most = 0.0;
    for (uint32_t pipe = 0; pipe < PIPE_COUNT; pipe++) {
        if (strcmp(bound, words[pipe]) == 0 && pipe != PIPE_SCALAR)
            return text_format(arena, "; %s is busy %s of the time", pipe_word((enum pipe)pipe),
                               text_share(arena, busy[pipe]));
        if (busy[pipe] > most)
            most = busy[pipe];
    }
    return text_format(arena, "; no pipe is busy more than %s", text_share(arena, most));
}

const char *bottleneck_text(struct arena *arena, const char *bound, const struct path *path,
                            const double *busy)
{
    struct named_cycles groups[GROUPS_MAX];
    size_t count = path_groups(path, groups);
    tick all = path_cycles(path);
    const char *text = text_format(arena, "%s-bound: ", bound);
    for (size_t i = 0; i < count && i < GROUPS_TOLD; i++) {
        double share = (double)groups[i].cycles / (double)all;
        if (i > 1 && share < 0.10)
            break;
        text = text_format(arena, "%s%s%s%s %s", text, i > 0 ? ", " : "", text_share(arena, share),
                           i == 0 ? " of the critical path is" : "", groups[i].name);
    }
    return text_format(arena, "%s%s", text, busy_text(arena, bound, busy));
}

const char *deadlock_text(struct arena *arena, tick cycles)
{
    return text_format(arena,
                       "deadlock: nothing moves after cycle %s; the hazards say what stands where",
                       text_number(arena, cycles));
}
