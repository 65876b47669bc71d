/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fopencookie() and its like: streams over functions of the program, as the GNU C library has them.
 * newlib's versions use another type for positions, and set errno to 0.
 */
#include <errno.h>
#include <stdlib.h>

#include "newlib_io.h"
#include "rlock.h"

/* newlib's. */
int __sflags(struct _reent *r, const char *mode, int *flags);
FILE *__sfp(struct _reent *r);

struct stream {
    void *cookie;
    cookie_io_functions_t io;
};

static int get(struct _reent *r, void *cookie, char *data, int size)
{
    const struct stream *const s = cookie;

    (void)r;
    return s->io.read != NULL ? (int)s->io.read(s->cookie, data, (size_t)size) : -1;
}

static int put(struct _reent *r, void *cookie, const char *data, int size)
{
    const struct stream *const s = cookie;

    (void)r;
    return s->io.write != NULL ? (int)s->io.write(s->cookie, data, (size_t)size) : 0;
}

static long seek(struct _reent *r, void *cookie, long offset, int whence)
{
    const struct stream *const s = cookie;
    off64_t place = offset;

    (void)r;
    if (s->io.seek(s->cookie, &place, whence) != 0)
        return -1;
    if (place == (long)place)
        return (long)place;
    errno = EOVERFLOW;
    return -1;
}

static int end(struct _reent *r, void *cookie)
{
    struct stream *const s = cookie;
    const int result = s->io.close != NULL ? s->io.close(s->cookie) : 0;

    (void)r;
    free(s);
    return result;
}

/* Allocates a stream in newlib's list of streams; NULL with errno. */
static FILE *stream_of(struct stream *s, int flags, const void *caller)
{
    FILE *f;

    mpj_rlock_take(&mpj_stdio_lock, caller);
    f = __sfp(_REENT);
    if (f != NULL) {
        f->_flags = (short)flags;
        f->_file = -1;
        f->_cookie = s;
        f->_read = get;
        f->_write = put;
        f->_seek = s->io.seek != NULL ? seek : NULL;
        f->_close = end;
    }
    mpj_rlock_give(&mpj_stdio_lock);
    return f;
}

FILE *fopencookie(void *cookie, const char *mode, cookie_io_functions_t io)
{
    int of_files;
    const int flags = __sflags(_REENT, mode, &of_files);
    struct stream *s;
    FILE *f;

    if (flags == 0) /* errno is set already */
        return NULL;
    s = malloc(sizeof(*s));
    if (s == NULL)
        return NULL;
    *s = (struct stream){cookie, io};
    f = stream_of(s, flags, __builtin_return_address(0));
    if (f == NULL)
        free(s);
    return f;
}
