# SPDX-License-Identifier: GPL-2.0-or-later
"""Programs of sums.py: ways in which functions call each other. burn(N) takes about 2 N cycles."""

HEAD = """#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define APART __attribute__((noinline))
#define burn(n) do { unsigned k_ = (n); __asm__ volatile("1: subs %0, %0, #1\\n bne 1b" : "+r"(k_) : : "cc"); } while (0)
#define KEEP __asm__ volatile("" : : : "memory")
static volatile int sink;
"""

PROGRAMS = {
    "recursion": """
APART static int fib(int n) { burn(30); int r = n < 2 ? n : fib(n - 1) + fib(n - 2); KEEP; return r; }
int main(void) { for (int i = 0; i < 40; i++) sink += fib(15); return 0; }
""",
    "mutual": """
APART static int work(int n) { burn(200 + n); return n; }
APART static int odd(int n);
APART static int even(int n) { burn(400); int r = n ? odd(n - 1) : work(n); KEEP; return r; }
APART static int odd(int n) { burn(100); int r = n ? even(n - 1) + work(n) : 0; KEEP; return r; }
int main(void) { for (int i = 0; i < 1000; i++) sink += even(20); return 0; }
""",
    "three": """
APART static int a(int n);
APART static int c(int n) { burn(100); int r = n > 0 ? a(n - 3) : 1; KEEP; return r; }
APART static int b(int n) { burn(300); int r = n > 0 ? c(n - 1) : 2; KEEP; return r; }
APART static int a(int n) { burn(200); int r = n > 0 ? b(n - 1) + c(n - 2) : 3; KEEP; return r; }
int main(void) { for (int i = 0; i < 300; i++) sink += a(18); return 0; }
""",
    "tails": """
APART static int last(int x) { burn(600); return x + 1; }
APART static int third(int x) { burn(50); return last(x); }
APART static int second(int x) { burn(300); return third(x); }
APART static int first(int x) { burn(100); return second(x); }
int main(void) { for (int i = 0; i < 20000; i++) sink += first(i); return 0; }
""",
    "callbacks": """
static int list[2000];
APART static int less(const void *x, const void *y) { burn(60); return *(const int *)x - *(const int *)y; }
APART static int more(const void *x, const void *y) { burn(40); return *(const int *)y - *(const int *)x; }
APART static void fill(void) { unsigned s = 5; for (int i = 0; i < 2000; i++) { s = s * 1664525 + 1013904223; list[i] = (int)(s >> 4); } }
APART static void up(void) { fill(); qsort(list, 2000, sizeof(int), less); }
APART static void down(void) { fill(); qsort(list, 2000, sizeof(int), more); }
APART static void both(void) { fill(); qsort(list, 1000, sizeof(int), less); qsort(list, 500, sizeof(int), more); }
int main(void) { for (int i = 0; i < 6; i++) { up(); down(); both(); } return 0; }
""",
    "often_sorted": """
static int list[24];
APART static int order(const void *x, const void *y) { burn(30); return *(const int *)x - *(const int *)y; }
APART static void few(int n) { for (int i = 0; i < 24; i++) list[i] = (n * 7919 + i * 104729) & 1023; qsort(list, 24, sizeof(int), order); }
int main(void) { for (int i = 0; i < 1500; i++) few(i); return 0; }
""",
    "longjmp": """
static jmp_buf away;
APART static void deep(int n) { burn(150); if (n == 0) longjmp(away, 1); deep(n - 1); KEEP; }
APART static int tries(int n) { burn(250); if (setjmp(away) == 0) deep(n % 5); burn(50); return n; }
int main(void) { for (int i = 0; i < 8000; i++) sink += tries(i); return 0; }
""",
    "signals": """
APART static void noted(void) { burn(500); }
static void handler(int s) { (void)s; burn(1000); noted(); KEEP; }
APART static void step(int n) { burn(300); if (n % 4 == 0) raise(SIGUSR1); burn(100); }
int main(void) { signal(SIGUSR1, handler); for (int i = 0; i < 8000; i++) step(i); return 0; }
""",
    "pointers": """
APART static int one(int n) { burn(100); return n; }
APART static int two(int n) { burn(200); return one(n); }
APART static int five(int n) { burn(500); int r = one(n) + two(n); KEEP; return r; }
static int (*const table[])(int) = {one, two, five, two};
APART static int dispatch(int n) { burn(60); int r = table[n % 4](n); KEEP; return r; }
int main(void) { for (int i = 0; i < 20000; i++) sink += dispatch(i); return 0; }
""",
    "register_tails": """
APART static int low(int n) { burn(400); return n; }
APART static int high(int n) { burn(150); return n + 1; }
static int (*volatile choice[2])(int) = {low, high};
APART static int by_register(int n) { burn(100); return choice[n & 1](n); }
APART static int before(int n) { burn(70); return by_register(n); }
APART static int caller(int n) { burn(50); int r = before(n) + by_register(n + 1); KEEP; return r; }
int main(void) { for (int i = 0; i < 12000; i++) sink += caller(i); return 0; }
""",
    "pointer_chain": """
APART static int end(int n) { burn(250); return n; }
APART static int other_end(int n) { burn(90); return n; }
static int (*volatile ends[2])(int) = {end, other_end};
APART static int jumps(int n) { burn(120); return ends[n & 1](n); }
APART static int stays(int n) { burn(180); int r = end(n); KEEP; return r; }
static int (*volatile table[3])(int) = {jumps, stays, end};
APART static int dispatch(int n) { burn(40); int r = table[n % 3](n); KEEP; return r; }
int main(void) { for (int i = 0; i < 30000; i++) sink += dispatch(i); return 0; }
""",
    "threads": """
APART static int part(int n) { burn(150); return n; }
APART static int whole(int n) { burn(300); int r = 0; for (int i = 0; i < n % 4; i++) r += part(i); KEEP; return r; }
static void *worker(void *arg) { for (int i = 0; i < 4000; i++) sink += whole(i + *(int *)arg); return NULL; }
int main(void)
{
    pthread_t t[4];
    int n[4] = {0, 1, 2, 3};
    for (int i = 0; i < 4; i++) pthread_create(&t[i], NULL, worker, &n[i]);
    for (int i = 0; i < 4; i++) pthread_join(t[i], NULL);
    return 0;
}
""",
    "uneven": """
APART static void item(int n) { burn(n % 64 == 0 ? 6000 : 60); }
APART static void short_way(int n) { burn(20); item(n); KEEP; }
APART static void long_way(int n) { burn(80); item(n * 64); KEEP; }
int main(void) { for (int i = 0; i < 40000; i++) { short_way(i * 2 + 1); if (i % 50 == 0) long_way(i); } return 0; }
""",
    "phases": """
APART static int inner(int n) { burn(90 + n % 32); return n; }
APART static int early(int n) { burn(200); int r = inner(n); KEEP; return r; }
APART static int late(int n) { burn(400); int r = inner(n) + inner(n + 1); KEEP; return r; }
int main(void)
{
    for (int i = 0; i < 30000; i++) sink += early(i);
    for (int i = 0; i < 20000; i++) sink += late(i);
    return 0;
}
""",
    "deep": """
APART static int down(int n) { burn(50); int r = n > 0 ? down(n - 1) + 1 : 0; KEEP; return r; }
APART static int start(int n) { burn(100); int r = down(n); KEEP; return r; }
int main(void) { for (int i = 0; i < 1500; i++) sink += start(60 + i % 30); return 0; }
""",
}
