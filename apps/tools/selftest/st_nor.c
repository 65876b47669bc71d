/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The flash chips' own description of themselves. Nothing is erased or written. */
#include <stddef.h>

#include "hal_err.h"
#include "hal_flash.h"
#include "hal_map.h"
#include "mpj_mmu.h"
#include "selftest.h"

#if BOARD_NOR_BANKS > 0

#define BANKS ((unsigned)BOARD_NOR_BANKS)

struct query {
    uintptr_t base;
    struct hal_flash flash;
    int result;
};

static void query(void *arg)
{
    struct query *const q = arg;

    q->result = hal_flash_probe(&q->flash, q->base);
}

void st_nor(void)
{
    static const struct st_item size = {"nor.size",
                                        "MB",
                                        "BOARD_NOR0_BASE",
                                        "each bank, by CFI query",
                                        BOARD_NOR_BYTES >> 20,
                                        BOARD_NOR_BYTES >> 20};
    static const struct st_item set = {"nor.commands",
                                       "",
                                       "BOARD_NOR0_BASE",
                                       "command set: 1 or 3, which the loader writes with",
                                       1,
                                       3};
    static const struct st_item block = {
        "nor.block", "KB", "firmware/loader:mpj_slots.h", "erase block of both chips", 256, 256};
    static struct query q[BANKS];
    struct mpj_fault_caught c[BANKS];
    bool there[BANKS];

    st_part("flash");
    for (unsigned i = 0; i < BANKS; i++) {
        const uintptr_t base = BOARD_NOR0_BASE + (uintptr_t)i * BOARD_NOR_BYTES;

        if ((uintptr_t)st_nor - base < BOARD_NOR_BYTES) {
            st_skip(&size, "this image runs from that bank");
            return;
        }
        mpj_mmu_map(base, base + BOARD_NOR_BYTES, MPJ_MMU_DEVICE);
        q[i].base = base;
        there[i] = mpj_fault_try(&c[i], query, &q[i]);
        mpj_mmu_map(base, base + BOARD_NOR_BYTES, MPJ_MMU_CODE);
    }
    for (unsigned i = 0; i < BANKS; i++) {
        if (!there[i])
            st_fault(&size, (int)i, &c[i]);
        else
            st_value(&size, (int)i, q[i].result == HAL_OK ? q[i].flash.bytes >> 20 : 0);
    }
    if (there[0])
        st_note("flash id 0x%08lx: identity: {flash_id: ...} of boards.yaml",
                (unsigned long)q[0].flash.id);
    for (unsigned i = 0; i < BANKS; i++)
        st_value(&set, (int)i, q[i].result == HAL_OK ? q[i].flash.command_set : 0);
    for (unsigned i = 0; i < BANKS; i++)
        st_value(&block, (int)i,
                 q[i].result == HAL_OK ? q[i].flash.region[0].block_bytes >> 10 : 0);
}

#else

void st_nor(void)
{
    st_absent("nor.size", "no NOR flash on this board");
}

#endif
