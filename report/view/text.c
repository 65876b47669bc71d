/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mpj_summary_conf.h" /* generated from summary.conf */
#include "report/symbols.h"
#include "report_int.h"
#include "tile_limits.h"

#define LABEL_WIDTH 34
#define CELL_WIDTH  15
#define CELL_MAX    40
#define SCREEN      80U /* columns */

/* ---- cells ------------------------------------------------------------------ */

void text_digits(char out[TEXT_DIGITS], uint64_t v)
{
    char plain[24];
    const int n = snprintf(plain, sizeof(plain), "%" PRIu64, v);

    for (int i = 0; i < n; i++) {
        *out++ = plain[i];
        if ((n - 1 - i) % 3 == 0 && i + 1 < n)
            *out++ = ',';
    }
    *out = '\0';
}

/* Writes a table row: NULL cells are shown as "-". */
static void row(FILE *f, const char *label, char cell[][CELL_MAX], unsigned n)
{
    fprintf(f, "  %-*s", LABEL_WIDTH, label);
    for (unsigned i = 0; i < n; i++)
        fprintf(f, "%*s", CELL_WIDTH, cell[i][0] != '\0' ? cell[i] : "-");
    fputc('\n', f);
}

/* ---- metrics ---------------------------------------------------------------- */

/* Columns of a table: each core, then all together when there are several. */
struct columns {
    unsigned n;
    int core[MPJ_CORES_MAX + 1]; /* negative: all */
    char head[MPJ_CORES_MAX + 1][CELL_MAX];
};

static void make_columns(struct columns *t, const struct mpj_run *run)
{
    memset(t, 0, sizeof(*t));
    for (unsigned k = 0; k < MPJ_CORES_MAX; k++) {
        if (!run->core[k].present)
            continue;
        snprintf(t->head[t->n], CELL_MAX, "core %u", k);
        t->core[t->n++] = (int)k;
    }
    if (t->n < 2)
        return;
    snprintf(t->head[t->n], CELL_MAX, "all");
    t->core[t->n++] = -1;
}

/* Formats a metric's value, or nothing. Counts have separators, estimates a mark. */
static bool cell_of(char *out, const struct mpj_metric *m, struct mpj_figure v)
{
    out[0] = '\0';
    if (!isfinite(v.value))
        return false;
    if (v.estimate)
        *out++ = '~';
    if (m->decimals == 0)
        text_digits(out, (uint64_t)v.value);
    else
        snprintf(out, CELL_MAX - 1, "%.*f%s", m->decimals, v.value,
                 strcmp(m->unit, "%") == 0 ? " %" : "");
    return true;
}

/* Writes metrics of a scope; rows without any counts are omitted. */
static void metric_rows(FILE *f, const struct mpj_group *g, enum mpj_metric_scope scope,
                        const struct mpj_run *run, const struct columns *t)
{
    for (unsigned i = 0; i < g->metrics; i++) {
        char cell[MPJ_CORES_MAX + 1][CELL_MAX];
        bool any = false;
        if (g->metric[i].scope != scope)
            continue;
        for (unsigned k = 0; k < t->n; k++)
            any = cell_of(cell[k], &g->metric[i], mpj_group_figure(g, i, run, t->core[k], true)) ||
                  any;
        if (any)
            row(f, g->metric[i].name, cell, t->n);
    }
}

/* ---- sections --------------------------------------------------------------- */

void text_measured_on(const struct mpj_run *run, const char *wrap, FILE *f)
{
    const bool modelled = run->target != NULL && strcmp(run->target, "sim") == 0;

    if (run->calibration != NULL && strcmp(run->calibration, "none") == 0) {
        fprintf(f,
                "Run on       an emulator without a model: nothing measured,%sits time means "
                "little\n",
                wrap);
    } else {
        fprintf(f, "Measured on  %s%s", modelled ? "the modelled chip: " : "",
                modelled              ? "emulated "
                : run->target != NULL ? run->target
                                      : "(unknown)");
        if (modelled) /* the reference board has this name in results */
            fputs(strcmp(run->machine.name, TILE_BOARD_DEFAULT) == 0 ? TILE_NAME
                                                                     : run->machine.title,
                  f);
        if (run->cores > 0)
            fprintf(f, ", %u cores at %.0f MHz", run->cores, run->clock_hz / 1e6);
        if (run->calibration != NULL)
            fprintf(f, ",%scalibration %s", wrap, run->calibration);
        if (run->quantum != NULL)
            fprintf(f, ", quantum %s", run->quantum);
        if (run->seed != NULL)
            fprintf(f, ", seed %s", run->seed);
        fputc('\n', f);
    }
}

void text_time(const struct mpj_run *run, const char *of, FILE *f)
{
    char cycles[CELL_MAX];

    if (!run->complete && !run->partial)
        return;
    text_digits(cycles, run->cycles);
    fprintf(f, "Time         %.6f s", run->time_s);
    if (run->cycles > 0)
        fprintf(f, " (%s core clock cycles)", cycles);
    if (run->partial)
        fprintf(f, ", partial: %s",
                run->have_truth ? "by the emulator's truth" : "to the last sample");
    if (run->passes > 1)
        fprintf(f, ", %u passes%s", run->passes, of);
    fputc('\n', f);
}

/* Names the events that were requested and not counted, in lines of a screen's width. */
static void put_uncounted(const struct mpj_run *run, FILE *f)
{
    const struct mpj_event_info *const table = mpj_event_table(&(size_t){0});
    unsigned requested;
    const unsigned n = mpj_run_uncounted(run, &requested);
    size_t column = 0;

    if (n > 0)
        fprintf(f, "Not counted  %u of %u events, whose turn had not come (--rotate):", n,
                requested);
    for (unsigned i = 0; i < MPJ_RUN_EVENTS_MAX; i++) {
        const size_t length = run->uncounted[i] ? strlen(table[i].name) + 1 : 0;
        if (length == 0)
            continue;
        if (column == 0 || column + length > SCREEN)
            column = (size_t)fprintf(f, "\n%12s", "") - 1U;
        fprintf(f, " %s", table[i].name);
        column += length;
    }
    if (n > 0)
        fputc('\n', f);
}

void text_outcome(const struct mpj_run *run, FILE *f)
{
    if (run->outcome != MPJ_E_OK)
        fprintf(f, "Failed       %s\n", run->message != NULL ? run->message : "the log is cut off");
    else if (run->have_exit)
        fprintf(f, "Exit status  %d\n", run->exit_status);
    put_uncounted(run, f);
    if (run->dropped > 0)
        fprintf(f, "Incomplete   the target dropped %" PRIu64 " records: %s\n", run->dropped,
                run->regions > 0 ? "no memory, or regions too deep" : "out of memory");
    mpj_report_fault(run, f);
}

void text_head(const struct mpj_run *run, FILE *f)
{
    char cycles[CELL_MAX];

    fprintf(f, "Program      %s", run->program != NULL ? run->program : "(unknown)");
    if (run->arguments != NULL && run->arguments[0] != '\0')
        fprintf(f, " %s", run->arguments);
    if (run->firmware_sha256 != NULL)
        fprintf(f, "  (sha256 %.12s)", run->firmware_sha256);
    fputc('\n', f);
    text_measured_on(run, " ", f);
    text_time(run, " of the same program", f);
    if (isfinite(mpj_run_overhead(run))) {
        text_digits(cycles, (uint64_t)(run->bare.time_s * run->clock_hz + 0.5));
        fprintf(f, "Overhead     %+.2f %% (without profiling %.6f s, %s core clock cycles",
                mpj_run_overhead(run), run->bare.time_s, cycles);
        if (run->have_truth && run->bare.instr > 0)
            fprintf(f, "; instructions %+.2f %%",
                    100.0 * ((double)mpj_run_true_instr(run) / (double)run->bare.instr - 1.0));
        fputs(")\n", f);
    }
    text_outcome(run, f);
}

static void section_cores(const struct mpj_group *g, const struct mpj_run *run, FILE *f)
{
    struct columns t;

    make_columns(&t, run);
    if (t.n == 0)
        return;
    fprintf(f, "\nCores\n");
    row(f, "", t.head, t.n);
    metric_rows(f, g, MPJ_METRIC_CORE, run, &t);
}

static void section_chip(const struct mpj_group *g, const struct mpj_run *run, FILE *f)
{
    const struct columns whole = {.n = 1, .core = {-1}};
    bool any = false;

    for (unsigned i = 0; i < MPJ_RUN_EVENTS_MAX; i++)
        any = any || run->chip[i].present;
    if (!any)
        return;
    fprintf(f, "\nShared parts of the chip\n");
    metric_rows(f, g, MPJ_METRIC_CHIP, run, &whole);
}

static void rail_line(FILE *f, const char *name, const struct mpj_rail *r, double time_s)
{
    fprintf(f, "  %-12s%11.4f V%11.2f mA%11.2f mW%13.4f mJ\n", name, r->v_avg_uv / 1e6,
            r->i_avg_ua / 1e3, time_s > 0 ? r->energy_uj / time_s / 1e3 : 0.0, r->energy_uj / 1e3);
}

#define SAMPLES_TO_JUDGE 10U /* the error of a mean of fewer is not that of the model */

void text_model_verdict(const struct mpj_run *run, const char *of, FILE *f)
{
    const struct mpj_run_model *const m = &run->model;

    if (!isfinite(m->stated_percent))
        return;
    if (!m->by_meter && run->adc_samples < SAMPLES_TO_JUDGE)
        fputs(", too few samples to judge the model", f);
    else
        fprintf(f, ", %s %s stated error of %.2f %%",
                fabs(m->adc_percent) > m->stated_percent ? "MORE than" : "within", of,
                m->stated_percent);
}

static void section_model(const struct mpj_run *run, FILE *f)
{
    const struct mpj_run_model *const m = &run->model;

    if (!m->present)
        return;
    fprintf(f, "\nPower, by model %s from counters alone\n  %-12s%40.2f mW%13.4f mJ\n", m->name,
            "processor", m->power_mw, m->energy_uj / 1e3);
    if (m->interval.level > 0 && isfinite(m->interval_uj) && run->time_s > 0)
        fprintf(f, "  +- of %2g %%%43.2f mW%13.4f mJ\n", m->interval.level * 100,
                m->interval_uj / run->time_s / 1e3, m->interval_uj / 1e3);
    if (isfinite(m->adc_percent)) {
        if (m->by_meter)
            fprintf(f, "  %+.2f %% against %s", m->adc_percent, m->meter);
        else
            fprintf(f, "  %+.2f %% against the ADC's %u samples", m->adc_percent, run->adc_samples);
        text_model_verdict(run, "the model's", f);
        fputc('\n', f);
    } else if (isfinite(m->stated_percent)) {
        fprintf(f, "  the model's stated error is %.2f %%; nothing measured what it says\n",
                m->stated_percent);
    }
    if (m->outside[0] != '\0')
        fprintf(f,
                "  %s is outside the range the model was fitted to: an estimate (`mpjoule help "
                "model`: fit\n  one to programs like this)\n",
                m->outside);
}

void text_true_energy(const struct mpj_run *run, const char *before, FILE *f)
{
    const struct mpj_truth *const t = &run->truth;

    fprintf(f, "%sEnergy       %.2f mW, %.4f mJ by the emulator's truth", before,
            run->time_s > 0 ? t->energy_uj / run->time_s / 1e3 : 0.0, t->energy_uj / 1e3);
    if (run->complete && run->adc_period_us > 0)
        fprintf(f, "\n             (shorter than the ADC's period of %g ms: --sample-ms)\n",
                run->adc_period_us / 1e3);
    else
        fputc('\n', f);
}

/* Writes the readings of the external meter; without an ADC it is the only source. */
static void section_meter(const struct mpj_meter *m, FILE *f)
{
    if (!m->present)
        return;
    if (m->problem[0] != '\0') {
        fprintf(f, "  no second opinion: %s\n", m->problem);
        return;
    }
    fprintf(f, "  %-12s%41.2f mW%13.4f mJ\n", "meter", m->power_mw, m->energy_uj / 1e3);
    for (unsigned i = 0; i < m->channels; i++)
        fprintf(f, "    %-31s%20.2f mW%13.4f mJ  (read in %s)\n", m->channel[i].name,
                m->channel[i].power_mw, m->channel[i].energy_uj / 1e3, m->channel[i].unit);
    if (m->by_window)
        fprintf(f, "    %.4f W more than before and after the program, ", m->gain);
    else
        fprintf(f, "    %+.2f %% against the ADC; %.4f W for each W more of it, ", m->adc_percent,
                m->gain);
    fprintf(f,
            "correlation %.4f, %zu samples\n    its clock showed %.4f s when the program began, "
            "and is %+.1f ppm off\n",
            m->correlation, m->samples, m->offset_s, m->skew_ppm);
}

/* Writes, for a run without an ADC, the reason, or the meter's readings. */
static void section_unmeasured(const struct mpj_run *run, FILE *f)
{
    const struct mpj_meter *const m = &run->meter;

    if (run->complete && m->present && m->problem[0] == '\0')
        fputs("\nPower, by the external meter (the board has no ADC, or it took no sample)\n", f);
    else if (run->complete && run->supplies.count == 0)
        fputs("\n" TEXT_NO_POWER "\n", f);
    else if (run->have_truth)
        text_true_energy(run, "\n", f);
    else if (run->complete && run->adc_period_us > 0)
        fprintf(f,
                "\nEnergy: not measured (the run of %.3f ms is shorter than the sampling "
                "period of %.3f ms; see --sample-ms)\n",
                run->time_s * 1e3, run->adc_period_us / 1e3);
    if (m->problem[0] != '\0')
        fprintf(f, "  the external meter is not used: %s\n", m->problem);
    else
        section_meter(m, f);
}

static void section_energy(const struct mpj_run *run, FILE *f)
{
    char title[TILE_NAME_SIZE];

    if (!run->have_adc) {
        section_unmeasured(run, f);
        return;
    }
    fprintf(f, "\nPower, by the tile's ADC (%u samples, one every %g ms%s", run->adc_samples,
            run->adc_period_us / 1e3, run->adc_lost > 0 ? ", some lost" : "");
    fprintf(f, ")\n  %-12s%13s%14s%14s%16s\n", "", "voltage", "current", "power", "energy");
    for (unsigned k = 0; k < run->supplies.count; k++) {
        mpj_supply_title(&run->supplies.of[k], title);
        rail_line(f, title, &run->rail[k], run->time_s);
    }
    section_meter(&run->meter, f);
}

static double error_percent(double measured, double truth)
{
    return 100.0 * (measured - truth) / truth;
}

/* Writes "measured, true, error" of one quantity; nothing when one of them is missing. */
static void truth_line(FILE *f, const char *label, double measured, double truth,
                       const char *format)
{
    char a[CELL_MAX];
    char b[CELL_MAX];

    snprintf(a, sizeof(a), format, measured);
    snprintf(b, sizeof(b), format, truth);
    fprintf(f, "  %-*s%*s%*s", LABEL_WIDTH, label, CELL_WIDTH + 3, a, CELL_WIDTH + 3, b);
    if (truth > 0)
        fprintf(f, "%+*.3f %%", CELL_WIDTH - 2, error_percent(measured, truth));
    fputc('\n', f);
}

void text_bound(const struct mpj_run *run, FILE *f)
{
    const struct mpj_truth *const t = &run->truth;
    uint64_t bounded = 0;
    uint64_t busy = 0;

    for (unsigned k = 0; k < MPJ_CORES_MAX; k++) {
        bounded += t->core[k].bounded_cycles;
        busy += t->core[k].cycles - t->core[k].wfi_cycles;
    }
    if (bounded == 0 || bounded < busy / 100)
        return;
    fprintf(
        f,
        "  Warning: for %.1f %% of the time that cores ran, calibration %s would give\n"
        "  less energy than in WFI; its equation does not hold there, and WFI's energy is taken.\n",
        100.0 * (double)bounded / (double)busy, run->calibration != NULL ? run->calibration : "?");
}

static void section_truth(const struct mpj_run *run, FILE *f)
{
    static const int shown[] = {MPJ_ROW_INSTR,          MPJ_ROW_DDEP_STALL, MPJ_ROW_DCACHE_RD,
                                MPJ_ROW_DCACHE_RD_MISS, MPJ_ROW_DCACHE_WR,  MPJ_ROW_DCACHE_WR_MISS};
    const struct mpj_event_info *const table = mpj_event_table(&(size_t){0});
    const struct mpj_truth *const t = &run->truth;

    if (!run->have_truth || !run->complete)
        return;
    fprintf(f, "\nMeasured against the emulator's truth\n  %-*s%*s%*s%*s\n", LABEL_WIDTH, "",
            CELL_WIDTH + 3, "measured", CELL_WIDTH + 3, "true", CELL_WIDTH, "error");
    if (run->have_adc)
        truth_line(f, "processor energy (mJ)", run->processor.energy_uj / 1e3, t->energy_uj / 1e3,
                   "%.4f");
    if (run->cycles > 0)
        truth_line(f, "cycles", (double)run->cycles, (double)t->cycles, "%.0f");
    for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++) {
        const int e = shown[i];
        const struct mpj_value v = mpj_run_total(run, e);
        double truth = 0.0;
        if (!v.present)
            continue;
        for (unsigned k = 0; k < MPJ_CORES_MAX; k++) {
            if (run->core[k].present && run->core[k].ev[e].present)
                truth += (double)t->core[k].ev[e].value;
        }
        truth_line(f, table[e].name, (double)v.value, truth, "%.0f");
    }
    text_bound(run, f);
}

/* Writes a line for each thread. */
static void report_deadlock(const char *text, FILE *f)
{
    static const char between[] = "; ";
    const char *end;

    for (; (end = strstr(text, between)) != NULL; text = end + strlen(between))
        fprintf(f, "  %.*s\n", (int)(end - text), text);
    fprintf(f, "  %s\n", text);
}

/* Returns the processor's reason for an abort (ARM1136, fault status registers). */
static const char *status_text(uint32_t status, uint32_t address, bool fetch)
{
    switch ((status & 0x400U) >> 6 | (status & 0xfU)) {
    case 0x01:
        return ": the address is not aligned";
    case 0x05:
    case 0x07:
        if (address >= MPJ_FAULT_NULL_BYTES)
            return ": nothing is mapped there";
        return fetch ? ": nothing is mapped there: a call through a NULL pointer"
                     : ": nothing is mapped there: an access through a NULL pointer";
    case 0x0d:
    case 0x0f:
        return fetch ? ": data, which is not executable without PROT_EXEC (mmap, mprotect)"
                     : ": not permitted there";
    case 0x08:
    case 0x16:
        return ": the bus answered with an error";
    default:
        return "";
    }
}

/* Reports the omitted frames of the chain before the i-th of its frames. */
static void report_left_out(const struct mpj_run *run, unsigned i, FILE *f)
{
    const uint32_t from = i == 0 ? 0U : run->frame[i - 1].depth + 1U;
    const uint32_t to = run->frame[i].depth;
    const bool gap = run->chain_gap_depth >= from && run->chain_gap_depth <= to && i > 0 &&
                     run->chain_gap_depth != 0;

    if (to > from)
        fprintf(f, "  ... %" PRIu32 " frames ...\n", to - from);
    if (gap)
        fprintf(f,
                "  ... and those in %" PRIu32 " KB of stack that was not recorded, which the "
                "numbers leave out ...\n",
                (run->chain_gap_bytes + 1023U) / 1024U);
}

static void report_chain(const struct mpj_run *run, FILE *f)
{
    for (unsigned i = 0; i < run->frames; i++) {
        const struct mpj_frame_line *const l = &run->frame[i];

        report_left_out(run, i, f);
        fprintf(f, "  #%-2" PRIu32 " 0x%08x", l->depth, l->address);
        if (l->function != NULL)
            fprintf(f, " %s+0x%x", l->function, l->offset);
        if (l->file != NULL)
            fprintf(f, "  %s:%d", l->file, l->line);
        fputc('\n', f);
    }
    if (run->chain_end == MPJ_CHAIN_NO_FRAMES && run->frames > 0)
        fputs("  ... its caller is not known: there is no call frame information (-g) of this "
              "address\n",
              f);
    if (run->chain_end == MPJ_CHAIN_STACK)
        fputs("  ... its callers are not known: their stack was not recorded\n", f);
}

void mpj_report_fault(const struct mpj_run *run, FILE *f)
{
    if (run->error_code == MPJ_TERR_DEADLOCK && run->error_text != NULL)
        report_deadlock(run->error_text, f);
    if (!run->have_fault)
        return;
    fprintf(f, "  fault        %s, core %u, thread %u\n", mpj_fault_name(run->fault_kind),
            run->fault_core, run->fault_thread);
    if (run->fault_kind == MPJ_FAULT_STACK)
        fputs(
            run->fault_thread == 1
                ? "  stack        main's has 8 MB; a thread's can be larger\n"
                : "  stack        OMP_STACKSIZE or pthread_attr_setstacksize() gives a thread more "
                  "than the usual 1 MB\n",
            f);
    if (run->fault_kind == MPJ_FAULT_DATA)
        fprintf(f, "  address      0x%08x, status 0x%03x%s\n", run->fault_dfar, run->fault_dfsr,
                status_text(run->fault_dfsr, run->fault_dfar, false));
    if (run->fault_kind == MPJ_FAULT_PREFETCH)
        fprintf(f, "  address      0x%08x, status 0x%03x%s\n", run->fault_ifar, run->fault_ifsr,
                status_text(run->fault_ifsr, run->fault_ifar, true));
    if (run->fault_regs != NULL && strlen(run->fault_regs) == 16 * 9 - 1) {
        static const char *const name[16] = {"r0", "r1", "r2",  "r3",  "r4",  "r5", "r6", "r7",
                                             "r8", "r9", "r10", "r11", "r12", "sp", "lr", "pc"};
        for (unsigned i = 0; i < 16; i++)
            fprintf(f, "  %4s %.8s%s", name[i], run->fault_regs + (size_t)9 * i,
                    i % 4 == 3 ? "\n" : "");
        fprintf(f, "  cpsr %08x\n", run->fault_cpsr);
    }
    report_chain(run, f);
}

/* ---- view "cores": everything counted --------------------------------------- */

static void all_events(const struct mpj_run *run, FILE *f)
{
    static const char *const title[MPJ_SOURCE_COUNT] = {"", "SCU events", "L220 events"};
    static const struct mpj_metric count = {.decimals = 0};
    size_t n;
    const struct mpj_event_info *const table = mpj_event_table(&n);
    struct columns t;
    int source = MPJ_SOURCE_PMU;

    make_columns(&t, run);
    fprintf(f, "\nEvents of each core\n");
    row(f, "", t.head, t.n);
    for (size_t i = 0; i < n && table[i].source == MPJ_SOURCE_PMU; i++) {
        char cell[MPJ_CORES_MAX + 1][CELL_MAX];
        bool any = false;
        for (unsigned k = 0; k < t.n; k++) {
            const struct mpj_value v =
                t.core[k] < 0 ? mpj_run_total(run, (int)i) : run->core[t.core[k]].ev[i];
            any =
                cell_of(cell[k], &count,
                        (struct mpj_figure){v.present ? (double)v.value : NAN, v.coverage < 1.0}) ||
                any;
        }
        if (any)
            row(f, table[i].name, cell, t.n);
    }
    for (size_t i = 0; i < n; i++) {
        char text[CELL_MAX];
        if (!run->chip[i].present)
            continue;
        if (table[i].source != source) {
            source = table[i].source;
            fprintf(f, "\n%s\n", title[source]);
        }
        text_digits(text, run->chip[i].value);
        fprintf(f, "  %-*s%*s  %s\n", 20, table[i].name, CELL_WIDTH, text, table[i].meaning);
    }
}

int text_metrics(struct mpj_group **out, struct mpj_err *err)
{
    return mpj_group_parse(out, "summary.conf", mpj_summary_conf, err);
}

int text_details(const struct mpj_run *run, FILE *out, struct mpj_err *err)
{
    struct mpj_group *g;

    if (text_metrics(&g, err) != MPJ_E_OK)
        return err->code;
    text_head(run, out);
    section_cores(g, run, out);
    rotation_text(run, out);
    text_threads(run, out);
    text_partial_threads(run, out);
    text_memory(run, 1, out);
    section_chip(g, run, out);
    section_energy(run, out);
    section_model(run, out);
    section_truth(run, out);
    mpj_group_free(g);
    return profile_summary(run, out, err);
}

static int put_cores(const struct mpj_report *r, FILE *out, struct mpj_err *err)
{
    struct mpj_group *g;

    if (text_metrics(&g, err) != MPJ_E_OK)
        return err->code;
    text_head(r->run, out);
    section_cores(g, r->run, out);
    rotation_text(r->run, out);
    all_events(r->run, out);
    mpj_group_free(g);
    return MPJ_E_OK;
}

const struct mpj_view view_cores = {"cores", MPJ_NEEDS_RUN, put_cores, csv_cores, NULL};
