/*
 * A program whose streams are arrays, for tests of what pulls streams.
 */
#ifndef CUBESIM_TESTS_SUPPORT_STREAM_FIXTURE_H
#define CUBESIM_TESTS_SUPPORT_STREAM_FIXTURE_H

#include "isa/program.h"

enum {
    FIXTURE_CORES = 2,
    FIXTURE_INSNS = 64,
    FIXTURE_SOURCE = 0,
    FIXTURE_OUTPUT,
    FIXTURE_L1,
    FIXTURE_L0C,
    FIXTURE_L0A,
    FIXTURE_L0B,
    FIXTURE_WORDS, /* L1 again */
    FIXTURE_FB,
    FIXTURE_REGIONS
};

struct stream_fixture {
    struct region regions[FIXTURE_REGIONS]; /* two GM tensors, then on chip */
    struct insn insn[FIXTURE_CORES][FIXTURE_INSNS];
    uint32_t count[FIXTURE_CORES], next[FIXTURE_CORES];
    struct program program;
};

/* GM tensors of the given sizes; the output lies behind the source. */
void stream_fixture_init(struct stream_fixture *fixture, uint32_t cores, uint64_t source_bytes,
                         uint64_t output_bytes);

/* A data_copy of count blocks of length bytes, pitch apart, from byte `from` of the source. */
void stream_fixture_copy(struct stream_fixture *fixture, uint32_t core, uint64_t from,
                         uint64_t count, uint64_t length, uint64_t pitch);

/* A store of fp16 rows x 16 columns in nz to byte `to` of the output. */
void stream_fixture_store(struct stream_fixture *fixture, uint32_t core, uint64_t to,
                          uint64_t rows);

#endif
