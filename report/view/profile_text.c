/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view/profile_text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "report_int.h"

#define FJ_PER_UJ 1e9

/* Functions from that share of the cycles on are called uncertain above that standard error. */
#define THIN_FROM 0.01
#define THIN      0.2

static struct scale scale_of(const struct scale *from, size_t n, double most)
{
    size_t i = 0;

    while (i + 1 < n && most < from[i].per)
        i++;
    return from[i];
}

struct scale scale_energy(double fj)
{
    static const struct scale known[] = {{"J", 1e15}, {"mJ", 1e12}, {"uJ", 1e9}, {"nJ", 1e6}};

    return scale_of(known, sizeof(known) / sizeof(known[0]), fj);
}

struct scale scale_time(double cycles, uint32_t clock_hz)
{
    const double s = clock_hz;
    const struct scale known[] = {{"s", s}, {"ms", s / 1e3}, {"us", s / 1e6}};

    return clock_hz == 0 ? (struct scale){"cycles", 1}
                         : scale_of(known, sizeof(known) / sizeof(known[0]), cycles / 10);
}

struct scale scale_item(const struct mpj_profile *p, int item, double most)
{
    if (strcmp(p->item[item].unit, "fJ") == 0)
        return scale_energy(most);
    return item == p->cycles ? scale_time(most, p->clock_hz) : (struct scale){"", 1};
}

const char *profile_origin(enum mpj_prof_source source)
{
    static const char *const text[MPJ_PROF_SOURCES] = {
        "the emulator's truth", "measured on the target at entries and exits",
        "estimated from samples of the program counter on the target"};

    return source < MPJ_PROF_SOURCES ? text[source] : "";
}

void profile_calls(const struct mpj_profile *p, uint64_t calls, char *text)
{
    if (p->source == MPJ_PROF_SAMPLES)
        snprintf(text, TEXT_DIGITS, "-");
    else
        text_digits(text, calls);
}

bool profile_has_chip(const struct mpj_profile *p)
{
    return p->source == MPJ_PROF_TRUTH && p->chip_shared == 0;
}

void profile_no_energy(const struct mpj_profile *p, FILE *f)
{
    if (p->energy >= 0 || p->source == MPJ_PROF_TRUTH)
        return;
    fprintf(
        f, "  No energy: %s\n",
        p->source == MPJ_PROF_SAMPLES
            ? "samples tell where time and events went (`mpjoule run --entries --model default` "
              "measures it on the target)"
            : "it comes from an energy model (`mpjoule run --entries --model default`)");
}

void profile_error(double error, double cycles, char *text)
{
    const double percent = cycles > 0 ? 100 * error / cycles : INFINITY;

    snprintf(text, TEXT_DIGITS, percent < 100 ? "%.1f %%" : "> 100 %%", percent);
}

void profile_thin(const struct mpj_profile *p, const struct mpj_prof_table *t, FILE *f)
{
    const struct mpj_prof_row *worst = NULL;
    double most = THIN;
    unsigned count = 0;
    char text[TEXT_DIGITS];

    for (unsigned i = 0; i < t->rows && p->cycles >= 0; i++) {
        const struct mpj_prof_row *const r = &t->row[i];
        const double cycles = (double)r->self[p->cycles];
        const double error = p->func[r->func].self_error;

        if (cycles < THIN_FROM * (double)p->sum[p->cycles] || error <= THIN * cycles)
            continue;
        count++;
        if (error / cycles > most) {
            most = error / cycles;
            worst = r;
        }
    }
    if (worst == NULL)
        return;
    profile_error(p->func[worst->func].self_error, (double)worst->self[p->cycles], text);
    fprintf(f, "  Uncertain: %u function%s with 1 %% of the time and more (%s: +- %s): %s\n", count,
            count > 1 ? "s" : "", p->func[worst->func].name, text,
            p->source == MPJ_PROF_ENTRIES
                ? "let the program run longer, or measure fewer functions (`--suggest`)"
                : "let the program run longer, or take more samples (`--sample-ms`)");
}

const char *profile_tag(enum mpj_prof_kind kind)
{
    switch (kind) {
    case MPJ_FUNC_RUNTIME:
        return " [runtime]";
    case MPJ_FUNC_INTERRUPT:
        return " [interrupt]";
    case MPJ_FUNC_IDLE:
        return " [idle]";
    case MPJ_FUNC_INLINED:
        return " [inlined]";
    default:
        return "";
    }
}

void profile_place(const struct mpj_prof_func *func, char *text, size_t size)
{
    const char *const slash = func->file != NULL ? strrchr(func->file, '/') : NULL;

    text[0] = '\0';
    if (func->file != NULL && func->line > 0)
        snprintf(text, size, "%s:%d", slash != NULL ? slash + 1 : func->file, func->line);
    else if (func->file != NULL)
        snprintf(text, size, "%s", slash != NULL ? slash + 1 : func->file);
}

void profile_thread(const struct mpj_run *run, int64_t thread, int64_t core, char *text,
                    size_t size)
{
    const struct mpj_thread_result *const t =
        thread >= 0 ? run_thread(run, (uint32_t)thread) : NULL;

    if (t != NULL)
        snprintf(text, size, "%u %s", t->id, t->name);
    else if (thread >= 0)
        snprintf(text, size, "%" PRId64, thread);
    else if (core >= 0)
        snprintf(text, size, "core %" PRId64, core);
    else if (run->profile != NULL && run->profile->source == MPJ_PROF_ENTRIES)
        snprintf(text, size, "all threads"); /* threads are not distinguished */
    else
        snprintf(text, size, "no thread");
}

void profile_region(const struct mpj_run *run, int64_t region, char *text, size_t size)
{
    text[0] = '\0';
    for (unsigned i = 0; region >= 0 && i < run->regions; i++) {
        if ((int64_t)run->region[i].fn.address == region)
            snprintf(text, size, "%s", run->region[i].name);
    }
    if (region >= 0 && text[0] == '\0')
        snprintf(text, size, "0x%08" PRIx64, (uint64_t)region);
}

/* ---- moments ------------------------------------------------------------------------- */

static const char *object_name(const struct mpj_run *run, int64_t object, char *text, size_t size)
{
    snprintf(text, size, "0x%08" PRIx64, (uint64_t)object);
    for (unsigned i = 0; i < run->waits; i++) {
        if ((int64_t)run->wait[i].object == object && run->wait[i].object_name != NULL)
            return run->wait[i].object_name;
    }
    return text;
}

static void sample_text(const struct mpj_run *run, const struct mpj_moment *m, char *text,
                        size_t size)
{
    const struct mpj_prof_func *const at = mpj_profile_at(run->profile, m->object);
    const struct mpj_prof_func *const from = mpj_profile_at(run->profile, m->other);

    snprintf(text, size, "sample in %s at 0x%08" PRIx64 ", called by %s",
             at != NULL ? at->name : "(unknown)", (uint64_t)m->object,
             from != NULL ? from->name : "(unknown)");
}

void moment_text(const struct mpj_run *run, const struct mpj_moment *m, char *text, size_t size)
{
    static const char *const why[] = {"preempted", "blocked", "ended", "yielded"};
    char name[120];
    char holder[120];

    switch (m->kind) {
    case MPJ_MOMENT_RUNS:
        snprintf(text, size, "gets the core");
        return;
    case MPJ_MOMENT_STOPS:
        snprintf(text, size, "leaves the core: %s",
                 m->value >= 0 && m->value < 4 ? why[m->value] : "unknown reason");
        return;
    case MPJ_MOMENT_WAITS:
        profile_thread(run, m->other, MPJ_PROF_NONE, holder, sizeof(holder));
        snprintf(text, size, "waits for %s %s%s%s", mpj_wait_name((uint32_t)m->value),
                 object_name(run, m->object, name, sizeof(name)), m->other >= 0 ? ", held by " : "",
                 m->other >= 0 ? holder : "");
        return;
    case MPJ_MOMENT_WAITED:
        snprintf(text, size, "has waited for %s", object_name(run, m->object, name, sizeof(name)));
        return;
    case MPJ_MOMENT_REGION_BEGIN:
    case MPJ_MOMENT_REGION_END:
        profile_region(run, m->object, name, sizeof(name));
        if (m->kind == MPJ_MOMENT_REGION_END)
            snprintf(text, size, "region %s ends", name);
        else
            snprintf(text, size, "region %s begins, %" PRId64 " threads", name, m->value);
        return;
    case MPJ_MOMENT_MARK:
        snprintf(text, size, "mark %s, %" PRId64, m->name != NULL ? m->name : "", m->value);
        return;
    default:
        sample_text(run, m, text, size);
    }
}

const char *moment_word(enum mpj_moment_kind kind)
{
    static const char *const words[MPJ_MOMENT_KINDS] = {
        "runs", "stops", "waits", "waited", "region-begin", "region-end", "mark", "sample"};

    return kind < MPJ_MOMENT_KINDS ? words[kind] : "";
}

/* ---- CSV ----------------------------------------------------------------------------- */

static bool is_energy(const struct mpj_prof_item *item)
{
    return strcmp(item->unit, "fJ") == 0;
}

/* Writes the name of a column: energy_fj is energy_uj, fj:memory is memory_uj. */
static void csv_name(const struct mpj_prof_item *item, const char *before, FILE *f)
{
    if (strcmp(item->name, "energy_fj") == 0)
        fprintf(f, ",%senergy_uj", before);
    else if (is_energy(item))
        fprintf(f, ",%s%s_uj", before, item->name + strlen("fj:"));
    else
        fprintf(f, ",%s%s", before, item->name);
}

void profile_csv_head(const struct mpj_profile *p, FILE *f)
{
    for (unsigned i = 0; i < p->items; i++) {
        csv_name(&p->item[i], "self_", f);
        csv_name(&p->item[i], "total_", f);
    }
}

static void csv_value(const struct mpj_prof_item *item, const int64_t *value, unsigned i, FILE *f)
{
    if (value == NULL)
        fputc(',', f);
    else if (is_energy(item))
        fprintf(f, ",%.12g", (double)value[i] / FJ_PER_UJ);
    else
        fprintf(f, ",%" PRId64, value[i]);
}

void profile_csv_row(const struct mpj_profile *p, const int64_t *self, const int64_t *total,
                     FILE *f)
{
    for (unsigned i = 0; i < p->items; i++) {
        csv_value(&p->item[i], self, i, f);
        csv_value(&p->item[i], total, i, f);
    }
}
