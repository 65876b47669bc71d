/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/health.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <jansson.h>

#include "run/paths.h"
#include "run/recipe.h"

#define FILE_MOST  (256 << 10) /* bytes, after which the file becomes NAME.1 */
#define LINES_MOST 8192U       /* bytes that hold RUN_HEALTH_ROW lines */
#define FAILED     "\"ok\": false"

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

static char *line_of(int code, const struct mpj_err *err, const struct mpj_session_result *r)
{
    const time_t now = time(NULL);
    char when[32] = "";
    struct tm tm;
    json_t *o;
    char *text;
    char *out = NULL;

    if (gmtime_r(&now, &tm) != NULL)
        strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%SZ", &tm);
    o = json_pack("{s:s,s:b,s:s*,s:I,s:I,s:I,s:I,s:I}", "time", when, "ok", !run_may_retry(code),
                  "error", code != MPJ_E_OK ? err->text : NULL, "bit_rate", (json_int_t)r->rate,
                  "frames", (json_int_t)r->line.frames, "damaged",
                  (json_int_t)(r->line.bad - r->noise), "resent", (json_int_t)r->link.resent,
                  "repeated", (json_int_t)r->link.repeated);
    text = o != NULL ? json_dumps(o, JSON_PRESERVE_ORDER) : NULL;
    if (text == NULL || asprintf(&out, "%s\n", text) < 0)
        out = NULL;
    free(text);
    json_decref(o);
    return out;
}

/* Returns how many of the last lines are of sessions that failed, RUN_HEALTH_ROW at most. */
static unsigned failed_in_a_row(int fd)
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
        if (strstr(begin, FAILED) == NULL)
            break;
        n++;
        end = begin;
    }
    return n;
}

static void judge(const struct mpj_board *board, unsigned failed, const struct mpj_err *err)
{
    char *const locks = run_path_locks();
    struct mpj_err ignored;
    char reason[200];

    if (locks != NULL && failed >= RUN_HEALTH_ROW && board->tags != NULL) {
        snprintf(reason, sizeof(reason), "%u sessions in a row failed, the last one: %.120s",
                 failed, err->text);
        (void)mpj_quarantine_put(locks, board, reason, &ignored);
    }
    free(locks);
}

void run_health_note(const struct mpj_board *board, int code, const struct mpj_err *err,
                     const struct mpj_session_result *result)
{
    char *const file = file_of(board, true);
    char *const line = line_of(code, err, result);
    char *old = NULL;
    struct stat st;
    int fd = -1;

    if (code == MPJ_E_CANCELLED || code == MPJ_E_BUSY)
        goto out; /* says nothing of the board */
    if (file != NULL && stat(file, &st) == 0 && st.st_size > FILE_MOST &&
        asprintf(&old, "%s.1", file) >= 0)
        (void)rename(file, old);
    if (file != NULL && line != NULL)
        fd = open(file, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd >= 0 && write(fd, line, strlen(line)) == (ssize_t)strlen(line) && run_may_retry(code))
        judge(board, failed_in_a_row(fd), err);
    if (fd >= 0)
        close(fd);
out:
    free(old);
    free(file);
    free(line);
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
