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
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/stop.h"
#include "mpj_page.h"
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

    if (!cli_shows())
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

int cli_check_output(const char *path, struct mpj_err *err)
{
    struct stat st;
    char *folder;
    char *slash;
    bool ok;

    if (path == NULL || cli_is_stdout(path))
        return MPJ_E_OK;
    if (path[0] != '\0' && stat(path, &st) == 0) {
        errno = S_ISDIR(st.st_mode) ? EISDIR : EACCES;
        ok = !S_ISDIR(st.st_mode) && access(path, W_OK) == 0;
        return ok ? MPJ_E_OK : mpj_err_errno(err, "cannot write %s", path);
    }
    folder = strdup(path);
    if (folder == NULL)
        return mpj_err_set(err, MPJ_E_NOMEM, "out of memory");
    slash = strrchr(folder, '/');
    if (slash != NULL)
        slash[1] = '\0';
    ok = path[0] != '\0' && access(slash != NULL ? folder : ".", W_OK | X_OK) == 0;
    if (path[0] == '\0')
        errno = ENOENT;
    free(folder);
    return ok ? MPJ_E_OK : mpj_err_errno(err, "cannot create %s", path[0] != '\0' ? path : "\"\"");
}

/* Whether a name stands for a file that may be there. */
static bool is_file(const char *path)
{
    return path != NULL && path[0] != '\0' && !cli_is_stdout(path);
}

/* Whether what is written at the path, for that output, is read, or is one of the others before the
 * end. */
static int check_path(const struct cli_files *files, size_t output, const char *path, size_t end,
                      struct mpj_err *err)
{
    for (size_t k = 0; k < files->inputs; k++) {
        const char *const in = files->input[k];
        if (is_file(in) && access(in, F_OK) == 0 && mpj_file_same(in, path))
            return mpj_err_set(err, MPJ_E_USAGE,
                               "%s is read, and would be overwritten: name another output", in);
    }
    for (size_t k = 0; k < end; k++) {
        if (k != output && is_file(files->output[k]) && mpj_file_same(files->output[k], path))
            return mpj_err_set(err, MPJ_E_USAGE,
                               "two outputs would be written to %s: name another one", path);
    }
    return MPJ_E_OK;
}

int cli_check_apart(const struct cli_files *files, struct mpj_err *err)
{
    for (size_t i = 0; i < files->outputs; i++) {
        const char *const out = files->output[i];
        char *grows = NULL;
        int result;

        if (!is_file(out))
            continue;
        result = check_path(files, i, out, i, err);
        if (result == MPJ_E_OK && i < files->growing) {
            result = asprintf(&grows, "%s.new", out) < 0
                         ? mpj_err_set(err, MPJ_E_NOMEM, "out of memory")
                         : check_path(files, i, grows, files->outputs, err);
            free(grows);
        }
        if (result != MPJ_E_OK)
            return result;
    }
    return MPJ_E_OK;
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
        return mpj_err_set(err, MPJ_E_NOMEM, "out of memory");
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

        if (kind == MPJ_REC_REGION) /* which of the two the target does not say */
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
