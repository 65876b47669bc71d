/* SPDX-License-Identifier: GPL-2.0-or-later */

#include "newlib_io.h"
#include "stdio_lock.h"

int __real_putc(int c, FILE *f);
int __wrap_putc(int c, FILE *f);
int __wrap_fputc(int c, FILE *f) __attribute__((alias("__wrap_putc")));
int __wrap_putchar(int c);

/* Writes a byte the slow way (see stdio_get.c). */
static __attribute__((noinline)) int more(int c, FILE *f)
{
    if (mpj_stdio_lock.owner == mpj_thread_self()) /* flockfile() */
        return __real_putc(c, f);
    mpj_rlock_take(&mpj_stdio_lock, __builtin_return_address(0));
    c = __real_putc(c, f);
    mpj_rlock_give(&mpj_stdio_lock);
    return c;
}

static __attribute__((noinline)) int flush(int c, FILE *f)
{
    c = __real_putc(c, f);
    mpj_rlock_give(&mpj_stdio_lock);
    return c;
}

/* True if the byte does not fit or ends a line. _w is the free space in the buffer; for a
 * line-buffered stream it is 0 or less, but not less than _lbfsize. */
static inline bool full(const FILE *f, unsigned char byte)
{
    return f->_w <= 0 && (f->_w <= f->_lbfsize || byte == '\n');
}

static inline void add(FILE *f, unsigned char byte)
{
    f->_w--;
    *f->_p++ = byte;
}

static __attribute__((noinline)) int shared(int c, FILE *f, struct mpj_thread *self)
{
    const uint32_t hold = self->hold;
    const unsigned char byte = (unsigned char)c;

    mpj_brief_hold(self, hold);
    if (!mpj_brief_take(&mpj_stdio_lock, self)) {
        self->hold = hold;
        return more(c, f);
    }
    if (full(f, byte))
        return flush(c, f);
    add(f, byte);
    if (mpj_brief_untake(&mpj_stdio_lock))
        return mpj_brief_waking(byte, &mpj_stdio_lock);
    if (mpj_brief_release(self, hold))
        return mpj_brief_polled(byte);
    return mpj_brief_result(byte);
}

static inline int put(int c, FILE *f)
{
    struct mpj_thread *const self = mpj_thread_self();
    const unsigned char byte = (unsigned char)c;

    if (!self->alone)
        return shared(c, f, self);
    if (full(f, byte))
        return more(c, f);
    add(f, byte);
    return byte;
}

int __wrap_putc(int c, FILE *f)
{
    return put(c, f);
}

int __wrap_putchar(int c)
{
    return put(c, stdout);
}

MPJ_LOCKED(int, puts, (const char *s), (s))
MPJ_LOCKED(int, fputs, (const char *s, FILE *f), (s, f))
MPJ_LOCKED(int, putw, (int w, FILE *f), (w, f))
/* newlib returns n even if size is 0. */
MPJ_LOCKED(size_t, fwrite, (const void *p, size_t size, size_t n, FILE *f),
           (p, size, size != 0 ? n : 0, f))
MPJ_LOCKED(int, fflush, (FILE * f), (f))
MPJ_LOCKED_VOID(perror, (const char *s), (s))
