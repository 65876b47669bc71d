/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Time base of the Oxford chips: the RPS block's timers of 24 bits, which count down. Timer 0 at
 * full rate counts the ticks and wraps every 2.7 s; timer 1, at a 256th of that rate, wraps every
 * 687 s and identifies the present period of timer 0. So no period is lost between two readings by
 * any cores, as long as they are less than 5 minutes apart, and every core gets the same count
 * without sharing any state.
 */
#include "hal_sys.h"

#include "hal_hot.h"
#include "hal_io.h"
#include "hal_map.h"

#define TICKS      0U /* the timers */
#define PERIODS    1U
#define BITS       24U
#define LOAD       0xffffffU
#define COARSENESS 8U /* log2 of the prescaler of timer 1 */

#define REFRESH    (1 << 26) /* see time_counter.c */

_Static_assert(BOARD_TIME_BITS == BITS && BOARD_TIME_DOWN == 1, "hal_map.h describes timer 0");

/* A recent value of hal_sys_ticks(), its low word in step with hal_sys_ticks32(). */
static uint64_t ticks_last;

static void start(unsigned timer, uint32_t prescaler)
{
    hal_io_write32(BOARD_RPS_CONTROL(timer), 0);
    hal_io_write32(BOARD_RPS_LOAD(timer), LOAD);
    hal_io_write32(BOARD_RPS_CLEAR(timer), 0);
    hal_io_write32(BOARD_RPS_CONTROL(timer), BOARD_RPS_ENABLE | BOARD_RPS_PERIODIC | prescaler);
}

/* Combines the timers: timer 1 is right to within 256 ticks, plus the time between both starts and
 * between the two readings; timer 0 has the count modulo 2^24. Returns the one of these counts that
 * is nearest to timer 1's. */
HAL_HOT uint32_t hal_sys_ticks32(void)
{
    const uint32_t fine = hal_io_read32(BOARD_RPS_VALUE(TICKS));
    const uint32_t rough = ~hal_io_read32(BOARD_RPS_VALUE(PERIODS)) << COARSENESS;

    return rough + (uint32_t)hal_time_step(BITS, true, rough, fine);
}

void hal_sys_ticks_init(void)
{
    start(PERIODS, BOARD_RPS_BY_256);
    start(TICKS, 0);
    __atomic_store_n(&ticks_last, (uint64_t)hal_sys_ticks32(), __ATOMIC_RELAXED);
}

HAL_HOT uint64_t hal_sys_ticks(void)
{
    uint64_t last = __atomic_load_n(&ticks_last, __ATOMIC_RELAXED);
    /* Signed: another core may have stored a value newer than the one read here. */
    const int32_t step = (int32_t)(hal_sys_ticks32() - (uint32_t)last);
    const uint64_t now = last + (uint64_t)(int64_t)step;

    if (step > REFRESH)
        (void)__atomic_compare_exchange_n(&ticks_last, &last, now, false, __ATOMIC_RELAXED,
                                          __ATOMIC_RELAXED);
    return now;
}
