#include "tests/support/vectors.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "isa/insn_check.h"
#include "isa/insn_imply.h"
#include "isa/registers.h"
#include "tests/support/access_check.h"
#include "tests/support/codes.h"
#include "tests/support/splitmix.h"

/* One case while it is read. */
struct vector {
    struct vectors *total;
    const char *name;
    unsigned line;
    bool open;   /* between "case" and "end" */
    bool failed; /* what follows is skipped */
    struct rig rig;
    struct registers registers;
    struct insn insn;
    uint32_t given; /* fields that were written, as bits */
    const struct insn_info *info;
    uint8_t *bytes[RIG_REGIONS]; /* what the regions held before, and their shadows */
    uint8_t *written[RIG_REGIONS];
    enum element from, to; /* of a conversion */
    bool saturate;
    const char *codes; /* in the arena of the rig */
};

/* False, for the caller to return; only the first problem of a case counts. */
static bool vector_fail(struct vector *vector, const char *format, ...) PRINTF_LIKE(2, 3);

static bool vector_fail(struct vector *vector, const char *format, ...)
{
    struct vectors *total = vector->total;
    if (vector->failed) {
        return false;
    }
    vector->failed = true;
    total->failures++;
    int length =
        snprintf(total->message, sizeof total->message, "%s:%u: ", vector->name, vector->line);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(total->message + length, sizeof total->message - (size_t)length, format, arguments);
    va_end(arguments);
    if (total->tell != NULL) {
        total->tell(total->message);
    }
    return false;
}

/* The next word of a line, "" at its end. */
static const char *next_word(char **rest)
{
    const char *word = strtok_r(NULL, " \n", rest);
    return word == NULL ? "" : word;
}

static bool space_read(struct vector *vector, const char *word, enum space *space)
{
    for (int index = 0; index < SPACE_COUNT; index++) {
        if (strcmp(space_word((enum space)index), word) == 0) {
            *space = (enum space)index;
            return true;
        }
    }
    return vector_fail(vector, "no space '%s'", word);
}

static bool element_read(struct vector *vector, const char *word, enum element *element)
{
    *element = element_find(word);
    return *element != ELEMENT_COUNT || vector_fail(vector, "no element type '%s'", word);
}

static bool value_read(struct vector *vector, const struct field_info *field, const char *text,
                       int64_t *value)
{
    if (field->words == NULL) {
        char *end;
        *value = strtoll(text, &end, 10);
        return (*end == '\0' && end != text) ||
               vector_fail(vector, "%s is '%s'; expected a number", field->name, text);
    }
    for (size_t word = 0; word < field->word_count; word++) {
        if (strcmp(field->words[word], text) == 0) {
            *value = (int64_t)word;
            return true;
        }
    }
    return vector_fail(vector, "%s has no word '%s'", field->name, text);
}

/* Reads KEY=VALUE words to the end of the line. */
static bool fields_read(struct vector *vector, struct insn *insn, uint32_t *given, char **rest)
{
    const struct insn_info *info = insn_info((enum opcode)insn->opcode);
    for (char *word; (word = strtok_r(NULL, " \n", rest)) != NULL;) {
        char *text = strchr(word, '=');
        if (text == NULL) {
            return vector_fail(vector, "found '%s'; expected KEY=VALUE", word);
        }
        *text++ = '\0';
        size_t index = 0;
        while (index < info->field_count && strcmp(info->fields[index].name, word) != 0) {
            index++;
        }
        if (index == info->field_count || info->fields[index].hidden) {
            return vector_fail(vector, "%s has no key '%s'", info->mnemonic, word);
        }
        if (!value_read(vector, &info->fields[index], text, &insn->field[index])) {
            return false;
        }
        *given |= UINT32_C(1) << index;
    }
    return true;
}

static bool before_read(struct vector *vector, char **rest)
{
    const char *word = next_word(rest);
    enum opcode opcode = opcode_find(word);
    if (opcode == OP_COUNT) {
        return vector_fail(vector, "no instruction '%s'", word);
    }
    struct insn insn;
    insn_init(&insn, opcode);
    uint32_t given = 0;
    struct insn_problem problem;
    if (!fields_read(vector, &insn, &given, rest)) {
        return false;
    }
    if (!insn_check(&vector->rig.program, &insn, &problem)) {
        return vector_fail(vector, "%s: %s", word, problem.message);
    }
    insn_capture(&vector->registers, &insn);
    return true;
}

static bool case_open(struct vector *vector, char **rest)
{
    const char *mnemonic = next_word(rest);
    const char *product = next_word(rest);
    enum opcode opcode = opcode_find(mnemonic);
    enum arch arch = arch_find(product);
    vector->failed = false;
    vector->open = true;
    vector->given = 0;
    rig_init(&vector->rig, arch == ARCH_COUNT ? ARCH_2201 : arch);
    registers_init(&vector->registers);
    if (opcode == OP_COUNT || arch == ARCH_COUNT) {
        return vector_fail(vector, "found '%s' on '%s'; expected an instruction and a product",
                           mnemonic, product);
    }
    vector->info = insn_info(opcode);
    insn_init(&vector->insn, opcode);
    return true;
}

static bool convert_open(struct vector *vector, char **rest)
{
    vector->failed = false;
    vector->open = true;
    vector->info = NULL;
    vector->codes = "";
    rig_init(&vector->rig, ARCH_2201);
    if (!element_read(vector, next_word(rest), &vector->from) ||
        !element_read(vector, next_word(rest), &vector->to)) {
        return false;
    }
    vector->saturate = strcmp(next_word(rest), "saturate") == 0;
    return true;
}

static void case_close(struct vector *vector)
{
    rig_deinit(&vector->rig);
    vector->open = false;
    vector->total->cases++;
}

/* ---- codes ------------------------------------------------------------------------------------
 */

/* Elements of up to 64 bits, which quantisation words have. */
static void code_store(struct vector *vector, uint32_t region, uint64_t index, uint64_t code)
{
    if (element_bits(vector->rig.region[region].element) < 64) {
        rig_store(&vector->rig, region, index, (uint32_t)code);
        return;
    }
    memcpy(rig_bytes(&vector->rig, region) + index * sizeof code, &code, sizeof code);
    memset(rig_written(&vector->rig, region) + index * sizeof code, 1, sizeof code);
}

static uint64_t code_load(struct vector *vector, uint32_t region, uint64_t index)
{
    uint64_t code;
    if (element_bits(vector->rig.region[region].element) < 64) {
        return rig_load(&vector->rig, region, index);
    }
    memcpy(&code, rig_bytes(&vector->rig, region) + index * sizeof code, sizeof code);
    return code;
}

/* Element i of a region filled by "random SEED COUNT AND OR" is the i-th number of the generator
 * with this seed, its bits outside AND cleared and those of OR set. */
static uint64_t code_random(uint64_t *state, uint64_t and, uint64_t or)
{
    return (splitmix_next(state) & and) | or ;
}

static bool random_fill(struct vector *vector, enum space space, enum element element, char **rest,
                        uint32_t *region)
{
    uint64_t state = strtoull(next_word(rest), NULL, 10);
    uint64_t count = strtoull(next_word(rest), NULL, 10);
    const char *mask = next_word(rest);
    uint64_t and = *mask == '\0' ? UINT64_MAX : strtoull(mask, NULL, 16);
    uint64_t or = strtoull(next_word(rest), NULL, 16);
    if (count == 0) {
        return vector_fail(vector, "found no count; expected random SEED COUNT [AND OR]");
    }
    and &= UINT64_MAX >> (64 - element_bits(element));
    *region = rig_region(&vector->rig, space, element, count);
    for (uint64_t index = 0; index < count; index++) {
        code_store(vector, *region, index, code_random(&state, and, or));
    }
    return true;
}

static bool codes_fill(struct vector *vector, enum space space, enum element element,
                       const char *text, uint32_t *region)
{
    struct codes codes = codes_open(text, element_bits(element));
    size_t count = codes_count(codes);
    *region = rig_region(&vector->rig, space, element, count);
    for (size_t index = 0; index < count; index++) {
        char mark;
        uint64_t code;
        if (!codes_next(&codes, &mark, &code) || mark != '\0') {
            return vector_fail(vector, "operands have codes, no '%c'", mark);
        }
        code_store(vector, *region, index, code);
    }
    return count != 0 ||
           vector_fail(vector, "'%.20s' are no codes of %s", text, element_word(element));
}

/* "src+64 l1 fp16 ...": the operand and where it lies. */
static bool operand_find(struct vector *vector, char *name, struct operand **operand)
{
    char *offset = strchr(name, '+');
    if (offset != NULL) {
        *offset++ = '\0';
    }
    for (size_t index = 0; index < vector->info->operand_count; index++) {
        if (strcmp(vector->info->operands[index].name, name) == 0) {
            *operand = &vector->insn.operand[index];
            (*operand)->offset = offset == NULL ? 0 : strtoull(offset, NULL, 10);
            return true;
        }
    }
    return vector_fail(vector, "%s has no operand '%s'", vector->info->mnemonic, name);
}

static bool operand_read(struct vector *vector, char *name, char **rest)
{
    enum space space = SPACE_GM;
    enum element element = ELEMENT_COUNT;
    struct operand *operand = NULL;
    if (!operand_find(vector, name, &operand) || !space_read(vector, next_word(rest), &space) ||
        !element_read(vector, next_word(rest), &element)) {
        return false;
    }
    const char *codes = next_word(rest);
    uint32_t region = REGION_NONE;
    bool read = strcmp(codes, "random") == 0 ? random_fill(vector, space, element, rest, &region)
                                             : codes_fill(vector, space, element, codes, &region);
    operand->region = read ? region : REGION_NONE;
    return read;
}

/* ---- what comes out ---------------------------------------------------------------------------
 */

/* The region of dst: the one given before, or one that nobody has written. */
static bool target_open(struct vector *vector, enum space space, enum element element, size_t count)
{
    char name[] = "dst";
    struct operand *operand;
    if (!operand_find(vector, name, &operand)) {
        return false;
    }
    if (operand->region == REGION_NONE) {
        operand->region = rig_region(&vector->rig, space, element, count);
    }
    const struct region *region = &vector->rig.region[operand->region];
    return (region->space == space && element_array_bytes(element, count) == region->size_bytes) ||
           vector_fail(vector, "want has %zu elements; expected as many as dst", count);
}

static void regions_keep(struct vector *vector)
{
    for (uint32_t region = 0; region < vector->rig.program.region_count; region++) {
        size_t size = (size_t)vector->rig.region[region].size_bytes;
        vector->bytes[region] = arena_take(&vector->rig.arena, size, 1);
        vector->written[region] = arena_take(&vector->rig.arena, size, 1);
        assert(vector->bytes[region] != NULL && vector->written[region] != NULL);
        memcpy(vector->bytes[region], rig_bytes(&vector->rig, region), size);
        memcpy(vector->written[region], rig_written(&vector->rig, region), size);
    }
}

static bool region_is_kept(struct vector *vector, uint32_t region)
{
    size_t size = (size_t)vector->rig.region[region].size_bytes;
    return memcmp(vector->bytes[region], rig_bytes(&vector->rig, region), size) == 0 &&
           memcmp(vector->written[region], rig_written(&vector->rig, region), size) == 0;
}

/* Executes the instruction as a program would: implied fields, registers, effect. */
static bool insn_execute(struct vector *vector)
{
    char message[ACCESS_MESSAGE_BYTES];
    insn_imply(&vector->rig.program, &vector->insn, vector->given);
    insn_capture(&vector->registers, &vector->insn);
    regions_keep(vector);
    return access_check_holds(&vector->rig, &vector->insn, message) ||
           vector_fail(vector, "%s", message);
}

static bool sources_check(struct vector *vector)
{
    for (uint32_t region = 0; region < vector->rig.program.region_count; region++) {
        if (region != vector->insn.operand[0].region && !region_is_kept(vector, region)) {
            return vector_fail(vector, "operand %u was changed", region);
        }
    }
    return true;
}

/* Whether a byte or half a byte of dst is as it was. */
static bool element_is_kept(struct vector *vector, uint32_t region, enum element element,
                            uint64_t index)
{
    if (element_bits(element) == 4) {
        return rig_load(&vector->rig, region, index) ==
               element_load(element, vector->bytes[region], index);
    }
    size_t size = element_bytes(element);
    return memcmp(rig_bytes(&vector->rig, region) + index * size,
                  vector->bytes[region] + index * size, size) == 0 &&
           memcmp(rig_written(&vector->rig, region) + index * size,
                  vector->written[region] + index * size, size) == 0;
}

static bool code_check(struct vector *vector, uint32_t region, uint64_t index, uint64_t wanted)
{
    uint64_t found = code_load(vector, region, index);
    return (found == wanted && rig_is_written(&vector->rig, region, index)) ||
           vector_fail(vector, "element %llu is %llx, expected %llx", (unsigned long long)index,
                       (unsigned long long)found, (unsigned long long)wanted);
}

static bool mark_check(struct vector *vector, uint32_t region, uint64_t index, char mark)
{
    enum element element = vector->rig.region[region].element;
    if (mark == '.') {
        return element_is_kept(vector, region, element, index) ||
               vector_fail(vector, "element %llu was touched", (unsigned long long)index);
    }
    uint64_t found = code_load(vector, region, index);
    return mark == '-' || isnan(element_decode(element, (uint32_t)found)) ||
           vector_fail(vector, "element %llu is %llx, expected a NaN", (unsigned long long)index,
                       (unsigned long long)found);
}

static bool target_check(struct vector *vector, struct codes codes)
{
    uint32_t region = vector->insn.operand[0].region;
    char mark;
    uint64_t wanted;
    for (uint64_t index = 0; codes_next(&codes, &mark, &wanted); index++) {
        if (mark != '\0' ? !mark_check(vector, region, index, mark)
                         : !code_check(vector, region, index, wanted)) {
            return false;
        }
    }
    return true;
}

static bool vector_held(struct vector *vector)
{
    struct vectors *total = vector->total;
    const struct insn *insn = &vector->insn;
    total->types[insn->opcode][vector->rig.program.arch][insn_element(insn)] = true;
    for (size_t index = 0; index < vector->info->field_count; index++) {
        int64_t value = insn->field[index];
        if (value >= 0 && value < VECTORS_VALUES) {
            total->values[insn->opcode][index][value] = true;
        }
    }
    bool changed = !region_is_kept(vector, insn->operand[0].region);
    vector->insn.pipe = (uint8_t)insn_pipe(&vector->rig.program, insn);
    if (total->held != NULL) {
        total->held(total->held_context, &vector->rig, insn, changed);
    }
    return true;
}

static bool want_check(struct vector *vector, char **rest)
{
    enum space space = SPACE_GM;
    enum element element = ELEMENT_COUNT;
    if (!space_read(vector, next_word(rest), &space) ||
        !element_read(vector, next_word(rest), &element)) {
        return false;
    }
    struct codes codes = codes_open(next_word(rest), element_bits(element));
    if (!target_open(vector, space, element, codes_count(codes)) || !insn_execute(vector)) {
        return false;
    }
    if (rig_hazards(&vector->rig) != 0) {
        return vector_fail(vector, "%s", vector->rig.message);
    }
    return target_check(vector, codes) && sources_check(vector) && vector_held(vector);
}

static bool refused_check(struct vector *vector, char **rest)
{
    const char *kind = next_word(rest);
    const char *words = *rest == NULL ? "" : *rest;
    size_t length = strcspn(words, "\n");
    if (!insn_execute(vector)) {
        return false;
    }
    for (int index = 0; index < HAZARD_COUNT; index++) {
        uint32_t wanted = strcmp(hazard_word((enum hazard_kind)index), kind) == 0;
        if (vector->rig.hazards[index] != wanted) {
            return vector_fail(vector, "%u hazards %s; expected %u; message: %s",
                               vector->rig.hazards[index], hazard_word((enum hazard_kind)index),
                               wanted, vector->rig.message);
        }
    }
    char expected[256];
    snprintf(expected, sizeof expected, "%.*s", (int)length, words);
    if (strstr(vector->rig.message, expected) == NULL) {
        return vector_fail(vector, "the message is '%s'; expected '%s' in it", vector->rig.message,
                           expected);
    }
    return sources_check(vector) && (region_is_kept(vector, vector->insn.operand[0].region) ||
                                     vector_fail(vector, "a refused instruction wrote to dst"));
}

/* ---- conversions ------------------------------------------------------------------------------
 */

static uint32_t code_convert(const struct vector *vector, uint32_t code)
{
    float value = (float)element_decode(vector->from, code);
    return element_encode(vector->to, value, vector->saturate);
}

static bool conversion_check(struct vector *vector, uint64_t code, bool nan, uint64_t wanted)
{
    uint32_t found = code_convert(vector, (uint32_t)code);
    if (nan ? isnan(element_decode(vector->to, found)) : found == wanted) {
        return true;
    }
    return vector_fail(vector, "%s %llx became %s %x, expected %s%llx", element_word(vector->from),
                       (unsigned long long)code, element_word(vector->to), found,
                       nan ? "a NaN, not " : "", (unsigned long long)wanted);
}

static bool convert_check(struct vector *vector, char **rest)
{
    struct codes from = codes_open(vector->codes, element_bits(vector->from));
    struct codes to = codes_open(next_word(rest), element_bits(vector->to));
    size_t count = codes_count(from);
    if (count == 0 || codes_count(to) != count) {
        return vector_fail(vector, "expected as many codes to convert as wanted ones");
    }
    for (; count > 0; count--) {
        char mark;
        uint64_t code, wanted;
        if (!codes_next(&from, &mark, &code) || !codes_next(&to, &mark, &wanted) ||
            !conversion_check(vector, code, mark == '*', wanted)) {
            return false;
        }
    }
    return true;
}

static bool codes_keep(struct vector *vector, char **rest)
{
    const char *codes = next_word(rest);
    vector->codes = arena_text(&vector->rig.arena, codes, strlen(codes));
    return vector->codes != NULL || vector_fail(vector, "no memory");
}

/* ---- lines ------------------------------------------------------------------------------------
 */

static void line_read(struct vector *vector, char *word, char **rest)
{
    if (strcmp(word, "case") == 0) {
        case_open(vector, rest);
    } else if (strcmp(word, "convert") == 0) {
        convert_open(vector, rest);
    } else if (!vector->open) {
        vector_fail(vector, "found '%s'; expected a case", word);
    } else if (strcmp(word, "end") == 0) {
        case_close(vector);
    } else if (vector->failed) {
        return;
    } else if (vector->info == NULL) {
        if (strcmp(word, "codes") == 0) {
            codes_keep(vector, rest);
        } else {
            convert_check(vector, rest);
        }
    } else if (strcmp(word, "before") == 0) {
        before_read(vector, rest);
    } else if (strcmp(word, "set") == 0) {
        fields_read(vector, &vector->insn, &vector->given, rest);
    } else if (strcmp(word, "want") == 0) {
        want_check(vector, rest);
    } else if (strcmp(word, "refused") == 0) {
        refused_check(vector, rest);
    } else {
        operand_read(vector, word, rest);
    }
}

void vectors_run(struct vectors *vectors, FILE *file, const char *name)
{
    struct vector vector = {.total = vectors, .name = name};
    char *line = NULL;
    size_t capacity = 0;
    while (getline(&line, &capacity, file) >= 0) {
        vector.line++;
        char *rest;
        char *word = strtok_r(line, " \n", &rest);
        if (word != NULL && word[0] != '#') {
            line_read(&vector, word, &rest);
        }
    }
    if (vector.open) {
        vector_fail(&vector, "the last case has no end");
        case_close(&vector);
    }
    free(line);
}
