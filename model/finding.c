#include "model/finding.h"

#include <stdarg.h>
#include <stdio.h>

enum { MESSAGE_BYTES = 640 };

void finding_tell(const struct finding_sink *sink, const struct finding *finding,
                  const char *format, ...)
{
    char message[MESSAGE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    struct finding told = *finding;
    told.message = message;
    sink->take(sink->context, &told);
}

uint64_t finding_key(const uint64_t *values, size_t count)
{
    uint64_t key = UINT64_C(0xCBF29CE484222325);
    for (size_t i = 0; i < count; i++) {
        key = (key ^ values[i]) * UINT64_C(0x9E3779B97F4A7C15);
        key ^= key >> 32;
    }
    return key;
}

struct finding finding_about(enum hazard_kind kind, const struct insn_ref *where, uint64_t number)
{
    const uint64_t values[] = {kind, where->opcode, where->line, number};
    return (struct finding){
        .kind = kind,
        .where = *where,
        .key = finding_key(values, sizeof values / sizeof values[0]),
    };
}
