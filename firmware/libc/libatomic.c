/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions that the compiler calls for atomic objects which no single instruction can handle, and
 * the functions that the macros of <stdatomic.h> call. The names are the compiler's, which would
 * take definitions in C for its builtins: hence the labels.
 */
#include <fenv.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "hal_cpu.h"

#define ORDER __ATOMIC_SEQ_CST

/* Each function has a prototype of its own, because only compiled code calls it. */
#define NAMED(result, name, label, ...)                                                            \
    result name(__VA_ARGS__) __asm__(label);                                                       \
    result name(__VA_ARGS__)

/* Guards all objects other than aligned ones of 1, 2, 4 or 8 bytes. */
static hal_spinlock lock;

static bool in_one(size_t size, const volatile void *p)
{
    return (size == 1U || size == 2U || size == 4U || size == 8U) && (uintptr_t)p % size == 0;
}

NAMED(void, load, "__atomic_load", size_t size, void *from, void *to, int order)
{
    hal_irq_state s;
    uint64_t wide;

    (void)order;
    if (in_one(size, from)) {
        if (size == 8U) {
            wide = __atomic_load_n((uint64_t *)from, ORDER);
        } else {
            __atomic_thread_fence(ORDER);
            wide = size == 4U   ? *(volatile uint32_t *)from
                   : size == 2U ? *(volatile uint16_t *)from
                                : *(volatile uint8_t *)from;
            __atomic_thread_fence(ORDER);
        }
        memcpy(to, &wide, size);
        return;
    }
    s = hal_spin_lock_irq(&lock);
    memcpy(to, from, size);
    hal_spin_unlock_irq(&lock, s);
}

NAMED(void, exchange, "__atomic_exchange", size_t size, void *at, void *from, void *old, int order)
{
    uint64_t wide = 0;
    hal_irq_state s;

    (void)order;
    if (in_one(size, at)) {
        memcpy(&wide, from, size);
        wide = size == 8U   ? __atomic_exchange_n((uint64_t *)at, wide, ORDER)
               : size == 4U ? __atomic_exchange_n((uint32_t *)at, (uint32_t)wide, ORDER)
               : size == 2U ? __atomic_exchange_n((uint16_t *)at, (uint16_t)wide, ORDER)
                            : __atomic_exchange_n((uint8_t *)at, (uint8_t)wide, ORDER);
        if (old != NULL)
            memcpy(old, &wide, size);
        return;
    }
    s = hal_spin_lock_irq(&lock);
    if (old != NULL && old != from) {
        memcpy(old, at, size);
        memcpy(at, from, size);
    } else {
        for (size_t i = 0; i < size; i++) {
            const uint8_t was = ((uint8_t *)at)[i];

            ((uint8_t *)at)[i] = ((const uint8_t *)from)[i];
            if (old != NULL)
                ((uint8_t *)old)[i] = was;
        }
    }
    hal_spin_unlock_irq(&lock, s);
}

NAMED(void, store, "__atomic_store", size_t size, void *at, void *from, int order)
{
    exchange(size, at, from, NULL, order);
}

/* Compares and exchanges an object that one instruction can handle; expected and wanted are plain
 * objects of any alignment. */
static bool swap_in_one(size_t size, void *at, void *expected, const void *wanted)
{
    uint64_t was = 0;
    uint64_t wide = 0;
    bool same;

    memcpy(&was, expected, size);
    memcpy(&wide, wanted, size);
    switch (size) { /* little-endian: the low bytes come first */
    case 8:
        same = __atomic_compare_exchange_n((uint64_t *)at, &was, wide, false, ORDER, ORDER);
        break;
    case 4:
        same = __atomic_compare_exchange_n((uint32_t *)at, (uint32_t *)&was, (uint32_t)wide, false,
                                           ORDER, ORDER);
        break;
    case 2:
        same = __atomic_compare_exchange_n((uint16_t *)at, (uint16_t *)&was, (uint16_t)wide, false,
                                           ORDER, ORDER);
        break;
    default:
        same = __atomic_compare_exchange_n((uint8_t *)at, (uint8_t *)&was, (uint8_t)wide, false,
                                           ORDER, ORDER);
        break;
    }
    if (!same)
        memcpy(expected, &was, size);
    return same;
}

NAMED(bool, compare_exchange, "__atomic_compare_exchange", size_t size, void *at, void *expected,
      void *wanted, int order, int failed)
{
    hal_irq_state s;
    bool same;

    (void)order;
    (void)failed;
    if (in_one(size, at))
        return swap_in_one(size, at, expected, wanted);
    s = hal_spin_lock_irq(&lock);
    same = memcmp(at, expected, size) == 0;
    memcpy(same ? at : expected, same ? wanted : at, size);
    hal_spin_unlock_irq(&lock, s);
    return same;
}

NAMED(bool, is_lock_free, "__atomic_is_lock_free", size_t size, const volatile void *p)
{
    return in_one(size, p);
}

/* Raises the exceptions of a compound assignment to an atomic floating-point object. */
NAMED(void, raise_except, "__atomic_feraiseexcept", int exceptions)
{
    (void)feraiseexcept(exceptions);
}

NAMED(void, thread_fence, "atomic_thread_fence", int order)
{
    (void)order;
    __atomic_thread_fence(ORDER);
}

NAMED(void, signal_fence, "atomic_signal_fence", int order)
{
    (void)order;
    __atomic_signal_fence(ORDER);
}

NAMED(bool, test_and_set, "atomic_flag_test_and_set", volatile void *flag)
{
    return __atomic_test_and_set(flag, ORDER);
}

NAMED(bool, test_and_set_explicit, "atomic_flag_test_and_set_explicit", volatile void *flag,
      int order)
{
    (void)order;
    return __atomic_test_and_set(flag, ORDER);
}

NAMED(void, clear, "atomic_flag_clear", volatile void *flag)
{
    __atomic_clear((volatile bool *)flag, ORDER);
}

NAMED(void, clear_explicit, "atomic_flag_clear_explicit", volatile void *flag, int order)
{
    (void)order;
    __atomic_clear((volatile bool *)flag, ORDER);
}
