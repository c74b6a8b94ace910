#include "model/lower_walk.h"

#include <assert.h>
#include <string.h>

uint64_t lower_n_padded(const struct conv *conv)
{
    uint64_t channels = conv_cout_group(conv);
    return conv->output_format == FORMAT_NC1HWC0 ? align_up(channels, FRACTAL_ROWS) : channels;
}

/* Input positions that `count` outputs from `from` on read along an axis, clipped to the input. */
static struct window window_of(const struct conv *conv, enum axis axis, uint64_t from,
                               uint64_t count)
{
    int64_t start = (int64_t)(from * conv->stride[axis]) - (int64_t)conv->pad_head[axis];
    int64_t end = start + (int64_t)conv_window(conv, axis, count);
    int64_t size = (int64_t)conv->in[axis];
    int64_t clipped_start = start > 0 ? start : 0;
    int64_t clipped_end = end < size ? end : size;
    assert(clipped_start < clipped_end);
    return (struct window){
        .from = (uint64_t)clipped_start,
        .count = (uint64_t)(clipped_end - clipped_start),
        .head = (uint64_t)(clipped_start - start),
        .tail = (uint64_t)(end - clipped_end),
    };
}

/* The kernel depths that meet the input at an output depth; depths of padding are left out. */
static void item_depths(struct item *item, const struct conv *conv)
{
    int64_t start = (int64_t)(item->depth * conv->stride[AXIS_D]) - (int64_t)conv->pad_head[AXIS_D];
    item->kd_from = conv->kernel[AXIS_D];
    item->kd_count = 0;
    for (uint64_t kd = 0; kd < conv->kernel[AXIS_D]; kd++) {
        int64_t at = start + (int64_t)(kd * conv->dilation[AXIS_D]);
        if (at < 0 || at >= (int64_t)conv->in[AXIS_D])
            continue;
        item->kd_from = item->kd_count == 0 ? kd : item->kd_from;
        item->kd_count++;
    }
}

/* Sets the L1 tile of an item from its depth and M tile. */
static void walk_m_tile(struct walk *walk)
{
    const struct plan *plan = walk->plan;
    const struct conv *conv = &plan->conv;
    struct item *item = &walk->item;
    uint64_t height = (uint64_t)conv->out[AXIS_H], width = (uint64_t)conv->out[AXIS_W];
    if (plan->tile.linear_m) {
        uint64_t start = item->m_tile * plan->tile.m_l1;
        item->m_count = least(plan->tile.m_l1, height * width - start);
        item->row_from = start / width;
        item->row_count = (start + item->m_count - 1) / width - item->row_from + 1;
        item->col_from = 0;
        item->col_count = width;
        item->m_skip = start - item->row_from * width;
    } else {
        item->row_from = item->m_tile / walk->w_tiles * plan->tile.h_l1;
        item->row_count = least(plan->tile.h_l1, height - item->row_from);
        item->col_from = item->m_tile % walk->w_tiles * plan->tile.w_l1;
        item->col_count = least(plan->tile.w_l1, width - item->col_from);
        item->m_count = item->row_count * item->col_count;
        item->m_skip = 0;
    }
    item->in_rows = window_of(conv, AXIS_H, item->row_from, item->row_count);
    item->in_cols = window_of(conv, AXIS_W, item->col_from, item->col_count);
    item_depths(item, conv);
}

static void walk_n_tile(struct walk *walk)
{
    struct item *item = &walk->item;
    item->n_from = item->n_tile * walk->plan->tile.n_l1;
    item->n_count = least(walk->plan->tile.n_l1, walk->n_padded - item->n_from);
}

/* Sets the L0 tile of an item from the position inside its L1 tile. */
static void walk_l0(struct walk *walk)
{
    const struct tile *tile = &walk->plan->tile;
    struct item *item = &walk->item;
    uint64_t width = (uint64_t)walk->plan->conv.out[AXIS_W];
    item->n0_from = walk->n0;
    item->n0_count = least(tile->n_l0, item->n_count - walk->n0);
    if (tile->linear_m) {
        item->m_rows = 1;
        item->m_cols = least(tile->m_l0, item->m_count - walk->w0);
        item->m_from = item->m_skip + walk->w0;
        item->out_row = item->row_from + item->m_from / width;
        item->out_col = item->m_from % width;
        item->spread = false;
    } else {
        item->m_rows = least(tile->h_l0, item->row_count - walk->h0);
        item->m_cols = least(tile->w_l0, item->col_count - walk->w0);
        item->m_from = walk->h0 * item->col_count + walk->w0;
        item->out_row = item->row_from + walk->h0;
        item->out_col = item->col_from + walk->w0;
        item->spread = item->m_rows > 1 && item->m_cols < item->col_count;
    }
    item->m = item->m_rows * item->m_cols;
}

/* First M tile of the core's share within the present depth, and the one after its last. */
static uint64_t walk_m_from(const struct walk *walk)
{
    uint64_t first = walk->item.depth * walk->m_per_depth;
    return walk->share.m_from > first ? walk->share.m_from - first : 0;
}

static uint64_t walk_m_until(const struct walk *walk)
{
    return least(walk->m_per_depth, walk->share.m_until - walk->item.depth * walk->m_per_depth);
}

/* The M and N tile with the number that is dealt; false behind the last. */
static bool walk_dealt(struct walk *walk)
{
    const struct core_share *share = &walk->share;
    uint64_t m = share->m_until - share->m_from, n = share->n_until - share->n_from;
    if (walk->dealt >= m * n)
        return false;
    bool m_first = walk->plan->schedule.order == ORDER_M_FIRST;
    walk->item.m_tile = share->m_from + (m_first ? walk->dealt % m : walk->dealt / n);
    walk->item.n_tile = share->n_from + (m_first ? walk->dealt / m : walk->dealt % n);
    return true;
}

/* The first tile of the core's share of the present slice; false when it has none. */
static bool walk_enter(struct walk *walk)
{
    const struct core_share *share = &walk->share;
    struct item *item = &walk->item;
    core_share(walk->plan, walk->core, walk->slice, &walk->share);
    if (share->batch_from >= share->batch_until || share->group_from >= share->group_until ||
        share->m_from >= share->m_until || share->n_from >= share->n_until)
        return false;
    item->group = share->group_from;
    item->batch = share->batch_from;
    item->depth = share->m_from / walk->m_per_depth;
    item->m_tile = walk_m_from(walk);
    item->n_tile = share->n_from;
    if (walk->plan->schedule.deal == 0)
        return true;
    walk->dealt = walk->core % walk->plan->schedule.deal;
    return walk_dealt(walk);
}

static bool walk_next_of(uint64_t *at, uint64_t count)
{
    *at = *at + 1 < count ? *at + 1 : 0;
    return *at != 0;
}

/* The next slice in which the core has work. */
static bool walk_next_slice(struct walk *walk)
{
    uint64_t m = core_slices(walk->plan, SPLIT_M), n = core_slices(walk->plan, SPLIT_N);
    bool m_first = walk->plan->schedule.order == ORDER_M_FIRST;
    struct core_slice *slice = &walk->slice;
    bool more, found = false;
    do {
        more = m_first ? walk_next_of(&slice->m, m) || walk_next_of(&slice->n, n)
                       : walk_next_of(&slice->n, n) || walk_next_of(&slice->m, m);
        found = more && walk_enter(walk);
    } while (more && !found);
    return found;
}

bool walk_begin(struct walk *walk, const struct plan *plan, uint64_t core)
{
    const struct conv *conv = &plan->conv;
    uint64_t height = (uint64_t)conv->out[AXIS_H], width = (uint64_t)conv->out[AXIS_W];
    memset(walk, 0, sizeof *walk);
    walk->plan = plan;
    walk->core = core;
    walk->n_padded = lower_n_padded(conv);
    if (plan->tile.linear_m) {
        walk->w_tiles = 1;
        walk->m_per_depth = ceil_div(height * width, plan->tile.m_l1);
    } else {
        walk->w_tiles = ceil_div(width, plan->tile.w_l1);
        walk->m_per_depth = ceil_div(height, plan->tile.h_l1) * walk->w_tiles;
    }
    if (!walk_enter(walk) && !walk_next_slice(walk))
        return false;
    walk_m_tile(walk);
    walk_n_tile(walk);
    walk_l0(walk);
    return true;
}

/* The next L0 tile inside the L1 tile: columns, then rows, then N. */
static bool walk_next_l0(struct walk *walk)
{
    const struct tile *tile = &walk->plan->tile;
    const struct item *item = &walk->item;
    uint64_t columns = tile->linear_m ? item->m_count : item->col_count;
    walk->w0 += tile->linear_m ? tile->m_l0 : tile->w_l0;
    if (walk->w0 < columns)
        return true;
    walk->w0 = 0;
    if (!tile->linear_m) {
        walk->h0 += tile->h_l0;
        if (walk->h0 < item->row_count)
            return true;
        walk->h0 = 0;
    }
    walk->n0 += tile->n_l0;
    if (walk->n0 < item->n_count)
        return true;
    walk->n0 = 0;
    return false;
}

static bool walk_next_m(struct walk *walk)
{
    if (walk->item.m_tile + 1 < walk_m_until(walk)) {
        walk->item.m_tile++;
        return true;
    }
    walk->item.m_tile = walk_m_from(walk);
    return false;
}

static bool walk_next_n(struct walk *walk)
{
    if (walk->item.n_tile + 1 < walk->share.n_until) {
        walk->item.n_tile++;
        return true;
    }
    walk->item.n_tile = walk->share.n_from;
    return false;
}

/* The next depth, batch or group. */
static bool walk_next_outer(struct walk *walk)
{
    struct item *item = &walk->item;
    const struct core_share *share = &walk->share;
    if ((item->depth + 1) * walk->m_per_depth < share->m_until) {
        item->depth++;
    } else {
        item->depth = share->m_from / walk->m_per_depth;
        if (item->batch + 1 < share->batch_until) {
            item->batch++;
        } else {
            if (item->group + 1 >= share->group_until)
                return false;
            item->batch = share->batch_from;
            item->group++;
        }
    }
    item->m_tile = walk_m_from(walk);
    return true;
}

/* The next L1 tile of the slice. */
static bool walk_next_tile(struct walk *walk)
{
    bool m_first = walk->plan->schedule.order == ORDER_M_FIRST;
    if (walk->plan->schedule.deal != 0) {
        walk->dealt += walk->plan->schedule.deal;
        return walk_dealt(walk);
    }
    bool moved =
        m_first ? walk_next_m(walk) || walk_next_n(walk) : walk_next_n(walk) || walk_next_m(walk);
    return moved || walk_next_outer(walk);
}

bool walk_next(struct walk *walk)
{
    struct walk before = *walk;
    bool moved = walk_next_l0(walk);
    if (!moved) {
        moved = walk_next_tile(walk) || walk_next_slice(walk);
        if (!moved) {
            *walk = before;
            return false;
        }
        walk_m_tile(walk);
        walk_n_tile(walk);
    }
    walk_l0(walk);
    return true;
}

bool item_same_a(const struct item *left, const struct item *right)
{
    return left->group == right->group && left->batch == right->batch &&
           left->depth == right->depth && left->m_tile == right->m_tile;
}

bool item_same_b(const struct item *left, const struct item *right)
{
    return left->group == right->group && left->n_tile == right->n_tile &&
           left->kd_from == right->kd_from && left->kd_count == right->kd_count;
}

bool item_same_n(const struct item *left, const struct item *right)
{
    return left->group == right->group && left->n_tile == right->n_tile &&
           left->n0_from == right->n0_from;
}
