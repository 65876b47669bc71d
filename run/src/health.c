/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/health.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <jansson.h>

#include "base/json.h"
#include "report/energy.h"
#include "run/paths.h"
#include "run/recipe.h"

#define FILE_MOST  (256 << 10) /* bytes, after which the file becomes NAME.1 */
#define LINES_MOST 8192U       /* bytes that hold RUN_HEALTH_ROW lines */
#define FAILED     "\"ok\": false"
#define BAD        "\"adc\": \"bad\""
#define SPEED_OFF  0.01 /* beyond that it is not the time of a clock: an emulated board */

/* Returns the board's file, whose folder is made if need be; NULL: there is none. */
static char *file_of(const struct mpj_board *board, bool make)
{
    char *const folder = run_path_health();
    char *out = NULL;

    for (char *p = folder != NULL ? folder + 1 : NULL; p != NULL && make; p++) {
        const char end = *p;

        if (end != '/' && end != '\0')
            continue;
        *p = '\0';
        (void)mkdir(folder, 0777);
        *p = end;
        if (end == '\0')
            break;
    }
    if (folder != NULL && asprintf(&out, "%s/%s.jsonl", folder, board->id) < 0)
        out = NULL;
    for (char *p = out != NULL ? out + strlen(folder) + 1 : NULL; p != NULL && *p != '\0'; p++)
        *p = *p == '/' ? '_' : *p; /* of a bare port */
    free(folder);
    return out;
}

/* Adds the verdict on the samples: the worst of those on losses, range and change. */
static void put_samples(json_t *o, const char *log)
{
    static const char *const words[] = {"ok", "doubt", "bad"};
    struct mpj_energy *e = NULL;
    const struct mpj_energy_check *worst = NULL;
    struct mpj_err ignored; /* no log, or no run in it */

    if (log == NULL || mpj_energy_load(&e, log, NULL, NULL, &ignored) != MPJ_E_OK)
        return;
    for (unsigned i = 0; i < e->checks && e->samples > 0; i++) {
        const struct mpj_energy_check *const c = &e->check[i];

        if (strcmp(c->name, "samples") != 0 && strcmp(c->name, "range") != 0 &&
            strcmp(c->name, "stuck") != 0)
            continue;
        if (worst == NULL || c->verdict > worst->verdict)
            worst = c;
    }
    if (worst != NULL) {
        json_put_text(o, "adc", words[worst->verdict]);
        json_put_text(o, "adc_says", worst->verdict != MPJ_CHECK_OK ? worst->text : NULL);
    }
    mpj_energy_free(e);
}

static void put_clock(json_t *o, const struct mpj_drift *drift)
{
    struct mpj_drift_result d;

    if (!mpj_drift_get(drift, &d))
        return;
    if (fabs(d.speed - 1) > SPEED_OFF) {
        json_put_real(o, "clock_speed", round(d.speed * 1e4) / 1e4);
        return;
    }
    json_put_real(o, "clock_ppm", round(d.ppm * 10) / 10);
    json_put_real(o, "clock_error_ppm", round(d.error * 10) / 10);
}

static void write_now(char out[32])
{
    const time_t now = time(NULL);
    struct tm tm;

    out[0] = '\0';
    if (gmtime_r(&now, &tm) != NULL)
        strftime(out, 32, "%Y-%m-%dT%H:%M:%SZ", &tm);
}

static char *line_of(int code, const struct mpj_err *err, const struct mpj_session_result *r,
                     const char *log)
{
    char when[32];
    json_t *o;
    char *text;
    char *out = NULL;

    write_now(when);
    o = json_pack("{s:s,s:b,s:s*,s:I,s:I,s:I,s:I,s:I}", "time", when, "ok", !run_may_retry(code),
                  "error", code != MPJ_E_OK ? err->text : NULL, "bit_rate", (json_int_t)r->rate,
                  "frames", (json_int_t)r->line.frames, "damaged",
                  (json_int_t)(r->line.bad - r->noise), "resent", (json_int_t)r->link.resent,
                  "repeated", (json_int_t)r->link.repeated);
    if (o != NULL) {
        put_samples(o, log);
        put_clock(o, &r->drift);
    }
    text = o != NULL ? json_dumps(o, JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(12)) : NULL;
    if (text == NULL || asprintf(&out, "%s\n", text) < 0)
        out = NULL;
    free(text);
    json_decref(o);
    return out;
}

/* Returns how many of the last lines are of bad sessions, RUN_HEALTH_ROW at most. */
static unsigned bad_in_a_row(int fd)
{
    char text[LINES_MOST + 1];
    struct stat st;
    unsigned n = 0;
    ssize_t got;
    off_t at;
    char *end;

    if (fstat(fd, &st) != 0)
        return 0;
    at = st.st_size > (off_t)LINES_MOST ? st.st_size - (off_t)LINES_MOST : 0;
    got = pread(fd, text, LINES_MOST, at);
    if (got <= 0)
        return 0;
    text[got] = '\0';
    end = text + got;
    while (n < RUN_HEALTH_ROW && end > text && end[-1] == '\n') {
        char *begin;

        end[-1] = '\0';
        begin = strrchr(text, '\n');
        begin = begin != NULL ? begin + 1 : text;
        if (strstr(begin, FAILED) == NULL && strstr(begin, BAD) == NULL)
            break;
        n++;
        end = begin;
    }
    return n;
}

static void judge(const struct mpj_board *board, unsigned bad, const char *line)
{
    char *const locks = run_path_locks();
    struct mpj_err ignored;
    char reason[200];
    json_t *o;

    if (locks != NULL && bad >= RUN_HEALTH_ROW && board->tags != NULL) {
        o = json_loads(line, 0, NULL);
        const char *const error = json_string_value(json_object_get(o, "error"));
        const char *const says = json_string_value(json_object_get(o, "adc_says"));
        snprintf(reason, sizeof(reason), "%u sessions in a row failed, the last one: %s%.120s", bad,
                 error == NULL ? "samples of the ADC " : "", error != NULL ? error : says);
        (void)mpj_quarantine_put(locks, board, reason, &ignored);
        json_decref(o);
    }
    free(locks);
}

/* Opens the board's file to add a line, and makes it if need be. Returns -1 if there is none. */
static int open_to_add(const char *file, bool make)
{
    const int how = O_RDWR | O_APPEND | O_CLOEXEC | O_NOFOLLOW | (make ? O_CREAT : 0);

    return file != NULL ? open(file, how, 0666) : -1;
}

int run_health_lift(const struct mpj_board *board, struct mpj_err *err)
{
    char *const locks = run_path_locks();
    char *const file = file_of(board, false);
    const int result = locks != NULL ? mpj_quarantine_lift(locks, board, err) : mpj_err_nomem(err);
    const int fd = result == MPJ_E_OK ? open_to_add(file, false) : -1;
    char when[32];

    write_now(when);
    if (fd >= 0) {
        (void)dprintf(fd, "{\"time\": \"%s\", \"lifted\": true}\n", when);
        close(fd);
    }
    free(locks);
    free(file);
    return result;
}

void run_health_note(const struct mpj_board *board, int code, const struct mpj_err *err,
                     const struct mpj_session_result *result, const char *log)
{
    char *const file = file_of(board, true);
    char *const line = line_of(code, err, result, log);
    char *old = NULL;
    struct stat st;
    int fd = -1;

    if (code == MPJ_E_CANCELLED || code == MPJ_E_BUSY)
        goto out; /* says nothing of the board */
    if (file != NULL && stat(file, &st) == 0 && st.st_size > FILE_MOST &&
        asprintf(&old, "%s.1", file) >= 0)
        (void)rename(file, old);
    if (line != NULL)
        fd = open_to_add(file, true);
    if (fd >= 0 && write(fd, line, strlen(line)) == (ssize_t)strlen(line) &&
        (strstr(line, FAILED) != NULL || strstr(line, BAD) != NULL))
        judge(board, bad_in_a_row(fd), line);
    if (fd >= 0)
        close(fd);
out:
    free(old);
    free(file);
    free(line);
}

/* Returns the last line of a file, allocated; NULL: it has none. */
static char *last_line(FILE *f)
{
    char *line = NULL;
    char *last = NULL;
    size_t size = 0;

    while (getline(&line, &size, f) > 0) {
        free(last);
        last = line;
        line = NULL;
        size = 0;
    }
    free(line);
    return last;
}

void run_health_warning(const struct mpj_board *board, char *out, size_t cap)
{
    char *const file = file_of(board, false);
    FILE *const f = file != NULL ? fopen(file, "re") : NULL;
    char *const line = f != NULL ? last_line(f) : NULL;
    json_t *const o = line != NULL ? json_loads(line, 0, NULL) : NULL;
    const char *const says = json_string_value(json_object_get(o, "adc_says"));
    const double ppm = json_number_value(json_object_get(o, "clock_ppm"));
    const double speed = json_number_value(json_object_get(o, "clock_speed"));

    out[0] = '\0';
    if (says != NULL)
        snprintf(out, cap, "samples of the ADC: %s", says);
    else if (fabs(ppm) > RUN_HEALTH_PPM)
        snprintf(out, cap, "its clock runs %.0f ppm %s than this machine's", fabs(ppm),
                 ppm < 0 ? "slower" : "faster");
    else if (json_object_get(o, "clock_speed") != NULL)
        snprintf(out, cap, "its clock runs at %.3g times the speed of this machine's: an emulator?",
                 speed);
    mpj_text_clean(out);
    json_decref(o);
    free(line);
    if (f != NULL)
        fclose(f);
    free(file);
}

int run_health_show(const struct mpj_board *board, FILE *to, struct mpj_err *err)
{
    char *const file = file_of(board, false);
    FILE *const f = file != NULL ? fopen(file, "re") : NULL;
    char buf[4096];
    size_t n;

    if (f == NULL)
        mpj_err_errno(err, "no session of this user with %s is known: %s", board->id,
                      file != NULL ? file : "out of memory");
    while (f != NULL && (n = fread(buf, 1, sizeof(buf), f)) > 0)
        fwrite(buf, 1, n, to);
    if (f != NULL)
        fclose(f);
    free(file);
    return f != NULL ? MPJ_E_OK : err->code;
}
