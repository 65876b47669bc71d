/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How fast the host takes a link apart: frames of ADC and counter records as a target sends them,
 * decoded to samples and counts. Prints MB/s, and how that compares to copying the same bytes.
 * usage: link-decode [--least MB_PER_S] [--seconds S]   (exit status 1 below the least)
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "mpj_records.h"

#define STREAM (32U << 20)

static uint8_t *stream;
static size_t stream_len;
static uint64_t samples_made, counters_made;

static double now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Records into frames as the firmware does: a frame goes out when the next record does not fit. */
static void flush(struct mpj_writer *w, uint8_t *payload, uint16_t *seq)
{
    stream_len += mpj_frame_encode(MPJ_FRAME_DATA, (*seq)++, payload, (size_t)(w->at - payload),
                                   stream + stream_len, MPJ_FRAME_WIRE_MAX);
    mpj_writer_init(w, payload, MPJ_FRAME_PAYLOAD_MAX);
}

static void make(void)
{
    static struct mpj_adc_rec adc;
    struct mpj_core_rec core = {.count = 2};
    uint8_t payload[MPJ_FRAME_PAYLOAD_MAX];
    struct mpj_writer w;
    uint16_t seq = 0;
    uint32_t noise = 1;

    stream = malloc(STREAM + 2U * MPJ_FRAME_WIRE_MAX);
    if (stream == NULL)
        exit(2);
    mpj_writer_init(&w, payload, sizeof(payload));
    adc.period = 24000;
    while (stream_len < STREAM) {
        adc.count = MPJ_ADC_BLOCK_MAX;
        for (uint32_t i = 0; i < adc.count; i++) {
            for (unsigned k = 0; k < MPJ_ADC_CHANNELS; k++) {
                noise = noise * 1664525U + 1013904223U;
                adc.s[i].code[k] = (uint16_t)(2000U + (noise >> 28));
            }
            adc.s[i].time = (adc.first + i) * adc.period + (noise >> 27);
        }
        if (mpj_adc_put(&w, &adc) != MPJ_LINK_OK) {
            flush(&w, payload, &seq);
            (void)mpj_adc_put(&w, &adc);
        }
        adc.first += adc.count;
        samples_made += adc.count;
        core.core = (core.core + 1U) % MPJ_CORES_MAX;
        core.time = adc.first * adc.period;
        core.cycles = core.time * 9U;
        core.ev[0] = (struct mpj_event_value){MPJ_EVENT_INSTR, core.cycles / 2U, core.time};
        core.ev[1] = (struct mpj_event_value){MPJ_EVENT_DDEP_STALL, core.cycles / 7U, core.time};
        if (mpj_core_put(&w, &core) != MPJ_LINK_OK) {
            flush(&w, payload, &seq);
            (void)mpj_core_put(&w, &core);
        }
        counters_made++;
    }
    flush(&w, payload, &seq);
}

static void decode(void)
{
    static struct mpj_frame_decoder d;
    static struct mpj_adc_rec adc;
    struct mpj_core_rec core;
    uint64_t samples = 0;
    uint64_t counters = 0;
    const uint8_t *p = stream;
    size_t left = stream_len;

    mpj_frame_decoder_init(&d);
    while (left > 0) {
        struct mpj_frame f;
        struct mpj_reader r;
        struct mpj_rec rec;
        int found;
        const size_t used = mpj_frame_decode(&d, p, left < 65536 ? left : 65536, &f, &found);
        p += used;
        left -= used;
        if (found != 1)
            continue;
        mpj_reader_init(&r, f.payload, f.len);
        while (mpj_rec_next(&r, &rec) == 1) {
            if (rec.kind == MPJ_REC_ADC && mpj_adc_get(&rec, &adc) == MPJ_LINK_OK)
                samples += adc.count;
            else if (rec.kind == MPJ_REC_CORE && mpj_core_get(&rec, &core) == MPJ_LINK_OK)
                counters++;
        }
    }
    if (samples != samples_made || counters != counters_made) {
        fprintf(stderr, "link-decode: decoded something else than was made\n");
        exit(2);
    }
}

int main(int argc, char **argv)
{
    static const struct option known[] = {{"least", 1, NULL, 'l'}, {"seconds", 1, NULL, 's'}, {0}};
    double least = 0;
    double seconds = 2;
    double begun;
    double copy = 0;
    double rate = 0;
    uint8_t *other;
    int c;

    while ((c = getopt_long(argc, argv, "", known, NULL)) != -1) {
        if (c == 'l')
            least = strtod(optarg, NULL);
        else if (c == 's')
            seconds = strtod(optarg, NULL);
        else
            return 2;
    }
    make();
    other = malloc(stream_len);
    if (other == NULL)
        return 2;
    /* the best of several: what else the machine does is not the question */
    begun = now_s();
    do {
        double t = now_s();
        memcpy(other, stream, stream_len);
        __asm__ volatile("" : : "r"(other) : "memory");
        t = (double)stream_len / 1e6 / (now_s() - t);
        copy = t > copy ? t : copy;
        t = now_s();
        decode();
        t = (double)stream_len / 1e6 / (now_s() - t);
        rate = t > rate ? t : rate;
    } while (now_s() - begun < seconds);
    printf("link-decode: %.0f MB/s (%.1f million samples/s), memcpy %.0f MB/s, ratio %.3f\n", rate,
           rate * 1e6 / (double)stream_len * (double)samples_made / 1e6, copy, rate / copy);
    free(other);
    free(stream);
    return rate < least;
}
