/* Products: the shipped files, --set, ranges and JSON. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/product_sample.h"

static bool key_applies(const struct product_key_info *info, enum arch arch)
{
    switch (info->need) {
    case NEED_FIXP:
        return arch_has_fixpipe(arch);
    case NEED_ND:
        return arch == ARCH_2201 || arch == ARCH_3510;
    case NEED_DN:
        return arch == ARCH_3510;
    case NEED_EXIT:
        return arch == ARCH_1001 || arch == ARCH_2002;
    case NEED_BT:
        return arch_has_bias_table(arch);
    case NEED_FB:
        return arch_has_parameter_load(arch);
    case NEED_INT4:
        return arch_has_int4(arch);
    case NEED_HF32:
        return arch_has_hf32(arch);
    case NEED_CORES:
        return arch_has_cores(arch);
    case NEED_CORE:
    case NEED_COUNT:
        break;
    }
    return true;
}

static void assert_number_is_sound(const struct product *product, enum product_key key)
{
    const struct product_key_info *info = product_key_info(key);
    const struct product_number *number = &product->number[key];

    if (number->present != key_applies(info, product->arch))
        fail_msg("%s %s is %s", product->soc, info->path, number->present ? "there" : "missing");
    if (!number->present)
        return;
    assert_true(info->low <= number->low && number->high <= info->high);
    assert_true(number->low <= number->value && number->value <= number->high);
    assert_true(strlen(number->source) > 10);
    assert_false(number->overridden);
    assert_true(number->basis < BASIS_COUNT);
    if (number->low < number->value && strstr(number->source, "low") == NULL)
        fail_msg("%s %s: the source of low is not named", product->soc, info->path);
    if (number->high > number->value && strstr(number->source, "high") == NULL)
        fail_msg("%s %s: the source of high is not named", product->soc, info->path);
}

static void test_every_shipped_file_loads_and_has_exactly_the_keys_of_its_architecture(void **state)
{
    (void)state;
    for (size_t i = 0; i < SHIPPED_COUNT; i++) {
        struct sample sample;
        sample_load(&sample, shipped[i].soc);
        const struct product *product = &sample.product;

        assert_int_equal(sample.diag.count, 0);
        assert_string_equal(product->soc, shipped[i].soc);
        assert_string_equal(product->alias, shipped[i].alias);
        assert_string_equal(arch_word(product->arch), shipped[i].arch);
        assert_true(strlen(product->name) > 0);
        assert_int_equal(product_whole(product, PRODUCT_CHIP_CORES), shipped[i].cores);
        assert_int_equal(product_whole(product, PRODUCT_CHIP_CLOCK), shipped[i].clock_mhz);
        assert_int_equal(product_whole(product, PRODUCT_L2_SIZE), shipped[i].l2_mib << 20);
        for (size_t key = 0; key < PRODUCT_KEY_COUNT; key++)
            assert_number_is_sound(product, (enum product_key)key);
        sample_deinit(&sample);
    }
}

static void test_an_alias_loads_the_product_that_it_stands_for(void **state)
{
    (void)state;
    for (size_t i = 0; i < SHIPPED_COUNT; i++) {
        if (*shipped[i].alias == '\0')
            continue;
        struct sample by_alias, by_soc;
        sample_load(&by_alias, shipped[i].alias);
        sample_load(&by_soc, shipped[i].soc);
        assert_string_equal(by_alias.product.soc, shipped[i].soc);
        assert_string_equal(product_json(&by_alias.product, &by_alias.arena),
                            product_json(&by_soc.product, &by_soc.arena));
        sample_deinit(&by_alias);
        sample_deinit(&by_soc);
    }
}

static void test_the_list_has_every_shipped_product_in_order(void **state)
{
    const char *const *socs;
    size_t count;
    struct sample sample;

    (void)state;
    sample_init(&sample);
    assert_int_equal(product_list(&sample.arena, &sample.diag, &socs, &count), STATUS_OK);
    assert_int_equal(count, SHIPPED_COUNT);
    for (size_t i = 0; i < count; i++)
        assert_string_equal(socs[i], shipped[i].soc);
    sample_deinit(&sample);
}

static void test_numbers_that_decide_published_comparisons_are_as_measured(void **state)
{
    static const struct {
        const char *soc;
        enum product_key key;
        const char *value, *low, *high;
    } rows[] = {
        {"ascend910b1", PRODUCT_MTE1_L0A_RATE, "256 B/cycle", "256 B/cycle", "512 B/cycle"},
        {"ascend910b1", PRODUCT_MTE1_L0B_RATE, "128 B/cycle", "128 B/cycle", "256 B/cycle"},
        {"ascend910b1", PRODUCT_GM_RATE, "32 B/cycle", "31.7 B/cycle", "40.5 B/cycle"},
        {"ascend910b1", PRODUCT_L1_RESERVED, "0 B", "0 B", "256 B"},
        {"ascend910b1", PRODUCT_CUBE_FRACTAL_B32, "2 cycles", "2 cycles", "2 cycles"},
        {"ascend910_9391", PRODUCT_HOST_LAUNCH, "9.4 us", "8.8 us", "10 us"},
        {"ascend950pr_9589", PRODUCT_CUBE_FRACTAL_B32, "8 cycles", "8 cycles", "8 cycles"},
        {"ascend950pr_9589", PRODUCT_CUBE_LATENCY, "89 cycles", "25 cycles", "92 cycles"},
        {"ascend950pr_9589", PRODUCT_GM_SHORT_ROW, "77 %", "77 %", "77 %"},
        {"ascend950dt_9581", PRODUCT_GM_RATE, "80 B/cycle", "75.7 B/cycle", "80 B/cycle"},
        {"ascend910a", PRODUCT_SYNC_IDS, "4", "4", "4"},
        {"ascend310p3", PRODUCT_L2_READ_RATE, "114 B/cycle", "91 B/cycle", "114 B/cycle"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct sample sample;
        char text[64];
        enum unit unit = product_key_info(rows[i].key)->unit;
        sample_load(&sample, rows[i].soc);
        const struct product_number *number = &sample.product.number[rows[i].key];

        assert_string_equal(quantity_format(number->value, unit, text, sizeof text), rows[i].value);
        assert_string_equal(quantity_format(number->low, unit, text, sizeof text), rows[i].low);
        assert_string_equal(quantity_format(number->high, unit, text, sizeof text), rows[i].high);
        sample_deinit(&sample);
    }
}

/* The row of a key in docs/hardware.md: meaning, sign and the value on each column's product. */
static const char *documented_row(enum product_key key, struct sample *columns, size_t count)
{
    static const char *const signs[] = {"+", "-", ""};
    const struct product_key_info *info = product_key_info(key);
    struct arena *arena = &columns[0].arena;
    const char *row = arena_format(arena, "\n| `%s` | %s | %s |", info->path, info->meaning,
                                   signs[info->direction]);

    for (size_t i = 0; i < count; i++) {
        const struct product_number *number = &columns[i].product.number[key];
        char text[64] = "-";
        if (number->present)
            (void)quantity_format(number->value, info->unit, text, sizeof text);
        row = number->present
                  ? arena_format(arena, "%s %s %c |", row, text, basis_word(number->basis)[0])
                  : arena_format(arena, "%s - |", row);
    }
    return arena_format(arena, "%s\n", row);
}

static void test_the_tables_of_the_hardware_page_agree_with_the_files(void **state)
{
    static const char *const socs[] = {"ascend910b1", "ascend910_9391", "ascend950pr_9589",
                                       "ascend310b1", "ascend310p3",    "ascend910a"};
    enum { COLUMN_COUNT = sizeof socs / sizeof socs[0] };
    struct sample columns[COLUMN_COUNT];
    char text[TEXT_BYTES];

    (void)state;
    text_read("docs/hardware.md", text);
    for (size_t i = 0; i < COLUMN_COUNT; i++)
        sample_load(&columns[i], socs[i]);
    for (size_t key = 0; key < PRODUCT_KEY_COUNT; key++) {
        const char *row = documented_row((enum product_key)key, columns, COLUMN_COUNT);
        if (strstr(text, row) == NULL)
            fail_msg("docs/hardware.md has no row%s", row);
    }
    for (size_t i = 0; i < SHIPPED_COUNT; i++) {
        const char *row = arena_format(
            &columns[0].arena, "\n| `%s` | %s%s%s | %s | %llu | %llu MHz | %llu MiB |",
            shipped[i].soc, *shipped[i].alias != '\0' ? "`" : "", shipped[i].alias,
            *shipped[i].alias != '\0' ? "`" : "", shipped[i].arch,
            (unsigned long long)shipped[i].cores, (unsigned long long)shipped[i].clock_mhz,
            (unsigned long long)shipped[i].l2_mib);
        if (strstr(text, row) == NULL)
            fail_msg("docs/hardware.md has no row%s", row);
    }
    for (size_t i = 0; i < COLUMN_COUNT; i++)
        sample_deinit(&columns[i]);
}

static void test_the_mapping_of_the_atlas_350_says_that_it_is_inferred(void **state)
{
    struct sample sample;

    (void)state;
    sample_load(&sample, "atlas-350");
    assert_non_null(strstr(sample.product.note, "inferred from its announced bandwidth"));
    sample_deinit(&sample);
}

static void test_every_key_is_found_by_its_own_path_only(void **state)
{
    (void)state;
    for (size_t key = 0; key < PRODUCT_KEY_COUNT; key++)
        assert_int_equal(product_key_find(product_key_info((enum product_key)key)->path), key);
    assert_int_equal(product_key_find("mte1"), PRODUCT_KEY_COUNT);
    assert_int_equal(product_key_find("chip.clock "), PRODUCT_KEY_COUNT);
    assert_int_equal(product_key_find(""), PRODUCT_KEY_COUNT);
}

static void test_every_basis_has_its_word(void **state)
{
    (void)state;
    assert_string_equal(basis_word(BASIS_VENDOR), "vendor");
    assert_string_equal(basis_word(BASIS_MEASURED), "measured");
    assert_string_equal(basis_word(BASIS_FITTED), "fitted");
    assert_string_equal(basis_word(BASIS_GUESS), "guess");
}

/* Sets a key to another value inside its range and looks at what moved. */
static void assert_key_moves(struct sample *sample, enum product_key key)
{
    const struct product_key_info *info = product_key_info(key);
    const struct product before = sample->product;
    char text[64];
    int64_t step = info->unit == UNIT_SHARE ? QUANTITY_ONE / 4 : QUANTITY_ONE;
    bool up = before.number[key].value + step <= info->high;
    int64_t moved = before.number[key].value + (up ? step : -step);
    const char *assignment = arena_format(&sample->arena, "%s=%s", info->path,
                                          quantity_format(moved, info->unit, text, sizeof text));

    assert_int_equal(sample_set(sample, assignment), STATUS_OK);
    const struct product_number *number = &sample->product.number[key];
    assert_true(number->value == moved && number->low == moved && number->high == moved);
    assert_true(number->overridden && number->present);
    assert_int_equal(number->basis, BASIS_GUESS);
    assert_string_equal(number->source, "--set");
    for (size_t other = 0; other < PRODUCT_KEY_COUNT; other++)
        if (other != key)
            assert_memory_equal(&sample->product.number[other], &before.number[other],
                                sizeof before.number[other]);
    sample->product = before;
}

static void test_every_key_moves_with_set_and_nothing_else_does(void **state)
{
    (void)state;
    for (size_t i = 0; i < SHIPPED_COUNT; i++) {
        struct sample sample;
        sample_load(&sample, shipped[i].soc);
        for (size_t key = 0; key < PRODUCT_KEY_COUNT; key++)
            if (sample.product.number[key].present)
                assert_key_moves(&sample, (enum product_key)key);
        sample_deinit(&sample);
    }
}

static void test_every_key_moves_the_json(void **state)
{
    static const char *const socs[] = {"ascend910b1", "ascend950pr_9589", "ascend310p3"};
    bool moves[PRODUCT_KEY_COUNT] = {false};

    (void)state;
    for (size_t i = 0; i < sizeof socs / sizeof socs[0]; i++) { /* together they have every key */
        struct sample sample;
        sample_load(&sample, socs[i]);
        const char *json = product_json(&sample.product, &sample.arena);
        for (size_t key = 0; key < PRODUCT_KEY_COUNT; key++) {
            struct product moved = sample.product;

            if (!moved.number[key].present)
                continue;
            moved.number[key].value ^= QUANTITY_ONE;
            assert_string_not_equal(product_json(&moved, &sample.arena), json);
            moved = sample.product;
            moved.number[key].basis =
                moved.number[key].basis == BASIS_GUESS ? BASIS_VENDOR : BASIS_GUESS;
            assert_string_not_equal(product_json(&moved, &sample.arena), json);
            moves[key] = true;
        }
        sample_deinit(&sample);
    }
    for (size_t key = 0; key < PRODUCT_KEY_COUNT; key++)
        assert_true(moves[key]);
}

static void test_a_wrong_assignment_is_refused_at_its_faulty_part(void **state)
{
    static const struct {
        const char *soc, *assignment;
        uint32_t column, width;
        const char *message;
    } rows[] = {
        {"ascend910b1", "mte1.l1_to_l0a.rate=512", 21, 3,
         "512 has no unit; expected '512 B/cycle' or '512 GB/s'\n"
         "512 GB/s would be 276.8 B/cycle at 1,850 MHz"},
        {"ascend910b1", "mte1.l1_to_l0.rate=512 B/cycle", 1, 18,
         "unknown key 'mte1.l1_to_l0.rate'; expected 'mte1.l1_to_l0a.rate'"},
        {"ascend910b1", "mte1.l1_to_l0a=512 B/cycle", 1, 14,
         "unknown key 'mte1.l1_to_l0a'; expected 'mte1.l1_to_l0a.rate'"},
        {"ascend910b1", "bt.length=1 KiB", 1, 9, "unknown key 'bt.length'; expected 'bt.size'"},
        {"ascend910b1", "fixp=1", 1, 4,
         "unknown key 'fixp'; expected 'fixp.copy', 'fixp.port', 'fixp.unaligned', 'fixp.row' "
         "and 8 more"},
        {"ascend910b1", "sync.something.far=1", 1, 18,
         "unknown key 'sync.something.far'; expected 'sync.wait_flag', 'sync.barrier', "
         "'sync.event_ids'"},
        {"ascend910b1", "nothing.like.it=1", 1, 15,
         "unknown key 'nothing.like.it'; expected a key of a product file such as 'chip.clock'"},
        {"ascend910a", "fixp.copy=5 cycles", 1, 9,
         "found key 'fixp.copy'; expected another, because ascend910a has no fixpipe"},
        {"ascend310b1", "bt.size=1 KiB", 1, 7,
         "found key 'bt.size'; expected another, because ascend310b1 has no bias table"},
        {"ascend910b1", "fixp.copy 5 cycles", 1, 18,
         "found 'fixp.copy 5 cycles'; expected KEY=VALUE UNIT"},
        {"ascend910b1", "", 1, 1, "found ''; expected KEY=VALUE UNIT"},
        {"ascend910b1", "chip.cores=", 12, 1,
         "found nothing; expected a plain number such as '24'"},
        {"ascend910b1", "  chip.cores  =  1.5 ", 18, 3,
         "found '1.5' for chip.cores; expected a whole number"},
        {"ascend910b1", "l1.size=1024.5 B", 9, 8,
         "found '1024.5 B' for l1.size; expected a whole number of bytes"},
        {"ascend910b1", "chip.cores=0", 12, 1, "found '0' for chip.cores; expected 1 to 1024"},
        {"ascend910b1", "sync.event_ids=9", 16, 1, "found '9' for sync.event_ids; expected 1 to 8"},
        {"ascend910b1", "gm.short_row=101 %", 14, 5,
         "found '101 %' for gm.short_row; expected 1 % to 100 %"},
        {"ascend910b1", "l0a.size=64 B", 10, 4,
         "found '64 B' for l0a.size; expected 512 B to 1 GiB"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct sample sample;
        sample_load(&sample, rows[i].soc);
        const struct product before = sample.product;

        assert_int_equal(sample_set(&sample, rows[i].assignment), STATUS_BAD_INPUT);
        assert_int_equal(sample.diag.count, 1);
        sample_assert_message(&sample, 0, rows[i].message);
        const struct place *place = &sample.diag.problems[0].place;
        assert_string_equal(place->source->name, "--set");
        assert_int_equal(place->line, 1);
        assert_int_equal(place->column, rows[i].column);
        assert_int_equal(place->width, rows[i].width);
        assert_memory_equal(&sample.product, &before, sizeof before);
        sample_deinit(&sample);
    }
}

static void test_the_last_of_several_sets_wins(void **state)
{
    struct sample sample;

    (void)state;
    sample_load(&sample, "atlas-a2");
    assert_int_equal(sample_set(&sample, "chip.cores=8"), STATUS_OK);
    assert_int_equal(sample_set(&sample, "chip.cores = 12"), STATUS_OK);
    assert_int_equal(product_whole(&sample.product, PRODUCT_CHIP_CORES), 12);
    sample_deinit(&sample);
}

static void test_seconds_are_converted_with_the_clock_that_was_set_before(void **state)
{
    struct sample sample;

    (void)state;
    sample_load(&sample, "atlas-a2");
    assert_int_equal(sample_set(&sample, "mte2.copy=100 ns"), STATUS_OK);
    assert_int_equal(product_whole(&sample.product, PRODUCT_MTE2_COPY), 185);
    assert_int_equal(sample_set(&sample, "chip.clock=1 GHz"), STATUS_OK);
    assert_int_equal(product_whole(&sample.product, PRODUCT_MTE2_COPY), 185);
    assert_int_equal(sample_set(&sample, "mte2.copy=100 ns"), STATUS_OK);
    assert_int_equal(product_whole(&sample.product, PRODUCT_MTE2_COPY), 100);
    assert_int_equal(sample_set(&sample, "gm.rate=32 GB/s"), STATUS_OK);
    assert_int_equal(product_whole(&sample.product, PRODUCT_GM_RATE), 32);
    assert_int_equal(product_time_cycles(&sample.product, PRODUCT_SCALAR_STARTUP), 2200);
    sample_deinit(&sample);
}

static void test_times_become_cycles_of_the_clock_rounded_to_nearest(void **state)
{
    static const struct {
        const char *clock, *time;
        uint64_t cycles;
    } rows[] = {
        {"1850 MHz", "2.2 us", 4070},
        {"1 MHz", "2.5 us", 3},
        {"1 MHz", "2.49 us", 2},
        {"1650 MHz", "0 us", 0},
        {"100000 MHz", "1000000 us", 100000000000},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct sample sample;
        sample_load(&sample, "atlas-a2");
        assert_int_equal(
            sample_set(&sample, arena_format(&sample.arena, "chip.clock=%s", rows[i].clock)),
            STATUS_OK);
        assert_int_equal(
            sample_set(&sample, arena_format(&sample.arena, "host.launch=%s", rows[i].time)),
            STATUS_OK);
        assert_int_equal(product_time_cycles(&sample.product, PRODUCT_HOST_LAUNCH), rows[i].cycles);
        sample_deinit(&sample);
    }
}

static void test_a_whole_value_is_rounded_to_nearest(void **state)
{
    struct sample sample;

    (void)state;
    sample_load(&sample, "atlas-a2");
    assert_int_equal(product_whole(&sample.product, PRODUCT_MTE2_REQUEST), 3);
    assert_int_equal(product_whole(&sample.product, PRODUCT_SYNC_WAIT), 7);
    assert_true(product_value(&sample.product, PRODUCT_SYNC_WAIT) == 13 * QUANTITY_ONE / 2);
    sample_deinit(&sample);
}

static void test_range_ends_take_the_end_that_makes_runs_faster_or_slower(void **state)
{
    size_t ranges = 0;

    (void)state;
    for (size_t i = 0; i < SHIPPED_COUNT; i++) {
        struct sample sample;
        struct product faster, slower;
        sample_load(&sample, shipped[i].soc);
        product_at_range_end(&sample.product, true, &faster);
        product_at_range_end(&sample.product, false, &slower);
        for (size_t key = 0; key < PRODUCT_KEY_COUNT; key++) {
            const struct product_number *number = &sample.product.number[key];
            int64_t fast = faster.number[key].value, slow = slower.number[key].value;

            ranges += number->low < number->high;
            switch (product_key_info((enum product_key)key)->direction) {
            case DIRECTION_MORE:
                assert_true(fast == number->high && slow == number->low);
                break;
            case DIRECTION_LESS:
                assert_true(fast == number->low && slow == number->high);
                break;
            case DIRECTION_NEITHER:
                assert_true(fast == number->value && slow == number->value);
                break;
            }
        }
        assert_string_equal(faster.soc, sample.product.soc);
        sample_deinit(&sample);
    }
    assert_true(ranges > 100);
}

static void test_an_overridden_number_has_no_range(void **state)
{
    struct sample sample;
    struct product end;

    (void)state;
    sample_load(&sample, "atlas-a2");
    assert_int_equal(sample_set(&sample, "mte1.l1_to_l0a.rate=300 B/cycle"), STATUS_OK);
    product_at_range_end(&sample.product, true, &end);
    assert_int_equal(product_whole(&end, PRODUCT_MTE1_L0A_RATE), 300);
    product_at_range_end(&sample.product, false, &end);
    assert_int_equal(product_whole(&end, PRODUCT_MTE1_L0A_RATE), 300);
    sample_deinit(&sample);
}

static void test_the_json_is_compact_sorted_and_exact(void **state)
{
    struct sample sample;

    (void)state;
    sample_load(&sample, "atlas-a2");
    assert_int_equal(sample_set(&sample, "mte2.copy=41.5 cycles"), STATUS_OK);
    const char *json = product_json(&sample.product, &sample.arena);
    assert_ptr_equal(strstr(json, "{\"arch\":\"dav-2201\",\"bt\":{\"size\":{\"basis\":\"vendor\","
                                  "\"value\":\"1 KiB\"}},\"chip\":{\"clock\":{"),
                     json);
    assert_non_null(strstr(json, "\"rate\":{\"basis\":\"vendor\",\"high\":\"40.5 B/cycle\","
                                 "\"low\":\"31.7 B/cycle\",\"value\":\"32 B/cycle\"}"));
    assert_non_null(strstr(json, "\"copy\":{\"basis\":\"guess\",\"set\":true,"
                                 "\"value\":\"41.5 cycles\"}"));
    assert_non_null(strstr(json, ",\"soc\":\"ascend910b1\","));
    assert_null(strstr(json, "\n"));
    sample_deinit(&sample);

    sample_load(&sample, "ascend910a");
    assert_null(strstr(product_json(&sample.product, &sample.arena), "fixp"));
    sample_deinit(&sample);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            test_every_shipped_file_loads_and_has_exactly_the_keys_of_its_architecture),
        cmocka_unit_test(test_an_alias_loads_the_product_that_it_stands_for),
        cmocka_unit_test(test_the_list_has_every_shipped_product_in_order),
        cmocka_unit_test(test_numbers_that_decide_published_comparisons_are_as_measured),
        cmocka_unit_test(test_the_tables_of_the_hardware_page_agree_with_the_files),
        cmocka_unit_test(test_the_mapping_of_the_atlas_350_says_that_it_is_inferred),
        cmocka_unit_test(test_every_key_is_found_by_its_own_path_only),
        cmocka_unit_test(test_every_basis_has_its_word),
        cmocka_unit_test(test_every_key_moves_with_set_and_nothing_else_does),
        cmocka_unit_test(test_every_key_moves_the_json),
        cmocka_unit_test(test_a_wrong_assignment_is_refused_at_its_faulty_part),
        cmocka_unit_test(test_the_last_of_several_sets_wins),
        cmocka_unit_test(test_seconds_are_converted_with_the_clock_that_was_set_before),
        cmocka_unit_test(test_times_become_cycles_of_the_clock_rounded_to_nearest),
        cmocka_unit_test(test_a_whole_value_is_rounded_to_nearest),
        cmocka_unit_test(test_range_ends_take_the_end_that_makes_runs_faster_or_slower),
        cmocka_unit_test(test_an_overridden_number_has_no_range),
        cmocka_unit_test(test_the_json_is_compact_sorted_and_exact),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
