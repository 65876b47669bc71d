/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Random programs: mixes of basis segments (mpj_basis.h) with distinct weights, numbers of threads
 * and placements. The same seed and number give the same program on every machine, however many are
 * generated: each has a random stream of its own (xoshiro256**, seeded by splitmix64).
 */
#ifndef MODELS_GENERATE_H
#define MODELS_GENERATE_H

#include <stdbool.h>
#include <stdint.h>

#include "mpj_basis.h"
#include "mpj_records.h"

#define MPJ_GENERATE_COUNT    200U /* default number of programs of a campaign */
#define MPJ_GENERATE_SEED     1U
#define MPJ_GENERATE_ARGS_MAX (MPJ_BASIS_THREADS_MAX + 2U)

struct mpj_generated {
    char name[16];      /* "r000", "r001", ... */
    const char *family; /* the class of most of its segments; static storage */
    unsigned threads;
    uint32_t cores_mask; /* cores that have threads; the others wait */
    unsigned argc;
    char arg[MPJ_GENERATE_ARGS_MAX][600]; /* of basis.elf, argv[1] on */
};

/* Generates program number id of the seed, for cores 0..cores-1 (1..4). */
void mpj_generate(struct mpj_generated *out, uint64_t seed, unsigned id, unsigned cores);

/*
 * Returns how many pieces of code a generated program of one thread consists of, from its arguments
 * ("rounds=N seed=N CORE=SEGMENT:COUNT,..."): the inverse of the sum of squares of its segments'
 * shares of the time, from 1 on; waiting is not counted. 0: these are other arguments.
 */
double mpj_generated_pieces(const char *arguments);

/* Return the name of a class of segments ("alu"), and of a segment ("alu_add"). Static storage. */
const char *mpj_basis_class_name(enum mpj_basis_class class);
const char *mpj_basis_segment_name(enum mpj_basis_segment segment);

/* xoshiro256** of Blackman and Vigna; the state filled by splitmix64 from the seed. */
struct mpj_random {
    uint64_t s[4];
};
void mpj_random_init(struct mpj_random *r, uint64_t seed);
uint64_t mpj_random_next(struct mpj_random *r);
/* Returns a number uniform in [0, n), without bias; n > 0. */
uint32_t mpj_random_below(struct mpj_random *r, uint32_t n);

#endif
