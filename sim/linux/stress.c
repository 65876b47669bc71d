/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The first process of Linux on the emulated tile: uses what a kernel and its C library use of a
 * core and our own firmware does not, and prints a line for each part.
 *
 * A line has a sum over everything that was computed and no time, so the lines are the same on any
 * number of cores, with or without the chip model. Environment (from the kernel's command line):
 * rounds=N, default 1.
 */
#include "stress.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/reboot.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct part {
    const char *name;
    uint32_t (*run)(unsigned round);
} parts[] = {
    {"fork", stress_fork},       {"exec", stress_exec},       {"copy-on-write", stress_cow},
    {"pipes", stress_pipes},     {"map", stress_map},         {"blocks", stress_blocks},
    {"signals", stress_signals}, {"threads", stress_threads}, {"futex", stress_futex},
    {"float", stress_float},     {"code", stress_code},
};

uint32_t mix(uint32_t sum, uint32_t value)
{
    sum ^= value;
    sum *= 0x9e3779b1U;
    return sum ^ sum >> 15;
}

void must(bool condition, const char *what, ...)
{
    va_list args;
    char line[200];
    int n;

    if (condition)
        return;
    va_start(args, what);
    n = vsnprintf(line, sizeof line, what, args);
    va_end(args);
    dprintf(1, "WRONG: %.*s\n", n, line);
    _exit(1);
}

uint32_t wait_for(pid_t pid)
{
    int status = 0;

    must(waitpid(pid, &status, 0) == pid, "waitpid");
    must(WIFEXITED(status), "a child ended with status %#x", (unsigned)status);
    return (uint32_t)WEXITSTATUS(status);
}

/* Runs a part in a process of its own, which a fault may end without ending the others. */
static bool run_part(const struct part *part, unsigned round)
{
    int status = 0;
    pid_t pid = fork();

    if (pid == 0) {
        dprintf(1, "%s %u %08x\n", part->name, round, (unsigned)part->run(round));
        _exit(0);
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0) {
        dprintf(1, "FAILED: %s %u, status %#x\n", part->name, round, (unsigned)status);
        return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    const char *text = getenv("rounds");
    const unsigned rounds = text ? (unsigned)atoi(text) : 1;
    bool good = true;

    if (argc == 3 && strcmp(argv[1], "child") == 0)
        return (int)(mix(0, (uint32_t)atoi(argv[2])) & 0xff);
    for (unsigned round = 0; round < rounds; round++)
        for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++)
            good = run_part(&parts[i], round) && good;
    dprintf(1, "stress: %s\n", good ? "all well" : "NOT WELL");
    if (getpid() == 1)
        reboot(RB_AUTOBOOT);
    return !good;
}
