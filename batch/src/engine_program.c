/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Work of sweeps and tunes: `mpjoule run` in a separate process. In addition to the keys that all
 * orders have, an order has: elf, options and arguments (arrays of words), chip (lines of a
 * calibration of its own), figures (the result is a point; otherwise store and JSON are left), keep
 * and store (of its files). A result: status, as a shell has it; whole (its files are in place of
 * older ones; otherwise those stay); point, or sum (of the JSON) and failed (why,
 * if not by itself).
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sha2.h>

#include "base/file.h"
#include "base/json.h"
#include "engine_int.h"
#include "run/cache.h"
#include "run/options.h"
#include "run/paths.h"
#include "run/recipe.h"

static const char *text(const json_t *order, const char *key)
{
    const char *const s = json_string_value(json_object_get(order, key));

    return s != NULL ? s : "";
}

static bool is(const json_t *order, const char *key)
{
    return json_is_true(json_object_get(order, key));
}

/* ---- what is run ----------------------------------------------------------------------- */

static int put_text(const void *what, FILE *f, struct mpj_err *err)
{
    return fputs(what, f) < 0 ? mpj_err_errno(err, "cannot write a calibration") : MPJ_E_OK;
}

/* Writes the run's own calibration next to its other files. */
static int make_chip(const json_t *order, const char *file, struct mpj_err *err)
{
    char *const base = run_path_calibration(text(order, "calibration"));
    char *const whole = base != NULL ? realpath(base, NULL) : NULL;
    char *content = NULL;
    size_t size = 0;
    FILE *const f = whole != NULL ? open_memstream(&content, &size) : NULL;
    size_t i;
    json_t *line;
    int result;

    if (f == NULL) {
        result = mpj_err_errno(err, "cannot read the calibration %s", base != NULL ? base : "");
    } else {
        fprintf(f, "include %s\nname = tuned-%.8s\n", whole, text(order, "key"));
        json_array_foreach(json_object_get(order, "chip"), i, line)
        {
            const char *const key = json_string_value(line);
            fprintf(f, "%s\n", key != NULL ? key : "");
        }
        result =
            fclose(f) == 0 ? mpj_file_replace(file, put_text, content, err) : mpj_err_nomem(err);
    }
    free(content);
    free(whole);
    free(base);
    return result;
}

static void add_words(struct run_words *w, const json_t *words)
{
    size_t i;
    json_t *word;

    json_array_foreach(words, i, word) run_words_add(w, "%s", json_string_value(word));
}

static void command_line(struct run_words *w, const json_t *order, const char *stem,
                         const struct run_target *board, unsigned tries, const char *chip,
                         const char *made)
{
    run_words_add(w, "mpjoule");
    run_words_add(w, "run");
    run_words_add(w, "--quiet");
    run_words_add(w, "--jobs=1");
    add_words(w, json_object_get(order, "options"));
    if (json_object_get(order, "chip") != NULL)
        run_words_add(w, "--calibration=%s", chip); /* in place of the one among the options */
    if (board != NULL) {                            /* in place of the tag among the options */
        run_words_add(w, "--target=%s", board->name);
        run_words_add(w, "--retries=%u", tries - 1U);
        if (board->boards != NULL)
            run_words_add(w, "--boards=%s", board->boards->file);
    }
    run_words_add(w, "--output=%s.mpj", stem);
    run_words_add(w, "--json=%s", made);
    run_words_add(w, "--"); /* its name may begin with a dash; what follows it is the program's */
    run_words_add(w, "%s", text(order, "elf"));
    add_words(w, json_object_get(order, "arguments"));
}

/* ---- what came of it --------------------------------------------------------------------- */

/* Returns the last line that a failed `mpjoule run` said, else the status. Allocated. */
static char *said(const char *stem, int status)
{
    char *const path = run_cache_file(stem, RUN_FAILED_ERRORS);
    FILE *const f = path != NULL ? fopen(path, "re") : NULL;
    char *line = NULL;
    char *last = NULL;
    char *kept;
    size_t size = 0;

    while (f != NULL && getline(&line, &size, f) > 0) {
        const size_t prefix = strncmp(line, "mpjoule: ", 9) == 0        ? 9
                              : strncmp(line, "mpjoule run: ", 13) == 0 ? 13 /* a usage error */
                                                                        : 0;
        if (prefix == 0)
            continue;
        free(last);
        last = strdup(line + prefix);
    }
    if (f != NULL)
        fclose(f);
    free(path);
    free(line);
    if (last != NULL)
        last[strcspn(last, "\n")] = '\0';
    if (last != NULL && (kept = strstr(last, RUN_KEPT_IN)) != NULL)
        *kept = '\0'; /* a file of ours */
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

/* True for a run that was measured to its end. */
static bool is_measured(const json_t *run, int status)
{
    return status == 0 && json_object_get(run, "time_s") != NULL;
}

/* True for a run that was ended, since its result would be of no use. */
static bool is_bound(const json_t *run, int status)
{
    return status == RUN_STATUS_BOUND && json_object_get(run, "exit_status") == NULL;
}

/* Returns how far a run had come when it was ended: the emulator's truth. */
static json_t *progress_of(const json_t *run)
{
    const json_t *const truth = json_object_get(run, "truth");
    const double hz = json_number_value(json_object_get(run, "clock_hz"));
    json_t *const o = json_object();

    json_put_real(o, "time", hz > 0 ? json_number_value(json_object_get(truth, "cycles")) / hz : 0);
    json_put_real(o, "energy", json_number_value(json_object_get(truth, "energy_uj")) * 1e-6);
    return o;
}

/* A point: the measurements, or why nothing was. */
static json_t *point_of(const json_t *run, const char *stem, int status)
{
    const json_t *const exit_status = json_object_get(run, "exit_status");
    json_t *const o = json_object();

    json_put_text(o, "schema", RUN_POINT_SCHEMA);
    if (is_bound(run, status)) {
        json_object_set_new(o, "stopped", progress_of(run));
    } else if (is_measured(run, status)) {
        json_object_set_new(o, "figures", run_figures(run, stem));
    } else {
        char *const why = exit_status != NULL ? NULL : said(stem, status);
        char number[48];
        snprintf(number, sizeof(number), "exit status %d", status);
        json_put_text(o, "failed", why != NULL ? why : number);
        free(why);
    }
    return o;
}

static void drop(const char *stem, const char *end)
{
    char *const path = run_cache_file(stem, end);

    if (path != NULL)
        unlink(path);
    free(path);
}

/* Removes the files that are not kept; messages of a failure stay. */
static void drop_files(const json_t *order, const char *stem, bool whole)
{
    static const char *const of_whole[] = {".mpj",  ".mplog", ".run.json", ".emulator.log",
                                           ".conf", ".out",   ".err",      NULL};
    static const char *const of_failed[] = {".failed.mpj", ".failed.mplog", ".failed.run.json",
                                            ".failed.emulator.log", NULL};
    const char *const *end = whole ? of_whole : of_failed;

    if (whole && is(order, "store"))
        end++;
    for (; *end != NULL; end++)
        drop(stem, *end);
}

static json_t *result_of(const json_t *order, const char *stem, bool whole, int status)
{
    char made[16 + sizeof(".failed")];
    char sum[SHA256_DIGEST_STRING_LENGTH];
    json_t *const result = json_object();
    json_t *run;
    char *path;

    snprintf(made, sizeof(made), "%s%s", whole ? "" : ".failed",
             is(order, "figures") ? ".run.json" : ".json");
    path = run_cache_file(stem, made);
    run = path != NULL ? json_load_file(path, 0, NULL) : NULL;
    json_object_set_new(result, "status", json_integer(status));
    json_object_set_new(result, "whole", json_boolean(whole));
    if (is(order, "figures")) {
        json_t *const point = point_of(run, stem, status);
        json_object_set_new(result, "same",
                            json_boolean(final(run) || json_object_get(point, "stopped") != NULL));
        json_object_set_new(result, "point", point);
    } else {
        json_object_set_new(result, "same", json_boolean(final(run)));
        json_put_text(result, "sum", path != NULL ? SHA256File(path, sum) : NULL);
        if (!whole && !final(run)) {
            char *const why = said(stem, status);
            json_put_text(result, "failed", why);
            free(why);
        }
    }
    json_decref(run);
    free(path);
    return result;
}

/* Executes `mpjoule run`, whose files begin with stem. *whole: it has a result. */
static int attempt(const json_t *order, const char *stem, const struct run_place *at, bool *whole,
                   int *status, struct mpj_err *err)
{
    const int lock = at->board != NULL ? mpj_lock_descriptor(at->board->lock) : -1;
    struct run_words w = {.n = 0};
    char *const chip = run_cache_file(stem, ".conf");
    char *const made = run_cache_file(stem, is(order, "figures") ? ".run.json" : ".json");
    json_t *run = NULL;
    int code = MPJ_E_OK;

    if (chip == NULL || made == NULL)
        code = mpj_err_nomem(err);
    if (code == MPJ_E_OK && json_object_get(order, "chip") != NULL)
        code = make_chip(order, chip, err);
    if (code == MPJ_E_OK) {
        command_line(&w, order, stem, at->board, at->tries, chip, made);
        code = run_cache_execute(stem, &w, lock, at->stopping, at->ctx, status, err);
    }
    if (code == MPJ_E_OK && at->stopping(at->ctx))
        code = mpj_err_set(err, MPJ_E_CANCELLED, "interrupted");
    if (code == MPJ_E_OK && made != NULL)
        run = json_load_file(made, 0, NULL);
    *whole = code == MPJ_E_OK &&
             (is_measured(run, *status) || (is(order, "figures") && is_bound(run, *status)));
    json_decref(run);
    run_words_free(&w);
    free(made);
    free(chip);
    return code;
}

static int execute(void *executor, const json_t *order, const char *stem,
                   const struct run_place *at, json_t **result, struct mpj_err *err)
{
    char *const own = run_cache_begin(stem, err);
    struct mpj_err late;
    bool whole = false;
    int status = 0;
    int ended;
    int code;

    (void)executor;
    *result = NULL;
    if (own == NULL)
        return err->code;
    code = attempt(order, own, at, &whole, &status, err);
    ended = run_cache_end(stem, whole, &late);
    if (code == MPJ_E_OK && ended != MPJ_E_OK) {
        *err = late;
        code = ended;
    }
    if (code == MPJ_E_OK)
        *result = result_of(order, stem, whole, status);
    if (is(order, "figures") && !is(order, "keep"))
        drop_files(order, stem, whole);
    free(own);
    return code;
}

/* 125 is a start command that failed, or something that no board can help. A program's own status
 * may be any of them. */
static bool board_failed(const json_t *result)
{
    const json_int_t status = json_integer_value(json_object_get(result, "status"));

    if (json_is_true(json_object_get(result, "same")))
        return false;
    return status == RUN_STATUS_NO_PORT || status == RUN_STATUS_IDENTITY ||
           status == RUN_STATUS_NO_ANSWER || status == RUN_STATUS_LINK ||
           status == RUN_STATUS_FLASH || status == RUN_STATUS_FAILURE;
}

const struct run_work run_work_program = {
    .name = "program", .execute = execute, .board_failed = board_failed};
