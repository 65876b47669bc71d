/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/errors.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The text is one line: what a child process said may hold anything. */
static void one_line(char *text)
{
    for (; *text != '\0'; text++) {
        if ((unsigned char)*text < 0x20 || *text == 0x7f)
            *text = ' ';
    }
}

int mpj_err_set(struct mpj_err *e, int code, const char *fmt, ...)
{
    va_list ap;

    e->code = code;
    va_start(ap, fmt);
    vsnprintf(e->text, sizeof(e->text), fmt, ap);
    va_end(ap);
    one_line(e->text);
    return code;
}

int mpj_err_errno(struct mpj_err *e, const char *fmt, ...)
{
    const int number = errno;
    va_list ap;
    size_t n;

    e->code = number == ENOSPC || number == EDQUOT || number == EFBIG ? MPJ_E_FULL
              : number == ENOMEM                                      ? MPJ_E_NOMEM
                                                                      : MPJ_E_IO;
    va_start(ap, fmt);
    vsnprintf(e->text, sizeof(e->text), fmt, ap);
    va_end(ap);
    n = strlen(e->text);
    snprintf(e->text + n, sizeof(e->text) - n, ": %s", strerror(number));
    one_line(e->text);
    return e->code;
}
