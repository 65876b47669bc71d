/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any bytes into the frame decoder and, what passes for a frame or not, into every
 * record reader. With clang: target fuzz_link_libfuzzer. Otherwise driver.c feeds it.
 */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "mpj_io_records.h"
#include "mpj_records.h"

/* The same of those that look at their kind. */
static void read_labelled(struct mpj_rec rec)
{
    static union {
        struct mpj_thread_rec thread;
        struct mpj_wait_rec wait;
        struct mpj_region_rec region;
        struct mpj_timeline_rec timeline;
        struct mpj_parallel_rec parallel;
        struct mpj_io_req req;
        struct mpj_io_reply reply;
    } u;

    rec.kind = MPJ_REC_THREAD;
    mpj_thread_get(&rec, &u.thread);
    rec.kind = MPJ_REC_SYNC_WAIT;
    mpj_wait_get(&rec, &u.wait);
    rec.kind = MPJ_REC_REGION;
    mpj_region_get(&rec, &u.region);
    rec.kind = MPJ_REC_PARALLEL;
    mpj_parallel_get(&rec, &u.parallel);
    rec.kind = MPJ_REC_IO_REQ;
    mpj_io_req_get(&rec, &u.req);
    rec.kind = MPJ_REC_IO_REPLY;
    mpj_io_reply_get(&rec, &u.reply);
    rec.kind = MPJ_REC_THREAD_SWITCH;
    if (mpj_timeline_get(&rec, &u.timeline) == 0) {
        uint8_t buf[MPJ_FRAME_PAYLOAD_MAX];
        struct mpj_writer w;
        mpj_writer_init(&w, buf, sizeof(buf));
        if (mpj_timeline_put(&w, &u.timeline) != MPJ_LINK_OK)
            abort();
    }
}

/* Reads one record as every kind there is: a hostile peer may label anything anything. */
static void read_record(const struct mpj_rec *rec)
{
    union {
        struct mpj_hello hello;
        struct mpj_config_rec config;
        struct mpj_go go;
        struct mpj_end end;
        struct mpj_core_rec core;
        struct mpj_chip_rec chip;
        struct mpj_fault fault;
        struct mpj_error_rec error;
        struct mpj_mark mark;
        struct mpj_run_rec run;
        struct mpj_dropped dropped;
    } u;
    static struct mpj_adc_rec adc;

    mpj_hello_get(rec, &u.hello);
    mpj_config_get(rec, &u.config);
    mpj_go_get(rec, &u.go);
    mpj_end_get(rec, &u.end);
    mpj_core_get(rec, &u.core);
    mpj_chip_get(rec, &u.chip);
    mpj_fault_get(rec, &u.fault);
    mpj_error_get(rec, &u.error);
    mpj_mark_get(rec, &u.mark);
    mpj_run_get(rec, &u.run);
    mpj_dropped_get(rec, &u.dropped);
    if (mpj_adc_get(rec, &adc) == 0) {
        /* what was read can be written, or is out of the writer's range, never a crash */
        uint8_t buf[MPJ_FRAME_PAYLOAD_MAX];
        struct mpj_writer w;
        mpj_writer_init(&w, buf, sizeof(buf));
        if (mpj_adc_put(&w, &adc) == MPJ_LINK_ERR_SPACE)
            abort();
    }
}

static void read_payload(const uint8_t *p, size_t n)
{
    struct mpj_reader r;
    struct mpj_rec rec;

    mpj_reader_init(&r, p, n);
    while (mpj_rec_next(&r, &rec) == 1) {
        read_record(&rec);
        read_labelled(rec);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct mpj_frame_decoder d;
    static uint8_t wire[MPJ_FRAME_WIRE_MAX];
    struct mpj_frame f;
    int result;
    size_t at = 0;

    mpj_frame_decoder_init(&d);
    while (at < size) {
        const size_t used = mpj_frame_decode(&d, data + at, size - at, &f, &result);
        if (used == 0 || used > size - at)
            abort();
        at += used;
        if (result > 0)
            read_payload(f.payload, f.len);
    }
    if (d.stats.bytes != size)
        abort();

    /* the same bytes as a payload: the reader must survive, the frame must come back */
    if (size > MPJ_FRAME_PAYLOAD_MAX)
        size = MPJ_FRAME_PAYLOAD_MAX;
    read_payload(data, size);
    const size_t n = mpj_frame_encode(MPJ_FRAME_DATA, 1, data, size, wire, sizeof(wire));
    if (n == 0)
        abort();
    /* a delimiter first: the bytes before may stand in the middle of a group */
    mpj_frame_decode(&d, (const uint8_t *)"", 1, &f, &result);
    if (mpj_frame_decode(&d, wire, n, &f, &result) != n || result != 1 || f.len != size ||
        (size > 0 && memcmp(f.payload, data, size) != 0))
        abort();
    return 0;
}

size_t fuzz_seed(uint8_t *out, size_t cap, uint32_t (*rng)(void))
{
    uint8_t payload[MPJ_FRAME_PAYLOAD_MAX];
    static struct mpj_adc_rec adc;
    struct mpj_core_rec core = {.core = rng() % 5, .cycles = rng(), .count = rng() % 6};
    struct mpj_fault fault = {.kind = rng() % 9, .count = rng() % MPJ_FAULT_STACK_MAX};
    struct mpj_writer w;
    size_t n = 0;

    adc.count = rng() % MPJ_ADC_BLOCK_MAX;
    adc.period = rng() % 100000U;
    for (unsigned i = 0; i < adc.count; i++)
        adc.s[i].code[i % 4] = (uint16_t)(rng() & 0xfffU);
    while (n + MPJ_FRAME_WIRE_MAX < cap) {
        mpj_writer_init(&w, payload, sizeof(payload));
        mpj_blob_put(&w, MPJ_REC_CONSOLE_OUT, "text", rng() % 5U);
        if (rng() % 2U)
            mpj_core_put(&w, &core);
        if (rng() % 2U)
            mpj_adc_put(&w, &adc);
        if (rng() % 2U)
            mpj_fault_put(&w, &fault);
        n += mpj_frame_encode((uint8_t)(1U + rng() % 3U), (uint16_t)rng(), payload,
                              (size_t)(w.at - payload), out + n, cap - n);
    }
    return n;
}
