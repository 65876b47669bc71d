/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/paths.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tile_limits.h"

/* Location of a file of mpjoule, unless the environment names another. */
struct place {
    const char *variable;
    const char *built;     /* under the folder of builds, where this is host/cli/mpjoule */
    const char *installed; /* under the prefix, where this is bin/mpjoule */
};

static const struct place emulator = {"MPJOULE_QEMU", "sim/qemu-system-arm",
                                      "lib/mpjoule/qemu-system-arm"};
static const struct place preload = {"MPJOULE_PRELOAD", "host/project/libmpjexec.so",
                                     "lib/mpjoule/preload/libmpjexec.so"};
static const struct place firmware = {"MPJOULE_FIRMWARE", "firmware", "share/mpjoule/firmware"};
static const struct place groups = {"MPJOULE_GROUPS", "../models/groups",
                                    "share/mpjoule/models/groups"};
static const struct place models = {"MPJOULE_MODELS", "../models", "share/mpjoule/models"};
static const struct place calibrations = {"MPJOULE_CALIBRATIONS", "../sim/calibrations",
                                          "share/mpjoule/calibrations"};
static const struct place skeleton = {"MPJOULE_SKELETON", "../apps/skeleton",
                                      "share/mpjoule/apps/skeleton"};
static const struct place gdb = {"MPJOULE_GDB", "../package/gdb/mpjoule.py",
                                 "share/mpjoule/gdb/mpjoule.py"};
static const struct place ci = {"MPJOULE_CI", "../ci", "share/mpjoule/ci"};

/* Cuts the last part off a path; returns it, or NULL. */
static const char *cut(char *path)
{
    char *const slash = strrchr(path, '/');

    if (slash == NULL)
        return NULL;
    *slash = '\0';
    return slash + 1;
}

/* Finds a file relative to the executable, which may have been moved with its installation. */
static char *find(const struct place *p)
{
    const char *const value = getenv(p->variable);
    char self[PATH_MAX];
    const char *folder;
    char *out = NULL;
    ssize_t n;
    bool installed;

    if (value != NULL && value[0] != '\0')
        return strdup(value);
    n = readlink("/proc/self/exe", self, sizeof(self) - 1);
    if (n <= 0)
        return NULL;
    self[n] = '\0';
    cut(self);
    folder = cut(self);
    installed = folder != NULL && strcmp(folder, "bin") == 0;
    if (!installed)
        cut(self);
    return asprintf(&out, "%s/%s", self, installed ? p->installed : p->built) < 0 ? NULL : out;
}

char *run_path_qemu(void)
{
    return find(&emulator);
}

char *run_path_firmware(void)
{
    return find(&firmware);
}

char *run_path_preload(void)
{
    return find(&preload);
}

/* Returns board/NAME/, the folder of a board's own files; those of the default board are in the
 * folder of the files that all boards share (firmware/CMakeLists.txt). */
char *run_path_runtime(const char *board)
{
    char *const all = run_path_firmware();
    char *own = NULL;

    if (strcmp(board, TILE_BOARD_DEFAULT) == 0)
        return all;
    if (all == NULL || asprintf(&own, "%s/" RUN_BOARDS_FOLDER "/%s", all, board) < 0)
        own = NULL;
    free(all);
    return own;
}

static char *in_firmware(const char *board, const char *under, const char *name)
{
    char *const folder = run_path_runtime(board);
    char *out = NULL;

    if (folder != NULL && asprintf(&out, "%s/%s/%s", folder, under, name) < 0)
        out = NULL;
    free(folder);
    return out;
}

char *run_path_app(const char *board, const char *name)
{
    return in_firmware(board, "apps", name);
}

char *run_path_loader(const char *board)
{
    return in_firmware(board, "loader", "flash.bin");
}

char *run_path_installer(const char *board)
{
    return in_firmware(board, "loader", "install.bin");
}

char *run_path_groups(void)
{
    return find(&groups);
}

char *run_path_models(void)
{
    return find(&models);
}

char *run_path_skeleton(void)
{
    return find(&skeleton);
}

char *run_path_gdb(void)
{
    return find(&gdb);
}

char *run_path_ci(void)
{
    return find(&ci);
}

static char *in_calibrations(const char *before, const char *name, const char *end)
{
    char *const folder = find(&calibrations);
    char *out = NULL;

    if (folder != NULL && asprintf(&out, "%s%s%s%s", folder, before, name, end) < 0)
        out = NULL;
    free(folder);
    return out;
}

char *run_path_calibration(const char *name)
{
    char *out;

    if (strchr(name, '/') != NULL)
        return strdup(name);
    out = in_calibrations("/", name, ".conf");
    if (out != NULL && access(out, F_OK) != 0) {
        char *const other = in_calibrations("/assumptions/", name, ".conf");
        if (other != NULL && access(other, F_OK) == 0) {
            free(out);
            return other;
        }
        free(other);
    }
    return out;
}

char *run_path_assumptions(void)
{
    return in_calibrations("/", "assumptions", "");
}

char *run_path_laws(void)
{
    return in_calibrations("/", "scaling", ".laws");
}

char *run_path_locks(void)
{
    const char *const named = getenv("MPJOULE_LOCKS");
    struct stat st;

    if (named != NULL && named[0] != '\0')
        return strdup(named);
    /* the same for all users: not what this one may write */
    return strdup(stat("/run/lock", &st) == 0 && (st.st_mode & S_IWOTH) ? "/run/lock/mpjoule"
                                                                        : "/tmp/mpjoule-locks");
}

char *run_path_health(void)
{
    const char *const state = getenv("XDG_STATE_HOME");
    const char *const home = getenv("HOME");
    char *out = NULL;
    int n = -1;

    if (state != NULL && state[0] == '/')
        n = asprintf(&out, "%s/mpjoule/boards", state);
    else if (home != NULL && home[0] == '/')
        n = asprintf(&out, "%s/.local/state/mpjoule/boards", home);
    return n < 0 ? NULL : out;
}

char *run_path_port_locks(void)
{
    const char *const named = getenv("MPJOULE_PORT_LOCKS");

    return strdup(named != NULL && named[0] != '\0' ? named : "/var/lock");
}
