/* SPDX-License-Identifier: GPL-2.0-or-later */
/* View "over-time": cost of functions over the run, from the calls that the target kept. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "report_int.h"

#define BINS    100U /* of the run, as in the store */
#define COLUMNS 10U  /* of text */
#define ROWS    12U
#define NAME    24

struct cell {
    double records, calls, cycles, fj;
};

/* A function of the program or the runtime that was measured. */
struct row {
    char *name;
    uint32_t address;
    struct cell all, bin[BINS];
};

struct table {
    struct row *row;
    size_t count;
    bool energy; /* it is known */
};

static void add_cell(struct cell *to, const struct cell *from)
{
    to->records += from->records;
    to->calls += from->calls;
    to->cycles += from->cycles;
    to->fj += from->fj;
}

static int on_bin(void *ctx, const char *name, const struct mpj_entry_bin *b)
{
    struct table *const t = ctx;
    struct row *r = t->count > 0 ? &t->row[t->count - 1U] : NULL;
    const struct cell cell = {(double)b->records, (double)b->calls, (double)b->cycles,
                              (double)b->energy_fj};

    if (r == NULL || r->address != b->address) {
        struct row *const more = reallocarray(t->row, t->count + 1U, sizeof(*more));

        if (more == NULL)
            return MPJ_E_NOMEM;
        t->row = more;
        r = &more[t->count];
        *r = (struct row){.name = strdup(name), .address = b->address};
        if (r->name == NULL)
            return MPJ_E_NOMEM;
        t->count++;
    }
    t->energy |= b->energy_fj > 0;
    add_cell(&r->all, &cell);
    add_cell(&r->bin[b->bin % BINS], &cell);
    return MPJ_E_OK;
}

static int by_cycles(const void *a, const void *b)
{
    const struct row *const x = a;
    const struct row *const y = b;

    if (x->all.cycles != y->all.cycles)
        return x->all.cycles < y->all.cycles ? 1 : -1;
    return (x->address > y->address) - (x->address < y->address);
}

static void clear(struct table *t)
{
    for (size_t i = 0; i < t->count; i++)
        free(t->row[i].name);
    free(t->row);
}

/* Reads the functions with most cycles first. */
static int load(const struct mpj_report *r, struct table *t, uint64_t *lost, struct mpj_err *err)
{
    int result = mpj_entry_bins(r->store, on_bin, t, lost, err);

    if (result == MPJ_E_NOMEM)
        mpj_err_nomem(err);
    if (result == MPJ_E_OK && t->count == 0)
        result = mpj_err_set(err, MPJ_E_USAGE,
                             "the run kept no calls of functions: record them with `mpjoule run "
                             "--entries --entry-times`");
    if (t->count > 0)
        qsort(t->row, t->count, sizeof(*t->row), by_cycles);
    return result;
}

static double seconds(const struct mpj_report *r, double cycles)
{
    return cycles / r->run->clock_hz;
}

/* Returns mW during its calls; without a model, microseconds per call. NAN: no calls. */
static double figure(const struct mpj_report *r, const struct table *t, const struct cell *c)
{
    if (!(c->cycles > 0) || !(c->calls > 0))
        return NAN;
    return t->energy ? c->fj * 1e-12 / seconds(r, c->cycles)
                     : seconds(r, c->cycles) / c->calls * 1e6;
}

static void put_figure(FILE *f, double value)
{
    if (isnan(value))
        fprintf(f, "%8s", "-");
    else
        fprintf(f, value < 1000 ? "%8.1f" : "%8.0f", value);
}

static int put_text(const struct mpj_report *r, FILE *out, struct mpj_err *err)
{
    struct table t = {0};
    uint64_t lost = 0;
    const int result = load(r, &t, &lost, err);
    const size_t top = r->top < 0 ? ROWS : r->top == 0 ? SIZE_MAX : (size_t)r->top;

    if (result == MPJ_E_OK) {
        text_head(r->run, out);
        fprintf(out, "\n%s of functions over time, with all they called, measured on the target\n",
                t.energy ? "Power [mW]" : "Duration of calls [us]");
        fprintf(out, "  %-*s%8s  in each tenth of %.6f s\n", NAME, "function", "all",
                r->run->time_s);
    }
    for (size_t i = 0; i < t.count && i < top && result == MPJ_E_OK; i++) {
        fprintf(out, "  %-*.*s", NAME, NAME - 1, t.row[i].name);
        put_figure(out, figure(r, &t, &t.row[i].all));
        for (unsigned k = 0; k < COLUMNS; k++) {
            struct cell sum = {0};

            for (unsigned bin = k * (BINS / COLUMNS); bin < (k + 1U) * (BINS / COLUMNS); bin++)
                add_cell(&sum, &t.row[i].bin[bin]);
            put_figure(out, figure(r, &t, &sum));
        }
        fputc('\n', out);
    }
    if (result == MPJ_E_OK && t.count > top)
        fprintf(out, "  %zu more (--top 0 shows all; each hundredth: --format csv)\n",
                t.count - top);
    if (result == MPJ_E_OK && lost > 0)
        fprintf(out, "  Incomplete: %" PRIu64 " calls were not kept\n", lost);
    clear(&t);
    return result;
}

static void csv_bin(const struct mpj_report *r, const struct table *t, const struct row *row,
                    unsigned bin, FILE *f)
{
    const struct cell *const c = &row->bin[bin];

    mpj_csv_quoted(f, row->name);
    fprintf(f, ",%.12g,%.12g,%.0f,%.0f,%.12g,", r->run->time_s * bin / BINS,
            r->run->time_s * (bin + 1U) / BINS, c->records, c->calls, seconds(r, c->cycles));
    if (t->energy)
        fprintf(f, "%.12g,%.12g\n", c->fj * 1e-9, figure(r, t, c));
    else
        fputs(",\n", f);
}

static int put_csv(const struct mpj_report *r, FILE *out, struct mpj_err *err)
{
    struct table t = {0};
    const int result = load(r, &t, NULL, err);

    if (result == MPJ_E_OK)
        fputs("function,begin_s,end_s,records,calls,time_s,energy_uj,power_mw\n", out);
    for (size_t i = 0; i < t.count * BINS && result == MPJ_E_OK; i++) {
        if (t.row[i / BINS].bin[i % BINS].records > 0)
            csv_bin(r, &t, &t.row[i / BINS], i % BINS, out);
    }
    clear(&t);
    return result;
}

static json_t *json_bin(const struct mpj_report *r, const struct table *t, const struct row *row,
                        unsigned bin)
{
    const struct cell *const c = &row->bin[bin];
    json_t *const o = json_object();

    json_object_set_new(o, "function", json_string(row->name));
    json_object_set_new(o, "begin_s", json_real(r->run->time_s * bin / BINS));
    json_object_set_new(o, "end_s", json_real(r->run->time_s * (bin + 1U) / BINS));
    json_object_set_new(o, "records", json_integer((json_int_t)c->records));
    json_object_set_new(o, "calls", json_integer((json_int_t)c->calls));
    json_object_set_new(o, "time_s", json_real(seconds(r, c->cycles)));
    if (t->energy) {
        json_object_set_new(o, "energy_uj", json_real(c->fj * 1e-9));
        json_object_set_new(o, "power_mw", json_real(figure(r, t, c)));
    }
    return o;
}

static int put_json(const struct mpj_report *r, FILE *out, struct mpj_err *err)
{
    struct table t = {0};
    uint64_t lost = 0;
    const int result = load(r, &t, &lost, err);
    const char *between = "\n";

    if (result == MPJ_E_OK)
        fputs("{\"schema\":\"mpjoule-over-time/1\",\"calls\":[", out);
    for (size_t i = 0; i < t.count * BINS && result == MPJ_E_OK; i++) {
        json_t *o;

        if (!(t.row[i / BINS].bin[i % BINS].records > 0))
            continue;
        o = json_bin(r, &t, &t.row[i / BINS], i % BINS);
        fputs(between, out);
        json_dumpf(o, out, JSON_COMPACT | JSON_REAL_PRECISION(12));
        json_decref(o);
        between = ",\n";
    }
    if (result == MPJ_E_OK)
        fprintf(out, "\n],\"lost\":%" PRIu64 "}\n", lost);
    clear(&t);
    return result;
}

const struct mpj_view view_over_time = {"over-time", MPJ_NEEDS_MOMENTS, put_text, put_csv,
                                        put_json};
