#include "cli/run_data.h"

static enum status tensor_make(const char *path, const struct run_files *files,
                               enum data_stream stream, struct arena *arena, struct diag *diag,
                               struct tensor *tensor, bool *generated)
{
    if (path != NULL)
        return npy_load(path, place_none(), tensor, arena, diag);
    if (files->check_only)
        return STATUS_OK;
    enum status status = tensor_take(tensor, arena);
    if (status != STATUS_OK)
        return diag_add(diag, status, place_none(), "memory ran out");
    tensor_fill(tensor, files->seed, stream);
    *generated = true;
    return STATUS_OK;
}

/* The same of a matrix of a product, which in a file has so many rows. */
static enum status matrix_make(const char *path, const struct run_files *files,
                               enum data_stream stream, uint64_t rows, struct arena *arena,
                               struct diag *diag, struct tensor *tensor, bool *generated)
{
    if (path == NULL)
        return tensor_make(path, files, stream, arena, diag, tensor, generated);
    struct tensor matrix;
    tensor_shape(&matrix, tensor->element, 2, (uint64_t[]){rows, tensor->count / rows});
    enum status status = npy_load(path, place_none(), &matrix, arena, diag);
    if (status != STATUS_OK)
        return status;
    status = tensor_transpose(&matrix, tensor, arena);
    return status == STATUS_OK ? status : diag_add(diag, status, place_none(), "memory ran out");
}

static enum status operands_make(const struct plan *plan, const struct run_files *files,
                                 struct arena *arena, struct diag *diag, struct run_data *data)
{
    const struct conv *conv = &plan->conv;
    if (!plan->matmul) {
        enum status status = tensor_make(files->input, files, STREAM_INPUT, arena, diag,
                                         &data->input, &data->input_generated);
        return diag_graver(status, tensor_make(files->weight, files, STREAM_WEIGHT, arena, diag,
                                               &data->weight, &data->weight_generated));
    }
    enum status status = matrix_make(files->input, files, STREAM_INPUT, conv->in[AXIS_W], arena,
                                     diag, &data->input, &data->input_generated);
    return diag_graver(status, matrix_make(files->weight, files, STREAM_WEIGHT, conv->cin, arena,
                                           diag, &data->weight, &data->weight_generated));
}

enum status run_data_make(const struct plan *plan, const struct run_files *files,
                          struct arena *arena, struct diag *diag, struct run_data *data)
{
    const struct conv *conv = &plan->conv;
    *data = (struct run_data){.input_generated = false};
    tensor_shape_input(conv, &data->input);
    tensor_shape_weight(conv, &data->weight);
    tensor_shape_bias(conv, &data->bias);
    enum status status = operands_make(plan, files, arena, diag, data);
    if (conv->bias)
        return diag_graver(status, tensor_make(files->bias, files, STREAM_BIAS, arena, diag,
                                               &data->bias, &data->bias_generated));
    if (files->bias == NULL)
        return status;
    struct source source = {.name = "--bias", .text = ""};
    return diag_graver(status, diag_add(diag, STATUS_BAD_INPUT, (struct place){.source = &source},
                                        "found a file; the plan has no bias, expected 'bias: true' "
                                        "in its %s",
                                        plan->matmul ? "matmul" : "conv"));
}
