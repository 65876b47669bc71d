/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Translation: two fully associative micro TLBs with round-robin replacement per core and one
 * set-associative main TLB for their misses. Sizes are assumed (parameters).
 *
 * With tlb_small_pages data are translated as if all mappings were of 4 KB. Instructions are not:
 * the emulator keeps what it knows of fetches by section.
 */
#include "chip_int.h"

#include <string.h>

/* Page bases have their low bits clear: bit 0 marks a valid entry. */
#define VALID            1U
#define SMALL_PAGE_SHIFT 12U

static bool covers(const struct tlb_entry *e, uint32_t vaddr)
{
    return (e->base & VALID) && ((e->base ^ vaddr) >> e->shift) == 0;
}

/* Looks up the main TLB; allocates on a miss. */
static bool main_hit(struct mpj_chip *c, struct core *k, uint32_t vaddr, unsigned shift)
{
    unsigned ways = (unsigned)c->prm.tlb_ways;
    unsigned sets = (unsigned)c->prm.tlb_entries / ways;
    unsigned set = (vaddr >> shift) & (sets - 1);
    struct tlb_entry *e = &k->tlb[(size_t)set * ways];
    unsigned way;
    for (way = 0; way < ways; way++)
        if (e[way].shift == shift && covers(&e[way], vaddr))
            return true;
    for (way = 0; way < ways && (e[way].base & VALID); way++)
        ;
    if (way == ways) {
        way = k->tlb_next[set];
        k->tlb_next[set] = (uint8_t)((way + 1) & (ways - 1));
    }
    e[way].base = ((vaddr >> shift) << shift) | VALID;
    e[way].shift = shift;
    return false;
}

uint32_t mpj_utlb_miss(struct mpj_chip *c, unsigned core, bool insn, uint32_t vaddr,
                       unsigned page_shift, uint64_t now, uint32_t *evicted,
                       unsigned *evicted_shift)
{
    (void)now;
    struct core *k = &c->core[core];
    struct utlb *u = insn ? &k->utlb_i : &k->utlb_d;
    unsigned entries = (unsigned)c->prm.utlb_entries;
    *evicted = UINT32_MAX;
    *evicted_shift = 0;
    /* The emulator may have lost an entry that the modelled TLB still has. */
    for (unsigned i = 0; i < entries; i++)
        if (covers(&u->e[i], vaddr))
            return 0;
    if (!insn && c->prm.tlb_small_pages && page_shift > SMALL_PAGE_SHIFT)
        page_shift = SMALL_PAGE_SHIFT;
    k->hot->dirty |= MPJ_DIRTY_MISS;
    k->ev[insn ? MPJ_EV_IUTLB_MISS : MPJ_EV_DUTLB_MISS]++;
    struct tlb_entry *e = &u->e[u->next];
    if (++u->next == entries)
        u->next = 0;
    if (e->base & VALID) {
        *evicted = e->base & ~VALID;
        *evicted_shift = e->shift;
    }
    e->base = ((vaddr >> page_shift) << page_shift) | VALID;
    e->shift = page_shift;

    uint32_t cycles = (uint32_t)c->prm.utlb_refill_cycles;
    if (!main_hit(c, k, vaddr, page_shift)) {
        k->ev[MPJ_EV_TLB_MISS]++;
        /* A section takes one descriptor, a page two. */
        cycles += (uint32_t)c->prm.tlb_walk_cycles * (page_shift >= 20 ? 1U : 2U);
    }
    cycles = miss_cycles(c, MPJ_MISS_TLB, cycles);
    if (insn)
        k->ev[MPJ_EV_IFETCH_STALL] += cycles;
    return cycles;
}

void mpj_tlb_flush(struct mpj_chip *c, unsigned core)
{
    struct core *k = &c->core[core];
    memset(&k->utlb_i, 0, sizeof(k->utlb_i));
    memset(&k->utlb_d, 0, sizeof(k->utlb_d));
    memset(k->tlb, 0, sizeof(k->tlb));
    memset(k->tlb_next, 0, sizeof(k->tlb_next));
}
