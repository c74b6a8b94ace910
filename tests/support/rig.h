/*
 * A machine with a handful of regions, for tests of single instructions.
 *
 *     struct rig rig;
 *     rig_init(&rig, ARCH_2201);
 *     uint32_t a = rig_region(&rig, SPACE_L0A, ELEMENT_FP16, 256);
 *     ...
 *     effect_apply(&rig.machine, &insn);
 *     rig_deinit(&rig);
 */
#ifndef CUBESIM_TESTS_SUPPORT_RIG_H
#define CUBESIM_TESTS_SUPPORT_RIG_H

#include "engine/base/arena.h"
#include "isa/machine.h"
#include "isa/program.h"

enum { RIG_REGIONS = 8 };

struct rig {
    struct arena arena;
    struct program program;
    struct region region[RIG_REGIONS];
    struct memory tensor[RIG_REGIONS];
    struct machine machine;
    uint32_t hazards[HAZARD_COUNT]; /* reported so far, by kind */
    uint32_t notes;
    char message[512]; /* of the last hazard or note */
};

void rig_init(struct rig *rig, enum arch arch);
void rig_deinit(struct rig *rig);

/* Adds a region of count elements that nobody has written; on-chip regions of a space follow each
 * other, each 1024 B aligned. */
uint32_t rig_region(struct rig *rig, enum space space, enum element element, uint64_t count);

/* A region of count elements, all written, element i with code(i). */
uint32_t rig_filled(struct rig *rig, enum space space, enum element element, uint64_t count,
                    uint32_t (*code)(uint64_t index));

/* The bytes and the shadow of a region. */
uint8_t *rig_bytes(struct rig *rig, uint32_t region);
uint8_t *rig_written(struct rig *rig, uint32_t region);

/* Element `index` of a region; writing marks it as written. */
uint32_t rig_load(struct rig *rig, uint32_t region, uint64_t index);
void rig_store(struct rig *rig, uint32_t region, uint64_t index, uint32_t code);
bool rig_is_written(struct rig *rig, uint32_t region, uint64_t index);

/* Elements of a region that are written. */
uint64_t rig_written_count(struct rig *rig, uint32_t region);

/* Hazards of all kinds so far. */
uint32_t rig_hazards(const struct rig *rig);

/* The code of a small integer in an element type. */
uint32_t rig_code(enum element element, int value);

#endif
