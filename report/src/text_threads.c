/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The thread-level profile for a terminal. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report_int.h"

#define CHART     60 /* columns of the chart over time */
#define BAR       32 /* columns of a stacked bar */
#define NAME      18
#define SYNC_ROWS 40

/* Characters of the charts: eight levels of "runs", then what a thread does otherwise. */
struct glyphs {
    const char *level[9];
    const char *run, *block, *other;
};

static const struct glyphs utf8 = {{" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"}, "█", "▒", "·"};
static const struct glyphs ascii = {{" ", ".", ":", "-", "=", "+", "*", "%", "#"}, "#", "~", "_"};

/* As the terminal's locale says. */
static const struct glyphs *choose(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const char *const v = getenv(names[i]);
        if (v != NULL && v[0] != '\0')
            return strstr(v, "UTF-8") != NULL || strstr(v, "utf8") != NULL ||
                           strstr(v, "utf-8") != NULL
                       ? &utf8
                       : &ascii;
    }
    return &ascii;
}

static void label(FILE *f, const struct mpj_thread_result *t)
{
    char text[NAME + 12];

    snprintf(text, sizeof(text), "%u %s", t->id, t->name);
    fprintf(f, "  %-*.*s", NAME, NAME, text);
}

/* Part of a bin's seconds that falls into [from, to). */
static double overlap(const float *bin, unsigned bins, double bin_s, double from, double to)
{
    double sum = 0.0;

    for (unsigned i = (unsigned)(from / bin_s); i < bins && i * bin_s < to; i++) {
        const double a = i * bin_s > from ? i * bin_s : from;
        const double b = (i + 1) * bin_s < to ? (i + 1) * bin_s : to;
        if (b > a)
            sum += (double)bin[i] * (b - a) / bin_s;
    }
    return sum;
}

static void chart_line(const struct mpj_run *run, const struct mpj_thread_result *t,
                       const struct glyphs *g, double degree[CHART], FILE *f)
{
    const double step = run->time_s / CHART;

    label(f, t);
    fputs(" |", f);
    for (unsigned x = 0; x < CHART; x++) {
        const double from = x * step;
        const double r = overlap(t->bin_run, t->bins, t->bin_s, from, from + step) / step;
        const double b = overlap(t->bin_block, t->bins, t->bin_s, from, from + step) / step;
        const bool alive = from + step > t->created_s && from < t->created_s + t->life_s;
        const unsigned level = r >= 1.0 ? 8U : (unsigned)(r * 8.0 + 0.5);
        degree[x] += r;
        fputs(r > 0.004   ? g->level[level > 0 ? level : 1]
              : b > 0.004 ? g->block
              : alive     ? g->other
                          : " ",
              f);
    }
    fputs("|\n", f);
}

static void chart(const struct mpj_run *run, const struct glyphs *g, FILE *f)
{
    double degree[CHART] = {0};
    bool any = false;

    for (unsigned i = 0; i < run->threads; i++)
        any = any || run->thread[i].bins > 0;
    if (!any || run->time_s <= 0)
        return;
    fprintf(f,
            "\nThreads over time  (height: share of its time a thread ran; %s blocked, %s alive)\n",
            g->block, g->other);
    for (unsigned i = 0; i < run->threads; i++) {
        if (run->thread[i].bins > 0)
            chart_line(run, &run->thread[i], g, degree, f);
    }
    fprintf(f, "  %-*s |", NAME, "cores at work");
    for (unsigned x = 0; x < CHART; x++) {
        const unsigned n = (unsigned)(degree[x] + 0.5);
        fprintf(f, "%c", n > 9 ? '9' : (char)('0' + n));
    }
    fprintf(f, "|\n  %-*s  0%*.3f ms\n", NAME, "", CHART - 4, run->time_s * 1e3);
}

static void parallelism(const struct mpj_run *run, const struct glyphs *g, FILE *f)
{
    double total = 0.0;
    double sum = 0.0;

    for (unsigned k = 0; k <= MPJ_CORES_MAX; k++) {
        total += run->parallel_s[k];
        sum += k * run->parallel_s[k];
    }
    if (!run->have_parallel || total <= 0)
        return;
    fprintf(f, "\nParallelism  %.2f cores at work on average", sum / total);
    if (total - run->parallel_s[0] > 0)
        fprintf(f, ", %.2f while any was", sum / (total - run->parallel_s[0]));
    fputc('\n', f);
    for (unsigned k = 0; k <= MPJ_CORES_MAX; k++) {
        const double share = run->parallel_s[k] / total;
        fprintf(f, "  %u core%s %6.1f %%  ", k, k == 1 ? " " : "s", 100.0 * share);
        for (unsigned x = 0; x < (unsigned)(share * CHART + 0.5); x++)
            fputs(g->run, f);
        fputc('\n', f);
    }
}

/* run, block and other of a life as one bar. */
static void bar(const struct mpj_thread_result *t, const struct glyphs *g, FILE *f)
{
    unsigned run = 0;
    unsigned block = 0;

    if (t->life_s > 0) {
        run = (unsigned)(BAR * t->run_s / t->life_s + 0.5);
        block = (unsigned)(BAR * (t->run_s + t->block_s) / t->life_s + 0.5);
    }
    for (unsigned x = 0; x < BAR; x++)
        fputs(x < run ? g->run : x < block ? g->block : g->other, f);
}

static void life_table(const struct mpj_run *run, const struct glyphs *g, FILE *f)
{
    fprintf(f,
            "\nLife of each thread, ms  (other: ready without a core, and sleeping)\n"
            "  %-*s%11s%11s%11s%11s%11s%9s  %s run %s block %s other\n",
            NAME, "", "created", "life", "run", "block", "other", "runtime", g->run, g->block,
            g->other);
    for (unsigned i = 0; i < run->threads; i++) {
        const struct mpj_thread_result *const t = &run->thread[i];
        label(f, t);
        fprintf(f, "%11.3f%11.3f%11.3f%11.3f%11.3f%7.1f %%  ", t->created_s * 1e3, t->life_s * 1e3,
                t->run_s * 1e3, t->block_s * 1e3, t->other_s * 1e3,
                t->run_s > 0 ? 100.0 * t->kernel_s / t->run_s : 0.0);
        bar(t, g, f);
        fputc('\n', f);
    }
}

static void core_table(const struct mpj_run *run, FILE *f)
{
    const int instr = mpj_event_index("instr");
    double core[MPJ_CORES_MAX] = {0};
    double all = 0.0;

    for (unsigned i = 0; i < run->threads; i++) {
        for (unsigned k = 0; k < MPJ_CORES_MAX; k++) {
            core[k] += run->thread[i].core_run_s[k];
            all += run->thread[i].core_run_s[k];
        }
    }
    fprintf(f, "\nShare of each thread's run time per core, and what it cost\n  %-*s", NAME, "");
    for (unsigned k = 0; k < MPJ_CORES_MAX; k++)
        fprintf(f, "   core %u", k);
    fprintf(f, "%10s%16s%8s%13s\n", "switches", "cycles", "IPC", run->have_adc ? "energy mJ*" : "");
    for (unsigned i = 0; i < run->threads; i++) {
        const struct mpj_thread_result *const t = &run->thread[i];
        label(f, t);
        for (unsigned k = 0; k < MPJ_CORES_MAX; k++)
            fprintf(f, "%7.1f %%", t->run_s > 0 ? 100.0 * t->core_run_s[k] / t->run_s : 0.0);
        fprintf(f, "%10" PRIu64 "%16" PRIu64, t->switches, t->cycles);
        if (t->ev[instr].present && t->cycles > 0)
            fprintf(f, "%8.3f", (double)t->ev[instr].value / (double)t->cycles);
        else
            fprintf(f, "%8s", "-");
        if (run->have_adc)
            fprintf(f, "%13.4f", t->energy_uj / 1e3);
        fputc('\n', f);
    }
    fprintf(f, "  %-*s", NAME, "all threads");
    for (unsigned k = 0; k < MPJ_CORES_MAX; k++)
        fprintf(f, "%7.1f %%", all > 0 ? 100.0 * core[k] / all : 0.0);
    fputc('\n', f);
    if (run->have_adc)
        fprintf(
            f,
            "  * the measured energy shared out by time on a core (a waiting core weighs %.3f); "
            "%.4f mJ\n    belong to no thread\n",
            MPJ_WAITING_WEIGHT, run->idle_energy_uj / 1e3);
}

/* Events of every thread beside what the emulator knows of them. */
static void truth_table(const struct mpj_run *run, FILE *f)
{
    size_t n;
    const struct mpj_event_info *const table = mpj_event_table(&n);
    bool head = false;

    for (unsigned i = 0; run->have_truth && i < run->threads; i++) {
        const struct mpj_thread_result *const t = &run->thread[i];
        for (unsigned c = 0; c < run->truth.threads; c++) {
            if (run->truth.thread[c].id != t->id)
                continue;
            for (size_t e = 0; e < n; e++) {
                if (!t->ev[e].present || !run->truth.thread[c].has[e])
                    continue;
                const double truth = (double)run->truth.thread[c].ev[e];
                if (!head)
                    fprintf(f,
                            "\nEvents of each thread against the emulator's truth\n  %-*s%-16s%18s"
                            "%18s%12s\n",
                            NAME, "", "", "measured", "true", "error");
                head = true;
                label(f, t);
                fprintf(f, "%-16s%18" PRIu64 "%18.0f", table[e].name, t->ev[e].value, truth);
                if (truth > 0)
                    fprintf(f, "%+10.3f %%", 100.0 * ((double)t->ev[e].value - truth) / truth);
                fputc('\n', f);
            }
        }
    }
}

/* ---- view sync ------------------------------------------------------------------ */

static const char *name_of(const struct mpj_run *run, uint32_t id, char *text, size_t size)
{
    for (unsigned i = 0; i < run->threads; i++) {
        if (run->thread[i].id == id) {
            snprintf(text, size, "%u %s", id, run->thread[i].name);
            return text;
        }
    }
    snprintf(text, size, id == 0 ? "-" : "%u", id);
    return text;
}

static void place_text(const struct mpj_where *w, char *text, size_t size)
{
    const char *file = w->file != NULL ? strrchr(w->file, '/') : NULL;

    if (w->file != NULL)
        snprintf(text, size, "%s:%d", file != NULL ? file + 1 : w->file, w->line);
    else if (w->function != NULL)
        snprintf(text, size, "%s", w->function);
    else
        snprintf(text, size, "0x%08" PRIx32, w->address);
}

static void sync_table(const struct mpj_run *run, FILE *f)
{
    unsigned shown = 0;

    if (run->waits == 0) {
        fputs("\nNobody waited for anybody.\n", f);
        return;
    }
    fprintf(f, "\nWaits, longest first\n  %-*s%-13s%-20s%-20s%-20s%8s%12s%12s\n", NAME, "thread",
            "waits for", "object", "held by", "at", "times", "total ms", "longest ms");
    for (unsigned i = 0; i < run->waits && shown < SYNC_ROWS; i++, shown++) {
        const struct mpj_wait_result *const w = &run->wait[i];
        char thread[64];
        char owner[64];
        char at[80];
        char object[64];
        place_text(&w->caller, at, sizeof(at));
        if (w->object_name != NULL)
            snprintf(object, sizeof(object), "%s", w->object_name);
        else
            snprintf(object, sizeof(object), "0x%08" PRIx32, w->object);
        fprintf(f, "  %-*.*s%-13s%-20.19s%-20.19s%-20.19s%8" PRIu64 "%12.3f%12.3f\n", NAME,
                NAME - 1, name_of(run, w->thread, thread, sizeof(thread)), mpj_wait_name(w->kind),
                object, name_of(run, w->owner, owner, sizeof(owner)), at, w->count,
                w->total_s * 1e3, w->longest_s * 1e3);
    }
    if (run->waits > shown)
        fprintf(f, "  and %u more (all of them: --format json)\n", run->waits - shown);
}

/* ---- view regions --------------------------------------------------------------- */

static void region_table(const struct mpj_run *run, FILE *f)
{
    const int instr = mpj_event_index("instr");

    if (run->regions == 0) {
        fputs("\nNo parallel region ran.\n", f);
        return;
    }
    fprintf(f, "\nParallel regions\n  %-*s%8s%7s%12s%8s%12s%12s%11s%8s%13s\n", NAME, "", "calls",
            "team", "wall ms", "share", "run ms", "barrier ms", "imbalance", "IPC",
            run->have_adc ? "energy mJ*" : "");
    for (unsigned i = 0; i < run->regions; i++) {
        const struct mpj_region_result *const g = &run->region[i];
        struct mpj_value v = {true, 0, 1.0};
        for (unsigned k = 0; k < g->parts; k++) {
            v.present = v.present && g->part[k].ev[instr].present;
            v.value += g->part[k].ev[instr].value;
        }
        fprintf(f, "  %-*.*s%8" PRIu64 "%7u%12.3f%6.1f %%%12.3f%12.3f%9.1f %%", NAME, NAME, g->name,
                g->calls, g->size, g->wall_s * 1e3,
                run->time_s > 0 ? 100.0 * g->wall_s / run->time_s : 0.0, g->run_s * 1e3,
                g->barrier_s * 1e3, 100.0 * g->imbalance);
        if (v.present && g->cycles > 0)
            fprintf(f, "%8.3f", (double)v.value / (double)g->cycles);
        else
            fprintf(f, "%8s", "-");
        if (run->have_adc)
            fprintf(f, "%13.4f", g->energy_uj / 1e3);
        fputc('\n', f);
        for (unsigned k = 0; g->parts > 1 && k < g->parts; k++) {
            const struct mpj_region_part *const p = &g->part[k];
            char text[64];
            name_of(run, p->thread, text, sizeof(text));
            fprintf(f, "    %-*.*s%8" PRIu64 "%27s%12.3f%12.3f\n", NAME - 2, NAME - 2, text,
                    p->calls, "", p->run_s * 1e3, p->barrier_s * 1e3);
        }
    }
    fputs("  imbalance: share of the team's time spent waiting in barriers\n", f);
    if (run->have_adc)
        fputs("  * the measured energy shared out by time on a core\n", f);
}

void text_threads(const struct mpj_run *run, enum mpj_view view, FILE *f)
{
    const struct glyphs *const g = choose();

    if (run->threads == 0) {
        if (view != MPJ_VIEW_SUMMARY)
            fputs("\nThe run has no thread-level profile.\n", f);
        return;
    }
    switch (view) {
    case MPJ_VIEW_THREADS:
        life_table(run, g, f);
        core_table(run, f);
        truth_table(run, f);
        break;
    case MPJ_VIEW_SYNC:
        sync_table(run, f);
        break;
    case MPJ_VIEW_REGIONS:
        region_table(run, f);
        break;
    case MPJ_VIEW_TIMELINE:
        chart(run, g, f);
        parallelism(run, g, f);
        break;
    default:
        if (run->threads > 1) {
            life_table(run, g, f);
            chart(run, g, f);
            parallelism(run, g, f);
        }
        break;
    }
}
