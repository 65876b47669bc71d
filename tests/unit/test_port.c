/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ports of boards: those that are not there, cannot do what is asked, or are not this user's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hil/port.h"

static void no_port(void **state)
{
    const struct mpj_port_id absent = {"/dev/ttyMPJOULE99", NULL, NULL};
    const struct mpj_port_id serial = {NULL, "no such adapter", NULL};
    const struct mpj_port_id neither = {NULL, NULL, NULL};
    const struct mpj_port_id other = {"/etc/passwd", NULL, NULL};
    struct mpj_port *p;
    struct mpj_err err;
    char *path;

    (void)state;
    assert_int_equal(mpj_port_open(&p, &absent, 115200, &err), MPJ_E_NO_PORT);
    assert_null(p);
    assert_int_equal(mpj_port_find(&path, &serial, &err), MPJ_E_NO_PORT);
    assert_null(path);
    assert_int_equal(mpj_port_find(&path, &neither, &err), MPJ_E_USAGE);
    assert_int_equal(mpj_port_state(absent.path), MPJ_PORT_ABSENT);
    assert_int_equal(mpj_port_state(other.path), MPJ_PORT_OTHER);
    assert_int_equal(mpj_port_check(&other, &err), MPJ_E_NO_PORT);
    assert_non_null(strstr(err.text, "is not a serial port"));
    assert_int_equal(mpj_port_state("tcp://h:1"), MPJ_PORT_REMOTE);
}

/* A port that has no reset line is a mistake of the list, not a lost board. */
static void no_reset_line(void **state)
{
    const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof(at);
    const int server = socket(AF_INET, SOCK_STREAM, 0);
    char url[40];
    struct mpj_port *p;
    struct mpj_err err;

    (void)state;
    assert_true(terminal >= 0 && grantpt(terminal) == 0 && unlockpt(terminal) == 0);
    const struct mpj_port_id of_terminal = {ptsname(terminal), NULL, NULL};
    assert_int_equal(mpj_port_state(of_terminal.path), MPJ_PORT_ATTACHED);
    assert_int_equal(mpj_port_open(&p, &of_terminal, 115200, &err), MPJ_E_OK);
    assert_int_equal(mpj_port_set_line(p, MPJ_PORT_RTS, false, &err), MPJ_E_USAGE);
    assert_non_null(strstr(err.text, "remove reset_line"));
    mpj_port_close(p);
    close(terminal);

    assert_true(server >= 0 && bind(server, (struct sockaddr *)&at, size) == 0 &&
                listen(server, 1) == 0 && getsockname(server, (struct sockaddr *)&at, &size) == 0);
    snprintf(url, sizeof(url), "tcp://127.0.0.1:%u", ntohs(at.sin_port));
    const struct mpj_port_id remote = {url, NULL, NULL};
    assert_int_equal(mpj_port_open(&p, &remote, 115200, &err), MPJ_E_OK);
    assert_int_equal(mpj_port_set_line(p, MPJ_PORT_RTS, false, &err), MPJ_E_USAGE);
    assert_non_null(strstr(err.text, "use rfc2217://"));
    mpj_port_close(p);
    close(server);
}

/* A user without a right to the port learns nothing of the board. */
static void no_right(void **state)
{
    const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
    struct mpj_err err;
    int status = -1;
    pid_t child;

    (void)state;
    assert_true(terminal >= 0 && grantpt(terminal) == 0 && unlockpt(terminal) == 0);
    const struct mpj_port_id id = {ptsname(terminal), NULL, NULL};
    assert_int_equal(chmod(id.path, 0), 0);
    child = fork();
    if (child == 0) {
        struct mpj_port *p;

        if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0))
            _exit(2);
        _exit(mpj_port_open(&p, &id, 115200, &err) == MPJ_E_BUSY &&
                      strstr(err.text, "Permission denied") != NULL
                  ? 0
                  : 3);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    close(terminal);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_port),
        cmocka_unit_test(no_reset_line),
        cmocka_unit_test(no_right),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
