/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "learned.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>
#include <sha2.h>

#include "base/file.h"
#include "base/json.h"
#include "base/stop.h"
#include "base/tempdir.h"
#include "cli.h"
#include "hil/image.h"
#include "report/adapted.h"
#include "run/cache.h"
#include "run/calibration.h"
#include "run/kinds.h"
#include "run/paths.h"

#define SCHEMA  "mpjoule-learned/1"
#define NAME    "MPJ_ADAPT="
#define THREADS 4U
#define REGIONS 32U   /* that a policy `fixed:` names */
#define GAIN    0.005 /* of the metric; less than that, all threads are kept */

/* ---- policies ------------------------------------------------------------------------------ */

static const struct metric {
    const char *name;
    int energy, time; /* powers */
} metrics[] = {{"time", 0, 1}, {"energy", 1, 0}, {"edp", 1, 1}, {"ed2", 1, 2}};

/* Returns the policy's text in the environment; NULL: there is none. */
static const char *policy_text(const struct run_options *o)
{
    const int at = variants_policy(o);

    return at >= 0 ? o->envp[at] + sizeof(NAME) - 1 : NULL;
}

static const struct metric *metric_of(const struct run_options *o)
{
    const char *const text = policy_text(o);

    for (size_t i = 0; text != NULL && i < sizeof(metrics) / sizeof(metrics[0]); i++) {
        if (strcmp(text, metrics[i].name) == 0)
            return &metrics[i];
    }
    return NULL;
}

bool learned_policy(const struct run_options *o)
{
    return metric_of(o) != NULL;
}

/* ---- the key of a program ------------------------------------------------------------------- */

static void put_word(FILE *f, const char *what, const char *text)
{
    fprintf(f, "%s ", what);
    run_cache_key_text(f, text);
    fputc('\n', f);
}

/* Writes the chip: content of the calibration, and version of the emulator. */
static int put_chip(const struct run_options *o, FILE *f, struct mpj_err *err)
{
    char usual[TILE_NAME_SIZE];
    const char *const name =
        o->calibration != NULL ? o->calibration : run_program_calibration(usual, o->elf);
    char *const path = run_path_calibration(name);
    char *const version = run_cache_version(err);
    char sum[65];
    int result = version != NULL ? MPJ_E_OK : err->code;

    if (path == NULL)
        result = mpj_err_nomem(err);
    if (result == MPJ_E_OK)
        result = run_calibration_sha256(path, sum, err);
    if (result == MPJ_E_OK)
        fprintf(f, "%s\ncalibration %s\n", version, sum);
    free(path);
    free(version);
    return result;
}

static int put_key(const struct run_options *o, FILE *f, struct mpj_err *err)
{
    struct mpj_image image;
    char sum[SHA256_DIGEST_STRING_LENGTH];
    int result = mpj_image_check(&image, o->elf, err);

    if (result != MPJ_E_OK)
        return result;
    fprintf(f, "program %s\n", image.sha256);
    for (unsigned i = 1; i < o->argc; i++)
        put_word(f, "argument", o->argv[i]);
    for (unsigned i = 0; i < o->envc; i++)
        put_word(f, "environment", o->envp[i]);
    for (unsigned i = 0; i < o->what_ifs; i++)
        put_word(f, "what-if", o->what_if[i]);
    put_word(f, "target", o->target);
    fprintf(f, "cores %x\nquantum %u\n", (unsigned)o->cores_mask, (unsigned)o->quantum);
    if (o->input != NULL && SHA256File(o->input, sum) == NULL)
        return mpj_err_errno(err, "cannot read %s", o->input);
    if (o->input != NULL)
        put_word(f, "stdin", sum);
    return strcmp(o->target, RUN_EMULATOR) == 0 ? put_chip(o, f, err) : MPJ_E_OK;
}

/* Finds the sum of all that the decisions depend on. */
static int key_of(const struct run_options *o, char key[SHA256_DIGEST_STRING_LENGTH],
                  struct mpj_err *err)
{
    char *text = NULL;
    size_t size = 0;
    FILE *const f = open_memstream(&text, &size);
    int result = f != NULL ? put_key(o, f, err) : mpj_err_nomem(err);

    if (f != NULL && fclose(f) != 0 && result == MPJ_E_OK)
        result = mpj_err_nomem(err);
    if (result == MPJ_E_OK)
        SHA256Data((const uint8_t *)text, size, key);
    free(text);
    return result;
}

/* ---- the file -------------------------------------------------------------------------------- */

/* Reads the file; a missing one has no programs. NULL and err: it is another kind of file. */
static json_t *load(const char *path, struct mpj_err *err)
{
    json_error_t at;
    json_t *root = access(path, F_OK) == 0 ? json_load_file(path, 0, &at) : json_object();
    const char *const schema = json_string_value(json_object_get(root, "schema"));

    if (access(path, F_OK) != 0 && errno == ENOENT) {
        json_put_text(root, "schema", SCHEMA);
        json_object_set_new(root, "programs", json_object());
        return root;
    }
    if (schema != NULL && strcmp(schema, SCHEMA) == 0 &&
        json_is_object(json_object_get(root, "programs")))
        return root;
    json_decref(root);
    (void)mpj_err_set(err, MPJ_E_USAGE, "%s is not a file of --learned (" SCHEMA ")", path);
    return NULL;
}

static int put(const void *what, FILE *f, struct mpj_err *err)
{
    return json_write(json_incref((json_t *)what), f, err);
}

/* True if a text of the file is one of those that we write. */
static bool is_decision(const char *text)
{
    static const char fixed[] = "fixed:";

    if (text == NULL)
        return false;
    if (text[0] == '\0' || (strncmp(text, "static:", 7) == 0 && text[7] >= '1' &&
                            text[7] <= '0' + (int)THREADS && text[8] == '\0'))
        return true;
    return strncmp(text, fixed, sizeof(fixed) - 1) == 0 &&
           text[strspn(text + sizeof(fixed) - 1, "0123456789abcdefx=,") + sizeof(fixed) - 1] ==
               '\0';
}

/* ---- learning -------------------------------------------------------------------------------- */

enum { ALL, STATIC, POLICY = STATIC + THREADS, APART, FOLLOWED, TRIES };

/* A run, and what came of it. */
struct attempt {
    char *policy; /* "MPJ_ADAPT=static:2" */
    struct mpj_adapted adapted;
    double cost; /* by the metric; infinite: it did not end well */
};

struct learning {
    const struct cli_options *o;
    const struct metric *metric;
    struct mpj_tempdir dir;
    struct attempt attempt[TRIES];
    struct variant run[TRIES];
};

/* Reads time and energy: the emulator's truth, or what the board measured. */
static double cost_of(const struct learning *l, const json_t *run)
{
    const json_t *const truth = json_object_get(run, "truth");
    const json_t *const adc = json_object_get(json_object_get(run, "adc"), "processor");
    const double time = truth != NULL ? json_number_value(json_object_get(truth, "cycles"))
                                      : json_number_value(json_object_get(run, "time_s"));
    const double energy =
        json_number_value(json_object_get(truth != NULL ? truth : adc, "energy_uj"));

    if (time <= 0 || (l->metric->energy > 0 && energy <= 0))
        return INFINITY;
    return pow(time, l->metric->time) * pow(energy, l->metric->energy);
}

/* Runs some of the tries, and reads their results. */
static int make(struct learning *l, unsigned from, unsigned to, variant_one *one,
                struct mpj_err *err)
{
    int result = MPJ_E_OK;

    for (unsigned i = from; i < to; i++) {
        struct variant *const v = &l->run[i];
        *v = (struct variant){
            .name = l->attempt[i].policy, .policy = l->attempt[i].policy, .silent = true};
        if (asprintf(&v->store, "%s/%u.mpj", l->dir.path, i) < 0 ||
            asprintf(&v->json, "%s/%u.json", l->dir.path, i) < 0)
            return mpj_err_nomem(err);
    }
    result = variants_run(l->o, l->run + from, to - from, false, one, err);
    for (unsigned i = from; i < to && result == MPJ_E_OK; i++) {
        json_t *const run = json_load_file(l->run[i].json, 0, NULL);
        l->attempt[i].cost = l->run[i].status == 0 ? cost_of(l, run) : INFINITY;
        json_decref(run);
        if (isfinite(l->attempt[i].cost))
            result = mpj_adapted_load(&l->attempt[i].adapted, l->run[i].store, 0, err);
    }
    return result;
}

/* Returns the time of all executions of a region; infinite: it has none. */
static double time_of(const struct mpj_adapted *a, uint32_t region)
{
    double sum = 0;

    for (size_t i = 0; i < a->runs; i++)
        sum += a->run[i].region == region ? a->run[i].s : 0;
    return sum > 0 ? sum : INFINITY;
}

/* Returns the number of threads that the region takes least time with. */
static unsigned apart(const struct learning *l, uint32_t region)
{
    unsigned best = THREADS;
    double least = time_of(&l->attempt[STATIC + THREADS - 1].adapted, region) * (1 - GAIN);

    for (unsigned n = THREADS - 1; n > 0; n--) {
        const double time = time_of(&l->attempt[STATIC + n - 1].adapted, region);
        if (time < least) {
            least = time;
            best = n;
        }
    }
    return best;
}

/* Returns the number of threads that the policy came to. */
static unsigned followed(const struct learning *l, uint32_t region)
{
    const struct mpj_adapted *const a = &l->attempt[POLICY].adapted;
    unsigned threads = THREADS;

    for (size_t i = 0; i < a->runs; i++)
        threads = a->run[i].region == region ? a->run[i].threads : threads;
    return threads;
}

/* Returns "MPJ_ADAPT=fixed:..." with the regions that get fewer threads; without any, "MPJ_ADAPT=".
 * NULL: out of memory. */
static char *choice(const struct learning *l,
                    unsigned (*number)(const struct learning *l, uint32_t region))
{
    const struct mpj_adapted *const a = &l->attempt[STATIC + THREADS - 1].adapted;
    char *out = NULL;
    size_t size = 0;
    unsigned named = 0;
    FILE *const f = open_memstream(&out, &size);

    if (f == NULL)
        return NULL;
    fputs(NAME, f);
    for (unsigned r = 0; r < a->regions && named < REGIONS; r++) {
        const uint32_t region = a->region[r].region;
        const unsigned threads = number(l, region);
        if (threads < THREADS)
            fprintf(f, "%s0x%x=%u", named++ == 0 ? "fixed:" : ",", (unsigned)region, threads);
    }
    return fclose(f) == 0 ? out : NULL;
}

/* Prepares the first runs: all threads, each number, the policy as it is. */
static bool begin(struct learning *l)
{
    bool full =
        (l->attempt[ALL].policy = strdup(NAME)) != NULL &&
        (l->attempt[POLICY].policy = strdup(l->o->run.envp[variants_policy(&l->o->run)])) != NULL;

    for (unsigned n = 0; n < THREADS; n++)
        full = asprintf(&l->attempt[STATIC + n].policy, NAME "static:%u", n + 1) >= 0 && full;
    return full;
}

/* Tries the best numbers of all regions together. */
static int compose(struct learning *l, variant_one *one, struct mpj_err *err)
{
    unsigned (*const number[])(const struct learning *l, uint32_t region) = {apart, followed};
    int result = MPJ_E_OK;

    for (unsigned i = APART; i < TRIES && result == MPJ_E_OK; i++) {
        bool known = false;
        l->attempt[i].policy = choice(l, number[i - APART]);
        l->attempt[i].cost = INFINITY;
        if (l->attempt[i].policy == NULL)
            return mpj_err_nomem(err);
        for (unsigned k = 0; k < i; k++)
            known = known || strcmp(l->attempt[k].policy, l->attempt[i].policy) == 0;
        if (!known)
            result = make(l, i, i + 1, one, err);
    }
    return result;
}

/* Returns the best run: all threads, unless another one gains enough. The policy itself is none:
 * it searches. */
static unsigned best_of(const struct learning *l)
{
    unsigned best = ALL;

    for (unsigned i = STATIC; i < TRIES; i++) {
        if (i != POLICY && l->attempt[i].cost < l->attempt[best].cost &&
            l->attempt[i].cost < l->attempt[ALL].cost * (1 - GAIN))
            best = i;
    }
    return best;
}

/* Returns the entry of the program. */
static json_t *entry(const struct learning *l)
{
    const struct attempt *const t = &l->attempt[best_of(l)];
    json_t *const o = json_object();

    json_put_text(o, "program", l->o->run.elf);
    json_put_text(o, "policy", l->metric->name);
    json_put_text(o, "decision", t->policy + sizeof(NAME) - 1);
    json_put_real(o, "gain", 1 - t->cost / l->attempt[ALL].cost);
    json_put_real(o, "gain_of_policy", 1 - l->attempt[POLICY].cost / l->attempt[ALL].cost);
    return o;
}

static void release(struct learning *l)
{
    for (unsigned i = 0; i < TRIES; i++) {
        mpj_adapted_free(&l->attempt[i].adapted);
        free(l->attempt[i].policy);
        free(l->run[i].store);
        free(l->run[i].json);
    }
    mpj_tempdir_remove(&l->dir);
}

/* Learns; NULL: the program does not end well with all threads, or err is set. */
static json_t *learn(const struct cli_options *o, variant_one *one, struct mpj_err *err)
{
    struct learning l = {.o = o, .metric = metric_of(&o->run)};
    json_t *out = NULL;
    int result = mpj_tempdir_make(&l.dir, err);

    if (result == MPJ_E_OK && !begin(&l))
        result = mpj_err_nomem(err);
    if (result == MPJ_E_OK)
        result = make(&l, 0, APART, one, err);
    if (result == MPJ_E_OK && isfinite(l.attempt[ALL].cost)) {
        result = compose(&l, one, err);
        out = result == MPJ_E_OK ? entry(&l) : NULL;
    }
    release(&l);
    err->code = result;
    return out;
}

/* Adds the program's entry to the file, where other commands may have put theirs since it was read.
 */
static int put_entry(const char *path, const char *key, json_t *found, struct mpj_err *err)
{
    json_t *const root = load(path, err);
    int result = root != NULL ? MPJ_E_OK : err->code;

    if (root != NULL) {
        json_object_set(json_object_get(root, "programs"), key, found);
        result = mpj_file_replace(path, put, root, err);
    }
    json_decref(root);
    return result;
}

/* Adds it while no other command changes the file. */
static int keep(const char *path, const char *key, json_t *found, struct mpj_err *err)
{
    char *lock = NULL;
    int result;
    int fd;

    if (asprintf(&lock, "%s.lock", path) < 0)
        return mpj_err_nomem(err);
    fd = mpj_file_lock(lock, true, err);
    result = fd;
    if (fd >= 0) {
        result = put_entry(path, key, found, err);
        unlink(lock);
        close(fd);
    } else if (mpj_stop_count() > 0) {
        result = mpj_err_set(err, MPJ_E_CANCELLED, "interrupted");
    }
    free(lock);
    return result;
}

/* Finds the decision in the file, or learns it and writes the file. *text: allocated; NULL: the
 * policy itself decides. */
static int decide(const struct cli_options *o, variant_one *one, char **text, struct mpj_err *err)
{
    char key[SHA256_DIGEST_STRING_LENGTH];
    json_t *const root = load(o->learned, err);
    json_t *found;
    const char *decision;
    int result = root != NULL ? key_of(&o->run, key, err) : err->code;

    *text = NULL;
    found = result == MPJ_E_OK
                ? json_incref(json_object_get(json_object_get(root, "programs"), key))
                : NULL;
    decision = json_string_value(json_object_get(found, "decision"));
    if (result == MPJ_E_OK && !is_decision(decision)) {
        json_decref(found);
        found = learn(o, one, err);
        result = err->code;
        decision = json_string_value(json_object_get(found, "decision"));
        if (found != NULL)
            result = keep(o->learned, key, found, err);
    }
    if (result == MPJ_E_OK && decision != NULL && asprintf(text, NAME "%s", decision) < 0)
        result = mpj_err_nomem(err);
    json_decref(found);
    json_decref(root);
    return result;
}

int learned_run(struct cli_options *o, variant_one *member, int (*run)(struct cli_options *o))
{
    struct mpj_err err = {.code = MPJ_E_OK};
    char *text;
    int status;

    if (decide(o, member, &text, &err) != MPJ_E_OK)
        return cli_fail(&err);
    if (text != NULL)
        o->run.envp[variants_policy(&o->run)] = text;
    status = run(o);
    free(text);
    return status;
}
