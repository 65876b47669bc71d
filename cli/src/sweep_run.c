/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sweep.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <jansson.h>

#include "cli.h"
#include "mpj_image.h"

#define BAR 30

static volatile sig_atomic_t interrupted;

static void on_signal(int sig)
{
    (void)sig;
    interrupted = 1;
}

static void on_child(int sig)
{
    (void)sig; /* it ends sigsuspend(), which is all */
}

/* ---- what varies -------------------------------------------------------------- */

static int add_value(struct sweep_axis *a, const char *text, size_t len, struct mpj_err *err)
{
    if (len == 0)
        return mpj_err_set(err, MPJ_E_USAGE, "a value is empty");
    if (a->values == SWEEP_VALUES_MAX)
        return mpj_err_set(err, MPJ_E_USAGE, "more than %u values", SWEEP_VALUES_MAX);
    if (a->name == NULL && (len != 1 || text[0] < '1' || text[0] > '4'))
        return mpj_err_set(err, MPJ_E_USAGE, "--cores takes numbers from 1 to 4, not \"%.*s\"",
                           (int)len, text);
    a->value[a->values] = strndup(text, len);
    if (a->value[a->values] == NULL)
        return mpj_err_set(err, MPJ_E_NOMEM, "out of memory");
    a->values++;
    return MPJ_E_OK;
}

/* One item of a list: a range of whole numbers or a word. */
static int add_item(struct sweep_axis *a, const char *text, size_t len, struct mpj_err *err)
{
    char *end;
    const long low = strtol(text, &end, 10);
    long high;
    int result = MPJ_E_OK;

    if (end == text || strncmp(end, "..", 2) != 0 || end + 2 > text + len)
        return add_value(a, text, len, err);
    high = strtol(end + 2, &end, 10);
    if (end != text + len || high < low)
        return mpj_err_set(err, MPJ_E_USAGE, "\"%.*s\" is no range", (int)len, text);
    for (long v = low; v <= high && result == MPJ_E_OK; v++) {
        char number[24];
        const int n = snprintf(number, sizeof(number), "%ld", v);
        result = add_value(a, number, (size_t)n, err);
    }
    return result;
}

int sweep_axis(struct sweep *s, const char *name, const char *values, struct mpj_err *err)
{
    struct sweep_axis *const a = &s->axis[s->axes];

    if (s->axes == SWEEP_AXES_MAX)
        return mpj_err_set(err, MPJ_E_USAGE, "more than %u things vary", SWEEP_AXES_MAX);
    s->axes++;
    if (name != NULL && (a->name = strdup(name)) == NULL)
        return mpj_err_set(err, MPJ_E_NOMEM, "out of memory");
    for (;;) {
        const size_t len = strcspn(values, ",");
        if (add_item(a, values, len, err) != MPJ_E_OK)
            return err->code;
        if (values[len] == '\0')
            return MPJ_E_OK;
        values += len + 1;
    }
}

/* ---- points ------------------------------------------------------------------- */

/* Stem and key of a point. The stem has the values, so a person finds the run. */
static int name_point(const struct sweep *s, struct sweep_point *p, const char *sha256,
                      struct mpj_err *err)
{
    struct stat st;
    size_t n = 0;
    FILE *f = open_memstream(&p->stem, &n);

    if (f == NULL)
        return mpj_err_set(err, MPJ_E_NOMEM, "out of memory");
    fprintf(f, "%s/run", s->folder);
    for (unsigned i = 0; i < s->axes; i++) {
        const struct sweep_axis *const a = &s->axis[i];
        fprintf(f, "-%s=", a->name != NULL ? a->name : "cores");
        for (const char *c = a->value[p->index[i]]; *c != '\0'; c++)
            fputc(*c == '/' ? '_' : *c, f);
    }
    fclose(f);
    f = open_memstream(&p->key, &n);
    if (f == NULL)
        return mpj_err_set(err, MPJ_E_NOMEM, "out of memory");
    fprintf(f, "%s\n%s\n", MPJ_VERSION, sha256);
    for (unsigned i = 0; i < s->options; i++)
        fprintf(f, "%s\n", s->option[i]);
    for (unsigned i = 1; i < s->argc; i++)
        fprintf(f, "%s\n", s->argv[i]);
    if (s->input != NULL && stat(s->input, &st) == 0)
        fprintf(f, "%lld %lld.%09ld\n", (long long)st.st_size, (long long)st.st_mtim.tv_sec,
                st.st_mtim.tv_nsec);
    for (unsigned i = 0; i < s->axes; i++)
        fprintf(f, "%s=%s\n", s->axis[i].name != NULL ? s->axis[i].name : "",
                s->axis[i].value[p->index[i]]);
    fclose(f);
    return MPJ_E_OK;
}

static int make_points(struct sweep *s, struct mpj_err *err)
{
    struct mpj_image image;
    struct stat st;

    if (mpj_image_check(&image, s->argv[0], err) != MPJ_E_OK ||
        cli_check_output(s->json, err) != MPJ_E_OK)
        return err->code;
    if (s->input != NULL && (stat(s->input, &st) != 0 || !S_ISREG(st.st_mode)))
        return mpj_err_set(err, MPJ_E_USAGE,
                           "each run of a sweep reads --stdin: %s is no file that all can read",
                           s->input);
    if (mkdir(s->folder, 0777) != 0 && errno != EEXIST)
        return mpj_err_errno(err, "cannot make the folder %s", s->folder);
    s->points = 1;
    for (unsigned i = 0; i < s->axes; i++) {
        s->points *= s->axis[i].values;
        if (s->points > SWEEP_POINTS_MAX)
            return mpj_err_set(err, MPJ_E_USAGE, "more than %u combinations", SWEEP_POINTS_MAX);
    }
    s->point = calloc(s->points, sizeof(*s->point));
    if (s->point == NULL)
        return mpj_err_set(err, MPJ_E_NOMEM, "out of memory");
    for (unsigned k = 0; k < s->points; k++) {
        unsigned rest = k;
        for (unsigned i = s->axes; i-- > 0;) {
            s->point[k].index[i] = rest % s->axis[i].values;
            rest /= s->axis[i].values;
        }
        if (name_point(s, &s->point[k], image.sha256, err) != MPJ_E_OK)
            return err->code;
    }
    return MPJ_E_OK;
}

/* A file beside the point's others. Allocated; NULL: out of memory. */
static char *file_of(const struct sweep_point *p, const char *end)
{
    char *path;

    return asprintf(&path, "%s%s", p->stem, end) < 0 ? NULL : path;
}

/* Takes time and energy from the point's JSON; false: it has none. */
static bool read_result(struct sweep_point *p)
{
    char *const path = file_of(p, ".json");
    json_t *const root = path != NULL ? json_load_file(path, 0, NULL) : NULL;
    const json_t *const time = json_object_get(root, "time_s");
    const json_t *const energy =
        json_object_get(json_object_get(json_object_get(root, "adc"), "processor"), "energy_uj");
    const bool ok = time != NULL;

    p->time_s = json_number_value(time);
    p->have_energy = energy != NULL;
    p->energy_uj = json_number_value(energy);
    json_decref(root);
    free(path);
    return ok;
}

/* Whether the point is there and was made of the same. */
static bool is_done(const struct sweep_point *p)
{
    char *const path = file_of(p, ".key");
    FILE *const f = path != NULL ? fopen(path, "re") : NULL;
    const size_t len = strlen(p->key);
    char *text = malloc(len + 2);
    bool same = false;

    if (f != NULL && text != NULL)
        same = fread(text, 1, len + 1, f) == len && memcmp(text, p->key, len) == 0;
    if (f != NULL)
        fclose(f);
    free(text);
    free(path);
    return same;
}

/* A run begins: whatever of it is there is none of it until its key says so. */
static void forget(const struct sweep_point *p)
{
    char *const path = file_of(p, ".key");

    if (path != NULL)
        unlink(path);
    free(path);
}

/* The key is written last: a run that was broken off has none. */
static void keep(const struct sweep_point *p)
{
    char *const path = file_of(p, ".key");
    char *const temp = file_of(p, ".key.new");
    FILE *const f = temp != NULL ? fopen(temp, "we") : NULL;

    if (f != NULL && path != NULL) {
        const bool ok = fputs(p->key, f) >= 0;
        if (fclose(f) == 0 && ok)
            rename(temp, path);
    }
    free(path);
    free(temp);
}

/* ---- runs --------------------------------------------------------------------- */

static void redirect(const char *path, int to)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);

    if (fd < 0 || dup2(fd, to) < 0)
        _exit(125);
    close(fd);
}

/* In a child, before it is another program: a signal ends it, and those that came since the fork do
 * now. */
static void obey(const sigset_t *usual)
{
    const struct sigaction end = {.sa_handler = SIG_DFL};

    cli_end_signals(&end);
    sigprocmask(SIG_SETMASK, usual, NULL);
}

static void child(const struct sweep *s, const struct sweep_point *p, pid_t parent,
                  const sigset_t *usual)
{
    char *args[SWEEP_ARGS_MAX + SWEEP_OPTIONS_MAX + SWEEP_AXES_MAX + 16];
    unsigned n = 0;
    const int null = open("/dev/null", O_RDONLY);

    obey(usual);
    /* a sweep that is killed takes its runs with it */
    if (prctl(PR_SET_PDEATHSIG, SIGTERM) != 0 || getppid() != parent)
        _exit(125);
    args[n++] = strdup("mpjoule");
    args[n++] = strdup("run");
    args[n++] = strdup("--quiet");
    args[n++] = strdup("--jobs=1");
    for (unsigned i = 0; i < s->options; i++)
        args[n++] = s->option[i];
    for (unsigned i = 0; i < s->axes; i++, n++) {
        const char *const value = s->axis[i].value[p->index[i]];
        if (s->axis[i].name == NULL ? asprintf(&args[n], "--cores=%s", value) < 0
                                    : asprintf(&args[n], "--env=%s=%s", s->axis[i].name, value) < 0)
            _exit(125);
    }
    if (asprintf(&args[n++], "--output=%s.mpj", p->stem) < 0 ||
        asprintf(&args[n++], "--json=%s.json", p->stem) < 0)
        _exit(125);
    args[n++] = s->argv[0];
    args[n++] = strdup("--");
    for (unsigned i = 1; i < s->argc; i++)
        args[n++] = s->argv[i];
    args[n] = NULL;
    if (null >= 0)
        dup2(null, STDIN_FILENO);
    redirect(file_of(p, ".out"), STDOUT_FILENO);
    redirect(file_of(p, ".err"), STDERR_FILENO);
    execv("/proc/self/exe", args);
    _exit(125);
}

static void progress(const struct sweep *s, unsigned done, unsigned running)
{
    const unsigned full = s->points > 0 ? BAR * done / s->points : 0;
    char bar[BAR];

    if (isatty(STDERR_FILENO) != 1)
        return;
    memset(bar, '#', full);
    memset(bar + full, ' ', BAR - full);
    cli_live_line("%u of %u runs, %u under way [%.*s]", done, s->points, running, BAR, bar);
}

static void finished(struct sweep *s, long pid, int status)
{
    for (unsigned k = 0; k < s->points; k++) {
        struct sweep_point *const p = &s->point[k];
        if (p->pid != pid)
            continue;
        p->pid = 0;
        p->made = true;
        p->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        p->failed = p->status != 0 || !read_result(p);
        if (!p->failed)
            keep(p);
    }
}

/* The next run that ends, told to when the person wants it. Signals are blocked elsewhere: one that
 * comes between looking and waiting would be noticed at the end of a run only. */
static long wait_one(const struct sweep *s, int *status, const sigset_t *usual)
{
    bool told = false;

    for (;;) {
        const long pid = waitpid(-1, status, WNOHANG);
        if (pid != 0)
            return pid;
        for (unsigned k = 0; interrupted && !told && k < s->points; k++) {
            if (s->point[k].pid > 0)
                kill((pid_t)s->point[k].pid, SIGTERM);
        }
        told = interrupted != 0;
        sigsuspend(usual);
    }
}

int sweep_run(struct sweep *s, struct mpj_err *err)
{
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    const unsigned jobs = s->jobs > 0 ? s->jobs : processors > 0 ? (unsigned)processors : 1;
    const struct sigaction on = {.sa_handler = on_signal};
    const struct sigaction ended = {.sa_handler = on_child};
    sigset_t blocked;
    sigset_t usual;
    const pid_t self = getpid();
    unsigned next = 0;
    unsigned done = 0;
    unsigned running = 0;

    if (make_points(s, err) != MPJ_E_OK)
        return err->code;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGINT);
    sigaddset(&blocked, SIGTERM);
    sigaddset(&blocked, SIGHUP);
    sigaddset(&blocked, SIGCHLD);
    sigprocmask(SIG_BLOCK, &blocked, &usual);
    sigdelset(&usual, SIGCHLD); /* whoever started us may have blocked it */
    cli_end_signals(&on);
    sigaction(SIGCHLD, &ended, NULL);
    while (done < s->points) {
        int status;
        long pid;
        while (running < jobs && next < s->points && !interrupted) {
            struct sweep_point *const p = &s->point[next++];
            if (is_done(p) && read_result(p)) {
                p->made = true;
                done++;
                continue;
            }
            forget(p);
            pid = fork();
            if (pid == 0)
                child(s, p, self, &usual);
            if (pid < 0)
                return mpj_err_errno(err, "cannot start a run");
            p->pid = pid;
            running++;
        }
        progress(s, done, running);
        if (running == 0)
            break;
        pid = wait_one(s, &status, &usual);
        if (pid < 0)
            break;
        finished(s, pid, status);
        running--;
        done++;
    }
    sigprocmask(SIG_SETMASK, &usual, NULL);
    if (isatty(STDERR_FILENO) == 1)
        fputs("\r\033[K", stderr);
    return interrupted ? mpj_err_set(err, MPJ_E_CANCELLED,
                                     "interrupted; the same command goes on where it stopped")
                       : MPJ_E_OK;
}

void sweep_free(struct sweep *s)
{
    for (unsigned k = 0; s->point != NULL && k < s->points; k++) {
        free(s->point[k].stem);
        free(s->point[k].key);
    }
    free(s->point);
    for (unsigned i = 0; i < s->axes; i++) {
        free(s->axis[i].name);
        for (unsigned v = 0; v < s->axis[i].values; v++)
            free(s->axis[i].value[v]);
    }
    for (unsigned i = 0; i < s->options; i++)
        free(s->option[i]);
}
