/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MPJ_LIBC_GETOPT_H
#define MPJ_LIBC_GETOPT_H

#include <features.h>
#define no_argument       0
#define required_argument 1
#define optional_argument 2

struct option {
    const char *name;
    int has_arg;
    int *flag;
    int val;
};

__MPJ_BEGIN

extern char *optarg;
extern int optind;
extern int opterr;
extern int optopt;
int getopt(int, char *const *, const char *);
int getopt_long(int, char *const *, const char *, const struct option *, int *);
int getopt_long_only(int, char *const *, const char *, const struct option *, int *);

__MPJ_END

#endif
