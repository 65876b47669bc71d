/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hil/kind.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "mpj_machine_record.h"
#include "mpj_records.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "the file's numbers are read as they are");

bool mpj_kind_is_name(const char *name)
{
    const size_t len = strlen(name);

    return len > 0 && len < TILE_NAME_SIZE && name[0] != '-' &&
           strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == len;
}

/* True if every text of the description ends within its array. */
static bool terminated(const struct tile_machine *m)
{
    bool ends = memchr(m->name, '\0', sizeof(m->name)) != NULL &&
                memchr(m->platform, '\0', sizeof(m->platform)) != NULL &&
                memchr(m->title, '\0', sizeof(m->title)) != NULL &&
                memchr(m->chip, '\0', sizeof(m->chip)) != NULL;

    for (unsigned i = 0; i < TILE_POWER_MAX; i++)
        ends = ends && memchr(m->power[i].name, '\0', sizeof(m->power[i].name)) != NULL &&
               memchr(m->power[i].feeds, '\0', sizeof(m->power[i].feeds)) != NULL;
    return ends;
}

/* True if the codec of the record MACHINE accepts the description. */
static bool possible(const struct tile_machine *m)
{
    uint8_t scratch[MPJ_FRAME_PAYLOAD_MAX];
    struct mpj_writer w;

    mpj_writer_init(&w, scratch, sizeof(scratch));
    return terminated(m) && mpj_kind_is_name(m->name) && mpj_machine_put(&w, m) == MPJ_LINK_OK;
}

int mpj_kind_read(struct tile_machine *out, const char *path, struct mpj_err *err)
{
    const int fd = mpj_file_open(path);
    FILE *const f = fd >= 0 ? fdopen(fd, "r") : NULL;
    size_t n;
    bool whole;

    if (f == NULL) {
        mpj_err_errno(err, "cannot read the description of a board %s", path);
        if (fd >= 0)
            close(fd);
        return err->code;
    }
    n = fread(out, 1, sizeof(*out), f);
    whole = n == sizeof(*out) && getc(f) == EOF && !ferror(f);
    fclose(f);
    if (!whole || !possible(out))
        return mpj_err_set(err, MPJ_E_TARGET,
                           "%s is not the description of a board that this mpjoule knows: build or "
                           "install the runtime again",
                           path);
    return MPJ_E_OK;
}
