/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MPJ_LIBC_ENVZ_H
#define MPJ_LIBC_ENVZ_H

#include <argz.h>
#include <features.h>

__MPJ_BEGIN

char *envz_entry(const char *__restrict, size_t, const char *__restrict);
char *envz_get(const char *__restrict, size_t, const char *__restrict);
error_t envz_add(char **__restrict, size_t *__restrict, const char *__restrict,
                 const char *__restrict);
error_t envz_merge(char **__restrict, size_t *__restrict, const char *__restrict, size_t, int);
void envz_remove(char **__restrict, size_t *__restrict, const char *__restrict);
void envz_strip(char **__restrict, size_t *__restrict);

__MPJ_END

#endif
