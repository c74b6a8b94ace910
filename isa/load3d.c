#include "isa/load3d.h"

#include <assert.h>
#include <string.h>

#include "isa/img2col.h"

/* Fields at the same place in several forms (isa/opcode.def). */
#define SAME(form, field, v2)                                                                      \
    _Static_assert((int)form##_##field == (int)LOAD3DV2_##v2, #form " has " #field " elsewhere");
#define SAME_IMAGE(form, height, width)                                                            \
    SAME(form, type, type)                                                                         \
    SAME(form, height, l1H)                                                                        \
    SAME(form, width, l1W)                                                                         \
    SAME(form, padLeft, padLeft)                                                                   \
    SAME(form, padRight, padRight)                                                                 \
    SAME(form, padTop, padTop)                                                                     \
    SAME(form, padBottom, padBottom)
#define SAME_FILTER(form)                                                                          \
    SAME(form, strideW, strideW)                                                                   \
    SAME(form, strideH, strideH)                                                                   \
    SAME(form, filterW, filterW)                                                                   \
    SAME(form, filterH, filterH)                                                                   \
    SAME(form, dilationFilterW, dilationFilterW)                                                   \
    SAME(form, dilationFilterH, dilationFilterH)                                                   \
    SAME(form, padValue, padValue)
#define SAME_SWITCHES(form)                                                                        \
    SAME(form, isSetFMatrix, isSetFMatrix)                                                         \
    SAME(form, isSetPadding, isSetPadding)
SAME_IMAGE(LOAD3DV1, l1H, l1W)
SAME_FILTER(LOAD3DV1)
SAME_SWITCHES(LOAD3DV1)
SAME_IMAGE(LOAD_DATA_WITH_STRIDE, l1H, l1W)
SAME(LOAD_DATA_WITH_STRIDE, FIELD_COUNT, FIELD_COUNT)
SAME_SWITCHES(LOAD_DATA_WITH_STRIDE)
SAME_IMAGE(LOAD3DV2PRO, l1H, l1W)
SAME_IMAGE(COPY_L12L0A_IMG2COL, H, W)
SAME_FILTER(COPY_L12L0A_IMG2COL)
SAME(COPY_L12L0A_IMG2COL, C1, channelSize)
SAME(COPY_L12L0A_IMG2COL, mExtension, mExtension)
SAME(COPY_L12L0A_IMG2COL, kStartPt, kStartPt)
SAME(COPY_L12L0A_IMG2COL, filterSizeH, filterSizeH)
SAME(COPY_L12L0A_IMG2COL, transpose, enTranspose)

/* What the words of Load3Dv2Pro hold. */
static const struct {
    int word, shift, bits, field;
} parts[] = {
    {LOAD3DV2PRO_extConfig, 0, 16, LOAD3DV2_kExtension},
    {LOAD3DV2PRO_extConfig, 16, 16, LOAD3DV2_mExtension},
    {LOAD3DV2PRO_extConfig, 32, 16, LOAD3DV2_kStartPt},
    {LOAD3DV2PRO_extConfig, 48, 16, LOAD3DV2_mStartPt},
    {LOAD3DV2PRO_filterConfig, 0, 8, LOAD3DV2_strideW},
    {LOAD3DV2PRO_filterConfig, 8, 8, LOAD3DV2_strideH},
    {LOAD3DV2PRO_filterConfig, 16, 8, LOAD3DV2_filterW},
    {LOAD3DV2PRO_filterConfig, 24, 8, LOAD3DV2_filterH},
    {LOAD3DV2PRO_filterConfig, 32, 8, LOAD3DV2_dilationFilterW},
    {LOAD3DV2PRO_filterConfig, 40, 8, LOAD3DV2_dilationFilterH},
};
enum { PART_COUNT = sizeof parts / sizeof parts[0] };

const char *load3d_packed_in(const char *field)
{
    for (int part = 0; part < PART_COUNT; part++) {
        if (strcmp(insn_info(OP_LOAD3DV2)->fields[parts[part].field].name, field) == 0) {
            return insn_info(OP_LOAD3DV2PRO)->fields[parts[part].word].name;
        }
    }
    return field;
}

static void pro_unpack(const struct insn *insn, struct insn *v2)
{
    static const int same[][2] = {
        {LOAD3DV2_channelSize, LOAD3DV2PRO_channelSize},
        {LOAD3DV2_filterSizeW, LOAD3DV2PRO_filterSizeW},
        {LOAD3DV2_filterSizeH, LOAD3DV2PRO_filterSizeH},
        {LOAD3DV2_enTranspose, LOAD3DV2PRO_enTranspose},
        {LOAD3DV2_padValue, LOAD3DV2PRO_padValue},
        {LOAD3DV2_repeatStride, LOAD3DV2PRO_repeatStride},
        {LOAD3DV2_repeatTime, LOAD3DV2PRO_repeatTime},
        {LOAD3DV2_repeatMode, LOAD3DV2PRO_repeatMode},
        {LOAD3DV2_dstStride, LOAD3DV2PRO_dstStride},
        {LOAD3DV2_boundaryValue, LOAD3DV2PRO_boundaryValue},
    };
    memcpy(v2->field, insn->field, LOAD3DV2_channelSize * sizeof insn->field[0]);
    for (size_t index = 0; index < sizeof same / sizeof same[0]; index++) {
        v2->field[same[index][0]] = insn->field[same[index][1]];
    }
    for (int part = 0; part < PART_COUNT; part++) {
        int64_t mask = ((int64_t)1 << parts[part].bits) - 1;
        v2->field[parts[part].field] = insn->field[parts[part].word] >> parts[part].shift & mask;
    }
    v2->field[LOAD3DV2_isSetFMatrix] = 0;
    v2->field[LOAD3DV2_isSetPadding] = 0;
}

static void copy_translate(const struct insn *insn, struct insn *v2)
{
    memcpy(v2->field, insn->field, (LOAD3DV2_padValue + 1) * sizeof insn->field[0]);
    v2->field[LOAD3DV2_channelSize] *= element_c0(insn_element(insn));
    v2->field[LOAD3DV2_enSmallK] = 0;
}

const struct insn *load3d_as_v2(const struct insn *insn, struct insn *room)
{
    if (insn->opcode == OP_LOAD3DV2 || insn->opcode == OP_LOAD_DATA_WITH_STRIDE) {
        return insn;
    }
    assert(insn->opcode == OP_LOAD3DV2PRO || insn->opcode == OP_COPY_L12L0A_IMG2COL);
    insn_init(room, OP_LOAD3DV2);
    memcpy(room->operand, insn->operand, sizeof room->operand);
    if (insn->opcode == OP_LOAD3DV2PRO) {
        pro_unpack(insn, room);
    } else {
        copy_translate(insn, room);
    }
    return room;
}

/* Rows of windows from the first one on; there may be fewer than are asked for. */
static uint64_t rows_there(int64_t rows, int64_t there)
{
    rows = rows < there ? rows : there;
    return rows < 1 ? 1 : (uint64_t)rows;
}

static uint64_t v1_rows(const struct insn *insn, const struct img2col *matrix)
{
    const int64_t *field = insn->field;
    struct img2col_window first = {(int32_t)field[LOAD3DV1_leftTopH],
                                   (int32_t)field[LOAD3DV1_leftTopW]};
    int64_t windows =
        FRACTAL_ROWS * (field[LOAD3DV1_repeatMode] == 0 ? 1 : field[LOAD3DV1_repeatTime]);
    int64_t room = matrix->height + matrix->pad_bottom - matrix->reach_h - first.h;
    return rows_there(img2col_rows_after(matrix, first, windows - 1) + 1,
                      room < 0 ? 0 : room / matrix->stride_h + 1);
}

static uint64_t v2_rows(const struct insn *insn, const struct img2col *matrix)
{
    const int64_t *field = insn->field;
    int64_t first = field[LOAD3DV2_mStartPt];
    int64_t last = first + field[LOAD3DV2_mExtension] - 1;
    int64_t top = first / matrix->out_w;
    uint64_t rows = rows_there(last / matrix->out_w - top + 1, matrix->out_h - top);
    return field[LOAD3DV2_repeatMode] == 0 ? rows * (uint64_t)field[LOAD3DV2_repeatTime] : rows;
}

void load3d_span(const struct insn *insn, struct load3d_span *span)
{
    struct insn room;
    const struct insn *form = insn->opcode == OP_LOAD3DV1 ? insn : load3d_as_v2(insn, &room);
    struct img2col matrix;
    img2col_read(&matrix, form);
    *span = (struct load3d_span){.stride_w = (uint64_t)matrix.stride_w, .rows = 1};
    if (matrix.out_w > 0) {
        span->rows = form->opcode == OP_LOAD3DV1 ? v1_rows(form, &matrix) : v2_rows(form, &matrix);
    }
}
