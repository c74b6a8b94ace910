#include "engine/base/status.h"

#include <assert.h>

struct status_row {
    int exit_code;
    const char *sentence;
};

static const struct status_row status_rows[STATUS_COUNT] = {
#define ROW(name, code, sentence) [STATUS_##name] = {code, sentence},
    STATUS_LIST(ROW)
#undef ROW
};

int status_exit_code(enum status status)
{
    assert(status < STATUS_COUNT);
    return status_rows[status].exit_code;
}

const char *status_sentence(enum status status)
{
    assert(status < STATUS_COUNT);
    return status_rows[status].sentence;
}
