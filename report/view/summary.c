/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The summary: a screen of 24 lines and 80 columns, the last of them for further commands. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report_int.h"
#include "view/hints.h"
#include "view/profile_text.h"
#include "view/waits.h"

#define LINES     24U
#define COLUMNS   80
#define LABEL     34 /* of a row of the cores' table */
#define CELL      9
#define CELL_MAX  24
#define ROWS_MOST 5U /* of the cores' table */
#define HINTS     3U /* shown */
#define FOUND     12U
#define KB        1024.0

/* ---- text of a known width ----------------------------------------------------------- */

/* Truncates a text to `width` characters, with dots for the missing part. text has space for
 * them. */
static void clip(char *text, size_t width)
{
    size_t n = 0;
    char *cut = NULL;

    for (char *at = text; *at != '\0'; at++) {
        if (((unsigned char)*at & 0xc0) == 0x80)
            continue;
        if (n++ == width - 3U)
            cut = at;
    }
    if (n > width && cut != NULL)
        memcpy(cut, "...", sizeof("..."));
}

static unsigned lines_of(const char *text)
{
    unsigned n = 0;

    for (; *text != '\0'; text++)
        n += *text == '\n';
    return n;
}

/* ---- what ran ------------------------------------------------------------------------- */

static void put_head(const struct mpj_run *run, FILE *f)
{
    char text[400];
    char sha[40] = "";

    if (run->firmware_sha256 != NULL)
        snprintf(sha, sizeof(sha), "  (sha256 %.12s)", run->firmware_sha256);
    snprintf(text, sizeof(text), "Program      %.150s%s%.200s",
             run->program != NULL ? run->program : "(unknown)",
             run->arguments != NULL && run->arguments[0] != '\0' ? " " : "",
             run->arguments != NULL ? run->arguments : "");
    clip(text, COLUMNS - strlen(sha));
    fprintf(f, "%s%s\n", text, sha);
    text_measured_on(run, "\n             ", f);
    text_time(run, "", f);
    if (isfinite(mpj_run_overhead(run)))
        fprintf(f, "Overhead     %+.2f %% of the time (without profiling %.6f s)\n",
                mpj_run_overhead(run), run->bare.time_s);
    text_outcome(run, f);
}

/* ---- the run in a few lines ----------------------------------------------------------- */

static unsigned cores_used(const struct mpj_run *run)
{
    unsigned n = 0;

    for (unsigned k = 0; k < MPJ_CORES_MAX; k++)
        n += (run->cores_mask >> k & 1U) != 0;
    return n > 0 ? n : run->cores;
}

/* Returns the number of cores that ran threads, on average; share of the time with exactly one. */
static double cores_at_work(const struct mpj_run *run, double *alone)
{
    double all = 0.0;
    double sum = 0.0;

    for (unsigned k = 0; k <= MPJ_CORES_MAX; k++) {
        all += run->parallel_s[k];
        sum += k * run->parallel_s[k];
    }
    *alone = all > 0 ? run->parallel_s[1] / all : 0.0;
    return all > 0 ? sum / all : 0.0;
}

/* Returns the number of threads that ran before a run was ended; context 0 is none. */
static unsigned threads_until_then(const struct mpj_run *run)
{
    unsigned n = 0;

    for (unsigned i = 0; i < run->truth.threads; i++)
        n += run->truth.thread[i].id != 0;
    return n;
}

static void put_threads(const struct mpj_run *run, FILE *f)
{
    double alone;
    const double mean = cores_at_work(run, &alone);

    if (run->threads == 0 && run->partial && run->have_truth)
        fprintf(f, "Threads      %u until then (--view threads)\n", threads_until_then(run));
    if (run->threads == 0)
        return;
    fprintf(f, "Threads      %" PRIu64, run->threads + run->threads_folded);
    if (run->threads_folded > 0)
        fprintf(f, " (%u with a row, the others added up by function)", run->threads);
    if (run->have_parallel)
        fprintf(f, ", on average %.2f of %u cores busy, only one %.1f %% of the time", mean,
                cores_used(run), 100.0 * alone);
    fputc('\n', f);
}

/* Returns the thread with the fullest stack; NULL: unknown. */
static const struct mpj_thread_result *fullest_stack(const struct mpj_run *run)
{
    const struct mpj_thread_result *top = NULL;

    for (unsigned i = 0; i < run->threads; i++) {
        const struct mpj_thread_result *const t = &run->thread[i];
        if (t->stack_bytes > 0 &&
            (top == NULL || (double)t->stack_used_bytes / (double)t->stack_bytes >
                                (double)top->stack_used_bytes / (double)top->stack_bytes))
            top = t;
    }
    return top;
}

static void put_memory(const struct mpj_run *run, FILE *f)
{
    const struct mpj_thread_result *const t = fullest_stack(run);

    if (!run->have_memory)
        return;
    fprintf(f, "Memory       heap %.1f KB at most", (double)run->heap_peak / KB);
    if (t != NULL)
        fprintf(f, "; fullest stack %.1f KB of %.0f KB (%u %.16s)",
                (double)t->stack_used_bytes / KB, (double)t->stack_bytes / KB, t->id, t->name);
    fputc('\n', f);
}

/* Writes the processor's power, and that of others; if the processor is not measured, the name of
 * the consumer. */
static void put_power(const struct mpj_run *run, double mw, FILE *f)
{
    const struct mpj_supply *const first = &run->supplies.of[0];
    char title[TILE_NAME_SIZE];

    fprintf(f, "Power        %.2f mW, %.4f mJ by the ADC (%u samples%s)", mw,
            run->processor.energy_uj / 1e3, run->adc_samples,
            run->adc_lost > 0 ? ", some lost" : "");
    if (strcmp(first->name, MPJ_SUPPLY_PROCESSOR) != 0)
        fprintf(f, " of: %s", first->name);
    for (unsigned k = 1; k < run->supplies.count; k++) {
        mpj_supply_title(&run->supplies.of[k], title);
        fprintf(f, "; %s %.4f mJ", title, run->rail[k].energy_uj / 1e3);
    }
    fputc('\n', f);
}

/* Prints the error that a meter's heading states for a channel. */
static void put_meter_error(const struct mpj_meter *m, unsigned i, FILE *f)
{
    if (i < m->channels && isfinite(m->channel[i].error_percent))
        fprintf(f, " (+-%.3g %%)", m->channel[i].error_percent);
    else
        fputs(" (error not stated)", f);
}

static void put_meter(const struct mpj_run *run, FILE *f)
{
    const struct mpj_meter *const m = &run->meter;
    const char *const channel = m->channels > 0 ? m->channel[0].name : "";

    if (!m->present)
        return;
    if (m->problem[0] != '\0') {
        fprintf(f, "Meter        %s: %s\n", run->have_adc ? "no second opinion" : "not used",
                m->problem);
        return;
    }
    fprintf(f, "%s %.2f mW, %.4f mJ by the external %s%s%s",
            m->by_window ? "Energy      " : "Meter       ", m->power_mw, m->energy_uj / 1e3,
            m->by_window ? "meter" : "one", channel[0] != '\0' ? ", channel " : "", channel);
    put_meter_error(m, 0, f);
    if (m->by_window)
        fputs(run->supplies.count > 0 ? "; the board's own ADC took no sample\n" : "\n", f);
    else
        fprintf(f, ": %+.2f %% against the ADC\n", m->adc_percent);
    for (unsigned i = 1; i < m->channels; i++) {
        fprintf(f, "             %.2f mW, %.4f mJ: channel %s", m->channel[i].power_mw,
                m->channel[i].energy_uj / 1e3, m->channel[i].name);
        put_meter_error(m, i, f);
        fputc('\n', f);
    }
}

static void put_energy(const struct mpj_run *run, FILE *f)
{
    const struct mpj_run_model *const m = &run->model;
    const bool metered = run->meter.present && run->meter.problem[0] == '\0';
    const double mw = run->time_s > 0 ? run->processor.energy_uj / run->time_s / 1e3 : 0.0;

    if (run->have_adc)
        put_power(run, mw, f);
    else if (run->complete && run->supplies.count == 0 && !metered)
        fputs(TEXT_NO_POWER "\n", f);
    else if (run->have_truth && !metered)
        text_true_energy(run, "", f);
    else if (run->complete && run->adc_period_us > 0 && !metered)
        fprintf(f,
                "Energy       not measured: shorter than the sampling period of %g ms "
                "(--sample-ms)\n",
                run->adc_period_us / 1e3);
    put_meter(run, f);
    if (!m->present)
        return;
    fprintf(f, "Model        %.30s: %.4f mJ", m->name, m->energy_uj / 1e3);
    if (m->interval.level > 0 && isfinite(m->interval_uj))
        fprintf(f, " +- %.4f mJ (%g %%)", m->interval_uj / 1e3, m->interval.level * 100);
    fputc('\n', f);
    if (isfinite(m->adc_percent)) {
        fprintf(f, "             %+.2f %% against %s", m->adc_percent, m->meter);
        text_model_verdict(run, "the", f);
        fputc('\n', f);
    } else if (isfinite(m->stated_percent)) {
        fprintf(f, "             its stated error is %.2f %%; nothing measured what it says\n",
                m->stated_percent);
    }
    if (m->outside[0] != '\0')
        fprintf(f, "             %s outside its fit: an estimate (`mpjoule help model`)\n",
                m->outside);
}

/* Returns the deviation of an event, on the cores that counted it, from the truth in per cent; NAN:
 * unknown. */
static double off_truth(const struct mpj_run *run, int row)
{
    const struct mpj_value v = mpj_run_total(run, row);
    double truth = 0.0;

    for (unsigned k = 0; k < MPJ_CORES_MAX && v.present; k++) {
        if (run->core[k].present && run->core[k].ev[row].present)
            truth += (double)run->truth.core[k].ev[row].value;
    }
    return v.present && truth > 0 ? 100.0 * ((double)v.value - truth) / truth : NAN;
}

static void put_truth(const struct mpj_run *run, FILE *f)
{
    const struct mpj_truth *const t = &run->truth;
    const char *comma = "";
    const double instr = off_truth(run, MPJ_ROW_INSTR);

    if (!run->have_truth || !run->complete)
        return;
    fputs("Truth        ", f);
    if (run->have_adc && t->energy_uj > 0) {
        fprintf(f, "energy %+.3f %%",
                100.0 * (run->processor.energy_uj - t->energy_uj) / t->energy_uj);
        comma = ", ";
    }
    if (run->cycles > 0 && t->cycles > 0) {
        fprintf(f, "%scycles %+.3f %%", comma,
                100.0 * ((double)run->cycles - (double)t->cycles) / (double)t->cycles);
        comma = ", ";
    }
    if (isfinite(instr))
        fprintf(f, "%sinstructions %+.3f %%", comma, instr);
    fputc('\n', f);
    text_bound(run, f);
}

static void put_facts(const struct mpj_run *run, FILE *f)
{
    put_threads(run, f);
    put_memory(run, f);
    put_energy(run, f);
    put_truth(run, f);
    if (rotation_present(run))
        fputs("Estimates    marked ~, by counter multiplexing (--view cores has their errors)\n",
              f);
}

/* ---- cores ---------------------------------------------------------------------------- */

/* Writes a rate of each core and of all; false: its events were not counted. */
static bool put_rate(const struct mpj_group *g, unsigned metric, const struct mpj_run *run, FILE *f)
{
    const bool percent = strcmp(g->metric[metric].unit, "%") == 0;
    char cell[MPJ_CORES_MAX + 1][CELL_MAX];
    bool any = false;

    for (unsigned k = 0; k <= MPJ_CORES_MAX; k++) {
        const struct mpj_figure v =
            mpj_group_figure(g, metric, run, k == MPJ_CORES_MAX ? -1 : (int)k, true);
        snprintf(cell[k], CELL_MAX, "-");
        if (!isfinite(v.value))
            continue;
        any = true;
        snprintf(cell[k], CELL_MAX, "%s%.*f%s", v.estimate ? "~" : "", g->metric[metric].decimals,
                 v.value, percent ? " %" : "");
    }
    if (!any || f == NULL)
        return any;
    fprintf(f, " %-*.*s", LABEL, LABEL, g->metric[metric].name);
    for (unsigned k = 0; k <= MPJ_CORES_MAX; k++) {
        if (k == MPJ_CORES_MAX || run->core[k].present)
            fprintf(f, "%*s", CELL, cell[k]);
    }
    fputc('\n', f);
    return true;
}

static bool is_rate(const struct mpj_metric *m)
{
    return m->scope == MPJ_METRIC_CORE && m->decimals > 0;
}

static unsigned rates(const struct mpj_group *g, const struct mpj_run *run)
{
    unsigned n = 0;

    for (unsigned i = 0; i < g->metrics; i++)
        n += is_rate(&g->metric[i]) && put_rate(g, i, run, NULL);
    return n;
}

static void put_cores(const struct mpj_group *g, const struct mpj_run *run, unsigned rows, FILE *f)
{
    if (rows == 0)
        return;
    fprintf(f, "\n%-*s", LABEL + 1, "Cores");
    for (unsigned k = 0; k < MPJ_CORES_MAX; k++) {
        if (run->core[k].present)
            fprintf(f, "   core %u", k);
    }
    fprintf(f, "%*s\n", CELL, "all");
    for (unsigned i = 0; i < g->metrics && rows > 0; i++) {
        if (is_rate(&g->metric[i]) && put_rate(g, i, run, f))
            rows--;
    }
}

/* ---- further commands ----------------------------------------------------------------- */

/*
 * A rule examines one aspect, and if it finds something, names it, the command that shows more of
 * it, and the possible gain, as a share of the run. These are rules of thumb: they are used only to
 * order the list.
 */
struct hint {
    double worth;
    char *text;    /* a line */
    char *command; /* another */
    char *what_if; /* as hint_each gets it; NULL: none */
};

struct hints {
    const struct mpj_report *r;
    struct hint found[FOUND];
    unsigned n;
};

static const char *file_of(const struct hints *h)
{
    if (h->r->name != NULL)
        return h->r->name;
    return h->r->file != NULL ? h->r->file : "run.mpj";
}

/* Adds a hint. options: of `mpjoule report`, followed by a name or NULL. */
static void add(struct hints *h, double worth, char *text, const char *options, const char *name)
{
    struct hint *const x = &h->found[h->n];
    size_t size = 0;
    FILE *f;

    x->command = x->what_if = NULL;
    f = text != NULL && h->n < FOUND ? open_memstream(&x->command, &size) : NULL;
    if (f == NULL) {
        free(text);
        return;
    }
    fprintf(f, "mpjoule report %s ", options);
    if (name != NULL) {
        mpj_given_word(name, f);
        fputc(' ', f);
    }
    mpj_given_word(file_of(h), f);
    fclose(f);
    clip(text, COLUMNS - 2);
    x->worth = worth;
    x->text = text;
    h->n++;
}

__attribute__((format(printf, 1, 2))) static char *line(const char *format, ...)
{
    va_list ap;
    char *text = NULL;

    va_start(ap, format);
    if (vasprintf(&text, format, ap) < 0)
        text = NULL;
    va_end(ap);
    return text;
}

/* Adds the change that estimates the gain, to the hint that was added as the nth; what_if is
 * allocated. Only the emulator can change a cost. */
static void add_what_if(struct hints *h, unsigned nth, char *what_if)
{
    const struct mpj_run *const run = h->r->run;

    if (h->n == nth + 1U && run->target != NULL && strcmp(run->target, "sim") == 0 &&
        run->program != NULL && mpj_given_option(&run->given, "what-if") == NULL)
        h->found[nth].what_if = what_if;
    else
        free(what_if);
}

static double lives(const struct mpj_run *run)
{
    double sum = 0.0;

    for (unsigned i = 0; i < run->threads; i++)
        sum += run->thread[i].life_s;
    return sum;
}

/* Examines a failure: the waits between threads, or the places of threads. */
static void look_at_failure(struct hints *h)
{
    const struct mpj_run *const run = h->r->run;

    if (run->outcome == MPJ_E_OK || (run->threads == 0 && !(run->partial && run->have_truth)))
        return;
    if (run->error_code == MPJ_TERR_DEADLOCK)
        add(h, 9.0, line("It ended in a deadlock: who waited for whom before"), "--view sync",
            NULL);
    else
        add(h, 9.0, line("It failed: what each thread did until then"), "--view threads", NULL);
}

/* True for a wait for a lock that --what-if can remove. */
static bool is_lock(const struct mpj_wait_result *w)
{
    static const char *const kinds[] = {"mutex", "rwlock", "omp critical", "omp lock"};

    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (w->object_name != NULL && strcmp(mpj_wait_name(w->kind), kinds[i]) == 0)
            return true;
    }
    return false;
}

static void look_at_waits(struct hints *h)
{
    const struct mpj_run *const run = h->r->run;
    const double all = lives(run);
    struct wait_groups g;
    struct mpj_err ignored;
    char object[64];

    if (waits_group(run, &g, &ignored) == MPJ_E_OK) {
        for (unsigned i = 0; i < g.n && all > 0; i++) {
            const struct wait_group *const w = &g.group[i];
            const bool named = w->wait[0]->object_name != NULL;
            const unsigned nth = h->n;
            if (!mpj_wait_is_block(w->wait[0]->kind))
                continue;
            if (w->total_s / all >= 0.02)
                add(h, w->total_s / all,
                    line("Waits for %s%s%s: %.3f ms, %.1f %% of the threads' lives",
                         mpj_wait_name(w->wait[0]->kind), named ? " " : "",
                         named ? waits_object(w->wait[0], object, sizeof(object)) : "",
                         w->total_s * 1e3, 100.0 * w->total_s / all),
                    "--view sync", NULL);
            if (is_lock(w->wait[0]))
                add_what_if(h, nth, line("lock:%s=free", w->wait[0]->object_name));
            break; /* the longest */
        }
    }
    waits_free(&g);
}

static void look_at_cores(struct hints *h)
{
    const struct mpj_run *const run = h->r->run;
    const unsigned cores = cores_used(run);
    double alone;
    const double mean = cores_at_work(run, &alone);

    if (!run->have_parallel || cores < 2 || mean > 0.9 * cores)
        return;
    add(h, 0.8 * (1.0 - mean / cores),
        line("Idle cores: %.2f of %u on average; only one busy %.1f %% of the time", cores - mean,
             cores, 100.0 * alone),
        "--view timeline", NULL);
}

static void look_at_regions(struct hints *h)
{
    const struct mpj_run *const run = h->r->run;
    const struct mpj_region_result *top = NULL;
    double all = 0.0;

    for (unsigned i = 0; i < run->regions; i++) {
        const struct mpj_region_result *const g = &run->region[i];
        all += g->run_s;
        if (g->fn.address != 0 && (top == NULL || text_by_region_cost(&g, &top) < 0))
            top = g;
    }
    if (top == NULL || all <= 0 || top->run_s < 0.1 * all)
        return;
    add(h, 0.5 * top->run_s / all + top->imbalance * top->run_s / all,
        line("Region %.40s: %.1f %% of the threads' time, imbalance %.1f %%", top->name,
             100.0 * top->run_s / all, 100.0 * top->imbalance),
        "--view regions --details", NULL);
}

/* Examines the function with the highest self cost, and the most that other functions could
 * save. */
static void look_at_functions(struct hints *h)
{
    const struct mpj_profile *const p = h->r->run->profile;
    struct mpj_prof_table t;
    struct mpj_prof_sort by;
    struct mpj_err ignored;
    double all = 0.0;
    const struct mpj_prof_row *top = NULL;

    if (p == NULL || mpj_profile_sort(p, NULL, &by, &ignored) != MPJ_E_OK || by.item < 0)
        return;
    if (mpj_profile_table(p, MPJ_BY_FUNC, &t, &ignored) == MPJ_E_OK) {
        mpj_profile_order(p, &t, by);
        for (unsigned i = 0; i < t.rows; i++) {
            if (p->func[t.row[i].func].kind == MPJ_FUNC_IDLE)
                continue;
            all += (double)t.row[i].self[by.item];
            top = top == NULL ? &t.row[i] : top;
        }
        if (top != NULL && all > 0 && (double)top->self[by.item] > 0) {
            const struct mpj_prof_func *const func = &p->func[top->func];
            const unsigned nth = h->n;
            add(h, 0.6 * (double)top->self[by.item] / all,
                line("Function %.40s: %.1f %% of the %s of all functions", p->func[top->func].label,
                     100.0 * (double)top->self[by.item] / all,
                     by.item == p->energy ? "energy" : "time"),
                "--view calls -F", func->label);
            if (func->kind == MPJ_FUNC_PROGRAM)
                add_what_if(h, nth, line("function:%s=0.5", func->name));
        }
    }
    mpj_profile_table_free(&t);
}

static double counted(const struct mpj_run *run, int row)
{
    const struct mpj_value v = mpj_run_total(run, row);

    return v.present ? (double)v.value : NAN;
}

/* Adds a command that shows an event's functions, if any does. */
static void add_event(struct hints *h, double worth, char *text, int row)
{
    const char *const event = mpj_event_table(&(size_t){0})[row].name;
    const struct mpj_profile *const p = h->r->run->profile;
    const int item = p != NULL ? mpj_profile_item(p, event) : MPJ_PROF_NONE;

    if (item >= 0 && p->sum[item] > 0)
        add(h, worth, text, "--view functions --sort", event);
    else
        add(h, worth, text, "--view cores", NULL);
}

static void look_at_events(struct hints *h)
{
    const struct mpj_run *const run = h->r->run;
    const double misses = counted(run, MPJ_ROW_DCACHE_RD_MISS) / counted(run, MPJ_ROW_DCACHE_RD);
    double running = 0.0;
    double stalled;

    for (unsigned k = 0; k < MPJ_CORES_MAX; k++) {
        if (run->core[k].present && run->core[k].have_wfi)
            running += (double)run->core[k].cycles - (double)run->core[k].wfi_cycles;
    }
    stalled = counted(run, MPJ_ROW_DDEP_STALL) / running;
    if (isfinite(misses) && misses >= 0.02) {
        const unsigned nth = h->n;
        add_event(h, fmin(5.0 * misses, 0.7),
                  line("%.2f %% of data cache reads miss", 100.0 * misses), MPJ_ROW_DCACHE_RD_MISS);
        add_what_if(h, nth, line("miss:l1d=0"));
    }
    if (isfinite(stalled) && stalled >= 0.4)
        add_event(
            h, 0.4 * stalled,
            line("%.1f %% of the cycles wait for data of an instruction before", 100.0 * stalled),
            MPJ_ROW_DDEP_STALL);
}

static void look_at_host(struct hints *h)
{
    const struct mpj_run *const run = h->r->run;
    const double all = lives(run);
    double host = 0.0;

    for (unsigned i = 0; i < run->threads; i++)
        host += run->thread[i].host_s;
    if (all > 0 && host >= 0.1 * all)
        add(h, host / all,
            line("Input and output: %.1f %% of the threads' lives", 100.0 * host / all),
            "--view threads", NULL);
}

/* Examines memory: if little is left, the next larger input may not fit. */
static void look_at_memory(struct hints *h)
{
    const struct mpj_run *const run = h->r->run;
    const struct mpj_thread_result *const t = fullest_stack(run);

    if (t != NULL && (double)t->stack_used_bytes >= 0.75 * (double)t->stack_bytes)
        add(h, 1.0,
            line("Stack of %u %.30s: %.0f %% used", t->id, t->name,
                 100.0 * (double)t->stack_used_bytes / (double)t->stack_bytes),
            "--view memory", NULL);
    if (run->have_memory && run->heap_room > 0 &&
        (double)run->heap_peak >= 0.75 * (double)run->heap_room)
        add(h, 1.0,
            line("Heap: %.0f %% used", 100.0 * (double)run->heap_peak / (double)run->heap_room),
            "--view memory", NULL);
}

static int by_worth(const void *a, const void *b)
{
    const struct hint *const x = a;
    const struct hint *const y = b;

    return x->worth != y->worth ? (x->worth < y->worth) - (x->worth > y->worth)
                                : strcmp(x->text, y->text);
}

static void drop(struct hint *x)
{
    free(x->text);
    free(x->command);
    free(x->what_if);
}

/* Drops repeated commands: each is listed once, with its highest gain. */
static void drop_repeated(struct hints *h)
{
    unsigned kept = 0;

    for (unsigned i = 0; i < h->n; i++) {
        unsigned k = 0;
        while (k < kept && strcmp(h->found[k].command, h->found[i].command) != 0)
            k++;
        if (k < kept)
            drop(&h->found[i]);
        else
            h->found[kept++] = h->found[i];
    }
    h->n = kept;
}

static void find_hints(struct hints *h)
{
    look_at_failure(h);
    look_at_waits(h);
    look_at_cores(h);
    look_at_regions(h);
    look_at_functions(h);
    look_at_events(h);
    look_at_host(h);
    look_at_memory(h);
    qsort(h->found, h->n, sizeof(h->found[0]), by_worth);
    drop_repeated(h);
}

void hints_of(const struct mpj_report *r, hint_each *each, void *ctx)
{
    struct hints h = {.r = r};

    find_hints(&h);
    for (unsigned i = 0; i < h.n; i++) {
        each(ctx, h.found[i].text, h.found[i].command, h.found[i].what_if);
        drop(&h.found[i]);
    }
}

void hint_command(const struct mpj_run *run, const char *what_if, FILE *f)
{
    char *more = NULL;
    size_t size = 0;
    FILE *const memory = open_memstream(&more, &size);

    if (memory == NULL)
        return;
    fputs("what-if=", memory);
    mpj_given_word(what_if, memory);
    if (fclose(memory) == 0)
        mpj_given_command(&run->given, run->program, more, f);
    free(more);
}

static void put_hints(const struct hints *h, unsigned shown, FILE *f)
{
    const struct mpj_run *const run = h->r->run;
    const bool modelled = run->target != NULL && strcmp(run->target, "sim") == 0;

    fputs("\nLook next\n", f);
    for (unsigned i = 0; i < shown; i++)
        fprintf(f, "  %s\n    %s\n", h->found[i].text, h->found[i].command);
    if (run->profile == NULL && run->complete && run->program != NULL &&
        mpj_given_option(&run->given, "what-if") == NULL) {
        fputs("  Functions: ", f);
        mpj_given_command(&run->given, run->program, modelled ? "functions" : "samples", f);
        fputc('\n', f);
    }
    fputs("  All of it: mpjoule report --details ", f);
    mpj_given_word(file_of(h), f);
    fputc('\n', f);
}

/* ---- */

static int put_screen(const struct mpj_report *r, const struct mpj_group *g, FILE *out,
                      struct mpj_err *err)
{
    struct hints h = {.r = r};
    char *top = NULL;
    size_t size = 0;
    unsigned used;
    unsigned rows = rates(g, r->run);
    unsigned shown;
    FILE *const f = open_memstream(&top, &size);

    if (f == NULL)
        return mpj_err_nomem(err);
    put_head(r->run, f);
    put_facts(r->run, f);
    if (fclose(f) != 0) {
        free(top);
        return mpj_err_nomem(err);
    }
    find_hints(&h);
    shown = h.n < HINTS ? h.n : HINTS;
    rows = rows < ROWS_MOST ? rows : ROWS_MOST;
    /* two lines before the cores, two before the hints, two after them */
    for (used = lines_of(top) + 6U; used + rows + 2U * shown > LINES && (rows > 2 || shown > 1);) {
        if (rows > 2 && (rows > 3 || shown < 2))
            rows--;
        else
            shown--;
    }
    fputs(top, out);
    free(top);
    put_cores(g, r->run, rows, out);
    put_hints(&h, shown, out);
    for (unsigned i = 0; i < h.n; i++)
        drop(&h.found[i]);
    return MPJ_E_OK;
}

static int put_summary(const struct mpj_report *r, FILE *out, struct mpj_err *err)
{
    struct mpj_group *g;
    int result;

    if (r->details)
        return text_details(r->run, out, err);
    if (text_metrics(&g, err) != MPJ_E_OK)
        return err->code;
    result = put_screen(r, g, out, err);
    mpj_group_free(g);
    return result;
}

const struct mpj_view view_summary = {MPJ_VIEW_SUMMARY, MPJ_NEEDS_RUN, put_summary, NULL, NULL};
