/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli.h"

#define FINISH_S 30  /* for our own firmware, which does end: a busy machine is slow */
#define TICK_MS  20  /* how late a mark or the end may be noticed */
#define NOTES    16U /* more than a session has under way */

/* Rail factors of the processor. */
#define ADC_V(code) ((code)*TILE_ADC_UV_PER_STEP * 1e-6)
#define ADC_A(code) ((code)*TILE_ADC_NA_PER_STEP * 1e-9)

static volatile sig_atomic_t interrupts;
static volatile sig_atomic_t marks;

static void on_end_signal(int sig)
{
    (void)sig;
    interrupts = interrupts + 1;
}

static void on_mark_signal(int sig)
{
    (void)sig;
    marks = marks + 1;
}

/* What the callbacks need. */
struct seat {
    struct record *r;
    bool terminal; /* the live line is shown */
    bool line;     /* it is showing */
    bool reading;  /* lines of stdin are marks */
    char text[1024];
    size_t len;
    sig_atomic_t marks; /* signals dealt with */
    uint32_t notes;     /* marks handed over; the texts of the last ones, by number */
    char note[NOTES][MPJ_NOTE_MAX + 1];
    bool over; /* of --for beside a program */
};

/* ---- live line ------------------------------------------------------------------ */

static void wipe(struct seat *s)
{
    if (s->line)
        fputs("\r\033[K", stderr);
    s->line = false;
}

static void on_console(void *ctx, int stream, const void *data, size_t len)
{
    const struct seat *const s = ctx;
    FILE *const f = stream == 1 && !record_fills_stdout(s->r) ? stdout : stderr;

    wipe(ctx);
    if ((fwrite(data, 1, len, f) != len || fflush(f) != 0) && f == stdout && s->r->run.output == 0)
        s->r->run.output = errno;
}

static void on_progress(void *ctx, const struct mpj_progress *p)
{
    struct seat *const s = ctx;
    struct record_live *const l = &s->r->live;
    const uint32_t hz = s->r->result.time_hz;
    char lost[32] = "";

    (void)p;
    if (!s->terminal || l->n == 0 || hz == 0)
        return;
    if (l->lost > 0)
        snprintf(lost, sizeof(lost), ", %" PRIu64 " lost", l->lost);
    cli_live_line("%10.3f s  %.4f V %8.2f mA %8.2f mW %12.3f mJ  %" PRIu64 " samples%s",
                  (double)(l->last - l->first) / hz, l->sum_v / l->n, l->sum_i / l->n * 1e3,
                  l->sum_p / l->n * 1e3, l->energy_uj / 1e3, l->samples, lost);
    s->line = true;
    l->n = 0;
    l->sum_v = l->sum_i = l->sum_p = 0.0;
}

static void add_samples(struct record *r, const struct mpj_adc_rec *a)
{
    struct record_live *const l = &r->live;
    const uint32_t hz = r->result.time_hz;

    for (uint32_t i = 0; i < a->count; i++) {
        const struct mpj_adc_sample *const s = &a->s[i];
        const double v = ADC_V(s->code[MPJ_ADC_CPU_V]);
        const double c = ADC_A(s->code[MPJ_ADC_CPU_I]);
        if (!l->begun) {
            l->first = s->time;
            l->next = a->first;
        } else if (s->time > l->last) {
            l->energy_uj += l->power_uw * (double)(s->time - l->last) / hz;
        }
        l->lost += a->first + i > l->next ? a->first + i - l->next : 0;
        l->next = a->first + i + 1U;
        l->begun = true;
        l->last = s->time;
        l->power_uw = v * c * 1e6;
        l->samples++;
        l->n++;
        l->sum_v += v;
        l->sum_i += c;
        l->sum_p += v * c;
    }
}

static void on_record(void *ctx, const struct mpj_rec *rec)
{
    struct seat *const s = ctx;
    struct record *const r = s->r;
    struct mpj_adc_rec a;
    struct mpj_mark m;

    if (s->terminal && rec->kind == MPJ_REC_MARK && mpj_mark_get(rec, &m) == 0 &&
        m.origin == MPJ_MARK_HOST && r->live.begun) {
        wipe(s);
        fprintf(stderr, "%10.3f s  %s\n",
                (double)(int64_t)(m.time - r->live.first) / r->result.time_hz,
                s->note[(uint64_t)m.value % NOTES]);
    }
    if (rec->kind != MPJ_REC_ADC || mpj_adc_get(rec, &a) != 0 || a.count == 0)
        return;
    add_samples(r, &a);
    mpj_drift_add(&r->drift, mpj_clock_s(), (double)r->live.last / r->result.time_hz);
    if (r->beside && r->for_s > 0 &&
        (double)(r->live.last - r->live.first) / r->result.time_hz >= r->for_s)
        s->over = true;
}

/* ---- marks and the end ------------------------------------------------------------ */

/* stdin: whole lines, as they come. */
static void read_lines(struct seat *s)
{
    struct pollfd p = {.fd = STDIN_FILENO, .events = POLLIN};
    ssize_t n;

    if (!s->reading || s->len == sizeof(s->text) || poll(&p, 1, 0) <= 0)
        return;
    n = read(STDIN_FILENO, s->text + s->len, sizeof(s->text) - s->len);
    if (n > 0)
        s->len += (size_t)n;
    else if (n == 0 || (errno != EINTR && errno != EAGAIN))
        s->reading = false;
}

static bool next_note(struct seat *s, char text[MPJ_NOTE_MAX + 1])
{
    char *end;
    size_t used;
    size_t n = 0;

    if (s->marks != marks) {
        s->marks = s->marks + 1;
        snprintf(text, MPJ_NOTE_MAX + 1, "signal %d", (int)s->marks);
        return true;
    }
    read_lines(s);
    end = memchr(s->text, '\n', s->len);
    if (end == NULL && (s->len < sizeof(s->text) && (s->reading || s->len == 0)))
        return false; /* not a whole line yet */
    used = end != NULL ? (size_t)(end - s->text) + 1 : s->len;
    for (size_t i = 0; i < used && n < MPJ_NOTE_MAX; i++) {
        if ((unsigned char)s->text[i] >= ' ' && s->text[i] != 0x7f)
            text[n++] = s->text[i];
    }
    text[n] = '\0';
    if (n == 0)
        snprintf(text, MPJ_NOTE_MAX + 1, "mark");
    memmove(s->text, s->text + used, s->len - used);
    s->len -= used;
    return true;
}

static bool on_note(void *ctx, char text[MPJ_NOTE_MAX + 1])
{
    struct seat *const s = ctx;

    if (!next_note(s, text))
        return false;
    memcpy(s->note[++s->notes % NOTES], text, MPJ_NOTE_MAX + 1);
    return true;
}

static bool on_finish(void *ctx)
{
    const struct seat *const s = ctx;

    return interrupts > 0 || s->over || s->r->run.output == EPIPE;
}

/* Before there is anything to end in order. */
static bool on_interrupt(void *ctx)
{
    (void)ctx;
    return interrupts > 0;
}

static bool on_cancelled(void *ctx)
{
    (void)ctx;
    return interrupts > 1;
}

/* ---- the recording ---------------------------------------------------------------- */

static int write_meta(struct mpj_log *log, const struct record *r, struct mpj_err *err)
{
    char planned[32];

    if (run_write_meta(log, &r->run, err) != MPJ_E_OK || r->for_s <= 0)
        return r->for_s <= 0 ? MPJ_E_OK : err->code;
    snprintf(planned, sizeof(planned), "%.12g", r->for_s);
    return mpj_log_meta(log, "planned_s", planned, err);
}

/* A recording that was ended on demand has not failed, though the program was not over. */
static int outcome(const struct record *r, const struct seat *s, int result, struct mpj_err *err)
{
    if (result != MPJ_E_CANCELLED || !r->live.begun || (r->beside && !s->over))
        return result;
    snprintf(err->text, sizeof(err->text), "ended %s",
             s->over ? "at the end of --for, the program was not over" : "by the person");
    return MPJ_E_OK;
}

int record_run(struct record *r, struct mpj_err *err)
{
    static struct seat seat;
    const struct options *const o = &r->run.o;
    struct sigaction end = {.sa_handler = on_end_signal};
    struct sigaction mark = {.sa_handler = on_mark_signal};
    struct mpj_session_opts s = {
        .image = &r->run.image,
        .identity = r->run.board != NULL ? &r->run.board->identity : NULL,
        .argv = o->argv,
        .envp = o->envp,
        .timeout_s = o->timeout_s,
        .console = on_console,
        .progress = on_progress,
        .cancelled = on_cancelled,
        .record = on_record,
        .note = on_note,
        .finish = on_finish,
        .finish_s = r->beside ? 0 : FINISH_S,
        .tick_ms = TICK_MS,
        .silence_s = r->silence_s,
        .ctx = &seat,
        .config = {.session = 1,
                   .features = 1U << MPJ_FEATURE_HOST_IO | 1U << MPJ_FEATURE_NOTE,
                   .cores_mask = r->beside ? o->cores_mask : 1U,
                   .adc_period_us = o->sample_us,
                   .flags = MPJ_CONFIG_NO_COUNTERS | MPJ_CONFIG_NO_THREADS | MPJ_CONFIG_STREAM},
    };
    static const struct mpj_wish nothing;
    struct mpj_err late = {0};
    struct stat st;
    int result;

    seat.r = r;
    seat.terminal = isatty(STDERR_FILENO) == 1;
    cli_end_signals(&end);
    sigaction(SIGUSR1, &mark, NULL);
    run_ignore_pipe();
    signal(SIGXFSZ, SIG_IGN); /* a file-size limit is reported like a full disk */
    /* a terminal in the background would stop us for reading from it */
    seat.reading = r->marks || (isatty(STDIN_FILENO) == 1 && tcgetpgrp(STDIN_FILENO) == getpgrp());

    mpj_plan_select(&nothing, 0, &s.config);
    if (mpj_io_new(&s.io, o->dir, o->input, err) != MPJ_E_OK)
        return err->code;
    if (mpj_log_create(&s.log, o->store, err) != MPJ_E_OK) {
        mpj_io_free(s.io);
        return err->code;
    }
    r->made = true;
    result = write_meta(s.log, r, err);
    if (result == MPJ_E_OK)
        result = run_make_target(&s.target, &r->run, r->errors, err);
    if (result == MPJ_E_OK)
        result = run_load_target(&r->run, s.target, on_interrupt, NULL, err);
    if (result == MPJ_E_OK)
        result = mpj_session_run(&s, &r->result, err);
    wipe(&seat);
    mpj_target_free(s.target);
    mpj_io_free(s.io);
    if (result == MPJ_E_OK)
        err->text[0] = '\0';
    result = outcome(r, &seat, result, err);
    if (mpj_log_close(s.log, result, err->text, &late) != MPJ_E_OK && result == MPJ_E_OK) {
        *err = late;
        result = err->code;
    }
    /* the emulator's output is of interest only when there is any */
    if (stat(r->errors, &st) == 0 && st.st_size == 0)
        unlink(r->errors);
    return result;
}
