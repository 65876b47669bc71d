/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes functions, moments and the power waveform into a store that is being built: from the
 * emulator's profile, and from the target's records. All belong to the import's pass. Each returns
 * MPJ_E_OK, or the code in m->err; texts are copied.
 */
#ifndef PROFILE_PUT_H
#define PROFILE_PUT_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

#include "report/profile.h"
#include "store/store_int.h"

/* Missing value: no parent, no thread, no core, no region, no address. */
#define PROFILE_NONE (-1)

struct profile_func {
    uint32_t id;
    const char *name; /* valid UTF-8 without control characters (store_line()) */
    const char *copy; /* suffix of a copy by the compiler; NULL: none */
    const char *file; /* NULL: unknown */
    int line;         /* 0: unknown */
    int64_t address;
    enum mpj_prof_kind kind;
};

/* Returns the owner of a function that has a name. The runtime's are those of the firmware's own
 * sources, of newlib and of libgcc; without a line, those that the compiler and its libraries name:
 * a function of the program may have been compiled without debug information. */
struct mpj_place;
enum mpj_prof_kind store_func_kind(const struct mpj_place *p);

/* A row of the call tree. parent: a smaller id; region: address of the construct's body, as in
 * table region. */
struct profile_node {
    uint32_t id;
    int64_t parent;
    uint32_t func;
    int64_t thread; /* as in table thread */
    int64_t core;   /* 0 to 3 */
    int64_t region;
    uint64_t calls;
};

/* kind, object, other, value: enum mpj_moment_kind; time: ticks as everywhere. */
struct profile_moment {
    uint32_t seq;
    uint64_t time;
    int64_t core, thread;
    enum mpj_moment_kind kind;
    int64_t object, other, value;
};

/* Write functions and nodes, each once, a node after its parent. */
int profile_func(struct import *m, enum mpj_prof_source source, const struct profile_func *f);
int profile_node(struct import *m, enum mpj_prof_source source, const struct profile_node *n);
/* Adds to a node's own cost, or to the costs of no core; item: see report/profile.h. A value of 0
 * is not written. energy_fj and fj:* may be negative: then in two's complement. */
int profile_cost(struct import *m, enum mpj_prof_source source, uint32_t node, const char *item,
                 uint64_t value);
int profile_chip(struct import *m, enum mpj_prof_source source, const char *item, uint64_t value);
/* Adds to an instruction; its costs may precede it. */
int profile_insn(struct import *m, uint32_t address, uint64_t executions, uint64_t cycles);
int profile_insn_cost(struct import *m, uint32_t address, const char *item, uint64_t value);
int profile_moment(struct import *m, enum mpj_prof_source source, const struct profile_moment *x);
/* Adds to the number of moments that were not kept. */
int profile_lost(struct import *m, enum mpj_prof_source source, uint64_t lost);
/* Writes the next `count` steps of a core's waveform, PROFILE_NONE: the chip's own; time0, step:
 * ticks. */
int profile_wave(struct import *m, int64_t core, uint64_t time0, uint64_t step, const uint64_t *fj,
                 size_t count);

/* Writes the next `count` steps of an event of a core. */
int profile_counts(struct import *m, int64_t core, const char *event, uint64_t time0, uint64_t step,
                   const uint64_t *n, size_t count);

/* Returns a step of the waveform, from the bytes of table wave; of wave_count: 4. */
static inline uint64_t profile_bytes(const unsigned char *b, unsigned bytes)
{
    uint64_t v = 0;

    memcpy(&v, b, bytes);
    return le64toh(v);
}

/*
 * Checks that a pass's profile adds up to the emulator's truth of that pass: cycles and PMU events
 * of the nodes to those of the cores, SCU and L2 events to the chip's, energy_fj to the whole
 * energy, fj:* to energy_fj of each node, the waveform to the whole energy, events over time to
 * those of the cores. Missing tables are not checked. MPJ_E_LOG, with a line that names the sum
 * that differs.
 */
int profile_check_sums(struct import *m);

#endif
