/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MPJ_LIBC_STDLIB_H
#define MPJ_LIBC_STDLIB_H

#include <bits/null.h>
#include <bits/size_t.h>
#include <bits/wchar_t.h>
#include <features.h>
#if defined(__USE_XOPEN) || defined(__USE_XOPEN2K8)
#include <bits/waitstatus.h>
#endif
#ifdef __USE_MISC
#include <alloca.h>
#endif
#if defined(__USE_MISC) || defined(__USE_XOPEN_EXTENDED)
#include <sys/types.h>
#endif
#ifdef __USE_GNU
#include <bits/locale_t.h>
#endif

#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#define RAND_MAX     0x7fffffff
#define MB_CUR_MAX   ((size_t)1)

typedef struct {
    int quot;
    int rem;
} div_t;

typedef struct {
    long quot;
    long rem;
} ldiv_t;

#ifdef __USE_ISOC99
__extension__ typedef struct {
    long long quot;
    long long rem;
} lldiv_t;
#endif

#ifdef __USE_GNU
typedef int (*comparison_fn_t)(const void *, const void *);
#endif

#ifdef __USE_MISC
struct drand48_data {
    unsigned short __x[3];
};

struct random_data {
    unsigned int __word[63];
    unsigned char __kind, __rear;
};
#endif

__MPJ_BEGIN

double atof(const char *);
int atoi(const char *);
long atol(const char *);
double strtod(const char *__restrict, char **__restrict);
long strtol(const char *__restrict, char **__restrict, int);
unsigned long strtoul(const char *__restrict, char **__restrict, int);
int rand(void);
void srand(unsigned int);
void *malloc(size_t);
void *calloc(size_t, size_t);
void *realloc(void *, size_t);
void free(void *);
void abort(void) __attribute__((__noreturn__));
int atexit(void (*)(void));
void exit(int) __attribute__((__noreturn__));
char *getenv(const char *);
int system(const char *);
void *bsearch(const void *, const void *, size_t, size_t, int (*)(const void *, const void *));
void qsort(void *, size_t, size_t, int (*)(const void *, const void *));
int abs(int);
long labs(long);
div_t div(int, int);
ldiv_t ldiv(long, long);
int mblen(const char *, size_t);
int mbtowc(wchar_t *__restrict, const char *__restrict, size_t);
int wctomb(char *, wchar_t);
size_t mbstowcs(wchar_t *__restrict, const char *__restrict, size_t);
size_t wcstombs(char *__restrict, const wchar_t *__restrict, size_t);
#if defined(__USE_ISOC99)
long long atoll(const char *);
float strtof(const char *__restrict, char **__restrict);
long double strtold(const char *__restrict, char **__restrict);
long long strtoll(const char *__restrict, char **__restrict, int);
unsigned long long strtoull(const char *__restrict, char **__restrict, int);
void _Exit(int) __attribute__((__noreturn__));
long long llabs(long long);
lldiv_t lldiv(long long, long long);
#endif
#if defined(__USE_ISOC11)
void *aligned_alloc(size_t, size_t);
int at_quick_exit(void (*)(void));
void quick_exit(int) __attribute__((__noreturn__));
#endif
#if defined(__USE_MISC) || defined(__USE_XOPEN_EXTENDED)
char *l64a(long);
long a64l(const char *);
long random(void);
void srandom(unsigned int);
char *initstate(unsigned int, char *, size_t);
char *setstate(char *);
char *realpath(const char *__restrict, char *__restrict);
#endif
#if defined(__USE_MISC)
int random_r(struct random_data *__restrict, int32_t *__restrict);
int srandom_r(unsigned int, struct random_data *);
int initstate_r(unsigned int, char *__restrict, size_t, struct random_data *__restrict);
int drand48_r(struct drand48_data *__restrict, double *__restrict);
int erand48_r(unsigned short[3], struct drand48_data *__restrict, double *__restrict);
int lrand48_r(struct drand48_data *__restrict, long *__restrict);
int nrand48_r(unsigned short[3], struct drand48_data *__restrict, long *__restrict);
int mrand48_r(struct drand48_data *__restrict, long *__restrict);
int jrand48_r(unsigned short[3], struct drand48_data *__restrict, long *__restrict);
int srand48_r(long, struct drand48_data *);
unsigned int arc4random(void);
void arc4random_buf(void *, size_t);
unsigned int arc4random_uniform(unsigned int);
void *reallocarray(void *, size_t, size_t);
int on_exit(void (*)(int, void *), void *);
int clearenv(void);
int mkstemps(char *, int);
int rpmatch(const char *);
int getloadavg(double[], int);
#endif
#if defined(__USE_POSIX199506)
int rand_r(unsigned int *);
#endif
#if defined(__USE_MISC) || defined(__USE_XOPEN)
double drand48(void);
double erand48(unsigned short[3]);
long lrand48(void);
long nrand48(unsigned short[3]);
long mrand48(void);
long jrand48(unsigned short[3]);
void srand48(long);
unsigned short *seed48(unsigned short[3]);
void lcong48(unsigned short[7]);
int putenv(char *);
#endif
#if defined(__USE_MISC) || (defined(__USE_XOPEN_EXTENDED) && !defined(__USE_XOPEN2K))
void *valloc(size_t);
#endif
#if defined(__USE_XOPEN2K)
int posix_memalign(void **, size_t, size_t);
int setenv(const char *, const char *, int);
int unsetenv(const char *);
#endif
#if defined(__USE_MISC) || (defined(__USE_XOPEN_EXTENDED) && !defined(__USE_XOPEN2K8))
char *mktemp(char *);
char *ecvt(double, int, int *__restrict, int *__restrict);
char *fcvt(double, int, int *__restrict, int *__restrict);
char *gcvt(double, int, char *);
#endif
#if defined(__USE_XOPEN_EXTENDED) || defined(__USE_XOPEN2K8)
int mkstemp(char *);
int getsubopt(char **__restrict, char *const *__restrict, char **__restrict);
#endif
#if defined(__USE_XOPEN2K8)
char *mkdtemp(char *);
#endif
#if defined(__USE_XOPEN_EXTENDED)
int grantpt(int);
int unlockpt(int);
char *ptsname(int);
#endif
#if defined(__USE_XOPEN2KXSI)
int posix_openpt(int);
#endif
#if defined(__USE_GNU)
long strtol_l(const char *__restrict, char **__restrict, int, locale_t);
unsigned long strtoul_l(const char *__restrict, char **__restrict, int, locale_t);
long long strtoll_l(const char *__restrict, char **__restrict, int, locale_t);
unsigned long long strtoull_l(const char *__restrict, char **__restrict, int, locale_t);
double strtod_l(const char *__restrict, char **__restrict, locale_t);
float strtof_l(const char *__restrict, char **__restrict, locale_t);
long double strtold_l(const char *__restrict, char **__restrict, locale_t);
char *secure_getenv(const char *);
int mkostemp(char *, int);
int mkostemps(char *, int, int);
char *canonicalize_file_name(const char *);
void qsort_r(void *, size_t, size_t, int (*)(const void *, const void *, void *), void *);
#endif

__MPJ_END

#ifdef __USE_LARGEFILE64
#if defined(__USE_XOPEN_EXTENDED) || defined(__USE_XOPEN2K8)
#define mkstemp64 mkstemp
#endif
#ifdef __USE_MISC
#define mkstemps64 mkstemps
#endif
#ifdef __USE_GNU
#define mkostemp64  mkostemp
#define mkostemps64 mkostemps
#endif
#endif

#endif
