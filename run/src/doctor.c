/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/doctor.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/child.h"
#include "base/file.h"
#include "base/tempdir.h"
#include "hil/port.h"
#include "run/boards.h"
#include "run/kinds.h"
#include "run/paths.h"
#include "tile_limits.h"

#define COMPILER "arm-none-eabi-gcc"
#define PATIENCE 60 /* s for a command; a loaded machine needs some */
#define SAID_MAX 512

struct doctor {
    void (*row)(void *ctx, const struct run_check *check);
    void *ctx;
    struct mpj_tempdir temp;
    bool runtime, emulator, calibration; /* found */
};

/* Reports one row: found is a format. */
__attribute__((format(printf, 5, 6))) static void tell(struct doctor *d, enum run_finding finding,
                                                       const char *what, const char *mend,
                                                       const char *found, ...)
{
    char text[SAID_MAX];
    va_list args;

    va_start(args, found);
    vsnprintf(text, sizeof(text), found, args);
    va_end(args);
    mpj_text_clean(text);
    d->row(d->ctx, &(struct run_check){finding, what, text, mend});
}

/* Builds the path of a file in the temporary folder. */
static char *in_temp(const struct doctor *d, const char *name)
{
    char *out = NULL;

    return asprintf(&out, "%s/%s", d->temp.path, name) < 0 ? NULL : out;
}

static void first_line(const char *path, char out[SAID_MAX])
{
    FILE *const f = path != NULL ? fopen(path, "r") : NULL;

    out[0] = '\0';
    if (f != NULL && fgets(out, SAID_MAX, f) == NULL)
        out[0] = '\0';
    if (f != NULL)
        fclose(f);
    out[strcspn(out, "\n")] = '\0';
}

/* Runs a command; 0 when it ended so, and the first line of its output: of its errors, if it
 * failed. */
static int command(const struct doctor *d, const char *file, const char *const *argv,
                   char said[SAID_MAX])
{
    char *const out = in_temp(d, "out");
    char *const errors = in_temp(d, "err");
    const struct mpj_child child = {
        .file = file, .argv = argv, .out = out, .err = errors, .timeout_s = PATIENCE};
    struct mpj_err err = {0};
    int status = -1;

    said[0] = '\0';
    if (out != NULL && errors != NULL && mpj_child_run(&child, &status, &err) != MPJ_E_OK)
        snprintf(said, SAID_MAX, "%s", err.text);
    if (said[0] == '\0')
        first_line(status == 0 ? out : errors, said);
    free(out);
    free(errors);
    return status;
}

/* Finds the full path of a command in PATH; NULL: none. */
static char *which(const char *name)
{
    const char *const all = getenv("PATH");
    char *const copy = all != NULL ? strdup(all) : NULL;
    char *rest = copy;
    char *folder;
    char *out = NULL;

    while (copy != NULL && out == NULL && (folder = strsep(&rest, ":")) != NULL) {
        if (asprintf(&out, "%s/%s", folder, name) < 0)
            out = NULL;
        if (out != NULL && access(out, X_OK) != 0) {
            free(out);
            out = NULL;
        }
    }
    free(copy);
    return out;
}

/* ---- this installation ------------------------------------------------------------- */

/* Checks for another mpjoule in PATH, which scripts would start. */
static void check_self(struct doctor *d)
{
    char *const other = which("mpjoule");
    char *const real = other != NULL ? realpath(other, NULL) : NULL;
    char self[PATH_MAX];
    const ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

    self[n > 0 ? n : 0] = '\0';
    if (real != NULL && strcmp(real, self) != 0)
        tell(d, RUN_NOTE, "command", "call the intended one by its path, or change PATH",
             "%s, version " MPJ_VERSION "; PATH has another one: %s", self, other);
    else
        tell(d, RUN_OK, "command", NULL, "%s, version " MPJ_VERSION, self);
    free(other);
    free(real);
}

static bool is_folder(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static bool present(struct doctor *d, const char *what, char *path, int mode, const char *variable)
{
    const bool usable = path != NULL && access(path, mode) == 0;
    const int why = path != NULL ? errno : ENOMEM;
    char mend[SAID_MAX];

    snprintf(mend, sizeof(mend),
             "in a checkout: scripts/build.sh host firmware qemu; installed: install it again; or "
             "name it in %s",
             variable);
    if (usable)
        tell(d, RUN_OK, what, NULL, "%s", path);
    else if (why == ENOENT || why == ENOTDIR)
        tell(d, RUN_MISSING, what, mend, "%s does not exist", path);
    else
        tell(d, RUN_MISSING, what,
             "change the permissions of it and of its parent folders (chmod, chown)",
             "%s cannot be %s by this user: %s", path != NULL ? path : "?",
             (mode & X_OK) != 0 && path != NULL && !is_folder(path) ? "run" : "read",
             strerror(why));
    free(path);
    return usable;
}

static char *specs(void)
{
    char *const folder = run_path_runtime(TILE_BOARD_DEFAULT);
    char *out = NULL;

    if (folder == NULL || asprintf(&out, "%s/mpjoule.specs", folder) < 0)
        out = NULL;
    free(folder);
    return out;
}

/* Checks the boards that programs can be built for. */
static void check_kinds(struct doctor *d)
{
    struct run_kinds kinds;
    struct mpj_err err;
    char *const names = run_kinds_names();

    if (run_kinds_load(&kinds, &err) != MPJ_E_OK)
        tell(d, RUN_MISSING, "known boards",
             "in a checkout: scripts/build.sh firmware; installed: install it again", "%s",
             err.text);
    else if (kinds.count == 0)
        tell(d, RUN_MISSING, "known boards",
             "in a checkout: scripts/build.sh firmware; installed: install it again",
             "the runtime does not describe its board");
    else
        tell(d, RUN_OK, "known boards", NULL, "%s", names != NULL ? names : "?");
    run_kinds_free(&kinds);
    free(names);
}

/* Checks for variables that replace parts of this installation. */
static void check_environment(struct doctor *d)
{
    static const char *const variable[] = {
        "MPJOULE_QEMU",    "MPJOULE_FIRMWARE",  "MPJOULE_CALIBRATIONS", "MPJOULE_GROUPS",
        "MPJOULE_MODELS",  "MPJOULE_SKELETON",  "MPJOULE_CI",           "MPJOULE_GDB",
        "MPJOULE_PRELOAD", "MPJOULE_QEMU_ARGS", "MPJOULE_QEMU_MACHINE"};

    for (size_t i = 0; i < sizeof(variable) / sizeof(variable[0]); i++) {
        const char *const value = getenv(variable[i]);
        char mend[64];

        snprintf(mend, sizeof(mend), "unset %s, unless it is intended", variable[i]);
        if (value != NULL && value[0] != '\0')
            tell(d, RUN_NOTE, "environment", mend,
                 "%s=%.200s is used instead of this version's own", variable[i], value);
    }
}

/* Checks the folder that results go to unless `-o` names another. */
static void check_here(struct doctor *d)
{
    if (access(".", W_OK | X_OK) != 0)
        tell(d, RUN_NOTE, "folder",
             "change to another one, or name output files elsewhere: -o FILE",
             "the current folder is not writable for this user");
}

static char *skeleton(void)
{
    char *const folder = run_path_skeleton();
    char *out = NULL;

    if (folder == NULL || asprintf(&out, "%s/gate.yaml", folder) < 0)
        out = NULL;
    free(folder);
    return out;
}

static void check_files(struct doctor *d)
{
    check_self(d);
    check_environment(d);
    check_here(d);
    d->runtime = present(d, "runtime", specs(), R_OK, "MPJOULE_FIRMWARE");
    if (d->runtime)
        check_kinds(d);
    d->emulator = present(d, "emulator", run_path_qemu(), X_OK, "MPJOULE_QEMU");
    d->calibration = present(d, "calibration", run_path_calibration(TILE_CALIBRATION_DEFAULT), R_OK,
                             "MPJOULE_CALIBRATIONS");
    present(d, "models", run_path_models(), X_OK, "MPJOULE_MODELS");
    present(d, "skeleton", skeleton(), R_OK, "MPJOULE_SKELETON");
    present(d, "pipelines", run_path_ci(), X_OK, "MPJOULE_CI");
    present(d, "preload", run_path_preload(), R_OK, "MPJOULE_PRELOAD");
}

/* ---- building and running ---------------------------------------------------------- */

static int put_program(const void *what, FILE *f, struct mpj_err *err)
{
    return fputs(what, f) >= 0 ? MPJ_E_OK : mpj_err_errno(err, "cannot write");
}

static bool builds(struct doctor *d, const char *source, const char *elf)
{
    static const char program[] =
        "#include <stdio.h>\nint main(void)\n{\n    puts(\"doctor\");\n    return 0;\n}\n";
    const char *const argv[] = {"mpjoule", "cc", "-O2", source, "-o", elf, NULL};
    char said[SAID_MAX];
    struct mpj_err err;

    if (mpj_file_replace(source, put_program, program, &err) != MPJ_E_OK) {
        tell(d, RUN_MISSING, "building", "free space there, or set TMPDIR to another folder", "%s",
             err.text);
        return false;
    }
    if (command(d, "/proc/self/exe", argv, said) != 0) {
        tell(d, RUN_MISSING, "building",
             "apt-get install gcc-arm-none-eabi libnewlib-arm-none-eabi binutils-arm-none-eabi",
             "%s", said);
        return false;
    }
    tell(d, RUN_OK, "building", NULL, "compiles and links a program");
    return true;
}

/* Returns what mends a run that failed with this message. */
static const char *mend_run(const struct doctor *d, const char *said)
{
    if (strstr(said, "sandbox") != NULL || strstr(said, "seccomp") != NULL)
        return "where seccomp is not allowed: MPJOULE_SANDBOX=off";
    if (!d->calibration)
        return "first mend the calibration, above";
    return "use mpjoule's own emulator: unset MPJOULE_QEMU, MPJOULE_QEMU_ARGS and "
           "MPJOULE_QEMU_MACHINE; in a checkout: scripts/build.sh qemu; installed: install it "
           "again";
}

static void runs(struct doctor *d, const char *elf, const char *store)
{
    const char *const argv[] = {"mpjoule", "run", "--quiet", "-o", store, elf, NULL};
    char said[SAID_MAX];

    if (command(d, "/proc/self/exe", argv, said) == 0 && strcmp(said, "doctor") == 0)
        tell(d, RUN_OK, "running", NULL, "it runs on the emulated tile");
    else
        tell(d, RUN_MISSING, "running", mend_run(d, said), "%s", said);
}

/* Checks the debugger, for `run --gdb` only. */
static void check_debugger(struct doctor *d)
{
    char *const gdb = which("gdb-multiarch");
    char *const script = run_path_gdb();

    if (gdb == NULL)
        tell(d, RUN_NOTE, "debugger", "for run --gdb: apt-get install gdb-multiarch",
             "gdb-multiarch is not in PATH");
    else if (script == NULL || access(script, R_OK) != 0)
        tell(d, RUN_NOTE, "debugger", "for run --gdb: install mpjoule again",
             "%s is missing: gdb cannot show the threads", script != NULL ? script : "?");
    else
        tell(d, RUN_OK, "debugger", NULL, "%s", gdb);
    free(gdb);
    free(script);
}

/* Checks the commands of other packages that some of ours execute. */
static void check_others(struct doctor *d)
{
    static const struct {
        const char *name, *mend;
    } other[] = {
        {"cmake", "for init and build: apt-get install cmake"},
        {"make", "for build: apt-get install make"},
        {"meson", "for build, of Meson projects: apt-get install meson"},
        {"ninja", "for build, of Meson projects: apt-get install ninja-build"},
        {"autoreconf", "for build, without a configure script: apt-get install autoconf automake"},
        {"git", "for history: apt-get install git"},
        {"parallel", "for --engine parallel: apt-get install parallel"},
        {"sbatch", "for --engine slurm: apt-get install slurm-client"},
        {"sb", "for boards with U-Boot, `transfer: loady`: apt-get install lrzsz"},
        {"gkermit", "for boards with U-Boot, `transfer: loadb`: apt-get install gkermit"},
        {"openocd", "for a board without a loader, by JTAG: apt-get install openocd"},
    };

    for (size_t i = 0; i < sizeof(other) / sizeof(other[0]); i++) {
        char *const path = which(other[i].name);

        if (path != NULL)
            tell(d, RUN_OK, "tool", NULL, "%s", path);
        else
            tell(d, RUN_NOTE, "tool", other[i].mend, "%s is not in PATH", other[i].name);
        free(path);
    }
}

static void check_tools(struct doctor *d)
{
    static const char *const version[] = {COMPILER, "--version", NULL};
    char *const compiler = which(COMPILER);
    char *const source = in_temp(d, "doctor.c");
    char *const elf = in_temp(d, "doctor.elf");
    char *const store = in_temp(d, "doctor.mpj");
    char said[SAID_MAX];

    if (compiler == NULL)
        tell(d, RUN_MISSING, "compiler",
             "apt-get install gcc-arm-none-eabi libnewlib-arm-none-eabi binutils-arm-none-eabi",
             COMPILER " is not in PATH");
    else if (command(d, compiler, version, said) == 0)
        tell(d, RUN_OK, "compiler", NULL, "%s: %s", compiler, said);
    else
        tell(d, RUN_MISSING, "compiler", "apt-get install --reinstall gcc-arm-none-eabi", "%s: %s",
             compiler, said);
    if (compiler != NULL && d->runtime && source != NULL && elf != NULL && store != NULL &&
        builds(d, source, elf) && d->emulator)
        runs(d, elf, store);
    free(compiler);
    free(source);
    free(elf);
    free(store);
}

/* ---- boards ------------------------------------------------------------------------ */

static void check_locks(struct doctor *d)
{
    char *const folder = run_path_locks();
    char *const above = folder != NULL ? strdup(folder) : NULL;
    char *const slash = above != NULL ? strrchr(above, '/') : NULL;
    const char *other = NULL;

    if (slash != NULL && slash != above)
        *slash = '\0';
    if (folder != NULL && access(folder, F_OK) == 0)
        other = is_folder(folder) ? NULL : folder;
    else if (slash != NULL && slash != above && access(above, F_OK) == 0)
        other = is_folder(above) ? NULL : above;
    if (other != NULL)
        tell(d, RUN_NOTE, "locks", "for boards: remove it, or set MPJOULE_LOCKS to a folder",
             "%s is not a folder", other);
    else if (folder != NULL &&
             (access(folder, W_OK | X_OK) == 0 ||
              (access(folder, F_OK) != 0 && slash != NULL && access(above, W_OK) == 0)))
        tell(d, RUN_OK, "locks", NULL, "%s", folder);
    else
        tell(d, RUN_NOTE, "locks",
             "for boards: make it writable for all users (mode 1777), or set MPJOULE_LOCKS to "
             "another folder",
             "%s cannot be written", folder != NULL ? folder : "?");
    free(folder);
    free(above);
}

static void check_boards(struct doctor *d)
{
    struct mpj_boards *list = NULL;
    struct mpj_err err;

    if (run_boards_load(&list, NULL, &err) == MPJ_E_OK)
        tell(d, RUN_OK, "boards", NULL, "%zu in %s", list->count, list->file);
    else
        tell(d, RUN_NOTE, "boards", "for boards: `mpjoule help boards`", "%s", err.text);
    mpj_boards_free(list);
}

static void one_port(void *ctx, const char *path, const char *adapter)
{
    struct doctor *const d = ctx;

    if (access(path, R_OK | W_OK) == 0)
        tell(d, RUN_OK, "port", NULL, "%s%s%s", path, adapter[0] != '\0' ? ": " : "", adapter);
    else
        tell(d, RUN_NOTE, "port", "for boards: sudo adduser $USER dialout, then log in again",
             "this user has no permission to open %s", path);
}

static void check_ports(struct doctor *d)
{
    struct mpj_err err;
    const int n = mpj_port_list(one_port, d, &err);

    if (n < 0)
        tell(d, RUN_NOTE, "port", NULL, "%s", err.text);
    else if (n == 0)
        tell(d, RUN_NOTE, "port", "for boards: attach the adapter", "no serial port");
}

/* Checks for programs that open serial adapters by themselves. */
static void check_rivals(struct doctor *d)
{
    static const struct {
        const char *path, *name;
    } rival[] = {{"/usr/sbin/ModemManager", "ModemManager"}, {"/usr/bin/brltty", "brltty"}};

    for (size_t i = 0; i < sizeof(rival) / sizeof(rival[0]); i++) {
        if (access(rival[i].path, X_OK) == 0)
            tell(d, RUN_NOTE, "port", "for boards: see docs/manual/bring-up-a-tile.md",
                 "%s is installed: it opens serial adapters when they are attached", rival[i].name);
    }
}

int run_doctor(void (*row)(void *ctx, const struct run_check *check), void *ctx,
               struct mpj_err *err)
{
    struct doctor d = {.row = row, .ctx = ctx};
    const int made = mpj_tempdir_make(&d.temp, err);

    if (made == MPJ_E_NOMEM)
        return made;
    check_files(&d);
    if (made == MPJ_E_OK)
        check_tools(&d);
    else
        tell(&d, RUN_MISSING, "temporary", "free space there, or set TMPDIR to another folder",
             "%s", err->text);
    check_debugger(&d);
    check_others(&d);
    check_locks(&d);
    check_boards(&d);
    check_ports(&d);
    check_rivals(&d);
    mpj_tempdir_remove(&d.temp);
    return MPJ_E_OK;
}
