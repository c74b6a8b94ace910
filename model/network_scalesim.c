/*
 * Topologies of SCALE-Sim, as its versions 1 to 3 and the files around them write them
 * (github.com/scalesim-project/SCALE-Sim, topologies/ and scalesim/topology_utils.py): the first
 * columns have fixed places, rows end with a comma or not, and some heads have further columns.
 */
#include <string.h>

#include "model/network_reader.h"

enum { CONV_COLUMNS = 8, GEMM_COLUMNS = 4, NAMES_MAX = 4 };

/* What heads call the columns whose places are fixed. One file names both sizes of the input a
 * width. */
static const char *const conv_heads[CONV_COLUMNS][NAMES_MAX] = {
    {"layer name", "layer"},
    {"ifmap height", "ifmap width"},
    {"ifmap width"},
    {"filter height"},
    {"filter width"},
    {"channels"},
    {"num filter", "num filters"},
    {"strides", "stride", "stride height", "stride h"},
};
static const char *const gemm_heads[GEMM_COLUMNS][NAMES_MAX] = {
    {"layer name", "layer"}, {"m"}, {"n"}, {"k"}};

enum extra { EXTRA_EMPTY, EXTRA_STRIDE_W, EXTRA_BATCH, EXTRA_SPARSITY, EXTRA_OTHER };

struct scalesim {
    struct network_reader *reader;
    const struct row *head;
    size_t fixed; /* columns whose places are fixed */
    enum extra extra[TABLE_CELLS_MAX];
    uint64_t rests; /* layers of which SCALE-Sim counts an output that hangs over the edge */
};

static bool name_is(const char *plain, const char *const *names)
{
    for (size_t i = 0; i < NAMES_MAX && names[i] != NULL; i++)
        if (strcmp(names[i], plain) == 0)
            return true;
    return false;
}

static bool is_gemm(struct network_reader *reader, const struct row *head)
{
    for (size_t i = 0; i < GEMM_COLUMNS; i++)
        if (i >= head->count || !name_is(cell_plain(reader, &head->cell[i]), gemm_heads[i]))
            return false;
    return true;
}

static enum extra extra_find(const char *plain)
{
    static const char *const stride[NAMES_MAX] = {"stride width", "stride w"};
    static const char *const batch[NAMES_MAX] = {"batch", "batch size"};
    static const char *const sparsity[NAMES_MAX] = {"sparsity", "sparsity ratio", "sparsitysupport",
                                                    "sparsity support"};
    return plain[0] == '\0'           ? EXTRA_EMPTY
           : name_is(plain, stride)   ? EXTRA_STRIDE_W
           : name_is(plain, batch)    ? EXTRA_BATCH
           : name_is(plain, sparsity) ? EXTRA_SPARSITY
                                      : EXTRA_OTHER;
}

bool scalesim_is(struct network_reader *reader, const struct row *head)
{
    for (size_t i = 1; i < head->count; i++)
        if (strncmp(cell_plain(reader, &head->cell[i]), "ifmap ", strlen("ifmap ")) == 0)
            return true;
    bool gemm = is_gemm(reader, head);
    for (size_t i = GEMM_COLUMNS; i < head->count && gemm; i++) {
        enum extra extra = extra_find(cell_plain(reader, &head->cell[i]));
        gemm = extra == EXTRA_EMPTY || extra == EXTRA_BATCH || extra == EXTRA_SPARSITY;
    }
    return gemm;
}

/* ---- the head ---- */

static void read_fixed_heads(struct scalesim *scalesim)
{
    const struct row *head = scalesim->head;
    struct network_reader *reader = scalesim->reader;
    char shown[EXCERPT_SIZE_BYTES];
    for (size_t i = 0; i < CONV_COLUMNS; i++) {
        if (i >= head->count)
            network_refuse(reader, head->cell[0].place,
                           "found %zu columns; expected '%s' as column %zu", head->count,
                           conv_heads[i][0], i + 1);
        else if (!name_is(cell_plain(reader, &head->cell[i]), conv_heads[i]))
            network_refuse(reader, head->cell[i].place, "found the column '%s'; expected '%s'",
                           excerpt_format(head->cell[i].text, shown, sizeof shown),
                           conv_heads[i][0]);
    }
}

static void read_extra_heads(struct scalesim *scalesim)
{
    const struct row *head = scalesim->head;
    struct network_reader *reader = scalesim->reader;
    bool seen[EXTRA_OTHER + 1] = {false};
    const char *ignored = NULL;
    for (size_t i = scalesim->fixed; i < head->count; i++) {
        enum extra extra = extra_find(cell_plain(reader, &head->cell[i]));
        scalesim->extra[i] = extra;
        if (extra == EXTRA_OTHER && reader->status == STATUS_OK) {
            char shown[EXCERPT_SIZE_BYTES];
            excerpt_format(head->cell[i].text, shown, sizeof shown);
            ignored = ignored == NULL ? arena_format(reader->arena, "columns not read: '%s'", shown)
                                      : arena_format(reader->arena, "%s, '%s'", ignored, shown);
            if (ignored == NULL)
                network_no_memory(reader);
        } else if (extra != EXTRA_EMPTY && seen[extra]) {
            network_refuse(reader, head->cell[i].place, "found a second column '%s'; expected one",
                           cell_plain(reader, &head->cell[i]));
        }
        seen[extra] = true;
    }
    if (ignored != NULL)
        network_note(reader, ignored);
}

/* ---- rows ---- */

struct topology_row {
    uint64_t number[CONV_COLUMNS]; /* [0]: nothing */
    uint64_t stride_w, batch;
    const char *sparsity; /* NULL: dense */
};

/* "", "1" and "1:1" are dense, N:M with N = M as well. */
static bool is_dense(const char *ratio)
{
    const char *colon = strchr(ratio, ':');
    if (colon == NULL)
        return strcmp(ratio, "1") == 0;
    size_t length = (size_t)(colon - ratio);
    return length > 0 && strlen(colon + 1) == length && strncmp(ratio, colon + 1, length) == 0;
}

/* Cells behind the fixed ones. False: the row is refused. */
static bool read_extra(struct scalesim *scalesim, const struct cell *cell, size_t index,
                       struct topology_row *row)
{
    bool named = index < scalesim->head->count;
    enum extra extra = named ? scalesim->extra[index] : EXTRA_EMPTY;
    char shown[EXCERPT_SIZE_BYTES];
    if (cell->text[0] == '\0' || cell->text[0] == '#')
        return true;
    switch (extra) {
    case EXTRA_STRIDE_W:
        return cell_number(scalesim->reader, cell, 1, &row->stride_w);
    case EXTRA_BATCH:
        return cell_number(scalesim->reader, cell, 1, &row->batch);
    case EXTRA_SPARSITY:
        row->sparsity = is_dense(cell->text) ? NULL : cell->text;
        return true;
    case EXTRA_OTHER:
        return true;
    case EXTRA_EMPTY:
        break;
    }
    network_refuse(scalesim->reader, cell->place,
                   "found '%s' behind the last column; expected nothing, or a remark behind '#'",
                   excerpt_format(cell->text, shown, sizeof shown));
    return false;
}

static bool read_cells(struct scalesim *scalesim, const struct row *cells, struct topology_row *row)
{
    bool whole = true;
    if (cells->count < scalesim->fixed) {
        network_refuse(scalesim->reader, cells->cell[cells->count - 1].place,
                       "found a row of %zu cells; expected %zu, the last one '%s'", cells->count,
                       scalesim->fixed, scalesim->head->cell[scalesim->fixed - 1].text);
        return false;
    }
    for (size_t i = 1; i < scalesim->fixed; i++)
        whole = cell_number(scalesim->reader, &cells->cell[i], 1, &row->number[i]) && whole;
    row->stride_w = row->number[CONV_COLUMNS - 1];
    for (size_t i = scalesim->fixed; i < cells->count; i++)
        whole = read_extra(scalesim, &cells->cell[i], i, row) && whole;
    return whole;
}

/* A name with DP stands for a depthwise convolution: "Num Filter" filters for each channel. */
static void take_conv(struct scalesim *scalesim, const struct topology_row *row,
                      struct layer *layer)
{
    struct conv *conv = &layer->conv;
    bool depthwise = strstr(layer->name, "DP") != NULL;
    conv->in[AXIS_H] = row->number[1];
    conv->in[AXIS_W] = row->number[2];
    conv->kernel[AXIS_H] = row->number[3];
    conv->kernel[AXIS_W] = row->number[4];
    conv->cin = row->number[5];
    conv->cout = depthwise ? network_product(row->number[6], conv->cin) : row->number[6];
    conv->groups = depthwise ? conv->cin : 1;
    conv->stride[AXIS_H] = row->number[7];
    conv->stride[AXIS_W] = row->stride_w;
    for (uint32_t axis = AXIS_H; axis <= AXIS_W; axis++)
        if (conv->in[axis] > conv->kernel[axis] &&
            (conv->in[axis] - conv->kernel[axis]) % conv->stride[axis] != 0) {
            scalesim->rests += layer->count;
            break;
        }
}

/* A filter that is a whole row of one channel: how topologies without GEMM write a product. */
static bool is_product(const struct topology_row *row)
{
    return row->number[2] > 1 && row->number[3] == 1 && row->number[4] == row->number[2] &&
           row->number[5] == 1 && row->number[7] == 1;
}

static void take_product(uint64_t m, uint64_t n, uint64_t k, struct layer *layer)
{
    layer->matmul = true;
    layer->conv.in[AXIS_W] = m;
    layer->conv.cout = n;
    layer->conv.cin = k;
}

static void read_row(struct scalesim *scalesim, const struct row *cells)
{
    struct network_reader *reader = scalesim->reader;
    struct topology_row row = {.batch = 1};
    struct layer layer = layer_make(cells->cell[0].text, cells->cell[0].place);
    if (!read_cells(scalesim, cells, &row))
        return;
    if (row.sparsity != NULL) {
        char shown[EXCERPT_SIZE_BYTES];
        const char *what = arena_format(reader->arena, "sparsity %s",
                                        excerpt_format(row.sparsity, shown, sizeof shown));
        if (what == NULL)
            network_no_memory(reader);
        else
            network_skip(reader, layer.name, what, "sparse products are not modelled");
        return;
    }
    layer.conv.batch = row.batch;
    if (scalesim->fixed == GEMM_COLUMNS)
        take_product(row.number[1], row.number[2], row.number[3], &layer);
    else if (is_product(&row))
        take_product(row.number[1], row.number[6], row.number[2], &layer);
    else
        take_conv(scalesim, &row, &layer);
    if (layer.conv.cout > INT64_MAX)
        network_refuse(reader, layer.place,
                       "found more filters than 63 bits count; expected fewer");
    else
        network_add(reader, &layer);
}

void network_read_scalesim(struct network_reader *reader, struct row_reader *rows,
                           const struct row *head)
{
    bool gemm = is_gemm(reader, head);
    struct scalesim scalesim = {
        .reader = reader, .head = head, .fixed = gemm ? GEMM_COLUMNS : CONV_COLUMNS};
    struct row row;
    reader->network->format = gemm ? NETWORK_GEMM : NETWORK_SCALESIM;
    if (!gemm)
        read_fixed_heads(&scalesim);
    read_extra_heads(&scalesim);
    if (reader->status != STATUS_OK)
        return;
    while (row_next(rows, &row))
        read_row(&scalesim, &row);
    if (scalesim.rests > 0)
        network_note(reader,
                     arena_format(reader->arena,
                                  "layers whose stride leaves a rest: %llu; a convolution has no "
                                  "output there, SCALE-Sim counts one more",
                                  (unsigned long long)scalesim.rests));
    if (!reader->options->dtype_given)
        network_note(reader, "the file says no type: fp16");
}
