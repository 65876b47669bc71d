/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Number of threads of the next execution of a parallel region: policies that learn from its
 * executions so far. Plain C without a clock, a counter or memory of its own, so that the host's
 * unit tests run it.
 *
 * Not for interrupts: it computes in floating point. One caller at a time.
 */
#ifndef ADAPT_POLICY_H
#define ADAPT_POLICY_H

#include <stdbool.h>
#include <stdint.h>

#define ADAPT_THREADS   4U  /* numbers of threads that are distinguished: 1 to 4 */
#define ADAPT_REGIONS   64U /* of a program that are adapted; others are left alone */
#define ADAPT_FIXED     32U /* regions that a policy `fixed:` names */
#define ADAPT_PREDICTOR 3U  /* version of the host's coefficients */
#define ADAPT_KNOTS     4U  /* knots of a prediction's terms */
#define ADAPT_TERMS     9U  /* of the IPC */
#define ADAPT_POWER     4U  /* terms of the power */

/* Executions shorter than this are left alone, since the controller's own time would be visible.
 * ns. */
#define ADAPT_SHORT_NS 200000U

/* A program that has not run for that long is left alone by a policy that learns: reading the
 * coefficients and the first executions of the controller's code cost 100 us. ns. */
#define ADAPT_YOUNG_NS 30000000U

enum adapt_metric { ADAPT_TIME, ADAPT_ENERGY, ADAPT_EDP, ADAPT_ED2 };

enum adapt_kind {
    ADAPT_OFF,
    ADAPT_PREDICT, /* of this project: test, predict, check, adapt again */
    ADAPT_CAP,     /* the fastest within a bound of power */
    ADAPT_STATIC,  /* the same number for all */
    ADAPT_LIST,    /* `fixed:`, a number for each region named */
    ADAPT_EXH,     /* each number once, the best from then on */
    ADAPT_HPPATCH, /* down from all while it gets faster */
    ADAPT_PRE,     /* the paper's: one test, then the least predicted energy for ever */
    ADAPT_AURORA,  /* doubles while it gets better, then tries between; again when times change */
    ADAPT_DYNAMIC, /* OMP_DYNAMIC */
};

/* Coefficients for a transition from a test's number of threads to fewer, by terms: see
 * adapt_predict(). Sent by the host (docs/adaptation.md). */
struct adapt_predictor {
    bool there;
    uint16_t event[2];       /* numbers of the two events counted; the first is `instr` */
    float knot[ADAPT_KNOTS]; /* IPC, busy share, IPC, IPC */
    const char *numbers;     /* knots, and a line of IPC and of power per transition, as received */
};

struct adapt_policy {
    enum adapt_kind kind;
    enum adapt_metric metric;
    unsigned threads; /* for ADAPT_STATIC */
    float cap_mw;     /* for ADAPT_CAP */
    float typical_mw; /* mean power of executions, used where nothing better is known; > 0 */
    /* The budget of ADAPT_PREDICT, ns: trials and decisions may have lost a share of the program's
     * time so far, which the caller keeps up to date before each call. */
    float passed_ns, lost_ns;
    unsigned fixed;
    struct {
        uint32_t region;
        unsigned threads;
    } list[ADAPT_FIXED];
    struct adapt_predictor predictor;
};

/* Reason for an execution's number of threads. */
enum adapt_why {
    ADAPT_FIRST,   /* not tested yet */
    ADAPT_TEST,    /* all threads, counted */
    ADAPT_TRY,     /* a candidate is measured */
    ADAPT_CHOSEN,  /* decided */
    ADAPT_BRIEF,   /* too short to be adapted */
    ADAPT_ORDERED, /* the policy is a number */
};

/* Measurements of one execution. */
struct adapt_result {
    float ns;
    float mw;       /* mean of the ADC's samples in it; 0: no sample */
    bool counted;   /* the following are known */
    float cycles;   /* of all threads until they were done */
    float event[2]; /* counts, of all threads */
    float elapsed;  /* cycles from begin to end */
};

/* One in this many executions that are like the ones before is examined closely. */
#define ADAPT_CLOSE 8U
/* Executions that are left alone after a usual one of a region that is decided for all threads,
 * with nothing left to try: there the controller can only cost. */
#define ADAPT_RESTS 3U
/* One in this many executions of a short region is timed; a power of two. */
#define ADAPT_SKIPS 32U

/* Short executions in a row until a decided region is left alone. */
#define ADAPT_SHRUNK 16U

enum adapt_state {
    ADAPT_UNSEEN,
    ADAPT_WAITING, /* too little time spent in it for a test to be worth it */
    ADAPT_TESTING,
    ADAPT_TRYING,
    ADAPT_SETTLED,
    ADAPT_LEFT, /* too short */
};

/* A region and its state. Zeroed: unknown. The first fields are those that each execution needs. */
struct adapt_region {
    uint32_t region;           /* address; 0: free entry */
    uint8_t state, most, best; /* threads that the program would get, and that are chosen */
    uint8_t off;               /* executions in a row that were unlike the chosen one */
    float low, high; /* ns between which an execution is like the ones before; low > high: each is
                        examined closely */
    float since_ns;  /* time of its executions since the last test */
    uint32_t believed_ns; /* time of the chosen number */
    uint8_t span, left; /* usual executions from one close examination to the next; still to come */
    uint8_t brief;      /* short executions in a row */
    uint8_t skipped;    /* executions while it is left alone */
    uint8_t rests, rest; /* executions left alone after a usual one; still to come */
    uint8_t now, tried;  /* number of a test or trial; mask of numbers measured */
    uint8_t nexts;       /* candidates, the most promising first */
    uint8_t next[ADAPT_THREADS];
    uint32_t runs;                  /* examined closely */
    float looked_ns;                /* program's time at the last close examination */
    float period_ns;                /* program's time from execution to execution; 0: unknown */
    uint8_t patience;               /* unlike executions until it is tested again */
    uint8_t before;                 /* last decision; 0: none */
    uint8_t useless;                /* tests in a row that proved nothing */
    uint8_t fresh;                  /* executions since the decision, at most FRESH */
    uint8_t restless;               /* rises with recent unlike executions */
    bool by_work;                   /* `work` is per instruction, at least in the test */
    float ns[ADAPT_THREADS + 1U];   /* believed or measured time; [0]: of the first execution */
    float mw[ADAPT_THREADS + 1U];   /* 0: unknown */
    float work[ADAPT_THREADS + 1U]; /* measured time per unit of work */
    float ipc, rate, busy;          /* of the test */
    float longest;                  /* longest recent execution, ns */
    float trend;                    /* of the last trial: measured over predicted time */
    float samples_mw;               /* of the chosen number, mean of `samples` executions */
    unsigned samples;
};

/* Parses a policy as MPJ_ADAPT has it. Returns false on errors: *why describes the error in one
 * line. */
bool adapt_parse(struct adapt_policy *p, const char *text, const char **why);
/* Returns for how many ticks of a clock of hz < 2^32 the program's regions are left alone because
 * it is young. Policies that are numbers, and those of others, act from the beginning. */
static inline uint64_t adapt_youth(const struct adapt_policy *p, uint32_t hz)
{
    return p->kind == ADAPT_PREDICT ? (uint64_t)ADAPT_YOUNG_NS * hz / 1000000000U : 0U;
}

/* Returns how many regions of a program that is still young need not ask for its age: all that end
 * before it is grown, if they take no longer than what came since it was asked last. Ticks; asked:
 * 0 for the first time. */
static inline uint32_t adapt_may_pause(uint64_t age, uint64_t asked, uint64_t youth)
{
    return asked != 0 && (age - asked) * (ADAPT_RESTS + 1U) < youth - age ? ADAPT_RESTS : 0U;
}

/* Parses coefficients as the host sends them; the text must stay valid. Returns false on errors:
 * *why. */
bool adapt_parse_predictor(struct adapt_predictor *p, const char *text, const char **why);

/* Returns the entry of a region, or NULL if the table is full. */
struct adapt_region *adapt_find(struct adapt_region table[ADAPT_REGIONS], uint32_t region);

/* Returns the place of a region's entry, unless two others took its places first. */
static inline struct adapt_region *adapt_place(struct adapt_region table[ADAPT_REGIONS],
                                               uint32_t region)
{
    const uint32_t first = (region >> 2 ^ region >> 7) % ADAPT_REGIONS;
    struct adapt_region *const r = &table[first];

    return r->region == region || r->region == 0 ? r : &table[(first + 1U) % ADAPT_REGIONS];
}

/* Returns true if the next execution of that region, which is too short, or best with all threads,
 * need not be examined; now and then one is, in case it has changed. Any caller at any time. */
static inline bool adapt_skips(struct adapt_region table[ADAPT_REGIONS], uint32_t region)
{
    struct adapt_region *const r = adapt_place(table, region);
    const uint8_t rest = r->rest;

    if (r->region != region)
        return false;
    if (r->state == ADAPT_SETTLED && rest != 0) {
        r->rest = (uint8_t)(rest - 1U);
        return true;
    }
    return r->state == ADAPT_LEFT && ++r->skipped % ADAPT_SKIPS != 0;
}

/* Returns the threads of the next execution of a region for which that is decided, or which is not
 * worth a test yet, if nothing is to be counted; 0: call adapt_choose(). */
static inline unsigned adapt_decided(const struct adapt_region *r, unsigned most)
{
    return (r->state == ADAPT_SETTLED || r->state == ADAPT_WAITING) && r->most == most &&
                   r->low <= r->high
               ? r->best
               : 0U;
}

/* Returns true if an execution with all threads was so short that a number for it would be
 * worthless: nothing follows from it in a region of any size. */
static inline bool adapt_is_brief(const struct adapt_region *r, float ns)
{
    return r->best == r->most && ns < (float)ADAPT_SHORT_NS;
}

/* Notes the time of an execution with the number that adapt_decided() returned. Returns false if
 * adapt_learn() must be called. */
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
    r->rest = r->rests;
    return true;
}

/* Chooses the threads of the region's next execution, 1 to `most`; the program would get `most` >=
 * 1. Also sets *why and whether the execution must be counted. */
unsigned adapt_choose(const struct adapt_policy *p, struct adapt_region *r, unsigned most,
                      enum adapt_why *why, bool *count);
/* Learns from an execution with that number of threads. */
void adapt_learn(struct adapt_policy *p, struct adapt_region *r, unsigned threads,
                 const struct adapt_result *result);

/* Predicts IPC and power (mW) with `to` threads from a test with `test` > to threads. ipc: of all
 * threads together per elapsed cycle; rate: the second event per thousand cycles of a thread; busy:
 * the share of test * elapsed in which the threads did not wait for each other. With stall = rate /
 * 1000 and speed = min(1, to / (test busy)), which is the speed that waiting threads leave for
 * fewer, the IPC is that of the test times a sum over the terms
 *     1 / busy, busy, max(0, knot 0 - ipc) speed, stall speed,
 *     max(0, knot 1 - busy) ipc / (test busy), max(0, knot 1 - busy) max(0, knot 0 - ipc),
 *     stall max(0, knot 2 - ipc), max(0, knot 3 - ipc) busy, 1,
 * and the power one over rate, busy, ipc, 1. Predictions beyond the limits of all regions are
 * clamped: at most as much faster as threads are left over, and less than in proportion. */
void adapt_predict(const struct adapt_predictor *p, unsigned test, unsigned to, float ipc,
                   float rate, float busy, float *ipc_out, float *mw_out);
/* Returns the score of ns and mW under the metric; the least is best. */
float adapt_score(enum adapt_metric metric, float ns, float mw);

#endif
