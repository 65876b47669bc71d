/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Atomic operations and thread pointer for Thumb code: Thumb code of ARMv6 has no LDREX, STREX and
 * MRC, so the compiler calls these functions where ARM code would use the instructions. They are
 * ARM code and are linked only into programs with Thumb code. The names are the compiler's, which
 * would take definitions in C for its builtins: hence the labels.
 */
#include <stdbool.h>
#include <stdint.h>

#define ORDER __ATOMIC_SEQ_CST

/* Each function has a prototype of its own, because only compiled code calls it. */
#define NAMED(result, name, label, ...)                                                            \
    result name(__VA_ARGS__) __asm__(label);                                                       \
    result name(__VA_ARGS__)

#define ACCESSES(type, bytes)                                                                      \
    NAMED(type, load_##bytes, "__atomic_load_" #bytes, const volatile type *p, int order)          \
    {                                                                                              \
        (void)order;                                                                               \
        return __atomic_load_n(p, ORDER);                                                          \
    }                                                                                              \
    NAMED(void, store_##bytes, "__atomic_store_" #bytes, volatile type *p, type value, int order)  \
    {                                                                                              \
        (void)order;                                                                               \
        __atomic_store_n(p, value, ORDER);                                                         \
    }                                                                                              \
    NAMED(type, exchange_##bytes, "__atomic_exchange_" #bytes, volatile type *p, type value,       \
          int order)                                                                               \
    {                                                                                              \
        (void)order;                                                                               \
        return __atomic_exchange_n(p, value, ORDER);                                               \
    }                                                                                              \
    NAMED(bool, compare_exchange_##bytes, "__atomic_compare_exchange_" #bytes, volatile type *p,   \
          type *expected, type value, int order, int failed)                                       \
    {                                                                                              \
        (void)order;                                                                               \
        (void)failed;                                                                              \
        return __atomic_compare_exchange_n(p, expected, value, false, ORDER, ORDER);               \
    }                                                                                              \
    NAMED(type, swap_##bytes, "__sync_lock_test_and_set_" #bytes, volatile type *p, type value)    \
    {                                                                                              \
        return __atomic_exchange_n(p, value, ORDER);                                               \
    }                                                                                              \
    NAMED(void, release_##bytes, "__sync_lock_release_" #bytes, volatile type *p)                  \
    {                                                                                              \
        __atomic_store_n(p, 0, ORDER);                                                             \
    }                                                                                              \
    NAMED(type, old_swap_##bytes, "__sync_val_compare_and_swap_" #bytes, volatile type *p,         \
          type expected, type value)                                                               \
    {                                                                                              \
        (void)__atomic_compare_exchange_n(p, &expected, value, false, ORDER, ORDER);               \
        return expected;                                                                           \
    }                                                                                              \
    NAMED(bool, is_swap_##bytes, "__sync_bool_compare_and_swap_" #bytes, volatile type *p,         \
          type expected, type value)                                                               \
    {                                                                                              \
        return __atomic_compare_exchange_n(p, &expected, value, false, ORDER, ORDER);              \
    }

/* Defines both families: the function that returns the value before the operation, and the one that
 * returns the value after it. */
#define OPERATION(type, bytes, op)                                                                 \
    NAMED(type, fetch_##op##_##bytes, "__atomic_fetch_" #op "_" #bytes, volatile type *p,          \
          type value, int order)                                                                   \
    {                                                                                              \
        (void)order;                                                                               \
        return __atomic_fetch_##op(p, value, ORDER);                                               \
    }                                                                                              \
    NAMED(type, op##_fetch_##bytes, "__atomic_" #op "_fetch_" #bytes, volatile type *p,            \
          type value, int order)                                                                   \
    {                                                                                              \
        (void)order;                                                                               \
        return __atomic_##op##_fetch(p, value, ORDER);                                             \
    }                                                                                              \
    NAMED(type, sync_fetch_##op##_##bytes, "__sync_fetch_and_" #op "_" #bytes, volatile type *p,   \
          type value)                                                                              \
    {                                                                                              \
        return __atomic_fetch_##op(p, value, ORDER);                                               \
    }                                                                                              \
    NAMED(type, sync_##op##_fetch_##bytes, "__sync_" #op "_and_fetch_" #bytes, volatile type *p,   \
          type value)                                                                              \
    {                                                                                              \
        return __atomic_##op##_fetch(p, value, ORDER);                                             \
    }

#define SIZE(type, bytes)                                                                          \
    ACCESSES(type, bytes)                                                                          \
    OPERATION(type, bytes, add)                                                                    \
    OPERATION(type, bytes, sub)                                                                    \
    OPERATION(type, bytes, and)                                                                    \
    OPERATION(type, bytes, or)                                                                     \
    OPERATION(type, bytes, xor)                                                                    \
    OPERATION(type, bytes, nand)

SIZE(uint8_t, 1)
SIZE(uint16_t, 2)
SIZE(uint32_t, 4)
SIZE(uint64_t, 8)

NAMED(bool, test_and_set, "__atomic_test_and_set", volatile void *p, int order)
{
    (void)order;
    return __atomic_exchange_n((volatile uint8_t *)p, 1, ORDER) != 0;
}

NAMED(void, synchronize, "__sync_synchronize", void)
{
    __atomic_thread_fence(ORDER);
}

/* Returns the thread pointer. Changes only r0 and lr, which callers rely on. */
__asm__(".pushsection .text.__aeabi_read_tp, \"ax\", %progbits\n\t"
        ".arm\n\t.balign 4\n\t.global __aeabi_read_tp\n\t.type __aeabi_read_tp, %function\n"
        "__aeabi_read_tp:\n\t"
        "mrc p15, 0, r0, c13, c0, 3\n\tbx lr\n\t"
        ".size __aeabi_read_tp, . - __aeabi_read_tp\n\t.popsection");
