/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Message catalogues: all messages keep the text of the program. */
#include <errno.h>
#include <libintl.h>
#include <nl_types.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define DOMAIN 64U

nl_catd catopen(const char *name, int flags)
{
    (void)name;
    (void)flags;
    errno = ENOENT;
    return (nl_catd)-1;
}

char *catgets(nl_catd catalogue, int set, int number, const char *text)
{
    (void)catalogue;
    (void)set;
    (void)number;
    return (char *)(uintptr_t)text;
}

int catclose(nl_catd catalogue)
{
    (void)catalogue;
    errno = EBADF;
    return -1;
}

char *gettext(const char *text)
{
    return (char *)(uintptr_t)text;
}

char *dgettext(const char *domain, const char *text)
{
    (void)domain;
    return gettext(text);
}

char *dcgettext(const char *domain, const char *text, int category)
{
    (void)category;
    return dgettext(domain, text);
}

char *ngettext(const char *one, const char *many, unsigned long n)
{
    return (char *)(uintptr_t)(n == 1U ? one : many);
}

char *dngettext(const char *domain, const char *one, const char *many, unsigned long n)
{
    (void)domain;
    return ngettext(one, many, n);
}

char *dcngettext(const char *domain, const char *one, const char *many, unsigned long n,
                 int category)
{
    (void)category;
    return dngettext(domain, one, many, n);
}

char *textdomain(const char *domain)
{
    static char now[DOMAIN] = "messages";

    if (domain != NULL)
        (void)snprintf(now, sizeof(now), "%s", domain[0] != '\0' ? domain : "messages");
    return now;
}

char *bindtextdomain(const char *domain, const char *folder)
{
    (void)domain;
    return (char *)(uintptr_t)(folder != NULL ? folder : "/usr/share/locale");
}

char *bind_textdomain_codeset(const char *domain, const char *codeset)
{
    (void)domain;
    return (char *)(uintptr_t)codeset;
}
