/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The truth per function: known call trees, and sums that are the truth's.
 * long file: the tests share one board and one reader of what it writes. */
#include "chip_fixture.h"

#include "mpj_functions.h"

#include <inttypes.h>
#include <stdlib.h>

#define MAIN 0x8000U
#define FN_A 0x8100U
#define FN_B 0x8200U
#define FN_C 0x8300U
#define SP   0x100000U

static const struct mpj_prof_symbol symbols[] = {
    {FN_B, FN_B + 0x100, 0}, {MAIN, MAIN + 0x100, 0}, {FN_A, 0, 0}, {FN_C, FN_C + 0x100, 0}};

static struct board b;

/* ---- reading the file ---- */

struct item {
    char name[24];
    int64_t value;
};
struct tree_node {
    uint32_t parent, func, ctx, core;
    uint64_t calls;
    struct item item[64];
    unsigned items;
};
static struct tree_node tree[4096];
static unsigned nodes;
static uint32_t flags;
static struct tree_node chip;
static char *file;
static size_t file_len;

static uint64_t number(const char *p, unsigned bytes)
{
    uint64_t v = 0;
    for (unsigned i = bytes; i-- > 0;)
        v = v << 8 | (uint8_t)p[i];
    return v;
}

static const char *section(const char *tag, size_t *len)
{
    size_t at = 16;
    while (at + 16 <= file_len) {
        *len = (size_t)number(file + at + 8, 8);
        if (memcmp(file + at, tag, 4) == 0)
            return file + at + 16;
        at += 16 + *len;
    }
    fail_msg("no section %s", tag);
    return NULL;
}

static const char *items(struct tree_node *n, const char *p, const char *names)
{
    uint64_t mask = number(p, 8);
    p += 8;
    n->items = 0;
    for (unsigned i = 0; mask >> i; i++, names += strlen(names) + 1)
        if (mask >> i & 1) {
            (void)snprintf(n->item[n->items].name, sizeof(n->item[0].name), "%s", names);
            n->item[n->items++].value = (int64_t)number(p, 8);
            p += 8;
        }
    return p;
}

static void read_tree(void)
{
    size_t len;
    FILE *f = open_memstream(&file, &file_len);
    assert_int_equal(mpj_prof_write(b.chip, NULL, 0, f), MPJ_OK);
    assert_int_equal(fclose(f), 0);
    assert_memory_equal(file, "MPJPROF\n\1\0\0\0", 12);
    (void)section("END ", &len);
    flags = (uint32_t)number(section("HEAD", &len) + 16, 4);
    const char *names = section("ITEM", &len);
    const char *p = section("NODE", &len);
    const char *end = p + len;
    for (nodes = 0; p < end; nodes++) {
        struct tree_node *n = &tree[nodes];
        assert_true(nodes < sizeof(tree) / sizeof(*tree));
        n->parent = (uint32_t)number(p, 4);
        n->func = (uint32_t)number(p + 4, 4);
        n->ctx = (uint32_t)number(p + 8, 4);
        n->core = (uint32_t)number(p + 12, 4);
        n->calls = number(p + 16, 8);
        assert_true(n->parent <= nodes);
        p = items(n, p + 24, names);
    }
    assert_ptr_equal(p, end);
    (void)items(&chip, section("CHIP", &len), section("CITM", &len));
    free(file);
}

static int64_t item(const struct tree_node *n, const char *name)
{
    for (unsigned i = 0; i < n->items; i++)
        if (strcmp(n->item[i].name, name) == 0)
            return n->item[i].value;
    return 0;
}

/* The node of that path of functions below the root of core 0's tree, or of a context's. */
static struct tree_node *find(uint32_t ctx, unsigned depth, const uint32_t *path)
{
    unsigned at = 0; /* number */
    for (unsigned i = 0; i < nodes && at == 0; i++)
        if (tree[i].parent == 0 && tree[i].ctx == ctx && (ctx || tree[i].core == 0))
            at = i + 1;
    for (unsigned d = 0; d < depth && at > 0; d++) {
        unsigned next = 0;
        for (unsigned i = 0; i < nodes; i++)
            if (tree[i].parent == at && tree[i].func == path[d])
                next = i + 1;
        at = next;
    }
    return at > 0 ? &tree[at - 1] : NULL;
}

#define NODE(ctx, ...)                                                                             \
    find(ctx, sizeof((uint32_t[]){__VA_ARGS__}) / 4, (const uint32_t[]){__VA_ARGS__})

static void expect(const struct tree_node *n, uint64_t calls, int64_t cycles)
{
    assert_non_null(n);
    assert_int_equal(n->calls, calls);
    assert_int_equal(item(n, "cycles"), cycles);
    assert_int_equal(item(n, "instr"), cycles);
}

/* ---- driving the chip ---- */

static void open_board(uint32_t most)
{
    board_open(&b, "epro-mp", 1);
    assert_false(mpj_prof_on(b.chip));
    assert_int_equal(mpj_prof_enable(b.chip, symbols, 4, most), MPJ_OK);
    assert_true(mpj_prof_on(b.chip));
    mpj_truth_window(b.chip, true, 0);
}

static void run(unsigned core, unsigned cycles)
{
    b.hot[core].pack_a += MPJ_PACK_A(cycles, 0, 0, 0);
    b.hot[core].pack_b += MPJ_PACK_B(7 * cycles, 0, 0);
    b.now[core] += cycles;
}

static void flush(unsigned core, uint64_t *since)
{
    mpj_flush(b.chip, core, b.now[core], b.now[core] - *since, 0, NULL);
    *since = b.now[core];
}

static void done(void)
{
    uint64_t zero = 0;
    flush(0, &zero);
    mpj_truth_window(b.chip, false, b.now[0]);
    read_tree();
}

static void call(uint32_t target, uint32_t from, uint32_t sp)
{
    mpj_prof_call(b.chip, 0, b.now[0], target, from + 4, sp, 0);
}

static void back(uint32_t to, uint32_t sp)
{
    mpj_prof_jump(b.chip, 0, b.now[0], to, 0, 0xdead0, sp, 0);
}

/* main calls a twice and b once; a calls b. */
static void test_calls(void **state)
{
    (void)state;
    open_board(MPJ_PROF_NODES);
    call(MAIN, 0x100, SP);
    run(0, 10);
    for (unsigned i = 0; i < 2; i++) {
        call(FN_A, MAIN + 0x20, SP - 16);
        run(0, 20);
        call(FN_B, FN_A + 8, SP - 32);
        run(0, 5);
        back(FN_A + 12, SP - 32);
        run(0, 2);
        back(MAIN + 0x24, SP - 16);
        run(0, 1);
    }
    call(FN_B, MAIN + 0x40, SP - 16);
    run(0, 7);
    back(MAIN + 0x44, SP - 16);
    done();
    expect(NODE(0, MAIN), 1, 12);
    expect(NODE(0, MAIN, FN_A), 2, 44);
    expect(NODE(0, MAIN, FN_A, FN_B), 2, 10);
    expect(NODE(0, MAIN, FN_B), 1, 7);
    assert_int_equal(nodes, 8); /* and the roots of four cores */
    assert_int_equal(flags, 0);
    board_close(&b);
}

/* Each level is a node of its own; all of them return. */
static void test_recursion(void **state)
{
    (void)state;
    open_board(MPJ_PROF_NODES);
    call(MAIN, 0x100, SP);
    for (unsigned i = 0; i < 3; i++) {
        call(FN_A, i == 0 ? MAIN + 0x20 : FN_A + 0x10, SP - 16 * (i + 1));
        run(0, 1U << i);
    }
    for (unsigned i = 3; i-- > 0;) {
        back(i == 0 ? MAIN + 0x24 : FN_A + 0x14, SP - 16 * (i + 1));
        run(0, 100);
    }
    done();
    expect(NODE(0, MAIN), 1, 100);
    expect(NODE(0, MAIN, FN_A), 1, 101);
    expect(NODE(0, MAIN, FN_A, FN_A), 1, 102);
    expect(NODE(0, MAIN, FN_A, FN_A, FN_A), 1, 4);
    board_close(&b);
}

/* a ends with a branch to b, which branches back to a a few times; b returns to main. */
static void test_tail_calls(void **state)
{
    (void)state;
    open_board(MPJ_PROF_NODES);
    call(MAIN, 0x100, SP);
    call(FN_A, MAIN + 0x20, SP);
    for (unsigned i = 0; i < 3; i++) {
        run(0, 10);
        mpj_prof_tail(b.chip, 0, b.now[0], FN_B, 0);
        run(0, 20);
        if (i < 2)
            back(FN_A, SP); /* by a pointer */
    }
    back(MAIN + 0x24, SP);
    run(0, 5);
    done();
    expect(NODE(0, MAIN), 1, 5);
    expect(NODE(0, MAIN, FN_A), 3, 30);
    expect(NODE(0, MAIN, FN_A, FN_B), 3, 60);
    assert_int_equal(nodes, 7);
    board_close(&b);
}

/* 50 times: main calls a, a calls b, b calls c, which jumps back into main. */
static void test_longjmp(void **state)
{
    (void)state;
    open_board(MPJ_PROF_NODES);
    call(MAIN, 0x100, SP);
    for (unsigned i = 0; i < 50; i++) {
        call(FN_A, MAIN + 0x20, SP - 16);
        call(FN_B, FN_A + 8, SP - 32);
        call(FN_C, FN_B + 8, SP - 48);
        run(0, 3);
        back(MAIN + 0x60, SP - 16); /* behind a call of setjmp() that has returned before */
        run(0, 1);
    }
    done();
    expect(NODE(0, MAIN), 1, 50);
    expect(NODE(0, MAIN, FN_A, FN_B, FN_C), 50, 150);
    assert_int_equal(nodes, 8);
    board_close(&b);
}

/* A block is left after a flush has taken all of it: what is given back stands in the next one. */
static void test_given_back(void **state)
{
    (void)state;
    uint64_t since = 0;
    open_board(MPJ_PROF_NODES);
    call(MAIN, 0x100, SP);
    run(0, 100);
    b.hot[0].pack_a += MPJ_PACK_A(5, 4, 3, 2);
    b.hot[0].pack_b += MPJ_PACK_B(70, 1, 1);
    flush(0, &since);
    b.hot[0].pack_a -= MPJ_PACK_A(5, 4, 3, 2);
    b.hot[0].pack_b -= MPJ_PACK_B(70, 1, 1);
    call(FN_A, MAIN + 8, SP - 16);
    run(0, 3); /* fewer than were given back */
    flush(0, &since);
    mpj_truth_window(b.chip, false, b.now[0]);
    read_tree();
    assert_int_equal(b.hot[0].ev[MPJ_EV_INSTR], 103);
    assert_int_equal(b.hot[0].ev[MPJ_EV_DDEP_STALL], 0);
    assert_int_equal(b.hot[0].ev[MPJ_EV_DCACHE_RD], 0);
    assert_int_equal(b.hot[0].ev[MPJ_EV_DCACHE_WR], 0);
    assert_int_equal(b.hot[0].ev[MPJ_EV_BRANCH], 0);
    assert_int_equal(b.hot[0].ev[MPJ_EV_PC_CHANGE], 0);
    expect(NODE(0, MAIN), 1, 100);
    expect(NODE(0, MAIN, FN_A), 1, 3);
    board_close(&b);
}

/* What takes no time: where it leads to counts again. */
static void test_held(void **state)
{
    (void)state;
    uint64_t since = 0;
    open_board(MPJ_PROF_NODES);
    call(MAIN, 0x100, SP);
    run(0, 10);
    flush(0, &since);
    mpj_prof_hold(b.chip, 0, true);
    b.hot[0].pack_a += 7;
    call(FN_A, MAIN + 8, SP - 16);
    b.hot[0].pack_a += 7;
    call(FN_B, FN_A + 8, SP - 32);
    b.hot[0].pack_a += 7;
    back(FN_A + 12, SP - 32);
    b.hot[0].pack_a = 0;
    mpj_prof_hold(b.chip, 0, false);
    run(0, 4);
    back(MAIN + 12, SP - 16);
    run(0, 2);
    flush(0, &since);
    mpj_truth_window(b.chip, false, b.now[0]);
    read_tree();
    expect(NODE(0, MAIN), 1, 12);
    expect(NODE(0, MAIN, FN_A), 0, 4);
    expect(NODE(0, MAIN, FN_A, FN_B), 0, 0);
    board_close(&b);
}

/* A jump within a function, and to addresses without a symbol, changes nothing. */
static void test_switch_statement(void **state)
{
    (void)state;
    open_board(MPJ_PROF_NODES);
    call(FN_A, 0x100, SP);
    back(FN_A + 0x40, SP - 8);
    run(0, 3);
    back(0x4000, SP - 8);
    run(0, 4);
    done();
    expect(NODE(0, FN_A), 1, 7);
    board_close(&b);
}

/* An interrupt in the middle of a call changes the thread, and one in the other thread back. */
static void test_preemption(void **state)
{
    (void)state;
    const uint32_t irq = MPJ_PROF_EXCEPTION | 0x18;
    uint64_t since = 0;
    open_board(MPJ_PROF_NODES);
    flush(0, &since);
    mpj_context_switch(b.chip, 0, 1);
    call(FN_A, 0x100, SP);
    run(0, 10);
    mpj_prof_exception(b.chip, 0, b.now[0], 0x18, FN_A + 0x20);
    run(0, 3);
    call(FN_C, 0x18, SP - 64);
    run(0, 2);
    flush(0, &since);
    mpj_context_switch(b.chip, 0, 2);
    run(0, 4);
    back(0x1c, SP - 64);
    run(0, 1);
    mpj_prof_eret(b.chip, 0, b.now[0], FN_B); /* a new thread begins */
    run(0, 100);
    mpj_prof_exception(b.chip, 0, b.now[0], 0x18, FN_B + 4);
    flush(0, &since);
    mpj_context_switch(b.chip, 0, 1);
    run(0, 1);
    mpj_prof_eret(b.chip, 0, b.now[0], FN_A + 0x20);
    run(0, 1000);
    back(0x104, SP);
    run(0, 7);
    flush(0, &since);
    mpj_truth_window(b.chip, false, b.now[0]);
    read_tree();
    expect(NODE(1, FN_A), 1, 1010);
    expect(NODE(1, FN_A, irq), 1, 4);
    expect(NODE(1, FN_A, irq, FN_C), 1, 2);
    expect(NODE(2, irq, FN_C), 0, 4);
    expect(NODE(2, irq), 0, 1);
    expect(NODE(2, FN_B), 1, 100);
    assert_int_equal(item(find(1, 0, NULL), "cycles"), 7);
    board_close(&b);
}

/* What is in a section of moments or of the waveform. */
static char *written(size_t *len)
{
    char *text = NULL;
    FILE *f = open_memstream(&text, len);
    assert_int_equal(mpj_prof_write(b.chip, NULL, 0, f), MPJ_OK);
    assert_int_equal(fclose(f), 0);
    return text;
}

/* The runtime's notes of a wait. */
static uint32_t peek(unsigned core, uint32_t address)
{
    assert_int_equal(core, 0);
    assert_int_equal(address, 0x5008);
    return 7;
}

/* A thread waits for a mutex in a function that is watched, another one runs and is preempted. */
static void watched_threads(bool moments)
{
    static const struct mpj_prof_symbol watched[] = {{FN_A, FN_A + 0x100, 1U << 8 | MPJ_WATCH_WAIT},
                                                     {FN_B, FN_B + 0x100, MPJ_WATCH_REGION},
                                                     {FN_C, FN_C + 0x100, MPJ_WATCH_INFO},
                                                     {MAIN, MAIN + 0x100, 0}};
    uint64_t since = 0;
    board_open(&b, "epro-mp", 1);
    assert_int_equal(mpj_prof_enable(b.chip, watched, 4, MPJ_PROF_NODES), MPJ_OK);
    assert_int_equal(moments ? mpj_trace_moments(b.chip, 100, peek) : mpj_trace_wave(b.chip, 10),
                     MPJ_OK);
    mpj_truth_window(b.chip, true, 0);
    flush(0, &since);
    mpj_context_switch(b.chip, 0, 1);
    mpj_prof_call(b.chip, 0, b.now[0], FN_A, 0x104, SP, 0x1234);
    mpj_prof_call(b.chip, 0, b.now[0], FN_C, FN_A + 4, SP - 8, 0x5000);
    run(0, 10);
    mpj_prof_exception(b.chip, 0, b.now[0], 0x08, FN_C + 8);
    flush(0, &since);
    mpj_context_switch(b.chip, 0, 2);
    mpj_prof_eret(b.chip, 0, b.now[0], MAIN);
    run(0, 10);
    call(FN_B, MAIN + 8, SP - 64);
    run(0, 5);
    back(MAIN + 12, SP - 64);
    run(0, 5);
    mpj_prof_exception(b.chip, 0, b.now[0], 0x18, MAIN + 16);
    flush(0, &since);
    mpj_context_switch(b.chip, 0, 1);
    mpj_prof_eret(b.chip, 0, b.now[0], FN_A + 8);
    flush(0, &since);
    mpj_truth_window(b.chip, false, b.now[0]);
    file = written(&file_len);
}

static void test_moments(void **state)
{
    static const uint32_t expected[][7] = {
        /* time, kind, core, thread, object, value, holder */
        {0, 0, 0, 1, 0, 0, 0},  {10, 2, 0, 1, 0x1234, 1, 7}, {10, 1, 0, 1, 0, 1, 0},
        {10, 0, 0, 2, 0, 0, 0}, {20, 4, 0, 2, FN_B, 0, 0},   {25, 5, 0, 2, FN_B, 0, 0},
        {30, 1, 0, 2, 0, 0, 0}, {30, 3, 0, 1, 0x1234, 1, 0}, {30, 0, 0, 1, 0, 0, 0},
    };
    size_t len;
    (void)state;
    watched_threads(true);
    const char *p = section("MOMT", &len);
    assert_int_equal(number(p, 8), 0);
    assert_int_equal(len, 8 + 32 * sizeof(expected) / sizeof(*expected));
    for (unsigned i = 0; i < sizeof(expected) / sizeof(*expected); i++) {
        const char *m = p + 8 + (size_t)32 * i;
        assert_int_equal(number(m, 8), expected[i][0]);
        for (unsigned k = 1; k < 7; k++)
            assert_int_equal(number(m + 4 + (size_t)4 * k, 4), expected[i][k]);
    }
    free(file);
    board_close(&b);
}

/* A waveform alone asks nobody who holds what a thread waits for. */
static void test_wave_alone(void **state)
{
    (void)state;
    watched_threads(false);
    for (size_t i = 0; i + 4 <= file_len; i++)
        assert_memory_not_equal(file + i, "MOMT", 4);
    free(file);
    board_close(&b);
}

/* The first thread goes on with the stack of the start. */
static void test_same_stack(void **state)
{
    (void)state;
    uint64_t since = 0;
    open_board(MPJ_PROF_NODES);
    call(MAIN, 0x100, SP);
    call(FN_A, MAIN + 0x20, SP);
    flush(0, &since);
    mpj_context_switch(b.chip, 0, 5);
    run(0, 3);
    back(MAIN + 0x24, SP);
    run(0, 9);
    flush(0, &since);
    mpj_truth_window(b.chip, false, b.now[0]);
    read_tree();
    expect(NODE(5, MAIN), 0, 9);
    expect(NODE(5, MAIN, FN_A), 0, 3);
    board_close(&b);
}

/* Calls without end: what is too many is in one node, says so, and nothing is missing. */
static void test_bounded(void **state)
{
    (void)state;
    const uint32_t others = MPJ_PROF_OTHERS;
    int64_t sum = 0;
    open_board(32);
    for (unsigned i = 0; i < 20000; i++) {
        call(0x100000 + 16 * i, 0x100, SP - 8 * i);
        run(0, 1);
    }
    done();
    assert_int_equal(flags, 1);
    assert_true(nodes <= 65);
    for (unsigned i = 0; i < nodes; i++)
        sum += item(&tree[i], "cycles");
    assert_int_equal(sum, 20000);
    assert_true(item(NODE(0, others), "cycles") > 19000);
    board_close(&b);
}

static uint64_t random_state;

static uint32_t rnd(void)
{
    random_state = random_state * 6364136223846793005U + 1442695040888963407U;
    return (uint32_t)(random_state >> 33);
}

/* More paths than nodes: each function still has its own cost and its calls. */
static void test_more_paths(void **state)
{
    (void)state;
    uint64_t calls[26] = {0};
    int64_t cycles[26] = {0};
    open_board(100);
    random_state = 3;
    for (unsigned i = 0; i < 3000; i++) {
        unsigned depth = 0;
        while (depth < 5) {
            call(0x100000 + 16 * (rnd() % 26), 0x200 + 4 * depth, SP - 8 * depth);
            depth++;
        }
        run(0, 1);
        while (depth-- > 0)
            back(0x204 + 4 * depth, SP - 8 * depth);
    }
    done();
    assert_int_equal(flags, 1);
    for (unsigned i = 0; i < nodes; i++)
        if (tree[i].func >= 0x100000 && tree[i].func < MPJ_PROF_ROOT) {
            calls[(tree[i].func - 0x100000) / 16] += tree[i].calls;
            cycles[(tree[i].func - 0x100000) / 16] += item(&tree[i], "cycles");
        }
    random_state = 3;
    for (unsigned i = 0; i < 3000; i++)
        for (unsigned depth = 0; depth < 5; depth++) {
            unsigned func = rnd() % 26;
            calls[func]--;
            cycles[func] -= depth == 4;
        }
    for (unsigned i = 0; i < 26; i++) {
        assert_int_equal(calls[i], 0);
        assert_int_equal(cycles[i], 0);
    }
    board_close(&b);
}

/* Far more paths than nodes, which come and go: those that cost most have a node, the first one as
 * the last, and what is folded is counted for its function. */
static void test_least_important(void **state)
{
    (void)state;
    const uint32_t first[] = {FN_A, FN_B, FN_C};
    const uint32_t last[] = {FN_C, FN_B, FN_A};
    uint64_t since = 0;
    uint64_t calls[40] = {0};
    int64_t cycles[40] = {0};
    int64_t sum = 0;
    open_board(400);
    random_state = 9;
    call(MAIN, 0x100, SP);
    for (unsigned i = 0; i < 20000; i++) {
        const uint32_t *path = i < 500 ? first : i >= 19000 && i % 3 == 0 ? last : NULL;
        for (unsigned depth = 0; depth < 3; depth++) {
            uint32_t func = rnd() % 40;
            call(path ? path[depth] : 0x100000 + 16 * func, 0x204 + 4 * depth, SP - 8 * depth - 8);
            calls[func] += !path;
            cycles[func] += !path && depth == 2;
        }
        run(0, path ? 50 : 1);
        for (unsigned depth = 3; depth-- > 0;)
            back(0x208 + 4 * depth, SP - 8 * depth - 8);
        if (i % 20 == 0)
            flush(0, &since);
    }
    flush(0, &since);
    mpj_truth_window(b.chip, false, b.now[0]);
    read_tree();
    assert_int_equal(flags, 1);
    assert_true(nodes <= 800);
    expect(NODE(0, MAIN), 1, 0);
    expect(NODE(0, MAIN, FN_A, FN_B, FN_C), 500, 25000);
    expect(NODE(0, MAIN, FN_C, FN_B, FN_A), 333, 16650);
    for (unsigned i = 0; i < nodes; i++) {
        sum += item(&tree[i], "cycles");
        if (tree[i].func >= 0x100000 && tree[i].func < MPJ_PROF_ROOT) {
            calls[(tree[i].func - 0x100000) / 16] -= tree[i].calls;
            cycles[(tree[i].func - 0x100000) / 16] -= item(&tree[i], "cycles");
        }
    }
    assert_int_equal(sum, 25000 + 16650 + 20000 - 500 - 333);
    for (unsigned i = 0; i < 40; i++) {
        assert_int_equal(calls[i], 0);
        assert_int_equal(cycles[i], 0);
    }
    board_close(&b);
}

/* Paths of threads that take turns are folded while one goes to the other. */
static void test_folded_threads(void **state)
{
    (void)state;
    uint64_t since = 0;
    uint64_t calls[2][30] = {0};
    int64_t cycles = 0;
    open_board(300);
    random_state = 11;
    mpj_prof_exception(b.chip, 0, 0, 0x18, 0);
    mpj_context_switch(b.chip, 0, 1);
    mpj_prof_eret(b.chip, 0, 0, MAIN);
    for (unsigned i = 0; i < 4000; i++) {
        const unsigned thread = i / 4 % 2;
        for (unsigned depth = 0; depth < 4; depth++) {
            uint32_t func = rnd() % 30;
            call(0x100000 + 16 * func, 0x204 + 4 * depth, SP - 8 * depth - 8);
            calls[thread][func]++;
        }
        run(0, 1);
        if (i % 4 == 3) { /* in the middle of a path, on which the other one has been, too */
            flush(0, &since);
            mpj_prof_exception(b.chip, 0, b.now[0], 0x18, MAIN + 16);
            run(0, 2);
            flush(0, &since);
            mpj_context_switch(b.chip, 0, 2 - thread);
            mpj_prof_eret(b.chip, 0, b.now[0], i == 3 ? MAIN : MAIN + 16);
            cycles += 2;
            if (i == 3)
                continue;
        }
        for (unsigned depth = 4; depth-- > 0;)
            back(0x208 + 4 * depth, SP - 8 * depth - 8);
    }
    flush(0, &since);
    mpj_truth_window(b.chip, false, b.now[0]);
    read_tree();
    assert_true((flags & 1U) != 0);
    assert_true(nodes <= 600);
    for (unsigned i = 0; i < nodes; i++) {
        cycles -= item(&tree[i], "cycles");
        if (tree[i].func >= 0x100000 && tree[i].func < MPJ_PROF_ROOT)
            calls[tree[i].ctx - 1][(tree[i].func - 0x100000) / 16] -= tree[i].calls;
    }
    assert_int_equal(cycles + 4000, 0);
    for (unsigned i = 0; i < 60; i++)
        assert_int_equal(calls[i / 30][i % 30], 0);
    board_close(&b);
}

/* Two functions that call each other at random have more paths than nodes, but only few with
 * different functions: nothing is lost. */
static void test_random_recursion(void **state)
{
    (void)state;
    open_board(100);
    random_state = 5;
    call(MAIN, 0x100, SP);
    for (unsigned i = 0; i < 2000; i++) {
        unsigned depth = 0;
        for (; depth < 20; depth++)
            call(rnd() % 2 ? FN_A : FN_B, 0x200 + 4 * depth, SP - 8 * depth - 8);
        run(0, 1);
        while (depth-- > 0)
            back(0x204 + 4 * depth, SP - 8 * depth - 8);
    }
    done();
    assert_int_equal(flags, 0);
    assert_true(nodes < 100);
    assert_int_equal(NODE(0, MAIN)->calls, 1);
    board_close(&b);
}

/* A recursion deeper than any stack that an embedded program usually has. */
static void test_deep(void **state)
{
    (void)state;
    const unsigned n = 60000;
    uint64_t calls = 0;
    size_t len;
    open_board(MPJ_PROF_NODES);
    call(MAIN, 0x100, SP);
    for (unsigned i = 0; i < n; i++) {
        call(i % 2 ? FN_A : FN_B, 0x200, SP - 8 - 8 * i);
        run(0, 1);
    }
    for (unsigned i = n; i-- > 0;)
        back(0x204, SP - 8 - 8 * i);
    run(0, 7);
    call(FN_C, MAIN + 4, SP - 8);
    run(0, 5);
    done();
    for (unsigned i = 0; i < nodes; i++)
        calls += tree[i].func == FN_A || tree[i].func == FN_B ? tree[i].calls : 0;
    assert_int_equal(calls, n);
    expect(NODE(0, MAIN), 1, 7);
    expect(NODE(0, MAIN, FN_C), 1, 5);
    file = written(&file_len);
    assert_int_equal(number(section("HEAD", &len) + 40, 8), 0);
    free(file);
    board_close(&b);
}

/* A program that switches stacks itself leaves calls without end: the stack does not grow with the
 * switches, and the file says that the tree is inexact. */
static void test_left_calls(void **state)
{
    (void)state;
    uint64_t since = 0;
    size_t len;
    open_board(MPJ_PROF_NODES);
    call(MAIN, 0x100, SP);
    for (unsigned i = 0; i < 1000000; i++) {
        call(i % 2 ? FN_A : FN_B, MAIN + 4 + 4 * (i % 2), SP - 8 - 0x4000 * (i % 2));
        run(0, 1);
        if (i % 1000 == 0)
            flush(0, &since);
    }
    flush(0, &since);
    mpj_truth_window(b.chip, false, b.now[0]);
    file = written(&file_len);
    assert_true(number(section("HEAD", &len) + 40, 8) > 0);
    free(file);
    board_close(&b);
}

/* Anything that can happen, in any order, on four cores. */
static void storm(bool prof)
{
    uint64_t since[MPJ_CORES] = {0};
    random_state = 7;
    for (unsigned n = 0; n < 40000; n++) {
        unsigned core = rnd() % MPJ_CORES;
        struct mpj_hot *h = &b.hot[core];
        uint32_t where = MAIN + 0x100 * (rnd() % 4) + (rnd() % 2 ? 0 : 0x20);
        uint32_t sp = SP - 8 * (rnd() % 32);
        unsigned what = rnd() % 10;
        uint32_t line = rnd() % 60000;
        h->pack_a += MPJ_PACK_A(rnd() % 20, rnd() % 5, rnd() % 6, rnd() % 3);
        h->pack_b += MPJ_PACK_B(rnd() % 2000, rnd() % 4, rnd() % 3);
        h->count.folded += rnd() % 2;
        h->count.sb_merge += rnd() % 2;
        b.now[core] += 20 + rnd() % 20;
        if (what < 2 && !mpj_load_hits(h->dline[line]))
            (void)miss(b.chip, core, line, false, b.now[core]);
        if (what == 3)
            (void)mpj_branch(b.chip, core, where, where + 64, true, 1,
                             (enum mpj_branch_kind)(rnd() % 8));
        if (prof && what == 4)
            mpj_prof_call(b.chip, core, b.now[core], where & ~0xffU, where, sp, 0);
        if (prof && what == 5)
            mpj_prof_tail(b.chip, core, b.now[core], where & ~0xffU, 0);
        if (prof && what == 6)
            mpj_prof_jump(b.chip, core, b.now[core], where + 4, 0, 1, sp, 0);
        if (prof && what == 7 && n % 7 == 0)
            mpj_prof_exception(b.chip, core, b.now[core], 0x18, where);
        if (prof && what == 8 && n % 7 == 0)
            mpj_prof_eret(b.chip, core, b.now[core], where);
        bool sw = what == 9 && n % 5 == 0;
        uint32_t ctx = rnd() % 6;
        uint32_t regs[16];
        for (unsigned i = 0; i < 16; i++)
            regs[i] = rnd();
        if (n % 50 < 4 || sw || b.now[core] - since[core] > 4000) {
            mpj_flush(b.chip, core, b.now[core], b.now[core] - since[core], 0, regs);
            since[core] = b.now[core];
        }
        if (sw)
            mpj_context_switch(b.chip, core, ctx);
        if (n == 1000 || n == 20000 || n == 22000 || n == 39000) {
            for (unsigned i = 0; i < MPJ_CORES; i++) {
                mpj_flush(b.chip, i, b.now[i], b.now[i] - since[i], 0, NULL);
                since[i] = b.now[i];
            }
            mpj_truth_window(b.chip, n == 1000 || n == 22000, b.now[0]);
        }
    }
}

static char *truth(void)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    assert_int_equal(mpj_truth_write(b.chip, f), MPJ_OK);
    assert_int_equal(fclose(f), 0);
    return text;
}

/* Value of a key in the object of a context; the text is as put_contexts() writes it. */
static int64_t in_context(const char *json, unsigned ctx, const char *name)
{
    char text[40];
    (void)snprintf(text, sizeof(text), "{\"ctx\":%u,", ctx);
    const char *at = strstr(json, text);
    if (!at)
        return 0;
    (void)snprintf(text, sizeof(text), "\"%s\":", name);
    at = strstr(at, text);
    return at ? strtoll(at + strlen(text), NULL, 10) : 0;
}

/* A number of a waveform (docs/profile-file.md), which follows `last`. */
static int64_t next_energy(const char **p, int64_t last)
{
    uint64_t z = 0;
    unsigned char byte = 0x80;
    for (unsigned shift = 0; byte & 0x80; shift += 7) {
        byte = (unsigned char)*(*p)++;
        z |= (uint64_t)(byte & 0x7f) << shift;
    }
    return last + (int64_t)(z >> 1 ^ (0 - (z & 1)));
}

/* The steps of all cores and of the rest are the whole energy, and 10 us each. */
static void check_waves(int64_t energy)
{
    int64_t sum = 0;
    unsigned waves = 0;
    file = written(&file_len);
    for (size_t at = 16; at + 16 <= file_len; at += 16 + (size_t)number(file + at + 8, 8)) {
        const char *p = file + at + 16;
        const char *end = p + (size_t)number(file + at + 8, 8);
        int64_t fj = 0;
        if (memcmp(file + at, "WAVE", 4) != 0)
            continue;
        waves++;
        assert_int_equal(number(p + 16, 8), mpj_chip_clock_hz(b.chip) / 100000);
        for (p += 24; p < end;) {
            fj = next_energy(&p, fj);
            assert_true(fj >= 0);
            sum += fj;
        }
    }
    assert_int_equal(waves, MPJ_CORES + 1);
    assert_int_equal(sum, energy);
    free(file);
}

/* The steps of an event, over all cores. */
static int64_t counted(const char *event)
{
    int64_t sum = 0;
    char *const data = written(&file_len);
    uint32_t number_of = UINT32_MAX;
    for (size_t at = 16; at + 16 <= file_len; at += 16 + (size_t)number(data + at + 8, 8)) {
        const char *p = data + at + 16;
        const char *end = p + (size_t)number(data + at + 8, 8);
        uint32_t n = 0;
        if (memcmp(data + at, "WITM", 4) == 0)
            for (const char *name = p; name < end; name += strlen(name) + 1, n++)
                number_of = strcmp(name, event) == 0 ? n : number_of;
        if (memcmp(data + at, "WCNT", 4) == 0 && number(p + 4, 4) == number_of)
            for (p += 24; p < end; p += 4)
                sum += (int64_t)number(p, 4);
    }
    assert_int_not_equal(number_of, UINT32_MAX);
    free(data);
    return sum;
}

static void check_counts(void)
{
    static const char *const what[] = {"instr", "ddep_stall", "lsu_stall", "dcache_rd_miss",
                                       "branch_mispred"};
    for (unsigned w = 0; w < sizeof(what) / sizeof(*what); w++) {
        int64_t sum = 0;
        for (unsigned i = 0; i < nodes; i++)
            sum += item(&tree[i], what[w]);
        assert_int_equal(counted(what[w]), sum);
    }
}

/* Nothing else changes; sums are the truth's. With each calibration: one has a floor. */
static void test_sums(void **state)
{
    static const char *const names[] = {"epro-mp", "mprofiler"};
    static const char *const what[] = {
        "cycles",    "wfi_cycles",     "energy_fj",      "instr",  "ddep_stall",
        "dcache_rd", "dcache_rd_miss", "branch_mispred", "folded", "sb_merge",
        "pc_change", "ext_req",        "lsu_stall"};
    (void)state;
    for (unsigned k = 0; k < 2; k++) {
        board_open(&b, names[k], 1);
        storm(false);
        char *plain = truth();
        board_close(&b);
        board_open(&b, names[k], 1);
        assert_int_equal(mpj_prof_enable(b.chip, symbols, 4, 1000), MPJ_OK);
        assert_int_equal(mpj_trace_moments(b.chip, 100, peek), MPJ_OK);
        assert_int_equal(mpj_trace_wave(b.chip, 10), MPJ_OK);
        storm(true);
        char *text = truth();
        assert_string_equal(text, plain);
        read_tree();
        for (unsigned ctx = 0; ctx < 6; ctx++)
            for (unsigned w = 0; w < sizeof(what) / sizeof(*what); w++) {
                int64_t sum = 0;
                for (unsigned i = 0; i < nodes; i++)
                    sum += tree[i].ctx == ctx ? item(&tree[i], what[w]) : 0;
                assert_int_equal(sum, in_context(text, ctx, what[w]));
            }
        for (unsigned i = 0; i < nodes; i++) {
            int64_t causes = 0;
            for (unsigned j = 0; j < tree[i].items; j++)
                causes += strncmp(tree[i].item[j].name, "fj:", 3) == 0 ? tree[i].item[j].value : 0;
            assert_int_equal(causes, item(&tree[i], "energy_fj"));
        }
        check_waves(strtoll(strstr(text, "\"energy_fj\":") + 12, NULL, 10));
        check_counts();
        const char *shared = strstr(text, "\"shared_energy_fj\":");
        assert_int_equal(item(&chip, "energy_fj"), strtoll(shared + 19, NULL, 10));
        board_close(&b);
        free(plain);
        free(text);
    }
}

/* Of core 0: how many steps, with much the same energy in each. */
static size_t even_energy(uint64_t *step)
{
    size_t len;
    size_t n = 0;
    const char *p = section("WAVE", &len);
    const char *end = p + len;
    *step = number(p + 16, 8);
    p += 24;
    int64_t first = next_energy(&p, 0);
    for (int64_t fj = first; p < end; n++) {
        assert_in_range(fj, first - 1, first + 1);
        fj = next_energy(&p, fj);
    }
    return n + 1;
}

/* Of core 0: how many steps, with that many instructions in each. */
static size_t even_counts(uint64_t each, uint64_t *step)
{
    size_t len;
    const char *p = section("WCNT", &len);
    *step = number(p + 16, 8);
    for (size_t i = 24; i < len; i += 4)
        assert_int_equal(number(p + i, 4), each);
    return (len - 24) / 4;
}

/* A core that does the same all the time, for 20000 steps: counts are in fewer, longer ones. */
static void test_wave_steps(void **state)
{
    uint64_t since = 0;
    uint64_t step;
    (void)state;
    board_open(&b, "epro-mp", 1);
    assert_int_equal(mpj_trace_wave(b.chip, 1), MPJ_OK);
    mpj_truth_window(b.chip, true, 0);
    for (unsigned i = 0; i < 1050; i++) {
        run(0, 4000);
        flush(0, &since);
    }
    mpj_truth_window(b.chip, false, b.now[0]);
    file = written(&file_len);
    assert_int_equal(even_energy(&step), 20000);
    assert_int_equal(step, 210);
    assert_int_equal(even_counts(4 * 210, &step), 5000);
    assert_int_equal(step, 4 * 210);
    free(file);
    assert_int_equal(counted("instr"), 4200000);
    board_close(&b);
}

static int nowhere(void *peer, const void *data, size_t bytes)
{
    (void)peer;
    (void)data;
    (void)bytes;
    return 0;
}

static int nothing(void *peer, void *data, size_t bytes)
{
    (void)peer;
    memset(data, 0, bytes);
    return 0;
}

static void test_not_saved(void **state)
{
    (void)state;
    char err[200];
    open_board(MPJ_PROF_NODES);
    assert_int_equal(mpj_chip_save(b.chip, nowhere, NULL), MPJ_ERR_PARAM);
    assert_int_equal(mpj_chip_load(b.chip, nothing, NULL, err, sizeof(err)), MPJ_ERR_PARAM);
    assert_non_null(strstr(err, "profile of functions"));
    board_close(&b);
}

/* A reset chip begins its profile anew. */
static void test_reset(void **state)
{
    (void)state;
    open_board(MPJ_PROF_NODES);
    call(MAIN, 0x100, SP);
    run(0, 10);
    mpj_chip_reset(b.chip);
    b.now[0] = 0;
    mpj_truth_window(b.chip, true, 0);
    call(FN_C, 0x100, SP);
    run(0, 4);
    done();
    assert_null(NODE(0, MAIN));
    expect(NODE(0, FN_C), 1, 4);
    board_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_calls),
        cmocka_unit_test(test_recursion),
        cmocka_unit_test(test_tail_calls),
        cmocka_unit_test(test_longjmp),
        cmocka_unit_test(test_given_back),
        cmocka_unit_test(test_held),
        cmocka_unit_test(test_switch_statement),
        cmocka_unit_test(test_preemption),
        cmocka_unit_test(test_same_stack),
        cmocka_unit_test(test_moments),
        cmocka_unit_test(test_bounded),
        cmocka_unit_test(test_more_paths),
        cmocka_unit_test(test_least_important),
        cmocka_unit_test(test_folded_threads),
        cmocka_unit_test(test_random_recursion),
        cmocka_unit_test(test_deep),
        cmocka_unit_test(test_left_calls),
        cmocka_unit_test(test_sums),
        cmocka_unit_test(test_wave_steps),
        cmocka_unit_test(test_not_saved),
        cmocka_unit_test(test_reset),
        cmocka_unit_test(test_wave_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
