/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The profile as a file: docs/profile-file.md. */
#include "prof_int.h"
#include "trace_int.h"

#include <inttypes.h>
#include <string.h>

#define VERSION 1U

/* Items of a node, after the events. */
enum {
    ITEM_CYCLES = MPJ_EV_COUNT,
    ITEM_WFI,
    ITEM_ENERGY,
    ITEM_CAUSES,
    ITEM_INSTR = ITEM_CAUSES,
    ITEM_SWITCH,
    ITEM_L1,
    ITEM_L2,
    ITEM_COHERENCE,
    ITEM_MEMORY,
    ITEM_UNCACHED,
    ITEM_TLB,
    ITEM_MISPREDICT,
    ITEM_STALL,
    ITEM_CLOCK,
    ITEM_IDLE,
    ITEM_FLOOR,
    ITEMS
};
static const char *const item_names[ITEMS] = {
    [ITEM_CYCLES] = "cycles",    [ITEM_WFI] = "wfi_cycles",
    [ITEM_ENERGY] = "energy_fj", [ITEM_INSTR] = "fj:instr",
    [ITEM_SWITCH] = "fj:switch", [ITEM_L1] = "fj:l1",
    [ITEM_L2] = "fj:l2",         [ITEM_COHERENCE] = "fj:coherence",
    [ITEM_MEMORY] = "fj:memory", [ITEM_UNCACHED] = "fj:uncached",
    [ITEM_TLB] = "fj:tlb",       [ITEM_MISPREDICT] = "fj:mispredict",
    [ITEM_STALL] = "fj:stall",   [ITEM_CLOCK] = "fj:clock",
    [ITEM_IDLE] = "fj:idle",     [ITEM_FLOOR] = "fj:floor",
};

/* Items of the shared part, after the events of SCU and L220. */
enum {
    CHIP_L2 = MPJ_SCU_COUNT,
    CHIP_ENERGY = MPJ_SCU_COUNT + MPJ_L2_COUNT,
    CHIP_CLOCK,
    CHIP_LEAKAGE,
    CHIP_BURST,
    CHIP_ITEMS
};
static const char *const chip_names[CHIP_ITEMS] = {
    [CHIP_ENERGY] = "energy_fj",
    [CHIP_CLOCK] = "fj:clock",
    [CHIP_LEAKAGE] = "fj:leakage",
    [CHIP_BURST] = "fj:burst",
};

/* Presence of an item is a bit. */
_Static_assert((unsigned)ITEMS <= 64 && (unsigned)CHIP_ITEMS <= 64, "more items than bits");

/* Returns the losses in windows: others, as when the boot code sets stack pointers, are not in the
 * tree. */
static struct losses losses_inside(const struct prof *f, bool open)
{
    struct losses l = f->lost_inside;
    if (open) {
        l.unwound += f->lost.unwound - f->lost_base.unwound;
        l.resync += f->lost.resync - f->lost_base.resync;
    }
    return l;
}

void prof_window(struct mpj_chip *c, bool open, uint64_t now)
{
    struct prof *f = c->prof;
    struct shared_parts e = shared_parts(c, now);
    if (open) {
        f->shared_base = e;
        f->lost_base = f->lost;
        return;
    }
    f->lost_inside = losses_inside(f, true);
    f->shared.clock += e.clock - f->shared_base.clock;
    f->shared.leak += e.leak - f->shared_base.leak;
    f->shared.burst += e.burst - f->shared_base.burst;
}

/* ---- items ---- */

static int64_t cost(uint64_t count, int32_t fj)
{
    return (int64_t)((int128)count * fj);
}

static void node_items(const struct mpj_chip *c, const struct node *n, int64_t *v)
{
    const struct mpj_params *p = &c->prm;
    const uint64_t *x = n->count + MPJ_EV_COUNT;
    for (unsigned e = 0; e < MPJ_EV_COUNT; e++)
        v[e] = (int64_t)n->count[e];
    v[ITEM_CYCLES] = (int64_t)(n->run + n->wfi);
    v[ITEM_WFI] = (int64_t)n->wfi;
    v[ITEM_INSTR] = n->class_fj + cost((uint64_t)v[MPJ_EV_INSTR], p->e_instr);
    v[ITEM_SWITCH] = n->switch_fj;
    v[ITEM_L1] = cost((uint64_t)(v[MPJ_EV_DCACHE_RD] + v[MPJ_EV_DCACHE_WR]), p->e_dl1_access) +
                 cost(x[X_REFILL], p->e_l1_refill);
    v[ITEM_L2] = cost(x[X_L2], p->e_l2_access);
    v[ITEM_COHERENCE] = cost(x[X_COH], p->e_coh_trans);
    v[ITEM_MEMORY] = cost(x[X_MEM], p->e_mem_transfer);
    v[ITEM_UNCACHED] = cost(x[X_UNCACHED], p->e_uncached);
    v[ITEM_TLB] = cost((uint64_t)v[MPJ_EV_TLB_MISS], p->e_tlb_miss);
    v[ITEM_MISPREDICT] = cost((uint64_t)v[MPJ_EV_BRANCH_MISPRED], p->e_mispredict);
    v[ITEM_STALL] = cost((uint64_t)v[MPJ_EV_DDEP_STALL], p->e_ddep);
    v[ITEM_CLOCK] = cost(n->run, p->e_run_cycle);
    v[ITEM_IDLE] = cost(n->wfi, p->e_wfi_cycle);
    v[ITEM_FLOOR] = n->floor_fj;
    v[ITEM_ENERGY] = 0;
    for (unsigned i = ITEM_CAUSES; i < ITEMS; i++)
        v[ITEM_ENERGY] += v[i];
}

static const char *item_name(unsigned i)
{
    return i < MPJ_EV_COUNT ? event_name(i) : item_names[i];
}

static void chip_items(const struct mpj_chip *c, int64_t *v)
{
    const struct shared_parts *e = &c->prof->shared;
    for (unsigned i = 0; i < MPJ_SCU_COUNT; i++)
        v[i] = (int64_t)c->win.scu[i];
    for (unsigned i = 0; i < MPJ_L2_COUNT; i++)
        v[CHIP_L2 + i] = (int64_t)c->win.l2[i];
    v[CHIP_CLOCK] = (int64_t)e->clock;
    v[CHIP_LEAKAGE] = (int64_t)e->leak;
    v[CHIP_BURST] = (int64_t)e->burst;
    v[CHIP_ENERGY] = v[CHIP_CLOCK] + v[CHIP_LEAKAGE] + v[CHIP_BURST];
}

static const char *chip_item_name(unsigned i)
{
    if (i < CHIP_L2)
        return scu_event_name(i);
    return i < CHIP_ENERGY ? l2_event_name(i - CHIP_L2) : chip_names[i];
}

/* ---- bytes ---- */

static void put(FILE *f, uint64_t v, unsigned n)
{
    unsigned char b[8];
    for (unsigned i = 0; i < n; i++)
        b[i] = (unsigned char)(v >> 8 * i);
    (void)fwrite(b, 1, n, f);
}

static void put32(FILE *f, uint32_t v)
{
    put(f, v, 4);
}

static void put64(FILE *f, uint64_t v)
{
    put(f, v, 8);
}

/* Writes the items that are not zero and have a name. */
static void put_items(FILE *f, const int64_t *v, unsigned n, const char *(*name)(unsigned))
{
    uint64_t mask = 0;
    for (unsigned i = 0; i < n; i++)
        if (v[i] != 0 && name(i))
            mask |= UINT64_C(1) << i;
    put64(f, mask);
    for (unsigned i = 0; i < n; i++)
        if (mask >> i & 1)
            put64(f, (uint64_t)v[i]);
}

static void put_names(FILE *f, unsigned n, const char *(*name)(unsigned))
{
    for (unsigned i = 0; i < n; i++) {
        const char *s = name(i) ? name(i) : "";
        (void)fwrite(s, 1, strlen(s) + 1, f);
    }
}

/* Begins a section whose length is not known yet; returns its position. */
static long section(FILE *f, const char *tag)
{
    (void)fwrite(tag, 1, 4, f);
    put32(f, 0);
    put64(f, 0);
    return ftell(f);
}

static void section_end(FILE *f, long begin)
{
    long end = ftell(f);
    if (begin < 0 || end < 0 || fseek(f, begin - 8, SEEK_SET) != 0)
        return;
    put64(f, (uint64_t)(end - begin));
    (void)fseek(f, end, SEEK_SET);
}

/* ---- nodes ---- */

static void put_node(const struct mpj_chip *c, FILE *f, const struct node *n, uint32_t parent)
{
    int64_t v[ITEMS];
    node_items(c, n, v);
    put32(f, parent);
    put32(f, n->func);
    put32(f, n->ctx);
    put32(f, n->core);
    put64(f, n->calls);
    put_items(f, v, ITEMS, item_name);
}

/* Number of the node by the order of writing, from 1: its path holds those of its parents. */
static void put_tree(const struct mpj_chip *c, FILE *f, const struct node *root, uint32_t *count)
{
    uint32_t path[PROF_DEPTH_MAX + 1];
    for (const struct node *n = root; n; n = prof_after(n)) {
        uint32_t id = ++*count;
        put_node(c, f, n, n->depth ? path[n->depth - 1] : 0);
        path[n->depth] = id;
    }
}

static void put_functions(const struct mpj_chip *c, FILE *f)
{
    const struct prof *p = c->prof;
    uint32_t count = 0;
    int64_t v[CHIP_ITEMS];
    long at = section(f, "ITEM");
    put_names(f, ITEMS, item_name);
    section_end(f, at);
    at = section(f, "NODE");
    for (unsigned i = 0; i < PROF_ROOTS; i++)
        if (p->root[i])
            put_tree(c, f, p->root[i], &count);
    section_end(f, at);
    at = section(f, "CITM");
    put_names(f, CHIP_ITEMS, chip_item_name);
    section_end(f, at);
    at = section(f, "CHIP");
    chip_items(c, v);
    put_items(f, v, CHIP_ITEMS, chip_item_name);
    section_end(f, at);
}

/* ---- time ---- */

static void put_moments(FILE *f, const struct trace *t)
{
    long at = section(f, "MOMT");
    put64(f, t->lost);
    for (size_t i = 0; i < t->moments; i++) {
        const struct moment *m = &t->moment[i];
        put64(f, m->time);
        put32(f, m->kind);
        put32(f, m->core);
        put32(f, m->ctx);
        put32(f, m->object);
        put32(f, m->value);
        put32(f, m->holder);
    }
    section_end(f, at);
}

/* Writes each step's difference from the one before, zigzag, 7 bits in a byte: up to a million
 * steps, most of them much like the last. */
static void put_differences(FILE *f, const struct lane *l)
{
    unsigned char buf[4096];
    size_t n = 0;
    int64_t last = 0;
    for (size_t k = 0; k < l->steps; k++) {
        uint64_t d = (uint64_t)(l->v[k] - last);
        uint64_t z = d << 1 ^ (0 - (d >> 63));
        last = l->v[k];
        for (; z >= 0x80; z >>= 7)
            buf[n++] = (unsigned char)(z | 0x80);
        buf[n++] = (unsigned char)z;
        if (n + 10 > sizeof(buf) || k + 1 == l->steps) {
            (void)fwrite(buf, 1, n, f);
            n = 0;
        }
    }
}

static void put_waves(FILE *f, const struct trace *t)
{
    for (uint32_t i = 0; i <= MPJ_CORES; i++) {
        long at = section(f, "WAVE");
        put32(f, i < MPJ_CORES ? i : UINT32_MAX);
        put32(f, 0);
        put64(f, t->origin);
        put64(f, t->step[GRID_ENERGY]);
        put_differences(f, &t->wave[i].lane[LANE_ENERGY]);
        section_end(f, at);
    }
}

static const char *counted_name(unsigned i)
{
    return event_name(trace_event[i]);
}

static void put_counts(FILE *f, const struct trace *t)
{
    long at = section(f, "WITM");
    put_names(f, TRACE_EVENTS, counted_name);
    section_end(f, at);
    for (uint32_t i = 0; i < MPJ_CORES; i++)
        for (uint32_t e = 0; e < TRACE_EVENTS; e++) {
            at = section(f, "WCNT");
            put32(f, i);
            put32(f, e);
            put64(f, t->origin);
            put64(f, t->step[GRID_COUNTS]);
            const struct lane *l = &t->wave[i].lane[LANE_COUNTS + e];
            for (size_t k = 0; k < l->steps; k++)
                put32(f, (uint32_t)l->v[k]);
            section_end(f, at);
        }
}

/* ---- instructions ---- */

enum {
    INSN_DDEP,
    INSN_LOADS,
    INSN_STORES,
    INSN_RD_MISS,
    INSN_WR_MISS,
    INSN_FETCH_MISS,
    INSN_MISPRED,
    INSN_ENERGY,
    INSN_INSTR,
    INSN_L1,
    INSN_STALL,
    INSN_MISPREDICT,
    INSN_CLOCK,
    INSN_ITEMS
};

static const char *insn_item_name(unsigned i)
{
    static const uint8_t events[] = {
        MPJ_EV_DDEP_STALL,     MPJ_EV_DCACHE_RD,   MPJ_EV_DCACHE_WR,     MPJ_EV_DCACHE_RD_MISS,
        MPJ_EV_DCACHE_WR_MISS, MPJ_EV_ICACHE_MISS, MPJ_EV_BRANCH_MISPRED};
    static const char *const energy[] = {"energy_fj", "fj:instr",      "fj:l1",
                                         "fj:stall",  "fj:mispredict", "fj:clock"};
    return i < INSN_ENERGY ? event_name(events[i]) : energy[i - INSN_ENERGY];
}

/* Computes the energy that one instruction causes alone: nothing beyond the L1. */
static void insn_items(const struct mpj_params *p, const struct mpj_prof_insn *n, int64_t *v)
{
    v[INSN_DDEP] = (int64_t)n->ddep;
    v[INSN_LOADS] = (int64_t)n->loads;
    v[INSN_STORES] = (int64_t)n->stores;
    v[INSN_RD_MISS] = (int64_t)n->rd_miss;
    v[INSN_WR_MISS] = (int64_t)n->wr_miss;
    v[INSN_FETCH_MISS] = (int64_t)n->fetch_miss;
    v[INSN_MISPRED] = (int64_t)n->mispred;
    v[INSN_INSTR] = class_energy(n->steps) + cost(n->executions, p->e_instr);
    v[INSN_L1] = cost(n->loads + n->stores, p->e_dl1_access) +
                 cost(n->rd_miss + n->wr_miss + n->fetch_miss, p->e_l1_refill);
    v[INSN_STALL] = cost(n->ddep, p->e_ddep);
    v[INSN_MISPREDICT] = cost(n->mispred, p->e_mispredict);
    v[INSN_CLOCK] = cost(n->cycles, p->e_run_cycle);
    v[INSN_ENERGY] = 0;
    for (unsigned i = INSN_INSTR; i < INSN_ITEMS; i++)
        v[INSN_ENERGY] += v[i];
}

static void put_insns(const struct mpj_chip *c, FILE *f, const struct mpj_prof_insn *insn, size_t n)
{
    int64_t v[INSN_ITEMS];
    long at = section(f, "IITM");
    put_names(f, INSN_ITEMS, insn_item_name);
    section_end(f, at);
    at = section(f, "INSN");
    for (size_t i = 0; i < n; i++) {
        insn_items(&c->prm, &insn[i], v);
        put32(f, insn[i].address);
        put32(f, 0);
        put64(f, insn[i].executions);
        put64(f, insn[i].cycles);
        put_items(f, v, INSN_ITEMS, insn_item_name);
    }
    section_end(f, at);
}

static void put_head(const struct mpj_chip *c, FILE *f)
{
    const struct prof *p = c->prof;
    struct losses lost = p ? losses_inside(p, c->win.open) : (struct losses){0};
    uint32_t flags = c->trace && c->trace->no_mem ? 2U : 0U;
    if (p)
        flags |= (p->full ? 1U : 0U) | (p->no_mem ? 2U : 0U) | (p->overrun ? 4U : 0U);
    long at = section(f, "HEAD");
    put32(f, (uint32_t)c->prm.clock_hz);
    put32(f, MPJ_CORES);
    put32(f, p ? p->nodes : 0);
    put32(f, p ? p->most_nodes : 0);
    put32(f, flags);
    put32(f, 0);
    put64(f, c->win.cycles);
    put64(f, lost.unwound);
    put64(f, lost.resync);
    section_end(f, at);
}

int mpj_prof_write(const struct mpj_chip *c, const struct mpj_prof_insn *insn, size_t n, FILE *f)
{
    (void)fwrite("MPJPROF\n", 1, 8, f);
    put32(f, VERSION);
    put32(f, 0);
    put_head(c, f);
    if (c->prof)
        put_functions(c, f);
    if (n > 0)
        put_insns(c, f, insn, n);
    if (c->trace && c->trace->most_moments)
        put_moments(f, c->trace);
    if (c->trace && c->trace->first_step) {
        put_waves(f, c->trace);
        put_counts(f, c->trace);
    }
    (void)section(f, "END ");
    return ferror(f) ? MPJ_ERR_IO : MPJ_OK;
}
