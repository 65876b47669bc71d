/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Segments that are ordinary compiled code: mixes of instructions as programs have them, which
 * the single-minded segments lack. Their data lies in the core's own memory from DATA on.
 */
#include <stddef.h>

#include "basis.h"

#define KB 1024U

/* Offsets into the core's memory, past what the other segments change. */
enum {
    TABLE = 3U * BASIS_SECTION, /* 256 words */
    TEXT = TABLE + 4U * KB,     /* 4 KB of bytes */
    VECTOR = TEXT + 8U * KB,    /* 2 * 4 KB of doubles */
    FILTER = VECTOR + 16U * KB, /* 2 KB of words */
    HEAP = FILTER + 4U * KB,    /* 16 KB of words */
    HASH = HEAP + 32U * KB,     /* 64 KB of words */
    GRID = HASH + 64U * KB,     /* 2 * 32 KB of floats */
    MATRIX = GRID + 128U * KB,  /* 2 * 64 KB of words */
};

#define GRID_SIDE   90U
#define MATRIX_SIDE 128U
#define HEAP_WORDS  4096U
#define HASH_WORDS  16384U

static uint32_t next(struct basis *b)
{
    b->random = b->random * 1664525U + 1013904223U;
    return b->random;
}

void basis_kernels_init(struct basis *b)
{
    uint32_t *const table = (uint32_t *)(b->mem + TABLE);
    char *const text = b->mem + TEXT;
    double *const vector = (double *)(b->mem + VECTOR);
    uint32_t *const filter = (uint32_t *)(b->mem + FILTER);
    uint32_t *const heap = (uint32_t *)(b->mem + HEAP);
    float *const grid = (float *)(b->mem + GRID);

    for (uint32_t i = 0; i < 256U; i++) {
        uint32_t c = i;

        for (unsigned k = 0; k < 8U; k++)
            c = (c >> 1) ^ ((c & 1U) != 0 ? 0xedb88320U : 0U);
        table[i] = c;
    }
    for (uint32_t i = 0; i < 4U * KB; i++) {
        const uint32_t r = next(b) >> 24;

        text[i] = r < 40U ? ' ' : (char)('a' + r % 26U);
    }
    for (uint32_t i = 0; i < 1024U; i++)
        vector[i] = 1.0 + (double)(next(b) >> 12) / 1048576.0;
    for (uint32_t i = 0; i < 512U; i++)
        filter[i] = next(b) >> 16;
    for (uint32_t i = 0; i < HEAP_WORDS; i++)
        heap[i] = next(b);
    for (uint32_t i = 0; i < 2U * GRID_SIDE * GRID_SIDE; i++)
        grid[i] = (float)(next(b) >> 16);
}

void seg_k_crc(struct basis *b, uint32_t reps)
{
    const uint32_t *const table = (const uint32_t *)(b->mem + TABLE);
    const uint8_t *const text = (const uint8_t *)(b->mem + TEXT);
    uint32_t crc = b->sink;

    for (; reps > 0; reps--) {
        for (unsigned i = 0; i < 128U; i++)
            crc = (crc >> 8) ^ table[(crc ^ text[(reps * 128U + i) % (4U * KB)]) & 0xffU];
    }
    b->sink = crc;
}

/* Inserts mostly new keys with open addressing: probes, compares, stores. */
void seg_k_hash(struct basis *b, uint32_t reps)
{
    uint32_t *const hash = (uint32_t *)(b->mem + HASH);

    for (uint32_t n = reps * 16U; n > 0; n--) {
        const uint32_t key = next(b) | 1U;
        uint32_t at = (key * 2654435761U) >> 18;
        unsigned probes = 4;

        while (hash[at] != 0 && hash[at] != key && --probes > 0)
            at = (at + 1U) % HASH_WORDS;
        hash[at] = probes == 0 ? 0 : key;
    }
}

void seg_k_fir(struct basis *b, uint32_t reps)
{
    const int32_t *const x = (const int32_t *)(b->mem + FILTER);
    int32_t *const y = (int32_t *)(b->mem + FILTER + 2U * KB);
    static const int16_t tap[16] = {-3,  5,  11, -17, 23,  41, 67, 101,
                                    101, 67, 41, 23,  -17, 11, 5,  -3};

    for (; reps > 0; reps--) {
        for (unsigned i = 0; i < 16U; i++) {
            const unsigned at = (reps * 16U + i) % 480U;
            int32_t sum = 0;

            for (unsigned k = 0; k < 16U; k++)
                sum += tap[k] * x[at + k];
            y[at] = sum >> 8;
        }
    }
}

void seg_k_dot(struct basis *b, uint32_t reps)
{
    const double *const x = (const double *)(b->mem + VECTOR);
    double s0 = 0.0;
    double s1 = 0.0;

    for (; reps > 0; reps--) {
        const unsigned at = (reps * 64U) % 448U;

        for (unsigned i = 0; i < 64U; i += 2U) {
            s0 += x[at + i] * x[512U + at + i];
            s1 += x[at + i + 1U] * x[512U + at + i + 1U];
        }
    }
    b->fsink = s0 + s1;
}

void seg_k_stencil(struct basis *b, uint32_t reps)
{
    const float *const from = (const float *)(b->mem + GRID);
    float *const to = (float *)(b->mem + GRID + 64U * KB);

    for (; reps > 0; reps--) {
        const unsigned y = 1U + reps % (GRID_SIDE - 2U);

        for (unsigned x = 1; x < GRID_SIDE - 1U; x++) {
            const float *const p = &from[y * GRID_SIDE + x];

            to[y * GRID_SIDE + x] =
                0.2f * (p[0] + p[-1] + p[1] + p[-(int)GRID_SIDE] + p[GRID_SIDE]);
        }
    }
}

/* Sinks a new element from the top of a heap. */
void seg_k_sift(struct basis *b, uint32_t reps)
{
    uint32_t *const heap = (uint32_t *)(b->mem + HEAP);

    for (uint32_t n = reps * 6U; n > 0; n--) {
        const uint32_t v = next(b);
        uint32_t i = 0;

        for (;;) {
            uint32_t child = 2U * i + 1U;

            if (child + 1U >= HEAP_WORDS)
                break;
            if (heap[child + 1U] > heap[child])
                child++;
            if (heap[child] <= v)
                break;
            heap[i] = heap[child];
            i = child;
        }
        heap[i] = v;
    }
}

void seg_k_string(struct basis *b, uint32_t reps)
{
    const char *const text = b->mem + TEXT;
    uint32_t words = 0;

    for (; reps > 0; reps--) {
        const char *const p = text + (reps * 128U) % (4U * KB);
        char before = ' ';

        for (unsigned i = 0; i < 128U; i++) {
            if (p[i] != ' ' && before == ' ')
                words++;
            before = p[i];
        }
    }
    b->sink += words;
}

void seg_k_transpose(struct basis *b, uint32_t reps)
{
    const uint32_t *const from = (const uint32_t *)(b->mem + MATRIX);
    uint32_t *const to = (uint32_t *)(b->mem + MATRIX + 64U * KB);

    for (; reps > 0; reps--) {
        const unsigned row = reps % MATRIX_SIDE;

        for (unsigned i = 0; i < MATRIX_SIDE; i++)
            to[i * MATRIX_SIDE + row] = from[row * MATRIX_SIDE + i];
    }
}
