/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Second half of the boot stage: runs in the flash, with a stack, without data. */
#include <string.h>

#include "hal_map.h"
#include "loader_layout.h"
#include "mpj_copies.h"

/* Copies the newest copy of the loader to RAM. Returns its address, or 0. */
uint32_t mpj_boot_main(void);

uint32_t mpj_boot_main(void)
{
    const uint8_t *const bank = (const uint8_t *)BOARD_NOR0_BASE;
    struct mpj_copy c;
    const unsigned n = mpj_copies_newest(bank, &c);

    if (n == MPJ_COPIES)
        return 0;
    memcpy((void *)(uintptr_t)LOADER_RAM, bank + mpj_copies_offset(n) + MPJ_COPIES_HEADER, c.bytes);
    return LOADER_RAM;
}
