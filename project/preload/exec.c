/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loaded into the programs of a build (LD_PRELOAD of `mpjoule build`): where one of them executes
 * an image of the target by its path, `mpjoule exec IMAGE ARGS` is executed instead. MPJOULE_EXEC
 * names mpjoule; without it nothing changes. All memory is on the stack, since a child between
 * vfork and exec shares its parent's memory.
 */
#include <alloca.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "image_magic.h"

#define PATH_DEFAULT "/bin:/usr/bin"

typedef int spawn_fn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                     const posix_spawnattr_t *attr, char *const argv[], char *const envp[]);

static char mpjoule[PATH_MAX];
static char word[] = "exec";
static struct {
    int (*execve)(const char *path, char *const argv[], char *const envp[]);
    int (*execvpe)(const char *file, char *const argv[], char *const envp[]);
    spawn_fn *spawn, *spawnp;
} real;

__attribute__((constructor)) static void begin(void)
{
    const char *const name = getenv("MPJOULE_EXEC");

    *(void **)&real.execve = dlsym(RTLD_NEXT, "execve");
    *(void **)&real.execvpe = dlsym(RTLD_NEXT, "execvpe");
    *(void **)&real.spawn = dlsym(RTLD_NEXT, "posix_spawn");
    *(void **)&real.spawnp = dlsym(RTLD_NEXT, "posix_spawnp");
    if (name != NULL && strlen(name) < sizeof(mpjoule))
        memcpy(mpjoule, name, strlen(name) + 1U);
}

/* True if the file is an executable image of the target, and there is an mpjoule to run it. */
static bool is_image(const char *path)
{
    char first[IMAGE_MAGIC_BYTES];
    const int was = errno;
    struct stat st;
    ssize_t n = 0;
    int fd;

    if (mpjoule[0] == '\0' || stat(path, &st) != 0 || !S_ISREG(st.st_mode) ||
        access(path, X_OK) != 0) {
        errno = was;
        return false;
    }
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        n = read(fd, first, sizeof(first));
        close(fd);
    }
    errno = was;
    return n > 0 && is_target_image(first, (size_t)n);
}

/* Writes to out the path that execvp() would execute: a path as it is, a name in a folder of PATH;
 * false: none, or it is too long. */
static bool locate(const char *file, char out[PATH_MAX])
{
    const char *path = getenv("PATH");
    const size_t name = strlen(file);

    if (strchr(file, '/') != NULL) {
        if (name < PATH_MAX)
            memcpy(out, file, name + 1U);
        return name < PATH_MAX;
    }
    if (path == NULL)
        path = PATH_DEFAULT;
    for (;;) {
        const size_t len = strcspn(path, ":");
        const char *const folder = len > 0 ? path : ".";
        const size_t n = len > 0 ? len : 1U;
        if (n + name + 2U <= PATH_MAX) {
            memcpy(out, folder, n);
            out[n] = '/';
            memcpy(out + n + 1U, file, name + 1U);
            if (access(out, X_OK) == 0)
                return true;
        }
        if (path[len] == '\0')
            return false;
        path += len + 1U;
    }
}

static size_t count(char *const argv[])
{
    size_t n = 0;

    while (argv[n] != NULL)
        n++;
    return n;
}

#define WORDS_MORE 4U /* mpjoule, exec, the image, the end */

/* Writes argv of `mpjoule exec path argv[1]...` to out, which has count(argv) + WORDS_MORE
 * entries. */
static char **wrap(char **out, const char *path, char *const argv[], size_t n)
{
    out[0] = mpjoule;
    out[1] = word;
    out[2] = (char *)path; /* POSIX: exec does not write to it */
    for (size_t i = 1; i < n; i++)
        out[i + 2U] = argv[i];
    out[n > 1U ? n + 2U : 3U] = NULL;
    return out;
}

int execve(const char *path, char *const argv[], char *const envp[])
{
    char **words;
    size_t n;

    if (!is_image(path))
        return real.execve(path, argv, envp);
    n = count(argv);
    words = alloca((n + WORDS_MORE) * sizeof(*words));
    return real.execve(mpjoule, wrap(words, path, argv, n), envp);
}

int execv(const char *path, char *const argv[])
{
    return execve(path, argv, environ);
}

int execvpe(const char *file, char *const argv[], char *const envp[])
{
    char path[PATH_MAX];

    if (!locate(file, path) || !is_image(path))
        return real.execvpe(file, argv, envp);
    return execve(path, argv, envp);
}

int execvp(const char *file, char *const argv[])
{
    return execvpe(file, argv, environ);
}

/* Counts the arguments of an execl() that follow its first one. */
static size_t more(va_list list)
{
    size_t n = 0;

    while (va_arg(list, char *) != NULL)
        n++;
    return n;
}

/* Copies them to argv, with the NULL. */
static void take(char **argv, const char *first, va_list list)
{
    *argv++ = (char *)first;
    while ((*argv++ = va_arg(list, char *)) != NULL)
        ;
}

int execl(const char *path, const char *arg, ...)
{
    va_list list;
    char **argv;

    va_start(list, arg);
    argv = alloca((more(list) + 2U) * sizeof(*argv));
    va_end(list);
    va_start(list, arg);
    take(argv, arg, list);
    va_end(list);
    return execve(path, argv, environ);
}

int execlp(const char *file, const char *arg, ...)
{
    va_list list;
    char **argv;

    va_start(list, arg);
    argv = alloca((more(list) + 2U) * sizeof(*argv));
    va_end(list);
    va_start(list, arg);
    take(argv, arg, list);
    va_end(list);
    return execvpe(file, argv, environ);
}

int execle(const char *path, const char *arg, ...)
{
    va_list list;
    char **argv;
    char **envp;

    va_start(list, arg);
    argv = alloca((more(list) + 2U) * sizeof(*argv));
    va_end(list);
    va_start(list, arg);
    take(argv, arg, list);
    envp = va_arg(list, char **);
    va_end(list);
    return execve(path, argv, envp);
}

/* Calls posix_spawn() for a file that is not an image, or for `mpjoule exec` with one. */
static int spawn(spawn_fn *as, pid_t *pid, const char *file, const char *path,
                 const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attr,
                 char *const argv[], char *const envp[])
{
    const size_t n = count(argv);
    char **const words = alloca((n + WORDS_MORE) * sizeof(*words));

    if (!is_image(path))
        return as(pid, file, actions, attr, argv, envp);
    return real.spawn(pid, mpjoule, actions, attr, wrap(words, path, argv, n), envp);
}

int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                const posix_spawnattr_t *attr, char *const argv[], char *const envp[])
{
    return spawn(real.spawn, pid, path, path, actions, attr, argv, envp);
}

int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
                 const posix_spawnattr_t *attr, char *const argv[], char *const envp[])
{
    char path[PATH_MAX];

    return spawn(real.spawnp, pid, file, locate(file, path) ? path : file, actions, attr, argv,
                 envp);
}
