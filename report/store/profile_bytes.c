/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "store/profile_bytes.h"

uint64_t profile_take(struct profile_bytes *b, unsigned n)
{
    uint64_t v = 0;

    if ((size_t)(b->end - b->at) < n) {
        b->is_short = true;
        b->at = b->end;
        return 0;
    }
    for (unsigned i = n; i-- > 0;)
        v = v << 8 | b->at[i];
    b->at += n;
    return v;
}

int profile_damaged(struct import *m, const char *what)
{
    return mpj_err_set(m->err, MPJ_E_LOG, "%s: the emulator's profile cannot be read: %s", m->log,
                       what);
}

struct profile_bytes profile_section(const struct profile_bytes *file, const char *tag)
{
    struct profile_bytes b = {file->at + 16, file->end, false};

    while (!b.is_short && b.end - b.at >= 16) {
        const bool found = memcmp(b.at, tag, 4) == 0;
        b.at += 8;
        const uint64_t len = profile_take(&b, 8);
        if (len > (uint64_t)(b.end - b.at))
            break;
        if (found)
            return (struct profile_bytes){b.at, b.at + len, false};
        b.at += len;
    }
    return (struct profile_bytes){file->end, file->end, true};
}

bool profile_names(struct profile_bytes b, const char *name[PROFILE_ITEMS_MAX])
{
    for (unsigned i = 0; b.at < b.end; i++) {
        const unsigned char *const end = memchr(b.at, 0, (size_t)(b.end - b.at));
        if (end == NULL || i == PROFILE_ITEMS_MAX)
            return false;
        name[i] = (const char *)b.at;
        b.at = end + 1;
    }
    return true;
}
