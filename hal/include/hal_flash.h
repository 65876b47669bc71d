/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * NOR flash of the board, if it has any; hal/device/flash_cfi.c drives two 16-bit CFI chips side by
 * side, seen as one 32-bit device. Vendor and geometry come from the chips (CFI query, JESD68;
 * Intel command sets 1 and 3, inferred for this board until read).
 *
 * While a function of this header runs, the chips do not return their contents: no core may execute
 * from or read this bank, and it must be mapped as device memory. Not for interrupt handlers; one
 * caller at a time.
 */
#ifndef HAL_FLASH_H
#define HAL_FLASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HAL_FLASH_REGIONS 4U

struct hal_flash_region {
    uint32_t offset;      /* from the start of the bank */
    uint32_t block_bytes; /* erase unit, both chips together */
    uint32_t blocks;
};

struct hal_flash {
    uintptr_t base;
    uint32_t bytes;        /* of the bank, both chips together */
    uint32_t id;           /* manufacturer << 16 | device, as the chips report; 0: they differ */
    uint16_t command_set;  /* CFI primary command set; 1 and 3 are supported */
    uint32_t program_us;   /* typical time of one word */
    uint32_t erase_ms;     /* typical time of one block */
    uint32_t buffer_bytes; /* write buffer, both chips together; 0: none */
    unsigned regions;
    struct hal_flash_region region[HAL_FLASH_REGIONS];
};

/* Returns the address of a bank; 0 for a number that the board does not have. */
uintptr_t hal_flash_bank(unsigned bank);

/* Queries the chips at base and fills *f. Returns 0, HAL_ENODEV when no pair of CFI chips answers,
 * or HAL_ENOTSUP for a command set other than 1 and 3. */
int hal_flash_probe(struct hal_flash *f, uintptr_t base);

/* Finds start and size of the erase block that holds an offset. Returns 0 or HAL_EINVAL. */
int hal_flash_block(const struct hal_flash *f, uint32_t offset, uint32_t *start, uint32_t *bytes);

/* Unlocks the block that holds an offset for programming: chips of command set 1 lock all blocks at
 * power-on. Returns 0, HAL_EINVAL, HAL_EIO or HAL_ETIMEOUT. */
int hal_flash_unlock(const struct hal_flash *f, uint32_t offset);

/* Unlocks and erases the block that holds an offset; its bytes then read 0xff. Returns 0,
 * HAL_EINVAL, HAL_EIO (locked block, voltage or erase failure, from the chips' status) or
 * HAL_ETIMEOUT. */
int hal_flash_erase(const struct hal_flash *f, uint32_t offset);

/* Writes len bytes (both offset and len multiples of 4) into erased flash of unlocked blocks, and
 * verifies them. Returns the errors of hal_flash_erase(). */
int hal_flash_program(const struct hal_flash *f, uint32_t offset, const void *data, size_t len);

/* Copies len bytes (offset and len multiples of 4) of the bank. Returns 0 or HAL_EINVAL. */
int hal_flash_read(const struct hal_flash *f, uint32_t offset, void *data, size_t len);

/* Switches the programming voltage, where a board can (SYS_FLASH bit 0 of the RealView boards): on
 * before erase and program, off after them. */
void hal_flash_vpp(bool on);

#endif
