#include "traces/output.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

void output_init(struct output *output, FILE *file)
{
    output->file = file;
    output->error = 0;
    output->used = 0;
}

static void output_drain(struct output *output)
{
    errno = 0;
    if (output->error == 0 && fwrite(output->buffer, 1, output->used, output->file) != output->used)
        output->error = errno != 0 ? errno : EIO;
    output->used = 0;
}

void output_bytes(struct output *output, const char *bytes, size_t count)
{
    if (count < sizeof output->buffer - output->used) {
        memcpy(output->buffer + output->used, bytes, count);
        output->used += count;
        return;
    }
    while (count > 0) {
        size_t room = sizeof output->buffer - output->used;
        size_t piece = count < room ? count : room;
        memcpy(output->buffer + output->used, bytes, piece);
        output->used += piece;
        bytes += piece;
        count -= piece;
        if (output->used == sizeof output->buffer)
            output_drain(output);
    }
}

void output_text(struct output *output, const char *text)
{
    output_bytes(output, text, strlen(text));
}

void output_number(struct output *output, uint64_t number)
{
    char digits[20];
    size_t at = sizeof digits;
    do {
        digits[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    output_bytes(output, digits + at, sizeof digits - at);
}

void output_thousandths(struct output *output, uint64_t thousandths)
{
    uint64_t rest = thousandths % 1000;
    const char places[] = {'.', (char)('0' + rest / 100), (char)('0' + rest / 10 % 10),
                           (char)('0' + rest % 10)};
    output_number(output, thousandths / 1000);
    output_bytes(output, places, sizeof places);
}

static const char replacement[] = "\xEF\xBF\xBD"; /* U+FFFD */

/* Stands for itself in every format. */
static bool is_plain(char c)
{
    return c >= ' ' && c < 0x7F && c != '"' && c != '\\' && c != '&' && c != '<' && c != '>';
}

/* How one character is written in a format: its escape in room, or NULL when it stands for
 * itself. */
typedef const char *escape_character(uint32_t code, char room[8]);

static void output_escaped(struct output *output, const char *text, escape_character *escape)
{
    /* Most texts stand for themselves. */
    size_t plain = 0;
    while (is_plain(text[plain]))
        plain++;
    output_bytes(output, text, plain);
    text += plain;
    size_t left = strlen(text);
    while (left > 0) {
        char room[8];
        uint32_t code = 0;
        size_t length = utf8_decode(text, left, &code);
        const char *written = length == 0 ? replacement : escape(code, room);
        if (written != NULL)
            output_text(output, written);
        else
            output_bytes(output, text, length);
        text += length == 0 ? 1 : length;
        left -= length == 0 ? 1 : length;
    }
}

static const char *escape_json(uint32_t code, char room[8])
{
    if (code == '"')
        return "\\\"";
    if (code == '\\')
        return "\\\\";
    if (code >= 0x20)
        return NULL;
    snprintf(room, 8, "\\u%04x", (unsigned int)code);
    return room;
}

void output_json(struct output *output, const char *text)
{
    output_text(output, "\"");
    output_escaped(output, text, escape_json);
    output_text(output, "\"");
}

static const char *escape_json_for_html(uint32_t code, char room[8])
{
    return code == '<' ? "\\u003c" : escape_json(code, room);
}

void output_json_for_html(struct output *output, const char *text)
{
    output_text(output, "\"");
    output_escaped(output, text, escape_json_for_html);
    output_text(output, "\"");
}

static const char *escape_xml(uint32_t code, char room[8])
{
    (void)room;
    switch (code) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\t':
    case '\n':
        return NULL;
    case 0xFFFE:
    case 0xFFFF:
        return replacement;
    default:
        return code < 0x20 ? replacement : NULL;
    }
}

void output_xml(struct output *output, const char *text)
{
    output_escaped(output, text, escape_xml);
}

void output_csv(struct output *output, const char *text)
{
    if (text[strcspn(text, ",\"\r\n")] == '\0') {
        output_text(output, text);
        return;
    }
    output_text(output, "\"");
    for (const char *quote = NULL; (quote = strchr(text, '"')) != NULL; text = quote + 1) {
        output_bytes(output, text, (size_t)(quote - text) + 1);
        output_text(output, "\"");
    }
    output_text(output, text);
    output_text(output, "\"");
}

enum status output_status(const struct output *output)
{
    return output->error == 0 ? STATUS_OK : STATUS_IO;
}

enum status output_finish(struct output *output, const char *target, struct diag *diag)
{
    output_drain(output);
    errno = 0;
    if (output->error == 0 && fflush(output->file) != 0)
        output->error = errno != 0 ? errno : EIO;
    if (output->error == 0)
        return STATUS_OK;
    return diag_add(diag, STATUS_IO, place_none(), "cannot write %s: %s", target,
                    strerror(output->error));
}
