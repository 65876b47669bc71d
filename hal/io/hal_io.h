/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Register access of the drivers of hal/; private to hal/. On the target each access is a single
 * load, store or CP15 transfer; on a host hal/fake answers from plain memory, so that unit tests
 * run the same drivers as the board.
 */
#ifndef HAL_IO_H
#define HAL_IO_H

#include <stdint.h>

#ifdef __arm__

static inline uint32_t hal_io_read32(uintptr_t addr)
{
    return *(volatile const uint32_t *)addr;
}

static inline void hal_io_write32(uintptr_t addr, uint32_t value)
{
    *(volatile uint32_t *)addr = value;
}

static inline uint8_t hal_io_read8(uintptr_t addr)
{
    return *(volatile const uint8_t *)addr;
}

static inline void hal_io_write8(uintptr_t addr, uint8_t value)
{
    *(volatile uint8_t *)addr = value;
}

#define HAL_CP15_READ(crn, op1, crm, op2)                                                          \
    __extension__({                                                                                \
        uint32_t hal_cp15_value;                                                                   \
        __asm__ volatile("mrc p15, " #op1 ", %0, c" #crn ", c" #crm ", " #op2                      \
                         : "=r"(hal_cp15_value)                                                    \
                         :                                                                         \
                         : "memory");                                                              \
        hal_cp15_value;                                                                            \
    })
#define HAL_CP15_WRITE(crn, op1, crm, op2, value)                                                  \
    __asm__ volatile("mcr p15, " #op1 ", %0, c" #crn ", c" #crm ", " #op2                          \
                     :                                                                             \
                     : "r"((uint32_t)(value))                                                      \
                     : "memory")

#else

uint32_t hal_io_read32(uintptr_t addr);
void hal_io_write32(uintptr_t addr, uint32_t value);
uint8_t hal_io_read8(uintptr_t addr);
void hal_io_write8(uintptr_t addr, uint8_t value);
uint32_t hal_cp15_read(unsigned crn, unsigned op1, unsigned crm, unsigned op2);
void hal_cp15_write(unsigned crn, unsigned op1, unsigned crm, unsigned op2, uint32_t value);

#define HAL_CP15_READ(crn, op1, crm, op2)         hal_cp15_read(crn, op1, crm, op2)
#define HAL_CP15_WRITE(crn, op1, crm, op2, value) hal_cp15_write(crn, op1, crm, op2, value)

#endif

#endif
