/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

int cli_fail(const struct mpj_err *err)
{
    fprintf(stderr, "mpjoule: %s\n", err->text);
    switch (err->code) {
    case MPJ_E_TIMEOUT:
        return CLI_TIMEOUT;
    case MPJ_E_CANCELLED:
        return CLI_CANCELLED;
    default:
        return CLI_FAILURE;
    }
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
    char *line;

    fclose(usage);
    line = usage_text;
    while (line != NULL && *line != '\0') {
        char *const end = strchrnul(line, '\n');
        const bool more = *end != '\0';
        *end = '\0';
        if (strncmp(line, "Try `", 5) == 0)
            break; /* a long name wraps this one over two lines */
        fprintf(stderr, "%s\n", line);
        line = more ? end + 1 : end;
    }
    free(usage_text);
}

bool cli_is_stdout(const char *path)
{
    return path != NULL && strcmp(path, "-") == 0;
}

void cli_end_signals(const struct sigaction *on)
{
    struct sigaction before;

    sigaction(SIGINT, on, NULL);
    sigaction(SIGTERM, on, NULL);
    if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
        sigaction(SIGHUP, on, NULL);
}

void cli_live_line(const char *format, ...)
{
    struct winsize size = {.ws_col = 0};
    char text[256];
    va_list ap;

    va_start(ap, format);
    vsnprintf(text, sizeof(text), format, ap);
    va_end(ap);
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        size.ws_col = 80;
    fprintf(stderr, "\r\033[K%.*s", size.ws_col - 1, text);
    fflush(stderr);
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

/* A path in the build tree: the executable is BUILD/host/cli/mpjoule. */
static char *in_build(const char *relative)
{
    char self[PATH_MAX];
    const ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
    char *out = NULL;

    if (n <= 0)
        return NULL;
    self[n] = '\0';
    for (unsigned up = 0; up < 3; up++) {
        char *slash = strrchr(self, '/');
        if (slash != NULL)
            *slash = '\0';
    }
    return asprintf(&out, "%s/%s", self, relative) < 0 ? NULL : out;
}

static char *from_environment(const char *name, const char *relative)
{
    const char *const value = getenv(name);

    return value != NULL && value[0] != '\0' ? strdup(value) : in_build(relative);
}

char *cli_path_qemu(void)
{
    return from_environment("MPJOULE_QEMU", "sim/qemu-system-arm");
}

char *cli_path_firmware(void)
{
    return from_environment("MPJOULE_FIRMWARE", "firmware");
}

char *cli_path_groups(void)
{
    return from_environment("MPJOULE_GROUPS", "../models/groups");
}

char *cli_path_models(void)
{
    return from_environment("MPJOULE_MODELS", "../models");
}

int cli_group(struct mpj_group **out, const char *name, struct mpj_err *err)
{
    char *const folder = cli_path_groups();
    int result;

    *out = NULL;
    if (folder == NULL)
        return mpj_err_set(err, MPJ_E_NOMEM, "out of memory");
    result = mpj_group_load(out, folder, name, err);
    free(folder);
    return result;
}

char *cli_path_calibration(const char *name)
{
    char *folder;
    char *out = NULL;

    if (strchr(name, '/') != NULL)
        return strdup(name);
    folder = from_environment("MPJOULE_CALIBRATIONS", "../sim/calibrations");
    if (folder != NULL && asprintf(&out, "%s/%s.conf", folder, name) < 0)
        out = NULL;
    free(folder);
    return out;
}
