/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Folders below that of `mpjoule run --dir`. Their entries come in the order of their names. */
#ifndef MPJ_DIRENT_H
#define MPJ_DIRENT_H

#include <mpj_large.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DT_UNKNOWN 0
#define DT_FIFO    1
#define DT_CHR     2
#define DT_DIR     4
#define DT_BLK     6
#define DT_REG     8
#define DT_LNK     10
#define DT_SOCK    12

#define MAXNAMLEN  255

struct dirent {
    ino_t d_ino;          /* the entry's number, from 1: not a file's identity */
    unsigned char d_type; /* DT_REG, DT_DIR or DT_UNKNOWN */
    char d_name[256];
};

typedef struct mpj_dir DIR;

DIR *opendir(const char *path);
/* fd is the stream's from then on. */
DIR *fdopendir(int fd);
struct dirent *readdir(DIR *dir);
int readdir_r(DIR *dir, struct dirent *entry, struct dirent **result);
void rewinddir(DIR *dir);
void seekdir(DIR *dir, long place);
long telldir(DIR *dir);
int dirfd(DIR *dir);
int closedir(DIR *dir);

int scandir(const char *path, struct dirent ***list, int (*wanted)(const struct dirent *),
            int (*compare)(const struct dirent **, const struct dirent **));
int alphasort(const struct dirent **a, const struct dirent **b);
/* Digits in names by their value: a9 before a10. */
int versionsort(const struct dirent **a, const struct dirent **b);

#ifdef __cplusplus
}
#endif
#ifdef MPJ_LARGE
#define dirent64      dirent
#define readdir64     readdir
#define readdir64_r   readdir_r
#define scandir64     scandir
#define alphasort64   alphasort
#define versionsort64 versionsort
#endif

#endif
