/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The thread-level profile for a terminal. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report_int.h"
#include "tile_board.h"

#define CHART       60 /* columns of the chart over time */
#define BAR         32 /* columns of a stacked bar */
#define NAME        18
#define REGION_ROWS 20 /* default number of constructs */
#define ROWS        16 /* threads with a line of their own */

/* Characters of the charts: eight levels of "runs", then the other states of a thread. */
struct glyphs {
    const char *level[9];
    const char *run, *block, *host, *other;
};

static const struct glyphs utf8 = {
    {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"}, "█", "▒", "▤", "·"};
static const struct glyphs ascii = {
    {" ", ".", ":", "-", "=", "+", "*", "%", "#"}, "#", "~", "@", "_"};

/* Chooses them by the terminal's locale. */
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

/*
 * The threads of a table, which has to fit a screen even for hundreds of threads: those that ran
 * longest get lines of their own, the others share one.
 */
struct selection {
    const struct mpj_run *run;
    unsigned row[ROWS]; /* of the threads, in their order */
    unsigned rows;
    bool all;
};

static int by_run_time(const void *a, const void *b)
{
    const struct mpj_thread_result *const x = *(const struct mpj_thread_result *const *)a;
    const struct mpj_thread_result *const y = *(const struct mpj_thread_result *const *)b;

    return x->run_s != y->run_s ? (x->run_s < y->run_s) - (x->run_s > y->run_s) : (x > y) - (x < y);
}

static int by_number(const void *a, const void *b)
{
    const unsigned x = *(const unsigned *)a;
    const unsigned y = *(const unsigned *)b;

    return (x > y) - (x < y);
}

static void choose_rows(struct selection *sel, const struct mpj_run *run)
{
    const struct mpj_thread_result **order = NULL;

    *sel = (struct selection){.run = run, .all = run->threads <= ROWS};
    sel->rows = sel->all ? run->threads : ROWS - 1U;
    for (unsigned i = 0; i < sel->rows; i++)
        sel->row[i] = i;
    if (sel->all || (order = malloc(run->threads * sizeof(const void *))) == NULL)
        return; /* out of memory for sorting: the first ones */
    for (unsigned i = 0; i < run->threads; i++)
        order[i] = &run->thread[i];
    qsort(order, run->threads, sizeof(const void *), by_run_time);
    for (unsigned i = 0; i < sel->rows; i++)
        sel->row[i] = (unsigned)(order[i] - run->thread);
    free(order);
    qsort(sel->row, sel->rows, sizeof(sel->row[0]), by_number);
}

static bool selected(const struct selection *sel, unsigned thread)
{
    return sel->all ||
           bsearch(&thread, sel->row, sel->rows, sizeof(sel->row[0]), by_number) != NULL;
}

/* A line: a thread, or the sums over those without a line of their own. */
struct line {
    struct mpj_thread_result t;
    struct mpj_value instr;
};

static struct line line_of(const struct selection *sel, const struct mpj_thread_result *t)
{
    struct line l = {.instr = {.present = true, .coverage = 1.0}};

    if (t != NULL)
        return (struct line){*t, mpj_run_value(sel->run, t->ev, MPJ_ROW_INSTR)};
    for (unsigned i = 0; sel->run->thread != NULL && i < sel->run->threads; i++) {
        struct mpj_value instr;
        t = &sel->run->thread[i];
        if (selected(sel, i))
            continue;
        l.t.life_s += t->life_s;
        l.t.run_s += t->run_s;
        l.t.block_s += t->block_s;
        l.t.host_s += t->host_s;
        l.t.other_s += t->other_s;
        l.t.kernel_s += t->kernel_s;
        l.t.switches += t->switches;
        l.t.cycles += t->cycles;
        l.t.energy_uj += t->energy_uj;
        instr = mpj_run_value(sel->run, t->ev, MPJ_ROW_INSTR);
        l.instr.present = l.instr.present && instr.present;
        l.instr.value += instr.value;
        if (instr.present && instr.coverage < l.instr.coverage)
            l.instr.coverage = instr.coverage;
        for (unsigned k = 0; k < MPJ_CORES_MAX; k++)
            l.t.core_run_s[k] += t->core_run_s[k];
    }
    return l;
}

static bool has_energy(const struct mpj_run *run)
{
    return run->model.present || run->have_adc;
}

static bool has_interval(const struct mpj_run *run)
{
    return run->model.present && run->model.interval.level > 0 && run->clock_hz > 0;
}

/* Writes the cells of the energy and of its interval. cycles: on cores. */
static void energy(const struct mpj_run *run, double uj, uint64_t cycles, FILE *f)
{
    const double half = has_interval(run) ? mpj_run_interval_uj(run, uj, cycles) : NAN;

    if (isfinite(uj))
        fprintf(f, "%13.4f", uj / 1e3);
    else if (has_energy(run))
        fprintf(f, "%13s", "-");
    if (isfinite(half))
        fprintf(f, "%10.4f", half / 1e3);
    else if (has_interval(run))
        fprintf(f, "%10s", "-");
}

static void energy_head(const struct mpj_run *run, FILE *f)
{
    fprintf(f, "%13s%s\n", has_energy(run) ? "energy mJ*" : "",
            has_interval(run) ? "     +- mJ" : "");
}

/* Writes the source of its figures. */
static void energy_note(const struct mpj_run *run, FILE *f)
{
    if (run->model.present) {
        fprintf(f,
                "  * by model %s: a quarter of its constant for the time on a core, and what the "
                "own events cost\n",
                run->model.name);
        if (has_interval(run))
            fprintf(f, "    +-: %g %% of unseen threads are within it\n",
                    run->model.interval.level * 100);
    } else if (run->have_adc) {
        fprintf(f,
                "  * the measured energy shared out by time on a core (a waiting core weighs "
                "%.3f)\n",
                TILE_WAITING_WEIGHT);
    }
}

/* Writes the label; NULL: that of the line of the others. */
static void label(const struct selection *sel, const struct mpj_thread_result *t, FILE *f)
{
    char text[NAME + 12];

    if (t == NULL)
        snprintf(text, sizeof(text), "%u others", sel->run->threads - sel->rows);
    else
        snprintf(text, sizeof(text), "%u %s", t->id, t->name);
    fprintf(f, "  %-*.*s", NAME, NAME, text);
}

static void footer(const struct selection *sel, FILE *f)
{
    if (!sel->all)
        fprintf(f, "  the %u threads that ran longest, the others together (each: --format json)\n",
                sel->rows);
}

/* Activity in each column of the chart, in shares of its time. */
struct columns {
    double run[CHART], block[CHART], host[CHART];
    bool alive[CHART];
};

/* Adds the part of a thread's bins that overlaps a column, which begins at `from` and is `step`
 * long. */
static void add_overlap(struct columns *c, unsigned x, const struct mpj_thread_result *t,
                        double from, double step)
{
    const double to = from + step;
    double run = 0.0;
    double block = 0.0;
    double host = 0.0;

    /* a long run may have short bins: the number of one that it does not have need not fit */
    for (unsigned i = from < t->bins * t->bin_s ? (unsigned)(from / t->bin_s) : t->bins;
         i < t->bins && i * t->bin_s < to; i++) {
        const double a = i * t->bin_s > from ? i * t->bin_s : from;
        const double b = (i + 1) * t->bin_s < to ? (i + 1) * t->bin_s : to;
        const struct mpj_bin bin = mpj_thread_bin(t, i);
        if (b > a) {
            run += (double)bin.run_s * (b - a) / t->bin_s;
            block += (double)bin.block_s * (b - a) / t->bin_s;
            host += (double)bin.host_s * (b - a) / t->bin_s;
        }
    }
    c->run[x] += run / step;
    c->block[x] += block / step;
    c->host[x] += host / step;
}

static void add_columns(struct columns *c, const struct mpj_run *run,
                        const struct mpj_thread_result *t)
{
    const double step = run->time_s / CHART;
    /* Only the bins of its lifetime; the others are empty, and there may be thousands of
     * threads. */
    const double first = floor(t->created_s / t->bin_s) * t->bin_s;
    const double end = (floor((t->created_s + t->life_s) / t->bin_s) + 1.0) * t->bin_s;

    for (unsigned x = 0; x < CHART; x++) {
        const double from = x * step;
        if (from + step >= first && from <= end)
            add_overlap(c, x, t, from, step);
        c->alive[x] =
            c->alive[x] || (from + step > t->created_s && from < t->created_s + t->life_s);
    }
}

static void chart_line(const struct selection *sel, const struct mpj_thread_result *t,
                       const struct columns *c, const struct glyphs *g, FILE *f)
{
    label(sel, t, f);
    fputs(" |", f);
    for (unsigned x = 0; x < CHART; x++) {
        const unsigned level = c->run[x] >= 1.0 ? 8U : (unsigned)(c->run[x] * 8.0 + 0.5);
        fputs(c->host[x] > 0.5 || (c->host[x] > 0.004 && c->run[x] + c->block[x] <= 0.004) ? g->host
              : c->run[x] > 0.004   ? g->level[level > 0 ? level : 1]
              : c->block[x] > 0.004 ? g->block
              : c->alive[x]         ? g->other
                                    : " ",
              f);
    }
    fputs("|\n", f);
}

static void chart(const struct selection *sel, const struct glyphs *g, FILE *f)
{
    const struct mpj_run *const run = sel->run;
    struct columns rest = {0};
    double degree[CHART] = {0};
    bool any = false;

    for (unsigned i = 0; i < run->threads; i++)
        any = any || run->thread[i].bins > 0;
    if (!any || run->time_s <= 0)
        return;
    fprintf(f,
            "\nThreads over time  (height: share of its time a thread ran; %s blocked, %s host, "
            "%s alive)\n",
            g->block, g->host, g->other);
    for (unsigned i = 0; i < run->threads; i++) {
        struct columns own = {0};
        if (run->thread[i].bins == 0)
            continue;
        if (!selected(sel, i)) {
            add_columns(&rest, run, &run->thread[i]);
            continue;
        }
        add_columns(&own, run, &run->thread[i]);
        chart_line(sel, &run->thread[i], &own, g, f);
        for (unsigned x = 0; x < CHART; x++)
            degree[x] += own.run[x];
    }
    if (!sel->all)
        chart_line(sel, NULL, &rest, g, f);
    fprintf(f, "  %-*s |", NAME, "busy cores");
    for (unsigned x = 0; x < CHART; x++) {
        const unsigned n = (unsigned)(degree[x] + rest.run[x] + 0.5);
        fprintf(f, "%c", n > 9 ? '9' : (char)('0' + n));
    }
    fprintf(f, "|\n  %-*s  0%*.3f ms\n", NAME, "", CHART - 4, run->time_s * 1e3);
    footer(sel, f);
}

static void parallelism(const struct mpj_run *run, const struct glyphs *g, FILE *f)
{
    double total = 0.0;
    double sum = 0.0;
    double host = 0.0;

    for (unsigned i = 0; i < run->threads; i++)
        host += run->thread[i].host_s;
    for (unsigned k = 0; k <= MPJ_CORES_MAX; k++) {
        total += run->parallel_s[k];
        sum += k * run->parallel_s[k];
    }
    if (!run->have_parallel || total <= 0)
        return;
    fprintf(f, "\nParallelism  %.2f cores busy on average", sum / total);
    if (total - run->parallel_s[0] > 0)
        fprintf(f, ", %.2f while at least one was", sum / (total - run->parallel_s[0]));
    fputc('\n', f);
    for (unsigned k = 0; k <= mpj_run_cores(run); k++) {
        const double share = run->parallel_s[k] / total;
        fprintf(f, "  %u core%s %6.1f %%  ", k, k == 1 ? " " : "s", 100.0 * share);
        for (unsigned x = 0; x < (unsigned)(share * CHART + 0.5); x++)
            fputs(g->run, f);
        fputc('\n', f);
    }
    if (host > 0)
        fprintf(f, "  host    %6.1f %%  host I/O: share of time a thread was transferring data\n",
                100.0 * host / total);
}

/* Draws run, block, host and other of a life as one bar. */
static void bar(const struct mpj_thread_result *t, const struct glyphs *g, FILE *f)
{
    unsigned run = 0;
    unsigned block = 0;
    unsigned host = 0;

    if (t->life_s > 0) {
        run = (unsigned)(BAR * t->run_s / t->life_s + 0.5);
        block = (unsigned)(BAR * (t->run_s + t->block_s) / t->life_s + 0.5);
        host = (unsigned)(BAR * (t->run_s + t->block_s + t->host_s) / t->life_s + 0.5);
    }
    for (unsigned x = 0; x < BAR; x++)
        fputs(x < run ? g->run : x < block ? g->block : x < host ? g->host : g->other, f);
}

static void life_row(const struct selection *sel, const struct mpj_thread_result *t,
                     const struct glyphs *g, FILE *f)
{
    const struct mpj_thread_result sum = line_of(sel, t).t;

    label(sel, t, f);
    if (t == NULL)
        fprintf(f, "%11s", "");
    else
        fprintf(f, "%11.3f", t->created_s * 1e3);
    fprintf(f, "%11.3f%11.3f%11.3f%11.3f%11.3f%7.1f %%  ", sum.life_s * 1e3, sum.run_s * 1e3,
            sum.block_s * 1e3, sum.host_s * 1e3, sum.other_s * 1e3,
            sum.run_s > 0 ? 100.0 * sum.kernel_s / sum.run_s : 0.0);
    bar(&sum, g, f);
    fputc('\n', f);
}

static void life_table(const struct selection *sel, const struct glyphs *g, FILE *f)
{
    fprintf(f,
            "\nLife of each thread, ms  (host: input and output; other: ready without a core, and "
            "sleeping)\n"
            "  %-*s%11s%11s%11s%11s%11s%11s%9s  %s run %s block %s host %s other\n",
            NAME, "", "created", "life", "run", "block", "host", "other", "runtime", g->run,
            g->block, g->host, g->other);
    for (unsigned i = 0; i < sel->rows; i++)
        life_row(sel, &sel->run->thread[sel->row[i]], g, f);
    if (!sel->all)
        life_row(sel, NULL, g, f);
    footer(sel, f);
}

/* Writes a cell of the column "IPC": estimates have a mark. */
static void ratio(const struct mpj_value *v, uint64_t cycles, FILE *f)
{
    char text[24];

    snprintf(text, sizeof(text), "%s%.3f", v->coverage < 1.0 ? "~" : "",
             (double)v->value / (double)cycles);
    fprintf(f, "%8s", text);
}

/* Explains the mark, if it is used. */
static void estimate_note(const struct mpj_run *run, FILE *f)
{
    if (rotation_present(run))
        fputs("  ~ estimate: the event took turns with others (view cores: coverage and error)\n",
              f);
}

static void core_row(const struct selection *sel, const struct mpj_thread_result *t, FILE *f)
{
    const struct line line = line_of(sel, t);
    const struct mpj_thread_result sum = line.t;

    label(sel, t, f);
    for (unsigned k = 0; k < mpj_run_cores(sel->run); k++)
        fprintf(f, "%7.1f %%", sum.run_s > 0 ? 100.0 * sum.core_run_s[k] / sum.run_s : 0.0);
    fprintf(f, "%10" PRIu64 "%16" PRIu64, sum.switches, sum.cycles);
    if (line.instr.present && sum.cycles > 0)
        ratio(&line.instr, sum.cycles, f);
    else
        fprintf(f, "%8s", "-");
    energy(sel->run, sum.energy_uj, sum.cycles, f);
    fputc('\n', f);
}

static void core_table(const struct selection *sel, FILE *f)
{
    const struct mpj_run *const run = sel->run;
    double core[MPJ_CORES_MAX] = {0};
    double all = 0.0;

    for (unsigned i = 0; i < run->threads; i++) {
        for (unsigned k = 0; k < MPJ_CORES_MAX; k++) {
            core[k] += run->thread[i].core_run_s[k];
            all += run->thread[i].core_run_s[k];
        }
    }
    fprintf(f, "\nShare of each thread's run time per core, and what it cost\n  %-*s", NAME, "");
    for (unsigned k = 0; k < mpj_run_cores(run); k++)
        fprintf(f, "   core %u", k);
    fprintf(f, "%10s%16s%8s", "switches", "cycles", "IPC");
    energy_head(run, f);
    for (unsigned i = 0; i < sel->rows; i++)
        core_row(sel, &run->thread[sel->row[i]], f);
    if (!sel->all)
        core_row(sel, NULL, f);
    fprintf(f, "  %-*s", NAME, "all threads");
    for (unsigned k = 0; k < mpj_run_cores(run); k++)
        fprintf(f, "%7.1f %%", all > 0 ? 100.0 * core[k] / all : 0.0);
    fputc('\n', f);
    estimate_note(run, f);
    energy_note(run, f);
    if (isfinite(run->idle_energy_uj))
        fprintf(f, "    %.4f mJ belong to no thread\n", run->idle_energy_uj / 1e3);
    footer(sel, f);
}

/* Writes events of every thread next to the emulator's truth. */
static void truth_table(const struct selection *sel, FILE *f)
{
    const struct mpj_run *const run = sel->run;
    size_t n;
    const struct mpj_event_info *const table = mpj_event_table(&n);
    bool head = false;

    for (unsigned i = 0; run->have_truth && i < sel->rows; i++) {
        const struct mpj_thread_result *const t = &run->thread[sel->row[i]];
        for (unsigned c = 0; c < run->truth.threads; c++) {
            if (run->truth.thread[c].id != t->id || t->folded > 0) /* the truth has each one */
                continue;
            for (size_t e = 0; e < n; e++) {
                const struct mpj_value v = mpj_run_value(run, t->ev, (int)e);
                if (!v.present || !run->truth.thread[c].has[e])
                    continue;
                const double truth = (double)run->truth.thread[c].ev[e];
                if (!head)
                    fprintf(f,
                            "\nEvents of each thread against the emulator's truth\n  %-*s%-16s%18s"
                            "%18s%12s\n",
                            NAME, "", "", "measured", "true", "error");
                head = true;
                label(sel, t, f);
                fprintf(f, "%-16s%18" PRIu64 "%18.0f", table[e].name, v.value, truth);
                if (truth > 0)
                    fprintf(f, "%+10.3f %%", 100.0 * ((double)v.value - truth) / truth);
                fputc('\n', f);
            }
        }
    }
}

/* ---- view regions --------------------------------------------------------------- */

const char *text_thread(const struct mpj_run *run, uint32_t id, char *text, size_t size)
{
    const struct mpj_thread_result *const t = run_thread(run, id);

    if (t != NULL)
        snprintf(text, size, "%u %s", id, t->name);
    else
        snprintf(text, size, id == 0 ? "-" : "%u", id);
    return text;
}

int text_by_region_cost(const void *a, const void *b)
{
    const struct mpj_region_result *const x = *(const struct mpj_region_result *const *)a;
    const struct mpj_region_result *const y = *(const struct mpj_region_result *const *)b;
    const bool energy = isfinite(x->energy_uj) && isfinite(y->energy_uj);
    const double v = energy ? x->energy_uj : x->run_s;
    const double w = energy ? y->energy_uj : y->run_s;

    return v != w ? (v < w) - (v > w) : (x > y) - (x < y);
}

/* Writes a construct; with details also its call sites, and each thread's part of it. */
static void region_rows(const struct mpj_run *run, const struct mpj_region_result *g, bool details,
                        FILE *f)
{
    struct mpj_value v = {.present = true, .coverage = 1.0};

    for (unsigned k = 0; k < g->parts; k++) {
        const struct mpj_value instr = mpj_run_value(run, g->part[k].ev, MPJ_ROW_INSTR);
        v.present = v.present && instr.present;
        v.value += instr.value;
        if (instr.coverage < v.coverage)
            v.coverage = instr.coverage;
    }
    fprintf(f, "  %-*.*s%8" PRIu64 "%7u%12.3f%6.1f %%%12.3f%12.3f%11.3f%9.1f %%", NAME, NAME,
            g->name, g->calls, g->size, g->wall_s * 1e3,
            run->time_s > 0 ? 100.0 * g->wall_s / run->time_s : 0.0, g->run_s * 1e3,
            g->barrier_s * 1e3, g->host_s * 1e3, 100.0 * g->imbalance);
    if (v.present && g->cycles > 0)
        ratio(&v, g->cycles, f);
    else
        fprintf(f, "%8s", "-");
    energy(run, g->energy_uj, g->cycles, f);
    fputc('\n', f);
    if (!details)
        return;
    if (g->caller.function != NULL)
        fprintf(f, "    forked in %s\n", g->caller.function);
    for (unsigned k = 0; g->parts > 1 && k < g->parts; k++) {
        const struct mpj_region_part *const p = &g->part[k];
        char text[64];
        text_thread(run, p->thread, text, sizeof(text));
        fprintf(f, "    %-*.*s%8" PRIu64 "%27s%12.3f%12.3f%11.3f\n", NAME - 2, NAME - 2, text,
                p->calls, "", p->run_s * 1e3, p->barrier_s * 1e3, p->host_s * 1e3);
    }
}

/* Writes the constructs, the most expensive first. */
static int region_table(const struct mpj_report *r, FILE *f, struct mpj_err *err)
{
    const struct mpj_run *const run = r->run;
    const unsigned top = r->top < 0 ? REGION_ROWS : r->top == 0 ? UINT32_MAX : (unsigned)r->top;
    const struct mpj_region_result **const order =
        malloc((run->regions + 1) * sizeof(const void *));

    if (order == NULL)
        return mpj_err_nomem(err);
    if (run->regions == 0)
        fputs("\nNo parallel region ran.\n", f);
    else
        fprintf(f, "\nParallel regions\n  %-*s%8s%7s%12s%8s%12s%12s%11s%11s%8s", NAME, "", "calls",
                "team", "wall ms", "share", "run ms", "barrier ms", "host ms", "imbalance", "IPC");
    if (run->regions > 0)
        energy_head(run, f);
    for (unsigned i = 0; i < run->regions; i++)
        order[i] = &run->region[i];
    qsort(order, run->regions, sizeof(const void *), text_by_region_cost);
    for (unsigned i = 0; i < run->regions && i < top; i++)
        region_rows(run, order[i], r->details, f);
    free(order);
    if (run->regions > top)
        fprintf(f, "  %u more, of less cost (--top 0 shows all)\n", run->regions - top);
    if (run->regions == 0)
        return MPJ_E_OK;
    fputs("  imbalance: share of the team's time spent waiting in barriers\n", f);
    if (!r->details)
        fputs("  each thread's part: --details\n", f);
    estimate_note(run, f);
    energy_note(run, f);
    return MPJ_E_OK;
}

void text_threads(const struct mpj_run *run, FILE *f)
{
    const struct glyphs *const g = choose();
    struct selection sel;

    if (run->threads < 2)
        return;
    choose_rows(&sel, run);
    life_table(&sel, g, f);
    chart(&sel, g, f);
    parallelism(run, g, f);
}

bool text_begin_threads(const struct mpj_report *r, FILE *f)
{
    text_head(r->run, f);
    if (r->run->threads == 0 && r->run->partial && r->run->have_truth)
        text_partial_threads(r->run, f);
    else if (r->run->threads == 0)
        fputs("\nThe run has no thread-level profile.\n", f);
    return r->run->threads > 0;
}

static int put_threads(const struct mpj_report *r, FILE *out, struct mpj_err *err)
{
    struct selection sel;

    (void)err;
    if (!text_begin_threads(r, out))
        return MPJ_E_OK;
    choose_rows(&sel, r->run);
    life_table(&sel, choose(), out);
    core_table(&sel, out);
    text_memory(r->run, ROWS, out);
    truth_table(&sel, out);
    return MPJ_E_OK;
}

static int put_regions(const struct mpj_report *r, FILE *out, struct mpj_err *err)
{
    return text_begin_threads(r, out) ? region_table(r, out, err) : MPJ_E_OK;
}

static int put_timeline(const struct mpj_report *r, FILE *out, struct mpj_err *err)
{
    const struct glyphs *const g = choose();
    struct selection sel;

    (void)err;
    if (!text_begin_threads(r, out))
        return MPJ_E_OK;
    choose_rows(&sel, r->run);
    chart(&sel, g, out);
    parallelism(r->run, g, out);
    return MPJ_E_OK;
}

const struct mpj_view view_threads = {"threads", MPJ_NEEDS_RUN, put_threads, csv_threads, NULL};
const struct mpj_view view_regions = {"regions", MPJ_NEEDS_RUN, put_regions, csv_regions, NULL};
const struct mpj_view view_timeline = {"timeline", MPJ_NEEDS_RUN, put_timeline, csv_timeline, NULL};
