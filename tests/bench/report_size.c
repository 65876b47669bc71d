/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From large logs to reports: time and memory per record.
 * usage: report-size [--check] [regions samples threads marks]   (default 100000 1000000 100000
 * 200000)
 * --check: only that the work is linear: a log of eight times the records may take twenty-four
 * times as long, not sixty-four.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "log/log.h"
#include "mpj_energy.h"
#include "mpj_report.h"
#include "mpj_store.h"

#define GROWTH      8U
#define MOST_GROWTH 16.0
#define LEAST_S     0.02 /* shorter times tell nothing */

enum kind { REGIONS, SAMPLES, THREADS, MARKS, KINDS };

static const char *const names[KINDS] = {"regions", "samples", "threads", "marks"};
static char log_path[64], store_path[64];
static struct mpj_err err;
static uint8_t payload[MPJ_FRAME_PAYLOAD_MAX];
static struct mpj_log *out;
static struct mpj_writer w;
static uint16_t seq;

static void must(int result)
{
    if (result != MPJ_E_OK) {
        fprintf(stderr, "report-size: %s\n", err.text);
        exit(1);
    }
}

static void clean_up(void)
{
    unlink(log_path);
    unlink(store_path);
}

static struct mpj_writer *next(void)
{
    mpj_writer_init(&w, payload, sizeof(payload));
    return &w;
}

static void send(uint8_t type)
{
    must(mpj_log_frame(out, type, seq++, payload, (size_t)(w.at - payload), &err));
}

/* Record i of n, each of another construct, thread or moment of a run of n ms. */
static void put(enum kind kind, uint32_t i)
{
    char name[16];
    const int len = snprintf(name, sizeof(name), "n%u", i);
    struct mpj_region_rec g = {.fn = 0x8000 + 4 * i,
                               .thread = 1 + i % 4,
                               .size = 4,
                               .calls = 1,
                               .wall = 9,
                               .run = 8,
                               .cycles = 1000,
                               .count = 1,
                               .ev = {{8, 100, 8}}};
    struct mpj_thread_rec t = {.id = 2 + i,
                               .parent = 1,
                               .entry = 0x8000,
                               .created = 1000 + i,
                               .ended = 2000 + i,
                               .run = 500,
                               .cycles = 1000,
                               .count = 2,
                               .ev = {{8, 100, 500}, {9, 50, 500}},
                               .name = {(const uint8_t *)name, (size_t)len}};
    const struct mpj_mark m = {
        .time = 1000 * (i + 1U), .thread = 1, .name = {(const uint8_t *)name, (size_t)len}};
    static struct mpj_adc_rec a;

    switch (kind) {
    case REGIONS:
        mpj_region_put(next(), &g);
        break;
    case THREADS:
        mpj_thread_put(next(), &t);
        break;
    case MARKS:
        mpj_mark_put(next(), &m);
        break;
    default:
        a = (struct mpj_adc_rec){.first = i, .period = 1000, .count = 1};
        a.s[0].time = 1000 * (i + 1ULL);
        for (unsigned c = 0; c < MPJ_ADC_CHANNELS; c++)
            a.s[0].code[c] = (uint16_t)(2000 + i % 7);
        mpj_adc_put(next(), &a);
    }
    send(MPJ_FRAME_DATA);
}

static void make_log(enum kind kind, uint32_t n)
{
    const struct mpj_hello hello = {
        .protocol = 1, .abi = 1, .cores = 4, .clock_hz = 210000000, .time_hz = 1000000};
    const struct mpj_run_rec begin = {1000, 15, 1000};
    const struct mpj_run_rec last = {1000 * (n + 2ULL), 15, 1000};
    const struct mpj_thread_rec t = {
        .id = 1, .flags = MPJ_THREAD_MAIN, .created = 1000, .ended = last.time, .run = 100};
    const struct mpj_end end = {.time = last.time};

    seq = 0;
    must(mpj_log_create(&out, log_path, &err));
    must(mpj_log_place(out, &err)); /* or the log before it would stay */
    mpj_hello_put(next(), &hello);
    must(mpj_log_frame(out, MPJ_FRAME_HELLO, 0, payload, (size_t)(w.at - payload), &err));
    mpj_run_put(next(), MPJ_REC_RUN_BEGIN, &begin);
    send(MPJ_FRAME_DATA);
    mpj_thread_put(next(), &t);
    send(MPJ_FRAME_DATA);
    for (uint32_t i = 0; i < n; i++)
        put(kind, i);
    mpj_run_put(next(), MPJ_REC_RUN_END, &last);
    send(MPJ_FRAME_DATA);
    mpj_end_put(next(), &end);
    send(MPJ_FRAME_END);
    must(mpj_log_close(out, MPJ_E_OK, "", &err));
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* All that a command may do with the log; seconds. */
static double work(enum kind kind, uint32_t n, bool show)
{
    static const char *const views[] = {"summary", "threads", "regions", "sync"};
    const char *const logs[] = {log_path};
    struct mpj_energy *e = NULL;
    struct mpj_run *run = NULL;
    FILE *const null = fopen("/dev/null", "w");
    double from;
    double at[5];

    if (null == NULL)
        exit(1);
    make_log(kind, n);
    from = now();
    must(mpj_store_build(store_path, logs, 1, NULL, &err));
    at[0] = now();
    must(mpj_run_load(&run, store_path, &err));
    at[1] = now();
    for (size_t i = 0; i < sizeof(views) / sizeof(views[0]); i++)
        must(mpj_report_text(run, views[i], null, &err));
    at[2] = now();
    must(mpj_report_json(run, null, &err));
    mpj_run_free(run);
    at[3] = now();
    if (kind == SAMPLES || kind == MARKS) {
        must(mpj_energy_load(&e, log_path, NULL, NULL, &err));
        must(mpj_energy_text(e, null, &err));
        must(mpj_energy_json(e, null, &err));
        mpj_energy_free(e);
    }
    at[4] = now();
    fclose(null);
    if (show) {
        struct rusage used;
        getrusage(RUSAGE_SELF, &used);
        printf(
            "%-8s%9u: store %.2f s, read %.2f s, text %.2f s, JSON %.2f s, energy %.2f s; %.0f MB "
            "at most\n",
            names[kind], n, at[0] - from, at[1] - at[0], at[2] - at[1], at[3] - at[2],
            at[4] - at[3], (double)used.ru_maxrss / 1024.0);
        fflush(stdout);
    }
    return at[4] - from;
}

int main(int argc, char **argv)
{
    const bool check = argc > 1 && strcmp(argv[1], "--check") == 0;
    uint32_t count[KINDS] = {100000, 1000000, 100000, 200000};
    int result = 0;

    snprintf(log_path, sizeof(log_path), "/tmp/mpjoule-bench-%d.mplog", (int)getpid());
    snprintf(store_path, sizeof(store_path), "/tmp/mpjoule-bench-%d.mpj", (int)getpid());
    atexit(clean_up);
    for (int i = 1; !check && i < argc && i <= KINDS; i++)
        count[i - 1] = (uint32_t)strtoul(argv[i], NULL, 10);
    for (enum kind k = 0; k < KINDS; k++) {
        if (check) {
            const double little = work(k, 1000, false);
            const double much = work(k, 1000 * GROWTH, false);
            const double growth = much / (little > LEAST_S ? little : LEAST_S);
            printf("%s: %.1f times the time for %u times the records\n", names[k], growth, GROWTH);
            result |= growth > MOST_GROWTH;
        } else if (count[k] > 0) {
            const pid_t child = fork(); /* its memory is this kind's alone */
            int status = 1;
            if (child == 0) {
                work(k, count[k], true);
                _exit(0);
            }
            waitpid(child, &status, 0);
            result |= status != 0;
        }
    }
    return result;
}
