/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory mappings: docs/manual/programs-for-linux.md describes what is supported. */
#ifndef MPJ_LIBC_SYS_MMAN_H
#define MPJ_LIBC_SYS_MMAN_H

#include <bits/size_t.h>
#include <features.h>

typedef long off_t;
typedef unsigned int mode_t;

#define PROT_NONE      0x0
#define PROT_READ      0x1
#define PROT_WRITE     0x2
#define PROT_EXEC      0x4
#define PROT_GROWSDOWN 0x01000000
#define PROT_GROWSUP   0x02000000
#define MAP_SHARED     0x01
#define MAP_PRIVATE    0x02
#define MAP_FIXED      0x10
#if defined(__USE_MISC)
#define MAP_FILE            0
#define MAP_SHARED_VALIDATE 0x03
#define MAP_TYPE            0x0f
#define MAP_ANONYMOUS       0x20
#define MAP_GROWSDOWN       0x00100
#define MAP_DENYWRITE       0x00800
#define MAP_EXECUTABLE      0x01000
#define MAP_LOCKED          0x02000
#define MAP_NORESERVE       0x04000
#define MAP_POPULATE        0x08000
#define MAP_NONBLOCK        0x10000
#define MAP_STACK           0x20000
#define MAP_HUGETLB         0x40000
#define MAP_SYNC            0x80000
#define MAP_FIXED_NOREPLACE 0x100000
#endif
#define MAP_FAILED ((void *)-1)
#ifdef __USE_MISC
#define MAP_ANON MAP_ANONYMOUS
#endif
#define MS_ASYNC      1
#define MS_INVALIDATE 2
#define MS_SYNC       4
#if defined(__USE_MISC)
#define MADV_NORMAL          0
#define MADV_RANDOM          1
#define MADV_SEQUENTIAL      2
#define MADV_WILLNEED        3
#define MADV_DONTNEED        4
#define MADV_FREE            8
#define MADV_REMOVE          9
#define MADV_DONTFORK        10
#define MADV_DOFORK          11
#define MADV_MERGEABLE       12
#define MADV_UNMERGEABLE     13
#define MADV_HUGEPAGE        14
#define MADV_NOHUGEPAGE      15
#define MADV_DONTDUMP        16
#define MADV_DODUMP          17
#define MADV_WIPEONFORK      18
#define MADV_KEEPONFORK      19
#define MADV_COLD            20
#define MADV_PAGEOUT         21
#define MADV_POPULATE_READ   22
#define MADV_POPULATE_WRITE  23
#define MADV_DONTNEED_LOCKED 24
#define MADV_HWPOISON        100
#endif
#if defined(__USE_XOPEN2K)
#define POSIX_MADV_NORMAL     0
#define POSIX_MADV_RANDOM     1
#define POSIX_MADV_SEQUENTIAL 2
#define POSIX_MADV_WILLNEED   3
#define POSIX_MADV_DONTNEED   4
#endif
#define MCL_CURRENT 1
#define MCL_FUTURE  2
#define MCL_ONFAULT 4

/*
 * Heap, static data and stacks can be read and written and not executed: a jump there ends the run
 * with a fault that says so. PROT_EXEC, of mmap() or mprotect(), makes pages of 4 KB executable.
 * Before new code is executed, the caches of all cores need __builtin___clear_cache(first, end),
 * cacheflush() (sys/cachectl.h) or syscall(__ARM_NR_cacheflush, first, end, 0), as on any ARM.
 * Memory is always readable and writable: PROT_NONE and PROT_READ are not enforced.
 *
 * mmap() returns memory from the heap, zeroed, or with the file's contents at the time of the call.
 * Nothing is written back: MAP_SHARED of a file with PROT_WRITE fails with ENODEV. MAP_FIXED is
 * EINVAL, and a hint of an address is ignored. munmap() frees a whole mapping; a part of one stays
 * until then.
 *
 * Memory is always resident: msync(), madvise(), mlock() and their like do nothing. shm_open()
 * fails with ENOSYS.
 */
__MPJ_BEGIN

void *mmap(void *, size_t, int, int, int, off_t);
int munmap(void *, size_t);
int mprotect(void *, size_t, int);
int msync(void *, size_t, int);
int mlock(const void *, size_t);
int munlock(const void *, size_t);
int mlockall(int);
int munlockall(void);
int shm_open(const char *, int, mode_t);
int shm_unlink(const char *);
#if defined(__USE_MISC)
int madvise(void *, size_t, int);
#endif
#if defined(__USE_GNU)
#define MREMAP_MAYMOVE    1
#define MFD_CLOEXEC       1U
#define MFD_ALLOW_SEALING 2U
#define MFD_HUGETLB       4U
/* Creates a file without a name in the folder of `mpjoule run --dir`, for reading and writing.
 * EINVAL: flags other than MFD_CLOEXEC, a name of more than 249 bytes. */
int memfd_create(const char *, unsigned);
/* Changes the length of a mapping. A longer one moves, which requires MREMAP_MAYMOVE (else ENOMEM),
 * and is not executable afterwards. MAP_FAILED with errno. */
void *mremap(void *, size_t, size_t, int, ...);
#endif
#if defined(__USE_XOPEN2K)
int posix_madvise(void *, size_t, int);
#endif

__MPJ_END

#ifdef __USE_LARGEFILE64
#include <bits/large.h>

static __inline__ void *mmap64(void *__hint, size_t __length, int __protection, int __flags,
                               int __fd, long long __offset)
{
    return __mpj_large_fits(__offset)
               ? mmap(__hint, __length, __protection, __flags, __fd, (long)__offset)
               : MAP_FAILED;
}
#endif

#endif
