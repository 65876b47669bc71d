/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the function or region that a change of cost comes from, its place, and the reason. */
#include "report/blame.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "view/blame_inlined.h"
#include "view/blame_outlined.h"

#define RENAMED   0.2  /* a new function matches a removed one when they differ by less */
#define EXPLAINS  0.1  /* of the change: a smaller part does not make it the culprit */
#define NAMEABLE  0.01 /* of the change: a smaller part does not explain it */
#define BY_ITSELF 0.25 /* of the change: growth without waits from which it is not a victim */
#define MOSTLY    0.5  /* of a function's change: a part of it is then the reason */
#define CALLERS   8U   /* levels of callers that are looked at */
#define WAITS     0.1  /* of the change: a smaller increase of waits is not worth a word */

/* ---- values ------------------------------------------------------------------------------ */

const struct mpj_blame_unit *mpj_blame_units(const char *item)
{
    static const struct mpj_blame_unit times[] = {
        {"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {NULL, 0}};
    static const struct mpj_blame_unit energies[] = {
        {"nJ", 1}, {"uJ", 1e3}, {"mJ", 1e6}, {"J", 1e9}, {NULL, 0}};
    static const struct mpj_blame_unit counts[] = {{"", 1}, {NULL, 0}};

    return strcmp(item, "time") == 0 ? times : strcmp(item, "energy") == 0 ? energies : counts;
}

bool mpj_blame_is_count(const char *item)
{
    return mpj_blame_units(item)->name[0] == '\0';
}

void mpj_blame_value(const char *item, double v, char *text, size_t size)
{
    const struct mpj_blame_unit *u = mpj_blame_units(item);

    if (mpj_blame_is_count(item)) {
        snprintf(text, size, "%.0f", v);
        return;
    }
    while (u[1].name != NULL && fabs(v) >= u[1].factor)
        u++;
    snprintf(text, size, "%.4f %s", v / u->factor, u->name);
}

/* ---- rows -------------------------------------------------------------------------------- */

const char *mpj_blame_plain_name(const char *label)
{
    const char *const colon = strrchr(label, ':');

    return colon != NULL ? colon + 1 : label;
}

/* Returns the row of a function in the baseline: of that label; or else of a removed one of its
 * name (labels have a file where there are several), or of similar cost. */
static const json_t *counterpart(const json_t *base, const json_t *now, const char *name,
                                 const char *item)
{
    const json_t *const same = json_object_get(base, name);
    const double want = blame_cost(json_object_get(now, name), item);
    const json_t *best = NULL;
    double nearest = RENAMED * want;
    bool named = false;
    const char *other;
    json_t *row;

    if (same != NULL)
        return same;
    json_object_foreach((json_t *)base, other, row)
    {
        const double off = fabs(blame_cost(row, item) - want);
        const bool its = strcmp(mpj_blame_plain_name(other), mpj_blame_plain_name(name)) == 0;
        if (json_object_get(now, other) == NULL &&
            (its == named ? off <= nearest : its && !named)) {
            named = its;
            nearest = off;
            best = row;
        }
    }
    return best;
}

/* The tables of both sides, one kind of rows, and the item whose change is to be explained. */
struct search {
    const json_t *base, *now; /* objects of tables */
    const char *table, *item;
    double change;
    bool critical; /* both sides have critical time, and the item is time */
    /* Energy of no function (clock, leakage of the chip) grows with the time of the run: the
     * increase for an increase of critical time. 0: unknown, or of another item. */
    double chip;
};

static const json_t *base_rows(const struct search *s)
{
    return json_object_get(s->base, s->table);
}

static const json_t *now_rows(const struct search *s)
{
    return json_object_get(s->now, s->table);
}

static bool any_has(const json_t *rows, const char *item)
{
    const char *name;
    json_t *row;

    json_object_foreach((json_t *)rows, name, row)
    {
        if (json_object_get(row, item) != NULL)
            return true;
    }
    return false;
}

/* Returns the part after "NAME > " of a row's name; NULL: it is not of that name. */
static const char *called(const char *row, const char *name)
{
    const size_t len = strlen(name);

    if (strncmp(row, name, len) != 0 ||
        strncmp(row + len, MPJ_BLAME_CALLS, strlen(MPJ_BLAME_CALLS)) != 0)
        return NULL;
    return row + len + strlen(MPJ_BLAME_CALLS);
}

/* Returns how much of a function's growth is a reaction to other threads: what its calls of the
 * runtime that meet others (to wake, to lock) cost more each. More of such calls are its own. */
static double reaction(const struct search *s, const char *name, const char *item)
{
    const json_t *const base = json_object_get(s->base, "runtime");
    double sum = 0;
    const char *edge;
    json_t *row;

    json_object_foreach(json_object_get(s->now, "runtime"), edge, row)
    {
        const json_t *const before = json_object_get(base, edge);
        const double a = blame_cell(before, "calls");
        const double b = blame_cell(row, "calls");
        if (called(edge, name) == NULL || !(a > 0 && b > 0) ||
            blame_cell(before, "meets") + blame_cell(row, "meets") <= 0)
            continue;
        sum += fmax(blame_cell(row, item) - blame_cell(before, item) / a * b, 0);
    }
    return sum;
}

/* Parts of a row's growth that count. */
enum growth {
    ITS_OWN, /* not its waits, and no reaction to others */
    ALL_BUT_WAITS,
    WITH_WAITS,
};

/* Returns how much an item of a function grew. */
static double growth_of(const struct search *s, const char *name, const char *item,
                        enum growth counts)
{
    const json_t *const row = json_object_get(now_rows(s), name);
    const json_t *const before = counterpart(base_rows(s), now_rows(s), name, s->item);
    double more;

    if (counts == WITH_WAITS)
        return blame_cost(row, item) - blame_cost(before, item);
    more = blame_cell(row, item) - blame_cell(before, item) +
           s->chip * (blame_cell(row, "critical") - blame_cell(before, "critical"));
    return more > 0 && counts == ITS_OWN ? more - reaction(s, name, item) : more;
}

/* Returns the row that the item grew most in; of the program's own functions or of all. */
static const char *worst(const struct search *s, const char *item, bool own, enum growth counts,
                         double *change)
{
    const char *found = NULL;
    const char *name;
    json_t *row;

    *change = 0;
    json_object_foreach((json_t *)now_rows(s), name, row)
    {
        const double more = growth_of(s, name, item, counts);
        if ((!own || json_object_get(row, "at") != NULL) && more > *change) {
            *change = more;
            found = name;
        }
    }
    return found;
}

/* ---- who calls more often ---------------------------------------------------------------- */

static bool by_calls(const struct search *s, const char *name)
{
    return blame_by_calls(s->base, s->now, s->table, name, s->item);
}

/* Returns the caller whose calls of a function increased most, if most of the increase is its. */
static const char *who_calls(const struct search *s, const char *callee, double *before,
                             double *after)
{
    const json_t *const base = json_object_get(s->base, "callers");
    const double increase =
        blame_calls_of(s->now, s->table, callee) - blame_calls_of(s->base, s->table, callee);
    double most = MOSTLY * increase;
    const char *found = NULL;
    const char *caller;
    json_t *row;

    json_object_foreach((json_t *)now_rows(s), caller, row)
    {
        char *name = NULL;
        double a;
        double b;
        if (json_object_get(row, "at") == NULL ||
            asprintf(&name, "%s" MPJ_BLAME_CALLS "%s", caller, callee) < 0)
            continue;
        a = blame_cell(json_object_get(base, name), "calls");
        b = blame_cell(json_object_get(json_object_get(s->now, "callers"), name), "calls");
        free(name);
        if (b - a < most || b <= a)
            continue;
        most = b - a;
        *before = a;
        *after = b;
        found = caller;
    }
    return found;
}

/* Returns the function that makes a function more expensive by calling it more often, the function
 * itself when that is not so; *callee: what it calls. */
static const char *step_up(const struct search *s, const char *name, struct mpj_blame *b,
                           const char **callee)
{
    *callee = NULL;
    for (unsigned level = 0; level < CALLERS && by_calls(s, name); level++) {
        const char *const caller = who_calls(s, name, &b->calls_base, &b->calls_now);
        if (caller == NULL)
            break;
        *callee = name;
        name = caller;
    }
    return name;
}

/* ---- who is suspected -------------------------------------------------------------------- */

/* Returns a function that waits more because it does so more often, when that one whose critical
 * time grew does not work longer: then there is less for it to overlap with. */
static const char *more_waits(const struct search *s, const char *name, bool own, double *more)
{
    const json_t *const base = counterpart(base_rows(s), now_rows(s), name, s->item);
    const double longer =
        blame_cell(json_object_get(now_rows(s), name), s->item) - blame_cell(base, s->item);
    const char *waits;
    double by;

    if (longer >= EXPLAINS * *more)
        return name;
    waits = worst(s, s->item, own, WITH_WAITS, &by);
    if (waits == NULL || !by_calls(s, waits))
        return name;
    *more = by;
    return waits;
}

/* Returns the function whose critical time grew most, or without that the one that grew most by
 * itself; not by a reaction to others, if another one grew by half as much. By waiting, when that
 * does not explain the change: a function that waits more is usually the victim. */
static const char *suspect(const struct search *s, bool own, double *more)
{
    const char *const item = s->critical ? "critical" : s->item;
    const char *name = worst(s, item, own, ALL_BUT_WAITS, more);
    double its_own;
    const char *const actor = worst(s, item, own, ITS_OWN, &its_own);

    if (actor != NULL && its_own >= MOSTLY * *more) {
        name = actor;
        *more = its_own;
    }
    if (*more < (s->critical ? EXPLAINS : BY_ITSELF) * s->change)
        return worst(s, s->item, own, WITH_WAITS, more);
    return s->critical && name != NULL ? more_waits(s, name, own, more) : name;
}

/* ---- causes ------------------------------------------------------------------------------ */

static const struct {
    const char *item, *word;
    bool follows; /* from time */
} causes[] = {
    {"instructions", "instructions", false},
    {"switch", "switching", false},
    {"l1", "L1 accesses", false},
    {"l2", "L2 accesses", false},
    {"coherence", "lines moved between cores", false},
    {"memory", "memory accesses", false},
    {"uncached", "uncached accesses", false},
    {"tlb", "TLB misses", false},
    {"mispredict", "mispredicted branches", false},
    {"stall", "stalls", true},
    {"clock", "time", true},
    {"floor", "time", true},
    {"leakage", "time", true},
    {"idle", "idle time", true},
};

bool mpj_blame_follows(const char *cause)
{
    for (size_t i = 0; i < sizeof(causes) / sizeof(causes[0]); i++) {
        if (strcmp(causes[i].item, cause) == 0)
            return causes[i].follows;
    }
    return false;
}

/* Returns the cause of energy that grew most. Clock, stalls and leakage grow with the time whatever
 * the reason: they are returned only when no other cause grew. */
static const char *cause_of(const json_t *base, const json_t *now, const char *item)
{
    const char *found = NULL;
    double most = 0;

    if (strcmp(item, "time") == 0 && blame_cell(now, "wait") - blame_cell(base, "wait") >
                                         blame_cell(now, "time") - blame_cell(base, "time"))
        return "waiting";
    for (int follows = 0; follows < 2 && found == NULL; follows++) {
        for (size_t i = 0; i < sizeof(causes) / sizeof(causes[0]); i++) {
            const double more = blame_cell(now, causes[i].item) - blame_cell(base, causes[i].item);
            if (causes[i].follows == (follows != 0) && more > most) {
                most = more;
                found = causes[i].word;
            }
        }
        if (most < 0.02 * (blame_cell(now, "energy") - blame_cell(base, "energy"))) {
            most = 0;
            found = NULL;
        }
    }
    return found;
}

/* Returns the culprit's callee in the runtime that accounts for most of its growth. */
static const char *through(const struct search *s, const struct mpj_blame *b)
{
    const json_t *const base = json_object_get(s->base, "runtime");
    double most = MOSTLY * (b->now - b->base);
    const char *found = NULL;
    const char *name;
    json_t *row;

    if (b->culprit == NULL)
        return NULL;
    json_object_foreach(json_object_get(s->now, "runtime"), name, row)
    {
        const double more =
            blame_cell(row, b->item) - blame_cell(json_object_get(base, name), b->item);
        if (called(name, b->culprit) == NULL || more <= most)
            continue;
        most = more;
        found = called(name, b->culprit);
    }
    return found;
}

/* ---- who waits --------------------------------------------------------------------------- */

/* Returns the other function whose waits for threads increased most. */
static const char *victim(const struct search *s, const struct mpj_blame *b)
{
    const char *found = NULL;
    double most = WAITS * s->change;
    const char *name;
    json_t *row;

    if (strcmp(s->item, "time") != 0 || b->culprit == NULL)
        return NULL;
    json_object_foreach((json_t *)now_rows(s), name, row)
    {
        const json_t *const before = counterpart(base_rows(s), now_rows(s), name, s->item);
        const double more = blame_cell(row, "wait") - blame_cell(before, "wait");
        if (more <= most || strcmp(name, b->culprit) == 0)
            continue;
        most = more;
        found = name;
    }
    return found;
}

/* ---- the outcome ------------------------------------------------------------------------- */

/* Copies a text, which may be NULL. False: out of memory. */
static bool copy(char **to, const char *text)
{
    *to = text != NULL ? strdup(text) : NULL;
    return text == NULL || *to != NULL;
}

/* True if a function takes more of the run because fewer threads do its work at a time, and not
 * because there is more work. */
static bool in_more_of_the_run(const struct search *s, const json_t *base, const json_t *now)
{
    const double grown = blame_cell(now, "critical") - blame_cell(base, "critical");
    const double more = blame_cost(now, s->item) - blame_cost(base, s->item);

    return grown > 0 && more < (strcmp(s->item, "time") == 0 ? MOSTLY * grown : 0);
}

/* Makes the row of that name the culprit. */
static int take(const struct search *s, const char *name, const char *callee, struct mpj_blame *b,
                struct mpj_err *err)
{
    /* of a caller the figures are those of the function that it calls more often */
    const char *const figures = callee != NULL ? callee : name;
    const json_t *const base = counterpart(base_rows(s), now_rows(s), figures, s->item);
    const json_t *const now = json_object_get(now_rows(s), figures);
    const json_t *const place = json_object_get(now_rows(s), name);
    const char *waits;

    b->item = s->item;
    b->base = blame_cost(base, s->item);
    b->now = blame_cost(now, s->item);
    b->cause = cause_of(base, now, s->item);
    b->of_run = s->change > 0 && callee == NULL && in_more_of_the_run(s, base, now);
    if (b->of_run) {
        b->base = blame_cell(base, "critical");
        b->now = blame_cell(now, "critical");
        b->cause = strcmp(s->item, "energy") == 0 ? "time" : NULL;
    }
    b->line = (int)json_integer_value(json_object_get(place, "line"));
    if (callee == NULL) {
        b->calls_base = blame_cell(base, "calls");
        b->calls_now = blame_cell(now, "calls");
    }
    if (!copy(&b->culprit, name) || !copy(&b->callee, callee) ||
        !copy(&b->file, json_string_value(json_object_get(place, "at"))) ||
        !copy(&b->through, b->of_run ? NULL : through(s, b)))
        return mpj_err_nomem(err);
    waits = s->change > 0 ? victim(s, b) : NULL;
    if (!copy(&b->victim, waits))
        return mpj_err_nomem(err);
    if (waits != NULL) {
        b->wait_base = blame_cell(counterpart(base_rows(s), now_rows(s), waits, s->item), "wait");
        b->wait_now = blame_cell(json_object_get(now_rows(s), waits), "wait");
    }
    return MPJ_E_OK;
}

int mpj_blame_row(const json_t *base, const json_t *now, const char *table, const char *name,
                  const char *item, struct mpj_blame *out, struct mpj_err *err)
{
    const struct search s = {.base = base, .now = now, .table = table, .item = item};

    *out = (struct mpj_blame){.base = NAN, .now = NAN};
    return take(&s, name, NULL, out, err);
}

/* Returns the function or region that explains the change; NULL: none does. */
static const char *find(struct search *s, bool own, double *more)
{
    const char *name = suspect(s, own, more);
    double other;

    if (name == NULL && strcmp(s->item, "time") != 0) { /* events are not in every baseline */
        s->item = "energy";
        s->change = 0; /* is caused by events */
        name = suspect(s, own, more);
    }
    if (name == NULL || *more < EXPLAINS * s->change) {
        const char *const any = suspect(s, false, &other);
        if (any != NULL && other * EXPLAINS > *more) {
            name = any;
            *more = other;
        }
    }
    return name;
}

static double sum_of(const json_t *rows, const char *item)
{
    double sum = 0;
    const char *name;
    json_t *row;

    json_object_foreach((json_t *)rows, name, row) sum += blame_cell(row, item);
    return sum;
}

/* Prepares what is known of critical time. */
static void use_critical(struct search *s)
{
    const bool known = any_has(base_rows(s), "critical") && any_has(now_rows(s), "critical");
    double longer;
    double rest;

    s->critical = known && strcmp(s->item, "time") == 0;
    s->chip = 0;
    if (!known || strcmp(s->item, "energy") != 0)
        return;
    longer = sum_of(now_rows(s), "critical") - sum_of(base_rows(s), "critical");
    rest = s->change - (sum_of(now_rows(s), "energy") - sum_of(base_rows(s), "energy"));
    s->chip = longer > 0 && rest > 0 ? rest / longer : 0;
}

/* Does the work of mpj_blame_find() with tables that can be compared row by row. */
static int find_culprit(const json_t *base, const json_t *now, const char *item, double change,
                        struct mpj_blame *out, struct mpj_err *err)
{
    static const char *const tables[] = {"functions", "regions"};

    for (size_t t = 0; t < 2; t++) {
        struct search s = {.base = base, .now = now, .table = tables[t], .item = item};
        double more = 0;
        const char *callee = NULL;
        const char *name;
        s.change = change;
        use_critical(&s);
        name = find(&s, t == 0, &more);
        if (name == NULL || more < NAMEABLE * s.change)
            continue;
        name = step_up(&s, name, out, &callee);
        return take(&s, name, callee, out, err);
    }
    return MPJ_E_OK;
}

int mpj_blame_find(const json_t *base, const json_t *now, const char *item, double change,
                   struct mpj_blame *out, struct mpj_err *err)
{
    json_t *side[2];
    int result;

    *out = (struct mpj_blame){.base = NAN, .now = NAN};
    if (blame_join_outlined(base, now, side, err) != MPJ_E_OK)
        return err->code;
    result = blame_pass_inlined(side, item, err);
    if (result == MPJ_E_OK)
        result = find_culprit(side[0], side[1], item, change, out, err);
    json_decref(side[0]);
    json_decref(side[1]);
    return result;
}

static void exchange(double *a, double *b)
{
    const double t = *a;

    *a = *b;
    *b = t;
}

int mpj_blame_change(const json_t *base, const json_t *now, const char *item, double change,
                     struct mpj_blame *out, struct mpj_err *err)
{
    *out = (struct mpj_blame){.base = NAN, .now = NAN};
    if (!isfinite(change) || change == 0)
        return MPJ_E_OK;
    if (change > 0)
        return mpj_blame_find(base, now, item, change, out, err);
    if (mpj_blame_find(now, base, item, -change, out, err) != MPJ_E_OK)
        return err->code;
    exchange(&out->base, &out->now);
    exchange(&out->calls_base, &out->calls_now);
    exchange(&out->wait_base, &out->wait_now);
    return MPJ_E_OK;
}

void mpj_blame_free(struct mpj_blame *b)
{
    free(b->culprit);
    free(b->file);
    free(b->through);
    free(b->callee);
    free(b->victim);
    *b = (struct mpj_blame){.base = NAN, .now = NAN};
}

/* Writes the figures: "takes 3 ms instead of 2 ms". */
static void say_figures(const struct mpj_blame *b, FILE *out)
{
    const char *const item = b->of_run ? "time" : b->item;
    const bool count = mpj_blame_is_count(item);
    char before[40];
    char after[40];

    mpj_blame_value(item, b->base, before, sizeof(before));
    mpj_blame_value(item, b->now, after, sizeof(after));
    if (b->callee != NULL)
        fprintf(out, " calls %s %.0f times instead of %.0f, which", b->callee, b->calls_now,
                b->calls_base);
    fprintf(out, " takes %s%s%s%s instead of %s", after, count ? " " : "", count ? item : "",
            b->of_run ? " of the run" : "", before);
}

void mpj_blame_say(const struct mpj_blame *b, bool named, FILE *out)
{
    char before[40];
    char after[40];

    if (b->culprit == NULL)
        return;
    if (!named)
        fputs(b->culprit, out);
    if (b->file != NULL)
        fprintf(out, "%s%s:%d%s", named ? "at " : " (", b->file, b->line, named ? "" : ")");
    if (!named)
        say_figures(b, out);
    if (b->through != NULL)
        fprintf(out, ", most of it in %s", b->through);
    if (b->victim != NULL) {
        mpj_blame_value("time", b->wait_base, before, sizeof(before));
        mpj_blame_value("time", b->wait_now, after, sizeof(after));
        fprintf(out, "; %s waits %s instead of %s", b->victim, after, before);
    }
    if (b->cause != NULL)
        fprintf(out, "%scause: %s", named && b->file == NULL && b->through == NULL ? "" : "; ",
                b->cause);
}

static void put_count(json_t *o, const char *key, double v)
{
    json_object_set_new(o, key, json_integer(llround(v)));
}

void mpj_blame_json(const struct mpj_blame *b, json_t *o)
{
    if (b->culprit == NULL)
        return;
    json_object_set_new(o, "culprit", json_string(b->culprit));
    if (b->through != NULL)
        json_object_set_new(o, "through", json_string(b->through));
    if (b->file != NULL)
        json_object_set_new(o, "file", json_string(b->file));
    if (b->line > 0)
        json_object_set_new(o, "line", json_integer(b->line));
    if (b->cause != NULL)
        json_object_set_new(o, "cause", json_string(b->cause));
    if (b->callee != NULL)
        json_object_set_new(o, "calls_more", json_string(b->callee));
    if (b->calls_base > 0 || b->calls_now > 0) {
        put_count(o, "calls_baseline", b->calls_base);
        put_count(o, "calls_now", b->calls_now);
    }
    if (b->victim != NULL) {
        json_object_set_new(o, "victim", json_string(b->victim));
        put_count(o, "victim_wait_baseline", b->wait_base);
        put_count(o, "victim_wait_now", b->wait_now);
    }
}
