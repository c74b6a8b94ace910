#include "cli/run_case.h"

#include <inttypes.h>

#include "cli/problems.h"
#include "cli/program_case.h"
#include "cli/run_targets.h"
#include "cli/text.h"
#include "model/lower.h"
#include "model/program_data.h"
#include "model/run_program.h"

enum { TIMELINE_ROWS_MAX = 5000000 };

/* ---- what only plans can be asked ---- */

struct plan_only {
    bool given;
    const char *option, *instead;
};

static enum status refuse_plan_options(const struct run_request *request, struct diag *diag)
{
    static const char tensors[] = "a .gm line binds a tensor of a program to a file";
    const struct plan_only options[] = {
        {request->files.input != NULL, "--input", tensors},
        {request->files.weight != NULL, "--weight", tensors},
        {request->files.bias != NULL, "--bias", tensors},
        {request->output != NULL, "--output", "a dump line of a program writes a tensor to a file"},
        {request->verify, "--verify", "a program has no convolution or product to compare with"},
        {request->cores > 0, "--cores", "a program has a stream for each of its cores"},
        {request->plan.rules_given, "--rules", "a program has no tiling to judge"},
        {request->advice_given, "--advice", "a program has no words to change"},
    };
    enum status status = STATUS_OK;
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        struct source source = {.name = options[i].option, .text = ""};
        if (options[i].given)
            status = diag_add(diag, STATUS_BAD_INPUT, (struct place){.source = &source},
                              "found with the program '%s'; expected a plan: %s",
                              request->plan.common.argument, options[i].instead);
    }
    return status;
}

/* ---- reading ---- */

static enum status count_instructions(struct run_case *run, uint64_t *count)
{
    const struct program *program = &run->program;
    enum status status = STATUS_OK;
    struct arena work;
    *count = 0;
    arena_init(&work, 0);
    for (uint32_t core = 0; core < program->core_count && status == STATUS_OK; core++) {
        struct insn insn;
        void *stream = program->open(program->context, core, &work);
        while (stream != NULL && program->next(stream, &insn))
            ++*count;
        status = stream != NULL ? program->ended(stream) : STATUS_NO_MEMORY;
    }
    arena_deinit(&work);
    if (status != STATUS_OK)
        return diag_add(&run->c->diag, status, place_none(), "memory ran out");
    return status;
}

/* A long timeline has to be asked for. */
static enum status check_rows(const struct run_case *run, uint64_t rows)
{
    const struct run_request *request = run->request;
    struct arena *arena = &run->c->arena;
    if (request->db == NULL || request->timeline_given || rows <= TIMELINE_ROWS_MAX)
        return STATUS_OK;
    return diag_add(&run->c->diag, STATUS_BAD_INPUT, place_none(),
                    "the timeline has %s rows; more than %s have to be asked for\n"
                    "write '--timeline core0' or '--timeline none' to save less of it, or "
                    "'--timeline all'",
                    text_number(arena, rows), text_number(arena, TIMELINE_ROWS_MAX));
}

static enum status read_plan(struct run_case *run)
{
    struct plan_case *c = run->c;
    uint64_t rows = 0;
    enum status status =
        run_data_make(&c->plan, &run->request->files, &c->arena, &c->diag, &run->data);
    if (status == STATUS_OK)
        status = lower_plan(&c->plan, &c->arena, &c->diag, &run->program);
    if (status == STATUS_OK && run->request->db != NULL && !run->request->timeline_given)
        status = count_instructions(run, &rows);
    return status == STATUS_OK ? check_rows(run, rows) : status;
}

static enum status read_program(struct run_case *run)
{
    const struct run_files *files = &run->request->files;
    struct plan_case *c = run->c;
    struct program_data_options options = {.seed = files->seed};
    run->file = (struct subject_file){
        .program = &run->program, .product = &c->product, .seed = files->seed};
    enum status status = refuse_plan_options(run->request, &c->diag);
    size_t first = c->diag.count;
    status = diag_graver(
        status, program_case_load(c, &run->request->plan, &run->file.source, &run->program));
    if (run->file.source == NULL || status == STATUS_NO_MEMORY)
        return status;
    options.source = run->file.source;
    options.files_only = files->check_only || status != STATUS_OK;
    status = diag_graver(status, program_data_find(&run->program, run->file.source, &c->arena,
                                                   &c->diag, &run->input));
    options.file = run->input;
    if (status != STATUS_NO_MEMORY)
        status = diag_graver(
            status, program_data_make(&run->program, &options, &c->arena, &c->diag, &run->tensor));
    diag_sort(&c->diag, first);
    run->file.tensor = run->tensor;
    if (status == STATUS_OK)
        status = count_instructions(run, &run->file.instructions);
    return status == STATUS_OK ? check_rows(run, run->file.instructions) : status;
}

int run_case_make(struct run_case *run, struct plan_case *c, const struct run_request *request)
{
    bool is_program = path_is_program(request->plan.common.argument);
    *run = (struct run_case){.request = request, .c = c, .is_program = is_program};
    run->hazards = request->hazards;
    if (!request->hazards_given)
        run->hazards = is_program ? HAZARDS_ERROR : HAZARDS_WARN;
    if (!is_program) {
        int code = plan_case_make(c, &request->plan, request->cores);
        if (code != 0)
            return code;
    }
    enum status status = is_program ? read_program(run) : read_plan(run);
    if (status == STATUS_OK)
        status = run_targets_check(run);
    return status == STATUS_OK ? 0 : problems_print(&c->diag, request->plan.common.command, status);
}

/* ---- running ---- */

enum status run_case_subject(const struct run_case *run, struct subject *subject)
{
    if (run->is_program)
        return subject_program(&run->file, &run->c->arena, subject);
    return subject_plan(&run->c->plan, &run->program, &run->c->arena, subject);
}

static enum status simulate_program(struct run_case *run, struct store *store,
                                    struct run_result *result)
{
    struct program_run program_run = {
        .program = &run->program,
        .product = &run->c->product,
        .tensor = run->request->files.check_only ? NULL : run->tensor,
        .with_range = true,
        .sink = store == NULL ? NULL : store_row,
        .steps = store == NULL ? NULL : store_step,
        .precedences = store == NULL ? NULL : store_precedence,
        .sink_context = store,
        .core0_only = run->request->timeline == TIMELINE_CORE0,
        .unchecked = run->hazards == HAZARDS_OFF,
    };
    enum status status = run_program(&program_run, &run->c->arena, result);
    return run_explain(status, result, &run->c->diag);
}

enum status run_case_simulate(struct run_case *run, struct store *store, struct run_result *result)
{
    const struct run_request *request = run->request;
    struct plan_case *c = run->c;
    if (run->is_program)
        return simulate_program(run, store, result);
    struct run_options options = {
        .timing_only = request->files.check_only,
        .verify = request->verify,
        .with_range = true,
        .input = &run->data.input,
        .weight = &run->data.weight,
        .bias = c->plan.conv.bias ? &run->data.bias : NULL,
        .sink = store == NULL ? NULL : store_row,
        .steps = store == NULL ? NULL : store_step,
        .precedences = store == NULL ? NULL : store_precedence,
        .sink_context = store,
        .core0_only = request->timeline == TIMELINE_CORE0,
        .unchecked = run->hazards == HAZARDS_OFF,
    };
    return run_plan(&c->plan, &options, &c->arena, &c->diag, result);
}

/* C of a matrix product as the matrix that it is. */
static enum status save_matrix(const struct run_case *run, const struct tensor *output)
{
    struct diag *diag = &run->c->diag;
    const struct conv *conv = &run->c->plan.conv;
    struct tensor columns = *output, matrix;
    columns.rank = 2;
    columns.shape[0] = conv->cout;
    columns.shape[1] = conv->in[AXIS_W];
    tensor_shape(&matrix, output->element, 2, (uint64_t[]){conv->in[AXIS_W], conv->cout});
    enum status status = tensor_transpose(&columns, &matrix, &run->c->arena);
    if (status != STATUS_OK)
        return diag_add(diag, status, place_none(), "memory ran out");
    return npy_save(run->request->output, place_none(), &matrix, diag);
}

enum status run_case_save(const struct run_case *run, const struct run_result *result)
{
    struct diag *diag = &run->c->diag;
    bool ended = !run->request->files.check_only && !result->deadlocked;
    if (run->is_program && ended)
        return program_data_dump(&run->program, run->file.source, run->tensor, diag);
    if (run->request->output != NULL && ended && run->c->plan.matmul)
        return save_matrix(run, &result->output);
    if (run->request->output != NULL && ended)
        return npy_save(run->request->output, place_none(), &result->output, diag);
    return STATUS_OK;
}
