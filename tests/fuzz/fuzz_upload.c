/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The host's side of the resident loader against a board that says anything. The first byte says
 * what the host wants; the rest is what the board says (fuzz_board.h).
 */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "fuzz_board.h"
#include "hil/loader.h"

#define CONTENT 3000U

enum options { SLOW = 1, FLASH = 2, FORGET = 4, IN_FLASH = 8, OTHER = 16, NO_INFO = 32 };

static unsigned told;

static void progress(void *ctx, char phase, uint32_t done, uint32_t total, uint32_t rate)
{
    (void)ctx;
    (void)rate;
    if (phase != 0 && done > total)
        abort();
    told++;
}

static unsigned asked;

static bool cancelled(void *ctx)
{
    return ++asked > *(const unsigned *)ctx;
}

/* The steps of `mpjoule flash` and of a run, as far as they go. */
static int use(struct mpj_loader *l, unsigned options, struct mpj_err *err)
{
    static uint8_t data[CONTENT];
    const struct mpj_content c = {
        .image = {.kind = MPJ_LOADER_RAM,
                  .entry = 0x8000,
                  .bytes = CONTENT,
                  .crc = mpj_crc32(0, data, CONTENT),
                  .segments = 1,
                  .segment = {{0x8000, 0, CONTENT, CONTENT}},
                  .name = {(const uint8_t *)"p.elf", 5}},
        .data = data,
    };
    struct mpj_loader_info info;
    struct mpj_loader_upload upload;

    if ((options & NO_INFO) == 0) {
        if (mpj_loader_info(l, &info, err) != MPJ_E_OK)
            return err->code;
        (void)mpj_loader_same(&info, &c);
    }
    if ((options & FORGET) != 0 && mpj_loader_forget(l, err) != MPJ_E_OK)
        return err->code;
    if (mpj_loader_upload(l, &c, progress, NULL, &upload, err) != MPJ_E_OK)
        return err->code;
    if (upload.resumed + upload.bytes != CONTENT)
        abort();
    if ((options & FLASH) != 0 && mpj_loader_flash(l, progress, NULL, err) != MPJ_E_OK)
        return err->code;
    return mpj_loader_boot(l, (options & IN_FLASH) != 0 ? MPJ_LOADER_FLASHED : MPJ_LOADER_UPLOADED,
                           err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned countdown = 1500;
    const struct mpj_loader_timeouts p = {
        .alive_ms = 2000, .wait_ms = 3000, .cancelled = cancelled, .ctx = &countdown};
    const struct mpj_hello says = {.protocol = MPJ_LINK_VERSION,
                                   .abi = MPJ_ABI_VERSION,
                                   .features = 1U << MPJ_FEATURE_ACK | 1U << MPJ_FEATURE_RATE |
                                               1U << MPJ_FEATURE_LOADER,
                                   .cores = 1,
                                   .clock_hz = 210000000,
                                   .time_hz = 1000000};
    struct mpj_hello hello = says;
    struct mpj_loader *l = NULL;
    struct mpj_err err;
    unsigned options;

    if (size < 1)
        return 0;
    options = data[0];
    if ((options & OTHER) != 0)
        hello.features = 1U << MPJ_FEATURE_ACK;
    if (options >= 224)
        countdown = 100; /* somebody interrupts */
    asked = 0;
    if (mpj_loader_open(&l, fuzz_board(data + 1, size - 1, &hello, options & SLOW ? 921600 : 0), &p,
                        &hello, &err) == MPJ_E_OK) {
        if (use(l, options, &err) != MPJ_E_OK && (err.code == MPJ_E_OK || err.text[0] == '\0'))
            abort();
    } else if (l != NULL || err.text[0] == '\0') {
        abort();
    }
    mpj_loader_close(l);
    return 0;
}

/* ---- what a loader says ------------------------------------------------------------------- */

static uint8_t payload[MPJ_FRAME_PAYLOAD_MAX];
static struct mpj_writer w;

static struct mpj_writer *next(void)
{
    mpj_writer_init(&w, payload, sizeof(payload));
    return &w;
}

static size_t reply(uint8_t *out, size_t cap, size_t n)
{
    return fuzz_board_say(out, cap, n, FUZZ_REPLY, payload, (size_t)(w.at - payload));
}

static size_t result(uint8_t *out, size_t cap, size_t n, uint32_t (*rng)(void))
{
    const struct mpj_loader_result r = {rng() % 4U ? MPJ_LOADER_OK : rng() % 9U, rng()};

    mpj_loader_result_put(next(), &r);
    return reply(out, cap, n);
}

static size_t states(uint8_t *out, size_t cap, size_t n, uint32_t kind, uint32_t (*rng)(void))
{
    const struct mpj_loader_progress p = {'e', kind == MPJ_LOADER_STATE ? rng() % 2U * 960U : 50,
                                          100};

    mpj_loader_progress_put(next(), kind, &p);
    return reply(out, cap, n);
}

static size_t trouble(uint8_t *out, size_t cap, size_t n, uint32_t (*rng)(void))
{
    switch (rng() % 12U) {
    case 0:
        return fuzz_board_say(out, cap, n, FUZZ_BYTES, "some text\n", 10);
    case 1:
        return fuzz_board_say(out, cap, n, FUZZ_SILENCE, payload, rng() % 700U);
    case 2:
        return fuzz_board_say(out, cap, n, FUZZ_AWAY, payload, rng() % 200U);
    case 3:
        return fuzz_board_say(out, cap, n, FUZZ_HELLO, NULL, 0);
    case 4:
        return fuzz_board_say(out, cap, n, FUZZ_ANEW, NULL, 0);
    default:
        return n;
    }
}

size_t fuzz_seed(uint8_t *out, size_t cap, uint32_t (*rng)(void))
{
    const struct mpj_loader_info info = {.version = MPJ_LOADER_VERSION - (rng() % 8U == 0),
                                         .flash_bytes = 64U << 20,
                                         .bytes = CONTENT,
                                         .slot = rng() % 3U,
                                         .name = {(const uint8_t *)"p", 1}};
    size_t n = 1;

    if (cap < 1)
        return 0;
    out[0] = (uint8_t)(rng() & (rng() % 4U ? 0x2fU : 0xffU));
    n = trouble(out, cap, n, rng);
    if ((out[0] & NO_INFO) == 0) {
        mpj_loader_info_put(next(), &info);
        n = reply(out, cap, n);
    }
    if ((out[0] & FORGET) != 0)
        n = result(out, cap, n, rng);
    n = trouble(out, cap, n, rng);
    n = states(out, cap, n, MPJ_LOADER_STATE, rng);
    n = trouble(out, cap, n, rng);
    if ((out[0] & FLASH) != 0) {
        n = states(out, cap, n, MPJ_LOADER_PROGRESS, rng);
        n = states(out, cap, n, MPJ_LOADER_PROGRESS, rng);
        n = result(out, cap, n, rng);
    }
    n = trouble(out, cap, n, rng);
    return result(out, cap, n, rng);
}

size_t fuzz_fix(uint8_t *data, size_t size, size_t cap)
{
    return size < 1 ? size : 1 + fuzz_board_fix(data + 1, size - 1, cap - 1);
}
