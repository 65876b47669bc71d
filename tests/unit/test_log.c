/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The raw log: what was written is read, whatever moment the writer died at. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <signal.h>

#include <cmocka.h>

#include "log/log.h"
#include "test_dir.h"

static uint8_t file[1 << 20];
static struct mpj_err err;

static int setup(void **state)
{
    signal(SIGXFSZ, SIG_IGN);
    return test_dir_enter(state);
}

/* 20 DATA frames of growing size, meta before and truth after. */
static void write_log(const char *path)
{
    static uint8_t payload[1000];
    struct mpj_log *log;

    for (size_t i = 0; i < sizeof(payload); i++)
        payload[i] = (uint8_t)(i * i);
    assert_int_equal(mpj_log_create(&log, path, &err), 0);
    assert_int_equal(mpj_log_meta(log, "program", "x.elf", &err), 0);
    for (unsigned i = 0; i < 20; i++)
        assert_int_equal(mpj_log_frame(log, MPJ_FRAME_DATA, (uint16_t)i, payload, i * 50, &err), 0);
    assert_int_equal(mpj_log_bytes(log, MPJ_LOG_TRUTH, file, 3000, &err), 0);
    assert_int_equal(mpj_log_close(log, MPJ_E_OK, "", &err), 0);
}

/* Frames in the file; *cut and the final code as mpj_log_next gives them. */
static unsigned count(const char *path, bool *cut, int *code)
{
    struct mpj_log_reader *r;
    struct mpj_frame f;
    unsigned n = 0;

    *cut = false;
    *code = mpj_log_open(&r, path, &err);
    if (*code != 0)
        return 0;
    while ((*code = mpj_log_next(r, &f, cut, &err)) == 1) {
        if (f.type == MPJ_FRAME_DATA) {
            assert_int_equal(f.seq, n - 1); /* after the meta frame */
            assert_int_equal(f.len, f.seq % 20 * 50);
        }
        n++;
    }
    mpj_log_reader_free(r);
    return n;
}

static size_t load(const char *path)
{
    FILE *const f = fopen(path, "rb");
    size_t n;

    assert_non_null(f);
    n = fread(file, 1, sizeof(file), f);
    fclose(f);
    return n;
}

static void store(const char *path, size_t n)
{
    FILE *const f = fopen(path, "wb");

    assert_non_null(f);
    assert_int_equal(fwrite(file, 1, n, f), n);
    fclose(f);
}

static void round_trip(void **state)
{
    bool cut;
    int code;

    (void)state;
    write_log("a.mplog");
    assert_int_equal(count("a.mplog", &cut, &code), 1 + 20 + 3 + 1);
    assert_int_equal(code, 0);
    assert_false(cut);
}

/* Cut anywhere: a whole number of frames, no error, and the loss is said. */
static void cut_anywhere(void **state)
{
    bool cut;
    int code;
    unsigned last = 0;

    (void)state;
    write_log("a.mplog");
    const size_t n = load("a.mplog");
    for (size_t len = 0; len < n; len += len < 300 ? 1 : 37) {
        store("b.mplog", len);
        const unsigned frames = count("b.mplog", &cut, &code);
        if (len < MPJ_LOG_HEADER_SIZE) {
            assert_int_equal(code, MPJ_E_LOG);
            continue;
        }
        assert_int_equal(code, 0);
        assert_in_range(frames, last, last + 1);
        assert_int_equal(cut, len > MPJ_LOG_HEADER_SIZE && file[len - 1] != 0);
        last = frames;
    }
}

static void damage(void **state)
{
    bool cut;
    int code;

    (void)state;
    write_log("a.mplog");
    const size_t n = load("a.mplog");
    for (size_t at = MPJ_LOG_HEADER_SIZE; at + 1 < n; at += 101) {
        file[at] ^= 0x40;
        store("b.mplog", n);
        count("b.mplog", &cut, &code);
        assert_int_equal(code, MPJ_E_LOG);
        file[at] ^= 0x40;
    }
    file[8]++; /* version */
    store("b.mplog", n);
    count("b.mplog", &cut, &code);
    assert_int_equal(code, MPJ_E_LOG);
    assert_non_null(strstr(err.text, "version 2"));
    file[8]--;
    file[12] |= 0x80; /* a feature of the future */
    store("b.mplog", n);
    count("b.mplog", &cut, &code);
    assert_int_equal(code, MPJ_E_LOG);
}

static void compressed(void **state)
{
    bool cut;
    int code;

    (void)state;
    write_log("a.mplog");
    const size_t plain = load("a.mplog");
    assert_int_equal(mpj_log_compress("a.mplog", &err), 0);
    assert_int_equal(count("a.mplog", &cut, &code), 25);
    assert_int_equal(code, 0);
    const size_t n = load("a.mplog");
    assert_true(n < plain / 2);
    assert_int_equal(mpj_log_compress("a.mplog", &err), MPJ_E_LOG); /* once is enough */
    store("b.mplog", n - 10);
    count("b.mplog", &cut, &code);
    assert_true(cut || code == MPJ_E_LOG);
}

/* A full disk: the error says so, and the file ends with a whole frame. */
static void full(void **state)
{
    struct rlimit old;
    struct rlimit limit;
    struct mpj_log *log;
    static uint8_t payload[MPJ_FRAME_PAYLOAD_MAX];
    bool cut;
    int code = 0;
    unsigned written = 0;

    (void)state;
    getrlimit(RLIMIT_FSIZE, &old);
    limit = old;
    limit.rlim_cur = 10000;
    assert_int_equal(mpj_log_create(&log, "a.mplog", &err), 0);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    assert_int_equal(mpj_log_meta(log, "k", "v", &err), 0);
    while (written < 100 && (code = mpj_log_frame(log, MPJ_FRAME_DATA, (uint16_t)written, payload,
                                                  written % 20 * 50, &err)) == 0)
        written++;
    setrlimit(RLIMIT_FSIZE, &old);
    assert_int_equal(code, MPJ_E_FULL);
    assert_int_equal(mpj_log_end(log, 0, "", &err), MPJ_E_IO); /* there is space again: too late */
    assert_non_null(strstr(err.text, "it is incomplete"));
    assert_int_equal(mpj_log_place(log, &err), 0);
    mpj_log_abandon(log);
    assert_int_equal(count("a.mplog", &cut, &code), written + 2);
    assert_int_equal(code, 0);
    assert_false(cut);
}

/* It takes its place when something is recorded; until then, and for two at once, what is there
 * stays. */
static void takes_its_place(void **state)
{
    struct mpj_log *log;
    struct mpj_log *second;
    struct stat old;
    struct stat now;
    bool cut;
    int code;

    (void)state;
    unlink("a.mplog");
    write_log("a.mplog");
    assert_int_equal(stat("a.mplog", &old), 0);
    assert_int_equal(mpj_log_create(&log, "a.mplog", &err), 0);
    assert_int_equal(stat("a.mplog", &now), 0);
    assert_int_equal(now.st_ino, old.st_ino);
    assert_int_equal(mpj_log_create(&second, "a.mplog", &err), MPJ_E_IO); /* before its HELLO ... */
    assert_null(second);
    assert_non_null(strstr(err.text, "another process is writing it"));
    assert_int_equal(mpj_log_place(log, &err), 0);
    assert_int_equal(stat("a.mplog", &now), 0);
    assert_int_not_equal(now.st_ino, old.st_ino);
    assert_int_equal(access("a.mplog.new", F_OK), -1);
    assert_int_equal(mpj_log_create(&second, "a.mplog", &err), MPJ_E_IO); /* ... and after */
    assert_int_equal(mpj_log_compress("a.mplog", &err), MPJ_E_IO);
    assert_int_equal(mpj_log_frame(log, MPJ_FRAME_HELLO, 0, "", 0, &err), 0);
    assert_int_equal(mpj_log_close(log, 0, "", &err), 0);
    /* the next fails: the one before stays, whole, and what was recorded is kept */
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(mpj_log_create(&log, "a.mplog", &err), 0);
        assert_int_equal(mpj_log_meta(log, "k", "v", &err), 0);
        if (i > 0)
            assert_int_equal(mpj_log_frame(log, MPJ_FRAME_DATA, 0, "", 0, &err), 0);
        assert_int_equal(mpj_log_frame(log, MPJ_FRAME_HELLO, 0, "", 0, &err), 0);
        assert_int_equal(mpj_log_end(log, MPJ_E_LINK, "lost", &err), 0);
        assert_int_equal(mpj_log_fail(log, "a.failed.mplog"), i > 0);
        assert_int_equal(count("a.mplog", &cut, &code), 2);
        assert_int_equal(access("a.mplog.new", F_OK), -1);
    }
    assert_int_equal(count("a.failed.mplog", &cut, &code), 4);
    unlink("a.failed.mplog");
    /* where it cannot be kept, nothing begins; what is in the way later costs nothing, either */
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(mpj_log_rescue("a.mplog", "a.failed.mplog", &err), 0);
        assert_int_equal(access("a.failed.mplog", F_OK), i > 0 ? 0 : -1);
        unlink("a.failed.mplog");
        assert_int_equal(mpj_log_create(&log, "a.mplog", &err), 0);
        assert_int_equal(mpj_log_meta(log, "k", "v", &err), 0);
        assert_int_equal(mpj_log_frame(log, MPJ_FRAME_DATA, 0, "", 0, &err), 0);
        assert_int_equal(mkdir("a.failed.mplog", 0777), 0);
        assert_int_equal(mpj_log_end(log, MPJ_E_LINK, "lost", &err), 0);
        assert_false(mpj_log_fail(log, "a.failed.mplog"));
        assert_int_equal(mpj_log_rescue("a.mplog", "a.failed.mplog", &err), MPJ_E_USAGE);
        assert_non_null(strstr(err.text, "a.failed.mplog is where a failed attempt would be kept"));
        assert_int_equal(rmdir("a.failed.mplog"), 0);
        assert_int_equal(count("a.mplog.new", &cut, &code), 3);
        assert_int_equal(count("a.mplog", &cut, &code), 2);
    }
    assert_int_equal(mpj_log_rescue("a.mplog", "a.failed.mplog", &err), 0);
    unlink("a.failed.mplog");
    /* a link stays one; a name that somebody prepared is not written through */
    assert_int_equal(symlink("a.mplog", "l.mplog"), 0);
    assert_int_equal(symlink("victim", "a.mplog.new"), 0);
    assert_int_equal(mkfifo("f.mplog", 0600), 0);
    assert_int_equal(mpj_log_create(&log, "f.mplog", &err), MPJ_E_IO);
    assert_non_null(strstr(err.text, "a pipe without a reader"));
    assert_int_equal(mpj_log_create(&log, "l.mplog", &err), 0);
    assert_int_equal(mpj_log_place(log, &err), 0);
    mpj_log_abandon(log);
    assert_int_equal(access("victim", F_OK), -1);
    assert_int_equal(lstat("l.mplog", &now), 0);
    assert_true(S_ISLNK(now.st_mode));
    unlink("a.mplog");
    unlink("l.mplog");
}

/* An older recording where no new file can be made, and files that are none: they stay. */
static void stays(void **state)
{
    struct mpj_log *log;
    pid_t child;
    bool cut;
    int code;
    int status;

    (void)state;
    assert_int_equal(mkdir("ro", 0755), 0);
    write_log("ro/a.mplog");
    close(creat("ro/empty.mplog", 0666));
    assert_int_equal(chmod("ro/a.mplog", 0666) | chmod("ro/empty.mplog", 0666), 0);
    assert_int_equal(chmod(".", 0755) | chmod("ro", 0555), 0);
    child = fork();
    if (child == 0) { /* root may write anywhere */
        bool ok = geteuid() != 0 || setresuid(65534, 65534, 65534) == 0;
        ok = ok && mpj_log_check("ro/a.mplog", &err) == MPJ_E_IO;
        ok = ok && mpj_log_create(&log, "ro/a.mplog", &err) == MPJ_E_IO && log == NULL;
        ok = ok && mpj_log_check("ro/new.mplog", &err) == MPJ_E_IO;
        ok = ok && mpj_log_create(&log, "ro/empty.mplog", &err) == MPJ_E_OK;
        if (ok)
            mpj_log_abandon(log);
        _exit(!ok);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(count("ro/a.mplog", &cut, &code), 1 + 20 + 3 + 1);
    assert_int_equal(chmod("ro", 0755), 0);

    assert_int_equal(truncate("ro/a.mplog", 3), 0); /* its first bytes are a log's */
    assert_int_equal(mpj_log_check("ro/a.mplog", &err), MPJ_E_OK);
    assert_int_equal(rename("ro/a.mplog", "ro/text"), 0);
    assert_int_equal(truncate("ro/text", 0), 0);
    assert_int_equal(mpj_log_check("ro/text", &err), MPJ_E_OK);
    assert_int_equal(truncate("ro/text", 1), 0); /* a zero byte */
    assert_int_equal(symlink("text", "ro/l.mplog"), 0);
    assert_int_equal(mpj_log_create(&log, "ro/l.mplog", &err), MPJ_E_USAGE);
    assert_non_null(strstr(err.text, "ro/l.mplog is not a raw log"));
    assert_int_equal(access("ro/text.new", F_OK), -1);
    assert_int_equal(symlink("none", "ro/d.mplog"), 0);
    assert_int_equal(mpj_log_create(&log, "ro/d.mplog", &err), MPJ_E_USAGE);
    assert_int_equal(mkfifo("p.mplog", 0666), 0);
    assert_int_equal(count("p.mplog", &cut, &code), 0); /* and does not wait */
    assert_int_equal(code, MPJ_E_LOG);
    assert_true(mpj_log_is("p.mplog"));
    assert_int_equal(rename("p.mplog", "p"), 0);
    assert_false(mpj_log_is("p"));
}

/* The file goes while it is written: what was recorded does not. */
static void removed(void **state)
{
    static const struct {
        const char *says, *at;
    } t[] = {{"a.mplog was removed during the recording", "a.mplog"},
             {"which is now in a.mplog.removed", "a.mplog.removed"},
             {"a.mplog was renamed during the recording", "b.mplog"}};
    struct mpj_log *log;
    bool cut;
    int code;

    (void)state;
    for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
        unlink("a.mplog");
        assert_int_equal(mpj_log_create(&log, "a.mplog", &err), 0);
        assert_int_equal(mpj_log_frame(log, MPJ_FRAME_HELLO, 0, "", 0, &err), 0);
        assert_int_equal(mpj_log_place(log, &err), 0);
        if (i < 2)
            assert_int_equal(unlink("a.mplog"), 0);
        else
            assert_int_equal(rename("a.mplog", t[i].at), 0);
        if (i == 1)
            close(creat("a.mplog", 0666));
        assert_int_equal(mpj_log_close(log, 0, "", &err), MPJ_E_IO);
        assert_non_null(strstr(err.text, t[i].says));
        assert_non_null(strstr(err.text, t[i].at));
        assert_int_equal(count(t[i].at, &cut, &code), 2);
        assert_false(cut);
    }
}

/* A link to a log in another file system: what failed, and what a killed process has recorded, is
 * kept next to the link. */
static void elsewhere(void **state)
{
    struct mpj_log *log;
    char place[64];
    char temp[80];
    char kept[80];
    unsigned whole;
    bool cut;
    int code;

    (void)state;
    snprintf(place, sizeof(place), "/dev/shm/mpj_test_log.%ld.mplog", (long)getpid());
    snprintf(temp, sizeof(temp), "%s.new", place);
    snprintf(kept, sizeof(kept), "%s.kept", place);
    write_log(place);
    whole = count(place, &cut, &code);
    assert_int_equal(symlink(place, "e.mplog"), 0);
    for (unsigned killed = 0; killed < 2; killed++) {
        assert_int_equal(mpj_log_create(&log, "e.mplog", &err), 0);
        assert_int_equal(mpj_log_meta(log, "k", "v", &err), 0);
        assert_int_equal(mpj_log_frame(log, MPJ_FRAME_DATA, 0, "", 0, &err), 0);
        if (killed) {
            assert_int_equal(link(temp, kept), 0);
            mpj_log_abandon(log);
            assert_int_equal(rename(kept, temp), 0);
            assert_int_equal(mpj_log_rescue("e.mplog", "e.failed.mplog", &err), 0);
        } else {
            assert_true(mpj_log_fail(log, "e.failed.mplog"));
        }
        assert_int_equal(access(temp, F_OK), -1);
        assert_int_equal(count("e.failed.mplog", &cut, &code), 2);
        assert_int_equal(unlink("e.failed.mplog"), 0);
    }
    assert_int_equal(count(place, &cut, &code), whole);
    unlink(place);
    unlink("e.mplog");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trip), cmocka_unit_test(cut_anywhere),
        cmocka_unit_test(damage),     cmocka_unit_test(compressed),
        cmocka_unit_test(full),       cmocka_unit_test(takes_its_place),
        cmocka_unit_test(stays),      cmocka_unit_test(elsewhere),
        cmocka_unit_test(removed),
    };
    return cmocka_run_group_tests(tests, setup, test_dir_leave);
}
