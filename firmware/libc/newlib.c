/* SPDX-License-Identifier: GPL-2.0-or-later */
/* System calls that newlib needs: heap and console. Files are in files.c, time in clocks.c, exit in
 * ends.c. */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files.h"
#include "hal_map.h"
#include "heap.h"
#include "mpj.h"
#include "mpj_out.h"
#include "mpj_prof.h"
#include "mpj_prof_thread.h"
#include "mpj_sched.h"
#include "mpj_target_run.h"

#define FD_STDOUT 1
#define FD_STDERR 2

/* newlib declares these functions for its own use only. */
void *_sbrk(ptrdiff_t increment);
int _getpid(void);
int _kill(int pid, int sig);

static char *number(char *at, uint64_t kb)
{
    char digit[20];
    unsigned n = 0;

    do {
        digit[n++] = (char)('0' + (unsigned)(kb % 10U));
        kb /= 10U;
    } while (kb != 0);
    while (n > 0)
        *at++ = digit[--n];
    return at;
}

/* Reports the first allocation that fails: programs that do not check the result fault soon
 * after. */
void mpj_heap_failed(uint64_t bytes)
{
    static bool told;
    char line[160];
    char *at = line;
    size_t used;
    size_t limit;

    errno = ENOMEM;
    if (__atomic_exchange_n(&told, true, __ATOMIC_RELAXED))
        return;
    mpj_mem_use(&used, &limit);
    at = stpcpy(at, "mpjoule: out of memory: the heap cannot grow by ");
    at = number(at, bytes >> 10);
    at = stpcpy(at, " KB, it has ");
    at = number(at, used >> 10);
    at = stpcpy(at, " of ");
    at = number(at, limit >> 10);
    at = stpcpy(at, " KB (RAM is ");
    at = number(at, BOARD_RAM_BYTES >> 20);
    at = stpcpy(at, " MB, less code, data and stacks)\n");
    mpj_out_console(MPJ_REC_CONSOLE_ERR, line, (size_t)(at - line));
}

void *_sbrk(ptrdiff_t increment)
{
    void *old = mpj_mem_sbrk(increment);

    if (old == (void *)-1)
        mpj_heap_failed((size_t)increment);
    return old;
}

int _write(int fd, const void *data, size_t len)
{
    struct mpj_hook_thread *const self = &mpj_thread_self()->prof;
    const int host = mpj_file_host(fd);

    if (host != FD_STDOUT && host != FD_STDERR)
        return mpj_file_write(fd, data, len);
    if (!mpj_file_memory(data, len, false))
        return -1;
    mpj_thread_hold(); /* a handler's time would be the program's */
    mpj_prof_host_begin(self);
    mpj_out_console(host == FD_STDOUT ? MPJ_REC_CONSOLE_OUT : MPJ_REC_CONSOLE_ERR, data, len);
    /* The program is using the line anyway. */
    if (mpj_prof_wants_drain())
        mpj_prof_drain();
    mpj_prof_host_end(self);
    mpj_thread_release();
    return (int)len;
}

int _getpid(void)
{
    return 1;
}

int _kill(int pid, int sig)
{
    (void)pid;
    mpj_run_exit(128 + sig, MPJ_END_ABORT); /* linked along with newlib's getpid() */
}
