#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/output.h"

static struct output output;
static char written[3 * OUTPUT_BUFFER_BYTES];

static void output_begin(FILE **file)
{
    *file = tmpfile();
    assert_non_null(*file);
    output_init(&output, *file);
}

static void assert_written(FILE *file, const char *expected)
{
    assert_int_equal(output_finish(&output, "a file", NULL), STATUS_OK);
    rewind(file);
    written[fread(written, 1, sizeof written - 1, file)] = '\0';
    assert_string_equal(written, expected);
    fclose(file);
}

static void numbers_are_exact_to_the_last_digit(void **state)
{
    (void)state;
    FILE *file = NULL;
    output_begin(&file);
    output_number(&output, 0);
    output_text(&output, " ");
    output_number(&output, UINT64_MAX);
    output_text(&output, " ");
    output_thousandths(&output, 0);
    output_text(&output, " ");
    output_thousandths(&output, 1234);
    output_text(&output, " ");
    output_thousandths(&output, 9000070);
    output_text(&output, " ");
    output_thousandths(&output, 1670000000000000001);
    assert_written(file, "0 18446744073709551615 0.000 1.234 9000.070 1670000000000000.001");
}

static void json_escapes_quotes_backslashes_controls_and_what_is_no_utf8(void **state)
{
    (void)state;
    FILE *file = NULL;
    output_begin(&file);
    output_json(&output, "a\"b\\c\n\x01 \xC3\xA9 \xFF\xC3 </script>");
    assert_written(file,
                   "\"a\\\"b\\\\c\\u000a\\u0001 \xC3\xA9 \xEF\xBF\xBD\xEF\xBF\xBD </script>\"");
}

static void csv_quotes_only_what_needs_quotes(void **state)
{
    (void)state;
    static const char *const fields[] = {"plain text", "",   "a,b",
                                         "say \"hi\"", "\"", "two\r\nlines"};
    FILE *file = NULL;
    output_begin(&file);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        output_csv(&output, fields[i]);
        output_text(&output, ";");
    }
    assert_written(file, "plain text;;\"a,b\";\"say \"\"hi\"\"\";\"\"\"\";\"two\r\nlines\";");
}

static void xml_escapes_markup_and_drops_characters_that_xml_has_not(void **state)
{
    (void)state;
    FILE *file = NULL;
    output_begin(&file);
    output_xml(&output, "<a & \"b\">\x01\xEF\xBF\xBF\xC3\x28");
    assert_written(file, "&lt;a &amp; &quot;b&quot;&gt;\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD(");
}

static void text_longer_than_the_buffer_comes_out_whole(void **state)
{
    (void)state;
    static char text[2 * OUTPUT_BUFFER_BYTES + 5];
    for (size_t i = 0; i + 1 < sizeof text; i++)
        text[i] = (char)('a' + i % 23);
    FILE *file = NULL;
    output_begin(&file);
    output_text(&output, text);
    assert_written(file, text);
}

static void a_write_that_failed_is_told_once_and_stops_the_rest(void **state)
{
    (void)state;
    struct diag diag;
    diag_init(&diag);
    FILE *file = fopen("/dev/full", "wb");
    assert_non_null(file);
    output_init(&output, file);
    assert_int_equal(output_status(&output), STATUS_OK);
    for (size_t i = 0; i < OUTPUT_BUFFER_BYTES; i++)
        output_text(&output, "xy");
    assert_int_equal(output_status(&output), STATUS_IO);
    assert_int_equal(output_finish(&output, "'that file'", &diag), STATUS_IO);
    assert_int_equal(diag.count, 1);
    assert_string_equal(diag.problems[0].message,
                        "cannot write 'that file': No space left on device");
    fclose(file);
    diag_deinit(&diag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_exact_to_the_last_digit),
        cmocka_unit_test(json_escapes_quotes_backslashes_controls_and_what_is_no_utf8),
        cmocka_unit_test(csv_quotes_only_what_needs_quotes),
        cmocka_unit_test(xml_escapes_markup_and_drops_characters_that_xml_has_not),
        cmocka_unit_test(text_longer_than_the_buffer_comes_out_whole),
        cmocka_unit_test(a_write_that_failed_is_told_once_and_stops_the_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
