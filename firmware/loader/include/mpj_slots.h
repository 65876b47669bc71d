/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Images that the resident loader keeps in the NOR flash, such that the supply may fail at any
 * moment:
 *
 *   0x0000000  loader (MPJ_SLOTS_LOADER_BYTES): never erased or programmed by these functions
 *   then       two directory blocks, each one erase block: records of 256 bytes, appended
 *   0x0200000  slot 0, to the middle of the bank; images that execute in place are linked for here
 *   then       slot 1, to its end
 *
 * The newest record with a right checksum names the image to boot. An image is written and compared
 * first, its record last: until that last word is written, the older record is valid. A full
 * directory block is kept while the other one is erased and gets the next record. An image that is
 * copied to RAM to run goes to the slot not in use, so that the older one stays bootable until the
 * new one is complete; one that executes in place has only slot 0.
 *
 * The functions return HAL_OK or a negative code of hal_err.h. Not for interrupt handlers; while
 * they run nothing may execute from or read this bank.
 */
#ifndef MPJ_SLOTS_H
#define MPJ_SLOTS_H

#include "hal_flash.h"
#include "mpj_loader_map.h"

#define MPJ_SLOTS_LOADER_BYTES 0x100000U /* for the loader, from the start of the bank */
#define MPJ_SLOTS              2U
#define MPJ_SLOT_NONE          0xffffffffU
#define MPJ_SLOT_XIP           0U /* the slot of images that execute in place */
#define MPJ_SLOT_XIP_OFFSET    ((uint32_t)MPJ_LOADER_SLOT0)
#define MPJ_SLOT_SEGMENTS      8U
#define MPJ_SLOT_NAME_BYTES    32U
#define MPJ_SLOT_ID_BYTES      20U

enum mpj_slot_kind {
    MPJ_SLOT_RAM = 1,      /* segments are copied to their addresses, then entry is called */
    MPJ_SLOT_IN_PLACE = 2, /* entry is in the slot; segments are not copied */
};

/* One loadable part of an image. */
struct mpj_slot_segment {
    uint32_t address; /* address at which it runs */
    uint32_t offset;  /* offset in the image's content */
    uint32_t bytes;   /* bytes in the content */
    uint32_t memory;  /* bytes in memory; those beyond `bytes` are zero */
};

/* Directory record, as stored in the flash: 256 bytes, little endian. */
struct mpj_slot_record {
    uint32_t magic;
    uint32_t sequence; /* one more than the record before; 0 in none */
    uint32_t slot;     /* 0, 1, or MPJ_SLOT_NONE: nothing to boot */
    uint32_t kind;     /* enum mpj_slot_kind */
    uint32_t entry;
    uint32_t bytes; /* of the content, a multiple of 4, from the start of the slot */
    uint32_t crc;   /* CRC-32 of the content */
    uint32_t segments;
    struct mpj_slot_segment segment[MPJ_SLOT_SEGMENTS];
    uint8_t build_id[MPJ_SLOT_ID_BYTES];
    char name[MPJ_SLOT_NAME_BYTES]; /* human-readable; zero-filled */
    uint32_t spare[10];
    uint32_t check; /* CRC-32 of all before */
};

/* State over one bank; the caller's, no allocation. */
struct mpj_slots {
    const struct hal_flash *flash;
    uint32_t directory[2];       /* offsets of the directory blocks */
    uint32_t directory_bytes[2]; /* their sizes */
    uint32_t next;               /* offset for the next record; 0: erase a block first */
    unsigned holder;             /* directory block of the current record */
    struct mpj_slot_record now;  /* the current record; slot MPJ_SLOT_NONE: none */
};

/* Reports progress of a write: phase 'e' erase, 'p' program, 'v' verify; done of total bytes. May
 * be called often; must not touch the flash. */
typedef void (*mpj_slots_progress)(void *ctx, char phase, uint32_t done, uint32_t total);

/* Reads the directory. flash must stay valid as long as *s. A flash without any record (a new one)
 * is valid: now.slot is MPJ_SLOT_NONE. Returns HAL_ENOTSUP when the bank is too small or its erase
 * blocks do not fit the layout. */
int mpj_slots_open(struct mpj_slots *s, const struct hal_flash *flash);

/* Returns the offset of a slot in the bank; 0 for another number. */
uint32_t mpj_slot_offset(unsigned slot);
/* Returns the bytes that a slot holds; 0 for another number. */
uint32_t mpj_slot_bytes(const struct mpj_slots *s, unsigned slot);

/* Returns the slot that the next image of a kind goes to. */
unsigned mpj_slots_place(const struct mpj_slots *s, enum mpj_slot_kind kind);

/*
 * Erases as much of the slot as the image needs, programs and compares it, then commits *record:
 * slot, sequence, magic, crc and check are filled in here, the rest by the caller. content:
 * record->bytes bytes, in memory. Returns HAL_EINVAL for an image that does not fit or is not
 * consistent (sizes, segments that overlap the loader's flash, entry outside); the flash is then
 * untouched. Returns HAL_EIO or HAL_ETIMEOUT from the chips: the older record, if its image is in
 * the other slot, is still valid.
 */
int mpj_slots_write(struct mpj_slots *s, struct mpj_slot_record *record, const void *content,
                    mpj_slots_progress progress, void *ctx);

/* Commits that nothing is to be booted. */
int mpj_slots_forget(struct mpj_slots *s);

/* Compares the current image with its checksum. Returns HAL_OK, HAL_EIO if it differs, HAL_ENODEV
 * if there is none. */
int mpj_slots_check(const struct mpj_slots *s);

/* Checks an image before anything is written: sizes, segments within the content, in RAM or in slot
 * 0, entry inside a segment. */
int mpj_slots_plausible(const struct mpj_slots *s, const struct mpj_slot_record *record);

#endif
