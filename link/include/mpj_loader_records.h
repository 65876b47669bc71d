/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Requests of the host to the resident loader and its replies (SPEC.md, "Resident loader"), one
 * record per frame of type MPJ_FRAME_LOADER_REQ or MPJ_FRAME_LOADER_REPLY. put and get as in
 * mpj_records.h.
 */
#ifndef MPJ_LOADER_RECORDS_H
#define MPJ_LOADER_RECORDS_H

#include "mpj_wire.h"

#define MPJ_FRAME_LOADER_REQ    0x40U
#define MPJ_FRAME_LOADER_REPLY  0x41U

#define MPJ_LOADER_VERSION      2U
#define MPJ_LOADER_SEGMENTS     8U
#define MPJ_LOADER_DATA_MAX     960U /* bytes in one DATA record */
#define MPJ_LOADER_NAME_MAX     31U
#define MPJ_LOADER_BUILD_ID_MAX 20U

/* The name in the loader's HELLO, which distinguishes it from a program. */
#define MPJ_LOADER_HELLO "mpjoule-loader"

enum mpj_loader_record {
    /* host to loader */
    MPJ_LOADER_INFO_REQ = 0x60, /* empty; answered by INFO */
    MPJ_LOADER_BEGIN = 0x62,    /* an image; answered by STATE: what is there already */
    MPJ_LOADER_DATA = 0x64,     /* the next piece; not answered unless it does not fit */
    MPJ_LOADER_FLASH = 0x65,    /* empty; PROGRESS..., then RESULT */
    MPJ_LOADER_BOOT = 0x68,     /* answered by RESULT, then the image runs */
    MPJ_LOADER_FORGET = 0x69,   /* empty: boot nothing; RESULT */
    /* loader to host */
    MPJ_LOADER_INFO = 0x61,
    MPJ_LOADER_STATE = 0x63,
    MPJ_LOADER_PROGRESS = 0x66,
    MPJ_LOADER_RESULT = 0x67,
};

#define MPJ_LOADER_NO_SLOT 0xffffffffU

enum mpj_loader_kind {
    MPJ_LOADER_RAM = 1,      /* segments are copied to their addresses, then entry runs */
    MPJ_LOADER_IN_PLACE = 2, /* runs from the flash */
};

struct mpj_loader_image {
    uint32_t kind; /* enum mpj_loader_kind */
    uint32_t entry;
    uint32_t bytes; /* of the content: a multiple of 4 */
    uint32_t crc;   /* CRC-32 of the content */
    uint32_t segments;
    struct {
        uint32_t address; /* where it runs */
        uint32_t offset;  /* in the content */
        uint32_t bytes;   /* there */
        uint32_t memory;  /* in memory; the image clears what is beyond bytes itself */
    } segment[MPJ_LOADER_SEGMENTS];
    struct mpj_bytes build_id; /* at most MPJ_LOADER_BUILD_ID_MAX */
    struct mpj_bytes name;     /* at most MPJ_LOADER_NAME_MAX */
};
int mpj_loader_image_put(struct mpj_writer *w, const struct mpj_loader_image *i);
int mpj_loader_image_get(const struct mpj_rec *rec, struct mpj_loader_image *out);

struct mpj_loader_info {
    uint32_t version;     /* MPJ_LOADER_VERSION */
    uint32_t flash_bytes; /* of the bank; 0: no flash answers */
    uint32_t flash_id;    /* manufacturer << 16 | device; 0: the two chips differ */
    uint32_t slot;        /* of the image that is booted, or MPJ_LOADER_NO_SLOT */
    uint32_t sequence;    /* writes of the directory so far */
    uint32_t bytes, crc;  /* of that image */
    /* Last upload, microseconds of the board's clock: how long its bytes kept the loader busy in
     * all, and the longest time between two polls of the receiver. */
    uint32_t busy, longest;
    struct mpj_bytes build_id, name;
};
int mpj_loader_info_put(struct mpj_writer *w, const struct mpj_loader_info *i);
int mpj_loader_info_get(const struct mpj_rec *rec, struct mpj_loader_info *out);

/* A piece of the content, following the previous one without a gap. */
struct mpj_loader_data {
    uint32_t offset;
    struct mpj_bytes data; /* at most MPJ_LOADER_DATA_MAX */
};
int mpj_loader_data_put(struct mpj_writer *w, const struct mpj_loader_data *d);
int mpj_loader_data_get(const struct mpj_rec *rec, struct mpj_loader_data *out);

/* STATE: bytes there of the image last begun. PROGRESS: phase 'e', 'p', 'v' and how far. */
struct mpj_loader_progress {
    uint32_t phase; /* 0 in STATE */
    uint32_t done, total;
};
int mpj_loader_progress_put(struct mpj_writer *w, uint32_t kind,
                            const struct mpj_loader_progress *p);
int mpj_loader_progress_get(const struct mpj_rec *rec, struct mpj_loader_progress *out);

enum mpj_loader_source {
    MPJ_LOADER_UPLOADED = 0, /* what was uploaded, from RAM */
    MPJ_LOADER_FLASHED = 1,  /* what the directory names */
};
int mpj_loader_boot_put(struct mpj_writer *w, uint32_t source);
int mpj_loader_boot_get(const struct mpj_rec *rec, uint32_t *source);

enum mpj_loader_code {
    MPJ_LOADER_OK = 0,
    MPJ_LOADER_BAD_IMAGE = 1, /* sizes, addresses or entry make no sense here */
    MPJ_LOADER_BAD_DATA = 2,  /* a piece out of place, or the checksum is wrong */
    MPJ_LOADER_NO_IMAGE = 3,  /* nothing uploaded, or nothing in the flash */
    MPJ_LOADER_NO_FLASH = 4,  /* no pair of CFI chips answers, or the layout does not fit them */
    MPJ_LOADER_FLASH_IO = 5,  /* the chips report an error, or hold other bytes than written */
    MPJ_LOADER_REQUEST = 6,   /* not a request of this version */
};
struct mpj_loader_result {
    uint32_t code;   /* enum mpj_loader_code */
    uint32_t detail; /* address, offset or chip status that belongs to it */
};
int mpj_loader_result_put(struct mpj_writer *w, const struct mpj_loader_result *r);
int mpj_loader_result_get(const struct mpj_rec *rec, struct mpj_loader_result *out);
/* Returns one line of text; "unknown reply from the loader" for another number. Static storage. */
const char *mpj_loader_strerror(uint32_t code);

/* Appends a record without fields. */
int mpj_loader_empty_put(struct mpj_writer *w, uint32_t kind);

#endif
