/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The chip's whole state as a stream of bytes. It is the memory of this build's structures without
 * the pointers, so the head describes everything that must be the same where it is loaded;
 * the large blocks, which are mostly untouched, are stored without their runs of zeros.
 */
#include "chip_int.h"

#include <stdio.h>
#include <string.h>

#define MAGIC     0x4843504dU /* "MPCH"; read the other way round on a host of the other byte order */
#define VERSION   3U

#define FNV_START 0xcbf29ce484222325U
#define FNV_PRIME 0x100000001b3U

struct head {
    uint32_t magic, version;
    uint64_t parameters; /* hash */
    uint64_t seed;
    uint64_t jitter;
    uint64_t chip_bytes, hot_bytes, tally_bytes; /* sizes of the structures */
    uint64_t tags_count, nexts_count;
    uint32_t cores, private_base, ram_base, ram_lines, low_bytes, lines, rom_base, rom_bytes;
};

/* Zeros, then bytes as they are; both 0: the block is complete. */
struct run {
    uint32_t zeros, bytes;
};

struct stream {
    mpj_chip_put *put;
    mpj_chip_get *get;
    void *peer;
    uint64_t sum;
};

static uint64_t hash(uint64_t sum, const void *data, size_t bytes)
{
    const uint8_t *p = data;
    for (size_t i = 0; i < bytes; i++)
        sum = (sum ^ p[i]) * FNV_PRIME;
    return sum;
}

static int put(struct stream *s, const void *data, size_t bytes)
{
    s->sum = hash(s->sum, data, bytes);
    return s->put(s->peer, data, bytes) == 0 ? MPJ_OK : MPJ_ERR_IO;
}

static int get(struct stream *s, void *data, size_t bytes)
{
    if (s->get(s->peer, data, bytes) != 0)
        return MPJ_ERR_IO;
    s->sum = hash(s->sum, data, bytes);
    return MPJ_OK;
}

static void head_of(const struct mpj_chip *c, struct head *h)
{
    memset(h, 0, sizeof(*h));
    h->magic = MAGIC;
    h->version = VERSION;
    h->parameters = hash(FNV_START, &c->prm, sizeof(c->prm));
    h->seed = c->seed;
    h->jitter = c->jitter;
    h->chip_bytes = sizeof(*c);
    h->hot_bytes = sizeof(struct mpj_hot);
    h->tally_bytes = sizeof(struct tally);
    h->tags_count = c->tags_count;
    h->nexts_count = c->nexts_count;
    h->cores = c->cores;
    h->private_base = c->private_base;
    h->ram_base = c->ram_base;
    h->ram_lines = c->ram_lines;
    h->low_bytes = c->low_bytes;
    h->lines = c->lines;
    h->rom_base = c->rom_base;
    h->rom_bytes = c->rom_bytes;
}

/* Returns the first difference between the head `found` and that of `c`, NULL if none. */
static const char *difference(const struct head *found, const struct head *own)
{
    if (found->magic != own->magic)
        return "is not the state of a chip of this byte order";
    if (found->version != own->version || found->chip_bytes != own->chip_bytes ||
        found->hot_bytes != own->hot_bytes || found->tally_bytes != own->tally_bytes)
        return "is of another version of the model";
    if (found->parameters != own->parameters)
        return "is of a chip with another calibration";
    if (found->seed != own->seed)
        return "is of a chip with another seed";
    if (found->jitter != own->jitter)
        return "is of a chip with another jitter";
    if (memcmp(found, own, sizeof(*own)) != 0)
        return "is of a chip with another size of memory";
    return NULL;
}

/* ---- blocks --------------------------------------------------------------- */

#define WORD sizeof(uint64_t)

static bool zero_word(const uint8_t *p, size_t left)
{
    static const uint8_t zeros[WORD];
    return memcmp(p, zeros, left < WORD ? left : WORD) == 0;
}

static size_t run_length(const uint8_t *p, size_t left, bool zeros)
{
    size_t n = 0;
    while (n < left && zero_word(p + n, left - n) == zeros)
        n += WORD;
    return n < left ? n : left;
}

static int put_block(struct stream *s, const void *block, size_t bytes)
{
    const uint8_t *p = block;
    struct run r;
    int rc = MPJ_OK;
    do {
        r.zeros = (uint32_t)run_length(p, bytes, true);
        p += r.zeros;
        bytes -= r.zeros;
        r.bytes = (uint32_t)run_length(p, bytes, false);
        rc = put(s, &r, sizeof(r));
        if (rc == MPJ_OK && r.bytes > 0)
            rc = put(s, p, r.bytes);
        p += r.bytes;
        bytes -= r.bytes;
    } while (rc == MPJ_OK && (r.zeros | r.bytes) != 0);
    return rc;
}

/* Reads into a block of zeros. */
static int get_block(struct stream *s, void *block, size_t bytes)
{
    uint8_t *p = block;
    for (;;) {
        struct run r;
        int rc = get(s, &r, sizeof(r));
        if (rc != MPJ_OK)
            return rc;
        if ((r.zeros | r.bytes) == 0)
            return bytes == 0 ? MPJ_OK : MPJ_ERR_IO;
        if (r.zeros > bytes || r.bytes > bytes - r.zeros)
            return MPJ_ERR_IO;
        p += r.zeros;
        rc = get(s, p, r.bytes);
        if (rc != MPJ_OK)
            return rc;
        p += r.bytes;
        bytes -= (size_t)r.zeros + r.bytes;
    }
}

/* ---- the chip ------------------------------------------------------------- */

/* Gives c the pointers of `own`, NULL: none. */
static void set_pointers(struct mpj_chip *c, const struct mpj_chip *own)
{
    static const struct mpj_chip none;
    if (!own)
        own = &none;
    c->line_bytes = own->line_bytes;
    c->dir = own->dir;
    c->tags = own->tags;
    c->nexts = own->nexts;
    c->ctx = own->ctx;
    c->prof = own->prof;
    c->trace = own->trace;
    c->flow = own->flow;
    c->turn = own->turn;
    c->turn_peer = own->turn_peer;
    c->l2.tag = own->l2.tag;
    c->l2.next = own->l2.next;
    for (unsigned i = 0; i < MPJ_CORES; i++) {
        struct core *k = &c->core[i];
        const struct core *o = &own->core[i];
        k->hot = o->hot;
        k->dline = o->dline;
        k->iline = o->iline;
        k->d.tag = o->d.tag;
        k->d.next = o->d.next;
        k->i.tag = o->i.tag;
        k->i.next = o->i.next;
        c->spare_hot[i].dline = o->dline;
        c->spare_hot[i].iline = o->iline;
        c->spare_hot[i].ev = NULL;
        c->spare_hot[i].instr = NULL;
    }
}

int mpj_chip_save(const struct mpj_chip *c, mpj_chip_put *to, void *peer)
{
    struct stream s = {.put = to, .peer = peer, .sum = FNV_START};
    struct mpj_chip flat = *c;
    struct head h;
    if (c->prof || c->trace)
        return MPJ_ERR_PARAM;
    head_of(c, &h);
    /* Stored in the place that holds the hot state until another one is attached. */
    for (unsigned i = 0; i < MPJ_CORES; i++)
        flat.spare_hot[i] = *c->core[i].hot;
    for (unsigned i = 0; i < MPJ_CORES; i++)
        flow_portable(c, &flat.core[i].flight);
    set_pointers(&flat, NULL);

    int rc = put(&s, &h, sizeof(h));
    if (rc == MPJ_OK)
        rc = put_block(&s, &flat, sizeof(flat));
    if (rc == MPJ_OK)
        rc = put(&s, c->tags, c->tags_count * sizeof(*c->tags));
    if (rc == MPJ_OK)
        rc = put_block(&s, c->nexts, c->nexts_count);
    if (rc == MPJ_OK)
        rc = put_block(&s, c->line_bytes, (size_t)c->lines * (2 * MPJ_CORES + 1));
    if (rc == MPJ_OK)
        rc = put_block(&s, c->ctx, MPJ_CTX_MAX * sizeof(*c->ctx));
    uint64_t sum = s.sum;
    return rc == MPJ_OK ? put(&s, &sum, sizeof(sum)) : rc;
}

static int load(struct mpj_chip *c, struct stream *s)
{
    struct mpj_chip flat;
    memset(&flat, 0, sizeof(flat));
    int rc = get_block(s, &flat, sizeof(flat));
    if (rc != MPJ_OK)
        return rc;
    set_pointers(&flat, c);
    for (unsigned i = 0; i < MPJ_CORES; i++)
        *c->core[i].hot = flat.spare_hot[i];
    *c = flat;
    for (unsigned i = 0; i < MPJ_CORES; i++) {
        struct core *k = &c->core[i];
        k->hot->ev = k->branch_pred ? k->ev : NULL;
        k->hot->instr = &k->ev[MPJ_EV_INSTR];
    }
    rc = get(s, c->tags, c->tags_count * sizeof(*c->tags));
    if (rc == MPJ_OK)
        rc = get_block(s, c->nexts, c->nexts_count);
    if (rc == MPJ_OK)
        rc = get_block(s, c->line_bytes, (size_t)c->lines * (2 * MPJ_CORES + 1));
    if (rc == MPJ_OK)
        rc = get_block(s, c->ctx, MPJ_CTX_MAX * sizeof(*c->ctx));
    return rc;
}

int mpj_chip_load(struct mpj_chip *c, mpj_chip_get *from, void *peer, char *err, size_t errlen)
{
    struct stream s = {.get = from, .peer = peer, .sum = FNV_START};
    struct head own;
    struct head found;
    const char *wrong = "is cut off or damaged";
    head_of(c, &own);
    mpj_chip_reset(c);
    int rc = get(&s, &found, sizeof(found));
    if (c->prof || c->trace) {
        wrong = "has no profile of functions, which this chip makes";
        rc = MPJ_ERR_PARAM;
    }
    if (rc == MPJ_OK) {
        const char *other = difference(&found, &own);
        if (other) {
            wrong = other;
            rc = MPJ_ERR_PARAM;
        }
    }
    if (rc == MPJ_OK)
        rc = load(c, &s);
    if (rc == MPJ_OK) {
        uint64_t sum = s.sum;
        uint64_t expected;
        rc = get(&s, &expected, sizeof(expected));
        if (rc == MPJ_OK && sum != expected)
            rc = MPJ_ERR_IO;
    }
    if (rc != MPJ_OK) {
        /* The data read may refer to lines that do not exist: discard all of it. */
        memset(c->tags, 0xff, c->tags_count * sizeof(*c->tags));
        memset(c->line_bytes, 0, (size_t)c->lines * (2 * MPJ_CORES + 1));
        mpj_chip_reset(c);
        if (err && errlen > 0)
            (void)snprintf(err, errlen, "chip model: the saved state %s", wrong);
    }
    return rc;
}
