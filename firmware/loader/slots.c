/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mpj_slots.h"

#include <string.h>

#include "hal_err.h"
#include "hal_map.h"
#include "loader_layout.h"
#include "mpj_frame.h"

#define MAGIC        0x534a504dU /* "MPJS" */
#define RECORD_BYTES ((uint32_t)sizeof(struct mpj_slot_record))
#define BANK_BYTES   ((uint32_t)BOARD_NOR_BYTES)
#define SLOT1_OFFSET (BANK_BYTES / 2U)

_Static_assert(sizeof(struct mpj_slot_record) == 256, "records are 256 bytes in the flash");

_Static_assert(SLOT1_OFFSET >= MPJ_LOADER_SLOT0 + (30U << 20), "boot/image.ld.in: 30 MB");

uint32_t mpj_slot_offset(unsigned slot)
{
    return slot == 0 ? MPJ_SLOT_XIP_OFFSET : slot == 1 ? SLOT1_OFFSET : 0;
}

uint32_t mpj_slot_bytes(const struct mpj_slots *s, unsigned slot)
{
    return slot == 0   ? SLOT1_OFFSET - MPJ_SLOT_XIP_OFFSET
           : slot == 1 ? s->flash->bytes - SLOT1_OFFSET
                       : 0;
}

static uint32_t record_check(const struct mpj_slot_record *r)
{
    return mpj_crc32(0, r, offsetof(struct mpj_slot_record, check));
}

static bool erased(const void *data, size_t bytes)
{
    const uint8_t *p = data;

    for (size_t i = 0; i < bytes; i++) {
        if (p[i] != 0xffU)
            return false;
    }
    return true;
}

/* Reads the newest record of one directory block, and finds the place for the next one: after
 * everything that is not erased, since a record torn by a power failure cannot be written again. */
static int scan(struct mpj_slots *s, unsigned block, uint32_t *next)
{
    *next = 0;
    for (uint32_t at = 0; at + RECORD_BYTES <= s->directory_bytes[block]; at += RECORD_BYTES) {
        struct mpj_slot_record r;
        int err = hal_flash_read(s->flash, s->directory[block] + at, &r, sizeof(r));

        if (err != HAL_OK)
            return err;
        if (erased(&r, sizeof(r))) {
            if (*next == 0)
                *next = s->directory[block] + at;
            continue;
        }
        *next = 0;
        if (r.magic == MAGIC && r.check == record_check(&r) && r.sequence > s->now.sequence) {
            s->now = r;
            s->holder = block;
        }
    }
    return HAL_OK;
}

int mpj_slots_open(struct mpj_slots *s, const struct hal_flash *flash)
{
    uint32_t next[2];
    uint32_t at = MPJ_SLOTS_LOADER_BYTES;

    memset(s, 0, sizeof(*s));
    s->flash = flash;
    s->now.slot = MPJ_SLOT_NONE;
    if (flash->bytes < BANK_BYTES)
        return HAL_ENOTSUP;
    for (unsigned i = 0; i < 2; i++) {
        uint32_t start, bytes;

        if (hal_flash_block(flash, at, &start, &bytes) != HAL_OK || start != at ||
            bytes < 4U * RECORD_BYTES)
            return HAL_ENOTSUP;
        s->directory[i] = start;
        s->directory_bytes[i] = bytes;
        at += bytes;
    }
    if (at > MPJ_SLOT_XIP_OFFSET)
        return HAL_ENOTSUP;
    for (unsigned slot = 0; slot < MPJ_SLOTS; slot++) { /* a slot begins with an erase block */
        uint32_t start, bytes;

        if (hal_flash_block(flash, mpj_slot_offset(slot), &start, &bytes) != HAL_OK ||
            start != mpj_slot_offset(slot))
            return HAL_ENOTSUP;
    }
    for (unsigned i = 0; i < 2; i++) {
        int err = scan(s, i, &next[i]);

        if (err != HAL_OK)
            return err;
    }
    s->next = s->now.sequence != 0 ? next[s->holder] : 0;
    return HAL_OK;
}

unsigned mpj_slots_place(const struct mpj_slots *s, enum mpj_slot_kind kind)
{
    if (kind == MPJ_SLOT_IN_PLACE)
        return MPJ_SLOT_XIP;
    return s->now.slot == 1 ? 0 : 1;
}

static bool within(uint32_t at, uint32_t bytes, uint32_t first, uint32_t end)
{
    return at >= first && at <= end && bytes <= end - at;
}

int mpj_slots_plausible(const struct mpj_slots *s, const struct mpj_slot_record *r)
{
    uint32_t place = (uint32_t)s->flash->base + MPJ_SLOT_XIP_OFFSET;
    bool entered = false;
    unsigned slot;

    if (r->kind != MPJ_SLOT_RAM && r->kind != MPJ_SLOT_IN_PLACE)
        return HAL_EINVAL;
    slot = mpj_slots_place(s, (enum mpj_slot_kind)r->kind);
    if (r->bytes == 0 || r->bytes % 4U != 0 || r->bytes > mpj_slot_bytes(s, slot) ||
        r->segments == 0 || r->segments > MPJ_SLOT_SEGMENTS)
        return HAL_EINVAL;
    for (uint32_t i = 0; i < r->segments; i++) {
        const struct mpj_slot_segment *g = &r->segment[i];

        if (!within(g->offset, g->bytes, 0, r->bytes) || g->memory < g->bytes)
            return HAL_EINVAL;
        if (r->kind == MPJ_SLOT_RAM) {
            if (!within(g->address, g->memory, LOADER_IMAGES, LOADER_IMAGES_END))
                return HAL_EINVAL;
        } else if (g->address != place + g->offset) {
            return HAL_EINVAL;
        }
        if (r->entry >= g->address && r->entry - g->address < g->bytes)
            entered = true;
    }
    return entered ? HAL_OK : HAL_EINVAL;
}

static int erase(struct mpj_slots *s, uint32_t first, uint32_t bytes, mpj_slots_progress progress,
                 void *ctx)
{
    uint32_t at = first;

    while (at < first + bytes) {
        uint32_t start, block;
        int err = hal_flash_block(s->flash, at, &start, &block);

        if (err == HAL_OK)
            err = hal_flash_erase(s->flash, at);
        if (err != HAL_OK)
            return err;
        at = start + block;
        if (progress != NULL)
            progress(ctx, 'e', at - first < bytes ? at - first : bytes, bytes);
    }
    return HAL_OK;
}

/* Programs in pieces, so that progress is visible; the driver compares each with its source. */
static int program(struct mpj_slots *s, uint32_t offset, const uint8_t *data, uint32_t bytes,
                   mpj_slots_progress progress, void *ctx)
{
    for (uint32_t done = 0; done < bytes;) {
        uint32_t n = bytes - done < 16384U ? bytes - done : 16384U;
        int err = hal_flash_program(s->flash, offset + done, data + done, n);

        if (err != HAL_OK)
            return err;
        done += n;
        if (progress != NULL)
            progress(ctx, 'p', done, bytes);
    }
    return HAL_OK;
}

static int checksum(const struct mpj_slots *s, uint32_t offset, uint32_t bytes, uint32_t *crc,
                    mpj_slots_progress progress, void *ctx)
{
    uint32_t piece[64];

    *crc = 0;
    for (uint32_t done = 0; done < bytes;) {
        uint32_t n = bytes - done < sizeof(piece) ? bytes - done : (uint32_t)sizeof(piece);
        int err = hal_flash_read(s->flash, offset + done, piece, n);

        if (err != HAL_OK)
            return err;
        *crc = mpj_crc32(*crc, piece, n);
        done += n;
        if (progress != NULL && (done % 16384U == 0 || done == bytes))
            progress(ctx, 'v', done, bytes);
    }
    return HAL_OK;
}

/* Appends a record. Its last word commits it: without that the checksum is wrong. */
static int commit(struct mpj_slots *s, struct mpj_slot_record *r)
{
    unsigned block = s->holder;
    uint32_t at = s->next;
    int err;

    r->magic = MAGIC;
    r->sequence = s->now.sequence + 1U;
    r->check = record_check(r);
    if (at == 0) { /* full, or never used: the block that does not hold the current record */
        if (s->now.sequence != 0)
            block = 1U - s->holder;
        err = erase(s, s->directory[block], s->directory_bytes[block], NULL, NULL);
        if (err != HAL_OK)
            return err;
        at = s->directory[block];
    }
    /* In any case this place is used. */
    s->next = at + 2U * RECORD_BYTES <= s->directory[block] + s->directory_bytes[block]
                  ? at + RECORD_BYTES
                  : 0;
    err = hal_flash_unlock(s->flash, at);
    if (err == HAL_OK)
        err = hal_flash_program(s->flash, at, r, sizeof(*r) - 4U);
    if (err == HAL_OK)
        err = hal_flash_program(s->flash, at + RECORD_BYTES - 4U, &r->check, 4);
    if (err != HAL_OK) {
        if (block != s->holder)
            s->next = 0; /* erase it again */
        return err;
    }
    s->now = *r;
    s->holder = block;
    return HAL_OK;
}

int mpj_slots_write(struct mpj_slots *s, struct mpj_slot_record *record, const void *content,
                    mpj_slots_progress progress, void *ctx)
{
    uint32_t offset, crc;
    int err = mpj_slots_plausible(s, record);

    if (err != HAL_OK)
        return err;
    record->slot = mpj_slots_place(s, (enum mpj_slot_kind)record->kind);
    record->crc = mpj_crc32(0, content, record->bytes);
    offset = mpj_slot_offset(record->slot);
    hal_flash_vpp(true);
    err = erase(s, offset, record->bytes, progress, ctx);
    if (err == HAL_OK)
        err = program(s, offset, content, record->bytes, progress, ctx);
    if (err == HAL_OK)
        err = checksum(s, offset, record->bytes, &crc, progress, ctx);
    if (err == HAL_OK)
        err = crc == record->crc ? commit(s, record) : HAL_EIO;
    hal_flash_vpp(false);
    return err;
}

int mpj_slots_forget(struct mpj_slots *s)
{
    struct mpj_slot_record none;
    int err;

    memset(&none, 0, sizeof(none));
    none.slot = MPJ_SLOT_NONE;
    hal_flash_vpp(true);
    err = commit(s, &none);
    hal_flash_vpp(false);
    return err;
}

int mpj_slots_check(const struct mpj_slots *s)
{
    uint32_t crc;
    int err;

    if (s->now.slot >= MPJ_SLOTS || s->now.bytes > mpj_slot_bytes(s, s->now.slot))
        return HAL_ENODEV;
    err = checksum(s, mpj_slot_offset(s->now.slot), s->now.bytes, &crc, NULL, NULL);
    if (err != HAL_OK)
        return err;
    return crc == s->now.crc ? HAL_OK : HAL_EIO;
}
