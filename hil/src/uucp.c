/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hil/uucp.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

#define TEXT_MAX      32U
#define NAME_MAX_COMM 32U
#define TRIES         5U /* while others take and leave it */

static char *lock_path(const char *folder, const char *device)
{
    char real[PATH_MAX];
    const char *name = realpath(device, real) != NULL ? real : device;
    char *out = NULL;

    if (strncmp(name, "/dev/", 5) == 0)
        name += 5;
    if (asprintf(&out, "%s/LCK..%s", folder, name) < 0)
        return NULL;
    for (char *p = out + strlen(folder) + 1; *p != '\0'; p++) {
        if (*p == '/')
            *p = '_';
    }
    return out;
}

enum found { FREE, STALE, UNKNOWN, HELD };

/* Reads the holder of a lock. Programs older than the standard write the number as an int. */
static enum found look(const char *path, long *pid)
{
    const int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    char text[TEXT_MAX + 1];
    int number;
    ssize_t n;

    if (fd < 0)
        return errno == ENOENT ? FREE : UNKNOWN;
    n = read(fd, text, TEXT_MAX);
    close(fd);
    text[n > 0 ? n : 0] = '\0';
    *pid = strtol(text, NULL, 10);
    if (n == sizeof(number) && *pid == 0) {
        memcpy(&number, text, sizeof(number));
        *pid = number;
    }
    if (*pid <= 0 || *pid > INT_MAX)
        return UNKNOWN;
    if (*pid == getpid()) /* of a process that had the same number */
        return STALE;
    return kill((pid_t)*pid, 0) == 0 || errno != ESRCH ? HELD : STALE;
}

/* Describes the holder: "process 1230 (minicom), as /var/lock/LCK..ttyUSB0 says". */
static void describe(const char *path, enum found found, long pid, char *out, size_t cap)
{
    char comm[40];
    char name[NAME_MAX_COMM] = "?";
    FILE *f;

    if (found == UNKNOWN) {
        snprintf(out, cap, "%s, which does not name a process", path);
        return;
    }
    snprintf(comm, sizeof(comm), "/proc/%ld/comm", pid);
    f = fopen(comm, "re");
    if (f != NULL) {
        if (fgets(name, sizeof(name), f) != NULL)
            name[strcspn(name, "\n")] = '\0';
        fclose(f);
    }
    snprintf(out, cap, "process %ld (%s), as %s says", pid, name, path);
    mpj_text_clean(out);
}

static int held(const char *device, const char *path, enum found found, long pid,
                struct mpj_err *err)
{
    char holder[PATH_MAX + 80];

    describe(path, found, pid, holder, sizeof(holder));
    return found == UNKNOWN
               ? mpj_err_set(err, MPJ_E_BUSY,
                             "%s is locked by %s: remove it if no program uses the port", device,
                             holder)
               : mpj_err_set(err, MPJ_E_BUSY, "%s is held by %s", device, holder);
}

void mpj_uucp_holder(const char *folder, const char *device, char *out, size_t cap)
{
    char *const path = lock_path(folder, device);
    enum found found;
    long pid = 0;

    out[0] = '\0';
    if (path == NULL)
        return;
    found = look(path, &pid);
    if (found == HELD || found == UNKNOWN)
        describe(path, found, pid, out, cap);
    free(path);
}

static int put_pid(const void *what, FILE *f, struct mpj_err *err)
{
    (void)what;
    /* for everybody to read, whatever the umask */
    if (fprintf(f, "%10ld\n", (long)getpid()) < 0 || fchmod(fileno(f), 0644) != 0)
        return mpj_err_errno(err, "cannot write a lock");
    return MPJ_E_OK;
}

int mpj_uucp_take(char **lock, const char *folder, const char *device, struct mpj_err *err)
{
    char *const path = lock_path(folder, device);
    enum found found = UNKNOWN;
    struct mpj_err ignored;
    bool failed = false;
    long pid = 0;

    *lock = NULL;
    if (path == NULL)
        return mpj_err_nomem(err);
    for (unsigned tries = 0; *lock == NULL && !failed && tries < TRIES; tries++) {
        found = look(path, &pid);
        if (found == UNKNOWN || found == HELD)
            break;
        if (found == STALE && unlink(path) != 0 && errno != ENOENT)
            failed = true; /* another user's, who is dead */
        else if (mpj_file_new(path, put_pid, NULL, &ignored) == MPJ_E_OK)
            *lock = path;
        else
            failed = access(path, F_OK) != 0;
    }
    if (*lock == NULL && !failed)
        held(device, path, found, pid, err);
    if (*lock == NULL)
        free(path);
    return *lock != NULL || failed ? MPJ_E_OK : err->code;
}

void mpj_uucp_release(char *lock)
{
    long pid = 0;

    /* what looks like a dead process's with our number is ours */
    if (lock != NULL && look(lock, &pid) == STALE && pid == getpid())
        unlink(lock);
    free(lock);
}
