/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Truth windows, contexts, JSON, and that a run repeats to the last digit. */
#include "chip_fixture.h"

#include <inttypes.h>
#include <stdlib.h>

static struct board b;
static uint64_t random_state;

static uint32_t rnd(void)
{
    random_state = random_state * 6364136223846793005U + 1442695040888963407U;
    return (uint32_t)(random_state >> 33);
}

/* A little of everything on one core, in quanta. */
static void work(unsigned core, unsigned quanta)
{
    for (unsigned q = 0; q < quanta; q++) {
        struct mpj_hot *h = &b.hot[core];
        uint64_t start = b.now[core];
        uint32_t regs[16];
        uint32_t evicted;
        unsigned shift;
        uint64_t stall = 0;
        h->pack_a += MPJ_PACK_A(200 + rnd() % 100, rnd() % 50, rnd() % 60, rnd() % 30);
        h->pack_b += MPJ_PACK_B(80000 + rnd() % 20000, rnd() % 40, rnd() % 3);
        for (unsigned i = 0; i < 6; i++) {
            uint32_t line = rnd() % 60000;
            bool store = rnd() & 1;
            if (!(store ? mpj_store_hits(h->dline[line]) : mpj_load_hits(h->dline[line])))
                stall += miss(b.chip, core, line, store, start + stall);
        }
        uint32_t line = rnd() % 2000;
        if (!h->iline[line])
            stall += mpj_fetch_miss(b.chip, core, line, start + stall);
        stall += mpj_utlb_miss(b.chip, core, rnd() & 1, rnd() << 12, 12, start, &evicted, &shift);
        for (unsigned i = 0; i < 5; i++) {
            int32_t extra =
                mpj_branch(b.chip, core, 0x8000 + rnd() % 64 * 4, 0x8000 + rnd() % 64 * 4,
                           rnd() & 1, true, (enum mpj_branch_kind)(rnd() % 8));
            stall += (uint64_t)(int64_t)extra;
        }
        for (unsigned i = 0; i < 16; i++)
            regs[i] = rnd();
        uint64_t cycles = 300 + stall;
        b.now[core] += cycles;
        mpj_flush(b.chip, core, b.now[core], cycles, 0, regs);
        if (rnd() % 8 == 0) {
            b.now[core] += 1000;
            mpj_flush(b.chip, core, b.now[core], 0, 1000, NULL);
        }
    }
}

static uint64_t latest(void)
{
    uint64_t t = 0;
    for (unsigned i = 0; i < MPJ_CORES; i++)
        t = b.now[i] > t ? b.now[i] : t;
    return t;
}

static char *json(void)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    assert_non_null(f);
    assert_int_equal(mpj_truth_write(b.chip, f), MPJ_OK);
    assert_int_equal(fclose(f), 0);
    return text;
}

/* The whole run, with ADC codes folded in: everything a host could see. */
static char *scenario(const char *calibration, uint64_t seed, uint64_t *codes)
{
    board_open(&b, calibration, seed);
    random_state = 42;
    *codes = 0;
    for (unsigned n = 0; n < 50; n++) {
        for (unsigned core = 0; core < MPJ_CORES; core++)
            work(core, 20);
        if (n == 5 || n == 30)
            mpj_truth_window(b.chip, true, latest());
        if (n == 20 || n == 45)
            mpj_truth_window(b.chip, false, latest());
        mpj_context_switch(b.chip, n & 3, n % 7);
        mpj_adc_convert(b.chip, latest());
        for (unsigned i = 0; i < 4; i++)
            *codes = *codes * 1000003 + mpj_adc_code(b.chip, i);
    }
    return json();
}

static void test_determinism(void **state)
{
    (void)state;
    uint64_t codes[3];
    char *one = scenario("mprofiler", 1, &codes[0]);
    board_close(&b);
    char *two = scenario("mprofiler", 1, &codes[1]);
    /* A reset chip is as good as a new one. */
    mpj_chip_reset(b.chip);
    board_enable(&b);
    char *empty = json();
    board_close(&b);
    assert_string_equal(one, two);
    assert_int_equal(codes[0], codes[1]);
    assert_non_null(strstr(empty, "\"window\":{\"cycles\":0,\"energy_fj\":0,"));
    /* Another seed changes the measurement's noise, not what happens. */
    char *three = scenario("mprofiler", 2, &codes[2]);
    board_close(&b);
    assert_int_not_equal(codes[0], codes[2]);
    assert_string_equal(strstr(one, "\"window\":"), strstr(three, "\"window\":"));
    free(one);
    free(two);
    free(three);
    free(empty);
}

/* What a window has come to, while it is open and when it is closed, is what the truth says. */
static void test_so_far(void **state)
{
    (void)state;
    uint64_t cycles;
    uint64_t fj;
    char want[80];
    board_open(&b, "mprofiler", 1);
    random_state = 42;
    work(0, 20);
    mpj_truth_so_far(b.chip, latest(), &cycles, &fj);
    assert_int_equal(cycles, 0);
    assert_int_equal(fj, 0);
    for (unsigned n = 0; n < 2; n++) { /* two windows: sums */
        mpj_truth_window(b.chip, true, latest());
        for (unsigned core = 0; core < MPJ_CORES; core++)
            work(core, 20);
        mpj_truth_so_far(b.chip, latest(), &cycles, &fj);
        mpj_truth_window(b.chip, false, latest());
        char *text = json();
        snprintf(want, sizeof(want),
                 "\"window\":{\"cycles\":%" PRIu64 ",\"energy_fj\":%" PRIu64 ",", cycles, fj);
        assert_non_null(strstr(text, want));
        free(text);
        assert_true(fj > 0);
    }
    board_close(&b);
}

static void test_reset(void **state)
{
    (void)state;
    uint64_t codes[2];
    char *first = scenario("epro-mp", 1, &codes[0]);
    mpj_chip_reset(b.chip);
    for (unsigned i = 0; i < MPJ_CORES; i++) {
        b.now[i] = 0;
        for (uint32_t line = 0; line < 60000; line++) {
            assert_int_equal(b.hot[i].dline[line], 0);
            assert_int_equal(b.hot[i].iline[line], 0);
        }
        assert_int_equal(mpj_core_cycles(b.chip, i), 0);
        assert_int_equal(mpj_energy_fj(b.chip, i), 0);
    }
    board_close(&b);
    char *again = scenario("epro-mp", 1, &codes[1]);
    assert_string_equal(first, again);
    board_close(&b);
    free(first);
    free(again);
}

static uint64_t number(const char *text, const char *key)
{
    const char *at = strstr(text, key);
    assert_non_null(at);
    return strtoull(at + strlen(key), NULL, 10);
}

/* Sum of a key over all objects of a JSON part. */
static uint64_t sum(const char *from, const char *to, const char *key)
{
    uint64_t total = 0;
    for (const char *at = strstr(from, key); at && at < to; at = strstr(at + 1, key))
        total += strtoull(at + strlen(key), NULL, 10);
    return total;
}

static void test_sums(void **state)
{
    (void)state;
    static const char *const keys[] = {
        "\"instr\":",     "\"dcache_rd_miss\":", "\"cycles\":",  "\"wfi_cycles\":",
        "\"energy_fj\":", "\"branch\":",         "\"ext_req\":", "\"iutlb_miss\":"};
    uint64_t codes;
    char *text = scenario("mprofiler", 1, &codes);
    const char *window = strstr(text, "\"window\":{");
    const char *cores = strstr(window, "\"cores\":[");
    const char *scu = strstr(window, "\"scu\":{");
    const char *contexts = strstr(text, "\"contexts\":[");
    const char *total = strstr(text, "\"total\":{");
    assert_true(window && cores && scu && contexts && total);
    for (unsigned i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        uint64_t by_core = sum(cores, scu, keys[i]);
        uint64_t by_context = sum(contexts, total, keys[i]);
        assert_true(by_core > 0);
        assert_int_equal(by_core, by_context);
        assert_true(sum(strstr(total, "\"cores\":["), strstr(total, "\"scu\":{"), keys[i]) >
                    by_core);
    }
    /* The chip is its cores and what they share. */
    assert_int_equal(number(window, "\"energy_fj\":"),
                     sum(cores, scu, "\"energy_fj\":") + number(window, "\"shared_energy_fj\":"));
    uint64_t chip = mpj_energy_fj(b.chip, MPJ_CORES);
    for (unsigned i = 0; i < MPJ_CORES; i++)
        chip += mpj_energy_fj(b.chip, i);
    assert_int_equal(number(total, "\"energy_fj\":"), chip);
    assert_int_equal(number(text, "\"windows\":"), 2);
    /* Chip-wide counters agree with the cores' own: each refill is a snoop hit or a snoop miss. */
    const char *end = text + strlen(text);
    uint64_t coherent =
        sum(total, end, "\"scu_miss_cpu0\":") + sum(total, end, "\"scu_c2c_cpu0\":");
    assert_int_equal(coherent, mpj_core_event(b.chip, 0, MPJ_EV_DCACHE_RD_MISS) +
                                   mpj_core_event(b.chip, 0, MPJ_EV_DCACHE_WR_MISS));
    board_close(&b);
    free(text);
}

/* Two windows around known work, work outside left out. */
static void test_window(void **state)
{
    (void)state;
    board_open(&b, "mprofiler", 1);
    uint64_t t = 0;
    for (unsigned n = 0; n < 6; n++) {
        bool inside = n & 1;
        mpj_truth_window(b.chip, inside, t);
        mpj_truth_window(b.chip, inside, t); /* an edge seen twice is one edge */
        b.hot[2].pack_a += MPJ_PACK_A(inside ? 100 : 7, 0, 0, 0);
        mpj_flush(b.chip, 2, t += 1000, 900, 100, NULL);
    }
    mpj_truth_window(b.chip, false, t);
    char *text = json();
    const char *window = strstr(text, "\"window\":{");
    assert_int_equal(number(text, "\"windows\":"), 3);
    assert_int_equal(number(window, "\"cycles\":"), 3000);
    const char *core = strstr(window, "{\"core\":2,");
    assert_int_equal(number(core, "\"cycles\":"), 3000);
    assert_int_equal(number(core, "\"wfi_cycles\":"), 300);
    assert_int_equal(number(core, "\"instr\":"), 300);
    const struct mpj_params *p = mpj_chip_params(b.chip);
    assert_int_equal(number(core, "\"energy_fj\":"),
                     2700ULL * (unsigned)p->e_run_cycle + 300ULL * (unsigned)p->e_wfi_cycle);
    assert_int_equal(number(window, "\"shared_energy_fj\":"),
                     3000ULL * (unsigned)(p->e_shared_cycle + p->leak_cycle));
    board_close(&b);
    free(text);
}

/* A day: more femtojoules than 64 bits hold, of the chip and of a core. */
static void test_long_window(void **state)
{
    const uint64_t day = 86400ULL * 210000000ULL;
    const struct mpj_params *p;
    const char *window;
    char *text;
    double want;

    (void)state;
    board_open(&b, "mprofiler", 1);
    p = mpj_chip_params(b.chip);
    mpj_truth_window(b.chip, true, 0);
    mpj_flush(b.chip, 0, day, day, 0, NULL);
    mpj_truth_window(b.chip, false, day);
    text = json();
    window = strstr(text, "\"window\":");
    want = (double)day * (p->e_shared_cycle + p->leak_cycle);
    assert_float_equal(strtod(strstr(window, "\"shared_energy_fj\":") + 19, NULL) / want, 1.0,
                       1e-6);
    want += (double)day * p->e_run_cycle;
    assert_float_equal(strtod(strstr(window, "\"energy_fj\":") + 12, NULL) / want, 1.0, 1e-6);
    board_close(&b);
    free(text);
}

static void test_contexts(void **state)
{
    (void)state;
    board_open(&b, "mprofiler", 1);
    mpj_truth_window(b.chip, true, 0);
    for (unsigned n = 0; n < 10; n++) { /* thread 5 runs on all cores in turn, 0 in between */
        unsigned core = n & 3;
        mpj_context_switch(b.chip, core, 5);
        b.hot[core].pack_a += MPJ_PACK_A(50, 0, 0, 0);
        mpj_flush(b.chip, core, n * 1000 + 500, 500, 0, NULL);
        mpj_context_switch(b.chip, core, 0);
        b.hot[core].pack_a += MPJ_PACK_A(3, 0, 0, 0);
        mpj_flush(b.chip, core, n * 1000 + 1000, 500, 0, NULL);
    }
    mpj_context_switch(b.chip, 0, 1U << 30); /* beyond the table: the last entry collects */
    mpj_flush(b.chip, 0, 11000, 17, 0, NULL);
    mpj_truth_window(b.chip, false, 11000);
    char *text = json();
    assert_int_equal(number(strstr(text, "{\"ctx\":5,"), "\"instr\":"), 500);
    assert_int_equal(number(strstr(text, "{\"ctx\":5,"), "\"cycles\":"), 5000);
    assert_int_equal(number(strstr(text, "{\"ctx\":0,"), "\"instr\":"), 30);
    assert_int_equal(number(strstr(text, "{\"ctx\":4095,"), "\"cycles\":"), 17);
    assert_null(strstr(text, "{\"ctx\":1,"));
    board_close(&b);
    free(text);
}

static void test_json_shape(void **state)
{
    (void)state;
    uint64_t codes;
    char *text = scenario("epro-mp", 3, &codes);
    int depth = 0;
    bool quoted = false;
    for (const char *s = text; *s; s++) {
        quoted ^= *s == '"';
        if (quoted)
            continue;
        depth += *s == '{' || *s == '[';
        depth -= *s == '}' || *s == ']';
        assert_true(depth > 0 || s[1] == '\n' || s[1] == '\0');
    }
    assert_int_equal(depth, 0);
    assert_false(quoted);
    assert_int_equal(
        strncmp(text, "{\"schema\":\"mpjoule-truth/1\",\"calibration\":\"epro-mp\",", 51), 0);
    assert_null(strchr(text, '.')); /* integers only */
    board_close(&b);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_determinism), cmocka_unit_test(test_so_far),
        cmocka_unit_test(test_reset),       cmocka_unit_test(test_sums),
        cmocka_unit_test(test_window),      cmocka_unit_test(test_long_window),
        cmocka_unit_test(test_contexts),    cmocka_unit_test(test_json_shape),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
