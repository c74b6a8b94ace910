#include "model/sensitivity.h"

#include <string.h>

#include "model/run_program.h"

/* Which numbers a pipe works by: the head of their names, and what is taken out of that. */
static const struct {
    const char *head;
    uint32_t pipe; /* PIPE_COUNT: flags and barriers */
} heads[] = {
    {"l2.write_rate", PIPE_FIXP}, {"l2.", PIPE_MTE2},       {"gm.", PIPE_MTE2},
    {"mte2.", PIPE_MTE2},         {"mte1.", PIPE_MTE1},     {"cube.", PIPE_CUBE},
    {"fixp.", PIPE_FIXP},         {"vector.", PIPE_VECTOR}, {"mte3.", PIPE_MTE3},
    {"scalar.", PIPE_SCALAR},     {"sync.", PIPE_COUNT},
};

bool sensitivity_is_of(enum product_key key, uint32_t pipe)
{
    const char *path = product_key_info(key)->path;
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        if (strncmp(path, heads[i].head, strlen(heads[i].head)) == 0)
            return heads[i].pipe == pipe;
    return false;
}

/* The clock is the unit of time, the cores and what a plan may hold are another plan, a launch is
 * outside, and the fractals below which a barrier stands are in the program. */
static bool is_varied(enum product_key key)
{
    switch ((int)key) {
    case PRODUCT_CHIP_CLOCK:
    case PRODUCT_CHIP_CORES:
    case PRODUCT_HOST_LAUNCH:
    case PRODUCT_CUBE_BARRIER_BELOW:
        return false;
    case PRODUCT_L2_SIZE:
    case PRODUCT_MTE2_WINDOW:
        return true;
    default:
        return product_key_info(key)->direction != DIRECTION_NEITHER;
    }
}

int64_t sensitivity_better(const struct product *product, enum product_key key)
{
    const struct product_key_info *info = product_key_info(key);
    int64_t value = product->number[key].value, step = (value + 5) / 10;
    if (info->unit == UNIT_COUNT) {
        step = (step + QUANTITY_ONE / 2) / QUANTITY_ONE * QUANTITY_ONE;
        step = step > 0 ? step : QUANTITY_ONE;
    }
    if (info->unit == UNIT_BYTES)
        step = step / QUANTITY_ONE * QUANTITY_ONE;
    int64_t better = info->direction == DIRECTION_LESS ? value - step : value + step;
    better = better < info->low ? info->low : better;
    return better > info->high ? info->high : better;
}

/* The cycles of a program on a product. */
static enum status cycles_on(const struct program *program, const struct product *product,
                             tick *cycles)
{
    struct arena work;
    arena_init(&work, 0);
    struct run_result *result = arena_take(&work, 1, sizeof *result);
    const struct program_run run = {.program = program, .product = product};
    enum status status = result != NULL ? run_program(&run, &work, result) : STATUS_NO_MEMORY;
    if (status == STATUS_OK)
        *cycles = result->cycles;
    arena_deinit(&work);
    return status;
}

static void number_set(struct product *product, enum product_key key, int64_t value)
{
    struct product_number *number = &product->number[key];
    number->value = number->low = number->high = value;
}

/* The most gain first, equal ones in the order of the keys. */
static void number_add(struct sensitivity *sensitivity, const struct sensitivity_number *number)
{
    uint32_t at = sensitivity->count++;
    for (; at > 0 && sensitivity->number[at - 1].cycles > number->cycles; at--)
        sensitivity->number[at] = sensitivity->number[at - 1];
    sensitivity->number[at] = *number;
}

static enum status try_number(const struct program *program, const struct product *product,
                              enum product_key key, struct product *moved,
                              struct sensitivity *sensitivity)
{
    struct sensitivity_number number = {.key = key,
                                        .moved = product->number[key].value,
                                        .varied = is_varied(key),
                                        .cycles = sensitivity->base.cycles};
    if (!number.varied) {
        sensitivity->fixed[sensitivity->fixed_count++] = number;
        return STATUS_OK;
    }
    enum status status = STATUS_OK;
    number.moved = sensitivity_better(product, key);
    if (number.moved != product->number[key].value) {
        *moved = *product;
        number_set(moved, key, number.moved);
        status = cycles_on(program, moved, &number.cycles);
    }
    number_add(sensitivity, &number);
    return status;
}

static enum status try_pipe(const struct program *program, const struct product *product,
                            uint32_t pipe, struct product *moved, tick base,
                            struct sensitivity_pipe *all)
{
    *moved = *product;
    *all = (struct sensitivity_pipe){.cycles = base};
    for (enum product_key key = 0; key < PRODUCT_KEY_COUNT; key++) {
        if (!product->number[key].present || !is_varied(key) || !sensitivity_is_of(key, pipe))
            continue;
        int64_t better = sensitivity_better(product, key);
        all->numbers += better != product->number[key].value;
        number_set(moved, key, better);
    }
    return all->numbers > 0 ? cycles_on(program, moved, &all->cycles) : STATUS_OK;
}

enum status sensitivity_find(const struct program *program, const struct product *product,
                             struct arena *arena, struct sensitivity *sensitivity)
{
    const struct program_run run = {.program = program, .product = product};
    *sensitivity = (struct sensitivity){.count = 0};
    struct product *moved = arena_take(arena, 1, sizeof *moved);
    if (moved == NULL)
        return STATUS_NO_MEMORY;
    enum status status = run_program(&run, arena, &sensitivity->base);
    tick base = sensitivity->base.cycles;
    if (status != STATUS_OK || sensitivity->base.deadlocked)
        return status;
    for (enum product_key key = 0; key < PRODUCT_KEY_COUNT && status == STATUS_OK; key++)
        if (product->number[key].present)
            status = try_number(program, product, key, moved, sensitivity);
    for (uint32_t pipe = 0; pipe < PIPE_COUNT && status == STATUS_OK; pipe++)
        status = try_pipe(program, product, pipe, moved, base, &sensitivity->pipe[pipe]);
    if (status == STATUS_OK)
        status = try_pipe(program, product, PIPE_COUNT, moved, base, &sensitivity->flags);
    return status;
}
