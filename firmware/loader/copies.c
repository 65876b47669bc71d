/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mpj_copies.h"

#include <string.h>

#include "hal_err.h"
#include "mpj_frame.h"

#define COPY_MAGIC    0x4c4a504dU /* "MPJL" */
#define BOOT_MAGIC    0x424a504dU /* "MPJB": second word of the boot stage */
#define JOURNAL_MAGIC 0x4a4a504dU /* "MPJJ" */
#define OLD_LOADER    0xf10e01d3U /* first word of loaders that had no boot stage */
#define ERASED        0xffffffffU
#define FIRST         64U /* written last: without them the core starts nothing that is half written */

_Static_assert(sizeof(struct mpj_copy) == MPJ_COPIES_HEADER, "headers are 64 bytes in the flash");

enum { BEGUN = 1, DONE = 2 };

struct entry {
    uint32_t magic;
    uint32_t kind;
    uint32_t sequence;
    uint32_t spare[4];
    uint32_t check; /* CRC-32 of all before */
};

_Static_assert(sizeof(struct entry) == 32, "entries are 32 bytes in the flash");

uint32_t mpj_copies_offset(unsigned n)
{
    return (1U + n) * MPJ_COPIES_PART;
}

static uint32_t word(const uint8_t *bank, uint32_t offset)
{
    uint32_t v;

    memcpy(&v, bank + offset, sizeof(v));
    return v;
}

static bool erased(const uint8_t *bank, uint32_t offset, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes; i += 4U) {
        if (word(bank, offset + i) != ERASED)
            return false;
    }
    return true;
}

/* ---- copies ------------------------------------------------------------------------------- */

static uint32_t copy_check(const struct mpj_copy *c)
{
    return mpj_crc32(0, c, offsetof(struct mpj_copy, check));
}

static bool holds(const uint8_t *bank, unsigned n, struct mpj_copy *c)
{
    const uint8_t *const at = bank + mpj_copies_offset(n);

    memcpy(c, at, sizeof(*c));
    return c->magic == COPY_MAGIC && c->check == copy_check(c) && c->bytes != 0 &&
           c->bytes <= MPJ_COPIES_MOST && c->bytes % 4U == 0 &&
           mpj_crc32(0, at + MPJ_COPIES_HEADER, c->bytes) == c->crc;
}

unsigned mpj_copies_newest(const uint8_t *bank, struct mpj_copy *out)
{
    unsigned newest = MPJ_COPIES;
    struct mpj_copy c;

    memset(out, 0, sizeof(*out));
    for (unsigned n = 0; n < MPJ_COPIES; n++) {
        if (holds(bank, n, &c) && (newest == MPJ_COPIES || c.sequence > out->sequence)) {
            *out = c;
            newest = n;
        }
    }
    return newest;
}

static bool is(const struct mpj_copy *c, const struct mpj_copies_new *what)
{
    return c->bytes == what->loader_bytes &&
           c->crc == mpj_crc32(0, what->loader, what->loader_bytes);
}

/* ---- journal ------------------------------------------------------------------------------ */

/* Returns the newest entry, or kind 0. *place: the first free place for another one; 0: none is
 * left. */
static struct entry journal(const uint8_t *bank, uint32_t *place)
{
    struct entry last = {0};

    *place = 0;
    for (uint32_t at = 0; at < MPJ_COPIES_PART; at += (uint32_t)sizeof(struct entry)) {
        struct entry e;

        memcpy(&e, bank + MPJ_COPIES_JOURNAL + at, sizeof(e));
        if (e.magic == JOURNAL_MAGIC &&
            e.check == mpj_crc32(0, &e, offsetof(struct entry, check))) {
            if (e.sequence >= last.sequence)
                last = e;
        } else if (*place == 0 &&
                   erased(bank, MPJ_COPIES_JOURNAL + at, (uint32_t)sizeof(struct entry))) {
            *place = MPJ_COPIES_JOURNAL + at;
        }
    }
    return last;
}

static struct entry entry_after(const struct entry *last, uint32_t kind)
{
    struct entry e = {.magic = JOURNAL_MAGIC, .kind = kind, .sequence = last->sequence + 1U};

    e.check = mpj_crc32(0, &e, offsetof(struct entry, check));
    return e;
}

/* Returns true for an erased part that may contain first entries that were cut off, in which some
 * ones became zeros. */
static bool hardly_begun(const uint8_t *bank)
{
    const struct entry none = {0};
    const struct entry first = entry_after(&none, BEGUN);

    for (uint32_t i = 0; i < MPJ_COPIES_PART; i += 4U) {
        const uint32_t want = word((const uint8_t *)&first, i % (uint32_t)sizeof(first));

        if ((word(bank, MPJ_COPIES_JOURNAL + i) & want) != want)
            return false;
    }
    return true;
}

/* ---- inspection --------------------------------------------------------------------------- */

static bool parts_fit(const struct hal_flash *f)
{
    uint32_t start, bytes;

    for (uint32_t at = 0; at <= MPJ_COPIES_JOURNAL; at += MPJ_COPIES_PART) {
        if (hal_flash_block(f, at, &start, &bytes) != HAL_OK || start != at ||
            MPJ_COPIES_PART % bytes != 0)
            return false;
    }
    return true;
}

int mpj_copies_look(const struct hal_flash *flash, const uint8_t *bank,
                    const struct mpj_copies_new *what, enum mpj_copies_state *state)
{
    struct mpj_copy copy[MPJ_COPIES], newest;
    bool ok[MPJ_COPIES];
    struct entry last;
    uint32_t place;
    bool blank = true;

    if (!parts_fit(flash))
        return HAL_ENOTSUP;
    if (what->boot_bytes <= FIRST || what->boot_bytes > MPJ_COPIES_PART ||
        what->boot_bytes % 4U != 0 || word(what->boot, 4) != BOOT_MAGIC ||
        what->loader_bytes == 0 || what->loader_bytes > MPJ_COPIES_MOST ||
        what->loader_bytes % 4U != 0)
        return HAL_EINVAL;
    last = journal(bank, &place);
    if (last.kind == BEGUN) {
        *state = MPJ_COPIES_BEGUN;
        return HAL_OK;
    }
    for (unsigned n = 0; n < MPJ_COPIES; n++) {
        ok[n] = holds(bank, n, &copy[n]);
        blank = blank && erased(bank, mpj_copies_offset(n), MPJ_COPIES_PART);
    }
    if (memcmp(bank, what->boot, what->boot_bytes) == 0 && ok[0] && ok[1] &&
        mpj_copies_newest(bank, &newest) < MPJ_COPIES && is(&newest, what))
        *state = MPJ_COPIES_SAME;
    else if (word(bank, 4) == BOOT_MAGIC || word(bank, 0) == OLD_LOADER)
        *state = MPJ_COPIES_OURS;
    else if (blank && erased(bank, 0, MPJ_COPIES_PART) && hardly_begun(bank))
        *state = erased(bank, MPJ_COPIES_JOURNAL, MPJ_COPIES_PART) ? MPJ_COPIES_ERASED
                                                                   : MPJ_COPIES_BEGUN;
    else
        *state = MPJ_COPIES_FOREIGN;
    return HAL_OK;
}

/* ---- installation ------------------------------------------------------------------------- */

struct work {
    const struct hal_flash *flash;
    const uint8_t *bank;
    mpj_copies_progress progress;
    void *ctx;
};

static void tell(const struct work *w, char step, uint32_t offset)
{
    if (w->progress != NULL)
        w->progress(w->ctx, step, offset);
}

static int erase(const struct work *w, uint32_t first, uint32_t end)
{
    uint32_t at = first;

    while (at < end) {
        uint32_t start, bytes;
        int err = hal_flash_block(w->flash, at, &start, &bytes);

        if (err == HAL_OK)
            err = hal_flash_erase(w->flash, at);
        if (err != HAL_OK)
            return err;
        at = start + bytes;
    }
    return HAL_OK;
}

static int note(const struct work *w, uint32_t kind)
{
    uint32_t place;
    const struct entry last = journal(w->bank, &place);
    const struct entry e = entry_after(&last, kind);
    int err;

    if (last.kind == kind)
        return HAL_OK;
    if (place == 0) {
        place = MPJ_COPIES_JOURNAL;
        err = erase(w, MPJ_COPIES_JOURNAL, MPJ_COPIES_JOURNAL + MPJ_COPIES_PART);
    } else {
        err = hal_flash_unlock(w->flash, place);
    }
    return err == HAL_OK ? hal_flash_program(w->flash, place, &e, sizeof(e)) : err;
}

static int write_copy(const struct work *w, const struct mpj_copies_new *what, unsigned n,
                      uint32_t sequence)
{
    const uint32_t at = mpj_copies_offset(n);
    struct mpj_copy c = {.magic = COPY_MAGIC,
                         .sequence = sequence,
                         .bytes = what->loader_bytes,
                         .crc = mpj_crc32(0, what->loader, what->loader_bytes)};
    int err;

    c.check = copy_check(&c);
    tell(w, 'c', at);
    err = erase(w, at, at + MPJ_COPIES_PART);
    if (err == HAL_OK)
        err = hal_flash_program(w->flash, at + MPJ_COPIES_HEADER, what->loader, what->loader_bytes);
    if (err == HAL_OK)
        err = hal_flash_program(w->flash, at, &c, sizeof(c));
    if (err != HAL_OK)
        return err;
    return holds(w->bank, n, &c) ? HAL_OK : HAL_EIO;
}

/* Writes the older copy first: if the supply fails during that, the other one starts the board. The
 * other one is then written only if it is not valid. */
static int copies(const struct work *w, const struct mpj_copies_new *what)
{
    struct mpj_copy newest, other;
    unsigned n = mpj_copies_newest(w->bank, &newest);
    int err = HAL_OK;

    if (n == MPJ_COPIES || !is(&newest, what)) {
        n = n == 0 ? 1 : 0;
        err = write_copy(w, what, n, newest.sequence + 1U);
    }
    if (err == HAL_OK && !holds(w->bank, 1U - n, &other))
        err = write_copy(w, what, 1U - n, newest.sequence);
    return err;
}

/* Erases and writes from offset 0, the FIRST bytes last. */
static int write_start(const struct work *w, const uint8_t *content, uint32_t bytes)
{
    const uint32_t first = bytes < FIRST ? bytes : FIRST;
    int err;

    tell(w, 'b', 0);
    err = erase(w, 0, bytes < MPJ_COPIES_PART ? bytes : MPJ_COPIES_PART);
    if (err == HAL_OK)
        err = hal_flash_program(w->flash, first, content + first, bytes - first);
    if (err == HAL_OK)
        err = hal_flash_program(w->flash, 0, content, first);
    if (err != HAL_OK)
        return err;
    return memcmp(w->bank, content, bytes) == 0 ? HAL_OK : HAL_EIO;
}

int mpj_copies_install(const struct hal_flash *flash, const uint8_t *bank,
                       const struct mpj_copies_new *what, mpj_copies_progress progress, void *ctx)
{
    const struct work w = {flash, bank, progress, ctx};
    int err;

    hal_flash_vpp(true);
    tell(&w, 'j', MPJ_COPIES_JOURNAL);
    err = note(&w, BEGUN);
    if (err == HAL_OK)
        err = copies(&w, what);
    if (err == HAL_OK && memcmp(bank, what->boot, what->boot_bytes) != 0)
        err = write_start(&w, what->boot, what->boot_bytes);
    if (err == HAL_OK)
        err = note(&w, DONE);
    hal_flash_vpp(false);
    return err;
}

int mpj_copies_restore(const struct hal_flash *flash, const uint8_t *bank, const uint8_t *content,
                       uint32_t bytes, mpj_copies_progress progress, void *ctx)
{
    const struct work w = {flash, bank, progress, ctx};
    uint32_t start, block;
    int err = HAL_OK;

    if (bytes == 0 || bytes % 4U != 0 || bytes > 4U * MPJ_COPIES_PART || !parts_fit(flash))
        return HAL_EINVAL;
    hal_flash_vpp(true);
    for (uint32_t at = MPJ_COPIES_PART; at < bytes && err == HAL_OK; at = start + block) {
        uint32_t n;

        tell(&w, 'c', at);
        err = hal_flash_block(flash, at, &start, &block);
        if (err == HAL_OK)
            err = hal_flash_erase(flash, at);
        n = bytes - at < block ? bytes - at : block;
        if (err == HAL_OK)
            err = hal_flash_program(flash, at, content + at, n);
    }
    if (err == HAL_OK)
        err = write_start(&w, content, bytes < MPJ_COPIES_PART ? bytes : MPJ_COPIES_PART);
    hal_flash_vpp(false);
    return err;
}
