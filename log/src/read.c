/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "log/log.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <zstd.h>

#include "base/file.h"

#define CHUNK 65536U

struct mpj_log_reader {
    FILE *f;
    char *path;
    ZSTD_DStream *zstd; /* NULL: plain */
    bool zstd_open;     /* inside a zstd frame */
    ZSTD_inBuffer in;
    uint8_t *raw;    /* bytes of the file, compressed logs only */
    uint8_t *plain;  /* bytes of the stream */
    size_t at, len;  /* of plain */
    uint64_t offset; /* of plain[at] in the stream, for messages */
    struct mpj_frame_decoder decoder;
};

static uint32_t le(const uint8_t *p, unsigned n)
{
    uint32_t v = 0;

    for (unsigned i = 0; i < n; i++)
        v |= (uint32_t)p[i] << (8U * i);
    return v;
}

bool mpj_log_is(const char *path)
{
    const size_t len = strlen(path);
    struct stat st;

    if (len >= 6 && strcmp(path + len - 6, ".mplog") == 0)
        return true;
    return stat(path, &st) == 0 && st.st_size >= (off_t)MPJ_LOG_HEADER_SIZE &&
           mpj_file_begins(path, 0, MPJ_LOG_MAGIC, sizeof(MPJ_LOG_MAGIC) - 1U) > 0;
}

static FILE *open_regular(const char *path, struct mpj_err *err)
{
    const int fd = mpj_file_open(path);
    FILE *const f = fd >= 0 ? fdopen(fd, "rb") : NULL;

    if (f != NULL)
        return f;
    if (fd < 0 && errno == ESPIPE)
        mpj_err_set(err, MPJ_E_LOG, "%s is not a raw log of mpjoule: not a regular file", path);
    else
        mpj_err_errno(err, "cannot open %s", path);
    if (fd >= 0)
        close(fd);
    return NULL;
}

static int check_header(struct mpj_log_reader *r, struct mpj_err *err)
{
    uint8_t head[MPJ_LOG_HEADER_SIZE];
    const size_t n = fread(head, 1, sizeof(head), r->f);

    if (ferror(r->f))
        return mpj_err_errno(err, "cannot read %s", r->path);
    if (n < 8 || memcmp(head, MPJ_LOG_MAGIC, 8) != 0)
        return mpj_err_set(err, MPJ_E_LOG, "%s is not a raw log of mpjoule", r->path);
    if (n < sizeof(head))
        return mpj_err_set(err, MPJ_E_LOG, "%s is truncated in its header", r->path);
    if (le(head + 8, 2) != MPJ_LOG_VERSION)
        return mpj_err_set(err, MPJ_E_LOG, "%s has log version %u, this program reads %u", r->path,
                           le(head + 8, 2), MPJ_LOG_VERSION);
    if ((le(head + 12, 4) & ~(uint32_t)MPJ_LOG_FEATURES) != 0)
        return mpj_err_set(err, MPJ_E_LOG,
                           "%s uses unknown log features 0x%x: written by a newer mpjoule?",
                           r->path, le(head + 12, 4));
    if (le(head + 10, 2) < sizeof(head) || fseek(r->f, (long)le(head + 10, 2), SEEK_SET) != 0)
        return mpj_err_set(err, MPJ_E_LOG, "%s has a damaged header", r->path);
    if (le(head + 12, 4) & MPJ_LOG_ZSTD) {
        r->zstd = ZSTD_createDStream();
        r->raw = malloc(CHUNK);
        if (r->zstd == NULL || r->raw == NULL)
            return mpj_err_nomem(err);
        r->in.src = r->raw;
    }
    return MPJ_E_OK;
}

int mpj_log_open(struct mpj_log_reader **out, const char *path, struct mpj_err *err)
{
    struct mpj_log_reader *r = calloc(1, sizeof(*r));

    *out = NULL;
    if (r == NULL || (r->path = strdup(path)) == NULL || (r->plain = malloc(CHUNK)) == NULL) {
        mpj_err_nomem(err);
        goto error;
    }
    r->f = open_regular(path, err);
    if (r->f == NULL)
        goto error;
    if (check_header(r, err) != MPJ_E_OK)
        goto error;
    mpj_frame_decoder_init(&r->decoder);
    *out = r;
    return MPJ_E_OK;

error:
    mpj_log_reader_free(r);
    return err->code;
}

/* Reads more stream bytes into plain; returns 1, 0 at the end, or an error. */
static int fill(struct mpj_log_reader *r, bool *cut, struct mpj_err *err)
{
    ZSTD_outBuffer out = {r->plain, CHUNK, 0};

    r->at = 0;
    r->len = 0;
    if (r->zstd == NULL) {
        r->len = fread(r->plain, 1, CHUNK, r->f);
        if (ferror(r->f))
            return mpj_err_errno(err, "cannot read %s", r->path);
        return r->len > 0;
    }
    while (out.pos == 0) {
        if (r->in.pos == r->in.size) {
            r->in.size = fread(r->raw, 1, CHUNK, r->f);
            r->in.pos = 0;
            if (ferror(r->f))
                return mpj_err_errno(err, "cannot read %s", r->path);
            if (r->in.size == 0) {
                *cut = r->zstd_open;
                return 0;
            }
        }
        const size_t left = ZSTD_decompressStream(r->zstd, &out, &r->in);
        if (ZSTD_isError(left))
            return mpj_err_set(err, MPJ_E_LOG, "%s is damaged: %s", r->path,
                               ZSTD_getErrorName(left));
        r->zstd_open = left != 0;
    }
    r->len = out.pos;
    return 1;
}

int mpj_log_next(struct mpj_log_reader *r, struct mpj_frame *out, bool *truncated,
                 struct mpj_err *err)
{
    bool cut = false;
    int result;

    if (truncated != NULL)
        *truncated = false;
    for (;;) {
        while (r->at < r->len) {
            const size_t used =
                mpj_frame_decode(&r->decoder, r->plain + r->at, r->len - r->at, out, &result);
            r->at += used;
            r->offset += used;
            if (result > 0)
                return 1;
            if (result < 0)
                return mpj_err_set(err, MPJ_E_LOG, "%s is corrupt before byte %llu: %s", r->path,
                                   (unsigned long long)r->offset + MPJ_LOG_HEADER_SIZE,
                                   mpj_link_strerror(result));
        }
        result = fill(r, &cut, err);
        if (result < 0)
            return result;
        if (result == 0) {
            if (truncated != NULL)
                *truncated = cut || r->decoder.group > 0;
            return 0;
        }
    }
}

size_t mpj_log_cut_bytes(const struct mpj_log_reader *r)
{
    return r->decoder.group;
}

void mpj_log_reader_free(struct mpj_log_reader *r)
{
    if (r == NULL)
        return;
    if (r->f != NULL)
        fclose(r->f);
    ZSTD_freeDStream(r->zstd);
    free(r->raw);
    free(r->plain);
    free(r->path);
    free(r);
}

/* ---- compression ---------------------------------------------------------- */

/* Compresses everything after the header of in to out. */
static int squeeze(FILE *in, FILE *out, const char *path, struct mpj_err *err)
{
    static const size_t cap = CHUNK;
    uint8_t *const src = malloc(cap);
    uint8_t *const dst = malloc(cap);
    ZSTD_CStream *const z = ZSTD_createCStream();
    int result = MPJ_E_OK;
    bool last = false;

    if (src == NULL || dst == NULL || z == NULL) {
        result = mpj_err_nomem(err);
        goto out;
    }
    while (!last) {
        ZSTD_inBuffer i = {src, fread(src, 1, cap, in), 0};
        size_t left;
        last = i.size < cap;
        if (ferror(in)) {
            result = mpj_err_errno(err, "cannot read %s", path);
            goto out;
        }
        do {
            ZSTD_outBuffer o = {dst, cap, 0};
            left = ZSTD_compressStream2(z, &o, &i, last ? ZSTD_e_end : ZSTD_e_continue);
            if (ZSTD_isError(left)) {
                result = mpj_err_set(err, MPJ_E_IO, "cannot compress %s: %s", path,
                                     ZSTD_getErrorName(left));
                goto out;
            }
            if (fwrite(dst, 1, o.pos, out) != o.pos) {
                result = mpj_err_errno(err, "cannot write next to %s", path);
                goto out;
            }
        } while (last ? left != 0 : i.pos < i.size);
    }
out:
    ZSTD_freeCStream(z);
    free(src);
    free(dst);
    return result;
}

struct compressing {
    FILE *in;
    const char *path;
    const uint8_t *head; /* MPJ_LOG_HEADER_SIZE bytes */
};

static int put_compressed(const void *what, FILE *out, struct mpj_err *err)
{
    const struct compressing *const c = what;

    if (fwrite(c->head, 1, MPJ_LOG_HEADER_SIZE, out) != MPJ_LOG_HEADER_SIZE)
        return mpj_err_errno(err, "cannot write next to %s", c->path);
    if (squeeze(c->in, out, c->path, err) != MPJ_E_OK)
        return err->code;
    if (fflush(out) != 0 || fsync(fileno(out)) != 0)
        return mpj_err_errno(err, "cannot write next to %s", c->path);
    return MPJ_E_OK;
}

int mpj_log_compress(const char *path, struct mpj_err *err)
{
    uint8_t head[MPJ_LOG_HEADER_SIZE];
    FILE *const in = fopen(path, "rbe");
    struct compressing c = {in, path, head};
    char *place = NULL; /* links resolved; they stay */
    int result;

    if (in == NULL || fread(head, 1, sizeof(head), in) != sizeof(head)) {
        result = mpj_err_errno(err, "cannot read %s", path);
    } else if (memcmp(head, MPJ_LOG_MAGIC, 8) != 0 || (le(head + 12, 4) & MPJ_LOG_ZSTD)) {
        result = mpj_err_set(err, MPJ_E_LOG, "%s is not an uncompressed log", path);
    } else if (flock(fileno(in), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        result = mpj_err_set(err, MPJ_E_IO, "another process is writing %s", path);
    } else if ((result = mpj_file_place(&place, path, "log", err)) == MPJ_E_OK) {
        head[12] |= MPJ_LOG_ZSTD;
        result = mpj_file_replace(place, put_compressed, &c, err);
    }
    free(place);
    if (in != NULL)
        fclose(in);
    return result;
}
