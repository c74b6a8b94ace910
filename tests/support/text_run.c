#include "tests/support/text_run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "model/program_data.h"
#include "tests/support/path_check.h"

static void reading_assert_ok(struct program_reading *reading, enum status status)
{
    if (status != STATUS_OK)
        fail_msg("%s: %s", status_sentence(status),
                 reading->diag.count > 0 ? diag_text(&reading->diag, 0) : "");
}

/* Passes rows on to the sink of a test and keeps the steps. */
struct text_observer {
    const struct text_run_options *options;
    struct path_check steps;
};

static enum status observe_row(void *context, const struct timeline_row *row)
{
    const struct text_run_options *options = ((struct text_observer *)context)->options;
    return options->sink == NULL ? STATUS_OK : options->sink(options->sink_context, row);
}

static enum status observe_step(void *context, const struct timeline_step *told)
{
    path_check_step(&((struct text_observer *)context)->steps, told->step);
    return STATUS_OK;
}

void text_run_init_with(struct text_run *run, const char *text,
                        const struct text_run_options *options)
{
    memset(run, 0, sizeof *run);
    struct program_reading *reading = &run->reading;
    program_reading_init(reading, text, strlen(text));
    reading_assert_ok(reading, reading->status);
    enum status status = product_load(reading->program.product, place_none(), &reading->arena,
                                      &reading->diag, &run->product);
    reading_assert_ok(reading, status);
    if (options->set != NULL)
        reading_assert_ok(
            reading, product_set(&run->product, options->set, &reading->arena, &reading->diag));
    const struct program_data_options data = {.source = &reading->source, .seed = 1};
    status =
        program_data_make(&reading->program, &data, &reading->arena, &reading->diag, &run->tensor);
    reading_assert_ok(reading, status);
    struct text_observer observer = {.options = options};
    const struct program_run program_run = {
        .program = &reading->program,
        .product = &run->product,
        .tensor = options->timing_only ? NULL : run->tensor,
        .sink = observe_row,
        .steps = observe_step,
        .sink_context = &observer,
        .unchecked = options->unchecked,
    };
    reading_assert_ok(reading, run_program(&program_run, &reading->arena, &run->result));
    path_check(&observer.steps, &run->result.path, run->result.cycles);
    path_check_deinit(&observer.steps);
}

void text_run_init(struct text_run *run, const char *text)
{
    text_run_init_with(run, text, &(struct text_run_options){0});
}

void text_run_deinit(struct text_run *run)
{
    program_reading_deinit(&run->reading);
}

uint32_t text_run_count(const struct text_run *run, enum hazard_kind kind)
{
    uint32_t count = 0;
    for (uint64_t i = 0; i < run->result.hazards_kept; i++)
        count += run->result.hazards[i].kind == kind;
    return count;
}

const char *text_run_hazard(const struct text_run *run, enum hazard_kind kind, uint32_t line)
{
    for (uint64_t i = 0; i < run->result.hazards_kept; i++) {
        const struct hazard_record *hazard = &run->result.hazards[i];
        if (hazard->kind == kind && hazard->line == line)
            return hazard->message;
        print_message("%s at line %u: %s\n", hazard_word(hazard->kind), hazard->line,
                      hazard->message);
    }
    fail_msg("no hazard %s at line %u", hazard_word(kind), line);
    return NULL;
}

void text_run_assert_clean(const struct text_run *run)
{
    for (uint64_t i = 0; i < run->result.hazards_kept; i++)
        print_error("%s: %s\n", hazard_word(run->result.hazards[i].kind),
                    run->result.hazards[i].message);
    assert_int_equal(run->result.hazard_count, 0);
    assert_false(run->result.deadlocked);
}
