/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Creation, reset and attachment of the chip, and its readable state. */
#include "chip_int.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void shape(struct cache *k, int32_t kb, int32_t ways, int32_t random)
{
    k->ways = (uint32_t)ways;
    k->sets = ((uint32_t)kb << 10) / ((uint32_t)ways << MPJ_LINE_SHIFT);
    k->set_mask = k->sets > 0 ? k->sets - 1 : 0;
    k->random = random != 0;
}

static void place(struct mpj_chip *c, struct cache *k)
{
    k->tag = c->tags + c->tags_count;
    k->next = c->nexts + c->nexts_count;
    c->tags_count += (size_t)k->sets * k->ways;
    c->nexts_count += k->sets;
}

static int allocate(struct mpj_chip *c)
{
    size_t tags = 0;
    size_t sets = 0;
    for (unsigned i = 0; i < MPJ_CORES; i++) {
        struct core *k = &c->core[i];
        shape(&k->d, c->prm.l1d_kb, c->prm.l1d_ways, c->prm.l1_random);
        shape(&k->i, c->prm.l1i_kb, c->prm.l1i_ways, c->prm.l1_random);
        tags += (size_t)k->d.sets * k->d.ways + (size_t)k->i.sets * k->i.ways;
        sets += k->d.sets + k->i.sets;
    }
    shape(&c->l2, c->prm.l2_kb, c->prm.l2_ways, c->prm.l2_random);
    tags += (size_t)c->l2.sets * c->l2.ways;
    sets += c->l2.sets;

    c->tags = malloc(tags * sizeof(*c->tags));
    c->nexts = calloc(sets, 1);
    /* Large and untouched: the host allocates only the pages the program touches. */
    c->line_bytes = calloc(2 * MPJ_CORES + 1, c->lines);
    c->ctx = calloc(MPJ_CTX_MAX, sizeof(*c->ctx));
    if (!c->tags || !c->nexts || !c->line_bytes || !c->ctx)
        return MPJ_ERR_NOMEM;

    uint8_t *bytes = c->line_bytes;
    for (unsigned i = 0; i < MPJ_CORES; i++, bytes += 2 * (size_t)c->lines) {
        struct core *k = &c->core[i];
        place(c, &k->d);
        place(c, &k->i);
        k->dline = bytes;
        k->iline = bytes + c->lines;
        k->hot = &c->spare_hot[i];
    }
    place(c, &c->l2);
    c->dir = bytes;
    return MPJ_OK;
}

int mpj_chip_new(struct mpj_chip **out, const struct mpj_config *cfg, char *err, size_t errlen)
{
    *out = NULL;
    if (err && errlen > 0)
        err[0] = '\0';
    struct mpj_chip *c = calloc(1, sizeof(*c));
    if (!c)
        return MPJ_ERR_NOMEM;
    int rc = params_read(&c->prm, cfg->calibration, err, errlen);
    if (rc == MPJ_OK) {
        c->seed = cfg->seed;
        c->jitter = cfg->jitter;
        c->cores = cfg->cores > 0 && cfg->cores < MPJ_CORES ? cfg->cores : MPJ_CORES;
        c->private_base = cfg->private_base;
        c->ram_base = cfg->ram_base;
        c->ram_lines = cfg->ram_bytes >> MPJ_LINE_SHIFT;
        c->low_bytes = cfg->low_bytes < cfg->ram_bytes ? cfg->low_bytes : cfg->ram_bytes;
        c->rom_base = cfg->rom_base;
        c->rom_bytes = cfg->rom_bytes;
        c->lines = c->ram_lines + (cfg->rom_bytes >> MPJ_LINE_SHIFT);
        for (unsigned i = 0; i < MPJ_MISS_COUNT; i++)
            c->miss_cost[i] = MPJ_WHAT_IF_ONE;
        rc = allocate(c);
        if (rc == MPJ_OK)
            rc = flow_new(c);
        if (rc != MPJ_OK && err && errlen > 0)
            (void)snprintf(err, errlen, "chip model: out of memory for %u cache lines", c->lines);
    }
    if (rc != MPJ_OK) {
        mpj_chip_free(c);
        return rc;
    }
    mpj_chip_reset(c);
    *out = c;
    return MPJ_OK;
}

void mpj_chip_free(struct mpj_chip *c)
{
    if (!c)
        return;
    free(c->tags);
    free(c->nexts);
    free(c->line_bytes);
    free(c->ctx);
    flow_free(c);
    prof_free(c);
    trace_free(c);
    free(c);
}

void mpj_chip_attach(struct mpj_chip *c, unsigned core, struct mpj_hot *hot)
{
    struct core *k = &c->core[core];
    *hot = *k->hot;
    k->hot = hot;
}

/* Empties the caches. State bytes are non-zero only for lines that some tag names: clears those,
 * not the whole array. */
static void empty_caches(struct mpj_chip *c)
{
    for (unsigned i = 0; i < MPJ_CORES; i++) {
        struct core *k = &c->core[i];
        for (size_t t = 0; t < (size_t)k->d.sets * k->d.ways; t++)
            if (k->d.tag[t] != MPJ_LINE_NONE)
                k->dline[k->d.tag[t]] = MPJ_LINE_I;
        for (size_t t = 0; t < (size_t)k->i.sets * k->i.ways; t++)
            if (k->i.tag[t] != MPJ_LINE_NONE)
                k->iline[k->i.tag[t]] = 0;
    }
}

static void reset_core(struct mpj_chip *c, unsigned i)
{
    struct core *k = &c->core[i];
    struct core fresh = {.hot = k->hot, .dline = k->dline, .iline = k->iline, .d = k->d, .i = k->i};
    /* Pseudo-random replacement must differ between caches but not between runs. */
    fresh.d.lfsr = 0xace1U + 2 * i;
    fresh.i.lfsr = 0xbeefU + 2 * i;
    *k = fresh;
    memset(k->hot, 0, sizeof(*k->hot));
    k->hot->dline = k->dline;
    k->hot->iline = k->iline;
    k->hot->instr = &k->ev[MPJ_EV_INSTR];
    k->hot->sb_line = MPJ_LINE_NONE;
    mpj_flow_drop(c, i);
    k->hot->monitor = MPJ_LINE_NONE;
}

/* Returns true if nothing has run since the chip was made or reset. The emulator resets it twice
 * before it runs: clearing the large arrays would give each of their pages to it. */
static bool untouched(const struct mpj_chip *c)
{
    if (c->time > 0)
        return false;
    for (size_t t = 0; t < c->tags_count; t++)
        if (c->tags[t] != MPJ_LINE_NONE)
            return false;
    return true;
}

void mpj_chip_reset(struct mpj_chip *c)
{
    if (c->l2.lfsr && !untouched(c)) { /* not the first time */
        empty_caches(c);
        memset(c->dir, 0, c->lines);
        memset(c->ctx, 0, MPJ_CTX_MAX * sizeof(*c->ctx));
    }
    memset(c->tags, 0xff, c->tags_count * sizeof(*c->tags)); /* MPJ_LINE_NONE */
    memset(c->nexts, 0, c->nexts_count);
    for (unsigned i = 0; i < MPJ_CORES; i++)
        reset_core(c, i);
    c->l2.lfsr = 0x1d0dU;
    c->l2_on = false;
    memset(c->scu_ev, 0, sizeof(c->scu_ev));
    memset(c->l2_ev, 0, sizeof(c->l2_ev));
    bus_init(&c->port[0], (unsigned)c->prm.port_slot_shift, 0);
    bus_init(&c->port[1], (unsigned)c->prm.port_slot_shift, 0);
    bus_init(&c->mem, (unsigned)c->prm.mem_slot_shift, (unsigned)c->prm.mem_crowd_slots);
    c->overlap_slots = 0;
    meet_reset(c);
    c->time = 0;
    power_reset(c);
    truth_reset(c);
    if (c->prof)
        (void)prof_reset(c); /* without memory it says so in its file */
    if (c->trace)
        trace_reset(c);
}

const struct mpj_params *mpj_chip_params(const struct mpj_chip *c)
{
    return &c->prm;
}

const char *mpj_chip_calibration(const struct mpj_chip *c)
{
    return c->prm.name;
}

uint32_t mpj_chip_clock_hz(const struct mpj_chip *c)
{
    return (uint32_t)c->prm.clock_hz;
}

void mpj_what_if_miss(struct mpj_chip *c, unsigned miss, uint32_t factor)
{
    c->miss_cost[miss] = factor;
}

static uint64_t earlier(uint64_t when, int64_t cycles)
{
    return cycles > 0 && when < (uint64_t)cycles ? 0 : when - (uint64_t)cycles;
}

void mpj_what_if_back(struct mpj_chip *c, unsigned core, int64_t cycles)
{
    struct core *k = &c->core[core];
    for (unsigned i = 0; i < LOAD_RING; i++)
        k->load_done[i] = earlier(k->load_done[i], cycles);
    for (unsigned i = 0; i < STORE_RING; i++)
        k->store_done[i] = earlier(k->store_done[i], cycles);
    k->store_last = earlier(k->store_last, cycles);
}

uint32_t mpj_line_index(const struct mpj_chip *c, uint32_t paddr)
{
    uint32_t line = (paddr - c->ram_base) >> MPJ_LINE_SHIFT;
    if (line < c->ram_lines)
        return line;
    if (paddr < c->low_bytes)
        return paddr >> MPJ_LINE_SHIFT;
    if (paddr - c->rom_base < c->rom_bytes)
        return c->ram_lines + ((paddr - c->rom_base) >> MPJ_LINE_SHIFT);
    return MPJ_LINE_NONE;
}

uint64_t mpj_core_event(const struct mpj_chip *c, unsigned core, unsigned event)
{
    if (event == MPJ_EV_CYCLES)
        return mpj_core_cycles(c, core);
    return event < MPJ_EV_COUNT ? c->core[core].ev[event] : 0;
}

uint64_t mpj_core_cycles(const struct mpj_chip *c, unsigned core)
{
    return c->core[core].run + c->core[core].wfi;
}

uint64_t mpj_core_wfi(const struct mpj_chip *c, unsigned core)
{
    return c->core[core].wfi;
}

uint64_t mpj_scu_event(const struct mpj_chip *c, unsigned event, uint64_t now)
{
    if (event == MPJ_SCU_CYCLES)
        return now;
    return event < MPJ_SCU_COUNT ? c->scu_ev[event] : 0;
}

uint64_t mpj_l2_event(const struct mpj_chip *c, unsigned event)
{
    return event < MPJ_L2_COUNT ? c->l2_ev[event] : 0;
}
