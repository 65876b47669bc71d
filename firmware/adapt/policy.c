/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "policy.h"

#include <string.h>

#include "hal_hot.h"

#define UNLIKE  0.25F /* change of the time that makes a region look different */
#define SAME    0.10F /* change of a test's rates up to which it behaves as before */
#define NEAR    0.06F /* predicted loss of time up to which a number is measured all the same ... */
#define UNSURE  0.12F /* ... of regions whose IPC shows waits for memory, or that wait ... */
#define WAITS   0.7F  /* ... that much for each other: predictions are less exact there */
#define LOWER   1.2F  /* predicted time over the best up to which a lower number is tried next */
#define WORTH   0.005F /* measured gain over all threads that a smaller number needs */
#define NOISE   0.02F  /* of times where threads wait for each other */
#define BRIEFS  2U     /* short executions in a row until a region is left alone */
#define PATIENT 64U    /* a power of two: most unlike executions until a region is tested again */
#define VAIN    4U     /* of these, from which on not all executions are examined */
#define TESTS   3U     /* in a row that do not suffice to predict, until all is measured */
#define SURE    3U     /* executions with a sample until the power counts as known */

/* The budget: shares of the program's time. Together they are the controller's cost apart from its
 * calls, so that a program is not 1 % slower than with all threads. */
#define LOSS    0.005F   /* measured losses of trials and decisions */
#define TESTED  0.0025F  /* tests, of a region's time since its last one ... */
#define TEST_NS 20000.0F /* ... which take that much longer for counting and deciding */
#define DOUBT   0.03F    /* expected error of a prediction, of the region's time */
#define PART    0.25F  /* of the longest recent execution: a shorter test proves nothing about it */
#define FADE    0.875F /* decay of that with each execution */
#define FRESH   4U     /* executions after a decision that are examined closely */
#define NERVES  2U     /* restlessness that an unlike execution adds to a region */

/* ---- regions ------------------------------------------------------------------------- */

HAL_HOT float adapt_score(enum adapt_metric metric, float ns, float mw)
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

HAL_HOT struct adapt_region *adapt_find(struct adapt_region table[ADAPT_REGIONS], uint32_t region)
{
    const uint32_t first = (uint32_t)(adapt_place(table, region) - table);

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

/* Returns true for policies that decide once for ever, as published. */
static HAL_HOT bool decides_once(const struct adapt_policy *p)
{
    return p->kind == ADAPT_EXH || p->kind == ADAPT_HPPATCH || p->kind == ADAPT_PRE;
}

/* Returns the duration that the program must have reached for the trial of a number to fit into the
 * budget, if the execution is as long as the longest recent one, ns. The next prediction is assumed
 * to be as wrong as the last one. For regions that wait for memory no further error is expected:
 * their predictions err towards longer times. Without a prediction the work is expected to gain
 * from every thread. */
static HAL_HOT float affordable_at(const struct adapt_policy *p, const struct adapt_region *r,
                                   unsigned threads)
{
    const float all = r->ns[r->most];
    const float doubt = r->ipc < p->predictor.knot[0] ? 0.0F : DOUBT;
    const float more = r->ns[threads] > 0 && all > 0
                           ? r->trend * r->ns[threads] / all - 1.0F + doubt
                           : (float)r->most / (float)threads - 1.0F;

    if (p->kind != ADAPT_PREDICT)
        return 0;
    return (p->lost_ns + (more > 0 ? more * r->longest : 0.0F)) * (1.0F / LOSS);
}

/* Returns the number of usual executions until the next close examination: with a candidate, until
 * that can be afforded. */
static HAL_HOT unsigned until_look(const struct adapt_policy *p, const struct adapt_region *r)
{
    float more;

    if (r->nexts == 0)
        return ADAPT_CLOSE - 1U;
    more = affordable_at(p, r, r->next[0]) - p->passed_ns;
    if (r->period_ns <= 0 || more <= r->period_ns)
        return 0;
    more /= r->period_ns;
    return more < (float)ADAPT_CLOSE ? (unsigned)more - 1U : ADAPT_CLOSE - 1U;
}

/* Returns the number of executions to leave alone after each one that is examined: in a region that
 * has all threads and no candidate, and looks as usual, or was tested in vain when it did not. */
static HAL_HOT uint8_t rests(const struct adapt_policy *p, const struct adapt_region *r)
{
    const bool calm = r->off == 0 && r->restless == 0;

    if (p->kind != ADAPT_PREDICT || r->best != r->most || r->nexts != 0)
        return 0;
    return calm || r->patience >= VAIN ? ADAPT_RESTS : 0U;
}

/* Sets the range of times outside of which the next executions are unlike. Executions that are not
 * adapted again are always alike; where a bound of power or the loss of each execution matters,
 * none are. */
static HAL_HOT void watch_for(const struct adapt_policy *p, struct adapt_region *r)
{
    const float ns = r->ns[r->best];

    r->low = 1;
    r->high = 0;
    r->rests = r->rest = rests(p, r);
    r->span = r->left = (uint8_t)until_look(p, r);
    r->believed_ns = ns < (float)UINT32_MAX ? (uint32_t)ns : 0U;
    if (decides_once(p)) {
        r->low = 0;
        r->high = (float)UINT64_MAX;
    } else if (p->kind != ADAPT_CAP && r->believed_ns > 0 &&
               (r->best == r->most || (r->restless == 0 && r->fresh >= FRESH))) {
        r->low = ns * (1.0F - UNLIKE);
        r->high = ns * (1.0F + UNLIKE);
    }
}

static HAL_HOT void hold(const struct adapt_policy *p, struct adapt_region *r, unsigned threads)
{
    if (threads != r->best) /* one trial does not prove it */
        r->fresh = 0;
    r->state = ADAPT_SETTLED;
    r->best = (uint8_t)threads;
    r->now = (uint8_t)threads;
    r->off = 0;
    watch_for(p, r);
}

/* Decides. A region that looks different and then gets the same number again is tested less and
 * less often. */
static HAL_HOT void settle(const struct adapt_policy *p, struct adapt_region *r, unsigned threads)
{
    if (threads != r->before)
        r->patience = 1;
    else if (r->patience < PATIENT)
        r->patience = (uint8_t)(2U * r->patience);
    r->before = (uint8_t)threads;
    r->fresh = 0;
    hold(p, r, threads);
}

/* Returns the cost of a number that was measured. If its power is not known, the region's power
 * with other numbers is used, which differs less than the power of other regions. */
static HAL_HOT float cost(const struct adapt_policy *p, const struct adapt_region *r,
                          unsigned threads)
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

static HAL_HOT unsigned best_measured(const struct adapt_policy *p, const struct adapt_region *r)
{
    unsigned best = r->most;

    for (unsigned n = 1; n <= r->most; n++) {
        if ((r->tried & (1U << n)) != 0 && cost(p, r, n) < cost(p, r, best) * (1.0F - WORTH))
            best = n;
    }
    return best;
}

/* Restarts a region with at most that many threads. */
static HAL_HOT void restart(struct adapt_region *r, unsigned most)
{
    r->most = (uint8_t)most;
    r->now = (uint8_t)most;
    r->tried = 0;
    r->nexts = 0;
    r->off = 0;
    r->low = 1;
    r->high = 0;
    r->state = most > 1U ? ADAPT_TESTING : ADAPT_SETTLED;
    r->best = (uint8_t)most;
}

/* Returns true if a test costs no more than its share of the region's time since the last one. */
static HAL_HOT bool worth_test(const struct adapt_policy *p, const struct adapt_region *r)
{
    return p->kind != ADAPT_PREDICT || r->since_ns * TESTED >= TEST_NS;
}

/* Prepares a test: at once, or after executions that are only timed until a test is worth it. */
static HAL_HOT void await_test(const struct adapt_policy *p, struct adapt_region *r,
                               const struct adapt_result *e)
{
    const float more = (TEST_NS / TESTED - r->since_ns) / e->ns;

    if (r->most < 2U)
        return;
    r->state = worth_test(p, r) ? ADAPT_TESTING : ADAPT_WAITING;
    if (r->state == ADAPT_WAITING) {
        r->believed_ns = 0;
        r->low = 0;
        r->high = (float)UINT64_MAX;
        r->span = r->left = more < (float)ADAPT_CLOSE ? (uint8_t)more : ADAPT_CLOSE - 1U;
    }
}

static HAL_HOT unsigned first_threads(const struct adapt_policy *p, unsigned most)
{
    if (p->kind == ADAPT_CAP)
        return 1;
    return p->kind == ADAPT_AURORA && most > 2U ? 2U : most;
}

static HAL_HOT unsigned ordered(const struct adapt_policy *p, uint32_t region, unsigned most)
{
    unsigned threads = p->kind == ADAPT_STATIC ? p->threads : most;

    for (unsigned i = 0; i < p->fixed; i++) {
        if (p->list[i].region == region)
            threads = p->list[i].threads;
    }
    return threads < most ? threads : most;
}

HAL_HOT unsigned adapt_choose(const struct adapt_policy *p, struct adapt_region *r, unsigned most,
                              enum adapt_why *why, bool *count)
{
    if (most > ADAPT_THREADS) /* more threads than cores: the policies know nothing about that */
        most = r->most != 0 && r->state != ADAPT_UNSEEN ? r->most : ADAPT_THREADS;
    *count = false;
    if (p->kind == ADAPT_STATIC || p->kind == ADAPT_LIST) {
        *why = ADAPT_ORDERED;
        /* A predictor is trained with the counts of static numbers; counting delays locks. */
        *count = p->kind == ADAPT_STATIC;
        return ordered(p, r->region, most);
    }
    if (r->runs == 0 || r->state == ADAPT_UNSEEN) {
        *why = ADAPT_FIRST;
        r->most = (uint8_t)most;
        return p->kind == ADAPT_CAP ? 1U : most;
    }
    if (r->most != most && r->state != ADAPT_LEFT) {
        restart(r, most);
        r->now = (uint8_t)first_threads(p, most);
        if (most > 1U && !worth_test(p, r))
            r->state = ADAPT_WAITING;
    }
    switch (r->state) {
    case ADAPT_WAITING:
        *why = ADAPT_FIRST;
        return most;
    case ADAPT_TESTING:
        *why = ADAPT_TEST;
        *count = true;
        return r->now;
    case ADAPT_TRYING:
        *why = ADAPT_TRY;
        *count = true;
        return r->now;
    case ADAPT_SETTLED:
        *why = ADAPT_CHOSEN;
        /* while each execution is examined closely: an unlike one is compared by its work */
        *count = r->by_work && r->best < r->most && r->low > r->high;
        return r->best;
    default:
        *why = ADAPT_BRIEF;
        return most;
    }
}

/* ---- learning ------------------------------------------------------------------------ */

/* Returns the time per unit of work: per billion instructions, if these are known. Not in a region
 * whose threads wait for each other, since they poll. */
static HAL_HOT float per_work(const struct adapt_region *r, const struct adapt_result *e)
{
    return r->by_work ? e->ns * 1e9F / e->event[0] : e->ns;
}

/* Returns true if an execution can be compared with the test. */
static HAL_HOT bool compares(const struct adapt_region *r, const struct adapt_result *e)
{
    return !r->by_work || (e->counted && e->event[0] > 0);
}

static HAL_HOT void note(struct adapt_region *r, unsigned threads, const struct adapt_result *e)
{
    r->ns[threads] = e->ns;
    if (e->mw > 0)
        r->mw[threads] = e->mw;
    r->work[threads] = per_work(r, e);
    r->tried |= (uint8_t)(1U << threads);
}

/* Charges the budget with the time in ns that an execution with fewer threads lost against all
 * threads, if the metric is worse, too; for energy, with the time of equal energy. The work is the
 * execution's own if it is known; otherwise it is that of the test if the execution is `like` it,
 * or else the greatest possible loss is charged. */
static HAL_HOT void charge(struct adapt_policy *p, const struct adapt_region *r, unsigned threads,
                           const struct adapt_result *e, bool like, unsigned times)
{
    const bool powers = r->mw[threads] > 0 && r->mw[r->most] > 0;
    const float mw = powers ? r->mw[threads] / r->mw[r->most] : 1.0F;
    float all = r->ns[r->most];

    if (p->kind != ADAPT_PREDICT || threads >= r->most)
        return;
    if (r->by_work && compares(r, e))
        all = e->ns * r->work[r->most] / per_work(r, e);
    else if (!like)
        all = e->ns * (float)threads / (float)r->most;
    if (adapt_score(p->metric, e->ns, mw) > adapt_score(p->metric, all, 1.0F))
        p->lost_ns += (float)times * ((p->metric == ADAPT_ENERGY ? mw * e->ns : e->ns) - all);
}

/* Lists the candidates by their predicted score, without those that are far from the best. */
static HAL_HOT void predict(const struct adapt_policy *p, struct adapt_region *r,
                            const struct adapt_result *e)
{
    float score[ADAPT_THREADS + 1U];
    const bool unsure = r->ipc < p->predictor.knot[0] || r->busy < WAITS;
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

static HAL_HOT bool spent(const struct adapt_policy *p)
{
    return p->kind == ADAPT_PREDICT && p->lost_ns > LOSS * p->passed_ns;
}

/* Tries the next candidate, or decides until it can be afforded. */
static HAL_HOT void go_on(const struct adapt_policy *p, struct adapt_region *r)
{
    if (r->nexts == 0) {
        settle(p, r, best_measured(p, r));
        return;
    }
    if (affordable_at(p, r, r->next[0]) > p->passed_ns) {
        hold(p, r, best_measured(p, r));
        return;
    }
    r->now = r->next[0];
    r->nexts--;
    memmove(r->next, r->next + 1, r->nexts);
    r->state = ADAPT_TRYING;
}

/* Adds one thread less as the next candidate if a number is the best so far, unless that is
 * predicted to be much slower and predictions are good for the region. */
static HAL_HOT void go_lower(const struct adapt_policy *p, struct adapt_region *r, unsigned threads)
{
    const unsigned lower = threads - 1U;
    const float slack = r->busy < WAITS ? 1e6F * (1.0F + NOISE) : 1e6F; /* instead of 1 ms */

    if (lower == 0 || (r->tried & (1U << lower)) != 0 ||
        cost(p, r, threads) >
            cost(p, r, best_measured(p, r)) * adapt_score(p->metric, slack, 1.0F) ||
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

static HAL_HOT bool alike(float ns, float was)
{
    return ns <= was * (1.0F + UNLIKE) && ns >= was * (1.0F - UNLIKE);
}

static HAL_HOT void grow_restless(struct adapt_region *r)
{
    r->restless = (uint8_t)(r->restless < PATIENT ? r->restless + NERVES : PATIENT);
}

static HAL_HOT bool near(float a, float b)
{
    return a <= b * (1.0F + SAME) && a >= b * (1.0F - SAME);
}

static HAL_HOT void tested(struct adapt_policy *p, struct adapt_region *r,
                           const struct adapt_result *e)
{
    const bool counted = p->predictor.there && e->counted && e->event[0] > 0 && e->cycles > 0;
    const float ipc = counted ? e->event[0] / e->elapsed : 0.0F;
    const float rate = counted ? 1000.0F * e->event[1] / e->cycles : 0.0F;
    const float busy = counted ? e->cycles / (e->elapsed * (float)r->most) : 0.0F;
    const bool again = r->ipc > 0 && counted && near(ipc, r->ipc) && near(busy, r->busy) &&
                       r->before != 0 && r->before <= r->most;
    const bool slower = e->ns > r->ns[0] * (1.0F + UNLIKE);

    r->since_ns = 0;
    r->tried = 0;
    r->nexts = 0;
    r->trend = 1;
    r->by_work = counted && busy >= WAITS;
    if (counted)
        r->busy = busy;
    if (!alike(e->ns, r->ns[0]))
        grow_restless(r);
    r->ns[0] = e->ns;
    note(r, r->most, e);
    if (again) { /* only its size has changed: not worth a test soon */
        r->ns[r->before] = r->before == r->most ? e->ns : 0.0F;
        r->tried = 0; /* other numbers' times were for another size */
        settle(p, r, r->before);
        return;
    }
    if (p->kind == ADAPT_PREDICT && slower && ++r->useless < TESTS)
        return; /* against this time any trial might look like a gain: once more */
    if (p->kind == ADAPT_PREDICT && (e->ns < (float)ADAPT_SHORT_NS || e->ns < PART * r->longest)) {
        settle(p, r, r->most);
        return;
    }
    if (counted)
        r->useless = 0;
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
            settle(p, r, best);
            return;
        }
    } else if (p->predictor.there && ++r->useless < TESTS) {
        return; /* threads moved from core to core: once more */
    } else {    /* nothing to predict with: reduce while it gets better */
        for (unsigned n = 1; n < r->most; n++)
            r->ns[n] = 0;
        r->nexts = 1;
        r->next[0] = (uint8_t)(r->most - 1U);
    }
    go_on(p, r);
}

/* Returns the number of unlike executions in a row after which a region is tested again: more than
 * one just after a decision, whose first executions still fill the caches of their cores. */
static HAL_HOT unsigned enough(const struct adapt_region *r)
{
    return r->fresh < FRESH && r->patience < 2U ? 2U : r->patience;
}

/* Checks an execution of a region with the number that was chosen for it. */
static HAL_HOT void watch(struct adapt_policy *p, struct adapt_region *r,
                          const struct adapt_result *e)
{
    const float was = r->ns[r->best];
    const unsigned times = r->span - r->left + 1U;
    unsigned best = r->best;

    if (decides_once(p)) {
        r->left = r->span;
        return;
    }
    r->period_ns = r->looked_ns > 0 ? (p->passed_ns - r->looked_ns) / (float)times : 0.0F;
    r->looked_ns = p->passed_ns;
    if (adapt_is_brief(r, e->ns)) {
        r->brief += r->brief < ADAPT_SHRUNK;
        if (r->brief == ADAPT_SHRUNK)
            r->state = ADAPT_LEFT;
        return;
    }
    r->brief = 0;
    if (was <= 0) {
        r->ns[best] = e->ns;
    } else if (alike(e->ns, was)) {
        const float mean = was + (e->ns - was) / (r->fresh < FRESH ? 4.0F : 8.0F);

        r->ns[best] = mean;
        r->work[best] *= mean / was;
        r->fresh += r->fresh < FRESH;
        r->off = 0;
        r->restless -= r->restless > 0;
        charge(p, r, best, e, true, times);
        for (unsigned n = 1; n <= r->most; n++) {
            if ((r->tried & (1U << n)) != 0 && cost(p, r, n) < cost(p, r, best))
                best = n;
        }
    } else {
        r->off += r->off < UINT8_MAX;
        grow_restless(r);
        charge(p, r, best, e, false, 1);
    }
    if (r->best < r->most && spent(p)) {
        r->nexts = 0;
        settle(p, r, r->most);
    } else if (r->off >= enough(r) && worth_test(p, r)) {
        r->off = 0;
        r->nexts = 0;
        r->state = ADAPT_TESTING;
        r->now = (uint8_t)first_threads(p, r->most);
    } else if (r->off == 0 && r->nexts > 0) {
        go_on(p, r);
    } else if (best > r->best || (best < r->best && !spent(p))) { /* its trial was not typical */
        r->before = (uint8_t)best;
        hold(p, r, best);
    } else {
        watch_for(p, r);
    }
}

/* Evaluates the measured execution of a candidate. */
static HAL_HOT void tried(struct adapt_policy *p, struct adapt_region *r, unsigned threads,
                          const struct adapt_result *e)
{
    const float predicted = r->ns[threads];

    charge(p, r, threads, e, !r->by_work && r->restless == 0, 1);
    if (compares(r, e)) {
        note(r, threads, e);
        if (predicted > 0)
            r->trend = r->ns[r->most] * r->work[threads] / (r->work[r->most] * predicted);
        go_lower(p, r, threads);
    }
    go_on(p, r);
}

/* Reduces the number while it gets faster. */
static HAL_HOT void hppatch(const struct adapt_policy *p, struct adapt_region *r, unsigned threads)
{
    const bool better = threads == r->most || cost(p, r, threads) < cost(p, r, threads + 1U);

    if (!better || threads == 1U) {
        settle(p, r, better ? threads : threads + 1U);
        return;
    }
    r->now = (uint8_t)(threads - 1U);
    r->state = ADAPT_TRYING;
}

/* Tries 2, then 4 or 1, then the number between the best ones. */
static HAL_HOT void aurora(const struct adapt_policy *p, struct adapt_region *r, unsigned threads)
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
        settle(p, r, best);
        return;
    }
    r->now = (uint8_t)want;
    r->state = ADAPT_TRYING;
}

/* Adds a thread while the power allows and the time falls; removes one at once. */
static HAL_HOT void cap(const struct adapt_policy *p, struct adapt_region *r, unsigned threads,
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
    r->state = ADAPT_SETTLED;
    if (r->samples > 0 && mw > p->cap_mw && threads > 1U) {
        r->tried |= (uint8_t)(1U << threads); /* too much */
        r->best = r->now = (uint8_t)(threads - 1U);
        r->samples = 0;
        r->samples_mw = 0;
    } else if (r->samples >= SURE && threads < r->most &&
               (r->tried & (1U << (threads + 1U))) == 0 && mw < p->cap_mw) {
        r->mw[threads] = mw;
        /* assumes that one more thread adds as much as the last one */
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

static HAL_HOT bool is_brief(struct adapt_region *r, const struct adapt_result *e)
{
    if (e->ns >= (float)ADAPT_SHORT_NS) {
        r->brief = 0;
        return false;
    }
    return ++r->brief >= BRIEFS;
}

HAL_HOT void adapt_learn(struct adapt_policy *p, struct adapt_region *r, unsigned threads,
                         const struct adapt_result *result)
{
    const bool first = r->runs++ == 0 || r->state == ADAPT_UNSEEN;

    if (p->kind == ADAPT_STATIC || p->kind == ADAPT_LIST || p->kind == ADAPT_DYNAMIC)
        return;
    if (p->kind == ADAPT_CAP) {
        if (first)
            restart(r, r->most);
        cap(p, r, threads, result);
        return;
    }
    r->since_ns += result->ns;
    if (result->ns >= (float)ADAPT_SHORT_NS) {
        r->longest *= FADE;
        r->longest = r->longest > result->ns ? r->longest : result->ns;
    }
    if (r->state != ADAPT_LEFT && r->state != ADAPT_SETTLED && is_brief(r, result)) {
        r->state = ADAPT_LEFT;
        return;
    }
    if (r->state == ADAPT_LEFT) { /* has it grown? */
        if (result->ns < 2.0F * (float)ADAPT_SHORT_NS)
            return;
        r->brief = 0;
        restart(r, r->most);
        r->now = (uint8_t)first_threads(p, r->most);
        await_test(p, r, result);
        return;
    }
    if (first || r->state == ADAPT_WAITING) {
        r->ns[0] = result->ns;
        restart(r, r->most);
        r->now = (uint8_t)first_threads(p, r->most);
        await_test(p, r, result);
        return;
    }
    if (r->state == ADAPT_SETTLED) {
        watch(p, r, result);
        return;
    }
    switch (p->kind) {
    case ADAPT_EXH:
        note(r, threads, result);
        if (r->state == ADAPT_TESTING) {
            for (unsigned n = r->most - 1U; n >= 1U; n--)
                r->next[r->nexts++] = (uint8_t)n;
        }
        go_on(p, r);
        return;
    case ADAPT_HPPATCH:
        note(r, threads, result);
        hppatch(p, r, threads);
        return;
    case ADAPT_AURORA:
        if (r->state == ADAPT_TESTING)
            r->tried = 0;
        note(r, threads, result);
        aurora(p, r, threads);
        return;
    default:
        if (r->state == ADAPT_TESTING) {
            tested(p, r, result);
            return;
        }
        tried(p, r, threads, result);
        return;
    }
}
