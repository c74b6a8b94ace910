/*
 * Binary data inside a page: little-endian words, compressed (zlib), as base64 text.
 *
 * Written as it comes; the memory that it needs does not grow. Browsers open it with atob and
 * DecompressionStream('deflate').
 *
 *     status = packed_open(&packed, &output, &diag);
 *     packed_word(&packed, rows);
 *     packed_bytes(&packed, text, length);
 *     status = packed_close(&packed, &diag);
 */
#ifndef CUBESIM_TRACES_PACKED_H
#define CUBESIM_TRACES_PACKED_H

#include <stddef.h>
#include <stdint.h>

#include "engine/base/diag.h"
#include "traces/output.h"

struct packed;

/* NO_MEMORY with a problem; then *packed is NULL. output is borrowed. */
enum status packed_open(struct output *output, struct diag *diag,
                        struct packed **packed) MUST_CHECK;

void packed_bytes(struct packed *packed, const void *bytes, size_t count);
void packed_word(struct packed *packed, uint32_t word);
void packed_words(struct packed *packed, const uint32_t *words, size_t count);

/* Writes what is left and releases it. NULL is fine. */
void packed_close(struct packed *packed);

/* Base64 of a few bytes. */
void output_base64(struct output *output, const uint8_t *bytes, size_t count);

#endif
