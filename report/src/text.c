/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mpj_report.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report_int.h"

#define LABEL_WIDTH 34
#define CELL_WIDTH  15
#define CELL_MAX    40

/* ---- cells ------------------------------------------------------------------ */

/* 1234567 as 1,234,567. */
static void digits(char *out, uint64_t v)
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

/* A table row: NULL cells are shown as "-". */
static void row(FILE *f, const char *label, char cell[][CELL_MAX], unsigned n)
{
    fprintf(f, "  %-*s", LABEL_WIDTH, label);
    for (unsigned i = 0; i < n; i++)
        fprintf(f, "%*s", CELL_WIDTH, cell[i][0] != '\0' ? cell[i] : "-");
    fputc('\n', f);
}

/* ---- metrics of a core ------------------------------------------------------ */

/* One core, or all of them together in the last column. */
struct column {
    uint64_t cycles, wfi;
    bool have_wfi;
    double model_uj; /* NAN: no model */
    struct mpj_value ev[MPJ_RUN_EVENTS_MAX];
};

struct table {
    unsigned n; /* columns; the last is the sum when there is more than one core */
    struct column col[MPJ_CORES_MAX + 1];
    char head[MPJ_CORES_MAX + 1][CELL_MAX];
};

static void make_table(struct table *t, const struct mpj_run *run)
{
    size_t events;
    struct column *sum;

    mpj_event_table(&events);
    memset(t, 0, sizeof(*t));
    for (unsigned k = 0; k < MPJ_CORES_MAX; k++) {
        const struct mpj_core_result *const core = &run->core[k];
        if (!core->present)
            continue;
        struct column *const c = &t->col[t->n];
        snprintf(t->head[t->n], CELL_MAX, "core %u", k);
        c->cycles = core->cycles;
        c->wfi = core->wfi_cycles;
        c->have_wfi = core->have_wfi;
        memcpy(c->ev, core->ev, sizeof(c->ev));
        c->model_uj = run->model.present ? core->energy_uj : NAN;
        t->n++;
    }
    if (t->n < 2)
        return;
    sum = &t->col[t->n];
    sum->have_wfi = true;
    sum->model_uj = run->model.present ? run->model.energy_uj : NAN;
    for (unsigned k = 0; k < t->n; k++) {
        sum->cycles += t->col[k].cycles;
        sum->wfi += t->col[k].wfi;
        sum->have_wfi = sum->have_wfi && t->col[k].have_wfi;
    }
    for (size_t i = 0; i < events; i++)
        sum->ev[i] = mpj_run_total(run, (int)i);
    snprintf(t->head[t->n], CELL_MAX, "all");
    t->n++;
}

static struct mpj_value event(const struct column *c, const char *name)
{
    return c->ev[mpj_event_index(name)];
}

/* Sum of two events, present when both are. */
static bool pair(const struct column *c, const char *a, const char *b, uint64_t *out)
{
    const struct mpj_value va = event(c, a);
    const struct mpj_value vb = event(c, b);

    *out = va.value + vb.value;
    return va.present && vb.present;
}

enum metric {
    M_CYCLES,
    M_BUSY,
    M_EVENT,        /* a */
    M_PER_CYCLE,    /* a / cycles not waiting */
    M_SHARE_CYCLES, /* a in % of cycles not waiting */
    M_SHARE,        /* a in % of b */
    M_SHARE_ALL,    /* a in % of a + b */
    M_PER_1000,     /* a per 1000 instructions */
    M_DMISS,        /* data cache misses in % of accesses */
    M_ENERGY,       /* by the model */
};

struct metric_row {
    const char *label;
    enum metric kind;
    const char *a, *b;
};

static bool ratio(const struct column *c, const struct metric_row *m, double *out)
{
    const uint64_t busy = c->cycles - (c->have_wfi ? c->wfi : 0);
    uint64_t top = 0;
    uint64_t bottom = 0;
    double factor = 100.0;
    bool ok = false;

    switch (m->kind) {
    case M_PER_CYCLE:
        factor = 1.0;
        /* fall through */
    case M_SHARE_CYCLES:
        ok = event(c, m->a).present;
        top = event(c, m->a).value;
        bottom = busy;
        break;
    case M_SHARE:
        ok = event(c, m->a).present && event(c, m->b).present;
        top = event(c, m->a).value;
        bottom = event(c, m->b).value;
        break;
    case M_SHARE_ALL:
        ok = pair(c, m->a, m->b, &bottom);
        top = event(c, m->a).value;
        break;
    case M_PER_1000:
        ok = event(c, m->a).present && event(c, "instr").present;
        top = event(c, m->a).value;
        bottom = event(c, "instr").value;
        factor = 1000.0;
        break;
    case M_DMISS:
        ok = pair(c, "dcache_rd_miss", "dcache_wr_miss", &top) &&
             pair(c, "dcache_rd", "dcache_wr", &bottom);
        break;
    default:
        break;
    }
    if (!ok || bottom == 0)
        return false;
    *out = factor * (double)top / (double)bottom;
    return true;
}

/* Whether an estimate is in it: an event that was counted in turn. */
static bool scaled(const struct column *c, const struct metric_row *m)
{
    static const char *const misses[] = {"dcache_rd_miss", "dcache_wr_miss", "dcache_rd",
                                         "dcache_wr"};
    const char *const also = m->kind == M_PER_1000 ? "instr" : m->b;
    bool any = (m->a != NULL && event(c, m->a).coverage < 1.0) ||
               (also != NULL && event(c, also).coverage < 1.0);

    for (size_t i = 0; m->kind == M_DMISS && i < sizeof(misses) / sizeof(misses[0]); i++)
        any = any || event(c, misses[i]).coverage < 1.0;
    return any;
}

static bool cell_of(const struct column *c, const struct metric_row *m, char *out)
{
    struct mpj_value v;
    double r;

    out[0] = '\0';
    switch (m->kind) {
    case M_CYCLES:
        digits(out, c->cycles);
        return true;
    case M_BUSY:
        if (!c->have_wfi || c->cycles == 0)
            return false;
        snprintf(out, CELL_MAX, "%.1f %%",
                 100.0 * (double)(c->cycles - c->wfi) / (double)c->cycles);
        return true;
    case M_ENERGY:
        if (!isfinite(c->model_uj))
            return false;
        snprintf(out, CELL_MAX, "%.4f", c->model_uj / 1e3);
        return true;
    case M_EVENT:
        v = event(c, m->a);
        if (v.present) {
            if (v.coverage < 1.0)
                *out++ = '~'; /* scaled: an estimate */
            digits(out, v.value);
        }
        return v.present;
    default:
        if (!ratio(c, m, &r))
            return false;
        if (scaled(c, m))
            *out++ = '~';
        if (m->kind == M_PER_CYCLE || m->kind == M_PER_1000)
            snprintf(out, CELL_MAX - 1, "%.3f", r);
        else
            snprintf(out, CELL_MAX - 1, "%.2f %%", r);
        return true;
    }
}

/* Rows that nothing was counted for are left out. */
static void metric_rows(FILE *f, const struct table *t, const struct metric_row *m, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char cell[MPJ_CORES_MAX + 1][CELL_MAX];
        bool any = false;
        for (unsigned k = 0; k < t->n; k++)
            any = cell_of(&t->col[k], &m[i], cell[k]) || any;
        if (any)
            row(f, m[i].label, cell, t->n);
    }
}

/* ---- sections --------------------------------------------------------------- */

static void section_head(const struct mpj_run *run, FILE *f)
{
    const bool modelled = run->target != NULL && strcmp(run->target, "sim") == 0;
    char cycles[CELL_MAX];

    fprintf(f, "Program      %s", run->program != NULL ? run->program : "(unknown)");
    if (run->arguments != NULL && run->arguments[0] != '\0')
        fprintf(f, " %s", run->arguments);
    if (run->firmware_sha256 != NULL)
        fprintf(f, "  (sha256 %.12s)", run->firmware_sha256);
    if (run->calibration != NULL && strcmp(run->calibration, "none") == 0) {
        fprintf(f, "\nRun on       an emulator without a model: nothing measured, its time means "
                   "little\n");
    } else {
        fprintf(f, "\nMeasured on  %s%s", modelled ? "the modelled chip: " : "",
                modelled              ? "emulated " TILE_NAME
                : run->target != NULL ? run->target
                                      : "(unknown)");
        if (run->cores > 0)
            fprintf(f, ", %u cores at %.0f MHz", run->cores, run->clock_hz / 1e6);
        if (run->calibration != NULL)
            fprintf(f, ", calibration %s", run->calibration);
        if (run->quantum != NULL)
            fprintf(f, ", quantum %s", run->quantum);
        if (run->seed != NULL)
            fprintf(f, ", seed %s", run->seed);
        fputc('\n', f);
    }
    if (run->complete) {
        digits(cycles, run->cycles);
        fprintf(f, "Time         %.6f s", run->time_s);
        if (run->cycles > 0)
            fprintf(f, " (%s core clock cycles)", cycles);
        if (run->passes > 1)
            fprintf(f, ", %u passes of the same program", run->passes);
        fputc('\n', f);
    }
    if (isfinite(mpj_run_overhead(run))) {
        digits(cycles, (uint64_t)(run->bare.time_s * run->clock_hz + 0.5));
        fprintf(f, "Overhead     %+.2f %% (without profiling %.6f s, %s core clock cycles",
                mpj_run_overhead(run), run->bare.time_s, cycles);
        if (run->have_truth && run->bare.instr > 0)
            fprintf(f, "; instructions %+.2f %%",
                    100.0 * ((double)mpj_run_true_instr(run) / (double)run->bare.instr - 1.0));
        fputs(")\n", f);
    }
    if (run->outcome != MPJ_E_OK)
        fprintf(f, "Failed       %s\n", run->message != NULL ? run->message : "the log is cut off");
    else if (run->have_exit)
        fprintf(f, "Exit status  %d\n", run->exit_status);
    if (run->dropped > 0)
        fprintf(f, "Incomplete   the target dropped %" PRIu64 " records for want of memory\n",
                run->dropped);
}

static const struct metric_row core_metrics[] = {
    {"cycles", M_CYCLES, NULL, NULL},
    {"busy (rest: waiting in WFI)", M_BUSY, NULL, NULL},
    {"instructions", M_EVENT, "instr", NULL},
    {"instructions per busy cycle (IPC)", M_PER_CYCLE, "instr", NULL},
    {"stalled on data dependencies", M_SHARE_CYCLES, "ddep_stall", NULL},
    {"stalled on instruction fetch", M_SHARE_CYCLES, "ifetch_stall", NULL},
    {"stalled on a full load/store queue", M_SHARE_CYCLES, "lsu_stall", NULL},
    {"data cache reads", M_EVENT, "dcache_rd", NULL},
    {"data cache writes", M_EVENT, "dcache_wr", NULL},
    {"data cache miss rate", M_DMISS, NULL, NULL},
    {"data cache read miss rate", M_SHARE, "dcache_rd_miss", "dcache_rd"},
    {"data cache write miss rate", M_SHARE, "dcache_wr_miss", "dcache_wr"},
    {"data cache read misses", M_EVENT, "dcache_rd_miss", NULL},
    {"instr. cache misses / 1000 instr.", M_PER_1000, "icache_miss", NULL},
    {"branches mispredicted", M_SHARE, "branch_mispred", "branch"},
    {"main TLB misses", M_EVENT, "tlb_miss", NULL},
    {"energy by the model, mJ", M_ENERGY, NULL, NULL},
};

static void section_cores(const struct mpj_run *run, FILE *f)
{
    struct table t;

    make_table(&t, run);
    if (t.n == 0)
        return;
    fprintf(f, "\nCores\n");
    row(f, "", t.head, t.n);
    metric_rows(f, &t, core_metrics, sizeof(core_metrics) / sizeof(core_metrics[0]));
}

static void chip_line(FILE *f, const char *label, const struct mpj_value *v)
{
    char text[CELL_MAX];

    if (!v->present)
        return;
    digits(text, v->value);
    fprintf(f, "  %-*s%*s\n", LABEL_WIDTH, label, CELL_WIDTH, text);
}

static void chip_share(FILE *f, const char *label, const struct mpj_run *run, const char *part,
                       const char *whole)
{
    const struct mpj_value a = run->chip[mpj_event_index(part)];
    const struct mpj_value b = run->chip[mpj_event_index(whole)];
    char text[CELL_MAX];

    if (!a.present || !b.present || b.value == 0)
        return;
    snprintf(text, sizeof(text), "%.2f %%", 100.0 * (double)a.value / (double)b.value);
    fprintf(f, "  %-*s%*s\n", LABEL_WIDTH, label, CELL_WIDTH, text);
}

static void section_chip(const struct mpj_run *run, FILE *f)
{
    struct mpj_value c2c = {.coverage = 1.0};
    bool any = false;

    for (unsigned i = 0; i < MPJ_RUN_EVENTS_MAX; i++)
        any = any || run->chip[i].present;
    if (!any)
        return;
    for (unsigned k = 0; k < MPJ_CORES_MAX; k++) {
        const struct mpj_value *v = &run->chip[mpj_event_index("scu_c2c_cpu0") + (int)k];
        c2c.present = v->present;
        c2c.value += v->value;
        if (!v->present)
            break;
    }
    fprintf(f, "\nShared parts of the chip\n");
    chip_line(f, "lines fetched from another core", &c2c);
    chip_line(f, "lines migrated between cores", &run->chip[mpj_event_index("scu_migration")]);
    chip_line(f, "reads sent beyond the SCU", &run->chip[mpj_event_index("scu_ext_rd")]);
    chip_line(f, "writes sent beyond the SCU", &run->chip[mpj_event_index("scu_ext_wr")]);
    chip_line(f, "L2 data reads", &run->chip[mpj_event_index("l2_drreq")]);
    chip_share(f, "L2 data read hit rate", run, "l2_drhit", "l2_drreq");
    chip_line(f, "L2 data writes", &run->chip[mpj_event_index("l2_dwreq")]);
    chip_share(f, "L2 data write hit rate", run, "l2_dwhit", "l2_dwreq");
    chip_share(f, "L2 instruction read hit rate", run, "l2_irhit", "l2_irreq");
}

static void rail_line(FILE *f, const char *name, const struct mpj_rail *r, double time_s)
{
    fprintf(f, "  %-12s%11.4f V%11.2f mA%11.2f mW%13.4f mJ\n", name, r->v_avg_uv / 1e6,
            r->i_avg_ua / 1e3, time_s > 0 ? r->energy_uj / time_s / 1e3 : 0.0, r->energy_uj / 1e3);
}

static void section_model(const struct mpj_run *run, FILE *f)
{
    const struct mpj_run_model *const m = &run->model;

    if (!m->present)
        return;
    fprintf(f, "\nPower, by model %s from counters alone\n  %-12s%40.2f mW%13.4f mJ\n", m->name,
            "processor", m->power_mw, m->energy_uj / 1e3);
    if (isfinite(m->adc_percent)) {
        fprintf(f, "  %+.2f %% against the ADC's %u samples", m->adc_percent, run->adc_samples);
        if (isfinite(m->stated_percent))
            fprintf(f, "%s the model's stated error of %.2f %%",
                    fabs(m->adc_percent) > m->stated_percent ? ": MORE than" : ", within",
                    m->stated_percent);
        fputc('\n', f);
    }
    if (m->outside[0] != '\0')
        fprintf(f, "  outside the range the model was fitted to: %s\n", m->outside);
}

static void section_energy(const struct mpj_run *run, FILE *f)
{
    if (!run->have_adc) {
        if (run->complete && run->adc_period_s > 0)
            fprintf(f,
                    "\nEnergy: not measured (the run of %.3f ms is shorter than the sampling "
                    "period of %.3f ms; see --sample-ms)\n",
                    run->time_s * 1e3, run->adc_period_s * 1e3);
        return;
    }
    fprintf(f, "\nPower, by the tile's ADC (%u samples, one every %g ms%s", run->adc_samples,
            run->adc_period_s * 1e3, run->adc_lost > 0 ? ", some lost" : "");
    fprintf(f, ")\n  %-12s%13s%14s%14s%16s\n", "", "voltage", "current", "power", "energy");
    rail_line(f, "processor", &run->processor, run->time_s);
    rail_line(f, "PLL", &run->pll, run->time_s);
}

static double error_percent(double measured, double truth)
{
    return 100.0 * (measured - truth) / truth;
}

/* "measured, true, error" of one quantity; nothing when one of them is missing. */
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

/* The calibration's equation was asked for more than it says. */
static void truth_bound(const struct mpj_run *run, FILE *f)
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
        "  Warning: for %.1f %% of the time that cores ran, calibration %s would give less energy "
        "than in\n  WFI; its equation does not hold there, and WFI's energy is taken.\n",
        100.0 * (double)bounded / (double)busy, run->calibration != NULL ? run->calibration : "?");
}

static void section_truth(const struct mpj_run *run, FILE *f)
{
    static const char *const shown[] = {"instr",          "ddep_stall", "dcache_rd",
                                        "dcache_rd_miss", "dcache_wr",  "dcache_wr_miss"};
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
        const int e = mpj_event_index(shown[i]);
        const struct mpj_value v = mpj_run_total(run, e);
        double truth = 0.0;
        if (!v.present)
            continue;
        for (unsigned k = 0; k < MPJ_CORES_MAX; k++) {
            if (run->core[k].present && run->core[k].ev[e].present)
                truth += (double)t->core[k].ev[e].value;
        }
        truth_line(f, shown[i], (double)v.value, truth, "%.0f");
    }
    truth_bound(run, f);
}

/* A line for each thread. */
static void report_deadlock(const char *text, FILE *f)
{
    static const char between[] = "; ";
    const char *end;

    for (; (end = strstr(text, between)) != NULL; text = end + strlen(between))
        fprintf(f, "  %.*s\n", (int)(end - text), text);
    fprintf(f, "  %s\n", text);
}

/* What the processor says of an abort (ARM1136, fault status registers). */
static const char *status_text(uint32_t status, bool fetch)
{
    switch ((status & 0x400U) >> 6 | (status & 0xfU)) {
    case 0x01:
        return ": the address is not aligned";
    case 0x05:
    case 0x07:
        return ": nothing is mapped there";
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
                status_text(run->fault_dfsr, false));
    if (run->fault_kind == MPJ_FAULT_PREFETCH)
        fprintf(f, "  address      0x%08x, status 0x%03x%s\n", run->fault_ifar, run->fault_ifsr,
                status_text(run->fault_ifsr, true));
    if (run->fault_regs != NULL && strlen(run->fault_regs) == 16 * 9 - 1) {
        static const char *const name[16] = {"r0", "r1", "r2",  "r3",  "r4",  "r5", "r6", "r7",
                                             "r8", "r9", "r10", "r11", "r12", "sp", "lr", "pc"};
        for (unsigned i = 0; i < 16; i++)
            fprintf(f, "  %4s %.8s%s", name[i], run->fault_regs + (size_t)9 * i,
                    i % 4 == 3 ? "\n" : "");
        fprintf(f, "  cpsr %08x\n", run->fault_cpsr);
    }
    for (unsigned i = 0; i < run->frames; i++) {
        const struct mpj_frame_line *const l = &run->frame[i];
        fprintf(f, "  #%-2u 0x%08x", i, l->address);
        if (l->function != NULL)
            fprintf(f, " %s+0x%x", l->function, l->offset);
        if (l->file != NULL)
            fprintf(f, "  %s:%d", l->file, l->line);
        fputc('\n', f);
    }
}

/* ---- view "cores": everything counted --------------------------------------- */

static void all_events(const struct mpj_run *run, FILE *f)
{
    static const char *const title[MPJ_SOURCE_COUNT] = {"", "SCU events", "L220 events"};
    size_t n;
    const struct mpj_event_info *const table = mpj_event_table(&n);
    struct table t;
    int source = MPJ_SOURCE_PMU;

    make_table(&t, run);
    fprintf(f, "\nEvents of each core\n");
    row(f, "", t.head, t.n);
    for (size_t i = 0; i < n && table[i].source == MPJ_SOURCE_PMU; i++) {
        const struct metric_row m = {table[i].meaning, M_EVENT, table[i].name, NULL};
        char cell[MPJ_CORES_MAX + 1][CELL_MAX];
        bool any = false;
        for (unsigned k = 0; k < t.n; k++)
            any = cell_of(&t.col[k], &m, cell[k]) || any;
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
        digits(text, run->chip[i].value);
        fprintf(f, "  %-*s%*s  %s\n", 20, table[i].name, CELL_WIDTH, text, table[i].meaning);
    }
}

int mpj_report_text(const struct mpj_run *run, enum mpj_view view, FILE *out, struct mpj_err *err)
{
    section_head(run, out);
    mpj_report_fault(run, out);
    if (view == MPJ_VIEW_SUMMARY || view == MPJ_VIEW_CORES)
        section_cores(run, out);
    if (view == MPJ_VIEW_SUMMARY || view == MPJ_VIEW_CORES)
        rotation_text(run, out);
    if (view == MPJ_VIEW_CORES) {
        all_events(run, out);
    } else if (view != MPJ_VIEW_SUMMARY) {
        text_threads(run, view, out);
    } else {
        text_threads(run, view, out);
        section_chip(run, out);
        section_energy(run, out);
        section_model(run, out);
        section_truth(run, out);
    }
    if (fflush(out) != 0 || ferror(out))
        return mpj_err_errno(err, "cannot write the report");
    return MPJ_E_OK;
}
