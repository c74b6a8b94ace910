#include "isa/program_text.h"

#include <inttypes.h>
#include <string.h>

#include "engine/base/bind.h"
#include "engine/base/source.h"
#include "isa/program_builder.h"
#include "isa/refused.h"

/* First words of a line that are no mnemonic; a memory each at the end. */
enum {
    WORD_PRODUCT,
    WORD_CORE,
    WORD_DUMP,
    WORD_L2,
    WORD_SPACE,
    WORD_COUNT = WORD_SPACE + SPACE_COUNT
};

static const char *const line_words[] = {".product", ".core", "dump", ".l2",
#define ROW(name, word) "." word,
                                         SPACE_LIST(ROW)
#undef ROW
};
_Static_assert(sizeof line_words / sizeof line_words[0] == WORD_COUNT, "a word per enumerator");

/* Asks for the architecture of a product. */
static void find_product(struct program_builder *builder, const char *name, struct place place)
{
    builder->program->product = name;
    enum status status = builder->reader->lookup(builder->reader->lookup_context, name, place,
                                                 builder->diag, &builder->program->arch);
    builder->arch_known = status == STATUS_OK;
    builder->status = diag_graver(builder->status, status);
    builder->problem_count += status != STATUS_OK;
}

/* ".product NAME". The name that the caller gives stands in place of it. */
static void read_product(struct program_builder *builder)
{
    struct word raw;
    bool quoted;
    const char *name = builder_path(builder, "the name of a product", &raw, &quoted);
    if (name == NULL) {
        return;
    }
    builder_expect_end(builder);
    if (builder->product_line != 0) {
        builder_refuse(builder, raw, "found a second product; expected one, as in line %" PRIu32,
                       builder->product_line);
        return;
    }
    builder->product_line = builder->line.number;
    if (builder->reader->product != NULL) {
        return;
    }
    if (builder->insn_line != 0) {
        builder_refuse(builder, raw,
                       "found the product behind an instruction; expected it before line %" PRIu32,
                       builder->insn_line);
    }
    find_product(builder, name, line_place(&builder->line, raw));
}

/* ".core N": the stream of the next core. */
static void read_core(struct program_builder *builder)
{
    char excerpt[EXCERPT_SIZE_BYTES];
    uint64_t core;
    struct word word = line_word(&builder->line, "");
    if (word.length == 0) {
        builder_refuse_end(builder, "the number of a core");
        return;
    }
    if (word_count(word, 0, UINT32_MAX - 1, &core) != NUMBER_OK) {
        builder_refuse(builder, word, "found '%s'; expected the number of a core",
                       word_excerpt(word, excerpt));
        return;
    }
    if (core != builder->core_next) {
        builder_refuse(builder, word,
                       "found core %" PRIu64 "; expected %" PRIu32
                       ": cores follow each other from 0",
                       core, builder->core_next);
    }
    builder->core_next = (uint32_t)core + 1;
    if (!insn_store_core(builder->store)) {
        builder_fail(builder);
    }
    builder_expect_end(builder);
}

/* The tensor in GM that a word names, or REGION_NONE after a report. */
static uint32_t find_tensor(struct program_builder *builder, struct word name)
{
    uint32_t region = builder_region(builder, name);
    if (region == REGION_NONE || builder->program->regions[region].space == SPACE_GM) {
        return region;
    }
    builder_refuse(builder, name, "'%s' lies in %s; expected a tensor in gm",
                   builder->program->regions[region].name,
                   space_word(builder->program->regions[region].space));
    return REGION_NONE;
}

/* ".l2 NAME ...": tensors that lie in L2 at the start. */
static void read_warm(struct program_builder *builder)
{
    char excerpt[EXCERPT_SIZE_BYTES];
    struct word name = line_word(&builder->line, "");
    if (name.length == 0) {
        builder_refuse_end(builder, "the names of tensors that lie in L2 at the start");
    }
    for (; name.length > 0; name = line_word(&builder->line, "")) {
        uint32_t region = find_tensor(builder, name);
        if (region == REGION_NONE) {
            continue;
        }
        if (builder->program->regions[region].warm) {
            builder_refuse(builder, name, "found '%s' again; expected it once",
                           word_excerpt(name, excerpt));
        }
        builder->program->regions[region].warm = true;
    }
}

static void read_dump(struct program_builder *builder)
{
    struct word raw;
    bool quoted;
    char excerpt[EXCERPT_SIZE_BYTES];
    struct word name = line_word(&builder->line, "");
    if (name.length == 0) {
        builder_refuse_end(builder, "the name of a tensor");
        return;
    }
    uint32_t region = find_tensor(builder, name);
    const char *path = builder_path(builder, "the path of a .npy file", &raw, &quoted);
    if (path == NULL) {
        return;
    }
    builder_expect_end(builder);
    if (region == REGION_NONE) {
        return;
    }
    uint32_t dump = name_table_find(&builder->paths, path, strlen(path));
    if (dump != NAME_NONE) {
        builder_refuse(builder, raw,
                       "found '%s' again; expected another file, since line %" PRIu32 " writes it",
                       word_excerpt((struct word){path, strlen(path)}, excerpt),
                       builder->dumps[dump].line);
        return;
    }
    struct dump *dumps = array_grow(builder->dumps, &builder->dump_capacity,
                                    (size_t)builder->program->dump_count + 1, sizeof *dumps);
    if (dumps == NULL) {
        builder_fail(builder);
        return;
    }
    builder->dumps = dumps;
    if (!name_table_add(&builder->paths, path, strlen(path), builder->program->dump_count)) {
        builder_fail(builder);
        return;
    }
    dumps[builder->program->dump_count++] =
        (struct dump){.region = region, .path = path, .line = builder->line.number};
}

static void refuse_word(struct program_builder *builder, struct word word)
{
    const char *words[WORD_COUNT + OP_COUNT];
    char excerpt[EXCERPT_SIZE_BYTES], list[WORDS_BYTES] = "one that 'cubesim isa' lists";
    const struct refused *refused = refused_find(word);
    if (refused != NULL) {
        builder_refuse(builder, word, "found '%s'; it is not modelled: %s",
                       word_excerpt(word, excerpt), refused->reason);
        return;
    }
    bool directive = word.text[0] == '.';
    size_t count = 0;
    for (size_t i = 0; i < WORD_COUNT; i++) {
        if (directive == (line_words[i][0] == '.')) {
            words[count++] = line_words[i];
        }
    }
    for (size_t i = 0; i < OP_COUNT && !directive; i++) {
        words[count++] = insn_info((enum opcode)i)->mnemonic;
    }
    /* Directives are few and short: the nearest may be far from what was meant. */
    const char *nearest = directive ? NULL : word_nearest(word, words, count);
    if (nearest != NULL) {
        words_format(&nearest, 1, list, sizeof list);
    } else if (directive) {
        words_format(words, count, list, sizeof list);
    }
    builder_refuse(builder, word, "unknown %s '%s'; expected %s",
                   directive ? "directive" : "instruction", word_excerpt(word, excerpt), list);
}

static void read_mnemonic(struct program_builder *builder, struct word word)
{
    uint32_t number = name_table_find(&builder->mnemonics, word.text, word.length);
    if (number == NAME_NONE) {
        refuse_word(builder, word);
        return;
    }
    if (builder->core_next == 0) {
        builder->core_next = 1;
        if (!insn_store_core(builder->store)) {
            builder_fail(builder);
            return;
        }
    }
    if (builder->insn_line == 0) {
        builder->insn_line = builder->line.number;
    }
    builder_read_insn(builder, word, (enum opcode)number);
}

static void read_line(struct program_builder *builder)
{
    struct word word = line_word(&builder->line, "");
    if (word.length == 0) {
        return;
    }
    size_t index = word_find(word, line_words, WORD_COUNT);
    switch (index) {
    case WORD_PRODUCT:
        read_product(builder);
        break;
    case WORD_CORE:
        read_core(builder);
        break;
    case WORD_DUMP:
        read_dump(builder);
        break;
    case WORD_L2:
        read_warm(builder);
        break;
    case WORD_COUNT:
        read_mnemonic(builder, word);
        break;
    default:
        builder_read_region(builder, (enum space)(index - WORD_SPACE));
        break;
    }
}

/* The words that a line may begin with. */
static bool add_mnemonics(struct program_builder *builder)
{
    bool added = true;
    for (uint32_t i = 0; i < OP_COUNT && added; i++) {
        const char *mnemonic = insn_info((enum opcode)i)->mnemonic;
        added = name_table_add(&builder->mnemonics, mnemonic, strlen(mnemonic), i);
    }
    return added;
}

static void refuse_line(struct program_builder *builder, const struct source *source, uint32_t line,
                        const char *message)
{
    struct place place = place_in_line(source, line, NULL);
    builder->status = diag_graver(builder->status,
                                  diag_add(builder->diag, STATUS_BAD_INPUT, place, "%s", message));
}

/* What the file as a whole lacks: told where the first instruction would have to wait for it, else
 * at the last line. */
static void check_file(struct program_builder *builder, const struct source *source)
{
    uint32_t last = builder->line.number > 0 ? builder->line.number : 1;
    if (builder->reader->product == NULL && builder->product_line == 0) {
        refuse_line(builder, source, builder->insn_line != 0 ? builder->insn_line : last,
                    "found no product; expected '.product NAME' before the first instruction");
    }
    if (builder->insn_line == 0) {
        refuse_line(builder, source, last, "found no instruction; expected at least one");
    }
}

static void read_source(struct program_builder *builder, const struct source *source)
{
    if (!add_mnemonics(builder)) {
        builder_fail(builder);
        return;
    }
    if (builder->reader->product != NULL) {
        find_product(builder, builder->reader->product, builder->reader->product_place);
    }
    while (builder->status != STATUS_NO_MEMORY && builder->problem_count < DIAG_PROBLEMS_MAX &&
           line_next(&builder->line)) {
        read_line(builder);
    }
    if (builder->problem_count == 0 && builder->status == STATUS_OK) {
        check_file(builder, source);
    }
}

/* Moves what grew while it was read into the arena. */
static bool keep_lists(struct program_builder *builder)
{
    struct program *program = builder->program;
    struct region *regions = arena_take(builder->arena, program->region_count, sizeof *regions);
    struct dump *dumps = arena_take(builder->arena, program->dump_count, sizeof *dumps);
    if (regions == NULL || dumps == NULL) {
        return false;
    }
    if (program->region_count > 0) {
        memcpy(regions, program->regions, program->region_count * sizeof *regions);
    }
    if (program->dump_count > 0) {
        memcpy(dumps, builder->dumps, program->dump_count * sizeof *dumps);
    }
    array_release(program->regions);
    program->regions = regions;
    program->dumps = dumps;
    return true;
}

static void builder_deinit(struct program_builder *builder)
{
    name_table_deinit(&builder->mnemonics);
    name_table_deinit(&builder->regions);
    name_table_deinit(&builder->paths);
    array_release(builder->dumps);
}

enum status program_parse(const struct source *source, const struct program_reader *reader,
                          struct arena *arena, struct diag *diag, struct program *program)
{
    struct program_builder builder = {
        .reader = reader, .arena = arena, .diag = diag, .program = program};
    size_t first = diag == NULL ? 0 : diag->count;
    *program = (struct program){.event_ids = EVENT_IDS};
    enum status status = source_check(source, diag);
    if (status != STATUS_OK) {
        return status;
    }
    line_init(&builder.line, source);
    builder.store = arena_take(arena, 1, sizeof *builder.store);
    if (builder.store == NULL) {
        builder_fail(&builder);
    } else {
        builder.store->arena = arena;
        read_source(&builder, source);
    }
    if (builder.status != STATUS_NO_MEMORY && !keep_lists(&builder)) {
        builder_fail(&builder);
    }
    if (builder.status == STATUS_OK) {
        insn_store_attach(builder.store, program);
    } else if (builder.status == STATUS_NO_MEMORY) {
        array_release(program->regions);
        *program = (struct program){.event_ids = EVENT_IDS};
    }
    diag_sort(diag, first);
    builder_deinit(&builder);
    return builder.status;
}

enum status program_load(const char *path, const struct program_reader *reader, struct arena *arena,
                         struct diag *diag, struct program *program)
{
    const struct source *source;
    *program = (struct program){.event_ids = EVENT_IDS};
    enum status status = source_load(path, PROGRAM_BYTES_MAX, arena, diag, &source);
    return status == STATUS_OK ? program_parse(source, reader, arena, diag, program) : status;
}
