/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Texts that the controller gets: its policy, and coefficients, which are decoded where they are
 * used. */
#include <stdlib.h>
#include <string.h>

#include "hal_hot.h"
#include "policy.h"

/* Least IPC in proportion to the threads: caches of fewer cores hold less. */
#define SLOWEST 0.75F

/* ---- policies ------------------------------------------------------------------------ */

static const struct {
    const char *name;
    enum adapt_kind kind;
    enum adapt_metric metric;
} names[] = {
    {"time", ADAPT_PREDICT, ADAPT_TIME},    {"energy", ADAPT_PREDICT, ADAPT_ENERGY},
    {"edp", ADAPT_PREDICT, ADAPT_EDP},      {"ed2", ADAPT_PREDICT, ADAPT_ED2},
    {"exh", ADAPT_EXH, ADAPT_TIME},         {"hppatch", ADAPT_HPPATCH, ADAPT_TIME},
    {"pre", ADAPT_PRE, ADAPT_ENERGY},       {"aurora", ADAPT_AURORA, ADAPT_EDP},
    {"dynamic", ADAPT_DYNAMIC, ADAPT_TIME},
};

static bool number(const char **s, char stop, unsigned long most, unsigned long *out)
{
    char *end;

    *out = strtoul(*s, &end, 0);
    if (end == *s || **s == '-' || (*end != stop && *end != '\0') || *out > most)
        return false;
    *s = *end == '\0' ? end : end + 1;
    return true;
}

/* Parses REGION=THREADS, ... */
static bool parse_list(struct adapt_policy *p, const char *s)
{
    unsigned long region;
    unsigned long threads;

    do {
        if (p->fixed == ADAPT_FIXED || !number(&s, '=', UINT32_MAX, &region) || s[-1] != '=' ||
            !number(&s, ',', ADAPT_THREADS, &threads) || threads == 0)
            return false;
        p->list[p->fixed].region = (uint32_t)region;
        p->list[p->fixed++].threads = (unsigned)threads;
    } while (*s != '\0');
    return s[-1] != ',';
}

static bool parse_cap(struct adapt_policy *p, const char *s)
{
    char *end;

    p->cap_mw = strtof(s, &end);
    return end != s && strcmp(end, "mW") == 0 && p->cap_mw > 0;
}

bool adapt_parse(struct adapt_policy *p, const char *text, const char **why)
{
    unsigned long threads;
    const char *s;

    *p = (struct adapt_policy){.typical_mw = 1};
    *why =
        "unknown policy (time, energy, edp, ed2, cap:600mW, static:1..4, fixed:REGION=N,..., exh, "
        "hppatch, pre, aurora, dynamic)";
    for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strcmp(text, names[i].name) == 0) {
            p->kind = names[i].kind;
            p->metric = names[i].metric;
            return true;
        }
    }
    if (strncmp(text, "static:", 7) == 0) {
        s = text + 7;
        *why = "static: takes a number of threads from 1 to 4, as in static:2";
        if (!number(&s, '\0', ADAPT_THREADS, &threads) || threads == 0)
            return false;
        p->kind = ADAPT_STATIC;
        p->threads = (unsigned)threads;
        return true;
    }
    if (strncmp(text, "fixed:", 6) == 0) {
        *why = "fixed: takes up to 32 regions and their threads, as in fixed:0x8a10=2,0x8b00=4";
        p->kind = ADAPT_LIST;
        return parse_list(p, text + 6);
    }
    if (strncmp(text, "cap:", 4) == 0) {
        *why = "cap: takes a power in mW, as in cap:600mW";
        p->kind = ADAPT_CAP;
        return parse_cap(p, text + 4);
    }
    return false;
}

/* Least busy share that is used in computations. */
#define IDLE      0.05F

#define DIGITS    4U                                          /* per number sent by the host */
#define LINES     (ADAPT_THREADS * (ADAPT_THREADS - 1U) / 2U) /* transitions */
#define LINE      (ADAPT_TERMS + ADAPT_POWER)
#define NUMBERS   (ADAPT_KNOTS + LINES * LINE)

#define ZEROS     0x30303030U /* value of a character: its difference to '0' ... */
#define NO_DIGITS 0xc0c0c0c0U /* ... and has six bits */

static HAL_HOT uint32_t six_bits(char c)
{
    return (unsigned char)c - (uint32_t)'0';
}

/* Returns the ith number: the upper 24 bits of a float, six in each character from '0' on. Numbers
 * are decoded one by one, since decoding all of them would take as long as a region. */
static HAL_HOT float number_at(const char *numbers, unsigned i)
{
    const char *const c = numbers + (size_t)DIGITS * i;
    const uint32_t bits =
        six_bits(c[0]) << 26 | six_bits(c[1]) << 20 | six_bits(c[2]) << 14 | six_bits(c[3]) << 8;
    float v;

    memcpy(&v, &bits, sizeof(v));
    return v;
}

/* Returns the sum of a line's terms; the line's first number is the ith. */
static HAL_HOT float sum_at(const char *numbers, unsigned i, const float *term, unsigned terms)
{
    float sum = 0;

    for (unsigned t = 0; t < terms; t++)
        sum += number_at(numbers, i + t) * term[t];
    return sum;
}

bool adapt_parse_predictor(struct adapt_predictor *p, const char *text, const char **why)
{
    const char *s = text;
    unsigned long v[3];
    uint32_t bad = 0;
    char *end;

    *p = (struct adapt_predictor){0};
    *why = "damaged coefficients of a predictor";
    for (unsigned i = 0; i < 3; i++, s = end) {
        v[i] = strtoul(s, &end, 10);
        if (end == s)
            return false;
    }
    if (v[0] != ADAPT_PREDICTOR) {
        *why = "coefficients of another version of predictors";
        return false;
    }
    p->event[0] = (uint16_t)v[1];
    p->event[1] = (uint16_t)v[2];
    if (*s++ != ' ')
        return false;
    p->numbers = s;
    if (strlen(s) != (size_t)DIGITS * NUMBERS)
        return false;
    for (unsigned i = 0; i < NUMBERS; i++) {
        uint32_t four;

        memcpy(&four, s + (size_t)DIGITS * i, sizeof(four));
        bad |= four - ZEROS; /* a character below '0' borrows from the next */
    }
    if ((bad & NO_DIGITS) != 0)
        return false;
    for (unsigned k = 0; k < ADAPT_KNOTS; k++)
        p->knot[k] = number_at(p->numbers, k);
    p->there = true;
    return true;
}

/* ---- prediction ---------------------------------------------------------------------- */

static HAL_HOT float above(float v)
{
    return v > 0 ? v : 0.0F;
}

HAL_HOT void adapt_predict(const struct adapt_predictor *p, unsigned test, unsigned to, float ipc,
                           float rate, float busy, float *ipc_out, float *mw_out)
{
    const float least = SLOWEST * ipc * (float)to / (float)test;
    const float most = ipc * (float)test / (float)to;
    const unsigned line = (test - 1U) * (test - 2U) / 2U + to - 1U;
    const unsigned at = ADAPT_KNOTS + line * LINE;
    const float stall = rate * 1e-3F;
    const float share = busy > IDLE ? busy : IDLE;
    const float once = 1.0F / ((float)test * share);
    const float slow = above(p->knot[0] - ipc);
    const float idle = above(p->knot[1] - share);
    const float speed = once * (float)to < 1.0F ? once * (float)to : 1.0F;

    *ipc_out = ipc * sum_at(p->numbers, at,
                            (const float[]){once * (float)test, share, slow * speed, stall * speed,
                                            idle * ipc * once, idle * slow,
                                            stall * above(p->knot[2] - ipc),
                                            above(p->knot[3] - ipc) * share, 1},
                            ADAPT_TERMS);
    *ipc_out = *ipc_out > most ? most : *ipc_out >= least ? *ipc_out : least;
    *mw_out =
        sum_at(p->numbers, at + ADAPT_TERMS, (const float[]){rate, busy, ipc, 1}, ADAPT_POWER);
}
