/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Places of thread stacks: blocks of whole pages, from the end of the heap's memory downwards,
 * while the heap grows upwards; the border moves with need. So a program can have 200 MB of heap,
 * or 200 stacks, but never pays for stacks it does not create. The lowest page of a block is its
 * guard.
 *
 * A plain data structure over addresses: the caller serialises, and supplies the functions that set
 * and clear a guard page.
 */
#ifndef MPJ_STACKS_H
#define MPJ_STACKS_H

#include <stdbool.h>
#include <stdint.h>

#define MPJ_STACKS_PAGE 65536U
#define MPJ_STACKS_ROOM 0x100000U /* stacks leave the heap so much to grow */
#define MPJ_STACKS_MAX  2048U     /* blocks, free ones included */

/* Last thread of the stack in a block, and that it is painted (paint.h). */
struct mpj_stack_note {
    uintptr_t low, top; /* usable bytes; top 0: no one's */
    struct mpj_prof_rec *rec;
    bool ready; /* no one's, and no one's ever: as mpj_paint_ready() left it */
};

struct mpj_stacks {
    uintptr_t brk;                 /* first address above the heap */
    uintptr_t peak;                /* the highest it ever was */
    uintptr_t floor;               /* lowest address of the blocks */
    uintptr_t top;                 /* end of the memory */
    uintptr_t ready;               /* memory from here on is ready until it is used first */
    uintptr_t lowest;              /* floor: the lowest it ever was */
    bool (*guard)(uintptr_t page); /* false: cannot be guarded */
    void (*unguard)(uintptr_t page);
    void (*forget)(const struct mpj_stack_note *last); /* a block ceases to be one; NULL: nothing */
    unsigned count;
    struct {
        uintptr_t base; /* blocks in order of address, the first is the highest */
        bool used;
        bool guarded;
        struct mpj_stack_note last;
    } block[MPJ_STACKS_MAX];
};

/* Makes memory without a block. heap: its end; top: end of the memory. */
void mpj_stacks_init(struct mpj_stacks *s, uintptr_t heap, uintptr_t top,
                     bool (*guard)(uintptr_t page), void (*unguard)(uintptr_t page));

/* Takes a block of at least `bytes` above its guard page, and returns the address of its first
 * usable byte, 0 when no memory is left; the usable size is written back. *last: the note of the
 * block's last thread. */
uintptr_t mpj_stacks_get(struct mpj_stacks *s, uint32_t *bytes, struct mpj_stack_note *last);
/* Gives a block back, by its first usable byte. last: its note; copied. */
void mpj_stacks_put(struct mpj_stacks *s, uintptr_t usable, const struct mpj_stack_note *last);
/* Calls forget() for all free blocks that have a note, which are left without. */
void mpj_stacks_forget(struct mpj_stacks *s);
/* Returns true when the address is in a guard page of a block in use. */
bool mpj_stacks_is_guard(const struct mpj_stacks *s, uintptr_t addr);

/* Moves the heap's end, and returns the previous end, or 0 when the blocks are in the way. */
uintptr_t mpj_stacks_sbrk(struct mpj_stacks *s, intptr_t by, uintptr_t heap_start);

#endif
