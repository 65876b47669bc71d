/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MPJ_LIBC_ARGZ_H
#define MPJ_LIBC_ARGZ_H

#include <errno.h>
#include <features.h>
#include <string.h>
typedef int error_t;

__MPJ_BEGIN

error_t argz_create(char *const[], char **__restrict, size_t *__restrict);
error_t argz_create_sep(const char *__restrict, int, char **__restrict, size_t *__restrict);
size_t argz_count(const char *, size_t);
void argz_extract(const char *__restrict, size_t, char **__restrict);
void argz_stringify(char *, size_t, int);
error_t argz_append(char **__restrict, size_t *__restrict, const char *__restrict, size_t);
error_t argz_add(char **__restrict, size_t *__restrict, const char *__restrict);
error_t argz_add_sep(char **__restrict, size_t *__restrict, const char *__restrict, int);
void argz_delete(char **__restrict, size_t *__restrict, char *__restrict);
error_t argz_insert(char **__restrict, size_t *__restrict, char *__restrict,
                    const char *__restrict);
error_t argz_replace(char **__restrict, size_t *__restrict, const char *__restrict,
                     const char *__restrict, unsigned int *__restrict);
#if defined(__USE_GNU)
extern char *program_invocation_name;
extern char *program_invocation_short_name;
#endif

__MPJ_END

__MPJ_BEGIN
char *argz_next(const char *__restrict, size_t, const char *__restrict);
__MPJ_END

#endif
