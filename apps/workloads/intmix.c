/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An integer mix like Dhrystone's: assignment of records, calls with value and
 * pointer arguments, enumerations, comparison and copying of short strings,
 * array accesses, the usual share of divisions. One thread, all in L1.
 * Not Dhrystone: its figures mean nothing here.
 * Checked: the end values that follow from the number of loops.
 */
#include "wl_common.h"

enum colour { RED, GREEN, BLUE, WHITE, BLACK };

struct record {
    struct record *other;
    enum colour colour;
    int weight;
    char name[32];
};

static long loops = 20000;
static struct record store[2];
static int vector[50], table[50][50];
static int hits, quotient_sum;
static char last = 'A';

/* Not inlined, so that calls are part of the mix as in programs of many files. */
#define CALL __attribute__((noinline)) static

CALL enum colour choose(char a, char b)
{
    if (a != b)
        return RED;
    last = a;
    return GREEN;
}

CALL bool ordered(const char *a, const char *b)
{
    int i = 2;
    while (i <= 2)
        if (choose(a[i], b[i + 1]) == RED)
            i += 3;
        else
            i++;
    return strcmp(a, b) > 0;
}

CALL void next_colour(enum colour in, enum colour *out)
{
    *out = in;
    switch (in) {
    case RED:
        *out = GREEN;
        break;
    case GREEN:
        *out = hits > 100 ? BLUE : BLACK;
        break;
    case BLUE:
        *out = WHITE;
        break;
    default:
        *out = RED;
        break;
    }
}

CALL void add_three(int a, int b, int *out)
{
    *out = a + b + 3;
}

CALL void fill(int *v, int (*m)[50], int at, int value)
{
    int row = at + 5;
    v[row] = value;
    v[row + 1] = v[row];
    v[row + 30] = row;
    for (int i = row; i <= row + 1; i++)
        m[row][i] = row;
    m[row][row - 1]++;
    m[row + 20][row] = v[row];
}

CALL void update(struct record *r)
{
    struct record *next = r->other;
    *next = *r;
    r->weight = 5;
    next->weight = r->weight;
    next->other = r->other;
    if (next->colour == GREEN) {
        next_colour(RED, &next->colour);
        add_three(next->weight, 10, &next->weight);
    } else {
        *r = *next;
    }
}

int main(int argc, char **argv)
{
    const struct wl_opt opts[] = {
        {'n', &loops, 1, 10000000, "loops"},
        {0},
    };
    wl_options(argc, argv, opts);
    char first[31], second[31];
    int a = 0, b = 0, c = 0;
    store[0] = (struct record){&store[1], GREEN, 40, "record, the first of the two"};
    strcpy(first, "a string of thirty chars, no 1");
    for (long i = 1; i <= loops; i++) {
        last = 'A';
        a = 2;
        b = 3;
        strcpy(second, "a string of thirty chars, no 2");
        hits += !ordered(first, second);
        while (a < b) {
            c = 5 * a - b;
            add_three(a, b, &c);
            a++;
        }
        fill(vector, table, a, c);
        update(&store[0]);
        for (char ch = 'A'; ch <= last + 2; ch++)
            if (choose(ch, 'C') == GREEN)
                b += 1;
        b *= a;
        a = b / c;
        b = 7 * (b - c) - a;
        quotient_sum += a + (int)(i % 7);
    }
    /* ordered() leaves last at 'A' (no equal letters there), so the loop over ch
     * ends with 'C', which sets last to 'C' and prolongs itself to 'E'. */
    int weeks = (int)(loops / 7), rest = (int)(loops % 7);
    bool ok = hits == loops && last == 'C' && c == 8 && a == 1 && b == 7 * (12 - 8) - 1 &&
              vector[8] == 8 && vector[38] == 8 && table[8][7] == loops && table[28][8] == 8 &&
              store[1].colour == GREEN && store[1].weight == 18 && store[0].weight == 5 &&
              strcmp(store[1].name, store[0].name) == 0 &&
              quotient_sum == (int)loops + weeks * 21 + rest * (rest + 1) / 2;
    return wl_result("intmix", ok, "loops=%ld a=%d b=%d c=%d quotients=%d", loops, a, b, c,
                     quotient_sum);
}
