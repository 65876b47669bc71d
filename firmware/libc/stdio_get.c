/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <sys/types.h>

#include "newlib_io.h"
#include "stdio_lock.h"

int __real_getc(FILE *f);
int __wrap_getc(FILE *f);
int __wrap_fgetc(FILE *f) __attribute__((alias("__wrap_getc")));
int __wrap_getchar(void);

/*
 * Reads a byte the slow way. Programs read all their input by these functions: a byte that is in
 * the buffer costs little more than the lock. Rare cases are tail calls, so that the compiler saves
 * no registers for them.
 */
static __attribute__((noinline)) int more(FILE *f)
{
    int c;

    if (mpj_stdio_lock.owner == mpj_thread_self()) /* flockfile() */
        return __real_getc(f);
    mpj_rlock_take(&mpj_stdio_lock, __builtin_return_address(0));
    c = __real_getc(f);
    mpj_rlock_give(&mpj_stdio_lock);
    return c;
}

static __attribute__((noinline)) int refill(FILE *f)
{
    const int c = __real_getc(f);

    mpj_rlock_give(&mpj_stdio_lock);
    return c;
}

static __attribute__((noinline)) int shared(FILE *f, struct mpj_thread *self)
{
    const uint32_t hold = self->hold;
    int c;

    mpj_brief_hold(self, hold);
    if (!mpj_brief_take(&mpj_stdio_lock, self)) {
        self->hold = hold;
        return more(f);
    }
    if (f->_r <= 0)
        return refill(f);
    f->_r--;
    c = *f->_p++;
    if (mpj_brief_untake(&mpj_stdio_lock))
        return mpj_brief_waking(c, &mpj_stdio_lock);
    if (mpj_brief_release(self, hold))
        return mpj_brief_polled(c);
    return mpj_brief_result(c);
}

static inline int get(FILE *f)
{
    struct mpj_thread *const self = mpj_thread_self();

    if (!self->alone)
        return shared(f, self);
    if (f->_r <= 0)
        return more(f);
    f->_r--;
    return *f->_p++;
}

int __wrap_getc(FILE *f)
{
    return get(f);
}

int __wrap_getchar(void)
{
    return get(stdin);
}

MPJ_LOCKED(int, getw, (FILE * f), (f))
MPJ_LOCKED(int, ungetc, (int c, FILE *f), (c, f))
MPJ_LOCKED(char *, gets, (char *s), (s))
MPJ_LOCKED(char *, fgets, (char *s, int n, FILE *f), (s, n, f))
MPJ_LOCKED(size_t, fread, (void *p, size_t size, size_t n, FILE *f), (p, size, n, f))
MPJ_LOCKED(ssize_t, __getline, (char **line, size_t *size, FILE *f), (line, size, f))
MPJ_LOCKED(ssize_t, __getdelim, (char **line, size_t *size, int c, FILE *f), (line, size, c, f))
