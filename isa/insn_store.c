#include "isa/insn_store.h"

#include <assert.h>
#include <string.h>

enum { CHUNK_BYTES = 32 * 1024, CORES_MIN = 4 };

struct insn_chunk {
    struct insn_chunk *next;
    size_t used_bytes;
    unsigned char bytes[CHUNK_BYTES];
};

/* What stands in front of the operands and fields of an instruction. */
struct insn_head {
    uint32_t line;
    uint16_t opcode;
    uint8_t pipe;
};

struct insn_cursor {
    const struct insn_chunk *chunk;
    size_t offset_bytes;
    uint64_t left;
};

static size_t packed_bytes(const struct insn_info *info)
{
    return sizeof(struct insn_head) + info->operand_count * sizeof(struct operand) +
           info->field_count * sizeof(int64_t);
}

/* The chunk that has room for so many bytes, or NULL. */
static struct insn_chunk *chunk_need(struct insn_store *store, size_t size_bytes)
{
    assert(size_bytes <= CHUNK_BYTES);
    struct insn_chunk *last = store->last;
    if (last != NULL && CHUNK_BYTES - last->used_bytes >= size_bytes) {
        return last;
    }
    struct insn_chunk *chunk = arena_take(store->arena, 1, sizeof *chunk);
    if (chunk != NULL && last != NULL) {
        last->next = chunk;
    }
    store->last = chunk == NULL ? last : chunk;
    return chunk;
}

bool insn_store_core(struct insn_store *store)
{
    /* A chunk, so that every mark has one. */
    const struct insn_chunk *chunk = chunk_need(store, 0);
    if (chunk != NULL && store->core_count == store->core_capacity) {
        uint32_t capacity = store->core_capacity == 0 ? CORES_MIN : 2 * store->core_capacity;
        struct core_mark *cores = arena_take(store->arena, capacity, sizeof *cores);
        if (cores == NULL) {
            return false;
        }
        if (store->core_count > 0) {
            memcpy(cores, store->cores, store->core_count * sizeof *cores);
        }
        store->cores = cores;
        store->core_capacity = capacity;
    }
    if (chunk == NULL) {
        return false;
    }
    store->cores[store->core_count++] = (struct core_mark){chunk, chunk->used_bytes, 0};
    return true;
}

bool insn_store_add(struct insn_store *store, const struct insn *insn)
{
    assert(store->core_count > 0);
    const struct insn_info *info = insn_info((enum opcode)insn->opcode);
    struct insn_chunk *chunk = chunk_need(store, packed_bytes(info));
    if (chunk == NULL) {
        return false;
    }
    const struct insn_head head = {insn->line, insn->opcode, insn->pipe};
    unsigned char *at = chunk->bytes + chunk->used_bytes;
    memcpy(at, &head, sizeof head);
    at += sizeof head;
    memcpy(at, insn->operand, info->operand_count * sizeof(struct operand));
    at += info->operand_count * sizeof(struct operand);
    memcpy(at, insn->field, info->field_count * sizeof(int64_t));
    chunk->used_bytes += packed_bytes(info);
    store->cores[store->core_count - 1].count++;
    return true;
}

static void *store_open(void *context, uint32_t core, struct arena *arena)
{
    const struct insn_store *store = context;
    assert(core < store->core_count);
    const struct core_mark *mark = &store->cores[core];
    struct insn_cursor *cursor = arena_take(arena, 1, sizeof *cursor);
    if (cursor != NULL) {
        *cursor = (struct insn_cursor){mark->chunk, mark->offset_bytes, mark->count};
    }
    return cursor;
}

static bool store_next(void *stream, struct insn *insn)
{
    struct insn_cursor *cursor = stream;
    if (cursor->left == 0) {
        return false;
    }
    if (cursor->offset_bytes == cursor->chunk->used_bytes) {
        cursor->chunk = cursor->chunk->next;
        cursor->offset_bytes = 0;
    }
    struct insn_head head;
    const unsigned char *at = cursor->chunk->bytes + cursor->offset_bytes;
    memcpy(&head, at, sizeof head);
    at += sizeof head;
    const struct insn_info *info = insn_info((enum opcode)head.opcode);
    insn->opcode = head.opcode;
    insn->pipe = head.pipe;
    insn->line = head.line;
    insn->tile = 0;
    memcpy(insn->operand, at, info->operand_count * sizeof(struct operand));
    for (size_t i = info->operand_count; i < INSN_OPERANDS_MAX; i++) {
        insn->operand[i] = (struct operand){.region = REGION_NONE};
    }
    at += info->operand_count * sizeof(struct operand);
    memcpy(insn->field, at, info->field_count * sizeof(int64_t));
    cursor->offset_bytes += packed_bytes(info);
    cursor->left--;
    return true;
}

static enum status store_ended(void *stream)
{
    (void)stream;
    return STATUS_OK;
}

void insn_store_attach(struct insn_store *store, struct program *program)
{
    program->core_count = store->core_count;
    program->context = store;
    program->open = store_open;
    program->next = store_next;
    program->ended = store_ended;
}
