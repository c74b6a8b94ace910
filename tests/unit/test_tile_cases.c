/* The published and derived tile cases: every row has its verdict and its first broken rule. */
#include "tests/unit/tile_fixture.h"

#include "model/tile_nearest.h"

enum { CASE_COUNT = 87 };

/* What the table calls a rule, and its id. */
static const char *case_rule_id(const char *name)
{
    static const struct {
        const char *name, *id;
    } rules[] = {
        {"", ""},
        {"no tile given", ""},
        {"fmap dim", "2"},
        {"weight dim", "2"},
        {"bias shape", "3"},
        {"hOut", "4"},
        {"wOut", "4"},
        {"dOut", "4"},
        {"padding<kernel", "6"},
        {"groups", "7"},
        {"Cin%groups", "7"},
        {"Cout%groups", "7"},
        {"Cin==CinW*groups", "7"},
        {"paddings", "8"},
        {"dilations", "8"},
        {"strides", "8"},
        {"kh/kw<=255", "9"},
        {"kh*kw*k0<=65535", "9"},
        {"tileHin", "10"},
        {"tileBatch", "10"},
        {"tileWin", "10"},
        {"tileCinFmap", "11"},
        {"tileCinWeight", "11"},
        {"L1.tileN", "12"},
        {"L1.tileN%16", "12"},
        {"wOut%16!=0 => tileHout==1", "13"},
        {"tileHout", "14"},
        {"tileWout", "14"},
        {"tileWout%16", "14"},
        {"tileCinFmap%C0", "15"},
        {"tileCinWeight%C0", "15"},
        {"tileK%C0", "16"},
        {"tileH", "17"},
        {"tileW", "17"},
        {"tileK", "17"},
        {"L0.tileN%16", "18"},
        {"tileW%16", "18"},
        {"L0.tileN", "19"},
        {"tileK|kAL1,kBL1", "20"},
        {"L0A", "21"},
        {"L0B", "21"},
        {"L0C", "21"},
        {"L1", "22"},
    };

    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        if (strcmp(rules[i].name, name) == 0)
            return rules[i].id;
    fail_msg("unknown rule '%s' in the table", name);
    return "";
}

static void check_all_rows(const char *product, const char *code_column, const char *rule_column)
{
    static struct case_table table;
    struct tile_bench bench;
    size_t rows = 0;

    bench_init(&bench, product);
    cases_open(&table);
    while (cases_next(&table)) {
        case_plan(&table, &bench.plan);
        bench_check(&bench, RULES_PYPTO);
        bool legal = strcmp(case_text(&table, code_column), "OK") == 0;
        const char *id = case_rule_id(case_text(&table, rule_column));
        if (bench.report.legal != legal || strcmp(bench_first_broken(&bench), id) != 0)
            fail_msg("%s on %s: legal %d, first broken '%s'; expected %d, '%s'",
                     case_text(&table, "case_id"), product, bench.report.legal,
                     bench_first_broken(&bench), legal, id);
        rows++;
    }
    assert_int_equal(rows, CASE_COUNT);
    fclose(table.file);
    bench_deinit(&bench);
}

static void every_row_has_its_verdict_and_first_broken_rule_on_a2(void **state)
{
    (void)state;
    check_all_rows(A2_PRODUCT, "code_A2A3", "code_A2A3_rule");
    check_all_rows("ascend910_9391", "code_A2A3", "code_A2A3_rule");
}

static void every_row_has_its_verdict_and_first_broken_rule_on_950(void **state)
{
    (void)state;
    check_all_rows(PRO_PRODUCT, "code_950", "code_950_rule");
    check_all_rows("ascend950pr_9579", "code_950", "code_950_rule");
}

static void every_row_that_upstream_passes_is_legal(void **state)
{
    static struct case_table table;
    struct tile_bench bench;
    size_t passing = 0;

    (void)state;
    bench_init(&bench, A2_PRODUCT);
    cases_open(&table);
    while (cases_next(&table)) {
        if (strcmp(case_text(&table, "origin"), "upstream") != 0)
            continue;
        assert_string_equal(case_text(&table, "expected_upstream"), "pass");
        case_plan(&table, &bench.plan);
        bench_check(&bench, RULES_PYPTO);
        assert_true(bench.report.legal);
        passing++;
    }
    assert_int_equal(passing, 14);
    fclose(table.file);
    bench_deinit(&bench);
}

static void set_document_accepts_exactly_what_the_page_accepts(void **state)
{
    static struct case_table table;
    struct tile_bench bench;
    const char *const products[] = {A2_PRODUCT, PRO_PRODUCT};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        bench_init(&bench, products[i]);
        cases_open(&table);
        while (cases_next(&table)) {
            case_plan(&table, &bench.plan);
            bench_check(&bench, RULES_DOCUMENT);
            bool legal = case_text(&table, "seed000_violations")[0] == '\0';
            if (bench.report.legal != legal)
                fail_msg("%s: legal %d, first broken '%s'", case_text(&table, "case_id"),
                         bench.report.legal, bench_first_broken(&bench));
        }
        fclose(table.file);
        bench_deinit(&bench);
    }
}

static void set_strict_adds_the_recommended_rules(void **state)
{
    static struct case_table table;
    struct tile_bench bench;
    size_t of_hardware = 0;

    (void)state;
    bench_init(&bench, A2_PRODUCT);
    cases_open(&table);
    while (cases_next(&table)) {
        const char *wanted = case_text(&table, "recommended_violations_A2A3");
        char id[8] = "";
        case_plan(&table, &bench.plan);
        bench_check(&bench, RULES_STRICT);
        if (wanted[0] == 'R' && sscanf(wanted, "%7[^ ]", id) == 1)
            of_hardware++;
        else
            snprintf(id, sizeof id, "%s", case_rule_id(case_text(&table, "code_A2A3_rule")));
        if (strcmp(bench_first_broken(&bench), id) != 0)
            fail_msg("%s: first broken '%s', expected '%s'", case_text(&table, "case_id"),
                     bench_first_broken(&bench), id);
        assert_int_equal(bench.report.legal, wanted[0] == '\0');
    }
    assert_int_equal(of_hardware, 4);
    fclose(table.file);
    bench_deinit(&bench);
}

static int64_t value_of(const struct rule_verdict *verdict, const char *name)
{
    for (uint32_t i = 0; i < verdict->value_count; i++)
        if (strcmp(verdict->values[i].name, name) == 0)
            return verdict->values[i].value;
    fail_msg("no value %s", name);
    return 0;
}

static void both_formulas_of_l1_give_the_bytes_of_the_table(void **state)
{
    static struct case_table table;
    struct tile_bench bench;

    (void)state;
    bench_init(&bench, A2_PRODUCT);
    cases_open(&table);
    while (cases_next(&table)) {
        if (case_text(&table, "L1_tileHin")[0] == '\0')
            continue;
        case_plan(&table, &bench.plan);
        bench_check(&bench, RULES_PYPTO);
        assert_int_equal(value_of(bench_verdict(&bench, "22"), "total"),
                         case_number(&table, "L1_bytes_code"));
        bench_check(&bench, RULES_DOCUMENT);
        assert_int_equal(value_of(bench_verdict(&bench, "22"), "total"),
                         case_number(&table, "L1_bytes_seed"));
    }
    fclose(table.file);
    bench_deinit(&bench);
}

static void nearest_is_legal(struct tile_bench *bench, enum rule_set set, uint64_t slots,
                             const char *name)
{
    struct plan plan = bench->plan;

    if (!tile_nearest(&plan.conv, &bench->product, set, slots, &plan.l1, &plan.l0))
        fail_msg("%s has no nearest plan under %s", name, rule_set_word(set));
    bench->plan = plan;
    bench_check(bench, set);
    if (!bench->report.runnable)
        fail_msg("%s: the nearest plan breaks %s of %s", name, bench_first_broken(bench),
                 rule_set_word(set));
    for (uint32_t i = 0; i < 3; i++)
        assert_true(slots == 1 || bench->report.buffers[i].fits_double);
}

static void every_broken_tile_has_a_nearest_plan_and_it_is_legal(void **state)
{
    static struct case_table table;
    const enum rule_set sets[] = {RULES_PYPTO, RULES_STRICT, RULES_DOCUMENT};
    struct tile_bench bench;
    size_t offered = 0;

    (void)state;
    bench_init(&bench, A2_PRODUCT);
    cases_open(&table);
    while (cases_next(&table)) {
        for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++) {
            case_plan(&table, &bench.plan);
            bench_check(&bench, sets[i]);
            bool conv_holds = bench.report.verdicts[0].ok;
            for (uint32_t rule = 1; rule < 9; rule++)
                conv_holds = conv_holds && bench.report.verdicts[rule].ok;
            if (bench.report.runnable || !conv_holds)
                continue;
            /* The page has no tile for fewer channels than one block. */
            if (sets[i] == RULES_DOCUMENT &&
                bench.plan.conv.cin_group < element_c0(bench.plan.conv.dtype))
                continue;
            assert_true(bench.report.nearest_plan[0] != '\0');
            nearest_is_legal(&bench, sets[i], 1, case_text(&table, "case_id"));
            case_plan(&table, &bench.plan);
            nearest_is_legal(&bench, sets[i], 2, case_text(&table, "case_id"));
            offered++;
        }
    }
    assert_true(offered > 90);
    fclose(table.file);
    bench_deinit(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_has_its_verdict_and_first_broken_rule_on_a2),
        cmocka_unit_test(every_row_has_its_verdict_and_first_broken_rule_on_950),
        cmocka_unit_test(every_row_that_upstream_passes_is_legal),
        cmocka_unit_test(set_document_accepts_exactly_what_the_page_accepts),
        cmocka_unit_test(set_strict_adds_the_recommended_rules),
        cmocka_unit_test(both_formulas_of_l1_give_the_bytes_of_the_table),
        cmocka_unit_test(every_broken_tile_has_a_nearest_plan_and_it_is_legal),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
