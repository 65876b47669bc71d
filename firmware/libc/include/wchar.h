/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MPJ_LIBC_WCHAR_H
#define MPJ_LIBC_WCHAR_H

#include <bits/mbstate.h>
#include <bits/null.h>
#include <bits/size_t.h>
#include <bits/wchar_t.h>
#include <bits/wint_t.h>
#include <features.h>

#if defined(__USE_UNIX98) || defined(__USE_XOPEN2K)
#include <bits/stream.h>
#else
struct __sFILE;
#endif
#ifdef __USE_XOPEN2K8
#include <bits/locale_t.h>
#endif
#if defined(__USE_XOPEN) && !defined(__USE_GNU)
#include <wctype.h>
#endif

struct tm;

#ifndef WCHAR_MIN
#define WCHAR_MIN __WCHAR_MIN__
#define WCHAR_MAX __WCHAR_MAX__
#endif
#ifndef WEOF
#define WEOF 0xffffffffU
#endif

__MPJ_BEGIN

wchar_t *wcscpy(wchar_t *__restrict, const wchar_t *__restrict);
wchar_t *wcsncpy(wchar_t *__restrict, const wchar_t *__restrict, size_t);
wchar_t *wcscat(wchar_t *__restrict, const wchar_t *__restrict);
wchar_t *wcsncat(wchar_t *__restrict, const wchar_t *__restrict, size_t);
int wcscmp(const wchar_t *, const wchar_t *);
int wcsncmp(const wchar_t *, const wchar_t *, size_t);
int wcscoll(const wchar_t *, const wchar_t *);
size_t wcsxfrm(wchar_t *__restrict, const wchar_t *__restrict, size_t);
wchar_t *wcschr(const wchar_t *, wchar_t);
wchar_t *wcsrchr(const wchar_t *, wchar_t);
size_t wcscspn(const wchar_t *, const wchar_t *);
size_t wcsspn(const wchar_t *, const wchar_t *);
wchar_t *wcspbrk(const wchar_t *, const wchar_t *);
wchar_t *wcsstr(const wchar_t *, const wchar_t *);
wchar_t *wcstok(wchar_t *__restrict, const wchar_t *__restrict, wchar_t **__restrict);
size_t wcslen(const wchar_t *);
wchar_t *wmemchr(const wchar_t *, wchar_t, size_t);
int wmemcmp(const wchar_t *, const wchar_t *, size_t);
wchar_t *wmemcpy(wchar_t *__restrict, const wchar_t *__restrict, size_t);
wchar_t *wmemmove(wchar_t *, const wchar_t *, size_t);
wchar_t *wmemset(wchar_t *, wchar_t, size_t);
wint_t btowc(int);
int wctob(wint_t);
int mbsinit(const mbstate_t *);
size_t mbrtowc(wchar_t *__restrict, const char *__restrict, size_t, mbstate_t *__restrict);
size_t wcrtomb(char *__restrict, wchar_t, mbstate_t *__restrict);
size_t mbrlen(const char *__restrict, size_t, mbstate_t *__restrict);
size_t mbsrtowcs(wchar_t *__restrict, const char **__restrict, size_t, mbstate_t *__restrict);
size_t wcsrtombs(char *__restrict, const wchar_t **__restrict, size_t, mbstate_t *__restrict);
double wcstod(const wchar_t *__restrict, wchar_t **__restrict);
long wcstol(const wchar_t *__restrict, wchar_t **__restrict, int);
unsigned long wcstoul(const wchar_t *__restrict, wchar_t **__restrict, int);
wint_t fgetwc(struct __sFILE *);
wint_t getwc(struct __sFILE *);
wint_t getwchar(void);
wint_t fputwc(wchar_t, struct __sFILE *);
wint_t putwc(wchar_t, struct __sFILE *);
wint_t putwchar(wchar_t);
wchar_t *fgetws(wchar_t *__restrict, int, struct __sFILE *__restrict);
int fputws(const wchar_t *__restrict, struct __sFILE *__restrict);
wint_t ungetwc(wint_t, struct __sFILE *);
size_t wcsftime(wchar_t *__restrict, size_t, const wchar_t *__restrict,
                const struct tm *__restrict);
#if defined(__USE_ISOC99)
float wcstof(const wchar_t *__restrict, wchar_t **__restrict);
long double wcstold(const wchar_t *__restrict, wchar_t **__restrict);
long long wcstoll(const wchar_t *__restrict, wchar_t **__restrict, int);
unsigned long long wcstoull(const wchar_t *__restrict, wchar_t **__restrict, int);
int fwide(struct __sFILE *, int);
int fwprintf(struct __sFILE *__restrict, const wchar_t *__restrict, ...);
int wprintf(const wchar_t *__restrict, ...);
int swprintf(wchar_t *__restrict, size_t, const wchar_t *__restrict, ...);
int vfwprintf(struct __sFILE *__restrict, const wchar_t *__restrict, __builtin_va_list);
int vwprintf(const wchar_t *__restrict, __builtin_va_list);
int vswprintf(wchar_t *__restrict, size_t, const wchar_t *__restrict, __builtin_va_list);
int fwscanf(struct __sFILE *__restrict, const wchar_t *__restrict, ...);
int wscanf(const wchar_t *__restrict, ...);
int swscanf(const wchar_t *__restrict, const wchar_t *__restrict, ...);
int vfwscanf(struct __sFILE *__restrict, const wchar_t *__restrict, __builtin_va_list);
int vwscanf(const wchar_t *__restrict, __builtin_va_list);
int vswscanf(const wchar_t *__restrict, const wchar_t *__restrict, __builtin_va_list);
#endif
#if defined(__USE_XOPEN2K8)
int wcscasecmp(const wchar_t *, const wchar_t *);
int wcsncasecmp(const wchar_t *, const wchar_t *, size_t);
int wcscasecmp_l(const wchar_t *, const wchar_t *, locale_t);
int wcsncasecmp_l(const wchar_t *, const wchar_t *, size_t, locale_t);
int wcscoll_l(const wchar_t *, const wchar_t *, locale_t);
size_t wcsxfrm_l(wchar_t *, const wchar_t *, size_t, locale_t);
wchar_t *wcsdup(const wchar_t *);
size_t wcsnlen(const wchar_t *, size_t);
size_t mbsnrtowcs(wchar_t *__restrict, const char **__restrict, size_t, size_t,
                  mbstate_t *__restrict);
size_t wcsnrtombs(char *__restrict, const wchar_t **__restrict, size_t, size_t,
                  mbstate_t *__restrict);
wchar_t *wcpcpy(wchar_t *__restrict, const wchar_t *__restrict);
wchar_t *wcpncpy(wchar_t *__restrict, const wchar_t *__restrict, size_t);
struct __sFILE *open_wmemstream(wchar_t **, size_t *);
#endif
#if defined(__USE_XOPEN)
int wcwidth(wchar_t);
int wcswidth(const wchar_t *, size_t);
#endif
#if defined(__USE_GNU)
wchar_t *wmempcpy(wchar_t *__restrict, const wchar_t *__restrict, size_t);
long wcstol_l(const wchar_t *__restrict, wchar_t **__restrict, int, locale_t);
unsigned long wcstoul_l(const wchar_t *__restrict, wchar_t **__restrict, int, locale_t);
long long wcstoll_l(const wchar_t *__restrict, wchar_t **__restrict, int, locale_t);
unsigned long long wcstoull_l(const wchar_t *__restrict, wchar_t **__restrict, int, locale_t);
double wcstod_l(const wchar_t *__restrict, wchar_t **__restrict, locale_t);
float wcstof_l(const wchar_t *__restrict, wchar_t **__restrict, locale_t);
long double wcstold_l(const wchar_t *__restrict, wchar_t **__restrict, locale_t);
wint_t getwc_unlocked(struct __sFILE *);
wint_t getwchar_unlocked(void);
wint_t fgetwc_unlocked(struct __sFILE *);
wint_t fputwc_unlocked(wchar_t, struct __sFILE *);
wint_t putwc_unlocked(wchar_t, struct __sFILE *);
wint_t putwchar_unlocked(wchar_t);
wchar_t *fgetws_unlocked(wchar_t *__restrict, int, struct __sFILE *__restrict);
int fputws_unlocked(const wchar_t *__restrict, struct __sFILE *__restrict);
size_t wcsftime_l(wchar_t *__restrict, size_t, const wchar_t *__restrict,
                  const struct tm *__restrict, locale_t);
#endif

__MPJ_END

#endif
