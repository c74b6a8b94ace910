/*
 * What `cubesim validate` prints, as text and as JSON.
 */
#ifndef CUBESIM_CLI_VALIDATE_VIEW_H
#define CUBESIM_CLI_VALIDATE_VIEW_H

#include "cli/page.h"
#include "model/validation.h"

void validate_print_text(const struct page *page, const struct validation *validation);
void validate_print_json(const struct validation *validation);

#endif
