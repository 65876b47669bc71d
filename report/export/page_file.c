/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "export/page_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

#include "base/file.h"
#include "log/log.h"
#include "page.h"
#include "report/page.h"

#define CHUNK    65536U
#define GZIP     (15 + 16) /* window of zlib, with gzip's header */
#define OPEN     "<script type=\"application/gzip\" id=\""
#define SOURCE   OPEN "source\" data-kind=\""
#define KIND_MAX (sizeof(SOURCE) + 16)

/* ---- writing --------------------------------------------------------------------------- */

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* A stream whose content is compressed. */
struct sink {
    FILE *out; /* as base64 */
    z_stream z;
    unsigned char rest[3];
    unsigned left; /* in rest */
    size_t size;   /* compressed bytes so far */
    size_t most;   /* limit of them; 0: unlimited */
    bool failed;
    int number; /* errno of the output that failed */
};

static void put_group(struct sink *s)
{
    const uint32_t v = (uint32_t)s->rest[0] << 16 | (uint32_t)s->rest[1] << 8 | s->rest[2];
    char text[4] = {digits[v >> 18], digits[v >> 12 & 63], '=', '='};

    if (s->left > 1)
        text[2] = digits[v >> 6 & 63];
    if (s->left > 2)
        text[3] = digits[v & 63];
    if (fwrite(text, 1, sizeof(text), s->out) != sizeof(text)) {
        s->failed = true;
        s->number = errno;
    }
    memset(s->rest, 0, sizeof(s->rest));
    s->left = 0;
}

static void put_bytes(struct sink *s, const unsigned char *data, size_t n)
{
    s->size += n;
    if (s->most > 0 && s->size > s->most)
        s->failed = true;
    for (size_t i = 0; i < n && !s->failed; i++) {
        s->rest[s->left++] = data[i];
        if (s->left == sizeof(s->rest))
            put_group(s);
    }
}

static void deflate_to(struct sink *s, const char *data, size_t n, int flush)
{
    unsigned char out[CHUNK];

    s->z.next_in = (unsigned char *)(uintptr_t)data;
    s->z.avail_in = (unsigned)n;
    do {
        s->z.next_out = out;
        s->z.avail_out = sizeof(out);
        if (deflate(&s->z, flush) == Z_STREAM_ERROR)
            s->failed = true;
        put_bytes(s, out, sizeof(out) - s->z.avail_out);
    } while (s->z.avail_out == 0 && !s->failed);
}

static ssize_t sink_write(void *ctx, const char *data, size_t n)
{
    struct sink *const s = ctx;

    for (size_t at = 0; at < n && !s->failed; at += CHUNK)
        deflate_to(s, data + at, n - at < CHUNK ? n - at : CHUNK, Z_NO_FLUSH);
    return s->failed ? 0 : (ssize_t)n;
}

static int sink_close(void *ctx)
{
    struct sink *const s = ctx;

    if (!s->failed)
        deflate_to(s, NULL, 0, Z_FINISH);
    if (s->left > 0 && !s->failed)
        put_group(s);
    deflateEnd(&s->z);
    errno = s->number;
    return s->failed ? -1 : 0;
}

static FILE *sink_open(struct sink *s, FILE *out, size_t most)
{
    FILE *f;

    memset(s, 0, sizeof(*s));
    s->out = out;
    s->most = most;
    if (deflateInit2(&s->z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        return NULL;
    f = fopencookie(s, "w", (cookie_io_functions_t){.write = sink_write, .close = sink_close});
    if (f == NULL)
        deflateEnd(&s->z);
    return f;
}

static int put_data(FILE *out, page_put *put, const void *what, struct mpj_err *err)
{
    struct sink s;
    FILE *const f = sink_open(&s, out, 0);
    int result;

    if (f == NULL)
        return mpj_err_nomem(err);
    result = put(what, f, err);
    /* a part that could not be written is one of the page, whatever put calls it */
    if (fclose(f) != 0 && (result == MPJ_E_OK || s.number != 0))
        result = mpj_err_errno(err, "cannot write the page");
    return result;
}

static bool may_fit(FILE *in)
{
    struct stat st;

    return fstat(fileno(in), &st) == 0 && st.st_size <= (off_t)PAGE_FILE_MAX;
}

/* Compresses into memory first, to check the size. */
static int put_source(FILE *out, const char *source, struct mpj_err *err)
{
    char chunk[CHUNK];
    char *text = NULL;
    size_t size = 0;
    size_t n;
    struct sink s;
    FILE *const in = fopen(source, "rb");
    FILE *const memory = open_memstream(&text, &size);
    FILE *const f = memory != NULL ? sink_open(&s, memory, PAGE_SOURCE_MAX) : NULL;
    bool fine = in != NULL && f != NULL;
    bool small = fine && may_fit(in);

    while (small && (n = fread(chunk, 1, sizeof(chunk), in)) > 0)
        small = fwrite(chunk, 1, n, f) == n;
    fine = fine && !ferror(in);
    if (f != NULL && fclose(f) != 0)
        small = false;
    if (memory != NULL && fclose(memory) != 0)
        fine = false;
    if (fine && small)
        fprintf(out, SOURCE "%s\">%s</script>\n", mpj_log_is(source) ? "mplog" : "mpj", text);
    else if (fine)
        fputs(SOURCE "none\"></script>\n", out);
    else
        mpj_err_errno(err, "cannot read %s for the page", source);
    if (in != NULL)
        fclose(in);
    free(text);
    return fine ? MPJ_E_OK : err->code;
}

int page_write(FILE *out, page_put *put, const void *what, const char *source, struct mpj_err *err)
{
    int result;

    fputs(page_head, out);
    fputs(OPEN "data\">", out);
    result = put_data(out, put, what, err);
    if (result != MPJ_E_OK)
        return result;
    fputs("</script>\n", out);
    if (source != NULL)
        result = put_source(out, source, err);
    fputs(page_tail, out);
    if (result == MPJ_E_OK && (fflush(out) != 0 || ferror(out)))
        result = mpj_err_errno(err, "cannot write the page");
    return result;
}

/* ---- reading --------------------------------------------------------------------------- */

/* Every page begins with these bytes, whatever the version that created it. */
#define BEGIN "<!DOCTYPE html>\n<!-- mpjoule page"

bool mpj_page_is(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && st.st_size >= (off_t)sizeof(BEGIN) - 1 &&
           mpj_file_begins(path, 0, BEGIN, sizeof(BEGIN) - 1) > 0;
}

/* Skips past the next occurrence of a text; false: not found. The text's first character must not
 * occur in it again. */
static bool skip_to(FILE *f, const char *text)
{
    size_t at = 0;
    int c;

    while (text[at] != '\0' && (c = getc(f)) != EOF)
        at = c == text[at] ? at + 1 : c == text[0] ? 1 : 0;
    return text[at] == '\0';
}

/* Reads up to the quote. */
static bool read_kind(FILE *f, char kind[KIND_MAX])
{
    size_t n = 0;
    int c;

    while ((c = getc(f)) != EOF && c != '"' && n + 1 < KIND_MAX)
        kind[n++] = (char)c;
    kind[n] = '\0';
    return c == '"' && getc(f) == '>';
}

/* Decodes base64 up to the next "<"; 0: the end, or, with *bad set, invalid base64. */
static size_t decode(FILE *f, unsigned char *out, size_t room, bool *bad)
{
    size_t n = 0;

    while (n + 3 <= room) {
        uint32_t v = 0;
        unsigned pad = 0;
        for (unsigned i = 0; i < 4; i++) {
            const int c = getc(f);
            const char *const digit = c > 0 ? strchr(digits, c) : NULL;
            if (c == '<' && i == 0)
                return n;
            pad += c == '=' && i > 1;
            *bad = *bad || (c == '=' ? i < 2 : digit == NULL || pad > 0);
            if (*bad)
                return n;
            v = v << 6 | (c == '=' ? 0 : (uint32_t)(digit - digits));
        }
        out[n] = (unsigned char)(v >> 16);
        out[n + 1] = (unsigned char)(v >> 8);
        out[n + 2] = (unsigned char)v;
        n += 3 - pad;
        if (pad > 0)
            return n;
    }
    return n;
}

struct taking {
    FILE *in;
    const char *page;
};

static int put_inflated(const void *what, FILE *out, struct mpj_err *err)
{
    const struct taking *const t = what;
    unsigned char in[CHUNK - CHUNK % 3];
    unsigned char data[CHUNK];
    z_stream z;
    bool bad = false;
    bool ended = false;
    int end = Z_OK;

    memset(&z, 0, sizeof(z));
    if (inflateInit2(&z, GZIP) != Z_OK)
        return mpj_err_nomem(err);
    /* without more input inflate() returns its remaining output, then Z_BUF_ERROR */
    while (end == Z_OK && !bad && z.total_out <= PAGE_FILE_MAX) {
        if (z.avail_in == 0 && !ended) {
            z.avail_in = (unsigned)decode(t->in, in, sizeof(in), &bad);
            z.next_in = in;
            ended = z.avail_in < sizeof(in);
        }
        z.next_out = data;
        z.avail_out = sizeof(data);
        end = inflate(&z, Z_NO_FLUSH);
        fwrite(data, 1, sizeof(data) - z.avail_out, out);
    }
    inflateEnd(&z);
    return end == Z_STREAM_END
               ? MPJ_E_OK
               : mpj_err_set(err, MPJ_E_STORE,
                             "%s: the run in the page is damaged: make the page again", t->page);
}

int mpj_page_take(char **file, const char *page, const char *folder, struct mpj_err *err)
{
    struct taking t = {fopen(page, "rb"), page};
    char kind[KIND_MAX];
    int result = MPJ_E_OK;

    *file = NULL;
    if (t.in == NULL)
        return mpj_err_errno(err, "cannot open %s", page);
    if (!skip_to(t.in, SOURCE))
        result = mpj_err_set(err, MPJ_E_USAGE,
                             "%s: the page carries no run: it is one of two runs, "
                             "or cut off",
                             page);
    else if (!read_kind(t.in, kind) || (strcmp(kind, "mpj") != 0 && strcmp(kind, "mplog") != 0))
        result = mpj_err_set(err, MPJ_E_USAGE,
                             "%s: the page carries no run, which was too large for it: give the "
                             "run's own file",
                             page);
    else if (asprintf(file, "%s/page.%s", folder, kind) < 0) {
        *file = NULL;
        result = mpj_err_nomem(err);
    }
    if (result == MPJ_E_OK)
        result = mpj_file_new(*file, put_inflated, &t, err);
    if (result != MPJ_E_OK) {
        free(*file);
        *file = NULL;
    }
    fclose(t.in);
    return result;
}
