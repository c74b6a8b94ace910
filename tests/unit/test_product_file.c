/* Product files: what is refused, with which words and at which place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/product_sample.h"

/* Edits of shipped files, each with the messages that it must give, joined by bars. */
static const struct {
    const char *soc, *from, *to;
    const char *at; /* the place is where this stands first */
    const char *message;
} faults[] = {
    {"ascend910b1", "  clock: {value: 1850 MHz", "  clock: {value: 1850", "1850",
     "1850 has no unit; expected '1850 MHz'"},
    {"ascend910b1", "  cores:", "  corse:", "corse", "unknown key 'corse'; expected 'cores'"},
    {"ascend910b1", "value: 24, basis: vendor", "value: 24, basis: rumour", "rumour",
     "found 'rumour'; expected 'vendor', 'measured', 'fitted' or 'guess'"},
    {"ascend910b1", "value: 24, basis: vendor", "value: 24, base: vendor", "base: vendor",
     "unknown key 'base'; expected 'basis'"},
    {"ascend910b1", "value: 24,", "value: 2000,", "2000",
     "found '2000' for chip.cores; expected 1 to 1024"},
    {"ascend910b1", "high: 512 B/cycle", "high: 255 B/cycle", "255 B/cycle",
     "found high 255 B/cycle; expected at least the value 256 B/cycle"},
    {"ascend910b1", "low: 31.7 B/cycle", "low: 33 B/cycle", "33 B/cycle",
     "found low 33 B/cycle; expected at most the value 32 B/cycle"},
    {"ascend910b1", "low: 31.7 B/cycle", "low: 31.7 cycles", "31.7 cycles",
     "found '31.7 cycles'; expected a rate such as '256 B/cycle' or '1.6 TB/s'"},
    {"ascend910b1", "low: 31.7 B/cycle", "low: 0.5 B/cycle", "0.5 B/cycle",
     "found '0.5 B/cycle' for gm.rate; expected 1 B/cycle to 65536 B/cycle"},
    {"ascend910b1", "soc: ascend910b1\n", "", "alias",
     "found no key 'soc'; expected it in this map"},
    {"ascend910b1", "soc: ascend910b1", "soc: \"\"", "\"\"",
     "found no text for 'soc'; expected the name of the SoC"},
    {"ascend910b1", "arch: dav-2201", "arch: dav-2200", "dav-2200",
     "found 'dav-2200'; expected 'dav-2201' (one of 'dav-1001', 'dav-2002', 'dav-2201', "
     "'dav-3002' or 'dav-3510')"},
    {"ascend910b1", "\nhost:", "\nghost:", "ghost", "unknown key 'ghost'; expected 'host'"},
    {"ascend910b1", "\narch:", "\narhc:", "arhc", "unknown key 'arhc'; expected 'arch'"},
    {"ascend310p3",
     "\nsync:", "\nfixp:\n  copy: {value: 1 cycles, basis: guess, source: \"a\"}\n\nsync:",
     "{value: 1 cycles, basis: guess, source: \"a\"}",
     "found key 'fixp.copy'; expected none, because dav-2002 has no fixpipe"},
    {"ascend310b1",
     "\nsync:", "\nbt:\n  size: {value: 1 KiB, basis: guess, source: \"a\"}\n\nsync:",
     "{value: 1 KiB, basis: guess, source: \"a\"}",
     "found key 'bt.size'; expected none, because dav-3002 has no bias table"},
    {"ascend910b1", "source: \"CANN 8.1 platform file Ascend910B1.ini, cube cores\"",
     "source: \"\"", "\"\"}", "found no text for 'source'; expected where the number comes from"},
};

static void test_one_fault_in_a_file_gives_one_message_at_its_place(void **state)
{
    char text[TEXT_BYTES];

    (void)state;
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        struct folder folder;
        struct sample sample;
        char path[PATH_BYTES];
        uint32_t line, column;

        (void)snprintf(path, sizeof path, "configs/products/%s.yaml", faults[i].soc);
        text_read(path, text);
        text_replace(text, faults[i].from, faults[i].to);
        text_locate(text, faults[i].at, &line, &column);
        folder_init(&folder);
        assert_int_equal(sample_read(&sample, folder_write(&folder, "broken.yaml", text)),
                         STATUS_BAD_INPUT);

        const char *all = sample.diag.problems[0].message;
        for (size_t at = 1; at < sample.diag.count; at++)
            all = arena_format(&sample.arena, "%s|%s", all, sample.diag.problems[at].message);
        assert_string_equal(all, faults[i].message);
        assert_string_equal(sample.diag.problems[0].place.source->name, folder.file[0]);
        assert_int_equal(sample.diag.problems[0].place.line, line);
        assert_int_equal(sample.diag.problems[0].place.column, column);
        sample_deinit(&sample);
        folder_deinit(&folder);
    }
}

static void test_a_missing_section_names_each_key_that_is_missing(void **state)
{
    char text[TEXT_BYTES];
    struct folder folder;
    struct sample sample;

    (void)state;
    text_read("configs/products/ascend910b1.yaml", text);
    char *fixp = strstr(text, "\nfixp:");
    char *next = strstr(text, "\nmte3:");
    assert_true(fixp != NULL && next > fixp);
    memmove(fixp, next, strlen(next) + 1);
    folder_init(&folder);
    assert_int_equal(sample_read(&sample, folder_write(&folder, "a.yaml", text)), STATUS_BAD_INPUT);
    assert_int_equal(sample.diag.count, 12);
    sample_assert_message(
        &sample, 0, "key 'fixp.copy' is missing; expected a time such as '28 cycles' or '120 ns'");
    sample_assert_message(&sample, 1,
                          "key 'fixp.port' is missing; expected a rate such as '256 B/cycle' or "
                          "'1.6 TB/s'");
    sample_assert_message(&sample, 8,
                          "key 'fixp.unit_flag' is missing; expected a time such as '28 cycles' or "
                          "'120 ns'");
    sample_deinit(&sample);
    folder_deinit(&folder);
}

static void test_all_problems_of_a_file_are_reported(void **state)
{
    char text[TEXT_BYTES];
    struct folder folder;
    struct sample sample;

    (void)state;
    text_read("configs/products/ascend950pr_9589.yaml", text);
    text_replace(text, "value: 1650 MHz", "value: fast");
    text_replace(text, "value: 512 KiB", "value: 512");
    text_replace(text, "value: 84 cycles", "value: 84 B");
    text_replace(text, "  copy: {value: 195 cycles, basis: fitted", "  copy: {value: 195 cycles");
    text_replace(text, "  event_ids: {value: 8", "  event_ids: {value: 16");
    text_replace(text, "\nhost:", "\nsurprise: 1\n\nhost:");
    folder_init(&folder);
    assert_int_equal(sample_read(&sample, folder_write(&folder, "a.yaml", text)), STATUS_BAD_INPUT);
    assert_int_equal(sample.diag.count, 6);
    sample_deinit(&sample);
    folder_deinit(&folder);
}

static void test_a_repeated_key_and_a_file_that_is_no_map_are_refused(void **state)
{
    char text[TEXT_BYTES];
    struct folder folder;
    struct sample sample;

    (void)state;
    folder_init(&folder);
    text_read("configs/products/ascend910b1.yaml", text);
    text_replace(text, "alias: atlas-a2\n", "alias: atlas-a2\nalias: atlas-a3\n");
    assert_int_equal(sample_read(&sample, folder_write(&folder, "a.yaml", text)), STATUS_BAD_INPUT);
    assert_int_equal(sample.diag.count, 1);
    assert_int_equal(sample.diag.problems[0].place.line, 3);
    sample_deinit(&sample);

    assert_int_equal(sample_read(&sample, folder_write(&folder, "b.yaml", "- 1\n- 2\n")),
                     STATUS_BAD_INPUT);
    assert_int_equal(sample.diag.count, 1);
    sample_deinit(&sample);

    assert_int_equal(sample_read(&sample, folder_write(&folder, "c.yaml", "mte1: fast\n")),
                     STATUS_BAD_INPUT);
    sample_assert_message(
        &sample, sample.diag.count - 1,
        "found 'fast'; expected a map with keys such as 'l1_to_l0a', 'l1_to_l0b', "
        "'issue', 'switch', 'contention', 'latency', 'load3d' or 'l1_to_bt'");
    sample_deinit(&sample);
    folder_deinit(&folder);
}

static void test_other_numbers_may_be_written_in_seconds_of_the_own_clock(void **state)
{
    char text[TEXT_BYTES];
    struct folder folder;
    struct sample sample;

    (void)state;
    text_read("configs/products/ascend910a.yaml", text);
    text_replace(text, "rate: {value: 32 B/cycle", "rate: {value: 34 GB/s");
    text_replace(text, "copy: {value: 40 cycles", "copy: {value: 50 ns");
    folder_init(&folder);
    sample_load(&sample, folder_write(&folder, "a.yaml", text));
    assert_int_equal(product_whole(&sample.product, PRODUCT_GM_RATE), 34);
    assert_int_equal(product_whole(&sample.product, PRODUCT_MTE2_COPY), 50);
    sample_deinit(&sample);
    folder_deinit(&folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_fault_in_a_file_gives_one_message_at_its_place),
        cmocka_unit_test(test_a_missing_section_names_each_key_that_is_missing),
        cmocka_unit_test(test_all_problems_of_a_file_are_reported),
        cmocka_unit_test(test_a_repeated_key_and_a_file_that_is_no_map_are_refused),
        cmocka_unit_test(test_other_numbers_may_be_written_in_seconds_of_the_own_clock),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
