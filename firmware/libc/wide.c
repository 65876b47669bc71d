/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Wide characters as bytes, of which the only locale has 256. newlib's functions report others by
 * newlib's own number of EILSEQ; its internal functions use these, too.
 */
#include <errno.h>
#include <reent.h>
#include <stdlib.h>
#include <wchar.h>

/* newlib's functions that its headers do not declare. */
int __ascii_wctomb(struct _reent *r, char *bytes, wchar_t c, mbstate_t *state);
int _wctomb_r(struct _reent *r, char *bytes, wchar_t c, mbstate_t *state);
size_t _wcrtomb_r(struct _reent *r, char *bytes, wchar_t c, mbstate_t *state);
size_t _wcsnrtombs_l(struct _reent *r, char *to, const wchar_t **from, size_t wide, size_t bytes,
                     mbstate_t *state, locale_t locale);
size_t _wcsnrtombs_r(struct _reent *r, char *to, const wchar_t **from, size_t wide, size_t bytes,
                     mbstate_t *state);

/* Writes a character and returns 1; 0 for a null pointer, as there is no state to reset; -1 with
 * EILSEQ. */
static int put(char *bytes, wchar_t c)
{
    if (bytes == NULL)
        return 0;
    if (c > 0xffU) {
        errno = EILSEQ;
        return -1;
    }
    *bytes = (char)c;
    return 1;
}

int __ascii_wctomb(struct _reent *r, char *bytes, wchar_t c, mbstate_t *state)
{
    (void)r;
    (void)state;
    return put(bytes, c);
}

int _wctomb_r(struct _reent *r, char *bytes, wchar_t c, mbstate_t *state)
{
    return __ascii_wctomb(r, bytes, c, state);
}

int wctomb(char *bytes, wchar_t c)
{
    return put(bytes, c);
}

size_t wcrtomb(char *restrict bytes, wchar_t c, mbstate_t *restrict state)
{
    char one;

    (void)state;
    return (size_t)put(bytes != NULL ? bytes : &one, bytes != NULL ? c : L'\0');
}

size_t _wcrtomb_r(struct _reent *r, char *bytes, wchar_t c, mbstate_t *state)
{
    (void)r;
    return wcrtomb(bytes, c, state);
}

size_t wcsnrtombs(char *restrict to, const wchar_t **restrict from, size_t wide, size_t bytes,
                  mbstate_t *restrict state)
{
    size_t n = 0;
    char one;

    (void)state;
    for (; n < wide && (to == NULL || n < bytes); n++) {
        const wchar_t c = (*from)[n];

        if (put(to != NULL ? to + n : &one, c) < 0) {
            if (to != NULL)
                *from += n;
            return (size_t)-1;
        }
        if (c == L'\0') {
            if (to != NULL)
                *from = NULL;
            return n;
        }
    }
    if (to != NULL)
        *from += n;
    return n;
}

size_t _wcsnrtombs_l(struct _reent *r, char *to, const wchar_t **from, size_t wide, size_t bytes,
                     mbstate_t *state, locale_t locale)
{
    (void)r;
    (void)locale;
    return wcsnrtombs(to, from, wide, bytes, state);
}

size_t _wcsnrtombs_r(struct _reent *r, char *to, const wchar_t **from, size_t wide, size_t bytes,
                     mbstate_t *state)
{
    (void)r;
    return wcsnrtombs(to, from, wide, bytes, state);
}
