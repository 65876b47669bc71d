/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lock of mpj_out.h: a thread that finds it taken sleeps; one that has it is not interrupted.
 */
#include <stddef.h>

#include "hal_uart.h"
#include "mpj_out.h"
#include "mpj_rt.h"
#include "mpj_sched.h"

/* States: 0 free, 1 taken, 2 taken and threads may sleep on it. */
bool mpj_out_try_lock(volatile uint32_t *word)
{
    uint32_t none = 0;

    return __atomic_compare_exchange_n(word, &none, 1U, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

void mpj_out_lock(volatile uint32_t *word)
{
    struct mpj_wait_info info = {.kind = MPJ_WAIT_HOST, .object = (const void *)word};
    bool transport;

    if (mpj_sched_can_wait())
        mpj_thread_hold();
    if (mpj_out_try_lock(word))
        return;
    transport = hal_uart_transport(false);
    info.caller = __builtin_return_address(0);
    while (__atomic_exchange_n(word, 2U, __ATOMIC_ACQUIRE) != 0)
        (void)mpj_rt_wait(word, 2U, &info, UINT64_MAX);
    (void)hal_uart_transport(transport);
}

void mpj_out_unlock_tried(volatile uint32_t *word)
{
    bool transport;

    if (__atomic_exchange_n(word, 0U, __ATOMIC_RELEASE) != 2U)
        return;
    transport = hal_uart_transport(false);
    (void)mpj_rt_wake(word, 1);
    (void)hal_uart_transport(transport);
}

void mpj_out_unlock(volatile uint32_t *word)
{
    mpj_out_unlock_tried(word);
    if (mpj_sched_can_wait())
        mpj_thread_release();
}
