/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Facts that programs ask Linux and its tools for. */
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <mcheck.h>
#include <mntent.h>
#include <stddef.h>
#include <string.h>
#include <sys/auxv.h>
#include <ulimit.h>
#include <unistd.h>

unsigned long getauxval(unsigned long type)
{
    switch (type) {
    case AT_PAGESZ:
        return 4096U;
    case AT_CLKTCK:
        return 100U;
    case AT_HWCAP:
        return HWCAP_SWP | HWCAP_HALF | HWCAP_THUMB | HWCAP_FAST_MULT | HWCAP_VFP | HWCAP_EDSP |
               HWCAP_TLS;
    case AT_UID:
    case AT_EUID:
        return getuid();
    case AT_GID:
    case AT_EGID:
        return getgid();
    case AT_SECURE:
        return 0;
    default:
        errno = ENOENT;
        return 0;
    }
}

long ulimit(int command, ...)
{
    if (command == UL_GETFSIZE)
        return LONG_MAX / 512;
    errno = command == UL_SETFSIZE ? EPERM : EINVAL;
    return -1;
}

char *dlerror(void)
{
    static char text[] = "there are no shared objects on the target";

    return text;
}

int dl_iterate_phdr(int (*fn)(struct dl_phdr_info *info, size_t size, void *arg), void *arg)
{
    (void)fn;
    (void)arg;
    return 0;
}

int endmntent(FILE *f)
{
    (void)f;
    return 1;
}

char *hasmntopt(const struct mntent *entry, const char *option)
{
    const size_t n = strlen(option);

    for (char *at = strstr(entry->mnt_opts, option); at != NULL; at = strstr(at + 1, option)) {
        if ((at == entry->mnt_opts || at[-1] == ',') &&
            (at[n] == '\0' || at[n] == ',' || at[n] == '='))
            return at;
    }
    return NULL;
}

int mcheck(void (*fn)(enum mcheck_status status))
{
    (void)fn;
    return 0;
}

int mcheck_pedantic(void (*fn)(enum mcheck_status status))
{
    return mcheck(fn);
}

void mcheck_check_all(void)
{
}

enum mcheck_status mprobe(void *p)
{
    (void)p;
    return MCHECK_DISABLED;
}

void mtrace(void)
{
}

void muntrace(void)
{
}
