#include "engine/base/quantity.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define NO_CLOCK     ((int64_t)0)
#define CLOCK_1850   (1850 * QUANTITY_ONE)
#define CLOCK_1849_5 (1849 * QUANTITY_ONE + QUANTITY_ONE / 2)

static const struct {
    const char *text;
    enum unit unit;
    int64_t clock_mhz;
    int64_t value;
} exact_rows[] = {
    {"24", UNIT_COUNT, NO_CLOCK, 24 * QUANTITY_ONE},
    {"0", UNIT_COUNT, NO_CLOCK, 0},
    {"0.5", UNIT_COUNT, NO_CLOCK, QUANTITY_ONE / 2},
    {"64 B", UNIT_BYTES, NO_CLOCK, 64 * QUANTITY_ONE},
    {"512 KiB", UNIT_BYTES, NO_CLOCK, 524288 * QUANTITY_ONE},
    {"1.5 MiB", UNIT_BYTES, NO_CLOCK, 1572864 * QUANTITY_ONE},
    {"2 GiB", UNIT_BYTES, NO_CLOCK, 2147483648 * QUANTITY_ONE},
    {"3 KB", UNIT_BYTES, NO_CLOCK, 3000 * QUANTITY_ONE},
    {"3 MB", UNIT_BYTES, NO_CLOCK, 3000000 * QUANTITY_ONE},
    {"3 GB", UNIT_BYTES, NO_CLOCK, 3000000000 * QUANTITY_ONE},
    {"1850 MHz", UNIT_FREQUENCY, NO_CLOCK, 1850 * QUANTITY_ONE},
    {"1.85 GHz", UNIT_FREQUENCY, NO_CLOCK, 1850 * QUANTITY_ONE},
    {"800 kHz", UNIT_FREQUENCY, NO_CLOCK, 52429},
    {"1000 Hz", UNIT_FREQUENCY, NO_CLOCK, 66},
    {"28 cycles", UNIT_CYCLES, NO_CLOCK, 28 * QUANTITY_ONE},
    {"1 cycle", UNIT_CYCLES, NO_CLOCK, QUANTITY_ONE},
    {"6.5 cycles", UNIT_CYCLES, CLOCK_1850, 425984},
    {"120 ns", UNIT_CYCLES, CLOCK_1850, 222 * QUANTITY_ONE},
    {"7 ns", UNIT_CYCLES, CLOCK_1850, 848691},
    {"120 ns", UNIT_CYCLES, CLOCK_1849_5, 14545060},
    {"1 us", UNIT_CYCLES, CLOCK_1850, 1850 * QUANTITY_ONE},
    {"1 ms", UNIT_CYCLES, CLOCK_1850, 1850000 * QUANTITY_ONE},
    {"1 s", UNIT_CYCLES, CLOCK_1850, 1850000000 * QUANTITY_ONE},
    {"28.4 B/cycle", UNIT_RATE, NO_CLOCK, 1861222},
    {"1.6 TB/s", UNIT_RATE, CLOCK_1850, 56679784},
    {"512 GB/s", UNIT_RATE, CLOCK_1850, 18137531},
    {"1850 MB/s", UNIT_RATE, CLOCK_1850, QUANTITY_ONE},
    {"900 KB/s", UNIT_RATE, CLOCK_1850, 32},
    {"1850000000 B/s", UNIT_RATE, CLOCK_1850, QUANTITY_ONE},
    {"1 TiB/s", UNIT_RATE, CLOCK_1850, 38950051},
    {"32 GiB/s", UNIT_RATE, CLOCK_1850, 1217189},
    {"3 MiB/s", UNIT_RATE, CLOCK_1850, 111},
    {"64 KiB/s", UNIT_RATE, CLOCK_1850, 2},
    {"1 GB/s", UNIT_RATE, QUANTITY_ONE / 2, 2000 * QUANTITY_ONE},
    {"11.6 us", UNIT_TIME, NO_CLOCK, 760218},
    {"100 ns", UNIT_TIME, NO_CLOCK, 6554},
    {"2 ms", UNIT_TIME, NO_CLOCK, 2000 * QUANTITY_ONE},
    {"2 s", UNIT_TIME, NO_CLOCK, 2000000 * QUANTITY_ONE},
    {"75 %", UNIT_SHARE, NO_CLOCK, 49152},
    {"33.3 %", UNIT_SHARE, NO_CLOCK, 21823},
    {"75%", UNIT_SHARE, NO_CLOCK, 49152},
    {" 512KiB ", UNIT_BYTES, NO_CLOCK, 524288 * QUANTITY_ONE},
    /* 2^-17 is half a step and goes up, a hair less goes down. */
    {"1.00000762939453125 cycles", UNIT_CYCLES, NO_CLOCK, QUANTITY_ONE + 1},
    {"1.0000076293945312499999999999 cycles", UNIT_CYCLES, NO_CLOCK, QUANTITY_ONE},
    {"0.00000762939453125 cycles", UNIT_CYCLES, NO_CLOCK, 1},
    {"0.1000000000000000055511151231257827 cycles", UNIT_CYCLES, NO_CLOCK, 6554},
    {"1.50000000000000000000000000000000000000000000000000 B", UNIT_BYTES, NO_CLOCK,
     QUANTITY_ONE + QUANTITY_ONE / 2},
    {"140737488355327.9999847412109375 B", UNIT_BYTES, NO_CLOCK, INT64_MAX},
};

static void test_values_are_exact_to_the_nearest_step(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof exact_rows / sizeof exact_rows[0]; i++) {
        int64_t value = -1;
        assert_int_equal(quantity_parse(exact_rows[i].text, exact_rows[i].unit,
                                        exact_rows[i].clock_mhz, place_none(), NULL, &value),
                         STATUS_OK);
        if (value != exact_rows[i].value) {
            fail_msg("%s: %" PRId64 " is not %" PRId64, exact_rows[i].text, value,
                     exact_rows[i].value);
        }
    }
}

/* Refused with this message and without touching the value. */
static void assert_refused(const char *text, enum unit unit, int64_t clock_mhz, const char *message)
{
    struct diag diag;
    int64_t value = -7;
    diag_init(&diag);
    assert_int_equal(quantity_parse(text, unit, clock_mhz, place_none(), &diag, &value),
                     STATUS_BAD_INPUT);
    assert_int_equal(diag.count, 1);
    assert_string_equal(diag.problems[0].message, message);
    assert_int_equal(value, -7);
    diag_deinit(&diag);
}

static void test_a_bare_number_prints_what_it_can_mean(void **state)
{
    (void)state;
    assert_refused("512", UNIT_RATE, CLOCK_1850,
                   "512 has no unit; expected '512 B/cycle' or '512 GB/s'\n"
                   "512 GB/s would be 276.8 B/cycle at 1,850 MHz");
    assert_refused("512", UNIT_RATE, 0, "512 has no unit; expected '512 B/cycle' or '512 GB/s'");
    assert_refused("120", UNIT_CYCLES, CLOCK_1850,
                   "120 has no unit; expected '120 cycles' or '120 ns'\n"
                   "120 ns would be 222 cycles at 1,850 MHz");
    assert_refused("120", UNIT_CYCLES, CLOCK_1849_5,
                   "120 has no unit; expected '120 cycles' or '120 ns'\n"
                   "120 ns would be 221.9 cycles at 1849.500 MHz");
    assert_refused("512", UNIT_BYTES, 0, "512 has no unit; expected '512 B' or '512 KiB'");
    assert_refused("1.85", UNIT_FREQUENCY, 0, "1.85 has no unit; expected '1.85 GHz'");
    assert_refused("1850", UNIT_FREQUENCY, 0, "1850 has no unit; expected '1850 MHz'");
    assert_refused("1850000", UNIT_FREQUENCY, 0, "1850000 has no unit; expected '1850000 kHz'");
    assert_refused("1850000000", UNIT_FREQUENCY, 0,
                   "1850000000 has no unit; expected '1850000000 Hz'");
    assert_refused("11.6", UNIT_TIME, CLOCK_1850,
                   "11.6 has no unit; expected '11.6 us' or '11.6 ns'");
    assert_refused("0.75", UNIT_SHARE, 0, "0.75 has no unit; expected '0.75 %' or '75 %'");
    assert_refused("75", UNIT_SHARE, 0, "75 has no unit; expected '75 %'");
}

static void test_a_bare_number_in_an_option_is_shown_as_people_see_it(void **state)
{
    (void)state;
    static const char text[] = "mte1.l1_to_l0a.rate=512";
    struct source source = {.name = "--set", .text = text, .length = sizeof text - 1};
    struct diag diag;
    int64_t value;
    diag_init(&diag);
    struct place place = {&source, 1, 21, 3};
    assert_int_equal(quantity_parse("512", UNIT_RATE, CLOCK_1850, place, &diag, &value),
                     STATUS_BAD_INPUT);
    assert_string_equal(diag_text(&diag, 0),
                        "--set:1:21: 512 has no unit; expected '512 B/cycle' or '512 GB/s'\n"
                        "    1 | mte1.l1_to_l0a.rate=512\n"
                        "      |                     ^~~\n"
                        "    512 GB/s would be 276.8 B/cycle at 1,850 MHz");
    diag_deinit(&diag);
}

static void test_what_is_no_plain_decimal_is_refused(void **state)
{
    (void)state;
#define SIZE "a size such as '512 KiB'"
    static const struct {
        const char *text;
        const char *message;
    } rows[] = {
        {"", "found nothing; expected " SIZE},
        {"  ", "found nothing; expected " SIZE},
        {"nan B", "found 'nan B'; expected " SIZE},
        {"inf B", "found 'inf B'; expected " SIZE},
        {"KiB", "found 'KiB'; expected " SIZE},
        {"+1 B", "found '+1 B'; expected " SIZE ", without a sign"},
        {"-1 B", "found '-1 B'; expected " SIZE ", without a sign"},
        {"0x10 B", "found '0x10 B'; expected " SIZE ", in decimal digits"},
        {"010 B", "found '010 B'; expected " SIZE ", without leading zeros"},
        {"1e3 B", "found '1e3 B'; expected " SIZE ", without an exponent"},
        {"1E-3 B", "found '1E-3 B'; expected " SIZE ", without an exponent"},
        {"1e400", "found '1e400'; expected " SIZE ", without an exponent"},
        {"1,024 B", "found '1,024 B'; expected " SIZE ", without thousands separators"},
        {"1_024 B", "found '1_024 B'; expected " SIZE ", without thousands separators"},
        {"1'024 B", "found '1'024 B'; expected " SIZE ", without thousands separators"},
        {"1 024 B", "found '1 024 B'; expected " SIZE ", without thousands separators"},
        {".5 B", "found '.5 B'; expected " SIZE ", with digits on both sides of one point"},
        {"5. B", "found '5. B'; expected " SIZE ", with digits on both sides of one point"},
        {"1.2.3 B", "found '1.2.3 B'; expected " SIZE ", with digits on both sides of one point"},
        {"0.12345678901234567890123456789012345678901 B",
         "found '0.12345678901234567890123456789012345678901 B'; expected " SIZE
         ", with at most 40 digits"},
    };
#undef SIZE
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_refused(rows[i].text, UNIT_BYTES, 0, rows[i].message);
    }
}

static void test_wrong_units_are_refused(void **state)
{
    (void)state;
    assert_refused("512 KiB", UNIT_RATE, CLOCK_1850,
                   "found '512 KiB'; expected a rate such as '256 B/cycle' or '1.6 TB/s'");
    assert_refused("12 furlongs", UNIT_TIME, 0,
                   "found '12 furlongs'; expected a time such as '11.6 us'");
    assert_refused("5 cycles", UNIT_TIME, CLOCK_1850,
                   "found '5 cycles'; expected a time such as '11.6 us'");
    assert_refused("24 cores", UNIT_COUNT, 0,
                   "found '24 cores'; expected a plain number such as '24'");
    assert_refused("28 cycles x", UNIT_CYCLES, 0,
                   "found '28 cycles x'; expected a time such as '28 cycles' or '120 ns'");
    assert_refused("1.85 ghz", UNIT_FREQUENCY, 0, "found '1.85 ghz'; expected '1.85 GHz'");
    assert_refused("512 kib", UNIT_BYTES, 0, "found '512 kib'; expected '512 KiB'");
    assert_refused("64\tB", UNIT_BYTES, 0, "found '64\\x09B'; expected a size such as '512 KiB'");
}

static void test_conversions_need_the_clock(void **state)
{
    (void)state;
    assert_refused("120 ns", UNIT_CYCLES, 0,
                   "found '120 ns', but no clock is known here; expected a value such as "
                   "'28 cycles'");
    assert_refused("1.6 TB/s", UNIT_RATE, 0,
                   "found '1.6 TB/s', but no clock is known here; expected a value such as "
                   "'256 B/cycle'");
}

static void test_values_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    assert_refused("99999999999999999999 B", UNIT_BYTES, 0,
                   "found '99999999999999999999 B'; expected at most '140737488355327 B'");
    assert_refused("140737488355328 B", UNIT_BYTES, 0,
                   "found '140737488355328 B'; expected at most '140737488355327 B'");
    assert_refused("140737488355327.99999237060546875 B", UNIT_BYTES, 0,
                   "found '140737488355327.99999237060546875 B'; expected at most "
                   "'140737488355327 B'");
    assert_refused("9999999999999999999999999999999999999999 TB/s", UNIT_RATE, 1,
                   "found '9999999999999999999999999999999999999999 TB/s'; expected at most "
                   "'140737488355327 B/cycle'");
    assert_refused("9999999999999999999999999999999999999999 s", UNIT_CYCLES, INT64_MAX,
                   "found '9999999999999999999999999999999999999999 s'; expected at most "
                   "'140737488355327 cycles'");
    assert_refused("0.000000000000000000000000000000000000001 B/s", UNIT_RATE, INT64_MAX,
                   "found '0.000000000000000000000000000000000000001 B/s'; expected 0 or at "
                   "least '0.00002 B/cycle'");
    assert_refused("0.00000762939453124 cycles", UNIT_CYCLES, 0,
                   "found '0.00000762939453124 cycles'; expected 0 or at least '0.00002 cycles'");
    assert_refused("1 Hz", UNIT_FREQUENCY, 0, "found '1 Hz'; expected 0 or at least '0.00002 MHz'");
}

static void test_values_are_printed_in_their_natural_spelling(void **state)
{
    (void)state;
    static const struct {
        int64_t value;
        enum unit unit;
        const char *text;
    } rows[] = {
        {524288 * QUANTITY_ONE, UNIT_BYTES, "512 KiB"},
        {64 * QUANTITY_ONE, UNIT_BYTES, "64 B"},
        {0, UNIT_BYTES, "0 B"},
        {197121 * QUANTITY_ONE, UNIT_BYTES, "197121 B"},
        {201326592 * QUANTITY_ONE, UNIT_BYTES, "192 MiB"},
        {1099511627776 * QUANTITY_ONE, UNIT_BYTES, "1024 GiB"},
        {QUANTITY_ONE / 4, UNIT_BYTES, "0.25 B"},
        {1850 * QUANTITY_ONE, UNIT_FREQUENCY, "1850 MHz"},
        {425984, UNIT_CYCLES, "6.5 cycles"},
        {QUANTITY_ONE, UNIT_CYCLES, "1 cycle"},
        {-QUANTITY_ONE * 2, UNIT_CYCLES, "-2 cycles"},
        {256 * QUANTITY_ONE, UNIT_RATE, "256 B/cycle"},
        {1861222, UNIT_RATE, "28.4 B/cycle"},
        {760218, UNIT_TIME, "11.6 us"},
        {49152, UNIT_SHARE, "75 %"},
        {21823, UNIT_SHARE, "33.3 %"},
        {24 * QUANTITY_ONE, UNIT_COUNT, "24"},
        {1, UNIT_COUNT, "0.00002"},
        {QUANTITY_ONE - 1, UNIT_COUNT, "0.99998"},
        {INT64_MAX, UNIT_COUNT, "140737488355327.99998"},
    };
    char buffer[64];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_string_equal(quantity_format(rows[i].value, rows[i].unit, buffer, sizeof buffer),
                            rows[i].text);
    }
    assert_string_equal(quantity_format(524288 * QUANTITY_ONE, UNIT_BYTES, buffer, 4), "512");
}

static uint64_t random_next(uint64_t *seed)
{
    uint64_t mixed = *seed += 0x9E3779B97F4A7C15u;
    mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9u;
    mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EBu;
    return mixed ^ mixed >> 31;
}

static uint64_t seed_read(void)
{
    const char *text = getenv("SEED");
    return text == NULL ? 20240501 : strtoull(text, NULL, 10);
}

/* Goal: what is printed reads back to the same value, and no shorter decimal would.
 * Method: random values of every size and unit; then each with one decimal less. */
static void test_what_is_printed_reads_back_to_the_same_value(void **state)
{
    (void)state;
    uint64_t seed = seed_read();
    print_message("SEED=%" PRIu64 "\n", seed);
    for (int round = 0; round < 2000; round++) {
        enum unit unit = (enum unit)(random_next(&seed) % UNIT_END);
        int64_t value = (int64_t)(random_next(&seed) >> (1 + random_next(&seed) % 63));
        if (random_next(&seed) % 4 == 0) {
            value = value >> 26 << 26; /* a multiple of KiB */
        }
        char text[64];
        int64_t again = -1;
        quantity_format(value, unit, text, sizeof text);
        assert_int_equal(quantity_parse(text, unit, 0, place_none(), NULL, &again), STATUS_OK);
        if (again != value) {
            fail_msg("%s: %" PRId64 " became %" PRId64, text, value, again);
        }
        char *point = strchr(text, '.');
        if (point != NULL) {
            /* Cutting and cutting upwards are the two neighbours with one decimal less. */
            char *last = point + strspn(point + 1, "0123456789");
            memmove(last, last + 1, strlen(last));
            if (last - point > 1 && last[-1] != '9') {
                last[-1]++;
                if (quantity_parse(text, unit, 0, place_none(), NULL, &again) == STATUS_OK) {
                    assert_true(again != value);
                }
                last[-1]--;
            }
            if (last - point > 1 &&
                quantity_parse(text, unit, 0, place_none(), NULL, &again) == STATUS_OK) {
                assert_true(again != value);
            }
        }
    }
}

/* Goal: reading is exact. Method: short random decimals against the same rule in 64 bits. */
static void test_reading_rounds_as_plain_integer_arithmetic_does(void **state)
{
    (void)state;
    uint64_t seed = seed_read();
    print_message("SEED=%" PRIu64 "\n", seed);
    for (int round = 0; round < 2000; round++) {
        uint64_t scale = 1;
        uint64_t decimals = random_next(&seed) % 8;
        for (uint64_t i = 0; i < decimals; i++) {
            scale *= 10;
        }
        uint64_t digits = random_next(&seed) % 100000000000 + 1000;
        uint64_t clock_mhz = random_next(&seed) % 5000 + 1;
        char text[64];
        int64_t value;
        (void)snprintf(text, sizeof text, "%" PRIu64 "%s%.*" PRIu64, digits / scale,
                       decimals > 0 ? "." : "", (int)decimals, digits % scale);
        if (decimals == 0) {
            (void)snprintf(text, sizeof text, "%" PRIu64, digits);
        }
        assert_int_equal(quantity_parse(text, UNIT_COUNT, 0, place_none(), NULL, &value),
                         STATUS_OK);
        assert_int_equal(value, (digits * 65536 * 2 + scale) / (2 * scale));
        strcat(text, " MB/s");
        if (quantity_parse(text, UNIT_RATE, (int64_t)(clock_mhz << 16), place_none(), NULL,
                           &value) == STATUS_OK) {
            uint64_t divisor = scale * clock_mhz;
            assert_int_equal(value, (digits * 65536 * 2 + divisor) / (2 * divisor));
        }
    }
}

static void test_running_out_of_memory_is_told_apart_from_bad_input(void **state)
{
    (void)state;
    static const char *const texts[] = {"", "x", "1", "1 x", "1 KIB", "99999999999999999999 B"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct diag diag;
        int64_t value;
        diag_init(&diag);
        arena_fail_at(1);
        assert_int_equal(quantity_parse(texts[i], UNIT_BYTES, 0, place_none(), &diag, &value),
                         STATUS_NO_MEMORY);
        diag_deinit(&diag);
    }
}

static void test_numbers_are_grouped_by_three(void **state)
{
    (void)state;
    static const struct {
        uint64_t value;
        const char *text;
    } rows[] = {
        {0, "0"},
        {999, "999"},
        {1000, "1,000"},
        {63941, "63,941"},
        {123456, "123,456"},
        {1234567, "1,234,567"},
        {UINT64_MAX, "18,446,744,073,709,551,615"},
    };
    char buffer[28];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_string_equal(grouped_format(rows[i].value, buffer, sizeof buffer), rows[i].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values_are_exact_to_the_nearest_step),
        cmocka_unit_test(test_a_bare_number_prints_what_it_can_mean),
        cmocka_unit_test(test_a_bare_number_in_an_option_is_shown_as_people_see_it),
        cmocka_unit_test(test_what_is_no_plain_decimal_is_refused),
        cmocka_unit_test(test_wrong_units_are_refused),
        cmocka_unit_test(test_conversions_need_the_clock),
        cmocka_unit_test(test_values_that_do_not_fit_are_refused),
        cmocka_unit_test(test_values_are_printed_in_their_natural_spelling),
        cmocka_unit_test(test_what_is_printed_reads_back_to_the_same_value),
        cmocka_unit_test(test_reading_rounds_as_plain_integer_arithmetic_does),
        cmocka_unit_test(test_running_out_of_memory_is_told_apart_from_bad_input),
        cmocka_unit_test(test_numbers_are_grouped_by_three),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
