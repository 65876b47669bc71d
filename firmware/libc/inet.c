/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Conversion of Internet addresses from and to text. */
#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int inet_aton(const char *text, struct in_addr *address)
{
    uint32_t value = 0;

    for (unsigned parts = 1;; parts++) {
        char *end;
        const unsigned long long part = strtoull(text, &end, 0);

        if (!isdigit((unsigned char)*text) || parts > 4)
            return 0;
        if (*end != '.') { /* the last part fills the remaining bytes */
            const uint32_t room = 0xffffffffU >> (8U * (parts - 1U));

            if (part > room || (*end != '\0' && !isspace((unsigned char)*end)))
                return 0;
            address->s_addr = htonl(value | (uint32_t)part);
            return 1;
        }
        if (part > 255 || parts == 4)
            return 0;
        value |= (uint32_t)part << (32U - 8U * parts);
        text = end + 1;
    }
}

in_addr_t inet_addr(const char *text)
{
    struct in_addr address;

    return inet_aton(text, &address) ? address.s_addr : INADDR_NONE;
}

int inet_pton(int family, const char *text, void *address)
{
    unsigned char bytes[4];

    if (family != AF_INET) {
        errno = EAFNOSUPPORT;
        return -1;
    }
    for (unsigned i = 0; i < 4; i++) {
        unsigned value = 0;
        unsigned digits = 0;

        for (; isdigit((unsigned char)*text) && digits < 4; text++, digits++)
            value = value * 10U + (unsigned)(*text - '0');
        if (digits == 0 || value > 255 || (digits > 1 && text[-(int)digits] == '0') ||
            *text++ != (i < 3 ? '.' : '\0'))
            return 0;
        bytes[i] = (unsigned char)value;
    }
    memcpy(address, bytes, sizeof(bytes));
    return 1;
}

const char *inet_ntop(int family, const void *address, char *text, socklen_t size)
{
    const unsigned char *const b = address;
    char all[INET_ADDRSTRLEN];

    if (family != AF_INET) {
        errno = EAFNOSUPPORT;
        return NULL;
    }
    if ((socklen_t)snprintf(all, sizeof(all), "%u.%u.%u.%u", b[0], b[1], b[2], b[3]) >= size) {
        errno = ENOSPC;
        return NULL;
    }
    return strcpy(text, all);
}

char *inet_ntoa(struct in_addr address)
{
    static _Thread_local char text[INET_ADDRSTRLEN];

    (void)inet_ntop(AF_INET, &address, text, sizeof(text));
    return text;
}
