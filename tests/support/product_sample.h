/*
 * What the tests of products share: a loaded product with its arena, files in a folder of their
 * own, and edits of the text of a shipped file.
 */
#ifndef CUBESIM_TESTS_SUPPORT_PRODUCT_SAMPLE_H
#define CUBESIM_TESTS_SUPPORT_PRODUCT_SAMPLE_H

#include <stddef.h>
#include <stdint.h>

#include "model/product.h"

enum { TEXT_BYTES = 65536, PATH_BYTES = 256, FOLDER_FILES_MAX = 8 };

/* What contract.md promises, with the numbers that tell the parts apart; sorted by soc. */
struct shipped {
    const char *soc;
    const char *alias;
    const char *arch;
    uint64_t cores;
    uint64_t clock_mhz;
    uint64_t l2_mib;
};
enum { SHIPPED_COUNT = 14 };
extern const struct shipped shipped[SHIPPED_COUNT];

/* The soc of a shipped product of an architecture. */
const char *shipped_of(enum arch arch);

struct sample {
    struct arena arena;
    struct diag diag;
    struct product product;
};

void sample_init(struct sample *sample);
void sample_deinit(struct sample *sample);

/* Initialises the sample and loads a product, whatever comes of it. */
enum status sample_read(struct sample *sample, const char *name);

/* The same; it must succeed. */
void sample_load(struct sample *sample, const char *name);

/* product_set with the parts of the sample. */
enum status sample_set(struct sample *sample, const char *assignment);

/* The message of a problem. */
void sample_assert_message(const struct sample *sample, size_t index, const char *message);

/* A directory of its own for files that tests write. */
struct folder {
    char path[PATH_BYTES];
    char file[FOLDER_FILES_MAX][PATH_BYTES]; /* written files, removed at the end */
    size_t count;
    char inner[PATH_BYTES]; /* "" or its folder products, where files are then written */
};

void folder_init(struct folder *folder);
void folder_deinit(struct folder *folder);
void folder_make_products(struct folder *folder);

/* Writes a file and returns its path. */
const char *folder_write(struct folder *folder, const char *name, const char *text);

/* Reads a whole file into text, TEXT_BYTES long. */
void text_read(const char *path, char *text);

/* Replaces the first occurrence of from, which must be there, in a text of TEXT_BYTES. */
void text_replace(char *text, const char *from, const char *to);

/* Line and column, from 1, of the first occurrence of what. */
void text_locate(const char *text, const char *what, uint32_t *line, uint32_t *column);

#endif
