#include <string.h>

#include "engine/base/bind.h"
#include "model/network_reader.h"

/*
 * name, word, least value, value of an empty cell (NONE: the layer has no such thing), kind of row
 * that may fill it. The order of the axes is D, H, W.
 */
#define COLUMN_LIST(ROW)                                                                           \
    ROW(COUNT, "count", 1, 1, ANY)                                                                 \
    ROW(BATCH, "batch", 1, 1, ANY)                                                                 \
    ROW(CIN, "cin", 1, NONE, CONV)                                                                 \
    ROW(DIN, "din", 1, NONE, CONV)                                                                 \
    ROW(HIN, "hin", 1, NONE, CONV)                                                                 \
    ROW(WIN, "win", 1, NONE, CONV)                                                                 \
    ROW(COUT, "cout", 1, NONE, CONV)                                                               \
    ROW(KD, "kd", 1, NONE, CONV)                                                                   \
    ROW(KH, "kh", 1, NONE, CONV)                                                                   \
    ROW(KW, "kw", 1, NONE, CONV)                                                                   \
    ROW(STRIDE_D, "stride_d", 1, 1, CONV)                                                          \
    ROW(STRIDE_H, "stride_h", 1, 1, CONV)                                                          \
    ROW(STRIDE_W, "stride_w", 1, 1, CONV)                                                          \
    ROW(PAD_FRONT, "pad_front", 0, 0, CONV)                                                        \
    ROW(PAD_TOP, "pad_top", 0, 0, CONV)                                                            \
    ROW(PAD_LEFT, "pad_left", 0, 0, CONV)                                                          \
    ROW(PAD_BACK, "pad_back", 0, 0, CONV)                                                          \
    ROW(PAD_BOTTOM, "pad_bottom", 0, 0, CONV)                                                      \
    ROW(PAD_RIGHT, "pad_right", 0, 0, CONV)                                                        \
    ROW(DIL_D, "dil_d", 1, 1, CONV)                                                                \
    ROW(DIL_H, "dil_h", 1, 1, CONV)                                                                \
    ROW(DIL_W, "dil_w", 1, 1, CONV)                                                                \
    ROW(GROUPS, "groups", 1, 1, CONV)                                                              \
    ROW(DOUT, "dout", 1, NONE, CONV)                                                               \
    ROW(HOUT, "hout", 1, NONE, CONV)                                                               \
    ROW(WOUT, "wout", 1, NONE, CONV)                                                               \
    ROW(M, "m", 1, NONE, MATMUL)                                                                   \
    ROW(N, "n", 1, NONE, MATMUL)                                                                   \
    ROW(K, "k", 1, NONE, MATMUL)                                                                   \
    ROW(BIAS, "bias", 0, 0, ANY)

enum { NONE = 0 };
enum row_kind { ANY, CONV, MATMUL };

enum column {
#define ROW(name, word, least, empty, kind) COLUMN_##name,
    COLUMN_LIST(ROW)
#undef ROW
        COLUMN_NUMBERS,
    COLUMN_LAYER = COLUMN_NUMBERS,
    COLUMN_NETWORK,
    COLUMN_DTYPE,
    COLUMN_SOURCE,
    COLUMN_COUNT_
};

static const char *const column_words[COLUMN_COUNT_] = {
#define ROW(name, word, least, empty, kind) word,
    COLUMN_LIST(ROW)
#undef ROW
        [COLUMN_LAYER] = "layer",
    [COLUMN_NETWORK] = "network",
    [COLUMN_DTYPE] = "dtype",
    [COLUMN_SOURCE] = "source",
};

struct column_info {
    uint64_t least, empty;
    enum row_kind kind;
};

static const struct column_info column_infos[COLUMN_NUMBERS] = {
#define ROW(name, word, least, empty, kind) {least, empty, kind},
    COLUMN_LIST(ROW)
#undef ROW
};

struct csv_reader {
    struct network_reader *reader;
    enum column column[TABLE_CELLS_MAX]; /* of each cell */
    size_t column_count;
    bool has[COLUMN_COUNT_];
    const char *network; /* of the rows before; NULL: none */
};

/* A row with its cells in the order of the columns. */
struct csv_row {
    const struct row *row;
    const struct cell *cell[COLUMN_COUNT_]; /* NULL: empty or not there */
    uint64_t number[COLUMN_NUMBERS];
    bool whole; /* no problem so far */
};

/* ---- the head ---- */

static void read_column(struct csv_reader *csv, const struct cell *cell)
{
    struct network_reader *reader = csv->reader;
    char shown[EXCERPT_SIZE_BYTES];
    const char *plain = cell->text;
    enum column column = 0;
    while (column < COLUMN_COUNT_ && strcmp(column_words[column], plain) != 0)
        column++;
    excerpt_format(plain, shown, sizeof shown);
    if (column == COLUMN_COUNT_) {
        const char *near = nearest_word(plain, column_words, COLUMN_COUNT_);
        network_refuse(reader, cell->place, "found a column '%s'; expected one of a network%s%s%s",
                       shown, near != NULL ? ", such as '" : "", near != NULL ? near : "",
                       near != NULL ? "'" : "");
    } else if (csv->has[column]) {
        network_refuse(reader, cell->place, "found a second column '%s'; expected one", shown);
    } else {
        csv->has[column] = true;
    }
    csv->column[csv->column_count++] = column;
}

/* A table needs names, and the columns of one kind of row at least. */
static void check_columns(struct csv_reader *csv, const struct row *head)
{
    static const enum column conv[] = {COLUMN_CIN, COLUMN_WIN, COLUMN_COUT, COLUMN_KW};
    bool matmul = csv->has[COLUMN_M] && csv->has[COLUMN_N] && csv->has[COLUMN_K];
    struct place place = head->cell[0].place;
    if (!csv->has[COLUMN_LAYER])
        network_refuse(csv->reader, place, "found no column 'layer'; expected one");
    for (size_t i = 0; i < sizeof conv / sizeof *conv && !matmul; i++)
        if (!csv->has[conv[i]])
            network_refuse(csv->reader, place,
                           "found no column '%s'; expected 'cin', 'win', 'cout' and 'kw' of "
                           "convolutions, or 'm', 'n' and 'k' of products",
                           column_words[conv[i]]);
}

/* ---- rows ---- */

static void row_refuse(struct csv_reader *csv, struct csv_row *row, struct place place,
                       const char *what, const char *expected)
{
    network_refuse(csv->reader, place, "found %s; expected %s", what, expected);
    row->whole = false;
}

static void take_cells(struct csv_reader *csv, struct csv_row *row)
{
    for (size_t i = 0; i < row->row->count; i++) {
        const struct cell *cell = &row->row->cell[i];
        if (cell->text[0] == '\0')
            continue;
        if (i < csv->column_count) {
            row->cell[csv->column[i]] = cell;
        } else {
            char shown[EXCERPT_SIZE_BYTES];
            network_refuse(csv->reader, cell->place,
                           "found '%s' behind the last column; expected %zu cells",
                           excerpt_format(cell->text, shown, sizeof shown), csv->column_count);
            row->whole = false;
        }
    }
}

static void take_numbers(struct csv_reader *csv, struct csv_row *row)
{
    enum row_kind kind = row->cell[COLUMN_M] != NULL ? MATMUL : CONV;
    for (enum column i = 0; i < COLUMN_NUMBERS; i++) {
        const struct column_info *info = &column_infos[i];
        const struct cell *cell = row->cell[i];
        row->number[i] = info->empty;
        if (cell == NULL)
            continue;
        if (info->kind != ANY && info->kind != kind)
            row_refuse(csv, row, cell->place,
                       kind == MATMUL ? "a number of a convolution in a row with 'm'"
                                      : "a number of a product in a row without 'm'",
                       "an empty cell");
        else if (!cell_number(csv->reader, cell, info->least, &row->number[i]))
            row->whole = false;
    }
    if (row->cell[COLUMN_BIAS] != NULL && row->whole && row->number[COLUMN_BIAS] > 1)
        row_refuse(csv, row, row->cell[COLUMN_BIAS]->place, "a number above 1", "0 or 1");
}

static void need_number(struct csv_reader *csv, struct csv_row *row, enum column column)
{
    if (row->cell[column] != NULL)
        return;
    network_refuse(csv->reader, row->row->cell[0].place,
                   "found no '%s' in this row; expected a whole number from 1",
                   column_words[column]);
    row->whole = false;
}

/* Columns of an axis lie side by side in the order of enum axis. */
static enum column axis_column(enum column first, uint32_t axis)
{
    return (enum column)(first + axis);
}

/* Axes that the layer does not have must say nothing; the others need input and kernel. */
static void read_axes(struct csv_reader *csv, struct csv_row *row, struct conv *conv)
{
    static const enum column firsts[] = {COLUMN_STRIDE_D, COLUMN_PAD_FRONT, COLUMN_PAD_BACK,
                                         COLUMN_DIL_D};
    uint64_t *const fields[] = {conv->stride, conv->pad_head, conv->pad_tail, conv->dilation};
    conv->rank = row->cell[COLUMN_DIN] != NULL ? 3 : row->cell[COLUMN_HIN] != NULL ? 2 : 1;
    for (uint32_t axis = 0; axis < AXIS_COUNT; axis++) {
        enum column in = axis_column(COLUMN_DIN, axis), kernel = axis_column(COLUMN_KD, axis);
        bool has = axis >= AXIS_COUNT - conv->rank;
        if (has) {
            need_number(csv, row, in);
            need_number(csv, row, kernel);
        }
        conv->in[axis] = has ? row->number[in] : 1;
        conv->kernel[axis] = row->cell[kernel] != NULL ? row->number[kernel] : 1;
        bool plain = conv->kernel[axis] == 1;
        for (size_t i = 0; i < sizeof firsts / sizeof *firsts; i++) {
            enum column column = axis_column(firsts[i], axis);
            fields[i][axis] = row->number[column];
            plain = plain && row->number[column] == column_infos[column].empty;
        }
        if (!has && !plain)
            row_refuse(csv, row, row->row->cell[0].place,
                       axis == AXIS_D ? "a kernel, stride, padding or dilation of depth without "
                                        "'din'"
                                      : "a kernel, stride, padding or dilation of height without "
                                        "'hin'",
                       "none, or the size of the input");
    }
}

static void read_dtype(struct csv_reader *csv, struct csv_row *row, struct conv *conv)
{
    const struct cell *cell = row->cell[COLUMN_DTYPE];
    char shown[EXCERPT_SIZE_BYTES];
    if (cell == NULL)
        return;
    conv->dtype = conv->out_dtype = element_find(cell->text);
    if (conv->dtype != ELEMENT_COUNT)
        return;
    network_refuse(csv->reader, cell->place,
                   "found '%s'; expected fp16, bf16, fp32, int8, fp8_e4m3, fp8_e5m2 or hif8",
                   excerpt_format(cell->text, shown, sizeof shown));
    row->whole = false;
}

static void check_network(struct csv_reader *csv, struct csv_row *row)
{
    const struct cell *cell = row->cell[COLUMN_NETWORK];
    char shown[EXCERPT_SIZE_BYTES];
    if (cell == NULL)
        return;
    if (csv->network == NULL)
        csv->network = cell->text;
    if (strcmp(csv->network, cell->text) == 0)
        return;
    network_refuse(csv->reader, cell->place,
                   "found the network '%s' behind another one; expected one network a file",
                   excerpt_format(cell->text, shown, sizeof shown));
    row->whole = false;
}

/* Sizes of the output that the row states are a check of the rest. */
static void check_outputs(struct csv_reader *csv, struct csv_row *row, struct conv conv)
{
    conv_derive(&conv);
    for (uint32_t axis = 0; axis < AXIS_COUNT; axis++) {
        const struct cell *cell = row->cell[axis_column(COLUMN_DOUT, axis)];
        uint64_t stated = row->number[axis_column(COLUMN_DOUT, axis)];
        if (cell == NULL || conv.out[axis] < 1 || stated == (uint64_t)conv.out[axis])
            continue;
        network_refuse(csv->reader, cell->place,
                       "found an output of %llu; expected %lld, which input, kernel, stride, "
                       "padding and dilation give",
                       (unsigned long long)stated, (long long)conv.out[axis]);
        row->whole = false;
    }
}

static const char *row_name(struct csv_reader *csv, const struct csv_row *row)
{
    if (row->cell[COLUMN_LAYER] != NULL)
        return row->cell[COLUMN_LAYER]->text;
    const char *name = arena_format(csv->reader->arena, "line %u", row->row->line);
    if (name == NULL)
        network_no_memory(csv->reader);
    return name != NULL ? name : "";
}

static void read_row(struct csv_reader *csv, const struct row *cells)
{
    struct csv_row row = {.row = cells, .whole = true};
    take_cells(csv, &row);
    take_numbers(csv, &row);
    check_network(csv, &row);
    const struct cell *named = row.cell[COLUMN_LAYER];
    struct layer layer =
        layer_make(row_name(csv, &row), named != NULL ? named->place : cells->cell[0].place);
    struct conv *conv = &layer.conv;
    read_dtype(csv, &row, conv);
    layer.count = row.number[COLUMN_COUNT];
    layer.matmul = row.cell[COLUMN_M] != NULL;
    conv->batch = row.number[COLUMN_BATCH];
    conv->bias = row.number[COLUMN_BIAS] == 1;
    if (layer.matmul) {
        need_number(csv, &row, COLUMN_N);
        need_number(csv, &row, COLUMN_K);
        conv->in[AXIS_W] = row.number[COLUMN_M];
        conv->cout = row.number[COLUMN_N];
        conv->cin = row.number[COLUMN_K];
    } else {
        need_number(csv, &row, COLUMN_CIN);
        need_number(csv, &row, COLUMN_COUT);
        conv->cin = row.number[COLUMN_CIN];
        conv->cout = row.number[COLUMN_COUT];
        conv->groups = row.number[COLUMN_GROUPS];
        read_axes(csv, &row, conv);
    }
    if (row.whole && !layer.matmul)
        check_outputs(csv, &row, *conv);
    if (row.whole)
        network_add(csv->reader, &layer);
}

void network_read_csv(struct network_reader *reader, struct row_reader *rows,
                      const struct row *head)
{
    struct csv_reader csv = {.reader = reader};
    struct row row;
    reader->network->format = NETWORK_CSV;
    for (size_t i = 0; i < head->count; i++)
        read_column(&csv, &head->cell[i]);
    check_columns(&csv, head);
    /* Rows under a wrong head would only repeat what is wrong with it. */
    if (reader->status != STATUS_OK)
        return;
    while (row_next(rows, &row))
        read_row(&csv, &row);
}
