/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * NOR flash, bank 1: what the chips say of themselves, then erase, program across write-buffer
 * borders, compare; programming again without erasing fails. Runs from RAM.
 */
#include <string.h>

#include "hal_err.h"
#include "hal_flash.h"
#include "known.h"
#include "mpj_mmu.h"

#define AT    0x123000U
#define BYTES 5000U

static uint8_t data[BYTES];

/* Bytes of the bank that are not what they should be. */
static uint32_t differ(const struct hal_flash *f, uint32_t offset, const uint8_t *want,
                       uint8_t fill, uint32_t len)
{
    const volatile uint8_t *p = (const volatile uint8_t *)(f->base + offset);
    uint32_t n = 0;

    for (uint32_t i = 0; i < len; i++)
        n += p[i] != (want != NULL ? want[i] : fill);
    return n;
}

int main(void)
{
    struct hal_flash f;
    uint32_t base = hal_flash_bank(1);
    uint32_t start = 0, bytes = 0;
    int r;

    for (uint32_t i = 0; i < BYTES; i++)
        data[i] = (uint8_t)(i * 31U + i / 256U);
    mpj_mmu_map(base, base + (64U << 20), MPJ_MMU_DEVICE);
    r = hal_flash_probe(&f, base);
    printf("probe %d\n", r);
    if (r != HAL_OK)
        return 1;
    printf("bytes %lu\n", (unsigned long)f.bytes);
    printf("block_bytes %d\n", hal_flash_block(&f, AT, &start, &bytes) == HAL_OK ? (int)bytes : -1);
    hal_flash_vpp(true);
    printf("erase %d\n", hal_flash_erase(&f, AT));
    printf("not_erased %lu\n", (unsigned long)differ(&f, start, NULL, 0xff, bytes));
    printf("program %d\n", hal_flash_program(&f, AT + 12, data, BYTES));
    printf("not_programmed %lu\n", (unsigned long)differ(&f, AT + 12, data, 0, BYTES));
    printf("beyond %lu\n", (unsigned long)differ(&f, AT + 12 + BYTES, NULL, 0xff, 64));
    data[0] = (uint8_t)~data[0];
    printf("over %d\n", hal_flash_program(&f, AT + 12, data, 4));
    printf("erase_again %d\n", hal_flash_erase(&f, AT));
    printf("program_again %d\n", hal_flash_program(&f, AT + 12, data, 4));
    hal_flash_vpp(false);
    printf("without_vpp %d\n", hal_flash_erase(&f, AT));
    return 0;
}
