/*
 * What `cubesim run` suggests: a script edits the plan as it says, runs it, and finds the gain.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/cli_program.h"

CLI_FIXTURE(cli)

/* A plan of 16 fractals of K in each step, whose stores hold up the cube. */
#define SMALL                                                                                      \
    "\"product\": \"atlas-a2\", \"conv\": {\"input\": [1, 64, 10, 32], \"weight\": [128, 64, 3, "  \
    "3], \"padding\": [1, 1, 1, 1], \"dtype\": \"fp16\"}"
#define SMALL_TILE                                                                                 \
    "\"tile_l1\": {\"tileHin\": 3, \"tileHout\": 1, \"tileWin\": 32, \"tileWout\": 32, "           \
    "\"tileCinFmap\": 64, \"tileCinWeight\": 64, \"tileN\": 64}, \"tile_l0\": {\"tileH\": 1, "     \
    "\"tileW\": 32, \"tileK\": 64, \"tileN\": 64}"

static const struct {
    const char *name, *text;
} plans[] = {
    {"pypto", "{" SMALL ", " SMALL_TILE ", \"schedule\": {\"cores\": 3}}"},
    {"derived", "{" SMALL "}"},
    {"vendor", "{" SMALL ", \"tile\": {\"mAL1\": 64, \"mL0\": 64, \"nBL1\": 64, \"nL0\": 64, "
               "\"kAL1\": 576, \"kBL1\": 576, \"kL0\": 32, \"pBufferFlag\": 24}}"},
    {"product", "{\"product\": \"ascend-950pr\", \"matmul\": {\"m\": 350, \"n\": 450, \"k\": 400, "
                "\"dtype\": \"bf16\"}, \"tile\": {\"baseM\": 64, \"baseN\": 64, \"baseK\": 32, "
                "\"stepKa\": 4, \"stepKb\": 4, \"depthA1\": 4}}"},
};
enum { PLAN_COUNT = sizeof plans / sizeof *plans };

static json_t *run_plan_text(const char *text, const char *options)
{
    cli_run(&cli, "run %s --timing-only --json %s", cli_write(&cli, "plan.json", text), options);
    assert_int_equal(cli.code, 0);
    return cli_json(&cli);
}

/* The plan with the words of a suggestion in it; words of a derived tile need the whole of it. */
static char *edited(const char *text, const json_t *run, json_t *edits)
{
    json_t *plan = json_loads(text, 0, NULL), *map, *now;
    const char *name;
    assert_non_null(plan);
    json_object_foreach(edits, name, map)
    {
        if (strncmp(name, "tile", 4) == 0 && json_object_get(plan, "tile") == NULL &&
            json_object_get(plan, "tile_l1") == NULL)
            json_object_update_new(plan, json_deep_copy(json_object_get(run, "tile")));
        now = json_object_get(plan, name);
        if (now == NULL)
            json_object_set_new(plan, name, json_object());
        json_object_update(json_object_get(plan, name), map);
    }
    char *result = json_dumps(plan, 0);
    assert_non_null(result);
    json_decref(plan);
    return result;
}

static size_t suggestions_of(const json_t *run, json_t **list)
{
    *list = json_object_get(run, "suggestions");
    assert_true(json_is_array(*list));
    return json_array_size(*list);
}

static void every_suggestion_gains_what_it_says(void **state)
{
    (void)state;
    size_t all = 0, both = 0;
    for (size_t p = 0; p < PLAN_COUNT; p++) {
        json_t *run = run_plan_text(plans[p].text, ""), *list, *one;
        long long cycles = json_whole_of(run, "cycles"), before = 0;
        size_t i;
        all += suggestions_of(run, &list);
        json_array_foreach(list, i, one)
        {
            char *text = edited(plans[p].text, run, json_object_get(one, "edits"));
            json_t *again = run_plan_text(text, "--advice none");
            long long fewer = json_whole_of(again, "cycles");
            double gain = json_number_value(json_object_get(one, "gain_percent"));
            if (fewer != json_whole_of(one, "cycles") || fewer >= cycles)
                fail_msg("%s: '%s' takes %lld of %lld cycles", plans[p].name,
                         json_words_of(one, "change"), fewer, cycles);
            assert_true(gain > 0.0999 && gain <= 100.0);
            assert_true(gain - 100.0 * (double)(cycles - fewer) / (double)cycles < 1e-9);
            assert_true(fewer >= before);
            assert_true(strlen(json_words_of(one, "looked_at")) > 20);
            both += strcmp(json_words_of(one, "rule"), "both") == 0;
            before = fewer;
            json_decref(again);
            free(text);
        }
        json_decref(run);
    }
    assert_true(all >= 2 * PLAN_COUNT);
    assert_true(both >= 1);
}

/* Only words that are in the file: the same suggestions of a file that has them already are gone.
 */
static void the_best_suggestion_is_not_made_again(void **state)
{
    (void)state;
    for (size_t p = 0; p < PLAN_COUNT; p++) {
        json_t *run = run_plan_text(plans[p].text, ""), *list, *again_list, *one;
        size_t i;
        assert_true(suggestions_of(run, &list) > 0);
        json_t *best = json_array_get(list, 0);
        char *text = edited(plans[p].text, run, json_object_get(best, "edits"));
        json_t *again = run_plan_text(text, "");
        (void)suggestions_of(again, &again_list);
        json_array_foreach(again_list, i, one)
        {
            assert_true(json_whole_of(one, "cycles") < json_whole_of(best, "cycles"));
            assert_string_not_equal(json_words_of(one, "change"), json_words_of(best, "change"));
        }
        json_decref(again);
        free(text);
        json_decref(run);
    }
}

static void text_says_what_json_says(void **state)
{
    (void)state;
    json_t *run = run_plan_text(plans[0].text, ""), *list, *one;
    char line[256];
    size_t i;
    assert_true(suggestions_of(run, &list) > 1);
    cli_run(&cli, "run %s --timing-only", cli_path(&cli, "plan.json"));
    cli_assert_page(&cli);
    /* in one line, whatever was wrapped */
    char *out = cli.out, *to = out;
    for (const char *from = out; *from != '\0'; from++)
        if (*from != '\n' || strncmp(from, "\n    ", 5) != 0)
            *to++ = *from;
        else
            from += 3;
    *to = '\0';
    assert_non_null(strstr(out, "\ntry "));
    assert_non_null(strstr(out, ": simulated the first: "));
    json_array_foreach(list, i, one)
    {
        bool both = strcmp(json_words_of(one, "rule"), "both") == 0;
        double gain = json_number_value(json_object_get(one, "gain_percent"));
        snprintf(line, sizeof line, "%s (-%.1f %%)", both ? "both" : json_words_of(one, "change"),
                 gain);
        if (i < 3 && strstr(out, line) == NULL)
            fail_msg("no '%s' in:\n%s", line, out);
    }
    json_decref(run);
}

static void the_database_keeps_suggestions_by_rank(void **state)
{
    (void)state;
    json_t *run = run_plan_text(plans[0].text, ""), *list, *one;
    char database[160], question[1024];
    size_t count = suggestions_of(run, &list), i;
    snprintf(database, sizeof database, "%s", cli_path(&cli, "runs.db"));
    cli_run(&cli, "run %s --timing-only --db %s", cli_path(&cli, "plan.json"), database);
    assert_int_equal(cli.code, 0);
    assert_int_equal(cli_count(database, "SELECT count(*) FROM v_suggestion"), (long long)count);
    json_array_foreach(list, i, one)
    {
        snprintf(question, sizeof question,
                 "SELECT count(*) FROM v_suggestion WHERE rank = %zu AND cycles = %lld\n"
                 "AND change = '%s' AND looked_at = '%s' AND abs(gain_percent - %.17g) < 1e-9",
                 i + 1, json_whole_of(one, "cycles"), json_words_of(one, "change"),
                 json_words_of(one, "looked_at"),
                 json_number_value(json_object_get(one, "gain_percent")));
        assert_int_equal(cli_count(database, question), 1);
    }
    json_decref(run);
}

static void assert_none(const char *options)
{
    json_t *run = run_plan_text(plans[0].text, options), *list;
    if (suggestions_of(run, &list) != 0)
        fail_msg("there are suggestions with '%s'", options);
    json_decref(run);
}

static void show_ends_with_what_the_run_suggested(void **state)
{
    (void)state;
    char db[128], best[256];
    snprintf(db, sizeof db, "%s", cli_path(&cli, "shown.db"));
    cli_run(&cli, "run %s --timing-only --json --db %s",
            cli_write(&cli, "plan.json", plans[0].text), db);
    json_t *run = cli_json(&cli);
    const json_t *first = json_array_get(json_object_get(run, "suggestions"), 0);
    assert_non_null(first);
    snprintf(best, sizeof best, "\n\ntry %s (-",
             json_string_value(json_object_get(first, "change")));
    cli_run(&cli, "show %s", db);
    assert_int_equal(cli.code, 0);
    cli_assert_page(&cli);
    cli_assert_out(&cli, best);
    cli_assert_out(&cli, ": simulated\n");
    json_decref(run);
}

static void advice_is_left_out_when_nobody_wants_it(void **state)
{
    (void)state;
    json_t *run, *list;
    assert_none("--advice none");
    assert_none("--timeline none");
    run = run_plan_text(plans[0].text, "--timeline none --advice some");
    assert_true(suggestions_of(run, &list) > 0);
    json_decref(run);
    cli_run(&cli, "run %s --timing-only --advice none", cli_path(&cli, "plan.json"));
    assert_null(strstr(cli.out, "\ntry "));
}

static void a_program_has_no_words_to_change(void **state)
{
    (void)state;
    json_t *list;
    cli_run(&cli, "run traces/samples/conv_load3d.prog --timing-only --json");
    json_t *run = cli_json(&cli);
    assert_int_equal(suggestions_of(run, &list), 0);
    json_decref(run);
    cli_run(&cli, "run traces/samples/conv_load3d.prog --advice some");
    assert_int_equal(cli.code, 2);
    cli_assert_err(&cli, "--advice: found with the program");
    cli_run(&cli, "run configs/plans/res2a.yaml --advice few");
    assert_int_equal(cli.code, 2);
    cli_assert_err(&cli, "--advice: found 'few'; expected none, some or all");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_suggestion_gains_what_it_says),
        cmocka_unit_test(the_best_suggestion_is_not_made_again),
        cmocka_unit_test(text_says_what_json_says),
        cmocka_unit_test(the_database_keeps_suggestions_by_rank),
        cmocka_unit_test(show_ends_with_what_the_run_suggested),
        cmocka_unit_test(advice_is_left_out_when_nobody_wants_it),
        cmocka_unit_test(a_program_has_no_words_to_change),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
