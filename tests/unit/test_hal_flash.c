/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The flash driver against a pair of CFI chips that know their command sequences. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "hal_err.h"
#include "hal_fake.h"
#include "hal_flash.h"

#define BASE  0x40000000U
#define BYTES 0x100000U
#define BLOCK 0x40000U

static struct hal_fake_cfi *chips;

static int setup(void **state)
{
    (void)state;
    hal_fake_reset();
    chips = hal_fake_cfi_new(BASE, BYTES, BLOCK, 64, 1);
    return chips == NULL;
}

static int teardown(void **state)
{
    (void)state;
    hal_fake_cfi_free(chips);
    return 0;
}

static void query(void **state)
{
    struct hal_flash f;
    uint32_t start, bytes;

    (void)state;
    assert_int_equal(hal_flash_probe(&f, BASE), HAL_OK);
    assert_int_equal(f.command_set, 1);
    assert_int_equal(f.id, 0x00890018);
    assert_int_equal(f.bytes, BYTES);
    assert_int_equal(f.program_us, 128);
    assert_int_equal(f.erase_ms, 1024);
    assert_int_equal(f.buffer_bytes, 64);
    assert_int_equal(f.regions, 1);
    assert_int_equal(f.region[0].block_bytes, BLOCK);
    assert_int_equal(f.region[0].blocks, 4);
    assert_int_equal(hal_flash_block(&f, BLOCK + 5, &start, &bytes), HAL_OK);
    assert_int_equal(start, BLOCK);
    assert_int_equal(bytes, BLOCK);
    assert_int_equal(hal_flash_block(&f, BYTES, &start, &bytes), HAL_EINVAL);
}

static void nothing_there(void **state)
{
    struct hal_flash f;

    (void)state;
    assert_int_equal(hal_flash_probe(&f, 0x50000000U), HAL_ENODEV);
}

static void other_commands(void **state)
{
    struct hal_flash f;
    struct hal_fake_cfi *amd = hal_fake_cfi_new(0x44000000U, BYTES, BLOCK, 64, 2);

    (void)state;
    assert_non_null(amd);
    assert_int_equal(hal_flash_probe(&f, 0x44000000U), HAL_ENOTSUP);
    hal_fake_cfi_free(amd);
}

static void erase_and_program(void **state)
{
    struct hal_flash f;
    uint8_t data[1000];
    uint8_t *memory = hal_fake_cfi_memory(chips);

    (void)state;
    for (size_t i = 0; i < sizeof(data); i++)
        data[i] = (uint8_t)(i * 7U + 1U);
    memset(memory, 0, BYTES);
    assert_int_equal(hal_flash_probe(&f, BASE), HAL_OK);
    hal_fake_cfi_busy(chips, 5);
    assert_int_equal(hal_flash_erase(&f, BLOCK + 12), HAL_OK);
    /* That block, all of it, and no other. */
    for (size_t i = 0; i < BYTES; i++)
        assert_int_equal(memory[i], i >= BLOCK && i < 2 * BLOCK ? 0xff : 0);
    /* Begins inside a buffer window and crosses several. */
    assert_int_equal(hal_flash_program(&f, BLOCK + 20, data, sizeof(data)), HAL_OK);
    assert_memory_equal(memory + BLOCK + 20, data, sizeof(data));
    assert_int_equal(memory[BLOCK + 19], 0xff);
    assert_int_equal(memory[BLOCK + 20 + sizeof(data)], 0xff);
    assert_int_equal(hal_flash_program(&f, BLOCK + 2, data, 4), HAL_EINVAL);
    assert_int_equal(hal_flash_program(&f, BLOCK, data, 3), HAL_EINVAL);
    assert_int_equal(hal_flash_program(&f, BYTES - 4, data, 8), HAL_EINVAL);
}

static void word_by_word(void **state)
{
    struct hal_flash f;
    static const uint8_t data[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    struct hal_fake_cfi *plain = hal_fake_cfi_new(0x44000000U, BYTES, BLOCK, 0, 3);

    (void)state;
    assert_non_null(plain);
    assert_int_equal(hal_flash_probe(&f, 0x44000000U), HAL_OK);
    assert_int_equal(f.buffer_bytes, 0);
    assert_int_equal(hal_flash_program(&f, 8, data, sizeof(data)), HAL_OK);
    assert_memory_equal(hal_fake_cfi_memory(plain) + 8, data, sizeof(data));
    hal_fake_cfi_free(plain);
}

static void failures(void **state)
{
    struct hal_flash f;
    static const uint32_t word = 0x12345678;

    (void)state;
    assert_int_equal(hal_flash_probe(&f, BASE), HAL_OK);
    /* Still locked: programming is refused by the chip. */
    assert_int_equal(hal_flash_program(&f, 0, &word, 4), HAL_EIO);
    assert_int_equal(hal_flash_erase(&f, 0), HAL_OK);
    hal_fake_cfi_fail(chips, 0x08); /* voltage too low */
    assert_int_equal(hal_flash_program(&f, 0, &word, 4), HAL_EIO);
    assert_int_equal(hal_flash_program(&f, 64, &word, 4), HAL_OK);
    /* Over data that is not erased: the comparison finds it. */
    hal_fake_cfi_memory(chips)[128] = 0;
    assert_int_equal(hal_flash_program(&f, 128, &word, 4), HAL_EIO);
    hal_fake_cfi_fail(chips, 0x20);
    assert_int_equal(hal_flash_erase(&f, 0), HAL_EIO);
    assert_int_equal(hal_flash_erase(&f, 0), HAL_OK);
    hal_fake_cfi_busy(chips, 2000000);
    assert_int_equal(hal_flash_program(&f, 0, &word, 4), HAL_ETIMEOUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(query, setup, teardown),
        cmocka_unit_test_setup_teardown(nothing_there, setup, teardown),
        cmocka_unit_test_setup_teardown(other_commands, setup, teardown),
        cmocka_unit_test_setup_teardown(erase_and_program, setup, teardown),
        cmocka_unit_test_setup_teardown(word_by_word, setup, teardown),
        cmocka_unit_test_setup_teardown(failures, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
