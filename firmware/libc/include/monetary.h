/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Amounts of money as text. */
#ifndef MPJ_MONETARY_H
#define MPJ_MONETARY_H

#include <bits/locale_t.h>
#include <bits/size_t.h>
#include <features.h>

typedef __PTRDIFF_TYPE__ ssize_t;

#ifdef __cplusplus
extern "C" {
#endif

/* Fails with ENOSYS. */
ssize_t strfmon(char *__restrict out, size_t size, const char *__restrict format, ...);
ssize_t strfmon_l(char *__restrict out, size_t size, locale_t locale, const char *__restrict format,
                  ...);

#ifdef __cplusplus
}
#endif

#endif
