/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "project/build.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/child.h"
#include "base/file.h"
#include "base/stop.h"
#include "build_int.h"
#include "run/paths.h"

/* ---- folders ------------------------------------------------------------------- */

/* True if the folder has no files of others. */
static bool is_free(const char *folder)
{
    DIR *const d = opendir(folder);
    const struct dirent *e;
    bool empty = true;

    while (d != NULL && empty && (e = readdir(d)) != NULL)
        empty = strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0;
    if (d != NULL)
        closedir(d);
    return empty || build_has(folder, BUILD_STATE "/system");
}

static int make_folder(const char *path, struct mpj_err *err)
{
    struct stat st;

    if (mkdir(path, 0777) == 0 || (errno == EEXIST && stat(path, &st) == 0 && S_ISDIR(st.st_mode)))
        return MPJ_E_OK;
    return mpj_err_errno(err, "cannot create the folder %s", path);
}

static int put_text(const void *what, FILE *f, struct mpj_err *err)
{
    return fputs(what, f) >= 0 ? MPJ_E_OK : mpj_err_errno(err, "cannot write");
}

/* Replaces a file in a folder by the text. */
static int write_text(const char *folder, const char *name, const char *text, struct mpj_err *err)
{
    char *path;
    int result;

    if (asprintf(&path, "%s/%s", folder, name) < 0)
        return mpj_err_nomem(err);
    result = mpj_file_replace(path, put_text, text, err);
    free(path);
    return result;
}

/* Creates STATE/bin/NAME as a link to a file, so that makefiles can call it by a name without
 * spaces. */
static int link_tool(const struct build *b, const char *name, const char *to, struct mpj_err *err)
{
    char *path;
    int result = MPJ_E_OK;

    if (asprintf(&path, "%s/bin/%s", b->state, name) < 0)
        return mpj_err_nomem(err);
    unlink(path);
    if (symlink(to, path) != 0)
        result = mpj_err_errno(err, "cannot create the link %s", path);
    free(path);
    return result;
}

static int link_tools(const struct build *b, struct mpj_err *err)
{
    static const char *const scripts[] = {"mpjoule-exec", "mpjoule-ar", "mpjoule-ld",
                                          "mpjoule-c++"};
    char self[PATH_MAX];
    const ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1U);
    int result;

    if (n <= 0)
        return mpj_err_errno(err, "cannot read /proc/self/exe");
    self[n] = '\0';
    result = link_tool(b, "mpjoule", self, err);
    for (size_t i = 0; i < sizeof(scripts) / sizeof(scripts[0]) && result == MPJ_E_OK; i++) {
        char *path;
        if (asprintf(&path, "%s/%s", b->firmware, scripts[i]) < 0)
            return mpj_err_nomem(err);
        result = link_tool(b, scripts[i], path, err);
        free(path);
    }
    return result;
}

/* Finds source and build, creates the latter with its state. */
static int open_folders(struct build *b, struct mpj_err *err)
{
    static const char *const parts[] = {"", "/bin", "/records"};
    struct stat st;
    char *wanted = NULL;
    int result = MPJ_E_OK;

    b->source = realpath(b->o->source, NULL);
    if (b->source == NULL || stat(b->source, &st) != 0 || !S_ISDIR(st.st_mode))
        return mpj_err_set(err, MPJ_E_USAGE, "no folder %s", b->o->source);
    b->system = build_system_find(b->o, b->source, err);
    if (b->system == NULL)
        return MPJ_E_USAGE;
    b->o->found = b->system->name;
    if (b->o->folder != NULL ? asprintf(&wanted, "%s", b->o->folder) < 0
                             : asprintf(&wanted, "%s/" RUN_BUILD_FOLDER, b->source) < 0)
        return mpj_err_nomem(err);
    if (make_folder(wanted, err) == MPJ_E_OK && (b->out = realpath(wanted, NULL)) == NULL)
        mpj_err_errno(err, "cannot use the folder %s", wanted);
    free(wanted);
    if (b->out == NULL)
        return err->code;
    if (strcmp(b->out, b->source) == 0 || !is_free(b->out))
        return mpj_err_set(err, MPJ_E_USAGE,
                           "%s has files that `mpjoule build` did not create: remove it or name "
                           "another folder with -B",
                           b->out);
    b->o->out = strdup(b->out);
    if (b->o->out == NULL || asprintf(&b->state, "%s/" BUILD_STATE, b->out) < 0)
        return mpj_err_nomem(err);
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]) && result == MPJ_E_OK; i++) {
        char *path;
        if (asprintf(&path, "%s%s", b->state, parts[i]) < 0)
            return mpj_err_nomem(err);
        result = make_folder(path, err);
        free(path);
    }
    if (result == MPJ_E_OK)
        result = write_text(b->state, "system", b->system->name, err);
    return result == MPJ_E_OK ? write_text(b->out, ".gitignore", "*\n", err) : result;
}

/* ---- tools and environment ------------------------------------------------------ */

static bool in_path(const char *name)
{
    const char *path = getenv("PATH");
    char at[PATH_MAX];

    for (; path != NULL && *path != '\0'; path += path[0] == ':') {
        const size_t len = strcspn(path, ":");
        snprintf(at, sizeof(at), "%.*s/%s", (int)len, path, name);
        if (access(at, X_OK) == 0)
            return true;
        path += len;
    }
    return false;
}

static int missing(const char *name, const char *why, struct mpj_err *err)
{
    return mpj_err_set(err, MPJ_E_TARGET, "%s is not in PATH, and %s needs it: install it", name,
                       why);
}

static int check_tools(const struct build *b, struct mpj_err *err)
{
    static const char *const ready[] = {"configure", "autogen.sh", "bootstrap"};
    bool scripts = strcmp(b->system->name, "autoconf") != 0;
    char *specs = NULL;
    int result = MPJ_E_OK;

    for (const char *const *t = b->system->tools; *t != NULL; t++) {
        if (!in_path(*t))
            return missing(*t, b->source, err);
    }
    for (size_t i = 0; i < sizeof(ready) / sizeof(ready[0]); i++)
        scripts = scripts || build_has(b->source, ready[i]);
    if (!scripts && !in_path("autoreconf"))
        return missing("autoreconf", "a project without a configure script", err);
    if (!in_path(BUILD_HOST "-gcc"))
        return mpj_err_set(err, MPJ_E_TARGET,
                           "the compiler " BUILD_HOST "-gcc is missing: install the package "
                           "gcc-arm-none-eabi (with libnewlib-arm-none-eabi)");
    if (asprintf(&specs, "%s/mpjoule.specs", b->firmware) < 0)
        return mpj_err_nomem(err);
    if (access(specs, R_OK) != 0)
        result = mpj_err_set(err, MPJ_E_TARGET,
                             "the target's runtime is missing (%s): see `mpjoule doctor`", specs);
    free(specs);
    return result;
}

/* Sets a variable to a text in the manner of printf(). */
__attribute__((format(printf, 2, 3))) static bool set(const char *name, const char *format, ...)
{
    char *value;
    va_list ap;
    bool ok;

    va_start(ap, format);
    ok = vasprintf(&value, format, ap) >= 0;
    va_end(ap);
    if (!ok)
        return false;
    ok = setenv(name, value, 1) == 0;
    free(value);
    return ok;
}

/* Lets the programs of the build execute images of the target. */
static int set_preload(const struct build *b, struct mpj_err *err)
{
    char *const library = run_path_preload();
    const char *const before = getenv("LD_PRELOAD");
    int result = MPJ_E_OK;

    if (library == NULL)
        return mpj_err_nomem(err);
    if (access(library, R_OK) != 0)
        result = mpj_err_set(err, MPJ_E_TARGET, "%s is missing: see `mpjoule doctor`", library);
    else if (strpbrk(library, " :") != NULL)
        result = mpj_err_set(err, MPJ_E_TARGET,
                             "%s cannot be preloaded, as its path has a space or a colon: install "
                             "mpjoule elsewhere",
                             library);
    else if (!set("LD_PRELOAD", "%s%s%s", library, before != NULL && before[0] != '\0' ? ":" : "",
                  before != NULL ? before : "") ||
             !set(RUN_BUILD_EXEC, "%s/bin/mpjoule", b->state))
        result = mpj_err_nomem(err);
    free(library);
    return result;
}

static int set_environment(const struct build *b, struct mpj_err *err)
{
    /* of a make or a ctest that has started us */
    static const char *const strange[] = {"MAKEFLAGS",
                                          "MFLAGS",
                                          "MAKELEVEL",
                                          "MAKEOVERRIDES",
                                          "CTEST_OUTPUT_ON_FAILURE",
                                          "CTEST_PARALLEL_LEVEL",
                                          "MPJOULE_EXEC"};
    static const char *const set_to[][2] = {
        {"CC", "mpjoule cc"},
        {"CXX", "mpjoule-c++"},
        {"AR", "mpjoule-ar"},
        {"RANLIB", BUILD_HOST "-gcc-ranlib"},
        {"NM", BUILD_HOST "-gcc-nm"},
        {"STRIP", BUILD_HOST "-strip"},
        {"OBJCOPY", BUILD_HOST "-objcopy"},
        {"OBJDUMP", BUILD_HOST "-objdump"},
    };
    static const char *const of_host[] = {"HOSTCC", "BUILD_CC", "CC_FOR_BUILD"};
    const char *const path = getenv("PATH");
    const char *const run = getenv("MPJOULE_RUN");
    bool ok = true;

    for (size_t i = 0; i < sizeof(strange) / sizeof(strange[0]); i++)
        unsetenv(strange[i]);
    for (size_t i = 0;
         strcmp(b->system->name, "autoconf") == 0 && i < sizeof(set_to) / sizeof(set_to[0]); i++)
        ok = ok && set(set_to[i][0], "%s", set_to[i][1]);
    for (size_t i = 0; i < sizeof(of_host) / sizeof(of_host[0]); i++)
        ok = ok && setenv(of_host[i], "cc", 0) == 0;
    ok = ok && set("PATH", "%s/bin:%s", b->state, path != NULL ? path : "/bin:/usr/bin") &&
         set("CONFIG_SITE", "%s/config.site", b->firmware);
    if (b->o->timeout_s > 0)
        ok = ok && set("MPJOULE_RUN", "%s --timeout %u", run != NULL ? run : "", b->o->timeout_s);
    return ok ? set_preload(b, err) : mpj_err_nomem(err);
}

/* ---- commands ------------------------------------------------------------------- */

static bool stopping(void *ctx)
{
    (void)ctx;
    return mpj_stop_count() > 0;
}

int build_command(struct build *b, const char *step, const struct run_words *w, int *status,
                  struct mpj_err *err)
{
    static const char script[] =
        "export " RUN_BUILD_DRIVER "=$$; exec \"$@\" 2>&1 </dev/null"; /* one log for both */
    const char **argv = calloc((size_t)w->n + 5U, sizeof(*argv));
    struct mpj_child c = {.file = "/bin/sh", .folder = b->out, .stopping = stopping, .group = true};
    int result;

    free(b->o->log);
    if (asprintf(&b->o->log, "%s/%s.log", b->state, step) < 0)
        b->o->log = NULL;
    if (argv == NULL || w->no_memory || b->o->log == NULL) {
        free(argv);
        return mpj_err_nomem(err);
    }
    argv[0] = "sh";
    argv[1] = "-c";
    argv[2] = script;
    argv[3] = "sh";
    for (unsigned i = 0; i < w->n; i++)
        argv[4U + i] = w->word[i];
    c.argv = argv;
    c.out = b->o->log;
    result = mpj_child_run(&c, status, err);
    if (result == MPJ_E_OK && mpj_stop_count() > 0)
        result = mpj_err_set(err, MPJ_E_CANCELLED, "interrupted");
    free(argv);
    return result;
}

/* Returns how well a line of a log explains the failure of a step; 0: not at all. */
static unsigned weight(const char *line)
{
    static const char *const errors[] = {" error: ",
                                         "ERROR: ",
                                         "CMake Error",
                                         "error: ",
                                         "fatal error",
                                         "Error: ",
                                         "undefined reference",
                                         "multiple definition",
                                         "unrecognized option",
                                         "command not found",
                                         ": not found",
                                         "No rule to make target"};

    if (strncmp(line, "mpjoule: ", 9) == 0)
        return 4;
    for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
        if (strstr(line, errors[i]) != NULL)
            return 3;
    }
    if (strstr(line, "*** ") != NULL)
        return 2;
    return line[strspn(line, " \t\n")] != '\0';
}

#define MORE 2U /* lines after the one of CMake that names a place */

/* Appends a line to a text; the text is freed on failure. */
static char *append(char *text, const char *line)
{
    char *both;
    const int n = asprintf(&both, "%s %s", text, line + strspn(line, " "));

    free(text);
    return n >= 0 ? both : NULL;
}

/* Finds the line of a log that explains the failure best: the first of its kind, but the last of
 * lines without a mark. Allocated; NULL: none. */
static char *cause(const char *log)
{
    FILE *const f = fopen(log, "re");
    char *line = NULL;
    char *best = NULL;
    size_t size = 0;
    unsigned most = 0;
    unsigned follow = 0;

    while (f != NULL && getline(&line, &size, f) > 0) {
        const unsigned w = weight(line);
        line[strcspn(line, "\n")] = '\0';
        mpj_text_clean(line);
        if (w > most || (w == 1U && most == 1U)) {
            free(best);
            best = strdup(line + strspn(line, " "));
            most = w;
            follow = strncmp(line, "CMake Error at", 14) == 0 ? MORE : 0;
        } else if (follow > 0 && w > 0 && best != NULL) {
            if (strncmp(line, "Call Stack", 10) == 0 || strncmp(line, "-- ", 3) == 0) {
                follow = 0;
            } else {
                best = append(best, line);
                follow--;
            }
        }
    }
    if (f != NULL)
        fclose(f);
    free(line);
    return best;
}

int build_failed(const struct build *b, const char *what, int status, struct mpj_err *err)
{
    char *const line = cause(b->o->log);
    const char *const text = line != NULL ? line : "";

    mpj_err_set(err, MPJ_E_TARGET, "cannot %s %s (status %d)%s%.300s; full output: %s", what,
                b->source, status, text[0] != '\0' ? ": " : "",
                strncmp(text, "mpjoule: ", 9) == 0 ? text + 9 : text, b->o->log);
    free(line);
    return err->code;
}

/* ---- steps ---------------------------------------------------------------------- */

static void step(const struct build *b, const char *name)
{
    if (b->o->step != NULL)
        b->o->step(b->o->ctx, name);
}

/* Returns the text on which a configured folder depends: the command, a word a line. Allocated. */
static char *stamp_of(const struct build *b, const struct run_words *w)
{
    char *text = NULL;
    size_t size = 0;
    FILE *const f = open_memstream(&text, &size);

    if (f == NULL)
        return NULL;
    fprintf(f, "%s\n%s\n%s\n", b->system->name, b->source, b->firmware);
    for (unsigned i = 0; i < w->n; i++)
        fprintf(f, "%s\n", w->word[i]);
    return fclose(f) == 0 ? text : NULL;
}

/* True if a file of the state has exactly this text. */
static bool has_text(const struct build *b, const char *name, const char *text)
{
    char *path;
    FILE *f;
    bool same = true;
    int c;

    if (asprintf(&path, "%s/%s", b->state, name) < 0)
        return false;
    f = fopen(path, "re");
    free(path);
    if (f == NULL)
        return false;
    for (; same && (c = getc(f)) != EOF; text += same)
        same = c == (unsigned char)*text && c != '\0';
    fclose(f);
    return same && *text == '\0';
}

static int forget(const struct build *b, const char *name, struct mpj_err *err)
{
    char *path;

    if (asprintf(&path, "%s/%s", b->state, name) < 0)
        return mpj_err_nomem(err);
    unlink(path);
    free(path);
    return MPJ_E_OK;
}

/* Configures unless the same was done before; with other options the folder is emptied first. */
static int configure(struct build *b, const char *stamp, const struct run_words *w,
                     struct mpj_err *err)
{
    const bool done = has_text(b, "configured", stamp);
    int status = 0;
    int result = MPJ_E_OK;

    if (!done) {
        step(b, "configure");
        result = forget(b, "configured", err);
        if (result == MPJ_E_OK && !has_text(b, "begun", stamp)) {
            result = build_clear(b->out, err);
            if (result == MPJ_E_OK)
                result = write_text(b->out, ".gitignore", "*\n", err);
        }
        if (result == MPJ_E_OK)
            result = write_text(b->state, "begun", stamp, err);
    }
    if (result == MPJ_E_OK && b->system->copied)
        result = build_copy(b, err);
    if (result != MPJ_E_OK || done)
        return result;
    if (w->n > 0)
        result = build_command(b, "configure", w, &status, err);
    if (result == MPJ_E_OK && status != 0)
        result = build_failed(b, "configure", status, err);
    return result == MPJ_E_OK ? write_text(b->state, "configured", stamp, err) : result;
}

static int make(struct build *b, struct mpj_err *err)
{
    struct run_words w = {.n = 0};
    int status = 0;
    int result;

    step(b, "build");
    b->system->make(b, &w);
    result = build_command(b, "build", &w, &status, err);
    run_words_free(&w);
    return result == MPJ_E_OK && status != 0 ? build_failed(b, "build", status, err) : result;
}

static int all_steps(struct build *b, struct mpj_err *err)
{
    struct run_words w = {.n = 0};
    char *stamp;
    int result;

    if (b->system->configure != NULL)
        b->system->configure(b, &w);
    stamp = stamp_of(b, &w);
    result = stamp != NULL && !w.no_memory ? configure(b, stamp, &w, err) : mpj_err_nomem(err);
    run_words_free(&w);
    free(stamp);
    if (result == MPJ_E_OK)
        result = make(b, err);
    if (result != MPJ_E_OK || b->o->no_tests)
        return result;
    step(b, "test");
    result = build_records_begin(b, err);
    return result == MPJ_E_OK ? b->system->test(b, err) : result;
}

int run_build(struct run_build *o, struct mpj_err *err)
{
    struct build b = {.o = o, .firmware = run_path_firmware()};
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    int lock = -1;
    int result;

    b.jobs = o->jobs > 0 ? o->jobs : processors > 0 ? (unsigned)processors : 1U;
    result = b.firmware != NULL ? open_folders(&b, err) : mpj_err_nomem(err);
    if (b.system == NULL) /* the message of open_folders() */
        result = err->code == MPJ_E_OK ? MPJ_E_USAGE : err->code;
    if (result == MPJ_E_OK) {
        lock = run_cache_lock(b.state, err);
        result = lock < 0 ? err->code : MPJ_E_OK;
    }
    if (result == MPJ_E_OK)
        result = check_tools(&b, err);
    if (result == MPJ_E_OK)
        result = link_tools(&b, err);
    if (result == MPJ_E_OK)
        result = set_environment(&b, err);
    if (result == MPJ_E_OK) {
        mpj_stop_catch();
        result = all_steps(&b, err);
    }
    if (lock >= 0)
        close(lock);
    free(b.source);
    free(b.out);
    free(b.state);
    free(b.firmware);
    return result;
}

void run_build_free(struct run_build *b)
{
    for (unsigned i = 0; i < b->tests; i++) {
        struct run_build_test *const t = &b->test[i];
        for (unsigned k = 0; k < t->rans; k++)
            free(t->ran[k].text);
        free(t->ran);
        free(t->name);
        free(t->why);
    }
    free(b->test);
    free(b->out);
    free(b->log);
    *b = (struct run_build){.source = NULL};
}
