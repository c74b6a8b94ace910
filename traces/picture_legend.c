#include "traces/picture.h"

enum { SWATCH_WIDTH = 18, SWATCH_HEIGHT = 11, LEGEND_SIZE = 11 };

struct legend {
    struct picture *picture;
    bool draws; /* else it only takes room */
    double x, y;
};

/* Makes room for an entry; returns where it begins. */
static double legend_place(struct legend *legend, double swatch, const char *word)
{
    double width = swatch + 6 + svg_text_width(word, LEGEND_SIZE) + 14;
    if (legend->x + width > GUTTER + PLOT && legend->x > 16) {
        legend->x = 16;
        legend->y += LEGEND_STEP;
    }
    double x = legend->x;
    legend->x += width;
    if (legend->draws) {
        const struct svg_font font = {.size = LEGEND_SIZE, .ink = SVG_INK_2, .anchor = "start"};
        svg_text(&legend->picture->output, x + swatch + (swatch > 0 ? 6 : 0), legend->y, &font,
                 word);
    }
    return x;
}

static void legend_swatch(struct legend *legend, const char *fill, const char *edge,
                          const char *word)
{
    double x = legend_place(legend, SWATCH_WIDTH, word);
    const struct svg_box box = {x, legend->y - 9.5, SWATCH_WIDTH, SWATCH_HEIGHT};
    if (legend->draws)
        svg_rect(&legend->picture->output, &box, fill, edge, NULL);
}

static void legend_waits(struct legend *legend)
{
    const struct picture *picture = legend->picture;
    const char *before = "waits for ";
    for (size_t i = 0; i < HATCH_COUNT; i++) {
        if (!picture->shows_hatch[i])
            continue;
        const char *word = picture_text(legend->picture, "%s%s", before, hatch_rows[i].word);
        legend_swatch(legend, hatch_rows[i].fill, SVG_OUTLINE, word);
        before = "";
    }
}

static void legend_marks(struct legend *legend)
{
    struct picture *picture = legend->picture;
    if (picture->shows_link)
        legend_swatch(legend, "url(#lost)", SVG_OUTLINE, "lost to a shared link");
    if (picture->shows_done) {
        double x = legend_place(legend, SWATCH_WIDTH, "up to the result");
        const struct svg_box box = {x, legend->y - 4.5, 9, 6};
        if (legend->draws) {
            svg_rect(&picture->output, &box, SVG_RULE, "none", NULL);
            svg_bracket(&picture->output, &box, x + SWATCH_WIDTH, SVG_INK_3);
        }
    }
    if (picture->steps > 0) {
        double x = legend_place(legend, SWATCH_WIDTH, "critical path (dashed: only time passes)");
        if (legend->draws)
            picture_path_piece(picture, x, x + SWATCH_WIDTH, legend->y - 4, true);
    }
}

double picture_legend(struct picture *picture, double y, bool draws)
{
    struct legend legend = {.picture = picture, .draws = draws, .x = 16, .y = y};
    for (size_t i = 0; i < LOOK_COUNT; i++)
        if (picture->shows_look[i])
            legend_swatch(&legend, look_rows[i].fill, look_rows[i].edge, look_rows[i].word);
    legend_waits(&legend);
    legend_marks(&legend);
    return legend.y;
}
