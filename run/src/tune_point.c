/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A point of a tune: what it depends on, its run, and what is kept of it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sha2.h>

#include "base/file.h"
#include "base/json.h"
#include "kept.h"
#include "mpj_energy.h"
#include "mpj_target.h"
#include "run/calibration.h"
#include "run/options.h"
#include "run/paths.h"
#include "tile_limits.h"
#include "tune_int.h"

#define POINT_SCHEMA "mpjoule-tune-point/3"

/* ---- what it depends on -------------------------------------------------------------- */

static int no_memory(struct mpj_err *err)
{
    return mpj_err_set(err, MPJ_E_NOMEM, "out of memory");
}

char *run_tune_version(struct mpj_err *err)
{
    char *const qemu = run_path_qemu();
    char sum[SHA256_DIGEST_STRING_LENGTH];
    char *out = NULL;

    if (qemu == NULL)
        no_memory(err);
    else if (SHA256File(qemu, sum) == NULL)
        mpj_err_errno(err, "cannot read the emulator %s", qemu);
    else if (asprintf(&out, "%s %s", MPJ_VERSION, sum) < 0)
        out = NULL;
    free(qemu);
    return out;
}

static const char *option(const struct run_tune *t, const char *name)
{
    for (unsigned i = 0; i < t->option.n; i++) {
        if (strcmp(t->option.at[i].name, name) == 0)
            return t->option.at[i].text;
    }
    return NULL;
}

/* The file of the point's calibration, before its keys are changed. Allocated. */
static char *calibration(const struct run_tune *t, const struct run_tune_point *p)
{
    const char *const given = option(t, "calibration");
    char *const name = run_tune_fill(t, p, given != NULL ? given : TILE_CALIBRATION_DEFAULT);
    char *const path = name != NULL ? run_path_calibration(name) : NULL;

    free(name);
    return path;
}

static void put_list(const struct run_tune *t, const struct run_tune_point *p, FILE *f,
                     const char *what, const struct run_tune_list *l)
{
    for (unsigned i = 0; i < l->n; i++) {
        char *const text = run_tune_fill(t, p, l->at[i].text);
        fprintf(f, "%s %s=%s\n", what, l->at[i].name != NULL ? l->at[i].name : "",
                text != NULL ? text : "");
        free(text);
    }
}

/* All keys of the calibration that the point changes, a line each. Allocated. */
static char *chip_text(const struct run_tune *t, const struct run_tune_point *p)
{
    char *const lines = t->chip_lines != NULL ? t->chip_lines(t->chip_ctx, t, p) : strdup("");
    char *out = NULL;
    size_t n = 0;
    FILE *const f = lines != NULL ? open_memstream(&out, &n) : NULL;

    if (f != NULL) {
        for (unsigned i = 0; i < t->chip.n; i++) {
            char *const value = run_tune_fill(t, p, t->chip.at[i].text);
            fprintf(f, "%s = %s\n", t->chip.at[i].name, value != NULL ? value : "");
            free(value);
        }
        fputs(lines, f);
        fclose(f);
    }
    free(lines);
    return out;
}

/* What the run reads from stdin, by content. */
static int put_input(const struct run_tune *t, const struct run_tune_point *p, FILE *f,
                     struct mpj_err *err)
{
    const char *const given = option(t, "stdin");
    char *const path = given != NULL ? run_tune_fill(t, p, given) : NULL;
    char sum[SHA256_DIGEST_STRING_LENGTH];

    err->code = MPJ_E_OK;
    if (path != NULL && SHA256File(path, sum) == NULL)
        mpj_err_errno(err, "cannot read %s, which the runs read as stdin", path);
    else if (path != NULL)
        fprintf(f, "stdin %s\n", sum);
    free(path);
    return err->code;
}

int run_tune_name(const struct run_tune *t, struct run_tune_point *p, const char *version,
                  struct mpj_err *err)
{
    char *const chip = calibration(t, p);
    char *const keys = chip_text(t, p);
    char content[65];
    char sum[SHA256_DIGEST_STRING_LENGTH];
    size_t n = 0;
    FILE *const f = open_memstream(&p->key, &n);
    int result = MPJ_E_OK;

    if (f == NULL || chip == NULL || keys == NULL) {
        if (f != NULL)
            fclose(f);
        free(chip);
        free(keys);
        return no_memory(err);
    }
    fprintf(f, "%s\nprogram %s\n", version, t->build[p->build].sha256);
    put_list(t, p, f, "argument", &t->argument);
    put_list(t, p, f, "environment", &t->environment);
    put_list(t, p, f, "run", &t->option);
    if (keys[0] != '\0')
        fprintf(f, "chip\n%s", keys);
    free(keys);
    if (t->compare)
        fputs("compare: functions, instructions, sample 1\n", f);
    result = run_calibration_sha256(chip, content, err);
    if (result == MPJ_E_OK)
        fprintf(f, "calibration %s\n", content);
    free(chip);
    if (result == MPJ_E_OK)
        result = put_input(t, p, f, err);
    if (fclose(f) != 0 && result == MPJ_E_OK)
        result = no_memory(err);
    if (result != MPJ_E_OK)
        return result;
    SHA256Data((const uint8_t *)p->key, n, sum);
    return asprintf(&p->stem, "%s/points/%.24s", t->folder, sum) < 0 ? no_memory(err) : MPJ_E_OK;
}

/* ---- its run --------------------------------------------------------------------------- */

static int put_text(const void *what, FILE *f, struct mpj_err *err)
{
    return fputs(what, f) < 0 ? mpj_err_errno(err, "cannot write a calibration") : MPJ_E_OK;
}

/* A calibration of the point's own, beside its other files. */
static int make_chip(const struct run_tune *t, const struct run_tune_point *p, const char *keys,
                     const char *file, struct mpj_err *err)
{
    char *const base = calibration(t, p);
    char *const whole = base != NULL ? realpath(base, NULL) : NULL;
    char *text = NULL;
    size_t size = 0;
    FILE *const f = whole != NULL ? open_memstream(&text, &size) : NULL;
    int result;

    if (f == NULL) {
        result = mpj_err_errno(err, "cannot read the calibration %s", base != NULL ? base : "");
    } else {
        fprintf(f, "include %s\nname = tuned-%.8s\n%s", whole, strrchr(p->stem, '/') + 1, keys);
        result = fclose(f) == 0 ? mpj_file_replace(file, put_text, text, err) : no_memory(err);
    }
    free(text);
    free(whole);
    free(base);
    return result;
}

static void command_line(struct run_words *w, const struct run_tune *t,
                         const struct run_tune_point *p, const char *chip,
                         const struct mpj_emulator_bound *bound, unsigned bounds)
{
    run_words_add(w, "mpjoule");
    run_words_add(w, "run");
    run_words_add(w, "--quiet");
    if (t->compare && option(t, "target") == NULL) {
        run_words_add(w, "--functions");
        run_words_add(w, "--instructions"); /* for functions that are inlined */
    }
    run_words_add(w, "--jobs=1");
    for (unsigned i = 0; i < t->option.n; i++) {
        char *const text = run_tune_fill(t, p, t->option.at[i].text);
        if (chip == NULL || strcmp(t->option.at[i].name, "calibration") != 0)
            run_words_add(w, "--%s=%s", t->option.at[i].name, text != NULL ? text : "");
        w->no_memory = w->no_memory || text == NULL;
        free(text);
    }
    if (chip != NULL)
        run_words_add(w, "--calibration=%s", chip);
    for (unsigned i = 0; i < t->environment.n; i++) {
        char *const text = run_tune_fill(t, p, t->environment.at[i].text);
        run_words_add(w, "--env=%s=%s", t->environment.at[i].name, text != NULL ? text : "");
        w->no_memory = w->no_memory || text == NULL;
        free(text);
    }
    for (unsigned i = 0; i < bounds; i++)
        run_words_add(w, "--bound=%.9g:%.9g", bound[i].time_s, bound[i].energy_j);
    run_words_add(w, "--output=%s.mpj", p->stem);
    run_words_add(w, "--json=%s.run.json", p->stem);
    run_words_add(w, "%s", t->build[p->build].elf);
    run_words_add(w, "--");
    for (unsigned i = 0; i < t->argument.n; i++) {
        char *const text = run_tune_fill(t, p, t->argument.at[i].text);
        run_words_add(w, "%s", text != NULL ? text : "");
        w->no_memory = w->no_memory || text == NULL;
        free(text);
    }
}

/* ---- what is kept of it ------------------------------------------------------------------ */

static void add_events(json_t *figures, const json_t *holder)
{
    const char *name;
    json_t *v;

    json_object_foreach(json_object_get(holder, "events"), name, v) json_object_set_new(
        figures, name,
        json_real(json_number_value(json_object_get(figures, name)) + json_number_value(v)));
}

/* Sums of all events: the emulator's exact counts. */
static void all_events(json_t *figures, const json_t *run)
{
    const json_t *const truth = json_object_get(run, "truth");
    const json_t *const from = truth != NULL ? truth : run;
    size_t i;
    json_t *core;

    json_array_foreach(json_object_get(from, "cores"), i, core) add_events(figures, core);
    add_events(figures, json_object_get(from, "scu"));
    add_events(figures, json_object_get(from, "l2"));
}

/* Seconds of all cores in which they did not wait for an interrupt. */
static double busy(const json_t *run)
{
    const double hz = json_number_value(json_object_get(run, "clock_hz"));
    const json_t *const truth = json_object_get(run, "truth");
    const json_t *const cores = json_object_get(truth != NULL ? truth : run, "cores");
    double cycles = 0;
    size_t i;
    json_t *core;

    json_array_foreach(cores, i, core) cycles +=
        json_number_value(json_object_get(core, "cycles")) -
        json_number_value(json_object_get(core, "wfi_cycles"));
    return hz > 0 ? cycles / hz : 0;
}

/* exact_...: what the emulator knows of the whole chip and of each core's energy; joules, cycles.
 */
static void exact(json_t *figures, const json_t *run)
{
    const json_t *const truth = json_object_get(run, "truth");
    double ran = 0;
    double waited = 0;
    size_t i;
    json_t *core;

    if (truth == NULL)
        return;
    json_put_real(figures, "exact_cycles", json_number_value(json_object_get(truth, "cycles")));
    json_put_real(figures, "exact_energy",
                  json_number_value(json_object_get(truth, "energy_uj")) * 1e-6);
    json_put_real(figures, "exact_shared",
                  json_number_value(json_object_get(truth, "shared_energy_uj")) * 1e-6);
    json_array_foreach(json_object_get(truth, "cores"), i, core)
    {
        const double wfi = json_number_value(json_object_get(core, "wfi_cycles"));
        char name[32];
        snprintf(name, sizeof(name), "exact_core%zu", i);
        json_put_real(figures, name, json_number_value(json_object_get(core, "energy_uj")) * 1e-6);
        ran += json_number_value(json_object_get(core, "cycles")) - wfi;
        waited += wfi;
    }
    json_put_real(figures, "exact_run", ran);
    json_put_real(figures, "exact_wfi", waited);
}

/* wait_NAME: seconds that a thread of this name was blocked, the mean of those that have it. */
static void waits(json_t *figures, const json_t *run)
{
    json_t *const count = json_object();
    size_t i;
    json_t *thread;

    json_array_foreach(json_object_get(run, "threads"), i, thread)
    {
        const char *const name = json_string_value(json_object_get(thread, "name"));
        const double blocked = json_number_value(json_object_get(thread, "block_s"));
        char key[80];
        double n;
        if (name == NULL)
            continue;
        snprintf(key, sizeof(key), "wait_%s", name);
        n = json_number_value(json_object_get(count, key));
        json_put_real(figures, key,
                      (json_number_value(json_object_get(figures, key)) * n + blocked) / (n + 1));
        json_put_real(count, key, n + 1);
    }
    json_decref(count);
}

/* region_wait: the share of their time that threads did not run in parallel regions. */
static void regions(json_t *figures, const json_t *run)
{
    double had = 0;
    double ran = 0;
    size_t i;
    json_t *region;

    json_array_foreach(json_object_get(run, "regions"), i, region)
    {
        const double team = json_number_value(json_object_get(region, "team"));
        if (team < 2)
            continue;
        had += team * json_number_value(json_object_get(region, "wall_s"));
        ran += json_number_value(json_object_get(region, "run_s"));
    }
    if (had > 0)
        json_put_real(figures, "region_wait", 1 - ran / had);
}

static json_t *figures_of(const json_t *run, const char *stem)
{
    json_t *const o = json_object();
    const json_t *const energy =
        json_object_get(json_object_get(json_object_get(run, "adc"), "processor"), "energy_uj");
    const double time = json_number_value(json_object_get(run, "time_s"));
    const double joule = json_number_value(energy) * 1e-6;
    char *const store = run_kept_file(stem, ".mpj");
    struct mpj_energy *samples = NULL;
    struct mpj_err ignored; /* a run without samples has no peak */

    all_events(o, run);
    exact(o, run);
    waits(o, run);
    regions(o, run);
    json_put_real(o, "time", time);
    json_put_real(o, "busy", busy(run));
    if (energy != NULL) {
        json_put_real(o, "energy", joule);
        json_put_real(o, "edp", joule * time);
        json_put_real(o, "ed2p", joule * time * time);
        json_put_real(o, "power", time > 0 ? joule / time : 0);
        if (store != NULL && mpj_energy_load(&samples, store, NULL, NULL, &ignored) == MPJ_E_OK)
            json_put_real(o, "peak_power", samples->power_max_uw[MPJ_RAIL_PROCESSOR] * 1e-6);
    }
    mpj_energy_free(samples);
    free(store);
    return o;
}

/* The last line that `mpjoule run` said, else the status. Allocated. */
static char *said(const char *stem, int status)
{
    char *const path = run_kept_file(stem, ".err");
    FILE *const f = path != NULL ? fopen(path, "re") : NULL;
    char *line = NULL;
    char *last = NULL;
    size_t size = 0;

    while (f != NULL && getline(&line, &size, f) > 0) {
        if (strncmp(line, "mpjoule: ", 9) != 0)
            continue;
        free(last);
        last = strdup(line + 9);
    }
    if (f != NULL)
        fclose(f);
    free(path);
    free(line);
    if (last != NULL)
        last[strcspn(last, "\n")] = '\0';
    if (last != NULL)
        mpj_text_clean(last);
    if (last == NULL && asprintf(&last, "exit status %d", status) < 0)
        last = NULL;
    return last;
}

/* Failed by itself, not by this machine or its time: that is the result, again and again. */
static bool final(const json_t *run)
{
    return json_object_get(run, "exit_status") != NULL || json_object_get(run, "fault") != NULL;
}

static int put_json(const void *what, FILE *f, struct mpj_err *err)
{
    return json_write(json_deep_copy(what), f, err);
}

/* What a run that was ended had come to: the emulator's truth. */
static json_t *come_to(const json_t *run)
{
    const json_t *const truth = json_object_get(run, "truth");
    const double hz = json_number_value(json_object_get(run, "clock_hz"));
    json_t *const o = json_object();

    json_put_real(o, "time", hz > 0 ? json_number_value(json_object_get(truth, "cycles")) / hz : 0);
    json_put_real(o, "energy", json_number_value(json_object_get(truth, "energy_uj")) * 1e-6);
    return o;
}

static int keep(const struct run_tune_point *p, const json_t *run, int status, struct mpj_err *err)
{
    const json_t *const exit_status = json_object_get(run, "exit_status");
    char *const file = run_kept_file(p->stem, ".json");
    json_t *const o = json_object();
    int result;

    json_put_text(o, "schema", POINT_SCHEMA);
    if (status == RUN_STATUS_BOUND && exit_status == NULL) {
        json_object_set_new(o, "stopped", come_to(run));
    } else if (status == 0 && json_object_get(run, "time_s") != NULL) {
        json_object_set_new(o, "figures", figures_of(run, p->stem));
    } else {
        char *const why = exit_status != NULL ? NULL : said(p->stem, status);
        char number[48];
        snprintf(number, sizeof(number), "exit status %d", status);
        json_put_text(o, "failed", why != NULL ? why : number);
        free(why);
    }
    result = file != NULL ? mpj_file_replace(file, put_json, o, err) : no_memory(err);
    if (result == MPJ_E_OK && (final(run) || json_object_get(o, "stopped") != NULL))
        run_kept_keep(p->stem, p->key);
    json_decref(o);
    free(file);
    return result;
}

static void drop(const char *stem, const char *end)
{
    char *const path = run_kept_file(stem, end);

    if (path != NULL)
        unlink(path);
    free(path);
}

int run_tune_measure(const struct run_tune *t, const struct run_tune_point *p,
                     const struct mpj_emulator_bound *bound, unsigned bounds,
                     bool (*stopping)(void *ctx), void *ctx, struct mpj_err *err)
{
    static const char *const files[] = {".mpj",  ".mplog", ".run.json", ".emulator.log",
                                        ".conf", ".out",   ".err"};
    struct run_words w = {.n = 0};
    char *const chip = run_kept_file(p->stem, ".conf");
    char *const keys = chip_text(t, p);
    char *const made = run_kept_file(p->stem, ".run.json");
    json_t *run = NULL;
    int status = 0;
    int result = MPJ_E_OK;

    if (chip == NULL || made == NULL || keys == NULL)
        result = no_memory(err);
    else if (keys[0] != '\0')
        result = make_chip(t, p, keys, chip, err);
    if (result == MPJ_E_OK && made != NULL && keys != NULL) {
        unlink(made);
        command_line(&w, t, p, keys[0] != '\0' ? chip : NULL, bound, bounds);
        result = run_kept_make(p->stem, &w, stopping, ctx, &status, err);
    }
    if (result == MPJ_E_OK && stopping(ctx))
        result = mpj_err_set(err, MPJ_E_CANCELLED, "interrupted");
    if (result == MPJ_E_OK) {
        run = json_load_file(made, 0, NULL);
        result = keep(p, run, status, err);
    }
    for (size_t i = t->compare ? 1 : 0; !t->keep && i < sizeof(files) / sizeof(files[0]); i++) {
        if (status == 0 || status == RUN_STATUS_BOUND || i < 4)
            drop(p->stem, files[i]);
    }
    json_decref(run);
    run_words_free(&w);
    free(made);
    free(keys);
    free(chip);
    return result;
}

int run_tune_judge(const struct run_tune *t, struct run_tune_point *p, struct mpj_err *err)
{
    const struct run_tune_exprs *const e = &t->work->exprs;
    double v;

    p->time_s = json_number_value(json_object_get(p->figures, "time"));
    p->energy_j = json_number_value(json_object_get(p->figures, "energy"));
    p->state = RUN_TUNE_MEASURED;
    for (unsigned i = 0; i < t->objective.n; i++) {
        if (run_tune_value(&e->objective[i], t, p, p->figures, &p->objective[i]) ||
            p->state != RUN_TUNE_MEASURED)
            continue;
        p->state = RUN_TUNE_FAILED;
        if (asprintf(&p->reason, "no value of %s", t->objective.at[i].text) < 0)
            return no_memory(err);
    }
    for (unsigned i = 0; i < t->cap.n; i++) {
        const bool known = run_tune_value(&e->cap[i], t, p, p->figures, &v);
        if ((known && v != 0) || p->state != RUN_TUNE_MEASURED)
            continue;
        p->state = RUN_TUNE_OVER;
        if (asprintf(&p->reason, "not %s", t->cap.at[i].text) < 0)
            return no_memory(err);
    }
    return MPJ_E_OK;
}

/* A run that was ended: what it had come to, in place of figures. */
static void take_stopped(struct run_tune_point *p, const json_t *stopped)
{
    p->state = RUN_TUNE_STOPPED;
    p->time_s = json_number_value(json_object_get(stopped, "time"));
    p->energy_j = json_number_value(json_object_get(stopped, "energy"));
    if (asprintf(&p->reason, "beyond use after %.6g s, %.6g J", p->time_s, p->energy_j) < 0)
        p->reason = NULL;
}

static bool there(const struct run_tune_point *p, const char *end)
{
    char *const file = run_kept_file(p->stem, end);
    const bool is = file != NULL && access(file, R_OK) == 0;

    free(file);
    return is;
}

bool run_tune_take(const struct run_tune *t, struct run_tune_point *p, struct mpj_err *err)
{
    char *const file = run_kept_file(p->stem, ".json");
    json_t *const o = file != NULL ? json_load_file(file, 0, NULL) : NULL;
    json_t *const figures = json_object_get(o, "figures");
    const json_t *const stopped = json_object_get(o, "stopped");
    const char *const failed = json_string_value(json_object_get(o, "failed"));
    const char *const schema = json_string_value(json_object_get(o, "schema"));

    err->code = MPJ_E_OK;
    if (figures != NULL && t->compare && !there(p, ".mpj") && !there(p, RUN_TUNE_SAMPLE)) {
        json_decref(o);
        free(file);
        return false;
    }
    free(p->reason);
    p->reason = NULL;
    json_decref(p->figures);
    p->figures = NULL;
    p->state = RUN_TUNE_NEW;
    if (schema == NULL || strcmp(schema, POINT_SCHEMA) != 0) {
        /* of an older version: measured again */
    } else if (failed != NULL) {
        p->state = RUN_TUNE_FAILED;
        p->reason = strdup(failed);
    } else if (stopped != NULL) {
        take_stopped(p, stopped);
    } else if (figures != NULL) {
        p->figures = json_incref(figures);
        run_tune_judge(t, p, err);
    }
    json_decref(o);
    free(file);
    return err->code == MPJ_E_OK && p->state != RUN_TUNE_NEW;
}
