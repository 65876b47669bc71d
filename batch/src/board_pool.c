/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "batch/board_pool.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "hil/port.h"
#include "run/boards.h"
#include "run/paths.h"

#define LOOK_MS 100 /* between two looks at a signal to end */
#define MORE_S  1.0 /* between two looks for boards that others have given back */

struct seat {
    struct run_target *target; /* &own, or the caller's */
    struct run_target own;
    bool used;
    bool out; /* gets no more runs */
    unsigned blamed;
    unsigned failed; /* runs in a row */
};

struct run_board_pool {
    pthread_mutex_t lock;
    pthread_cond_t given_back;
    char *locks;    /* folder */
    char last[400]; /* why the last one got no more runs */
    struct run_board_request want;
    double looked; /* for more boards, mpj_clock_s() */
    bool looking;  /* a thread does */
    unsigned n, left;
    struct seat seat[RUN_POOL_MOST];
};

/* ---- taking them ----------------------------------------------------------------------- */

static bool same_calibration(const struct run_target *a, const struct run_target *b)
{
    return a->calibration == NULL || b->calibration == NULL
               ? a->calibration == b->calibration
               : strcmp(a->calibration, b->calibration) == 0;
}

/* Returns true if the board has, or had, a place. */
static bool is_known(const struct run_board_pool *p, const char *id)
{
    for (unsigned i = 0; i < p->n; i++) {
        if (strcmp(p->seat[i].target->board->id, id) == 0)
            return true;
    }
    return false;
}

/* Returns the options of one of the boards; wait_s: how long to wait for it. */
static struct run_options options_of(const struct run_board_request *r, const char *target,
                                     unsigned wait_s)
{
    return (struct run_options){
        .target = target, .boards = r->boards, .calibration = r->calibration, .wait_s = wait_s};
}

/* Takes a board, if it and its port are free, for the next place. MPJ_E_BOARDS: it is unlike the
 * others. */
static int take_one(struct run_board_pool *p, const char *id, struct mpj_err *err)
{
    const struct run_options o = options_of(&p->want, id, 0);
    struct run_target *const t = &p->seat[p->n].own;
    int result = run_target_find(t, &o, err);

    if (result == MPJ_E_OK && !same_calibration(t, p->seat[0].target))
        result =
            mpj_err_set(err, MPJ_E_BOARDS,
                        "%s and %s have %sdifferent calibrations: boards that share runs are alike",
                        p->seat[0].target->name, t->name,
                        strchr(p->want.target, ',') == NULL ? "the same tag and " : "");
    if (result == MPJ_E_OK && run_board_port_held(t->board))
        result = mpj_err_set(err, MPJ_E_BUSY, "the port of %s is taken", t->name);
    if (result == MPJ_E_OK)
        result = run_target_take(t, &o, "mpjoule " RUN_ANY, err);
    if (result != MPJ_E_OK) {
        run_target_release(t);
        return result;
    }
    pthread_mutex_lock(&p->lock);
    p->seat[p->n++].target = t;
    p->left++;
    pthread_cond_broadcast(&p->given_back);
    pthread_mutex_unlock(&p->lock);
    return MPJ_E_OK;
}

static struct run_board_pool *new_pool(const struct run_board_request *r)
{
    struct run_board_pool *const p = calloc(1, sizeof(*p));

    if (p == NULL || (p->locks = run_path_locks()) == NULL) {
        free(p);
        return NULL;
    }
    p->want = *r;
    p->looked = mpj_clock_s();
    if (r->most == 0 || r->most > RUN_POOL_MOST)
        p->want.most = RUN_POOL_MOST;
    if (!run_board_several(r->target))
        p->want.most = 1;
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->given_back, NULL);
    return p;
}

/* Takes others that the target means, those that are free. MPJ_E_BOARDS at the first one
 * that is unlike them. One thread at a time; the lock is not held. */
static int take_others(struct run_board_pool *p, struct mpj_err *err)
{
    unsigned n = 0;
    char **const id = run_board_ids(p->want.target, p->want.boards, &n);
    int result = MPJ_E_OK;

    for (unsigned i = 0; i < n; i++) {
        struct mpj_err one;

        if (run_board_pool_size(p) >= p->want.most || p->n == RUN_POOL_MOST || is_known(p, id[i]) ||
            take_one(p, id[i], &one) != MPJ_E_BOARDS || result != MPJ_E_OK)
            continue;
        *err = one;
        result = one.code;
    }
    free(id);
    return result;
}

/* Checks that the only board's port is there: every run would fail. A hook may make it. */
static int check_port(const struct run_board_pool *p, struct mpj_err *err)
{
    const struct mpj_board *const b = p->seat[0].target->board;
    const struct mpj_port_id id = {b->port, b->usb_serial, NULL};

    return run_board_several(p->want.target) || b->power_cycle != NULL || b->start != NULL
               ? MPJ_E_OK
               : mpj_port_check(&id, err);
}

int run_board_pool_add(struct run_board_pool **out, struct run_target *first,
                       const struct run_board_request *r, struct mpj_err *err)
{
    struct run_board_pool *const p = new_pool(r);

    *out = p;
    if (p == NULL)
        return mpj_err_nomem(err);
    p->seat[p->n++].target = first;
    p->left = 1;
    return check_port(p, err) == MPJ_E_OK ? take_others(p, err) : err->code;
}

int run_board_pool_open(struct run_board_pool **out, const struct run_board_request *r,
                        struct mpj_err *err)
{
    const struct run_options o = options_of(r, r->target, r->wait_s);
    struct run_board_pool *p;
    struct seat *first;
    int result;

    *out = NULL;
    if (r->target == NULL || strcmp(r->target, RUN_EMULATOR) == 0)
        return MPJ_E_OK;
    p = new_pool(r);
    if (p == NULL)
        return mpj_err_nomem(err);
    first = &p->seat[p->n++];
    first->target = &first->own;
    result = run_target_find(&first->own, &o, err);
    if (result == MPJ_E_OK)
        result = run_target_take(&first->own, &o, r->purpose, err);
    p->left = 1;
    if (result == MPJ_E_OK)
        result = check_port(p, err);
    if (result == MPJ_E_OK)
        result = take_others(p, err);
    if (result != MPJ_E_OK) {
        run_board_pool_release(p);
        return result;
    }
    *out = p;
    return MPJ_E_OK;
}

void run_board_pool_release(struct run_board_pool *p)
{
    if (p == NULL)
        return;
    for (unsigned i = 0; i < p->n; i++) {
        if (p->seat[i].target == &p->seat[i].own)
            run_target_release(&p->seat[i].own);
    }
    pthread_cond_destroy(&p->given_back);
    pthread_mutex_destroy(&p->lock);
    free(p->locks);
    free(p);
}

/* ---- sharing them ------------------------------------------------------------------------ */

unsigned run_board_pool_size(struct run_board_pool *p)
{
    unsigned left;

    pthread_mutex_lock(&p->lock);
    left = p->left;
    pthread_mutex_unlock(&p->lock);
    return left;
}

/* Waits until one is given back, for LOOK_MS at most. */
static void wait_a_little(struct run_board_pool *p)
{
    struct timespec until;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += LOOK_MS * 1000000L;
    if (until.tv_nsec >= 1000000000L) {
        until.tv_nsec -= 1000000000L;
        until.tv_sec++;
    }
    pthread_cond_timedwait(&p->given_back, &p->lock, &until);
}

unsigned run_board_pool_most(const struct run_board_pool *p)
{
    unsigned wanted = 0;

    free(run_board_ids(p->want.target, p->want.boards, &wanted));
    return wanted < p->n ? p->n : wanted < p->want.most ? wanted : p->want.most;
}

/* Takes boards that others have given back since the last look, unless another thread is looking.
 * The lock is held, but not meanwhile. */
static void look_for_more(struct run_board_pool *p)
{
    struct mpj_err ignored; /* those that are there suffice */

    if (p->looking || p->left >= p->want.most || mpj_clock_s() - p->looked < MORE_S)
        return;
    p->looking = true;
    pthread_mutex_unlock(&p->lock);
    (void)take_others(p, &ignored);
    pthread_mutex_lock(&p->lock);
    p->looked = mpj_clock_s();
    p->looking = false;
}

/* Finds a board without a run. The lock is held. */
static struct seat *find(struct run_board_pool *p, const struct run_target *except)
{
    for (unsigned i = 0; i < p->n; i++) {
        struct seat *const s = &p->seat[i];

        if (!s->used && !s->out && (s->target != except || p->left == 1))
            return s;
    }
    return NULL;
}

const struct run_target *run_board_pool_get(struct run_board_pool *p,
                                            const struct run_target *except,
                                            bool (*stopping)(void *ctx), void *ctx,
                                            struct mpj_err *err)
{
    struct seat *found = NULL;

    pthread_mutex_lock(&p->lock);
    while (p->left > 0 && !stopping(ctx) && (found = find(p, except)) == NULL) {
        wait_a_little(p);
        look_for_more(p);
    }
    if (found != NULL)
        found->used = true;
    else if (p->left == 0)
        mpj_err_set(err, MPJ_E_BOARDS, "no board is left: %s", p->last);
    else
        mpj_err_set(err, MPJ_E_CANCELLED, "interrupted");
    pthread_mutex_unlock(&p->lock);
    return found != NULL ? found->target : NULL;
}

static struct seat *seat_of(struct run_board_pool *p, const struct run_target *t)
{
    unsigned i = 0;

    while (p->seat[i].target != t)
        i++;
    return &p->seat[i];
}

/* Gives a board no more runs, and lets others have it. The lock is held. */
static void drop(struct run_board_pool *p, struct seat *s, const char *why)
{
    if (s->out)
        return;
    s->out = true;
    p->left--;
    mpj_lock_release(s->target->lock);
    s->target->lock = NULL;
    snprintf(p->last, sizeof(p->last), "%.60s %.300s", s->target->name, why);
    if (p->want.note != NULL && p->left > 0) {
        char text[480];
        snprintf(text, sizeof(text), "%s; other boards make its runs", p->last);
        p->want.note(text);
    }
    pthread_cond_broadcast(&p->given_back);
}

static void judge(struct run_board_pool *p, struct seat *s)
{
    if (!s->used && s->blamed >= RUN_POOL_BLAMED && p->left > 1)
        drop(p, s, "failed to make runs that other boards made");
}

/* True if no board that is left made a run lately: all may be gone, as with their hub. */
static bool all_fail(const struct run_board_pool *p)
{
    for (unsigned i = 0; i < p->n; i++) {
        if (!p->seat[i].out && p->seat[i].failed < RUN_POOL_FAILED)
            return false;
    }
    return true;
}

bool run_board_pool_put(struct run_board_pool *p, const struct run_target *t, const char *failed)
{
    char reason[200] = "";
    char why[300];
    struct seat *s;
    bool out;

    if (failed != NULL)
        mpj_quarantine_get(p->locks, t->board, reason, sizeof(reason));
    snprintf(why, sizeof(why), "is in quarantine (%s)", reason);
    pthread_mutex_lock(&p->lock);
    s = seat_of(p, t);
    s->used = false;
    s->failed = failed != NULL ? s->failed + 1 : 0;
    if (failed == NULL)
        s->blamed = 0;
    if (reason[0] != '\0') {
        drop(p, s, why);
    } else if (failed != NULL && all_fail(p)) {
        snprintf(why, sizeof(why), "failed %u runs in a row (%.200s)", s->failed, failed);
        drop(p, s, why);
    } else {
        judge(p, s);
    }
    out = s->out;
    pthread_cond_broadcast(&p->given_back);
    pthread_mutex_unlock(&p->lock);
    return !out;
}

void run_board_pool_blame(struct run_board_pool *p, const struct run_target *t)
{
    struct seat *s;

    pthread_mutex_lock(&p->lock);
    s = seat_of(p, t);
    s->blamed++;
    judge(p, s);
    pthread_mutex_unlock(&p->lock);
}
