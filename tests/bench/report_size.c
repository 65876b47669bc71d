/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From large logs to reports: time and memory per record, the latter for each view and format by
 * itself.
 * usage: report-size [--check | --limit] [regions samples threads marks]   (default 100000 1000000
 * 100000 200000)
 * --check: only that the work is linear: a log of eight times the records may take sixteen times as
 * long, not sixty-four; the best of three, as what else the machine does only adds to it.
 * --limit: only that every view of LIMIT_N regions, threads, samples and marks takes at most
 * LIMIT_MB more than of one. Regions and threads once took 2.6 KB a record to load and twice that
 * to write as JSON. Resident memory: a limit of addresses and the sanitizers' shadow do not go
 * together.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "log/log.h"
#include "report/energy.h"
#include "report/report.h"
#include "report/store.h"

#define GROWTH      8U
#define MOST_GROWTH 16.0
#define LEAST_S     0.02 /* shorter times tell nothing */
#define TRIES       3U
#define BINS        128U /* of a thread in a timeline, a millisecond each */

#define LIMIT_N     8000U
#define LIMIT_MB    12U /* the share of 8,000 in the 150 MB that a hundred thousand may take */

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
    const struct mpj_timeline_rec line = {
        .thread = t.id, .first = BINS - 1U, .width = 1000, .count = 1, .bin = {{.run = 500}}};
    const struct mpj_mark m = {
        .time = 1000 * (i + 1U), .thread = 1, .name = {(const uint8_t *)name, (size_t)len}};
    static struct mpj_adc_rec a;

    switch (kind) {
    case REGIONS:
        mpj_region_put(next(), &g);
        break;
    case THREADS:
        mpj_thread_put(next(), &t);
        send(MPJ_FRAME_DATA);
        mpj_timeline_put(next(), &line); /* the last: what came before is nothing */
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
    const struct mpj_run_rec begin = {.time = 1000, .cores_mask = 15, .adc_period_us = 1000};
    const uint32_t ms = n > BINS ? n : BINS;
    const struct mpj_run_rec last = {
        .time = 1000 * (ms + 2ULL), .cores_mask = 15, .adc_period_us = 1000};
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

static FILE *nowhere(void)
{
    FILE *const null = fopen("/dev/null", "w");

    if (null == NULL)
        exit(1);
    return null;
}

/* All that a command may do with the log; seconds. */
static double work(enum kind kind, uint32_t n, bool show)
{
    static const char *const views[] = {"summary", "threads", "regions", "sync"};
    const char *const logs[] = {log_path};
    struct mpj_energy *e = NULL;
    struct mpj_run *run = NULL;
    FILE *const null = nowhere();
    double from;
    double at[5];

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
        printf("%-8s%9u: store %.2f s, read %.2f s, text %.2f s, JSON %.2f s, energy %.2f s\n",
               names[kind], n, at[0] - from, at[1] - at[0], at[2] - at[1], at[3] - at[2],
               at[4] - at[3]);
        fflush(stdout);
    }
    return at[4] - from;
}

/* ---- memory ---- */

/* A job in a process of its own, whose memory is this job's alone: the most of it, in MB. */
static double memory_of(void (*job)(const void *), const void *with)
{
    struct rusage used;
    int status = 1;
    pid_t child;

    fflush(stdout);
    child = fork();
    if (child == 0) {
        job(with);
        _exit(0);
    }
    if (wait4(child, &status, 0, &used) != child || status != 0)
        exit(1);
    return (double)used.ru_maxrss / 1024.0;
}

struct showing {
    const char *view, *format;
};

static void show(const void *with)
{
    const struct showing *const s = with;
    struct mpj_report r = {.view = mpj_view_find(s->view, &err), .file = log_path, .top = -1};
    const struct mpj_exporter *const as = mpj_exporter_find(s->format, &err);
    struct mpj_run *run = NULL;

    if (r.view == NULL || as == NULL)
        must(err.code);
    if (r.view->needs == MPJ_NEEDS_RUN) {
        must(mpj_run_load(&run, store_path, &err));
        r.run = run;
    }
    must(mpj_report_show(&r, as, nowhere(), &err));
    mpj_run_free(run);
}

struct records {
    enum kind kind;
    uint32_t n;
};

static void build(const void *with)
{
    const struct records *const r = with;
    const char *const logs[] = {log_path};

    make_log(r->kind, r->n);
    must(mpj_store_build(store_path, logs, 1, NULL, &err));
}

static const struct showing showings[] = {
    {"summary", "text"}, {"cores", "text"},   {"threads", "text"}, {"threads", "csv"},
    {"sync", "text"},    {"regions", "text"}, {"regions", "csv"},  {"timeline", "text"},
    {"timeline", "csv"}, {"summary", "json"}, {"energy", "text"},  {"energy", "csv"},
    {"energy", "json"},  {"samples", "csv"},  {"samples", "json"},
};
#define SHOWINGS (sizeof(showings) / sizeof(showings[0]))

/* The most memory of the store, and of each view; [SHOWINGS] is the store's. */
static void measure(enum kind kind, uint32_t n, double mb[SHOWINGS + 1U])
{
    const struct records r = {kind, n};

    mb[SHOWINGS] = memory_of(build, &r);
    for (size_t i = 0; i < SHOWINGS; i++)
        mb[i] = memory_of(show, &showings[i]);
}

/* How many times as long GROWTH times the records take. */
static double growth_of(enum kind kind)
{
    const double little = work(kind, 1000, false);
    double growth = 0;

    for (unsigned i = 0; i < TRIES && (i == 0 || growth > MOST_GROWTH); i++) {
        const double much = work(kind, 1000 * GROWTH, false);
        const double found = much / (little > LEAST_S ? little : LEAST_S);
        growth = i == 0 || found < growth ? found : growth;
    }
    return growth;
}

static const char *column(size_t i, char text[40])
{
    if (i == SHOWINGS)
        return "store";
    snprintf(text, 40, "%s %s", showings[i].view, showings[i].format);
    return text;
}

static void print_memory(enum kind kind, uint32_t n)
{
    double mb[SHOWINGS + 1U];
    char text[40];

    measure(kind, n, mb);
    printf("%-8s%9u: MB at most:", names[kind], n);
    for (size_t i = 0; i <= SHOWINGS; i++)
        printf("%s %s %.0f", i > 0 ? "," : "", column(i, text), mb[i]);
    printf("\n");
}

/* What records take beyond a log with one. */
static int limit(enum kind kind)
{
    double few[SHOWINGS + 1U];
    double many[SHOWINGS + 1U];
    double most = 0;
    char text[40];
    int result = 0;

    measure(kind, 1, few);
    measure(kind, LIMIT_N, many);
    for (size_t i = 0; i <= SHOWINGS; i++) {
        const double mb = many[i] - few[i];
        most = mb > most ? mb : most;
        if (mb > LIMIT_MB) {
            printf("%s of %u %s: %.0f MB more than of one, at most %u may be\n", column(i, text),
                   LIMIT_N, names[kind], mb, LIMIT_MB);
            result = 1;
        }
    }
    printf("%s: %.0f MB for %u\n", names[kind], most, LIMIT_N);
    return result;
}

int main(int argc, char **argv)
{
    const bool check = argc > 1 && strcmp(argv[1], "--check") == 0;
    const bool limits = argc > 1 && strcmp(argv[1], "--limit") == 0;
    uint32_t count[KINDS] = {100000, 1000000, 100000, 200000};
    int result = 0;

    snprintf(log_path, sizeof(log_path), "/tmp/mpjoule-bench-%d.mplog", (int)getpid());
    snprintf(store_path, sizeof(store_path), "/tmp/mpjoule-bench-%d.mpj", (int)getpid());
    atexit(clean_up);
    for (int i = 1; !check && !limits && i < argc && i <= KINDS; i++)
        count[i - 1] = (uint32_t)strtoul(argv[i], NULL, 10);
    for (enum kind k = 0; k < KINDS; k++) {
        if (check) {
            const double growth = growth_of(k);
            printf("%s: %.1f times the time for %u times the records\n", names[k], growth, GROWTH);
            result |= growth > MOST_GROWTH;
        } else if (limits) {
            result |= limit(k);
        } else if (count[k] > 0) {
            print_memory(k, count[k]);
            work(k, count[k], true);
        }
    }
    return result;
}
