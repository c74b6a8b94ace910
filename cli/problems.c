#include "cli/problems.h"

#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "cli/terminal.h"
#include "cli/text.h"

enum { MORE_INDENT = 4, ROOM_MIN = 20 };

/* Bytes of text for a line of width columns. */
static size_t piece_length(const char *text, size_t width)
{
    size_t length = text_break(text, width), clause = 0;
    if (text[length] == '\0')
        return length;
    for (size_t at = 0; at + 1 < length; at++)
        if (text[at] == ';' && text[at + 1] == ' ' && 2 * at >= width)
            clause = at + 1;
    return clause > 0 ? clause : length;
}

/* A problem on stderr is one line for programs, and wrapped only for the eyes of a person. */
static bool stream_wraps(FILE *stream)
{
    return stream != stderr || isatty(STDERR_FILENO);
}

static size_t piece_columns(const char *text, size_t length)
{
    return text_columns(text) - text_columns(text + length);
}

/* Prints text where so many columns of a line are filled, without closing its last line; returns
 * the columns that are filled then. */
static size_t print_pieces(FILE *stream, size_t filled, const char *text)
{
    while (true) {
        size_t room = filled + ROOM_MIN < TERMINAL_WIDTH ? TERMINAL_WIDTH - filled : ROOM_MIN;
        size_t length = piece_length(text, room);
        const char *rest = text + length + strspn(text + length, " ");
        while (length > 0 && text[length - 1] == ' ')
            length--;
        fprintf(stream, "%.*s", (int)length, text);
        if (*rest == '\0')
            return filled + piece_columns(text, length);
        fprintf(stream, "\n%*s", MORE_INDENT, "");
        filled = MORE_INDENT;
        text = rest;
    }
}

/* Prints text behind what already fills so many columns of a line. */
static void print_wrapped(FILE *stream, size_t filled, const char *text)
{
    if (stream_wraps(stream))
        print_pieces(stream, filled, text);
    else
        fputs(text, stream);
    fputc('\n', stream);
}

void message_print(FILE *stream, const char *head, const char *text)
{
    if (!stream_wraps(stream)) {
        fprintf(stream, "%s%s\n", head, text);
        return;
    }
    size_t filled = print_pieces(stream, 0, head), word = strcspn(text, " ");
    size_t room = word > ROOM_MIN ? piece_columns(text, word) : ROOM_MIN;
    if (filled + 1 + room > TERMINAL_WIDTH && filled + 1 + text_columns(text) > TERMINAL_WIDTH) {
        fprintf(stream, "\n%*s", MORE_INDENT, "");
        filled = MORE_INDENT;
    } else if (filled > 0) {
        fputc(' ', stream);
        filled++;
    }
    print_wrapped(stream, filled, text);
}

static const char *problem_source(const struct problem *problem)
{
    return problem->place.source != NULL ? problem->place.source->name : NULL;
}

/* The one file that all problems are in, or NULL. */
static const char *common_file(const struct diag *diag)
{
    const char *common = problem_source(&diag->problems[0]);
    for (size_t i = 1; i < diag->count && common != NULL; i++) {
        const char *name = problem_source(&diag->problems[i]);
        if (name == NULL || strcmp(name, common) != 0)
            common = NULL;
    }
    return common != NULL && strncmp(common, "--", 2) == 0 ? NULL : common;
}

/* Place and message, then the source line with its caret, then notes. */
static void problem_list(FILE *stream, struct diag *diag, size_t index, const char *command)
{
    const struct problem *problem = &diag->problems[index];
    const char *name = problem_source(problem), *text = diag_text(diag, index);
    size_t first = strcspn(text, "\n"), excerpt_lines = problem->excerpt != NULL ? 2 : 0;
    size_t message = strcspn(problem->message, "\n");
    size_t place = first > message ? first - message : 0;
    /* An option without a place inside it is told as argp tells it. */
    bool placed = name != NULL && (problem->place.line > 0 || strncmp(name, "--", 2) != 0);
    const char *head = text_format(&diag->arena, "%s%s%.*s", placed ? "" : command,
                                   placed ? "" : ": ", (int)place, text);
    message_print(stream, head,
                  text_format(&diag->arena, "%.*s", (int)(first - place), text + place));
    for (text += first; *text == '\n'; text += first) {
        text++;
        first = strcspn(text, "\n");
        const char *line = text_format(&diag->arena, "%.*s", (int)first, text);
        size_t indent = strspn(line, " ");
        if (excerpt_lines > 0) {
            fprintf(stream, "%s\n", line);
            excerpt_lines--;
        } else {
            fprintf(stream, "%*s", (int)indent, "");
            print_wrapped(stream, indent, line + indent);
        }
    }
}

void problems_list(FILE *stream, struct diag *diag, const char *command)
{
    for (size_t i = 0; i < diag->count; i++)
        problem_list(stream, diag, i, command);
}

int problems_print(struct diag *diag, const char *command, enum status status)
{
    problems_list(stderr, diag, command);
    if (diag->count > 1) {
        const char *file = common_file(diag);
        bool all = diag->count < DIAG_PROBLEMS_MAX;
        fprintf(stderr, "%s%s problems%s%s%s\n", all ? "" : "the first ",
                text_number(&diag->arena, diag->count), file != NULL ? " in " : "",
                file != NULL ? file : "", all ? "" : "; more were not looked for");
    }
    status = diag_graver(diag_status(diag), status);
    if (diag->count == 0 && status != STATUS_OK)
        fprintf(stderr, "%s: %s\n", command, status_sentence(status));
    return status_exit_code(status);
}
