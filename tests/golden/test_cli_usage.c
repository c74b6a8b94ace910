/*
 * What every command line has in common: help, version, wrong words, and a stdout that fails.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "tests/support/cli.h"

#define PLAN "configs/plans/wav2vec_1d.yaml"

CLI_FIXTURE(cli)

static void no_command_lists_the_commands_on_stderr_and_exits_2(void **state)
{
    (void)state;
    cli_run(&cli, " ");
    assert_int_equal(cli.code, 2);
    assert_string_equal(cli.out, "");
    cli_assert_err(&cli, "cubesim check");
}

static void help_comes_on_stdout_and_exits_0(void **state)
{
    (void)state;
    static const char *const words[] = {
        "--help",          "help",        "help help",    "help metrics",       "help check",
        "check --help",    "help lower",  "lower --help", "help run",           "run --help",
        "help show",       "show --help", "help export",  "export --help",      "help products",
        "products --help", "help isa",    "isa --help",   "run " PLAN " --help"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        cli_run(&cli, "%s", words[i]);
        assert_int_equal(cli.code, 0);
        assert_string_equal(cli.err, "");
        assert_true(strlen(cli.out) > 100);
    }
}

static void help_of_run_names_each_option(void **state)
{
    (void)state;
    static const char *const options[] = {
        "--product=", "--cores=",   "--db=",     "--timeline=", "--timing-only",
        "--seed=",    "--input=",   "--weight=", "--bias=",     "--output=",
        "--verify",   "--hazards=", "--set=",    "--json",      "--rules="};
    cli_run(&cli, "help run");
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        cli_assert_out(&cli, options[i]);
}

static void every_help_fits_80_columns_and_tells_defaults_in_one_way(void **state)
{
    (void)state;
    static const char *const words[] = {"--help",      "help metrics",  "help check",
                                        "help lower",  "help run",      "help show",
                                        "help export", "help products", "help isa"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        cli_run(&cli, "%s", words[i]);
        cli_assert_page(&cli);
    }
    cli_run(&cli, "help run");
    cli_assert_out(&cli, "no effect with\n");
    cli_assert_out(&cli, "(default: warn for a plan,");
    cli_assert_out(&cli, "(default: all, up to 5,000,000 rows)");
    assert_null(strstr(cli.out, "when not given"));
}

static void help_of_metrics_explains_each_word(void **state)
{
    (void)state;
    static const char *const words[] = {"busy ",      "waiting ",   "idle ",    "link ",
                                        "active ",    "hand-over ", "useful ",  "range ",
                                        "queue full", "basis ",     "startup ", "bound "};
    cli_run(&cli, "help metrics");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        cli_assert_out(&cli, words[i]);
}

static void options_without_effect_are_accepted(void **state)
{
    (void)state;
    cli_run(&cli, "run " PLAN " --timing-only --seed 3 --timeline none");
    assert_int_equal(cli.code, 0);
    assert_string_equal(cli.err, "");
}

static void the_version_is_that_of_the_project(void **state)
{
    (void)state;
    cli_run(&cli, "--version");
    assert_int_equal(cli.code, 0);
    assert_memory_equal(cli.out, "cubesim ", 8);
    assert_true(cli.out[8] >= '0' && cli.out[8] <= '9');
}

/* Exit 2, nothing on stdout, and the words that help. */
static void wrong_words_are_refused_with_what_was_expected(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"-h", "unknown option '-h'; did you mean '--help'?"},
        {"--versoin", "unknown option '--versoin'; did you mean '--version'?"},
        {"rnu", "unknown command 'rnu'; did you mean 'run'?"},
        {"sweep",
         "commands: check lower run show export diff net sensitivity products isa validate help"},
        {"--verison", "unknown option '--verison'"},
        {"help rnu", "unknown command 'rnu'"},
        {"help run check", "expected one command"},
        {"run", "found no PLAN"},
        {"check --json", "found no PLAN"},
        {"check a.yaml b.yaml", "found 'b.yaml' behind 'a.yaml'; expected one plan"},
        {"products a b", "expected one name"},
        {"isa mmad load2d", "found 'load2d' behind 'mmad'; expected one mnemonic"},
        {"isa mmda", "cubesim isa: unknown instruction 'mmda'; expected 'mmad'"},
        {"isa MMAD", "cubesim isa: unknown instruction 'MMAD'; expected 'mmad'"},
        {"isa mmad_mxx", "cubesim isa: unknown instruction 'mmad_mxx'; expected 'mmad_mx'"},
        {"isa ''", "unknown instruction ''; expected one that 'cubesim isa' lists"},
        {"isa --json --markdown", "found --json and --markdown; expected one of them"},
        {"run " PLAN " --foo", "unknown option '--foo'"},
        {"run " PLAN " --verfy", "unknown option '--verfy'; did you mean '--verify'?"},
        {"run " PLAN " -x", "unknown option '-x'"},
        {"run " PLAN " --db", "option --db without a value; expected --db FILE"},
        {"run " PLAN " --json=3", "option --json takes no value"},
        {"run " PLAN " --ti", "option '--ti' may mean several"},
        {"run " PLAN " --timeline core", "expected all, core0 or none; did you mean 'core0'?"},
        {"run " PLAN " --hazards wran", "expected off, warn or error; did you mean 'warn'?"},
        {"check " PLAN " --rules ptypo", "did you mean 'pypto'?"},
        {"run " PLAN " --cores 0", "--cores: found '0'; expected a whole number from 1"},
        {"run " PLAN " --cores 1.5", "--cores: found '1.5'"},
        {"run " PLAN " --cores 1,00", "--cores: found '1,00'"},
        {"run " PLAN " --cores 25", "cubesim run: --cores: found 25; expected 1 to 24"},
        {"run " PLAN " --cores 1,000", "cubesim run: --cores: found 1000; expected 1 to 24"},
        {"lower " PLAN " --core 24", "cubesim lower: --core: found 24; expected 0 to "},
        {"run " PLAN " --seed -1", "--seed: found '-1'; expected a whole number from 0"},
        {"run " PLAN " --seed 18446744073709551616", "expected a whole number from 0"},
        {"run " PLAN " --seed ''", "--seed: found ''"},
        {"lower " PLAN " --core x", "--core: found 'x'"},
        {"run " PLAN " --timing-only --verify", "found --verify with --timing-only"},
        {"run " PLAN " --timing-only --output o.npy", "found --output with --timing-only"},
        {"run " PLAN " --timing-only --hazards error",
         "found --hazards error with --timing-only, which looks for no hazards"},
        {"run " PLAN " --db ''", "--db: found '', which keeps nothing"},
        {"check hand.prog", "hand.prog: found a program file; expected a plan"},
        {"lower hand.prog", "hand.prog: cannot open: No such file or directory"},
        {"run hand.prog", "hand.prog: cannot open: No such file or directory"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cli_run(&cli, "%s", cases[i][0]);
        if (cli.code != 2)
            fail_msg("exit code %d of: %s", cli.code, cases[i][0]);
        assert_string_equal(cli.out, "");
        cli_assert_err(&cli, cases[i][1]);
        cli_run_on_terminal(&cli, "%s", cases[i][0]);
        cli_assert_err(&cli, cases[i][1]);
        cli_assert_messages(&cli);
    }
}

static void a_stdout_that_cannot_be_written_is_exit_3(void **state)
{
    (void)state;
    static const char *const words[] = {"products",
                                        "check " PLAN,
                                        "run " PLAN " --timing-only",
                                        "run " PLAN " --timing-only --json",
                                        "lower " PLAN,
                                        "--version"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        cli_run(&cli, "%s >/dev/full", words[i]);
        assert_int_equal(cli.code, 3);
        cli_assert_err(&cli, "cannot write to standard output");
        cli_run(&cli, "%s >&-", words[i]);
        assert_int_equal(cli.code, 3);
    }
}

static void a_database_never_takes_the_place_of_a_closed_stream(void **state)
{
    (void)state;
    char database[128];
    strcpy(database, cli_path(&cli, "closed.db"));
    cli_run(&cli, "run %s --timing-only --db %s <&- >&- 2>&-", PLAN, database);
    assert_int_equal(cli.code, 3);
    assert_int_equal(cli_count(database, "SELECT count(*) FROM v_run"), 1);
}

static void a_reader_that_leaves_early_gets_no_message(void **state)
{
    (void)state;
    cli_run(&cli, "lower configs/plans/res2a.yaml | head -n 1");
    assert_string_equal(cli.out, ".product ascend910b1\n");
    assert_string_equal(cli.err, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_command_lists_the_commands_on_stderr_and_exits_2),
        cmocka_unit_test(help_comes_on_stdout_and_exits_0),
        cmocka_unit_test(help_of_run_names_each_option),
        cmocka_unit_test(every_help_fits_80_columns_and_tells_defaults_in_one_way),
        cmocka_unit_test(help_of_metrics_explains_each_word),
        cmocka_unit_test(options_without_effect_are_accepted),
        cmocka_unit_test(the_version_is_that_of_the_project),
        cmocka_unit_test(wrong_words_are_refused_with_what_was_expected),
        cmocka_unit_test(a_stdout_that_cannot_be_written_is_exit_3),
        cmocka_unit_test(a_database_never_takes_the_place_of_a_closed_stream),
        cmocka_unit_test(a_reader_that_leaves_early_gets_no_message),
    };
    return cmocka_run_group_tests_name("command line", tests, make_folder, remove_folder);
}
