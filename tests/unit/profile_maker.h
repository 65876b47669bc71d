/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A store with a profile that never was, whose figures are known: call paths with recursion, a tail
 * call, an inlined function, an interrupt, two threads and an idle core, moments, power over time,
 * and a truth that agrees. */
#ifndef PROFILE_MAKER_H
#define PROFILE_MAKER_H

#include <stdbool.h>
#include <stdint.h>

#include "report/profile.h"

#define MAKER_NODES 16U
/* Energies of a node in fJ: 100000 per cycle, 2400000 per miss; instructions: a half per cycle. */
#define MAKER_FJ_CYCLE 100000U
#define MAKER_FJ_MISS  2400000U
#define MAKER_CHIP_FJ  UINT64_C(20000000000000)

struct maker_node {
    uint32_t id;
    int64_t parent;
    const char *func; /* name */
    int64_t thread, core, region;
    uint64_t calls, cycles, misses;
};
extern const struct maker_node maker_nodes[MAKER_NODES];

/* Writes it; moments: how many more than the dozen with a meaning (each a preemption). `path` with
 * ".mplog" behind it is the log. An error fails the test. */
void profile_make(const char *path, uint32_t moments);
/*
 * The same as a board reports it, without a truth (entries or samples). By entries: functions of
 * the program without threads, 9,200,000 cycles and 5,710 misses, energy as above and none of the
 * chip. By samples: neither inlined functions nor interrupts, calls or energy; 13,620,000 cycles, a
 * sample for each 10,000 of them, 8,010 misses, and three samples in time. moments: and those of a
 * profile with a truth, as the target notes them.
 */
void profile_make_on_target(const char *path, enum mpj_prof_source source, bool moments);
/* Adds the profile to a store; extra_cycles more in the first node: then the sums do not agree.
 * Returns what profile_check_sums() says. */
int profile_add(const char *path, uint64_t extra_cycles, uint32_t moments);

#endif
