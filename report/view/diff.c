/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compares two runs: rows of the same function, thread or region are matched by name. */
#include "report/diff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report_int.h"
#include "view/diff_out.h"
#include "view/profile_text.h"

#define FJ_PER_UJ  1e9
#define NAME_BYTES 300
/* Items without a profile, before the events. */
#define COUNTED_CYCLES 0
#define COUNTED_ENERGY 1
#define CAUSE_LEAST    0.02 /* of a change: a smaller cause is not the reason */

/* A row of one run before it is matched; cells by the diff's items. */
struct part {
    char *key, *name, *file;
    int line, side;
    bool unknown; /* energy */
    uint64_t calls;
    int64_t *cost;
};

/* Destination of the rows of one run. */
struct side {
    struct mpj_diff *d;
    const struct mpj_run *run;
    int which;    /* 0: A, 1: B */
    unsigned *to; /* maps an item of its profile to that of the diff */
    struct part *part;
    unsigned parts, room;
};

/* ---- items ----------------------------------------------------------------------------- */

static int item_find(const struct mpj_diff *d, const char *name)
{
    for (unsigned i = 0; i < d->items; i++) {
        if (strcmp(d->item[i].name, name) == 0)
            return (int)i;
    }
    return MPJ_PROF_NONE;
}

static int item_add(struct mpj_diff *d, const char *name, const char *unit, struct mpj_err *err)
{
    if (item_find(d, name) >= 0)
        return MPJ_E_OK;
    d->item[d->items] = (struct mpj_prof_item){strdup(name), unit};
    if (d->item[d->items].name == NULL)
        return mpj_err_nomem(err);
    d->items++;
    return MPJ_E_OK;
}

/* Merges the items of both profiles: items other than causes first, of A, then of B. */
static int profile_items(struct mpj_diff *d, struct mpj_run *const run[2], struct mpj_err *err)
{
    int result = MPJ_E_OK;

    for (int causes = 0; causes < 2; causes++) {
        d->first_cause = d->items;
        for (int s = 0; s < 2; s++) {
            const struct mpj_profile *const p = run[s]->profile;
            const unsigned begin = causes ? p->first_cause : 0;
            const unsigned end = causes ? p->items : p->first_cause;
            for (unsigned i = begin; i < end && result == MPJ_E_OK; i++)
                result = item_add(d, p->item[i].name, p->item[i].unit, err);
        }
    }
    if (run[0]->profile->energy >= 0 && run[1]->profile->energy >= 0)
        d->energy = item_find(d, "energy_fj");
    if (run[0]->profile->cycles >= 0 && run[1]->profile->cycles >= 0)
        d->cycles = item_find(d, "cycles");
    return result;
}

static bool counted(const struct mpj_run *run, unsigned event)
{
    return run->chip[event].present || mpj_run_total(run, (int)event).present;
}

/* Adds items without profiles: events that both counted. */
static int counter_items(struct mpj_diff *d, struct mpj_run *const run[2], struct mpj_err *err)
{
    size_t n;
    const struct mpj_event_info *const table = mpj_event_table(&n);
    int result = item_add(d, "cycles", "cycles", err);

    if (result == MPJ_E_OK)
        result = item_add(d, "energy_fj", "fJ", err);
    for (unsigned i = 0; i < n && result == MPJ_E_OK; i++) {
        if (counted(run[0], i) && counted(run[1], i))
            result = item_add(d, table[i].name, table[i].unit, err);
    }
    d->first_cause = d->items;
    d->cycles = COUNTED_CYCLES;
    d->energy = d->measured[0] != '\0' ? COUNTED_ENERGY : MPJ_PROF_NONE;
    return result;
}

static int make_items(struct mpj_diff *d, struct mpj_run *const run[2], struct mpj_err *err)
{
    const size_t most = d->source >= 0 ? (size_t)run[0]->profile->items + run[1]->profile->items
                                       : MPJ_RUN_EVENTS_MAX + 2;
    int result;

    d->items = 0;
    d->item = calloc(most + 1, sizeof(*d->item));
    if (d->item == NULL)
        return mpj_err_nomem(err);
    result = d->source >= 0 ? profile_items(d, run, err) : counter_items(d, run, err);
    for (int s = 0; s < 2 && result == MPJ_E_OK; s++) {
        d->all[s] = calloc(d->items + 1, sizeof(*d->all[s]));
        if (d->all[s] == NULL)
            result = mpj_err_nomem(err);
    }
    return result;
}

/* ---- parts ----------------------------------------------------------------------------- */

/* Appends a part; takes ownership of no argument. NULL: out of memory. */
static struct part *part_add(struct side *s, const char *key, const char *name, const char *file)
{
    struct part *p;

    if (s->parts == s->room) {
        const unsigned room = s->room * 2 + 64;
        struct part *const more = realloc(s->part, room * sizeof(*more));
        if (more == NULL)
            return NULL;
        s->part = more;
        s->room = room;
    }
    p = &s->part[s->parts];
    *p = (struct part){.key = strdup(key),
                       .name = strdup(name),
                       .file = file != NULL ? strdup(file) : NULL,
                       .side = s->which,
                       .cost = calloc(s->d->items + 1, sizeof(*p->cost))};
    s->parts++;
    return p->key != NULL && p->name != NULL && p->cost != NULL ? p : NULL;
}

static void add_profile_cost(const struct side *s, int64_t *cost, const int64_t *cell)
{
    for (unsigned i = 0; i < s->run->profile->items; i++)
        cost[s->to[i]] += cell[i];
}

static const char *base_name(const char *file)
{
    const char *const slash = file != NULL ? strrchr(file, '/') : NULL;

    return slash != NULL ? slash + 1 : file != NULL ? file : "";
}

/* Builds a thread's key: threads are distinguished by name; those of one name by the order of their
 * numbers. */
static void thread_name(const struct mpj_run *run, int64_t id, char *text, size_t size)
{
    const struct mpj_thread_result *const t = id >= 0 ? run_thread(run, (uint32_t)id) : NULL;
    unsigned before = 0;

    if (t == NULL) {
        snprintf(text, size, id >= 0 ? "thread %lld" : "(no thread)", (long long)id);
        return;
    }
    for (unsigned i = 0; i < run->threads; i++)
        before += run->thread[i].id < t->id && strcmp(run->thread[i].name, t->name) == 0;
    if (before > 0)
        snprintf(text, size, "%s #%u", t->name, before + 1);
    else
        snprintf(text, size, "%s", t->name);
}

/* Builds a region's key, the function of its body: a name with a line would change with every edit
 * above. */
static void region_names(const struct mpj_run *run, int64_t address, char *key, char *name,
                         size_t size)
{
    const struct mpj_region_result *r = NULL;

    for (unsigned i = 0; i < run->regions; i++) {
        if (address > 0 && (int64_t)run->region[i].fn.address == address)
            r = &run->region[i];
    }
    if (address <= 0)
        snprintf(name, size, "serial");
    else
        profile_region(run, address, name, size);
    snprintf(key, size, "%s", r != NULL && r->fn.function != NULL ? r->fn.function : name);
}

static int profile_part(struct side *s, enum mpj_diff_by by, const struct mpj_prof_row *r)
{
    const struct mpj_prof_func *const f = r->func >= 0 ? &s->run->profile->func[r->func] : NULL;
    char key[NAME_BYTES * 2];
    char name[NAME_BYTES];
    struct part *p;

    if (by == MPJ_DIFF_THREADS) {
        thread_name(s->run, r->thread, name, sizeof(name));
        p = part_add(s, name, name, NULL);
    } else if (by == MPJ_DIFF_REGIONS || f == NULL) {
        region_names(s->run, r->region, key, name, sizeof(name));
        p = part_add(s, key, name, NULL);
    } else {
        /* a label with a folder: there are two files of one name */
        snprintf(key, sizeof(key), "%.*s\n%.*s", NAME_BYTES, f->name, NAME_BYTES - 10,
                 strchr(f->label, '/') != NULL ? f->file : base_name(f->file));
        p = part_add(s, key, f->name, f->file);
    }
    if (p == NULL)
        return MPJ_E_NOMEM;
    p->line = f != NULL ? f->line : 0;
    p->calls = by == MPJ_DIFF_FUNCTIONS ? r->calls : 0;
    add_profile_cost(s, p->cost, r->self);
    return MPJ_E_OK;
}

static int profile_parts(struct side *s, enum mpj_diff_by by, struct mpj_err *err)
{
    static const unsigned key[MPJ_DIFF_TABLES] = {MPJ_BY_FUNC, MPJ_BY_THREAD, MPJ_BY_REGION};
    struct mpj_prof_table t;
    struct part *chip = NULL;
    int result = mpj_profile_table(s->run->profile, key[by], &t, err);

    for (unsigned i = 0; i < t.rows && result == MPJ_E_OK; i++)
        result = profile_part(s, by, &t.row[i]);
    mpj_profile_table_free(&t);
    if (result == MPJ_E_OK) {
        chip = part_add(s, MPJ_PROF_CHIP, MPJ_PROF_CHIP, NULL);
        result = chip != NULL ? MPJ_E_OK : MPJ_E_NOMEM;
    }
    if (chip != NULL)
        add_profile_cost(s, chip->cost, s->run->profile->chip);
    return result == MPJ_E_NOMEM ? mpj_err_nomem(err) : result;
}

static void add_counts(const struct mpj_diff *d, int64_t *cost, const struct mpj_value *ev)
{
    size_t n;
    const struct mpj_event_info *const table = mpj_event_table(&n);

    for (unsigned i = 0; i < n; i++) {
        const int item = ev[i].present ? item_find(d, table[i].name) : MPJ_PROF_NONE;
        if (item >= 0)
            cost[item] += (int64_t)ev[i].value;
    }
}

/* Adds the counts of a thread or a part of a region. */
static void add_counted(const struct side *s, int64_t *cost, const struct mpj_value *counted)
{
    struct mpj_value ev[MPJ_RUN_EVENTS_MAX];

    mpj_run_values(s->run, counted, ev);
    add_counts(s->d, cost, ev);
}

static int64_t femtojoules(double uj)
{
    return isfinite(uj) ? llround(uj * FJ_PER_UJ) : 0;
}

static int thread_parts(struct side *s)
{
    char name[NAME_BYTES];

    for (unsigned i = 0; i < s->run->threads; i++) {
        const struct mpj_thread_result *const t = &s->run->thread[i];
        struct part *p;
        thread_name(s->run, t->id, name, sizeof(name));
        p = part_add(s, name, name, NULL);
        if (p == NULL)
            return MPJ_E_NOMEM;
        p->cost[COUNTED_CYCLES] = (int64_t)t->cycles;
        p->cost[COUNTED_ENERGY] = femtojoules(t->energy_uj);
        p->unknown = !isfinite(t->energy_uj);
        add_counted(s, p->cost, t->ev);
    }
    return MPJ_E_OK;
}

static int region_parts(struct side *s)
{
    char key[NAME_BYTES];
    char name[NAME_BYTES];

    for (unsigned i = 0; i < s->run->regions; i++) {
        const struct mpj_region_result *const r = &s->run->region[i];
        struct part *p;
        region_names(s->run, r->fn.address, key, name, sizeof(name));
        p = part_add(s, key, name, NULL);
        if (p == NULL)
            return MPJ_E_NOMEM;
        p->calls = r->calls;
        p->cost[COUNTED_CYCLES] = (int64_t)r->cycles;
        p->cost[COUNTED_ENERGY] = femtojoules(r->energy_uj);
        p->unknown = !isfinite(r->energy_uj);
        for (unsigned k = 0; k < r->parts; k++)
            add_counted(s, p->cost, r->part[k].ev);
    }
    return MPJ_E_OK;
}

static int counter_parts(struct side *s, enum mpj_diff_by by, struct mpj_err *err)
{
    int result = MPJ_E_OK;

    if (by == MPJ_DIFF_THREADS)
        result = thread_parts(s);
    else if (by == MPJ_DIFF_REGIONS)
        result = region_parts(s);
    return result == MPJ_E_OK ? result : mpj_err_nomem(err);
}

/* ---- rows ------------------------------------------------------------------------------ */

static int by_key(const void *a, const void *b)
{
    const struct part *const x = a;
    const struct part *const y = b;
    const int d = strcmp(x->key, y->key);

    return d != 0 ? d : x->side - y->side;
}

static void take_part(const struct mpj_diff *d, struct mpj_diff_row *r, struct part *p)
{
    free(r->name);
    free(r->file);
    r->name = p->name;
    r->file = p->file;
    r->line = p->line;
    r->in[p->side] = true;
    r->unknown[p->side] = r->unknown[p->side] || p->unknown;
    r->calls[p->side] += p->calls;
    for (unsigned i = 0; i < d->items; i++)
        r->cost[p->side][i] += p->cost[i];
    p->name = NULL;
    p->file = NULL;
}

/* Builds rows from parts; those of one key become one row. */
static int make_rows(struct mpj_diff *d, struct mpj_diff_table *t, struct part *part, unsigned n,
                     struct mpj_err *err)
{
    t->row = calloc(n + 1, sizeof(*t->row));
    if (t->row == NULL)
        return mpj_err_nomem(err);
    qsort(part, n, sizeof(*part), by_key);
    for (unsigned i = 0; i < n; i++) {
        if (i == 0 || strcmp(part[i].key, part[i - 1].key) != 0) {
            struct mpj_diff_row *const r = &t->row[t->rows++];
            r->cost[0] = calloc(d->items + 1, sizeof(int64_t));
            r->cost[1] = calloc(d->items + 1, sizeof(int64_t));
            if (r->cost[0] == NULL || r->cost[1] == NULL)
                return mpj_err_nomem(err);
        }
        take_part(d, &t->row[t->rows - 1], &part[i]);
    }
    return MPJ_E_OK;
}

static int by_change(const void *a, const void *b, void *ctx)
{
    const struct mpj_diff_row *const x = a;
    const struct mpj_diff_row *const y = b;
    const int item = *(const int *)ctx;
    const int64_t v = llabs(x->cost[1][item] - x->cost[0][item]);
    const int64_t w = llabs(y->cost[1][item] - y->cost[0][item]);
    const int d = (v < w) - (v > w);

    return d != 0 ? d : strcmp(x->name, y->name);
}

/* True if the table is informative; false for regions if neither program has any: it would be a
 * single row for everything. */
static bool has_table(enum mpj_diff_by by, struct mpj_run *const run[2])
{
    return by != MPJ_DIFF_REGIONS || run[0]->regions > 0 || run[1]->regions > 0;
}

static int make_table(struct mpj_diff *d, enum mpj_diff_by by, struct side side[2],
                      struct mpj_err *err)
{
    struct part *all;
    int result = MPJ_E_OK;

    for (int s = 0; s < 2 && result == MPJ_E_OK; s++)
        result =
            d->source >= 0 ? profile_parts(&side[s], by, err) : counter_parts(&side[s], by, err);
    if (result != MPJ_E_OK)
        return result;
    all = calloc(side[0].parts + side[1].parts + 1, sizeof(*all));
    if (all == NULL)
        return mpj_err_nomem(err);
    for (int s = 0; s < 2; s++) {
        for (unsigned i = 0; i < side[s].parts; i++)
            all[(s == 0 ? 0 : side[0].parts) + i] = side[s].part[i];
    }
    result = make_rows(d, &d->table[by], all, side[0].parts + side[1].parts, err);
    for (unsigned i = 0, n = side[0].parts; i < n + side[1].parts; i++) /* remaining parts */
        side[i >= n].part[i >= n ? i - n : i] = all[i];
    free(all);
    if (result == MPJ_E_OK)
        qsort_r(d->table[by].row, d->table[by].rows, sizeof(*d->table[by].row), by_change,
                &d->order);
    return result;
}

static void forget_parts(struct side *s)
{
    for (unsigned i = 0; i < s->parts; i++) {
        free(s->part[i].key);
        free(s->part[i].name);
        free(s->part[i].file);
        free(s->part[i].cost);
    }
    s->parts = 0;
}

static int make_side(struct side *s, struct mpj_err *err)
{
    const struct mpj_profile *const p = s->run->profile;

    if (s->d->source < 0)
        return MPJ_E_OK;
    s->to = calloc(p->items + 1, sizeof(*s->to));
    if (s->to == NULL)
        return mpj_err_nomem(err);
    for (unsigned i = 0; i < p->items; i++)
        s->to[i] = (unsigned)item_find(s->d, p->item[i].name);
    return MPJ_E_OK;
}

/* ---- the whole ------------------------------------------------------------------------- */

static void set_all(struct mpj_diff *d, const struct side *s)
{
    int64_t *const all = d->all[s->which];

    if (d->source >= 0) {
        add_profile_cost(s, all, s->run->profile->sum);
        add_profile_cost(s, all, s->run->profile->chip);
        return;
    }
    for (unsigned k = 0; k < MPJ_CORES_MAX; k++) {
        all[COUNTED_CYCLES] += s->run->core[k].present ? (int64_t)s->run->core[k].cycles : 0;
        add_counts(d, all, s->run->core[k].ev);
    }
    add_counts(d, all, s->run->chip);
    all[COUNTED_ENERGY] = femtojoules(d->energy_uj[s->which]);
}

/* True if both were measured by the same channel of an external meter. */
static bool metered(const struct mpj_run *a, const struct mpj_run *b)
{
    const char *const one = mpj_run_power(a).meter;
    const char *const other = mpj_run_power(b).meter;

    return one != NULL && other != NULL && strcmp(one, other) == 0;
}

/* Selects the energy by the best means that both runs have. */
static void set_energy(struct mpj_diff *d, struct mpj_run *const run[2])
{
    static const char *const means[] = {"the emulator's truth", "the tile's ADC",
                                        "the external meter", "the energy model", ""};
    unsigned m = run[0]->have_truth && run[1]->have_truth         ? 0
                 : run[0]->have_adc && run[1]->have_adc           ? 1
                 : metered(run[0], run[1])                        ? 2
                 : run[0]->model.present && run[1]->model.present ? 3
                                                                  : 4;

    d->measured = means[m];
    for (int s = 0; s < 2; s++) {
        d->means[s] = means[run[s]->have_truth                    ? 0
                            : run[s]->have_adc                    ? 1
                            : mpj_run_power(run[s]).meter != NULL ? 2
                            : run[s]->model.present               ? 3
                                                                  : 4];
        d->time_s[s] = run[s]->complete || run[s]->partial ? run[s]->time_s : NAN;
        d->clock_hz[s] = run[s]->clock_hz;
        d->energy_uj[s] = m == 0   ? run[s]->truth.energy_uj
                          : m == 1 ? run[s]->processor.energy_uj
                          : m == 2 ? mpj_run_power(run[s]).energy_uj
                          : m == 3 ? run[s]->model.energy_uj
                                   : NAN;
    }
}

/* Returns the most exact source of which both have a profile. */
static int common_source(struct mpj_run *const run[2], const char *const store[2], int *source,
                         struct mpj_err *err)
{
    int result = MPJ_E_OK;

    *source = -1;
    while (result == MPJ_E_OK && run[0]->profile != NULL && run[1]->profile != NULL &&
           run[0]->profile->source != run[1]->profile->source) {
        const int s = run[0]->profile->source < run[1]->profile->source ? 0 : 1;
        const enum mpj_prof_source want = run[!s]->profile->source;
        mpj_profile_free(run[s]->profile);
        run[s]->profile = NULL;
        result = mpj_profile_load(&run[s]->profile, store[s], want, err);
    }
    if (result == MPJ_E_OK && run[0]->profile != NULL && run[1]->profile != NULL)
        *source = (int)run[0]->profile->source;
    return result;
}

/* True if the energy of threads and regions is known: that of the run was distributed. */
static bool distributed(const struct mpj_run *run)
{
    return run->threads == 0 || isfinite(run->thread[0].energy_uj);
}

static int find_order(struct mpj_diff *d, struct mpj_run *const run[2], const char *sort,
                      struct mpj_err *err)
{
    const bool rows = d->source >= 0 || (distributed(run[0]) && distributed(run[1]));

    if (sort == NULL) {
        d->order = d->energy >= 0 && rows ? d->energy : d->cycles >= 0 ? d->cycles : 0;
        return d->items > 0 ? MPJ_E_OK
                            : mpj_err_set(err, MPJ_E_STORE, "the runs have nothing in common");
    }
    d->order = strcmp(sort, "energy") == 0 ? d->energy
               : strcmp(sort, "time") == 0 ? d->cycles
                                           : item_find(d, sort);
    if (d->order >= 0)
        return MPJ_E_OK;
    return mpj_err_set(err, MPJ_E_USAGE,
                       "--sort takes energy, time or an event that both runs counted, not "
                       "\"%.40s\"",
                       sort);
}

int mpj_diff_make(struct mpj_diff **out, struct mpj_run *const run[2], const char *const store[2],
                  const char *sort, struct mpj_err *err)
{
    struct mpj_diff *const d = calloc(1, sizeof(*d));
    struct side side[2] = {{.d = d, .run = run[0]}, {.d = d, .run = run[1], .which = 1}};
    int result;

    *out = NULL;
    if (d == NULL)
        return mpj_err_nomem(err);
    d->energy = MPJ_PROF_NONE;
    d->cycles = MPJ_PROF_NONE;
    result = diff_labels(d, run, err);
    if (result == MPJ_E_OK)
        result = common_source(run, store, &d->source, err);
    set_energy(d, run);
    if (result == MPJ_E_OK)
        result = make_items(d, run, err);
    if (result == MPJ_E_OK)
        result = find_order(d, run, sort, err);
    for (int s = 0; s < 2 && result == MPJ_E_OK; s++) {
        result = make_side(&side[s], err);
        if (result == MPJ_E_OK)
            set_all(d, &side[s]);
    }
    for (unsigned by = 0; by < MPJ_DIFF_TABLES && result == MPJ_E_OK; by++) {
        if (has_table((enum mpj_diff_by)by, run))
            result = make_table(d, (enum mpj_diff_by)by, side, err);
        forget_parts(&side[0]);
        forget_parts(&side[1]);
    }
    for (int s = 0; s < 2; s++) {
        forget_parts(&side[s]);
        free(side[s].part);
        free(side[s].to);
    }
    if (result == MPJ_E_OK)
        *out = d;
    else
        mpj_diff_free(d);
    return result;
}

void mpj_diff_free(struct mpj_diff *d)
{
    if (d == NULL)
        return;
    for (unsigned by = 0; by < MPJ_DIFF_TABLES; by++) {
        struct mpj_diff_table *const t = &d->table[by];
        for (unsigned i = 0; i < t->rows; i++) {
            free(t->row[i].name);
            free(t->row[i].file);
            free(t->row[i].cost[0]);
            free(t->row[i].cost[1]);
        }
        free(t->row);
    }
    for (unsigned i = 0; i < d->items; i++)
        free(d->item[i].name);
    for (unsigned i = 0; i < MPJ_DIFF_WHYS; i++)
        mpj_blame_free(&d->why[i]);
    free(d->item);
    diff_labels_free(d);
    free(d->all[0]);
    free(d->all[1]);
    free(d);
}

int mpj_diff_cause(const struct mpj_diff *d, const struct mpj_diff_row *r)
{
    const int64_t change = r->cost[1][d->order] - r->cost[0][d->order];
    int best = MPJ_PROF_NONE;
    for (int follows = 0; follows < 2 && best < 0; follows++) {
        int64_t most = follows ? 0 : (int64_t)(CAUSE_LEAST * (double)llabs(change));
        for (unsigned i = d->first_cause; i < d->items && change != 0; i++) {
            const int64_t v = r->cost[1][i] - r->cost[0][i];
            if (mpj_blame_follows(d->item[i].name + strlen(DIFF_CAUSE)) == (follows != 0) &&
                (v > 0) == (change > 0) && llabs(v) > most) {
                most = llabs(v);
                best = (int)i;
            }
        }
    }
    return best;
}

const char *mpj_diff_table_name(enum mpj_diff_by by)
{
    static const char *const name[MPJ_DIFF_TABLES] = {"functions", "threads", "regions"};

    return name[by];
}
