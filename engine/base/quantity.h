/*
 * Numbers with units, as integers.
 *
 * A quantity is held in units of 2^-16 of its base unit, so that "6.5 cycles" and "28.4 B/cycle"
 * are exact enough and the engine stays free of floating point. Conversions between time and
 * cycles need the clock and round to nearest.
 */
#ifndef CUBESIM_ENGINE_BASE_QUANTITY_H
#define CUBESIM_ENGINE_BASE_QUANTITY_H

#include <stddef.h>
#include <stdint.h>

#include "engine/base/diag.h"

#define QUANTITY_ONE ((int64_t)65536) /* 1.0 */

enum unit {
    UNIT_COUNT,     /* a plain number: "24" */
    UNIT_BYTES,     /* "512 KiB", "64 B" */
    UNIT_FREQUENCY, /* base Hz is too fine: base is MHz. "1850 MHz", "1.85 GHz" */
    UNIT_CYCLES,    /* "28 cycles", "6.5 cycles", "120 ns" (needs the clock) */
    UNIT_RATE,      /* "256 B/cycle", "1.6 TB/s" (needs the clock); base B/cycle */
    UNIT_TIME,      /* "11.6 us", "120 ns"; base microseconds */
    UNIT_SHARE,     /* "75 %"; base 1.0 = 100 % */
    UNIT_END
};

/* Reads "VALUE UNIT". clock_mhz (as written in MHz, 2^-16) may be 0, then units that need it are
 * refused. Exact, rounded half up to the nearest step. Rejects missing units (the message prints
 * what the bare number could have meant), wrong units, signs, exponents, leading zeros, separators,
 * garbage, values that do not fit and values other than 0 that would become 0. place.width must
 * cover the text. Returns BAD_INPUT or NO_MEMORY; *value is written on OK only. */
enum status quantity_parse(const char *text, enum unit unit, int64_t clock_mhz, struct place place,
                           struct diag *diag, int64_t *value) MUST_CHECK;

/* Prints a value in its natural spelling: "512 KiB", "6.5 cycles", "256 B/cycle". The shortest
 * decimal that reads back to the same value. Returns text in the buffer, at most size bytes. */
const char *quantity_format(int64_t value, enum unit unit, char *buffer, size_t size);

/* The name of a unit for messages: "a size such as '512 KiB'". */
const char *unit_expectation(enum unit unit);

/* 123456 -> "123,456", in buffer (at least 28 bytes). */
const char *grouped_format(uint64_t value, char *buffer, size_t size);

#endif
