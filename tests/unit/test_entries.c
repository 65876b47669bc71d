/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The graph of functions measured at entry and exit, the tree made of it, callers by the program's
 * code (tails.c, never run), and the division of calls that came by jumps.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "store/entries_code.h"
#include "store/entries_graph.h"
#include "store/entries_tails.h"

#define NODES 4096U

/* ---- graphs ------------------------------------------------------------------------------ */

static uint32_t func(struct entry_graph *g, uint32_t address)
{
    const uint32_t i = entry_func_of(g, address, ENTRY_NONE);

    assert_int_not_equal(i, ENTRY_NONE);
    g->func[i].is_measured = address != 0;
    return i;
}

/* Adds calls at a cost that they have in all items. */
static void edge(struct entry_graph *g, uint32_t from, uint32_t to, double calls, double v)
{
    const uint32_t k = entry_call_of(g, from, to);

    assert_int_not_equal(k, ENTRY_NONE);
    g->call[k].calls += calls;
    g->call[k].records += calls;
    for (unsigned i = 0; i < ENTRY_ITEMS; i++)
        g->call[k].v[i] += v;
    g->call[k].variance += v;
}

struct tree {
    struct entry_node node[NODES];
    uint32_t nodes;
    uint32_t most; /* ends after as many; 0: all */
};

static bool keep(void *ctx, const struct entry_node *n)
{
    struct tree *const t = ctx;

    assert_int_equal(n->id, t->nodes);
    assert_true(n->parent == ENTRY_NONE || n->parent < n->id);
    for (unsigned i = 0; i < ENTRY_ITEMS; i++)
        assert_true(isfinite(n->self[i]) && n->self[i] >= 0);
    assert_true(isfinite(n->calls) && n->calls >= 0);
    if (t->nodes < NODES)
        t->node[t->nodes] = *n;
    t->nodes++;
    return t->most == 0 || t->nodes < t->most;
}

static double self_of(const struct tree *t, uint32_t f)
{
    double sum = 0;

    for (uint32_t i = 0; i < t->nodes && i < NODES; i++)
        sum += t->node[i].func == f || f == ENTRY_NONE ? t->node[i].self[0] : 0;
    return sum;
}

/* Solves a graph and makes its tree. */
static void solve_any(struct entry_graph *g, struct tree *t)
{
    uint32_t n;

    memset(t, 0, sizeof(*t));
    g->periods = 1;
    assert_true(entry_graph_solve(g));
    n = entry_graph_tree(g, keep, t);
    assert_int_equal(n, t->nodes);
}

/* The same, and its own costs add up to what enters the roots. */
static void solve(struct entry_graph *g, struct tree *t)
{
    solve_any(g, t);
    assert_true(t->nodes <= NODES);
    assert_true(fabs(self_of(t, ENTRY_NONE) - g->all) <= 1e-9 * g->all);
}

static void near(double value, double right)
{
    assert_true(fabs(value - right) <= 1e-9 * (fabs(right) + 1));
}

static void test_chain(void **state)
{
    struct entry_graph g = {0};
    struct tree t;
    const uint32_t start = func(&g, 0);
    const uint32_t a = func(&g, 0x8000);
    const uint32_t b = func(&g, 0x8100);
    const uint32_t c = func(&g, 0x8200);

    (void)state;
    edge(&g, start, a, 1, 100);
    edge(&g, a, b, 4, 60);
    edge(&g, b, c, 8, 25);
    solve(&g, &t);
    near(self_of(&t, a), 40);
    near(self_of(&t, b), 35);
    near(self_of(&t, c), 25);
    near(g.func[c].calls, 8);
    assert_int_equal(entry_func_find(&g, 0x8100, ENTRY_NONE), b);
    assert_int_equal(entry_func_find(&g, 0x8104, ENTRY_NONE), ENTRY_NONE);
    entry_graph_free(&g);
}

static void test_recursion(void **state)
{
    struct entry_graph g = {0};
    struct tree t;
    const uint32_t start = func(&g, 0);
    const uint32_t r = func(&g, 0x8000);
    const uint32_t leaf = func(&g, 0x8100);

    (void)state;
    edge(&g, start, r, 1, 50);
    edge(&g, r, r, 9, 40); /* inside of the 50 */
    edge(&g, r, leaf, 10, 20);
    solve(&g, &t);
    near(self_of(&t, r), 30);
    near(self_of(&t, leaf), 20);
    near(g.func[r].calls, 10);
    near(g.all, 50);
    entry_graph_free(&g);
}

static void test_mutual(void **state)
{
    struct entry_graph g = {0};
    struct tree t;
    const uint32_t start = func(&g, 0);
    const uint32_t even = func(&g, 0x8000);
    const uint32_t odd = func(&g, 0x8100);
    const uint32_t leaf = func(&g, 0x8200);

    (void)state;
    edge(&g, start, even, 1, 100);
    edge(&g, even, odd, 10, 80);
    edge(&g, odd, even, 9, 60);
    edge(&g, odd, leaf, 10, 5);
    solve(&g, &t);
    assert_int_equal(g.func[even].component, g.func[odd].component);
    near(self_of(&t, even), 80);
    near(self_of(&t, odd), 15);
    near(self_of(&t, leaf), 5);
    entry_graph_free(&g);
}

/* Two ways into a cycle: each entry has its part of it. */
static void test_cycle_entered_twice(void **state)
{
    struct entry_graph g = {0};
    struct tree t;
    const uint32_t start = func(&g, 0);
    const uint32_t top = func(&g, 0x8000);
    uint32_t in[3];

    (void)state;
    for (uint32_t i = 0; i < 3; i++)
        in[i] = func(&g, 0x9000 + 0x100 * i);
    edge(&g, start, top, 1, 1000);
    edge(&g, top, in[0], 5, 300);
    edge(&g, top, in[1], 5, 500);
    edge(&g, in[0], in[1], 20, 200);
    edge(&g, in[1], in[2], 20, 350);
    edge(&g, in[2], in[0], 20, 150);
    solve(&g, &t);
    assert_int_equal(g.component[g.func[in[0]].component].members, 3);
    near(self_of(&t, top), 200);
    near(self_of(&t, in[0]), 250);
    near(self_of(&t, in[1]), 350);
    near(self_of(&t, in[2]), 200);
    entry_graph_free(&g);
}

/* A callee with more than its caller has: estimates that contradict each other. */
static void test_contradiction(void **state)
{
    struct entry_graph g = {0};
    struct tree t;
    const uint32_t start = func(&g, 0);
    const uint32_t a = func(&g, 0x8000);
    const uint32_t b = func(&g, 0x8100);
    double all;

    (void)state;
    edge(&g, start, a, 1, 100);
    edge(&g, a, b, 10, 130);
    solve(&g, &t);
    all = self_of(&t, ENTRY_NONE);
    assert_true(all >= 100 && all <= 130);
    assert_true(self_of(&t, b) > 0.9 * all);
    entry_graph_free(&g);
}

/* Code without an entry that a measured function runs costs that function what it calls. */
static void test_outside(void **state)
{
    struct entry_graph g = {0};
    struct tree t;
    const uint32_t start = func(&g, 0);
    const uint32_t sorts = func(&g, 0x8000);
    const uint32_t less = func(&g, 0x8100);
    const uint32_t library = entry_func_of(&g, 0xa000, sorts);

    (void)state;
    edge(&g, start, sorts, 1, 100);
    edge(&g, library, less, 50, 70);
    solve(&g, &t);
    near(self_of(&t, sorts), 30);
    near(self_of(&t, less), 70);
    near(self_of(&t, library), 0);
    near(g.all, 100);
    entry_graph_free(&g);
}

/* A chain of calls deeper than the tree: what is cut off is its last function's. */
static void test_deep(void **state)
{
    struct entry_graph g = {0};
    struct tree t;
    uint32_t before = func(&g, 0);

    (void)state;
    for (uint32_t i = 0; i < 1000; i++) {
        const uint32_t f = func(&g, 0x8000 + 4 * i);
        edge(&g, before, f, 1, 1000 - i);
        before = f;
    }
    solve(&g, &t);
    near(g.all, 1000);
    assert_true(t.nodes < 100);
    entry_graph_free(&g);
}

/* A cycle of many functions, whose search must not recurse, and as many edges to itself. */
static void test_large_cycle(void **state)
{
    struct entry_graph g = {0};
    struct tree t;
    const uint32_t start = func(&g, 0);
    const uint32_t n = 100000;

    (void)state;
    for (uint32_t i = 0; i < n; i++)
        (void)func(&g, 0x8000 + 4 * i);
    edge(&g, start, 1, 1, 1e6);
    for (uint32_t i = 0; i < n; i++)
        edge(&g, 1 + i, 1 + (i + 1) % n, 1, 5e5);
    memset(&t, 0, sizeof(t));
    t.most = 10;
    g.periods = 1;
    assert_true(entry_graph_solve(&g));
    assert_int_equal(g.component[g.func[1].component].members, n);
    assert_int_equal(entry_graph_tree(&g, keep, &t), ENTRY_NONE); /* ended by `keep` */
    assert_int_equal(t.nodes, 10);
    entry_graph_free(&g);
}

static uint32_t dice(uint32_t *seed, uint32_t n)
{
    *seed = *seed * 1664525U + 1013904223U;
    return (*seed >> 8U) % n;
}

/* Whatever the records say (damage included: no calls at a cost, calls at none, code without an
 * entry that calls itself), nothing is negative, and the tree adds up unless costs differ by more
 * than numbers can represent. */
static void test_any_graph(void **state)
{
    static const double fair[] = {0, 1, 1e2, 1e4, 1e6};
    static const double wild[] = {0, 1, 1e6, 1e18, 0.01};

    (void)state;
    for (uint32_t seed = 1; seed <= 500; seed++) {
        struct entry_graph g = {0};
        struct tree t;
        uint32_t s = seed;
        const uint32_t n = 2 + dice(&s, 12);
        const double *const costs = seed % 4 == 0 ? wild : fair;
        (void)func(&g, 0);
        for (uint32_t i = 1; i < n; i++) {
            const uint32_t outer = dice(&s, 4) == 0 ? dice(&s, i) : ENTRY_NONE;
            const uint32_t f = entry_func_of(&g, 0x8000 + 4 * i, outer);
            g.func[f].is_measured = outer == ENTRY_NONE && dice(&s, 8) != 0;
            g.func[f].passed[0] = costs == wild ? costs[dice(&s, 5)] : 0;
        }
        for (uint32_t k = dice(&s, 4 * n); k > 0; k--) {
            const uint32_t to = dice(&s, n);
            if (g.func[to].is_measured)
                edge(&g, dice(&s, n), to, dice(&s, 3) * 7.5,
                     costs[dice(&s, 5)] * (1 + dice(&s, 100)));
        }
        if (costs == fair)
            solve(&g, &t);
        else
            solve_any(&g, &t);
        for (uint32_t i = 0; i < g.funcs; i++)
            assert_true(g.func[i].self[0] >= 0 && g.func[i].self_variance >= 0);
        entry_graph_free(&g);
    }
}

static void test_empty(void **state)
{
    struct entry_graph g = {0};
    struct tree t;

    (void)state;
    solve(&g, &t);
    assert_int_equal(t.nodes, 0);
    assert_int_equal(entry_func_find(&g, 0x8000, ENTRY_NONE), ENTRY_NONE);
    entry_graph_free(&g);
}

/* ---- code -------------------------------------------------------------------------------- */

static struct entry_code code;
static uint32_t last, jumps, by_register, chain, calls, dispatch;

static int setup(void **state)
{
    struct mpj_err err;

    (void)state;
    return mpj_symbols_open(&code.symbols, MPJ_TAILS, &err) != 0 ||
           !mpj_symbols_find(code.symbols, "last", &last) ||
           !mpj_symbols_find(code.symbols, "jumps", &jumps) ||
           !mpj_symbols_find(code.symbols, "by_register", &by_register) ||
           !mpj_symbols_find(code.symbols, "chain", &chain) ||
           !mpj_symbols_find(code.symbols, "calls", &calls) ||
           !mpj_symbols_find(code.symbols, "dispatch", &dispatch);
}

static int teardown(void **state)
{
    (void)state;
    entry_code_free(&code);
    return 0;
}

/* Returns the return address of the call of a function, or of one by pointer (0), in another. */
static uint32_t back_of(uint32_t in, uint32_t callee)
{
    for (uint32_t at = in; at < in + 200; at += 4) {
        uint32_t word;
        assert_true(mpj_symbols_word(code.symbols, at, &word));
        if (callee != 0 ? mpj_symbols_branch(code.symbols, at, true) == callee
                        : (word & 0x0ffffff0U) == 0x012fff30U)
            return at + 4;
    }
    fail();
    return 0;
}

static bool through(void *ctx, uint32_t f)
{
    return f != *(const uint32_t *)ctx;
}

static void test_callers(void **state)
{
    (void)state;
    assert_int_equal(entry_code_caller(&code, jumps, back_of(calls, jumps)), calls);
    assert_int_equal(entry_code_caller(&code, last, back_of(calls, jumps)), jumps);
    assert_int_equal(entry_code_caller(&code, by_register, back_of(calls, chain)), chain);
    /* by a register: the code does not name the function, only who may have jumped there */
    assert_int_equal(entry_code_caller(&code, last, back_of(calls, chain)), by_register);
    assert_int_equal(entry_code_caller(&code, dispatch, back_of(calls, chain)), by_register);
    assert_int_equal(entry_code_caller(&code, last, back_of(dispatch, 0)), dispatch);
    /* measured functions that jumped, the second and third through one that was not */
    assert_int_equal(entry_code_caller(&code, last, jumps + 4), jumps);
    assert_int_equal(entry_code_caller(&code, last, chain + 4), by_register);
    assert_int_equal(entry_code_caller(&code, last, last + 4), last);
    assert_int_equal(entry_code_caller(&code, last, 0), 0);
    assert_int_equal(entry_code_caller(&code, last, 0xfffffff0U), 0);
}

static void test_jumps(void **state)
{
    uint32_t none = 0;

    (void)state;
    assert_true(entry_code_jumps(&code, jumps, last, through, &none));
    assert_true(entry_code_jumps(&code, by_register, last, through, &none));
    assert_true(entry_code_jumps(&code, chain, jumps, through, &none));
    assert_false(entry_code_jumps(&code, chain, jumps, through, &by_register));
    assert_false(entry_code_jumps(&code, last, jumps, through, &none));
    assert_false(entry_code_jumps(&code, calls, last, through, &none));
    assert_true(entry_code_reaches(&code, dispatch, last, through, &none));
    assert_false(entry_code_reaches(&code, dispatch, last, through, &jumps));
    assert_false(entry_code_reaches(&code, last, dispatch, through, &none));
}

static void test_no_code(void **state)
{
    struct entry_code nothing = {.symbols = NULL};
    uint32_t none = 0;

    (void)state;
    assert_int_equal(entry_code_start(&nothing, last), 0);
    assert_int_equal(entry_code_caller(&nothing, last, last + 40), 0);
    assert_false(entry_code_reaches(&nothing, calls, last, through, &none));
    entry_code_free(&nothing);
}

/* ---- calls that came by jumps -------------------------------------------------------------- */

/* A place that calls by pointer: `jumper` 100 times, of which 40 were measured, and `target` 70
 * times as its return address says; in `tails` of the 40 the former jumped to the latter. */
struct place {
    struct entry_graph g;
    struct entry_tails t;
    uint32_t from, jumper, target;
};

static void add_site(struct place *p, const struct entry_site *site, double v)
{
    struct entry_site x = *site;

    for (unsigned i = 0; i < ENTRY_ITEMS; i++)
        x.v[i] = v;
    assert_true(entry_tails_add(&p->t, &x));
    edge(&p->g, x.from, x.to, x.calls, v);
}

static void make_place(struct place *p, uint32_t jumper, double tails)
{
    const uint32_t back = back_of(dispatch, 0);

    memset(p, 0, sizeof(*p));
    p->from = func(&p->g, dispatch);
    p->jumper = func(&p->g, jumper);
    p->target = func(&p->g, last);
    edge(&p->g, func(&p->g, 0), p->from, 1, 10000);
    /* the same place twice, as two cores have it */
    for (unsigned core = 0; core < 2; core++)
        add_site(p,
                 &(struct entry_site){
                     .from = p->from, .to = p->jumper, .back = back, .calls = 50, .records = 20},
                 2500);
    add_site(p,
             &(struct entry_site){
                 .from = p->from, .to = p->target, .back = back, .calls = 70, .records = 70},
             700);
    if (tails > 0)
        add_site(p,
                 &(struct entry_site){.from = p->jumper,
                                      .to = p->target,
                                      .back = jumper + 4,
                                      .calls = tails,
                                      .records = tails},
                 10 * tails);
}

static double calls_between(const struct place *p, uint32_t from, uint32_t to)
{
    double n = 0;

    for (uint32_t k = 0; k < p->g.calls; k++)
        n += p->g.call[k].from == from && p->g.call[k].to == to ? p->g.call[k].calls : 0;
    return n;
}

static double cycles_of(const struct place *p)
{
    double n = 0;

    for (uint32_t k = 0; k < p->g.calls; k++)
        n += p->g.call[k].v[0];
    return n;
}

/* Divides; the calls of the place come from its function or from the one that jumped. */
static void divided(uint32_t jumper, double tails, double moved)
{
    const double passed[ENTRY_ITEMS] = {0};
    struct place p;
    struct tree t;
    double before;

    make_place(&p, jumper, tails);
    before = cycles_of(&p);
    assert_true(entry_tails_divide(&p.t, &p.g, &code, passed));
    near(calls_between(&p, p.from, p.target), 70 - moved);
    near(calls_between(&p, p.jumper, p.target), tails + moved);
    near(calls_between(&p, p.from, p.jumper), 100);
    near(cycles_of(&p), before);
    solve(&p.g, &t);
    entry_graph_free(&p.g);
    entry_tails_free(&p.t);
}

static void test_tails(void **state)
{
    (void)state;
    divided(jumps, 40, 60);       /* each of the 60 that were not measured */
    divided(jumps, 20, 30);       /* each second one */
    divided(by_register, 40, 60); /* by a register */
    divided(by_register, 10, 15);
    divided(chain, 40, 60); /* a chain that ends so */
    divided(jumps, 0, 0);   /* it may, but never did */
    divided(by_register, 0, 0);
}

/* What is not a call by pointer, or has no calls, stays as it is. */
static void test_no_tails(void **state)
{
    const double passed[ENTRY_ITEMS] = {0};
    struct entry_code nothing = {.symbols = NULL};
    struct entry_tails none = {0};
    struct place p;

    (void)state;
    make_place(&p, jumps, 40);
    assert_true(entry_tails_divide(&none, &p.g, &code, passed));
    assert_true(entry_tails_divide(&p.t, &p.g, &nothing, passed));
    near(calls_between(&p, p.from, p.target), 70);
    for (size_t i = 0; i < p.t.count; i++) {
        p.t.site[i].calls = 0;
        p.t.site[i].records = 0;
        p.t.site[i].back = i % 2 == 0 ? 0xfffffffcU : 4;
    }
    assert_true(entry_tails_divide(&p.t, &p.g, &code, passed));
    near(calls_between(&p, p.from, p.target), 70);
    entry_graph_free(&p.g);
    entry_tails_free(&p.t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chain),         cmocka_unit_test(test_recursion),
        cmocka_unit_test(test_mutual),        cmocka_unit_test(test_cycle_entered_twice),
        cmocka_unit_test(test_contradiction), cmocka_unit_test(test_outside),
        cmocka_unit_test(test_deep),          cmocka_unit_test(test_large_cycle),
        cmocka_unit_test(test_any_graph),     cmocka_unit_test(test_empty),
        cmocka_unit_test(test_callers),       cmocka_unit_test(test_jumps),
        cmocka_unit_test(test_no_code),       cmocka_unit_test(test_tails),
        cmocka_unit_test(test_no_tails),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
