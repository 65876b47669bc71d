/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Drivers of hal/device on boards that are not the RealView EB: the time base of tests/boards/bare
 * (24 bits, down, 1 MHz) and the UART of tests/boards/made-up or of an OX820; and the arithmetic of
 * time at the rates that boards have.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "hal_err.h"
#include "hal_fake.h"
#include "hal_map.h"
#include "hal_sys.h"
#include "hal_uart.h"

static int setup(void **state)
{
    (void)state;
    hal_fake_reset();
    return 0;
}

#if BOARD_TIME_BITS == 24

/* The counter of the bare board, `ticks` after it was all ones; what is above 24 bits does not
 * count. */
static void at(uint64_t ticks)
{
    hal_fake_poke(BOARD_TIME_COUNTER, 0x5a000000U | (~(uint32_t)ticks & 0xffffffU));
}

static void counts_on(void **state)
{
    uint64_t t = 0xfffff0;

    (void)state;
    at(t);
    hal_sys_ticks_init();
    assert_true(hal_sys_ticks() == t);
    /* Forty turns of 16.8 s, looked at as seldom as is allowed. */
    for (unsigned i = 0; i < 160; i++) {
        t += HAL_SYS_LOOK_US;
        at(t);
        assert_true(hal_sys_ticks() == t);
        assert_int_equal(hal_sys_ticks32(), (uint32_t)t);
    }
    assert_true(t > 40U * (1U << 24));
}

/* A core reads the counter just before another one, beyond the turn, stores a newer time. */
static void read_earlier(void **state)
{
    (void)state;
    at(0xfffff0);
    hal_sys_ticks_init();
    at(0x1100000);
    assert_true(hal_sys_ticks() == 0x1100000); /* stored: the step was a large one */
    at(0x1100000 - 5);
    assert_true(hal_sys_ticks() == 0x1100000 - 5);
}

/* The difference of two 32-bit readings is right past the hardware's width. */
static void difference(void **state)
{
    uint32_t begin;

    (void)state;
    at(0xffff00);
    hal_sys_ticks_init();
    begin = hal_sys_ticks32();
    at(0xffff00 + 4000000);
    (void)hal_sys_ticks32();
    at(0xffff00 + 8000000);
    assert_int_equal(hal_sys_ticks32() - begin, 8000000);
}

static void starts_counter(void **state)
{
    const struct hal_fake_write *log;

    (void)state;
    hal_sys_ticks_init();
    assert_int_equal(hal_fake_log(&log), 2);
    assert_int_equal(log[0].addr, 0x10011000);
    assert_int_equal(log[1].addr, 0x10011008);
    assert_int_equal(log[1].value, 0x82);
}

/* Rates with few and with many digits, and what is exact: floor of the product, ceiling back. */
static void conversions(void **state)
{
    static const uint32_t rates[] = {1000000, 6250000, 24000000, 25000000, 33333333, 199999999};
    static const uint64_t times[] = {
        0, 1, 2, 3, 160, 999, 1000003, 86400ULL * 1000000000U, 40ULL * 365U * 86400U * 1000000000U};

    (void)state;
    for (unsigned i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
        const uint32_t hz = rates[i];

        for (unsigned k = 0; k < sizeof(times) / sizeof(times[0]); k++) {
            const uint64_t ticks = hal_time_of_ns(hz, times[k]);
            const __uint128_t product = (__uint128_t)times[k] * hz;
            const __uint128_t back = (__uint128_t)ticks * 1000000000U / hz;

            assert_true(ticks == (uint64_t)((product + 999999999U) / 1000000000U));
            assert_true(hal_time_to_ns(hz, ticks) == (uint64_t)back);
            assert_true(hal_time_to_ns(hz, ticks) >= times[k] || hz % 1000000U != 0 ||
                        times[k] - hal_time_to_ns(hz, ticks) == 0);
            assert_true(hal_time_to_us(hz, ticks) ==
                        (uint64_t)((__uint128_t)ticks * 1000000U / hz));
        }
        assert_true(hal_time_of_us(hz, UINT32_MAX) ==
                    (uint64_t)((__uint128_t)UINT32_MAX * hz / 1000000U));
    }
    assert_true(hal_time_to_ns(25000000, 25000000ULL * 3600U) == 3600ULL * 1000000000U);
    assert_true(hal_time_of_ns(6250000, 1000000000U) == 6250000);
    assert_int_equal(HAL_TIME_TICKS(24000000U), 3);
    assert_int_equal(HAL_TIME_NS(24000000U), 125);
}

/* Every width, in both directions, over the turn. */
static void steps(void **state)
{
    (void)state;
    for (unsigned bits = 20; bits <= 32; bits++) {
        const uint32_t mask = UINT32_MAX >> (32U - bits);
        const uint64_t last = 7ULL * ((uint64_t)mask + 1U) + mask - 1U;

        for (int32_t by = -3; by <= 3; by++) {
            const uint32_t up = (uint32_t)(last + (uint64_t)(int64_t)by) & mask;

            assert_int_equal(hal_time_step(bits, false, last, up), by);
            assert_int_equal(hal_time_step(bits, true, last, ~up & mask), by);
            assert_int_equal(hal_time_step(bits, true, last, ~up), by);
        }
    }
}

#else

#define AT(n)     (BOARD_UART0_BASE + (n) * (unsigned)BOARD_UART_STRIDE)
#define EIGHTHS   (BOARD_UART_DIVISOR == TILE_DIVISOR_8THS)
#define LSR_READY 1U
#define LSR_EMPTY 0x20U

static struct {
    uint32_t low, high, fraction, lcr, mcr, ier, scr, sent, lsr;
    uint8_t last;
} uart;

static uint32_t from_uart(void *ctx, uintptr_t addr)
{
    (void)ctx;
    if (addr == AT(5))
        return uart.lsr;
    return addr == AT(0) ? 0x141U : 0;
}

static void to_uart(void *ctx, uintptr_t addr, uint32_t value)
{
    const bool latch = (uart.lcr & 0x80U) != 0;

    (void)ctx;
    assert_true(value <= 0xffU);
    if (addr == AT(0) && latch)
        uart.low = value;
    else if (addr == AT(0))
        uart.last = (uint8_t)value, uart.sent++;
    else if (addr == AT(1) && latch)
        uart.high = value;
    else if (addr == AT(1))
        uart.ier = value;
    else if (addr == AT(3))
        uart.lcr = value;
    else if (addr == AT(4))
        uart.mcr = value;
    else if (addr == AT(7))
        uart.scr = value;
    else if (addr == AT(9))
        uart.fraction = value;
    else
        assert_int_equal(addr, AT(2));
}

static int setup_uart(void **state)
{
    (void)setup(state);
    uart.sent = uart.lsr = uart.fraction = 0;
    hal_fake_script(AT(0), AT(0) + 10U * (unsigned)BOARD_UART_STRIDE, from_uart, to_uart, NULL);
    return 0;
}

static void rates(void **state)
{
    (void)state;
    assert_int_equal(hal_uart_init(115200), HAL_OK);
    if (EIGHTHS) { /* 6.25 MHz: 27 eighths, 3 and 3/8 */
        assert_int_equal(uart.low, 3);
        assert_int_equal(uart.fraction, 3 << 5);
    } else { /* 24 MHz: 13.02 */
        assert_int_equal(uart.low, 13);
    }
    assert_int_equal(uart.high, 0);
    assert_int_equal(uart.lcr, 3);
    assert_int_equal(hal_uart_init(1200), HAL_OK);
    assert_int_equal(uart.low | uart.high << 8, BOARD_UART_HZ / 16 / 1200);
    assert_false(hal_uart_possible(0));
    assert_false(hal_uart_possible(BOARD_UART_HZ));
    assert_int_equal(hal_uart_init(BOARD_UART_HZ / 16U + 1U), HAL_EINVAL);
    assert_true(hal_uart_possible(BOARD_UART_HZ / 16U));
}

/* Sixteen bytes when the FIFO was seen empty, no more until it is again. */
static void fifo(void **state)
{
    (void)state;
    assert_int_equal(hal_uart_init(9600), HAL_OK);
    for (unsigned round = 0; round < 3; round++) {
        for (unsigned i = 0; i < 16; i++)
            assert_true(hal_uart_try_put((uint8_t)i));
        assert_false(hal_uart_try_put(99));
        assert_int_equal(uart.sent, 16U * (round + 1U));
        assert_int_equal(uart.last, 15);
        uart.lsr = LSR_EMPTY;
        assert_true(hal_uart_try_put(0));
        uart.lsr = 0;
        for (unsigned i = 1; i < 16; i++)
            assert_true(hal_uart_try_put((uint8_t)i));
        assert_false(hal_uart_try_put(99));
        uart.lsr = LSR_EMPTY | 0x40U;
        hal_uart_drain();
        uart.lsr = 0;
        uart.sent -= 16;
    }
}

static void lines(void **state)
{
    (void)state;
    assert_int_equal(hal_uart_init(9600), HAL_OK);
    assert_int_equal(hal_uart_try_get(), -1);
    uart.lsr = LSR_READY;
    assert_int_equal(hal_uart_try_get(), 0x41);
    hal_uart_tx_interrupt(true);
    assert_int_equal(uart.ier, 2);
    hal_uart_tx_interrupt(false);
    assert_int_equal(uart.ier, 0);
    hal_uart_waiting(true);
    assert_int_equal(uart.mcr, 7);
    hal_uart_waiting(false);
    assert_int_equal(uart.mcr, 3);
    assert_false(hal_uart_transport(true));
    assert_int_equal(uart.scr, 1);
    assert_true(hal_uart_transport(false));
    assert_int_equal(uart.scr, 0);
    assert_int_equal(uart.mcr, 3);
    assert_int_equal(hal_uart_irq(), BOARD_IRQ_UART0);
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
#if BOARD_TIME_BITS == 24
        cmocka_unit_test_setup(counts_on, setup),
        cmocka_unit_test_setup(read_earlier, setup),
        cmocka_unit_test_setup(difference, setup),
        cmocka_unit_test_setup(starts_counter, setup),
        cmocka_unit_test_setup(conversions, setup),
        cmocka_unit_test_setup(steps, setup),
#else
        cmocka_unit_test_setup(rates, setup_uart),
        cmocka_unit_test_setup(fifo, setup_uart),
        cmocka_unit_test_setup(lines, setup_uart),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
