/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Walks through folder trees. */
#ifndef MPJ_FTW_H
#define MPJ_FTW_H

#include <sys/stat.h>
#include <sys/types.h>

enum { FTW_F, FTW_D, FTW_DNR, FTW_NS, FTW_SL, FTW_DP, FTW_SLN };
#define FTW_F   FTW_F
#define FTW_D   FTW_D
#define FTW_DNR FTW_DNR
#define FTW_NS  FTW_NS
#define FTW_SL  FTW_SL
#define FTW_DP  FTW_DP
#define FTW_SLN FTW_SLN

/* Flags of nftw(). */
#define FTW_PHYS  1
#define FTW_MOUNT 2
#define FTW_CHDIR 4
#define FTW_DEPTH 8

struct FTW {
    int base, level;
};

#ifdef __cplusplus
extern "C" {
#endif

/* Calls fn for `path` and everything below it, in the order of names, until it returns another
 * value than 0, which is returned; -1 with errno. FTW_PHYS and FTW_MOUNT change nothing here;
 * FTW_CHDIR is EINVAL. */
int ftw(const char *path, int (*fn)(const char *path, const struct stat *st, int kind),
        int folders);
int nftw(const char *path,
         int (*fn)(const char *path, const struct stat *st, int kind, struct FTW *where),
         int folders, int flags);

#ifdef __cplusplus
}
#endif

#endif
