/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any raw log into a store, its run and its views: errors, never a crash. */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "log/log.h"
#include "mpj_energy.h"
#include "mpj_report.h"
#include "mpj_store.h"

static char log_path[64], store_path[64];

static void cleanup(void)
{
    unlink(log_path);
    unlink(store_path);
}

static void energy(const char *path, FILE *null)
{
    struct mpj_energy *e = NULL;
    struct mpj_err err;

    if (mpj_energy_load(&e, path, NULL, NULL, &err) == MPJ_E_OK) {
        mpj_energy_text(e, null, &err);
        mpj_energy_json(e, null, &err);
        mpj_energy_csv(e, null, &err);
    }
    mpj_energy_free(e);
    mpj_energy_samples(path, true, null, &err);
    mpj_energy_samples(path, false, null, &err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *const logs[] = {log_path};
    struct mpj_run *run = NULL;
    struct mpj_err err;
    FILE *null;
    FILE *f;

    if (log_path[0] == '\0') {
        snprintf(log_path, sizeof(log_path), "/tmp/mpjoule-fuzz-%d.mplog", (int)getpid());
        snprintf(store_path, sizeof(store_path), "/tmp/mpjoule-fuzz-%d.mpj", (int)getpid());
        atexit(cleanup);
    }
    f = fopen(log_path, "wb");
    if (f == NULL)
        abort();
    /* a good header most of the time: what follows it is the larger part */
    if (size % 8 != 0)
        fwrite(MPJ_LOG_MAGIC "\x01\0\x10\0\0\0\0", 1, MPJ_LOG_HEADER_SIZE, f);
    fwrite(data, 1, size, f);
    fclose(f);
    /* a recording is read as far as it goes, and from the store */
    null = fopen("/dev/null", "w");
    energy(log_path, null);
    fclose(null);
    if (mpj_store_build(store_path, logs, 1, NULL, &err) != MPJ_E_OK)
        return 0;
    if (mpj_run_load(&run, store_path, &err) != MPJ_E_OK)
        return 0; /* a truth that is no JSON, for instance */
    null = fopen("/dev/null", "w");
    mpj_report_text(run, MPJ_VIEW_SUMMARY, null, &err);
    mpj_report_text(run, "cores", null, &err);
    mpj_report_json(run, null, &err);
    energy(store_path, null);
    fclose(null);
    mpj_run_free(run);
    return 0;
}

size_t fuzz_seed(uint8_t *out, size_t cap, uint32_t (*rng)(void))
{
    uint8_t payload[MPJ_FRAME_PAYLOAD_MAX];
    const struct mpj_hello hello = {.cores = rng() % 6U, .clock_hz = rng(), .time_hz = rng() % 3U};
    const struct mpj_run_rec run = {rng() % 1000U, 15, 10};
    const struct mpj_run_rec last = {rng() % 5000U, 15, 10};
    const struct mpj_core_rec core = {.core = rng() % 5U,
                                      .cycles = rng(),
                                      .wfi_cycles = rng(),
                                      .flags = rng() % 8U,
                                      .count = 2,
                                      .ev = {{rng() % 30U, rng(), rng() % 2000U}, {8, rng(), 0}}};
    static struct mpj_adc_rec adc;
    const struct mpj_end end = {.reason = rng() % 5U};
    const struct mpj_mark mark = {.time = rng() % 5000U,
                                  .name = {(const uint8_t *)"phase", rng() % 6U},
                                  .value = 1 + rng() % 3U,
                                  .origin = rng() % 2U};
    struct mpj_writer w;
    size_t n = 0;

    adc.count = 3;
    for (unsigned i = 0; i < 3; i++)
        adc.s[i].time = rng() % 5000U;
    for (unsigned step = 0; step < 12 && n + MPJ_FRAME_WIRE_MAX < cap; step++) {
        uint8_t type = MPJ_FRAME_DATA;
        mpj_writer_init(&w, payload, sizeof(payload));
        switch (step) {
        case 0:
            type = MPJ_FRAME_HELLO;
            mpj_hello_put(&w, &hello);
            break;
        case 1:
            mpj_run_put(&w, MPJ_REC_RUN_BEGIN, &run);
            break;
        case 2:
            mpj_core_put(&w, &core);
            break;
        case 3:
            mpj_adc_put(&w, &adc);
            break;
        case 4:
            mpj_run_put(&w, MPJ_REC_RUN_END, &last);
            break;
        case 5:
            type = MPJ_FRAME_END;
            mpj_end_put(&w, &end);
            break;
        case 6:
            type = MPJ_LOG_META;
            mpj_put_bytes(&w, "target", 6);
            mpj_put_bytes(&w, "sim", 3);
            break;
        case 7:
            type = MPJ_LOG_TRUTH;
            mpj_put_raw(&w, "{\"schema\":\"mpjoule-truth/1\",\"windows\":1}", 41);
            break;
        case 8:
        case 9:
            mpj_mark_put(&w, &mark);
            break;
        case 10:
            type = MPJ_LOG_LABEL;
            mpj_put_varint(&w, 1);
            mpj_put_bytes(&w, "label", 5);
            break;
        default:
            type = MPJ_LOG_CLOSE;
            mpj_put_signed(&w, -(int64_t)(rng() % 20U));
            mpj_put_bytes(&w, "text", 4);
        }
        n += mpj_frame_encode(type, (uint16_t)step, payload, (size_t)(w.at - payload), out + n,
                              cap - n);
    }
    return n;
}
