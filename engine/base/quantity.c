#include "engine/base/quantity.h"

#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum {
    WIDE_LIMBS = 12,   /* 384 bits: 40 digits, the factors of a unit and a clock together */
    DIGITS_MAX = 40,   /* of a written number, without trailing zeros of its fraction */
    DECIMALS_MAX = 5,  /* 10^-5 is finer than 2^-16 */
    NUMBER_BYTES = 72, /* of a written number in messages */
    FORMAT_BYTES = 48, /* of a formatted quantity, and of a grouped number */
};

/* An unsigned number, limbs of 32 bits, lowest first. */
struct wide {
    uint32_t limbs[WIDE_LIMBS];
};

/* Adds number * factor * 2^(32 * shift_limbs) to *sum. */
static void wide_add_product(struct wide *sum, const struct wide *number, uint32_t factor,
                             size_t shift_limbs)
{
    uint64_t carry = 0;
    for (size_t i = 0; i + shift_limbs < WIDE_LIMBS; i++) {
        uint64_t limb = (uint64_t)number->limbs[i] * factor + sum->limbs[i + shift_limbs] + carry;
        sum->limbs[i + shift_limbs] = (uint32_t)limb;
        carry = limb >> 32;
    }
    assert(carry == 0);
}

static void wide_multiply(struct wide *number, uint64_t factor)
{
    struct wide product = {{0}};
    wide_add_product(&product, number, (uint32_t)factor, 0);
    if (factor >> 32 != 0) {
        wide_add_product(&product, number, (uint32_t)(factor >> 32), 1);
    }
    *number = product;
}

static void wide_append_digit(struct wide *number, unsigned digit)
{
    struct wide one = {{digit}};
    wide_multiply(number, 10);
    wide_add_product(number, &one, 1, 0);
}

/* number = number * 2 + bit */
static void wide_push_bit(struct wide *number, uint32_t bit)
{
    for (size_t i = 0; i < WIDE_LIMBS; i++) {
        uint32_t limb = number->limbs[i];
        number->limbs[i] = limb << 1 | bit;
        bit = limb >> 31;
    }
}

/* Subtracts and returns true when number >= other. */
static bool wide_subtract_if_fits(struct wide *number, const struct wide *other)
{
    struct wide rest;
    uint32_t borrow = 0;
    for (size_t i = 0; i < WIDE_LIMBS; i++) {
        uint64_t limb = (uint64_t)number->limbs[i] - other->limbs[i] - borrow;
        rest.limbs[i] = (uint32_t)limb;
        borrow = (uint32_t)(limb >> 63);
    }
    if (borrow != 0) {
        return false;
    }
    *number = rest;
    return true;
}

static bool wide_is_zero(const struct wide *number)
{
    static const struct wide zero;
    return memcmp(number, &zero, sizeof zero) == 0;
}

/* The quotient to the nearest whole number, halves up; false when int64_t cannot hold it. */
static bool wide_divide(const struct wide *numerator, const struct wide *denominator,
                        int64_t *quotient)
{
    /* floor(n / d + 1/2) = floor((2 n + d) / 2 d) */
    struct wide above = *denominator;
    struct wide below = {{0}};
    wide_add_product(&above, numerator, 2, 0);
    wide_add_product(&below, denominator, 2, 0);
    struct wide rest = {{0}};
    uint64_t bits = 0;
    for (size_t i = (size_t)WIDE_LIMBS * 32; i-- > 0;) {
        wide_push_bit(&rest, above.limbs[i / 32] >> (i % 32) & 1);
        if (wide_subtract_if_fits(&rest, &below)) {
            if (i >= 63) {
                return false;
            }
            bits |= (uint64_t)1 << i;
        }
    }
    *quotient = (int64_t)bits;
    return true;
}

enum clock_use { CLOCK_UNUSED, CLOCK_MULTIPLIES, CLOCK_DIVIDES };

/* A written unit is numerator / denominator base units; with the clock in MHz multiplied (times to
 * cycles) or divided (bytes per second to bytes per cycle). */
static const struct spelling {
    const char *name;
    enum unit unit;
    uint64_t numerator;
    uint64_t denominator;
    enum clock_use clock_use;
} spellings[] = {
    {"B", UNIT_BYTES, 1, 1, CLOCK_UNUSED},
    {"KiB", UNIT_BYTES, 1024, 1, CLOCK_UNUSED},
    {"MiB", UNIT_BYTES, 1048576, 1, CLOCK_UNUSED},
    {"GiB", UNIT_BYTES, 1073741824, 1, CLOCK_UNUSED},
    {"KB", UNIT_BYTES, 1000, 1, CLOCK_UNUSED},
    {"MB", UNIT_BYTES, 1000000, 1, CLOCK_UNUSED},
    {"GB", UNIT_BYTES, 1000000000, 1, CLOCK_UNUSED},
    {"Hz", UNIT_FREQUENCY, 1, 1000000, CLOCK_UNUSED},
    {"kHz", UNIT_FREQUENCY, 1, 1000, CLOCK_UNUSED},
    {"MHz", UNIT_FREQUENCY, 1, 1, CLOCK_UNUSED},
    {"GHz", UNIT_FREQUENCY, 1000, 1, CLOCK_UNUSED},
    {"cycles", UNIT_CYCLES, 1, 1, CLOCK_UNUSED},
    {"cycle", UNIT_CYCLES, 1, 1, CLOCK_UNUSED},
    {"ns", UNIT_CYCLES, 1, 1000, CLOCK_MULTIPLIES},
    {"us", UNIT_CYCLES, 1, 1, CLOCK_MULTIPLIES},
    {"ms", UNIT_CYCLES, 1000, 1, CLOCK_MULTIPLIES},
    {"s", UNIT_CYCLES, 1000000, 1, CLOCK_MULTIPLIES},
    {"B/cycle", UNIT_RATE, 1, 1, CLOCK_UNUSED},
    {"B/s", UNIT_RATE, 1, 1000000, CLOCK_DIVIDES},
    {"KB/s", UNIT_RATE, 1, 1000, CLOCK_DIVIDES},
    {"MB/s", UNIT_RATE, 1, 1, CLOCK_DIVIDES},
    {"GB/s", UNIT_RATE, 1000, 1, CLOCK_DIVIDES},
    {"TB/s", UNIT_RATE, 1000000, 1, CLOCK_DIVIDES},
    {"KiB/s", UNIT_RATE, 1024, 1000000, CLOCK_DIVIDES},
    {"MiB/s", UNIT_RATE, 1048576, 1000000, CLOCK_DIVIDES},
    {"GiB/s", UNIT_RATE, 1073741824, 1000000, CLOCK_DIVIDES},
    {"TiB/s", UNIT_RATE, 1099511627776, 1000000, CLOCK_DIVIDES},
    {"ns", UNIT_TIME, 1, 1000, CLOCK_UNUSED},
    {"us", UNIT_TIME, 1, 1, CLOCK_UNUSED},
    {"ms", UNIT_TIME, 1000, 1, CLOCK_UNUSED},
    {"s", UNIT_TIME, 1000000, 1, CLOCK_UNUSED},
    {"%", UNIT_SHARE, 1, 100, CLOCK_UNUSED},
    {"", UNIT_COUNT, 1, 1, CLOCK_UNUSED},
};

static const struct unit_row {
    const char *expectation;
    const char *readings[2]; /* what a bare number could have meant; NULL: nothing else */
    const char *unclocked;   /* what can be written without a clock */
} unit_rows[UNIT_END] = {
    [UNIT_COUNT] = {"a plain number such as '24'", {"", NULL}, ""},
    [UNIT_BYTES] = {"a size such as '512 KiB'", {"B", "KiB"}, ""},
    [UNIT_FREQUENCY] = {"a frequency such as '1850 MHz'", {"MHz", "GHz"}, ""},
    [UNIT_CYCLES] = {"a time such as '28 cycles' or '120 ns'", {"cycles", "ns"}, "'28 cycles'"},
    [UNIT_RATE] = {"a rate such as '256 B/cycle' or '1.6 TB/s'",
                   {"B/cycle", "GB/s"},
                   "'256 B/cycle'"},
    [UNIT_TIME] = {"a time such as '11.6 us'", {"us", "ns"}, ""},
    [UNIT_SHARE] = {"a share such as '75 %'", {"%", NULL}, ""},
};

const char *unit_expectation(enum unit unit)
{
    assert(unit < UNIT_END);
    return unit_rows[unit].expectation;
}

/* digits / 10^decimals */
struct decimal {
    struct wide digits;
    size_t decimals;
    size_t length; /* bytes that it takes in the text */
};

static bool byte_is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

static size_t digits_length(const char *text)
{
    size_t length = 0;
    while (byte_is_digit(text[length])) {
        length++;
    }
    return length;
}

/* What is wrong behind a number, as the end of "expected a size such as '512 KiB'"; NULL: nothing.
 * Without this check the rest would be taken for a strange unit. */
static const char *tail_fault(const char *tail)
{
    bool digit_or_sign = byte_is_digit(tail[0] == '\0' ? '\0' : tail[1]) ||
                         (tail[0] != '\0' && (tail[1] == '-' || tail[1] == '+'));
    if ((tail[0] == 'e' || tail[0] == 'E') && digit_or_sign) {
        return ", without an exponent";
    }
    if ((tail[0] == ',' || tail[0] == '_' || tail[0] == '\'') && digit_or_sign) {
        return ", without thousands separators";
    }
    if (tail[0] == ' ' && byte_is_digit(tail[strspn(tail, " ")])) {
        return ", without thousands separators";
    }
    return tail[0] == '.' ? ", with digits on both sides of one point" : NULL;
}

/* Reads digits with at most one point between them. Returns NULL, or what is wrong as the end of
 * "expected a size such as '512 KiB'". */
static const char *decimal_parse(const char *text, struct decimal *decimal)
{
    if (text[0] == '-' || text[0] == '+') {
        return ", without a sign";
    }
    if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
        return ", in decimal digits";
    }
    size_t whole_length = digits_length(text);
    if (whole_length > 1 && text[0] == '0') {
        return ", without leading zeros";
    }
    if (whole_length == 0) {
        return text[0] == '.' ? ", with digits on both sides of one point" : "";
    }
    size_t decimals = text[whole_length] == '.' ? digits_length(text + whole_length + 1) : 0;
    size_t length = whole_length + (decimals > 0 ? 1 + decimals : 0);
    const char *fault = tail_fault(text + length);
    if (fault != NULL) {
        return fault;
    }
    while (decimals > 0 && text[whole_length + decimals] == '0') {
        decimals--;
    }
    if (whole_length + decimals > DIGITS_MAX) {
        return ", with at most 40 digits";
    }
    *decimal = (struct decimal){.decimals = decimals, .length = length};
    for (size_t i = 0; i < whole_length + (decimals > 0 ? 1 + decimals : 0); i++) {
        if (text[i] != '.') {
            wide_append_digit(&decimal->digits, (unsigned)(text[i] - '0'));
        }
    }
    return NULL;
}

static const struct spelling *spelling_find(enum unit unit, const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof spellings / sizeof spellings[0]; i++) {
        const struct spelling *row = &spellings[i];
        if (row->unit == unit && strlen(row->name) == length &&
            memcmp(row->name, name, length) == 0) {
            return row;
        }
    }
    return NULL;
}

static char byte_lower(char byte)
{
    return byte >= 'A' && byte <= 'Z' ? (char)(byte - 'A' + 'a') : byte;
}

/* The unit that was meant when only capitals are wrong, or NULL. */
static const struct spelling *spelling_guess(enum unit unit, const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof spellings / sizeof spellings[0]; i++) {
        const struct spelling *row = &spellings[i];
        if (row->unit != unit || length == 0 || strlen(row->name) != length) {
            continue;
        }
        size_t same = 0;
        while (same < length && byte_lower(row->name[same]) == byte_lower(name[same])) {
            same++;
        }
        if (same == length) {
            return row;
        }
    }
    return NULL;
}

/* The value in 2^-16 of the base unit; false when it does not fit. clock_mhz is in 2^-16 MHz. */
static bool decimal_convert(const struct decimal *decimal, const struct spelling *spelling,
                            int64_t clock_mhz, int64_t *value)
{
    struct wide numerator = decimal->digits;
    struct wide denominator = {{1}};
    for (size_t i = 0; i < decimal->decimals; i++) {
        wide_multiply(&denominator, 10);
    }
    wide_multiply(&numerator, spelling->numerator);
    wide_multiply(&denominator, spelling->denominator);
    switch (spelling->clock_use) {
    case CLOCK_UNUSED:
        wide_multiply(&numerator, (uint64_t)QUANTITY_ONE);
        break;
    case CLOCK_MULTIPLIES: /* the clock brings the factor 2^16 along */
        wide_multiply(&numerator, (uint64_t)clock_mhz);
        break;
    case CLOCK_DIVIDES:
        wide_multiply(&numerator, (uint64_t)QUANTITY_ONE * (uint64_t)QUANTITY_ONE);
        wide_multiply(&denominator, (uint64_t)clock_mhz);
        break;
    }
    return wide_divide(&numerator, &denominator, value);
}

const char *grouped_format(uint64_t value, char *buffer, size_t size)
{
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)value);
    size_t used = 0;
    for (int i = 0; i < length && used + 2 < size; i++) {
        if (i > 0 && (length - i) % 3 == 0) {
            buffer[used++] = ',';
        }
        buffer[used++] = digits[i];
    }
    buffer[used] = '\0';
    return buffer;
}

/* The largest unit of a formatted value that leaves a whole number; other units have one. */
static const char *format_unit(int64_t value, enum unit unit)
{
    static const struct {
        int64_t size_bytes;
        const char *name;
    } sizes[] = {{1073741824, "GiB"}, {1048576, "MiB"}, {1024, "KiB"}};
    if (unit == UNIT_CYCLES && value == QUANTITY_ONE) {
        return "cycle";
    }
    for (size_t i = 0; unit == UNIT_BYTES && value != 0 && i < sizeof sizes / sizeof *sizes; i++) {
        if (value % QUANTITY_ONE == 0 && value / QUANTITY_ONE % sizes[i].size_bytes == 0) {
            return sizes[i].name;
        }
    }
    return unit_rows[unit].readings[0];
}

/* Writes value * numerator / denominator / 2^16 with so many decimals, halves up. */
static void decimal_format(uint64_t value, const struct spelling *spelling, unsigned decimals,
                           char *buffer, size_t size)
{
    uint64_t scale = 1;
    for (unsigned i = 0; i < decimals; i++) {
        scale *= 10;
    }
    /* Here the denominator is 1 or 100 and the numerator a divisor of value, so nothing runs
     * over: 2^47 * 100, and 2^16 * 100 * 10^5. */
    uint64_t base = value / spelling->numerator;
    uint64_t whole = (base >> 16) * spelling->denominator;
    uint64_t part = (base & 0xFFFF) * spelling->denominator;
    whole += part >> 16;
    part = ((part & 0xFFFF) * scale + 0x8000) >> 16;
    whole += part / scale;
    part %= scale;
    if (decimals == 0) {
        (void)snprintf(buffer, size, "%llu", (unsigned long long)whole);
    } else {
        (void)snprintf(buffer, size, "%llu.%0*llu", (unsigned long long)whole, (int)decimals,
                       (unsigned long long)part);
    }
}

const char *quantity_format(int64_t value, enum unit unit, char *buffer, size_t size)
{
    assert(unit < UNIT_END && size > 0);
    const char *sign = value < 0 ? "-" : "";
    uint64_t magnitude = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    const char *name = format_unit(value, unit);
    const struct spelling *spelling = spelling_find(unit, name, strlen(name));
    char number[FORMAT_BYTES];
    for (unsigned decimals = 0; decimals <= DECIMALS_MAX; decimals++) {
        decimal_format(magnitude, spelling, decimals, number, sizeof number);
        struct decimal decimal;
        int64_t again;
        if (decimal_parse(number, &decimal) == NULL &&
            decimal_convert(&decimal, spelling, 0, &again) && (uint64_t)again == magnitude) {
            break;
        }
    }
    (void)snprintf(buffer, size, "%s%s%s%s", sign, number, *name == '\0' ? "" : " ", name);
    return buffer;
}

/* "512 GB/s would be 276.8 B/cycle at 1,850 MHz" as a note, or an empty text. */
static void conversion_note(const struct decimal *decimal, const char *number, enum unit unit,
                            int64_t clock_mhz, char *note, size_t size)
{
    const char *name = unit_rows[unit].readings[1];
    const struct spelling *spelling = spelling_find(unit, name, strlen(name));
    int64_t value;
    note[0] = '\0';
    if (spelling->clock_use == CLOCK_UNUSED || clock_mhz == 0 ||
        !decimal_convert(decimal, spelling, clock_mhz, &value) || value > INT64_MAX / 16) {
        return;
    }
    char clock[FORMAT_BYTES];
    char whole[FORMAT_BYTES];
    uint64_t tenths = ((uint64_t)value * 10 + 0x8000) >> 16;
    if (clock_mhz % QUANTITY_ONE == 0) {
        grouped_format((uint64_t)(clock_mhz / QUANTITY_ONE), clock, sizeof clock);
    } else {
        struct spelling mhz = {.numerator = 1, .denominator = 1};
        decimal_format((uint64_t)clock_mhz, &mhz, 3, clock, sizeof clock);
    }
    char part[8] = "";
    if (tenths % 10 != 0) {
        (void)snprintf(part, sizeof part, ".%u", (unsigned)(tenths % 10));
    }
    (void)snprintf(note, size, "\n%s %s would be %s%s %s at %s MHz", number, name,
                   grouped_format(tenths / 10, whole, sizeof whole), part,
                   unit_rows[unit].readings[0], clock);
}

/* The unit in which a bare number is the clock of a chip. */
static const char *clock_reading(const struct decimal *decimal)
{
    static const struct {
        int64_t below;
        const char *name;
    } readings[] = {{10, "GHz"}, {100000, "MHz"}, {100000000, "kHz"}};
    const struct spelling *plain = spelling_find(UNIT_COUNT, "", 0);
    int64_t value;

    for (size_t i = 0; i < sizeof readings / sizeof readings[0]; i++)
        if (decimal_convert(decimal, plain, 0, &value) && value < readings[i].below * QUANTITY_ONE)
            return readings[i].name;
    return "Hz";
}

/* A bare number where a unit is due: the message prints what it can have meant. */
static enum status refuse_bare(const char *text, const struct decimal *decimal, enum unit unit,
                               int64_t clock_mhz, struct place place, struct diag *diag)
{
    const struct unit_row *row = &unit_rows[unit];
    char number[NUMBER_BYTES];
    char note[256];
    (void)snprintf(number, sizeof number, "%.*s", (int)decimal->length, text);
    if (unit == UNIT_SHARE) {
        int64_t value;
        char share[FORMAT_BYTES];
        const struct spelling *plain = spelling_find(UNIT_COUNT, "", 0);
        if (decimal_convert(decimal, plain, 0, &value) && value > 0 && value <= QUANTITY_ONE) {
            return diag_add(diag, STATUS_BAD_INPUT, place,
                            "%s has no unit; expected '%s %%' or '%s'", number, number,
                            quantity_format(value, UNIT_SHARE, share, sizeof share));
        }
        return diag_add(diag, STATUS_BAD_INPUT, place, "%s has no unit; expected '%s %%'", number,
                        number);
    }
    if (unit == UNIT_FREQUENCY)
        return diag_add(diag, STATUS_BAD_INPUT, place, "%s has no unit; expected '%s %s'", number,
                        number, clock_reading(decimal));
    conversion_note(decimal, number, unit, clock_mhz, note, sizeof note);
    return diag_add(diag, STATUS_BAD_INPUT, place, "%s has no unit; expected '%s %s' or '%s %s'%s",
                    number, number, row->readings[0], number, row->readings[1], note);
}

/* Finds the unit behind the number. */
static enum status spelling_parse(const char *text, const struct decimal *decimal, enum unit unit,
                                  int64_t clock_mhz, struct place place, struct diag *diag,
                                  const struct spelling **spelling)
{
    const char *name = text + decimal->length;
    name += strspn(name, " ");
    size_t length = strlen(name);
    while (length > 0 && name[length - 1] == ' ') {
        length--;
    }
    char found[EXCERPT_SIZE_BYTES];
    excerpt_format(text, found, sizeof found);
    *spelling = spelling_find(unit, name, length);
    if (*spelling != NULL && ((*spelling)->clock_use == CLOCK_UNUSED || clock_mhz > 0)) {
        return STATUS_OK;
    }
    if (*spelling != NULL) {
        return diag_add(diag, STATUS_BAD_INPUT, place,
                        "found '%s', but no clock is known here; expected a value such as %s",
                        found, unit_rows[unit].unclocked);
    }
    if (length == 0) {
        return refuse_bare(text, decimal, unit, clock_mhz, place, diag);
    }
    const struct spelling *guess = spelling_guess(unit, name, length);
    if (guess != NULL) {
        return diag_add(diag, STATUS_BAD_INPUT, place, "found '%s'; expected '%.*s %s'", found,
                        (int)decimal->length, text, guess->name);
    }
    return diag_add(diag, STATUS_BAD_INPUT, place, "found '%s'; expected %s", found,
                    unit_expectation(unit));
}

enum status quantity_parse(const char *text, enum unit unit, int64_t clock_mhz, struct place place,
                           struct diag *diag, int64_t *value)
{
    assert(unit < UNIT_END && clock_mhz >= 0);
    struct decimal decimal;
    char found[EXCERPT_SIZE_BYTES];
    excerpt_format(text, found, sizeof found);
    text += strspn(text, " ");
    if (*text == '\0') {
        return diag_add(diag, STATUS_BAD_INPUT, place, "found nothing; expected %s",
                        unit_expectation(unit));
    }
    const char *fault = decimal_parse(text, &decimal);
    if (fault != NULL) {
        return diag_add(diag, STATUS_BAD_INPUT, place, "found '%s'; expected %s%s", found,
                        unit_expectation(unit), fault);
    }
    const struct spelling *spelling;
    enum status status = spelling_parse(text, &decimal, unit, clock_mhz, place, diag, &spelling);
    if (status != STATUS_OK) {
        return status;
    }
    int64_t result;
    char limit[FORMAT_BYTES];
    if (!decimal_convert(&decimal, spelling, clock_mhz, &result)) {
        int64_t most = INT64_MAX / QUANTITY_ONE * QUANTITY_ONE;
        return diag_add(diag, STATUS_BAD_INPUT, place, "found '%s'; expected at most '%s'", found,
                        quantity_format(most, unit, limit, sizeof limit));
    }
    if (result == 0 && !wide_is_zero(&decimal.digits)) {
        return diag_add(diag, STATUS_BAD_INPUT, place, "found '%s'; expected 0 or at least '%s'",
                        found, quantity_format(1, unit, limit, sizeof limit));
    }
    *value = result;
    return STATUS_OK;
}
