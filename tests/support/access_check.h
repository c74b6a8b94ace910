/*
 * Whether an effect tells the truth about the bytes that it touches.
 */
#ifndef CUBESIM_TESTS_SUPPORT_ACCESS_CHECK_H
#define CUBESIM_TESTS_SUPPORT_ACCESS_CHECK_H

#include "tests/support/rig.h"

enum { ACCESS_MESSAGE_BYTES = 160 };

/* Applies an instruction like effect_apply. False, with a message, when it changes a byte that it
 * does not tell as written, or when what it writes depends on a byte that it does not tell as
 * read. */
bool access_check_holds(struct rig *rig, const struct insn *insn,
                        char message[ACCESS_MESSAGE_BYTES]);

/* The same; fails the test. */
void access_check_apply(struct rig *rig, const struct insn *insn);

/* Applies an instruction; how many bytes of a region it tells as read, or as written. More than it
 * touches would make races where there are none. */
uint64_t access_told_bytes(struct rig *rig, const struct insn *insn, uint32_t region, bool write);

#endif
