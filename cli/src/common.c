/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/stop.h"
#include "hil/image.h"
#include "report/page.h"
#include "run/energy_model.h"
#include "run/options.h"
#include "run/paths.h"

int cli_fail(const struct mpj_err *err)
{
    fprintf(stderr, "mpjoule: %s\n", err->text);
    switch (err->code) {
    case MPJ_E_BOUND:
        return RUN_STATUS_BOUND;
    case MPJ_E_TIMEOUT:
        return CLI_TIMEOUT;
    case MPJ_E_CANCELLED:
        return CLI_CANCELLED;
    default:
        return CLI_FAILURE;
    }
}

void cli_note(const char *format, ...)
{
    struct mpj_err line;
    va_list ap;

    va_start(ap, format);
    vsnprintf(line.text, sizeof(line.text), format, ap);
    va_end(ap);
    mpj_text_clean(line.text);
    fprintf(stderr, "mpjoule: %s\n", line.text);
}

int cli_source_open(struct cli_source *s, const char *name, struct mpj_err *err)
{
    *s = (struct cli_source){.file = name};
    if (!mpj_page_is(name))
        return MPJ_E_OK;
    if (mpj_tempdir_make(&s->folder, err) != MPJ_E_OK ||
        mpj_page_take(&s->taken, name, s->folder.path, err) != MPJ_E_OK)
        return err->code;
    s->file = s->taken;
    return MPJ_E_OK;
}

void cli_source_close(struct cli_source *s)
{
    free(s->taken);
    mpj_tempdir_remove(&s->folder);
}

int cli_fail_board(const struct mpj_err *err)
{
    const int status = cli_fail(err);

    switch (err->code) {
    case MPJ_E_NO_PORT:
    case MPJ_E_BUSY:
        return CLI_NO_PORT;
    case MPJ_E_NO_ANSWER:
        return CLI_NO_ANSWER;
    case MPJ_E_IDENTITY:
        return CLI_IDENTITY;
    case MPJ_E_LINK:
        return CLI_LINK;
    case MPJ_E_FLASH:
        return CLI_FLASH;
    case MPJ_E_FAULT:
    case MPJ_E_PROGRAM:
        return CLI_PROGRAM;
    default:
        return status;
    }
}

static char *usage_text;
static size_t usage_size;
static FILE *usage;

static void usage_end(void)
{
    static const char advice[] = "\nTry `";
    char *text;
    char *end = NULL;

    fclose(usage);
    text = usage_text;
    if (text == NULL)
        return;
    if (strncmp(text, advice + 1, sizeof(advice) - 2) == 0)
        *text = '\0';
    for (char *at = text; (at = strstr(at, advice)) != NULL; at++)
        end = at; /* the last: an argument may say anything */
    if (end == NULL && *text != '\0')
        end = text + strlen(text) - (text[strlen(text) - 1] == '\n');
    if (end != NULL)
        *end = '\0';
    if (strncmp(text, "Usage:", 6) == 0)
        mpj_text_clean_lines(text);
    else
        mpj_text_clean(text);
    if (*text != '\0')
        fprintf(stderr, "%s\n", text);
    free(usage_text);
}

bool cli_is_stdout(const char *path)
{
    return path != NULL && strcmp(path, "-") == 0;
}

static bool live; /* a live line is showing */

void cli_live_clear(void)
{
    if (live)
        fputs("\r\033[K", stderr);
    live = false;
}

void cli_live_line(const char *format, ...)
{
    struct winsize size = {.ws_col = 0};
    char text[256];
    va_list ap;

    if (!cli_shows_progress())
        return;
    va_start(ap, format);
    vsnprintf(text, sizeof(text), format, ap);
    va_end(ap);
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        size.ws_col = 80;
    fprintf(stderr, "\r\033[K%.*s", size.ws_col - 1, text);
    fflush(stderr);
    live = true;
}

int cli_output(int before, const char *path, mpj_file_put *put, const void *what,
               struct mpj_err *err)
{
    struct mpj_err why;
    int result = MPJ_E_OK;

    if (path == NULL)
        return before;
    if (!cli_is_stdout(path)) {
        result = mpj_file_write(path, put, what, &why);
    } else {
        result = put(what, stdout, &why);
        if (result == MPJ_E_OK && (fflush(stdout) != 0 || ferror(stdout)))
            result = mpj_err_errno(&why, "cannot write to stdout");
    }
    if (before != MPJ_E_OK || result == MPJ_E_OK)
        return before;
    *err = why;
    return result;
}

const char *cli_place(const char *path, bool result)
{
    return result || cli_is_stdout(path) ? path : NULL;
}

FILE *cli_usage_stream(void)
{
    if (usage == NULL) {
        usage = open_memstream(&usage_text, &usage_size);
        if (usage != NULL && atexit(usage_end) != 0) {
            fclose(usage);
            usage = NULL;
        }
    }
    return usage != NULL ? usage : stderr;
}

int cli_group(struct mpj_group **out, const char *name, struct mpj_err *err)
{
    char *const folder = run_path_groups();
    int result;

    *out = NULL;
    if (folder == NULL)
        return mpj_err_nomem(err);
    result = mpj_group_load(out, folder, name, err);
    free(folder);
    return result;
}

int cli_model_apply(struct mpj_run *run, const char *name, struct mpj_err *err)
{
    struct mpj_err warning;
    const int result = run_model_apply(run, name, &warning, err);

    if (warning.code != MPJ_E_OK)
        fprintf(stderr, "mpjoule: %s\n", warning.text);
    return result;
}

void cli_dropped(const struct mpj_dropped *d)
{
    for (uint32_t i = 0; i < d->count; i++) {
        const uint32_t kind = d->d[i].kind;
        const char *const name = kind == MPJ_REC_ADC           ? "ADC"
                                 : kind == MPJ_REC_CONSOLE_OUT ? "stdout"
                                 : kind == MPJ_REC_CONSOLE_ERR ? "stderr"
                                 : kind == MPJ_REC_THREAD      ? "threads"
                                 : kind == MPJ_REC_SYNC_WAIT   ? "waits"
                                 : kind == MPJ_REC_MOMENTS     ? "moments"
                                 : kind == MPJ_REC_ADAPT       ? "adaptation"
                                                               : "other";

        if (kind == MPJ_REC_REGION) /* the target does not distinguish the two */
            fprintf(stderr,
                    "mpjoule: the target has no account of %" PRIu64
                    " executions of parallel regions: "
                    "nested more than two deep, or of more regions and threads than it keeps\n",
                    d->d[i].records);
        else
            fprintf(stderr,
                    "mpjoule: the target had no memory for %" PRIu64 " records: kind 0x%02x (%s)\n",
                    d->d[i].records, kind, name);
    }
}

int cli_print(FILE *f, const void *data, size_t len)
{
    const int failed = fflush(f) != 0 ? errno : mpj_stop_write(fileno(f), data, len);

    return f == stdout ? failed : 0;
}

void cli_end_unread(void)
{
    mpj_pipe_restore();
    raise(SIGPIPE);
}

/* Returns the path of a candidate if it can be read; NULL: it cannot. */
static char *readable(char *path)
{
    if (path != NULL && access(path, R_OK) == 0)
        return path;
    free(path);
    return NULL;
}

static char *next_to(const char *store, const char *program)
{
    const char *const slash = strrchr(store, '/');
    char *path;

    return asprintf(&path, "%.*s%s", slash != NULL ? (int)(slash - store) + 1 : 0, store, program) <
                   0
               ? NULL
               : path;
}

int cli_program_find(char **elf, const struct mpj_run *run, const char *store, struct mpj_err *err)
{
    const char *const name = run->program;
    const char *const typed = run->given.path;
    char *const found[] = {readable(name != NULL ? next_to(store, name) : NULL),
                           readable(name != NULL ? strdup(name) : NULL),
                           readable(typed != NULL ? strdup(typed) : NULL)};
    int result = mpj_err_set(err, MPJ_E_USAGE,
                             "the program %s is neither next to %s nor in the current folder%s%s: "
                             "name it with --elf",
                             name != NULL ? name : "of the run", store,
                             typed != NULL ? ", nor is there " : "", typed != NULL ? typed : "");
    struct mpj_err other;

    *elf = NULL;
    for (size_t i = 0; i < sizeof(found) / sizeof(found[0]); i++) {
        if (found[i] == NULL)
            continue;
        if (*elf == NULL && cli_program_check(run, found[i], &other) == MPJ_E_OK) {
            *elf = found[i];
            result = MPJ_E_OK;
            continue;
        }
        if (result == MPJ_E_USAGE) { /* of several that are not it, the first is named */
            *err = other;
            result = other.code;
        }
        free(found[i]);
    }
    return result;
}

int cli_program_check(const struct mpj_run *run, const char *elf, struct mpj_err *err)
{
    struct mpj_image image;

    if (mpj_image_check(&image, elf, err) != MPJ_E_OK)
        return err->code;
    if (run->firmware_sha256 == NULL || strcmp(run->firmware_sha256, image.sha256) == 0)
        return MPJ_E_OK;
    return mpj_err_set(err, MPJ_E_ELF,
                       "%s is another build than the program that was run (sha256 %.12s, not "
                       "%.12s): give that with --elf, or run this one",
                       elf, image.sha256, run->firmware_sha256);
}
