/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The producers of MM-MT (ePRO-MP, section 6.2; apps/workloads/mmmt.c) at the paper's size, 500 x
 * 500, but only some rows of each of the four products: the cost of a row is the same in all of
 * them.
 *
 * usage: mm_part PRODUCERS [TILE [ROWS]]
 *
 * Checked: each row times ones is the row of A times the row sums of B. Prints the sum of the
 * products, which depends on nothing but the rows.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define N        500
#define PRODUCTS 4
#define ROWS_MAX 100

static uint32_t a[PRODUCTS][ROWS_MAX][N], b[N][N], c[PRODUCTS][ROWS_MAX][N];
static int producers, tile = N, rows = 20;

static int least(int x, int y)
{
    return x < y ? x : y;
}

/* Products are dealt out in turn. */
static void *producer(void *arg)
{
    const int number = *(int *)arg;

    for (int p = number; p < PRODUCTS; p += producers)
        for (int k0 = 0; k0 < N; k0 += tile)
            for (int j0 = 0; j0 < N; j0 += tile)
                for (int i = 0; i < rows; i++)
                    for (int j = j0; j < least(j0 + tile, N); j++) {
                        uint32_t sum = 0;
                        for (int k = k0; k < least(k0 + tile, N); k++)
                            sum += a[p][i][k] * b[k][j];
                        c[p][i][j] += sum;
                    }
    return NULL;
}

/* Rows that are wrong; *sum: of all. */
static int check(uint32_t *sum)
{
    static uint32_t of_b[N];
    int wrong = 0;

    for (int k = 0; k < N; k++)
        for (int j = 0; j < N; j++)
            of_b[k] += b[k][j];
    for (int p = 0; p < PRODUCTS; p++)
        for (int i = 0; i < rows; i++) {
            uint32_t want = 0;
            uint32_t have = 0;
            for (int k = 0; k < N; k++) {
                want += a[p][i][k] * of_b[k];
                have += c[p][i][k];
            }
            wrong += want != have;
            *sum += have;
        }
    return wrong;
}

int main(int argc, char **argv)
{
    pthread_t thread[PRODUCTS];
    int number[PRODUCTS];
    uint32_t sum = 0;
    int wrong;

    producers = argc > 1 ? atoi(argv[1]) : 0;
    tile = argc > 2 ? atoi(argv[2]) : tile;
    rows = argc > 3 ? atoi(argv[3]) : rows;
    if (producers < 1 || producers > PRODUCTS || tile < 1 || tile > N || rows < 1 ||
        rows > ROWS_MAX) {
        fprintf(stderr, "usage: mm_part 1..4 [1..500 [1..100]]\n");
        return 2;
    }
    for (int p = 0; p < PRODUCTS; p++)
        for (int i = 0; i < rows; i++)
            for (int k = 0; k < N; k++)
                a[p][i][k] = (uint32_t)(p * 31 + i * 17 + k * 7);
    for (int k = 0; k < N; k++)
        for (int j = 0; j < N; j++)
            b[k][j] = (uint32_t)(k * 13 + j * 3);
    for (int n = 0; n < producers; n++) {
        number[n] = n;
        if (pthread_create(&thread[n], NULL, producer, &number[n]) != 0)
            return 1;
    }
    for (int n = 0; n < producers; n++)
        pthread_join(thread[n], NULL);
    wrong = check(&sum);
    printf("mm_part: %s sum=%08x\n", wrong == 0 ? "ok" : "WRONG", (unsigned)sum);
    return wrong != 0;
}
