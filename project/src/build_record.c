/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records a run of a test for `mpjoule build`: time, energy, and the processes that started it. */
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "build_int.h"
#include "report/run.h"

#define PROC_MOST  65536U /* bytes of a file of /proc */
#define CHAIN_MOST 64U    /* processes from a run to the driver */

/* ---- the record ---------------------------------------------------------------- */

/* Reads a small file, with a NUL at its end; returns the bytes before it, or -1. */
static ssize_t content(const char *path, char *out, size_t size)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    size_t n = 0;
    ssize_t got = 0;

    if (fd < 0)
        return -1;
    while (n + 1U < size && (got = read(fd, out + n, size - 1U - n)) > 0)
        n += (size_t)got;
    close(fd);
    out[n] = '\0';
    return got < 0 ? -1 : (ssize_t)n;
}

/* Converts a text that may have any bytes to JSON. */
static json_t *text(const char *bytes)
{
    json_t *s = json_string(bytes);
    char *clean;

    if (s != NULL)
        return s;
    clean = strdup(bytes);
    if (clean != NULL) {
        mpj_text_clean(clean);
        s = json_string(clean);
    }
    free(clean);
    return s;
}

static json_t *words(char *const *argv)
{
    json_t *const out = json_array();

    for (; *argv != NULL; argv++)
        json_array_append_new(out, text(*argv));
    return out;
}

/* Reads the command line of a process. */
static json_t *command_of(long pid)
{
    static char bytes[PROC_MOST];
    char path[64];
    json_t *const out = json_array();
    ssize_t n;

    snprintf(path, sizeof(path), "/proc/%ld/cmdline", pid);
    n = content(path, bytes, sizeof(bytes));
    for (const char *p = bytes; n > 0 && p < bytes + n; p += strlen(p) + 1U)
        json_array_append_new(out, text(p));
    return out;
}

/* Returns the parent of a process; 0: unknown. */
static long parent_of(long pid)
{
    char bytes[1024];
    char path[64];
    const char *end;
    long parent = 0;

    snprintf(path, sizeof(path), "/proc/%ld/stat", pid);
    if (content(path, bytes, sizeof(bytes)) <= 0)
        return 0;
    end = strrchr(bytes, ')'); /* a name may have any bytes */
    return end != NULL && sscanf(end + 1, " %*c %ld", &parent) == 1 ? parent : 0;
}

/* Lists the command lines from this process up to the one that the driver started; empty: the
 * driver is not an ancestor. */
static json_t *chain(void)
{
    const char *const driver = getenv(RUN_BUILD_DRIVER);
    const long top = driver != NULL ? strtol(driver, NULL, 10) : 0;
    json_t *const out = json_array();
    long pid = getpid();

    for (unsigned i = 0; i < CHAIN_MOST && top > 1 && pid > 1; i++) {
        json_array_append_new(out, command_of(pid));
        pid = parent_of(pid);
        if (pid == top)
            return out;
    }
    json_array_clear(out);
    return out;
}

static int put(const void *what, FILE *f, struct mpj_err *err)
{
    return json_line(json_incref((json_t *)what), f, err);
}

/* Adds time and energy of the run; a store that cannot be read has none. */
static void measured(json_t *o, const char *store)
{
    struct mpj_run *run = NULL;
    struct mpj_err none;

    if (mpj_run_load_built(&run, store, &none) != MPJ_E_OK)
        return;
    if (run->complete) {
        json_put_real(o, "time_s", run->time_s);
        if (run->have_truth)
            json_put_real(o, "energy_j", run->truth.energy_uj * 1e-6);
        else if (mpj_run_power(run).present)
            json_put_real(o, "energy_j", mpj_run_power(run).energy_uj * 1e-6);
    }
    mpj_run_free(run);
}

int run_build_record(const char *folder, char *const *argv, int status, const char *store,
                     struct mpj_err *err)
{
    json_t *const o = json_object();
    struct timespec now;
    char *path = NULL;
    int result;

    clock_gettime(CLOCK_MONOTONIC, &now);
    json_object_set_new(o, "end_ns", json_integer(now.tv_sec * 1000000000LL + now.tv_nsec));
    json_object_set_new(o, "argv", words(argv));
    json_object_set_new(o, "status", json_integer(status));
    json_object_set_new(o, "chain", chain());
    measured(o, store);
    if (o == NULL || asprintf(&path, "%s/%ld-%ld.json", folder, (long)getpid(), now.tv_nsec) < 0) {
        path = NULL;
        result = mpj_err_nomem(err);
    } else {
        result = mpj_file_replace(path, put, o, err);
    }
    free(path);
    json_decref(o);
    return result;
}

/* ---- variables of tests -------------------------------------------------------- */

/* True for variables that build systems set for themselves, or whose value differs each time. */
static bool of_the_system(const char *variable)
{
    static const char *const names[] = {"PWD=",
                                        "OLDPWD=",
                                        "SHLVL=",
                                        "_=",
                                        "PATH=",
                                        "MFLAGS=",
                                        "TERM=",
                                        "COLUMNS=",
                                        "LINES=",
                                        "IFS=",
                                        "MALLOC_PERTURB_=",
                                        "LD_LIBRARY_PATH=",
                                        "GNUMAKEFLAGS="};
    static const char *const prefixes[] = {"MAKE",  "CTEST_", "DASHBOARD_", "MESON_", "LD_PRELOAD",
                                           "ASAN_", "UBSAN_", "MSAN_",      "MPJOULE"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strncmp(variable, names[i], strlen(names[i])) == 0)
            return true;
    }
    for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
        if (strncmp(variable, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    }
    return false;
}

static bool of_the_program(const char *variable)
{
    return strncmp(variable, "OMP_", 4) == 0 || strncmp(variable, "GOMP_", 5) == 0 ||
           strncmp(variable, "MPJ_", 4) == 0;
}

static bool among(const char *variable, const char *list, size_t len)
{
    for (const char *p = list; p < list + len; p += strlen(p) + 1U) {
        if (strcmp(p, variable) == 0)
            return true;
    }
    return false;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void run_build_variables(bool (*add)(void *ctx, const char *variable), void *ctx)
{
    static char before[1024U * 1024U];
    const char *const file = getenv(RUN_BUILD_ENVIRON);
    const ssize_t len = file != NULL ? content(file, before, sizeof(before)) : -1;
    size_t n = 0;
    char **list;

    while (environ[n] != NULL)
        n++;
    list = calloc(n + 1U, sizeof(*list));
    if (list == NULL)
        return;
    memcpy(list, environ, n * sizeof(*list));
    qsort(list, n, sizeof(*list), by_text);
    for (size_t i = 0; i < n; i++) {
        const bool theirs =
            len >= 0 && !of_the_system(list[i]) && !among(list[i], before, (size_t)len);
        if ((of_the_program(list[i]) || theirs) && add(ctx, list[i]))
            break;
    }
    free(list);
}

/* ---- reading them -------------------------------------------------------------- */

static int put_environ(const void *what, FILE *f, struct mpj_err *err)
{
    (void)what;
    for (char *const *e = environ; *e != NULL; e++) {
        if (fwrite(*e, 1, strlen(*e) + 1U, f) == 0)
            return mpj_err_errno(err, "cannot write");
    }
    return MPJ_E_OK;
}

/* Builds the path of a file of the state, for this call's caller to free. */
static char *in_state(const struct build *b, const char *name)
{
    char *path;

    return asprintf(&path, "%s/%s", b->state, name) < 0 ? NULL : path;
}

static void empty(const char *folder)
{
    DIR *const d = opendir(folder);
    const struct dirent *e;

    while (d != NULL && (e = readdir(d)) != NULL)
        unlinkat(dirfd(d), e->d_name, 0);
    if (d != NULL)
        closedir(d);
}

int build_records_begin(const struct build *b, struct mpj_err *err)
{
    char *const records = in_state(b, "records");
    char *const variables = in_state(b, "environ");
    int result = MPJ_E_OK;

    if (records == NULL || variables == NULL) {
        result = mpj_err_nomem(err);
    } else {
        empty(records);
        setenv(RUN_BUILD_RECORDS, records, 1);
        setenv(RUN_BUILD_ENVIRON, variables, 1);
        result = mpj_file_replace(variables, put_environ, NULL, err);
    }
    free(records);
    free(variables);
    return result;
}

struct by_end {
    json_t *o;
    json_int_t end;
};

static int earlier(const void *a, const void *b)
{
    const struct by_end *const x = a;
    const struct by_end *const y = b;

    return (x->end > y->end) - (x->end < y->end);
}

json_t *build_records(const struct build *b, struct mpj_err *err)
{
    char *const folder = in_state(b, "records");
    DIR *const d = folder != NULL ? opendir(folder) : NULL;
    json_t *const out = json_array();
    const struct dirent *e;
    struct by_end *list = NULL;
    size_t n = 0;

    while (d != NULL && (e = readdir(d)) != NULL) {
        char path[4096];
        struct by_end *more;
        json_t *o;
        snprintf(path, sizeof(path), "%s/%s", folder, e->d_name);
        o = e->d_name[0] != '.' ? json_load_file(path, 0, NULL) : NULL;
        more = o != NULL ? realloc(list, (n + 1U) * sizeof(*list)) : NULL;
        if (more == NULL) {
            json_decref(o);
            continue;
        }
        list = more;
        list[n++] = (struct by_end){o, json_integer_value(json_object_get(o, "end_ns"))};
    }
    if (n > 0)
        qsort(list, n, sizeof(*list), earlier);
    for (size_t i = 0; i < n; i++)
        json_array_append_new(out, list[i].o);
    if (d == NULL || out == NULL)
        mpj_err_errno(err, "cannot read %s", folder != NULL ? folder : "the records");
    if (d != NULL)
        closedir(d);
    else
        json_decref(out);
    free(list);
    free(folder);
    return d != NULL ? out : NULL;
}
