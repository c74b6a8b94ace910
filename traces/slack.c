#include "traces/slack.h"

#include <assert.h>

#include "engine/base/arena.h"

/* Moments come soon after those that they depend on, or as late as their pipes are idle. */
struct spooled_precedence {
    uint64_t after;
    tick gap;
    uint64_t before;
};

void slack_init(struct slack *slack, const char *path)
{
    *slack = (struct slack){.path = path};
}

void slack_deinit(struct slack *slack)
{
    for (size_t i = 0; i < slack->core_count; i++)
        record_file_deinit(&slack->cores[i].precedences);
    array_release(slack->cores);
    array_release(slack->later);
    slack_init(slack, slack->path);
}

static enum status slack_make_room(struct slack *slack, uint32_t core)
{
    if (core < slack->core_count)
        return STATUS_OK;
    struct slack_core *cores =
        array_grow(slack->cores, &slack->core_capacity, (size_t)core + 1, sizeof *cores);
    if (cores == NULL)
        return STATUS_NO_MEMORY;
    slack->cores = cores;
    for (; slack->core_count <= core; slack->core_count++) {
        struct slack_core *added = &cores[slack->core_count];
        *added = (struct slack_core){.moments = 0};
        record_file_init(&added->precedences, slack->path, sizeof(struct spooled_precedence));
    }
    return STATUS_OK;
}

enum status slack_add(struct slack *slack, const struct precedence *precedence)
{
    enum status status = slack_make_room(slack, precedence->core);
    if (status != STATUS_OK)
        return status;
    struct slack_core *core = &slack->cores[precedence->core];
    const struct spooled_precedence spooled = {precedence->after, precedence->gap,
                                               precedence->before};
    uint64_t higher = precedence->after > 0 ? precedence->after : precedence->before;
    if (core->moments < higher)
        core->moments = higher;
    return record_file_add(&core->precedences, &spooled);
}

enum status slack_find(struct slack *slack, uint32_t core, tick end)
{
    if (core >= slack->core_count)
        return STATUS_OK;
    struct slack_core *found = &slack->cores[core];
    tick *later =
        array_grow(slack->later, &slack->later_capacity, (size_t)found->moments, sizeof *later);
    if (later == NULL)
        return STATUS_NO_MEMORY;
    slack->later = later;
    for (uint64_t i = 0; i < found->moments; i++)
        later[i] = UINT64_MAX;
    enum status status = STATUS_OK;
    for (uint64_t i = found->precedences.count; i-- > 0 && status == STATUS_OK;) {
        struct spooled_precedence precedence = {0};
        status = record_file_read(&found->precedences, i, &precedence);
        if (status != STATUS_OK)
            break;
        tick most = end - precedence.gap; /* before the end of the run */
        if (precedence.after > 0) {
            tick behind = later[precedence.after - 1];
            most = behind > UINT64_MAX - precedence.gap ? UINT64_MAX : behind + precedence.gap;
        } else {
            assert(precedence.gap <= end);
        }
        if (later[precedence.before - 1] > most)
            later[precedence.before - 1] = most;
    }
    return status;
}

tick slack_of(const struct slack *slack, uint32_t core, uint64_t moment)
{
    if (core >= slack->core_count || moment == 0 || moment > slack->cores[core].moments)
        return UINT64_MAX;
    return slack->later[moment - 1];
}
