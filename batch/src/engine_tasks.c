/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A round of tasks: writes their files, and judges their results. */
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "base/tempdir.h"
#include "engine_int.h"
#include "run/cache.h"
#include "run/paths.h"

#define PREFIX    "tasks-"
#define TASKS_MAX 20000U /* of a round; then they take longer */
#define TWICE     50U    /* one run in N is executed twice */
#define EXACTLY   (JSON_COMPACT | JSON_REAL_PRECISION(17))

static const char *text(const json_t *o, const char *key)
{
    const char *const s = json_string_value(json_object_get(o, key));

    return s != NULL ? s : "";
}

/* ---- made ------------------------------------------------------------------------------- */

static int put_exactly(const void *what, FILE *f, struct mpj_err *err)
{
    return json_dumpf(what, f, EXACTLY) == 0 ? MPJ_E_OK : mpj_err_errno(err, "cannot write a task");
}

static int put_nothing(const void *what, FILE *f, struct mpj_err *err)
{
    (void)what;
    (void)f;
    (void)err;
    return MPJ_E_OK;
}

/* Writes a text quoted for a shell. */
static void quoted(FILE *f, const char *s)
{
    fputc('\'', f);
    for (; *s != '\0'; s++) {
        if (*s == '\'')
            fputs("'\\''", f);
        else
            fputc(*s, f);
    }
    fputc('\'', f);
}

/* Writes the script that starts a task: its argument is the number, for a job array the first
 * one's. */
static int put_script(const void *what, FILE *f, struct mpj_err *err)
{
    const struct run_round *const r = what;
    char *const self = realpath("/proc/self/exe", NULL);

    if (self == NULL)
        return mpj_err_errno(err, "cannot find this program");
    fputs("#!/bin/sh\nn=$(($1 + ${SLURM_ARRAY_TASK_ID:-0}))\nexec ", f);
    quoted(f, self);
    fputs(" task ", f);
    quoted(f, r->folder);
    fputs(" \"$n\" 2>>", f);
    quoted(f, r->folder);
    fputs("/\"$n\".err\n", f);
    free(self);
    return MPJ_E_OK;
}

/* Adds the names in an order to the dependencies of its task. */
static void depend(json_t *identity, const json_t *order)
{
    json_object_set_new(json_object_get(identity, "calibrations"), text(order, "calibration"),
                        json_null());
    json_object_update(json_object_get(identity, "files"), json_object_get(order, "files"));
}

/* Returns the place of position i of the list; with again: that of its second execution. */
static unsigned place(const struct run_round *r, unsigned i, bool again)
{
    const unsigned away = r->tasks > 3 ? r->tasks / 2 : 1;

    return (i + (again ? away : 0)) % r->tasks;
}

static int add_orders(const struct run_spread *s, const struct run_round *r, unsigned number,
                      json_t *orders, json_t *identity, struct mpj_err *err)
{
    const struct run_batch *const b = s->b;

    for (unsigned i = 0; i < s->todos; i++) {
        const bool twice = r->tasks > 1 && i % TWICE == 0;
        json_t *order;
        if (place(r, i, false) != number && !(twice && place(r, i, true) == number))
            continue;
        order = b->order(b->ctx, s->todo[i], err);
        if (order == NULL)
            return err->code;
        if (twice)
            json_object_set_new(order, "twice", json_boolean(place(r, i, true) == number));
        depend(identity, order);
        json_array_append_new(orders, order);
    }
    return MPJ_E_OK;
}

static int make_task(const struct run_spread *s, const struct run_round *r, unsigned number,
                     struct mpj_err *err)
{
    const struct run_batch *const b = s->b;
    const double task_s = b->engine->task_s > 0 ? b->engine->task_s : RUN_ENGINE_TASK_S;
    char *const file = run_round_file(r->folder, number, ".task");
    json_t *const orders = json_array();
    json_t *const like = json_pack("{s:{},s:{}}", "calibrations", "files");
    json_t *doc;
    int result;

    if (file == NULL || orders == NULL || like == NULL)
        return mpj_err_nomem(err);
    depend(like, json_object_get(s->golden, "order"));
    result = add_orders(s, r, number, orders, like, err);
    doc = json_pack("{s:s,s:s,s:O?,s:o,s:O,s:O,s:f,s:o}", "schema", "mpjoule-task/1", "work",
                    b->work->name, "common", b->common, "identity", run_identity(like), "golden",
                    s->golden, "distrusted", s->distrusted, "seconds", task_s, "orders", orders);
    /* files that results depend on were read when the orders were written */
    json_object_set(json_object_get(doc, "identity"), "files", json_object_get(like, "files"));
    if (result == MPJ_E_OK)
        result = doc != NULL ? mpj_file_replace(file, put_exactly, doc, err) : mpj_err_nomem(err);
    json_decref(doc);
    json_decref(like);
    free(file);
    return result;
}

static int put_file(const struct run_round *r, const char *name, mpj_file_put *put,
                    struct mpj_err *err)
{
    char *const file = run_cache_file(r->folder, name);
    const int result = file != NULL ? mpj_file_replace(file, put, r, err) : mpj_err_nomem(err);

    free(file);
    return result;
}

int run_round_make(struct run_spread *s, struct run_round *r, struct mpj_err *err)
{
    const struct run_engine *const e = s->b->engine;
    const double task_s = e->task_s > 0 ? e->task_s : RUN_ENGINE_TASK_S;
    char *const folder = realpath(s->b->folder, NULL);
    int result = MPJ_E_OK;

    r->folder = NULL;
    if (folder == NULL || asprintf(&r->folder, "%s/" PREFIX "XXXXXX", folder) < 0)
        r->folder = NULL;
    free(folder);
    if (r->folder == NULL || mkdtemp(r->folder) == NULL) {
        mpj_err_errno(err, "cannot create a folder for tasks in %s", s->b->folder);
        free(r->folder);
        r->folder = NULL;
        return err->code;
    }
    r->tasks = s->todos < TASKS_MAX ? s->todos : TASKS_MAX; /* a run each is the minimum */
    if (ceil(s->todos * s->run_s / task_s) < r->tasks)
        r->tasks = (unsigned)ceil(s->todos * s->run_s / task_s);
    r->each = (s->todos + r->tasks - 1) / r->tasks;
    result = put_file(r, "/waiting", put_nothing, err);
    if (result == MPJ_E_OK)
        result = put_file(r, "/script", put_script, err);
    for (unsigned i = 0; i < r->tasks && result == MPJ_E_OK; i++)
        result = make_task(s, r, i, err);
    if (result != MPJ_E_OK)
        mpj_folder_remove(r->folder);
    return result;
}

/* ---- what comes back ----------------------------------------------------------------------- */

/* Indexes the jobs without a result by the keys of their orders. */
static int index_jobs(struct run_spread *s, struct mpj_err *err)
{
    for (unsigned i = 0; i < s->todos; i++) {
        json_t *const order = s->b->order(s->b->ctx, s->todo[i], err);
        if (order == NULL)
            return err->code;
        json_object_set_new(s->jobs, text(order, "key"), json_integer(s->todo[i]));
        json_decref(order);
    }
    return MPJ_E_OK;
}

/* Excludes a machine. The runs that it has executed in earlier rounds are to be repeated. */
static void distrust(struct run_spread *s, const char *node, const char *why)
{
    const json_t *const made = json_object_get(s->made, node);
    char line[512];
    const char *key;
    json_t *job;

    if (json_object_get(s->distrusted, node) != NULL)
        return;
    json_object_set_new(s->distrusted, node, json_string(why));
    json_object_foreach((json_t *)made, key, job)
    {
        struct mpj_err ignored; /* its order reports that it is about to be executed */
        json_decref(s->b->order(s->b->ctx, (unsigned)json_integer_value(job), &ignored));
        json_object_set(s->jobs, key, job);
        s->done--;
    }
    snprintf(line, sizeof(line), "%s is excluded and its runs are repeated elsewhere: %s", node,
             why);
    if (s->b->engine->note != NULL)
        s->b->engine->note(line);
}

/* Remembers which machine a result came from. */
static void remember(struct run_spread *s, const char *node, const char *key, unsigned job)
{
    json_t *made = json_object_get(s->made, node);

    if (made == NULL) {
        made = json_object();
        json_object_set_new(s->made, node, made);
    }
    json_object_set_new(made, key, json_integer(job));
}

/* A finished task: its orders, and its results. */
struct back {
    json_t *task, *result;
};

static bool read_back(struct back *k, const char *folder, unsigned number)
{
    char *const asked = run_round_file(folder, number, ".task");
    char *const file = run_round_file(folder, number, ".result");
    const bool memory = asked != NULL && file != NULL;

    k->task = memory ? json_load_file(asked, 0, NULL) : NULL;
    k->result = memory ? json_load_file(file, 0, NULL) : NULL;
    free(asked);
    free(file);
    return k->task != NULL && k->result != NULL;
}

static void free_back(struct back *k)
{
    json_decref(k->task);
    json_decref(k->result);
}

/* True if versions, emulator and calibrations are those of now (NULL: they are). */
static bool up_to_date(const json_t *task, const json_t *now)
{
    const json_t *const then = json_object_get(task, "identity");
    const char *name;
    json_t *sum;

    if (now == NULL)
        return true;
    json_object_foreach(json_object_get(then, "calibrations"), name, sum)
    {
        if (json_equal(sum, json_object_get(json_object_get(now, "calibrations"), name)) != 1)
            return false;
    }
    return json_equal(json_object_get(then, "version"), json_object_get(now, "version")) == 1 &&
           json_equal(json_object_get(then, "emulator"), json_object_get(now, "emulator")) == 1;
}

/* Evidence by which machines are judged. */
struct evidence {
    json_t *pairs;   /* key -> results of a run that was executed twice */
    json_t *witness; /* machine -> {key, pair}: a run that shows whether to trust it */
};

/* Collects results of runs that are executed twice, one of each machine, and machines that report
 * themselves as unfit. */
static void collect_evidence(struct run_spread *s, const struct back *k, const struct evidence *e)
{
    size_t i;
    json_t *order;
    const char *node;
    json_t *why;

    json_object_foreach(json_object_get(k->result, "refused"), node, why)
        distrust(s, node, json_is_string(why) ? json_string_value(why) : "");
    json_array_foreach(json_object_get(k->task, "orders"), i, order)
    {
        const char *const key = text(order, "key");
        json_t *const back = json_object_get(json_object_get(k->result, "results"), key);
        json_t *pair;
        if (!json_is_true(json_object_get(json_object_get(back, "result"), "same")))
            continue;
        node = text(back, "node");
        if (json_object_get(e->witness, node) == NULL)
            json_object_set_new(e->witness, node,
                                json_pack("{s:s,s:[O]}", "key", key, "pair", back));
        if (json_object_get(order, "twice") == NULL)
            continue;
        pair = json_object_get(e->pairs, key);
        if (pair == NULL) {
            pair = json_array();
            json_object_set_new(e->pairs, key, pair);
        }
        json_array_append(pair, back);
    }
}

/* Judges the results of a run, some of which may be wrong. */
static int judge(struct run_spread *s, const char *key, const json_t *pair, struct mpj_err *err)
{
    const json_t *const known = json_object_get(s->jobs, key);
    const unsigned job = (unsigned)json_integer_value(known);
    json_t *order = NULL;
    json_t *local = NULL;
    size_t i;
    json_t *back;
    int result;

    if (known == NULL)
        return MPJ_E_OK;
    result = run_batch_sample(s, &job, 1, &order, &local, err);
    json_array_foreach(pair, i, back)
    {
        char why[200];
        snprintf(why, sizeof(why), "run %s gave another result on that machine than on this one",
                 key);
        if (result == MPJ_E_OK && json_equal(local, json_object_get(back, "result")) != 1)
            distrust(s, text(back, "node"), why);
    }
    if (result == MPJ_E_OK)
        json_object_del(s->jobs, key);
    json_decref(order);
    json_decref(local);
    return result;
}

static int judge_all(struct run_spread *s, const struct evidence *e, struct mpj_err *err)
{
    const char *key;
    const char *node;
    json_t *pair;
    json_t *witness;
    void *next;

    json_object_foreach(e->pairs, key, pair)
    {
        const json_t *const a = json_array_get(pair, 0);
        const json_t *const b = json_array_get(pair, 1);
        if (b == NULL || strcmp(text(a, "node"), text(b, "node")) == 0)
            continue;
        if (json_equal(json_object_get(a, "result"), json_object_get(b, "result")) != 1 &&
            judge(s, key, pair, err) != MPJ_E_OK)
            return err->code;
        json_object_del(e->witness, text(a, "node")); /* two equal results are right */
        json_object_del(e->witness, text(b, "node"));
    }
    json_object_foreach_safe(e->witness, next, node, witness)
    {
        if (json_object_get(s->distrusted, node) == NULL &&
            judge(s, text(witness, "key"), json_object_get(witness, "pair"), err) != MPJ_E_OK)
            return err->code;
    }
    return MPJ_E_OK;
}

/* True if the order is still what is requested. */
static bool same_order(const struct run_spread *s, unsigned job, json_t *order)
{
    struct mpj_err ignored; /* it is executed again then, and reports that itself */
    json_t *const now = s->b->order(s->b->ctx, job, &ignored);
    bool same;

    json_object_del(order, "twice");
    same = json_equal(now, order) == 1;
    json_decref(now);
    return same;
}

/* Takes the results of a task from machines that are trusted. */
static int take(struct run_spread *s, const struct back *k, unsigned *taken, double *run_s,
                struct mpj_err *err)
{
    size_t i;
    json_t *order;

    json_array_foreach(json_object_get(k->task, "orders"), i, order)
    {
        const char *const key = text(order, "key");
        const json_t *const known = json_object_get(s->jobs, key);
        const json_t *const back = json_object_get(json_object_get(k->result, "results"), key);
        const json_t *const result = json_object_get(back, "result");
        const unsigned job = (unsigned)json_integer_value(known);
        if (known == NULL || result == NULL ||
            json_object_get(s->distrusted, text(back, "node")) != NULL ||
            !same_order(s, job, order))
            continue;
        if (!json_is_true(json_object_get(result, "same")))
            s->local[s->locals++] = job;
        else if (s->b->take(s->b->ctx, job, result, err) != MPJ_E_OK)
            return err->code;
        else
            remember(s, text(back, "node"), key, job);
        s->done += json_is_true(json_object_get(result, "same"));
        json_object_del(s->jobs, key);
        *run_s += json_number_value(json_object_get(back, "seconds"));
        (*taken)++;
    }
    if (s->b->progress != NULL)
        s->b->progress(s->b->ctx, s->done, 0, -1);
    return MPJ_E_OK;
}

/* Reads the last message of a task without a result. */
static void last_line_of(const char *folder, unsigned number, struct mpj_err *why)
{
    char *const file = run_round_file(folder, number, ".err");
    FILE *const f = file != NULL ? fopen(file, "re") : NULL;
    char *line = NULL;
    size_t size = 0;

    while (f != NULL && getline(&line, &size, f) > 0) {
        line[strcspn(line, "\n")] = '\0';
        mpj_text_clean(line);
        if (line[0] != '\0')
            mpj_err_set(why, MPJ_E_TARGET, "%s",
                        strncmp(line, "mpjoule: ", 9) == 0 ? line + 9 : line);
    }
    if (f != NULL)
        fclose(f);
    free(line);
    free(file);
}

static unsigned count_tasks(const char *folder)
{
    unsigned n = 0;

    for (;;) {
        char *const file = run_round_file(folder, n, ".task");
        const bool is = file != NULL && access(file, F_OK) == 0;
        free(file);
        if (!is)
            return n;
        n++;
    }
}

/* Removes jobs that have a result from the list. */
static void shorten(struct run_spread *s)
{
    const char *key;
    json_t *job;
    unsigned n = 0;

    json_object_foreach(s->jobs, key, job) s->todo[n++] = (unsigned)json_integer_value(job);
    s->todos = n;
}

int run_round_collect(struct run_spread *s, const char *folder, const json_t *now,
                      struct mpj_err *why, struct mpj_err *err)
{
    const unsigned tasks = count_tasks(folder);
    const struct evidence e = {.pairs = json_object(), .witness = json_object()};
    double run_s = 0;
    unsigned taken = 0;
    struct back k;
    int result = index_jobs(s, err);

    for (unsigned i = 0; i < tasks && result == MPJ_E_OK; i++) {
        if (read_back(&k, folder, i) && up_to_date(k.task, now))
            collect_evidence(s, &k, &e);
        if (json_object_size(json_object_get(k.result, "results")) == 0)
            last_line_of(folder, i, why);
        free_back(&k);
    }
    if (result == MPJ_E_OK)
        result = judge_all(s, &e, err);
    for (unsigned i = 0; i < tasks && result == MPJ_E_OK; i++) {
        if (read_back(&k, folder, i) && up_to_date(k.task, now))
            result = take(s, &k, &taken, &run_s, err);
        free_back(&k);
    }
    json_decref(e.pairs);
    json_decref(e.witness);
    shorten(s);
    json_object_clear(s->jobs);
    if (taken > 0)
        s->run_s = run_s / taken;
    return result;
}

/* ---- its end --------------------------------------------------------------------------------- */

/* Returns the identity of this machine now, with all calibrations that the tasks name. */
static json_t *identity_now(const char *folder)
{
    const unsigned tasks = count_tasks(folder);
    json_t *const like = json_pack("{s:{}}", "calibrations");
    json_t *now;

    for (unsigned i = 0; i < tasks; i++) {
        struct back k;
        read_back(&k, folder, i);
        json_object_update(json_object_get(like, "calibrations"),
                           json_object_get(json_object_get(k.task, "identity"), "calibrations"));
        free_back(&k);
    }
    now = run_identity(like);
    json_decref(like);
    return now;
}

/* True if a task left files: its results, or messages. */
static bool anything(const char *folder)
{
    const unsigned tasks = count_tasks(folder);
    bool is = false;

    for (unsigned i = 0; i < tasks && !is; i++) {
        char *const result = run_round_file(folder, i, ".result");
        char *const said = run_round_file(folder, i, ".err");
        is = result == NULL || said == NULL || access(result, F_OK) == 0 || access(said, F_OK) == 0;
        free(result);
        free(said);
    }
    return is;
}

void run_round_abandon(const char *folder)
{
    char *const file = run_cache_file(folder, "/waiting");

    if (file != NULL)
        unlink(file);
    free(file);
    if (!anything(folder))
        mpj_folder_remove(folder);
}

static int recover_round(struct run_spread *s, const char *folder, struct mpj_err *err)
{
    json_t *const now = identity_now(folder);
    struct mpj_err ignored; /* already reported by the process that executed it */
    int result;

    run_round_slurm_end(folder);
    run_round_abandon(folder);
    result = run_round_collect(s, folder, now, &ignored, err);
    json_decref(now);
    if (result == MPJ_E_OK)
        mpj_folder_remove(folder);
    return result;
}

int run_round_recover(struct run_spread *s, struct mpj_err *err)
{
    DIR *const d = opendir(s->b->folder);
    const struct dirent *e;
    int result = MPJ_E_OK;

    while (d != NULL && result == MPJ_E_OK && (e = readdir(d)) != NULL) {
        char *folder;
        if (strncmp(e->d_name, PREFIX, sizeof(PREFIX) - 1) != 0)
            continue;
        if (asprintf(&folder, "%s/%s", s->b->folder, e->d_name) < 0)
            result = mpj_err_nomem(err);
        else {
            result = recover_round(s, folder, err);
            free(folder);
        }
    }
    if (d != NULL)
        closedir(d);
    return result;
}
