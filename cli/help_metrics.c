#include "cli/help_metrics.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

#include "cli/problems.h"
#include "cli/terminal.h"
#include "cli/text.h"
#include "engine/base/bind.h"

enum { WORD_COLUMNS = 11, WORDS_MAX = 512 };

struct metric {
    const char *section; /* of a heading, or NULL */
    const char *words, *keys, *meaning;
};

static const struct metric metrics[] = {
#define SECTION(title)               {.section = title},
#define METRIC(words, keys, meaning) {NULL, words, keys, meaning},
#include "cli/metric.def"
#undef METRIC
#undef SECTION
};

enum { METRIC_COUNT = sizeof metrics / sizeof *metrics };

/* The word, then what it means; keys behind it. Words that are too long get a line of their own. */
static void print_metric(FILE *stream, struct arena *arena, const struct metric *metric)
{
    const char *word = *metric->words != '\0' ? metric->words : metric->keys;
    const char *text = metric->meaning;
    if (*metric->words != '\0' && *metric->keys != '\0' && strcmp(metric->words, metric->keys) != 0)
        text = text_format(arena, "%s [%s]", text, metric->keys);
    if (text_columns(word) >= WORD_COLUMNS) {
        text_print_wrapped(stream, arena, "", 0, word, TERMINAL_WIDTH);
        word = "";
    }
    text_print_wrapped(stream, arena, word, WORD_COLUMNS, text, TERMINAL_WIDTH);
}

void help_metrics_print(FILE *stream)
{
    struct arena arena;
    arena_init(&arena, 0);
    fputs("cubesim: what is printed, with its keys in JSON and columns of views in brackets\n",
          stream);
    for (size_t i = 0; i < METRIC_COUNT; i++)
        if (metrics[i].section != NULL)
            fprintf(stream, "\n%s\n\n", metrics[i].section);
        else
            print_metric(stream, &arena, &metrics[i]);
    fputs("\ncubesim help metrics WORD prints one\n", stream);
    arena_deinit(&arena);
}

/* ---- one word ---- */

/* The next word of a list: keys are parted by spaces, words as texts have them by commas. */
static size_t next_word(const char **list, char separator, const char **word)
{
    while (**list == ' ' || **list == ',')
        ++*list;
    *word = *list;
    while (**list != '\0' && **list != separator)
        ++*list;
    return (size_t)(*list - *word);
}

static bool list_has(const char *list, char separator, const char *word)
{
    const char *at = NULL;
    size_t length = 0;
    while ((length = next_word(&list, separator, &at)) > 0)
        if (length == strlen(word) && strncasecmp(at, word, length) == 0)
            return true;
    return false;
}

static bool metric_is(const struct metric *metric, const char *word)
{
    return strcasecmp(metric->words, word) == 0 || list_has(metric->words, ',', word) ||
           list_has(metric->keys, ' ', word);
}

/* All words and keys, for the nearest one. */
static size_t all_words(struct arena *arena, const char *words[WORDS_MAX])
{
    size_t count = 0;
    for (size_t i = 0; i < METRIC_COUNT; i++)
        for (int list = 0; list < 2 && metrics[i].section == NULL; list++) {
            const char *rest = list == 0 ? metrics[i].words : metrics[i].keys, *at = NULL;
            size_t length = 0;
            while (count < WORDS_MAX && (length = next_word(&rest, list == 0 ? ',' : ' ', &at)) > 0)
                words[count++] = text_format(arena, "%.*s", (int)length, at);
        }
    return count;
}

int help_metrics_find(FILE *stream, const char *word)
{
    struct arena arena;
    size_t found = 0;
    arena_init(&arena, 0);
    for (size_t i = 0; i < METRIC_COUNT; i++)
        if (metrics[i].section == NULL && metric_is(&metrics[i], word)) {
            print_metric(stream, &arena, &metrics[i]);
            found++;
        }
    if (found == 0) {
        const char *words[WORDS_MAX];
        char shown[EXCERPT_SIZE_BYTES];
        const char *near = nearest_word(word, words, all_words(&arena, words));
        message_print(stderr, "cubesim help metrics: ",
                      text_format(&arena, "found no '%s'%s%s%s",
                                  excerpt_format(word, shown, sizeof shown),
                                  near != NULL ? "; did you mean '"
                                               : "; without a word it prints "
                                                 "all",
                                  near != NULL ? near : "", near != NULL ? "'?" : ""));
    }
    arena_deinit(&arena);
    return status_exit_code(found > 0 ? STATUS_OK : STATUS_BAD_INPUT);
}

/* ---- Markdown ---- */

static void print_keys(FILE *stream, const char *keys)
{
    const char *at = NULL;
    size_t length = 0;
    for (const char *mark = ""; (length = next_word(&keys, ' ', &at)) > 0; mark = ", ")
        fprintf(stream, "%s`%.*s`", mark, (int)length, at);
}

void help_metrics_markdown(FILE *stream)
{
    for (size_t i = 0; i < METRIC_COUNT; i++) {
        const struct metric *metric = &metrics[i];
        if (metric->section != NULL) {
            fprintf(stream, "%s### %c%s\n\n| word | keys and columns | meaning |\n|---|---|---|\n",
                    i > 0 ? "\n" : "", metric->section[0] - 'a' + 'A', metric->section + 1);
            continue;
        }
        fprintf(stream, "| %s | ", metric->words);
        print_keys(stream, metric->keys);
        fprintf(stream, " | %s |\n", metric->meaning);
    }
}
