#include "traces/packed.h"

#include <assert.h>
#include <string.h>

#include <zlib.h>

#include "engine/base/arena.h"

enum { IN_BYTES = 1 << 16, OUT_BYTES = 3 << 14 }; /* OUT_BYTES is a whole number of base64 groups */
_Static_assert(OUT_BYTES % 3 == 0, "pieces of base64 join without padding");

struct packed {
    struct output *output;
    z_stream stream;
    size_t used;
    uint8_t in[IN_BYTES];
    uint8_t out[OUT_BYTES];
};

static const char base64_digits[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void output_base64(struct output *output, const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i += 3) {
        size_t left = count - i;
        uint32_t group = (uint32_t)bytes[i] << 16 | (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
                         (left > 2 ? bytes[i + 2] : 0);
        char text[4];
        for (size_t digit = 0; digit < 4; digit++)
            text[digit] = base64_digits[group >> (18 - 6 * digit) & 63];
        if (left < 3)
            text[3] = '=';
        if (left < 2)
            text[2] = '=';
        output_bytes(output, text, sizeof text);
    }
}

enum status packed_open(struct output *output, struct diag *diag, struct packed **packed)
{
    size_t capacity = 0;
    struct packed *made = array_grow(NULL, &capacity, 1, sizeof *made);
    *packed = NULL;
    if (made != NULL) {
        memset(made, 0, sizeof *made);
        made->output = output;
        made->stream.next_out = made->out;
        made->stream.avail_out = OUT_BYTES;
    }
    if (made == NULL || deflateInit(&made->stream, Z_DEFAULT_COMPRESSION) != Z_OK) {
        array_release(made);
        return diag_add(diag, STATUS_NO_MEMORY, place_none(), "memory ran out");
    }
    *packed = made;
    return STATUS_OK;
}

static void drain(struct packed *packed)
{
    output_base64(packed->output, packed->out, OUT_BYTES - packed->stream.avail_out);
    packed->stream.next_out = packed->out;
    packed->stream.avail_out = OUT_BYTES;
}

/* Compresses what waits in the buffer. */
static void deflate_in(struct packed *packed, int flush)
{
    z_stream *stream = &packed->stream;
    int code = Z_OK;
    stream->next_in = packed->in;
    stream->avail_in = (uInt)packed->used;
    do {
        code = deflate(stream, flush);
        assert(code != Z_STREAM_ERROR);
        if (stream->avail_out == 0)
            drain(packed);
    } while (flush == Z_FINISH ? code != Z_STREAM_END : stream->avail_in > 0);
    packed->used = 0;
}

void packed_bytes(struct packed *packed, const void *bytes, size_t count)
{
    const uint8_t *from = bytes;
    while (count > 0) {
        size_t room = IN_BYTES - packed->used, piece = count < room ? count : room;
        memcpy(packed->in + packed->used, from, piece);
        packed->used += piece;
        from += piece;
        count -= piece;
        if (packed->used == IN_BYTES)
            deflate_in(packed, Z_NO_FLUSH);
    }
}

void packed_word(struct packed *packed, uint32_t word)
{
    const uint8_t bytes[] = {(uint8_t)word, (uint8_t)(word >> 8), (uint8_t)(word >> 16),
                             (uint8_t)(word >> 24)};
    packed_bytes(packed, bytes, sizeof bytes);
}

void packed_words(struct packed *packed, const uint32_t *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        packed_word(packed, words[i]);
}

void packed_close(struct packed *packed)
{
    if (packed == NULL)
        return;
    deflate_in(packed, Z_FINISH);
    drain(packed);
    (void)deflateEnd(&packed->stream);
    array_release(packed);
}
