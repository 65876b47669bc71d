/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions that programs for Linux rely on and newlib leaves out. */
#include <err.h>
#include <errno.h>
#include <error.h>
#include <libgen.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "cancel.h"
#include "files.h"
#include "mpj_host.h"
#include "mpj_rt.h"
#include "newlib_io.h"

ssize_t getdelim(char **line, size_t *size, int delimiter, FILE *f)
{
    return __getdelim(line, size, delimiter, f);
}

ssize_t getline(char **line, size_t *size, FILE *f)
{
    return __getline(line, size, f);
}

/* ---- messages ----------------------------------------------------------------- */

static void message(int errnum, const char *fmt, va_list ap)
{
    fprintf(stderr, "%s: ", mpj_host_program());
    if (fmt != NULL)
        vfprintf(stderr, fmt, ap);
    if (errnum != 0)
        fprintf(stderr, "%s%s", fmt != NULL ? ": " : "", strerror(errnum));
    fputc('\n', stderr);
}

void vwarn(const char *fmt, va_list ap)
{
    message(errno, fmt, ap);
}

void vwarnx(const char *fmt, va_list ap)
{
    message(0, fmt, ap);
}

_Noreturn void verr(int status, const char *fmt, va_list ap)
{
    message(errno, fmt, ap);
    exit(status);
}

_Noreturn void verrx(int status, const char *fmt, va_list ap)
{
    message(0, fmt, ap);
    exit(status);
}

void warn(const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    vwarn(fmt, ap);
    va_end(ap);
}

void warnx(const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    vwarnx(fmt, ap);
    va_end(ap);
}

_Noreturn void err(int status, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    verr(status, fmt, ap);
}

_Noreturn void errx(int status, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    verrx(status, fmt, ap);
}

void error(int status, int errnum, const char *fmt, ...)
{
    va_list ap;

    fflush(stdout);
    va_start(ap, fmt);
    message(errnum, fmt, ap);
    va_end(ap);
    if (status != 0)
        exit(status);
}

int timespec_get(struct timespec *ts, int base)
{
    return base == TIME_UTC && clock_gettime(CLOCK_REALTIME, ts) == 0 ? base : 0;
}

/* ---- facts about the system ------------------------------------------------------ */

int get_nprocs(void)
{
    return (int)mpj_rt_cores();
}

int get_nprocs_conf(void)
{
    return (int)mpj_rt_cores();
}

int uname(struct utsname *name)
{
    *name = (struct utsname){"mpjoule", "mpcore", "1", "1", "armv6k", "(none)"};
    return 0;
}

int gethostname(char *name, size_t len)
{
    static const char host[] = "mpcore";

    if (len < sizeof(host)) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(name, host, sizeof(host));
    return 0;
}

/* Does nothing: the host already has the data. */
int fsync(int fd)
{
    mpj_cancel_point();
    return mpj_file_host(fd) < 0 ? -1 : 0;
}

/* ---- names of files -------------------------------------------------------------- */

/* Removes the slashes at the end; NULL or empty: ".". */
static char *trimmed(char *path)
{
    static char dot[2];
    size_t n = path != NULL ? strlen(path) : 0;

    if (n == 0)
        return strcpy(dot, ".");
    while (n > 1 && path[n - 1] == '/')
        path[--n] = '\0';
    return path;
}

char *basename(char *path)
{
    char *const all = trimmed(path);
    char *const slash = strrchr(all, '/');

    return slash != NULL && slash[1] != '\0' ? slash + 1 : all;
}

char *dirname(char *path)
{
    char *const all = trimmed(path);
    char *slash = strrchr(all, '/');

    if (slash == NULL)
        return strcpy(all == path ? trimmed(NULL) : all, ".");
    while (slash > all && slash[-1] == '/')
        slash--;
    slash[slash == all] = '\0';
    return all;
}
