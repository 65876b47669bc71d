/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The loader's slots and directory, on CFI chips whose supply fails at any word. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "hal_err.h"
#include "hal_fake.h"
#include "mpj_slots.h"

#define BASE  0x40000000U
#define BYTES 0x4000000U
#define BLOCK 0x40000U
#define IMAGE 512U

static struct hal_fake_cfi *chips;
static struct hal_flash flash;
static jmp_buf off;
static uint8_t before[MPJ_SLOT_XIP_OFFSET - MPJ_SLOTS_LOADER_BYTES];

static void power_on(struct mpj_slots *s)
{
    hal_fake_cfi_power_on(chips);
    assert_int_equal(hal_flash_probe(&flash, BASE), HAL_OK);
    assert_int_equal(mpj_slots_open(s, &flash), HAL_OK);
}

static int setup(void **state)
{
    (void)state;
    hal_fake_reset();
    chips = hal_fake_cfi_new(BASE, BYTES, BLOCK, 64, 1);
    if (chips == NULL)
        return 1;
    memset(hal_fake_cfi_memory(chips), 0x5a, MPJ_SLOTS_LOADER_BYTES);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    hal_fake_cfi_free(chips);
    return 0;
}

static void loader_untouched(void)
{
    const uint8_t *m = hal_fake_cfi_memory(chips);

    for (uint32_t i = 0; i < MPJ_SLOTS_LOADER_BYTES; i++)
        assert_int_equal(m[i], 0x5a);
}

static struct mpj_slot_record ram_image(const char *name)
{
    struct mpj_slot_record r;

    memset(&r, 0, sizeof(r));
    r.kind = MPJ_SLOT_RAM;
    r.entry = 0x8000;
    r.bytes = IMAGE;
    r.segments = 1;
    r.segment[0].address = 0x8000;
    r.segment[0].bytes = IMAGE;
    r.segment[0].memory = 2 * IMAGE;
    snprintf(r.name, sizeof(r.name), "%s", name);
    return r;
}

static void fill(uint8_t *content, unsigned seed)
{
    for (unsigned i = 0; i < IMAGE; i++) {
        seed = seed * 1103515245U + 12345U;
        content[i] = (uint8_t)(seed >> 16);
    }
}

static int put(struct mpj_slots *s, const char *name, unsigned seed)
{
    uint8_t content[IMAGE];
    struct mpj_slot_record r = ram_image(name);

    fill(content, seed);
    return mpj_slots_write(s, &r, content, NULL, NULL);
}

static void virgin(void **state)
{
    struct mpj_slots s;

    (void)state;
    power_on(&s);
    assert_int_equal(s.now.slot, MPJ_SLOT_NONE);
    assert_int_equal(mpj_slots_check(&s), HAL_ENODEV);
}

static void alternate(void **state)
{
    struct mpj_slots s;

    (void)state;
    power_on(&s);
    assert_int_equal(put(&s, "a", 1), HAL_OK);
    assert_int_equal(s.now.slot, 1);
    assert_int_equal(put(&s, "b", 2), HAL_OK);
    assert_int_equal(s.now.slot, 0);
    power_on(&s);
    assert_string_equal(s.now.name, "b");
    assert_int_equal(s.now.sequence, 2);
    assert_int_equal(mpj_slots_check(&s), HAL_OK);
    hal_fake_cfi_memory(chips)[mpj_slot_offset(0) + 5] ^= 1;
    assert_int_equal(mpj_slots_check(&s), HAL_EIO);
    assert_int_equal(mpj_slots_forget(&s), HAL_OK);
    power_on(&s);
    assert_int_equal(s.now.slot, MPJ_SLOT_NONE);
    assert_int_equal(s.now.sequence, 3);
    loader_untouched();
}

/* More records than two directory blocks hold. */
static void directory_turns(void **state)
{
    struct mpj_slots s;

    (void)state;
    power_on(&s);
    for (unsigned i = 1; i <= 2U * BLOCK / 256U + 3U; i++) {
        assert_int_equal(mpj_slots_forget(&s), HAL_OK);
        if (i % 97 == 0)
            power_on(&s);
        assert_int_equal(s.now.sequence, i);
    }
    loader_untouched();
}

static void in_place(void **state)
{
    uint8_t content[IMAGE];
    struct mpj_slots s;
    struct mpj_slot_record r = ram_image("x");

    (void)state;
    power_on(&s);
    fill(content, 9);
    r.kind = MPJ_SLOT_IN_PLACE;
    r.segment[0].memory = IMAGE;
    assert_int_equal(mpj_slots_write(&s, &r, content, NULL, NULL), HAL_EINVAL); /* linked for RAM */
    r.segment[0].address = BASE + MPJ_SLOT_XIP_OFFSET;
    r.entry = BASE + MPJ_SLOT_XIP_OFFSET;
    assert_int_equal(mpj_slots_write(&s, &r, content, NULL, NULL), HAL_OK);
    assert_int_equal(s.now.slot, MPJ_SLOT_XIP);
    assert_memory_equal(hal_fake_cfi_memory(chips) + MPJ_SLOT_XIP_OFFSET, content, IMAGE);
}

static void refused(void **state)
{
    uint8_t content[IMAGE] = {0};
    struct mpj_slots s;
    unsigned changes;

    (void)state;
    power_on(&s);
    changes = hal_fake_cfi_operations(chips);
    for (unsigned what = 0; what < 12; what++) {
        struct mpj_slot_record r = ram_image("bad");

        switch (what) {
        case 0:
            r.bytes = 0;
            break;
        case 1:
            r.bytes = IMAGE - 1;
            break;
        case 2:
            r.bytes = 0x2000004;
            break;
        case 3:
            r.segments = 9;
            break;
        case 4:
            r.segment[0].offset = 4;
            break;
        case 5:
            r.segment[0].address = 0x0f4fffff;
            break;
        case 6:
            r.entry = 0x8000 + IMAGE;
            break;
        case 7:
            r.segment[0].memory = 1;
            break;
        case 11: /* over the loop of the other cores */
            r.entry = r.segment[0].address = 0x7f00;
            break;
        case 8: /* over the loader, directly or by an offset that wraps */
            r.kind = MPJ_SLOT_IN_PLACE;
            r.entry = BASE;
            r.segment[0].address = BASE;
            break;
        case 9:
            r.kind = MPJ_SLOT_IN_PLACE;
            r.entry = BASE;
            r.segment[0].address = BASE;
            r.segment[0].offset = 0U - MPJ_SLOT_XIP_OFFSET;
            break;
        default:
            r.kind = 3;
            break;
        }
        assert_int_equal(mpj_slots_write(&s, &r, content, NULL, NULL), HAL_EINVAL);
    }
    assert_int_equal(hal_fake_cfi_operations(chips), changes);
    loader_untouched();
}

static void chip_fails(void **state)
{
    struct mpj_slots s;

    (void)state;
    power_on(&s);
    assert_int_equal(put(&s, "a", 1), HAL_OK);
    hal_fake_cfi_fail(chips, 0x08);
    assert_int_equal(put(&s, "b", 2), HAL_EIO);
    power_on(&s);
    assert_string_equal(s.now.name, "a");
    assert_int_equal(mpj_slots_check(&s), HAL_OK);
}

static void lights_out(void *ctx)
{
    (void)ctx;
    longjmp(off, 1);
}

/* Whether the supply failed while "new" was written. */
static bool interrupted(unsigned at)
{
    struct mpj_slots s;

    hal_fake_cfi_cut(chips, at, at * 2654435761U, lights_out, NULL);
    if (setjmp(off) != 0)
        return true;
    power_on(&s);
    assert_int_equal(put(&s, "new", at), HAL_OK);
    return false;
}

/*
 * The supply fails at every single change of the flash while "new" replaces "old", at places of the
 * directory that include its block's end: afterwards there is an image, the old or the new one,
 * complete, and another write succeeds.
 */
static void power_cut(void **state)
{
    const unsigned fillings[] = {0, BLOCK / 256U - 3U, BLOCK / 256U - 2U, BLOCK / 256U - 1U};
    unsigned cuts = 0;

    (void)state;
    for (unsigned f = 0; f < sizeof(fillings) / sizeof(fillings[0]); f++) {
        const uint32_t directory = MPJ_SLOT_XIP_OFFSET - MPJ_SLOTS_LOADER_BYTES;
        uint8_t *m = hal_fake_cfi_memory(chips);
        struct mpj_slots s;

        memset(m + MPJ_SLOTS_LOADER_BYTES, 0xff, directory);
        power_on(&s);
        for (unsigned i = 0; i < fillings[f]; i++)
            assert_int_equal(mpj_slots_forget(&s), HAL_OK);
        assert_int_equal(put(&s, "old", 7), HAL_OK);
        memcpy(before, m + MPJ_SLOTS_LOADER_BYTES, directory);
        for (unsigned at = 1;; at++) {
            uint8_t content[IMAGE];
            bool cut;

            memcpy(m + MPJ_SLOTS_LOADER_BYTES, before, directory);
            cut = interrupted(at);
            hal_fake_cfi_cut(chips, 0, 0, NULL, NULL);
            power_on(&s);
            assert_int_equal(mpj_slots_check(&s), HAL_OK);
            if (!cut || strcmp(s.now.name, "old") != 0) {
                assert_string_equal(s.now.name, "new");
                fill(content, at);
            } else {
                fill(content, 7);
            }
            assert_memory_equal(m + mpj_slot_offset(s.now.slot), content, IMAGE);
            assert_int_equal(put(&s, "later", 5), HAL_OK);
            power_on(&s);
            assert_string_equal(s.now.name, "later");
            if (!cut)
                break;
            cuts++;
        }
    }
    loader_untouched();
    assert_true(cuts > 700); /* every word of four updates */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(virgin, setup, teardown),
        cmocka_unit_test_setup_teardown(alternate, setup, teardown),
        cmocka_unit_test_setup_teardown(directory_turns, setup, teardown),
        cmocka_unit_test_setup_teardown(in_place, setup, teardown),
        cmocka_unit_test_setup_teardown(refused, setup, teardown),
        cmocka_unit_test_setup_teardown(chip_fails, setup, teardown),
        cmocka_unit_test_setup_teardown(power_cut, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
