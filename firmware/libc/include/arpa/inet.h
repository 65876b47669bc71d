/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internet addresses as text. There is no network. */
#ifndef MPJ_ARPA_INET_H
#define MPJ_ARPA_INET_H

#include <netinet/in.h>

__MPJ_BEGIN

#ifdef __USE_MISC
/* Parses one to four numbers with dots between them, each decimal, octal or hexadecimal. Returns 1,
 * or 0 for other text. */
int inet_aton(const char *text, struct in_addr *address);
#endif
/* Parses as inet_aton() and returns the address; INADDR_NONE for other text. */
in_addr_t inet_addr(const char *text);
/* Returns four decimal numbers, in memory of the calling thread. */
char *inet_ntoa(struct in_addr address);
/* Parses four decimal numbers; AF_INET only. Returns 1, 0 for other text, or -1 with
 * EAFNOSUPPORT. */
int inet_pton(int family, const char *text, void *address);
/* Returns the text, or NULL with EAFNOSUPPORT or ENOSPC. */
const char *inet_ntop(int family, const void *address, char *text, socklen_t size);

__MPJ_END

#endif
