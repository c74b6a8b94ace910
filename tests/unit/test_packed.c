/*
 * Packed data: base64 of a zlib stream of little-endian words.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "engine/base/arena.h"
#include "traces/packed.h"

enum { WORDS = 100003 };

/* What was written to a file, as text of the heap. */
static char *written(FILE *file)
{
    long size = ftell(file);
    char *text = calloc((size_t)size + 1, 1);
    assert_non_null(text);
    rewind(file);
    assert_int_equal(fread(text, 1, (size_t)size, file), (size_t)size);
    fclose(file);
    return text;
}

static uint8_t digit_value(char digit)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = strchr(digits, digit);
    assert_true(digit != '\0' && at != NULL);
    return (uint8_t)(at - digits);
}

/* Decodes in place; padding may stand at the end alone. */
static size_t decode(char *text)
{
    size_t length = strlen(text), bytes = 0;
    assert_int_equal(length % 4, 0);
    while (length > 0 && text[length - 1] == '=')
        length--;
    uint32_t bits = 0, have = 0;
    for (size_t i = 0; i < length; i++) {
        bits = bits << 6 | digit_value(text[i]);
        have += 6;
        if (have >= 8) {
            have -= 8;
            text[bytes++] = (char)(uint8_t)(bits >> have);
        }
    }
    return bytes;
}

static uint32_t word_at(uint32_t i)
{
    return i * 2654435761U ^ i >> 3;
}

static void words_come_back_from_base64_and_inflate(void **state)
{
    (void)state;
    FILE *file = tmpfile();
    struct output output;
    struct packed *packed = NULL;
    struct diag diag;
    diag_init(&diag);
    output_init(&output, file);
    assert_int_equal(packed_open(&output, &diag, &packed), STATUS_OK);
    for (uint32_t i = 0; i < WORDS; i++)
        packed_word(packed, word_at(i));
    packed_bytes(packed, "tail", 4);
    packed_close(packed);
    assert_int_equal(output_finish(&output, "a file", &diag), STATUS_OK);
    char *text = written(file);
    size_t count = decode(text);
    uLongf size = WORDS * 4 + 16;
    uint8_t *bytes = calloc(size, 1);
    assert_int_equal(uncompress(bytes, &size, (const Bytef *)text, count), Z_OK);
    assert_int_equal(size, WORDS * 4 + 4);
    for (uint32_t i = 0; i < WORDS; i++) {
        const uint8_t *at = bytes + (size_t)i * 4;
        uint32_t word =
            at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
        assert_int_equal(word, word_at(i));
    }
    assert_memory_equal(bytes + (size_t)WORDS * 4, "tail", 4);
    free(bytes);
    free(text);
    diag_deinit(&diag);
}

static void no_memory_is_told_and_leaves_nothing(void **state)
{
    (void)state;
    struct output output;
    struct packed *packed = NULL;
    struct diag diag;
    diag_init(&diag);
    output_init(&output, NULL);
    arena_fail_at(1);
    assert_int_equal(packed_open(&output, &diag, &packed), STATUS_NO_MEMORY);
    arena_fail_at(0);
    assert_null(packed);
    packed_close(packed);
    diag_deinit(&diag);
}

static void base64_pads_to_groups_of_four(void **state)
{
    (void)state;
    static const char *const expected[] = {
        "", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"}; /* RFC 4648 section 10 */
    for (size_t count = 0; count <= 6; count++) {
        FILE *file = tmpfile();
        struct output output;
        struct diag diag;
        diag_init(&diag);
        output_init(&output, file);
        output_base64(&output, (const uint8_t *)"foobar", count);
        assert_int_equal(output_finish(&output, "a file", &diag), STATUS_OK);
        char *text = written(file);
        assert_string_equal(text, expected[count]);
        free(text);
        diag_deinit(&diag);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_come_back_from_base64_and_inflate),
        cmocka_unit_test(no_memory_is_told_and_leaves_nothing),
        cmocka_unit_test(base64_pads_to_groups_of_four),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
