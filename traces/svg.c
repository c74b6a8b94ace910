#include "traces/svg.h"

const struct look_row look_rows[LOOK_COUNT] = {
#define ROW(name, word, letter, fill, edge, ink, ground) {word, letter, fill, edge, ink, ground},
    LOOK_LIST(ROW)
#undef ROW
};

const struct hatch_row hatch_rows[HATCH_COUNT] = {
#define ROW(name, word, fill) {word, fill},
    HATCH_LIST(ROW)
#undef ROW
};

/* Textures: name, size of the tile, what is in it. */
#define TEXTURE(name, size, content)                                                               \
    "<pattern id=\"" name "\" width=\"" size "\" height=\"" size                                   \
    "\" patternUnits=\"userSpaceOnUse\">" content "</pattern>\n"
#define GROUND(colour, size) "<rect width=\"" size "\" height=\"" size "\" fill=\"" colour "\"/>"
#define STROKES(path, colour)                                                                      \
    "<path d=\"" path "\" stroke=\"" colour "\" stroke-width=\"1.2\" fill=\"none\"/>"
#define DOT(x, y, radius, colour)                                                                  \
    "<circle cx=\"" x "\" cy=\"" y "\" r=\"" radius "\" fill=\"" colour "\"/>"

static const char textures[] = "<defs>\n" //
    TEXTURE("copy_b", "4", GROUND("#8DC3E3", "4") DOT("2", "2", "0.8", "#0072B2")) TEXTURE(
        "load_b", "4", GROUND("#8CCDB8", "4") DOT("2", "2", "0.8", "#00805B"))
        TEXTURE("for_mte2", "6", GROUND("#FFFFFF", "6") STROKES("M0 3H6", "#5FA8D3")) TEXTURE(
            "for_mte1", "8",
            GROUND("#FFFFFF", "8") STROKES("M-2 -2L10 10M-2 6L2 10M6 -2L10 2", "#5FB59A"))
            TEXTURE("for_cube", "8",
                    GROUND("#FFFFFF", "8") STROKES("M-2 10L10 -2M-2 2L2 -2M6 10L10 6", "#EDB84A"))
                TEXTURE("for_exit", "8",
                        GROUND("#FFFFFF", "8") STROKES("M0 0L8 8M8 0L0 8", "#DDA3C5"))
                    TEXTURE("for_stream", "6",
                            GROUND("#FFFFFF", "6") DOT("3", "3", "0.9", "#8D96A0"))
                        TEXTURE("lost", "3",
                                GROUND("#FFFFFF", "3") STROKES("M1 0V3", SVG_INK_2)) "</defs>\n";

/* One decimal; a picture has no negative coordinates but those that a clip leaves out. */
static void put_decimal(struct output *output, const char *name, double value)
{
    double size = value < 0 ? -value : value;
    uint64_t tenths = (uint64_t)(size * 10.0 + 0.5);
    const char rest[] = {'.', (char)('0' + tenths % 10)};
    output_text(output, name);
    output_text(output, value < 0 && tenths > 0 ? "\"-" : "\"");
    output_number(output, tenths / 10);
    output_bytes(output, rest, tenths % 10 == 0 ? 0 : sizeof rest);
    output_text(output, "\"");
}

static void put_word(struct output *output, const char *name, const char *word)
{
    output_text(output, name);
    output_text(output, "\"");
    output_text(output, word);
    output_text(output, "\"");
}

static void put_element(struct output *output, const char *name, const char *text)
{
    output_text(output, "<");
    output_text(output, name);
    output_text(output, ">");
    output_xml(output, text);
    output_text(output, "</");
    output_text(output, name);
    output_text(output, ">");
}

void svg_begin(struct output *output, double width, double height, const char *title,
               const char *description)
{
    output_text(output, "<svg xmlns=\"http://www.w3.org/2000/svg\"");
    put_decimal(output, " width=", width);
    put_decimal(output, " height=", height);
    output_text(output, " viewBox=\"0 0 ");
    output_number(output, (uint64_t)width);
    output_text(output, " ");
    output_number(output, (uint64_t)height);
    output_text(output, "\" role=\"img\" font-family=\"'Noto Sans', system-ui, 'Segoe UI', "
                        "'DejaVu Sans', sans-serif\" "
                        "style=\"font-variant-numeric: tabular-nums lining-nums\">\n");
    put_element(output, "title", title);
    output_text(output, "\n");
    put_element(output, "desc", description);
    output_text(output, "\n");
    output_text(output, textures);
    svg_rect(output, &(struct svg_box){0, 0, width, height}, "#FFFFFF", "none", NULL);
}

void svg_end(struct output *output)
{
    output_text(output, "</svg>\n");
}

void svg_rect(struct output *output, const struct svg_box *box, const char *fill, const char *edge,
              const char *title)
{
    put_decimal(output, "<rect x=", box->x);
    put_decimal(output, " y=", box->y);
    put_decimal(output, " width=", box->width);
    put_decimal(output, " height=", box->height);
    put_word(output, " fill=", fill);
    if (edge[0] == '#') {
        put_word(output, " stroke=", edge);
        output_text(output, " stroke-width=\"0.9\"");
    }
    if (title == NULL) {
        output_text(output, "/>\n");
        return;
    }
    output_text(output, ">");
    put_element(output, "title", title);
    output_text(output, "</rect>\n");
}

void svg_line(struct output *output, double x1, double y1, double x2, double y2, const char *colour,
              double thickness, const char *style)
{
    put_decimal(output, "<line x1=", x1);
    put_decimal(output, " y1=", y1);
    put_decimal(output, " x2=", x2);
    put_decimal(output, " y2=", y2);
    put_word(output, " stroke=", colour);
    put_decimal(output, " stroke-width=", thickness);
    output_text(output, style);
    output_text(output, "/>\n");
}

void svg_bracket(struct output *output, const struct svg_box *box, double done_x,
                 const char *colour)
{
    double top = box->y - 4.0;
    svg_line(output, box->x, box->y, box->x, top, colour, 1.0, "");
    svg_line(output, box->x, top, done_x, top, colour, 1.0, "");
    svg_line(output, done_x, top, done_x, box->y, colour, 1.0, "");
}

void svg_text(struct output *output, double x, double y, const struct svg_font *font,
              const char *text)
{
    put_decimal(output, "<text x=", x);
    put_decimal(output, " y=", y);
    put_decimal(output, " font-size=", font->size);
    put_word(output, " fill=", font->ink);
    if (font->anchor[0] != 's')
        put_word(output, " text-anchor=", font->anchor);
    if (font->bold)
        output_text(output, " font-weight=\"600\"");
    output_text(output, ">");
    output_xml(output, text);
    output_text(output, "</text>\n");
}

double svg_text_width(const char *text, double size)
{
    size_t characters = 0;
    for (; *text != '\0'; text++)
        characters += ((unsigned char)*text & 0xC0) != 0x80;
    return (double)characters * size * 0.56;
}
