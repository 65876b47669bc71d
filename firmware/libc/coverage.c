/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes coverage data (--coverage) when the program ends: next to each .gcno file that the
 * compiler left in the folder of `mpjoule run --dir` a .gcda file, whose counts of earlier runs are
 * added. `mpjoule cc` links this file only into such programs, whose objects list their counters in
 * a section.
 *
 * The name in an object is the path that the compiler saw: the longest tail of it that names a
 * .gcno file is used.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A file (GCC 12) is a header, then records of a tag, a length in bytes and that many bytes of
 * data. */
#define HEADER_BYTES 16U /* magic, version, stamp, checksum */
#define TAG_FUNCTION 0x01000000U
#define TAG_ARCS     0x01a10000U
#define TAG_OBJECT   0xa1000000U /* runs, greatest sum */
#define FILE_MAX     (16U << 20)

/* libgcov's, as GCC's <gcov.h> has it since GCC 12. */
struct gcov_info;
void __gcov_info_to_gcda(const struct gcov_info *info, void (*name)(const char *text, void *arg),
                         void (*data)(const void *piece, unsigned size, void *arg),
                         void *(*memory)(unsigned size, void *arg), void *arg);

extern const struct gcov_info *const __start_mpj_coverage[] __attribute__((weak)),
    *const __stop_mpj_coverage[] __attribute__((weak));
extern const char mpj_coverage; /* the linker's command line pulls this file in by it */
const char mpj_coverage = 1;

struct bytes {
    uint8_t *p;
    size_t len, room;
    bool lost; /* out of memory */
};

struct job {
    const char *name;
    struct bytes fresh;
};

static void append(struct bytes *b, const void *data, size_t n)
{
    if (b->len + n > b->room) {
        const size_t room = 2U * (b->len + n);
        uint8_t *const more = realloc(b->p, room);

        b->lost |= more == NULL;
        if (more == NULL)
            return;
        b->p = more;
        b->room = room;
    }
    memcpy(b->p + b->len, data, n);
    b->len += n;
}

static void take_name(const char *name, void *arg)
{
    ((struct job *)arg)->name = name;
}

/* Collects data; inserts, after the header, the record that this is one run, which the compiler's
 * library leaves out. */
static void take_data(const void *data, unsigned n, void *arg)
{
    static const uint32_t one[4] = {TAG_OBJECT, 8, 1, 0};
    struct bytes *const b = &((struct job *)arg)->fresh;

    append(b, data, n);
    if (b->len == HEADER_BYTES)
        append(b, one, sizeof(one));
}

static void *memory(unsigned n, void *arg)
{
    (void)arg;
    return malloc(n);
}

/* ---- earlier runs --------------------------------------------------------------- */

struct record {
    uint32_t tag;
    uint32_t bytes;      /* length that the record represents */
    const uint8_t *data; /* NULL: zeros */
};

static uint32_t word(const uint8_t *p)
{
    uint32_t v;

    memcpy(&v, p, sizeof(v));
    return v;
}

/* Reads the record at *at and advances *at to the next one; false: there is none, or it is
 * truncated. */
static bool next(const struct bytes *b, size_t *at, struct record *r)
{
    int32_t length;

    if (b->len - *at < 8U)
        return false;
    r->tag = word(b->p + *at);
    length = (int32_t)word(b->p + *at + 4U);
    *at += 8U;
    r->bytes = (uint32_t)(length < 0 ? -(int64_t)length : length);
    r->data = length < 0 ? NULL : b->p + *at;
    if (length > 0 && b->len - *at < (size_t)length)
        return false;
    *at += length > 0 ? (size_t)length : 0U;
    return true;
}

static uint64_t counter(const struct record *r, uint32_t i)
{
    uint64_t v = 0;

    if (r->data != NULL)
        memcpy(&v, r->data + 8U * i, sizeof(v));
    return v;
}

static void add_counters(struct bytes *out, const struct record *a, const struct record *b)
{
    const uint32_t head[2] = {a->tag, a->bytes};

    append(out, head, sizeof(head));
    for (uint32_t i = 0; i < a->bytes / 8U; i++) {
        const uint64_t sum = counter(a, i) + counter(b, i);

        append(out, &sum, sizeof(sum));
    }
}

static void add_runs(struct bytes *out, const struct record *a, const struct record *b)
{
    const uint32_t v[4] = {a->tag, a->bytes, word(a->data) + word(b->data),
                           word(a->data + 4U) + word(b->data + 4U)};

    append(out, v, sizeof(v));
}

/* Compares stamp and checksum: the stamp differs whenever the object is compiled again; the
 * checksum is that of the counters' layout. */
static bool same_program(const struct bytes *a, const struct bytes *b)
{
    return a->len >= HEADER_BYTES && b->len >= HEADER_BYTES && memcmp(a->p, b->p, 8U) == 0 &&
           memcmp(a->p + 12U, b->p + 12U, 4U) == 0;
}

/* Adds the counts of both files; false: they belong to different programs. */
static bool merge(struct bytes *out, const struct bytes *fresh, const struct bytes *old)
{
    size_t at = HEADER_BYTES, at_old = HEADER_BYTES;
    struct record a, b;

    if (!same_program(fresh, old))
        return false;
    append(out, fresh->p, HEADER_BYTES);
    while (next(fresh, &at, &a)) {
        if (!next(old, &at_old, &b) || a.tag != b.tag || a.bytes != b.bytes)
            return false;
        if (a.tag == TAG_ARCS) {
            add_counters(out, &a, &b);
        } else if (a.tag == TAG_OBJECT && a.bytes == 8U && a.data != NULL && b.data != NULL) {
            add_runs(out, &a, &b);
        } else {
            const uint32_t head[2] = {a.tag, a.bytes};

            if (a.data == NULL ||
                (a.tag == TAG_FUNCTION && (b.data == NULL || memcmp(a.data, b.data, a.bytes) != 0)))
                return false;
            append(out, head, sizeof(head));
            append(out, a.data, a.bytes);
        }
    }
    append(out, fresh->p + at, fresh->len - at); /* the mark of the end */
    return true;
}

/* ---- files ------------------------------------------------------------------------ */

static bool read_whole(const char *path, struct bytes *b)
{
    const int fd = open(path, O_RDONLY);
    struct stat st;
    ssize_t n = 0;

    if (fd < 0)
        return false;
    if (fstat(fd, &st) == 0 && st.st_size > 0 && st.st_size <= (off_t)FILE_MAX)
        b->p = malloc((size_t)st.st_size);
    if (b->p != NULL) {
        while (b->len < (size_t)st.st_size &&
               (n = read(fd, b->p + b->len, (size_t)st.st_size - b->len)) > 0)
            b->len += (size_t)n;
    }
    close(fd);
    return b->len > 0;
}

static bool write_whole(const char *path, const struct bytes *b)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    size_t done = 0;
    ssize_t n = 1;

    if (fd < 0)
        return false;
    while (done < b->len && (n = write(fd, b->p + done, b->len - done)) > 0)
        done += (size_t)n;
    return close(fd) == 0 && done == b->len;
}

/* Returns the tail of the name that has a .gcno file; NULL: none. */
static const char *place_of(const char *name)
{
    static const char data[] = ".gcda", notes[] = ".gcno";
    const size_t len = strlen(name);
    char *path;
    const char *found = NULL;

    if (len < sizeof(data) || strcmp(name + len - sizeof(data) + 1U, data) != 0)
        return NULL;
    path = strdup(name);
    if (path == NULL)
        return NULL;
    memcpy(path + len - sizeof(notes) + 1U, notes, sizeof(notes));
    for (size_t at = 0; found == NULL && at < len; at += strcspn(path + at, "/") + 1U) {
        if (access(path + at, F_OK) == 0)
            found = name + at;
    }
    free(path);
    return found;
}

static bool save(const struct gcov_info *info)
{
    struct job job = {.name = NULL};
    struct bytes old = {.p = NULL}, sum = {.p = NULL};
    const char *path;
    bool done;

    __gcov_info_to_gcda(info, take_name, take_data, memory, &job);
    path = job.name != NULL ? place_of(job.name) : NULL;
    done = path != NULL && !job.fresh.lost;
    if (done && read_whole(path, &old) && merge(&sum, &job.fresh, &old))
        done = !sum.lost && write_whole(path, &sum);
    else if (done)
        done = write_whole(path, &job.fresh);
    free(job.fresh.p);
    free(old.p);
    free(sum.p);
    return done;
}

static void save_all(void)
{
    unsigned lost = 0;

    for (const struct gcov_info *const *i = __start_mpj_coverage; i < __stop_mpj_coverage; i++)
        lost += !save(*i);
    if (lost > 0)
        fprintf(
            stderr,
            "mpjoule: coverage of %u object%s is not saved: `mpjoule run --dir FOLDER` with the "
            "folder of the .gcno files, which can be written\n",
            lost, lost == 1U ? "" : "s");
}

/* Runs before the program's constructors, so that saving comes after everything the program does at
 * its end. */
__attribute__((constructor(101))) static void begin(void)
{
    (void)atexit(save_all);
}
