/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the file of an external meter, NAME.meter next to NAME.mpj, and aligns it with the ADC's
 * samples, or, for a run without any, with its length. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sha2.h>

#include "base/file.h"
#include "report/store.h"
#include "report_int.h"
#include "store/energy_int.h"

#define UW_PER_W  1e6
#define NONE      "none"
#define BYTES_MAX (4LL << 30) /* of the file: 256 for each of the most samples */

/* Builds the path of the meter's file; NULL: out of memory, or the store is not a NAME.mpj. */
static char *path_beside(const char *store)
{
    const size_t len = strlen(store);
    char *path;

    if (len <= 4 || strcmp(store + len - 4, ".mpj") != 0 ||
        asprintf(&path, "%.*s.meter", (int)(len - 4), store) < 0)
        return NULL;
    return path;
}

static const char *last_part(const char *path)
{
    const char *const slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

/* Opens the file, which may be from anywhere; *out is NULL if there is none. */
static int open_lines(FILE **out, const char *path, struct mpj_err *err)
{
    const int fd = mpj_file_open(path);
    struct stat st;

    *out = NULL;
    if (fd < 0 && errno != ESPIPE)
        return MPJ_E_OK;
    if (fd < 0 || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
        mpj_err_set(err, MPJ_E_LOG, "%s is not a regular file", last_part(path));
    else if (st.st_size > BYTES_MAX)
        mpj_err_set(err, MPJ_E_LOG, "%s has more than %lld GB", last_part(path), BYTES_MAX >> 30);
    else if ((*out = fdopen(fd, "r")) == NULL)
        mpj_err_nomem(err);
    if (*out != NULL)
        return MPJ_E_OK;
    if (fd >= 0)
        close(fd);
    return err->code;
}

/* Reads the processor's power by the ADC, over seconds since the program began. */
static int read_adc(struct mpj_power *out, const struct loader *l, struct mpj_err *err)
{
    const struct mpj_run *const run = l->run;
    char sql[300];
    double code[TILE_POWER_MAX];
    double uv[TILE_POWER_MAX];
    double ua[TILE_POWER_MAX];
    double pw[TILE_POWER_MAX];
    sqlite3_stmt *s = NULL;
    int step = SQLITE_DONE;

    *out = (struct mpj_power){.time_s = malloc(run->adc_samples * sizeof(double)),
                              .watts = malloc(run->adc_samples * sizeof(double))};
    if (out->time_s == NULL || out->watts == NULL)
        return mpj_err_nomem(err);
    snprintf(sql, sizeof(sql),
             "SELECT time - time_begin, %s FROM adc, pass WHERE adc.pass = 0 AND id = 0 AND "
             "time BETWEEN time_begin AND time_end ORDER BY time",
             energy_columns(l->version));
    if (sqlite3_prepare_v2(l->db, sql, -1, &s, NULL) != SQLITE_OK)
        return mpj_sql_error(l->db, l->path, err);
    while (out->n < run->adc_samples && (step = sqlite3_step(s)) == SQLITE_ROW) {
        const double t = (double)sqlite3_column_int64(s, 0) / run->time_hz;
        if (out->n > 0 && !(t > out->time_s[out->n - 1]))
            continue;
        out->time_s[out->n] = t;
        for (int k = 0; k < TILE_POWER_MAX; k++)
            code[k] = sqlite3_column_double(s, 1 + k);
        mpj_supply_values(&run->supplies, code, uv, ua, pw);
        out->watts[out->n++] = pw[0] / MPJ_PW_PER_UW / UW_PER_W;
    }
    sqlite3_finalize(s);
    return step == SQLITE_ROW || step == SQLITE_DONE ? MPJ_E_OK
                                                     : mpj_sql_error(l->db, l->path, err);
}

/* Finds the run in the readings of the first channel, and then the energy of all of them. */
static int compare(const struct loader *l, FILE *f, const char *name, struct mpj_err *err)
{
    struct mpj_run *const run = l->run;
    struct mpj_meter_stream meter;
    struct mpj_power first;
    struct mpj_power adc = {0};
    int result = mpj_meter_read(&meter, f, last_part(name), err);

    first = mpj_meter_power(&meter, 0);
    if (result == MPJ_E_OK && !run->have_adc)
        result = mpj_meter_window(&run->meter, &first, run->time_s, err);
    else if (result == MPJ_E_OK && (result = read_adc(&adc, l, err)) == MPJ_E_OK)
        result = mpj_meter_align(&run->meter, &first, &adc, 0, run->time_s,
                                 run->processor.energy_uj, err);
    if (result == MPJ_E_OK)
        result = mpj_meter_channels(&run->meter, &meter, 0, run->time_s, err);
    mpj_meter_free(&meter);
    mpj_power_free(&adc);
    return result;
}

int mpj_store_meter(const char *path, const char *lines, struct mpj_err *err)
{
    char sum[SHA256_DIGEST_STRING_LENGTH];

    if (lines != NULL && SHA256File(lines, sum) == NULL)
        return mpj_err_errno(err, "cannot read %s", lines);
    return store_label(path, RUN_METER_SUM, lines != NULL ? sum : NONE, err);
}

/* Checks that the file is this run's: a command that was killed leaves an older run's file next to
 * the newer store. Rewinds it. */
static int check_own(const struct loader *l, FILE *f, const char *name, struct mpj_err *err)
{
    SHA2_CTX hash;
    char bytes[4096];
    long long all = 0;
    size_t n;
    char sum[SHA256_DIGEST_STRING_LENGTH];

    if (l->meter[0] == '\0')
        return MPJ_E_OK;
    SHA256Init(&hash);
    while (all <= BYTES_MAX && (n = fread(bytes, 1, sizeof(bytes), f)) > 0) {
        SHA256Update(&hash, (const uint8_t *)bytes, n);
        all += (long long)n;
    }
    if (ferror(f))
        return mpj_err_errno(err, "cannot read %s", name);
    rewind(f);
    SHA256End(&hash, sum);
    if (strcmp(sum, l->meter) == 0)
        return MPJ_E_OK;
    return mpj_err_set(err, MPJ_E_LOG, "%s is of another run", last_part(name));
}

int run_load_meter(struct loader *l)
{
    struct mpj_run *const run = l->run;
    struct mpj_err *const err = l->err;
    char *const name = run->complete && run->time_s > 0 ? path_beside(l->path) : NULL;
    FILE *f = NULL;
    int result = name != NULL ? open_lines(&f, name, err) : MPJ_E_OK;

    run->meter.present = f != NULL || result != MPJ_E_OK;
    if (f != NULL) {
        result = check_own(l, f, name, err);
        if (result == MPJ_E_OK)
            result = compare(l, f, name, err);
        fclose(f);
    }
    free(name);
    if (result == MPJ_E_OK || result == MPJ_E_NOMEM)
        return result;
    /* the run itself is not affected */
    snprintf(run->meter.problem, sizeof(run->meter.problem), "%s", err->text);
    mpj_text_clean(run->meter.problem);
    return MPJ_E_OK;
}

struct mpj_run_power mpj_run_power(const struct mpj_run *run)
{
    const struct mpj_meter *const m = &run->meter;
    const bool metered = m->present && m->problem[0] == '\0';
    const unsigned i = run->meter_channel > 0 ? run->meter_channel - 1 : 0;

    if (run->have_adc && run->meter_channel == 0)
        return (struct mpj_run_power){
            .present = true, .samples = run->adc_samples, .energy_uj = run->processor.energy_uj};
    if (!metered)
        return (struct mpj_run_power){.present = false};
    return (struct mpj_run_power){.present = true,
                                  .meter = m->channel[i].name,
                                  .samples = (unsigned)m->samples,
                                  .energy_uj =
                                      m->channels > 0 ? m->channel[i].energy_uj : m->energy_uj};
}

int mpj_run_choose_meter(struct mpj_run *run, const char *channel, struct mpj_err *err)
{
    const struct mpj_meter *const m = &run->meter;

    if (!m->present)
        return mpj_err_set(err, MPJ_E_LOG, "no external meter has said anything about the run");
    if (m->problem[0] != '\0')
        return mpj_err_set(err, MPJ_E_LOG, "the external meter: %s", m->problem);
    for (unsigned i = 0; i < m->channels; i++) {
        if (channel[0] == '\0' || strcmp(m->channel[i].name, channel) == 0) {
            run->meter_channel = i + 1;
            return MPJ_E_OK;
        }
    }
    if (channel[0] != '\0')
        return mpj_err_set(err, MPJ_E_USAGE,
                           "the external meter has no channel %s: the heading of its lines names "
                           "%s%s",
                           channel, m->channels > 0 ? "others, first " : "none",
                           m->channels > 0 ? m->channel[0].name : "");
    run->meter_channel = 1;
    return MPJ_E_OK;
}
