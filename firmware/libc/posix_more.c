/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Small POSIX functions that newlib leaves out. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

int getdate_err;

int posix_fadvise(int fd, off_t from, off_t n, int advice)
{
    struct stat st;

    (void)from;
    if (fstat(fd, &st) != 0)
        return EBADF;
    return n < 0 || advice < POSIX_FADV_NORMAL || advice > POSIX_FADV_NOREUSE ? EINVAL : 0;
}

int posix_fallocate(int fd, off_t from, off_t n)
{
    struct stat st;

    if (from < 0 || n <= 0)
        return EINVAL;
    if (n > INT32_MAX - from)
        return EFBIG;
    if (fstat(fd, &st) != 0)
        return EBADF;
    if (!S_ISREG(st.st_mode))
        return ENODEV;
    return st.st_size < from + n && ftruncate(fd, from + n) != 0 ? errno : 0;
}

int versionsort(const struct dirent **a, const struct dirent **b)
{
    return strverscmp((*a)->d_name, (*b)->d_name);
}

char *canonicalize_file_name(const char *path)
{
    return realpath(path, NULL);
}

void psiginfo(const siginfo_t *info, const char *text)
{
    psignal(info->si_signo, text);
}

struct __jmp_buf_tag *__mpj_sigsave(struct __jmp_buf_tag *env, int save)
{
    env->__saved = save;
    if (save != 0)
        (void)sigprocmask(SIG_BLOCK, NULL, &env->__blocked);
    return env;
}

void siglongjmp(sigjmp_buf env, int value)
{
    if (env->__saved != 0)
        (void)sigprocmask(SIG_SETMASK, &env->__blocked, NULL);
    longjmp(env, value);
}
