/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/recipe.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "given_int.h"
#include "hil/io.h"
#include "run/health.h"

#define FAILED        ".failed"
#define ARGUMENTS_MAX 900U /* bytes of the label; longer ones are cut */

struct label {
    const char *key, *value;
};

struct run_recipe run_recipe_of(const struct run_options *o, const struct run_target *target,
                                const struct mpj_image *image)
{
#define SETTING(kind, option, field, ...) .field = o->option,
    return (struct run_recipe){
        .target = target,
        .image = image,
        .elf = o->elf,
        .argv = o->argv,
        .envp = o->envp,
        .dir = o->dir,
        .input = o->input,
        .out_terminal = o->out_terminal,
        .err_terminal = o->err_terminal,
        .quantum = o->quantum,
        .seed = o->seed,
        .session = {.timeout_s = o->timeout_s,
                    .patient = o->patient,
                    .config = {.session = 1,
                               .features = 1U << MPJ_FEATURE_HOST_IO,
                               .cores_mask = o->cores_mask,
                               MPJ_SETTINGS_ALL(SETTING)}},
    };
#undef SETTING
}

static int put_labels(struct mpj_log *log, const struct label *label, size_t n, struct mpj_err *err)
{
    for (size_t i = 0; i < n; i++) {
        if (mpj_log_meta(log, label[i].key, label[i].value, err) != MPJ_E_OK)
            return err->code;
    }
    return MPJ_E_OK;
}

static void join_arguments(char out[ARGUMENTS_MAX], const char *const *argv)
{
    size_t n = 0;

    out[0] = '\0';
    for (unsigned i = 1; argv[0] != NULL && argv[i] != NULL && n < ARGUMENTS_MAX; i++)
        n += (size_t)snprintf(out + n, ARGUMENTS_MAX - n, "%s%s", i > 1 ? " " : "", argv[i]);
}

/* The calibration, and which of its costs were changed. Allocated; NULL: out of memory. */
static char *costs(const char *calibration, const struct run_recipe *r)
{
    char *out = NULL;
    size_t size = 0;
    FILE *const f = open_memstream(&out, &size);

    if (f == NULL)
        return NULL;
    fputs(calibration, f);
    for (unsigned i = 0; i < r->what_ifs; i++)
        fprintf(f, "%s%s", i == 0 ? "; what if " : ", ", r->what_if[i]);
    return fclose(f) == 0 ? out : NULL;
}

/* Writes the labels that are known before the run begins. */
static int write_labels(struct mpj_log *log, const struct run_recipe *r, struct mpj_err *err)
{
    const char *const name = run_target_calibration(r->target);
    char *const calibration = name != NULL ? costs(name, r) : NULL;
    char arguments[ARGUMENTS_MAX];
    char quantum[24];
    char seed[24];
    char planned[32];
    const struct label always[] = {
        {"version", MPJ_VERSION},
        {"target", r->target->name},
        {"program", r->program != NULL ? r->program : r->argv[0]},
        {"arguments", arguments},
        {"firmware_sha256", r->image->sha256},
    };
    const struct label of_calibration = {"calibration", calibration};
    const struct label origin[] = {
        {"compiler", r->image->compiler},
        {"runtime_sha256", r->image->runtime_sha256},
        {"emulator_sha256", r->target->emulator_sha256},
        {"calibration_sha256", r->target->calibration_sha256},
    };
    const struct label of_model[] = {{"quantum", quantum}, {"seed", seed}};
    const struct label of_recording = {"planned_s", planned};
    int result;

    join_arguments(arguments, r->argv);
    snprintf(quantum, sizeof(quantum), "%" PRIu32, r->quantum);
    snprintf(seed, sizeof(seed), "%" PRIu64, r->seed);
    snprintf(planned, sizeof(planned), "%.12g", r->planned_s);
    result = put_labels(log, always, sizeof(always) / sizeof(always[0]), err);
    if (result == MPJ_E_OK && calibration != NULL)
        result = put_labels(log, &of_calibration, 1, err);
    if (result == MPJ_E_OK && r->given != NULL)
        result = given_write(log, r->given, err);
    if (result == MPJ_E_OK && r->target->calibration_file != NULL)
        result = put_labels(log, of_model, 2, err);
    for (size_t i = 0; i < sizeof(origin) / sizeof(origin[0]); i++) {
        if (result == MPJ_E_OK && origin[i].value[0] != '\0')
            result = put_labels(log, &origin[i], 1, err);
    }
    if (result == MPJ_E_OK && r->planned_s > 0)
        result = put_labels(log, &of_recording, 1, err);
    if (result == MPJ_E_OK && name != NULL && calibration == NULL)
        result = mpj_err_nomem(err);
    free(calibration);
    return result;
}

/* Between the opening and the closing of the log. */
static int execute(const struct run_recipe *r, struct mpj_session_opts *s,
                   struct mpj_session_result *out, struct mpj_err *err)
{
    int result = write_labels(s->log, r, err);

    if (result == MPJ_E_OK)
        result = r->target->make(&s->target, r, err);
    if (result == MPJ_E_OK && r->target->load != NULL)
        result = r->target->load(s->target, r, err);
    if (result == MPJ_E_OK)
        result = mpj_session_run(s, out, err);
    mpj_target_free(s->target);
    if (r->target->board != NULL)
        run_health_note(r->target->board, result, err, out, mpj_log_at(s->log));
    return result;
}

char *run_errors_new(const char *errors)
{
    char *out = NULL;

    return asprintf(&out, "%s.new", errors) < 0 ? NULL : out;
}

/* Returns the length of a name without its ending, if it has one of ours. */
static size_t stem_of(const char *path)
{
    static const char *const ending[] = {".mpj", ".mplog", ".emulator.log", ".json", ".csv"};
    const size_t len = strlen(path);

    for (size_t i = 0; i < sizeof(ending) / sizeof(ending[0]); i++) {
        const size_t n = strlen(ending[i]);
        if (len > n && strcmp(path + len - n, ending[i]) == 0)
            return len - n;
    }
    return len;
}

char *run_failed_name(const char *path)
{
    const size_t stem = stem_of(path);
    char *out = NULL;

    return asprintf(&out, "%.*s" FAILED "%s", (int)stem, path, path + stem) < 0 ? NULL : out;
}

int run_name_check(const char *path, struct mpj_err *err)
{
    const size_t stem = stem_of(path);
    const size_t n = sizeof(FAILED) - 1U;

    if (strcmp(path, "-") == 0)
        return mpj_err_set(err, MPJ_E_USAGE, "the output is a file, not stdout: name one (-o)");
    if (stem > n && strncmp(path + stem - n, FAILED, n) == 0)
        return mpj_err_set(err, MPJ_E_USAGE,
                           "%s is the name of a failed attempt: name another output (-o)", path);
    return MPJ_E_OK;
}

/* Renames the emulator's output to `to`; if there is none, removes both. */
static void commit_errors(const char *errors, const char *to)
{
    char *const from = errors != NULL ? run_errors_new(errors) : NULL;
    struct stat st;

    if (from != NULL && lstat(from, &st) == 0) {
        if (st.st_size == 0 && to != NULL)
            unlink(to);
        if (st.st_size == 0 || to == NULL || rename(from, to) != 0)
            unlink(from);
    }
    free(from);
}

/* Removes the stderr file of an earlier run that was killed. */
static void forget_errors(const struct run_recipe *r)
{
    char *const path = r->files.errors != NULL ? run_errors_new(r->files.errors) : NULL;

    if (path != NULL)
        unlink(path);
    free(path);
}

void run_say_kept(struct mpj_err *err, const char *path)
{
    const size_t need = strlen(RUN_KEPT_IN) + strlen(path) + 1;
    const size_t most = need < sizeof(err->text) ? sizeof(err->text) - need : 0;
    const size_t n = strnlen(err->text, most);

    snprintf(err->text + n, sizeof(err->text) - n, RUN_KEPT_IN "%s", path);
}

int run_open_log(struct mpj_log **log, const struct run_files *f, struct mpj_err *err)
{
    if (f->failed != NULL && mpj_log_rescue(f->log, f->failed, err) != MPJ_E_OK)
        return err->code;
    return mpj_log_create(log, f->log, err);
}

static int open_log(const struct run_recipe *r, struct mpj_log **log, struct mpj_err *err)
{
    *log = r->held != NULL ? *r->held : NULL;
    if (*log == NULL && run_open_log(log, &r->files, err) != MPJ_E_OK)
        return err->code;
    if (r->held != NULL)
        *r->held = *log;
    return MPJ_E_OK;
}

enum run_made run_commit(struct mpj_log *log, const struct run_files *f, bool take,
                         struct mpj_err *err)
{
    const bool taken = take && log != NULL && mpj_log_place(log, err) == MPJ_E_OK;
    enum run_made made = taken ? RUN_MADE_WHOLE : RUN_MADE_NOTHING;

    if (taken)
        mpj_log_abandon(log);
    else if (mpj_log_fail(log, f->failed))
        made = RUN_MADE_FAILED;
    commit_errors(f->errors, taken ? f->errors : f->failed_errors);
    return made;
}

/* True if the program caused the outcome, not something that prevented measuring it. */
static bool is_result(int code, const struct mpj_session_result *out)
{
    switch (code) {
    case MPJ_E_OK:
        return true;
    case MPJ_E_FAULT:
    case MPJ_E_BOUND:
        return out->have_hello;
    case MPJ_E_PROGRAM: /* no core, no counter, no memory for what was asked: not the program's */
        return out->have_end && (out->error == MPJ_TERR_MEMORY || out->error == MPJ_TERR_RUNTIME ||
                                 out->error == MPJ_TERR_DEADLOCK);
    default:
        return false;
    }
}

/* Writes the outcome into the log and decides whether the run is a result. */
static int end_log(const struct run_recipe *r, struct mpj_log *log, int result,
                   const struct mpj_session_result *out, enum run_made *made, struct mpj_err *err)
{
    struct mpj_err late;
    const bool ended = mpj_log_end(log, result, err->text, &late) == MPJ_E_OK;
    const bool whole = ended && is_result(result, out);

    if (!ended && result == MPJ_E_OK)
        *err = late;
    if (!ended && result == MPJ_E_OK)
        result = late.code;
    *made = whole ? RUN_MADE_WHOLE : RUN_MADE_FAILED;
    if (r->held == NULL)
        *made = run_commit(log, &r->files, whole, &late);
    if (whole && *made != RUN_MADE_WHOLE && result == MPJ_E_OK) {
        *err = late;
        result = late.code;
    }
    return result;
}

int run_recipe_make(const struct run_recipe *r, struct mpj_session_result *out, enum run_made *made,
                    struct mpj_err *err)
{
    struct mpj_session_opts s = r->session;
    struct mpj_err late;
    int result;

    memset(out, 0, sizeof(*out));
    *made = RUN_MADE_NOTHING;
    if (run_target_fits(r->target, r->image, r->elf, err) != MPJ_E_OK)
        return err->code;
    s.target = NULL;
    s.identity = r->target->board != NULL ? &r->target->board->identity : NULL;
    s.image = r->image;
    s.argv = r->argv;
    s.envp = r->envp;
    if (open_log(r, &s.log, err) != MPJ_E_OK)
        return err->code;
    if (mpj_io_new(&s.io, r->dir, r->input, err) != MPJ_E_OK) {
        mpj_log_abandon(s.log);
        if (r->held != NULL)
            *r->held = NULL;
        return err->code;
    }
    mpj_io_terminal(s.io, r->out_terminal, r->err_terminal);
    forget_errors(r);
    result = execute(r, &s, out, err);
    if (r->given != NULL && given_write_input(s.log, r->given, s.io, &late) != MPJ_E_OK &&
        result == MPJ_E_OK) {
        *err = late;
        result = late.code;
    }
    mpj_io_free(s.io);
    if (result == MPJ_E_OK)
        err->text[0] = '\0';
    if (r->outcome != NULL)
        result = r->outcome(r->session.ctx, result, err);
    return end_log(r, s.log, result, out, made, err);
}

bool run_may_retry(int code)
{
    switch (code) { /* a program's own failure is a result */
    case MPJ_E_NO_PORT:
    case MPJ_E_TARGET:
    case MPJ_E_NO_ANSWER:
    case MPJ_E_LINK:
    case MPJ_E_FLASH:
        return true;
    default:
        return false;
    }
}

bool run_lost_board(int code)
{
    return code == MPJ_E_LINK || code == MPJ_E_NO_ANSWER;
}
