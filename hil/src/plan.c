/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hil/plan.h"

#include <string.h>

static const unsigned counters[MPJ_SOURCE_COUNT] = {
    [MPJ_SOURCE_PMU] = MPJ_PMU_COUNTERS,
    [MPJ_SOURCE_SCU] = MPJ_SCU_COUNTERS,
    [MPJ_SOURCE_L2] = MPJ_L2_COUNTERS,
};

static const char *const defaults[MPJ_SOURCE_COUNT] = {
    [MPJ_SOURCE_PMU] = "instr,dcache_rd_miss",
    [MPJ_SOURCE_SCU] = "scu_migration,scu_m0_rd_busy,scu_ext_rd,scu_ext_wr",
    [MPJ_SOURCE_L2] = "l2_drhit,l2_drreq",
};

int mpj_selection_parse(struct mpj_selection *selection, const char *list, struct mpj_err *err)
{
    size_t n;
    const struct mpj_event_info *const table = mpj_event_table(&n);

    while (*list != '\0') {
        const size_t len = strcspn(list, ",");
        const struct mpj_event_info *const e = mpj_event_by_name(list, len);
        if (e == NULL)
            return mpj_err_set(err, MPJ_E_USAGE,
                               "unknown event \"%.*s\" (`mpjoule help events` lists them)",
                               (int)len, list);
        selection->want[e - table] = true;
        list += len;
        list += *list == ',';
    }
    return MPJ_E_OK;
}

void mpj_selection_all(struct mpj_selection *selection)
{
    size_t n;

    mpj_event_table(&n);
    for (size_t i = 0; i < n; i++)
        selection->want[i] = true;
}

static unsigned wanted(const struct mpj_selection *selection, int source)
{
    size_t n;
    const struct mpj_event_info *const table = mpj_event_table(&n);
    unsigned count = 0;

    for (size_t i = 0; i < n; i++)
        count += selection->want[i] && table[i].source == source;
    return count;
}

/* Adds each core's linefills from another one: with the other defaults all that the SCU counts at
 * once. */
static void select_transfers(struct mpj_selection *selection)
{
    size_t n;
    const struct mpj_event_info *const table = mpj_event_table(&n);

    for (size_t i = 0; i < n; i++)
        selection->want[i] =
            selection->want[i] ||
            (table[i].source == MPJ_SOURCE_SCU && table[i].number >= MPJ_EVENT_SCU_C2C_CPU0 &&
             table[i].number < MPJ_EVENT_SCU_C2C_CPU0 + MPJ_CORES_MAX);
}

void mpj_selection_defaults(struct mpj_selection *selection)
{
    struct mpj_err ignored;

    for (int source = 0; source < MPJ_SOURCE_COUNT; source++) {
        if (wanted(selection, source) > 0)
            continue;
        mpj_selection_parse(selection, defaults[source], &ignored);
        if (source == MPJ_SOURCE_SCU)
            select_transfers(selection);
    }
}

unsigned mpj_plan_passes(const struct mpj_selection *selection, bool rotating)
{
    unsigned passes = 1;

    for (int source = rotating ? MPJ_SOURCE_PMU + 1 : 0; source < MPJ_SOURCE_COUNT; source++) {
        const unsigned need = (wanted(selection, source) + counters[source] - 1) / counters[source];
        if (need > passes)
            passes = need;
    }
    return passes;
}

/*
 * True for the events of cores that the first pass counts: it shows which core did what, since
 * threads may run elsewhere in the others. Data accesses give the most on energy; of the SCU, its
 * linefills are first in the table.
 */
static bool goes_first(const struct mpj_event_info *e)
{
    return e->source == MPJ_SOURCE_PMU &&
           (e->number == MPJ_EVENT_DCACHE_RD || e->number == MPJ_EVENT_DCACHE_WR);
}

/* Chooses the events of one monitor in one pass. */
static void choose(const struct mpj_selection *selection, int source, unsigned pass, uint16_t *out)
{
    size_t n;
    const struct mpj_event_info *const table = mpj_event_table(&n);
    unsigned skip = pass * counters[source];
    unsigned got = 0;

    for (size_t k = 0; k < 2 * n && got < counters[source]; k++) {
        const size_t i = k < n ? k : k - n;
        if (!selection->want[i] || table[i].source != source || goes_first(&table[i]) != (k < n))
            continue;
        if (skip > 0)
            skip--;
        else
            out[got++] = table[i].number;
    }
    while (got < counters[source])
        out[got++] = MPJ_EVENT_NONE;
}

/* True if the first pass counts all linefills: they come first in the table. */
static bool counts_fills(const struct mpj_selection *selection)
{
    size_t n;
    const struct mpj_event_info *const table = mpj_event_table(&n);
    unsigned fills = 0;

    for (size_t i = 0; i < n; i++)
        fills += selection->want[i] && table[i].source == MPJ_SOURCE_SCU &&
                 table[i].number <= MPJ_EVENT_SCU_C2C_CPU0 + MPJ_CORES_MAX - 1U;
    return fills == MPJ_SCU_COUNTERS;
}

void mpj_plan_select(const struct mpj_selection *selection, unsigned pass, struct mpj_config_rec *c)
{
    /* all passes take the same time */
    if (counts_fills(selection))
        c->flags |= MPJ_CONFIG_FILLS;
    for (unsigned k = 0; k < MPJ_CORES_MAX; k++)
        choose(selection, MPJ_SOURCE_PMU, pass, c->pmu[k]);
    choose(selection, MPJ_SOURCE_SCU, pass, c->scu);
    choose(selection, MPJ_SOURCE_L2, pass, c->l2);
}

void mpj_plan_rotation(const struct mpj_selection *selection, uint32_t period_ms,
                       struct mpj_rotation_rec *out)
{
    size_t n;
    const struct mpj_event_info *const table = mpj_event_table(&n);
    unsigned got = 0;

    memset(out, 0, sizeof(*out));
    out->period_ms = period_ms;
    for (size_t i = 0; i < n && got < MPJ_ROTATION_MAX * MPJ_PMU_COUNTERS; i++) {
        if (selection->want[i] && table[i].source == MPJ_SOURCE_PMU) {
            out->event[got / MPJ_PMU_COUNTERS][got % MPJ_PMU_COUNTERS] = table[i].number;
            got++;
        }
    }
    if (got % MPJ_PMU_COUNTERS != 0) {
        out->event[got / MPJ_PMU_COUNTERS][got % MPJ_PMU_COUNTERS] =
            got > 1 ? out->event[0][0] : MPJ_EVENT_NONE;
        got++;
    }
    out->count = got / MPJ_PMU_COUNTERS;
}
