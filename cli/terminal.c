#include "cli/terminal.h"

#include <assert.h>
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Lanes and bars grow from the foot and from the left. */
static const char *const blocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
static const char *const bars[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"};

static const char *environment(const char *name)
{
    const char *value = getenv(name);
    return value == NULL ? "" : value;
}

static size_t clamp_width(unsigned long width)
{
    if (width < TERMINAL_WIDTH_MIN)
        return TERMINAL_WIDTH_MIN;
    return width > TERMINAL_WIDTH_MAX ? TERMINAL_WIDTH_MAX : width;
}

static size_t terminal_width(int file)
{
    char *end = NULL;
    const char *text = environment("COLUMNS");
    unsigned long columns = strtoul(text, &end, 10);
    bool is_number = text[0] >= '1' && text[0] <= '9' && *end == '\0';
    if (is_number)
        return clamp_width(columns);
    struct winsize size = {0};
    if (ioctl(file, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return clamp_width(size.ws_col);
    return TERMINAL_WIDTH;
}

/* Only the character type is set: numbers keep their point. */
static bool locale_is_utf8(void)
{
    if (setlocale(LC_CTYPE, "") == NULL)
        return false;
    const char *codeset = nl_langinfo(CODESET);
    return strcasecmp(codeset, "UTF-8") == 0 || strcasecmp(codeset, "UTF8") == 0;
}

struct terminal terminal_look(FILE *stream, size_t width)
{
    int file = fileno(stream);
    bool dumb = strcmp(environment("TERM"), "dumb") == 0;
    return (struct terminal){
        .width = width > 0 ? clamp_width(width) : terminal_width(file),
        .colour = isatty(file) == 1 && environment("NO_COLOR")[0] == '\0' && !dumb,
        .utf8 = locale_is_utf8() && !dumb,
    };
}

const char *terminal_style(const struct terminal *terminal, enum terminal_style style)
{
    static const char *const escape[] = {
        [STYLE_PLAIN] = "\033[0m", [STYLE_BOLD] = "\033[1m",   [STYLE_DIM] = "\033[2m",
        [STYLE_RED] = "\033[31m",  [STYLE_GREEN] = "\033[32m",
    };
    return terminal->colour ? escape[style] : "";
}

const char *terminal_block(const struct terminal *terminal, uint32_t eighths)
{
    assert(eighths >= 1 && eighths <= 8);
    if (terminal->utf8)
        return blocks[eighths];
    if (eighths == 8)
        return "#";
    return eighths >= 4 ? "+" : "-";
}

const char *terminal_wait(const struct terminal *terminal)
{
    return terminal->utf8 ? "·" : ".";
}

const char *terminal_bar(const struct terminal *terminal, double share, size_t columns,
                         struct arena *arena)
{
    assert(share >= 0 && share <= 1);
    size_t eighths = (size_t)(share * 8 * (double)columns + 0.5);
    size_t whole = terminal->utf8 ? eighths / 8 : (eighths + 4) / 8;
    const char *full = terminal->utf8 ? bars[8] : "#";
    const char *rest = terminal->utf8 ? bars[eighths % 8] : "";
    size_t step = strlen(full);
    char *text = arena_take(arena, whole * step + strlen(rest) + 1, 1);
    if (text == NULL)
        return NULL;
    for (size_t i = 0; i < whole; i++)
        memcpy(text + i * step, full, step);
    memcpy(text + whole * step, rest, strlen(rest) + 1);
    return text;
}
