/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "policy.h"

#include <stdlib.h>
#include <string.h>

#define UNLIKE 0.25F /* change of the time that makes a region look different */
#define SAME   0.10F /* change of a test's rates up to which it behaves as before */
#define NEAR   0.06F /* predicted loss of time up to which a number is measured all the same ... */
#define UNSURE                                                                                     \
    0.12F          /* ... of regions in the first class, which wait for memory, or that wait ... */
#define WAITS 0.7F /* ... so much for each other: predictions are less exact there */
#define LOWER                                                                                      \
    1.2F /* predicted time over the best, up to which a lower number is tried after it             \
          */
#define WORTH   0.005F /* measured gain over all threads that a smaller number needs */
#define SKIPS   32U    /* of so many executions of a short region one is timed */
#define BRIEFS  2U     /* short executions in a row until a region is left alone */
#define PATIENT 64U    /* a power of two: most unlike executions until a region is tested again */
#define SLOWEST                                                                                    \
    0.75F        /* of the IPC in proportion to the threads: caches of fewer cores hold less       \
                  */
#define TESTS 3U /* of a region whose counts are not those of its work, until all is measured */
#define SURE  3U /* executions with a sample until the power counts as known */

enum state { UNSEEN, TESTING, TRYING, SETTLED, LEFT };

/* ---- texts --------------------------------------------------------------------------- */

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

/* REGION=THREADS, ... */
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

/* One number and the blank behind it. */
static bool next(const char **s, float *out)
{
    char *end;

    *out = strtof(*s, &end);
    if (end == *s || (*end != ' ' && *end != '\0'))
        return false;
    *s = end;
    return *out > -1e9F && *out < 1e9F;
}

static bool read_lines(const char **s,
                       float line[ADAPT_THREADS - 1U][ADAPT_THREADS - 1U][ADAPT_TERMS])
{
    for (unsigned test = 2; test <= ADAPT_THREADS; test++) {
        for (unsigned i = 0; i < (test - 1U) * ADAPT_TERMS; i++) {
            if (!next(s, &line[test - 2U][i / ADAPT_TERMS][i % ADAPT_TERMS]))
                return false;
        }
    }
    return true;
}

bool adapt_parse_predictor(struct adapt_predictor *p, const char *text, const char **why)
{
    const char *s = text;
    float v[3];

    *p = (struct adapt_predictor){0};
    *why = "damaged coefficients of a predictor";
    for (unsigned i = 0; i < 3; i++) {
        if (!next(&s, &v[i]))
            return false;
    }
    if (v[0] != 1.0F) {
        *why = "coefficients of another version of predictors";
        return false;
    }
    p->event[0] = (uint16_t)v[1];
    p->event[1] = (uint16_t)v[2];
    for (unsigned b = 0; b < ADAPT_BUCKETS - 1U; b++) {
        if (!next(&s, &p->bucket[b]))
            return false;
    }
    for (unsigned b = 0; b < ADAPT_BUCKETS; b++) {
        if (!read_lines(&s, p->ipc[b]))
            return false;
    }
    if (!read_lines(&s, p->power))
        return false;
    p->there = *s == '\0';
    return p->there;
}

/* ---- prediction ---------------------------------------------------------------------- */

void adapt_predict(const struct adapt_predictor *p, unsigned test, unsigned to, float ipc,
                   float rate, float busy, float *ipc_out, float *mw_out)
{
    const float least = SLOWEST * ipc * (float)to / (float)test;
    const float most = ipc * (float)test / (float)to;
    unsigned b = 0;

    while (b < ADAPT_BUCKETS - 1U && ipc >= p->bucket[b])
        b++;
    const float *const i = p->ipc[b][test - 2U][to - 1U];
    const float *const w = p->power[test - 2U][to - 1U];

    *ipc_out = ipc * (i[0] * rate + i[1] * busy + i[2]) + i[3];
    *ipc_out = *ipc_out < least ? least : *ipc_out > most ? most : *ipc_out;
    *mw_out = w[0] * rate + w[1] * busy + w[2] * ipc + w[3];
}

float adapt_score(enum adapt_metric metric, float ns, float mw)
{
    const float ms = ns * 1e-6F;

    switch (metric) {
    case ADAPT_TIME:
        return ms;
    case ADAPT_ENERGY:
        return mw * ms;
    case ADAPT_EDP:
        return mw * ms * ms;
    default:
        return mw * ms * ms * ms;
    }
}

/* ---- regions ------------------------------------------------------------------------- */

struct adapt_region *adapt_find(struct adapt_region table[ADAPT_REGIONS], uint32_t region)
{
    const uint32_t first = region >> 2 ^ region >> 7;

    for (uint32_t i = 0; i < ADAPT_REGIONS; i++) {
        struct adapt_region *const r = &table[(first + i) % ADAPT_REGIONS];

        if (r->region == region)
            return r;
        if (r->region == 0) {
            r->region = region;
            r->patience = 1;
            return r;
        }
    }
    return NULL;
}

bool adapt_skips(struct adapt_region table[ADAPT_REGIONS], uint32_t region)
{
    struct adapt_region *const r = &table[(region >> 2 ^ region >> 7) % ADAPT_REGIONS];

    return r->region == region && r->state == LEFT && ++r->skipped % SKIPS != 0;
}

/* A region that looks different and then gets the same number is tested less and less often. */
static void settle(struct adapt_region *r, unsigned threads)
{
    if (threads != r->before)
        r->patience = 1;
    else if (r->patience < PATIENT)
        r->patience = (uint8_t)(2U * r->patience);
    r->before = (uint8_t)threads;
    r->state = SETTLED;
    r->best = (uint8_t)threads;
    r->now = (uint8_t)threads;
    r->off = 0;
}

/* What a number costs that was measured. Where its power is not known, that of the region with
 * another number: they differ by less than any with none. */
static float cost(const struct adapt_policy *p, const struct adapt_region *r, unsigned threads)
{
    float mw = r->mw[threads];
    float sum = 0;
    unsigned known = 0;

    for (unsigned n = 1; n <= ADAPT_THREADS && mw <= 0; n++) {
        sum += r->mw[n];
        known += r->mw[n] > 0;
    }
    if (mw <= 0)
        mw = known > 0 ? sum / (float)known : p->typical_mw;
    return adapt_score(p->metric, r->work[threads], mw);
}

static unsigned best_measured(const struct adapt_policy *p, const struct adapt_region *r)
{
    unsigned best = r->most;

    for (unsigned n = 1; n <= r->most; n++) {
        if ((r->tried & (1U << n)) != 0 && cost(p, r, n) < cost(p, r, best) * (1.0F - WORTH))
            best = n;
    }
    return best;
}

/* From the beginning, for that many threads at most. */
static void restart(struct adapt_region *r, unsigned most)
{
    r->most = (uint8_t)most;
    r->now = (uint8_t)most;
    r->tried = 0;
    r->nexts = 0;
    r->off = 0;
    r->state = most > 1U ? TESTING : SETTLED;
    r->best = (uint8_t)most;
}

static unsigned first_threads(const struct adapt_policy *p, unsigned most)
{
    if (p->kind == ADAPT_CAP)
        return 1;
    return p->kind == ADAPT_AURORA && most > 2U ? 2U : most;
}

static unsigned ordered(const struct adapt_policy *p, uint32_t region, unsigned most)
{
    unsigned threads = p->kind == ADAPT_STATIC ? p->threads : most;

    for (unsigned i = 0; i < p->fixed; i++) {
        if (p->list[i].region == region)
            threads = p->list[i].threads;
    }
    return threads < most ? threads : most;
}

unsigned adapt_choose(const struct adapt_policy *p, struct adapt_region *r, unsigned most,
                      enum adapt_why *why, bool *count)
{
    if (most > ADAPT_THREADS) /* more threads than cores: nothing is known of that */
        most = r->most != 0 && r->state != UNSEEN ? r->most : ADAPT_THREADS;
    *count = false;
    if (p->kind == ADAPT_STATIC || p->kind == ADAPT_LIST) {
        *why = ADAPT_ORDERED;
        *count = true;
        return ordered(p, r->region, most);
    }
    if (r->runs == 0 || r->state == UNSEEN) {
        *why = ADAPT_FIRST;
        r->most = (uint8_t)most;
        return p->kind == ADAPT_CAP ? 1U : most;
    }
    if (r->most != most && r->state != LEFT) {
        restart(r, most);
        r->now = (uint8_t)first_threads(p, most);
    }
    switch (r->state) {
    case TESTING:
        *why = ADAPT_TEST;
        *count = true;
        return r->now;
    case TRYING:
        *why = ADAPT_TRY;
        *count = true;
        return r->now;
    case SETTLED:
        *why = ADAPT_CHOSEN;
        return r->best;
    default:
        *why = ADAPT_BRIEF;
        return most;
    }
}

/* ---- learning ------------------------------------------------------------------------ */

/* Time for one unit of work: where instructions are known, of a billion of them. In a region whose
 * threads wait for each other they are no measure of it: they poll. */
static float per_work(const struct adapt_policy *p, const struct adapt_region *r,
                      const struct adapt_result *e)
{
    return p->predictor.there && e->counted && e->event[0] > 0 && r->busy >= WAITS
               ? e->ns * 1e9F / e->event[0]
               : e->ns;
}

static void note(const struct adapt_policy *p, struct adapt_region *r, unsigned threads,
                 const struct adapt_result *e, bool by_work)
{
    r->ns[threads] = e->ns;
    if (e->mw > 0)
        r->mw[threads] = e->mw;
    r->work[threads] = by_work ? per_work(p, r, e) : e->ns;
    r->tried |= (uint8_t)(1U << threads);
}

/* Candidates by what is predicted for them, those that are far behind left out. */
static void predict(const struct adapt_policy *p, struct adapt_region *r,
                    const struct adapt_result *e)
{
    float score[ADAPT_THREADS + 1U];
    const bool unsure = r->ipc < p->predictor.bucket[0] || r->busy < WAITS;
    const float near_ns = 1e6F * (1.0F + (unsure ? UNSURE : NEAR)); /* instead of 1 ms */
    float best;

    r->nexts = 0;
    if (r->mw[r->most] <= 0)
        r->mw[r->most] = p->typical_mw;
    score[r->most] = adapt_score(p->metric, e->ns, r->mw[r->most]);
    best = score[r->most];
    for (unsigned n = 1; n < r->most; n++) {
        float ipc;
        float mw;

        adapt_predict(&p->predictor, r->most, n, r->ipc, r->rate, r->busy, &ipc, &mw);
        r->ns[n] = e->ns * r->ipc / ipc;
        r->mw[n] = mw > 0 ? mw : r->mw[r->most];
        score[n] = adapt_score(p->metric, r->ns[n], r->mw[n]);
        if (score[n] < best)
            best = score[n];
    }
    for (unsigned n = r->most - 1U; n >= 1U; n--) {
        unsigned at = r->nexts;

        if (score[n] > best * adapt_score(p->metric, near_ns, 1.0F))
            continue;
        for (; at > 0 && score[n] < score[r->next[at - 1U]]; at--)
            r->next[at] = r->next[at - 1U];
        r->next[at] = (uint8_t)n;
        r->nexts++;
    }
}

/* The next candidate, or a decision. */
static void go_on(const struct adapt_policy *p, struct adapt_region *r)
{
    if (r->nexts == 0) {
        settle(r, best_measured(p, r));
        return;
    }
    r->now = r->next[0];
    r->nexts--;
    memmove(r->next, r->next + 1, r->nexts);
    r->state = TRYING;
}

/* A number that is the best so far: one thread less is next, unless that is predicted to be much
 * slower and the region is one of those that predictions are good for. */
static void go_lower(const struct adapt_policy *p, struct adapt_region *r, unsigned threads)
{
    const unsigned lower = threads - 1U;

    if (lower == 0 || (r->tried & (1U << lower)) != 0 || best_measured(p, r) != threads ||
        (r->busy >= WAITS && r->ns[lower] > r->ns[threads] * LOWER))
        return;
    for (unsigned i = 0; i < r->nexts; i++) {
        if (r->next[i] == lower)
            return;
    }
    memmove(r->next + 1, r->next, r->nexts);
    r->next[0] = (uint8_t)lower;
    r->nexts++;
}

static bool near(float a, float b)
{
    return a <= b * (1.0F + SAME) && a >= b * (1.0F - SAME);
}

static void tested(const struct adapt_policy *p, struct adapt_region *r,
                   const struct adapt_result *e)
{
    const bool counted = p->predictor.there && e->counted && e->event[0] > 0 && e->cycles > 0;
    const float ipc = counted ? e->event[0] / e->elapsed : 0.0F;
    const float rate = counted ? 1000.0F * e->event[1] / e->cycles : 0.0F;
    const float busy = counted ? e->cycles / (e->elapsed * (float)r->most) : 0.0F;
    const bool again = r->ipc > 0 && counted && near(ipc, r->ipc) && near(busy, r->busy) &&
                       r->before != 0 && r->before <= r->most;

    r->tried = 0;
    if (counted)
        r->busy = busy;
    note(p, r, r->most, e, true);
    if (again) { /* only its size has changed: not worth a test soon */
        r->ns[r->before] = 0;
        settle(r, r->before);
        return;
    }
    if (counted)
        r->uncounted = 0;
    r->ipc = ipc;
    r->rate = rate;
    if (counted) {
        predict(p, r, e);
        if (p->kind == ADAPT_PRE) {
            float least = adapt_score(p->metric, r->ns[r->most], r->mw[r->most]);
            unsigned best = r->most;

            for (unsigned n = 1; n < r->most; n++) {
                if (adapt_score(p->metric, r->ns[n], r->mw[n]) < least) {
                    least = adapt_score(p->metric, r->ns[n], r->mw[n]);
                    best = n;
                }
            }
            settle(r, best);
            return;
        }
    } else if (p->predictor.there && ++r->uncounted < TESTS) {
        return; /* threads moved from core to core: once more */
    } else {    /* nothing to predict with: down while it gets better */
        r->nexts = 1;
        r->next[0] = (uint8_t)(r->most - 1U);
    }
    go_on(p, r);
}

static void watch(const struct adapt_policy *p, struct adapt_region *r,
                  const struct adapt_result *e)
{
    const float was = r->ns[r->best];

    if (p->kind == ADAPT_EXH || p->kind == ADAPT_HPPATCH || p->kind == ADAPT_PRE)
        return; /* as published: once for ever */
    if (was <= 0) {
        r->ns[r->best] = e->ns;
        return;
    }
    if (e->ns <= was * (1.0F + UNLIKE) && e->ns >= was * (1.0F - UNLIKE)) {
        r->ns[r->best] += (e->ns - was) / 8.0F;
        r->off = 0;
        return;
    }
    if (++r->off < r->patience)
        return;
    r->off = 0;
    r->state = TESTING;
    r->now = (uint8_t)first_threads(p, r->most);
}

/* Down while it gets faster. */
static void hppatch(const struct adapt_policy *p, struct adapt_region *r, unsigned threads)
{
    const bool better = threads == r->most || cost(p, r, threads) < cost(p, r, threads + 1U);

    if (!better || threads == 1U) {
        settle(r, better ? threads : threads + 1U);
        return;
    }
    r->now = (uint8_t)(threads - 1U);
    r->state = TRYING;
}

/* 2, then 4 or 1, then what lies between. */
static void aurora(const struct adapt_policy *p, struct adapt_region *r, unsigned threads)
{
    unsigned best = threads;
    unsigned want = 0;

    for (unsigned n = 1; n <= r->most; n++) {
        if ((r->tried & (1U << n)) != 0 && cost(p, r, n) < cost(p, r, best))
            best = n;
    }
    if (threads == 2U && r->most > 2U)
        want = r->most;
    else if (r->most <= 2U)
        want = 1;
    else if (threads == r->most)
        want = best == 2U ? 1U : r->most > 3U ? 3U : 0U;
    else if (threads == 1U && best == 2U && r->most > 3U)
        want = 3;
    if (want == 0 || (r->tried & (1U << want)) != 0) {
        settle(r, best);
        return;
    }
    r->now = (uint8_t)want;
    r->state = TRYING;
}

/* Up while the power allows and the time gets less; down at once. */
static void cap(const struct adapt_policy *p, struct adapt_region *r, unsigned threads,
                const struct adapt_result *e)
{
    float mw;

    if (e->mw > 0) {
        r->samples_mw += (e->mw - r->samples_mw) / (float)(r->samples + 1U);
        r->samples++;
    }
    mw = r->samples_mw;
    r->ns[threads] = e->ns;
    r->now = r->best = (uint8_t)threads;
    r->state = SETTLED;
    if (r->samples > 0 && mw > p->cap_mw && threads > 1U) {
        r->tried |= (uint8_t)(1U << threads); /* too much */
        r->best = r->now = (uint8_t)(threads - 1U);
        r->samples = 0;
        r->samples_mw = 0;
    } else if (r->samples >= SURE && threads < r->most &&
               (r->tried & (1U << (threads + 1U))) == 0 && mw < p->cap_mw) {
        r->mw[threads] = mw;
        /* the last thread's share once more */
        if (threads > 1U && r->mw[threads - 1U] > 0 &&
            2.0F * mw - r->mw[threads - 1U] > p->cap_mw) {
            r->tried |= (uint8_t)(1U << (threads + 1U));
            return;
        }
        r->best = r->now = (uint8_t)(threads + 1U);
        r->samples = 0;
        r->samples_mw = 0;
    }
}

static bool is_brief(struct adapt_region *r, const struct adapt_result *e)
{
    if (e->ns >= (float)ADAPT_SHORT_NS) {
        r->brief = 0;
        return false;
    }
    return ++r->brief >= BRIEFS;
}

void adapt_learn(const struct adapt_policy *p, struct adapt_region *r, unsigned threads,
                 const struct adapt_result *result)
{
    const bool first = r->runs++ == 0 || r->state == UNSEEN;

    if (p->kind == ADAPT_STATIC || p->kind == ADAPT_LIST || p->kind == ADAPT_DYNAMIC)
        return;
    if (p->kind == ADAPT_CAP) {
        if (first)
            restart(r, r->most);
        cap(p, r, threads, result);
        return;
    }
    if (r->state != LEFT && r->state != SETTLED && is_brief(r, result)) {
        r->state = LEFT;
        return;
    }
    if (r->state == LEFT) { /* it has grown */
        if (result->ns < 2.0F * (float)ADAPT_SHORT_NS)
            return;
        r->brief = 0;
        restart(r, r->most);
        r->now = (uint8_t)first_threads(p, r->most);
        return;
    }
    if (first) {
        restart(r, r->most);
        r->now = (uint8_t)first_threads(p, r->most);
        return;
    }
    if (r->state == SETTLED) {
        watch(p, r, result);
        return;
    }
    switch (p->kind) {
    case ADAPT_EXH:
        note(p, r, threads, result, false);
        if (r->state == TESTING) {
            for (unsigned n = r->most - 1U; n >= 1U; n--)
                r->next[r->nexts++] = (uint8_t)n;
        }
        go_on(p, r);
        return;
    case ADAPT_HPPATCH:
        note(p, r, threads, result, false);
        hppatch(p, r, threads);
        return;
    case ADAPT_AURORA:
        if (r->state == TESTING)
            r->tried = 0;
        note(p, r, threads, result, false);
        aurora(p, r, threads);
        return;
    default:
        if (r->state == TESTING) {
            tested(p, r, result);
            return;
        }
        note(p, r, threads, result, true);
        go_lower(p, r, threads);
        go_on(p, r);
        return;
    }
}
