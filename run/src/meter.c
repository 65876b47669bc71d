/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/meter_process.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/child.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/stop.h"
#include "report/store.h"
#include "run/passes.h"

#define PLACE    ".meter"
#define SAID     ".meter.new" /* until the store is in its place */
#define ERRORS   ".meter.err"
#define LOCK     ".meter.lock"
#define KEPT     ".failed.meter"
#define FIRST_S  10     /* for a meter to begin */
#define AFTER_US 300000 /* its lines may come in blocks */
#define LOOK_US  20000
/* Shell script in a session of its own: its end reaches all processes that the command has
 * started. */
static const char group[] = "trap 'trap - TERM; kill 0' TERM; MPJOULE_STORE=\"$2\"; "
                            "export MPJOULE_STORE; sh -c \"$1\" & wait $!";

static char *file_next_to(const char *store, const char *ending)
{
    const size_t len = strlen(store);
    const size_t stem = len > 4 && strcmp(store + len - 4, ".mpj") == 0 ? len - 4 : len;
    char *out = NULL;

    return asprintf(&out, "%.*s%s", (int)stem, store, ending) < 0 ? NULL : out;
}

char *run_meter_file(const char *store, unsigned i)
{
    static const char *const ending[RUN_METER_FILES] = {PLACE, SAID, ERRORS, LOCK, KEPT};

    return file_next_to(store, ending[i]);
}

static bool stopping(void *ctx)
{
    return atomic_load(&((struct meter *)ctx)->stop);
}

static void *watch(void *ctx)
{
    struct meter *const m = ctx;
    const char *const argv[] = {"setsid", "sh", "-c", group, "meter", m->command, m->store, NULL};
    const struct mpj_child child = {.file = "/usr/bin/setsid",
                                    .argv = argv,
                                    .out = m->file,
                                    .err = m->errors,
                                    .stopping = stopping,
                                    .ctx = m};

    if (mpj_child_run(&child, &m->status, &m->err) == MPJ_E_OK)
        m->err.code = MPJ_E_OK;
    atomic_store(&m->ended, true);
    return NULL;
}

static void forget(const char *store, const char *ending)
{
    char *const from = file_next_to(store, ending);

    if (from != NULL)
        unlink(from);
    free(from);
}

/* True if a meter's output is there, of so many bytes at least. */
static bool has_said(const char *path, off_t least)
{
    struct stat st;

    return path != NULL && lstat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_size >= least;
}

/* Renames the meter's output to NAME.failed.meter. */
static void keep(const char *store)
{
    char *const from = file_next_to(store, SAID);
    char *const to = file_next_to(store, KEPT);

    if (to != NULL && has_said(from, 1))
        (void)rename(from, to);
    free(from);
    free(to);
}

int meter_take(int *lock, const char *store, struct mpj_err *err)
{
    char *const path = file_next_to(store, LOCK);

    *lock = path != NULL ? mpj_file_lock(path, false, err) : mpj_err_nomem(err);
    free(path);
    if (*lock < 0)
        return err->code;
    keep(store);
    return MPJ_E_OK;
}

void meter_release(int lock, const char *store)
{
    forget(store, SAID);
    forget(store, LOCK); /* while it is ours */
    close(lock);
}

void meter_start(struct meter *m, const char *command, const char *store)
{
    const double begun = mpj_clock_s();
    struct stat st;

    *m = (struct meter){.command = command,
                        .store = store,
                        .file = file_next_to(store, SAID),
                        .errors = file_next_to(store, ERRORS)};
    if (m->file != NULL && lstat(m->file, &st) == 0 && S_ISDIR(st.st_mode)) {
        mpj_err_set(&m->err, MPJ_E_IO, "%s is a folder; it must be a file, for the meter's output",
                    m->file);
        return;
    }
    forget(store, SAID);
    if (m->file == NULL || m->errors == NULL || pthread_create(&m->thread, NULL, watch, m) != 0) {
        mpj_err_nomem(&m->err);
        return;
    }
    m->on = true;
    while (!atomic_load(&m->ended) && mpj_clock_s() - begun < FIRST_S && mpj_stop_count() == 0 &&
           (stat(m->file, &st) != 0 || st.st_size == 0))
        usleep(LOOK_US);
}

static void first_line(const char *path, char *out, size_t size)
{
    FILE *const f = fopen(path, "r");

    if (f == NULL || fgets(out, (int)size, f) == NULL)
        out[0] = '\0';
    if (f != NULL)
        fclose(f);
    out[strcspn(out, "\n")] = '\0';
    mpj_text_clean(out);
}

void meter_stop(struct meter *m, char said[256])
{
    char line[160] = "";
    bool by_itself;

    said[0] = '\0';
    if (m->on) {
        if (!atomic_load(&m->ended))
            usleep(AFTER_US);
        by_itself = atomic_load(&m->ended);
        atomic_store(&m->stop, true);
        pthread_join(m->thread, NULL);
        first_line(m->errors, line, sizeof(line));
        if (m->err.code == MPJ_E_OK && by_itself && m->status != 0)
            snprintf(said, 256, "the meter's command ended with status %d%s%s", m->status,
                     line[0] != '\0' ? ": " : "", line);
    }
    if (m->err.code != MPJ_E_OK)
        snprintf(said, 256, "the meter: %.240s", m->err.text);
    if (m->errors != NULL)
        unlink(m->errors);
    free(m->file);
    free(m->errors);
}

int meter_note(const char *path, const char *store, bool metered, struct mpj_err *err)
{
    char *const lines = file_next_to(store, SAID);
    char *const older = file_next_to(store, PLACE);
    const bool said = metered && has_said(lines, 0);
    int result = MPJ_E_OK;

    if (lines == NULL || older == NULL)
        result = mpj_err_nomem(err);
    else if (said || access(older, F_OK) == 0)
        result = mpj_store_meter(path, said ? lines : NULL, err);
    free(lines);
    free(older);
    return result;
}

int meter_place(const char *store, bool metered, struct mpj_err *err)
{
    char *const from = file_next_to(store, SAID);
    char *const to = file_next_to(store, PLACE);
    int result = MPJ_E_OK;

    if (from == NULL || to == NULL)
        result = mpj_err_nomem(err);
    else if (metered && has_said(from, 0))
        result = rename(from, to) == 0 ? MPJ_E_OK : mpj_err_errno(err, "cannot create %s", to);
    else if (unlink(to) != 0 && errno != ENOENT && errno != ENOTDIR)
        result = mpj_err_errno(err, "cannot remove %s, of an earlier run", to);
    free(from);
    free(to);
    return result;
}

void meter_fail(const char *store, bool metered)
{
    forget(store, KEPT);
    if (metered)
        keep(store);
}
