/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of hosts: none is known. */
#include <net/if.h>
#include <netdb.h>
#include <stdio.h>

int *__h_errno_location(void)
{
    static int error;

    error = NO_RECOVERY;
    return &error;
}

const char *hstrerror(int error)
{
    return error == 0 ? "Resolver Error 0 (no error)" : "Unknown server error";
}

void herror(const char *text)
{
    (void)fprintf(stderr, "%s%s%s\n", text != NULL ? text : "", text != NULL ? ": " : "",
                  hstrerror(h_errno));
}

const char *gai_strerror(int error)
{
    return error == EAI_FAIL ? "Non-recoverable failure in name resolution" : "Unknown error";
}

int getaddrinfo(const char *restrict node, const char *restrict service,
                const struct addrinfo *restrict hints, struct addrinfo **restrict list)
{
    (void)node;
    (void)service;
    (void)hints;
    (void)list;
    return EAI_FAIL;
}

int getnameinfo(const struct sockaddr *restrict address, socklen_t length, char *restrict node,
                socklen_t node_size, char *restrict service, socklen_t service_size, int flags)
{
    (void)address;
    (void)length;
    (void)node;
    (void)node_size;
    (void)service;
    (void)service_size;
    (void)flags;
    return EAI_FAIL;
}

void freeaddrinfo(struct addrinfo *list)
{
    (void)list;
}

void if_freenameindex(struct if_nameindex *list)
{
    (void)list;
}
