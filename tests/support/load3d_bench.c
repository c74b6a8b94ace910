#include "tests/support/load3d_bench.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/access_check.h"
#include "tests/support/splitmix.h"

void load3d_bench_open(struct load3d_bench *bench, enum arch arch, uint64_t seed)
{
    bench->seed = seed;
    registers_init(&bench->registers);
    rig_init(&bench->rig, arch);
    rig_region(&bench->rig, SPACE_L1, ELEMENT_UINT8, BENCH_START);
    bench->image = rig_region(&bench->rig, SPACE_L1, ELEMENT_UINT8, BENCH_IMAGE_BYTES);
    bench->target[0] = rig_region(&bench->rig, SPACE_L0A, ELEMENT_UINT8, BENCH_TARGET_BYTES);
    bench->target[1] = rig_region(&bench->rig, SPACE_L0B, ELEMENT_UINT8, BENCH_TARGET_BYTES);
    for (uint64_t index = 0; index < BENCH_IMAGE_BYTES; index++) {
        rig_store(&bench->rig, bench->image, index, (uint32_t)splitmix_next(&bench->seed) & 0xFF);
    }
}

void load3d_bench_close(struct load3d_bench *bench)
{
    rig_deinit(&bench->rig);
}

int64_t bench_pick(struct load3d_bench *bench, int64_t low, int64_t high)
{
    return (int64_t)splitmix_range(&bench->seed, (uint64_t)low, (uint64_t)high);
}

void bench_apply(struct load3d_bench *bench, struct insn insn)
{
    insn_capture(&bench->registers, &insn);
    access_check_apply(&bench->rig, &insn);
    if (rig_hazards(&bench->rig) != 0) {
        fail_msg("%s", bench->rig.message);
    }
}

/* The machine's L0A or L0B as it was before anything was loaded. */
void bench_clear(struct load3d_bench *bench)
{
    for (int side = 0; side < 2; side++) {
        memset(rig_bytes(&bench->rig, bench->target[side]), MACHINE_POISON, BENCH_TARGET_BYTES);
        memset(rig_written(&bench->rig, bench->target[side]), 0, BENCH_TARGET_BYTES);
    }
}

static int64_t size_of(const struct insn *insn, int size, int padding, int padding_after)
{
    return insn->field[size] + insn->field[padding] + insn->field[padding_after];
}

/* Windows of the padded image in H and in W. */
int64_t img2col_windows_h(const struct insn *insn)
{
    const int64_t *field = insn->field;
    int64_t reach = (field[LOAD3DV2_filterH] - 1) * field[LOAD3DV2_dilationFilterH] + 1;
    int64_t room = size_of(insn, LOAD3DV2_l1H, LOAD3DV2_padTop, LOAD3DV2_padBottom) - reach;
    return room < 0 ? 0 : room / field[LOAD3DV2_strideH] + 1;
}

int64_t img2col_windows_w(const struct insn *insn)
{
    const int64_t *field = insn->field;
    int64_t reach = (field[LOAD3DV2_filterW] - 1) * field[LOAD3DV2_dilationFilterW] + 1;
    int64_t room = size_of(insn, LOAD3DV2_l1W, LOAD3DV2_padLeft, LOAD3DV2_padRight) - reach;
    return room < 0 ? 0 : room / field[LOAD3DV2_strideW] + 1;
}

int64_t img2col_columns(const struct insn *insn)
{
    return insn->field[LOAD3DV2_channelSize] * insn->field[LOAD3DV2_filterH] *
           insn->field[LOAD3DV2_filterW];
}

void bench_pick_image(struct load3d_bench *bench, struct insn *insn)
{
    int64_t *field = insn->field;
    do {
        field[LOAD3DV2_l1H] = bench_pick(bench, 1, 6);
        field[LOAD3DV2_l1W] = bench_pick(bench, 1, 7);
        for (int pad = LOAD3DV2_padLeft; pad <= LOAD3DV2_padBottom; pad++) {
            field[pad] = bench_pick(bench, 0, 3);
        }
        field[LOAD3DV2_strideW] = bench_pick(bench, 1, 3);
        field[LOAD3DV2_strideH] = bench_pick(bench, 1, 3);
        field[LOAD3DV2_filterW] = bench_pick(bench, 1, 3);
        field[LOAD3DV2_filterH] = bench_pick(bench, 1, 3);
        field[LOAD3DV2_dilationFilterW] = bench_pick(bench, 1, 3);
        field[LOAD3DV2_dilationFilterH] = bench_pick(bench, 1, 3);
    } while (img2col_windows_h(insn) == 0 || img2col_windows_w(insn) == 0);
    field[LOAD3DV2_padValue] = bench_pick(bench, 0, UINT32_MAX);
}

int64_t fractals_of(int64_t lanes, int64_t size)
{
    return (lanes + size - 1) / size;
}

uint8_t *bench_bytes(struct load3d_bench *bench, int side)
{
    return rig_bytes(&bench->rig, bench->target[side]);
}

/* Keeps what a load left, for another way to come to the same. */
void bench_keep(struct load3d_bench *bench, int side, uint8_t kept[BENCH_TARGET_BYTES])
{
    memcpy(kept, bench_bytes(bench, side), BENCH_TARGET_BYTES);
    bench_clear(bench);
}

/* Puts what lies behind a boundary of L1 at its start, and noise in its place. */
void bench_fold(struct load3d_bench *bench, uint64_t boundary)
{
    uint8_t *l1 = bench->rig.machine.buffer[SPACE_L1].bytes;
    uint8_t *written = bench->rig.machine.buffer[SPACE_L1].written;
    for (uint64_t from = boundary; from < boundary + BENCH_START; from++) {
        l1[from % boundary] = l1[from];
        written[from % boundary] = 1;
        l1[from] = (uint8_t)~l1[from];
    }
}

void bench_unfold(struct load3d_bench *bench, uint64_t boundary)
{
    uint8_t *l1 = bench->rig.machine.buffer[SPACE_L1].bytes;
    for (uint64_t from = boundary; from < boundary + BENCH_START; from++) {
        l1[from] = (uint8_t)~l1[from];
    }
}

void bench_set_boundary(struct load3d_bench *bench, uint64_t value)
{
    struct insn insn;
    insn_init(&insn, OP_SET_LOAD_DATA_BOUNDARY);
    insn.field[SET_LOAD_DATA_BOUNDARY_boundaryValue] = (int64_t)value;
    bench_apply(bench, insn);
}
