/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * State of a thread, for the hooks (hooks.c) and for the records made of it (thread_send.c).
 *
 * The hooks run in the middle of the measured program, and their accesses evict lines of the
 * caches. A program that just fills the L2 misses a whole set, way by way, for each additional
 * line. So data that is used together is in one line (32 bytes), data that is rarely needed is
 * elsewhere, and nothing is written that two cores share.
 */
#ifndef MPJ_THREAD_INT_H
#define MPJ_THREAD_INT_H

#include <stdbool.h>
#include <stdint.h>

#include "mpj_prof.h"
#include "mpj_prof_thread.h"
#include "mpj_spread.h"
#include "mpj_tables.h"
#include "mpj_timeline.h"

#define MPJ_PROF_NAME 15U
#define MPJ_PROF_NEST 2U /* nested regions of a thread that are accounted for */

enum mpj_prof_state {
    MPJ_PROF_READY,
    MPJ_PROF_RUN,
    MPJ_PROF_BLOCK,
    MPJ_PROF_SLEEP,
    MPJ_PROF_HOST,      /* has a core, and transfers data from or to the host */
    MPJ_PROF_HOST_WAIT, /* waits for a thread that does, or during its own transfer */
    MPJ_PROF_ENDED
};

#define MPJ_PROF_SPANS 8U
#define MPJ_PROF_WAITS 4U
#define MPJ_PROF_KNOWN 8U

/* Time in one state, to be added up. */
struct mpj_span {
    uint64_t from, to;
    uint8_t state; /* enum mpj_prof_state */
    uint8_t wait;  /* index of its wait in the record + 1; 0: none */
};

/* Entries of a table that a thread used last: number and some bits of the key, 0: none. They are
 * found without a search and without the table's lock. */
typedef uint16_t mpj_known;

/*
 * Record of a thread. A switch costs the lines it touches, while other threads wait for this one:
 * so a switch, or the end of a wait that the thread spent on its core, only notes which state ended
 * when. The consequences are added up when there is time: during the thread's next wait, or when
 * there is no space for another note.
 */
struct mpj_prof_rec {
    /* Accessed by all hooks. */
    uint64_t since;   /* of the present state, ticks */
    uint8_t state;    /* enum mpj_prof_state */
    uint8_t core : 4; /* present or last core */
    uint8_t slot : 4; /* index in wait[] of the present or last wait */
    bool exiting : 1;
    bool talked : 1; /* `host` may be other than 0 */
    bool waiting;
    uint8_t spans;            /* number of notes */
    uint8_t open;             /* noted waits, by bits */
    uint16_t nest;            /* nesting level of regions */
    uint64_t ran, at_barrier; /* ticks of ended states, added up or not */

    /* Accessed at the edges of regions and at switches. */
    struct mpj_prof_sum sum; /* of the first pair of events; the others are in rest */
    struct mpj_prof_rest *rest;
    uint16_t within[MPJ_PROF_NEST]; /* regions' entries + 1; 0: no entry */

    mpj_known wait_known[MPJ_PROF_KNOWN], region_known[MPJ_PROF_KNOWN];

    struct mpj_timeline timeline;

    /* Accessed at waits: one line, unless several are noted. */
    uint64_t block, sleep; /* ticks */
    struct mpj_wait_key wait[MPJ_PROF_WAITS];
    struct mpj_span span[MPJ_PROF_SPANS];

    uint64_t kernel; /* cycles */
    uint64_t host;   /* ticks */
    uint32_t talks;  /* nested transfers in progress */
    uint32_t switches;
    uint32_t id;
    uint64_t core_run[MPJ_CORES_MAX]; /* ticks, until it moved to another core */
    struct mpj_hook_thread *owner;    /* until it has ended */
    struct mpj_bin bins[MPJ_BINS_MAX];
} __attribute__((aligned(32)));

struct mpj_prof_rest {
    uint64_t created;
    uint32_t parent, entry, flags;
    uint32_t folded;      /* other threads that are added up in this record (fold.c) */
    uint64_t other_lives; /* ticks of their lives */
    char name[MPJ_PROF_NAME];
    uint32_t stack_bytes, stack_used;
    uint64_t fills[MPJ_CORES_MAX][MPJ_PROF_FILLS]; /* linefills, where the SCU counts them */
    struct mpj_prof_sum more[MPJ_PROF_PAIRS - 1U]; /* pairs of events except for the first */
    struct mpj_slices slices;                      /* with rotation */
} __attribute__((aligned(32)));

struct mpj_prof_threads {
    bool on;
    bool rotates; /* events are multiplexed */
    uint8_t pairs;
    bool fills; /* the SCU's counts of the core's linefills are read */
    uint32_t used;
    uint32_t lost; /* threads without a record */
    uint32_t deep; /* executions of regions nested too deep */
    /* Notes each event of threads (trace.c); NULL: events are not traced. */
    void (*moment)(unsigned core, unsigned kind, uint32_t thread, unsigned n, const uint32_t *word);
    uint64_t begin;
    uint32_t free;      /* a record below `used` + 1 that is free, linked by its `since`; 0: none */
    uint32_t fold_next; /* the first thread for which some may be added up because of their waits */
    uint32_t crowd_from; /* the first thread after all records were in use; 0: they never were */
    /* One line per core. */
    struct mpj_thread_core {
        struct mpj_prof_rec *cur; /* record of the thread that runs */
        uint32_t kernel_since;    /* CCNT */
        bool kernel;
    } __attribute__((aligned(32))) core[MPJ_CORES_MAX];
    struct mpj_waits waits;
    struct mpj_regions regions;
};

extern struct mpj_prof_threads mpj_prof_threads;
/* In few pages, since a core's micro TLB has eight entries. */
extern struct mpj_prof_memory {
    struct mpj_region_entry region[MPJ_REGIONS_MAX];
    struct mpj_wait_entry wait[MPJ_WAITS_MAX];
    struct mpj_prof_rec rec[MPJ_PROF_THREADS];
} mpj_prof_memory;
extern struct mpj_prof_rest mpj_thread_rests[MPJ_PROF_THREADS];
/* Ticks in HOST of each region's entry. */
extern uint64_t mpj_region_host[MPJ_REGIONS_MAX];
/* Pairs of events of each region's entry, except for the first. */
extern struct mpj_prof_sum mpj_region_more[MPJ_REGIONS_MAX][MPJ_PROF_PAIRS - 1U];

/* Charges counts of a core to the record. */
void mpj_thread_charge(struct mpj_prof_rec *r, unsigned pair,
                       const uint64_t step[HAL_PMU_COUNTERS]);
/* Charges the core's linefills since the last call to the record; NULL: to no thread. */
void mpj_thread_charge_fills(struct mpj_prof_rec *r, unsigned core);
/* Adds up all notes of a thread when the run ended at `end`, including states that never ended.
 * Nothing else runs. */
void mpj_thread_finish(struct mpj_prof_rec *r, uint64_t end);

/* Frees records, if possible; the thread `next` needs one. Lock held. */
void mpj_prof_fold(uint32_t next);
/* Resets fold.c: no thread is added up yet. */
void mpj_prof_fold_reset(void);
/* Invalidates the counts of ended threads that mpj_prof_program_counts() keeps. Lock held. */
void mpj_prof_counts_again(void);

static inline void mpj_thread_not_before(uint64_t *now, uint64_t then)
{
    if (*now < then)
        *now = then;
}

#endif
