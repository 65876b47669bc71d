/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What newlib asks of a system: heap, console, exit. Files are in files.c, time in clocks.c. */
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "files.h"
#include "mpj.h"
#include "mpj_out.h"
#include "mpj_prof.h"
#include "mpj_prof_thread.h"
#include "mpj_sched.h"
#include "mpj_target_run.h"

#define FD_STDOUT 1
#define FD_STDERR 2

/* newlib declares these for its own use only. */
void *_sbrk(ptrdiff_t increment);
int _write(int fd, const void *data, size_t len);
int _getpid(void);
int _kill(int pid, int sig);
_Noreturn void _exit(int status);

void *_sbrk(ptrdiff_t increment)
{
    void *old = mpj_mem_sbrk(increment);

    if (old == (void *)-1)
        errno = ENOMEM;
    return old;
}

int _write(int fd, const void *data, size_t len)
{
    struct mpj_hook_thread *const self = &mpj_thread_self()->prof;
    struct mpj_prof_work work;
    const int host = mpj_file_host(fd);

    if (host != FD_STDOUT && host != FD_STDERR)
        return mpj_file_write(fd, data, len);
    mpj_prof_work_begin(self, &work);
    mpj_out_console(host == FD_STDOUT ? MPJ_REC_CONSOLE_OUT : MPJ_REC_CONSOLE_ERR, data, len);
    /* The program is talking to the line anyway. */
    if (mpj_prof_wants_drain())
        mpj_prof_drain();
    mpj_prof_work_end(self, &work);
    return (int)len;
}

int _getpid(void)
{
    return 1;
}

int _kill(int pid, int sig)
{
    (void)pid;
    mpj_run_exit(128 + sig, MPJ_END_ABORT); /* abort() and assert() come here */
}

/* Declared by newlib's stdlib.h and used by its aligned_alloc(), but missing from it. */
int posix_memalign(void **out, size_t align, size_t size)
{
    void *p;

    if (align < sizeof(void *) || (align & (align - 1U)) != 0)
        return EINVAL;
    p = memalign(align, size);
    if (p == NULL)
        return ENOMEM;
    *out = p;
    return 0;
}

_Noreturn void _exit(int status)
{
    mpj_run_exit(status & 0xff, MPJ_END_EXIT);
}
