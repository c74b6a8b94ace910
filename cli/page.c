#include "cli/page.h"

#include "cli/text.h"

enum { LABEL_COLUMNS = 11 };

struct page page_stdout(struct arena *arena)
{
    struct page page = {.stream = stdout, .arena = arena, .terminal = terminal_look(stdout, 0)};
    page.width = page.terminal.width > TERMINAL_WIDTH ? page.terminal.width : TERMINAL_WIDTH;
    return page;
}

struct page page_stderr(struct arena *arena)
{
    return (struct page){.stream = stderr,
                         .arena = arena,
                         .terminal = {.width = TERMINAL_WIDTH},
                         .width = TERMINAL_WIDTH};
}

const char *page_style(const struct page *page, enum terminal_style style)
{
    return terminal_style(&page->terminal, style);
}

void page_sentence(const struct page *page, enum terminal_style style, const char *text)
{
    const char *begin = style == STYLE_PLAIN ? "" : page_style(page, style);
    const char *end = style == STYLE_PLAIN ? "" : page_style(page, STYLE_PLAIN);
    const char *rest = text;
    while (*rest != '\0')
        fprintf(page->stream, "%s%s%s\n", begin, text_line(page->arena, &rest, page->width), end);
}

void page_field(const struct page *page, const char *label, const char *text)
{
    text_print_wrapped(page->stream, page->arena, label, LABEL_COLUMNS, text, page->width);
}
