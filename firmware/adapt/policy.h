/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How many threads the next execution of a parallel region gets: policies that learn from what its
 * executions so far took. Plain C without a clock, a counter or memory of its own, so that the
 * host's unit tests run it.
 *
 * Not for interrupts: it computes in floating point. One caller at a time.
 */
#ifndef ADAPT_POLICY_H
#define ADAPT_POLICY_H

#include <stdbool.h>
#include <stdint.h>

#define ADAPT_THREADS   4U  /* numbers of threads that are told apart: 1 to 4 */
#define ADAPT_REGIONS   64U /* of a program that are adapted; others are left alone */
#define ADAPT_FIXED     32U /* regions that a policy `fixed:` names */
#define ADAPT_PREDICTOR 3U  /* version of what the host sends */
#define ADAPT_KNOTS     4U  /* where terms of a prediction begin */
#define ADAPT_TERMS     9U  /* of the IPC */
#define ADAPT_POWER     4U  /* terms of the power */

/* Executions shorter than this are left alone: what the controller does would be seen. ns. */
#define ADAPT_SHORT_NS 200000U

enum adapt_metric { ADAPT_TIME, ADAPT_ENERGY, ADAPT_EDP, ADAPT_ED2 };

enum adapt_kind {
    ADAPT_OFF,
    ADAPT_PREDICT, /* ours: test, predict, check, adapt again */
    ADAPT_CAP,     /* the fastest within a bound of power */
    ADAPT_STATIC,  /* the same number for all */
    ADAPT_LIST,    /* `fixed:`, a number for each region named */
    ADAPT_EXH,     /* each number once, the best from then on */
    ADAPT_HPPATCH, /* down from all while it gets faster */
    ADAPT_PRE,     /* the paper's: one test, the least predicted energy, for ever */
    ADAPT_AURORA,  /* doubles while it gets better, then between; again when the time changes */
    ADAPT_DYNAMIC, /* OMP_DYNAMIC */
};

/* Coefficients for a transition from a test's number of threads to fewer, by terms: see
 * adapt_predict(). The host sends them (docs/adaptation.md). */
struct adapt_predictor {
    bool there;
    uint16_t event[2];       /* numbers of the two events counted; the first is `instr` */
    float knot[ADAPT_KNOTS]; /* IPC, busy share, IPC, IPC */
    const char *numbers; /* these, and a line of IPC and of power per transition, as they came */
};

struct adapt_policy {
    enum adapt_kind kind;
    enum adapt_metric metric;
    unsigned threads; /* of ADAPT_STATIC */
    float cap_mw;     /* of ADAPT_CAP */
    float typical_mw; /* mean of what executions drew: where nothing better is known; > 0 */
    /* The budget of ADAPT_PREDICT, ns: of the program's time so far, which the caller keeps up to
     * date before each call, trials and decisions may have lost a share. */
    float passed_ns, lost_ns;
    unsigned fixed;
    struct {
        uint32_t region;
        unsigned threads;
    } list[ADAPT_FIXED];
    struct adapt_predictor predictor;
};

/* Why an execution got its number of threads. */
enum adapt_why {
    ADAPT_FIRST,   /* not tested yet */
    ADAPT_TEST,    /* all threads, counted */
    ADAPT_TRY,     /* a candidate is measured */
    ADAPT_CHOSEN,  /* decided */
    ADAPT_BRIEF,   /* too short to be adapted */
    ADAPT_ORDERED, /* the policy is a number */
};

/* What one execution took. */
struct adapt_result {
    float ns;
    float mw;       /* mean of the ADC's samples in it; 0: there was none */
    bool counted;   /* the following are known */
    float cycles;   /* of all threads until they were done */
    float event[2]; /* counts, of all threads */
    float elapsed;  /* cycles from begin to end */
};

/* Of so many executions that are like the ones before one is looked at closely. */
#define ADAPT_CLOSE 8U
/* Of so many executions of a short region one is timed; a power of two. */
#define ADAPT_SKIPS 32U

/* Short executions in a row until a decided region is left alone. */
#define ADAPT_SHRUNK 16U

enum adapt_state {
    ADAPT_UNSEEN,
    ADAPT_WAITING, /* it has not taken so much time that a test would be worth it */
    ADAPT_TESTING,
    ADAPT_TRYING,
    ADAPT_SETTLED,
    ADAPT_LEFT, /* too short */
};

/* A region, and what is known of it. Zeroed: nothing. What each execution needs comes first. */
struct adapt_region {
    uint32_t region;           /* address; 0: free */
    uint8_t state, most, best; /* threads that the program would get, and that are chosen */
    uint8_t off;               /* executions in a row that were unlike the chosen one */
    float low, high;           /* ns between which an execution is like the ones before; low >
                                  high: each is looked at closely */
    float since_ns;            /* time of its executions since the last test */
    uint32_t believed_ns;      /* time of the chosen number */
    uint8_t span, left;        /* usual executions from one close look to the next; still to come */
    uint8_t brief;             /* short executions in a row */
    uint8_t skipped;           /* executions of one that is left alone */
    uint8_t now, tried;        /* number of a test or trial; mask of numbers measured */
    uint8_t nexts;             /* candidates, the most promising first */
    uint8_t next[ADAPT_THREADS];
    uint32_t runs;                  /* that were looked at closely */
    float looked_ns;                /* of the program's time: the last close look */
    float period_ns;                /* of it, from execution to execution; 0: unknown */
    uint8_t patience;               /* so many unlike ones until it is tested again */
    uint8_t before;                 /* last decision; 0: none */
    uint8_t uncounted;              /* tests in a row without counts */
    uint8_t fresh;                  /* executions since the decision, at most FRESH */
    uint8_t restless;               /* more, the more executions were unlike lately */
    bool by_work;                   /* `work` is per instruction, of the test at least */
    float ns[ADAPT_THREADS + 1U];   /* believed or measured time; [0]: of the first execution */
    float mw[ADAPT_THREADS + 1U];   /* 0: unknown */
    float work[ADAPT_THREADS + 1U]; /* measured time per unit of work */
    float ipc, rate, busy;          /* of the test */
    float longest;                  /* execution lately, ns */
    float trend;                    /* of the last trial: measured over predicted time */
    float samples_mw;               /* of the chosen number, mean of `samples` executions */
    unsigned samples;
};

/* Reads a policy as MPJ_ADAPT has it. False: *why says what is wrong with it, one line. */
bool adapt_parse(struct adapt_policy *p, const char *text, const char **why);
/* Takes coefficients as the host sends them; the text has to stay. False: *why. */
bool adapt_parse_predictor(struct adapt_predictor *p, const char *text, const char **why);

/* The entry of a region; NULL: no room. */
struct adapt_region *adapt_find(struct adapt_region table[ADAPT_REGIONS], uint32_t region);

/* Where its entry is, unless two others were there first. */
static inline struct adapt_region *adapt_place(struct adapt_region table[ADAPT_REGIONS],
                                               uint32_t region)
{
    const uint32_t first = (region >> 2 ^ region >> 7) % ADAPT_REGIONS;
    struct adapt_region *const r = &table[first];

    return r->region == region || r->region == 0 ? r : &table[(first + 1U) % ADAPT_REGIONS];
}

/* Whether the next execution of that region, which is too short, need not be looked at at all; now
 * and then one is, in case that it has grown. Any caller at any time. */
static inline bool adapt_skips(struct adapt_region table[ADAPT_REGIONS], uint32_t region)
{
    struct adapt_region *const r = adapt_place(table, region);

    return r->region == region && r->state == ADAPT_LEFT && ++r->skipped % ADAPT_SKIPS != 0;
}

/* Threads of the next execution of a region for which that is decided, or not worth a test yet, and
 * of which nothing is counted; 0: adapt_choose() says it. */
static inline unsigned adapt_decided(const struct adapt_region *r, unsigned most)
{
    return (r->state == ADAPT_SETTLED || r->state == ADAPT_WAITING) && r->most == most &&
                   r->low <= r->high
               ? r->best
               : 0U;
}

/* Whether an execution with all threads was so short that a number for it would be worth nothing:
 * in a region of any size nothing follows from it. */
static inline bool adapt_is_brief(const struct adapt_region *r, float ns)
{
    return r->best == r->most && ns < (float)ADAPT_SHORT_NS;
}

/* An execution with the number that adapt_decided() said has taken that time. False: adapt_learn()
 * wants to know more. */
static inline bool adapt_usual(struct adapt_region *r, float ns)
{
    if (adapt_is_brief(r, ns))
        return r->state == ADAPT_SETTLED && ++r->brief < ADAPT_SHRUNK;
    if (!(ns >= r->low && ns <= r->high) || r->left == 0)
        return false;
    r->left--;
    r->since_ns += ns;
    r->brief = 0;
    r->off = 0;
    return true;
}

/* Threads of its next execution, 1 to `most`, of which the program would get `most` >= 1. *why, and
 * whether it is to be counted. */
unsigned adapt_choose(const struct adapt_policy *p, struct adapt_region *r, unsigned most,
                      enum adapt_why *why, bool *count);
/* It is over, with that number of threads. */
void adapt_learn(struct adapt_policy *p, struct adapt_region *r, unsigned threads,
                 const struct adapt_result *result);

/* IPC and power (mW) with `to` threads from a test with `test` > to threads, of which ipc is of all
 * threads together per elapsed cycle, rate the second event per thousand cycles of a thread, and
 * busy the threads' part of test * elapsed that they did not wait for each other. With stall = rate
 * / 1000 and speed = min(1, to / (test busy)), which is what waiting threads leave for fewer, the
 * IPC is that of the test times a sum over the terms
 *     1 / busy, busy, max(0, knot 0 - ipc) speed, stall speed,
 *     max(0, knot 1 - busy) ipc / (test busy), max(0, knot 1 - busy) max(0, knot 0 - ipc),
 *     stall max(0, knot 2 - ipc), max(0, knot 3 - ipc) busy, 1,
 * and the power one over rate, busy, ipc, 1. What a line says beyond all that regions do is not
 * believed: as much faster as threads are left over, and less than in proportion. */
void adapt_predict(const struct adapt_predictor *p, unsigned test, unsigned to, float ipc,
                   float rate, float busy, float *ipc_out, float *mw_out);
/* ns and mW as the metric weighs them; the least is best. */
float adapt_score(enum adapt_metric metric, float ns, float mw);

#endif
