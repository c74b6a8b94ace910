/*
 * Lists of words in messages: "fp16, bf16".
 *
 * list is a text of at most size bytes with its closing zero, "" at the start; what does not fit is
 * cut. separator stands between two words.
 */
#ifndef CUBESIM_ISA_WORD_LIST_H
#define CUBESIM_ISA_WORD_LIST_H

#include <stddef.h>
#include <stdint.h>

void list_add(char *list, size_t size, const char *separator, const char *word);

/* The words of bits 1 << enum arch (arch_bit), 1 << enum space and 1 << enum element. */
void list_arches(char *list, size_t size, const char *separator, unsigned arches);
void list_spaces(char *list, size_t size, const char *separator, unsigned spaces);
void list_types(char *list, size_t size, const char *separator, uint32_t types);

#endif
