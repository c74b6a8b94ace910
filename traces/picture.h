/*
 * A core in a window as a picture: what the files that draw it share. For traces/export_svg.c and
 * traces/picture_*.c only.
 */
#ifndef CUBESIM_TRACES_PICTURE_H
#define CUBESIM_TRACES_PICTURE_H

#include "traces/lanes.h"
#include "traces/slots.h"
#include "traces/svg.h"

/* Pixels. */
enum {
    WIDTH = 960,
    GUTTER = 104,
    PLOT = 840,
    LANES_TOP = 98,
    LANE_HEIGHT = 30,
    LANE_STEP = 48,
    SLOT_HEIGHT = 12,
    SLOT_STEP = 18,
    LEGEND_STEP = 18,
    LEGEND_MARGIN = 16,
    COLUMN_WIDTH = 2,
    COLUMNS = PLOT / COLUMN_WIDTH,
    TICK_DISTANCE = 120
};

/* More than these are drawn as shares of columns, or left out. */
enum { BOXES_MAX = PLOT / 4, STEPS_MAX = 400, SLOT_EVENTS_MAX = PLOT };

/* A lane of slots in use. */
enum { SLOT_LANES = 4 };
struct slot_lane {
    enum space space;
    const char *label, *fill;
};
extern const struct slot_lane slot_lanes[SLOT_LANES];

struct picture {
    struct output output;
    struct arena arena;
    struct store *store;
    struct diag *diag;
    struct stored_run run;
    bool lacks_memory; /* a text is missing */
    uint32_t core;
    tick from, to;
    struct lanes lanes;
    struct slots slots;
    size_t boxes[PIPE_COUNT]; /* working rows that touch the window */
    double lane_y[PIPE_COUNT];
    size_t slot_events;
    uint32_t slots_most[SPACE_COUNT]; /* in use at once, in the window */
    bool shows_look[LOOK_COUNT], shows_hatch[HATCH_COUNT];
    bool shows_link, shows_done, shows_slots;
    size_t steps;                    /* of the critical path, in the window on this core */
    tick (*path_cycles)[PIPE_COUNT]; /* [COLUMNS]: of the path by column */
    double path_x, path_y;           /* where the line of the path ended */
    uint64_t path_step;              /* the step that ended there */
    double bottom;                   /* of lanes */
};

double x_of(const struct picture *picture, tick cycle);
bool in_window(const struct picture *picture, tick start, tick end);
/* The lane has more boxes than can be told apart. */
bool as_columns(const struct picture *picture, uint32_t pipe);
enum look look_of(struct picture *picture, const struct stored_row *row);
enum hatch hatch_of(enum cause cause, uint32_t blocker_pipe);
/* The cycle up to which a row waits. */
tick row_ready(const struct stored_row *row);
/* A text in the arena; "", and the picture fails at its end, when memory ran out. */
const char *picture_text(struct picture *picture, const char *format, ...) PRINTF_LIKE(2, 3);
/* 63941 -> "63,941", in the arena. */
const char *grouped(struct picture *picture, uint64_t number);

/* Starts to read the slots in use. */
enum status picture_open_slots(struct picture *picture) MUST_CHECK;

/* The ground of a lane with its name. */
void picture_lane(struct picture *picture, enum pipe pipe);
/* A stored_row_sink: a row of a lane that is not drawn as columns. */
enum status picture_row(void *context, const struct stored_row *row);
/* A lane of very many rows. */
void picture_columns(struct picture *picture, enum pipe pipe);

enum status picture_path(struct picture *picture) MUST_CHECK;
/* A piece of the critical path. */
void picture_path_piece(struct picture *picture, double x1, double x2, double y, bool solid);
enum status picture_slots(struct picture *picture) MUST_CHECK;

/* Lays the legend out from y on; returns the baseline of its last line. */
double picture_legend(struct picture *picture, double y, bool draws);

#endif
