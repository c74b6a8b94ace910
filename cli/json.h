/*
 * Building and printing the JSON of a result. Memory that runs out ends the program with exit 3.
 */
#ifndef CUBESIM_CLI_JSON_H
#define CUBESIM_CLI_JSON_H

#include <stdint.h>

#include <jansson.h>

#include "model/kernel.h"
#include "model/plan.h"

/* Set a key, or add to a list; they take value over. */
void json_put(json_t *map, const char *key, json_t *value);
void json_add(json_t *list, json_t *value);

json_t *json_whole(uint64_t value);
/* A text whose bytes are no UTF-8 (a path) is escaped. */
json_t *json_words(const char *text);
/* A number, or null when it is infinite or no number. */
json_t *json_number(double value);

/* Of a resolved plan: {"tile_l1": {...}, "tile_l0": {...}} or the vendor's names; and every key of
 * its schedule. */
json_t *json_plan_tile(const struct plan *plan, struct arena *arena);
json_t *json_plan_schedule(const struct plan *plan, struct arena *arena);
/* What was derived or degraded: a list of sentences. */
json_t *json_plan_notes(const struct plan *plan);

/* {"arch","soc"} and every word and number of a kernel. */
json_t *json_kernel(const struct kernel *kernel);

/* Prints an object to stdout, followed by a newline, and releases it. */
void json_print(json_t *root);

#endif
