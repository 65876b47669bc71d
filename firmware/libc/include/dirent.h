/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Folders below that of `mpjoule run --dir`. Entries are returned in the order of their names. */
#ifndef MPJ_LIBC_DIRENT_H
#define MPJ_LIBC_DIRENT_H

#include <features.h>
#ifdef __USE_XOPEN
typedef unsigned long ino_t;
#endif
#ifdef __USE_GNU
__extension__ typedef unsigned long long ino64_t;
#endif
#ifdef __USE_XOPEN2K8
#include <bits/size_t.h>
#endif

struct dirent {
#ifdef __USE_XOPEN
    ino_t d_ino; /* the entry's number, from 1: does not identify a file */
#else
    unsigned long d_fileno;
#endif
    long d_off;
    unsigned short d_reclen;
    unsigned char d_type; /* DT_REG, DT_DIR or DT_UNKNOWN */
    char d_name[256];
};
#ifdef __USE_XOPEN
#define d_fileno d_ino
#endif
#define _DIRENT_HAVE_D_RECLEN
#define _DIRENT_HAVE_D_OFF
#define _DIRENT_HAVE_D_TYPE
#define _D_EXACT_NAMLEN(d) (__builtin_strlen((d)->d_name))
#define _D_ALLOC_NAMLEN(d) (sizeof((d)->d_name))

#ifdef __USE_MISC
#define DT_UNKNOWN   0
#define DT_FIFO      1
#define DT_CHR       2
#define DT_DIR       4
#define DT_BLK       6
#define DT_REG       8
#define DT_LNK       10
#define DT_SOCK      12
#define DT_WHT       14
#define IFTODT(mode) (((mode)&0170000) >> 12)
#define DTTOIF(type) ((type) << 12)
#include <bits/posix_limits.h>
#define MAXNAMLEN NAME_MAX
#endif

typedef struct __mpj_dir DIR;

__MPJ_BEGIN

int closedir(DIR *);
DIR *opendir(const char *);
struct dirent *readdir(DIR *);
void rewinddir(DIR *);
#if defined(__USE_XOPEN2K8)
DIR *fdopendir(int);
int dirfd(DIR *);
int scandir(const char *__restrict, struct dirent ***__restrict, int (*)(const struct dirent *),
            int (*)(const struct dirent **, const struct dirent **));
int alphasort(const struct dirent **, const struct dirent **);
#endif
#if defined(__USE_POSIX)
int readdir_r(DIR *__restrict, struct dirent *__restrict, struct dirent **__restrict);
#endif
#if defined(__USE_MISC) || defined(__USE_XOPEN)
void seekdir(DIR *, long);
long telldir(DIR *);
#endif
#if defined(__USE_GNU)
int versionsort(const struct dirent **, const struct dirent **);
#endif

__MPJ_END

#ifdef __USE_LARGEFILE64
#define dirent64    dirent
#define readdir64   readdir
#define readdir64_r readdir_r
#ifdef __USE_XOPEN2K8
#define scandir64   scandir
#define alphasort64 alphasort
#endif
#ifdef __USE_GNU
#define versionsort64 versionsort
#endif
#endif

#endif
