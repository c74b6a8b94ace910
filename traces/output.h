/*
 * Text on its way to a file, through a buffer of its own: nothing is kept in memory but that,
 * however much is written. Numbers are exact, texts are escaped as the format of the file asks.
 *
 * After a write has failed nothing more is written; output_finish tells it. Long loops ask
 * output_status now and then, to stop early.
 *
 *     struct output output;
 *     output_init(&output, file);
 *     output_json(&output, row->operands);
 *     status = output_finish(&output, options->target, &diag);
 */
#ifndef CUBESIM_TRACES_OUTPUT_H
#define CUBESIM_TRACES_OUTPUT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "engine/base/diag.h"

enum { OUTPUT_BUFFER_BYTES = 65536 };

struct output {
    FILE *file; /* borrowed */
    int error;  /* errno of the first write that failed; 0: none */
    size_t used;
    char buffer[OUTPUT_BUFFER_BYTES];
};

void output_init(struct output *output, FILE *file);

/* As it is. */
void output_text(struct output *output, const char *text);
void output_bytes(struct output *output, const char *bytes, size_t count);

void output_number(struct output *output, uint64_t number);

/* thousandths / 1000 as an exact decimal with three places: 1234 -> "1.234". */
void output_thousandths(struct output *output, uint64_t thousandths);

/* A JSON string with its quotes. Bytes that are no UTF-8 become U+FFFD. */
void output_json(struct output *output, const char *text);

/* The same without a '<', which could end a script element of HTML. */
void output_json_for_html(struct output *output, const char *text);

/* A field of CSV (RFC 4180), in quotes where it needs them. */
void output_csv(struct output *output, const char *text);

/* Text of XML, also between quotes. Characters that XML cannot have become U+FFFD. */
void output_xml(struct output *output, const char *text);

/* OK, or IO as soon as a write has failed. */
enum status output_status(const struct output *output) MUST_CHECK;

/* Writes out what waits in the buffer and flushes the file. IO, with a problem that names target
 * ("'run.csv'", "standard output"), when anything could not be written. */
enum status output_finish(struct output *output, const char *target, struct diag *diag) MUST_CHECK;

#endif
