/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The list of boards, what a board must be, and who has it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <libserialport.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hil/board.h"
#include "hil/port.h"
#include "hil/uucp.h"

static char dir[] = "/tmp/mpj-boards-XXXXXX";
static char file[64], locks[64];
static int status;

static int begin(void **state)
{
    (void)state;
    if (mkdtemp(dir) == NULL)
        return -1;
    snprintf(file, sizeof(file), "%s/boards.yaml", dir);
    snprintf(locks, sizeof(locks), "%s/locks", dir);
    return 0;
}

static int end(void **state)
{
    char command[128];

    (void)state;
    snprintf(command, sizeof(command), "rm -rf %s", dir);
    return system(command);
}

static void write_list(const char *text)
{
    FILE *const f = fopen(file, "w");

    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void list(void **state)
{
    const struct mpj_board *b;
    struct mpj_boards *all;
    struct mpj_err err;

    (void)state;
    write_list("# the rack\n"
               "boards:\n"
               "  - id: tile0\n"
               "    port: /dev/ttyUSB0\n"
               "    bit_rate: 0460800\n"
               "    start: openocd -f tile.cfg\n"
               "    meter: sigrok-cli --continuous\n"
               "    calibration: epro-mp\n"
               "    identity: {sys_id: 0x01400500, midr: 0x410fb024, flash_id: 0x00890018}\n"
               "    notes: \"left: the one with the fan\"\n"
               "  - {id: tile1, usb_serial: A9XYZ, power_cycle: relay 3}\n");
    assert_int_equal(mpj_boards_load(&all, file, &err), 0);
    assert_int_equal(all->count, 2);
    b = mpj_boards_find(all, "tile0");
    assert_non_null(b);
    assert_null(b->platform);
    assert_int_equal(b->line, 3);
    assert_string_equal(b->port, "/dev/ttyUSB0");
    assert_null(b->usb_serial);
    assert_int_equal(b->bit_rate, 460800);
    assert_string_equal(b->boot, "command");
    assert_string_equal(b->start, "openocd -f tile.cfg");
    assert_string_equal(b->meter, "sigrok-cli --continuous");
    assert_string_equal(b->calibration, "epro-mp");
    assert_int_equal(b->identity.sys_id, 0x01400500);
    assert_int_equal(b->identity.proc_id, 0);
    assert_int_equal(b->identity.flash_id, 0x00890018);
    b = mpj_boards_find(all, "tile1");
    assert_non_null(b);
    assert_string_equal(b->usb_serial, "A9XYZ");
    assert_int_equal(b->bit_rate, MPJ_BOARD_RATE);
    assert_string_equal(b->boot, "self");
    assert_null(mpj_boards_find(all, "tile2"));
    mpj_boards_free(all);
}

static void uboot(void **state)
{
    const struct mpj_board *b;
    struct mpj_boards *all;
    struct mpj_err err;

    (void)state;
    write_list("boards:\n"
               "  - {id: plain, port: /dev/x, start: uboot}\n"
               "  - id: all\n"
               "    port: /dev/y\n"
               "    start: uboot\n"
               "    power_cycle: relay 3\n"
               "    uboot: {prompt: 'OX820 # ', stop_when: always, stop_keys: q, transfer: tftp,\n"
               "            folder: /srv/tftp, before: dhcp, wait: 5, fresh: on, verify: off}\n");
    assert_int_equal(mpj_boards_load(&all, file, &err), 0);
    b = mpj_boards_find(all, "plain");
    assert_string_equal(b->boot, MPJ_BOARD_UBOOT);
    assert_null(b->start);
    assert_null(b->uboot.prompt);
    assert_false(b->uboot.fresh);
    assert_false(b->uboot.unverified);
    b = mpj_boards_find(all, "all");
    assert_string_equal(b->power_cycle, "relay 3");
    assert_string_equal(b->uboot.prompt, "OX820 # ");
    assert_string_equal(b->uboot.stop_when, MPJ_UBOOT_ALWAYS);
    assert_string_equal(b->uboot.stop_keys, "q");
    assert_string_equal(b->uboot.transfer, MPJ_UBOOT_TFTP);
    assert_string_equal(b->uboot.folder, "/srv/tftp");
    assert_string_equal(b->uboot.before, "dhcp");
    assert_int_equal(b->uboot.wait_s, 5);
    assert_true(b->uboot.fresh);
    assert_true(b->uboot.unverified);
    mpj_boards_free(all);
}

/* Each with the words the message must have, the line among them. */
static void wrong_lists(void **state)
{
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"", "is empty"},
        {"boards: 3\n", "expected a list \"boards:\""},
        {"tiles: []\n", ":1: unknown key: tiles"},
        {"boards:\n  - id: a\n    colour: red\n", ":3: unknown key: colour"},
        {"boards:\n  - port: /dev/x\n", ":2: a board without an id"},
        {"boards:\n  - {id: sim, port: /dev/x}\n", ":2: an id has"},
        {"boards:\n  - {id: a/b, port: /dev/x}\n", ":2: an id has"},
        {"boards:\n  - {id: a}\n", ":2: a board needs either"},
        {"boards:\n  - {id: a, port: /dev/x, usb_serial: y}\n", ":2: a board needs either"},
        {"boards:\n  - {id: a, port: /dev/x}\n  - {id: a, port: /dev/y}\n", ":3: duplicate id"},
        {"boards:\n  - {id: a, port: /dev/x, bit_rate: fast}\n", "not a whole number"},
        {"boards:\n  - {id: a, port: /dev/x, bit_rate: -1}\n", "not a whole number"},
        {"boards:\n  - {id: a, port: /dev/x, bit_rate: +1}\n", "not a whole number"},
        {"boards:\n  - {id: a, port: /dev/x, bit_rate: 0x}\n", "not a whole number"},
        {"boards:\n  - {id: a, port: /dev/x, bit_rate: }\n", ":2: a key without a value: bit_rate"},
        {"boards:\n  - {id: a, port: /dev/x, bit_rate: 0}\n", ":2: bit_rate must be from"},
        {"boards:\n  - {id: a, port: /dev/x, bit_rate: 4000001}\n", ":2: bit_rate must be from"},
        {"boards:\n  - id: a\n    port:\n", ":3: a key without a value: port"},
        {"boards:\n  - id: a\n    port: /dev/x\n    port: /dev/y\n", ":4: duplicate key: port"},
        {"boards:\n  - {id: a, port: /dev/x}\nboards: []\n", ":3: duplicate key: boards"},
        {"boards:\n  - {id: a, port: /dev/x, identity: {midr: 1, midr: 2}}\n",
         "duplicate key: midr"},
        {"boards:\n  - {id: a, port: [b]}\n", "expected one value, not a list or mapping: port"},
        {"boards:\n  - {id: a, port: /dev/x, boot: magic}\n",
         "boot must be self, command or loader"},
        {"boards:\n  - {id: a, port: /dev/x, reset_line: cts}\n",
         ":2: reset_line must be dtr, rts or break, not: cts"},
        {"boards:\n  - {id: a, port: \"tcp://h:1\", reset_line: rts}\n",
         ":2: a tcp:// port has no reset_line (rfc2217:// has): reset_line of: a"},
        {"boards:\n  - id: a\n    port: tcp://\n", ":3: \"tcp://\" is not tcp://HOST:PORT or"},
        {"boards:\n  - {id: a, port: \"tcp://localhost\"}\n", ":2: \"tcp://localhost\" is not"},
        {"boards:\n  - {id: a, port: \"tcp://:1\"}\n", ":2: \"tcp://:1\" is not"},
        {"boards:\n  - {id: a, port: \"tcp://[::1:1\"}\n", ":2: \"tcp://[::1:1\" is not"},
        {"boards:\n  - {id: a, port: \"tcp://h:x1\"}\n", ":2: \"tcp://h:x1\" is not"},
        {"boards:\n  - {id: a, port: \"tcp://h:0\"}\n", "with a PORT from 1 to 65535"},
        {"boards:\n  - {id: a, port: \"rfc2217://h:65536\"}\n", "with a PORT from 1 to 65535"},
        {"boards:\n  - {id: a, port: \"rfc2217://h:4294967297\"}\n", "is not tcp://HOST:PORT"},
        {"boards:\n  - {id: a, port: \"telnet://h:1\"}\n",
         ":2: \"telnet://h:1\" is not tcp://HOST:PORT or rfc2217://HOST:PORT"},
        {"boards:\n  - {id: a, port: /dev/x, boot: uboot}\n", "is `start: uboot`"},
        {"boards:\n  - {id: a, port: /dev/x, uboot: {wait: 3}}\n", ":2: the key uboot needs"},
        {"boards:\n  - {id: a, port: /dev/x, start: uboot, boot: self}\n",
         ":2: boot and `start: uboot`"},
        {"boards:\n  - {id: a, port: /dev/x, start: uboot, uboot: {promt: x}}\n",
         ":2: unknown key: promt"},
        {"boards:\n  - {id: a, port: /dev/x, start: uboot, uboot: {prompt: \"a\\tb\"}}\n",
         ":2: prompt, stop_when and before must"},
        {"boards:\n  - {id: a, port: /dev/x, start: uboot, uboot: {transfer: xmodem}}\n",
         ":2: transfer must be loady, loadb or tftp, not: xmodem"},
        {"boards:\n  - {id: a, port: /dev/x, start: uboot, uboot: {transfer: tftp}}\n",
         ":2: folder goes with"},
        {"boards:\n  - {id: a, port: /dev/x, start: uboot, uboot: {folder: /srv}}\n",
         ":2: folder goes with"},
        {"boards:\n  - {id: a, port: /dev/x, start: uboot, uboot: {wait: 3601}}\n",
         ":2: wait must be from"},
        {"boards:\n  - {id: a, port: /dev/x, start: uboot, uboot: {fresh: maybe}}\n",
         "expected on or off, not: maybe"},
        {"boards:\n  - {id: a, port: /dev/x, boot: command}\n", "needs a start command"},
        {"boards:\n  - {id: a, port: /dev/x, identity: 3}\n", "\"key: value\""},
        {"boards:\n  - {id: a, port: /dev/x, identity: {serial: 3}}\n", "unknown key: serial"},
        {"boards: [\n", "boards.yaml:2: "},
        {"\t\n", "boards.yaml:1: "},
    };
    struct mpj_boards *all;
    struct mpj_err err;

    (void)state;
    for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        write_list(bad[i].text);
        assert_int_equal(mpj_boards_load(&all, file, &err), MPJ_E_BOARDS);
        assert_null(all);
        if (strstr(err.text, bad[i].says) == NULL)
            fail_msg("\"%s\" does not say \"%s\"", err.text, bad[i].says);
    }
    assert_int_equal(mpj_boards_load(&all, "/nonexistent/boards.yaml", &err), MPJ_E_BOARDS);
}

static void identity(void **state)
{
    const struct mpj_identity want = {.sys_id = 1, .midr = 2, .flash_id = 3};
    struct mpj_identity seen = {.sys_id = 1, .proc_id = 77, .midr = 2, .flash_id = 3};
    struct mpj_err err;

    (void)state;
    assert_int_equal(mpj_identity_check(&want, &seen, "tile0", &err), 0);
    seen.flash_id = 0; /* not read */
    assert_int_equal(mpj_identity_check(&want, &seen, "tile0", &err), 0);
    seen.flash_id = 4;
    assert_int_equal(mpj_identity_check(&want, &seen, "tile0", &err), MPJ_E_IDENTITY);
    assert_non_null(strstr(err.text, "flash id is 0x00000004"));
    seen.midr = 0x99;
    assert_int_equal(mpj_identity_check(&want, &seen, "tile0", &err), MPJ_E_IDENTITY);
    assert_non_null(strstr(err.text, "tile0: its MIDR is 0x00000099"));
}

/* Another process has the board, by another name of the port, and dies. */
static void lock(void **state)
{
    char link[80];
    char holder[200];
    char ids[2][2] = {"a", "b"};
    struct mpj_board a = {.id = ids[0], .port = link};
    struct mpj_board b = {.id = ids[1], .port = file};
    struct mpj_lock *mine;
    struct mpj_err err;
    int ready[2];
    char byte;
    pid_t child;

    (void)state;
    write_list("");
    snprintf(link, sizeof(link), "%s/alias", dir);
    assert_int_equal(symlink(file, link), 0);
    mpj_lock_holder(locks, &a, holder, sizeof(holder));
    assert_string_equal(holder, "");

    assert_int_equal(pipe(ready), 0);
    child = fork();
    if (child == 0) {
        if (mpj_lock_take(&mine, locks, &a, "test", 0, &err) != 0)
            _exit(1);
        if (write(ready[1], "x", 1) != 1)
            _exit(1);
        pause();
        _exit(0);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    mpj_lock_holder(locks, &b, holder, sizeof(holder));
    assert_non_null(strstr(holder, "(test) since "));
    assert_int_equal(mpj_lock_take(&mine, locks, &b, "test", 0, &err), MPJ_E_BUSY);
    assert_null(mine);
    assert_non_null(strstr(err.text, "b is taken by "));
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);

    assert_int_equal(mpj_lock_take(&mine, locks, &b, "test", 0, &err), 0);
    mpj_lock_holder(locks, &a, holder, sizeof(holder));
    assert_non_null(strstr(holder, "process"));
    mpj_lock_release(mine);
    mpj_lock_holder(locks, &a, holder, sizeof(holder));
    assert_string_equal(holder, "");
    close(ready[0]);
    close(ready[1]);
}

/* One adapter for libserialport: "S-1" at the path `file`. */
enum sp_return sp_list_ports(struct sp_port ***list)
{
    *list = calloc(2, sizeof(**list));
    if (*list == NULL)
        return SP_ERR_MEM;
    (*list)[0] = (struct sp_port *)file;
    return SP_OK;
}

char *sp_get_port_usb_serial(const struct sp_port *port)
{
    static char serial[] = "S-1";

    (void)port;
    return serial;
}

char *sp_get_port_name(const struct sp_port *port)
{
    (void)port;
    return file;
}

char *sp_get_port_description(const struct sp_port *port)
{
    (void)port;
    return file;
}

void sp_free_port_list(struct sp_port **list)
{
    free(list);
}

/* A board by its adapter and by the adapter's port is one. */
static void lock_of_adapter(void **state)
{
    char id[] = "a";
    char serial[] = "S-1";
    char other[] = "S-2";
    char holder[200];
    struct mpj_board by_port = {.id = id, .port = file};
    struct mpj_board by_serial = {.id = id, .usb_serial = serial};
    struct mpj_board absent = {.id = id, .usb_serial = other};
    struct mpj_lock *mine;
    struct mpj_lock *second;
    struct mpj_err err;

    (void)state;
    write_list("");
    assert_int_equal(mpj_lock_take(&mine, locks, &by_port, "test", 0, &err), 0);
    mpj_lock_holder(locks, &by_serial, holder, sizeof(holder));
    assert_non_null(strstr(holder, "(test) since "));
    assert_int_equal(mpj_lock_take(&second, locks, &by_serial, "test", 0, &err), MPJ_E_BUSY);
    assert_int_equal(mpj_lock_take(&second, locks, &absent, "test", 0, &err), 0);
    mpj_lock_release(second);
    mpj_lock_release(mine);
}

/* A process that waits for a board, has it, says so, and waits to be ended. */
static pid_t waits_for(const struct mpj_board *b, char name, int done)
{
    const pid_t child = fork();
    struct mpj_lock *mine;
    struct mpj_err err;

    if (child != 0)
        return child;
    if (mpj_lock_take(&mine, locks, b, "test", 60, &err) != 0 || write(done, &name, 1) != 1)
        _exit(1);
    pause();
    _exit(0);
}

static unsigned tickets(void)
{
    DIR *const d = opendir(locks);
    const struct dirent *e;
    unsigned n = 0;

    assert_non_null(d);
    while ((e = readdir(d)) != NULL)
        n += strstr(e->d_name, ".turn.") != NULL;
    closedir(d);
    return n;
}

static void end_process(pid_t child)
{
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}

/* First come, first served, whoever looks first when the board is given back; a process that was
 * killed while it waited holds up nobody. */
static void in_turn(void **state)
{
    char id[] = "a";
    struct mpj_board a = {.id = id, .port = file};
    struct mpj_lock *mine;
    struct mpj_err err;
    int done[2];
    char who;
    pid_t p[4];

    (void)state;
    assert_int_equal(pipe(done), 0);
    for (unsigned i = 0; i < 4; i++) {
        p[i] = waits_for(&a, (char)('0' + i), done[1]);
        while (i == 0 ? read(done[0], &who, 1) != 1 : tickets() != i)
            usleep(1000);
    }
    assert_int_equal(mpj_lock_take(&mine, locks, &a, "test", 0, &err), MPJ_E_BUSY);
    assert_non_null(strstr(err.text, "a is taken by processes that wait for it"));
    end_process(p[1]);
    for (unsigned i = 0; i < 4; i++) {
        if (i == 1)
            continue;
        if (i > 0)
            assert_int_equal(read(done[0], &who, 1), 1);
        assert_int_equal(who, '0' + (char)i);
        if (i < 3) /* it comes too late */
            assert_int_equal(mpj_lock_take(&mine, locks, &a, "test", 0, &err), MPJ_E_BUSY);
        end_process(p[i]);
    }
    assert_int_equal(mpj_lock_take(&mine, locks, &a, "test", 0, &err), MPJ_E_OK);
    mpj_lock_release(mine);
    assert_int_equal(tickets(), 0);
    close(done[0]);
    close(done[1]);
}

/* Any board of several, the first that is free. */
static void any(void **state)
{
    char ids[2][2] = {"a", "b"};
    const struct mpj_board a = {.id = ids[0], .port = ids[0]};
    const struct mpj_board b = {.id = ids[1], .port = ids[1]};
    const struct mpj_board *const both[] = {&a, &b};
    struct mpj_lock *mine[3];
    struct mpj_err err;
    char path[80];
    int done[2];
    char who;
    pid_t p;

    (void)state;
    assert_int_equal(mpj_lock_take_any(&mine[0], locks, both, 2, NULL, "test", 0, &err), 0);
    assert_int_equal(mpj_lock_take_any(&mine[1], locks, both, 2, NULL, "test", 0, &err), 1);
    assert_int_equal(mpj_lock_take_any(&mine[2], locks, both, 2, NULL, "test", 0, &err),
                     MPJ_E_BUSY);
    assert_null(mine[2]);
    assert_non_null(strstr(err.text, "all 2 boards are taken, a by "));
    /* who waits for one of them comes first there, and not where it does not wait */
    assert_int_equal(pipe(done), 0);
    p = waits_for(&a, 'x', done[1]);
    while (tickets() != 1)
        usleep(1000);
    mpj_lock_release(mine[0]);
    mpj_lock_release(mine[1]);
    assert_int_equal(mpj_lock_take_any(&mine[0], locks, both, 2, NULL, "test", 0, &err), 1);
    assert_int_equal(read(done[0], &who, 1), 1);
    end_process(p);
    /* what waits for a lock whose file is removed has the file that others find afterwards */
    p = waits_for(&b, 'x', done[1]);
    while (tickets() != 1)
        usleep(1000);
    snprintf(path, sizeof(path), "%s/b", locks);
    assert_int_equal(unlink(path), 0);
    mpj_lock_release(mine[0]);
    assert_int_equal(read(done[0], &who, 1), 1);
    assert_int_equal(mpj_lock_take(&mine[0], locks, &b, "test", 0, &err), MPJ_E_BUSY);
    end_process(p);
    close(done[0]);
    close(done[1]);
}

/* A run that belongs to a sweep has the sweep's lock, by its descriptor and no other way. */
static void inherited(void **state)
{
    char id[] = "a";
    char path[PATH_MAX];
    const struct mpj_board a = {.id = id, .port = id};
    struct mpj_lock *l;
    struct mpj_lock *mine;
    struct mpj_err err;
    int fd;

    (void)state;
    assert_int_equal(mpj_lock_take(&l, locks, &a, "mpjoule sweep", 0, &err), MPJ_E_OK);
    snprintf(path, sizeof(path), "%s/a", locks);
    assert_false(mpj_lock_inherit(&mine, locks, &a, -1));
    fd = open(path, O_RDONLY | O_CLOEXEC); /* one that holds nothing */
    assert_false(mpj_lock_inherit(&mine, locks, &a, fd));
    close(fd);
    fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    assert_false(mpj_lock_inherit(&mine, locks, &a, fd));
    assert_null(mine);
    close(fd);
    fd = dup(mpj_lock_descriptor(l)); /* what a child has */
    assert_true(mpj_lock_inherit(&mine, locks, &a, fd));
    assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC); /* not for its own children */
    mpj_lock_release(mine);
    assert_int_equal(mpj_lock_take(&mine, locks, &a, "run", 0, &err), MPJ_E_BUSY);
    mpj_lock_release(l);
    assert_int_equal(mpj_lock_take(&mine, locks, &a, "run", 0, &err), MPJ_E_OK);
    mpj_lock_release(mine);
}

static void quarantine(void **state)
{
    char id[] = "a";
    char path[PATH_MAX];
    char why[100];
    const struct mpj_board a = {.id = id, .port = id};
    struct mpj_err err;

    (void)state;
    mpj_quarantine_get(locks, &a, why, sizeof(why));
    assert_string_equal(why, "");
    assert_int_equal(mpj_quarantine_put(locks, &a, "smoke\x1b[2J\nfire", &err), MPJ_E_OK);
    assert_int_equal(mpj_quarantine_put(locks, &a, "another reason", &err), MPJ_E_OK);
    mpj_quarantine_get(locks, &a, why, sizeof(why));
    assert_memory_equal(why, "smoke", 5);
    assert_null(strpbrk(why, "\x1b\n"));
    assert_int_equal(mpj_quarantine_lift(locks, &a, &err), MPJ_E_OK);
    assert_int_equal(mpj_quarantine_lift(locks, &a, &err), MPJ_E_OK);
    mpj_quarantine_get(locks, &a, why, sizeof(why));
    assert_string_equal(why, "");
    /* it stays when the board is unplugged, and another one in its place has none */
    char port[PATH_MAX];
    char device[PATH_MAX];
    const struct mpj_board linked = {.id = id, .port = port};
    const struct mpj_board other = {.id = id, .port = device};
    snprintf(port, sizeof(port), "%s/by-id", locks);
    snprintf(device, sizeof(device), "%s/ttyUSB0", locks);
    assert_int_equal(symlink(device, port), 0);
    assert_int_equal(close(open(device, O_CREAT | O_WRONLY | O_CLOEXEC, 0600)), 0);
    assert_int_equal(mpj_quarantine_put(locks, &linked, "smoke", &err), MPJ_E_OK);
    mpj_quarantine_get(locks, &other, why, sizeof(why));
    assert_string_equal(why, "");
    assert_int_equal(unlink(device), 0);
    mpj_quarantine_get(locks, &linked, why, sizeof(why));
    assert_string_equal(why, "smoke");
    assert_int_equal(mpj_quarantine_lift(locks, &linked, &err), MPJ_E_OK);
    unlink(port);
    /* nothing is written or read through a link */
    snprintf(path, sizeof(path), "%s/a.quarantine", locks);
    assert_int_equal(symlink(file, path), 0);
    write_list("mine");
    assert_int_equal(mpj_quarantine_put(locks, &a, "smoke", &err), MPJ_E_OK);
    mpj_quarantine_get(locks, &a, why, sizeof(why));
    assert_string_equal(why, "");
    unlink(path);
}

static void tags(void **state)
{
    struct mpj_boards *b;
    struct mpj_err err;

    (void)state;
    write_list("boards:\n"
               "  - {id: a, port: /dev/a, tags: [fast, rack-2]}\n"
               "  - {id: b, port: /dev/b, tags: rack}\n"
               "  - {id: c, port: /dev/c}\n");
    assert_int_equal(mpj_boards_load(&b, file, &err), MPJ_E_OK);
    assert_true(mpj_board_tagged(&b->board[0], "fast"));
    assert_true(mpj_board_tagged(&b->board[0], "rack-2"));
    assert_false(mpj_board_tagged(&b->board[0], "rack"));
    assert_false(mpj_board_tagged(&b->board[0], ""));
    assert_true(mpj_board_tagged(&b->board[1], "rack"));
    assert_false(mpj_board_tagged(&b->board[2], "rack"));
    mpj_boards_free(b);
    write_list("boards: [{id: a, port: /dev/a, tags: [two words]}]\n");
    assert_int_equal(mpj_boards_load(&b, file, &err), MPJ_E_BOARDS);
    assert_non_null(strstr(err.text, "a tag has letters"));
    write_list("boards: [{id: a, port: /dev/a, tags: {x: y}}]\n");
    assert_int_equal(mpj_boards_load(&b, file, &err), MPJ_E_BOARDS);
    assert_non_null(strstr(err.text, "a tag has letters"));
}

/* Somebody who only looks at the lock, on a machine that lets them wait in the middle of it, does
 * not have the board. */
static void looked_at(void **state)
{
    char id[] = "a";
    char path[PATH_MAX];
    char name[100];
    struct mpj_board a = {.id = id, .port = file};
    struct mpj_lock *mine;
    struct mpj_err err;
    int ready[2];
    char byte;
    pid_t child;

    (void)state;
    assert_int_equal(mpj_lock_take(&mine, locks, &a, "test", 0, &err), 0);
    mpj_lock_release(mine);
    snprintf(name, sizeof(name), "%s", file);
    for (char *p = name; *p != '\0'; p++)
        *p = *p == '/' ? '_' : *p;
    snprintf(path, sizeof(path), "%s/%s", locks, name);
    assert_int_equal(pipe(ready), 0);
    child = fork();
    if (child == 0) {
        const int fd = open(path, O_RDONLY | O_CLOEXEC);
        if (fd < 0 || flock(fd, LOCK_SH | LOCK_NB) != 0 || write(ready[1], "x", 1) != 1)
            _exit(1);
        usleep(900000);
        _exit(0);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_int_equal(mpj_lock_take(&mine, locks, &a, "test", 0, &err), 0);
    mpj_lock_release(mine);
    waitpid(child, NULL, 0);
    close(ready[0]);
    close(ready[1]);
}

/* The lock is everybody's to take and its owner's to write; who has it is what the kernel says. */
static void forged(void **state)
{
    char id[] = "a";
    char path[PATH_MAX];
    char holder[200];
    struct mpj_board a = {.id = id, .port = id};
    struct mpj_lock *mine;
    struct mpj_err err;
    struct stat st;
    FILE *f;

    (void)state;
    snprintf(path, sizeof(path), "%s/a", locks);
    assert_int_equal(mpj_lock_take(&mine, locks, &a, "test", 0, &err), 0);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0644);
    f = fopen(path, "we");
    assert_non_null(f);
    fprintf(f, "\x1b]0;evil\a nobody, process 1 (\xc2\x9b) since ever\n");
    fclose(f);
    mpj_lock_holder(locks, &a, holder, sizeof(holder));
    assert_null(strpbrk(holder, "\x1b\a\x9b"));
    assert_null(strstr(holder, "nobody"));
    snprintf(path, sizeof(path), "process %ld (test_boards)", (long)getpid());
    assert_non_null(strstr(holder, path));
    mpj_lock_release(mine);
    /* a link somewhere else is no lock */
    snprintf(path, sizeof(path), "%s/b", locks);
    assert_int_equal(symlink("/dev/null", path), 0);
    a.port[0] = 'b';
    assert_int_equal(mpj_lock_take(&mine, locks, &a, "test", 0, &err), MPJ_E_IO);
    assert_null(mine);
    unlink(path);
}

static void write_lock(const char *path, const char *text, size_t n)
{
    FILE *const f = fopen(path, "we");

    assert_non_null(f);
    fwrite(text, 1, n, f);
    fclose(f);
}

/* Locks of ports: FHS 3.0, 5.9: process 1230 is "      1230\n". */
static void port_lock(void **state)
{
    char path[100], none[100];
    char want[16];
    char text[32] = "";
    char holder[200];
    char *held = NULL;
    char *again = NULL;
    const int one = 1;
    struct mpj_err err;
    FILE *f;
    pid_t child;

    (void)state;
    assert_int_equal(mkdir(locks, 0777) == 0 || errno == EEXIST, 1);
    snprintf(path, sizeof(path), "%s/LCK..serial_tty9", locks);
    assert_int_equal(mpj_uucp_take(&held, locks, "/dev/serial/tty9", &err), 0);
    assert_string_equal(held, path);
    f = fopen(path, "re");
    assert_non_null(f);
    assert_int_equal(fread(text, 1, sizeof(text) - 1, f), 11);
    fclose(f);
    snprintf(want, sizeof(want), "%10ld\n", (long)getpid());
    assert_string_equal(text, want);
    /* another process finds it, named; and takes it when we are gone */
    child = fork();
    if (child == 0)
        _exit(mpj_uucp_take(&again, locks, "/dev/serial/tty9", &err) == MPJ_E_BUSY &&
                      again == NULL && strstr(err.text, "(test_boards), as ") != NULL
                  ? 0
                  : 1);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    mpj_uucp_release(held);
    assert_int_equal(access(path, F_OK), -1);
    /* of a process that is dead: removed */
    child = fork();
    if (child == 0)
        _exit(mpj_uucp_take(&again, locks, "/dev/serial/tty9", &err) == 0 && again != NULL ? 0 : 1);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(access(path, F_OK), 0);
    assert_int_equal(mpj_uucp_take(&held, locks, "/dev/serial/tty9", &err), 0);
    assert_non_null(held);
    mpj_uucp_release(held);
    /* process 1 lives: as text, and as the int of older programs */
    write_lock(path, "         1\n", 11);
    assert_int_equal(mpj_uucp_take(&held, locks, "/dev/serial/tty9", &err), MPJ_E_BUSY);
    assert_non_null(strstr(err.text, "held by process 1 ("));
    write_lock(path, (const char *)&one, sizeof(one));
    assert_int_equal(mpj_uucp_take(&held, locks, "/dev/serial/tty9", &err), MPJ_E_BUSY);
    assert_non_null(strstr(err.text, "held by process 1 ("));
    /* what nobody can read counts, too */
    write_lock(path, "mine!", 5);
    assert_int_equal(mpj_uucp_take(&held, locks, "/dev/serial/tty9", &err), MPJ_E_BUSY);
    assert_non_null(strstr(err.text, "does not name a process"));
    mpj_uucp_holder(locks, "/dev/serial/tty9", holder, sizeof(holder));
    assert_non_null(strstr(holder, "does not name a process"));
    unlink(path);
    /* no such folder: nothing is locked */
    snprintf(none, sizeof(none), "%s/none", locks);
    assert_int_equal(mpj_uucp_take(&held, none, "/dev/serial/tty9", &err), 0);
    assert_null(held);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(list),        cmocka_unit_test(uboot),
        cmocka_unit_test(wrong_lists), cmocka_unit_test(identity),
        cmocka_unit_test(lock),        cmocka_unit_test(lock_of_adapter),
        cmocka_unit_test(looked_at),   cmocka_unit_test(forged),
        cmocka_unit_test(port_lock),   cmocka_unit_test(in_turn),
        cmocka_unit_test(any),         cmocka_unit_test(tags),
        cmocka_unit_test(inherited),   cmocka_unit_test(quarantine),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
