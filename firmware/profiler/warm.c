/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Warm-up of the caches: the first execution costs most, when hooks come from memory, with all
 * cores at once on its bus. */
#include "mpj_prof.h"

#include <stddef.h>

#include "mpj_mmu.h"
#include "thread_int.h"

#define LINE    32U
#define THREADS 8U  /* records */
#define ENTRIES 32U /* entries of each table */
#define BINS    16U /* bins of a record */

extern const char __prof_text_start[], __prof_text_end[];

static void read_lines(const void *from, size_t bytes)
{
    const volatile char *p = from;

    for (size_t i = 0; i < bytes; i += LINE)
        (void)p[i];
}

void mpj_prof_warm(void)
{
    const struct mpj_prof_threads *const pt = &mpj_prof_threads;
    const struct mpj_prof_memory *const m = &mpj_prof_memory;

    if (!pt->on)
        return;
    read_lines((const void *)MPJ_VECTORS, 2U * LINE); /* and the table that maps them */
    read_lines(__prof_text_start, (size_t)(__prof_text_end - __prof_text_start));
    read_lines(pt, sizeof(*pt));
    for (unsigned i = 0; i < THREADS; i++) {
        read_lines(&m->rec[i], offsetof(struct mpj_prof_rec, bins[BINS]));
        read_lines(&mpj_thread_rests[i], offsetof(struct mpj_prof_rest, fills));
    }
    read_lines(m->wait, ENTRIES * sizeof(m->wait[0]));
    read_lines(m->region, ENTRIES * sizeof(m->region[0]));
}
