#include "tests/support/codes.h"

#include <stdlib.h>
#include <string.h>

struct codes codes_open(const char *text, uint32_t bits)
{
    return (struct codes){.at = text, .digits = bits / 4};
}

static bool is_mark(char letter)
{
    return letter == '-' || letter == '.' || letter == '*';
}

static void mark_read(struct codes *codes)
{
    codes->mark = *codes->at++;
    codes->left = 1;
    if (*codes->at == '{') {
        char *end;
        codes->left = strtoull(codes->at + 1, &end, 10);
        codes->at = end + (*end == '}');
    }
}

static bool code_read(struct codes *codes, uint64_t *code)
{
    char word[17] = {0};
    for (size_t digit = 0; digit < codes->digits && codes->at[digit] != '\0'; digit++) {
        word[digit] = codes->at[digit];
    }
    char *end;
    *code = strtoull(word, &end, 16);
    if (end != word + codes->digits) {
        return false;
    }
    codes->at += codes->digits;
    return true;
}

bool codes_next(struct codes *codes, char *mark, uint64_t *code)
{
    if (codes->left == 0 && is_mark(*codes->at)) {
        mark_read(codes);
    }
    if (codes->left != 0) {
        codes->left--;
        *mark = codes->mark;
        *code = 0;
        return true;
    }
    *mark = '\0';
    return code_read(codes, code);
}

size_t codes_count(struct codes codes)
{
    char mark;
    uint64_t code;
    size_t count = 0;
    while (codes_next(&codes, &mark, &code)) {
        count++;
    }
    return *codes.at == '\0' ? count : 0;
}
