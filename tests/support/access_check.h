/*
 * Whether an effect tells the truth about the bytes that it touches.
 */
#ifndef CUBESIM_TESTS_SUPPORT_ACCESS_CHECK_H
#define CUBESIM_TESTS_SUPPORT_ACCESS_CHECK_H

#include "tests/support/rig.h"

/* Applies an instruction like effect_apply and fails the test when it changes a byte that it does
 * not tell as written, or when what it writes depends on a byte that it does not tell as read. */
void access_check_apply(struct rig *rig, const struct insn *insn);

#endif
