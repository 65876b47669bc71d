/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internet addresses, as Linux declares them, and network byte order, which files use, too. */
#ifndef MPJ_NETINET_IN_H
#define MPJ_NETINET_IN_H

#include <bits/uint.h>
#include <features.h>
#include <sys/socket.h>

typedef uint32_t in_addr_t;
typedef uint16_t in_port_t;

struct in_addr {
    in_addr_t s_addr; /* the first number is in the first byte */
};

enum {
    IPPROTO_IP = 0,
    IPPROTO_ICMP = 1,
    IPPROTO_TCP = 6,
    IPPROTO_UDP = 17,
    IPPROTO_IPV6 = 41,
    IPPROTO_RAW = 255
};
#define IPPROTO_IP       IPPROTO_IP
#define IPPROTO_ICMP     IPPROTO_ICMP
#define IPPROTO_TCP      IPPROTO_TCP
#define IPPROTO_UDP      IPPROTO_UDP
#define IPPROTO_IPV6     IPPROTO_IPV6
#define IPPROTO_RAW      IPPROTO_RAW
#define INADDR_ANY       ((in_addr_t)0)
#define INADDR_NONE      ((in_addr_t)0xffffffff)
#define INADDR_LOOPBACK  ((in_addr_t)0x7f000001)
#define INADDR_BROADCAST ((in_addr_t)0xffffffff)
#define INET_ADDRSTRLEN  16
#define INET6_ADDRSTRLEN 46

struct sockaddr_in {
    sa_family_t sin_family;
    in_port_t sin_port;
    struct in_addr sin_addr;
    unsigned char sin_zero[8];
};

struct in6_addr {
    uint8_t s6_addr[16];
};

struct sockaddr_in6 {
    sa_family_t sin6_family;
    in_port_t sin6_port;
    uint32_t sin6_flowinfo;
    struct in6_addr sin6_addr;
    uint32_t sin6_scope_id;
};

#define IN6ADDR_ANY_INIT                                                                           \
    {                                                                                              \
        {                                                                                          \
            0                                                                                      \
        }                                                                                          \
    }
#define IN6ADDR_LOOPBACK_INIT                                                                      \
    {                                                                                              \
        {                                                                                          \
            0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1                                         \
        }                                                                                          \
    }

__MPJ_BEGIN

uint32_t htonl(uint32_t x);
uint32_t ntohl(uint32_t x);
uint16_t htons(uint16_t x);
uint16_t ntohs(uint16_t x);

__MPJ_END

#define htonl(x) __builtin_bswap32(x)
#define ntohl(x) __builtin_bswap32(x)
#define htons(x) __builtin_bswap16(x)
#define ntohs(x) __builtin_bswap16(x)

#endif
