/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any file as a program: its notes, symbols, lines and the chain of a fault. The first four bytes
 * are the address asked for. */
#include "fuzz.h"

#include <string.h>

#include "fuzz_file.h"
#include "mpj_image.h"
#include "mpj_symbols.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mpj_symbols *s = NULL;
    struct mpj_image image;
    struct mpj_place place[8];
    struct mpj_fault f = {0};
    struct mpj_err err;
    const char *path;
    uint32_t address = 0;
    uint32_t offset = 0;

    if (size < sizeof(address))
        return 0;
    memcpy(&address, data, sizeof(address));
    path = fuzz_file(data + sizeof(address), size - sizeof(address));
    (void)mpj_image_check(&image, path, &err);
    if (mpj_symbols_open(&s, path, &err) != MPJ_E_OK)
        return 0;
    for (uint32_t i = 0; i < 16; i++) {
        mpj_symbols_lookup(s, address + 4 * i, &place[0]);
        (void)mpj_symbols_variable(s, address + 4 * i, &offset);
    }
    for (unsigned i = 0; i < 16; i++)
        f.r[i] = address + i;
    f.r[15] = address;
    (void)mpj_symbols_unwind(s, &f, place, sizeof(place) / sizeof(place[0]));
    mpj_symbols_free(s);
    return 0;
}
