#include "traces/flag_counts.h"

#include <stdlib.h>
#include <string.h>

/* Moves *text behind "key=PIPE ". PIPE_COUNT when it is something else. */
static uint32_t take_pipe(const char **text, const char *key)
{
    if (strncmp(*text, key, strlen(key)) != 0)
        return PIPE_COUNT;
    const char *name = *text + strlen(key);
    size_t length = strcspn(name, " ");
    *text = name + length + (name[length] == ' ');
    for (uint32_t pipe = 0; pipe < PIPE_COUNT; pipe++)
        if (strlen(pipe_word((enum pipe)pipe)) == length &&
            strncmp(pipe_word((enum pipe)pipe), name, length) == 0)
            return pipe;
    return PIPE_COUNT;
}

uint32_t flag_key(const char *operands)
{
    static const char id_key[] = "id=";
    uint32_t source = take_pipe(&operands, "src="), target = take_pipe(&operands, "dst=");
    if (source == PIPE_COUNT || target == PIPE_COUNT ||
        strncmp(operands, id_key, strlen(id_key)) != 0)
        return FLAG_KEY_NONE;
    unsigned long id = strtoul(operands + strlen(id_key), NULL, 10);
    return id >= FLAG_IDS ? FLAG_KEY_NONE
                          : (source * PIPE_COUNT + target) * FLAG_IDS + (uint32_t)id;
}

enum pipe flag_key_source(uint32_t key)
{
    return (enum pipe)(key / FLAG_IDS / PIPE_COUNT);
}

enum pipe flag_key_target(uint32_t key)
{
    return (enum pipe)(key / FLAG_IDS % PIPE_COUNT);
}

static enum status count_flags(void *context, const struct stored_cells *cells)
{
    struct flag_counts *counts = context;
    if (cells->is_head)
        return STATUS_OK;
    uint32_t key = flag_key(cells->cell[1]);
    if (key == FLAG_KEY_NONE)
        return STATUS_OK;
    struct flag_count *count = &counts->count[key];
    uint64_t before = strtoull(cells->cell[2], NULL, 10);
    uint64_t limit = strtoull(cells->cell[3], NULL, 10);
    if (strcmp(cells->cell[0], "set_flag") == 0) {
        count->set = count->set_first = before;
        count->set_limit = limit;
    } else {
        count->waited = before;
        count->waited_limit = limit;
    }
    return STATUS_OK;
}

enum status flag_counts_read(struct flag_counts *counts, struct store *store, int64_t run_id,
                             uint32_t core, tick from, tick to, struct diag *diag)
{
    const int64_t parameters[] = {run_id, core, (int64_t)from, (int64_t)to};
    memset(counts, 0, sizeof *counts);
    return store_visit_cells(
        store,
        /* The flags are found first: a timeline has a few of them many times. */
        "SELECT i.opcode, i.operands, c.before, c.within\n"
        "FROM (SELECT t.instruction_id, SUM(t.start_cycle + t.length_cycles < ?3) AS before,\n"
        "    SUM(t.start_cycle + t.length_cycles < ?4) AS within\n"
        "  FROM timeline AS t WHERE t.run_id = ?1 AND t.core = ?2 AND t.instruction_id IN (\n"
        "    SELECT instruction_id FROM instruction WHERE run_id = ?1\n"
        "    AND opcode IN ('set_flag', 'wait_flag'))\n"
        "  GROUP BY t.instruction_id) AS c\n"
        "JOIN instruction AS i ON i.run_id = ?1 AND i.instruction_id = c.instruction_id",
        parameters, sizeof parameters / sizeof *parameters, count_flags, counts, diag);
}
