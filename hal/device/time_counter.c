/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Time base: one register that counts at BOARD_TIME_HZ, of any width, up or down. */
#include "hal_sys.h"

#include "hal_hot.h"
#include "hal_io.h"
#include "hal_map.h"

/* Steps between two updates of the stored count: many, so that hal_sys_ticks() rarely stores and
 * cores rarely share a line they write; the count only has to be recent enough that a step cannot
 * overflow. */
#define REFRESH (1 << (BOARD_TIME_BITS - 6))

/* The cores sleep for an eighth of a second before the program begins. */
_Static_assert(HAL_SYS_LOOK_US >= 250000U, "the counter is too narrow for its rate");

/* A recent value of hal_sys_ticks(), its low bits in step with the hardware counter. */
static uint64_t ticks_last;

static inline __attribute__((always_inline)) int32_t step_from(uint64_t last)
{
    return hal_time_step(BOARD_TIME_BITS, BOARD_TIME_DOWN != 0, last,
                         hal_io_read32(BOARD_TIME_COUNTER));
}

HAL_HOT uint32_t hal_sys_ticks32(void)
{
    if (BOARD_TIME_BITS == 32)
        return (uint32_t)step_from(0);
    return (uint32_t)hal_sys_ticks();
}

void hal_sys_ticks_init(void)
{
    const uint32_t mask = UINT32_MAX >> (32 - BOARD_TIME_BITS);

#ifdef BOARD_TIME_ON
    BOARD_TIME_ON(hal_io_write32)
#endif
    __atomic_store_n(&ticks_last, (uint64_t)((uint32_t)step_from(0) & mask), __ATOMIC_RELAXED);
}

HAL_HOT uint64_t hal_sys_ticks(void)
{
    uint64_t last = __atomic_load_n(&ticks_last, __ATOMIC_RELAXED);
    /* Signed: another core may have stored a value newer than the counter read here. */
    const int32_t step = step_from(last);
    const uint64_t now = last + (uint64_t)(int64_t)step;

    if (step > REFRESH)
        (void)__atomic_compare_exchange_n(&ticks_last, &last, now, false, __ATOMIC_RELAXED,
                                          __ATOMIC_RELAXED);
    return now;
}
