/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A chip that was saved and loaded goes on as the one that was not; another chip's state is
 * refused. */
#include "chip_fixture.h"

#include <stdlib.h>

#define CONTEXTS 5U

struct tape {
    uint8_t *bytes;
    size_t length, room, at;
};

static int tape_put(void *peer, const void *data, size_t bytes)
{
    struct tape *t = peer;
    if (t->length + bytes > t->room) {
        t->room = 2 * (t->length + bytes);
        t->bytes = realloc(t->bytes, t->room);
        assert_non_null(t->bytes);
    }
    memcpy(t->bytes + t->length, data, bytes);
    t->length += bytes;
    return 0;
}

static int tape_get(void *peer, void *data, size_t bytes)
{
    struct tape *t = peer;
    if (bytes > t->length - t->at)
        return -1;
    memcpy(data, t->bytes + t->at, bytes);
    t->at += bytes;
    return 0;
}

static uint64_t random_state;

static uint32_t rnd(void)
{
    random_state = random_state * 6364136223846793005U + 1442695040888963407U;
    return (uint32_t)(random_state >> 33);
}

static uint64_t latest(const struct board *b)
{
    uint64_t t = 0;
    for (unsigned i = 0; i < MPJ_CORES; i++)
        if (b->now[i] > t)
            t = b->now[i];
    return t;
}

/* Data, instructions, TLB, branches, stores, maintenance on one core. */
static void step(struct board *b, unsigned core)
{
    struct mpj_hot *h = &b->hot[core];
    uint64_t start = b->now[core];
    uint64_t stall = 0;
    uint32_t regs[16];
    uint32_t evicted;
    unsigned shift;
    h->pack_a += MPJ_PACK_A(200 + rnd() % 100, rnd() % 50, rnd() % 60, rnd() % 30);
    h->pack_b += MPJ_PACK_B(80000 + rnd() % 20000, rnd() % 40, rnd() % 3);
    for (unsigned i = 0; i < 8; i++) {
        uint32_t line = rnd() % 2 ? rnd() % 60000 : rnd() % 500;
        bool store = rnd() & 1;
        if (!(store ? mpj_store_hits(h->dline[line]) : mpj_load_hits(h->dline[line])))
            stall += miss(b->chip, core, line, store, start + stall);
        h->sb_line = store ? line << 2 : h->sb_line;
        h->monitor = !store && line < 500 ? line : h->monitor; /* a load-exclusive */
    }
    uint32_t line = rnd() % 2000;
    if (!h->iline[line])
        stall += mpj_fetch_miss(b->chip, core, line, start + stall);
    stall += mpj_utlb_miss(b->chip, core, rnd() & 1, rnd() << 12, 12, start, &evicted, &shift);
    for (unsigned i = 0; i < 5; i++) {
        uint32_t pc = 0x8000 + rnd() % 64 * 4;
        int32_t extra = mpj_branch(b->chip, core, pc, 0x8000 + rnd() % 64 * 4, rnd() & 1, true,
                                   (enum mpj_branch_kind)(rnd() % 8));
        stall += (uint64_t)(int64_t)extra;
    }
    switch (rnd() % 16) {
    case 0:
        stall += mpj_uncached(b->chip, core, 0x10000000U, rnd() & 1, start + stall);
        break;
    case 1:
        stall += mpj_store_drain(b->chip, core, start + stall);
        break;
    case 2:
        stall += mpj_cache_line_op(b->chip, core, rnd() % 500, 1 + rnd() % 7, start + stall);
        break;
    case 3:
        stall += mpj_l2_line_op(b->chip, rnd() % 500, 1 + rnd() % 3, start + stall);
        break;
    case 4:
        mpj_context_switch(b->chip, core, rnd() % CONTEXTS);
        break;
    case 5:
        mpj_adc_convert(b->chip, latest(b));
        break;
    }
    for (unsigned i = 0; i < 16; i++)
        regs[i] = rnd();
    b->now[core] += 300 + stall;
    mpj_flush(b->chip, core, b->now[core], 300 + stall, 0, regs);
    if (rnd() % 8 == 0) {
        b->now[core] += 1000;
        mpj_flush(b->chip, core, b->now[core], 0, 1000, NULL);
    }
}

static void drive(struct board *b, unsigned steps)
{
    for (unsigned i = 0; i < steps; i++) {
        if (i % 700 == 100)
            mpj_truth_window(b->chip, true, latest(b));
        if (i % 700 == 500)
            mpj_truth_window(b->chip, false, latest(b));
        step(b, rnd() % MPJ_CORES);
    }
}

/* Everything that can be asked, as text: the truth and what it does not have. */
static char *answers(struct board *b)
{
    char *text = NULL;
    size_t length = 0;
    FILE *f = open_memstream(&text, &length);
    assert_non_null(f);
    mpj_truth_window(b->chip, false, latest(b));
    assert_int_equal(mpj_truth_write(b->chip, f), 0);
    for (unsigned i = 0; i <= MPJ_CORES; i++)
        (void)fprintf(f, "energy %llu\n", (unsigned long long)mpj_energy_fj(b->chip, i));
    for (unsigned i = 0; i < 4; i++)
        (void)fprintf(f, "adc %u\n", mpj_adc_code(b->chip, i));
    for (unsigned i = 0; i < MPJ_CORES; i++) {
        (void)fprintf(f, "core %u at %llu:", i, (unsigned long long)b->now[i]);
        for (unsigned e = 0; e < MPJ_EV_COUNT; e++)
            (void)fprintf(f, " %llu", (unsigned long long)board_event(b, i, e));
        (void)fprintf(f, " %u %u %u\n", b->hot[i].sb_line, b->hot[i].ras_top, b->hot[i].monitor);
    }
    assert_int_equal(fclose(f), 0);
    return text;
}

static void test_goes_on(void **state)
{
    (void)state;
    for (unsigned moment = 0; moment < 6; moment++) {
        struct board a;
        struct board b;
        struct tape tape = {0};
        board_open(&a, "mprofiler", 7);
        random_state = 42 + moment;
        drive(&a, 500 * moment); /* the first one: nothing has happened yet */
        assert_int_equal(mpj_chip_save(a.chip, tape_put, &tape), MPJ_OK);

        board_open(&b, "mprofiler", 7);
        uint64_t here = random_state;
        drive(&b, 300); /* what was in the other chip before does not matter */
        assert_int_equal(mpj_chip_load(b.chip, tape_get, &tape, NULL, 0), MPJ_OK);
        assert_int_equal(tape.at, tape.length);
        memcpy(b.now, a.now, sizeof(a.now));

        /* Saved again without a step between: the same bytes. */
        struct tape second = {0};
        assert_int_equal(mpj_chip_save(b.chip, tape_put, &second), MPJ_OK);
        assert_int_equal(second.length, tape.length);
        assert_memory_equal(second.bytes, tape.bytes, tape.length);

        random_state = here;
        drive(&a, 2000);
        random_state = here;
        drive(&b, 2000);
        char *want = answers(&a);
        char *have = answers(&b);
        assert_string_equal(have, want);
        free(want);
        free(have);
        free(tape.bytes);
        free(second.bytes);
        board_close(&a);
        board_close(&b);
    }
}

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *calibration;
        uint64_t seed;
        const char *words;
    } other[] = {{"epro-mp", 7, "calibration"}, {"mprofiler", 8, "seed"}};
    struct board a;
    struct tape tape = {0};
    char err[128];
    board_open(&a, "mprofiler", 7);
    drive(&a, 1000);
    assert_int_equal(mpj_chip_save(a.chip, tape_put, &tape), MPJ_OK);
    for (unsigned i = 0; i < sizeof(other) / sizeof(other[0]); i++) {
        struct board b;
        board_open(&b, other[i].calibration, other[i].seed);
        tape.at = 0;
        assert_int_equal(mpj_chip_load(b.chip, tape_get, &tape, err, sizeof(err)), MPJ_ERR_PARAM);
        assert_non_null(strstr(err, other[i].words));
        board_close(&b);
    }
    board_close(&a);
    free(tape.bytes);
}

static void test_damaged(void **state)
{
    (void)state;
    struct board a;
    struct board fresh;
    struct tape tape = {0};
    char err[128];
    board_open(&a, "mprofiler", 7);
    drive(&a, 1000);
    assert_int_equal(mpj_chip_save(a.chip, tape_put, &tape), MPJ_OK);
    size_t length = tape.length;
    for (unsigned i = 0; i < 40; i++) {
        size_t at = 100 + rnd() % (length - 100);
        tape.at = 0;
        if (i % 2) {
            tape.length = at;
        } else {
            tape.length = length;
            tape.bytes[at] ^= 0x10;
        }
        assert_int_equal(mpj_chip_load(a.chip, tape_get, &tape, err, sizeof(err)), MPJ_ERR_IO);
        assert_non_null(strstr(err, "cut off or damaged"));
        if (i % 2 == 0)
            tape.bytes[at] ^= 0x10;
    }
    /* What was refused has left nothing behind: as a new chip. */
    board_open(&fresh, "mprofiler", 7);
    board_enable(&a);
    memset(a.now, 0, sizeof(a.now));
    random_state = 3;
    drive(&a, 1500);
    random_state = 3;
    drive(&fresh, 1500);
    char *want = answers(&fresh);
    char *have = answers(&a);
    assert_string_equal(have, want);
    free(want);
    free(have);
    free(tape.bytes);
    board_close(&a);
    board_close(&fresh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_goes_on),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_damaged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
