/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Boot stage, two copies of the loader and their installation, on CFI chips whose supply fails at
 * any word and in any erase. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hal_err.h"
#include "hal_fake.h"
#include "mpj_copies.h"

#define BASE       0x40000000U
#define BYTES      0x4000000U
#define BLOCK      0x40000U
#define MEGABYTE   0x100000U
#define BOOT       160U
#define LOADER     404U
#define BOOT_MAGIC 0x424a504dU
#define OLD_LOADER 0xf10e01d3U

/* What starts when the board is switched on. */
enum starts { NOTHING, BEFORE, FIRST, SECOND };

static struct hal_fake_cfi *chips;
static struct hal_flash flash;
static const uint8_t *bank;
static jmp_buf off;
static uint8_t before[MEGABYTE];
static uint8_t boot[2][BOOT], loader[2][LOADER];

static void fill(uint8_t *p, uint32_t bytes, unsigned seed)
{
    for (uint32_t i = 0; i < bytes; i++) {
        seed = seed * 1103515245U + 12345U;
        p[i] = (uint8_t)(seed >> 16);
    }
}

static void put(uint8_t *at, uint32_t v)
{
    memcpy(at, &v, sizeof(v));
}

static void power_on(void)
{
    hal_fake_cfi_cut(chips, 0, 0, NULL, NULL);
    hal_fake_cfi_power_on(chips);
    assert_int_equal(hal_flash_probe(&flash, BASE), HAL_OK);
}

static int setup(void **state)
{
    (void)state;
    hal_fake_reset();
    chips = hal_fake_cfi_new(BASE, BYTES, BLOCK, 64, 1);
    if (chips == NULL)
        return 1;
    bank = hal_fake_cfi_memory(chips);
    for (unsigned i = 0; i < 2; i++) {
        fill(boot[i], BOOT, 3 + i);
        put(boot[i] + 4, BOOT_MAGIC);
        fill(loader[i], LOADER, 5 + i);
    }
    power_on();
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    hal_fake_cfi_free(chips);
    return 0;
}

static struct mpj_copies_new what(unsigned b, unsigned l)
{
    const struct mpj_copies_new w = {
        .boot = boot[b], .loader = loader[l], .boot_bytes = BOOT, .loader_bytes = LOADER};

    return w;
}

static enum mpj_copies_state look(const struct mpj_copies_new *w)
{
    enum mpj_copies_state s;

    assert_int_equal(mpj_copies_look(&flash, bank, w, &s), HAL_OK);
    return s;
}

static void install(const struct mpj_copies_new *w)
{
    assert_int_equal(mpj_copies_install(&flash, bank, w, NULL, NULL), HAL_OK);
    assert_int_equal(look(w), MPJ_COPIES_SAME);
}

static enum starts starts(void)
{
    struct mpj_copy c;
    unsigned n;

    if (memcmp(bank, boot[0], BOOT) != 0 && memcmp(bank, boot[1], BOOT) != 0)
        return memcmp(bank, before, MPJ_COPIES_PART) == 0 ? BEFORE : NOTHING;
    n = mpj_copies_newest(bank, &c);
    if (n == MPJ_COPIES)
        return NOTHING;
    return memcmp(bank + mpj_copies_offset(n) + MPJ_COPIES_HEADER, loader[1], LOADER) == 0 ? SECOND
                                                                                           : FIRST;
}

static void lights_out(void *ctx)
{
    (void)ctx;
    longjmp(off, 1);
}

/* Whether the supply failed at the at-th change of the flash while *w was installed. */
static bool interrupted(const struct mpj_copies_new *w, unsigned at, unsigned seed)
{
    hal_fake_cfi_cut(chips, at, seed, lights_out, NULL);
    if (setjmp(off) != 0)
        return true;
    assert_int_equal(mpj_copies_install(&flash, bank, w, NULL, NULL), HAL_OK);
    return false;
}

struct counts {
    unsigned cuts, nothing, foreign;
};

/*
 * The supply fails at every single change of the flash while *w is installed, in part done; at
 * every third one it fails once more during the next try. Afterwards a new try succeeds. Of the
 * moments it counts after how many nothing starts, and the flash is taken for somebody else's.
 */
static struct counts cut_everywhere(const struct mpj_copies_new *w)
{
    struct counts n = {0};

    memcpy(before, bank, MEGABYTE);
    for (unsigned at = 1;; at++) {
        enum mpj_copies_state s;
        bool cut;

        memcpy(hal_fake_cfi_memory(chips), before, MEGABYTE);
        power_on();
        cut = interrupted(w, at, at * 2654435761U);
        power_on();
        s = look(w);
        if (cut && at % 3U == 0 && s == MPJ_COPIES_BEGUN) {
            (void)interrupted(w, 1U + at * 7U % 40U, at);
            power_on();
            s = look(w);
        }
        if (starts() == NOTHING) {
            n.nothing++;
            assert_int_not_equal(s, MPJ_COPIES_FOREIGN);
        }
        if (s == MPJ_COPIES_FOREIGN) {
            n.foreign++;
            assert_int_equal(starts(), BEFORE);
        }
        install(w);
        assert_int_equal(starts(), w->loader == loader[1] ? SECOND : FIRST);
        if (!cut)
            return n;
        n.cuts++;
    }
}

/* An installed loader is replaced: there is always one that starts, the old or the new one. */
static void update(void **state)
{
    const struct mpj_copies_new first = what(0, 0);
    const struct mpj_copies_new second = what(0, 1);
    struct mpj_copy c;
    struct counts n;

    (void)state;
    install(&first);
    assert_int_equal(mpj_copies_newest(bank, &c), 0);
    n = cut_everywhere(&second);
    assert_true(n.cuts > LOADER / 4U + 20U);
    assert_int_equal(n.nothing, 0);
    assert_int_equal(n.foreign, 0);
    /* the one before it is still there, and takes over */
    assert_int_equal(mpj_copies_newest(bank, &c), 1);
    assert_int_equal(c.sequence, 2);
    hal_fake_cfi_memory(chips)[2U * MPJ_COPIES_PART + 200U] ^= 4U;
    assert_int_equal(starts(), FIRST);
    assert_int_equal(look(&second), MPJ_COPIES_OURS);
    install(&second);
    assert_int_equal(starts(), SECOND);
}

/* A damaged copy beside the right one is written again. */
static void repair(void **state)
{
    const struct mpj_copies_new first = what(0, 0);
    struct mpj_copy c;

    (void)state;
    install(&first);
    for (unsigned i = 0; i < 2; i++) {
        hal_fake_cfi_memory(chips)[mpj_copies_offset(i) + 100U] ^= 1U;
        assert_int_equal(starts(), FIRST);
        assert_int_equal(look(&first), MPJ_COPIES_OURS);
        install(&first);
    }
    memset(hal_fake_cfi_memory(chips) + MPJ_COPIES_PART, 0x55, 2U * MPJ_COPIES_PART);
    assert_int_equal(mpj_copies_newest(bank, &c), MPJ_COPIES);
    assert_int_equal(starts(), NOTHING);
    assert_int_equal(look(&first), MPJ_COPIES_OURS);
    install(&first);
    assert_int_equal(starts(), FIRST);
}

/* Nothing is there: nothing starts until the end, and the flash is never taken for somebody's. */
static void erased(void **state)
{
    const struct mpj_copies_new first = what(0, 0);
    struct counts n;

    (void)state;
    assert_int_equal(look(&first), MPJ_COPIES_ERASED);
    n = cut_everywhere(&first);
    assert_true(n.cuts > 2U * LOADER / 4U + BOOT / 4U);
    assert_int_equal(n.foreign, 0);
}

/* A loader without a boot stage: it starts until the boot stage is written. */
static void older(void **state)
{
    const struct mpj_copies_new first = what(0, 0);
    uint8_t *const m = hal_fake_cfi_memory(chips);
    struct counts n;

    (void)state;
    fill(m, 20000, 9);
    put(m, OLD_LOADER);
    assert_int_equal(look(&first), MPJ_COPIES_OURS);
    n = cut_everywhere(&first);
    assert_true(n.nothing > 0 && n.nothing <= 1U + BOOT / 4U + 1U);
    assert_int_equal(n.foreign, 0);
}

/* Another boot stage: dead only while it is written, and known then. */
static void other_boot(void **state)
{
    const struct mpj_copies_new first = what(0, 0);
    const struct mpj_copies_new second = what(1, 1);
    struct counts n;

    (void)state;
    install(&first);
    n = cut_everywhere(&second);
    assert_true(n.nothing > 0 && n.nothing <= 1U + BOOT / 4U + 1U);
    assert_int_equal(n.foreign, 0);
}

/* Somebody else's: asked once. Afterwards the installer knows that it was agreed to, but for a
 * first block of the journal that it had to erase: what started before still does then. */
static void foreign(void **state)
{
    const struct mpj_copies_new first = what(0, 0);
    uint8_t *const m = hal_fake_cfi_memory(chips);
    struct counts n;

    (void)state;
    fill(m, 300000, 9);
    assert_int_equal(look(&first), MPJ_COPIES_FOREIGN);
    n = cut_everywhere(&first);
    assert_int_equal(n.foreign, 8); /* the words of the journal's entry */
    assert_true(n.nothing > 0 && n.nothing <= 1U + BOOT / 4U + 1U);

    fill(m, MEGABYTE, 9);
    n = cut_everywhere(&first);
    assert_int_equal(n.foreign, 9);

    /* in the first block alone, or behind it */
    memset(m, 0xff, MEGABYTE);
    put(m + 0x20000, 1);
    assert_int_equal(look(&first), MPJ_COPIES_FOREIGN);
    memset(m, 0xff, MEGABYTE);
    put(m + MPJ_COPIES_JOURNAL + 64U, 1);
    assert_int_equal(look(&first), MPJ_COPIES_FOREIGN);
    memset(m, 0xff, MEGABYTE);
    put(m + MPJ_COPIES_PART + 64U, 1);
    assert_int_equal(look(&first), MPJ_COPIES_FOREIGN);
    /* a boot of somebody's before our copies */
    install(&first);
    fill(m, 4096, 9);
    assert_int_equal(look(&first), MPJ_COPIES_FOREIGN);
}

/* More installations than the journal has places. */
static void journal_turns(void **state)
{
    unsigned n = MPJ_COPIES_PART / 32U / 2U + 5U;

    (void)state;
    for (unsigned i = 0; i < n; i++) {
        struct mpj_copies_new w = what(0, i % 2U);

        assert_int_equal(mpj_copies_install(&flash, bank, &w, NULL, NULL), HAL_OK);
        if (i % 512U == 0 || i + 8U > n)
            assert_int_equal(look(&w), MPJ_COPIES_SAME);
    }
}

static void steps(void *ctx, char step, uint32_t offset)
{
    char *const log = ctx;

    log[strlen(log)] = step;
    if (step == 'c')
        log[strlen(log)] = (char)('0' + offset / MPJ_COPIES_PART);
}

/* What is written, and in which order. */
static void order(void **state)
{
    const struct mpj_copies_new first = what(0, 0);
    const struct mpj_copies_new second = what(0, 1);
    char log[20] = "";

    (void)state;
    assert_int_equal(mpj_copies_install(&flash, bank, &first, steps, log), HAL_OK);
    assert_string_equal(log, "jc1c2b");
    memset(log, 0, sizeof(log));
    assert_int_equal(mpj_copies_install(&flash, bank, &second, steps, log), HAL_OK);
    assert_string_equal(log, "jc2");
    memset(log, 0, sizeof(log));
    assert_int_equal(mpj_copies_install(&flash, bank, &first, steps, log), HAL_OK);
    assert_string_equal(log, "jc1");
}

static void restore(void **state)
{
    const struct mpj_copies_new first = what(0, 0);
    uint8_t *const kept = malloc(MEGABYTE);

    (void)state;
    assert_non_null(kept);
    fill(kept, MEGABYTE, 11);
    memcpy(hal_fake_cfi_memory(chips), kept, MEGABYTE);
    install(&first);
    /* the supply fails, now and then, and it is begun again */
    for (unsigned at = 1; at < 3U * MEGABYTE / 4U / 4U; at += 20011U) {
        hal_fake_cfi_cut(chips, at, at, lights_out, NULL);
        if (setjmp(off) == 0)
            (void)mpj_copies_restore(&flash, bank, kept, MEGABYTE, NULL, NULL);
        power_on();
    }
    assert_int_equal(mpj_copies_restore(&flash, bank, kept, MEGABYTE, NULL, NULL), HAL_OK);
    assert_memory_equal(bank, kept, MEGABYTE);
    assert_int_equal(mpj_copies_restore(&flash, bank, kept, 48, NULL, NULL), HAL_OK);
    assert_int_equal(mpj_copies_restore(&flash, bank, kept, 0, NULL, NULL), HAL_EINVAL);
    assert_int_equal(mpj_copies_restore(&flash, bank, kept, MEGABYTE + 4U, NULL, NULL), HAL_EINVAL);
    assert_int_equal(mpj_copies_restore(&flash, bank, kept, 6, NULL, NULL), HAL_EINVAL);
    free(kept);
}

static void refused(void **state)
{
    struct mpj_copies_new w = what(0, 0);
    enum mpj_copies_state s;
    uint8_t other[BOOT] = {0};

    (void)state;
    w.boot = other;
    assert_int_equal(mpj_copies_look(&flash, bank, &w, &s), HAL_EINVAL);
    w = what(0, 0);
    w.loader_bytes = MPJ_COPIES_MOST + 4U;
    assert_int_equal(mpj_copies_look(&flash, bank, &w, &s), HAL_EINVAL);
    w.loader_bytes = LOADER - 1U;
    assert_int_equal(mpj_copies_look(&flash, bank, &w, &s), HAL_EINVAL);
    w = what(0, 0);
    flash.region[0].block_bytes *= 2U;
    flash.region[0].blocks /= 2U;
    assert_int_equal(mpj_copies_look(&flash, bank, &w, &s), HAL_ENOTSUP);
    assert_int_equal(mpj_copies_restore(&flash, bank, before, 64, NULL, NULL), HAL_EINVAL);
    power_on();
    hal_fake_cfi_fail(chips, 0x20);
    assert_int_equal(mpj_copies_install(&flash, bank, &w, NULL, NULL), HAL_EIO);
    install(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(update, setup, teardown),
        cmocka_unit_test_setup_teardown(repair, setup, teardown),
        cmocka_unit_test_setup_teardown(erased, setup, teardown),
        cmocka_unit_test_setup_teardown(older, setup, teardown),
        cmocka_unit_test_setup_teardown(other_boot, setup, teardown),
        cmocka_unit_test_setup_teardown(foreign, setup, teardown),
        cmocka_unit_test_setup_teardown(journal_turns, setup, teardown),
        cmocka_unit_test_setup_teardown(order, setup, teardown),
        cmocka_unit_test_setup_teardown(restore, setup, teardown),
        cmocka_unit_test_setup_teardown(refused, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
