/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ADC, interrupt controller, timers, UART, clock, parking. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "hal_adc.h"
#include "hal_cpu.h"
#include "hal_err.h"
#include "hal_fake.h"
#include "hal_gic.h"
#include "hal_map.h"
#include "hal_power.h"
#include "hal_scu.h"
#include "hal_sys.h"
#include "hal_timer.h"
#include "hal_uart.h"
#include "hal_watchdog.h"

enum { CPU_V, PLL_V, CPU_I, PLL_I }; /* SYS_VOLTAGE0..3 */

static int setup(void **state)
{
    (void)state;
    hal_fake_reset();
    return 0;
}

static void adc_codes(void **state)
{
    uint16_t code[HAL_ADC_CHANNELS];

    (void)state;
    /* Sample in [19:8]; DAC setting below and rubbish above do not show. */
    hal_fake_poke(0x100000a0, 0xfff00000 | (2022U << 8) | 0x5a);
    hal_fake_poke(0x100000a4, 2037U << 8);
    hal_fake_poke(0x100000a8, 1925U << 8);
    hal_fake_poke(0x100000ac, 0xfffU << 8);
    hal_adc_read_all(code);
    assert_int_equal(code[CPU_V], 2022);
    assert_int_equal(code[PLL_V], 2037);
    assert_int_equal(code[CPU_I], 1925);
    assert_int_equal(code[PLL_I], 4095);
}

static void adc_units(void **state)
{
    (void)state;
    assert_int_equal(hal_adc_micro(CPU_V, 1), 610);
    assert_int_equal(hal_adc_micro(CPU_V, 2022), 1233420);
    assert_int_equal(hal_adc_micro(PLL_V, 4095), 2497950);
    assert_int_equal(hal_adc_micro(CPU_I, 1925), 469700); /* 610 / 2.5 = 244 */
    assert_int_equal(hal_adc_micro(PLL_I, 1), 12);        /* 12.2 */
    assert_int_equal(hal_adc_micro(PLL_I, 3), 37);        /* 36.6 */
    assert_int_equal(hal_adc_micro(PLL_I, 1560), 19032);
}

static void gic_words(void **state)
{
    (void)state;
    hal_gic_dist_init();
    hal_gic_enable(49);
    assert_int_equal(hal_fake_peek(BOARD_GICD_BASE + 0x104), 1U << 17);
    hal_gic_disable(61);
    assert_int_equal(hal_fake_peek(BOARD_GICD_BASE + 0x184), 1U << 29);
    hal_gic_target(50, 2);
    assert_int_equal(hal_fake_peek(BOARD_GICD_BASE + 0x800 + 48), 0x01020101);
    hal_gic_edge(53, true);
    assert_int_equal(hal_fake_peek(BOARD_GICD_BASE + 0xc0c), 0x55555555 | (2U << 10));
    hal_gic_send(3, 0x6);
    assert_int_equal(hal_fake_peek(BOARD_GICD_BASE + 0xf00), 0x00060003);
    hal_fake_poke(BOARD_GICC_BASE + 0xc, (2U << 10) | 1U);
    assert_int_equal(HAL_GIC_ID(hal_gic_ack()), 1);
    assert_int_equal(HAL_GIC_SENDER(hal_gic_ack()), 2);
    hal_gic_cpu_init();
    /* Zero there loses level-sensitive private interrupts on this controller. */
    assert_int_equal(hal_fake_peek(BOARD_GICD_BASE + 0x800 + 28) & 0x00ffff00, 0x000f0f00);
}

static void timers(void **state)
{
    const struct hal_fake_write *log;

    (void)state;
    assert_int_equal(hal_timer_hz(), 105000000);
    hal_timer_start(HAL_TIMER_PRIVATE, 1050000, true);
    assert_int_equal(hal_fake_peek(BOARD_TIMER_BASE), 1049999);
    assert_int_equal(hal_fake_peek(BOARD_TIMER_BASE + 8), 7);
    hal_fake_log_clear();
    hal_timer_start(HAL_TIMER_SECOND, 100, false);
    assert_int_equal(hal_fake_log(&log), 6);
    /* Out of watchdog mode before anything else: by this sequence only. */
    assert_int_equal(log[0].addr, BOARD_TIMER2_BASE + 0x14);
    assert_int_equal(log[0].value, 0x12345678);
    assert_int_equal(log[1].value, 0x87654321);
    assert_int_equal(hal_fake_peek(BOARD_TIMER2_BASE + 8), 5);
}

static void uart_rates(void **state)
{
    (void)state;
    assert_int_equal(hal_uart_init(115200), HAL_OK);
    assert_int_equal(hal_fake_peek(BOARD_UART0_BASE + 0x24), 13);
    assert_int_equal(hal_fake_peek(BOARD_UART0_BASE + 0x28), 1);
    assert_int_equal(hal_fake_peek(BOARD_UART0_BASE + 0x2c), 0x70);
    assert_int_equal(hal_uart_init(1500000), HAL_OK);
    assert_int_equal(hal_fake_peek(BOARD_UART0_BASE + 0x24), 1);
    assert_int_equal(hal_uart_init(1600000), HAL_EINVAL);
    assert_int_equal(hal_uart_init(0), HAL_EINVAL);
    hal_uart_waiting(true);
    assert_int_equal(hal_fake_peek(BOARD_UART0_BASE + 0x30), 0x1301);
    hal_uart_waiting(false);
    assert_int_equal(hal_fake_peek(BOARD_UART0_BASE + 0x30), 0x301);
    hal_fake_poke(BOARD_UART0_BASE + 0x18, 1U << 5);
    assert_false(hal_uart_try_put('x'));
    hal_fake_poke(BOARD_UART0_BASE + 0x18, 1U << 4);
    assert_true(hal_uart_try_put('x'));
    assert_int_equal(hal_uart_try_get(), -1);
}

static void clock_extension(void **state)
{
    uint64_t begin, t;
    uint32_t counter = 0xfff00000U;

    (void)state;
    hal_fake_poke(BOARD_SYS_24MHZ, counter);
    hal_sys_ticks_init();
    begin = hal_sys_ticks();
    assert_int_equal(begin, 0xfff00000);
    /* Two and a half turns of the 32-bit counter in steps of less than 80 s. */
    for (unsigned i = 1; i <= 10; i++) {
        counter += 0x40000000U;
        hal_fake_poke(BOARD_SYS_24MHZ, counter);
        t = hal_sys_ticks();
        assert_true(t - begin == i * 0x40000000ULL);
    }
    /* A core that read the counter just before another one stored a newer time. */
    hal_fake_poke(BOARD_SYS_24MHZ, counter - 3U);
    assert_true(hal_sys_ticks() == begin + 10ULL * 0x40000000ULL - 3U);
}

static void during_wfi(void *ctx)
{
    unsigned *seen = ctx;

    assert_int_equal(hal_scu_power(3), HAL_SCU_DORMANT);
    assert_int_equal(hal_fake_peek(hal_fake_cp15(3, 1, 0, 0, 0)) & 4U, 0);    /* data cache off */
    assert_int_equal(hal_fake_peek(hal_fake_cp15(3, 1, 0, 0, 1)) & 0x20U, 0); /* not coherent */
    (*seen)++;
}

static void parking(void **state)
{
    unsigned seen = 0;

    (void)state;
    hal_fake_set_core(3);
    hal_fake_poke(hal_fake_cp15(3, 1, 0, 0, 0), 0x1805);
    hal_fake_poke(hal_fake_cp15(3, 1, 0, 0, 1), 0x2f);
    hal_fake_on_wfi(during_wfi, &seen);
    hal_power_park();
    assert_int_equal(seen, 1);
    assert_int_equal(hal_scu_power(3), HAL_SCU_NORMAL);
    assert_int_equal(hal_fake_peek(hal_fake_cp15(3, 1, 0, 0, 0)), 0x1805);
    assert_int_equal(hal_fake_peek(hal_fake_cp15(3, 1, 0, 0, 1)), 0x2f);
}

static void reset_and_lamps(void **state)
{
    const struct hal_fake_write *log;

    (void)state;
    hal_fake_poke(0x10000008, 0x01); /* the lamp of another */
    hal_sys_running(true);
    assert_int_equal(hal_fake_peek(0x10000008), 0x81);
    hal_sys_running(false);
    assert_int_equal(hal_fake_peek(0x10000008), 0x01);
    hal_fake_log_clear();
    hal_sys_reset();
    assert_int_equal(hal_fake_log(&log), 2);
    assert_int_equal(log[0].addr, 0x10000020);
    assert_int_equal(log[0].value, 0xa05f);
    assert_int_equal(log[1].addr, 0x10000040);
    assert_int_equal(log[1].value, 8);
}

static void dog(void **state)
{
    (void)state;
    hal_watchdog_start(6000); /* two periods of 3 s at 24 MHz */
    assert_int_equal(hal_fake_peek(0x10010000), 72000000);
    assert_int_equal(hal_fake_peek(0x10010008), 3);
    assert_int_equal(hal_fake_peek(0x10010c00), 0); /* locked */
    hal_watchdog_feed();
    assert_int_equal(hal_fake_peek(0x1001000c), 1);
    assert_int_equal(hal_fake_peek(0x10010008), 3);
    assert_int_equal(hal_fake_peek(0x10010c00), 0);
    hal_watchdog_stop();
    assert_int_equal(hal_fake_peek(0x10010008), 0);
    hal_watchdog_start(HAL_WATCHDOG_MS_MAX);
    assert_int_equal(hal_fake_peek(0x10010000), 3600000000U);
    hal_watchdog_stop();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(dog, setup),
        cmocka_unit_test_setup(adc_codes, setup),
        cmocka_unit_test_setup(adc_units, setup),
        cmocka_unit_test_setup(gic_words, setup),
        cmocka_unit_test_setup(timers, setup),
        cmocka_unit_test_setup(uart_rates, setup),
        cmocka_unit_test_setup(clock_extension, setup),
        cmocka_unit_test_setup(parking, setup),
        cmocka_unit_test_setup(reset_and_lamps, setup),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
