/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Drivers of the OX820: UART with a fractional divisor, time base of two timers, pen of core 1,
 * reset. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "hal_err.h"
#include "hal_fake.h"
#include "hal_io.h"
#include "hal_machine.h"
#include "hal_map.h"
#include "hal_sys.h"
#include "hal_uart.h"

#define UART(n)     (0x44200000U + (n))
#define TIMER(n, r) (0x44400200U + 0x20U * (n) + (r))
#define PERIOD      (1U << 24)

/* Ticks since both timers were started, as they show them; timer 1 was a little earlier. */
static uint64_t ticks;
static unsigned polls;

static uint32_t counter(void *ctx, uintptr_t addr)
{
    (void)ctx;
    if (addr == TIMER(0U, 4U))
        return (uint32_t)(PERIOD - 1U - ticks % PERIOD);
    return (uint32_t)(PERIOD - 1U - (ticks + 40U) / 256U % PERIOD);
}

static uint32_t empty_fifo(void *ctx, uintptr_t addr)
{
    (void)ctx;
    (void)addr;
    polls++;
    return 0x60;
}

static int setup(void **state)
{
    (void)state;
    hal_fake_reset();
    ticks = 0;
    hal_fake_script(TIMER(0U, 4U), TIMER(0U, 8U), counter, NULL, NULL);
    hal_fake_script(TIMER(1U, 4U), TIMER(1U, 8U), counter, NULL, NULL);
    hal_sys_ticks_init();
    hal_fake_log_clear();
    return 0;
}

static uint32_t last_write(uintptr_t addr)
{
    const struct hal_fake_write *log;
    uint32_t found = UINT32_MAX;

    for (size_t i = 0, n = hal_fake_log(&log); i < n; i++) {
        if (log[i].addr == addr)
            found = log[i].value;
    }
    return found;
}

/* ---- UART ------------------------------------------------------------------------- */

/* The divisor that is set for a rate, in eighths. */
static uint32_t eighths(uint32_t baud)
{
    const struct hal_fake_write *log;
    uint32_t low = 0;
    uint32_t high = 0;
    bool divisor = false;

    hal_fake_log_clear();
    assert_int_equal(hal_uart_init(baud), HAL_OK);
    for (size_t i = 0, n = hal_fake_log(&log); i < n; i++) {
        assert_int_equal(log[i].bytes, 1);
        if (log[i].addr == UART(3U))
            divisor = (log[i].value & 0x80U) != 0;
        else if (divisor && log[i].addr == UART(0U))
            low = log[i].value;
        else if (divisor && log[i].addr == UART(1U))
            high = log[i].value;
    }
    assert_false(divisor);
    assert_int_equal(last_write(UART(9U)) & 0x1fU, 0);
    return (high << 8 | low) << 3 | last_write(UART(9U)) >> 5;
}

static void uart_rates(void **state)
{
    (void)state;
    /* (clock + rate) / (2 * rate), by hand: 6365200/230400, 6259600/19200, 6250300/600 ... */
    assert_int_equal(eighths(115200), 27); /* 3 and 3/8: 115741 bit/s */
    assert_int_equal(eighths(9600), 326);  /* 40 and 6/8 */
    assert_int_equal(eighths(300), 10417); /* 1302 and 1/8: both bytes */
    assert_int_equal(eighths(390625), 8);  /* the fastest */
}

static void uart_rates_that_cannot_be(void **state)
{
    (void)state;
    assert_int_equal(hal_uart_init(0), HAL_EINVAL);
    assert_false(hal_uart_possible(0));
    assert_false(hal_uart_possible(460800)); /* above clock / 16 */
    assert_false(hal_uart_possible(230400)); /* 1 and 6/8 is 3 % off */
    assert_false(hal_uart_possible(5));      /* more than 16 bits of divisor */
    assert_false(hal_uart_possible(370000)); /* between 8 and 9 eighths */
}

static void uart_fifo(void **state)
{
    (void)state;
    assert_int_equal(hal_uart_init(115200), HAL_OK);
    for (unsigned i = 0; i < 16U; i++) /* it has been emptied */
        assert_true(hal_uart_try_put('x'));
    assert_false(hal_uart_try_put('x'));
    hal_fake_script(UART(5U), UART(6U), empty_fifo, NULL, NULL);
    polls = 0;
    for (unsigned i = 0; i < 33U; i++)
        assert_true(hal_uart_try_put((uint8_t)i));
    assert_int_equal(polls, 3); /* 16 bytes each */
    hal_uart_drain();
    polls = 0;
    for (unsigned i = 0; i < 16U; i++)
        assert_true(hal_uart_try_put((uint8_t)i));
    assert_int_equal(polls, 0);
    assert_int_equal(hal_uart_try_get(), -1);
}

static void uart_lines(void **state)
{
    (void)state;
    hal_uart_waiting(true);
    assert_int_equal(last_write(UART(4U)), 0x07); /* DTR, RTS, OUT1 */
    hal_uart_waiting(false);
    assert_int_equal(last_write(UART(4U)), 0x03);
    assert_false(hal_uart_transport(true));
    assert_int_equal(last_write(UART(7U)), 1);
    hal_fake_set_core(1); /* has a state of its own */
    assert_false(hal_uart_transport(false));
    hal_fake_set_core(0);
    assert_true(hal_uart_transport(false));
    assert_int_equal(last_write(UART(7U)), 0);
    assert_int_equal(last_write(UART(4U)), 0x03);
    assert_int_equal(hal_uart_irq(), 32 + 23);
}

/* ---- time --------------------------------------------------------------------------- */

static void time_set_up(void **state)
{
    (void)state;
    hal_sys_ticks_init();
    assert_int_equal(last_write(TIMER(0U, 0U)), PERIOD - 1U);
    assert_int_equal(last_write(TIMER(1U, 0U)), PERIOD - 1U);
    assert_int_equal(last_write(TIMER(0U, 8U)), 0xc0); /* on, periodic, each tick */
    assert_int_equal(last_write(TIMER(1U, 8U)), 0xc8); /* by 256 */
}

/* Around each end of a period of either timer the count goes on by what has passed. */
static void time_goes_on(void **state)
{
    (void)state;
    for (uint64_t base = 0; base < 70ULL * PERIOD; base += PERIOD / 2U) {
        for (uint64_t t = base == 0 ? 0 : base - 300U; t <= base + 300U; t++) {
            ticks = t;
            assert_int_equal(hal_sys_ticks(), t);
            assert_int_equal(hal_sys_ticks32(), (uint32_t)t);
        }
    }
}

/* No core looks for many periods of timer 0, 300 s at most. */
static void time_with_missed_periods(void **state)
{
    uint64_t t = 0;

    (void)state;
    for (unsigned i = 0; i < 100U; i++) {
        t += 17U * PERIOD + i * 12345U;
        ticks = t;
        assert_int_equal(hal_sys_ticks(), t);
    }
    for (unsigned i = 0; i < 20U; i++) {
        t += 300ULL * BOARD_TIME_HZ;
        ticks = t;
        assert_int_equal(hal_sys_ticks(), t);
    }
}

/* A core that has read the timers earlier than one whose count was kept. */
static void time_of_a_core_behind(void **state)
{
    (void)state;
    ticks = 20ULL * PERIOD + 5U;
    assert_int_equal(hal_sys_ticks(), ticks); /* kept: long after the first */
    hal_fake_set_core(1);
    ticks -= 100U;
    assert_int_equal(hal_sys_ticks(), ticks);
    hal_fake_set_core(0);
}

/* ---- system controller ------------------------------------------------------------------ */

static void core_from_the_pen(void **state)
{
    const struct hal_fake_write *log;

    (void)state;
    hal_sys_start(1, 0x60101234U);
    assert_int_equal(hal_fake_log(&log), 3);
    assert_int_equal(log[0].addr, 0x44e000c4U);
    assert_int_equal(log[0].value, 0x60101234U);
    assert_int_equal(log[1].addr, 0x44e000c8U);
    assert_int_equal(log[1].value, 1);
    assert_int_equal(log[2].addr, 0x47000300U); /* its interface of the interrupt controller */
    assert_int_equal(log[2].value, 1);
    hal_sys_start_none();
    assert_int_equal(hal_fake_peek(0x44e000c8U), 0);
    assert_int_equal(hal_fake_peek(0x44e000c4U), 0);
}

static void mark_and_reset(void **state)
{
    (void)state;
    hal_sys_running(true);
    assert_int_equal(hal_fake_peek(hal_machine.mark.address), hal_machine.mark.bits);
    hal_sys_running(false);
    assert_int_equal(hal_fake_peek(hal_machine.mark.address), 0);
    hal_sys_reset();
    assert_int_equal(last_write(0x44e00034U), 0x0d);
}

#define T(f) cmocka_unit_test_setup(f, setup)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(uart_rates),
        T(uart_rates_that_cannot_be),
        T(uart_fifo),
        T(uart_lines),
        T(time_set_up),
        T(time_goes_on),
        T(time_with_missed_periods),
        T(time_of_a_core_behind),
        T(core_from_the_pen),
        T(mark_and_reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
