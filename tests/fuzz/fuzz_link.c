/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any bytes into the frame decoder and, what passes for a frame or not, into every record reader.
 * What was read is written, and what was written whole can be read again.
 */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "fuzz_frames.h"
#include "mpj_adapt_records.h"
#include "mpj_io_records.h"
#include "mpj_machine_record.h"
#include "mpj_records.h"
#include "mpj_stack_records.h"
#include "mpj_trace_records.h"

/* Reads a record as one of a kind, whatever it is: a hostile peer may label anything anything. */
#define AGAIN(kind_, type, get, put)                                                               \
    do {                                                                                           \
        static struct type first, second;                                                          \
        uint8_t buf[MPJ_FRAME_PAYLOAD_MAX];                                                        \
        struct mpj_writer w;                                                                       \
        struct mpj_reader r;                                                                       \
        struct mpj_rec rec = *any;                                                                 \
        rec.kind = (kind_);                                                                        \
        mpj_writer_init(&w, buf, sizeof(buf));                                                     \
        if (get(&rec, &first) == MPJ_LINK_OK && put == MPJ_LINK_OK) {                              \
            mpj_reader_init(&r, buf, (size_t)(w.at - buf));                                        \
            if (mpj_rec_next(&r, &rec) != 1 || rec.kind != (kind_) || r.at != r.end ||             \
                get(&rec, &second) != MPJ_LINK_OK)                                                 \
                abort();                                                                           \
        }                                                                                          \
    } while (0)

static void read_session(const struct mpj_rec *any)
{
    AGAIN(MPJ_REC_HELLO, mpj_hello, mpj_hello_get, mpj_hello_put(&w, &first));
    AGAIN(MPJ_REC_CONFIG, mpj_config_rec, mpj_config_get, mpj_config_put(&w, &first));
    AGAIN(MPJ_REC_ROTATION, mpj_rotation_rec, mpj_rotation_get, mpj_rotation_put(&w, &first));
    AGAIN(MPJ_REC_TRACE, mpj_trace_config, mpj_trace_config_get, mpj_trace_config_put(&w, &first));
    AGAIN(MPJ_REC_MACHINE, tile_machine, mpj_machine_get, mpj_machine_put(&w, &first));
    AGAIN(MPJ_REC_GO, mpj_go, mpj_go_get, mpj_go_put(&w, &first));
    AGAIN(MPJ_REC_END, mpj_end, mpj_end_get, mpj_end_put(&w, &first));
    AGAIN(MPJ_REC_IO_REQ, mpj_io_req, mpj_io_req_get, mpj_io_req_put(&w, &first));
    AGAIN(MPJ_REC_IO_REPLY, mpj_io_reply, mpj_io_reply_get, mpj_io_reply_put(&w, &first));
}

static bool count_word(void *ctx, uint32_t address, uint32_t value)
{
    unsigned *const left = ctx;

    (void)address;
    (void)value;
    return --*left > 0;
}

static void read_stack(const struct mpj_rec *any)
{
    struct mpj_stack_rec s;
    unsigned left = 100000;

    if (any->kind == MPJ_REC_FAULT_STACK && mpj_stack_get(any, &s) == MPJ_LINK_OK)
        (void)mpj_stack_words(&s, count_word, &left);
}

static void read_run(const struct mpj_rec *any)
{
    AGAIN(MPJ_REC_CORE, mpj_core_rec, mpj_core_get, mpj_core_put(&w, &first));
    AGAIN(MPJ_REC_SCU, mpj_chip_rec, mpj_chip_get, mpj_chip_put(&w, MPJ_REC_SCU, &first));
    AGAIN(MPJ_REC_ADC, mpj_adc_rec, mpj_adc_get, mpj_adc_put(&w, &first));
    AGAIN(MPJ_REC_FAULT, mpj_fault, mpj_fault_get, mpj_fault_put(&w, &first));
    AGAIN(MPJ_REC_FAULT_STACK, mpj_stack_rec, mpj_stack_get, mpj_stack_put(&w, &first));
    read_stack(any);
    AGAIN(MPJ_REC_ERROR, mpj_error_rec, mpj_error_get, mpj_error_put(&w, &first));
    AGAIN(MPJ_REC_MARK, mpj_mark, mpj_mark_get, mpj_mark_put(&w, &first));
    AGAIN(MPJ_REC_RUN_END, mpj_run_rec, mpj_run_get, mpj_run_put(&w, MPJ_REC_RUN_END, &first));
    AGAIN(MPJ_REC_DROPPED, mpj_dropped, mpj_dropped_get, mpj_dropped_put(&w, &first));
}

static void read_threads(const struct mpj_rec *any)
{
    AGAIN(MPJ_REC_THREAD, mpj_thread_rec, mpj_thread_get, mpj_thread_put(&w, &first));
    AGAIN(MPJ_REC_SYNC_WAIT, mpj_wait_rec, mpj_wait_get, mpj_wait_put(&w, &first));
    AGAIN(MPJ_REC_REGION, mpj_region_rec, mpj_region_get, mpj_region_put(&w, &first));
    AGAIN(MPJ_REC_THREAD_SWITCH, mpj_timeline_rec, mpj_timeline_get, mpj_timeline_put(&w, &first));
    AGAIN(MPJ_REC_PARALLEL, mpj_parallel_rec, mpj_parallel_get, mpj_parallel_put(&w, &first));
    AGAIN(MPJ_REC_ADAPT, mpj_adapt_rec, mpj_adapt_get, mpj_adapt_put(&w, &first));
    AGAIN(MPJ_REC_SPREAD, mpj_spread_rec, mpj_spread_get, mpj_spread_put(&w, &first));
    AGAIN(MPJ_REC_MOMENTS, mpj_moments_rec, mpj_moments_get, mpj_moments_put(&w, &first));
    AGAIN(MPJ_REC_FUNCTION, mpj_function_rec, mpj_function_get, mpj_function_put(&w, &first));
    AGAIN(MPJ_REC_FUNC_GROUPS, mpj_func_groups_rec, mpj_func_groups_get,
          mpj_func_groups_put(&w, &first));
}

static void read_payload(const uint8_t *p, size_t n)
{
    struct mpj_reader r;
    struct mpj_rec rec;

    mpj_reader_init(&r, p, n);
    while (mpj_rec_next(&r, &rec) == 1) {
        uint8_t buf[64];
        struct mpj_writer w;

        read_session(&rec);
        read_run(&rec);
        read_threads(&rec);
        /* bodies that are just bytes, as much as there is room for */
        mpj_writer_init(&w, buf, sizeof(buf));
        if (mpj_blob_put_some(&w, rec.kind, rec.body, rec.len) > rec.len)
            abort();
        (void)mpj_blob_put(&w, rec.kind, rec.body, rec.len);
        (void)mpj_fault_name(rec.kind % 16U);
        (void)mpj_target_strerror(rec.kind % 16U);
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
        if (strchr(mpj_link_strerror(result), '\n') != NULL)
            abort();
        if (result > 0) {
            (void)mpj_frame_sequenced(f.type);
            read_payload(f.payload, f.len);
        }
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
    static const uint8_t words[] = {0x00, 0x82, 0x01, 0x05, 0x07, 0x0a, 0x20};
    const struct mpj_stack_rec stack = {0x1000, 0x1200, {words, sizeof(words)}};
    static const struct tile_machine machine = {
        .name = "b",
        .chip = "c",
        .cores = 1,
        .rams = 1,
        .ram = {{0, 0x100000}},
        .time = {0, TILE_TIME_HZ_MIN, TILE_TIME_BITS_MIN, 1},
        .powers = 1,
        .power = {{TILE_QUANTITY_POWER, 1, 16, "p", "f"}},
    };
    struct mpj_writer w;
    size_t n = 0;

    adc.count = rng() % MPJ_ADC_BLOCK_MAX;
    adc.period = rng() % 100000U;
    for (unsigned i = 0; i < adc.count; i++)
        adc.s[i].code[i % 4] = (uint16_t)(rng() & 0xfffU);
    while (n + MPJ_FRAME_WIRE_MAX < cap) {
        mpj_writer_init(&w, payload, sizeof(payload));
        mpj_blob_put(&w, MPJ_REC_CONSOLE_OUT, "text", rng() % 5U);
        if (rng() % 4U == 0)
            mpj_machine_put(&w, &machine);
        if (rng() % 2U)
            mpj_core_put(&w, &core);
        if (rng() % 2U)
            mpj_adc_put(&w, &adc);
        if (rng() % 2U)
            mpj_fault_put(&w, &fault);
        if (rng() % 2U)
            mpj_stack_put(&w, &stack);
        n += mpj_frame_encode(rng() % 4U == 0 ? MPJ_FRAME_PART : (uint8_t)(1U + rng() % 3U),
                              (uint16_t)rng(), payload, (size_t)(w.at - payload), out + n, cap - n);
    }
    return n;
}

size_t fuzz_fix(uint8_t *data, size_t size, size_t cap)
{
    return fuzz_fix_frames(data, size, cap);
}
