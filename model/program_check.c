#include "model/program_check.h"

#include <inttypes.h>

#include "isa/line.h"

static enum status check_region(const struct region *region, const struct product *product,
                                const struct source *source, struct diag *diag)
{
    uint64_t size_bytes = product_memory_bytes(product, region->space);
    uint64_t room = size_bytes > region->base_bytes ? size_bytes - region->base_bytes : 0;
    struct place place = place_in_line(source, region->line, NULL);
    if (size_bytes == 0)
        return diag_add(diag, STATUS_BAD_INPUT, place,
                        "found a buffer in %s, which %s does not have", space_word(region->space),
                        product->soc);
    if (region->size_bytes <= room)
        return STATUS_OK;
    return diag_add(diag, STATUS_BAD_INPUT, place,
                    "found '%s' of %" PRIu64 " bytes from %" PRIu64
                    " on; expected it to end within "
                    "the %" PRIu64 " bytes of %s on %s",
                    region->name, region->size_bytes, region->base_bytes, size_bytes,
                    space_word(region->space), product->soc);
}

/* The ".core N" line of a core, or the whole source: instructions may lack it, but only of core 0.
 */
static struct place core_place(const struct source *source, uint64_t core)
{
    struct line line;
    line_init(&line, source);
    while (line_next(&line)) {
        uint64_t number;
        struct word word;
        if (!word_is(line_word(&line, ""), ".core"))
            continue;
        word = line_word(&line, "");
        if (word_count(word, 0, UINT32_MAX, &number) == NUMBER_OK && number == core)
            return place_in_line(source, line.number, NULL);
    }
    return (struct place){.source = source};
}

enum status program_check(const struct program *program, const struct product *product,
                          const struct source *source, struct diag *diag)
{
    enum status status = STATUS_OK;
    uint64_t cores = product_whole(product, PRODUCT_CHIP_CORES);
    for (uint32_t i = 0; i < program->region_count; i++)
        if (program->regions[i].space != SPACE_GM)
            status = diag_graver(status, check_region(&program->regions[i], product, source, diag));
    if (program->core_count <= cores)
        return status;
    return diag_graver(status, diag_add(diag, STATUS_BAD_INPUT, core_place(source, cores),
                                        "found streams for %" PRIu32 " cores; expected at most "
                                        "%" PRIu64 ", the cores of %s",
                                        program->core_count, cores, product->soc));
}
