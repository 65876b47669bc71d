/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cache maintenance and enables: CP15 c7, CP15 c1, the L220's registers. */
#include "chip_int.h"

#include <string.h>

/* Cleans and/or invalidates a data line of one core; returns true if it was written back. */
static bool data_line(struct mpj_chip *c, unsigned core, uint32_t line, unsigned ops, uint64_t now)
{
    struct core *k = &c->core[core];
    uint8_t state = line_state(k, line);
    if (state == MPJ_LINE_I)
        return false;
    bool dirty = state == MPJ_LINE_M || (state == MPJ_LINE_E && (c->dir[line] & DIR_DIRTY));
    bool written = dirty && (ops & MPJ_DC_CLEAN);
    if (written) {
        l2_write(c, k, line, now);
        line_set(c, k, line, MPJ_LINE_E);
        c->dir[line] &= (uint8_t)~DIR_DIRTY;
    }
    if (ops & MPJ_DC_INV) {
        /* The SCU's duplicate tag stays: the SCU detects the change at the next snoop. */
        k->dline[line] = MPJ_LINE_I;
        c->dir[line] &= (uint8_t)~DIR_DIRTY;
        l1_drop(&k->d, line);
    }
    return written;
}

static void insn_line(struct core *k, uint32_t line)
{
    if (k->iline[line]) {
        k->iline[line] = 0;
        l1_drop(&k->i, line);
    }
}

uint32_t mpj_cache_line_op(struct mpj_chip *c, unsigned core, uint32_t line, unsigned ops,
                           uint64_t now)
{
    if (line < c->lines) {
        (void)data_line(c, core, line, ops, now);
        if (ops & MPJ_IC_INV)
            insn_line(&c->core[core], line);
    }
    return (uint32_t)c->prm.cache_op_cycles;
}

/* An emptied cache replaces as after a reset, independent of its history. */
static void restart_replacement(struct cache *k, uint32_t lfsr)
{
    k->lfsr = lfsr;
    memset(k->next, 0, k->sets);
}

uint32_t mpj_cache_all_op(struct mpj_chip *c, unsigned core, unsigned ops, uint64_t now)
{
    struct core *k = &c->core[core];
    uint32_t written = 0;
    if (ops & (MPJ_DC_CLEAN | MPJ_DC_INV)) {
        for (size_t i = 0; i < (size_t)k->d.sets * k->d.ways; i++)
            if (k->d.tag[i] != MPJ_LINE_NONE)
                written += data_line(c, core, k->d.tag[i], ops, now);
        if (ops & MPJ_DC_INV)
            restart_replacement(&k->d, 0xace1U + 2 * core);
    }
    if (ops & MPJ_IC_INV) {
        for (size_t i = 0; i < (size_t)k->i.sets * k->i.ways; i++)
            if (k->i.tag[i] != MPJ_LINE_NONE)
                insn_line(k, k->i.tag[i]);
        restart_replacement(&k->i, 0xbeefU + 2 * core);
        /* On this core invalidating the whole instruction cache also flushes the BTAC. */
        memset(k->hot->btac, 0, sizeof(k->hot->btac));
        memset(k->btac_off, 0, sizeof(k->btac_off));
    }
    return (uint32_t)c->prm.cache_all_cycles + written * (uint32_t)c->prm.cache_op_cycles;
}

/* Background work of the L220 is booked on core 0, since it belongs to no core. */
static bool l2_line(struct mpj_chip *c, uint32_t line, unsigned ops, uint64_t now)
{
    if (!(c->dir[line] & DIR_L2))
        return false;
    bool written = (ops & MPJ_DC_CLEAN) && (c->dir[line] & DIR_L2_DIRTY);
    if (written) {
        mem_write(c, &c->core[0], now);
        c->dir[line] &= (uint8_t)~DIR_L2_DIRTY;
    }
    if (ops & MPJ_DC_INV)
        l2_drop(c, line);
    return written;
}

uint32_t mpj_l2_line_op(struct mpj_chip *c, uint32_t line, unsigned ops, uint64_t now)
{
    if (line < c->lines)
        (void)l2_line(c, line, ops, now);
    return (uint32_t)c->prm.cache_op_cycles;
}

uint32_t mpj_l2_way_op(struct mpj_chip *c, uint32_t ways, unsigned ops, uint64_t now)
{
    uint32_t written = 0;
    for (uint32_t set = 0; set < c->l2.sets; set++)
        for (uint32_t way = 0; way < c->l2.ways; way++) {
            uint32_t line = c->l2.tag[(size_t)set * c->l2.ways + way];
            if ((ways >> way & 1) && line != MPJ_LINE_NONE)
                written += l2_line(c, line, ops, now);
        }
    if ((ops & MPJ_DC_INV) && (ways & ((1U << c->l2.ways) - 1U)) == (1U << c->l2.ways) - 1U)
        restart_replacement(&c->l2, 0x1d0dU);
    return (uint32_t)c->prm.cache_all_cycles + written * (uint32_t)c->prm.cache_op_cycles;
}

/* Updates whether data may be cached: only while the core takes part in coherence, since shared
 * memory is what RAM is mapped as, and with ACTLR.SMP clear the core does not cache that. */
static void update_dcached(struct mpj_chip *c, unsigned core)
{
    struct core *k = &c->core[core];
    bool on = k->dcache && k->smp;
    /* The state byte is the filter of generated code: it must miss once the cache is off. */
    if (k->dcached && !on)
        (void)mpj_cache_all_op(c, core, MPJ_DC_CLEAN | MPJ_DC_INV, c->time);
    k->dcached = on;
}

void mpj_cache_enable(struct mpj_chip *c, unsigned core, bool icache, bool dcache, bool branch_pred)
{
    struct core *k = &c->core[core];
    if (k->icache && !icache)
        (void)mpj_cache_all_op(c, core, MPJ_IC_INV, c->time);
    k->icache = icache;
    k->dcache = dcache;
    if (k->branch_pred && !branch_pred) {
        memcpy(k->btac_off, k->hot->btac, sizeof(k->btac_off));
        memset(k->hot->btac, 0, sizeof(k->hot->btac));
    } else if (!k->branch_pred && branch_pred) {
        memcpy(k->hot->btac, k->btac_off, sizeof(k->btac_off));
    }
    k->branch_pred = branch_pred;
    k->hot->ev = branch_pred ? k->ev : NULL;
    update_dcached(c, core);
}

void mpj_smp_enable(struct mpj_chip *c, unsigned core, bool on)
{
    c->core[core].smp = on;
    update_dcached(c, core);
}

void mpj_l2_enable(struct mpj_chip *c, bool on)
{
    if (c->l2_on && !on)
        (void)mpj_l2_way_op(c, UINT32_MAX, MPJ_DC_CLEAN | MPJ_DC_INV, c->time);
    c->l2_on = on && c->l2.sets > 0;
}
