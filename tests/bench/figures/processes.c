/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What only Linux has: system calls, page faults, processes. */
#define _GNU_SOURCE
#include "figures.h"

#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define CALLS  2000U
#define PAGES  500U
#define PAGE   4096U
#define FORKS  20U
#define ROUNDS 300U

static char *map(unsigned pages)
{
    char *p = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    must(p != MAP_FAILED, "mmap");
    return p;
}

static void calls(void)
{
    const double begin = now_ns();

    for (unsigned i = 0; i < CALLS; i++)
        (void)syscall(SYS_getppid);
    figure("call", (now_ns() - begin) / CALLS, "ns");
}

static void on_fault(int number, siginfo_t *info, void *context)
{
    char *page = (char *)((uintptr_t)info->si_addr & -(uintptr_t)PAGE);

    (void)number;
    (void)context;
    must(mprotect(page, PAGE, PROT_READ | PROT_WRITE) == 0, "mprotect");
}

static void touch(volatile char *p, const char *name)
{
    const double begin = now_ns();

    for (unsigned i = 0; i < PAGES; i++)
        p[i * PAGE] = 1;
    figure(name, (now_ns() - begin) / PAGES, "ns");
}

static void faults(void)
{
    struct sigaction act;
    char *p = map(PAGES);

    touch(p, "page-fault");
    memset(&act, 0, sizeof act);
    act.sa_sigaction = on_fault;
    act.sa_flags = SA_SIGINFO;
    must(sigaction(SIGSEGV, &act, NULL) == 0, "sigaction");
    must(mprotect(p, PAGES * PAGE, PROT_READ) == 0, "mprotect");
    touch(p, "page-fault-signal");
    touch(p, "page-touched");
    must(munmap(p, PAGES * PAGE) == 0, "munmap");
}

static void forks(void)
{
    const double begin = now_ns();

    for (unsigned i = 0; i < FORKS; i++) {
        int status = 1;
        pid_t pid = fork();

        if (pid == 0)
            _exit(0);
        must(pid > 0 && waitpid(pid, &status, 0) == pid && status == 0, "fork");
    }
    figure("fork", (now_ns() - begin) / FORKS, "ns");
}

/* A token between two processes on one core: two address spaces. */
static void switches(void)
{
    int channel[2][2];
    char token = 0;
    double begin;
    pid_t pid;

    must(pipe(channel[0]) == 0 && pipe(channel[1]) == 0, "pipe");
    pid = fork();
    if (pid == 0) {
        while (read(channel[0][0], &token, 1) == 1 && token == 0)
            (void)!write(channel[1][1], &token, 1);
        _exit(0);
    }
    begin = now_ns();
    for (unsigned i = 0; i < ROUNDS; i++)
        must(write(channel[0][1], &token, 1) == 1 && read(channel[1][0], &token, 1) == 1, "token");
    figure("pipe-processes", (now_ns() - begin) / (2.0 * ROUNDS), "ns");
    token = 1;
    must(write(channel[0][1], &token, 1) == 1 && waitpid(pid, NULL, 0) == pid, "end of a process");
}

void figures_processes(void)
{
    calls();
    faults();
    forks();
    switches();
}
