/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "holder.h"

#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "base/errors.h"

/* Reads a line of /proc/locks: "1: FLOCK ADVISORY WRITE PID MAJ:MIN:INODE 0 EOF". Waiting ones,
 * which have an arrow before their kind, are not holders. */
static long holder_in(const char *line, const struct stat *file)
{
    char kind[16];
    char how[16];
    long pid;
    unsigned major;
    unsigned minor;
    unsigned long inode;

    if (sscanf(line, "%*[^:]: %15s %*s %15s %ld %x:%x:%lu", kind, how, &pid, &major, &minor,
               &inode) != 6 ||
        strcmp(kind, "FLOCK") != 0 || strcmp(how, "WRITE") != 0 || inode != file->st_ino ||
        makedev(major, minor) != file->st_dev)
        return 0;
    return pid > 0 ? pid : -1;
}

long flock_holder(const struct stat *file)
{
    FILE *const f = fopen("/proc/locks", "re");
    char line[160];
    long found = 0;

    if (f == NULL)
        return 0;
    while (found == 0 && fgets(line, sizeof(line), f) != NULL)
        found = holder_in(line, file);
    fclose(f);
    return found;
}

void holder_describe(long pid, char *out, size_t cap)
{
    const struct passwd *user = NULL;
    char path[40];
    char comm[32] = "?";
    struct stat st;
    FILE *f;

    snprintf(path, sizeof(path), "/proc/%ld", pid);
    if (stat(path, &st) == 0)
        user = getpwuid(st.st_uid);
    snprintf(path, sizeof(path), "/proc/%ld/comm", pid);
    f = fopen(path, "re");
    if (f != NULL) {
        if (fgets(comm, sizeof(comm), f) != NULL)
            comm[strcspn(comm, "\n")] = '\0';
        fclose(f);
    }
    snprintf(out, cap, "%s, process %ld (%s)", user != NULL ? user->pw_name : "unknown user", pid,
             comm);
    mpj_text_clean(out);
}
