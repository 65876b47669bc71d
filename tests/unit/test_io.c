/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Host I/O: records there and back, and a service that stays in its folder. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "hil/io.h"

static char top[] = "/tmp/mpjoule-io-XXXXXX";
static struct mpj_io *io;
static struct mpj_err err;
static struct mpj_io_reply reply;

static struct mpj_bytes str(const char *s)
{
    return (struct mpj_bytes){(const uint8_t *)s, strlen(s)};
}

static void put_file(const char *path, const char *text)
{
    FILE *const f = fopen(path, "w");

    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

/* top/outside is out of reach; top/in is the folder. */
static int setup(void **state)
{
    (void)state;
    if (mkdtemp(top) == NULL || chdir(top) != 0 || mkdir("in", 0777) != 0 ||
        mkdir("in/sub", 0777) != 0)
        return 1;
    put_file("outside", "secret");
    put_file("in/data", "0123456789");
    put_file("input", "typed");
    if (symlink("data", "in/link") != 0 || symlink("../outside", "in/escape") != 0 ||
        symlink("..", "in/up") != 0 || symlink(top, "in/absolute") != 0 ||
        symlink("../..", "in/sub/upup") != 0 || mkfifo("in/pipe", 0600) != 0)
        return 1;
    return mpj_io_new(&io, "in", "input", &err);
}

static int teardown(void **state)
{
    char line[64];

    (void)state;
    mpj_io_free(io);
    snprintf(line, sizeof(line), "rm -rf %s", top);
    return system(line);
}

/* Every request travels as a record, as it does in earnest. */
static int64_t ask(const struct mpj_io_req *q)
{
    static uint8_t buf[MPJ_FRAME_PAYLOAD_MAX];
    struct mpj_writer w;
    struct mpj_reader r;
    struct mpj_rec rec;
    struct mpj_io_req request;
    struct mpj_io_reply answer;

    mpj_writer_init(&w, buf, sizeof(buf));
    assert_int_equal(mpj_io_req_put(&w, q), 0);
    mpj_reader_init(&r, buf, (size_t)(w.at - buf));
    assert_int_equal(mpj_rec_next(&r, &rec), 1);
    assert_int_equal(mpj_io_req_get(&rec, &request), 0);
    mpj_io_serve(io, &request, &answer);
    mpj_writer_init(&w, buf, sizeof(buf));
    assert_int_equal(mpj_io_reply_put(&w, &answer), 0);
    mpj_reader_init(&r, buf, (size_t)(w.at - buf));
    assert_int_equal(mpj_rec_next(&r, &rec), 1);
    assert_int_equal(mpj_io_reply_get(&rec, &reply), 0);
    return reply.result;
}

static int32_t open_as(const char *path, uint32_t flags)
{
    return (int32_t)ask(
        &(struct mpj_io_req){.op = MPJ_IO_OPEN, .path = str(path), .flags = flags, .mode = 0644});
}

static int64_t on_fd(uint32_t op, int32_t fd)
{
    return ask(&(struct mpj_io_req){.op = op, .fd = fd, .length = 4});
}

static void refused(const char *path)
{
    assert_int_equal(open_as(path, MPJ_IO_FOR_READ), -1);
    assert_int_equal(reply.error, MPJ_IO_EACCES);
    assert_int_equal(open_as(path, MPJ_IO_FOR_WRITE | MPJ_IO_CREATE), -1);
    assert_int_equal(ask(&(struct mpj_io_req){.op = MPJ_IO_STAT, .path = str(path)}), -1);
}

static void confined(void **state)
{
    char path[64];

    (void)state;
    refused("../outside");
    refused("sub/../../outside");
    refused("escape");
    refused("up/outside");
    refused("absolute/outside");
    refused("sub/upup/outside");
    refused("/etc/passwd");
    snprintf(path, sizeof(path), "%s/in/data", top);
    refused(path);

    static const char *const victim[] = {"../outside", "up/outside", "absolute/outside",
                                         "sub/../../outside", "/etc/passwd"};
    for (unsigned i = 0; i < sizeof(victim) / sizeof(victim[0]); i++) {
        assert_int_equal(ask(&(struct mpj_io_req){.op = MPJ_IO_UNLINK, .path = str(victim[i])}),
                         -1);
        assert_int_equal(ask(&(struct mpj_io_req){
                             .op = MPJ_IO_RENAME, .path = str(victim[i]), .data = str("mine")}),
                         -1);
        assert_int_equal(ask(&(struct mpj_io_req){
                             .op = MPJ_IO_RENAME, .path = str("data"), .data = str(victim[i])}),
                         -1);
        assert_int_equal(ask(&(struct mpj_io_req){.op = MPJ_IO_MKDIR, .path = str(victim[i])}), -1);
    }
    assert_int_equal(ask(&(struct mpj_io_req){.op = MPJ_IO_UNLINK, .path = str("sub/..")}), -1);
    assert_int_equal(access("outside", F_OK), 0);
    assert_int_equal(access("in/data", F_OK), 0);
}

static void files(void **state)
{
    int32_t fd;

    (void)state;
    fd = open_as("sub/../link", MPJ_IO_FOR_READ); /* both stay inside */
    assert_int_equal(fd, 3);
    assert_int_equal(on_fd(MPJ_IO_READ, fd), 4);
    assert_memory_equal(reply.data.p, "0123", 4);
    assert_int_equal(ask(&(struct mpj_io_req){
                         .op = MPJ_IO_LSEEK, .fd = fd, .offset = -2, .flags = MPJ_IO_FROM_END}),
                     8);
    assert_int_equal(on_fd(MPJ_IO_READ, fd), 2);
    assert_int_equal(on_fd(MPJ_IO_READ, fd), 0);
    assert_int_equal(on_fd(MPJ_IO_FSTAT, fd), 0);
    assert_int_equal(reply.kind, MPJ_IO_FILE);
    assert_int_equal(reply.size, 10);
    assert_int_equal(on_fd(MPJ_IO_ISATTY, fd), 0);
    assert_int_equal(ask(&(struct mpj_io_req){.op = MPJ_IO_WRITE, .fd = fd, .data = str("x")}), -1);
    assert_int_equal(reply.error, MPJ_IO_EBADF);
    assert_int_equal(on_fd(MPJ_IO_CLOSE, fd), 0);
    assert_int_equal(on_fd(MPJ_IO_CLOSE, fd), -1);
    assert_int_equal(on_fd(MPJ_IO_READ, -1), -1);
    assert_int_equal(on_fd(MPJ_IO_READ, 1000), -1);

    fd = open_as("new", MPJ_IO_FOR_WRITE | MPJ_IO_CREATE | MPJ_IO_EXCLUSIVE);
    assert_int_equal(fd, 3);
    assert_int_equal(ask(&(struct mpj_io_req){.op = MPJ_IO_WRITE, .fd = fd, .data = str("hello")}),
                     5);
    on_fd(MPJ_IO_CLOSE, fd);
    assert_int_equal(open_as("new", MPJ_IO_FOR_WRITE | MPJ_IO_CREATE | MPJ_IO_EXCLUSIVE), -1);
    assert_int_equal(reply.error, MPJ_IO_EEXIST);
    assert_int_equal(open_as("none", MPJ_IO_FOR_READ), -1);
    assert_int_equal(reply.error, MPJ_IO_ENOENT);
    assert_int_equal(open_as("", MPJ_IO_FOR_READ), -1);
    assert_int_equal(open_as("pipe", MPJ_IO_FOR_READ), -1); /* and does not hang */
    assert_int_equal(open_as("pipe", MPJ_IO_FOR_WRITE), -1);
    assert_int_equal(
        ask(&(struct mpj_io_req){.op = MPJ_IO_RENAME, .path = str("new"), .data = str("sub/n")}),
        0);
    assert_int_equal(ask(&(struct mpj_io_req){.op = MPJ_IO_STAT, .path = str("sub/n")}), 0);
    assert_int_equal(reply.size, 5);
    assert_int_equal(ask(&(struct mpj_io_req){
                         .op = MPJ_IO_UNLINK, .path = str("sub/n"), .flags = MPJ_IO_ONLY_FOLDER}),
                     -1);
    assert_int_equal(reply.error, MPJ_IO_ENOTDIR);
    assert_int_equal(ask(&(struct mpj_io_req){.op = MPJ_IO_UNLINK, .path = str("sub/n")}), 0);
    assert_int_equal(ask(&(struct mpj_io_req){.op = MPJ_IO_MKDIR, .path = str("d/"), .mode = 0755}),
                     0);
    assert_int_equal(ask(&(struct mpj_io_req){.op = MPJ_IO_STAT, .path = str("d")}), 0);
    assert_int_equal(reply.kind, MPJ_IO_FOLDER);
    assert_int_equal(
        ask(&(struct mpj_io_req){.op = MPJ_IO_UNLINK, .path = str("d"), .flags = MPJ_IO_NO_FOLDER}),
        -1);
    assert_int_equal(reply.error, MPJ_IO_EISDIR);
    assert_int_equal(ask(&(struct mpj_io_req){.op = MPJ_IO_UNLINK, .path = str("d")}), 0);
    assert_int_equal(ask(&(struct mpj_io_req){.op = MPJ_IO_MKDIR, .path = str("d"), .mode = 0755}),
                     0);
    assert_int_equal(ask(&(struct mpj_io_req){
                         .op = MPJ_IO_UNLINK, .path = str("d"), .flags = MPJ_IO_ONLY_FOLDER}),
                     0);
    assert_int_equal(ask(&(struct mpj_io_req){.op = 99}), -1);
    assert_int_equal(reply.error, MPJ_IO_ENOSYS);
}

/* The operations that came later: size, entries of a folder, permission bits, time of change. */
static void sizes(void **state)
{
    int32_t fd;

    (void)state;
    fd = open_as("sized", MPJ_IO_FOR_READ | MPJ_IO_FOR_WRITE | MPJ_IO_CREATE);
    assert_true(fd >= 3);
    assert_int_equal(ask(&(struct mpj_io_req){.op = MPJ_IO_WRITE, .fd = fd, .data = str("hello")}),
                     5);
    assert_int_equal(ask(&(struct mpj_io_req){.op = MPJ_IO_RESIZE, .fd = fd, .offset = 2}), 0);
    assert_int_equal(on_fd(MPJ_IO_FSTAT, fd), 0);
    assert_int_equal(reply.size, 2);
    assert_int_equal(ask(&(struct mpj_io_req){.op = MPJ_IO_RESIZE, .fd = fd, .offset = 100000}), 0);
    assert_int_equal(on_fd(MPJ_IO_FSTAT, fd), 0);
    assert_int_equal(reply.size, 100000);
    assert_int_equal(ask(&(struct mpj_io_req){.op = MPJ_IO_RESIZE, .fd = fd, .offset = -1}), -1);
    assert_int_equal(reply.error, MPJ_IO_EINVAL);
    assert_int_equal(ask(&(struct mpj_io_req){.op = MPJ_IO_RESIZE, .fd = 0, .offset = 1}), -1);
    assert_int_equal(reply.error, MPJ_IO_EINVAL);
    assert_int_equal(ask(&(struct mpj_io_req){.op = MPJ_IO_RESIZE, .fd = 60, .offset = 1}), -1);
    assert_int_equal(reply.error, MPJ_IO_EBADF);
    on_fd(MPJ_IO_CLOSE, fd);
    fd = open_as("sized", MPJ_IO_FOR_READ);
    assert_int_equal(ask(&(struct mpj_io_req){.op = MPJ_IO_RESIZE, .fd = fd, .offset = 1}), -1);
    assert_int_equal(reply.error, MPJ_IO_EINVAL); /* as ftruncate() of one that is read only */
    on_fd(MPJ_IO_CLOSE, fd);
}

static int64_t list(int32_t fd, int64_t from)
{
    return ask(&(struct mpj_io_req){.op = MPJ_IO_LIST, .fd = fd, .offset = from});
}

static void folders(void **state)
{
    static const uint8_t all[] = "\2.\0\2..\0\1a\0\2b\0\0c\0";
    char name[32];
    int64_t n;
    unsigned found = 0;
    int32_t fd;

    (void)state;
    assert_int_equal(ask(&(struct mpj_io_req){.op = MPJ_IO_MKDIR, .path = str("l"), .mode = 0755}),
                     0);
    put_file("in/l/a", "");
    assert_int_equal(mkdir("in/l/b", 0777), 0);
    assert_int_equal(symlink("../../outside", "in/l/c"), 0);
    fd = open_as("l", MPJ_IO_FOR_READ);
    assert_true(fd >= 3);
    assert_int_equal(list(fd, 0), 5); /* in the order of names; a link is something else */
    assert_int_equal(reply.data.len, sizeof(all) - 1);
    assert_memory_equal(reply.data.p, all, sizeof(all) - 1);
    assert_int_equal(list(fd, 4), 1);
    assert_memory_equal(reply.data.p, "\0c", 3);
    assert_int_equal(list(fd, 5), 0);
    assert_int_equal(list(fd, 1000), 0);
    /* What comes later is seen from the beginning on, so that numbers stay what they are. */
    put_file("in/l/aa", "");
    assert_int_equal(list(fd, 5), 0);
    assert_int_equal(list(fd, 0), 6);
    assert_int_equal(list(fd, -1), -1);
    assert_int_equal(reply.error, MPJ_IO_EINVAL);
    on_fd(MPJ_IO_CLOSE, fd);
    assert_int_equal(list(fd, 0), -1);
    assert_int_equal(reply.error, MPJ_IO_EBADF);
    assert_int_equal(list(0, 0), -1);
    assert_int_equal(reply.error, MPJ_IO_ENOTDIR);
    fd = open_as("data", MPJ_IO_FOR_READ);
    assert_int_equal(list(fd, 0), -1);
    assert_int_equal(reply.error, MPJ_IO_ENOTDIR);
    on_fd(MPJ_IO_CLOSE, fd);

    /* more than one reply holds */
    for (unsigned i = 0; i < 200; i++) {
        snprintf(name, sizeof(name), "in/l/file number %03u", i);
        put_file(name, "");
    }
    fd = open_as("l", MPJ_IO_FOR_READ);
    while ((n = list(fd, found)) > 0) {
        assert_true(reply.data.len <= MPJ_IO_DATA_MAX && n < 206);
        found += (unsigned)n;
    }
    assert_int_equal(n, 0);
    assert_int_equal(found, 206);
    on_fd(MPJ_IO_CLOSE, fd);
}

static int64_t set(uint32_t op, const char *path, uint32_t mode, int64_t time)
{
    return ask(&(struct mpj_io_req){.op = op, .path = str(path), .mode = mode, .offset = time});
}

static void attributes(void **state)
{
    struct stat before;
    struct stat after;

    (void)state;
    put_file("in/attr", "x");
    assert_int_equal(set(MPJ_IO_MODE, "attr", 04640, 0), 0);
    assert_int_equal(ask(&(struct mpj_io_req){.op = MPJ_IO_STAT, .path = str("attr")}), 0);
    assert_int_equal(reply.mode, 0640);
    assert_int_equal(stat("in/attr", &after), 0);
    assert_int_equal(after.st_mode & 07777U, 0640); /* no set-user-ID from a target */
    assert_int_equal(set(MPJ_IO_TOUCH, "attr", 0, 1000000000), 0);
    assert_int_equal(ask(&(struct mpj_io_req){.op = MPJ_IO_STAT, .path = str("attr")}), 0);
    assert_int_equal(reply.mtime, 1000000000);
    assert_int_equal(set(MPJ_IO_MODE, "nothing", 0640, 0), -1);
    assert_int_equal(reply.error, MPJ_IO_ENOENT);
    assert_int_equal(set(MPJ_IO_TOUCH, "", 0, 0), -1);
    assert_int_equal(reply.error, MPJ_IO_ENOENT);
    const int fd = open_as("attr", MPJ_IO_FOR_READ);
    assert_int_equal(ask(&(struct mpj_io_req){.op = MPJ_IO_MODE, .fd = fd, .mode = 0604}), 0);
    assert_int_equal(ask(&(struct mpj_io_req){.op = MPJ_IO_TOUCH, .fd = fd, .offset = 7}), 0);
    assert_int_equal(stat("in/attr", &after), 0);
    assert_int_equal(after.st_mode & 07777U, 0604);
    assert_int_equal(after.st_mtim.tv_sec, 7);
    assert_int_equal(on_fd(MPJ_IO_WHERE, fd), 0);
    assert_int_equal(reply.data.len, 4);
    assert_memory_equal(reply.data.p, "attr", 4);
    assert_int_equal(on_fd(MPJ_IO_CLOSE, fd), 0);
    put_file("in/lost", "x");
    put_file("in/kept (deleted)", "x");
    const int lost = open_as("lost", MPJ_IO_FOR_READ);
    const int kept = open_as("kept (deleted)", MPJ_IO_FOR_READ);
    assert_int_equal(unlink("in/lost"), 0);
    assert_int_equal(on_fd(MPJ_IO_WHERE, lost), -1);
    assert_int_equal(reply.error, MPJ_IO_ENOENT);
    put_file("in/lost (deleted)", "another"); /* what Linux calls it now */
    assert_int_equal(on_fd(MPJ_IO_WHERE, lost), -1);
    assert_int_equal(on_fd(MPJ_IO_WHERE, kept), 0);
    assert_int_equal(reply.data.len, 14);
    assert_int_equal(on_fd(MPJ_IO_CLOSE, lost) | on_fd(MPJ_IO_CLOSE, kept), 0);
    assert_int_equal(unlink("in/lost (deleted)") | unlink("in/kept (deleted)"), 0);
    assert_int_equal(ask(&(struct mpj_io_req){.op = MPJ_IO_MODE, .fd = fd, .mode = 0604}), -1);
    assert_int_equal(reply.error, MPJ_IO_EBADF);
    const int root = open_as(".", MPJ_IO_FOR_READ);
    assert_int_equal(on_fd(MPJ_IO_WHERE, root), 0);
    assert_int_equal(reply.data.len, 0);
    assert_int_equal(on_fd(MPJ_IO_CLOSE, root), 0);
    assert_int_equal(on_fd(MPJ_IO_WHERE, 0), -1);
    assert_int_equal(
        ask(&(struct mpj_io_req){.op = MPJ_IO_LINK, .path = str("attr"), .data = str("linked")}),
        0);
    assert_int_equal(stat("in/linked", &before), 0);
    assert_int_equal(before.st_ino, after.st_ino);
    assert_int_equal(
        ask(&(struct mpj_io_req){.op = MPJ_IO_LINK, .path = str("attr"), .data = str("../linked")}),
        -1);
    assert_int_equal(reply.error, MPJ_IO_EACCES);
    assert_int_equal(unlink("in/linked"), 0);
    assert_int_equal(stat("outside", &before), 0);
    static const char *const victim[] = {"../outside", "up/outside", "escape", "absolute/outside"};
    for (unsigned i = 0; i < sizeof(victim) / sizeof(victim[0]); i++) {
        assert_int_equal(set(MPJ_IO_MODE, victim[i], 0, 0), -1);
        assert_int_equal(reply.error, MPJ_IO_EACCES);
        assert_int_equal(set(MPJ_IO_TOUCH, victim[i], 0, 1), -1);
        assert_int_equal(reply.error, MPJ_IO_EACCES);
    }
    assert_int_equal(stat("outside", &after), 0);
    assert_int_equal(after.st_mode, before.st_mode);
    assert_int_equal(after.st_mtim.tv_sec, before.st_mtim.tv_sec);
}

static void input(void **state)
{
    (void)state;
    assert_int_equal(on_fd(MPJ_IO_READ, 0), 4);
    assert_memory_equal(reply.data.p, "type", 4);
    assert_int_equal(on_fd(MPJ_IO_READ, 0), 1);
    assert_int_equal(on_fd(MPJ_IO_READ, 0), 0);
}

static void too_many(void **state)
{
    (void)state;
    for (unsigned i = 0; i < MPJ_IO_FILES_MAX; i++)
        assert_int_equal(open_as("data", MPJ_IO_FOR_READ), 3 + (int)i);
    assert_int_equal(open_as("data", MPJ_IO_FOR_READ), -1);
    assert_int_equal(reply.error, MPJ_IO_EMFILE);
}

static void without_folder(void **state)
{
    struct mpj_io *const kept = io;

    (void)state;
    assert_int_equal(mpj_io_new(&io, "nowhere", NULL, &err), MPJ_E_IO);
    assert_int_equal(mpj_io_new(&io, NULL, "nowhere", &err), MPJ_E_IO);
    assert_int_equal(mpj_io_new(&io, NULL, NULL, &err), 0);
    assert_int_equal(open_as("data", MPJ_IO_FOR_READ), -1);
    assert_int_equal(reply.error, MPJ_IO_ENOENT);
    assert_int_equal(on_fd(MPJ_IO_READ, 0), 0);
    mpj_io_free(io);
    io = kept;
}

/* A pipe: opened without its writer, read when there is something or nothing more comes. */
static void waiting_input(void **state)
{
    const struct mpj_io_req want = {.op = MPJ_IO_READ, .fd = 0, .length = 100};
    const struct mpj_io_req other = {.op = MPJ_IO_READ, .fd = 3, .length = 100};
    struct mpj_io *const kept = io;
    int writer;

    (void)state;
    assert_true(mpj_io_ready(io, &want)); /* a file */
    assert_int_equal(mpj_io_new(&io, NULL, "in/pipe", &err), 0);
    assert_false(mpj_io_ready(io, &want));
    assert_true(mpj_io_ready(io, &other));
    writer = open("in/pipe", O_WRONLY | O_NONBLOCK);
    assert_true(writer >= 0);
    assert_false(mpj_io_ready(io, &want));
    assert_int_equal(write(writer, "typed\n", 6), 6);
    assert_true(mpj_io_ready(io, &want));
    assert_int_equal(ask(&want), 6);
    assert_false(mpj_io_ready(io, &want));
    close(writer);
    assert_true(mpj_io_ready(io, &want));
    assert_int_equal(ask(&want), 0);
    mpj_io_free(io);

    assert_int_equal(mpj_io_new(&io, NULL, NULL, &err), 0);
    assert_true(mpj_io_ready(io, &want)); /* nothing: its end */
    assert_int_equal(mpj_io_input(io), -1);
    mpj_io_free(io);

    assert_int_equal(mpj_io_new(&io, NULL, "in", &err), MPJ_E_IO);
    assert_non_null(strstr(err.text, "Is a directory"));
    io = kept;
}

static void bounds(void **state)
{
    static uint8_t big[MPJ_IO_DATA_MAX + 1];
    uint8_t buf[2048];
    struct mpj_writer w;
    struct mpj_io_req q = {.data = {big, sizeof(big)}};
    struct mpj_io_reply r = {.data = {big, sizeof(big)}};

    (void)state;
    mpj_writer_init(&w, buf, sizeof(buf));
    assert_int_equal(mpj_io_req_put(&w, &q), MPJ_LINK_ERR_RANGE);
    assert_int_equal(mpj_io_reply_put(&w, &r), MPJ_LINK_ERR_RANGE);
    mpj_writer_init(&w, buf, MPJ_FRAME_PAYLOAD_MAX);
    r.data.len = MPJ_IO_DATA_MAX;
    r.size = UINT64_MAX;
    r.mtime = INT64_MIN;
    assert_int_equal(mpj_io_reply_put(&w, &r), 0); /* the longest fits a frame */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(confined),       cmocka_unit_test(files),
        cmocka_unit_test(input),          cmocka_unit_test(sizes),
        cmocka_unit_test(folders),        cmocka_unit_test(attributes),
        cmocka_unit_test(without_folder), cmocka_unit_test(waiting_input),
        cmocka_unit_test(bounds),         cmocka_unit_test(too_many),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
