/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stands in for the emulator and the firmware in it: takes the same arguments, speaks the
 * link, and misbehaves as the environment variable MPJ_FAKE says. What it counts is made up:
 * event E of core K has 1000 * (E + 1) + K, an SCU or L2 event 500 + E; the ADC shows
 * constant codes, the run takes 0.1 s at 24 MHz ticks and 210 MHz.
 */
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "mpj_machine_record.h"
#include "mpj_records.h"

#define TIME_HZ  24000000U
#define BEGIN    1000000U
#define LENGTH   2400000U /* ticks of the run: 0.1 s */
#define ARGS_MAX 16

static const char *scenario = "ok";
static const char *truth_path;
static int line;
static unsigned cores = 4;
static uint16_t next_seq;
static uint64_t records;
static struct mpj_config_rec config;
static char args[ARGS_MAX][64];
static unsigned argc_seen, envc_seen;

static bool is(const char *name)
{
    return strcmp(scenario, name) == 0;
}

/* The value of NAME=VALUE inside a comma-separated option; the caller frees. */
static char *property(const char *option, const char *name)
{
    const char *p = strstr(option, name);

    return p == NULL ? NULL : strndup(p + strlen(name), strcspn(p + strlen(name), ","));
}

/* ---- truth ------------------------------------------------------------------ */

static void write_truth(void)
{
    FILE *const f = truth_path != NULL ? fopen(truth_path, "w") : NULL;

    if (f == NULL)
        return;
    fputs("{\"schema\":\"mpjoule-truth/1\",\"windows\":1,\"window\":{\"cycles\":21000000,"
          "\"energy_fj\":53582400000000,\"shared_energy_fj\":10000000000000,\"cores\":[",
          f);
    for (unsigned k = 0; k < cores; k++)
        fprintf(f,
                "%s{\"core\":%u,\"cycles\":21000000,\"wfi_cycles\":1000000,"
                "\"energy_fj\":10000000000000,\"events\":{\"instr\":%u}}",
                k > 0 ? "," : "", k, 9000 + k);
    fputs("],\"scu\":{\"events\":{\"scu_migration\":513}},\"l2\":{\"events\":{\"l2_drreq\":503}}},"
          "\"contexts\":[{\"ctx\":0,\"cycles\":21000000,\"wfi_cycles\":5,\"energy_fj\":7000000000,"
          "\"events\":{\"instr\":36006}}],\"total\":{}}\n",
          f);
    fclose(f);
}

static void on_term(int sig)
{
    (void)sig;
    write_truth(); /* as the real one does; a test process, so stdio here is good enough */
    _exit(0);
}

/* ---- the line --------------------------------------------------------------- */

static void transmit(const void *data, size_t n)
{
    const char *p = data;

    while (n > 0) {
        const ssize_t done = write(line, p, n);
        if (done <= 0)
            exit(1);
        p += done;
        n -= (size_t)done;
    }
}

static void frame(uint8_t type, const uint8_t *payload, size_t len)
{
    uint8_t wire[MPJ_FRAME_WIRE_MAX];
    const size_t n = mpj_frame_encode(type, mpj_frame_sequenced(type) ? next_seq++ : 0, payload,
                                      len, wire, sizeof(wire));

    if (is("badcrc") && next_seq == 3)
        wire[n / 2] ^= 0x10;
    if (is("gap") && next_seq == 3)
        return;
    transmit(wire, is("truncated") && next_seq == 3 ? n / 2 : n);
    if ((is("truncated") || is("disconnect")) && next_seq == 3) {
        write_truth();
        exit(0);
    }
    if (is("crash") && next_seq == 3)
        abort();
}

/* One record, one frame: order and number are easy to see in a log. */
static uint8_t payload[MPJ_FRAME_PAYLOAD_MAX];
static struct mpj_writer w;

static struct mpj_writer *begin(void)
{
    mpj_writer_init(&w, payload, sizeof(payload));
    return &w;
}

static void data(void)
{
    records++;
    frame(MPJ_FRAME_DATA, payload, (size_t)(w.at - payload));
}

static void say(uint32_t kind, const char *text)
{
    mpj_blob_put(begin(), kind, text, strlen(text));
    data();
}

/* ---- session ---------------------------------------------------------------- */

static void hello(void)
{
    const struct mpj_hello h = {.protocol = is("version") ? 9 : MPJ_LINK_VERSION,
                                .abi = is("abi") ? 7 : MPJ_ABI_VERSION,
                                .cores = cores,
                                .midr = 0x410fb024,
                                .clock_hz = 210000000,
                                .time_hz = TIME_HZ,
                                .name = {(const uint8_t *)"fake", 4}};

    if (is("garbage")) {
        for (unsigned i = 0; i < 3000; i++)
            transmit(&(uint8_t){(uint8_t)(i * 7 + 3)}, 1);
        transmit("Boot Monitor > ", 15);
    }
    transmit("", 1);
    mpj_hello_put(begin(), &h);
    frame(MPJ_FRAME_HELLO, payload, (size_t)(w.at - payload));
}

/* Reads START frames until GO. */
static void start(void)
{
    static struct mpj_frame_decoder decoder;
    uint8_t buf[4096];
    struct mpj_frame f;
    struct mpj_reader r;
    struct mpj_rec rec;
    int result;

    mpj_frame_decoder_init(&decoder);
    for (;;) {
        const ssize_t n = read(line, buf, sizeof(buf));
        if (n <= 0)
            exit(0);
        for (size_t at = 0; at < (size_t)n;) {
            at += mpj_frame_decode(&decoder, buf + at, (size_t)n - at, &f, &result);
            if (result <= 0 || f.type != MPJ_FRAME_START)
                continue;
            mpj_reader_init(&r, f.payload, f.len);
            while (mpj_rec_next(&r, &rec) == 1) {
                struct mpj_go go;
                if (rec.kind == MPJ_REC_CONFIG && mpj_config_get(&rec, &config) != 0)
                    exit(1);
                if (rec.kind == MPJ_REC_ARG && argc_seen < ARGS_MAX)
                    snprintf(args[argc_seen++], sizeof(args[0]), "%.*s", (int)rec.len,
                             (const char *)rec.body);
                if (rec.kind == MPJ_REC_ENV)
                    envc_seen++;
                if (rec.kind == MPJ_REC_GO)
                    return mpj_go_get(&rec, &go) != 0 || go.argc < argc_seen || go.envc != envc_seen
                               ? exit(1)
                               : (void)0;
            }
        }
    }
}

static void samples(void)
{
    static struct mpj_adc_rec a;
    const uint64_t period = (uint64_t)config.adc_period_us * (TIME_HZ / 1000000U);

    a.period = period;
    for (uint64_t t = 0; t <= LENGTH && period > 0; t += period) {
        struct mpj_adc_sample *s = &a.s[a.count++];
        s->time = BEGIN + t;
        s->code[MPJ_ADC_CPU_V] = 2000; /* 1.22 V */
        s->code[MPJ_ADC_CPU_I] = 1800; /* 439.2 mA */
        s->code[MPJ_ADC_PLL_V] = 2000;
        s->code[MPJ_ADC_PLL_I] = 1500; /* 18.3 mA */
        if (a.count == MPJ_ADC_BLOCK_MAX || t + period > LENGTH) {
            mpj_adc_put(begin(), &a);
            data();
            a.first += a.count;
            a.count = 0;
        }
    }
}

static void counters(void)
{
    struct mpj_chip_rec chip = {.flags = MPJ_COUNTER_FINAL, .time = BEGIN + LENGTH};

    if ((config.flags & MPJ_CONFIG_NO_COUNTERS) != 0)
        return;
    for (uint32_t k = 0; k < MPJ_CORES_MAX; k++) {
        struct mpj_core_rec c = {.core = k,
                                 .flags = MPJ_COUNTER_FINAL | MPJ_COUNTER_WFI,
                                 .time = BEGIN + LENGTH,
                                 .cycles = 21000000,
                                 .wfi_cycles = 1000000};
        if (!(config.cores_mask & (1U << k)))
            continue;
        for (unsigned i = 0; i < MPJ_PMU_COUNTERS; i++) {
            const uint32_t e = config.pmu[k][i];
            if (e != MPJ_EVENT_NONE)
                c.ev[c.count++] = (struct mpj_event_value){e, 1000U * (e + 1U) + k,
                                                           is("rotation") ? LENGTH / 4 : LENGTH};
        }
        mpj_core_put(begin(), &c);
        data();
    }
    for (unsigned i = 0; i < MPJ_SCU_COUNTERS; i++) {
        if (config.scu[i] != MPJ_EVENT_NONE)
            chip.ev[chip.count++] =
                (struct mpj_event_value){config.scu[i], 500U + config.scu[i], LENGTH};
    }
    mpj_chip_put(begin(), MPJ_REC_SCU, &chip);
    data();
    chip.count = 0;
    for (unsigned i = 0; i < MPJ_L2_COUNTERS; i++) {
        if (config.l2[i] != MPJ_EVENT_NONE)
            chip.ev[chip.count++] =
                (struct mpj_event_value){config.l2[i], 500U + config.l2[i], LENGTH};
    }
    mpj_chip_put(begin(), MPJ_REC_L2, &chip);
    data();
}

static void fault(void)
{
    struct mpj_fault f = {.kind = MPJ_FAULT_DATA,
                          .core = 2,
                          .time = BEGIN + 5,
                          .dfar = 0xdeadbeef,
                          .dfsr = 0x805,
                          .cpsr = 0x1f,
                          .count = 4};

    for (unsigned i = 0; i < 16; i++)
        f.r[i] = i;
    f.r[13] = 0x100000;
    f.r[14] = 0x8010;
    f.r[15] = 0x8004;
    mpj_fault_put(begin(), &f);
    data();
}

/* The board of the scenario two-cores: no power is measured there. */
static const struct tile_machine board = {
    .name = "two-cores",
    .platform = "two-machine",
    .title = "A board with two cores",
    .chip = "arm11mpcore",
    .cores = 2,
    .core_hz = 210000000,
    .rams = 1,
    .ram = {{0x60000000, 0x4000000}},
    .time = {0x44400204, TIME_HZ, 24, 1},
};

static void describe(void)
{
    if (is("two-cores"))
        mpj_machine_put(begin(), &board);
    else if (is("bad-machine"))
        mpj_blob_put(begin(), MPJ_REC_MACHINE, "\004fake", 5);
    else
        return;
    data();
}

static void run(void)
{
    const struct mpj_run_rec edge = {
        .time = BEGIN, .cores_mask = config.cores_mask, .adc_period_us = config.adc_period_us};
    const struct mpj_run_rec last = {.time = BEGIN + LENGTH,
                                     .cores_mask = config.cores_mask,
                                     .adc_period_us = config.adc_period_us};
    struct mpj_end end = {.session = config.session, .time = BEGIN + LENGTH + 10};
    char text[200];

    describe();
    mpj_run_put(begin(), MPJ_REC_RUN_BEGIN, &edge);
    data();
    snprintf(text, sizeof(text), "args %u %s %s env %u\n", argc_seen, args[0], args[1], envc_seen);
    say(MPJ_REC_CONSOLE_OUT, text);
    say(MPJ_REC_CONSOLE_ERR, "to stderr\n");
    if (is("hang") || is("deserted")) {
        for (int fd = 3; is("deserted") && fd < 64; fd++)
            close(fd); /* its line, and the pipe that says that it lives */
        for (;;)
            pause();
    }
    if (is("flood"))
        for (unsigned i = 0; i < 3000; i++)
            say(MPJ_REC_CONSOLE_OUT, "a line of text that fills the log of a full disk\n");
    if (is("malformed")) {
        mpj_blob_put(begin(), MPJ_REC_FAULT, "short", 5);
        data();
    }
    if (is("unknown"))
        frame(0x3f, NULL, 0);
    if (is("fault-late") && config.session == 1)
        poll(NULL, 0, 1000); /* other passes are there sooner */
    while (is("fault-early") && config.session > 1)
        pause();
    if (is("fault") || is("fault-no-end") || is("fault-late") || is("fault-early")) {
        fault();
        if (is("fault-no-end"))
            exit(1);
        end.reason = MPJ_END_FAULT;
        end.exit_status = -1;
    } else if (is("error")) {
        const struct mpj_error_rec e = {.code = MPJ_TERR_NO_PMU,
                                        .text = {(const uint8_t *)"PMN0", 4}};
        mpj_error_put(begin(), &e);
        data();
        end.reason = MPJ_END_ERROR;
        end.exit_status = -1;
    } else {
        if (cores == 4)
            samples();
        counters();
        mpj_run_put(begin(), MPJ_REC_RUN_END, &last);
        data();
        end.exit_status = is("status") ? 7 : 0;
    }
    end.records = records + (is("lost-record") ? 1 : 0);
    mpj_end_put(begin(), &end);
    frame(MPJ_FRAME_END, payload, (size_t)(w.at - payload));
}

int main(int argc, char **argv)
{
    struct sockaddr_un addr = {.sun_family = AF_UNIX};
    char *path = NULL;

    if (getenv("MPJ_FAKE") != NULL)
        scenario = getenv("MPJ_FAKE");
    if (is("stock")) {
        fputs("qemu-system-arm: Property 'realview-eb-mpcore-machine.seed' not found\n", stderr);
        return 1;
    }
    if (is("two-cores"))
        cores = board.cores;
    for (int i = 1; i + 1 < argc; i++) {
        if (is("two-cores") &&
            ((strcmp(argv[i], "-smp") == 0 && strcmp(argv[i + 1], "2") != 0) ||
             (strcmp(argv[i], "-m") == 0 && strcmp(argv[i + 1], "64") != 0) ||
             (strcmp(argv[i], "-M") == 0 && strncmp(argv[i + 1], "two-machine,", 12) != 0)))
            return 4; /* another board's machine */
        if (strcmp(argv[i], "-M") == 0)
            truth_path = property(argv[i + 1], "truth=");
        if (strcmp(argv[i], "-chardev") == 0)
            path = property(argv[i + 1], "path=");
    }
    if (path == NULL)
        return 2;
    signal(SIGTERM, is("stubborn") ? SIG_IGN : on_term);
    snprintf(addr.sun_path, sizeof(addr.sun_path), "%s", path);
    free(path);
    line = socket(AF_UNIX, SOCK_STREAM, 0);
    if (connect(line, (struct sockaddr *)&addr, sizeof(addr)) != 0)
        return 3;
    if (is("silent") || is("stubborn"))
        for (;;)
            pause();
    hello();
    start();
    run();
    if (!is("no-truth"))
        write_truth();
    return 0;
}
