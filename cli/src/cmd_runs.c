/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mpjoule runs: lists the runs whose stores are in a folder. */
#include <argp.h>
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/json.h"
#include "cli.h"
#include "commands.h"
#include "report/run.h"

#define ENDING      ".mpj"
#define VERDICT_MAX 160U
#define DATE_MAX    32U
#define SHOWN       60 /* bytes of the arguments in a line */
#define FAILED      ".failed" ENDING

struct runs_options {
    const char *folder; /* NULL: the current one */
    bool json;
};

/* A store in the folder. */
struct entry {
    char *name;
    struct timespec written;
    struct mpj_run *run; /* NULL: it cannot be read, and the verdict has the reason */
    bool failed;         /* a failed attempt, by its name */
    char verdict[VERDICT_MAX];
};

struct listing {
    struct entry *entry;
    size_t n;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct runs_options *const o = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->err_stream = cli_usage_stream();
        return 0;
    case 'j':
        o->json = true;
        return 0;
    case ARGP_KEY_ARG:
        if (o->folder != NULL)
            argp_error(state, "one folder at a time");
        o->folder = arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static bool ends_with(const char *text, const char *ending)
{
    const size_t n = strlen(text);
    const size_t k = strlen(ending);

    return n > k && strcmp(text + n - k, ending) == 0;
}

/* ---- one run ------------------------------------------------------------------------------ */

static void judge(struct entry *e)
{
    const struct mpj_run *const run = e->run;

    if (run->outcome != MPJ_E_OK)
        snprintf(e->verdict, sizeof(e->verdict), "%s%s", run->partial ? "partial: " : "",
                 run->message != NULL ? run->message : "the log is cut off");
    else if (run->have_exit)
        snprintf(e->verdict, sizeof(e->verdict), "exit %d", run->exit_status);
    else
        snprintf(e->verdict, sizeof(e->verdict), "ended");
}

/* Returns the energy in microjoules; NAN: it is not known. */
static double energy_of(const struct mpj_run *run)
{
    const struct mpj_run_power power = mpj_run_power(run);

    return power.present ? power.energy_uj : run->have_truth ? run->truth.energy_uj : NAN;
}

static double time_of(const struct mpj_run *run)
{
    return run->complete || run->partial ? run->time_s : NAN;
}

static int add(struct listing *l, const char *folder, const char *name, struct mpj_err *err)
{
    struct entry *const longer = realloc(l->entry, (l->n + 1) * sizeof(*longer));
    struct entry *e;
    struct mpj_err bad;
    struct stat st;
    char *path = NULL;

    if (longer == NULL || asprintf(&path, "%s/%s", folder, name) < 0) {
        l->entry = longer != NULL ? longer : l->entry;
        return mpj_err_nomem(err);
    }
    l->entry = longer;
    e = &longer[l->n];
    *e = (struct entry){.name = strdup(name), .failed = ends_with(name, FAILED)};
    if (e->name == NULL) {
        free(path);
        return mpj_err_nomem(err);
    }
    l->n++;
    if (stat(path, &st) == 0)
        e->written = st.st_mtim;
    if (mpj_run_load(&e->run, path, &bad) == MPJ_E_OK)
        judge(e);
    else
        snprintf(e->verdict, sizeof(e->verdict), "cannot be read: %.140s", bad.text);
    free(path);
    return MPJ_E_OK;
}

/* ---- the folder --------------------------------------------------------------------------- */

static int by_date(const void *a, const void *b)
{
    const struct entry *const x = a;
    const struct entry *const y = b;

    if (x->written.tv_sec != y->written.tv_sec)
        return x->written.tv_sec < y->written.tv_sec ? -1 : 1;
    if (x->written.tv_nsec != y->written.tv_nsec)
        return x->written.tv_nsec < y->written.tv_nsec ? -1 : 1;
    return strcmp(x->name, y->name);
}

static int find(struct listing *l, const char *folder, struct mpj_err *err)
{
    DIR *const dir = opendir(folder);
    const struct dirent *d;
    int result = MPJ_E_OK;

    if (dir == NULL)
        return mpj_err_errno(err, "cannot read the folder %s", folder);
    while (result == MPJ_E_OK && (d = readdir(dir)) != NULL) {
        if (d->d_name[0] != '.' && ends_with(d->d_name, ENDING))
            result = add(l, folder, d->d_name, err);
    }
    closedir(dir);
    if (l->n > 0)
        qsort(l->entry, l->n, sizeof(*l->entry), by_date);
    return result;
}

static void forget(struct listing *l)
{
    for (size_t i = 0; i < l->n; i++) {
        free(l->entry[i].name);
        mpj_run_free(l->entry[i].run);
    }
    free(l->entry);
}

/* ---- output ------------------------------------------------------------------------------- */

static void put_figure(double v, int width, const char *unit)
{
    if (isfinite(v))
        printf("%*.6f %s", width, v, unit);
    else
        printf("%*s %*s", width, "-", (int)strlen(unit), "");
}

/* Returns how many bytes of a text fit: no character is cut. */
static int shown(const char *text)
{
    int n = (int)strnlen(text, SHOWN);

    while (n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80)
        n--;
    return n;
}

static void put_line(const struct entry *e)
{
    const struct mpj_run *const run = e->run;
    char date[DATE_MAX] = "-";
    struct tm tm;

    if (localtime_r(&e->written.tv_sec, &tm) != NULL)
        strftime(date, sizeof(date), "%Y-%m-%d %H:%M:%S", &tm);
    printf("%s", date);
    put_figure(run != NULL ? time_of(run) : NAN, 12, "s");
    put_figure(run != NULL ? energy_of(run) / 1e3 : NAN, 14, "mJ");
    fputs("  ", stdout);
    mpj_given_word(e->name, stdout);
    if (run != NULL) {
        printf("  %s", run->program != NULL ? run->program : "(unknown)");
        if (run->arguments != NULL && run->arguments[0] != '\0')
            printf(" %.*s%s", shown(run->arguments), run->arguments,
                   strlen(run->arguments) > SHOWN ? "..." : "");
        printf("  %s", run->target != NULL ? run->target : "(unknown)");
        if (run->calibration != NULL)
            printf("/%s", run->calibration);
    }
    printf("  %s%s\n", e->failed ? "failed attempt, " : "", e->verdict);
}

static void put_real(json_t *o, const char *key, double v)
{
    if (isfinite(v))
        json_put_real(o, key, v);
    else
        json_object_set_new(o, key, json_null());
}

static json_t *to_json(const struct entry *e)
{
    const struct mpj_run *const run = e->run;
    json_t *const o = json_object();
    char date[DATE_MAX] = "";
    struct tm tm;

    json_put_text(o, "file", e->name);
    if (gmtime_r(&e->written.tv_sec, &tm) != NULL)
        strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%SZ", &tm);
    json_put_text(o, "date", date);
    json_object_set_new(o, "failed_attempt", json_boolean(e->failed));
    json_put_text(o, "verdict", e->verdict);
    if (run == NULL)
        return o;
    json_put_text(o, "program", run->program);
    json_put_text(o, "arguments", run->arguments);
    json_put_text(o, "target", run->target);
    json_put_text(o, "calibration", run->calibration);
    if (run->have_exit)
        json_object_set_new(o, "exit_status", json_integer(run->exit_status));
    json_object_set_new(o, "partial", json_boolean(run->partial));
    put_real(o, "time_s", time_of(run));
    put_real(o, "energy_uj", energy_of(run));
    return o;
}

static int put_json(const struct listing *l, struct mpj_err *err)
{
    json_t *const root = json_object();
    json_t *const list = json_array();

    json_put_text(root, "schema", "mpjoule-runs/1");
    for (size_t i = 0; i < l->n; i++)
        json_array_append_new(list, to_json(&l->entry[i]));
    json_object_set_new(root, "runs", list);
    return json_write(root, stdout, err);
}

static const struct argp_option known[] = {
    {"json", 'j', NULL, 0, "Print a JSON document", 0},
    {0},
};

int cmd_runs(int argc, char **argv)
{
    static char name[] = "mpjoule runs"; /* what argp calls us */
    static const struct argp argp = {
        .options = known,
        .parser = parse,
        .args_doc = "[FOLDER]",
        .doc = "List the runs whose stores are in a folder. See `mpjoule help runs`."};
    struct runs_options o = {0};
    struct listing l = {0};
    struct mpj_err err;
    int result;

    cli_arguments(&argp, argc, argv, name, &o);
    result = find(&l, o.folder != NULL ? o.folder : ".", &err);
    if (result == MPJ_E_OK && o.json)
        result = put_json(&l, &err);
    for (size_t i = 0; i < l.n && result == MPJ_E_OK && !o.json; i++)
        put_line(&l.entry[i]);
    forget(&l);
    return result == MPJ_E_OK ? 0 : cli_fail(&err);
}
