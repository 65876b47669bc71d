/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "given_int.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <sha2.h>

#include "report/given.h"

#define PREDICTOR "MPJ_ADAPT_PREDICTOR=" /* the run adds it itself */

struct labels {
    struct mpj_log *log;
    struct mpj_err *err;
    int result; /* of the first label that failed */
};

/* ---- one label ---------------------------------------------------------------------------- */

/* Returns the length of the first piece of a text: no character is cut. */
static size_t piece(const char *text)
{
    size_t n = strnlen(text, MPJ_GIVEN_PIECE);

    while (n > 1 && text[n] != '\0' && ((unsigned char)text[n] & 0xc0) == 0x80)
        n--;
    return n;
}

/* Writes a value that is escaped, in as many labels as its length takes. */
static void put_escaped(struct labels *l, const char *key, const char *value)
{
    char *longer = strdup(key);

    while (l->result == MPJ_E_OK && longer != NULL) {
        char text[MPJ_GIVEN_PIECE + 1];
        char *next = NULL;
        const size_t n = piece(value);
        memcpy(text, value, n);
        text[n] = '\0';
        l->result = mpj_log_meta(l->log, longer, text, l->err);
        value += n;
        if (*value == '\0')
            break;
        if (asprintf(&next, "%s%c", longer, MPJ_GIVEN_MORE) < 0)
            next = NULL;
        free(longer);
        longer = next;
    }
    if (longer == NULL)
        l->result = mpj_err_nomem(l->err);
    free(longer);
}

/* Writes a label whose key is a prefix and a name of any bytes. */
static void put(struct labels *l, const char *prefix, const char *name, const char *value)
{
    char *const plain = mpj_given_escape(name);
    char *const text = mpj_given_escape(value);
    char *key = NULL;

    if (plain != NULL && text != NULL && asprintf(&key, "%s%s", prefix, plain) >= 0) {
        if (l->result == MPJ_E_OK)
            put_escaped(l, key, text);
    } else {
        key = NULL;
        l->result = mpj_err_nomem(l->err);
    }
    free(key);
    free(plain);
    free(text);
}

__attribute__((format(printf, 3, 4))) static void option(struct labels *l, const char *name,
                                                         const char *format, ...)
{
    char *value = NULL;
    va_list ap;

    va_start(ap, format);
    if (vasprintf(&value, format, ap) < 0)
        value = NULL;
    va_end(ap);
    if (value == NULL)
        l->result = mpj_err_nomem(l->err);
    else
        put(l, MPJ_GIVEN_OPTION, name, value);
    free(value);
}

static void flag(struct labels *l, const char *name, bool given)
{
    if (given)
        put(l, MPJ_GIVEN_OPTION, name, MPJ_GIVEN_OPTION_ON);
}

static void text(struct labels *l, const char *name, const char *value)
{
    if (value != NULL)
        put(l, MPJ_GIVEN_OPTION, name, value);
}

static void number(struct labels *l, const char *name, uint64_t value, uint64_t usual)
{
    if (value != usual)
        option(l, name, "%" PRIu64, value);
}

static void milliseconds(struct labels *l, const char *name, uint32_t us, uint32_t usual)
{
    if (us != usual)
        option(l, name, "%.12g", us / 1e3);
}

/* Writes an option that is given several times: NAME, NAME.2, ... */
static void list(struct labels *l, const char *name, const char *const *value, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        char key[MPJ_GIVEN_OPTION_SEEN];
        if (i == 0)
            snprintf(key, sizeof(key), "%s", name);
        else
            snprintf(key, sizeof(key), "%s.%u", name, i + 1);
        text(l, key, value[i]);
    }
}

/* ---- options ------------------------------------------------------------------------------ */

/* Writes cores as --cores takes them: how many, or which. */
static void cores(struct labels *l, uint32_t mask)
{
    char value[2 * MPJ_CORES_MAX + 1] = "";
    size_t n = 0;
    unsigned count = 0;

    for (unsigned k = 0; k < MPJ_CORES_MAX; k++)
        count += (mask >> k & 1U) != 0;
    if (mask == (1U << count) - 1U)
        n = (size_t)snprintf(value, sizeof(value), "%u", count);
    for (unsigned k = 0; k < MPJ_CORES_MAX && mask != (1U << count) - 1U; k++) {
        if ((mask >> k & 1U) != 0)
            n += (size_t)snprintf(value + n, sizeof(value) - n, "%s%u", n > 0 ? "," : "", k);
    }
    if (mask != 0)
        text(l, "cores", value);
}

static void events(struct labels *l, const struct mpj_selection *selection)
{
    size_t n;
    const struct mpj_event_info *const table = mpj_event_table(&n);
    char *value = NULL;
    size_t size = 0;
    size_t wanted = 0;
    FILE *const f = open_memstream(&value, &size);

    if (f == NULL) {
        l->result = mpj_err_nomem(l->err);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        if (selection->want[i])
            fprintf(f, "%s%s", wanted++ > 0 ? "," : "", table[i].name);
    }
    if (fclose(f) == 0 && wanted < n)
        text(l, "events", value);
    flag(l, "all-events", wanted == n);
    free(value);
}

#define US_MS(l, name, value)    milliseconds(l, name, value, TILE_SAMPLE_US_DEFAULT)
#define US_COUNT(l, name, value) number(l, name, value, 0)
#define SETTING(kind, field, record, since, name, ...)                                             \
    if (o->field != 0)                                                                             \
        US_##kind(l, name, o->field);

static void put_measuring(struct labels *l, const struct run_options *o)
{
    char bound[TILE_BOUNDS_MAX][48];
    const char *bounds[TILE_BOUNDS_MAX];

    text(l, "target", strcmp(o->target, RUN_EMULATOR) != 0 ? o->target : NULL);
    text(l, "boards", o->boards);
    text(l, "calibration", o->calibration);
    number(l, "quantum", o->quantum, TILE_QUANTUM_DEFAULT);
    number(l, "seed", o->seed, TILE_SEED_DEFAULT);
    cores(l, o->cores_mask);
    MPJ_SETTINGS_ALL(SETTING)
    if (o->events)
        events(l, &o->selection);
    text(l, "model", o->model);
    text(l, "predictor", o->predictor);
    text(l, "meter", o->meter);
    if (o->rotate)
        option(l, "rotate", "%" PRIu32, o->rotate_ms);
    flag(l, "no-counters", o->no_counters);
    flag(l, "no-threads", o->no_threads);
    flag(l, o->moments ? "moments" : "functions", o->functions);
    flag(l, "instructions", o->instructions);
    number(l, "waveform", o->wave_us, 0);
    flag(l, "overhead", o->overhead);
    for (unsigned i = 0; i < o->bounds; i++) {
        snprintf(bound[i], sizeof(bound[i]), "%.12g:%.12g", o->bound[i].time_s,
                 o->bound[i].energy_j);
        bounds[i] = bound[i];
    }
    list(l, "bound", bounds, o->bounds);
    list(l, "what-if", o->what_if, o->what_ifs);
}
#undef SETTING

static void put_trace(struct labels *l, const struct run_options *o)
{
    const struct mpj_trace_config *const t = &o->trace;
    const struct mpj_event_info *const event =
        (t->flags & MPJ_TRACE_EVENT) != 0 ? mpj_event_find(MPJ_SOURCE_PMU, t->event) : NULL;

    flag(l, "samples", (t->flags & MPJ_TRACE_SAMPLES) != 0);
    flag(l, "target-moments", (t->flags & MPJ_TRACE_MOMENTS) != 0);
    if (event != NULL) {
        text(l, "sample-event", event->name);
        number(l, "every", t->every, 0);
    }
    if ((t->flags & MPJ_TRACE_FUNCTIONS) == 0)
        return;
    flag(l, "entries", true);
    flag(l, "entry-times", (t->flags & MPJ_TRACE_CALLS) != 0);
    milliseconds(l, "warm-up", t->warm_us, 0);
    milliseconds(l, "period", t->period_us, 0);
    number(l, "periods", t->periods, 0);
    number(l, "groups", t->groups, 1);
    number(l, "records", t->records, 0);
    option(l, "brief", "%" PRIu32, t->brief);
    list(l, "F", o->only, o->onlys);
    list(l, "N", o->without, o->withouts);
    number(l, "D", o->depth, 0);
    if (t->least_ns != 0)
        option(l, "t", "%" PRIu32 "ns", t->least_ns);
}

/* ---- what the program gets ---------------------------------------------------------------- */

static void put_environment(struct labels *l, const char *const *envp)
{
    for (; envp != NULL && *envp != NULL; envp++) {
        const size_t n = strcspn(*envp, "=");
        char *const name = strndup(*envp, n);
        char sum[SHA256_DIGEST_STRING_LENGTH];
        if (name == NULL) {
            l->result = mpj_err_nomem(l->err);
            return;
        }
        if (strncmp(*envp, PREDICTOR, sizeof(PREDICTOR) - 1) == 0)
            put(l, "predictor_sha256", "",
                SHA256Data((const uint8_t *)*envp, strlen(*envp), sum) != NULL ? sum : "");
        else
            put(l, MPJ_GIVEN_ENVIRONMENT, name, (*envp)[n] == '=' ? *envp + n + 1 : "");
        free(name);
    }
}

static void put_input(struct labels *l, const char *sha256, uint64_t bytes)
{
    char number_text[24];

    snprintf(number_text, sizeof(number_text), "%" PRIu64, bytes);
    put(l, MPJ_GIVEN_STDIN_SHA256, "", sha256);
    put(l, MPJ_GIVEN_STDIN_BYTES, "", number_text);
}

/* True for a stdin whose content is a file: it is known before the run. */
static bool is_file(const char *input, struct stat *st)
{
    return stat(input, st) == 0 && S_ISREG(st->st_mode);
}

static void put_stdin(struct labels *l, const char *input)
{
    const bool ours = strcmp(input, "/dev/stdin") == 0 ||
                      strncmp(input, "/proc/self/fd/", strlen("/proc/self/fd/")) == 0;
    char sum[SHA256_DIGEST_STRING_LENGTH];
    struct stat st;

    text(l, "stdin", ours ? "-" : input);
    if (is_file(input, &st) && SHA256File(input, sum) != NULL)
        put_input(l, sum, (uint64_t)st.st_size);
}

int given_write(struct mpj_log *log, const struct run_options *o, struct mpj_err *err)
{
    struct labels l = {.log = log, .err = err, .result = MPJ_E_OK};
    char number_text[16];

    put(&l, MPJ_GIVEN_PATH, "", o->elf);
    for (unsigned i = 1; i < o->argc; i++) {
        snprintf(number_text, sizeof(number_text), "%u", i);
        put(&l, MPJ_GIVEN_ARGUMENT, number_text, o->argv[i]);
    }
    put_environment(&l, o->envp);
    put_measuring(&l, o);
    put_trace(&l, o);
    text(&l, "dir", o->dir);
    if (o->input != NULL)
        put_stdin(&l, o->input);
    if (o->out_terminal || o->err_terminal)
        put(&l, MPJ_GIVEN_TERMINAL, "",
            !o->err_terminal   ? "stdout"
            : !o->out_terminal ? "stderr"
                               : "stdout,stderr");
    return l.result;
}

int given_write_input(struct mpj_log *log, const struct run_options *o, const struct mpj_io *io,
                      struct mpj_err *err)
{
    struct labels l = {.log = log, .err = err, .result = MPJ_E_OK};
    char sum[SHA256_DIGEST_STRING_LENGTH];
    uint64_t bytes;
    struct stat st;

    if (o->input == NULL || is_file(o->input, &st))
        return MPJ_E_OK;
    mpj_io_taken(io, sum, &bytes);
    put_input(&l, sum, bytes);
    return l.result;
}
