/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a program asks of the host's files: records of requests, one behind the other. Whatever it
 * asks, what lies outside the folder stays as it is, and every answer can be sent. The first byte
 * says: 1 without a folder.
 */
#include "fuzz.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz_file.h"
#include "fuzz_frames.h"
#include "hil/io.h"

#define LARGEST (16 << 20) /* of a file that a request makes */

static char dir[100];

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
    (void)st;
    if (ftw->level == 0)
        return 0;
    if (kind != FTW_SL && kind != FTW_SLN) /* chmod() would follow it */
        (void)chmod(path, 0700);
    return remove(path);
}

/* The folder as it is at the beginning of each input; what lies beside it. */
static void prepare(void)
{
    char path[160];
    int fd;

    (void)fuzz_file_as("outside", (const uint8_t *)"secret", 6);
    snprintf(dir, sizeof(dir), "%s/dir", fuzz_folder());
    if (mkdir(dir, 0700) == 0 || nftw(dir, remove_one, 8, FTW_DEPTH | FTW_PHYS) == 0)
        chmod(dir, 0700);
    snprintf(path, sizeof(path), "%s/file", dir);
    fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0 || write(fd, "content", 7) != 7)
        abort();
    close(fd);
    snprintf(path, sizeof(path), "%s/sub", dir);
    if (mkdir(path, 0700) != 0)
        abort();
    snprintf(path, sizeof(path), "%s/out", dir);
    if (symlink("../outside", path) != 0)
        abort();
    snprintf(path, sizeof(path), "%s/in", dir);
    if (symlink("file", path) != 0)
        abort();
    snprintf(path, sizeof(path), "%s/pipe", dir);
    if (mkfifo(path, 0600) != 0)
        abort();
}

static void outside_is_untouched(void)
{
    char path[160];
    char text[16] = "";
    struct stat st;
    FILE *f;

    snprintf(path, sizeof(path), "%s/outside", fuzz_folder());
    f = fopen(path, "re");
    if (f == NULL || fread(text, 1, sizeof(text), f) != 6 || memcmp(text, "secret", 6) != 0 ||
        fstat(fileno(f), &st) != 0 || (st.st_mode & 0777) != 0644)
        abort();
    fclose(f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t buf[MPJ_FRAME_PAYLOAD_MAX];
    struct mpj_reader r;
    struct mpj_rec rec;
    struct mpj_io *io = NULL;
    struct mpj_err err;

    if (size < 1)
        return 0;
    umask(022);
    prepare();
    if (mpj_io_new(&io, (data[0] & 1U) != 0 ? NULL : dir,
                   fuzz_file_as("stdin", (const uint8_t *)"typed", 5), &err) != MPJ_E_OK)
        abort();
    mpj_io_terminal(io, (data[0] & 2U) != 0, false);
    mpj_reader_init(&r, data + 1, size - 1);
    while (mpj_rec_next(&r, &rec) == 1) {
        struct mpj_io_req q;
        struct mpj_io_reply reply;
        struct mpj_writer w;

        rec.kind = MPJ_REC_IO_REQ;
        if (mpj_io_req_get(&rec, &q) != MPJ_LINK_OK ||
            (q.op == MPJ_IO_RESIZE && q.offset > LARGEST))
            continue;
        if (q.op == MPJ_IO_LSEEK && q.offset > LARGEST)
            q.offset = LARGEST; /* or the next write fills the disk's quota */
        (void)mpj_io_ready(io, &q);
        mpj_io_serve(io, &q, &reply);
        mpj_writer_init(&w, buf, sizeof(buf));
        if (mpj_io_reply_put(&w, &reply) != MPJ_LINK_OK)
            abort();
    }
    (void)mpj_io_input(io);
    mpj_io_free(io);
    outside_is_untouched();
    return 0;
}

size_t fuzz_seed(uint8_t *out, size_t cap, uint32_t (*rng)(void))
{
    static const char *const paths[] = {"file", "sub",        "new",  "out",    "in",
                                        "..",   "../outside", "/etc", "pipe",   "",
                                        "sub/", "sub/a",      ".",    "file/x", "sub/../file"};
    struct mpj_writer w;

    if (cap < 1)
        return 0;
    out[0] = (uint8_t)(rng() % 8U == 0);
    mpj_writer_init(&w, out + 1, cap - 1);
    for (uint32_t i = 1 + rng() % 8U; i > 0; i--) {
        const char *const path = paths[rng() % (sizeof(paths) / sizeof(paths[0]))];
        const char *const other = paths[rng() % (sizeof(paths) / sizeof(paths[0]))];
        const struct mpj_io_req q = {.op = rng() % 3U ? 1U + rng() % 17U : MPJ_IO_OPEN,
                                     .fd = (int32_t)(rng() % 6U),
                                     .flags = rng() % 64U,
                                     .mode = rng() % 512U,
                                     .offset = (int64_t)(rng() % 9U) - 1,
                                     .length = rng() % 100U,
                                     .path = {(const uint8_t *)path, strlen(path)},
                                     .data = {(const uint8_t *)other, strlen(other)}};

        mpj_io_req_put(&w, &q);
    }
    return (size_t)(w.at - out);
}

size_t fuzz_fix(uint8_t *data, size_t size, size_t cap)
{
    return size < 1 ? size : 1 + fuzz_fix_records(data + 1, size - 1, cap - 1);
}
