/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A block decoder in the shape of the MPEG-2 decoder that mProfiler shows:
 * main alone reads the whole bit stream (serial head), then every picture is
 * reconstructed by main and short-lived workers created for it, and main alone
 * converts the pictures and takes their checksum (serial tail).
 * With the defaults ten threads live in all, at most four at once, only in the
 * middle, and with -u 1 the work is as uneven as in the paper's figure 4: main
 * and the third worker of the first and of the last picture (the paper's 324,
 * 327 and 333) have most of it.
 * Checked: coefficients as encoded, sampled blocks against the definition of
 * the inverse cosine transform, within 1.
 */
#include "wl_common.h"
#include <math.h>
#include <pthread.h>

#define PICTURES   3
#define MAXWORKERS 8

static long blocks = 300, workers = 3, uneven = 1, tail = 12, seed = 1;

static int16_t *coef;       /* per block 64, read from the stream, natural order */
static uint8_t *pixel;      /* per block 64 */
static int32_t basis[8][8]; /* cosine table, 12 fraction bits */

static const double pi = 3.14159265358979323846;
static const uint8_t zigzag[64] = {0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,
                                   12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6,  7,  14, 21, 28,
                                   35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51,
                                   58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63};

/* ---- bit stream: run and level as Exp-Golomb codes, run 63 ends a block --- */

static uint8_t *stream;
static size_t bits, capacity;

static void put_bit(unsigned bit)
{
    if (bits / 8 >= capacity) {
        fprintf(stderr, "bit stream full\n");
        exit(1);
    }
    stream[bits / 8] |= (uint8_t)(bit << (7 - bits % 8));
    bits++;
}

static unsigned get_bit(void)
{
    unsigned bit = stream[bits / 8] >> (7 - bits % 8) & 1u;
    bits++;
    return bit;
}

static void put_code(unsigned v)
{
    int length = 0;
    while ((v + 1) >> (length + 1))
        length++;
    for (int i = 0; i < length; i++)
        put_bit(0);
    for (int i = length; i >= 0; i--)
        put_bit((v + 1) >> i & 1);
}

static unsigned get_code(void)
{
    int length = 0;
    unsigned v = 1;
    while (get_bit() == 0)
        length++;
    while (length-- > 0)
        v = v << 1 | get_bit();
    return v - 1;
}

static void put_block(uint32_t *state, uint32_t *hash)
{
    int16_t c[64] = {0};
    int last = -1;
    for (int i = 0; i < 64; i += 1 + (int)wl_below(state, 12)) {
        int level = (int)wl_below(state, (uint32_t)(160 / (i + 4) + 2)) + 1;
        put_code((unsigned)(i - last - 1));
        put_code((unsigned)level * 2 + (wl_rand(state) & 1));
        c[zigzag[i]] = (int16_t)level;
        last = i;
    }
    put_code(63);
    *hash = wl_hash(*hash, c, sizeof c);
}

/* Hashes the magnitudes as the encoder did; signs come with the levels. */
static void get_block(int16_t *c, uint32_t *hash)
{
    int16_t size[64] = {0};
    int i = -1;
    memset(c, 0, 64 * sizeof *c);
    for (unsigned run = get_code(); run != 63 && i + (int)run + 1 < 64; run = get_code()) {
        i += (int)run + 1;
        unsigned code = get_code();
        size[zigzag[i]] = (int16_t)(code / 2);
        c[zigzag[i]] = (int16_t)(code & 1 ? -(int)(code / 2) : (int)(code / 2));
    }
    *hash = wl_hash(*hash, size, sizeof size);
}

/* ---- reconstruction ------------------------------------------------------ */

static int quant(int k)
{
    return 8 + 2 * (k / 8 + k % 8);
}

static void make_basis(void)
{
    for (int x = 0; x < 8; x++)
        for (int u = 0; u < 8; u++)
            basis[x][u] =
                (int32_t)lrint(4096.0 * (u ? 0.5 : sqrt(0.125)) * cos((2 * x + 1) * u * pi / 16));
}

static uint8_t clamp(long v)
{
    return (uint8_t)(v < 0 ? 0 : v > 255 ? 255 : v);
}

static void reconstruct(long block)
{
    const int16_t *c = coef + block * 64;
    int32_t half[64];
    for (int v = 0; v < 8; v++) {
        for (int x = 0; x < 8; x++) {
            int32_t sum = 0;
            for (int u = 0; u < 8; u++)
                sum += basis[x][u] * (c[v * 8 + u] * quant(v * 8 + u));
            half[v * 8 + x] = (sum + 32) >> 6; /* 6 fraction bits */
        }
    }
    for (int x = 0; x < 8; x++) {
        for (int y = 0; y < 8; y++) {
            int32_t sum = 1 << 17;
            for (int v = 0; v < 8; v++)
                sum += basis[y][v] * half[v * 8 + x];
            pixel[block * 64 + y * 8 + x] = clamp((sum >> 18) + 128);
        }
    }
}

struct slice {
    long lo, hi;
};

static void *slice_worker(void *arg)
{
    const struct slice *s = arg;
    for (long b = s->lo; b < s->hi; b++)
        reconstruct(b);
    return NULL;
}

/* Returns the share of one participant (0 is main) in a picture, any unit. */
static long share(long picture, long who)
{
    if (!uneven)
        return 4;
    if (who == 0)
        return 4;
    return who == workers && picture % 2 == 0 ? 8 : 1;
}

static void decode_picture(long picture)
{
    struct slice s[MAXWORKERS + 1];
    pthread_t tid[MAXWORKERS + 1];
    long total = 0, sum = 0, first = picture * blocks;
    for (long w = 0; w <= workers; w++)
        total += share(picture, w);
    for (long w = 0; w <= workers; w++) {
        s[w].lo = first + blocks * sum / total;
        sum += share(picture, w);
        s[w].hi = first + blocks * sum / total;
    }
    for (long w = 1; w <= workers; w++)
        WL_MUST(pthread_create(&tid[w], NULL, slice_worker, &s[w]));
    slice_worker(&s[0]);
    for (long w = 1; w <= workers; w++)
        WL_MUST(pthread_join(tid[w], NULL));
}

/* Runs the serial tail: smoothing and checksum, as an output filter would. */
static uint32_t output(void)
{
    uint32_t hash = WL_HASH_INIT;
    long count = PICTURES * blocks * 64;
    uint8_t *line = wl_alloc((size_t)count, 1);
    for (long pass = 0; pass < tail; pass++) {
        const uint8_t *from = pass ? line : pixel;
        for (long i = 1; i + 1 < count; i++)
            line[i] = (uint8_t)((from[i - 1] + 2 * from[i] + from[i + 1] + 2) >> 2);
        hash = wl_hash(hash, line, (size_t)count);
    }
    free(line);
    return hash;
}

static bool block_right(long block)
{
    const int16_t *c = coef + block * 64;
    for (int y = 0; y < 8; y++) {
        for (int x = 0; x < 8; x++) {
            double sum = 128.5;
            for (int k = 0; k < 64; k++)
                sum += c[k] * quant(k) * (k % 8 ? 0.5 : sqrt(0.125)) * (k / 8 ? 0.5 : sqrt(0.125)) *
                       cos((2 * x + 1) * (k % 8) * pi / 16) * cos((2 * y + 1) * (k / 8) * pi / 16);
            int want = clamp(lrint(floor(sum)));
            if (abs(want - pixel[block * 64 + y * 8 + x]) > 1)
                return false;
        }
    }
    return true;
}

int main(int argc, char **argv)
{
    const struct wl_opt opts[] = {
        {'n', &blocks, 4, 100000, "blocks per picture"},
        {'w', &workers, 0, MAXWORKERS, "workers created for each picture"},
        {'u', &uneven, 0, 1, "1: uneven shares"},
        {'p', &tail, 1, 1000, "passes of the output filter"},
        {'s', &seed, 0, 1 << 30, "seed"},
        {0},
    };
    wl_options(argc, argv, opts);
    long count = PICTURES * blocks;
    capacity = (size_t)count * 128;
    stream = wl_alloc(capacity, 1);
    coef = wl_alloc((size_t)count * 64, sizeof *coef);
    pixel = wl_alloc((size_t)count * 64, 1);
    make_basis();

    uint32_t state = (uint32_t)seed, put = WL_HASH_INIT, got = WL_HASH_INIT;
    for (long b = 0; b < count; b++)
        put_block(&state, &put);
    size_t length = bits;
    bits = 0;
    for (long b = 0; b < count; b++)
        get_block(coef + b * 64, &got);
    bool ok = put == got && bits == length;

    for (long p = 0; p < PICTURES; p++)
        decode_picture(p);
    uint32_t hash = output();

    for (long b = 0; b < count; b += (count + 3) / 4)
        ok = ok && block_right(b);
    free(stream);
    free(coef);
    free(pixel);
    return wl_result("decode", ok, "blocks=%ld workers=%ld threads=%ld bits=%lu sum=%08lx", count,
                     workers, 1 + PICTURES * workers, (unsigned long)length, (unsigned long)hash);
}
