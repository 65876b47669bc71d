/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Starts tasks as job arrays of Slurm. All arrays of a round have one name, that of its folder, by
 * which they are found again; partition, account and limits come from sbatch's own environment.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/stop.h"
#include "engine_int.h"
#include "run/cache.h"

#define SILENT_S   60.0 /* Slurm may be restarted during that time */
#define LOOK_S     0.5  /* then less and less often ... */
#define LOOK_MAX_S 5.0
#define ARRAY_MAX  1001U /* where Slurm does not report it */

static const char *name_of(const char *folder)
{
    return strrchr(folder, '/') + 1;
}

static int ask(const char *const *argv, const struct run_round *r, char **text, struct mpj_err *err)
{
    const struct run_command c = {.argv = argv, .package = "slurm-client", .round = r};

    return run_command(&c, text, NULL, err);
}

/* Returns how many tasks an array may have. */
static unsigned array_max(const struct run_round *r, struct mpj_err *err)
{
    static const char *const argv[] = {"scontrol", "show", "config", NULL};
    unsigned n = ARRAY_MAX;
    const char *at;
    char *text = NULL;

    if (ask(argv, r, &text, err) != MPJ_E_OK)
        return 0;
    at = text != NULL ? strstr(text, "MaxArraySize") : NULL;
    if (at != NULL && sscanf(at, "MaxArraySize = %u", &n) != 1)
        n = ARRAY_MAX;
    free(text);
    return n > 0 ? n : 1;
}

/* Builds --exclude for machines that are not trusted; allocated, NULL: none. */
static char *exclude(const struct run_spread *s)
{
    size_t size = 0;
    char *text = NULL;
    FILE *f;
    const char *node;
    json_t *why;

    if (json_object_size(s->distrusted) == 0 || (f = open_memstream(&text, &size)) == NULL)
        return NULL;
    fputs("--exclude=", f);
    json_object_foreach(s->distrusted, node, why)
        fprintf(f, "%s%s", ftell(f) > 10 ? "," : "", node);
    fclose(f);
    return text;
}

static int submit(const struct run_spread *s, const struct run_round *r, unsigned first, unsigned n,
                  struct mpj_err *err)
{
    char name[64];
    char array[64];
    char number[16];
    char *const script = run_cache_file(r->folder, "/script");
    char *const without = exclude(s);
    const char *argv[] = {"sbatch",       "--parsable", "--ntasks=1", "--output=/dev/null",
                          "--no-requeue", name,         array,        NULL,
                          NULL,           NULL,         NULL};
    unsigned at = 7;
    char *text = NULL;
    int result;

    snprintf(name, sizeof(name), "--job-name=%s", name_of(r->folder));
    snprintf(number, sizeof(number), "%u", first);
    if (s->b->engine->jobs > 0)
        snprintf(array, sizeof(array), "--array=0-%u%%%u", n - 1, s->b->engine->jobs);
    else
        snprintf(array, sizeof(array), "--array=0-%u", n - 1);
    if (without != NULL)
        argv[at++] = without;
    argv[at++] = script;
    argv[at] = number;
    result = script != NULL ? ask(argv, r, &text, err) : mpj_err_nomem(err);
    free(text);
    free(without);
    free(script);
    return result;
}

/* ---- while they run ---------------------------------------------------------------------- */

struct queue {
    unsigned alive, completed, cancelled;
};

static void count(const char *state, struct queue *q)
{
    static const char ended[] =
        " FAILED TIMEOUT NODE_FAIL PREEMPTED BOOT_FAIL DEADLINE OUT_OF_MEMORY ";
    char word[40];

    snprintf(word, sizeof(word), " %s ", state);
    if (strcmp(state, "COMPLETED") == 0)
        q->completed++;
    else if (strcmp(state, "CANCELLED") == 0)
        q->cancelled++;
    else if (strstr(ended, word) == NULL)
        q->alive++;
}

static int look(const struct run_round *r, struct queue *q, struct mpj_err *err)
{
    char name[64];
    const char *const argv[] = {"squeue",   "--noheader", "--array", "--states=all",
                                "--format", "%T",         name,      NULL};
    char *text = NULL;
    char *rest = NULL;

    *q = (struct queue){.alive = 0};
    snprintf(name, sizeof(name), "--name=%s", name_of(r->folder));
    if (ask(argv, r, &text, err) != MPJ_E_OK)
        return err->code;
    for (char *w = strtok_r(text, " \n", &rest); w != NULL; w = strtok_r(NULL, " \n", &rest))
        count(w, q);
    free(text);
    return MPJ_E_OK;
}

static int cancelled(const struct run_round *r, struct mpj_err *err)
{
    return mpj_err_set(err, MPJ_E_CANCELLED,
                       "Slurm's job %s was cancelled; run the same command again to resume",
                       name_of(r->folder));
}

static int wait_for(const struct run_spread *s, const struct run_round *r, struct mpj_err *err)
{
    const double begin_s = mpj_clock_s();
    double last_result_s = begin_s;
    double pause_s = LOOK_S;
    struct queue q = {.alive = 1};

    while (q.alive > 0) {
        run_pause(pause_s);
        if (mpj_stop_count() > 0)
            return mpj_err_set(err, MPJ_E_CANCELLED,
                               "interrupted; run the same command again to resume");
        pause_s = pause_s * 1.2 < LOOK_MAX_S ? pause_s * 1.2 : LOOK_MAX_S;
        if (look(r, &q, err) != MPJ_E_OK) {
            q.alive = 1;
            if (mpj_clock_s() - last_result_s > SILENT_S)
                return err->code;
            continue;
        }
        last_result_s = mpj_clock_s();
        if (s->b->progress != NULL) {
            const unsigned made =
                q.completed * r->each < s->todos ? q.completed * r->each : s->todos;
            s->b->progress(s->b->ctx, s->done + made, q.alive,
                           made > 0 ? (last_result_s - begin_s) / made * (s->todos - made) : -1);
        }
    }
    return q.cancelled > 0 ? cancelled(r, err) : MPJ_E_OK;
}

static void cancel(const struct run_round *r)
{
    char name[64];
    const char *const argv[] = {"scancel", "--quiet", name, NULL};
    char *text = NULL;
    struct mpj_err ignored; /* tasks also end by themselves, a moment later */

    snprintf(name, sizeof(name), "--name=%s", name_of(r->folder));
    if (ask(argv, r, &text, &ignored) == MPJ_E_OK)
        free(text);
}

int run_round_slurm(const struct run_spread *s, const struct run_round *r, struct mpj_err *err)
{
    const unsigned most = array_max(r, err);
    char *const mark = run_cache_file(r->folder, "/slurm");
    FILE *const f = mark != NULL ? fopen(mark, "we") : NULL;
    int result = most > 0 ? MPJ_E_OK : err->code;

    if (result == MPJ_E_OK && f == NULL)
        result = mpj_err_errno(err, "cannot write in %s", r->folder);
    if (f != NULL)
        fclose(f);
    for (unsigned first = 0; first < r->tasks && result == MPJ_E_OK; first += most)
        result = submit(s, r, first, r->tasks - first < most ? r->tasks - first : most, err);
    if (result == MPJ_E_OK)
        result = wait_for(s, r, err);
    if (result != MPJ_E_OK && most > 0)
        cancel(r);
    free(mark);
    return result;
}

void run_round_slurm_end(const char *folder)
{
    char *const mark = run_cache_file(folder, "/slurm");
    char *const name = strdup(folder);
    const struct run_round r = {.folder = name};

    if (mark != NULL && name != NULL && access(mark, F_OK) == 0)
        cancel(&r);
    free(name);
    free(mark);
}
