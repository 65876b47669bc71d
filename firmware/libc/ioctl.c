/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ioctl() of pipes and files: no descriptor is a terminal. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files.h"
#include "objects.h"

static int fail(int error)
{
    errno = error;
    return -1;
}

/* Sets *bytes to the number that can be read without waiting. */
static int readable(int fd, int *bytes)
{
    struct mpj_object *const o =
        mpj_object_of(mpj_file_host(fd)) != NULL ? mpj_object_hold(fd, NULL) : NULL;
    struct stat st;
    off_t at;

    if (o != NULL) {
        hal_irq_state s = mpj_sched_lock();
        const size_t n = o->ops->available != NULL ? o->ops->available(o) : SIZE_MAX;

        mpj_sched_unlock(s);
        mpj_object_drop(o);
        if (n == SIZE_MAX)
            return fail(ENOTTY);
        *bytes = (int)n;
        return 0;
    }
    if (fstat(fd, &st) != 0)
        return -1;
    at = S_ISREG(st.st_mode) ? lseek(fd, 0, SEEK_CUR) : -1;
    if (at < 0)
        return fail(ENOTTY);
    *bytes = (int)(st.st_size - at);
    return 0;
}

int ioctl(int fd, unsigned long request, ...)
{
    const int flags = fcntl(fd, F_GETFL);
    va_list ap;
    int *arg;

    va_start(ap, request);
    arg = va_arg(ap, int *);
    va_end(ap);
    if (flags < 0)
        return -1;
    if (request != FIONREAD && request != FIONBIO)
        return fail(ENOTTY);
    if (!mpj_file_memory(arg, sizeof(*arg), request == FIONREAD))
        return -1;
    if (request == FIONREAD)
        return readable(fd, arg);
    return fcntl(fd, F_SETFL, *arg != 0 ? flags | O_NONBLOCK : flags & ~O_NONBLOCK);
}
