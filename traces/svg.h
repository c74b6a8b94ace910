/*
 * Shapes and texts of an SVG picture, and the looks of pipes and waits. For export_svg.c.
 *
 * Coordinates are pixels, written with one decimal. Hue says pipe, lightness says operand, a
 * texture repeats it and hatching says for whom a pipe waits, so the picture can be read in grey
 * and by colour-blind people.
 */
#ifndef CUBESIM_TRACES_SVG_H
#define CUBESIM_TRACES_SVG_H

#include <stdbool.h>

#include "isa/insn.h"
#include "traces/output.h"

#define SVG_INK     "#14181D"
#define SVG_INK_2   "#4B5560"
#define SVG_INK_3   "#68727D"
#define SVG_GROUND  "#F6F7F9"
#define SVG_RULE    "#CDD3D9"
#define SVG_OUTLINE "#CDD3D9"

/* What a box shows: word of the legend, letter, fill, edge, ink of its text, what lies under that
 * ("": the fill). */
#define LOOK_LIST(ROW)                                                                             \
    ROW(COPY_A, "copy of A", "A", "#0072B2", "none", "#FFFFFF", "")                                \
    ROW(COPY_B, "copy of B (dotted)", "B", "url(#copy_b)", "none", SVG_INK, "#8DC3E3")             \
    ROW(COPY, "other copy", "", "#8DC3E3", "none", SVG_INK, "")                                    \
    ROW(LOAD_A, "load of A", "A", "#00805B", "none", "#FFFFFF", "")                                \
    ROW(LOAD_B, "load of B (dotted)", "B", "url(#load_b)", "none", SVG_INK, "#8CCDB8")             \
    ROW(LOAD, "other load", "", "#8CCDB8", "none", SVG_INK, "")                                    \
    ROW(MMAD, "Mmad", "M", "#E69F00", "#A87400", SVG_INK, "")                                      \
    ROW(EXIT, "fixpipe", "F", "#D88DB8", "#A85C88", SVG_INK, "")                                   \
    ROW(VECTOR, "vector", "V", "#EBC6DB", "#A85C88", SVG_INK, "")                                  \
    ROW(STORE, "store", "S", "#D88DB8", "#A85C88", SVG_INK, "")                                    \
    ROW(SCALAR, "scalar", "s", "#8D96A0", "none", SVG_INK, "")

enum look {
#define ROW(name, ...) LOOK_##name,
    LOOK_LIST(ROW)
#undef ROW
        LOOK_COUNT
};

struct look_row {
    const char *word, *letter, *fill, *edge, *ink, *ground;
};
extern const struct look_row look_rows[LOOK_COUNT];

/* How a wait is hatched: word of the legend, fill. */
#define HATCH_LIST(ROW)                                                                            \
    ROW(MTE2, "MTE2", "url(#for_mte2)")                                                            \
    ROW(MTE1, "MTE1", "url(#for_mte1)")                                                            \
    ROW(CUBE, "CUBE", "url(#for_cube)")                                                            \
    ROW(EXIT, "FIXP, VECTOR or MTE3", "url(#for_exit)")                                            \
    ROW(STREAM, "the stream", "url(#for_stream)")                                                  \
    ROW(STARTUP, "startup", "#FFFFFF")

enum hatch {
#define ROW(name, ...) HATCH_##name,
    HATCH_LIST(ROW)
#undef ROW
        HATCH_COUNT
};

struct hatch_row {
    const char *word, *fill;
};
extern const struct hatch_row hatch_rows[HATCH_COUNT];

struct svg_box {
    double x, y, width, height;
};

/* The head of a picture with what can be read to a person who cannot see it, and the textures. */
void svg_begin(struct output *output, double width, double height, const char *title,
               const char *description);
void svg_end(struct output *output);

/* edge "none": no outline. title is shown under the pointer; NULL: none. */
void svg_rect(struct output *output, const struct svg_box *box, const char *fill, const char *edge,
              const char *title);

/* style: further attributes, such as a dash. */
void svg_line(struct output *output, double x1, double y1, double x2, double y2, const char *colour,
              double thickness, const char *style);

/* The bracket over a box from its start to the time when its result is there. */
void svg_bracket(struct output *output, const struct svg_box *box, double done_x,
                 const char *colour);

/* size in pixels. anchor: start, middle or end. */
struct svg_font {
    double size;
    const char *ink, *anchor;
    bool bold;
};
void svg_text(struct output *output, double x, double y, const struct svg_font *font,
              const char *text);

/* How wide a text is at most, about: there are no metrics of fonts here. */
double svg_text_width(const char *text, double size);

#endif
