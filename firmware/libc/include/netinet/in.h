/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Addresses of networks, as Linux declares them. */
#ifndef MPJ_NETINET_IN_H
#define MPJ_NETINET_IN_H

#include <arpa/inet.h>
#include <sys/socket.h>

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
#define INADDR_BROADCAST ((in_addr_t)0xffffffff)
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

#endif
