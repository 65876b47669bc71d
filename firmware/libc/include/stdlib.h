/* SPDX-License-Identifier: GPL-2.0-or-later */
/* newlib's, and the GNU C library's generators with a state of the caller's. */
#ifndef MPJ_STDLIB_H
#define MPJ_STDLIB_H

#include_next <stdlib.h>

#include <mpj_large.h>

#if __MISC_VISIBLE || __GNU_VISIBLE
#include <alloca.h>
#endif

#if __XSI_VISIBLE || __GNU_VISIBLE
/* ENOSYS: there are no pseudo-terminals. */
int posix_openpt(int flags);
int grantpt(int fd);
int unlockpt(int fd);
char *ptsname(int fd);
#endif

#if __GNU_VISIBLE || __MISC_VISIBLE
#include <stdint.h>

struct drand48_data {
    unsigned short __x[3];
};

/* The sequences of drand48() and its like. Each returns 0. */
int srand48_r(long seed, struct drand48_data *state);
int drand48_r(struct drand48_data *state, double *result);
int lrand48_r(struct drand48_data *state, long *result);
int mrand48_r(struct drand48_data *state, long *result);
int erand48_r(unsigned short x[3], struct drand48_data *state, double *result);
int nrand48_r(unsigned short x[3], struct drand48_data *state, long *result);
int jrand48_r(unsigned short x[3], struct drand48_data *state, long *result);

struct random_data {
    uint32_t __word[63];
    uint8_t __kind, __rear;
};

/* The sequences of the GNU C library for that size of memory (8 to 256 bytes), which is not used:
 * the state is in *state. 0, or -1 with EINVAL. */
int initstate_r(unsigned seed, char *memory, size_t size, struct random_data *state);
int srandom_r(unsigned seed, struct random_data *state);
int random_r(struct random_data *state, int32_t *result);

int getloadavg(double load[], int count);
int clearenv(void);
/* realpath(path, NULL) */
char *canonicalize_file_name(const char *path);
#endif

#ifdef MPJ_LARGE
#define mkstemp64  mkstemp
#define mkostemp64 mkostemp
#endif

#endif
