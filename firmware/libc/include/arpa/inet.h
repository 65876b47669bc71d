/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The order of bytes that files have from networks. There is no network. */
#ifndef MPJ_ARPA_INET_H
#define MPJ_ARPA_INET_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef uint32_t in_addr_t;
typedef uint16_t in_port_t;

uint32_t htonl(uint32_t x);
uint32_t ntohl(uint32_t x);
uint16_t htons(uint16_t x);
uint16_t ntohs(uint16_t x);

#ifdef __cplusplus
}
#endif

#define htonl(x) __builtin_bswap32(x)
#define ntohl(x) __builtin_bswap32(x)
#define htons(x) __builtin_bswap16(x)
#define ntohs(x) __builtin_bswap16(x)

#endif
