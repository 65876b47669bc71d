/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A pair of Intel CFI chips on a 32-bit bus. Both chips always do the same. */
#include <stdlib.h>
#include <string.h>

#include "hal_fake.h"

#define BLOCKS_MAX 1024U

enum mode {
    ARRAY,
    STATUS,
    QUERY,
    IDENTIFY,
    PROGRAM_DATA,
    ERASE_CONFIRM,
    LOCK_CONFIRM,
    BUFFER_COUNT,
    BUFFER_DATA,
    BUFFER_CONFIRM
};

struct hal_fake_cfi {
    uintptr_t base;
    uint32_t bytes, block_bytes, buffer_bytes;
    unsigned command_set;
    enum mode mode;
    uint16_t status;
    uint16_t fail;
    unsigned busy, polls;
    uint32_t left; /* words still to come */
    uint32_t window;
    uint32_t held[512];
    uint32_t held_at[512];
    uint32_t held_count;
    bool unlocked[BLOCKS_MAX];
    unsigned operations, cut_at, random;
    void (*cut)(void *ctx);
    void *cut_ctx;
    uint8_t *memory;
};

static uint32_t log2_of(uint32_t v)
{
    uint32_t n = 0;

    while (v > 1U) {
        v >>= 1;
        n++;
    }
    return n;
}

static uint32_t query_byte(const struct hal_fake_cfi *f, uint32_t word)
{
    uint32_t chip_block = f->block_bytes / 2U / 256U;
    uint32_t blocks = f->bytes / f->block_bytes - 1U;

    switch (word) {
    case 0x10:
        return 'Q';
    case 0x11:
        return 'R';
    case 0x12:
        return 'Y';
    case 0x13:
        return f->command_set;
    case 0x1f:
        return 7;
    case 0x21:
        return 10;
    case 0x27:
        return log2_of(f->bytes / 2U);
    case 0x2a:
        return f->buffer_bytes == 0 ? 0 : log2_of(f->buffer_bytes / 2U);
    case 0x2c:
        return 1;
    case 0x2d:
        return blocks & 0xffU;
    case 0x2e:
        return blocks >> 8;
    case 0x2f:
        return chip_block & 0xffU;
    case 0x30:
        return chip_block >> 8;
    default:
        return 0;
    }
}

static uint32_t both(uint32_t v)
{
    return v | (v << 16);
}

static uint32_t cfi_read(void *ctx, uintptr_t addr)
{
    struct hal_fake_cfi *f = ctx;
    uint32_t offset = (uint32_t)(addr - f->base);
    uint32_t v;

    if (f->mode == QUERY)
        return both(query_byte(f, offset / 4U));
    if (f->mode == IDENTIFY) /* Intel 28F128J3 */
        return both(offset == 0 ? 0x89U : offset == 4U ? 0x18U : 0);
    if (f->mode == ARRAY) {
        memcpy(&v, f->memory + offset, 4);
        return v;
    }
    if (f->polls > 0) {
        f->polls--;
        return both(f->status & 0x7fU);
    }
    return both(f->status | 0x80U);
}

/* Ends an operation; a scripted failure shows now. */
static void operation(struct hal_fake_cfi *f)
{
    f->status |= f->fail;
    f->fail = 0;
    f->polls = f->busy;
    f->mode = STATUS;
}

static bool writable(struct hal_fake_cfi *f, uint32_t offset)
{
    if (f->command_set != 1 || f->unlocked[offset / f->block_bytes])
        return true;
    f->status |= 0x02U;
    return false;
}

static uint32_t next_random(struct hal_fake_cfi *f)
{
    f->random = f->random * 1664525U + 1013904223U;
    return f->random ^ f->random >> 16;
}

/* Counts a change of the array; returns true when the supply fails in the middle of it. */
static bool fails_now(struct hal_fake_cfi *f)
{
    f->operations++;
    return f->cut_at != 0 && f->operations == f->cut_at;
}

static void erase(struct hal_fake_cfi *f, uint32_t offset)
{
    uint8_t *block = f->memory + offset / f->block_bytes * f->block_bytes;

    if (fails_now(f)) {
        for (uint32_t i = 0; i < f->block_bytes; i++)
            block[i] |= (uint8_t)next_random(f);
        f->cut(f->cut_ctx);
    }
    memset(block, 0xff, f->block_bytes);
}

static void program(struct hal_fake_cfi *f, uint32_t offset, uint32_t value)
{
    uint32_t v;

    if (!writable(f, offset)) {
        f->status |= 0x10U;
        return;
    }
    memcpy(&v, f->memory + offset, 4);
    if (fails_now(f)) {
        v &= value | next_random(f);
        memcpy(f->memory + offset, &v, 4);
        f->cut(f->cut_ctx);
    }
    v &= value; /* programming only clears bits */
    memcpy(f->memory + offset, &v, 4);
}

static void first_command(struct hal_fake_cfi *f, uint32_t offset, uint32_t cmd)
{
    switch (cmd) {
    case 0xff:
        f->mode = ARRAY;
        break;
    case 0x98:
        f->mode = offset == 0x55U * 4U ? QUERY : f->mode;
        break;
    case 0x90:
        f->mode = IDENTIFY;
        break;
    case 0x70:
        f->mode = STATUS;
        break;
    case 0x50:
        f->status = 0;
        break;
    case 0x40:
        f->mode = PROGRAM_DATA;
        break;
    case 0x20:
        f->mode = ERASE_CONFIRM;
        break;
    case 0x60:
        f->mode = LOCK_CONFIRM;
        break;
    case 0xe8:
        f->mode = BUFFER_COUNT;
        f->window = offset;
        f->polls = 0;
        break;
    default:
        f->status |= 0x30U; /* command sequence error */
        f->mode = STATUS;
        break;
    }
}

static void cfi_write(void *ctx, uintptr_t addr, uint32_t value)
{
    struct hal_fake_cfi *f = ctx;
    uint32_t offset = (uint32_t)(addr - f->base);
    uint32_t cmd = value & 0xffU;

    switch (f->mode) {
    case PROGRAM_DATA:
        program(f, offset, value);
        operation(f);
        break;
    case ERASE_CONFIRM:
        if (cmd != 0xd0U)
            f->status |= 0x30U;
        else if (!writable(f, offset))
            f->status |= 0x20U;
        else
            erase(f, offset);
        operation(f);
        break;
    case LOCK_CONFIRM:
        if (cmd == 0xd0U)
            f->unlocked[offset / f->block_bytes] = true;
        f->mode = STATUS;
        break;
    case BUFFER_COUNT:
        f->left = (value & 0xffffU) + 1U;
        f->held_count = 0;
        f->mode = BUFFER_DATA;
        if (f->left * 4U > f->buffer_bytes || value >> 16 != (value & 0xffffU)) {
            f->status |= 0x30U;
            f->mode = STATUS;
        }
        break;
    case BUFFER_DATA:
        if (offset / f->buffer_bytes != f->window / f->buffer_bytes)
            f->status |= 0x30U;
        f->held[f->held_count] = value;
        f->held_at[f->held_count++] = offset;
        if (--f->left == 0)
            f->mode = BUFFER_CONFIRM;
        break;
    case BUFFER_CONFIRM:
        if (cmd != 0xd0U || (f->status & 0x30U) != 0) {
            f->status |= 0x30U;
        } else {
            for (uint32_t i = 0; i < f->held_count; i++)
                program(f, f->held_at[i], f->held[i]);
        }
        operation(f);
        break;
    default:
        /* Both chips must get the same command. */
        if ((value & 0xffffU) != value >> 16) {
            f->status |= 0x30U;
            f->mode = STATUS;
        } else {
            first_command(f, offset, cmd);
        }
        break;
    }
}

struct hal_fake_cfi *hal_fake_cfi_new(uintptr_t base, uint32_t bytes, uint32_t block_bytes,
                                      uint32_t buffer_bytes, unsigned command_set)
{
    struct hal_fake_cfi *f;

    if (bytes / block_bytes > BLOCKS_MAX || buffer_bytes > sizeof(f->held))
        return NULL;
    f = calloc(1, sizeof(*f));
    if (f == NULL)
        return NULL;
    f->memory = malloc(bytes);
    if (f->memory == NULL) {
        free(f);
        return NULL;
    }
    memset(f->memory, 0xff, bytes);
    f->base = base;
    f->bytes = bytes;
    f->block_bytes = block_bytes;
    f->buffer_bytes = buffer_bytes;
    f->command_set = command_set;
    hal_fake_script(base, base + bytes, cfi_read, cfi_write, f);
    return f;
}

void hal_fake_cfi_free(struct hal_fake_cfi *f)
{
    if (f == NULL)
        return;
    free(f->memory);
    free(f);
}

uint8_t *hal_fake_cfi_memory(struct hal_fake_cfi *f)
{
    return f->memory;
}

void hal_fake_cfi_fail(struct hal_fake_cfi *f, uint16_t status)
{
    f->fail = status;
}

void hal_fake_cfi_busy(struct hal_fake_cfi *f, unsigned polls)
{
    f->busy = polls;
}

void hal_fake_cfi_cut(struct hal_fake_cfi *f, unsigned operation, unsigned seed,
                      void (*fn)(void *ctx), void *ctx)
{
    f->cut_at = operation == 0 ? 0 : f->operations + operation;
    f->random = seed;
    f->cut = fn;
    f->cut_ctx = ctx;
}

unsigned hal_fake_cfi_operations(const struct hal_fake_cfi *f)
{
    return f->operations;
}

void hal_fake_cfi_power_on(struct hal_fake_cfi *f)
{
    f->mode = ARRAY;
    f->status = 0;
    f->polls = 0;
    memset(f->unlocked, 0, sizeof(f->unlocked));
}
