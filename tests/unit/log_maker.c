/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "log_maker.h"
#include "mpj_machine_record.h"

static struct mpj_err err;
static struct mpj_log *out;
static uint8_t payload[MPJ_FRAME_PAYLOAD_MAX];
static struct mpj_writer writer;
static uint16_t seq;

void log_begin(const char *path, const char *target, uint64_t begin)
{
    log_begin_on(path, target, begin, 4, NULL);
}

void log_begin_on(const char *path, const char *target, uint64_t begin, uint32_t cores,
                  const struct tile_machine *m)
{
    const struct mpj_hello hello = {
        .protocol = 1, .abi = 1, .cores = cores, .clock_hz = 210000000, .time_hz = LOG_HZ};
    const struct mpj_run_rec run = {
        .time = begin, .cores_mask = (1U << cores) - 1U, .adc_period_us = LOG_PERIOD};

    seq = 0;
    assert_int_equal(mpj_log_create(&out, path, &err), 0);
    assert_int_equal(mpj_log_place(out, &err), 0);
    log_meta("target", target);
    mpj_hello_put(log_payload(), &hello);
    log_frame(MPJ_FRAME_HELLO);
    if (m != NULL)
        log_data(mpj_machine_put(log_payload(), m));
    log_data(mpj_run_put(log_payload(), MPJ_REC_RUN_BEGIN, &run));
}

void log_meta(const char *key, const char *value)
{
    assert_int_equal(mpj_log_meta(out, key, value, &err), 0);
}

struct mpj_writer *log_payload(void)
{
    mpj_writer_init(&writer, payload, sizeof(payload));
    return &writer;
}

void log_frame(uint8_t type)
{
    const bool numbered = type == MPJ_FRAME_DATA || type == MPJ_FRAME_END;
    const size_t len = (size_t)(writer.at - payload);

    assert_int_equal(mpj_log_frame(out, type, numbered ? seq++ : 0, payload, len, &err), 0);
}

void log_data(int fitted)
{
    assert_int_equal(fitted, 0);
    log_frame(MPJ_FRAME_DATA);
}

void log_skip(uint16_t frames)
{
    seq = (uint16_t)(seq + frames);
}

void log_sample_all(uint64_t index, uint64_t time, const uint16_t code[MPJ_ADC_CHANNELS])
{
    static struct mpj_adc_rec a;

    a = (struct mpj_adc_rec){.first = index, .period = LOG_PERIOD, .count = 1};
    a.s[0].time = time;
    for (unsigned c = 0; c < MPJ_ADC_CHANNELS; c++)
        a.s[0].code[c] = code[c];
    log_data(mpj_adc_put(log_payload(), &a));
}

void log_sample(uint64_t index, uint64_t time, uint16_t cpu_v, uint16_t cpu_i)
{
    const uint16_t code[MPJ_ADC_CHANNELS] = {[MPJ_ADC_CPU_V] = cpu_v, [MPJ_ADC_CPU_I] = cpu_i};

    log_sample_all(index, time, code);
}

void log_end(uint64_t time, int exit_status)
{
    const struct mpj_run_rec run = {.time = time, .cores_mask = 15, .adc_period_us = LOG_PERIOD};
    const struct mpj_end end = {.exit_status = exit_status, .time = time};

    log_data(mpj_run_put(log_payload(), MPJ_REC_RUN_END, &run));
    mpj_end_put(log_payload(), &end);
    log_frame(MPJ_FRAME_END);
    assert_int_equal(mpj_log_close(out, MPJ_E_OK, "", &err), 0);
}
