/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "assume.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/json.h"
#include "cli.h"
#include "conclude.h"
#include "mpj_events.h"
#include "report/adapted.h"
#include "tile_limits.h"
#include "variants.h"

/* Figures shown of a run; an event is the sum over the cores. */
enum figure { TIME, ENERGY, INSTR, READ_MISS, WRITE_MISS, TLB_MISS, DEPENDENCY, MEMORY, FIGURES };

static const struct {
    const char *key; /* in the JSON; NULL: the event's name */
    const char *title;
    double scale; /* of the table */
    int digits;
    unsigned row; /* of an event */
} figures[FIGURES] = {
    [TIME] = {"time_s", "time ms", 1e3, 3, 0},
    [ENERGY] = {"energy_uj", "energy mJ", 1e-3, 4, 0},
    [INSTR] = {NULL, "instr k", 1e-3, 0, MPJ_ROW_INSTR},
    [READ_MISS] = {NULL, "read misses", 1, 0, MPJ_ROW_DCACHE_RD_MISS},
    [WRITE_MISS] = {NULL, "write misses", 1, 0, MPJ_ROW_DCACHE_WR_MISS},
    [TLB_MISS] = {NULL, "TLB misses", 1, 0, MPJ_ROW_TLB_MISS},
    [DEPENDENCY] = {NULL, "ddep stall k", 1e-3, 0, MPJ_ROW_DDEP_STALL},
    [MEMORY] = {"memory_reads", "memory reads", 1, 0, 0},
};

/* A run under one calibration. */
struct member {
    struct variant *run;
    struct stat older; /* its JSON before the run; st_ino 0: none */
    bool made;
    double value[FIGURES];
};

struct set {
    const struct cli_options *o;
    struct conclusions found;                      /* has the names */
    struct member member[2 * RUN_ASSUMPTIONS_MAX]; /* of each name; then without the policy */
    struct variant run[2 * RUN_ASSUMPTIONS_MAX];
    unsigned members;
    bool adapts; /* the environment has a policy for regions */
};

/* ---- the runs ------------------------------------------------------------------------ */

char *assume_file(const char *store, const char *name, const char *end)
{
    const char *const dot = strrchr(store, '.');
    const bool has = dot != NULL && strchr(dot, '/') == NULL && strcmp(dot, ".mpj") == 0;
    char *out = NULL;

    if (asprintf(&out, "%.*s-%s%s", (int)(has ? (size_t)(dot - store) : strlen(store)), store, name,
                 end) < 0)
        return NULL;
    return out;
}

static int prepare(struct set *s, struct mpj_err *err)
{
    struct cli_files files = {0};
    int result = conclude_begin(&s->found, err);
    const unsigned names = s->found.set.names;

    s->adapts = variants_policy(&s->o->run) >= 0;
    s->members = s->adapts ? 2 * names : names;
    for (unsigned i = 0; i < s->members && result == MPJ_E_OK; i++) {
        struct variant *const m = s->member[i].run = &s->run[i];
        const bool all = i >= names; /* threads, in spite of the policy */
        m->name = m->calibration = s->found.set.name[all ? i - names : i];
        m->predictor_of = TILE_CALIBRATION_DEFAULT; /* the chip may be any of them */
        m->policy = all ? "MPJ_ADAPT=" : NULL;
        m->shown = i == 0;
        m->store = assume_file(s->o->run.store, m->name, all ? ".all.mpj" : ".mpj");
        m->json = assume_file(s->o->run.store, m->name, all ? ".all.json" : ".json");
        if (m->store == NULL || m->json == NULL)
            result = mpj_err_nomem(err);
        else if (stat(m->json, &s->member[i].older) != 0)
            s->member[i].older.st_ino = 0;
        cli_file(&files, m->store, CLI_WRITTEN | CLI_GROWS);
        cli_file(&files, m->json, CLI_WRITTEN);
    }
    cli_file(&files, s->o->json, CLI_WRITTEN);
    cli_file(&files, s->o->svg, CLI_WRITTEN);
    cli_file(&files, s->o->run.elf, CLI_READ);
    if (result == MPJ_E_OK)
        result = cli_files_check(&files, err);
    cli_files_free(&files);
    return result;
}

/* ---- what came of them ----------------------------------------------------------------- */

static const char *event(unsigned row)
{
    size_t n;

    return mpj_event_table(&n)[row].name;
}

static const char *key(enum figure f)
{
    return figures[f].key != NULL ? figures[f].key : event(figures[f].row);
}

static double number(const json_t *o, const char *name)
{
    return json_number_value(json_object_get(o, name));
}

/* Returns the L2's misses: requests without hits. */
static double missed(const json_t *events, unsigned requests, unsigned hits)
{
    return number(events, event(requests)) - number(events, event(hits));
}

/* Returns true if the member's JSON is of this run: an older one stays until it is replaced. */
static bool is_new(const struct member *m)
{
    const struct timespec *const before = &m->older.st_mtim;
    struct stat st;

    return stat(m->run->json, &st) == 0 &&
           (st.st_ino != m->older.st_ino || st.st_mtim.tv_sec != before->tv_sec ||
            st.st_mtim.tv_nsec != before->tv_nsec);
}

static void read_member(struct member *m)
{
    json_t *const root = is_new(m) ? json_load_file(m->run->json, 0, NULL) : NULL;
    const json_t *const truth = json_object_get(root, "truth");
    const json_t *const l2 = json_object_get(json_object_get(truth, "l2"), "events");
    const json_t *core;
    size_t n;

    m->made = truth != NULL && json_object_get(root, key(TIME)) != NULL;
    m->value[TIME] = number(root, key(TIME));
    m->value[ENERGY] = number(truth, key(ENERGY));
    json_array_foreach(json_object_get(truth, "cores"), n, core)
    {
        for (unsigned f = INSTR; f < MEMORY; f++)
            m->value[f] += number(json_object_get(core, "events"), key(f));
    }
    m->value[MEMORY] = missed(l2, MPJ_ROW_L2_DRREQ, MPJ_ROW_L2_DRHIT) +
                       missed(l2, MPJ_ROW_L2_IRREQ, MPJ_ROW_L2_IRHIT);
    json_decref(root);
}

/* Finds the least and the most of the members that ran; false: none did. */
static bool range(const struct set *s, enum figure f, double *least, double *most)
{
    bool any = false;

    for (unsigned i = 0; i < s->found.set.names; i++) {
        const struct member *const m = &s->member[i];
        if (!m->made)
            continue;
        *least = any ? fmin(*least, m->value[f]) : m->value[f];
        *most = any ? fmax(*most, m->value[f]) : m->value[f];
        any = true;
    }
    return any;
}

/* Collects the number of threads that each adapted region has in the end, and the mean time of its
 * executions with it. */
static int decisions(struct set *s, unsigned member, struct mpj_err *err)
{
    struct mpj_adapted a = {.runs = 0};
    int result = mpj_adapted_load(&a, s->run[member].store, 0, err);

    for (unsigned r = 0; r < a.regions && result == MPJ_E_OK; r++) {
        const struct mpj_adapted_region *const region = &a.region[r];
        unsigned threads = 0;
        unsigned n = 0;
        double sum = 0;
        char what[128];
        char *says = NULL;
        for (size_t i = 0; i < a.runs; i++)
            threads = a.run[i].number == r ? a.run[i].threads : threads;
        for (size_t i = 0; i < a.runs; i++) {
            if (a.run[i].number != r || a.run[i].threads != threads)
                continue;
            sum += a.run[i].s;
            n++;
        }
        if (region->function != NULL)
            snprintf(what, sizeof(what), "region %u, %s", r, region->function);
        else
            snprintf(what, sizeof(what), "region %u, 0x%x", r, region->region);
        if (asprintf(&says, "%u thread%s", threads, threads == 1 ? "" : "s") < 0)
            result = mpj_err_nomem(err);
        else
            conclude_add(&s->found, member, what, "ms", says, 1e3 * sum / n, NAN);
    }
    mpj_adapted_free(&a);
    return result;
}

/* Collects what the policy gains over all threads, and what it decides. */
static int adaptation(struct set *s, unsigned member, struct mpj_err *err)
{
    const double *const with = s->member[member].value;
    const struct member *const without = &s->member[member + s->found.set.names];
    const double time = without->made ? with[TIME] / without->value[TIME] : (double)NAN;
    const double energy = without->made ? with[ENERGY] / without->value[ENERGY] : (double)NAN;

    conclude_change(&s->found, member, "time with the policy", time - 1);
    conclude_change(&s->found, member, "energy with the policy", energy - 1);
    conclude_change(&s->found, member, "ED2 with the policy", energy * time * time - 1);
    return decisions(s, member, err);
}

static int conclude(struct set *s, struct mpj_err *err)
{
    int result = MPJ_E_OK;

    for (unsigned i = 0; i < s->found.set.names && result == MPJ_E_OK; i++) {
        const struct member *const m = &s->member[i];
        for (enum figure f = 0; m->made && !s->adapts && f < FIGURES; f++)
            conclude_figure(&s->found, i, key(f), "", m->value[f]);
        if (m->made && s->adapts)
            result = adaptation(s, i, err);
    }
    return result;
}

static void show_range(const struct set *s)
{
    double least;
    double most;

    for (enum figure f = TIME; f <= ENERGY && range(s, f, &least, &most); f++) {
        printf("%s: %.*f to %.*f", figures[f].title, figures[f].digits, least * figures[f].scale,
               figures[f].digits, most * figures[f].scale);
        if (s->member[0].made && s->member[0].value[f] > 0)
            printf(", %+.1f to %+.1f %% of %s", (least / s->member[0].value[f] - 1) * 100,
                   (most / s->member[0].value[f] - 1) * 100, s->run[0].name);
        putchar('\n');
    }
}

static void show(const struct set *s)
{
    int width = 12;

    for (unsigned i = 0; i < s->found.set.names; i++)
        width = (int)fmax(width, (double)strlen(s->run[i].name));
    printf("\nThe same run under %u calibrations that agree with what is published\n\n%-*s",
           s->found.set.names, width, "calibration");
    for (enum figure f = 0; f < FIGURES; f++)
        printf("  %12s", figures[f].title);
    putchar('\n');
    for (unsigned i = 0; i < s->found.set.names; i++) {
        const struct member *const m = &s->member[i];
        printf("%-*s", width, m->run->name);
        for (enum figure f = 0; f < FIGURES && m->made; f++)
            printf("  %12.*f", figures[f].digits, m->value[f] * figures[f].scale);
        if (!m->made || m->run->status != 0)
            printf("  %sexit status %d", m->made ? "" : "failed, ", m->run->status);
        putchar('\n');
    }
    putchar('\n');
    show_range(s);
    if (s->adapts)
        conclude_text(&s->found, stdout);
}

static json_t *member_json(const struct member *m)
{
    json_t *const o = json_object();

    json_put_text(o, "calibration", m->run->name);
    json_object_set_new(o, "exit_status", json_integer(m->run->status));
    if (!m->made) {
        json_object_set_new(o, "failed", json_true());
        return o;
    }
    json_put_text(o, "store", m->run->store);
    for (enum figure f = 0; f < FIGURES; f++)
        json_put_real(o, key(f), m->value[f]);
    return o;
}

static int put_json(const void *what, FILE *f, struct mpj_err *err)
{
    const struct set *const s = what;
    json_t *const root = json_object();
    json_t *const members = json_array();
    json_t *const ranges = json_object();
    double least;
    double most;

    json_put_text(root, "schema", "mpjoule-assumptions/1");
    json_put_text(root, "program", s->o->run.elf);
    for (unsigned i = 0; i < s->found.set.names; i++)
        json_array_append_new(members, member_json(&s->member[i]));
    for (enum figure k = 0; k < FIGURES && range(s, k, &least, &most); k++)
        json_object_set_new(ranges, key(k), json_pack("[f,f]", least, most));
    json_object_set_new(root, "members", members);
    json_object_set_new(root, "range", ranges);
    conclude_json(&s->found, root);
    return json_write(root, f, err);
}

/* True if a run has figures. */
static bool any(const struct set *s)
{
    for (unsigned i = 0; i < s->members; i++) {
        if (s->member[i].made)
            return true;
    }
    return false;
}

int assume_run(struct cli_options *o, variant_one *one)
{
    static struct set s;
    struct mpj_err err;
    int status = 0;
    int result;

    s = (struct set){.o = o};
    result = prepare(&s, &err);
    if (result == MPJ_E_OK)
        result = variants_run(o, s.run, s.members, cli_is_stdout(o->json) || cli_is_stdout(o->svg),
                              one, &err);
    for (unsigned i = 0; i < s.members && result == MPJ_E_OK; i++) {
        read_member(&s.member[i]);
        status = status != 0 ? status : s.run[i].status;
        if (!s.member[i].made && status == 0)
            status = CLI_FAILURE;
    }
    if (result == MPJ_E_OK)
        result = conclude(&s, &err);
    if (result == MPJ_E_OK && !cli_is_stdout(o->json) && !cli_is_stdout(o->svg) && !cli_quiet())
        show(&s);
    if (result == MPJ_E_OK)
        result = cli_output(MPJ_E_OK, cli_place(o->json, any(&s)), put_json, &s, &err);
    if (result == MPJ_E_OK)
        result = cli_output(MPJ_E_OK, any(&s) ? o->svg : NULL, conclude_draw, &s.found, &err);
    for (unsigned i = 0; i < s.members; i++) {
        free(s.run[i].store);
        free(s.run[i].json);
    }
    conclude_free(&s.found);
    return result == MPJ_E_OK ? status : cli_fail(&err);
}
