#include "tests/support/stream_fixture.h"

#include <assert.h>
#include <string.h>

struct fixture_stream {
    struct stream_fixture *fixture;
    uint32_t core, next;
};

static void *fixture_open(void *context, uint32_t core, struct arena *arena)
{
    struct fixture_stream *stream = arena_take(arena, 1, sizeof *stream);
    if (stream != NULL)
        *stream = (struct fixture_stream){context, core, 0};
    return stream;
}

static bool fixture_next(void *opaque, struct insn *insn)
{
    struct fixture_stream *stream = opaque;
    if (stream->next == stream->fixture->count[stream->core])
        return false;
    *insn = stream->fixture->insn[stream->core][stream->next++];
    return true;
}

static enum status fixture_ended(void *opaque)
{
    (void)opaque;
    return STATUS_OK;
}

void stream_fixture_init(struct stream_fixture *fixture, uint32_t cores, uint64_t source_bytes,
                         uint64_t output_bytes)
{
    memset(fixture, 0, sizeof *fixture);
    assert(cores <= FIXTURE_CORES);
    fixture->regions[FIXTURE_SOURCE] = (struct region){
        .name = "x", .space = SPACE_GM, .size_bytes = source_bytes, .element = ELEMENT_FP16};
    fixture->regions[FIXTURE_OUTPUT] = (struct region){.name = "y",
                                                       .space = SPACE_GM,
                                                       .base_bytes = source_bytes,
                                                       .size_bytes = output_bytes,
                                                       .element = ELEMENT_FP16};
    fixture->regions[FIXTURE_L1] =
        (struct region){.name = "a", .space = SPACE_L1, .size_bytes = 1 << 19};
    fixture->regions[FIXTURE_L0C] =
        (struct region){.name = "c", .space = SPACE_L0C, .size_bytes = 1 << 17};
    fixture->regions[FIXTURE_L0A] =
        (struct region){.name = "a0", .space = SPACE_L0A, .size_bytes = 1 << 16};
    fixture->regions[FIXTURE_L0B] =
        (struct region){.name = "b0", .space = SPACE_L0B, .size_bytes = 1 << 16};
    fixture->regions[FIXTURE_WORDS] =
        (struct region){.name = "w", .space = SPACE_L1, .size_bytes = 1 << 11};
    fixture->regions[FIXTURE_FB] =
        (struct region){.name = "q", .space = SPACE_FB, .size_bytes = 1 << 11};
    fixture->program = (struct program){.product = "ascend910b1",
                                        .arch = ARCH_2201,
                                        .regions = fixture->regions,
                                        .region_count = FIXTURE_REGIONS,
                                        .core_count = cores,
                                        .context = fixture,
                                        .open = fixture_open,
                                        .next = fixture_next,
                                        .ended = fixture_ended};
}

static struct insn *fixture_add(struct stream_fixture *fixture, uint32_t core, enum opcode opcode)
{
    assert(fixture->count[core] < FIXTURE_INSNS);
    struct insn *insn = &fixture->insn[core][fixture->count[core]++];
    insn_init(insn, opcode);
    return insn;
}

void stream_fixture_copy(struct stream_fixture *fixture, uint32_t core, uint64_t from,
                         uint64_t count, uint64_t length, uint64_t pitch)
{
    struct insn *insn = fixture_add(fixture, core, OP_DATA_COPY);
    assert(length % BLOCK_BYTES == 0 && pitch % BLOCK_BYTES == 0);
    insn->operand[DATA_COPY_dst] = (struct operand){.region = FIXTURE_L1};
    insn->operand[DATA_COPY_src] = (struct operand){.region = FIXTURE_SOURCE, .offset = from};
    insn->field[DATA_COPY_blockCount] = (int64_t)count;
    insn->field[DATA_COPY_blockLen] = (int64_t)(length / BLOCK_BYTES);
    insn->field[DATA_COPY_srcGap] = count > 1 ? (int64_t)((pitch - length) / BLOCK_BYTES) : 0;
}

void stream_fixture_store(struct stream_fixture *fixture, uint32_t core, uint64_t to, uint64_t rows)
{
    struct insn *insn = fixture_add(fixture, core, OP_FIXPIPE);
    insn->operand[FIXPIPE_dst] = (struct operand){.region = FIXTURE_OUTPUT, .offset = to};
    insn->operand[FIXPIPE_src] = (struct operand){.region = FIXTURE_L0C};
    insn->field[FIXPIPE_mode] = MODE_F322F16;
    insn->field[FIXPIPE_mSize] = (int64_t)rows;
    insn->field[FIXPIPE_nSize] = 16;
    insn->field[FIXPIPE_srcStride] = (int64_t)rows;
}
