/*
 * The page of the HTML report, from traces/report/. cmake/report_page.cmake makes the .c file.
 */
#ifndef CUBESIM_TRACES_REPORT_PAGE_H
#define CUBESIM_TRACES_REPORT_PAGE_H

#include <stddef.h>
#include <stdint.h>

/* The page up to each place where something of a run goes, and its end. */
enum report_place {
    REPORT_UP_TO_SCRIPT_HASH,
    REPORT_UP_TO_STYLE_HASH,
    REPORT_UP_TO_TITLE,
    REPORT_UP_TO_DATA,
    REPORT_UP_TO_ROWS,
    REPORT_UP_TO_END,
    REPORT_PLACE_COUNT
};

struct report_piece {
    const uint8_t *bytes;
    size_t count;
};

extern const struct report_piece report_pieces[REPORT_PLACE_COUNT];

/* Of the only script and the only style that the page may run. */
extern const uint8_t report_script_sha256[32], report_style_sha256[32];

#endif
