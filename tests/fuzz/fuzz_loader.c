/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The loader's protocol: any payload as its requests and replies. What one side takes, it must be
 * able to say, and the other to take again. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "fuzz_frames.h"
#include "mpj_loader_records.h"

static uint8_t out[4096];

/* The first record of what w has. */
static struct mpj_rec again(const struct mpj_writer *w)
{
    struct mpj_reader r;
    struct mpj_rec rec;

    mpj_reader_init(&r, out, (size_t)(w->at - out));
    if (w->full || mpj_rec_next(&r, &rec) != 1)
        abort();
    return rec;
}

static void must(int result)
{
    if (result != 0)
        abort();
}

static void request(const struct mpj_rec *rec, struct mpj_writer *w)
{
    static struct mpj_loader_image image;
    static struct mpj_loader_image image2;
    struct mpj_loader_data data;
    struct mpj_rec said;
    uint32_t source;

    if (rec->kind == MPJ_LOADER_BEGIN && mpj_loader_image_get(rec, &image) == 0) {
        if (image.segments > MPJ_LOADER_SEGMENTS || image.name.len > MPJ_LOADER_NAME_MAX ||
            image.build_id.len > MPJ_LOADER_BUILD_ID_MAX)
            abort();
        must(mpj_loader_image_put(w, &image));
        said = again(w);
        must(mpj_loader_image_get(&said, &image2));
        if (image.crc != image2.crc || image.segments != image2.segments)
            abort();
    } else if (rec->kind == MPJ_LOADER_DATA && mpj_loader_data_get(rec, &data) == 0) {
        if (data.data.len > MPJ_LOADER_DATA_MAX)
            abort();
        must(mpj_loader_data_put(w, &data));
    } else if (rec->kind == MPJ_LOADER_BOOT && mpj_loader_boot_get(rec, &source) == 0) {
        must(mpj_loader_boot_put(w, source));
    }
}

static void reply(const struct mpj_rec *rec, struct mpj_writer *w)
{
    struct mpj_loader_info info;
    struct mpj_loader_progress p;
    struct mpj_loader_result r;

    if (rec->kind == MPJ_LOADER_INFO && mpj_loader_info_get(rec, &info) == 0) {
        must(mpj_loader_info_put(w, &info));
    } else if ((rec->kind == MPJ_LOADER_STATE || rec->kind == MPJ_LOADER_PROGRESS) &&
               mpj_loader_progress_get(rec, &p) == 0) {
        must(mpj_loader_progress_put(w, rec->kind, &p));
    } else if (rec->kind == MPJ_LOADER_RESULT && mpj_loader_result_get(rec, &r) == 0) {
        if (strchr(mpj_loader_strerror(r.code), '\n') != NULL)
            abort();
        must(mpj_loader_result_put(w, &r));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mpj_reader r;
    struct mpj_rec rec;

    mpj_reader_init(&r, data, size < 1024 ? size : 1024);
    while (mpj_rec_next(&r, &rec) == 1) {
        struct mpj_writer w;

        mpj_writer_init(&w, out, sizeof(out));
        request(&rec, &w);
        mpj_writer_init(&w, out, sizeof(out));
        reply(&rec, &w);
    }
    return 0;
}

size_t fuzz_seed(uint8_t *to, size_t cap, uint32_t (*rng)(void))
{
    static const uint8_t content[8] = {1, 2, 3};
    const struct mpj_bytes name = {(const uint8_t *)"program.elf", 11};
    const struct mpj_loader_image image = {.kind = 1 + rng() % 2U,
                                           .entry = rng(),
                                           .bytes = rng(),
                                           .crc = rng(),
                                           .segments = 1,
                                           .segment = {{rng(), rng(), rng(), rng()}},
                                           .build_id = {content, 8},
                                           .name = name};
    const struct mpj_loader_info info = {.version = 2, .flash_bytes = rng(), .name = name};
    const struct mpj_loader_data piece = {rng(), {content, sizeof(content)}};
    const struct mpj_loader_progress p = {'e', rng() % 100U, 100};
    const struct mpj_loader_result result = {rng() % 8U, rng()};
    struct mpj_writer w;

    mpj_writer_init(&w, to, cap);
    mpj_loader_image_put(&w, &image);
    mpj_loader_data_put(&w, &piece);
    mpj_loader_boot_put(&w, rng() % 3U);
    mpj_loader_info_put(&w, &info);
    mpj_loader_progress_put(&w, MPJ_LOADER_STATE, &p);
    mpj_loader_result_put(&w, &result);
    return (size_t)(w.at - to);
}

size_t fuzz_fix(uint8_t *data, size_t size, size_t cap)
{
    return fuzz_fix_records(data, size, cap);
}
