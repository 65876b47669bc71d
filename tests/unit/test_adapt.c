/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Policies of the controller of parallel regions: what they choose in a world of known times. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "policy.h"

/* A region that takes so long with each number of threads, ms, and draws so much. */
struct world {
    float ms[ADAPT_THREADS + 1U];
    float mw[ADAPT_THREADS + 1U];
    float size; /* of the work */
    float busy; /* share of the time that threads do not wait for each other; 0: all of it */
};

static const struct world scales = {{0, 40, 20, 13.4F, 10}, {0, 550, 560, 570, 580}, 1, 0};
static const struct world stream = {{0, 14, 8, 9, 10}, {0, 550, 560, 570, 580}, 1, 0};

static struct adapt_policy policy;
static struct adapt_region table[ADAPT_REGIONS];
static enum adapt_why why;
static float took_ns; /* the last execution */

#define LONG_NS  100e9F  /* a program that can afford every trial */
#define COUNT_NS 10e3F   /* what counting costs an execution */
static bool was_counted; /* the last execution */

/* An execution; returns the number of threads. */
static unsigned execute(const struct world *w, unsigned most)
{
    struct adapt_region *const r = adapt_find(table, 0x8000);
    struct adapt_result e = {0};
    bool count = false;
    unsigned n = adapt_decided(r, most);

    const bool decided = n != 0;

    took_ns = w->ms[most] * w->size * 1e6F;
    if (r->state == ADAPT_SETTLED && adapt_skips(table, 0x8000)) {
        why = ADAPT_CHOSEN;
        policy.passed_ns += took_ns;
        return most;
    }

    why = r->state == ADAPT_WAITING ? ADAPT_FIRST : ADAPT_CHOSEN;
    if (!decided)
        n = adapt_choose(&policy, r, most, &why, &count);
    assert_true(n >= 1 && n <= most);
    e.ns = w->ms[n] * w->size * 1e6F + (count ? COUNT_NS : 0.0F);
    took_ns = e.ns;
    policy.passed_ns += e.ns;
    if (decided && adapt_usual(r, e.ns))
        return n;
    e.mw = w->mw[n];
    e.counted = was_counted = count;
    e.elapsed = e.ns * 0.21F;
    e.cycles = e.elapsed * (float)n * (w->busy > 0 ? w->busy : 1.0F);
    e.event[0] = 1e6F * w->size;
    e.event[1] = 1e3F * w->size;
    adapt_learn(&policy, r, n, &e);
    return n;
}

static void begin(const char *text)
{
    const char *reason;

    memset(table, 0, sizeof(table));
    assert_true(adapt_parse(&policy, text, &reason));
    policy.passed_ns = LONG_NS;
}

static unsigned after(const struct world *w, unsigned runs, unsigned most)
{
    unsigned n = 0;

    for (unsigned i = 0; i < runs; i++)
        n = execute(w, most);
    return n;
}

static size_t add(char *text, size_t at, float v)
{
    uint32_t bits;

    memcpy(&bits, &v, sizeof(bits));
    bits = (bits + 0x80U) >> 8;
    for (unsigned i = 0; i < 4; i++)
        text[at + i] = (char)('0' + (bits >> (18U - 6U * i) & 0x3fU));
    text[at + 4U] = '\0';
    return at + 4U;
}

/* Lines that say: with n of t threads a region is k times as fast, whatever it counted. */
static void predict_ratio(float k3, float k2, float k1)
{
    const float k[] = {k1, k2, k3};
    static char text[2000]; /* the predictor refers to it */
    char wrong[2000];
    const char *reason;
    size_t at = (size_t)sprintf(text, "3 8 18 ");

    for (unsigned i = 0; i < ADAPT_KNOTS; i++)
        at = add(text, at, (float)(i + 1U));
    for (unsigned test = 2; test <= ADAPT_THREADS; test++) {
        for (unsigned to = 1; to < test; to++) {
            for (unsigned i = 0; i < ADAPT_TERMS; i++)
                at = add(text, at,
                         i + 1U == ADAPT_TERMS ? k[to - 1U] * (test == 4 ? 1.0F : 1.1F) : 0.0F);
            for (unsigned i = 0; i < ADAPT_POWER; i++)
                at = add(text, at, i + 1U == ADAPT_POWER ? 560.0F : 0.0F);
        }
    }
    assert_true(adapt_parse_predictor(&policy.predictor, text, &reason));
    for (unsigned i = 0; i < 3; i++) { /* one digit less, one more, one that is none */
        static const char *const end[] = {"", "00", "p"};

        strcpy(wrong, text);
        strcpy(wrong + at - 1, end[i]);
        assert_false(adapt_parse_predictor(&(struct adapt_predictor){0}, wrong, &reason));
    }
}

/* ---- texts --------------------------------------------------------------------------- */

static void policies(void **state)
{
    static const char *const good[] = {"time",
                                       "energy",
                                       "edp",
                                       "ed2",
                                       "cap:600mW",
                                       "static:1",
                                       "static:4",
                                       "exh",
                                       "hppatch",
                                       "pre",
                                       "aurora",
                                       "dynamic",
                                       "fixed:0x8a10=2,35600=4"};
    static const char *const bad[] = {"",
                                      "ED2",
                                      "static:",
                                      "static:0",
                                      "static:5",
                                      "static:2x",
                                      "cap:",
                                      "cap:600",
                                      "cap:-5mW",
                                      "fixed:",
                                      "fixed:0x8a10",
                                      "fixed:0x8a10=0",
                                      "fixed:0x8a10=2,",
                                      "exhaust"};
    const char *reason;

    (void)state;
    for (unsigned i = 0; i < sizeof(good) / sizeof(good[0]); i++)
        assert_true(adapt_parse(&policy, good[i], &reason));
    for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_false(adapt_parse(&policy, bad[i], &reason));
        assert_non_null(reason);
    }
}

static void predictors(void **state)
{
    struct adapt_predictor p;
    const char *reason;

    (void)state;
    assert_false(adapt_parse_predictor(&p, "", &reason));
    assert_false(adapt_parse_predictor(&p, "3 8 18 0000", &reason));
    assert_false(adapt_parse_predictor(&p, "3 8 18", &reason));
    assert_false(adapt_parse_predictor(&p, "2 8 18 3f8000", &reason));
    assert_non_null(strstr(reason, "version"));
    begin("ed2");
    predict_ratio(0.75F, 0.5F, 0.25F);
    assert_int_equal(policy.predictor.event[1], 18);
}

/* A line that says nonsense, or no number: as slow as is believed of any region. */
static void nonsense(void **state)
{
    const float factor[] = {0, -1e30F, (float)NAN};
    float ipc;
    float mw;

    (void)state;
    begin("ed2");
    for (unsigned i = 0; i < sizeof(factor) / sizeof(factor[0]); i++) {
        predict_ratio(0.75F, factor[i], 0.25F);
        adapt_predict(&policy.predictor, 4, 2, 2.0F, 10.0F, 1.0F, &ipc, &mw);
        assert_true(ipc > 0.74F && ipc < 0.76F);
    }
    predict_ratio(0.75F, 0.6F, 0.25F);
    adapt_predict(&policy.predictor, 4, 2, 2.0F, 10.0F, 1.0F, &ipc, &mw);
    assert_true(ipc > 1.19F && ipc < 1.21F);
    assert_true(mw > 559 && mw < 561);
}

/* Every term of a line, by hand. 4 to 2 threads with an IPC of 0.5, 200 stalls per thousand cycles
 * and a fifth of the time busy, knots at 0.9, 0.4, 2.5 and 0.7: two threads could do it all at full
 * speed. 4 to 3 with nine tenths busy: at 3 / 3.6 of it. */
static void terms(void **state)
{
    /* 1 / busy, busy, slow, stall, idle, idle slow, stall slow, full, 1 */
    static const float line[ADAPT_TERMS] = {0.01F, 0.5F, 0.25F, -0.1F, 0.4F,
                                            0.3F,  0.2F, 0.5F,  0.375F};
    static const float power[ADAPT_POWER] = {0.05F, -10, 20, 540};
    static const float knot[ADAPT_KNOTS] = {0.9F, 0.4F, 2.5F, 0.7F};
    struct adapt_predictor p;
    const char *reason;
    char text[2000];
    size_t at = (size_t)sprintf(text, "3 8 18 ");
    float ipc;
    float mw;

    (void)state;
    for (unsigned i = 0; i < ADAPT_KNOTS; i++)
        at = add(text, at, knot[i]);
    for (unsigned i = 0; i < 6; i++) {
        for (unsigned t = 0; t < ADAPT_TERMS; t++)
            at = add(text, at, i >= 3 ? line[t] : 100.0F); /* of another test: not used */
        for (unsigned t = 0; t < ADAPT_POWER; t++)
            at = add(text, at, i >= 3 ? power[t] : 0.0F);
    }
    assert_true(adapt_parse_predictor(&p, text, &reason));
    adapt_predict(&p, 4, 2, 0.5F, 200.0F, 0.2F, &ipc, &mw);
    /* 0.05 + 0.1 + 0.1 - 0.02 + 0.05 + 0.024 + 0.08 + 0.02 + 0.375 */
    assert_true(fabsf(ipc - 0.5F * 0.779F) < 1e-4F);
    assert_true(fabsf(mw - 558.0F) < 0.01F);
    adapt_predict(&p, 4, 3, 1.0F, 200.0F, 0.9F, &ipc, &mw);
    /* 0.01111 + 0.45 + 0 - 0.016667 + 0 + 0 + 0.06 + 0.375 */
    assert_true(fabsf(ipc - 0.879444F) < 1e-4F);
    assert_true(fabsf(mw - 561.0F) < 0.01F);
    /* no busy time at all: as little as is reckoned with, 0.05; bounded */
    adapt_predict(&p, 4, 1, 1.0F, 0.0F, 0.0F, &ipc, &mw);
    /* 0.2 + 0.025 + 0.4 * 0.35 / 0.2 + 0.375 */
    assert_true(fabsf(ipc - 1.3F) < 1e-4F);
}

/* ---- choices ------------------------------------------------------------------------- */

static void orders(void **state)
{
    (void)state;
    begin("static:2");
    assert_int_equal(after(&scales, 3, 4), 2);
    assert_true(was_counted);                  /* for predictors */
    assert_int_equal(after(&scales, 1, 1), 1); /* never more than the program would get */
    begin("fixed:0x8000=3");
    assert_int_equal(after(&scales, 2, 4), 3);
    assert_false(was_counted); /* waits for locks are not timed */
    begin("fixed:0x9000=3");
    assert_int_equal(after(&scales, 2, 4), 4);
}

/* First, test, then a decision without a try: nothing comes near. */
static void predicts(void **state)
{
    (void)state;
    begin("ed2");
    predict_ratio(0.75F, 0.5F, 0.25F);
    assert_int_equal(execute(&scales, 4), 4);
    assert_int_equal(why, ADAPT_FIRST);
    assert_int_equal(execute(&scales, 4), 4);
    assert_int_equal(why, ADAPT_TEST);
    assert_int_equal(execute(&scales, 4), 4);
    assert_int_equal(why, ADAPT_CHOSEN);
}

/* A prediction that is right is taken; one that is wrong costs one execution. */
static void checks(void **state)
{
    (void)state;
    begin("ed2");
    predict_ratio(1.1F, 1.25F, 0.7F);
    assert_int_equal(after(&stream, 2, 4), 4);
    assert_int_equal(execute(&stream, 4), 2);
    assert_int_equal(why, ADAPT_TRY);
    assert_int_equal(after(&stream, 6, 4), 2);
    assert_int_equal(why, ADAPT_CHOSEN);
    begin("ed2");
    predict_ratio(0.75F, 1.25F, 0.7F);
    assert_int_equal(after(&scales, 3, 4), 2);
    assert_int_equal(after(&scales, 1, 4), 4);
    assert_int_equal(why, ADAPT_CHOSEN);
}

/* A lock: each thread less is better, whatever is predicted, and polling is no work. */
static void contends(void **state)
{
    const struct world lock = {{0, 5, 6, 6.5F, 7}, {0, 550, 555, 560, 565}, 1, 0.3F};

    (void)state;
    begin("ed2");
    predict_ratio(0.95F, 0.7F, 0.5F);
    assert_int_equal(after(&lock, 12, 4), 1);
    assert_int_equal(why, ADAPT_CHOSEN);
}

/* Without a predictor all numbers are measured. */
static void measures(void **state)
{
    unsigned looks;

    (void)state;
    begin("ed2");
    assert_int_equal(after(&stream, 10, 4), 2);
    begin("exh");
    assert_int_equal(after(&stream, 10, 4), 2);
    begin("hppatch");
    assert_int_equal(after(&stream, 10, 4), 2);
    assert_int_equal(after(&scales, 20, 4), 2); /* as published: once for ever */
    looks = adapt_find(table, 0x8000)->runs;
    assert_int_equal(after(&scales, 80, 4), 2);
    assert_in_range(adapt_find(table, 0x8000)->runs - looks, 10, 11); /* one in eight, closely */
    begin("aurora");
    assert_int_equal(after(&stream, 10, 4), 2);
    begin("aurora");
    assert_int_equal(after(&scales, 10, 4), 4);
}

/* The program's own number is the bound; with two there is one transition. */
static void bounds(void **state)
{
    (void)state;
    begin("ed2");
    predict_ratio(1.1F, 1.25F, 1.3F);
    assert_int_equal(execute(&stream, 2), 2);
    assert_true(after(&stream, 10, 2) <= 2);
    assert_int_equal(after(&stream, 5, 1), 1);
}

/* Within three executions of a change the region has its new number. */
static void adapts_again(void **state)
{
    (void)state;
    begin("ed2");
    predict_ratio(1.1F, 1.25F, 0.7F);
    assert_int_equal(after(&scales, 8, 4), 4);
    (void)execute(&stream, 4);
    (void)execute(&stream, 4);
    (void)execute(&stream, 4);
    assert_int_equal(execute(&stream, 4), 4); /* it looks the same: scales and stream take 10 ms */
    begin("ed2");
    policy.predictor.there = false;
    assert_int_equal(after(&stream, 12, 4), 2);
    assert_int_equal(execute(&scales, 4), 2); /* unlike */
    assert_int_equal(execute(&scales, 4), 4); /* test */
    assert_int_equal(why, ADAPT_TEST);
    assert_int_equal(after(&scales, 8, 4), 4);
}

/* One unlike execution just after a decision is no reason for a test, two in a row are. */
static void settles_down(void **state)
{
    unsigned until = 0;

    (void)state;
    begin("ed2");
    policy.predictor.there = false;
    do
        (void)execute(&stream, 4);
    while (why != ADAPT_CHOSEN && ++until < 10U);
    assert_int_equal(why, ADAPT_CHOSEN);
    assert_int_equal(execute(&scales, 4), 2); /* unlike */
    assert_int_equal(execute(&stream, 4), 2);
    assert_int_equal(why, ADAPT_CHOSEN);
    assert_int_equal(execute(&scales, 4), 2);
    assert_int_equal(execute(&scales, 4), 2);
    assert_int_equal(execute(&scales, 4), 4);
    assert_int_equal(why, ADAPT_TEST);
}

/* A number that was tried in an execution in which it was as fast as all threads, and in half of
 * the others is not: by which thread has the most to do, say. It is given up soon, and for good,
 * whether these times look alike or not, and whether the region had long been decided or not. */
static void lucky_trial(void **state)
{
    static const struct {
        float slow_ms, k2, passed_ns;
    } rows[] = {{12.4F, 0.96F, 0}, {12.2F, 0.91F, -300e6F}};

    (void)state;
    for (unsigned row = 0; row < 2; row++) {
        struct world uneven = scales;
        const struct adapt_region *r;
        unsigned slow = 0, all = 0;

        begin("ed2");
        predict_ratio(0.98F, rows[row].k2, 0.5F);
        uneven.busy = 0.6F;
        policy.passed_ns = rows[row].passed_ns;
        r = adapt_find(table, 0x8000);
        for (unsigned i = 0; i < 200; i++) {
            uneven.ms[3] = r->state == ADAPT_TRYING || i % 4 < 2U ? 9.9F : rows[row].slow_ms;
            if (execute(&uneven, 4) == 3) {
                slow += uneven.ms[3] > 10.0F;
                all++;
            }
        }
        assert_true(all > 0);
        assert_true(slow <= 2);
    }
}

/* A number that is faster still than in its trial, since the caches have become its own: the same
 * work in less time is no loss, and the short program keeps to it. */
static void gets_better(void **state)
{
    struct world warm = stream;

    (void)state;
    begin("ed2");
    predict_ratio(1.1F, 1.25F, 0.7F);
    policy.passed_ns = 0;
    assert_int_equal(after(&stream, 3, 4), 2);
    assert_int_equal(why, ADAPT_TRY);
    warm.ms[2] = 5;
    assert_int_equal(after(&warm, 12, 4), 2);
    assert_int_equal(why, ADAPT_CHOSEN);
    assert_true(policy.lost_ns < COUNT_NS);
}

/* More work of the same kind is no reason to choose anew. */
static void sizes(void **state)
{
    struct world twice = stream;
    unsigned tests = 0;

    (void)state;
    begin("ed2");
    predict_ratio(1.1F, 1.25F, 0.7F);
    assert_int_equal(after(&stream, 6, 4), 2);
    for (unsigned i = 0; i < 64; i++) {
        twice.size = i % 2 == 0 ? 2 : 1;
        (void)execute(&twice, 4);
        tests += why == ADAPT_TEST;
    }
    assert_true(tests <= 6);
}

/* A region that looks different each time, in a program that consists of it, and for which fewer
 * threads are promised wrongly: whatever the controller can compare, it costs less than 1 % of the
 * time of all threads, and never more than one trial beyond that. */
static void budget(void **state)
{
    static const struct {
        bool predicts;
        float busy;
        const struct world *other; /* that it is now and then */
    } kind[] = {{true, 1, &scales}, {true, 0.3F, &scales}, {false, 1, &scales},
                {true, 1, &stream}, {true, 0.3F, &stream}, {false, 1, &stream}};

    (void)state;
    for (unsigned k = 0; k < sizeof(kind) / sizeof(kind[0]); k++) {
        uint32_t random = 1;
        double all = 0;
        double extra = 0;
        double worst = 0;
        unsigned fewer = 0;

        begin("ed2");
        if (kind[k].predicts)
            predict_ratio(1.1F, 1.25F, 1.3F);
        policy.passed_ns = 0;
        for (unsigned i = 0; i < 5000; i++) {
            struct world w;
            double loss;

            random = random * 1664525U + 1013904223U;
            w = random >> 31 ? scales : *kind[k].other;
            w.size =
                (float)(1U << (random >> 24 & 3U)) * (1.0F + (float)(random >> 16 & 255U) / 256);
            w.busy = kind[k].busy * (1.0F - (float)(random >> 8 & 255U) / 400);
            fewer += execute(&w, 4) < 4;
            loss = (double)took_ns - 1e6 * (double)(w.ms[4] * w.size);
            all += 1e6 * (double)(w.ms[4] * w.size);
            extra += loss;
            worst = loss > worst ? loss : worst;
            assert_true(extra <= 0.01 * all + worst);
        }
        assert_true(extra <= 0.01 * all);
        assert_true(fewer > 0); /* it was not done by doing nothing */
    }
}

/* A candidate that the budget has no room for yet: the executions until then are not looked at
 * closely, and it is tried when there is room. */
static void affords_later(void **state)
{
    static const struct world w = {{0, 36, 18, 10.2F, 10}, {0, 580, 580, 580, 580}, 1, 0};
    unsigned runs = 2;

    (void)state;
    begin("ed2");
    predict_ratio(0.99F, 0.5F, 0.25F);
    policy.predictor.knot[0] = 0; /* nothing waits for memory: predictions are doubted */
    policy.passed_ns = 0;
    (void)after(&w, runs, 4);
    assert_int_equal(why, ADAPT_TEST);
    for (; runs < 100 && execute(&w, 4) == 4; runs++)
        ;
    assert_int_equal(why, ADAPT_TRY);
    /* 4 % of an execution may be lost, and of the time 0.5 %. */
    assert_in_range(runs, 8, 9);
    assert_true(adapt_find(table, 0x8000)->runs <= runs - 2);
}

/* A number that nothing predicts is expected to cost what a region that gains from every thread
 * loses without one: the trial comes when the program is old enough for a third of an execution. */
static void affords_blindly(void **state)
{
    float before_ns = 0;
    unsigned runs = 0;

    (void)state;
    begin("ed2"); /* without a predictor */
    policy.passed_ns = 0;
    for (; runs < 100 && execute(&scales, 4) == 4; runs++)
        before_ns = policy.passed_ns;
    assert_int_equal(why, ADAPT_TRY);
    assert_in_range(runs, 66, 68);
    assert_true(took_ns - scales.ms[4] * 1e6F < 0.006F * before_ns);
}

/* A test that took longer than the execution before it, as regions do whose threads fill the bus,
 * is repeated: against its time a number that is no gain would look like one. */
static void slow_test(void **state)
{
    struct world w = stream;

    (void)state;
    begin("ed2");
    predict_ratio(1.1F, 1.25F, 0.7F);
    assert_int_equal(execute(&w, 4), 4);
    w.size = 1.5F;
    assert_int_equal(execute(&w, 4), 4);
    assert_int_equal(why, ADAPT_TEST);
    w.size = 1;
    assert_int_equal(execute(&w, 4), 4);
    assert_int_equal(why, ADAPT_TEST);
    assert_int_equal(execute(&w, 4), 2);
    begin("ed2"); /* work that grows all the time is adapted all the same */
    predict_ratio(1.1F, 1.25F, 0.7F);
    for (unsigned i = 0; i < 4; i++, w.size *= 1.5F)
        assert_int_equal(execute(&w, 4), 4);
    assert_int_equal(execute(&w, 4), 2);
}

static void brief(void **state)
{
    const struct world tiny = {{0, 0.1F, 0.08F, 0.06F, 0.05F}, {0}, 1, 0};
    struct world grown = scales;
    unsigned skipped = 0;

    (void)state;
    begin("ed2");
    assert_int_equal(after(&tiny, 3, 4), 4);
    assert_int_equal(why, ADAPT_BRIEF);
    for (unsigned i = 1; i < 64; i++) /* all but two of them */
        skipped += adapt_skips(table, 0x8000);
    assert_int_equal(skipped, 62);
    assert_false(adapt_skips(table, 0x9000));
    (void)after(&grown, 2, 4);
    assert_int_not_equal(why, ADAPT_BRIEF);
}

/* A policy that learns leaves a program alone until what it costs to begin is little of its time;
 * one that is a number, and those of others, do not wait. */
static void young(void **state)
{
    static const char *const others[] = {"static:2", "fixed:0x8000=3", "exh",    "hppatch",
                                         "pre",      "aurora",         "cap:1mW"};
    const uint32_t mhz = 1000000U;

    (void)state;
    begin("ed2");
    assert_true(adapt_youth(&policy, mhz) == 30000);
    assert_true(adapt_youth(&policy, 1000U * mhz) == 30000000);
    assert_true(adapt_youth(&policy, UINT32_MAX) == 128849018);
    for (unsigned i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        begin(others[i]);
        assert_true(adapt_youth(&policy, mhz) == 0);
    }
}

/* As long as regions are short against the rest of its youth, not each of them asks for the age. */
static void pauses(void **state)
{
    (void)state;
    assert_int_equal(adapt_may_pause(50, 0, 30000), 0); /* nothing is known of its regions */
    assert_int_equal(adapt_may_pause(150, 50, 30000), ADAPT_RESTS);
    assert_int_equal(adapt_may_pause(10000, 5001, 30000), ADAPT_RESTS);
    assert_int_equal(adapt_may_pause(10000, 5000, 30000), 0);
    assert_int_equal(adapt_may_pause(29999, 29998, 30000), 0);
}

/* Returns how many executions the controller looks at. */
static unsigned examined(const struct world *w, unsigned runs)
{
    unsigned looks = 0;

    for (unsigned i = 0; i < runs; i++) {
        looks += adapt_find(table, 0x8000)->rest == 0;
        (void)execute(w, 4);
    }
    return looks;
}

/* Where all threads are best the controller can only cost: it looks at one execution in four, and
 * at each one from an unlike one to the next test. Where it has chosen fewer, or has something to
 * try, it looks at all. */
static void rests(void **state)
{
    struct world grown = scales;

    (void)state;
    begin("ed2");
    predict_ratio(0.75F, 0.5F, 0.25F);
    (void)after(&scales, 2, 4);
    assert_int_equal(why, ADAPT_TEST);
    assert_in_range(examined(&scales, 400), 95, 105);
    grown.size = 3;
    while (adapt_find(table, 0x8000)->rest != 0)
        (void)execute(&scales, 4);
    assert_int_equal(examined(&grown, 2), 2);
    assert_int_equal(why, ADAPT_TEST);
    begin("ed2");
    predict_ratio(1.1F, 1.25F, 0.7F);
    assert_int_equal(after(&stream, 8, 4), 2);
    assert_int_equal(examined(&stream, 40), 40);
    begin("ed2"); /* there is a candidate that cannot be afforded */
    predict_ratio(0.99F, 0.5F, 0.25F);
    policy.predictor.knot[0] = 0;
    policy.passed_ns = 0;
    (void)after(&scales, 2, 4);
    assert_int_equal(examined(&scales, 4), 4);
    begin("exh"); /* as published */
    assert_int_equal(after(&scales, 6, 4), 4);
    assert_int_equal(examined(&scales, 40), 40);
}

/* A region that has another size each time was tested in vain some times: then it is left alone,
 * too. */
static void rests_restless(void **state)
{
    struct world w = scales;
    unsigned looks = 0;

    (void)state;
    begin("ed2");
    predict_ratio(0.75F, 0.5F, 0.25F);
    for (unsigned i = 0; i < 800; i++) {
        w.size = 1.0F + (float)(i * 7U % 5U);
        if (i == 400)
            looks = 0;
        looks += examined(&w, 1);
    }
    assert_in_range(looks, 95, 125);
}

static void caps(void **state)
{
    (void)state;
    begin("cap:565mW");
    assert_int_equal(execute(&scales, 4), 1);
    assert_int_equal(after(&scales, 30, 4), 2);
    begin("cap:500mW");
    assert_int_equal(after(&scales, 30, 4), 1);
    begin("cap:900mW");
    assert_int_equal(after(&scales, 30, 4), 4);
}

static void full(void **state)
{
    (void)state;
    memset(table, 0, sizeof(table));
    for (uint32_t i = 0; i < ADAPT_REGIONS; i++)
        assert_non_null(adapt_find(table, 0x8000 + 4 * i));
    assert_null(adapt_find(table, 0x100));
    assert_ptr_equal(adapt_find(table, 0x8000), adapt_find(table, 0x8000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(policies),
        cmocka_unit_test(predictors),
        cmocka_unit_test(nonsense),
        cmocka_unit_test(terms),
        cmocka_unit_test(orders),
        cmocka_unit_test(predicts),
        cmocka_unit_test(checks),
        cmocka_unit_test(contends),
        cmocka_unit_test(measures),
        cmocka_unit_test(bounds),
        cmocka_unit_test(adapts_again),
        cmocka_unit_test(settles_down),
        cmocka_unit_test(lucky_trial),
        cmocka_unit_test(sizes),
        cmocka_unit_test(brief),
        cmocka_unit_test(affords_later),
        cmocka_unit_test(affords_blindly),
        cmocka_unit_test(slow_test),
        cmocka_unit_test(caps),
        cmocka_unit_test(full),
        cmocka_unit_test(budget),
        cmocka_unit_test(gets_better),
        cmocka_unit_test(young),
        cmocka_unit_test(rests),
        cmocka_unit_test(rests_restless),
        cmocka_unit_test(pauses),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
