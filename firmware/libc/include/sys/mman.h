/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory, and copies of files in it. */
#ifndef MPJ_SYS_MMAN_H
#define MPJ_SYS_MMAN_H

#include <mpj_large.h>
#include <stddef.h>
#include <sys/types.h>

#define PROT_NONE             0
#define PROT_READ             1
#define PROT_WRITE            2
#define PROT_EXEC             4

#define MAP_SHARED            0x01
#define MAP_PRIVATE           0x02
#define MAP_FIXED             0x10
#define MAP_ANONYMOUS         0x20
#define MAP_ANON              MAP_ANONYMOUS
#define MAP_NORESERVE         0x4000
#define MAP_LOCKED            0x2000
#define MAP_POPULATE          0x8000
#define MAP_HUGETLB           0x40000
#define MAP_STACK             0x20000
#define MAP_FAILED            ((void *)-1)

#define MS_ASYNC              1
#define MS_INVALIDATE         2
#define MS_SYNC               4

#define MADV_NORMAL           0
#define MADV_RANDOM           1
#define MADV_SEQUENTIAL       2
#define MADV_WILLNEED         3
#define MADV_DONTNEED         4
#define MADV_HUGEPAGE         14
#define MADV_NOHUGEPAGE       15
#define POSIX_MADV_NORMAL     MADV_NORMAL
#define POSIX_MADV_RANDOM     MADV_RANDOM
#define POSIX_MADV_SEQUENTIAL MADV_SEQUENTIAL
#define POSIX_MADV_WILLNEED   MADV_WILLNEED
#define POSIX_MADV_DONTNEED   MADV_DONTNEED

#define MCL_CURRENT           1
#define MCL_FUTURE            2

/*
 * Heap, static data and stacks can be read and written and not executed: a jump there ends the run
 * with a fault that says so. PROT_EXEC, of mmap() or mprotect(), lets pages of 4 KB be executed.
 * New code has to be told to the caches of all cores by __builtin___clear_cache(first, end),
 * cacheflush() (sys/cachectl.h) or syscall(__ARM_NR_cacheflush, first, end, 0), as on any ARM.
 * Nothing takes the right to read or write away: PROT_NONE and PROT_READ are not enforced.
 */

/*
 * Memory from the heap, zero, or with the file's contents at the time of the call. Nothing is
 * written back: MAP_SHARED of a file with PROT_WRITE fails with ENODEV. MAP_FIXED and a hint of an
 * address are not followed; the former is EINVAL. MAP_FAILED with errno on failure.
 */
void *mmap(void *hint, size_t length, int protection, int flags, int fd, off_t offset);
/* Gives back what mmap() gave, whole; a part of it stays until then. Returns 0. */
int munmap(void *p, size_t length);

#if __GNU_VISIBLE
#define MREMAP_MAYMOVE 1
/* What mmap() gave, with another length: elsewhere when it gets longer, for which MREMAP_MAYMOVE
 * has to be there (else ENOMEM), and not executable then. MAP_FAILED with errno. */
void *mremap(void *old, size_t length, size_t wanted, int flags, ...);
#endif

/* Only PROT_EXEC has an effect, see above. EINVAL: p is not a multiple of 4096; EACCES: PROT_WRITE
 * to the program's code, or PROT_EXEC and PROT_WRITE where there is no data memory. */
int mprotect(void *p, size_t length, int protection);

/* Memory is always there and stays in RAM: these do nothing. Return 0. */
int msync(void *p, size_t length, int flags);
int madvise(void *p, size_t length, int advice);
int posix_madvise(void *p, size_t length, int advice);
int mlock(const void *p, size_t length);
int munlock(const void *p, size_t length);
int mlockall(int flags);
int munlockall(void);

/* ENOSYS: there is one process. */
int shm_open(const char *name, int flags, mode_t mode);
int shm_unlink(const char *name);

#ifdef MPJ_LARGE
static __inline__ void *mmap64(void *hint, size_t length, int protection, int flags, int fd,
                               off64_t offset)
{
    return mpj_large_fits(offset) ? mmap(hint, length, protection, flags, fd, (off_t)offset)
                                  : MAP_FAILED;
}
#endif

#endif
