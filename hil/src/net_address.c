/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "net_address.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PORT_MOST 65535U

/* True for a number of a port; getaddrinfo() takes larger ones modulo 65536. */
static bool good_port(const char *s, unsigned least)
{
    const size_t n = strlen(s);

    return n > 0 && n < sizeof(((struct net_address *)NULL)->port) &&
           strspn(s, "0123456789") == n && strtoul(s, NULL, 10) >= least &&
           strtoul(s, NULL, 10) <= PORT_MOST;
}

bool net_address_split(struct net_address *out, const char *text, const char *host, unsigned least)
{
    const char *const colon = strrchr(text, ':');
    const char *const port = colon != NULL ? colon + 1 : text;
    size_t n = colon != NULL ? (size_t)(colon - text) : 0;

    if (colon == NULL && host != NULL) {
        text = host;
        n = strlen(host);
    } else if (n >= 2 && text[0] == '[' && text[n - 1] == ']') {
        text++;
        n -= 2;
    } else if (n > 0 && text[0] == '[') {
        return false;
    }
    if (n == 0 || n >= sizeof(out->host) || !good_port(port, least))
        return false;
    memcpy(out->host, text, n);
    out->host[n] = '\0';
    snprintf(out->port, sizeof(out->port), "%s", port);
    return true;
}

int net_address_of_url(struct net_address *out, const char *url, struct mpj_err *err)
{
    static const char *const schemes[] = {NET_TCP, NET_RFC2217};

    for (unsigned i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++) {
        const size_t n = strlen(schemes[i]);

        if (strncmp(url, schemes[i], n) == 0 && net_address_split(out, url + n, NULL, 1))
            return MPJ_E_OK;
    }
    return mpj_err_set(err, MPJ_E_USAGE,
                       "\"%s\" is not " NET_TCP "HOST:PORT or " NET_RFC2217
                       "HOST:PORT with a PORT from 1 to 65535",
                       url);
}
