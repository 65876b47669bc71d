/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MPJ_LIBC_STRING_H
#define MPJ_LIBC_STRING_H

#include <bits/null.h>
#include <bits/size_t.h>
#include <features.h>
#ifdef __USE_XOPEN2K8
#include <bits/locale_t.h>
#endif
#ifdef __USE_MISC
#include <strings.h>
#endif

__MPJ_BEGIN

void *memcpy(void *__restrict, const void *__restrict, size_t);
void *memmove(void *, const void *, size_t);
void *memset(void *, int, size_t);
int memcmp(const void *, const void *, size_t);
void *memchr(const void *, int, size_t);
char *strcpy(char *__restrict, const char *__restrict);
char *strncpy(char *__restrict, const char *__restrict, size_t);
char *strcat(char *__restrict, const char *__restrict);
char *strncat(char *__restrict, const char *__restrict, size_t);
int strcmp(const char *, const char *);
int strncmp(const char *, const char *, size_t);
int strcoll(const char *, const char *);
size_t strxfrm(char *__restrict, const char *__restrict, size_t);
char *strchr(const char *, int);
char *strrchr(const char *, int);
size_t strcspn(const char *, const char *);
size_t strspn(const char *, const char *);
char *strpbrk(const char *, const char *);
char *strstr(const char *, const char *);
char *strtok(char *__restrict, const char *__restrict);
size_t strlen(const char *);
char *strerror(int);
#if defined(__USE_MISC) || defined(__USE_XOPEN)
void *memccpy(void *__restrict, const void *__restrict, int, size_t);
#endif
#if defined(__USE_XOPEN2K8)
int strcoll_l(const char *, const char *, locale_t);
size_t strxfrm_l(char *, const char *, size_t, locale_t);
char *strndup(const char *, size_t);
size_t strnlen(const char *, size_t);
char *strerror_l(int, locale_t);
char *strsignal(int);
char *stpcpy(char *__restrict, const char *__restrict);
char *stpncpy(char *__restrict, const char *__restrict, size_t);
#endif
#if defined(__USE_XOPEN_EXTENDED) || defined(__USE_XOPEN2K8)
char *strdup(const char *);
#endif
#if defined(__USE_POSIX)
char *strtok_r(char *__restrict, const char *__restrict, char **__restrict);
#endif
#if defined(__USE_MISC)
void explicit_bzero(void *, size_t);
char *strsep(char **__restrict, const char *__restrict);
#endif
#if defined(__USE_GNU)
void *rawmemchr(const void *, int);
void *memrchr(const void *, int, size_t);
char *strchrnul(const char *, int);
char *strcasestr(const char *, const char *);
void *memmem(const void *, size_t, const void *, size_t);
void *mempcpy(void *__restrict, const void *__restrict, size_t);
int strverscmp(const char *, const char *);
#endif

__MPJ_END

#ifdef __USE_XOPEN2K
#ifdef __USE_GNU
/* Returns the text, which may be elsewhere than in the buffer. */
char *strerror_r(int, char *, size_t);
#else
/* Copies the text into the buffer; returns 0 or an error number. */
int strerror_r(int, char *, size_t) __asm__("__xpg_strerror_r");
#endif
#endif
#ifdef __USE_GNU
#ifndef basename
/* Returns the part after the last slash. */
char *basename(const char *) __asm__("__gnu_basename");
#endif
#define strdupa(s)                                                                                 \
    __extension__({                                                                                \
        const char *__s = (s);                                                                     \
        size_t __n = __builtin_strlen(__s) + 1U;                                                   \
        (char *)__builtin_memcpy(__builtin_alloca(__n), __s, __n);                                 \
    })
#define strndupa(s, n)                                                                             \
    __extension__({                                                                                \
        const char *__s = (s);                                                                     \
        size_t __n = strnlen(__s, (n));                                                            \
        char *__new = (char *)__builtin_alloca(__n + 1U);                                          \
        __new[__n] = '\0';                                                                         \
        (char *)__builtin_memcpy(__new, __s, __n);                                                 \
    })
#endif

#endif
