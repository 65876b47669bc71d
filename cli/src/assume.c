/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "assume.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/json.h"
#include "cli.h"
#include "mpj_events.h"
#include "run/assumptions.h"

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

struct member {
    const char *name;
    char *store, *json;
    pid_t pid;
    int status;
    bool made;
    double value[FIGURES];
};

struct set {
    const struct cli_options *o;
    struct run_assumptions names;
    struct member member[RUN_ASSUMPTIONS_MAX];
};

/* ---- the runs ------------------------------------------------------------------------ */

/* Returns the member's file name, malloc()ed: "run-x.mpj" for "run.mpj" and "x". */
static char *file_of(const char *store, const char *name, const char *end)
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
    int result = run_assumptions_find(&s->names, err);

    for (unsigned i = 0; i < s->names.names && result == MPJ_E_OK; i++) {
        struct member *const m = &s->member[i];
        m->name = s->names.name[i];
        m->store = file_of(s->o->run.store, m->name, ".mpj");
        m->json = file_of(s->o->run.store, m->name, ".json");
        if (m->store == NULL || m->json == NULL)
            result = mpj_err_nomem(err);
        cli_file(&files, m->store, CLI_WRITTEN | CLI_GROWS);
        cli_file(&files, m->json, CLI_WRITTEN);
    }
    cli_file(&files, s->o->json, CLI_WRITTEN);
    cli_file(&files, s->o->run.elf, CLI_READ);
    if (result == MPJ_E_OK)
        result = cli_files_check(&files, err);
    cli_files_free(&files);
    for (unsigned i = 0; i < s->names.names && result == MPJ_E_OK; i++)
        (void)remove(s->member[i].json); /* an older one must not pass for this run's */
    return result;
}

/* Runs the command in a separate process as if it had been given for this member. */
static int child(const struct set *s, const struct member *m,
                 int (*one)(struct cli_options *o, bool first))
{
    struct cli_options o = *s->o;

    (void)prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (cli_is_stdout(s->o->json) && dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
        return CLI_FAILURE;
    o.run.calibration = m->name;
    o.run.store = m->store;
    o.run.jobs = 1;
    o.json = m->json;
    return one(&o, m == s->member);
}

static int begin(const struct set *s, struct member *m,
                 int (*one)(struct cli_options *o, bool first), struct mpj_err *err)
{
    fflush(NULL);
    m->status = CLI_FAILURE; /* until its own is known */
    m->pid = fork();
    if (m->pid < 0)
        return mpj_err_errno(err, "cannot start a process");
    if (m->pid == 0)
        exit(child(s, m, one));
    return MPJ_E_OK;
}

static void end_one(struct set *s)
{
    int status;
    pid_t pid;

    do
        pid = waitpid(-1, &status, 0);
    while (pid < 0 && errno == EINTR);
    for (unsigned i = 0; i < s->names.names; i++) {
        if (s->member[i].pid == pid)
            s->member[i].status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
}

/* Runs the members, as many at a time as --jobs allows; one if they share a folder. */
static int make(struct set *s, int (*one)(struct cli_options *o, bool first), struct mpj_err *err)
{
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    const unsigned most = s->o->run.dir != NULL ? 1
                          : s->o->run.jobs > 0  ? s->o->run.jobs
                          : processors > 0      ? (unsigned)processors
                                                : 1;
    unsigned running = 0;
    int result = MPJ_E_OK;

    for (unsigned i = 0; i < s->names.names && result == MPJ_E_OK; i++) {
        if (running == most) {
            end_one(s);
            running--;
        }
        cli_live_line("run %u of %u: %s", i + 1, s->names.names, s->member[i].name);
        result = begin(s, &s->member[i], one, err);
        running += result == MPJ_E_OK;
    }
    for (; running > 0; running--)
        end_one(s);
    cli_live_clear();
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

static void read_member(struct member *m)
{
    json_t *const root = json_load_file(m->json, 0, NULL);
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

    for (unsigned i = 0; i < s->names.names; i++) {
        const struct member *const m = &s->member[i];
        if (!m->made)
            continue;
        *least = any ? fmin(*least, m->value[f]) : m->value[f];
        *most = any ? fmax(*most, m->value[f]) : m->value[f];
        any = true;
    }
    return any;
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
                   (most / s->member[0].value[f] - 1) * 100, s->member[0].name);
        putchar('\n');
    }
}

static void show(const struct set *s)
{
    int width = 12;

    for (unsigned i = 0; i < s->names.names; i++)
        width = (int)fmax(width, (double)strlen(s->member[i].name));
    printf("\nThe same run under %u calibrations that agree with what is published\n\n%-*s",
           s->names.names, width, "calibration");
    for (enum figure f = 0; f < FIGURES; f++)
        printf("  %12s", figures[f].title);
    putchar('\n');
    for (unsigned i = 0; i < s->names.names; i++) {
        const struct member *const m = &s->member[i];
        printf("%-*s", width, m->name);
        for (enum figure f = 0; f < FIGURES && m->made; f++)
            printf("  %12.*f", figures[f].digits, m->value[f] * figures[f].scale);
        if (!m->made || m->status != 0)
            printf("  %sexit status %d", m->made ? "" : "failed, ", m->status);
        putchar('\n');
    }
    putchar('\n');
    show_range(s);
}

static json_t *member_json(const struct member *m)
{
    json_t *const o = json_object();

    json_put_text(o, "calibration", m->name);
    json_object_set_new(o, "exit_status", json_integer(m->status));
    if (!m->made) {
        json_object_set_new(o, "failed", json_true());
        return o;
    }
    json_put_text(o, "store", m->store);
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
    for (unsigned i = 0; i < s->names.names; i++)
        json_array_append_new(members, member_json(&s->member[i]));
    for (enum figure k = 0; k < FIGURES && range(s, k, &least, &most); k++)
        json_object_set_new(ranges, key(k), json_pack("[f,f]", least, most));
    json_object_set_new(root, "members", members);
    json_object_set_new(root, "range", ranges);
    return json_write(root, f, err);
}

int assume_run(struct cli_options *o, int (*one)(struct cli_options *o, bool first))
{
    static struct set s;
    struct mpj_err err;
    int status = 0;
    int result;

    s = (struct set){.o = o};
    result = prepare(&s, &err);
    if (result == MPJ_E_OK)
        result = make(&s, one, &err);
    for (unsigned i = 0; i < s.names.names && result == MPJ_E_OK; i++) {
        read_member(&s.member[i]);
        status = status != 0 ? status : s.member[i].status;
        if (!s.member[i].made && status == 0)
            status = CLI_FAILURE;
    }
    if (result == MPJ_E_OK && !cli_is_stdout(o->json) && !cli_quiet())
        show(&s);
    if (result == MPJ_E_OK)
        result = cli_output(MPJ_E_OK, o->json, put_json, &s, &err);
    for (unsigned i = 0; i < s.names.names; i++) {
        free(s.member[i].store);
        free(s.member[i].json);
    }
    run_assumptions_free(&s.names);
    return result == MPJ_E_OK ? status : cli_fail(&err);
}
