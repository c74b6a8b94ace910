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

enum status run_data_make(const struct conv *conv, const struct run_files *files,
                          struct arena *arena, struct diag *diag, struct run_data *data)
{
    *data = (struct run_data){.input_generated = false};
    tensor_shape_input(conv, &data->input);
    tensor_shape_weight(conv, &data->weight);
    tensor_shape_bias(conv, &data->bias);
    enum status status = tensor_make(files->input, files, STREAM_INPUT, arena, diag, &data->input,
                                     &data->input_generated);
    status = diag_graver(status, tensor_make(files->weight, files, STREAM_WEIGHT, arena, diag,
                                             &data->weight, &data->weight_generated));
    if (conv->bias)
        return diag_graver(status, tensor_make(files->bias, files, STREAM_BIAS, arena, diag,
                                               &data->bias, &data->bias_generated));
    if (files->bias == NULL)
        return status;
    struct source source = {.name = "--bias", .text = ""};
    return diag_graver(status, diag_add(diag, STATUS_BAD_INPUT, (struct place){.source = &source},
                                        "found a file; the plan has no bias, expected 'bias: true' "
                                        "in its conv"));
}
