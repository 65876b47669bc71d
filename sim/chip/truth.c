/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Exact sums per core, context and window, and their JSON. Never readable by the firmware. */
#include "chip_int.h"

#include <inttypes.h>
#include <string.h>

#define PMU_NAME(ident, number, name, unit, meaning)  [MPJ_EV_##ident] = (name),
#define CHIP_NAME(ident, number, name, unit, meaning) [MPJ_##ident] = (name),
static const char *const event_names[MPJ_EV_COUNT] = {TILE_PMU_COUNTS(PMU_NAME)};
static const char *const scu_names[MPJ_SCU_COUNT] = {TILE_SCU_COUNTS(CHIP_NAME)};
static const char *const l2_names[MPJ_L2_COUNT] = {TILE_L2_EVENTS(CHIP_NAME)};
#undef PMU_NAME
#undef CHIP_NAME

const char *event_name(unsigned event)
{
    return event < MPJ_EV_COUNT ? event_names[event] : NULL;
}

const char *scu_event_name(unsigned event)
{
    return event < MPJ_SCU_COUNT ? scu_names[event] : NULL;
}

const char *l2_event_name(unsigned event)
{
    return event < MPJ_L2_COUNT ? l2_names[event] : NULL;
}

void tally_core(const struct mpj_chip *c, unsigned core, struct tally *out)
{
    const struct core *k = &c->core[core];
    memcpy(out->ev, k->ev, sizeof(out->ev));
    out->run = k->run;
    out->wfi = k->wfi;
    out->bounded = k->bounded;
    out->energy_fj = core_energy(c, core);
}

/* Adds now - base to sum. */
static void add_difference(struct tally *sum, const struct tally *now, const struct tally *base)
{
    for (unsigned i = 0; i < MPJ_EV_COUNT; i++)
        sum->ev[i] += now->ev[i] - base->ev[i];
    sum->run += now->run - base->run;
    sum->wfi += now->wfi - base->wfi;
    sum->bounded += now->bounded - base->bounded;
    sum->energy_fj += now->energy_fj - base->energy_fj;
}

void mpj_context_switch(struct mpj_chip *c, unsigned core, uint32_t ctx)
{
    struct core *k = &c->core[core];
    struct tally now;
    power_span_end(c, core);
    tally_core(c, core, &now);
    if (c->win.open)
        add_difference(&c->ctx[k->ctx], &now, &k->ctx_base);
    k->ctx_base = now;
    k->ctx = ctx < MPJ_CTX_MAX ? ctx : MPJ_CTX_MAX - 1; /* the last one collects the rest */
    if (c->prof)
        prof_context(c, core, k->ctx);
}

static void window_edge(struct mpj_chip *c, bool open, uint64_t now)
{
    struct window *w = &c->win;
    /* Contexts count inside windows only: book up to here under the old state. */
    for (unsigned i = 0; i < MPJ_CORES; i++)
        mpj_context_switch(c, i, c->core[i].ctx);
    /* The time that the host took to start the program, and repetitions on the line, warmed the
     * chip a little: no result shall depend on that. */
    if (open && w->opens == 0)
        power_settle(c, now);
    int128 shared = shared_energy(c, now);
    if (c->prof)
        prof_window(c, open, now);
    if (c->trace)
        trace_window(c, open, now);
    if (open) {
        w->opens++;
        w->open_at = now;
        w->shared_base = shared;
        for (unsigned i = 0; i < MPJ_CORES; i++)
            tally_core(c, i, &w->core_base[i]);
        memcpy(w->scu_base, c->scu_ev, sizeof(w->scu_base));
        memcpy(w->l2_base, c->l2_ev, sizeof(w->l2_base));
    } else {
        w->cycles += now - w->open_at;
        w->shared += shared - w->shared_base;
        for (unsigned i = 0; i < MPJ_CORES; i++) {
            struct tally t;
            tally_core(c, i, &t);
            add_difference(&w->core[i], &t, &w->core_base[i]);
        }
        for (unsigned i = 0; i < MPJ_SCU_COUNT; i++)
            w->scu[i] += c->scu_ev[i] - w->scu_base[i];
        for (unsigned i = 0; i < MPJ_L2_COUNT; i++)
            w->l2[i] += c->l2_ev[i] - w->l2_base[i];
    }
    w->open = open;
}

void mpj_truth_window(struct mpj_chip *c, bool open, uint64_t now)
{
    if (now > c->time)
        c->time = now;
    if (open != c->win.open)
        window_edge(c, open, now);
}

void mpj_truth_so_far(const struct mpj_chip *c, uint64_t now, uint64_t *cycles, uint64_t *energy_fj)
{
    const struct window *w = &c->win;
    int128 e = w->shared;
    *cycles = w->cycles;
    for (unsigned i = 0; i < MPJ_CORES; i++)
        e += w->core[i].energy_fj;
    if (w->open) {
        *cycles += now - w->open_at;
        e += shared_energy(c, now) - w->shared_base;
        for (unsigned i = 0; i < MPJ_CORES; i++)
            e += core_energy(c, i) - w->core_base[i].energy_fj;
    }
    *energy_fj = e > 0 ? (uint64_t)e : 0;
}

void truth_reset(struct mpj_chip *c)
{
    memset(&c->win, 0, sizeof(c->win));
}

/* ---- JSON: fixed key order, integers (but for energies that 64 bits do not hold) ---- */

static void put_fj(FILE *f, const char *name, int128 fj)
{
    if (fj <= INT64_MAX && fj >= INT64_MIN)
        fprintf(f, "\"%s\":%" PRId64, name, (int64_t)fj);
    else
        fprintf(f, "\"%s\":%.17e", name, (double)fj);
}

static void put_names(FILE *f, const char *const *names, const uint64_t *values, unsigned n)
{
    const char *comma = "";
    fputc('{', f);
    for (unsigned i = 0; i < n; i++)
        if (names[i]) {
            fprintf(f, "%s\"%s\":%" PRIu64, comma, names[i], values[i]);
            comma = ",";
        }
    fputc('}', f);
}

static void put_tally(FILE *f, const struct tally *t)
{
    fprintf(f, "\"cycles\":%" PRIu64 ",\"wfi_cycles\":%" PRIu64 ",", t->run + t->wfi, t->wfi);
    put_fj(f, "energy_fj", t->energy_fj);
    fprintf(f, ",\"bounded_cycles\":%" PRIu64 ",\"events\":", t->bounded);
    put_names(f, event_names, t->ev, MPJ_EV_COUNT);
}

/* Writes one span of time: the whole run, or the windows. */
static void put_span(FILE *f, const char *name, uint64_t cycles, unsigned cores,
                     const struct tally *core, int128 shared, const uint64_t *scu,
                     const uint64_t *l2)
{
    int128 chip = shared;
    for (unsigned i = 0; i < MPJ_CORES; i++)
        chip += core[i].energy_fj;
    fprintf(f, "\"%s\":{\"cycles\":%" PRIu64 ",", name, cycles);
    put_fj(f, "energy_fj", chip);
    fputc(',', f);
    put_fj(f, "shared_energy_fj", shared);
    fprintf(f, ",\"cores\":[");
    for (unsigned i = 0; i < cores; i++) {
        fprintf(f, "%s\n{\"core\":%u,", i ? "," : "", i);
        put_tally(f, &core[i]);
        fputc('}', f);
    }
    fprintf(f, "],\n\"scu\":{\"events\":");
    put_names(f, scu_names, scu, MPJ_SCU_COUNT);
    fprintf(f, "},\n\"l2\":{\"events\":");
    put_names(f, l2_names, l2, MPJ_L2_COUNT);
    fprintf(f, "}}");
}

static void put_contexts(const struct mpj_chip *c, FILE *f)
{
    const char *comma = "";
    fprintf(f, "\"contexts\":[");
    for (unsigned n = 0; n < MPJ_CTX_MAX; n++) {
        const struct tally *t = &c->ctx[n];
        if (t->run + t->wfi == 0 && t->energy_fj == 0)
            continue;
        fprintf(f, "%s\n{\"ctx\":%u,", comma, n);
        put_tally(f, t);
        fputc('}', f);
        comma = ",";
    }
    fprintf(f, "]");
}

int mpj_truth_write(const struct mpj_chip *c, FILE *f)
{
    struct tally total[MPJ_CORES];
    for (unsigned i = 0; i < MPJ_CORES; i++)
        tally_core(c, i, &total[i]);
    const struct window *w = &c->win;
    fprintf(
        f,
        "{\"schema\":\"mpjoule-truth/1\",\"calibration\":\"%s\",\"clock_hz\":%d,\"seed\":%" PRIu64
        ",\n",
        c->prm.name, (int)c->prm.clock_hz, c->seed);
    fprintf(f, "\"windows\":%" PRIu64 ",\"window_open\":%s,\n", w->opens,
            w->open ? "true" : "false");
    put_span(f, "window", w->cycles, c->cores, w->core, w->shared, w->scu, w->l2);
    fprintf(f, ",\n");
    put_contexts(c, f);
    fprintf(f, ",\n");
    put_span(f, "total", c->time, c->cores, total, shared_energy(c, c->time), c->scu_ev, c->l2_ev);
    fprintf(f, "}\n");
    return ferror(f) ? MPJ_ERR_IO : MPJ_OK;
}
