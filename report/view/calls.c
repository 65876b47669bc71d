/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The views of the call tree: as a list, and as a flame. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "report_int.h"
#include "view/profile_text.h"

#define ROWS   60    /* default number of rows of the list */
#define SHARE  0.005 /* default share of the run that a path in the list has at least */
#define WIDTH  100   /* of the flame */
#define LEVELS 40    /* default number of levels of the flame */
#define CELL   12

/* ---- children in order --------------------------------------------------------------- */

static int64_t weight(const struct mpj_profile *p, uint32_t node, struct mpj_prof_sort by)
{
    return by.item < 0 ? (int64_t)p->node[node].calls
                       : p->total[(size_t)node * p->items + (size_t)by.item];
}

struct order {
    const struct mpj_profile *p;
    struct mpj_prof_sort by;
};

static int by_weight(const void *a, const void *b, void *ctx)
{
    const struct order *const o = ctx;
    const uint32_t x = *(const uint32_t *)a;
    const uint32_t y = *(const uint32_t *)b;
    const int64_t v = weight(o->p, x, o->by);
    const int64_t w = weight(o->p, y, o->by);

    return v != w ? (v < w) - (v > w) : (x > y) - (x < y);
}

/* Returns the children of a node, or the nodes without a parent: the most expensive first. *out is
 * to be freed; NULL: out of memory. */
static uint32_t children(struct order *o, uint32_t node, uint32_t **out)
{
    const struct mpj_profile *const p = o->p;
    const bool top = node == MPJ_PROF_NO_PARENT;
    const uint32_t end = top ? p->nodes : p->node[node].end;
    uint32_t n = 0;

    for (uint32_t i = top ? 0 : node + 1; i < end; i = p->node[i].end)
        n++;
    *out = malloc((n + 1) * sizeof(**out));
    if (*out == NULL)
        return 0;
    n = 0;
    for (uint32_t i = top ? 0 : node + 1; i < end; i = p->node[i].end)
        (*out)[n++] = i;
    qsort_r(*out, n, sizeof(**out), by_weight, o);
    return n;
}

/* ---- the list ------------------------------------------------------------------------ */

struct list {
    const struct mpj_run *run;
    const struct mpj_profile *p;
    struct order o;
    struct scale energy, time;
    double least; /* weight */
    unsigned rows, top, hidden;
    FILE *f;
};

static void list_head(const struct list *l)
{
    char text[40];

    fputs("  ", l->f);
    if (l->p->energy >= 0) {
        snprintf(text, sizeof(text), "total %s", l->energy.unit);
        fprintf(l->f, "%*s        ", CELL, text);
        snprintf(text, sizeof(text), "self %s", l->energy.unit);
        fprintf(l->f, "%*s", CELL, text);
    }
    if (l->p->cycles >= 0) {
        snprintf(text, sizeof(text), "total %s", l->time.unit);
        fprintf(l->f, "%*s", CELL, text);
    }
    fprintf(l->f, "%*s  call path\n", CELL, "calls");
}

static void list_row(struct list *l, uint32_t node)
{
    const struct mpj_profile *const p = l->p;
    const struct mpj_prof_node *const n = &p->node[node];
    const struct mpj_prof_func *const func = &p->func[n->func];
    const int64_t *const total = p->total + (size_t)node * p->items;
    char text[TEXT_DIGITS];
    char place[160];

    fputs("  ", l->f);
    if (p->energy >= 0) {
        const double all = (double)p->sum[p->energy] + (double)p->chip[p->energy];
        fprintf(l->f, "%*.4f%6.1f %%%*.4f", CELL, (double)total[p->energy] / l->energy.per,
                all > 0 ? 100.0 * (double)total[p->energy] / all : 0.0, CELL,
                (double)p->self[(size_t)node * p->items + (size_t)p->energy] / l->energy.per);
    }
    if (p->cycles >= 0)
        fprintf(l->f, "%*.4f", CELL, (double)total[p->cycles] / l->time.per);
    profile_calls(p, n->calls, text);
    fprintf(l->f, "%*s  %*s", CELL, text, (int)(2 * (n->depth < 40 ? n->depth : 40)), "");
    if (n->depth > 40)
        fprintf(l->f, "(%u) ", (unsigned)n->depth);
    if (n->parent == MPJ_PROF_NO_PARENT) {
        profile_thread(l->run, n->thread, n->core, place, sizeof(place));
        fprintf(l->f, "[%s] ", place);
    }
    profile_place(func, place, sizeof(place));
    fprintf(l->f, "%s%s%s%s\n", func->name, profile_tag(func->kind), place[0] != '\0' ? "  " : "",
            place);
    l->rows++;
}

/* Lists depth first, without recursion: a program's may be deep. */
static int list_rows(struct list *l, struct mpj_err *err)
{
    uint32_t *stack = NULL;
    size_t room = 0;
    size_t used = 0;
    uint32_t from = MPJ_PROF_NO_PARENT;

    do {
        uint32_t *kids;
        const uint32_t n = children(&l->o, from, &kids);
        if (kids != NULL && used + n + 1 > room) {
            uint32_t *const more = realloc(stack, (2 * (used + n) + 64) * sizeof(*stack));
            room = 2 * (used + n) + 64;
            if (more == NULL)
                free(kids);
            kids = more == NULL ? NULL : kids;
            stack = more == NULL ? stack : more;
        }
        if (kids == NULL) {
            free(stack);
            return mpj_err_nomem(err);
        }
        for (uint32_t i = n; i-- > 0;)
            stack[used++] = kids[i];
        free(kids);
        from = MPJ_PROF_NO_PARENT;
        while (used > 0 && from == MPJ_PROF_NO_PARENT) {
            const uint32_t node = stack[--used];
            if (l->rows < l->top && (double)weight(l->p, node, l->o.by) >= l->least) {
                list_row(l, node);
                from = node;
            } else {
                l->hidden += l->p->node[node].end - node;
            }
        }
    } while (from != MPJ_PROF_NO_PARENT);
    free(stack);
    return MPJ_E_OK;
}

static int put_list(const struct mpj_report *r, FILE *out, struct mpj_err *err)
{
    const struct mpj_profile *const p = r->run->profile;
    struct list l = {.run = r->run, .p = p, .o = {.p = p}, .f = out};
    int result;

    if (mpj_profile_sort(p, r->sort, &l.o.by, err) != MPJ_E_OK)
        return err->code;
    l.energy = scale_energy(p->energy >= 0 ? (double)p->sum[p->energy] : 0.0);
    l.time = scale_time(p->cycles >= 0 ? (double)p->sum[p->cycles] : 0.0, p->clock_hz);
    l.least = r->top < 0 && l.o.by.item >= 0 ? SHARE * (double)p->sum[l.o.by.item] : 0.0;
    l.top = r->top < 0 ? ROWS : r->top == 0 ? UINT32_MAX : (unsigned)r->top;
    text_head(r->run, out);
    fprintf(out, "\nCall paths, %s%s; a path's total has all that it called\n",
            profile_origin(p->source), mpj_profile_note(p));
    list_head(&l);
    result = list_rows(&l, err);
    if (result == MPJ_E_OK && l.hidden > 0)
        fprintf(out, "  %u more paths%s (--top 0 shows all)\n", l.hidden,
                l.least > 0 ? " of less than 0.5 %, or after the last line" : "");
    if (result == MPJ_E_OK)
        profile_no_energy(p, out);
    if (result == MPJ_E_OK && p->energy >= 0 && profile_has_chip(p))
        fprintf(out, "  %*.4f%8s" MPJ_PROF_CHIP ": what belongs to no core\n", CELL,
                (double)p->chip[p->energy] / l.energy.per, "");
    return result;
}

static int put_csv(const struct mpj_report *r, FILE *f, struct mpj_err *err)
{
    const struct mpj_profile *const p = r->run->profile;

    (void)err;
    fputs("path,parent,depth,function,file,line,kind,thread,core,region,calls", f);
    profile_csv_head(p, f);
    fputc('\n', f);
    for (uint32_t i = 0; i < p->nodes; i++) {
        const struct mpj_prof_node *const n = &p->node[i];
        const struct mpj_prof_func *const func = &p->func[n->func];
        const int64_t where[] = {n->thread, n->core, n->region};
        fprintf(f, "%" PRIu32 ",", i);
        if (n->parent != MPJ_PROF_NO_PARENT)
            fprintf(f, "%" PRIu32, n->parent);
        fprintf(f, ",%" PRIu32 ",", n->depth);
        mpj_csv_quoted(f, func->name);
        fputc(',', f);
        mpj_csv_quoted(f, func->file);
        fprintf(f, ",%d,%d", func->line, (int)func->kind);
        for (unsigned k = 0; k < 3; k++) {
            fputc(',', f);
            if (where[k] >= 0)
                fprintf(f, "%" PRId64, where[k]);
        }
        fprintf(f, ",%" PRIu64, n->calls);
        profile_csv_row(p, p->self + (size_t)i * p->items, p->total + (size_t)i * p->items, f);
        fputc('\n', f);
    }
    fputs(",,,\"" MPJ_PROF_CHIP "\",\"\",0,,,,,", f);
    profile_csv_row(p, p->chip, NULL, f);
    fputc('\n', f);
    return MPJ_E_OK;
}

/* ---- the flame ----------------------------------------------------------------------- */

/* A frame of a level: its share of the width. */
struct frame {
    uint32_t node;
    double from, to;
};

struct level {
    struct frame *frame;
    size_t used, room;
};

static bool add_frame(struct level *l, struct frame x)
{
    if (l->used == l->room) {
        struct frame *const more = realloc(l->frame, (2 * l->room + 64) * sizeof(*more));
        if (more == NULL)
            return false;
        l->frame = more;
        l->room = 2 * l->room + 64;
    }
    l->frame[l->used++] = x;
    return true;
}

static int column(double x)
{
    return (int)(x + 0.5);
}

/* Places a node's callees side by side above it; frames narrower than a column are counted. */
static bool stack_on(struct order *o, uint32_t node, double from, double scale, struct level *next,
                     unsigned *narrow)
{
    uint32_t *kids;
    const uint32_t n = children(o, node, &kids);
    bool ok = kids != NULL;

    for (uint32_t i = 0; i < n && ok; i++) {
        const double to = from + scale * (double)weight(o->p, kids[i], o->by);
        if (column(to) > column(from))
            ok = add_frame(next, (struct frame){kids[i], from, to});
        else
            *narrow += o->p->node[kids[i]].end - kids[i];
        from = to;
    }
    free(kids);
    return ok;
}

/* Writes as much of a text as fits into `width` columns, padded with blanks. */
static void fit(const char *text, int width, FILE *f)
{
    for (; *text != '\0' && width > 0; width--) {
        do
            fputc(*text++, f);
        while (((unsigned char)*text & 0xc0) == 0x80);
    }
    fprintf(f, "%*s", width > 0 ? width : 0, "");
}

static void put_level(const struct mpj_run *run, const struct level *l, FILE *f)
{
    const struct mpj_profile *const p = run->profile;
    int at = 0;

    fputs("  ", f);
    for (size_t i = 0; i < l->used; i++) {
        const struct mpj_prof_node *const n = &p->node[l->frame[i].node];
        const int from = column(l->frame[i].from);
        const int width = column(l->frame[i].to) - from;
        char text[200];
        char thread[80];
        if (n->parent == MPJ_PROF_NO_PARENT) {
            profile_thread(run, n->thread, n->core, thread, sizeof(thread));
            snprintf(text, sizeof(text), "[%.60s] %.100s", thread, p->func[n->func].label);
        } else {
            snprintf(text, sizeof(text), "%.150s", p->func[n->func].label);
        }
        fprintf(f, "%*s|", from - at, "");
        fit(text, width - 1, f);
        at = from + width;
    }
    fputc('\n', f);
}

static int put_flame(const struct mpj_report *r, FILE *out, struct mpj_err *err)
{
    const struct mpj_profile *const p = r->run->profile;
    const unsigned levels = r->top < 0 ? LEVELS : r->top == 0 ? UINT32_MAX : (unsigned)r->top;
    struct level now = {0};
    struct level next = {0};
    struct order o = {.p = p};
    struct scale s;
    unsigned narrow = 0;
    unsigned depth = 0;
    double all;
    double scale;
    bool ok;

    if (mpj_profile_sort(p, r->sort, &o.by, err) != MPJ_E_OK)
        return err->code;
    if (o.by.item < 0)
        return mpj_err_set(err, MPJ_E_USAGE,
                           "a flame of calls shows no cost: --sort takes energy, time or an event");
    all = (double)p->sum[o.by.item];
    s = scale_item(p, o.by.item, all);
    text_head(r->run, out);
    fprintf(out, "\nFlame of %s, %s%s: %d columns are %.4g%s%s",
            o.by.item == p->energy   ? "energy"
            : o.by.item == p->cycles ? "time"
                                     : p->item[o.by.item].name,
            profile_origin(p->source), mpj_profile_note(p), WIDTH, all / s.per,
            s.unit[0] != '\0' ? " " : "", s.unit);
    if (p->chip[o.by.item] > 0)
        fprintf(out, " (in addition: " MPJ_PROF_CHIP " %.4g %s)",
                (double)p->chip[o.by.item] / s.per, s.unit);
    fputs("\n\n", out);
    scale = all > 0 ? WIDTH / all : 0.0;
    ok = stack_on(&o, MPJ_PROF_NO_PARENT, 0.0, scale, &now, &narrow);
    while (ok && now.used > 0 && depth < levels) {
        const struct level spare = now;
        put_level(r->run, &now, out);
        depth++;
        next.used = 0;
        for (size_t i = 0; i < now.used && ok; i++)
            ok = stack_on(&o, now.frame[i].node, now.frame[i].from, scale, &next, &narrow);
        now = next;
        next = spare;
    }
    if (ok && (narrow > 0 || now.used > 0))
        fprintf(out, "\n  %u call paths are narrower than a column%s\n", narrow,
                now.used > 0 ? "; higher levels are not shown (--top 0 shows all)" : "");
    free(now.frame);
    free(next.frame);
    return ok ? MPJ_E_OK : mpj_err_nomem(err);
}

static int put_json(const struct mpj_report *r, FILE *out, struct mpj_err *err)
{
    return json_run(r->run, true, out, err);
}

const struct mpj_view view_calls = {"calls", MPJ_NEEDS_PROFILE, put_list, put_csv, put_json};
const struct mpj_view view_flame = {"flame", MPJ_NEEDS_PROFILE, put_flame, NULL, NULL};
