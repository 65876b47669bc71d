/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the environment asks for: lines about affinity, the standard allocator with its traits. */
#include <omp.h>
#include <stdint.h>
#include <stdio.h>

static int three_deep(void)
{
    int n = 0;

    omp_set_max_active_levels(3);
#pragma omp parallel num_threads(2) reduction(+ : n)
#pragma omp parallel num_threads(2) reduction(+ : n)
#pragma omp parallel num_threads(2) reduction(+ : n)
    n++;
    printf("%d threads\n", n);
    return 0;
}

int main(int argc, char **argv)
{
    static char line[64];
    void *small = omp_alloc(100, omp_null_allocator);
    void *large = omp_alloc(5000, omp_null_allocator);
    int n = 0;

    if (argc > 1 && argv[1][0] == '3')
        return three_deep();
    printf("small %d large %d aligned %d\n", small != NULL, large != NULL,
           (uintptr_t)small % 256 == 0);
    omp_free(small, omp_null_allocator);
    omp_free(large, omp_null_allocator);
    for (int i = 0; i < 2; i++) { /* the second time there is nothing new to say */
#pragma omp parallel num_threads(3) reduction(+ : n)
        n++;
    }
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2) reduction(+ : n)
    {
#pragma omp parallel num_threads(2) reduction(+ : n)
        n++;
    }
    omp_capture_affinity(line, sizeof(line), "%0.4L|%4n|%.3N|%{ancestor_tnum}|%%");
    printf("%d threads, %s\n", n, line);
    return 0;
}
