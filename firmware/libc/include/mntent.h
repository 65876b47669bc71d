/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of mounted file systems, which does not exist here. */
#ifndef MPJ_MNTENT_H
#define MPJ_MNTENT_H

#include <stdio.h>

#define MNTTAB  "/etc/fstab"
#define MOUNTED "/etc/mtab"

struct mntent {
    char *mnt_fsname, *mnt_dir, *mnt_type, *mnt_opts;
    int mnt_freq, mnt_passno;
};

#ifdef __cplusplus
extern "C" {
#endif

/* Returns NULL with ENOSYS; endmntent() returns 1. */
FILE *setmntent(const char *file, const char *mode);
struct mntent *getmntent(FILE *f);
int addmntent(FILE *f, const struct mntent *entry);
int endmntent(FILE *f);
char *hasmntopt(const struct mntent *entry, const char *option);

#ifdef __cplusplus
}
#endif

#endif
