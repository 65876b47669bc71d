/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/recipe.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mpj_io.h"

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

/* What is known of the run before it begins. */
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
    if (result == MPJ_E_OK && r->target->calibration_file != NULL)
        result = put_labels(log, of_model, 2, err);
    for (size_t i = 0; i < sizeof(origin) / sizeof(origin[0]); i++) {
        if (result == MPJ_E_OK && origin[i].value[0] != '\0')
            result = put_labels(log, &origin[i], 1, err);
    }
    if (result == MPJ_E_OK && r->planned_s > 0)
        result = put_labels(log, &of_recording, 1, err);
    if (result == MPJ_E_OK && name != NULL && calibration == NULL)
        result = mpj_err_set(err, MPJ_E_NOMEM, "out of memory");
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
    return result;
}

char *run_errors_new(const char *errors)
{
    char *out = NULL;

    return asprintf(&out, "%s.new", errors) < 0 ? NULL : out;
}

void run_errors_settle(const char *errors, bool take)
{
    char *const from = errors != NULL ? run_errors_new(errors) : NULL;
    struct stat st;
    struct stat older;

    if (from == NULL || lstat(from, &st) != 0) {
        free(from);
        return;
    }
    if (take && st.st_size == 0)
        unlink(errors);
    if (st.st_size == 0 || (!take && lstat(errors, &older) == 0) || rename(from, errors) != 0)
        unlink(from);
    free(from);
}

/* What a run left that was killed is not this one's. */
static void forget_errors(const struct run_recipe *r)
{
    char *const path = r->errors != NULL ? run_errors_new(r->errors) : NULL;

    if (path != NULL)
        unlink(path);
    free(path);
}

static int open_log(const struct run_recipe *r, struct mpj_log **log, struct mpj_err *err)
{
    *log = r->held != NULL ? *r->held : NULL;
    if (*log == NULL && mpj_log_create(log, r->log, err) != MPJ_E_OK)
        return err->code;
    if (r->held != NULL) {
        mpj_log_hold(*log);
        *r->held = *log;
    }
    return MPJ_E_OK;
}

int run_recipe_make(const struct run_recipe *r, struct mpj_session_result *out, bool *made,
                    struct mpj_err *err)
{
    struct mpj_session_opts s = r->session;
    struct mpj_err late;
    bool placed;
    int result;

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
        (void)mpj_log_release(s.log, false, &late);
        if (r->held != NULL)
            *r->held = NULL;
        return err->code;
    }
    mpj_io_terminal(s.io, r->out_terminal, r->err_terminal);
    forget_errors(r);
    result = execute(r, &s, out, err);
    mpj_io_free(s.io);
    if (result == MPJ_E_OK)
        err->text[0] = '\0';
    if (r->outcome != NULL)
        result = r->outcome(r->session.ctx, result, err);
    placed = mpj_log_settle(s.log);
    if (placed)
        *made = true;
    if (mpj_log_close(s.log, result, err->text, &late) != MPJ_E_OK && result == MPJ_E_OK) {
        *err = late;
        result = err->code;
    }
    if (r->held == NULL)
        run_errors_settle(r->errors, placed);
    return result;
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
