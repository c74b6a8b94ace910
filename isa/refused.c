#include "isa/refused.h"

#include <assert.h>
#include <string.h>

static const struct refused refused_rows[] = {
#define REFUSED(mnemonic, reason) {mnemonic, reason},
#include "isa/refused.def"
};

static const struct alias {
    const char *name, *mnemonic;
} aliases[] = {
#define ALIAS(name, mnemonic) {name, mnemonic},
#include "isa/refused.def"
};

enum {
    ROWS = sizeof refused_rows / sizeof refused_rows[0],
    ALIASES = sizeof aliases / sizeof aliases[0],
};

const struct refused *refused_list(size_t *count)
{
    *count = ROWS;
    return refused_rows;
}

static char letter_small(char letter)
{
    return letter >= 'A' && letter <= 'Z' ? (char)(letter - 'A' + 'a') : letter;
}

/* Whether a word spells a name, which has small letters. */
static bool word_spells(struct word word, const char *name)
{
    for (size_t i = 0; i < word.length; i++) {
        if (word.text[i] == '_') {
            continue;
        }
        name += strspn(name, "_");
        if (letter_small(word.text[i]) != *name || *name == '\0') {
            return false;
        }
        name++;
    }
    return name[strspn(name, "_")] == '\0';
}

static const struct refused *row_find(struct word word)
{
    for (size_t i = 0; i < ROWS; i++) {
        if (word_spells(word, refused_rows[i].mnemonic)) {
            return &refused_rows[i];
        }
    }
    return NULL;
}

const struct refused *refused_find(struct word word)
{
    const struct refused *row = row_find(word);
    for (size_t i = 0; i < ALIASES && row == NULL; i++) {
        if (word_spells(word, aliases[i].name)) {
            row = row_find((struct word){aliases[i].mnemonic, strlen(aliases[i].mnemonic)});
            assert(row != NULL);
        }
    }
    return row;
}
