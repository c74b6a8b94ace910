#include "isa/word_list.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "isa/arch.h"
#include "isa/element.h"
#include "isa/insn.h"

void list_add(char *list, size_t size, const char *separator, const char *word)
{
    size_t length = strlen(list);
    int added = snprintf(list + length, size - length, "%s%s", length == 0 ? "" : separator, word);
    assert(added >= 0);
    (void)added;
}

void list_arches(char *list, size_t size, const char *separator, unsigned arches)
{
    for (int arch = 0; arch < ARCH_COUNT; arch++) {
        if ((arches & arch_bit((enum arch)arch)) != 0) {
            list_add(list, size, separator, arch_word((enum arch)arch));
        }
    }
}

void list_spaces(char *list, size_t size, const char *separator, unsigned spaces)
{
    for (int space = 0; space < SPACE_COUNT; space++) {
        if ((spaces >> space & 1) != 0) {
            list_add(list, size, separator, space_word((enum space)space));
        }
    }
}

void list_types(char *list, size_t size, const char *separator, uint32_t types)
{
    for (int element = 0; element < ELEMENT_COUNT; element++) {
        if ((types >> element & 1) != 0) {
            list_add(list, size, separator, element_word((enum element)element));
        }
    }
}
