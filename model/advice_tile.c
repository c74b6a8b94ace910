/*
 * Rules of advice that change the tile. They work on the one tile that lowering knows, so they hold
 * for every form in which a plan can write it.
 */
#include "model/advice_rules.h"
#include "model/rule_case.h"
#include "model/saturate.h"
#include "model/tile_buffers.h"
#include "model/tile_search.h"
#include "model/tile_space.h"

static double load_share(const struct adviser *adviser)
{
    return path_of_pipe(adviser, PIPE_MTE1);
}

static double copy_share(const struct adviser *adviser)
{
    return path_of_pipe(adviser, PIPE_MTE2);
}

/* ---- room ---- */

/* Whether a tile fits with as many slots in L0 as there are now. */
static bool fits_l0(const struct adviser *adviser, const struct tile *tile)
{
    const uint64_t *slots = adviser->plan->schedule.buffers;
    struct buffer_plan room;
    buffers_choose(adviser->plan, adviser->product, tile, &room);
    return saturate_mul(room.slot[BUFFER_L0A], slots[BUFFER_L0A]) <= room.l0a &&
           saturate_mul(room.slot[BUFFER_L0B], slots[BUFFER_L0B]) <= room.l0b &&
           saturate_mul(room.slot[BUFFER_L0C], slots[BUFFER_L0C]) <= room.l0c;
}

static bool fits_l1(const struct adviser *adviser, const struct tile *tile, uint64_t a, uint64_t b)
{
    struct buffer_plan room;
    buffers_choose(adviser->plan, adviser->product, tile, &room);
    return buffers_l1_bytes(&room, a, b) <= room.l1;
}

static bool fits(const struct adviser *adviser, const struct tile *tile)
{
    const uint64_t *slots = adviser->plan->schedule.buffers;
    return fits_l0(adviser, tile) && fits_l1(adviser, tile, slots[BUFFER_L1A], slots[BUFFER_L1B]);
}

/* The longest K of a step up to most that divides the chunks and fits; 0: none. */
static uint64_t longest_k(const struct adviser *adviser, const struct tile *tile, uint64_t most)
{
    uint64_t c0 = conv_c0(&adviser->plan->conv);
    uint64_t common = rule_common_divisor(tile->k_a, tile->k_b);
    struct tile now = *tile;
    for (now.k_l0 = saturate_align_down(least(common, least(most, MMAD_MAX)), c0); now.k_l0 > 0;
         now.k_l0 -= c0)
        if (common % now.k_l0 == 0 && fits_l0(adviser, &now))
            return now.k_l0;
    return 0;
}

/* Makes a tile fit by a shorter K of a step, if need be. */
static bool settle_k(const struct adviser *adviser, struct tile *tile)
{
    const uint64_t *slots = adviser->plan->schedule.buffers;
    tile->k_l0 = longest_k(adviser, tile, tile->k_l0);
    return tile->k_l0 > 0 && fits_l1(adviser, tile, slots[BUFFER_L1A], slots[BUFFER_L1B]);
}

/* ---- sizes ---- */

static uint64_t channels_most(const struct plan *plan)
{
    return align_up(conv_cout_group(&plan->conv), FRACTAL_ROWS);
}

static uint64_t tile_m(const struct tile *tile)
{
    return tile->linear_m ? tile->m_l0 : tile->h_l0 * tile->w_l0;
}

/* An N of so many channels, in L1 at least as many. */
static void set_n(struct tile *tile, uint64_t n)
{
    tile->n_l1 = tile->n_l1 == tile->n_l0 ? n : align_up(tile->n_l1 > n ? tile->n_l1 : n, n);
    tile->n_l0 = n;
}

/* Twice the positions: along W, then along H where rows are whole fractals. False: there are no
 * more. */
static bool double_m(const struct plan *plan, struct tile *tile)
{
    uint64_t rows = (uint64_t)plan->conv.out[AXIS_H], columns = (uint64_t)plan->conv.out[AXIS_W];
    uint64_t width = align_up(columns, FRACTAL_ROWS);
    if (tile->linear_m) {
        uint64_t m = least(2 * tile->m_l0, align_up(rows * columns, FRACTAL_ROWS));
        bool more = m > tile->m_l0;
        tile->m_l1 = align_up(tile->m_l1 > m ? tile->m_l1 : m, m);
        tile->m_l0 = m;
        return more;
    }
    if (tile->w_l0 < width) {
        tile->w_l0 = least(2 * tile->w_l0, width);
        tile->w_l1 = align_up(tile->w_l1 > tile->w_l0 ? tile->w_l1 : tile->w_l0, tile->w_l0);
        return true;
    }
    if (columns % FRACTAL_ROWS != 0 || tile->h_l0 >= rows)
        return false;
    tile->h_l0 = least(2 * tile->h_l0, rows);
    tile->h_l1 = align_up(tile->h_l1 > tile->h_l0 ? tile->h_l1 : tile->h_l0, tile->h_l0);
    return true;
}

/* Half the positions in L0, and in L1. */
static bool halve_m(struct tile *tile)
{
    if (tile->linear_m) {
        uint64_t m = align_up(ceil_div(tile->m_l0, 2), FRACTAL_ROWS);
        bool less = m < tile->m_l0;
        tile->m_l1 = tile->m_l0 = m;
        return less;
    }
    if (tile->h_l0 > 1) {
        tile->h_l1 = tile->h_l0 = ceil_div(tile->h_l0, 2);
        return true;
    }
    uint64_t w = align_up(ceil_div(tile->w_l0, 2), FRACTAL_ROWS);
    bool less = w < tile->w_l0;
    tile->w_l1 = tile->w_l0 = w;
    return less;
}

static void propose_tile(struct adviser *adviser, double hope, const struct tile *tile,
                         const char *what)
{
    struct plan_change change = {.count = 0};
    if (plan_change_tile(adviser->plan, tile, &change))
        adviser_propose(adviser, hope, &change, "MTE1 is %s and MTE2 %s of the critical path; %s",
                        share_text(adviser, load_share(adviser)),
                        share_text(adviser, copy_share(adviser)), what);
}

/* ---- larger steps ---- */

void advise_longer_k(struct adviser *adviser)
{
    const struct tile *now = &adviser->plan->tile;
    struct tile tile = *now;
    double hope = load_share(adviser) + path_of_handover(adviser) + path_of_dispatch(adviser);
    uint64_t longest = longest_k(adviser, now, MMAD_MAX), next = longest;
    if (longest <= now->k_l0)
        return;
    tile.k_l0 = longest;
    propose_tile(adviser, 0.8 * hope, &tile, "L0A and L0B have room for a longer K");
    for (uint64_t k = longest; k > now->k_l0; k = longest_k(adviser, now, k - 1))
        next = k;
    tile.k_l0 = next;
    propose_tile(adviser, 0.7 * hope, &tile, "L0A and L0B have room for a longer K");
}

void advise_wider_n(struct adviser *adviser)
{
    const struct plan *plan = adviser->plan;
    struct tile tile = plan->tile;
    uint64_t n = least(2 * tile.n_l0, channels_most(plan));
    n = least(n, saturate_align_down(tile_n_most(&plan->conv, adviser->product), FRACTAL_ROWS));
    if (n <= tile.n_l0)
        return;
    set_n(&tile, n);
    if (settle_k(adviser, &tile))
        propose_tile(adviser, 0.7 * (load_share(adviser) + copy_share(adviser)), &tile,
                     "a wider N loads and fetches A fewer times");
}

void advise_larger_m(struct adviser *adviser)
{
    struct tile tile = adviser->plan->tile;
    if (double_m(adviser->plan, &tile) && settle_k(adviser, &tile))
        propose_tile(adviser, 0.7 * (load_share(adviser) + copy_share(adviser)), &tile,
                     "a larger M loads and fetches B fewer times");
}

/* Rows that Load3D takes at its full rate; the same positions in at most so many. */
void advise_flatter_tile(struct adviser *adviser)
{
    const struct plan *plan = adviser->plan;
    const struct run_result *result = adviser->result;
    struct tile tile = plan->tile;
    uint64_t free_rows = product_whole(adviser->product, PRODUCT_MTE1_LOAD3D_ROWS);
    uint64_t width = align_up((uint64_t)plan->conv.out[AXIS_W], FRACTAL_ROWS);
    double most =
        (double)product_value(adviser->product, PRODUCT_MTE1_L0A_RATE) / (double)QUANTITY_ONE;
    double rate = result->load3d_cycles > 0
                      ? (double)result->load3d_bytes / (double)result->load3d_cycles
                      : most;
    if (tile.linear_m || tile.h_l0 <= free_rows || free_rows == 0)
        return;
    uint64_t m = tile_m(&tile);
    tile.h_l1 = tile.h_l0 = free_rows;
    tile.w_l1 = tile.w_l0 = least(align_up(m / free_rows, FRACTAL_ROWS), width);
    if (settle_k(adviser, &tile))
        propose_tile(adviser, load_share(adviser) * (1.0 - rate / most), &tile,
                     "Load3D takes tiles of fewer rows at a higher rate");
}

/* ---- traffic ---- */

void advise_same_tile(struct adviser *adviser)
{
    struct tile tile = adviser->plan->tile;
    if (adviser->plan->schedule.residency != RESIDENCY_RELOAD)
        return;
    tile.m_l1 = tile.m_l0;
    tile.h_l1 = tile.h_l0;
    tile.w_l1 = tile.w_l0;
    tile.n_l1 = tile.n_l0;
    propose_tile(adviser, copy_share(adviser), &tile,
                 "each L0 tile fetches the whole L1 tile, which is larger");
}

void advise_larger_chunks(struct adviser *adviser)
{
    const struct plan *plan = adviser->plan;
    struct tile tile = plan->tile;
    uint64_t all = conv_k(&plan->conv);
    tile.k_a =
        all % (2 * tile.k_a) == 0 || 2 * tile.k_a >= all ? least(2 * tile.k_a, all) : tile.k_a;
    tile.k_b =
        all % (2 * tile.k_b) == 0 || 2 * tile.k_b >= all ? least(2 * tile.k_b, all) : tile.k_b;
    if (fits(adviser, &tile))
        propose_tile(adviser, 0.5 * copy_share(adviser), &tile,
                     "L1 has room for chunks of a longer K, so there are fewer copies");
}

/* An operand that lies in L1 whole is fetched once for all tiles along the other side. */
static void propose_stay(struct adviser *adviser, bool weights, struct tile tile)
{
    const struct plan *plan = adviser->plan;
    struct plan_change change = {.count = 0};
    enum order order = weights ? ORDER_M_FIRST : ORDER_N_FIRST;
    if (!plan_change_tile(plan, &tile, &change))
        return;
    if (plan->schedule.residency == RESIDENCY_RELOAD)
        plan_change_add(&change, WORD_RESIDENCY, RESIDENCY_KEEP);
    if (plan->schedule.order != order)
        plan_change_order(plan, order, &change);
    adviser_propose(adviser, 0.9 * copy_share(adviser), &change,
                    "MTE2 is %s of the critical path; %s all K of %s of %s B, which is then "
                    "fetched once",
                    share_text(adviser, copy_share(adviser)), "L1 has room for",
                    weights ? "a weight tile" : "an image tile",
                    count_text(adviser, tile_slot_bytes(&plan->conv, &tile,
                                                        weights ? BUFFER_L1B : BUFFER_L1A)));
}

/* The widest N whose weights fit into L1 beside the image's slots. */
void advise_weights_stay(struct adviser *adviser)
{
    const struct plan *plan = adviser->plan;
    const uint64_t *slots = plan->schedule.buffers;
    uint64_t n = least(2 * plan->tile.n_l0, channels_most(plan));
    for (; n >= FRACTAL_ROWS; n = saturate_align_down(n / 2, FRACTAL_ROWS)) {
        struct tile tile = plan->tile;
        tile.k_b = conv_k(&plan->conv);
        tile.n_l1 = tile.n_l0 = n;
        tile.k_l0 = longest_k(adviser, &tile, MMAD_MAX);
        if (tile.k_l0 == 0 || !fits_l1(adviser, &tile, slots[BUFFER_L1A], 1))
            continue;
        propose_stay(adviser, true, tile);
        return;
    }
}

void advise_image_stays(struct adviser *adviser)
{
    const struct plan *plan = adviser->plan;
    const uint64_t *slots = plan->schedule.buffers;
    struct tile tile = plan->tile;
    tile.k_a = conv_k(&plan->conv);
    tile.m_l1 = tile.m_l0;
    tile.h_l1 = tile.h_l0;
    tile.w_l1 = tile.w_l0;
    tile.k_l0 = longest_k(adviser, &tile, MMAD_MAX);
    if (tile.k_l0 > 0 && fits_l1(adviser, &tile, 1, slots[BUFFER_L1B]))
        propose_stay(adviser, false, tile);
}

/* ---- cores without work ---- */

/* Share of the places in the rounds that no tile takes, and of the cores that have none. */
static double empty_share(const struct adviser *adviser)
{
    const struct tail *tail = adviser->tail;
    uint64_t cores = product_whole(adviser->product, PRODUCT_CHIP_CORES);
    double places = (double)tail->rounds * (double)cores;
    return places > 0.0 ? 1.0 - (double)tail->tile_count / places : 0.0;
}

static void propose_smaller(struct adviser *adviser, const struct tile *tile)
{
    struct plan_change change = {.count = 0};
    double empty = empty_share(adviser);
    if (empty >= 0.05 && plan_change_tile(adviser->plan, tile, &change))
        adviser_propose(adviser, empty, &change,
                        "%s L0 tiles leave %s of the cores' rounds empty; smaller ones share out "
                        "better",
                        count_text(adviser, adviser->tail->tile_count), share_text(adviser, empty));
}

void advise_smaller_m(struct adviser *adviser)
{
    struct tile tile = adviser->plan->tile;
    if (!halve_m(&tile))
        return;
    tile.k_l0 = longest_k(adviser, &tile, 2 * tile.k_l0);
    if (tile.k_l0 > 0)
        propose_smaller(adviser, &tile);
}

void advise_smaller_n(struct adviser *adviser)
{
    struct tile tile = adviser->plan->tile;
    uint64_t n = align_up(ceil_div(tile.n_l0, 2), FRACTAL_ROWS);
    if (n == tile.n_l0)
        return;
    tile.n_l1 = tile.n_l0 = n;
    tile.k_l0 = longest_k(adviser, &tile, 2 * tile.k_l0);
    if (tile.k_l0 > 0)
        propose_smaller(adviser, &tile);
}

/* ---- the derived tile ---- */

void advise_derived(struct adviser *adviser)
{
    const struct plan *plan = adviser->plan;
    struct tile_l1 l1;
    struct tile_l0 l0;
    struct tile tile;
    uint64_t slots[BUFFER_COUNT];
    buffers_written(plan, slots);
    if (plan->tile_derived || plan->form == TILE_VENDOR ||
        !tile_search(&plan->conv, adviser->product, plan->rules, slots, &l1, &l0))
        return;
    tile_from_pypto(&plan->conv, &l1, &l0, &tile);
    propose_tile(adviser, 0.7 * (load_share(adviser) + copy_share(adviser)), &tile,
                 "this is the tile of fewest bytes that would be derived");
}
