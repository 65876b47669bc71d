/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CFI NOR flash, two 16-bit chips side by side: chip 0 on data lines 15..0, chip 1 on 31..16.
 * Commands go to both at once; the status of both is checked. Intel command sets (1 extended, 3
 * standard).
 */
#include "hal_flash.h"

#include <string.h>

#include "hal_cpu.h"
#include "hal_err.h"
#include "hal_io.h"
#include "hal_map.h"

#define BOTH(x)          ((uint32_t)(x) | ((uint32_t)(x) << 16))
#define LOW_CHIP         0xffffU
#define CHIPS            2U
#define BUS_BYTES        4U

#define CMD_READ_ARRAY   0xffU
#define CMD_QUERY        0x98U
#define CMD_IDENTIFY     0x90U
#define CMD_STATUS       0x70U
#define CMD_CLEAR_STATUS 0x50U
#define CMD_PROGRAM      0x40U
#define CMD_BUFFER       0xe8U
#define CMD_ERASE        0x20U
#define CMD_LOCK_SETUP   0x60U
#define CMD_CONFIRM      0xd0U

#define STATUS_READY     0x80U
#define STATUS_ERRORS    0x3aU /* erase 5, program 4, voltage 3, locked 1 */

/* CFI query table, in words of the chip. */
#define QUERY_ADDRESS 0x55U
#define Q_SIGNATURE   0x10U
#define Q_COMMAND_SET 0x13U
#define Q_WORD_TIME   0x1fU /* 2^n us */
#define Q_ERASE_TIME  0x21U /* 2^n ms */
#define Q_SIZE        0x27U /* 2^n bytes */
#define Q_BUFFER      0x2aU /* 2^n bytes, two words */
#define Q_REGIONS     0x2cU
#define Q_REGION(n)   (0x2dU + 4U * (n))

/* Status polls before giving up: erasing a block takes up to some seconds, a poll 100 ns or
 * more. */
#define POLL_PROGRAM 1000000U
#define POLL_ERASE   100000000U

static uint32_t peek(uintptr_t base, uint32_t word)
{
    return hal_io_read32(base + word * BUS_BYTES);
}

static void command(uintptr_t addr, uint32_t cmd)
{
    hal_io_write32(addr, BOTH(cmd));
}

/* Reads a query byte. Returns -1 if the two chips do not agree. */
static int query(uintptr_t base, uint32_t word)
{
    uint32_t v = peek(base, word);

    if ((v & LOW_CHIP) != v >> 16)
        return -1;
    return (int)(v & 0xffU);
}

static int query16(uintptr_t base, uint32_t word)
{
    int lo = query(base, word);
    int hi = query(base, word + 1U);

    return lo < 0 || hi < 0 ? -1 : lo | (hi << 8);
}

uintptr_t hal_flash_bank(unsigned bank)
{
    return bank < BOARD_NOR_BANKS ? BOARD_NOR0_BASE + bank * BOARD_NOR_BYTES : 0;
}

static int read_regions(struct hal_flash *f, uintptr_t base)
{
    int regions = query(base, Q_REGIONS);
    uint32_t offset = 0;

    if (regions < 1 || regions > (int)HAL_FLASH_REGIONS)
        return HAL_ENOTSUP;
    f->regions = (unsigned)regions;
    for (unsigned i = 0; i < f->regions; i++) {
        struct hal_flash_region *r = &f->region[i];
        int blocks = query16(base, Q_REGION(i));
        int size = query16(base, Q_REGION(i) + 2U); /* in 256 bytes; 0 means 128 */

        if (blocks < 0 || size < 0)
            return HAL_ENODEV;
        r->offset = offset;
        r->blocks = (uint32_t)blocks + 1U;
        r->block_bytes = (size == 0 ? 128U : (uint32_t)size * 256U) * CHIPS;
        offset += r->blocks * r->block_bytes;
    }
    return offset == f->bytes ? HAL_OK : HAL_ENOTSUP;
}

static int read_query(struct hal_flash *f, uintptr_t base)
{
    int set, size, word_time, erase_time, buffer;

    if (query(base, Q_SIGNATURE) != 'Q' || query(base, Q_SIGNATURE + 1U) != 'R' ||
        query(base, Q_SIGNATURE + 2U) != 'Y')
        return HAL_ENODEV;
    set = query16(base, Q_COMMAND_SET);
    size = query(base, Q_SIZE);
    word_time = query(base, Q_WORD_TIME);
    erase_time = query(base, Q_ERASE_TIME);
    buffer = query16(base, Q_BUFFER);
    if (set < 0 || size < 16 || size > 30 || word_time < 0 || erase_time < 0 || buffer < 0)
        return HAL_ENODEV;
    f->command_set = (uint16_t)set;
    if (set != 1 && set != 3)
        return HAL_ENOTSUP;
    f->base = base;
    f->bytes = CHIPS << size;
    f->program_us = word_time > 0 && word_time < 20 ? 1U << word_time : 0U;
    f->erase_ms = erase_time > 0 && erase_time < 20 ? 1U << erase_time : 0U;
    f->buffer_bytes = buffer > 0 && buffer < 12 ? CHIPS << buffer : 0U;
    return read_regions(f, base);
}

static uint32_t read_id(uintptr_t base)
{
    const uint32_t maker = peek(base, 0);
    const uint32_t device = peek(base, 1);

    if ((maker & LOW_CHIP) != maker >> 16 || (device & LOW_CHIP) != device >> 16)
        return 0;
    return maker << 16 | (device & LOW_CHIP);
}

int hal_flash_probe(struct hal_flash *f, uintptr_t base)
{
    int r;

    memset(f, 0, sizeof(*f));
    command(base + QUERY_ADDRESS * BUS_BYTES, CMD_QUERY);
    r = read_query(f, base);
    command(base, CMD_READ_ARRAY);
    if (r != HAL_OK)
        return r;
    command(base, CMD_IDENTIFY);
    f->id = read_id(base);
    command(base, CMD_READ_ARRAY);
    return HAL_OK;
}

int hal_flash_block(const struct hal_flash *f, uint32_t offset, uint32_t *start, uint32_t *bytes)
{
    for (unsigned i = 0; i < f->regions; i++) {
        const struct hal_flash_region *r = &f->region[i];

        if (offset >= r->offset && offset - r->offset < r->blocks * r->block_bytes) {
            *bytes = r->block_bytes;
            *start = offset - (offset - r->offset) % r->block_bytes;
            return HAL_OK;
        }
    }
    return HAL_EINVAL;
}

/* Waits until both chips are ready, then makes the array readable again. Returns 0, HAL_EIO or
 * HAL_ETIMEOUT. */
static int finish(uintptr_t addr, uint32_t polls)
{
    int r = HAL_ETIMEOUT;

    for (uint32_t n = 0; n < polls; n++) {
        uint32_t v = hal_io_read32(addr);

        if ((v & BOTH(STATUS_READY)) == BOTH(STATUS_READY)) {
            r = (v & BOTH(STATUS_ERRORS)) != 0 ? HAL_EIO : HAL_OK;
            break;
        }
    }
    command(addr, CMD_CLEAR_STATUS);
    command(addr, CMD_READ_ARRAY);
    hal_dsb();
    return r;
}

int hal_flash_unlock(const struct hal_flash *f, uint32_t offset)
{
    uint32_t start, bytes;
    uintptr_t addr;
    int r = hal_flash_block(f, offset, &start, &bytes);

    if (r != HAL_OK || f->command_set != 1)
        return r;
    addr = f->base + start;
    command(addr, CMD_CLEAR_STATUS);
    command(addr, CMD_LOCK_SETUP);
    command(addr, CMD_CONFIRM);
    command(addr, CMD_STATUS);
    return finish(addr, POLL_PROGRAM);
}

int hal_flash_erase(const struct hal_flash *f, uint32_t offset)
{
    uint32_t start, bytes;
    uintptr_t addr;
    int r = hal_flash_unlock(f, offset);

    if (r == HAL_OK)
        r = hal_flash_block(f, offset, &start, &bytes);
    if (r != HAL_OK)
        return r;
    addr = f->base + start;
    command(addr, CMD_CLEAR_STATUS);
    command(addr, CMD_ERASE);
    command(addr, CMD_CONFIRM);
    return finish(addr, POLL_ERASE);
}

static int program_word(uintptr_t addr, uint32_t value)
{
    command(addr, CMD_PROGRAM);
    hal_io_write32(addr, value);
    return finish(addr, POLL_PROGRAM);
}

/* Programs words: at most the buffer's, all within one aligned buffer window. */
static int program_buffer(uintptr_t addr, const uint32_t *data, uint32_t words)
{
    uint32_t n = 0;

    do {
        command(addr, CMD_BUFFER);
        if (++n == POLL_PROGRAM) {
            command(addr, CMD_READ_ARRAY);
            return HAL_ETIMEOUT;
        }
    } while ((hal_io_read32(addr) & BOTH(STATUS_READY)) != BOTH(STATUS_READY));
    command(addr, words - 1U); /* counted in words of each chip */
    for (uint32_t i = 0; i < words; i++)
        hal_io_write32(addr + i * BUS_BYTES, data[i]);
    command(addr, CMD_CONFIRM);
    return finish(addr, POLL_PROGRAM);
}

int hal_flash_program(const struct hal_flash *f, uint32_t offset, const void *data, size_t len)
{
    const uint8_t *from = data;
    uint32_t chunk[512];
    uint32_t most = f->buffer_bytes > sizeof(chunk) ? sizeof(chunk) : f->buffer_bytes;

    if (offset % BUS_BYTES != 0 || len % BUS_BYTES != 0 || offset > f->bytes ||
        len > f->bytes - offset)
        return HAL_EINVAL;
    while (len > 0) {
        uintptr_t addr = f->base + offset;
        uint32_t n = BUS_BYTES;
        int r;

        if (most > BUS_BYTES) {
            n = most - offset % most; /* to the end of the buffer's window */
            if (n > len)
                n = (uint32_t)len;
        }
        memcpy(chunk, from, n);
        r = n == BUS_BYTES ? program_word(addr, chunk[0])
                           : program_buffer(addr, chunk, n / BUS_BYTES);
        if (r != HAL_OK)
            return r;
        for (uint32_t i = 0; i < n / BUS_BYTES; i++) {
            if (hal_io_read32(addr + i * BUS_BYTES) != chunk[i])
                return HAL_EIO;
        }
        from += n;
        offset += n;
        len -= n;
    }
    return HAL_OK;
}

int hal_flash_read(const struct hal_flash *f, uint32_t offset, void *data, size_t len)
{
    uint8_t *to = data;

    if (offset % BUS_BYTES != 0 || len % BUS_BYTES != 0 || offset > f->bytes ||
        len > f->bytes - offset)
        return HAL_EINVAL;
    for (size_t n = 0; n < len; n += BUS_BYTES) {
        uint32_t v = hal_io_read32(f->base + offset + n);

        memcpy(to + n, &v, BUS_BYTES);
    }
    return HAL_OK;
}

void hal_flash_vpp(bool on)
{
#ifdef BOARD_SYS_FLASH
    const uint32_t v = hal_io_read32(BOARD_SYS_FLASH) & ~1U;

    hal_io_write32(BOARD_SYS_FLASH, on ? v | 1U : v);
#else
    (void)on;
#endif
}
