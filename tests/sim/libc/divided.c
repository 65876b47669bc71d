/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Division by zero, abort(), an allocation that fails, a prompt: what is said, and the end. The
 * arguments choose: "abort" or "divide" and what is done with the signal, or one of the others. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static jmp_buf back;
static volatile int zero;
static __thread int each = 3; /* as a library compiled with -fPIC has it */

static void on_fpe(int sig, siginfo_t *info, void *context)
{
    (void)context;
    printf("signal %d, a division %d\n", sig, info->si_code == FPE_INTDIV);
    longjmp(back, 1);
}

static void on_abort(int sig)
{
    printf("signal %d\n", sig);
    fflush(stdout);
}

/* What ends a program by a signal that is not let in, or whose handler returns. */
static void prepare(int sig, const char *how)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, sig);
    if (strcmp(how, "ignored") == 0)
        signal(sig, SIG_IGN);
    else if (strcmp(how, "blocked") == 0)
        sigprocmask(SIG_BLOCK, &set, NULL);
    else if (strcmp(how, "handled") == 0)
        signal(sig, on_abort);
}

int main(int argc, char **argv)
{
    const char *const what = argc > 1 ? argv[1] : "caught";

    if (strcmp(what, "caught") == 0) {
        struct sigaction act = {.sa_sigaction = on_fpe, .sa_flags = SA_SIGINFO};

        sigaction(SIGFPE, &act, NULL);
        if (setjmp(back) == 0)
            printf("%d\n", argc / zero);
        printf("went on %d\n", each);
    } else if (strcmp(what, "divide") == 0) {
        prepare(SIGFPE, argv[2]);
        printf("%d\n", argc / zero);
    } else if (strcmp(what, "abort") == 0) {
        prepare(SIGABRT, argv[2]);
        abort();
    } else if (strcmp(what, "plain") == 0) {
        printf("before\n");
        fflush(stdout);
        printf("%lld\n", 5LL % (long long)zero);
    } else if (strcmp(what, "product") == 0) {
        const volatile size_t n = 1U << 20;

        printf("calloc %d\n", calloc(n, n) == NULL && calloc(n / 16, n / 16 + 1) == NULL);
    } else if (strcmp(what, "memory") == 0) {
        printf("malloc %d\n", malloc(200U << 20) != NULL && malloc(100U << 20) == NULL);
    } else {
        char name[20];

        printf("name? ");
        if (fgets(name, sizeof(name), stdin) == NULL)
            abort();
        printf("hello %s", name);
    }
    return 0;
}
