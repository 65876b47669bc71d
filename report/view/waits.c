/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The view of waits: by object, and with details by thread and place. */
#include "view/waits.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report_int.h"

#define ROWS   20 /* default number of objects */
#define KIND   14
#define OBJECT 20
#define THREAD 20 /* with PLACE as wide as the columns above, less their indent */
#define PLACE  20

/* Returns the object of a wait; waits that are not for other threads, such as a pool thread's for
 * work, are merged by kind. */
static uint32_t object_of(const struct mpj_wait_result *w)
{
    return mpj_wait_is_block(w->kind) ? w->object : 0;
}

static int by_object(const void *a, const void *b)
{
    const struct mpj_wait_result *const x = *(const struct mpj_wait_result *const *)a;
    const struct mpj_wait_result *const y = *(const struct mpj_wait_result *const *)b;

    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    if (object_of(x) != object_of(y))
        return object_of(x) < object_of(y) ? -1 : 1;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    return (x > y) - (x < y);
}

/* Compares totals; equal ones keep the order of the run. */
static int by_total(const void *a, const void *b)
{
    const struct mpj_wait_result *const x = *(const struct mpj_wait_result *const *)a;
    const struct mpj_wait_result *const y = *(const struct mpj_wait_result *const *)b;

    return (x > y) - (x < y);
}

static int group_by_total(const void *a, const void *b)
{
    const struct wait_group *const x = a;
    const struct wait_group *const y = b;

    return x->total_s != y->total_s ? (x->total_s < y->total_s) - (x->total_s > y->total_s)
                                    : by_total(x->wait, y->wait);
}

int waits_group(const struct mpj_run *run, struct wait_groups *out, struct mpj_err *err)
{
    *out =
        (struct wait_groups){.group = calloc(run->waits + 1U, sizeof(*out->group)),
                             .wait = malloc((run->waits + 1U) * sizeof(struct mpj_wait_result *))};
    if (out->group == NULL || out->wait == NULL)
        return mpj_err_nomem(err);
    for (unsigned i = 0; i < run->waits; i++)
        out->wait[i] = &run->wait[i];
    qsort(out->wait, run->waits, sizeof(struct mpj_wait_result *), by_object);
    for (unsigned i = 0; i < run->waits; i++) {
        const struct mpj_wait_result *const w = out->wait[i];
        const struct mpj_wait_result *const before = i > 0 ? out->wait[i - 1] : NULL;
        const bool same =
            before != NULL && before->kind == w->kind && object_of(before) == object_of(w);
        struct wait_group *const g = &out->group[same ? out->n - 1 : out->n++];
        if (!same)
            g->wait = &out->wait[i];
        g->waits++;
        g->threads += !same || before->thread != w->thread;
        g->count += w->count;
        g->total_s += w->total_s;
        if (w->longest_s > g->longest_s)
            g->longest_s = w->longest_s;
    }
    for (unsigned i = 0; i < out->n; i++)
        qsort(out->group[i].wait, out->group[i].waits, sizeof(struct mpj_wait_result *), by_total);
    qsort(out->group, out->n, sizeof(*out->group), group_by_total);
    return MPJ_E_OK;
}

void waits_free(struct wait_groups *g)
{
    free(g->group);
    free(g->wait);
}

const char *waits_object(const struct mpj_wait_result *w, char *text, size_t size)
{
    if (w->object_name != NULL && mpj_wait_is_block(w->kind))
        snprintf(text, size, "%s", w->object_name);
    else
        snprintf(text, size, object_of(w) != 0 ? "0x%08" PRIx32 : "-", object_of(w));
    return text;
}

static const char *place_of(const struct mpj_where *w, char *text, size_t size)
{
    const char *file = w->file != NULL ? strrchr(w->file, '/') : NULL;

    if (w->file != NULL)
        snprintf(text, size, "%s:%d", file != NULL ? file + 1 : w->file, w->line);
    else if (w->function != NULL)
        snprintf(text, size, "%s", w->function);
    else
        snprintf(text, size, w->address != 0 ? "0x%08" PRIx32 : "-", w->address);
    return text;
}

/* Writes place and owner of the longest wait of a group. */
static void mostly(const struct mpj_run *run, const struct mpj_wait_result *w, FILE *f)
{
    char at[80];
    char owner[64];

    fprintf(f, "  %s", place_of(&w->caller, at, sizeof(at)));
    if (w->owner != 0)
        fprintf(f, ", held by %s", text_thread(run, w->owner, owner, sizeof(owner)));
}

static void detail(const struct mpj_run *run, const struct mpj_wait_result *w, FILE *f)
{
    char thread[64];
    char owner[64];
    char at[80];

    fprintf(f, "    %-*.*s%-*.*s%10" PRIu64 "%12.3f%12.3f", THREAD, THREAD - 1,
            text_thread(run, w->thread, thread, sizeof(thread)), PLACE, PLACE - 1,
            place_of(&w->caller, at, sizeof(at)), w->count, w->total_s * 1e3, w->longest_s * 1e3);
    if (w->owner != 0)
        fprintf(f, "           held by %s", text_thread(run, w->owner, owner, sizeof(owner)));
    fputc('\n', f);
}

static void group_row(const struct mpj_run *run, const struct wait_group *g, double lives, FILE *f)
{
    char object[64];

    fprintf(f, "  %-*s%-*.*s%8u%10" PRIu64 "%12.3f%12.3f%7.1f %%", KIND,
            mpj_wait_name(g->wait[0]->kind), OBJECT, OBJECT - 1,
            waits_object(g->wait[0], object, sizeof(object)), g->threads, g->count,
            g->total_s * 1e3, g->longest_s * 1e3, lives > 0 ? 100.0 * g->total_s / lives : 0.0);
    mostly(run, g->wait[0], f);
    fputc('\n', f);
}

static int put_text(const struct mpj_report *r, FILE *f, struct mpj_err *err)
{
    const struct mpj_run *const run = r->run;
    const unsigned top = r->top < 0 ? ROWS : r->top == 0 ? UINT32_MAX : (unsigned)r->top;
    struct wait_groups g;
    double lives = 0.0;
    int result;

    if (!text_begin_threads(r, f))
        return MPJ_E_OK;
    if (run->waits == 0) {
        fputs("\nNobody waited for anybody.\n", f);
        return MPJ_E_OK;
    }
    for (unsigned i = 0; i < run->threads; i++)
        lives += run->thread[i].life_s;
    result = waits_group(run, &g, err);
    if (result == MPJ_E_OK) {
        fprintf(f,
                "\nWaits by object, longest first  (of lives: share of all threads' lives)\n"
                "  %-*s%-*s%8s%10s%12s%12s%9s  %s\n",
                KIND, "waits for", OBJECT, "object", "threads", "times", "total ms", "longest ms",
                "of lives", "mostly at");
        for (unsigned i = 0; i < g.n && i < top; i++) {
            group_row(run, &g.group[i], lives, f);
            for (unsigned k = 0; k < g.group[i].waits && r->details; k++)
                detail(run, g.group[i].wait[k], f);
        }
        if (g.n > top)
            fprintf(f, "  %u more, shorter ones (--top 0 shows all)\n", g.n - top);
        if (!r->details)
            fputs("  each thread's waits: --details\n", f);
    }
    waits_free(&g);
    return result;
}

const struct mpj_view view_sync = {"sync", MPJ_NEEDS_RUN, put_text, csv_sync, NULL};
