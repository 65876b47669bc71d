/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Wraps newlib's streams: __wrap_f is what a program calls as f, and __real_f is newlib's
 * (private_names.py). One lock for all streams.
 *
 * There is one file per group of functions, so that a program that only prints is not linked with
 * the code for reading.
 */
#ifndef MPJ_STDIO_LOCK_H
#define MPJ_STDIO_LOCK_H

#include "rlock.h"

/* Defines the wrapper of f: its type, parameters in parentheses, and the same as arguments. */
#define MPJ_LOCKED(type, f, params, args)                                                          \
    type __real_##f params;                                                                        \
    type __wrap_##f params;                                                                        \
    type __wrap_##f params                                                                         \
    {                                                                                              \
        type result;                                                                               \
                                                                                                   \
        mpj_rlock_take(&mpj_stdio_lock, __builtin_return_address(0));                              \
        result = __real_##f args;                                                                  \
        mpj_rlock_give(&mpj_stdio_lock);                                                           \
        return result;                                                                             \
    }

#define MPJ_LOCKED_VOID(f, params, args)                                                           \
    void __real_##f params;                                                                        \
    void __wrap_##f params;                                                                        \
    void __wrap_##f params                                                                         \
    {                                                                                              \
        mpj_rlock_take(&mpj_stdio_lock, __builtin_return_address(0));                              \
        __real_##f args;                                                                           \
        mpj_rlock_give(&mpj_stdio_lock);                                                           \
    }

#endif
