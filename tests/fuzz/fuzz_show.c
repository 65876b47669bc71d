/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fuzz_show.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "report/energy.h"
#include "report/report.h"

static FILE *nowhere(void)
{
    static FILE *null;

    if (null == NULL && (null = fopen("/dev/null", "w")) == NULL)
        abort();
    return null;
}

void fuzz_show_energy(const char *path)
{
    struct mpj_energy *e = NULL;
    struct mpj_err err;

    if (mpj_energy_load(&e, path, NULL, NULL, &err) == MPJ_E_OK) {
        mpj_energy_text(e, nowhere(), &err);
        mpj_energy_json(e, nowhere(), &err);
        mpj_energy_csv(e, nowhere(), &err);
    } else if (strchr(err.text, '\n') != NULL) {
        abort();
    }
    mpj_energy_free(e);
    mpj_energy_samples(path, true, nowhere(), &err);
    mpj_energy_samples(path, false, nowhere(), &err);
}

static int on_insn(void *ctx, const struct mpj_insn *insn)
{
    uint64_t *const sum = ctx;

    for (size_t i = 0; i < insn->costs; i++)
        *sum += strlen(insn->cost[i].item) + (uint64_t)insn->cost[i].value;
    return MPJ_E_OK;
}

static int on_step(void *ctx, int64_t core, uint64_t time, uint64_t step, uint64_t fj)
{
    uint64_t *const sum = ctx;

    *sum += (uint64_t)core + time + step + fj;
    return MPJ_E_OK;
}

static void show_profile(const char *store)
{
    struct mpj_profile *p = NULL;
    struct mpj_err err;
    uint64_t sum = 0;

    for (int source = 0; source < MPJ_PROF_SOURCES; source++) {
        if (mpj_profile_source_find(mpj_profile_source_name((enum mpj_prof_source)source)) !=
            source)
            abort();
        (void)mpj_profile_load(&p, store, (enum mpj_prof_source)source, &err);
        mpj_profile_free(p);
    }
    (void)mpj_insns(store, 0, UINT32_MAX, on_insn, &sum, &err);
    (void)mpj_wave(store, on_step, &sum, &err);
}

/* Each input has a time of its own, long ago: a store is checked once per state, not once per view.
 */
static void settle(const char *store)
{
    static time_t input;
    const struct timespec times[2] = {{.tv_sec = ++input}, {.tv_sec = input}};

    if (utimensat(AT_FDCWD, store, times, 0) != 0)
        abort();
}

void fuzz_show(const char *store)
{
    static const char *const shown[][2] = {
        {"summary", "text"},        {"summary", "json"},      {"cores", "text"},
        {"cores", "csv"},           {"threads", "text"},      {"threads", "csv"},
        {"sync", "text"},           {"sync", "csv"},          {"regions", "text"},
        {"regions", "csv"},         {"timeline", "text"},     {"timeline", "csv"},
        {"functions", "text"},      {"functions", "csv"},     {"calls", "text"},
        {"calls", "csv"},           {"flame", "text"},        {"energy-stack", "text"},
        {"energy-stack", "csv"},    {"events", "text"},       {"events", "json"},
        {"functions", "callgrind"}, {"functions", "firefox"}, {"functions", "perfetto"},
        {"functions", "pprof"},     {"functions", "folded"},  {"adapt", "text"},
        {"adapt", "csv"},           {"adapt", "json"},        {"over-time", "text"},
        {"over-time", "csv"},       {"memory", "text"},       {"memory", "csv"},
        {"summary", "html"}};
    struct mpj_run *run = NULL;
    struct mpj_err err;

    settle(store);
    if (mpj_run_load(&run, store, &err) == MPJ_E_OK) {
        for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++) {
            const struct mpj_report r = {.view = mpj_view_find(shown[i][0], &err),
                                         .file = store,
                                         .store = store,
                                         .run = run,
                                         .top = -1};
            const struct mpj_exporter *const as = mpj_exporter_find(shown[i][1], &err);

            if (r.view == NULL || as == NULL)
                abort();
            mpj_report_show(&r, as, nowhere(), &err);
        }
        mpj_report_fault(run, nowhere());
        (void)mpj_core_value(&run->core[0], "instr");
    } else if (run != NULL || strchr(err.text, '\n') != NULL) {
        abort();
    }
    mpj_run_free(run);
    show_profile(store);
    fuzz_show_energy(store);
}
