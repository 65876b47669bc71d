/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Message translation: messages are returned unchanged. */
#ifndef MPJ_LIBINTL_H
#define MPJ_LIBINTL_H

#ifdef __cplusplus
extern "C" {
#endif

char *gettext(const char *text) __attribute__((__format_arg__(1)));
char *dgettext(const char *domain, const char *text) __attribute__((__format_arg__(2)));
char *dcgettext(const char *domain, const char *text, int category)
    __attribute__((__format_arg__(2)));
char *ngettext(const char *one, const char *many, unsigned long n)
    __attribute__((__format_arg__(1))) __attribute__((__format_arg__(2)));
char *dngettext(const char *domain, const char *one, const char *many, unsigned long n)
    __attribute__((__format_arg__(2))) __attribute__((__format_arg__(3)));
char *dcngettext(const char *domain, const char *one, const char *many, unsigned long n,
                 int category) __attribute__((__format_arg__(2)))
__attribute__((__format_arg__(3)));
/* Return the present setting. */
char *textdomain(const char *domain);
char *bindtextdomain(const char *domain, const char *folder);
char *bind_textdomain_codeset(const char *domain, const char *codeset);

#ifdef __cplusplus
}
#endif

#endif
