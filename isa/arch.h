/*
 * Architecture numbers of AI Cores (the compiler's NPU arch) and what differs in their layouts.
 * Sources: see docs/isa.md, sections 1 and 2.
 */
#ifndef CUBESIM_ISA_ARCH_H
#define CUBESIM_ISA_ARCH_H

#include <limits.h>
#include <stdbool.h>

/* name, word in product files, bit in instruction masks */
#define ARCH_LIST(ROW)                                                                             \
    ROW(1001, "dav-1001", 1)  /* Atlas training, 910A */                                           \
    ROW(2002, "dav-2002", 2)  /* Atlas inference, 310P */                                          \
    ROW(2201, "dav-2201", 4)  /* Atlas A2 and A3, 910B and 910_93 */                               \
    ROW(3002, "dav-3002", 8)  /* Atlas 200I/500 A2, 310B */                                        \
    ROW(3510, "dav-3510", 16) /* Ascend 950 */

enum arch {
#define ROW(number, word, bit) ARCH_##number,
    ARCH_LIST(ROW)
#undef ROW
        ARCH_COUNT
};

const char *arch_word(enum arch arch);
const char *arch_family(enum arch arch); /* as people call its products: "Ascend 950" */
enum arch arch_find(const char *word);   /* ARCH_COUNT when unknown */
unsigned arch_bit(enum arch arch);
#define ARCHES_ANY UINT_MAX /* the bits of all of them */

bool arch_l0a_is_nz(enum arch arch);      /* L0A in NZ (950), else ZZ */
bool arch_has_nd2nz(enum arch arch);      /* ND2NZ by hardware: A2, A3, 950; 310P has a library's */
bool arch_has_dn2nz(enum arch arch);      /* GM->L1 with DN2NZ: 950 */
bool arch_has_bias_table(enum arch arch); /* L1->BT->Mmad bias: A2, A3, 950 */
bool arch_has_parameter_load(enum arch arch); /* L1->fixpipe buffer: A2, A3, 950 */
bool arch_has_int4(enum arch arch);           /* Mmad of int4: 310P, A2, A3, 310B */
bool arch_has_hf32(enum arch arch);           /* Mmad rounds fp32 on demand: A2, A3, 310B, 950 */
bool arch_has_cores(enum arch arch);          /* more than one AI Core: all but 310B */
bool arch_has_fixpipe(enum arch arch);        /* A2, A3, 310B, 950 */
bool arch_has_vector_exit(enum arch arch);    /* L0C->UB on the vector pipe: 910A, 310P */

#endif
