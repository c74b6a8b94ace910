#include <string.h>

#include "traces/store_private.h"

/*
 * Most rows of a timeline repeat an instruction that was read shortly before. Asking for it once
 * costs less than a join for every row, and the memory has a bound.
 */

static const char reading[] = "read";

static enum status known_prepare(struct store *store, struct diag *diag)
{
    size_t capacity = 0;
    if (store->known == NULL)
        store->known = array_grow(NULL, &capacity, KNOWN_COUNT, sizeof *store->known);
    if (store->known == NULL)
        return diag_add(diag, STATUS_NO_MEMORY, place_none(), "memory ran out");
    if (store->find_known != NULL)
        return STATUS_OK;
    return store_prepare(store,
                         "SELECT opcode, operands, bytes, macs FROM instruction"
                         " WHERE run_id = ?1 AND instruction_id = ?2",
                         reading, diag, &store->find_known);
}

static enum status known_fill(struct known_instruction *known, sqlite3_stmt *statement)
{
    const char *opcode = column_text(statement, 0), *operands = column_text(statement, 1);
    size_t opcode_size = strlen(opcode) + 1, size = opcode_size + strlen(operands) + 1;
    char *texts = array_grow(known->texts, &known->capacity, size, 1);
    if (texts == NULL)
        return STATUS_NO_MEMORY;
    memcpy(texts, opcode, opcode_size);
    memcpy(texts + opcode_size, operands, size - opcode_size);
    known->texts = texts;
    known->opcode_size = opcode_size;
    known->size = size;
    known->bytes = column_number(statement, 2);
    known->macs = column_number(statement, 3);
    return STATUS_OK;
}

enum status store_find_known(struct store *store, int64_t run_id, uint32_t number,
                             struct diag *diag, const struct known_instruction **known)
{
    enum status status = known_prepare(store, diag);
    *known = NULL;
    if (status != STATUS_OK)
        return status;
    struct known_instruction *entry = &store->known[number % KNOWN_COUNT];
    if (entry->run_id == run_id && entry->number == number) {
        *known = entry;
        return STATUS_OK;
    }
    sqlite3_bind_int64(store->find_known, 1, run_id);
    sqlite3_bind_int64(store->find_known, 2, number);
    int code = sqlite3_step(store->find_known);
    if (code == SQLITE_ROW) {
        entry->run_id = 0;
        if (known_fill(entry, store->find_known) == STATUS_OK) {
            entry->run_id = run_id;
            entry->number = number;
            *known = entry;
        } else
            status = diag_add(diag, STATUS_NO_MEMORY, place_none(), "memory ran out");
    } else if (code != SQLITE_DONE)
        status = store_fail(store, reading, diag);
    sqlite3_reset(store->find_known);
    return status;
}

void store_forget_known(struct store *store)
{
    for (size_t i = 0; store->known != NULL && i < KNOWN_COUNT; i++)
        array_release(store->known[i].texts);
    array_release(store->known);
    store->known = NULL;
    sqlite3_finalize(store->find_known);
    store->find_known = NULL;
}
