/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Matrix multiplication on all cores.
 *   matmul [SIZE=256] [float|int] [REPEAT=1]
 * Checks the product with a random vector (Freivalds); all values are small integers, so the
 * float product is exact, too.
 */
#include <string.h>

#include "../app.h"
#include "mpj.h"

static int n;
static bool use_int;
static float *fa, *fb, *fc;
static int32_t *ia, *ib, *ic;

/* Rows core, core + cores, ...: every core gets the same share for any size. */
static void multiply(void *arg)
{
    unsigned step = mpj_core_count();

    (void)arg;
    for (int i = (int)mpj_core_id(); i < n; i += (int)step) {
        if (use_int) {
            int32_t *c = ic + i * n;

            memset(c, 0, (size_t)n * sizeof(*c));
            for (int k = 0; k < n; k++) {
                int32_t a = ia[i * n + k];
                const int32_t *b = ib + k * n;

                for (int j = 0; j < n; j++)
                    c[j] += a * b[j];
            }
        } else {
            float *c = fc + i * n;

            memset(c, 0, (size_t)n * sizeof(*c));
            for (int k = 0; k < n; k++) {
                float a = fa[i * n + k];
                const float *b = fb + k * n;

                for (int j = 0; j < n; j++)
                    c[j] += a * b[j];
            }
        }
    }
}

static int64_t at(const float *f, const int32_t *i, int index)
{
    return use_int ? i[index] : (int64_t)f[index];
}

/* Checks C r == A (B r) for a vector r of small numbers. */
static bool check(void)
{
    int64_t *br = calloc((size_t)n, sizeof(*br));
    uint32_t seed = 4711;
    bool good = br != NULL;

    for (int k = 0; good && k < n; k++) {
        uint32_t s = seed;

        for (int j = 0; j < n; j++)
            br[k] += at(fb, ib, k * n + j) * (int64_t)(app_random(&s) >> 28);
    }
    for (int i = 0; good && i < n; i++) {
        uint32_t s = seed;
        int64_t left = 0, right = 0;

        for (int j = 0; j < n; j++) {
            left += at(fc, ic, i * n + j) * (int64_t)(app_random(&s) >> 28);
            right += at(fa, ia, i * n + j) * br[j];
        }
        good = left == right;
    }
    free(br);
    return good;
}

int main(int argc, char **argv)
{
    long repeat;
    size_t bytes;
    uint64_t begin, ns;
    void *a, *b, *c;

    n = (int)app_arg(argc, argv, 1, 1, 2048, 256);
    use_int = argc > 2 && strcmp(argv[2], "int") == 0;
    repeat = app_arg(argc, argv, 3, 1, 1000000, 1);
    bytes = (size_t)n * (size_t)n * sizeof(float);
    a = aligned_alloc(32, bytes);
    b = aligned_alloc(32, bytes);
    c = aligned_alloc(32, bytes);
    if (a == NULL || b == NULL || c == NULL) {
        fprintf(stderr, "matmul: no memory for three matrices of %d x %d\n", n, n);
        return 1;
    }
    fa = a;
    fb = b;
    fc = c;
    ia = a;
    ib = b;
    ic = c;
    for (int i = 0; i < n * n; i++) {
        int x = (i * 7 + i / n) % 13, y = (i * 5 + 3 * (i / n)) % 11;

        if (use_int) {
            ia[i] = x;
            ib[i] = y;
        } else {
            fa[i] = (float)x;
            fb[i] = (float)y;
        }
    }
    mpj_mark("multiply");
    begin = mpj_time_ns();
    for (long r = 0; r < repeat; r++)
        mpj_on_all_cores(multiply, NULL);
    ns = mpj_time_ns() - begin;
    mpj_mark("check");
    if (!check()) {
        printf("matmul: wrong product\n");
        return 1;
    }
    printf("matmul: %s %d x %d on %u cores: %.3f ms, %.1f M multiply-adds/s, correct\n",
           use_int ? "int" : "float", n, n, mpj_core_count(), (double)ns / 1e6,
           (double)repeat * n * n * n * 1e3 / (double)ns);
    return 0;
}
