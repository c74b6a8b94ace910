/*
 * Runs a resolved plan: time, function, or both; collects what people ask about a run.
 *
 * Observers (the timeline sink) can be absent; nothing else changes.
 */
#ifndef CUBESIM_MODEL_RUN_H
#define CUBESIM_MODEL_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/arena.h"
#include "engine/base/diag.h"
#include "engine/path.h"
#include "engine/path_step.h"
#include "engine/precedence.h"
#include "engine/row.h"
#include "isa/machine.h"
#include "model/plan.h"
#include "model/reference.h"
#include "model/tensor.h"

/* A row of the timeline together with its instruction. */
struct timeline_row {
    const struct row *row;
    const struct insn *insn;
    uint64_t bytes; /* moved by the instruction */
    uint64_t macs;  /* m * n * k of an Mmad */
};
typedef enum status timeline_sink(void *context, const struct timeline_row *row);

/* A step of some path together with its instruction; path.step of the result says which step ended
 * the critical path. */
struct timeline_step {
    const struct path_step *step;
    const struct insn *insn; /* NULL: it belongs to none */
};
typedef enum status timeline_step_sink(void *context, const struct timeline_step *step);
typedef enum status timeline_precedence_sink(void *context, const struct precedence *precedence);

struct pipe_stats {
    uint64_t instructions; /* rows of the pipe; SCALAR: all that it dispatched */
    tick busy, waiting, idle, link, active;
    tick wait[CAUSE_COUNT];           /* waiting by cause; sums to waiting */
    uint64_t wait_count[CAUSE_COUNT]; /* rows that waited for it */
    tick wait_for[PIPE_COUNT];        /* the flag part of waiting by the pipe that set the flag */
};

/* Whether a pipe did anything, or stands at something for ever. */
static inline bool pipe_is_used(const struct pipe_stats *stats)
{
    return stats->instructions > 0 || stats->waiting > 0;
}

enum { RUN_HAZARDS_MAX = 1000, RUN_HAZARDS_OF_KIND = 100, RUN_NOTES_MAX = 100 };
_Static_assert(RUN_HAZARDS_MAX >= HAZARD_COUNT * RUN_HAZARDS_OF_KIND,
               "there is room for all kinds");

struct hazard_record {
    enum hazard_kind kind;
    uint32_t core, seq;
    uint32_t line; /* of the instruction in its program file; 0 when lowered */
    const char *message;
};

/* A pipe that stands for ever. */
struct stuck_pipe {
    uint32_t core;
    enum pipe pipe;      /* SCALAR: the instruction cannot be dispatched */
    const char *at;      /* the instruction, "line 12 (wait_flag)" */
    const char *awaited; /* "flag CUBE->MTE1 id 0" */
};

struct run_result {
    uint64_t cores;
    tick cycles;
    double launch_us;      /* outside the cycles */
    double range_us[2];    /* time with the product's numbers at their fast and slow ends; zeros
                              when the program stands for ever: the counts below are then those of
                              what was executed */
    uint64_t instructions; /* of all streams, flags included */
    uint64_t macs;      /* useful: of the convolution, or of all Mmads of a program but those that
                           were refused */
    uint64_t mmad_macs; /* m * n * k of all Mmads */
    uint64_t cube_macs; /* of whole fractals: what the cube could do in its steps */
    uint64_t gm_read_bytes, gm_write_bytes;
    uint64_t gm_miss_bytes;        /* read bytes that came from GM, not from L2 */
    uint64_t gm_write_back_bytes;  /* written bytes that L2 gave back to GM during the run */
    uint64_t tensor_bytes;         /* of all tensors in GM, each once */
    uint64_t l0a_bytes, l0b_bytes; /* loaded from L1 */
    uint64_t l0c_bytes;            /* stored from L0C to GM, or moved to the unified buffer */
    double cube_step_cycles;       /* of all steps of all cubes */
    struct pipe_stats *pipe;       /* [core * PIPE_COUNT + pipe] */
    tick *core_cycles;             /* [core]: last completion */
    struct path path;              /* of the last completion; parts and causes sum to cycles, and so
                                      do its classes, which are the basis of numbers */
    uint32_t deciding_core;        /* the core of the last completion */
    const char *bound;             /* cube mte2 mte1 fixp vector mte3 scalar latency */
    struct hazard_record *hazards; /* RUN_HAZARDS_MAX of them; what a loop repeats, once */
    uint64_t hazard_count;         /* of all */
    uint64_t hazards_kept;
    struct hazard_record
        *notes;          /* what is no hazard and yet advised against; kind does not count */
    uint64_t note_count; /* of all */
    uint64_t notes_kept; /* the first RUN_NOTES_MAX */
    bool deadlocked;     /* it stands for ever; hazards say where, cycles until when */
    struct hazard_record *stuck; /* the cores that stood in time */
    uint32_t stuck_count;
    struct stuck_pipe *stuck_pipes; /* the pipes of these cores that stood, in their order */
    uint32_t stuck_pipe_count;
    uint64_t load3d_bytes;         /* moved by all Load3D, and the cycles that MTE1 was at it: */
    tick load3d_cycles;            /* together the rate that their shape allowed */
    uint64_t output_missing_bytes; /* of the output in GM that no instruction stored */
    uint64_t stored_twice_bytes;   /* bytes that a store found stored already: of the output, of a
                                      program in all tensors that held nothing at the start */
    uint64_t refused_instructions; /* that did nothing, as fields or bounds forbid it */
    uint64_t refused_macs;         /* of the Mmads among them */
    uint64_t saturated_values;     /* outputs that their type could not hold, clamped */
    uint64_t flags_set, flags_waited;
    bool has_output;
    struct tensor output; /* logical, when bytes were computed */
    bool verified;
    struct comparison comparison;
    double simulator_seconds;
};

struct run_options {
    bool timing_only; /* no bytes */
    bool verify;
    bool with_range;                            /* simulate low and high ends too */
    const struct tensor *input, *weight, *bias; /* needed unless timing_only; bias may be NULL */
    timeline_sink *sink;                        /* may be NULL */
    timeline_step_sink *steps;                  /* may be NULL; all cores */
    timeline_precedence_sink *precedences;      /* may be NULL */
    void *sink_context;                         /* of all three */
    bool core0_only;                            /* sink and precedences see only core 0 */
    bool unchecked;                             /* nobody looks for races */
};

/* Adds a hazard to a result; its message is copied. Of more than RUN_HAZARDS_MAX only the number is
 * kept, but for the first RUN_HAZARDS_OF_KIND of each kind and every deadlock, of which a core has
 * one at most: they take the place of the latest ones of the kind that has most. */
enum status run_hazard_add(struct run_result *result, const struct hazard_record *hazard,
                           struct arena *arena) MUST_CHECK;

/* The same for a note; of more than RUN_NOTES_MAX nothing is kept. */
enum status run_note_add(struct run_result *result, const struct hazard_record *note,
                         struct arena *arena) MUST_CHECK;

/* Which pipe has the largest share of a critical path: "cube" ... or "latency" when hand-over
 * between pipes has a larger one than any pipe. *share gets it, 0..1 of the path. */
const char *path_bound(const struct path *path, double *share);

/* Cycles of a path: the moment that it leads to. */
tick path_cycles(const struct path *path);

/* OK also when the comparison fails, hazards were found, or the program stands for ever (then there
 * is no output): the result says so. */
enum status run_plan(const struct plan *plan, const struct run_options *options,
                     struct arena *arena, struct diag *diag, struct run_result *result) MUST_CHECK;

#endif
