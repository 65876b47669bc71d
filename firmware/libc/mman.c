/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mmap() from the heap, and memory that may be executed. */
#include <sys/mman.h>

#include <errno.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cancel.h"
#include "files.h"
#include "mpj_sched.h"
#include "rlock.h"

#define PAGE 4096U

struct mapping {
    struct mapping *next;
    void *p;
    size_t length;
};

static struct mapping *mappings;
static bool executable_pages; /* set once there are any: otherwise there is nothing to revoke */
static struct mpj_rlock lock;

static void *failed(int error)
{
    errno = error;
    return MAP_FAILED;
}

/* Reads the file's contents up to its end; the rest of the memory stays zero. */
static int fill(void *p, size_t length, int fd, off_t offset)
{
    size_t got = 0;
    ssize_t n = -1;
    off_t old;

    mpj_file_begin(__builtin_return_address(0));
    old = lseek(fd, 0, SEEK_CUR);
    if (old >= 0 && lseek(fd, offset, SEEK_SET) >= 0) {
        do {
            n = _read(fd, (char *)p + got, length - got);
            got += n > 0 ? (size_t)n : 0;
        } while (n > 0 && got < length);
        if (lseek(fd, old, SEEK_SET) < 0)
            n = -1;
    }
    mpj_file_end();
    return n < 0 ? -1 : 0;
}

void *mmap(void *hint, size_t length, int protection, int flags, int fd, off_t offset)
{
    const int kind = flags & (MAP_SHARED | MAP_PRIVATE);
    struct mapping *m;

    (void)hint;
    if (length == 0 || (flags & MAP_FIXED) != 0 || offset % (off_t)PAGE != 0 ||
        (kind != MAP_SHARED && kind != MAP_PRIVATE))
        return failed(EINVAL);
    if ((flags & MAP_ANONYMOUS) == 0 && kind == MAP_SHARED && (protection & PROT_WRITE) != 0)
        return failed(ENODEV);
    if (length > SIZE_MAX - PAGE)
        return failed(ENOMEM);
    m = malloc(sizeof(*m));
    if (m == NULL)
        return failed(ENOMEM);
    m->length = (length + PAGE - 1U) / PAGE * PAGE;
    m->p = memalign(PAGE, m->length);
    if (m->p == NULL) {
        free(m);
        return failed(ENOMEM);
    }
    memset(m->p, 0, m->length);
    if (((flags & MAP_ANONYMOUS) == 0 && fill(m->p, length, fd, offset) != 0) ||
        ((protection & PROT_EXEC) != 0 && mprotect(m->p, m->length, protection) != 0)) {
        free(m->p);
        free(m);
        return MAP_FAILED;
    }
    mpj_rlock_take(&lock, __builtin_return_address(0));
    m->next = mappings;
    mappings = m;
    mpj_rlock_give(&lock);
    return m->p;
}

int munmap(void *p, size_t length)
{
    struct mapping *found = NULL;

    (void)length;
    mpj_rlock_take(&lock, __builtin_return_address(0));
    for (struct mapping **at = &mappings; *at != NULL; at = &(*at)->next) {
        if ((*at)->p == p) {
            found = *at;
            *at = found->next;
            break;
        }
    }
    mpj_rlock_give(&lock);
    if (found != NULL) {
        if (executable_pages)
            (void)mprotect(found->p, found->length, PROT_READ | PROT_WRITE);
        free(found->p);
        free(found);
    }
    return 0;
}

/* Changes the length of a mapping; without permission to move, it does not grow. */
void *mremap(void *old, size_t length, size_t wanted, int flags, ...)
{
    const size_t pages = (length + PAGE - 1U) / PAGE * PAGE;
    void *p;

    if (wanted == 0 || (uintptr_t)old % PAGE != 0 || (flags & ~MREMAP_MAYMOVE) != 0)
        return failed(EINVAL);
    if (wanted <= pages)
        return old;
    if ((flags & MREMAP_MAYMOVE) == 0)
        return failed(ENOMEM);
    p = mmap(NULL, wanted, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        return p;
    memcpy(p, old, length);
    (void)munmap(old, length);
    return p;
}

int mprotect(void *p, size_t length, int protection)
{
    const bool executable = (protection & PROT_EXEC) != 0;
    const uintptr_t first = (uintptr_t)p;

    if (first % PAGE != 0) {
        errno = EINVAL;
        return -1;
    }
    if (length == 0 || (!executable && !executable_pages))
        return 0;
    if (length > SIZE_MAX - first - PAGE) {
        errno = ENOMEM;
        return -1;
    }
    executable_pages = true;
    if (mpj_mem_execute(first, first + length, executable))
        return 0;
    /* The program's own code is executable already. */
    if ((protection & PROT_WRITE) == 0)
        return 0;
    errno = EACCES;
    return -1;
}

int msync(void *p, size_t length, int flags)
{
    mpj_cancel_point();
    (void)p;
    (void)length;
    (void)flags;
    return 0;
}

int madvise(void *p, size_t length, int advice)
{
    (void)p;
    (void)length;
    (void)advice;
    return 0;
}

int posix_madvise(void *p, size_t length, int advice)
{
    return madvise(p, length, advice);
}

int mlock(const void *p, size_t length)
{
    (void)p;
    (void)length;
    return 0;
}

int munlock(const void *p, size_t length)
{
    return mlock(p, length);
}

int mlockall(int flags)
{
    (void)flags;
    return 0;
}

int munlockall(void)
{
    return 0;
}
