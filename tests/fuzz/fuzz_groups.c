/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any text as a file of a counter group, by itself and in a folder, and whatever is one, computed
 * and printed. */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz_file.h"
#include "report/groups.h"

/* Runs that have counted more or less; kind: which. */
static const struct mpj_run *run_of(unsigned kind)
{
    static struct mpj_run run;

    memset(&run, 0, sizeof(run));
    run.complete = (kind & 1U) == 0;
    run.have_adc = (kind & 2U) == 0;
    run.model.present = (kind & 4U) == 0;
    run.time_s = 0.1;
    run.clock_hz = 210000000;
    for (unsigned k = 0; k < MPJ_CORES_MAX; k++) {
        run.core[k].present = kind % 3U == 0 || k == 0;
        run.core[k].have_wfi = k != 1;
        run.core[k].cycles = 1000000;
        run.core[k].wfi_cycles = k == 2 ? 2000000 : 1000;
        for (unsigned e = 0; e < MPJ_RUN_EVENTS_MAX; e++)
            run.core[k].ev[e] = run.chip[e] = (struct mpj_value){
                .present = (e + k + kind) % 5U != 0, .value = e * 1000, .coverage = 1.0};
    }
    return &run;
}

static void compute(const struct mpj_group *g, unsigned kind)
{
    const struct mpj_run *const run = run_of(kind);
    struct mpj_err err;
    FILE *const null = fopen("/dev/null", "w");

    if (null == NULL)
        abort();
    mpj_group_print(g, run, null, &err);
    for (unsigned i = 0; i < g->metrics; i++) {
        for (int core = -1; core < (int)MPJ_CORES_MAX; core++)
            (void)mpj_group_value(g, i, run, core);
    }
    fclose(null);
}

static void in_folder(const uint8_t *data, size_t size)
{
    struct mpj_group *g = NULL;
    struct mpj_group **all = NULL;
    struct mpj_err err;
    size_t n = 0;

    (void)fuzz_file_as("group.conf", data, size);
    if (mpj_group_load(&g, fuzz_folder(), "group", &err) != MPJ_E_OK && g != NULL)
        abort();
    mpj_group_free(g);
    if (mpj_group_load(&g, fuzz_folder(), size % 2U != 0 ? "absent" : "../group", &err) ==
            MPJ_E_OK ||
        strchr(err.text, '\n') != NULL)
        abort();
    if (mpj_group_all(&all, &n, fuzz_folder(), &err) != MPJ_E_OK && (all != NULL || n != 0))
        abort();
    while (n > 0)
        mpj_group_free(all[--n]);
    free(all);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mpj_group *g = NULL;
    struct mpj_err err;
    char *const text = malloc(size + 1);

    if (text == NULL)
        abort();
    memcpy(text, data, size);
    text[size] = '\0';
    if (mpj_group_parse(&g, "fuzz", text, &err) == MPJ_E_OK) {
        for (unsigned kind = 0; kind < 8; kind++)
            compute(g, kind);
    } else if (g != NULL || strchr(err.text, '\n') != NULL) {
        abort();
    }
    if (size % 8U == 0)
        in_folder(data, size);
    mpj_group_free(g);
    free(text);
    return 0;
}

static const char *pick(const char *const *list, size_t n, uint32_t (*rng)(void))
{
    return list[rng() % n];
}

size_t fuzz_seed(uint8_t *out, size_t cap, uint32_t (*rng)(void))
{
    static const char *const names[] = {
        "cycles",   "busy",    "running",   "wfi",          "time",         "clock",
        "energy",   "power",   "pll_power", "model_energy", "instr",        "dcache_rd_miss",
        "l2_drreq", "no_such", "scu_miss",  "scu_c2c",      "scu_tagwrong", "scu_migration"};
    static const char *const forms[] = {"%s / %s",       "min(%s, %s)",  "max(-%s, (%s))",
                                        "%s * 1e3 + %s", "%s - .5 * %s", "min %s, %s",
                                        "(((%s - %s"};
    char text[4000];
    size_t events;
    const struct mpj_event_info *const event = mpj_event_table(&events);
    size_t n = (size_t)snprintf(text, sizeof(text), "# a group\ntitle = t\nevents =");

    for (size_t i = 0; i < events; i++)
        n += (size_t)snprintf(text + n, sizeof(text) - n, " %s", event[i].name);
    n += (size_t)snprintf(text + n, sizeof(text) - n, "\n");
    for (uint32_t i = rng() % 6U; i > 0; i--) {
        char formula[100];

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        snprintf(formula, sizeof(formula),
                 pick(forms, sizeof(forms) / sizeof(forms[0]), rng), /* two names each */
                 pick(names, sizeof(names) / sizeof(names[0]), rng),
                 pick(names, sizeof(names) / sizeof(names[0]), rng));
#pragma GCC diagnostic pop
        n += (size_t)snprintf(text + n, sizeof(text) - n, "metric = m%u | %s | u | %s%s\n",
                              (unsigned)i, rng() % 2U ? "core" : "chip", formula,
                              rng() % 3U ? "" : " | 2");
    }
    n = n < cap ? n : cap;
    memcpy(out, text, n);
    return n;
}
