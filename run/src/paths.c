/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/paths.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A path in the build tree: the executable is BUILD/host/cli/mpjoule. */
static char *in_build(const char *relative)
{
    char self[PATH_MAX];
    const ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
    char *out = NULL;

    if (n <= 0)
        return NULL;
    self[n] = '\0';
    for (unsigned up = 0; up < 3; up++) {
        char *slash = strrchr(self, '/');
        if (slash != NULL)
            *slash = '\0';
    }
    return asprintf(&out, "%s/%s", self, relative) < 0 ? NULL : out;
}

static char *from_environment(const char *name, const char *relative)
{
    const char *const value = getenv(name);

    return value != NULL && value[0] != '\0' ? strdup(value) : in_build(relative);
}

char *run_path_qemu(void)
{
    return from_environment("MPJOULE_QEMU", "sim/qemu-system-arm");
}

char *run_path_firmware(void)
{
    return from_environment("MPJOULE_FIRMWARE", "firmware");
}

static char *in_firmware(const char *under, const char *name)
{
    char *const folder = run_path_firmware();
    char *out = NULL;

    if (folder != NULL && asprintf(&out, "%s/%s/%s", folder, under, name) < 0)
        out = NULL;
    free(folder);
    return out;
}

char *run_path_app(const char *name)
{
    return in_firmware("apps", name);
}

char *run_path_installer(void)
{
    return in_firmware("loader", "install.bin");
}

char *run_path_groups(void)
{
    return from_environment("MPJOULE_GROUPS", "../models/groups");
}

char *run_path_models(void)
{
    return from_environment("MPJOULE_MODELS", "../models");
}

char *run_path_calibration(const char *name)
{
    char *folder;
    char *out = NULL;

    if (strchr(name, '/') != NULL)
        return strdup(name);
    folder = from_environment("MPJOULE_CALIBRATIONS", "../sim/calibrations");
    if (folder != NULL && asprintf(&out, "%s/%s.conf", folder, name) < 0)
        out = NULL;
    free(folder);
    return out;
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

char *run_path_port_locks(void)
{
    const char *const named = getenv("MPJOULE_PORT_LOCKS");

    return strdup(named != NULL && named[0] != '\0' ? named : "/var/lock");
}
