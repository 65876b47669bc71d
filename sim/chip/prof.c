/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Truth per function: the tree of calls and the shadow stacks. mpj_functions.h explains it. */
#include "prof_int.h"
#include "trace_int.h"

#include <stdlib.h>
#include <string.h>

#define CHUNK 1024U
/* From that depth on, a function that is on the path already is not a node of its own again. */
#define FOLD_DEPTH 128U
/* From that number on, a stack that grows first loses frames that can no longer return. */
#define FRAMES_STALE 8192U
/* Offset in struct mpj_wait_info (firmware/kernel/mpj_rt.h). */
#define WAIT_HOLDER 8U

/* ---- symbols ---- */

static int by_start(const void *a, const void *b)
{
    const struct mpj_prof_symbol *x = a;
    const struct mpj_prof_symbol *y = b;
    return x->start < y->start ? -1 : x->start > y->start;
}

static void symbols_sort(struct prof *f)
{
    size_t n = 0;
    qsort(f->sym, f->syms, sizeof(*f->sym), by_start);
    for (size_t i = 0; i < f->syms; i++)
        if (n == 0 || f->sym[n - 1].start != f->sym[i].start)
            f->sym[n++] = f->sym[i];
    for (size_t i = 0; i < n; i++) {
        uint32_t next = i + 1 < n ? f->sym[i + 1].start : UINT32_MAX;
        if (f->sym[i].end > next || f->sym[i].end <= f->sym[i].start)
            f->sym[i].end = next;
    }
    f->syms = n;
}

static const struct mpj_prof_symbol *symbol_of(const struct prof *f, uint32_t address)
{
    size_t lo = 0;
    size_t hi = f->syms;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (f->sym[mid].start <= address)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo > 0 && address < f->sym[lo - 1].end ? &f->sym[lo - 1] : NULL;
}

static bool is_start(const struct prof *f, uint32_t address)
{
    const struct mpj_prof_symbol *s = symbol_of(f, address);
    return s && s->start == address;
}

bool mpj_prof_is_start(const struct mpj_chip *c, uint32_t address)
{
    return is_start(c->prof, address);
}

/* ---- nodes ---- */

/* Returns the depth on the path of n, a function below parent, of the last function that is not
 * further up, too. */
static uint32_t newest_of(const struct node *parent, uint32_t func)
{
    const struct node *k = parent;
    do {
        if (k->func == func)
            return parent->newest;
        k = k->parent;
    } while (k);
    return parent->depth + 1;
}

/* Returns a node of zeros; NULL if there is no memory. */
static struct node *node_take(struct prof *f)
{
    struct node *n = f->free;
    if (n) {
        f->free = n->next;
        n->next = NULL;
        f->nodes++;
        return n;
    }
    if (f->made == f->chunks * CHUNK) {
        struct chunk *pool = realloc(f->pool, (f->chunks + 1) * sizeof(*pool));
        struct node *chunk = pool ? aligned_alloc(64, CHUNK * sizeof(*chunk)) : NULL;
        if (pool)
            f->pool = pool;
        if (!chunk)
            return NULL;
        memset(chunk, 0, CHUNK * sizeof(*chunk));
        f->pool[f->chunks++].node = chunk;
    }
    f->nodes++;
    n = &f->pool[f->made / CHUNK].node[f->made % CHUNK];
    f->made++;
    return n;
}

/* Returns NULL if there is no memory. */
static struct node *node_new(struct prof *f, struct node *parent, uint32_t func, unsigned root)
{
    struct node *n = node_take(f);
    if (!n)
        return NULL;
    n->parent = parent;
    n->func = func;
    n->ctx = root < MPJ_CTX_MAX ? root : 0;
    n->core = root < MPJ_CTX_MAX ? 0 : root - MPJ_CTX_MAX;
    const struct mpj_prof_symbol *s = symbol_of(f, func);
    n->watch = s && s->start == func ? s->watch : 0;
    if (parent) {
        n->next = parent->child;
        parent->child = n;
        n->depth = parent->depth + 1;
        n->newest = newest_of(parent, func);
    }
    return n;
}

static unsigned root_of(const struct node *n)
{
    return n->ctx ? n->ctx : MPJ_CTX_MAX + n->core;
}

struct node *prof_others_of(struct prof *f, const struct node *n, uint32_t func)
{
    unsigned root = root_of(n);
    f->full = true;
    if (!f->others[root])
        f->others[root] = node_new(f, f->root[root], MPJ_PROF_OTHERS, root);
    struct node *others = f->others[root];
    if (!others) {
        f->no_mem = true;
        return f->root[root];
    }
    struct node *k = others->child;
    while (k && k->func != func)
        k = k->next;
    if (k || f->nodes >= 2 * f->most_nodes)
        return k ? k : others;
    k = node_new(f, others, func, root);
    f->no_mem |= !k;
    return k ? k : others;
}

/*
 * Returns the node above n, or n, that represents a call of a function which is on n's path already
 * without loss: the functions above that node are those above the call. NULL: there is none.
 */
static struct node *same_functions(struct node *n, uint32_t func)
{
    for (struct node *k = n; k && k->depth >= n->newest; k = k->parent)
        if (k->func == func)
            return k;
    return NULL;
}

static __attribute__((noinline)) struct node *child_other(struct prof *f, struct node *n,
                                                          uint32_t func)
{
    struct node *k = n->child;
    if (func == MPJ_PROF_OTHERS)
        return n; /* when a stack is carried to another context */
    if (n->parent && n->parent->func == MPJ_PROF_OTHERS)
        return n->recent = prof_others_of(f, n, func);
    while (k && k->func != func)
        k = k->next;
    if (!k && (n->depth >= FOLD_DEPTH || f->nodes >= f->most_nodes / 2) && func < MPJ_PROF_ROOT)
        k = same_functions(n, func);
    if (!k && f->nodes >= f->most_nodes && !f->moving)
        prof_fold(f);
    if (!k && f->nodes < f->most_nodes && n->depth < PROF_DEPTH_MAX)
        k = node_new(f, n, func, root_of(n));
    if (!k)
        k = prof_others_of(f, n, func);
    n->recent = k;
    return k;
}

static inline struct node *child(struct prof *f, struct node *n, uint32_t func)
{
    struct node *k = n->recent;
    return __builtin_expect(k && k->func == func, 1) ? k : child_other(f, n, func);
}

/* ---- stacks ---- */

/* A frame's place in its stack, for sorting by what it returns to. */
struct place {
    uint32_t ret, sp, at;
};

static int by_return(const void *a, const void *b)
{
    const struct place *x = a;
    const struct place *y = b;
    if (x->sp != y->sp)
        return x->sp < y->sp ? -1 : 1;
    if (x->ret != y->ret)
        return x->ret < y->ret ? -1 : 1;
    return x->at < y->at ? -1 : 1;
}

/*
 * Removes frames that were left without a return, as by a program that switches stacks itself: a
 * newer call has the same return address and stack pointer. Without that, such a program would
 * need memory for each switch. A recursion of any depth has none of them.
 */
static void drop_stale(struct prof *f, struct stack *s)
{
    struct place *order = malloc(s->n * sizeof(*order));
    uint32_t kept = 0;
    if (!order)
        return;
    for (uint32_t i = 0; i < s->n; i++)
        order[i] = (struct place){s->f[i].ret, s->f[i].sp, i};
    qsort(order, s->n, sizeof(*order), by_return);
    for (uint32_t i = 0; i + 1 < s->n; i++) {
        struct frame *older = &s->f[order[i].at];
        if (older->kind == FRAME_CALL && order[i].ret == order[i + 1].ret &&
            order[i].sp == order[i + 1].sp)
            older->kind = FRAME_STALE;
    }
    free(order);
    for (uint32_t i = 0; i < s->n; i++)
        if (s->f[i].kind != FRAME_STALE)
            s->f[kept++] = s->f[i];
    if (kept < s->n)
        f->lost.resync++;
    s->n = kept;
}

/* Makes space for one frame more. Without memory the older half of the frames goes. */
static __attribute__((noinline, cold)) void grow(struct prof *f, struct stack *s)
{
    uint32_t cap = s->cap ? 2 * s->cap : 32;
    if (s->n >= FRAMES_STALE)
        drop_stale(f, s);
    if (s->n <= s->cap / 2 && s->cap > 0)
        return;
    struct frame *more = realloc(s->f, cap * sizeof(*more));
    if (more) {
        s->f = more;
        s->cap = cap;
        return;
    }
    f->no_mem = true;
    f->lost.resync++;
    uint32_t keep = s->n / 2;
    memmove(s->f + 1, s->f + s->n - keep, keep * sizeof(*s->f));
    s->n = keep + 1;
}

static inline struct frame *push(struct prof *f, struct stack *s, struct node *n, uint32_t ret,
                                 uint32_t sp, uint32_t kind)
{
    if (__builtin_expect(s->n == s->cap, 0))
        grow(f, s);
    struct frame *top = &s->f[s->n++];
    *top = (struct frame){.node = n, .base = n, .ret = ret, .sp = sp, .kind = kind};
    return top;
}

static inline struct frame *top_of(struct stack *s)
{
    return &s->f[s->n - 1];
}

/* Makes a stack with the root's frame; root: index. MPJ_ERR_NOMEM. */
static int stack_begin(struct prof *f, struct stack *s, unsigned root)
{
    uint32_t ctx = root < MPJ_CTX_MAX ? root : 0;
    if (!f->root[root])
        f->root[root] = node_new(f, NULL, MPJ_PROF_ROOT, root);
    if (!s->f) {
        s->f = malloc(32 * sizeof(*s->f));
        s->cap = s->f ? 32 : 0;
    }
    if (!f->root[root] || !s->f)
        return MPJ_ERR_NOMEM;
    s->ctx = ctx;
    s->n = 0;
    push(f, s, f->root[root], 0, UINT32_MAX, FRAME_ROOT);
    return MPJ_OK;
}

/* Returns NULL if there is no memory. */
static struct stack *stack_take(struct prof *f, unsigned core, uint32_t ctx)
{
    unsigned root = ctx ? ctx : MPJ_CTX_MAX + core;
    struct stack *s = &f->own[root];
    if (s->owner && s->owner != core + 1) { /* another core still has it */
        s = &f->own[PROF_ROOTS + core];
        s->n = 0;
    }
    if (s->n == 0 && stack_begin(f, s, root) != MPJ_OK)
        return NULL;
    s->owner = core + 1;
    return s;
}

/* ---- what changes the node ---- */

/* Notes that an execution of a region begins or ends. */
static __attribute__((noinline)) void region(struct mpj_chip *c, unsigned core, uint64_t time,
                                             const struct node *n, unsigned kind)
{
    if (c->trace && c->trace->most_moments)
        trace_moment(c, core, time, kind, n->ctx, n->func, 0);
}

/* Notes that the top frame is in a function, node n, that has been called with this argument. */
static inline void called(struct mpj_chip *c, unsigned core, uint64_t time, struct frame *top,
                          struct node *n, uint32_t arg)
{
    top->arg = arg;
    if (!c->prof->core[core].held)
        n->calls += c->win.open;
    if (n->watch & MPJ_WATCH_REGION)
        region(c, core, time, n, MOMENT_REGION);
    prof_enter(c, core, time, n);
}

static void enter_top(struct mpj_chip *c, unsigned core, uint64_t time)
{
    prof_enter(c, core, time, top_of(c->prof->core[core].s)->node);
}

void mpj_prof_call(struct mpj_chip *c, unsigned core, uint64_t time, uint32_t target, uint32_t ret,
                   uint32_t sp, uint32_t arg)
{
    struct prof *f = c->prof;
    struct prof_core *pc = &f->core[core];
    struct node *n = child(f, pc->now, target);
    called(c, core, time, push(f, pc->s, n, ret, sp, FRAME_CALL), n, arg);
}

void mpj_prof_tail(struct mpj_chip *c, unsigned core, uint64_t time, uint32_t target, uint32_t arg)
{
    struct prof *f = c->prof;
    struct frame *top = top_of(f->core[core].s);
    struct node *n = top->node;
    if (n->func == target)
        return; /* a loop to its own beginning */
    /* Below the function that it came from; round trips lead back, so that they do not grow. */
    struct node *m = n;
    while (m->func != target && m != top->base && m->parent)
        m = m->parent;
    top->node = m->func == target ? m : child(f, n, target);
    called(c, core, time, top, top->node, arg);
}

/* Returns to the caller of the top frame; false: the branch does not lead there. */
static bool returned(struct mpj_chip *c, unsigned core, uint64_t time, uint32_t target, uint32_t sp)
{
    struct stack *s = c->prof->core[core].s;
    const struct frame *top = top_of(s);
    if (top->ret != target || top->sp != sp || top->kind != FRAME_CALL)
        return false;
    if (top->base->watch & MPJ_WATCH_REGION)
        region(c, core, time, top->base, MOMENT_REGION_END);
    s->n--;
    prof_enter(c, core, time, top[-1].node);
    return true;
}

void mpj_prof_jump(struct mpj_chip *c, unsigned core, uint64_t time, uint32_t target, uint32_t lr,
                   uint32_t next, uint32_t sp, uint32_t arg)
{
    struct prof *f = c->prof;
    struct prof_core *pc = &f->core[core];
    struct stack *s = pc->s;
    if (returned(c, core, time, target, sp))
        return;
    /* A return that skips frames. */
    for (uint32_t i = s->n - 1; i > 0 && s->f[i].kind == FRAME_CALL && s->f[i].sp <= sp; i--)
        if (s->f[i].ret == target && s->f[i].sp == sp) {
            s->n = i;
            f->lost.unwound++;
            enter_top(c, core, time);
            return;
        }
    const struct mpj_prof_symbol *sym = symbol_of(f, target);
    if (sym && sym->start == target) {
        if (lr == next) /* mov lr, pc; bx */
            mpj_prof_call(c, core, time, target, next, sp, arg);
        else
            mpj_prof_tail(c, core, time, target, arg);
        return;
    }
    if (!sym || sym == symbol_of(f, pc->now->func))
        return; /* a switch */
    /* longjmp(): removes the frames of the functions below the new stack pointer. */
    while (s->n > 1 && top_of(s)->kind == FRAME_CALL && top_of(s)->sp <= sp)
        s->n--;
    f->lost.unwound++;
    if (symbol_of(f, top_of(s)->node->func) != sym) {
        f->lost.resync++;
        mpj_prof_tail(c, core, time, sym->start, 0);
        return;
    }
    enter_top(c, core, time);
}

void mpj_prof_exception(struct mpj_chip *c, unsigned core, uint64_t time, unsigned vector,
                        uint32_t ret)
{
    struct prof *f = c->prof;
    struct prof_core *pc = &f->core[core];
    struct node *n = child(f, pc->now, MPJ_PROF_EXCEPTION | (vector & 0x1c));
    called(c, core, time, push(f, pc->s, n, ret, 0, FRAME_EXCEPTION), n, 0);
}

void mpj_prof_eret(struct mpj_chip *c, unsigned core, uint64_t time, uint32_t target)
{
    struct prof *f = c->prof;
    struct stack *s = f->core[core].s;
    uint32_t newest = 0;
    for (uint32_t i = s->n - 1; i > 0; i--) {
        if (s->f[i].kind != FRAME_EXCEPTION)
            continue;
        if (s->f[i].ret == target) {
            s->n = i;
            enter_top(c, core, time);
            return;
        }
        if (!newest)
            newest = i;
    }
    if (is_start(f, target)) { /* a thread begins */
        s->n = 1;
        s->f[0].node = s->f[0].base;
        mpj_prof_tail(c, core, time, target, 0);
        return;
    }
    f->lost.resync++;
    if (newest)
        s->n = newest;
    const struct mpj_prof_symbol *sym = symbol_of(f, target);
    if (sym && symbol_of(f, top_of(s)->node->func) != sym)
        mpj_prof_tail(c, core, time, sym->start, 0);
    else
        enter_top(c, core, time);
}

/* Returns the node that is below `under` as `node` is below `base`. */
static struct node *follow(struct prof *f, struct node *under, const struct node *base,
                           const struct node *node)
{
    if (node == base || !node->parent)
        return under;
    return child(f, follow(f, under, base, node->parent), node->func);
}

/* Returns the newest frame of an exception; 0: none. */
static uint32_t exception_frame(const struct stack *s)
{
    uint32_t i = s->n - 1;
    while (i > 0 && s->f[i].kind != FRAME_EXCEPTION)
        i--;
    return i;
}

/* Puts the frames of a stack from that one on above the top of the other. */
static void carry(struct prof *f, struct stack *to, const struct stack *from, uint32_t first)
{
    struct node *n = top_of(to)->node;
    for (uint32_t i = first; i < from->n; i++) {
        const struct frame o = from->f[i];
        struct node *base = child(f, n, o.base->func);
        n = follow(f, base, o.base, o.node);
        push(f, to, n, o.ret, o.sp, o.kind);
        top_of(to)->base = base;
        top_of(to)->arg = o.arg;
    }
}

/* Returns what moments watch the frame's function, or what it has branched to, for; 0: nothing. */
static uint32_t watched(const struct frame *f)
{
    for (const struct node *n = f->node; n; n = n->parent) {
        if (n->watch & ~MPJ_WATCH_REGION)
            return n->watch;
        if (n == f->base)
            break;
    }
    return 0;
}

/* Notes that another context is to run on the core; handler: frame of the exception that led to it,
 * 0: none. */
static void context_moments(struct mpj_chip *c, unsigned core, const struct stack *old,
                            uint32_t handler, uint32_t ctx)
{
    uint64_t time = c->prof->core[core].flushed;
    unsigned reason = handler > 0 ? STOP_BLOCKED : STOP_ENDED;
    struct trace_wait wait;
    uint32_t info = 0;
    bool waits = false;
    if (handler > 0 && old->f[handler].base->func == (MPJ_PROF_EXCEPTION | 0x18))
        reason = STOP_PREEMPTED;
    for (uint32_t i = handler; reason == STOP_BLOCKED && !waits && i-- > 1;) {
        uint32_t watch = watched(&old->f[i]);
        if (watch & MPJ_WATCH_END)
            reason = STOP_ENDED;
        else if (watch & MPJ_WATCH_YIELD)
            reason = STOP_YIELDED;
        else if (watch & MPJ_WATCH_INFO)
            info = old->f[i].arg;
        waits = watch & MPJ_WATCH_WAIT;
        wait = (struct trace_wait){.object = old->f[i].arg, .kind = watch >> 8};
    }
    if (waits && info != 0)
        wait.holder = c->trace->peek(core, info + WAIT_HOLDER);
    trace_stops(c, core, time, old->ctx, reason, waits ? &wait : NULL);
    trace_runs(c, core, time, ctx);
}

void prof_context(struct mpj_chip *c, unsigned core, uint32_t ctx)
{
    struct prof *f = c->prof;
    struct prof_core *pc = &f->core[core];
    struct stack *old = pc->s;
    prof_settle_cold(c, core, MPJ_DIRTY_MISS);
    if (old->ctx == ctx)
        return;
    struct stack *s = stack_take(f, core, ctx);
    if (!s) {
        f->no_mem = true;
        return;
    }
    old->owner = 0;
    if (prof_nearly_full(f))
        prof_fold(f);
    f->moving = true;
    uint32_t handler = exception_frame(old);
    if (c->trace && c->trace->most_moments)
        context_moments(c, core, old, handler, ctx);
    if (handler > 0) {
        /* A handler changes the context and goes on: it and what it has called move above the
         * place where the new context was interrupted. Its own place stays. */
        uint32_t ret = 0;
        uint32_t was = exception_frame(s);
        if (was > 0) { /* else it left otherwise, or is new: above what it was in */
            ret = s->f[was].ret;
            s->n = was;
        }
        uint32_t at = s->n;
        carry(f, s, old, handler);
        s->f[at].ret = ret;
        old->n = handler + 1;
    } else {
        /* This stack continues in another context. */
        s->n = 1;
        s->f[0].node = follow(f, s->f[0].base, old->f[0].base, old->f[0].node);
        carry(f, s, old, 1);
    }
    f->moving = false;
    pc->s = s;
    prof_enter(c, core, pc->flushed, top_of(s)->node);
}

/* ---- life ---- */

static void nodes_drop(struct prof *f)
{
    for (unsigned i = 0; i < PROF_ROOTS + MPJ_CORES; i++) {
        free(f->own[i].f);
        f->own[i] = (struct stack){0};
    }
    for (uint32_t i = 0; i < f->chunks; i++)
        free(f->pool[i].node);
    f->chunks = f->nodes = f->made = f->patience = 0;
    f->free = NULL;
    memset(f->root, 0, sizeof(f->root));
    memset(f->others, 0, sizeof(f->others));
    f->full = f->no_mem = false;
    f->overrun = 0;
    f->lost = f->lost_base = f->lost_inside = (struct losses){0};
    f->shared = f->shared_base = (struct shared_parts){0};
}

int prof_reset(struct mpj_chip *c)
{
    struct prof *f = c->prof;
    nodes_drop(f);
    for (unsigned i = 0; i < MPJ_CORES; i++) {
        struct prof_core *pc = &f->core[i];
        pc->n = pc->shares = 0;
        pc->held = false;
        pc->flushed = 0;
        memset(pc->base, 0, sizeof(pc->base));
        pc->s = stack_take(f, i, 0);
        if (!pc->s)
            return MPJ_ERR_NOMEM;
        pc->now = pc->s->f[0].node;
    }
    return MPJ_OK;
}

int mpj_prof_enable(struct mpj_chip *c, const struct mpj_prof_symbol *sym, size_t n,
                    uint32_t most_nodes)
{
    struct prof *f = calloc(1, sizeof(*f));
    if (!f)
        return MPJ_ERR_NOMEM;
    c->prof = f;
    f->most_nodes = most_nodes;
    f->sym = calloc(n + 1, sizeof(*f->sym));
    bool ok = f->sym;
    for (unsigned i = 0; i < MPJ_CORES; i++) {
        /* Touched only as far as it is used. */
        f->core[i].journal = calloc(PROF_JOURNAL + 1, sizeof(*f->core[i].journal));
        ok = ok && f->core[i].journal;
    }
    if (!ok || prof_reset(c) != MPJ_OK) {
        prof_free(c);
        return MPJ_ERR_NOMEM;
    }
    if (n > 0)
        memcpy(f->sym, sym, n * sizeof(*sym));
    f->syms = n;
    symbols_sort(f);
    return MPJ_OK;
}

void prof_free(struct mpj_chip *c)
{
    struct prof *f = c->prof;
    if (!f)
        return;
    nodes_drop(f);
    free(f->pool);
    free(f->sym);
    for (unsigned i = 0; i < MPJ_CORES; i++) {
        free(f->core[i].journal);
        free(f->core[i].share);
    }
    free(f);
    c->prof = NULL;
}

void mpj_prof_hold(struct mpj_chip *c, unsigned core, bool on)
{
    c->prof->core[core].held = on;
}

bool mpj_prof_on(const struct mpj_chip *c)
{
    return c->prof != NULL;
}
