/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Segments of quiet programs: compiled integer code whose data stays in the L1 cache. Their
 * registers change as those of ordinary programs do, with calls, pointers, counters and data, which
 * loops of a few instructions cannot imitate. Other segments may have overwritten their data: any
 * content must be safe.
 */
#include <stddef.h>
#include <string.h>

#include "basis.h"

#define DATA  (3U * BASIS_SECTION + 512U * 1024U) /* past the data of the other kernels */
#define WORDS 1024U                               /* of 4 KB each: random ones, and changing ones */

#define CALL  __attribute__((noinline)) static

static uint32_t *given(struct basis *b)
{
    return (uint32_t *)(b->mem + DATA);
}

static uint32_t *scratch(struct basis *b)
{
    return given(b) + WORDS;
}

static uint32_t next(struct basis *b)
{
    b->random = b->random * 1664525U + 1013904223U;
    return b->random >> 8;
}

/* Fills the data with numbers of all lengths: small ones are the most frequent in programs. */
void basis_integers_init(struct basis *b)
{
    uint32_t *const words = given(b);

    for (uint32_t i = 0; i < 2U * WORDS; i++)
        words[i] = (next(b) * 2654435761U) >> (next(b) % 32U);
}

/* ---- searching and sorting ------------------------------------------------------------------- */

/* Searches an ordered table, which it fills as it goes. */
void seg_i_search(struct basis *b, uint32_t reps)
{
    uint32_t *const table = scratch(b);
    uint32_t found = b->sink;

    for (uint32_t n = reps * 8U; n > 0; n--) {
        const uint32_t key = next(b);
        uint32_t low = 0;
        uint32_t high = WORDS;

        while (low < high) {
            const uint32_t middle = (low + high) / 2U;

            if (table[middle] < key)
                low = middle + 1U;
            else
                high = middle;
        }
        table[low % WORDS] = key;
        found += low;
    }
    b->sink = found;
}

CALL void shell_sort(uint32_t *v, uint32_t n)
{
    for (uint32_t gap = n / 2U; gap > 0; gap /= 2U) {
        for (uint32_t i = gap; i < n; i++) {
            const uint32_t key = v[i];
            uint32_t k = i;

            for (; k >= gap && v[k - gap] > key; k -= gap)
                v[k] = v[k - gap];
            v[k] = key;
        }
    }
}

void seg_i_sort(struct basis *b, uint32_t reps)
{
    uint32_t *const v = scratch(b);

    for (; reps > 0; reps--) {
        memcpy(v, given(b) + (reps * 16U) % (WORDS - 24U), 24U * sizeof(*v));
        shell_sort(v, 24U);
        b->sink += v[12];
    }
}

/* Descends a tree of records {key, left, right, count} by random keys, and hangs others in it. */
void seg_i_tree(struct basis *b, uint32_t reps)
{
    struct node {
        uint32_t key, child[2], count;
    } *const node = (struct node *)scratch(b);

    for (uint32_t n = reps * 6U; n > 0; n--) {
        const uint32_t key = next(b);
        uint32_t at = 0;
        uint32_t last = 0;

        for (unsigned depth = 0; depth < 12U && node[at].key != key; depth++) {
            last = at;
            at = node[at].child[key > node[at].key] % (WORDS / 4U);
            if (at == 0)
                break;
        }
        node[at].count++;
        node[last].child[key > node[last].key] = key % (WORDS / 4U);
    }
}

/* ---- numbers --------------------------------------------------------------------------------- */

/* Writes numbers in decimal: divisions, bytes. */
CALL char *decimal(char *end, uint32_t v)
{
    do {
        *--end = (char)('0' + v % 10U);
        v /= 10U;
    } while (v > 0);
    return end;
}

void seg_i_print(struct basis *b, uint32_t reps)
{
    char *const text = (char *)scratch(b);

    for (uint32_t n = reps * 2U; n > 0; n--) {
        const char *const from = decimal(text + 32, given(b)[n % WORDS]);

        memmove(text + 64 + (n % 16U) * 32U, from, (size_t)(text + 32 - from));
    }
}

void seg_i_gcd(struct basis *b, uint32_t reps)
{
    for (; reps > 0; reps--) {
        uint32_t x = next(b) | 1U;
        uint32_t y = given(b)[reps % WORDS] | 1U;

        while (y != 0) {
            const uint32_t rest = x % y;

            x = y;
            y = rest;
        }
        b->sink += x;
    }
}

/* Adds products to long numbers, a word at a time. */
void seg_i_long(struct basis *b, uint32_t reps)
{
    uint32_t *const sum = scratch(b);

    for (uint32_t n = reps * 4U; n > 0; n--) {
        const uint32_t *const v = given(b) + (n * 8U) % (WORDS - 32U);
        const uint32_t by = given(b)[n % WORDS];
        uint64_t carry = 0;

        for (unsigned i = 0; i < 24U; i++) {
            carry += (uint64_t)v[i] * by + sum[i];
            sum[i] = (uint32_t)carry;
            carry >>= 32;
        }
    }
}

/* Follows n -> n / 2 or 3 n + 1. */
void seg_i_steps(struct basis *b, uint32_t reps)
{
    for (uint32_t n = reps * 2U; n > 0; n--) {
        uint32_t v = 1U + (next(b) & 0xfffffU);
        uint32_t steps = 0;

        while (v > 1U && steps < 64U) {
            v = (v & 1U) != 0 ? 3U * v + 1U : v / 2U;
            steps++;
        }
        b->sink += steps;
    }
}

/* ---- bits ------------------------------------------------------------------------------------ */

void seg_i_bits(struct basis *b, uint32_t reps)
{
    const uint32_t *const v = given(b);
    uint32_t sum = b->sink;

    for (uint32_t n = reps * 24U; n > 0; n--) {
        uint32_t x = v[n % WORDS] ^ n;

        x = (x & 0x55555555U) + ((x >> 1) & 0x55555555U);
        x = (x & 0x33333333U) + ((x >> 2) & 0x33333333U);
        x = (x + (x >> 4)) & 0x0f0f0f0fU;
        sum += (x * 0x01010101U) >> 24;
    }
    b->sink = sum;
}

/* Mixes pairs of words as ciphers do. */
void seg_i_cipher(struct basis *b, uint32_t reps)
{
    const uint32_t *const key = given(b);
    uint32_t *const v = scratch(b);

    for (; reps > 0; reps--) {
        uint32_t left = v[reps * 2U % WORDS];
        uint32_t right = v[(reps * 2U + 1U) % WORDS];
        uint32_t sum = 0;

        for (unsigned i = 0; i < 32U; i++) {
            left += (((right << 4) ^ (right >> 5)) + right) ^ (sum + key[sum & 3U]);
            sum += 0x9e3779b9U;
            right += (((left << 4) ^ (left >> 5)) + left) ^ (sum + key[(sum >> 11) & 3U]);
        }
        v[reps * 2U % WORDS] = left;
        v[(reps * 2U + 1U) % WORDS] = right;
    }
}

/* Reads symbols of 3 to 10 bits out of a stream. */
void seg_i_stream(struct basis *b, uint32_t reps)
{
    const uint8_t *const stream = (const uint8_t *)given(b);
    uint16_t *const symbol = (uint16_t *)scratch(b);
    uint32_t at = b->random % WORDS;
    uint32_t bits = 0;
    unsigned have = 0;

    for (uint32_t n = reps * 32U; n > 0; n--) {
        unsigned len = 3;

        while (have < 10U) {
            bits = bits << 8 | stream[at++ % (4U * WORDS)];
            have += 8U;
        }
        while (len < 10U && (bits >> (have - len) & 1U) != 0)
            len++;
        have -= len;
        symbol[n % WORDS] = (uint16_t)(bits >> have & ((1U << len) - 1U));
    }
    b->random += at;
}

/* Marks multiples in a field of bytes. */
void seg_i_sieve(struct basis *b, uint32_t reps)
{
    uint8_t *const field = (uint8_t *)scratch(b);

    for (; reps > 0; reps--) {
        const uint32_t step = 3U + (next(b) & 31U);
        uint32_t open = 0;

        for (uint32_t i = step; i < 2048U; i += step)
            field[i] = (uint8_t)step;
        for (uint32_t i = 0; i < 64U; i++)
            open += field[(reps * 64U + i) % 2048U] == 0;
        b->sink += open;
    }
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* Places queens on a board of `size` columns; the masks have the attacked ones. */
CALL uint32_t queens(uint32_t all, uint32_t columns, uint32_t left, uint32_t right)
{
    uint32_t open = all & ~(columns | left | right);
    uint32_t found = columns == all;

    while (open != 0) {
        const uint32_t at = open & -open;

        open ^= at;
        found += queens(all, columns | at, (left | at) << 1, (right | at) >> 1);
    }
    return found;
}

void seg_i_queens(struct basis *b, uint32_t reps)
{
    for (; reps > 0; reps--)
        b->sink += queens(31U, 1U << (reps % 5U), 0, 0);
}

struct shape {
    uint32_t kind, width, height, colour;
};

CALL uint32_t area(const struct shape *s)
{
    return s->width * s->height;
}

CALL uint32_t edge(const struct shape *s)
{
    return 2U * (s->width + s->height);
}

CALL uint32_t grow(const struct shape *s)
{
    return s->width > s->height ? s->width - s->height : s->colour + 1U;
}

/* Calls methods of records, copies the records and changes them. */
void seg_i_object(struct basis *b, uint32_t reps)
{
    static uint32_t (*const method[4])(const struct shape *) = {area, edge, grow, edge};
    const struct shape *const from = (const struct shape *)given(b);
    struct shape *const to = (struct shape *)scratch(b);

    for (uint32_t n = reps * 24U; n > 0; n--) {
        struct shape s = from[n % (WORDS / 4U)];

        s.colour += method[s.kind & 3U](&s);
        to[n * 7U % (WORDS / 4U)] = s;
    }
}

/* Interprets codes of a machine with a stack. */
void seg_i_interpret(struct basis *b, uint32_t reps)
{
    const uint8_t *const code = (const uint8_t *)given(b);
    uint32_t *const stack = scratch(b);
    uint32_t at = b->random;
    uint32_t top = 1;

    for (uint32_t n = reps * 48U; n > 0; n--) {
        const uint32_t op = code[at++ % (4U * WORDS)];
        uint32_t *const p = &stack[top & 63U];

        switch (op & 7U) {
        case 0:
            p[1] = op;
            top++;
            break;
        case 1:
            p[1] = p[0] + (op >> 3);
            top--;
            break;
        case 2:
            p[0] -= p[1];
            break;
        case 3:
            p[0] ^= p[1] << (op >> 5);
            break;
        case 4:
            p[0] = p[0] > p[1] ? p[0] : p[1];
            break;
        case 5:
            at += p[0] & 7U;
            break;
        case 6:
            p[0] *= 3U + op;
            break;
        default:
            stack[op] = p[0];
            break;
        }
    }
    b->random += at;
}

CALL uint32_t joined(char *to, const char *one, const char *two)
{
    strcpy(to, one);
    strcat(to, two);
    return (uint32_t)strlen(to) + (strcmp(to, one) > 0);
}

/* Joins, compares and measures short words. */
void seg_i_words(struct basis *b, uint32_t reps)
{
    static const char *const word[8] = {"joule",   "of",   "a",     "core",
                                        "counter", "tile", "cache", "milliwatt"};
    char *const text = (char *)scratch(b);

    for (uint32_t n = reps * 4U; n > 0; n--) {
        const uint32_t r = next(b);

        b->sink += joined(text + (r >> 6 & 3U) * 64U, word[r & 7U], word[r >> 3 & 7U]);
    }
}
