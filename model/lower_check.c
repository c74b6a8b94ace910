/*
 * Whether a resolved plan can be lowered: what instructions, event ids and buffers cannot hold.
 */
#include "model/layout.h"
#include "model/lower_stream.h"

enum { MMAD_MAX = 4095, ND_VALUE_MAX = 65535, NZ_STRIDE_MAX = 16384 };

static struct place plan_place(const struct plan *plan, enum plan_word word)
{
    return plan->given[word] ? plan->place[word] : place_none();
}

/* Blocked outputs are whole blocks of channels, which plain weights do not have in GM. */
static enum status check_blocks(const struct plan *plan, struct diag *diag)
{
    const struct conv *conv = &plan->conv;
    unsigned long long channels = conv_cout_group(conv);
    if (plan->matmul)
        return diag_add(diag, STATUS_BAD_INPUT, plan_place(plan, WORD_N),
                        "c_layout nz and n %llu; expected a multiple of 16, or b_layout nz",
                        channels);
    return diag_add(diag, STATUS_BAD_INPUT, plan_place(plan, WORD_WEIGHT_FORMAT),
                    "weights in %s with output in nc1hwc0 and %llu channels a group; expected "
                    "fractal_z, or a multiple of 16 channels",
                    format_word(conv->weight_format), channels);
}

/* What the instructions of this version cannot express. */
static enum status check_tile(const struct plan *plan, struct diag *diag)
{
    const struct conv *conv = &plan->conv;
    const struct tile *tile = &plan->tile;
    uint64_t points = conv->kernel[AXIS_H] * conv->kernel[AXIS_W];
    uint64_t m = tile->linear_m ? tile->m_l0 : tile->h_l0 * tile->w_l0;
    enum status status = STATUS_OK;
    if (m > MMAD_MAX || tile->n_l0 > MMAD_MAX || tile->k_l0 > MMAD_MAX)
        status = diag_add(diag, STATUS_BROKEN, place_none(),
                          "L0 tile of m %llu, n %llu, k %llu; Mmad takes at most %d of each",
                          (unsigned long long)m, (unsigned long long)tile->n_l0,
                          (unsigned long long)tile->k_l0, MMAD_MAX);
    if (tile->k_a % (points * conv_c0(conv)) != 0)
        status =
            diag_add(diag, STATUS_BROKEN, plan_place(plan, WORD_K_AL1),
                     "K of A in L1 is %llu; expected a multiple of C0 * Kh * Kw = %llu, "
                     "since L1 holds whole planes of the image",
                     (unsigned long long)tile->k_a, (unsigned long long)(points * conv_c0(conv)));
    if (conv->weight_format != FORMAT_FRACTAL_Z && tile->k_b % (points * conv_c0(conv)) != 0)
        status =
            diag_add(diag, STATUS_BROKEN, plan_place(plan, WORD_K_BL1),
                     "K of B in L1 is %llu; expected a multiple of C0 * Kh * Kw = %llu for "
                     "weights in %s",
                     (unsigned long long)tile->k_b, (unsigned long long)(points * conv_c0(conv)),
                     format_word(conv->weight_format));
    if (conv->output_format == FORMAT_NC1HWC0 && conv->weight_format != FORMAT_FRACTAL_Z &&
        conv_cout_group(conv) % FRACTAL_ROWS != 0)
        status = check_blocks(plan, diag);
    return status;
}

/* The event ids that the stream will use, against those of the product. */
static enum status check_ids(const struct plan *plan, struct diag *diag)
{
    const uint64_t *buffers = plan->schedule.buffers;
    uint64_t used = ID_L1B + buffers[BUFFER_L1B];
    uint64_t id_l0b = lower_id_l0b(plan->product->arch);
    if (plan->conv.bias && arch_has_bias_table(plan->product->arch) && ID_BIAS + 1 > used)
        used = ID_BIAS + 1;
    if (buffers[BUFFER_L0A] != buffers[BUFFER_L0B] && id_l0b + buffers[BUFFER_L0B] > used)
        used = id_l0b + buffers[BUFFER_L0B];
    uint64_t ids = product_whole(plan->product, PRODUCT_SYNC_IDS);
    if (used <= ids)
        return STATUS_OK;
    return diag_add(diag, STATUS_BROKEN, place_none(),
                    "the schedule needs %llu event ids of a pipe pair; %s has %llu",
                    (unsigned long long)used, plan->product->soc, (unsigned long long)ids);
}

/* The widest row and the largest part of the image that a tile of L1 holds, in positions. */
static void tile_image(const struct plan *plan, uint64_t *columns, uint64_t *positions)
{
    const struct conv *conv = &plan->conv;
    const struct tile *tile = &plan->tile;
    uint64_t width = (uint64_t)conv->out[AXIS_W], height = (uint64_t)conv->out[AXIS_H];
    uint64_t out_rows = tile->linear_m ? ceil_div(tile->m_l1, width) + 1 : tile->h_l1;
    uint64_t out_columns = tile->linear_m ? width : tile->w_l1;
    uint64_t rows = conv_window(conv, AXIS_H, out_rows < height ? out_rows : height);
    *columns = conv_window(conv, AXIS_W, out_columns < width ? out_columns : width);
    *columns = *columns < conv->in[AXIS_W] ? *columns : conv->in[AXIS_W];
    *positions = *columns * (rows < conv->in[AXIS_H] ? rows : conv->in[AXIS_H]);
}

bool lower_by_rows(const struct conv *conv, enum arch arch)
{
    if (conv_kernel_points(conv) != 1 || !arch_has_nd2nz(arch))
        return false;
    if (conv->weight_format == FORMAT_NCHW)
        return conv->cin_group <= ND_VALUE_MAX || !arch_has_dn2nz(arch);
    return conv->weight_format == FORMAT_HWCN && !arch_has_dn2nz(arch);
}

/* The pitch of the rows of B, and how far they are turned over. */
static enum status check_pitch(const struct plan *plan, struct diag *diag)
{
    const struct conv *conv = &plan->conv;
    if (!lower_by_rows(conv, plan->product->arch))
        return STATUS_OK;
    bool turned = conv->weight_format == FORMAT_HWCN;
    uint64_t pitch = turned ? conv->cout : conv->cin_group;
    enum plan_word word = plan->matmul ? (turned ? WORD_N : WORD_K) : WORD_WEIGHT_FORMAT;
    if (pitch > ND_VALUE_MAX)
        return diag_add(diag, STATUS_BAD_INPUT, plan_place(plan, word),
                        "rows of the %s are %llu elements apart; expected at most %d, the "
                        "srcDValue of nd2nz",
                        plan->matmul ? "matrix B" : "weight", (unsigned long long)pitch,
                        ND_VALUE_MAX);
    if (turned && plan->tile.k_b > NZ_STRIDE_MAX)
        return diag_add(diag, STATUS_BROKEN, plan_place(plan, WORD_STEP_KB),
                        "an L1 tile holds %llu rows of B; expected at most %d, the nValue of nd2nz",
                        (unsigned long long)plan->tile.k_b, NZ_STRIDE_MAX);
    return STATUS_OK;
}

/* nd2nz and dn2nz have fields of 14 and 16 bits that only a very large L1 or image can exceed. */
static enum status check_formats(const struct plan *plan, struct diag *diag)
{
    const struct conv *conv = &plan->conv;
    enum status status = STATUS_OK;
    uint64_t columns, positions;
    tile_image(plan, &columns, &positions);
    if (conv->input_format == FORMAT_NHWC && conv->cin > ND_VALUE_MAX)
        status = diag_add(diag, STATUS_BAD_INPUT,
                          plan_place(plan, plan->matmul ? WORD_K : WORD_INPUT_FORMAT),
                          "%s with %llu %s; expected at most %d, the srcDValue of nd2nz",
                          plan->matmul ? "a_layout nd" : "nhwc", (unsigned long long)conv->cin,
                          plan->matmul ? "columns" : "channels", ND_VALUE_MAX);
    if (conv->input_format != FORMAT_NC1HWC0 && positions > NZ_STRIDE_MAX)
        status = diag_add(diag, STATUS_BROKEN, place_none(),
                          "an L1 tile holds %llu positions of the image; expected at most %d, the "
                          "dstNzC0Stride of nd2nz and dn2nz",
                          (unsigned long long)positions, NZ_STRIDE_MAX);
    if (status == STATUS_OK)
        status = check_pitch(plan, diag);
    uint64_t points = conv->kernel[AXIS_H] * conv->kernel[AXIS_W];
    if (conv->weight_format != FORMAT_FRACTAL_Z && points * plan->tile.n_l1 > NZ_STRIDE_MAX)
        status = diag_add(diag, STATUS_BROKEN, place_none(),
                          "an L1 tile holds %llu x %llu weights of a channel; expected at most %d "
                          "in all, the dstNzC0Stride of dn2nz",
                          (unsigned long long)points, (unsigned long long)plan->tile.n_l1,
                          NZ_STRIDE_MAX);
    return status;
}

/* Depths that meet only padding have no products to sum. */
static enum status check_depths(const struct plan *plan, struct diag *diag)
{
    const struct conv *conv = &plan->conv;
    for (int64_t depth = 0; depth < conv->out[AXIS_D]; depth++) {
        bool any = false;
        for (uint64_t kd = 0; kd < conv->kernel[AXIS_D] && !any; kd++) {
            int64_t at = depth * (int64_t)conv->stride[AXIS_D] +
                         (int64_t)(kd * conv->dilation[AXIS_D]) - (int64_t)conv->pad_head[AXIS_D];
            any = at >= 0 && at < (int64_t)conv->in[AXIS_D];
        }
        if (!any)
            return diag_add(diag, STATUS_BAD_INPUT, plan_place(plan, WORD_PADDING),
                            "output depth %lld reads nothing but padding; expected every depth to "
                            "meet the input",
                            (long long)depth);
    }
    return STATUS_OK;
}

/* Where results pass the unified buffer, a fractal of them must fit beside the tables of a tile. */
static enum status check_exit(const struct plan *plan, struct diag *diag)
{
    struct exit_room room;
    uint64_t bytes;
    if (!arch_has_vector_exit(plan->product->arch) || exit_room_find(plan, &room, &bytes))
        return STATUS_OK;
    return diag_add(
        diag, STATUS_BROKEN, plan_place(plan, WORD_TILE_L0_N),
        "16 rows of results of %llu B, a bias of %llu B and quantisation words of %llu B "
        "need %llu B of the unified buffer; %s has %llu B",
        (unsigned long long)room.unit_bytes, (unsigned long long)room.bias_bytes,
        (unsigned long long)room.quant_bytes, (unsigned long long)bytes, plan->product->soc,
        (unsigned long long)product_whole(plan->product, PRODUCT_UB_SIZE));
}

enum status lower_check(const struct plan *plan, struct diag *diag)
{
    enum status status = check_tile(plan, diag);
    if (status == STATUS_OK)
        status = check_formats(plan, diag);
    if (status == STATUS_OK)
        status = check_ids(plan, diag);
    if (status == STATUS_OK)
        status = check_depths(plan, diag);
    if (status == STATUS_OK)
        status = check_exit(plan, diag);
    return status;
}
