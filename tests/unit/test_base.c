/* SPDX-License-Identifier: GPL-2.0-or-later */
/* base/: files that are whole or not there, fields of CSV, JSON in pieces. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/csv.h"
#include "base/file.h"
#include "base/json.h"
#include "base/stop.h"
#include "base/tempdir.h"
#include "base/undo.h"
#include "test_dir.h"

static struct mpj_err err;

static int put_text(const void *what, FILE *f, struct mpj_err *e)
{
    return fputs(what, f) < 0 ? mpj_err_errno(e, "cannot write") : MPJ_E_OK;
}

static int put_half(const void *what, FILE *f, struct mpj_err *e)
{
    fputs(what, f);
    return mpj_err_set(e, MPJ_E_STORE, "no more of it");
}

static void holds(const char *path, const char *want)
{
    char text[64] = "";
    FILE *const f = fopen(path, "re");

    assert_non_null(f);
    text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
    fclose(f);
    assert_string_equal(text, want);
}

/* A text is read to its end, unless it has none. */
static void texts(void **state)
{
    static const char all[] = "a\n\0b";
    char found[16];
    FILE *f;

    (void)state;
    assert_int_equal(system("printf 'a\\n\\0b' >text; : >empty; mkfifo fed; cat text >fed &"), 0);
    for (const char *const *path = (const char *const[]){"text", "fed", NULL}; *path; path++) {
        f = mpj_file_text(*path, &err);
        assert_non_null(f);
        assert_int_equal(fread(found, 1, sizeof(found), f), sizeof(all) - 1);
        assert_memory_equal(found, all, sizeof(all) - 1);
        fclose(f);
    }
    f = mpj_file_text("empty", &err);
    assert_non_null(f);
    assert_int_equal(fgetc(f), EOF);
    fclose(f);
    assert_int_equal(system("head -c 100000 /dev/zero | tr '\\0' x >long"), 0);
    f = mpj_file_text("long", &err);
    assert_non_null(f);
    for (unsigned n = 0; n < 100000; n++)
        assert_int_equal(fgetc(f), 'x');
    assert_int_equal(fgetc(f), EOF);
    fclose(f);
    assert_null(mpj_file_text("/dev/zero", &err));
    assert_string_equal(err.text, "/dev/zero is too large for a text: more than 16 MB");
    assert_int_equal(err.code, MPJ_E_USAGE);
    assert_null(mpj_file_text("none", &err));
    assert_int_equal(err.code, MPJ_E_IO);
    assert_null(mpj_file_text(".", &err));
    assert_non_null(strstr(err.text, "Is a directory"));
}

/* Where a file takes its place, and which are the same. */
static void places(void **state)
{
    static const char text[] = "first";
    char name[NAME_MAX + 2] = "";
    char *place;

    (void)state;
    assert_int_equal(mkdir("at", 0755), 0);
    assert_int_equal(mpj_file_write("at/a", put_text, text, &err), MPJ_E_OK);
    assert_int_equal(symlink("at/a", "to_a"), 0);
    assert_int_equal(symlink("at/none", "to_none"), 0);
    assert_int_equal(mkfifo("pipe", 0600), 0);
    assert_int_equal(mpj_file_open("pipe"), -1); /* does not wait */
    assert_int_equal(errno, ESPIPE);
    assert_int_equal(mpj_file_open("/dev/null"), -1);
    assert_int_equal(close(mpj_file_open("to_a")), 0);
    assert_int_equal(close(mpj_file_open("at")), 0);
    assert_int_equal(mpj_file_place(&place, "at/new", "log", &err), MPJ_E_OK);
    assert_string_equal(place, "at/new");
    free(place);
    assert_int_equal(mpj_file_place(&place, "to_a", "log", &err), MPJ_E_OK);
    assert_string_equal(place + strlen(place) - 5, "/at/a");
    free(place);
    for (const char *const *bad = (const char *const[]){"to_none", "pipe", ".", "/dev/null", NULL};
         *bad != NULL; bad++)
        assert_int_equal(mpj_file_place(&place, *bad, "log", &err), MPJ_E_USAGE);
    assert_int_equal(mpj_file_place(&place, "no/such", "log", &err), MPJ_E_IO);
    assert_int_equal(mpj_file_place(&place, "", "log", &err), MPJ_E_IO);
    assert_null(place);
    /* what cannot be looked at is not called a file of another kind */
    memset(name, 'n', sizeof(name) - 1);
    assert_int_equal(mpj_file_place(&place, name, "log", &err), MPJ_E_IO);
    assert_non_null(strstr(err.text, "File name too long"));
    assert_int_equal(symlink("round", "round"), 0);
    assert_int_equal(mpj_file_place(&place, "round", "log", &err), MPJ_E_IO);
    assert_null(place);

    assert_true(mpj_file_begins("at/a", 0, text, 5));
    assert_true(mpj_file_begins("at/a", 1, "irst and more", 13));
    assert_false(mpj_file_begins("at/a", 0, "fist", 4));
    assert_true(mpj_file_begins("at/a", 60, "x", 1));
    assert_true(mpj_file_begins("at/none", 0, "x", 1));
    assert_false(mpj_file_begins("pipe", 0, "x", 1));
    assert_int_equal(mpj_file_begins("round", 0, "x", 1), -1); /* it may begin with anything */
    assert_int_equal(errno, ELOOP);

    assert_true(mpj_file_same("at/a", "to_a"));
    assert_true(mpj_file_same("at/new", "./at/../at/new"));
    assert_false(mpj_file_same("at/new", "new"));
    assert_false(mpj_file_same("at/a", "at/new"));
    assert_false(mpj_file_same("/dev/null", "/dev/null"));
}

static void whole_or_not(void **state)
{
    (void)state;
    assert_int_equal(mpj_file_write("a", put_text, "first", &err), MPJ_E_OK);
    holds("a", "first");
    assert_int_equal(access("a.new", F_OK), -1);
    /* a failure leaves what was there, and nothing beside it */
    assert_int_equal(mpj_file_write("a", put_half, "sec", &err), MPJ_E_STORE);
    assert_string_equal(err.text, "no more of it");
    holds("a", "first");
    assert_int_equal(access("a.new", F_OK), -1);
    assert_int_equal(mpj_file_write("b", put_half, "sec", &err), MPJ_E_STORE);
    assert_int_equal(access("b", F_OK), -1);
    assert_int_equal(mpj_file_write("a", put_text, "third", &err), MPJ_E_OK);
    holds("a", "third");
}

static void keeps_mode(void **state)
{
    struct stat st;

    (void)state;
    assert_int_equal(mpj_file_write("m", put_text, "x", &err), MPJ_E_OK);
    assert_int_equal(chmod("m", 0640), 0);
    assert_int_equal(mpj_file_write("m", put_text, "y", &err), MPJ_E_OK);
    assert_int_equal(stat("m", &st), 0);
    assert_int_equal(st.st_mode & 0777, 0640);
}

/* What cannot be replaced is written where it is. */
static void in_place(void **state)
{
    struct stat st;

    (void)state;
    assert_int_equal(symlink("far", "near"), 0);
    assert_int_equal(mpj_file_write("near", put_text, "through", &err), MPJ_E_OK);
    holds("far", "through");
    assert_int_equal(lstat("near", &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    assert_int_equal(mpj_file_write("/dev/full", put_text, "x", &err), MPJ_E_FULL);
    assert_non_null(strstr(err.text, "/dev/full"));
    assert_int_equal(access("/dev/full.new", F_OK), -1);
    assert_int_equal(mpj_file_write("no/such/folder", put_text, "x", &err), MPJ_E_IO);
    assert_string_equal(err.text, "cannot create no/such/folder: No such file or directory");
}

/* Whether a name is of a regular file of so many names. */
static bool has_names(const char *path, unsigned names)
{
    struct stat st;

    return lstat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_nlink == names;
}

/* Half of it destroys nothing behind a link, of a file that has two names, or that is open. */
static void whole_behind_links(void **state)
{
    char open_file[32];
    int fd;

    (void)state;
    assert_int_equal(mkdir("l", 0755), 0);
    assert_int_equal(mkdir("l/deep", 0755), 0);
    assert_int_equal(mpj_file_write("l/deep/target", put_text, "the older one", &err), MPJ_E_OK);
    assert_int_equal(symlink("deep/second", "l/first"), 0);
    assert_int_equal(symlink("../deep/target", "l/deep/second"), 0);
    assert_int_equal(mpj_file_write("l/first", put_half, "new", &err), MPJ_E_STORE);
    holds("l/deep/target", "the older one");
    assert_int_equal(mpj_file_write("l/first", put_text, "new", &err), MPJ_E_OK);
    holds("l/deep/target", "new");
    assert_true(has_names("l/deep/target", 1));
    assert_int_equal(symlink("nothing", "l/ahead"), 0);
    assert_int_equal(mpj_file_write("l/ahead", put_half, "new", &err), MPJ_E_STORE);
    assert_int_equal(access("l/nothing", F_OK), -1);

    assert_int_equal(mpj_file_write("l/one", put_text, "the older one", &err), MPJ_E_OK);
    assert_int_equal(link("l/one", "l/two"), 0);
    assert_int_equal(mpj_file_write("l/two", put_half, "new", &err), MPJ_E_STORE);
    holds("l/one", "the older one");
    assert_int_equal(mpj_file_write("l/two", put_text, "new", &err), MPJ_E_OK);
    holds("l/one", "new");
    assert_true(has_names("l/one", 2));

    fd = open("l/one", O_RDWR | O_CLOEXEC);
    snprintf(open_file, sizeof(open_file), "/dev/fd/%d", fd);
    assert_int_equal(unlink("l/two"), 0);
    assert_int_equal(mpj_file_write(open_file, put_half, "third", &err), MPJ_E_STORE);
    holds("l/one", "new");
    assert_int_equal(mpj_file_write(open_file, put_text, "third", &err), MPJ_E_OK);
    assert_int_equal(lseek(fd, 0, SEEK_END), 5); /* the same file */
    holds("l/one", "third");
    close(fd);
    assert_int_equal(system("test \"$(ls l l/deep | tr '\\n' ' ')\" = "
                            "'l: ahead deep first one  l/deep: second target '"),
                     0);
}

/* In a child, a limit on the size of files: a failed write, and what is executed has the signal as
 * it was. */
static void limited(void **state)
{
    const struct rlimit three = {3, 3};
    int status = 0;
    pid_t child;

    (void)state;
    assert_int_equal(mkdir("limit", 0755), 0);
    assert_int_equal(mpj_file_write("limit/a", put_text, "old", &err), MPJ_E_OK);
    assert_int_equal(mpj_file_write("limit/b", put_text, "old", &err), MPJ_E_OK);
    assert_int_equal(link("limit/b", "limit/c"), 0);
    assert_int_equal(symlink("a", "limit/to_a"), 0);
    child = fork();
    if (child == 0) {
        signal(SIGXFSZ, SIG_DFL);
        mpj_stop_begin();
        if (setrlimit(RLIMIT_FSIZE, &three) != 0 ||
            mpj_file_write("limit/to_a", put_text, "longer", &err) != MPJ_E_FULL ||
            mpj_file_write("limit/b", put_text, "longer", &err) != MPJ_E_FULL ||
            mpj_file_write("limit/d", put_text, "longer", &err) != MPJ_E_FULL)
            _exit(1);
        execl("/bin/sh", "sh", "-c", "echo longer >limit/e", (char *)NULL);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGXFSZ);
    holds("limit/a", "old");
    holds("limit/b", "old");
    assert_int_equal(system("rm -f limit/e; test \"$(ls limit | tr '\\n' ' ')\" = 'a b c to_a '"),
                     0);
}

/* ---- a signal that ends the process ------------------------------------------------- */

static int told; /* what a child is at, to its parent */

/* Half of it, and no end. */
static int put_and_wait(const void *what, FILE *f, struct mpj_err *e)
{
    fputs(what, f);
    fflush(f);
    if (write(told, "w", 1) == 1)
        pause();
    return mpj_err_set(e, MPJ_E_STORE, "woken");
}

static void *write_and_wait(void *path)
{
    static struct mpj_err e;

    mpj_file_write(path, put_and_wait, "half", &e);
    return NULL;
}

/* What a command may be at: two files and a folder, and a child of its own that ends first. */
static void begin_all(int ready)
{
    static char new_one[] = "sig/new";
    static char older[] = "sig/older";
    struct mpj_tempdir folder;
    pthread_t thread[2];
    char path[200];
    pid_t child;

    mpj_stop_begin();
    told = ready;
    if (mpj_tempdir_make(&folder, &err) != MPJ_E_OK)
        _exit(1);
    snprintf(path, sizeof(path), "%s/run.mpj", folder.path);
    mpj_file_write(path, put_text, "x", &err);
    pthread_create(&thread[0], NULL, write_and_wait, new_one);
    pthread_create(&thread[1], NULL, write_and_wait, older);
    child = fork();
    if (child == 0)
        raise(SIGTERM);
    waitpid(child, NULL, 0);
    if (access(path, F_OK) == 0 && write(ready, "f", 1) == 1)
        pause();
    _exit(1);
}

/* The older file is as it was, nothing else is there, and the signal is what ended the process. */
static void interrupted(void **state)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXCPU};
    char path[200];
    char byte;

    (void)state;
    assert_int_equal(mkdir("sig", 0755), 0);
    assert_int_equal(mkdir("sig/tmp", 0755), 0);
    assert_int_equal(mpj_file_write("sig/older", put_text, "whole", &err), MPJ_E_OK);
    assert_non_null(getcwd(path, sizeof(path) - 10));
    strcat(path, "/sig/tmp");
    setenv("TMPDIR", path, 1);
    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
        int ready[2];
        int status = 0;
        pid_t child;

        assert_int_equal(pipe(ready), 0);
        child = fork();
        if (child == 0) {
            signal(signals[i], SIG_DFL);
            begin_all(ready[1]);
        }
        close(ready[1]);
        for (unsigned n = 0; n < 3; n++)
            assert_int_equal(read(ready[0], &byte, 1), 1);
        assert_int_equal(system("test $(ls sig | wc -l) = 4"), 0);
        assert_int_equal(kill(child, signals[i]), 0);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status));
        assert_int_equal(WTERMSIG(status), signals[i]);
        holds("sig/older", "whole");
        assert_int_equal(system("test \"$(ls -A sig sig/tmp | tr '\\n' ' ')\" = "
                                "'sig: older tmp  sig/tmp: '"),
                         0);
        close(ready[0]);
    }
    unsetenv("TMPDIR");
}

/* What is ignored stays so; signals that are counted remove nothing. */
static void not_interrupted(void **state)
{
    int status = 1;
    pid_t child;

    (void)state;
    child = fork();
    if (child == 0) {
        const unsigned stops = mpj_stop_count();
        sigset_t mask;

        signal(SIGHUP, SIG_IGN);
        mpj_stop_begin();
        mpj_undo_lock(&mask);
        mpj_undo_add("stays", -1);
        mpj_undo_unlock(&mask);
        if (mpj_file_write("stays", put_text, "x", &err) != MPJ_E_OK)
            _exit(2);
        raise(SIGHUP);
        mpj_stop_catch();
        raise(SIGINT);
        _exit(access("stays", F_OK) == 0 && mpj_stop_count() == stops + 1 ? 0 : 3);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

/* ------------------------------------------------------------------------------------- */

/* What is there already, or comes meanwhile, stays. */
static void new_only(void **state)
{
    (void)state;
    assert_int_equal(mpj_file_new("n", put_text, "first", &err), MPJ_E_OK);
    assert_int_equal(mpj_file_new("n", put_text, "second", &err), MPJ_E_BUSY);
    holds("n", "first");
    assert_int_equal(symlink("nowhere", "dangling"), 0);
    assert_int_equal(mpj_file_new("dangling", put_text, "x", &err), MPJ_E_BUSY);
    assert_int_equal(access("nowhere", F_OK), -1);
    assert_int_equal(mpj_file_new("half", put_half, "x", &err), MPJ_E_STORE);
    assert_int_equal(access("half", F_OK), -1);
    assert_int_equal(system("ls | grep -E 'n[.]|half[.]|dangling[.]'"), 1 << 8);
}

/* What grows beside its place is never written to through what somebody else has put there. */
static void grows(void **state)
{
    struct stat st;
    int fd;
    int second;

    (void)state;
    assert_int_equal(mpj_file_write("target", put_text, "precious", &err), MPJ_E_OK);
    assert_int_equal(symlink("target", "g"), 0);
    fd = mpj_file_grow("g", false, &err);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "x", 1), 1);
    holds("target", "precious");
    holds("g", "x");
    /* one process at a time; ours is emptied when we come back */
    assert_int_equal(mpj_file_grow("g", false, &err), MPJ_E_BUSY);
    close(fd);
    fd = mpj_file_grow("g", true, &err);
    holds("g", "");
    /* it takes its place while another waits for it */
    assert_int_equal(rename("g", "place"), 0);
    second = mpj_file_grow("g", false, &err);
    assert_true(second >= 0);
    holds("place", "");
    close(fd);
    close(second);
    assert_int_equal(unlink("g"), 0);
    /* a hard link, a pipe */
    assert_int_equal(link("target", "g"), 0);
    fd = mpj_file_grow("g", false, &err);
    holds("target", "precious");
    close(fd);
    unlink("g");
    assert_int_equal(mkfifo("g", 0600), 0);
    fd = mpj_file_grow("g", false, &err);
    assert_int_equal(fstat(fd, &st), 0);
    assert_true(S_ISREG(st.st_mode));
    close(fd);
    assert_int_equal(mpj_file_grow("no/such", false, &err), MPJ_E_IO);
    assert_int_equal(mpj_file_grow(".", false, &err), MPJ_E_IO);
}

struct holder {
    pthread_t waiter;
    int fd;
    int sig;
    unsigned signals; /* at most */
    atomic_bool enough;
    atomic_bool released;
};

/* Signals meet the one that waits; then what it waits for is there. */
static void *disturb(void *arg)
{
    struct holder *const h = arg;

    for (unsigned i = 0; i < h->signals && !atomic_load(&h->enough); i++) {
        pthread_kill(h->waiter, h->sig);
        usleep(1000);
    }
    atomic_store(&h->released, true);
    close(h->fd);
    return NULL;
}

static void on_mark(int sig)
{
    (void)sig;
}

/* A signal does not make two processes write one file; one that asks to end ends the wait. */
static void grows_signalled(void **state)
{
    const struct sigaction mark = {.sa_handler = on_mark};
    struct holder h = {.waiter = pthread_self(), .sig = SIGUSR1, .signals = 50};
    struct sigaction before[4];
    pthread_t other;
    int fd;

    (void)state;
    sigaction(SIGINT, NULL, &before[0]);
    sigaction(SIGTERM, NULL, &before[1]);
    sigaction(SIGHUP, NULL, &before[2]);
    sigaction(SIGUSR1, &mark, &before[3]);
    mpj_stop_catch();
    h.fd = mpj_file_grow("s", false, &err);
    assert_true(h.fd >= 0);
    assert_int_equal(pthread_create(&other, NULL, disturb, &h), 0);
    fd = mpj_file_grow("s", true, &err);
    assert_true(fd >= 0);
    assert_true(atomic_load(&h.released));
    assert_int_equal(pthread_join(other, NULL), 0);

    h = (struct holder){.waiter = pthread_self(), .fd = fd, .sig = SIGINT, .signals = UINT_MAX};
    assert_int_equal(pthread_create(&other, NULL, disturb, &h), 0);
    assert_int_equal(mpj_file_grow("s", true, &err), MPJ_E_BUSY);
    assert_string_equal(err.text, "s is being written by another process");
    assert_false(atomic_load(&h.released));
    atomic_store(&h.enough, true);
    assert_int_equal(pthread_join(other, NULL), 0);
    sigaction(SIGINT, &before[0], NULL);
    sigaction(SIGTERM, &before[1], NULL);
    sigaction(SIGHUP, &before[2], NULL);
    sigaction(SIGUSR1, &before[3], NULL);
}

/* Folders of dead processes go with the next one, those of others stay. */
static void temporary(void **state)
{
    struct mpj_tempdir mine;
    struct mpj_tempdir next;
    char path[200];
    char file[220];
    int ready[2];
    pid_t child;

    (void)state;
    assert_int_equal(mkdir("tmp", 0700), 0);
    assert_int_equal(mkdir("tmp/mpjoule-abcdef", 0700), 0); /* not of this kind */
    assert_int_equal(mkdir("tmp/mpjoule.shared", 0755), 0);
    assert_int_equal(symlink("..", "tmp/mpjoule.abcdef"), 0);
    assert_non_null(getcwd(path, sizeof(path) - 10));
    strcat(path, "/tmp");
    setenv("TMPDIR", path, 1);
    assert_int_equal(mpj_tempdir_make(&mine, &err), MPJ_E_OK);
    assert_int_equal(strncmp(mine.path, path, strlen(path)), 0);
    assert_int_equal(pipe(ready), 0);
    child = fork();
    if (child == 0) {
        if (mpj_tempdir_make(&next, &err) != MPJ_E_OK ||
            write(ready[1], next.path, strlen(next.path) + 1) < 0)
            _exit(1);
        pause();
        _exit(0);
    }
    assert_true(read(ready[0], path, sizeof(path)) > 0);
    snprintf(file, sizeof(file), "%s/left", path);
    assert_int_equal(mpj_file_write(file, put_text, "x", &err), MPJ_E_OK);
    assert_int_equal(mpj_tempdir_make(&next, &err), MPJ_E_OK);
    mpj_tempdir_remove(&next);
    assert_int_equal(access(file, F_OK), 0); /* it lives */
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    assert_int_equal(mpj_tempdir_make(&next, &err), MPJ_E_OK);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(access(mine.path, F_OK), 0);
    mpj_tempdir_remove(&next);
    mpj_tempdir_remove(&mine);
    assert_null(mine.path);
    mpj_tempdir_remove(&mine);
    assert_int_equal(system("test \"$(ls tmp | tr '\\n' ' ')\" = 'mpjoule-abcdef mpjoule.abcdef "
                            "mpjoule.shared '"),
                     0);
    close(ready[0]);
    close(ready[1]);
    unsetenv("TMPDIR");
}

static void fields(void **state)
{
    static const struct {
        const char *text, *field, *quoted;
    } t[] = {
        {"", "", "\"\""},
        {"plain", "plain", "\"plain\""},
        {"a,b", "\"a,b\"", "\"a,b\""},
        {"say \"x\"", "\"say \"\"x\"\"\"", "\"say \"\"x\"\"\""},
        {"two\nlines", "\"two\nlines\"", "\"two\nlines\""},
        {NULL, "", "\"\""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
        FILE *f = fopen("f", "we");
        mpj_csv_text(f, t[i].text);
        fclose(f);
        holds("f", t[i].field);
        f = fopen("f", "we");
        mpj_csv_quoted(f, t[i].text);
        fclose(f);
        holds("f", t[i].quoted);
    }
}

static void clocks(void **state)
{
    const double a = mpj_clock_s();
    const uint32_t ms = mpj_clock_ms();

    (void)state;
    usleep(20000);
    assert_true(mpj_clock_s() - a >= 0.02);
    assert_true(mpj_clock_ms() - ms >= 19);
}

static void names_in_errors(void **state)
{
    struct mpj_err e;
    static const struct {
        const char *name, *text;
    } row[] = {
        {"log", "cannot open log: No such file or directory"},
        {"", "cannot open \"\": No such file or directory"},
        {"log ", "cannot open log : No such file or directory"},
        {" ", "cannot open  : No such file or directory"},
    };

    (void)state;
    for (unsigned i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        errno = ENOENT;
        assert_int_equal(mpj_err_errno(&e, "cannot open %s", row[i].name), MPJ_E_IO);
        assert_string_equal(e.text, row[i].text);
    }
}

static void clean_text(void **state)
{
    char text[] = "a\x1b[2J\xc2\x9b"
                  "31m\x9b\xc4\x9b\xe2\x82\xac\x7f\n\xc4";

    (void)state;
    mpj_text_clean(text);
    assert_string_equal(text, "a [2J  31m \xc4\x9b\xe2\x82\xac   ");
    /* what has no width, or turns the direction of a line; not what looks like it */
    strcpy(text, "\xe2\x80\xae\xe2\x80\x8b\xef\xbb\xbf\xd8\x9c.\xe2\x80\x90\xd8\x9b");
    mpj_text_clean(text);
    assert_string_equal(text, "           .\xe2\x80\x90\xd8\x9b");
    assert_true(mpj_text_hides(0xe0041));
    assert_false(mpj_text_hides(0x2010));
    strcpy(text, "a\tb\n\x1b[2J\r");
    mpj_text_clean_lines(text);
    assert_string_equal(text, "a\tb\n [2J ");
    mpj_err_set(&err, MPJ_E_IO, "%s",
                "\xc2\x9b"
                "2Jx");
    assert_string_equal(err.text, "  2Jx");
}

/* A document of everything there is: an object, empty ones, arrays in arrays, text that needs
 * escapes, and what jansson refuses. */
static json_t *element(int i)
{
    json_t *const o = json_object();

    json_put_text(o, "text \"1\"", i % 2 ? "two\nlines\t\x01" : "");
    json_put_text(o, "refused", "\xff");
    json_put_real(o, "third", i / 3.0);
    json_object_set_new(o, "none", json_object());
    json_object_set_new(o, "list", json_pack("[i,[],[i]]", i, i));
    return o;
}

static void pieces(void **state)
{
    char *text[2] = {NULL, NULL};
    size_t size[2];
    FILE *f = open_memstream(&text[0], &size[0]);
    json_t *const root = json_object();
    json_t *const all = json_array();
    json_t *const inner = json_object();
    struct json_out o;

    (void)state;
    json_put_count(root, "a", 1);
    for (int i = 0; i < 3; i++)
        json_array_append_new(all, element(i));
    json_object_set_new(root, "key \"\\", all);
    json_object_set_new(root, "empty", json_array());
    json_put_count(inner, "b", 2);
    json_object_set_new(inner, "deep", json_pack("[o]", element(4)));
    json_object_set_new(root, "in", inner);
    json_put_text(root, "z", "end");
    assert_int_equal(json_write(root, f, &err), 0);
    fclose(f);

    f = open_memstream(&text[1], &size[1]);
    json_out_begin(&o, f);
    json_out_members(&o, json_pack("{s:i}", "a", 1));
    json_out_open(&o, "key \"\\", '[');
    for (int i = 0; i < 3; i++)
        json_out_put(&o, NULL, element(i));
    json_out_put(&o, NULL, NULL); /* as jansson does with what it could not make */
    json_out_close(&o);
    json_out_open(&o, "empty", '[');
    json_out_close(&o);
    json_out_open(&o, "in", '{');
    json_out_put(&o, "b", json_integer(2));
    json_out_open(&o, "deep", '[');
    json_out_put(&o, NULL, element(4));
    json_out_close(&o);
    json_out_close(&o);
    json_out_put(&o, "z", json_string("end"));
    assert_int_equal(json_out_end(&o, &err), 0);
    fclose(f);
    assert_string_equal(text[0], text[1]);
    free(text[0]);
    free(text[1]);

    f = fopen("/dev/full", "w");
    json_out_begin(&o, f);
    json_out_put(&o, "b", json_integer(2));
    assert_int_equal(json_out_end(&o, &err), MPJ_E_FULL);
    fclose(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_or_not), cmocka_unit_test(texts),
        cmocka_unit_test(places),       cmocka_unit_test(keeps_mode),
        cmocka_unit_test(in_place),     cmocka_unit_test(fields),
        cmocka_unit_test(clocks),       cmocka_unit_test(clean_text),
        cmocka_unit_test(pieces),       cmocka_unit_test(new_only),
        cmocka_unit_test(grows),        cmocka_unit_test(grows_signalled),
        cmocka_unit_test(temporary),    cmocka_unit_test(names_in_errors),
        cmocka_unit_test(limited),      cmocka_unit_test(whole_behind_links),
        cmocka_unit_test(interrupted),  cmocka_unit_test(not_interrupted),
    };

    return cmocka_run_group_tests(tests, test_dir_enter, test_dir_leave);
}
