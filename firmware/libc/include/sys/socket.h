/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sockets, as Linux declares them. There is no network: socketpair() of AF_UNIX connects threads of
 * the program, and all functions that need addresses fail with ENOSYS.
 */
#ifndef MPJ_SYS_SOCKET_H
#define MPJ_SYS_SOCKET_H

#include <bits/iovec.h>
#include <features.h>
#include <sys/types.h>

typedef unsigned int socklen_t;
#ifndef MPJ_SA_FAMILY_T
#define MPJ_SA_FAMILY_T
typedef unsigned short sa_family_t;
#endif

#define SOCK_STREAM      1
#define SOCK_DGRAM       2
#define SOCK_RAW         3
#define SOCK_RDM         4
#define SOCK_SEQPACKET   5
#define SOCK_CLOEXEC     02000000 /* O_CLOEXEC */
#define SOCK_NONBLOCK    04000    /* O_NONBLOCK */

#define PF_UNSPEC        0
#define PF_UNIX          1
#define PF_LOCAL         PF_UNIX
#define PF_INET          2
#define PF_INET6         10
#define PF_NETLINK       16
#define PF_PACKET        17
#define AF_UNSPEC        PF_UNSPEC
#define AF_UNIX          PF_UNIX
#define AF_LOCAL         PF_LOCAL
#define AF_INET          2
#define AF_INET6         PF_INET6
#define AF_NETLINK       PF_NETLINK
#define AF_PACKET        PF_PACKET

#define MSG_OOB          0x01
#define MSG_PEEK         0x02
#define MSG_DONTROUTE    0x04
#define MSG_CTRUNC       0x08
#define MSG_TRUNC        0x20
#define MSG_DONTWAIT     0x40
#define MSG_EOR          0x80
#define MSG_WAITALL      0x100
#define MSG_NOSIGNAL     0x4000
#define MSG_MORE         0x8000
#define MSG_CMSG_CLOEXEC 0x40000000

#define SHUT_RD          0
#define SHUT_WR          1
#define SHUT_RDWR        2

#define SOL_SOCKET       1
#define SO_DEBUG         1
#define SO_REUSEADDR     2
#define SO_TYPE          3
#define SO_ERROR         4
#define SO_DONTROUTE     5
#define SO_BROADCAST     6
#define SO_SNDBUF        7
#define SO_RCVBUF        8
#define SO_KEEPALIVE     9
#define SO_OOBINLINE     10
#define SO_LINGER        13
#define SO_RCVLOWAT      18
#define SO_SNDLOWAT      19
#define SO_RCVTIMEO      20
#define SO_SNDTIMEO      21
#define SO_ACCEPTCONN    30
#ifdef __USE_MISC
#define SO_REUSEPORT 15
#define SO_PASSCRED  16
#define SO_PEERCRED  17
#define SO_PROTOCOL  38
#define SO_DOMAIN    39
#endif
#define SOMAXCONN  4096

#define SCM_RIGHTS 1

struct sockaddr {
    sa_family_t sa_family;
    char sa_data[14];
};

struct sockaddr_storage {
    sa_family_t ss_family;
    char mpj_rest[122];
    unsigned long mpj_align;
};

struct linger {
    int l_onoff, l_linger;
};

struct msghdr {
    void *msg_name;
    socklen_t msg_namelen;
    struct iovec *msg_iov;
    size_t msg_iovlen;
    void *msg_control;
    size_t msg_controllen;
    int msg_flags;
};

struct cmsghdr {
    size_t cmsg_len;
    int cmsg_level, cmsg_type;
};

#define CMSG_ALIGN(n) (((n) + sizeof(size_t) - 1U) & ~(sizeof(size_t) - 1U))
#define CMSG_SPACE(n) (CMSG_ALIGN(n) + CMSG_ALIGN(sizeof(struct cmsghdr)))
#define CMSG_LEN(n)   (CMSG_ALIGN(sizeof(struct cmsghdr)) + (n))
#define CMSG_DATA(c)  ((unsigned char *)((struct cmsghdr *)(c) + 1))
#define CMSG_FIRSTHDR(m)                                                                           \
    ((m)->msg_controllen >= sizeof(struct cmsghdr) ? (struct cmsghdr *)(m)->msg_control            \
                                                   : (struct cmsghdr *)0)
#define CMSG_NXTHDR(m, c) mpj_cmsg_next((m), (c))

#ifdef __cplusplus
extern "C" {
#endif

static __inline__ struct cmsghdr *mpj_cmsg_next(struct msghdr *m, struct cmsghdr *c)
{
    unsigned char *const next = (unsigned char *)c + CMSG_ALIGN(c->cmsg_len);
    unsigned char *const end = (unsigned char *)m->msg_control + m->msg_controllen;

    return c->cmsg_len < sizeof(*c) || next + sizeof(*c) > end ? (struct cmsghdr *)0
                                                               : (struct cmsghdr *)(void *)next;
}

/* Creates two connected sockets of AF_UNIX: SOCK_STREAM, SOCK_DGRAM or SOCK_SEQPACKET, with
 * SOCK_CLOEXEC and SOCK_NONBLOCK. Returns 0, or -1 with errno. */
int socketpair(int domain, int type, int protocol, int fd[2]);
/* Send and receive. MSG_PEEK, MSG_DONTWAIT, MSG_WAITALL, MSG_TRUNC and MSG_NOSIGNAL work; ENOTSOCK
 * for descriptors that are not sockets. Only bytes are transferred: control data is EOPNOTSUPP, an
 * address EISCONN. */
ssize_t send(int fd, const void *data, size_t size, int flags);
ssize_t recv(int fd, void *data, size_t size, int flags);
ssize_t sendto(int fd, const void *data, size_t size, int flags, const struct sockaddr *to,
               socklen_t length);
ssize_t recvfrom(int fd, void *data, size_t size, int flags, struct sockaddr *from,
                 socklen_t *length);
ssize_t sendmsg(int fd, const struct msghdr *message, int flags);
ssize_t recvmsg(int fd, struct msghdr *message, int flags);
int shutdown(int fd, int how);
/* Returns SO_TYPE, SO_ERROR, SO_DOMAIN, SO_SNDBUF, SO_RCVBUF, SO_ACCEPTCONN; others are
 * ENOPROTOOPT. */
int getsockopt(int fd, int level, int option, void *value, socklen_t *length);
/* Accepts sizes of buffers, without effect; others are ENOPROTOOPT. */
int setsockopt(int fd, int level, int option, const void *value, socklen_t length);

/* Fail with ENOSYS. */
int socket(int domain, int type, int protocol);
int bind(int fd, const struct sockaddr *address, socklen_t length);
int connect(int fd, const struct sockaddr *address, socklen_t length);
int listen(int fd, int backlog);
int accept(int fd, struct sockaddr *address, socklen_t *length);
#ifdef __USE_GNU
int accept4(int fd, struct sockaddr *address, socklen_t *length, int flags);
#endif
int getsockname(int fd, struct sockaddr *address, socklen_t *length);
int getpeername(int fd, struct sockaddr *address, socklen_t *length);
#ifdef __USE_XOPEN2K
int sockatmark(int fd);
#endif

#ifdef __cplusplus
}
#endif

#endif
