/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Addresses as text. There is no network. */
#ifndef MPJ_ARPA_INET_H
#define MPJ_ARPA_INET_H

#include <netinet/in.h>

__MPJ_BEGIN

#ifdef __USE_MISC
/* Numbers with dots, one to four of them, each decimal, octal or hexadecimal: 1, or 0 for others.
 */
int inet_aton(const char *text, struct in_addr *address);
#endif
/* The same as a value; INADDR_NONE for others. */
in_addr_t inet_addr(const char *text);
/* Four decimal numbers, in memory of the calling thread. */
char *inet_ntoa(struct in_addr address);
/* Four decimal numbers, of AF_INET alone: 1, 0, and -1 with EAFNOSUPPORT. */
int inet_pton(int family, const char *text, void *address);
/* The text, or NULL with EAFNOSUPPORT or ENOSPC. */
const char *inet_ntop(int family, const void *address, char *text, socklen_t size);

__MPJ_END

#endif
