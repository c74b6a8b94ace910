/*
 * A program as text: all its lines in the order in which they are read again (program_format_lines
 * of program_text.h).
 *
 * Lines are printed into one buffer of the arena, which is replaced by a larger one when a line
 * does not fit; the sink sees it only during its call.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "isa/program_format.h"
#include "isa/program_text.h"

enum { LINE_BYTES = 1024 };

/* Where lines go, and room for one of them. */
struct printer {
    const struct program *program;
    struct arena *arena;
    line_sink *sink;
    void *context;
    char *buffer;
    size_t size_bytes;
    bool stopped; /* by the sink */
    enum status status;
};

static bool printer_ends(const struct printer *printer)
{
    return printer->stopped || printer->status != STATUS_OK;
}

/* Prints a line that needs `length` bytes and was printed, or has to be printed again into a larger
 * buffer: then the answer is false. */
static bool line_fits(struct printer *printer, size_t length)
{
    if (length < printer->size_bytes) {
        printer->stopped = !printer->sink(printer->context, printer->buffer);
        return true;
    }
    size_t size_bytes = 2 * (length + 1);
    char *buffer = arena_take(printer->arena, size_bytes, 1);
    if (buffer == NULL) {
        printer->status = STATUS_NO_MEMORY;
        return true;
    }
    printer->buffer = buffer;
    printer->size_bytes = size_bytes;
    return false;
}

/* The lines that several of a kind take: regions or dumps. */
static void print_list(struct printer *printer, uint32_t count,
                       size_t (*format)(const struct program *program, uint32_t index, char *buffer,
                                        size_t size))
{
    for (uint32_t i = 0; i < count && !printer_ends(printer); i++) {
        while (!line_fits(printer,
                          format(printer->program, i, printer->buffer, printer->size_bytes))) {
        }
    }
}

/* A core that is printed alone becomes core 0 of a program of its own. */
static void print_core(struct printer *printer, uint32_t core, bool alone)
{
    const struct program *program = printer->program;
    struct insn insn;
    void *stream = program->open(program->context, core, printer->arena);
    if (stream == NULL) {
        printer->status = STATUS_NO_MEMORY;
        return;
    }
    if (alone) {
        (void)snprintf(printer->buffer, printer->size_bytes, "# core %" PRIu32 " of %" PRIu32, core,
                       program->core_count);
        printer->stopped = !printer->sink(printer->context, printer->buffer);
    }
    (void)snprintf(printer->buffer, printer->size_bytes, ".core %" PRIu32, alone ? 0 : core);
    printer->stopped = printer->stopped || !printer->sink(printer->context, printer->buffer);
    while (!printer_ends(printer) && program->next(stream, &insn)) {
        while (!line_fits(
            printer, program_format_insn(program, &insn, printer->buffer, printer->size_bytes))) {
        }
    }
    if (!printer_ends(printer)) {
        printer->status = program->ended(stream);
    }
}

enum status program_format_lines(const struct program *program, uint32_t core, struct arena *arena,
                                 line_sink *sink, void *context)
{
    struct printer printer = {.program = program, .arena = arena, .sink = sink, .context = context};
    printer.buffer = arena_take(arena, LINE_BYTES, 1);
    printer.size_bytes = LINE_BYTES;
    if (printer.buffer == NULL) {
        return STATUS_NO_MEMORY;
    }
    while (
        !line_fits(&printer, program_format_product(program, printer.buffer, printer.size_bytes))) {
    }
    print_list(&printer, program->region_count, program_format_region);
    if (program_format_l2(program, NULL, 0) > 0) {
        while (
            !line_fits(&printer, program_format_l2(program, printer.buffer, printer.size_bytes))) {
        }
    }
    for (uint32_t i = 0; i < program->core_count && !printer_ends(&printer); i++) {
        if (core == CORES_ALL || core == i) {
            print_core(&printer, i, core != CORES_ALL);
        }
    }
    print_list(&printer, program->dump_count, program_format_dump);
    return printer.status;
}

/* Text that grows outside the arena until it is whole. */
struct text {
    char *bytes; /* array_grow */
    size_t capacity, length;
    bool failed;
};

static bool text_append(void *context, const char *line)
{
    struct text *text = context;
    size_t length = strlen(line);
    char *bytes = array_grow(text->bytes, &text->capacity, text->length + length + 1, 1);
    text->failed = bytes == NULL;
    if (bytes != NULL) {
        memcpy(bytes + text->length, line, length);
        bytes[text->length + length] = '\n';
        text->bytes = bytes;
        text->length += length + 1;
    }
    return !text->failed;
}

const char *program_format(const struct program *program, struct arena *arena)
{
    struct text text = {.bytes = NULL};
    enum status status = program_format_lines(program, CORES_ALL, arena, text_append, &text);
    const char *whole = NULL;
    if (status == STATUS_OK && !text.failed) {
        whole = arena_text(arena, text.bytes, text.length);
    }
    array_release(text.bytes);
    return whole;
}
