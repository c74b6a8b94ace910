/*
 * What stores have in common at their destination: marks of what is written, a count of what is
 * stored twice, and additions to what lies in GM (set_atomic_add).
 *
 * In an addition each element is read, the sum is rounded once in the type and written back. Sums
 * of integers clamp to the type, those of floating types round to nearest even and keep infinities
 * and NaN. Source: the vendor's page of SetAtomicAdd; what it leaves open is marked in docs/isa.md,
 * section 8.
 */
#ifndef CUBESIM_ISA_GM_STORE_H
#define CUBESIM_ISA_GM_STORE_H

#include <stddef.h>
#include <stdint.h>

#include "isa/view.h"

/* The element type that a store to a space adds in, from its hidden field atomicAdd; ELEMENT_COUNT
 * when it replaces. Additions are made in GM only. */
enum element gm_store_adds(enum space space, int64_t atomicAdd);

/* Marks stored bytes as written. In GM, those that were written before are counted in stored_twice,
 * but for tensors that hold something from the start. */
void gm_store_mark(struct machine *machine, const struct view *target, uint64_t offset,
                   size_t size_bytes);

/* Adds an array of elements of 8, 16 or 32 bits to what lies at offset and marks it as written. */
void gm_store_add(const struct view *target, uint64_t offset, enum element element,
                  const void *source, size_t count);

#endif
