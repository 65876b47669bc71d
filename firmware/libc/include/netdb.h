/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of hosts and services, none of which is known. */
#ifndef MPJ_NETDB_H
#define MPJ_NETDB_H

#include <netinet/in.h>
#include <stdint.h>
#include <sys/socket.h>

struct hostent {
    char *h_name;
    char **h_aliases;
    int h_addrtype, h_length;
    char **h_addr_list;
};
#define h_addr h_addr_list[0]

struct netent {
    char *n_name;
    char **n_aliases;
    int n_addrtype;
    uint32_t n_net;
};

struct protoent {
    char *p_name;
    char **p_aliases;
    int p_proto;
};

struct servent {
    char *s_name;
    char **s_aliases;
    int s_port;
    char *s_proto;
};

struct addrinfo {
    int ai_flags, ai_family, ai_socktype, ai_protocol;
    socklen_t ai_addrlen;
    struct sockaddr *ai_addr;
    char *ai_canonname;
    struct addrinfo *ai_next;
};

#define AI_PASSIVE      0x0001
#define AI_CANONNAME    0x0002
#define AI_NUMERICHOST  0x0004
#define AI_V4MAPPED     0x0008
#define AI_ALL          0x0010
#define AI_ADDRCONFIG   0x0020
#define AI_NUMERICSERV  0x0400
#define NI_NUMERICHOST  1
#define NI_NUMERICSERV  2
#define NI_NOFQDN       4
#define NI_NAMEREQD     8
#define NI_DGRAM        16
#define NI_MAXHOST      1025
#define NI_MAXSERV      32
#define EAI_BADFLAGS    -1
#define EAI_NONAME      -2
#define EAI_AGAIN       -3
#define EAI_FAIL        -4
#define EAI_FAMILY      -6
#define EAI_SOCKTYPE    -7
#define EAI_SERVICE     -8
#define EAI_MEMORY      -10
#define EAI_SYSTEM      -11
#define EAI_OVERFLOW    -12
#define HOST_NOT_FOUND  1
#define TRY_AGAIN       2
#define NO_RECOVERY     3
#define NO_DATA         4
#define NO_ADDRESS      4
#define IPPORT_RESERVED 1024

#ifdef __cplusplus
extern "C" {
#endif

#define h_errno (*__h_errno_location())
/* Returns the address of h_errno, which is always NO_RECOVERY. */
int *__h_errno_location(void);
const char *hstrerror(int error);
void herror(const char *text);
const char *gai_strerror(int error);
/* Returns EAI_FAIL. */
int getaddrinfo(const char *__restrict node, const char *__restrict service,
                const struct addrinfo *__restrict hints, struct addrinfo **__restrict list);
int getnameinfo(const struct sockaddr *__restrict address, socklen_t length, char *__restrict node,
                socklen_t node_size, char *__restrict service, socklen_t service_size, int flags);
void freeaddrinfo(struct addrinfo *list);
/* Return NULL with ENOSYS; functions without a result do nothing. */
struct hostent *gethostbyname(const char *name);
struct hostent *gethostbyaddr(const void *address, socklen_t length, int type);
struct hostent *gethostent(void);
void sethostent(int stays);
void endhostent(void);
struct netent *getnetbyname(const char *name);
struct netent *getnetbyaddr(uint32_t net, int type);
struct netent *getnetent(void);
void setnetent(int stays);
void endnetent(void);
struct protoent *getprotobyname(const char *name);
struct protoent *getprotobynumber(int number);
struct protoent *getprotoent(void);
void setprotoent(int stays);
void endprotoent(void);
struct servent *getservbyname(const char *name, const char *protocol);
struct servent *getservbyport(int port, const char *protocol);
struct servent *getservent(void);
void setservent(int stays);
void endservent(void);

#ifdef __cplusplus
}
#endif

#endif
