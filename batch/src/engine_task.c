/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Executes a task, on this machine.
 *
 * NUMBER.task: {schema, work, common, identity, golden, distrusted, seconds, orders}.
 * NUMBER.result: {schema, refused: {MACHINE: WHY}, results: {KEY: {node, seconds, result}}}.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sha2.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "base/stop.h"
#include "base/tempdir.h"
#include "engine_int.h"
#include "run/cache.h"
#include "run/calibration.h"
#include "run/paths.h"

#define SAVE_S  10.0 /* results on disk are at most that old */
#define MOST    5.0  /* times the time of a task: then the rest is left to others */
#define NAME    256U /* of a machine */
#define DIGITS  12   /* of a sum, as it is shown */
#define EXACTLY (JSON_COMPACT | JSON_REAL_PRECISION(17))

struct task {
    char *folder;
    unsigned number;
    json_t *doc, *out;
    const struct run_work *work;
    void *executor;
    struct mpj_tempdir temp;
    char node[NAME];
    double saved_s;
};

char *run_round_file(const char *folder, unsigned number, const char *end)
{
    char *path;

    return asprintf(&path, "%s/%u%s", folder, number, end) < 0 ? NULL : path;
}

/* ---- what this machine is --------------------------------------------------------------- */

static json_t *sum_of(const char *path)
{
    char sum[SHA256_DIGEST_STRING_LENGTH];

    return path != NULL && SHA256File(path, sum) != NULL ? json_string(sum) : json_null();
}

json_t *run_identity(const json_t *like)
{
    json_t *const o = json_object();
    json_t *const calibrations = json_object();
    json_t *const files = json_object();
    char *const qemu = run_path_qemu();
    const char *name;
    json_t *v;

    json_put_text(o, "version", MPJ_VERSION);
    json_object_set_new(o, "emulator", sum_of(qemu));
    json_object_foreach(json_object_get(like, "calibrations"), name, v)
    {
        char *const path = run_path_calibration(name);
        char sum[65];
        struct mpj_err ignored; /* an unreadable file is itself a property of the machine */
        json_object_set_new(calibrations, name,
                            path != NULL && run_calibration_sha256(path, sum, &ignored) == MPJ_E_OK
                                ? json_string(sum)
                                : json_null());
        free(path);
    }
    json_object_foreach(json_object_get(like, "files"), name, v)
        json_object_set_new(files, name, sum_of(name));
    json_object_set_new(o, "calibrations", calibrations);
    json_object_set_new(o, "files", files);
    free(qemu);
    return o;
}

static const char *shown(const json_t *v)
{
    return json_is_string(v) ? json_string_value(v) : "nothing";
}

/* Writes in words how `is` differs from `want`; false: it does not. kinds: the name of its entries,
 * in the plural; "": they have names of their own. */
static bool differs(json_t *want, const json_t *is, const char *kinds, struct mpj_err *err)
{
    const size_t len = strlen(kinds);
    const char *name;
    json_t *v;

    json_object_foreach(want, name, v)
    {
        const json_t *const other = json_object_get(is, name);
        if (json_is_object(v) && differs(v, other, name, err))
            return true;
        if (json_is_object(v) || json_equal(v, other) == 1)
            continue;
        mpj_err_set(err, MPJ_E_IDENTITY, "its %.*s%s%s differs: %.*s, not %.*s",
                    len > 0 ? (int)len - 1 : 0, kinds, len > 0 ? " " : "", name, DIGITS,
                    shown(other), DIGITS, shown(v));
        return true;
    }
    return false;
}

static void find_node(char node[NAME])
{
    static const char *const variables[] = {"SLURMD_NODENAME", "PARALLEL_SSHHOST"};
    const char *value = NULL;

    for (size_t i = 0; value == NULL && i < sizeof(variables) / sizeof(variables[0]); i++)
        value = getenv(variables[i]);
    if (value != NULL && value[0] != '\0')
        snprintf(node, NAME, "%s", value);
    else if (gethostname(node, NAME - 1) != 0)
        snprintf(node, NAME, "unknown");
    node[NAME - 1] = '\0';
    mpj_text_clean(node);
}

/* ---- its files ----------------------------------------------------------------------------- */

static int put_exactly(const void *what, FILE *f, struct mpj_err *err)
{
    return json_dumpf(what, f, EXACTLY) == 0 ? MPJ_E_OK
                                             : mpj_err_errno(err, "cannot write the results");
}

static int save(struct task *t, struct mpj_err *err)
{
    char *const file = run_round_file(t->folder, t->number, ".result");
    const int result =
        file != NULL ? mpj_file_replace(file, put_exactly, t->out, err) : mpj_err_nomem(err);

    t->saved_s = mpj_clock_s();
    free(file);
    return result;
}

static int put_copy(const void *what, FILE *f, struct mpj_err *err)
{
    FILE *const from = fopen(what, "re");
    char part[65536];
    size_t n;
    int result = MPJ_E_OK;

    if (from == NULL)
        return mpj_err_errno(err, "cannot read %s", (const char *)what);
    while (result == MPJ_E_OK && (n = fread(part, 1, sizeof(part), from)) > 0) {
        if (fwrite(part, 1, n, f) != n)
            result = mpj_err_errno(err, "cannot write a run's files");
    }
    if (result == MPJ_E_OK && ferror(from))
        result = mpj_err_errno(err, "cannot read %s", (const char *)what);
    fclose(from);
    return result;
}

/* Moves the run's files, if they are kept, to their final place: each file whole or not at all.
 * Those of a result replace older ones, whose key goes first; a failed run leaves STEM.failed.*. */
static int publish(const struct task *t, const json_t *order, bool keep, struct mpj_err *err)
{
    const char *const key = json_string_value(json_object_get(order, "key"));
    const char *const stem = json_string_value(json_object_get(order, "stem"));
    DIR *const d = opendir(t->temp.path);
    const struct dirent *e;
    int result = MPJ_E_OK;

    if (d == NULL)
        return mpj_err_errno(err, "cannot read %s", t->temp.path);
    while (result == MPJ_E_OK && (e = readdir(d)) != NULL) {
        char *from = NULL;
        char *to = NULL;
        if (strncmp(e->d_name, key, strlen(key)) != 0 || e->d_name[strlen(key)] != '.')
            continue;
        if (asprintf(&from, "%s/%s", t->temp.path, e->d_name) < 0 ||
            asprintf(&to, "%s%s", stem, e->d_name + strlen(key)) < 0)
            result = mpj_err_nomem(err);
        else if (keep) {
            if (strncmp(e->d_name + strlen(key), ".failed.", 8) != 0)
                run_cache_invalidate(stem);
            result = mpj_file_replace(to, put_copy, from, err);
        }
        if (from != NULL)
            unlink(from);
        free(from);
        free(to);
    }
    closedir(d);
    return result;
}

/* ---- its runs -------------------------------------------------------------------------------- */

static bool stopping(void *ctx)
{
    (void)ctx;
    return mpj_stop_count() > 0;
}

static int execute(struct task *t, const json_t *order, json_t **result, struct mpj_err *err)
{
    const char *const key = json_string_value(json_object_get(order, "key"));
    char *stem = NULL;
    int code;

    if (key == NULL || asprintf(&stem, "%s/%s", t->temp.path, key) < 0)
        return mpj_err_nomem(err);
    code = t->work->execute(t->executor, order, stem,
                            &(struct run_place){.tries = 1, .stopping = stopping, .ctx = t}, result,
                            err);
    free(stem);
    return code;
}

/* Reports that no result may come from here. */
static int refuse(struct task *t, struct mpj_err *err)
{
    const struct mpj_err why = *err;

    json_object_set_new(json_object_get(t->out, "refused"), t->node, json_string(why.text));
    if (save(t, err) == MPJ_E_OK)
        *err = why;
    return err->code;
}

/* Repeats the run that was executed where the tasks come from. */
static int golden(struct task *t, struct mpj_err *err)
{
    const json_t *const g = json_object_get(t->doc, "golden");
    const json_t *const order = json_object_get(g, "order");
    json_t *result = NULL;
    int code = execute(t, order, &result, err);

    if (code == MPJ_E_OK && json_equal(result, json_object_get(g, "result")) != 1)
        code = mpj_err_set(err, MPJ_E_IDENTITY,
                           "the golden run gave another result on that machine (%s)",
                           json_string_value(json_object_get(order, "key")));
    if (code == MPJ_E_OK)
        code = publish(t, order, false, err);
    json_decref(result);
    return code;
}

static int identify(struct task *t, struct mpj_err *err)
{
    json_t *const want = json_object_get(t->doc, "identity");
    const char *const why =
        json_string_value(json_object_get(json_object_get(t->doc, "distrusted"), t->node));
    json_t *is;
    int code = MPJ_E_OK;

    if (why != NULL)
        return mpj_err_set(err, MPJ_E_IDENTITY, "%s", why);
    is = run_identity(want);
    if (differs(want, is, "", err))
        code = err->code;
    json_decref(is);
    return code;
}

static int make_one(struct task *t, const json_t *order, struct mpj_err *err)
{
    json_t *const results = json_object_get(t->out, "results");
    const char *const key = json_string_value(json_object_get(order, "key"));
    const double begin_s = mpj_clock_s();
    json_t *result = NULL;
    int code = execute(t, order, &result, err);

    if (code == MPJ_E_OK)
        code = publish(t, order, true, err);
    if (code == MPJ_E_OK &&
        json_object_set_new(results, key,
                            json_pack("{s:s,s:f,s:O}", "node", t->node, "seconds",
                                      mpj_clock_s() - begin_s, "result", result)) != 0)
        code = mpj_err_nomem(err);
    json_decref(result);
    if (code == MPJ_E_OK && mpj_clock_s() - t->saved_s >= SAVE_S)
        code = save(t, err);
    return code;
}

static bool waited_for(const struct task *t)
{
    char *const file = run_cache_file(t->folder, "/waiting");
    const bool is = file != NULL && access(file, F_OK) == 0;

    free(file);
    return is;
}

static int make_all(struct task *t, struct mpj_err *err)
{
    const double most_s = MOST * json_number_value(json_object_get(t->doc, "seconds"));
    const double begin_s = mpj_clock_s();
    struct mpj_err late;
    unsigned made = 0;
    size_t i;
    json_t *order;
    int code = MPJ_E_OK;

    json_array_foreach(json_object_get(t->doc, "orders"), i, order)
    {
        const char *const key = json_string_value(json_object_get(order, "key"));
        if (key != NULL && json_object_get(json_object_get(t->out, "results"), key) != NULL)
            continue; /* of the same task, interrupted */
        if (mpj_stop_count() > 0 || !waited_for(t))
            code = mpj_err_set(err, MPJ_E_CANCELLED, "interrupted");
        else if (made++ > 0 && mpj_clock_s() - begin_s > most_s)
            break;
        else
            code = make_one(t, order, err);
        if (code != MPJ_E_OK)
            break;
    }
    if (save(t, &late) != MPJ_E_OK && code == MPJ_E_OK) {
        *err = late;
        code = late.code;
    }
    return code;
}

/* ---- public functions ----------------------------------------------------------------------- */

static int read_task(struct task *t, struct mpj_err *err)
{
    static const struct run_work *const works[] = {&run_work_program, &run_work_campaign};
    char *const file = run_round_file(t->folder, t->number, ".task");
    char *const old = run_round_file(t->folder, t->number, ".result");
    json_error_t why;
    const char *name;

    t->doc = file != NULL ? json_load_file(file, 0, &why) : NULL;
    t->out = old != NULL ? json_load_file(old, 0, NULL) : NULL;
    free(old);
    free(file);
    if (t->doc == NULL)
        return mpj_err_set(err, MPJ_E_IO, "cannot read task %u of %s: %s", t->number, t->folder,
                           file != NULL ? why.text : "out of memory");
    name = json_string_value(json_object_get(t->doc, "work"));
    for (size_t i = 0; name != NULL && i < sizeof(works) / sizeof(works[0]); i++) {
        if (strcmp(works[i]->name, name) == 0)
            t->work = works[i];
    }
    if (!json_is_object(json_object_get(t->out, "results")) ||
        !json_is_object(json_object_get(t->out, "refused"))) {
        json_decref(t->out);
        t->out =
            json_pack("{s:s,s:{},s:{}}", "schema", "mpjoule-task-result/1", "refused", "results");
    }
    if (t->work == NULL || t->out == NULL)
        return mpj_err_set(err, MPJ_E_IO, "task %u of %s is of another version", t->number,
                           t->folder);
    return MPJ_E_OK;
}

static int perform(struct task *t, struct mpj_err *err)
{
    int code = identify(t, err);

    if (code == MPJ_E_OK && t->work->open != NULL)
        code = t->work->open(json_object_get(t->doc, "common"), &t->executor, err);
    if (code == MPJ_E_OK)
        code = golden(t, err);
    if (code == MPJ_E_IDENTITY)
        return refuse(t, err);
    return code == MPJ_E_OK ? make_all(t, err) : code;
}

int run_engine_task(const char *folder, unsigned number, struct mpj_err *err)
{
    struct task t = {.number = number, .saved_s = mpj_clock_s()};
    int code;

    mpj_stop_catch();
    mpj_pipe_ignore();
    find_node(t.node);
    t.folder = strdup(folder);
    code = t.folder != NULL ? read_task(&t, err) : mpj_err_nomem(err);
    if (code == MPJ_E_OK)
        code = mpj_tempdir_make(&t.temp, err);
    if (code == MPJ_E_OK)
        code = perform(&t, err);
    if (t.executor != NULL)
        t.work->close(t.executor);
    mpj_tempdir_remove(&t.temp);
    json_decref(t.out);
    json_decref(t.doc);
    free(t.folder);
    return code;
}
