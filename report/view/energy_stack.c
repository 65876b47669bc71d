/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The view of energy by cause. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "report_int.h"
#include "view/profile_text.h"

#define ROWS  15 /* default number of functions */
#define CELL  11
#define LABEL 30
#define BAR   40
#define FJ    1e9 /* in a uJ */

static const char *cause_name(const struct mpj_profile *p, unsigned item)
{
    return p->item[item].name + strlen("fj:");
}

static void bar(double share, FILE *f)
{
    const int n = share > 0 ? (int)(share * BAR + 0.5) : 0;

    fputs("  ", f);
    for (int i = 0; i < n && i < BAR; i++)
        fputc('#', f);
}

/* Writes a line per cause. */
static void whole(const struct mpj_profile *p, struct scale s, FILE *f)
{
    double all = 0;

    for (unsigned i = p->first_cause; i < p->items; i++)
        all += (double)p->sum[i] + (double)p->chip[i];
    fprintf(f, "\nEnergy by cause, %s%s: %s\n  %-16s%*s%*s%*s%9s\n", profile_origin(p->source),
            mpj_profile_note(p), s.unit, "", CELL + 4, "functions", CELL + 4, MPJ_PROF_CHIP,
            CELL + 4, "all", "share");
    for (unsigned i = p->first_cause; i < p->items; i++) {
        const double cores = (double)p->sum[i];
        const double chip = (double)p->chip[i];
        fprintf(f, "  %-16s%*.4f%*.4f%*.4f%7.1f %%", cause_name(p, i), CELL + 4, cores / s.per,
                CELL + 4, chip / s.per, CELL + 4, (cores + chip) / s.per,
                all > 0 ? 100.0 * (cores + chip) / all : 0.0);
        bar(all > 0 ? (cores + chip) / all : 0.0, f);
        fputc('\n', f);
    }
    fprintf(f, "  %-16s%*.4f%*.4f%*.4f%7.1f %%\n", "all", CELL + 4,
            (double)p->sum[p->energy] / s.per, CELL + 4, (double)p->chip[p->energy] / s.per,
            CELL + 4, ((double)p->sum[p->energy] + (double)p->chip[p->energy]) / s.per, 100.0);
}

/* True if a cause has a column: a table has those of the cores. */
static bool occurs(const struct mpj_profile *p, unsigned item)
{
    return p->sum[item] != 0;
}

static void table_head(const struct mpj_profile *p, const char *what, struct scale s, FILE *f)
{
    fprintf(f, "\n%s, %s of each itself\n  %-*s%*s", what, s.unit, LABEL, "", CELL, "all");
    for (unsigned i = p->first_cause; i < p->items; i++) {
        if (occurs(p, i))
            fprintf(f, "%*.*s", CELL, CELL - 1, cause_name(p, i));
    }
    fputc('\n', f);
}

static void table_row(const struct mpj_profile *p, const char *label, const int64_t *v,
                      struct scale s, FILE *f)
{
    fprintf(f, "  %-*.*s%*.4f", LABEL, LABEL - 1, label, CELL, (double)v[p->energy] / s.per);
    for (unsigned i = p->first_cause; i < p->items; i++) {
        if (occurs(p, i))
            fprintf(f, "%*.4f", CELL, (double)v[i] / s.per);
    }
    fputc('\n', f);
}

static void label_of(const struct mpj_run *run, unsigned by, const struct mpj_prof_row *r,
                     char *text, size_t size)
{
    if (by & MPJ_BY_FUNC)
        snprintf(text, size, "%s", run->profile->func[r->func].label);
    else if (by & MPJ_BY_THREAD)
        profile_thread(run, r->thread, r->core, text, size);
    else
        profile_region(run, r->region, text, size);
    if (text[0] == '\0')
        snprintf(text, size, "in no region");
}

static int table(const struct mpj_run *run, const char *what, unsigned by, unsigned top, FILE *f,
                 struct mpj_err *err)
{
    const struct mpj_profile *const p = run->profile;
    const struct scale s = scale_energy((double)p->sum[p->energy]);
    struct mpj_prof_table t;
    char text[200];
    int result = mpj_profile_table(p, by, &t, err);

    if (result == MPJ_E_OK && t.rows > 0 && !(by == MPJ_BY_REGION && t.rows == 1)) {
        mpj_profile_order(p, &t, (struct mpj_prof_sort){.item = p->energy});
        table_head(p, what, s, f);
        for (unsigned i = 0; i < t.rows && i < top; i++) {
            label_of(run, by, &t.row[i], text, sizeof(text));
            table_row(p, text, t.row[i].self, s, f);
        }
        if (t.rows > top)
            fprintf(f, "  %u more (--top 0 shows all)\n", t.rows - top);
        fprintf(f, "  %-*s%*.4f\n", LABEL, MPJ_PROF_CHIP, CELL, (double)p->chip[p->energy] / s.per);
    }
    mpj_profile_table_free(&t);
    return result;
}

static int has_causes(const struct mpj_profile *p, struct mpj_err *err)
{
    return p->energy >= 0 && p->first_cause < p->items
               ? MPJ_E_OK
               : mpj_err_set(err, MPJ_E_USAGE,
                             "the profile has no energy by cause: only the emulator knows it");
}

static int put_text(const struct mpj_report *r, FILE *out, struct mpj_err *err)
{
    const struct mpj_profile *const p = r->run->profile;
    const unsigned top = r->top < 0 ? ROWS : r->top == 0 ? UINT32_MAX : (unsigned)r->top;

    if (has_causes(p, err) != MPJ_E_OK)
        return err->code;
    text_head(r->run, out);
    whole(p, scale_energy((double)p->sum[p->energy] + (double)p->chip[p->energy]), out);
    if (table(r->run, "Threads, and cores without one", MPJ_BY_THREAD | MPJ_BY_CORE, top, out,
              err) != MPJ_E_OK ||
        table(r->run, "Regions", MPJ_BY_REGION, top, out, err) != MPJ_E_OK)
        return err->code;
    return table(r->run, "Functions", MPJ_BY_FUNC, top, out, err);
}

/* ---- CSV ----------------------------------------------------------------------------- */

static void csv_row(const struct mpj_profile *p, const char *scope, const char *name,
                    const int64_t *v, FILE *f)
{
    fprintf(f, "%s,", scope);
    mpj_csv_quoted(f, name);
    fprintf(f, ",%.12g", (double)v[p->energy] / FJ);
    for (unsigned i = p->first_cause; i < p->items; i++)
        fprintf(f, ",%.12g", (double)v[i] / FJ);
    fputc('\n', f);
}

static int put_csv(const struct mpj_report *r, FILE *f, struct mpj_err *err)
{
    static const struct {
        const char *scope;
        unsigned by;
    } parts[] = {{"thread", MPJ_BY_THREAD | MPJ_BY_CORE},
                 {"region", MPJ_BY_REGION},
                 {"function", MPJ_BY_FUNC}};
    const struct mpj_profile *const p = r->run->profile;
    int result = has_causes(p, err);

    if (result != MPJ_E_OK)
        return result;
    fputs("scope,name,energy_uj", f);
    for (unsigned i = p->first_cause; i < p->items; i++)
        fprintf(f, ",%s_uj", cause_name(p, i));
    fputc('\n', f);
    csv_row(p, "cores", "", p->sum, f);
    csv_row(p, "chip", "", p->chip, f);
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]) && result == MPJ_E_OK; i++) {
        struct mpj_prof_table t;
        char text[200];
        result = mpj_profile_table(p, parts[i].by, &t, err);
        if (result == MPJ_E_OK)
            mpj_profile_order(p, &t, (struct mpj_prof_sort){.item = p->energy});
        for (unsigned k = 0; result == MPJ_E_OK && k < t.rows; k++) {
            label_of(r->run, parts[i].by, &t.row[k], text, sizeof(text));
            csv_row(p, parts[i].scope, text, t.row[k].self, f);
        }
        mpj_profile_table_free(&t);
    }
    return result;
}

const struct mpj_view view_energy_stack = {"energy-stack", MPJ_NEEDS_PROFILE, put_text, put_csv,
                                           NULL};
