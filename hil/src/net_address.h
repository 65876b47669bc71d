/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Addresses of TCP ports: those of serial ports on other machines, and where a cable listens. */
#ifndef NET_ADDRESS_H
#define NET_ADDRESS_H

#include <stdbool.h>

#include "base/errors.h"

#define NET_TCP     "tcp://"
#define NET_RFC2217 "rfc2217://"

struct net_address {
    char host[256];
    char port[6];
};

/* Splits HOST:PORT or [IPv6]:PORT; without a colon, PORT of `host`, unless that is NULL. PORT is
 * from `least` to 65535. False: it is none. */
bool net_address_split(struct net_address *out, const char *text, const char *host, unsigned least);
/* Splits the URL of a serial port. MPJ_E_USAGE: not tcp:// or rfc2217:// with HOST:PORT. */
int net_address_of_url(struct net_address *out, const char *url, struct mpj_err *err);

#endif
