/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes a verification as tables, CSV and a chart. */
#include <math.h>
#include <string.h>

#include "base/csv.h"
#include "models/verify.h"

#define UJ_PER_MJ 1e3

/* ---- text ------------------------------------------------------------------- */

static void cell(FILE *out, int width, int digits, bool sign, double v)
{
    if (isnan(v))
        fprintf(out, "%*s", width, "-");
    else if (fabs(v) >= pow(10, width - digits - 2)) /* would touch the column before it */
        fprintf(out, "%*.1e", width, v);
    else if (sign)
        fprintf(out, "%+*.*f", width, digits, v);
    else
        fprintf(out, "%*.*f", width, digits, v);
}

void mpj_verify_print(const struct mpj_verify *v, FILE *out)
{
    const bool interval = v->model->interval.level > 0;

    fprintf(out, "%-18s %9s %9s", "program", "ADC mW", "model mW");
    if (interval)
        fprintf(out, " %7s", "+- mW");
    fprintf(out, " %8s %8s %10s %8s %8s %8s\n", "power %", "dynamic%", "true mJ", "energy %",
            "core %", "thread %");
    for (size_t i = 0; i < v->rows; i++) {
        const struct mpj_verify_row *const r = &v->row[i];
        fprintf(out, "%-18s ", r->program->name);
        cell(out, 9, 2, false, r->power_mw);
        cell(out, 10, 2, false, r->model_mw);
        if (interval)
            cell(out, 8, 2, false, r->half_mw);
        cell(out, 9, 2, true, r->power_percent);
        cell(out, 9, 1, true, r->dynamic_percent);
        cell(out, 11, 3, false, r->energy_uj / UJ_PER_MJ);
        cell(out, 9, 2, true, r->energy_percent);
        cell(out, 9, 2, false, r->core_percent);
        cell(out, 9, 2, false, r->thread_percent);
        fputs(r->outside ? "  outside\n" : "\n", out);
    }
    if (v->programs.n > 0)
        fprintf(out, "\ninside the interval of %g %%: %u of %u programs",
                v->model->interval.level * 100, v->programs.inside, v->programs.n);
    if (v->programs.n > 0 && v->threads.n > 0)
        fprintf(out, ", %u of %u threads", v->threads.inside, v->threads.n);
    if (v->programs.n > 0)
        fputc('\n', out);
}

static void pair(FILE *out, int digits, const struct mpj_errors *e)
{
    cell(out, 8, digits, false, e->mean);
    cell(out, 9, digits, false, e->max);
}

void mpj_verify_compare(const struct mpj_verify *v, size_t count, FILE *out)
{
    fprintf(out, "%-24s %8s %16s %16s %16s %16s %16s\n%-24s %8s", "", "", "power %", "energy %",
            "dynamic %", "cores %", "threads %", "model", "programs");
    for (unsigned i = 0; i < 5; i++)
        fprintf(out, "%8s%9s", "mean", "max");
    fprintf(out, "%9s\n", "outside");
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "%-24s %8zu", v[i].model->name, v[i].rows);
        pair(out, 2, &v[i].power);
        pair(out, 2, &v[i].energy);
        pair(out, 1, &v[i].dynamic);
        pair(out, 2, &v[i].core);
        pair(out, 2, &v[i].thread);
        fprintf(out, "%9u\n", v[i].outside);
    }
}

/* ---- CSV -------------------------------------------------------------------- */

static void number(FILE *out, double v)
{
    if (isfinite(v))
        fprintf(out, ",%.9g", v);
    else
        fputc(',', out);
}

/* Writes a row up to the error of the energy. */
static void csv_row(const struct mpj_verify *v, const struct mpj_dataset_program *p,
                    const char *kind, long id, double time_s, double true_uj, double model_uj,
                    FILE *out)
{
    mpj_csv_text(out, v->model->name);
    fputc(',', out);
    mpj_csv_text(out, p->name);
    fprintf(out, ",%s,", kind);
    if (id >= 0)
        fprintf(out, "%ld", id);
    number(out, time_s);
    number(out, true_uj);
    number(out, model_uj);
    number(out, (model_uj - true_uj) / true_uj * 100);
}

static void csv_program(const struct mpj_verify *v, const struct mpj_verify_row *r, FILE *out)
{
    const struct mpj_dataset_program *const p = r->program;
    struct mpj_interval interval;

    mpj_model_interval(v->model, p, &interval);

    csv_row(v, p, "program", -1, p->time_s, r->energy_uj, r->model_uj, out);
    number(out, r->power_mw);
    number(out, r->model_mw);
    number(out, r->power_percent);
    number(out, r->dynamic_percent);
    fprintf(out, ",%d", r->outside);
    number(out, r->half_mw * p->time_s * 1e3);
    fputc('\n', out);
    for (unsigned k = 0; p->have_truth && k < mpj_dataset_cores(p); k++) {
        csv_row(v, p, "core", (long)k, p->time_s, mpj_core_truth_uj(p, k),
                mpj_model_core_uj(v->model, p, k), out);
        fputs(",,,,,,\n", out);
    }
    for (unsigned i = 0; i < p->profiled; i++) {
        const struct mpj_dataset_thread *const t = &p->thread[i];
        const double uj = mpj_model_part_uj(v->model, p, &t->part);
        csv_row(v, p, "thread", (long)t->id, t->part.run_s, mpj_thread_truth_uj(p, t), uj, out);
        fputs(",,,,,", out);
        number(out, mpj_interval_uj(&interval, MPJ_OF_THREAD, uj, t->part.run_s));
        fputc('\n', out);
    }
}

static int flushed(FILE *out, const char *what, struct mpj_err *err)
{
    if (fflush(out) != 0 || ferror(out))
        return mpj_err_errno(err, "cannot write the %s", what);
    return MPJ_E_OK;
}

int mpj_verify_csv(const struct mpj_verify *v, size_t count, FILE *out, struct mpj_err *err)
{
    fputs("model,program,kind,id,time_s,true_uj,model_uj,energy_error_percent,adc_mw,model_mw,"
          "power_error_percent,dynamic_error_percent,outside,interval_uj\n",
          out);
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < v[i].rows; k++)
            csv_program(&v[i], &v[i].row[k], out);
    }
    return flushed(out, "CSV", err);
}

/* ---- chart ------------------------------------------------------------------ */

#define ROW   18
#define LEFT  150 /* of the zero line: names and negative bars */
#define HALF  260 /* pixels from the zero line to the end of the scale */
#define TOP   52
#define RIGHT 90

static void escaped(const char *s, FILE *out)
{
    for (; *s != '\0'; s++) {
        if (*s == '<' || *s == '&' || *s == '>')
            fprintf(out, "&#%d;", *s);
        else
            fputc(*s, out);
    }
}

static void text(FILE *out, double x, double y, const char *class, const char *s)
{
    fprintf(out, "<text x=\"%.0f\" y=\"%.0f\" class=\"%s\">", x, y, class);
    escaped(s, out);
    fputs("</text>\n", out);
}

/* Returns the scale's end: 1, 2 or 5 times a power of ten, of percent. */
static double scale(double largest)
{
    double step = 0.1;

    for (unsigned i = 0; step < largest && i < 30; i++)
        step *= i % 3 == 1 ? 2.5 : 2;
    return step;
}

int mpj_verify_svg(const struct mpj_verify *v, FILE *out, struct mpj_err *err)
{
    const double zero = LEFT + HALF;
    const double full = scale(fmax(v->power.max, v->energy.max));
    const unsigned height = TOP + ROW * (unsigned)v->rows + 40;
    char line[200];

    fprintf(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" "
        "font-family=\"sans-serif\" font-size=\"12\">\n<style>.n{text-anchor:end}.h{font-size:14px;"
        "font-weight:bold}.m{text-anchor:middle;fill:#555}.p{fill:#2b6cb0}.e{fill:#dd8a33}"
        ".o{fill:#b22}</style>\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
        LEFT + 2 * HALF + RIGHT, height);
    snprintf(line, sizeof(line), "%s: error of %zu programs it was not fitted to, %%",
             v->model->name, v->rows);
    text(out, 10, 20, "h", line);
    fprintf(out, "<rect x=\"10\" y=\"30\" width=\"10\" height=\"8\" class=\"p\"/>"
                 "<text x=\"24\" y=\"38\">power, against the ADC</text>"
                 "<rect x=\"190\" y=\"30\" width=\"10\" height=\"8\" class=\"e\"/>"
                 "<text x=\"204\" y=\"38\">energy, against the truth</text>\n");
    for (int i = -2; i <= 2; i++) {
        const double x = zero + i * HALF / 2.0;
        fprintf(out, "<path d=\"M%.1f %d V%u\" stroke=\"%s\"/>", x, TOP - 4, height - 34,
                i == 0 ? "#333" : "#ddd");
        snprintf(line, sizeof(line), "%+g", i * full / 2);
        text(out, x, height - 18, "m", i == 0 ? "0" : line);
    }
    for (size_t i = 0; i < v->rows; i++) {
        const struct mpj_verify_row *const r = &v->row[i];
        const double y = TOP + ROW * (double)i;
        const double bar[2] = {r->power_percent, r->energy_percent};
        text(out, LEFT - 6, y + 12, r->outside ? "n o" : "n", r->program->name);
        for (unsigned b = 0; b < 2; b++) {
            const double w = isfinite(bar[b]) ? bar[b] / full * HALF : 0;
            fprintf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"6\" class=\"%s\"/>\n",
                    w < 0 ? zero + w : zero, y + 2 + 7 * b, fabs(w), b == 0 ? "p" : "e");
        }
        snprintf(line, sizeof(line), "%+.2f", r->power_percent);
        text(out, LEFT + 2 * HALF + 6, y + 12, "", line);
    }
    fputs("</svg>\n", out);
    return flushed(out, "chart", err);
}
