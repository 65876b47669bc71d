/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The order of bytes that files have from networks, and addresses as text. There is no network. */
#ifndef MPJ_ARPA_INET_H
#define MPJ_ARPA_INET_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef uint32_t in_addr_t;
typedef uint16_t in_port_t;
typedef uint32_t socklen_t;

struct in_addr {
    in_addr_t s_addr; /* the first number in the first byte */
};

#define AF_INET         2
#define INADDR_ANY      ((in_addr_t)0)
#define INADDR_NONE     ((in_addr_t)0xffffffff)
#define INADDR_LOOPBACK ((in_addr_t)0x7f000001)
#define INET_ADDRSTRLEN 16

uint32_t htonl(uint32_t x);
uint32_t ntohl(uint32_t x);
uint16_t htons(uint16_t x);
uint16_t ntohs(uint16_t x);

/* Numbers with dots, one to four of them, each decimal, octal or hexadecimal: 1, or 0 for others.
 */
int inet_aton(const char *text, struct in_addr *address);
/* The same as a value; INADDR_NONE for others. */
in_addr_t inet_addr(const char *text);
/* Four decimal numbers, in memory of the calling thread. */
char *inet_ntoa(struct in_addr address);
/* Four decimal numbers, of AF_INET alone: 1, 0, and -1 with EAFNOSUPPORT. */
int inet_pton(int family, const char *text, void *address);
/* The text, or NULL with EAFNOSUPPORT or ENOSPC. */
const char *inet_ntop(int family, const void *address, char *text, socklen_t size);

#ifdef __cplusplus
}
#endif

#define htonl(x) __builtin_bswap32(x)
#define ntohl(x) __builtin_bswap32(x)
#define htons(x) __builtin_bswap16(x)
#define ntohs(x) __builtin_bswap16(x)

#endif
