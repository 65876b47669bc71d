/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arithmetic of the board's time base: conversion between ticks of any rate and other units,
 * without overflow within 2^63 ns, and the 64-bit count of a counter of 16 to 32 bits. Constant
 * rates and widths fold: with 24 MHz a conversion is one multiplication and one division.
 *
 * Functions without state, callable from anywhere.
 */
#ifndef HAL_TIME_H
#define HAL_TIME_H

#include <stdbool.h>
#include <stdint.h>

#define HAL_TIME_NS_PER_S 1000000000U
#define HAL_TIME_US_PER_S 1000000U

/* Greatest common divisors of a rate with 10^9 = 2^9 * 5^9, as constant expressions. */
#define HAL_TIME_TWOS(hz) (((hz) | 512U) & -((hz) | 512U)) /* the lowest bit that is set */
#define HAL_TIME_FIVES(hz)                                                                         \
    ((hz) % 1953125U == 0  ? 1953125U                                                              \
     : (hz) % 390625U == 0 ? 390625U                                                               \
     : (hz) % 78125U == 0  ? 78125U                                                                \
     : (hz) % 15625U == 0  ? 15625U                                                                \
     : (hz) % 3125U == 0   ? 3125U                                                                 \
     : (hz) % 625U == 0    ? 625U                                                                  \
     : (hz) % 125U == 0    ? 125U                                                                  \
     : (hz) % 25U == 0     ? 25U                                                                   \
     : (hz) % 5U == 0      ? 5U                                                                    \
                           : 1U)
/* Smallest numbers such that TICKS ticks are exactly NS nanoseconds. */
#define HAL_TIME_TICKS(hz) ((hz) / (HAL_TIME_TWOS(hz) * HAL_TIME_FIVES(hz)))
#define HAL_TIME_NS(hz)    (HAL_TIME_NS_PER_S / (HAL_TIME_TWOS(hz) * HAL_TIME_FIVES(hz)))
/* Up to that many ticks, the 64-bit products below do not overflow for a century. */
#define HAL_TIME_SIMPLE 4U

/* Converts ticks at a rate to nanoseconds, rounded down. */
static inline __attribute__((always_inline)) uint64_t hal_time_to_ns(uint32_t hz, uint64_t ticks)
{
    const uint32_t n = HAL_TIME_TICKS(hz);
    const uint32_t ns = HAL_TIME_NS(hz);

    if (n <= HAL_TIME_SIMPLE)
        return ticks * ns / n;
    return ticks / n * ns + ticks % n * ns / n;
}

/* Returns the ticks that last at least `ns` nanoseconds. ns: at most UINT64_MAX / 4. */
static inline __attribute__((always_inline)) uint64_t hal_time_of_ns(uint32_t hz, uint64_t ns)
{
    const uint32_t n = HAL_TIME_TICKS(hz);
    const uint32_t d = HAL_TIME_NS(hz);

    if (n < HAL_TIME_SIMPLE)
        return (ns * n + (d - 1U)) / d;
    return ns / d * n + (ns % d * n + (d - 1U)) / d;
}

/* Converts microseconds to ticks, rounded down. */
static inline __attribute__((always_inline)) uint64_t hal_time_of_us(uint32_t hz, uint32_t us)
{
    if (hz % HAL_TIME_US_PER_S == 0)
        return (uint64_t)us * (hz / HAL_TIME_US_PER_S);
    return (uint64_t)us * hz / HAL_TIME_US_PER_S;
}

/* Converts ticks to microseconds, rounded down. */
static inline __attribute__((always_inline)) uint64_t hal_time_to_us(uint32_t hz, uint64_t ticks)
{
    if (hz % HAL_TIME_US_PER_S == 0)
        return ticks / (hz / HAL_TIME_US_PER_S);
    return ticks / hz * HAL_TIME_US_PER_S + ticks % hz * HAL_TIME_US_PER_S / hz;
}

/*
 * Returns by how much the counter has advanced since a 64-bit count whose low bits are in step with
 * it. bits: its width, 16..32; down: it counts down, from all ones; last: a count of less than half
 * a period ago, or ahead (another core may have read the counter later), which gives a negative
 * step.
 */
static inline __attribute__((always_inline)) int32_t hal_time_step(unsigned bits, bool down,
                                                                   uint64_t last, uint32_t raw)
{
    const unsigned unused = 32U - bits;
    const uint32_t low = down ? ~raw : raw;

    return (int32_t)((low - (uint32_t)last) << unused) >> unused;
}

#endif
