/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Division by zero, an allocation that fails, a prompt: what is said. The argument chooses. */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static jmp_buf back;
static volatile int zero;
static __thread int each = 3; /* as a library compiled with -fPIC has it */

static void on_fpe(int sig)
{
    printf("signal %d\n", sig);
    longjmp(back, 1);
}

int main(int argc, char **argv)
{
    const char *const what = argc > 1 ? argv[1] : "caught";

    if (strcmp(what, "caught") == 0) {
        signal(SIGFPE, on_fpe);
        if (setjmp(back) == 0)
            printf("%d\n", argc / zero);
        printf("went on %d\n", each);
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
