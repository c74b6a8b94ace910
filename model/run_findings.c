#include "model/run_findings.h"

#include <stdbool.h>
#include <string.h>

void findings_add(struct run_findings *findings, enum hazard_kind kind, uint32_t seq, uint32_t line,
                  const char *message)
{
    const struct hazard_record hazard = {
        .kind = kind,
        .core = findings->core,
        .seq = seq,
        .line = line,
        .message = message,
    };
    if (run_hazard_add(findings->result, &hazard, findings->arena) != STATUS_OK)
        findings->status = STATUS_NO_MEMORY;
}

/* Whether a finding of this key is told for the first time. Notes have no kind: any below
 * HAZARD_COUNT will do. */
static bool told_first(struct told *told, enum hazard_kind kind, uint64_t key)
{
    if (told->count[kind] >= RUN_HAZARDS_MAX)
        return false;
    uint64_t slot = key % TOLD_SLOTS;
    while (told->key[slot] != 0 && told->key[slot] != key)
        slot = (slot + 1) % TOLD_SLOTS;
    if (told->key[slot] == key)
        return false;
    told->key[slot] = key;
    told->count[kind]++;
    return true;
}

static uint64_t text_key(uint64_t key, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        key = finding_key((const uint64_t[]){key, (unsigned char)text[i]}, 2);
    return key | 1;
}

/* Loops say a thing again and again with other numbers: the words before the first one stand for
 * it, behind the mnemonic, which may have digits. */
static uint64_t words_key(uint64_t key, const char *message)
{
    const char *words = message + strcspn(message, " ");
    return text_key(key, words, strcspn(words, "0123456789"));
}

/* What an effect says about an instruction: word for word, of a lowered program its words and the
 * buffers. */
static uint64_t hazard_key(enum hazard_kind kind, const struct insn *insn, uint32_t core,
                           const char *message)
{
    bool filed = insn->line != 0;
    uint64_t values[4 + INSN_OPERANDS_MAX] = {kind, insn->opcode, insn->line, filed ? core : 0};
    for (size_t i = 0; i < INSN_OPERANDS_MAX; i++)
        values[4 + i] = insn->operand[i].region;
    uint64_t key = finding_key(values, sizeof values / sizeof values[0]);
    return filed ? text_key(key, message, strlen(message)) : words_key(key, message);
}

void findings_hazard(void *context, enum hazard_kind kind, const struct insn *insn,
                     const char *message)
{
    struct run_findings *findings = context;
    if (told_first(&findings->hazards, kind, hazard_key(kind, insn, findings->core, message)))
        findings_add(findings, kind, findings->seq, insn->line, message);
    else
        findings->result->hazard_count++;
}

static void note_add(struct run_findings *findings, uint32_t seq, uint32_t line,
                     const char *message)
{
    const struct hazard_record note = {
        .core = findings->core,
        .seq = seq,
        .line = line,
        .message = message,
    };
    if (run_note_add(findings->result, &note, findings->arena) != STATUS_OK)
        findings->status = STATUS_NO_MEMORY;
}

void findings_note(void *context, const struct insn *insn, const char *message)
{
    struct run_findings *findings = context;
    uint64_t place = finding_key((const uint64_t[]){insn->line, insn->opcode, findings->core}, 3);
    if (told_first(&findings->notes, 0, words_key(place, message)))
        note_add(findings, findings->seq, insn->line, message);
}

void findings_take(void *context, const struct finding *finding)
{
    struct run_findings *findings = context;
    const struct insn_ref *where = &finding->where;
    bool first = finding->note ? told_first(&findings->notes, 0, finding->key | 1)
                               : told_first(&findings->hazards, finding->kind, finding->key | 1);
    if (finding->note && first)
        note_add(findings, where->seq, where->line, finding->message);
    else if (first)
        findings_add(findings, finding->kind, where->seq, where->line, finding->message);
    else if (!finding->note)
        findings->result->hazard_count++;
}
