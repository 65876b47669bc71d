/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Temporary names: newlib's mkdtemp() fails, and its whole family is in one file. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LETTERS 6U
#define TRIES   100000U /* names to try, since earlier runs may have used some */

/* Creates the object of a name; -1 with EEXIST: try another name. */
typedef int make(const char *name, int flags);

/* Tries names, which come in the same order in every run. -1 with errno: EINVAL, or that of
 * `it`. */
static int named(char *name, int suffix, make *it, int flags)
{
    static const char letter[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    static uint32_t drawn;
    const size_t n = strlen(name);
    char *const x = name + n - LETTERS - (size_t)suffix;

    if (suffix < 0 || n < LETTERS + (size_t)suffix || memcmp(x, "XXXXXX", LETTERS) != 0) {
        errno = EINVAL;
        return -1;
    }
    for (unsigned tries = 0; tries < TRIES; tries++) {
        uint64_t bits =
            __atomic_add_fetch(&drawn, 1U, __ATOMIC_RELAXED) * UINT64_C(0x9e3779b97f4a7c15);
        int r;

        for (unsigned i = 0; i < LETTERS; i++, bits /= sizeof(letter) - 1U)
            x[i] = letter[bits % (sizeof(letter) - 1U)];
        r = it(name, flags);
        if (r >= 0 || errno != EEXIST)
            return r;
    }
    return -1;
}

static int make_file(const char *name, int flags)
{
    return open(name, (flags & ~O_ACCMODE) | O_RDWR | O_CREAT | O_EXCL, 0600);
}

static int make_folder(const char *name, int flags)
{
    (void)flags;
    return mkdir(name, 0700);
}

static int is_free(const char *name, int flags)
{
    struct stat st;

    (void)flags;
    if (stat(name, &st) != 0)
        return errno == ENOENT ? 0 : -1;
    errno = EEXIST;
    return -1;
}

int mkostemps(char *name, int suffix, int flags)
{
    return named(name, suffix, make_file, flags);
}

int mkostemp(char *name, int flags)
{
    return named(name, 0, make_file, flags);
}

int mkstemps(char *name, int suffix)
{
    return named(name, suffix, make_file, 0);
}

int mkstemp(char *name)
{
    return named(name, 0, make_file, 0);
}

char *mkdtemp(char *name)
{
    return named(name, 0, make_folder, 0) == 0 ? name : NULL;
}

char *mktemp(char *name)
{
    if (named(name, 0, is_free, 0) != 0)
        name[0] = '\0';
    return name;
}
