/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Preloaded in tests: makes a pseudo-terminal look like a serial port, so that the real
 * libserialport opens and drives it. MPJ_PTY_SERIAL=/dev/ttyNAME=/path/of/the/link. The library
 * looks the name up in /sys/class/tty and asks for modem lines, which a pseudo-terminal has neither
 * of. MPJ_PTY_OPENS=file: a byte for each time that it is opened. MPJ_FORK_MS: that mpjoule
 * waits after each fork, as on a busy machine.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#define SYS "/sys/class/tty/"

/* The other name of a path; the path itself when it is not ours. Debian 13's sb asks for NULL. */
static const char *other(const char *path)
{
    const char *const map = getenv("MPJ_PTY_SERIAL");
    const size_t n = map != NULL ? strcspn(map, "=") : 0;

    return n > 0 && path != NULL && strlen(path) == n && strncmp(path, map, n) == 0 ? map + n + 1
                                                                                    : path;
}

static bool sysfs_name(const char *path)
{
    const char *const map = getenv("MPJ_PTY_SERIAL");
    const size_t n = map != NULL ? strcspn(map, "=") : 0;

    return n > 5 && strncmp(path, SYS, strlen(SYS)) == 0 &&
           strncmp(path + strlen(SYS), map + 5, n - 5) == 0 &&
           (path[strlen(SYS) + n - 5] == '\0' || path[strlen(SYS) + n - 5] == '/');
}

static void tell_open(int (*real)(const char *, int, ...))
{
    const char *const file = getenv("MPJ_PTY_OPENS");
    const int fd = file != NULL ? real(file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666) : -1;

    if (fd >= 0 && write(fd, "o", 1) == 1)
        close(fd);
}

int open(const char *path, int flags, ...)
{
    static int (*real)(const char *, int, ...);
    va_list ap;
    mode_t mode;

    if (real == NULL)
        *(void **)&real = dlsym(RTLD_NEXT, "open");
    va_start(ap, flags);
    mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(ap, mode_t) : 0;
    va_end(ap);
    if (other(path) != path)
        tell_open(real);
    return real(other(path), flags, mode);
}

int access(const char *path, int mode)
{
    static int (*real)(const char *, int);

    if (real == NULL)
        *(void **)&real = dlsym(RTLD_NEXT, "access");
    return real(other(path), mode);
}

int stat(const char *path, struct stat *st)
{
    static int (*real)(const char *, struct stat *);

    if (real == NULL)
        *(void **)&real = dlsym(RTLD_NEXT, "stat");
    return real(other(path), st);
}

int lstat(const char *path, struct stat *st)
{
    static int (*real)(const char *, struct stat *);

    if (sysfs_name(path)) {
        memset(st, 0, sizeof(*st));
        st->st_mode = S_IFLNK | 0777;
        return 0;
    }
    if (real == NULL)
        *(void **)&real = dlsym(RTLD_NEXT, "lstat");
    return real(path, st);
}

/* The names the distribution's library was linked against. */
int __lxstat(int version, const char *path, struct stat *st);
int __lxstat(int version, const char *path, struct stat *st)
{
    (void)version;
    return lstat(path, st);
}

int __open_2(const char *path, int flags);
int __open_2(const char *path, int flags)
{
    return open(path, flags);
}

/* Debian 13's library resolves links in the name first. */
char *realpath(const char *restrict path, char *restrict resolved)
{
    static char *(*real)(const char *, char *);

    if (other(path) != path)
        return resolved != NULL ? strcpy(resolved, path) : strdup(path);
    if (real == NULL)
        *(void **)&real = dlsym(RTLD_NEXT, "realpath");
    return real(path, resolved);
}

char *__realpath_chk(const char *path, char *resolved, size_t size);
char *__realpath_chk(const char *path, char *resolved, size_t size)
{
    (void)size;
    return realpath(path, resolved);
}

ssize_t readlink(const char *path, char *buf, size_t size)
{
    static const char target[] = "../../devices/platform/pseudo/tty/port";
    static ssize_t (*real)(const char *, char *, size_t);

    if (sysfs_name(path)) {
        const size_t n = sizeof(target) - 1 < size ? sizeof(target) - 1 : size;
        memcpy(buf, target, n);
        return (ssize_t)n;
    }
    if (real == NULL)
        *(void **)&real = dlsym(RTLD_NEXT, "readlink");
    return real(path, buf, size);
}

/* MPJ_PTY_LINES=file: what happens to DTR, RTS and the data line, a line each: "+dtr", "-rts",
 * "+break". */
static void tell_line(bool on, int lines)
{
    const char *const file = getenv("MPJ_PTY_LINES");
    FILE *const f = file != NULL ? fopen(file, "ae") : NULL;

    if (f == NULL)
        return;
    fprintf(f, "%c%s\n", on ? '+' : '-',
            lines & TIOCM_DTR  ? "dtr"
            : lines & TIOCM_ST ? "break"
                               : "rts");
    fclose(f);
}

int ioctl(int fd, unsigned long request, ...)
{
    static int (*real)(int, unsigned long, ...);
    va_list ap;
    void *arg;

    va_start(ap, request);
    arg = va_arg(ap, void *);
    va_end(ap);
    if (real == NULL)
        *(void **)&real = dlsym(RTLD_NEXT, "ioctl");
    if (request == TIOCMGET) {
        *(int *)arg = TIOCM_CTS | TIOCM_DSR | TIOCM_CAR;
        return isatty(fd) ? 0 : real(fd, request, arg);
    }
    if (request == TIOCMBIS || request == TIOCMBIC)
        tell_line(request == TIOCMBIS, *(int *)arg);
    if (request == TIOCSBRK || request == TIOCCBRK) {
        tell_line(request == TIOCSBRK, TIOCM_ST);
        return isatty(fd) ? 0 : real(fd, request, arg);
    }
    if (request == TIOCMSET || request == TIOCMBIS || request == TIOCMBIC)
        return isatty(fd) ? 0 : real(fd, request, arg);
    return real(fd, request, arg);
}

pid_t fork(void)
{
    static pid_t (*real)(void);
    const char *const ms = getenv("MPJ_FORK_MS");
    pid_t pid;

    if (real == NULL)
        *(void **)&real = dlsym(RTLD_NEXT, "fork");
    pid = real();
    if (pid > 0 && ms != NULL && strcmp(program_invocation_short_name, "mpjoule") == 0)
        poll(NULL, 0, atoi(ms));
    return pid;
}
