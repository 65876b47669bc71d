/* SPDX-License-Identifier: GPL-2.0-or-later */
/* swprintf() and its like: newlib's, which report too long a text by newlib's number of
 * EOVERFLOW. */
#include <errno.h>
#include <stdarg.h>
#include <wchar.h>

#define NEWLIB_EOVERFLOW 139

int __real_vswprintf(wchar_t *text, size_t size, const wchar_t *format, va_list ap);
int __wrap_vswprintf(wchar_t *text, size_t size, const wchar_t *format, va_list ap);
int __wrap_swprintf(wchar_t *text, size_t size, const wchar_t *format, ...);

int __wrap_vswprintf(wchar_t *text, size_t size, const wchar_t *format, va_list ap)
{
    const int n = __real_vswprintf(text, size, format, ap);

    if (n < 0 && errno == NEWLIB_EOVERFLOW)
        errno = EOVERFLOW;
    return n;
}

int __wrap_swprintf(wchar_t *text, size_t size, const wchar_t *format, ...)
{
    va_list ap;
    int n;

    va_start(ap, format);
    n = __wrap_vswprintf(text, size, format, ap);
    va_end(ap);
    return n;
}
