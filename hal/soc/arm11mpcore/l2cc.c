/* SPDX-License-Identifier: GPL-2.0-or-later */
/* L220 cache controller: DDI 0329; event registers as in Linux's L220 driver. */
#include "hal_l2cc.h"

#include "hal_cpu.h"
#include "hal_err.h"
#include "hal_io.h"
#include "hal_map.h"

#if BOARD_L220_BYTES > 0

#define L2_ID             (BOARD_L220_BASE + 0x000U)
#define L2_CONTROL        (BOARD_L220_BASE + 0x100U)
#define L2_AUX            (BOARD_L220_BASE + 0x104U)
#define L2_EV_CONTROL     (BOARD_L220_BASE + 0x200U)
#define L2_EV_CONFIG1     (BOARD_L220_BASE + 0x204U)
#define L2_EV_CONFIG0     (BOARD_L220_BASE + 0x208U)
#define L2_EV_COUNT1      (BOARD_L220_BASE + 0x20cU)
#define L2_EV_COUNT0      (BOARD_L220_BASE + 0x210U)
#define L2_INT_MASK       (BOARD_L220_BASE + 0x214U)
#define L2_INT_RAW        (BOARD_L220_BASE + 0x21cU)
#define L2_INT_CLEAR      (BOARD_L220_BASE + 0x220U)
#define L2_SYNC           (BOARD_L220_BASE + 0x730U)
#define L2_INV_WAY        (BOARD_L220_BASE + 0x77cU)
#define L2_CLEAN_WAY      (BOARD_L220_BASE + 0x7bcU)
#define L2_CLEAN_INV_WAY  (BOARD_L220_BASE + 0x7fcU)

#define EV_ENABLE         (1U << 0)
#define EV_RESET_BOTH     (3U << 1)
#define EV_EVENT_SHIFT    2U
#define EV_IRQ_NONE       0U
#define EV_IRQ_OVERFLOW   2U /* [1:0]: 0 none, 1 each increment, 2 overflow */
#define INT_EVENT_COUNTER (1U << 0)

#define WAYS              ((unsigned)BOARD_L220_WAYS)
#define WAYS_ALL          ((1U << WAYS) - 1U)
/* Ways and their size, event bus and parity on, shareable attribute ignored (as Linux sets it
 * for the RealView boards); the bits outside the mask are the reset value's. */
#define WAY_BYTES ((unsigned)BOARD_L220_BYTES / WAYS)
#define WAY_SIZE                                                                                   \
    (WAY_BYTES <= 0x4000U    ? 1U                                                                  \
     : WAY_BYTES <= 0x8000U  ? 2U                                                                  \
     : WAY_BYTES <= 0x10000U ? 3U                                                                  \
     : WAY_BYTES <= 0x20000U ? 4U                                                                  \
                             : 5U)
#define AUX      (0x00700000U | WAY_SIZE << 17 | WAYS << 13)
#define AUX_KEEP 0xfe000fffU
/* Polls of a background operation: far more than 32768 lines at 100 cycles each need. */
#define POLL_MAX 10000000U

static int way_operation(uintptr_t reg)
{
    hal_io_write32(reg, WAYS_ALL);
    for (uint32_t n = 0; n < POLL_MAX; n++) {
        if ((hal_io_read32(reg) & WAYS_ALL) == 0) {
            hal_io_write32(L2_SYNC, 0);
            return HAL_OK;
        }
    }
    return HAL_ETIMEOUT;
}

uint32_t hal_l2cc_id(void)
{
    return hal_io_read32(L2_ID);
}

bool hal_l2cc_enabled(void)
{
    return (hal_io_read32(L2_CONTROL) & 1U) != 0;
}

int hal_l2cc_enable(void)
{
    int r;

    if (hal_l2cc_enabled())
        return HAL_OK;
    hal_io_write32(L2_AUX, (hal_io_read32(L2_AUX) & AUX_KEEP) | AUX);
    r = way_operation(L2_INV_WAY);
    if (r != HAL_OK)
        return r;
    hal_io_write32(L2_CONTROL, 1);
    hal_dsb();
    return HAL_OK;
}

int hal_l2cc_clean_all(void)
{
    return way_operation(L2_CLEAN_WAY);
}

int hal_l2cc_clean_invalidate_all(void)
{
    return way_operation(L2_CLEAN_INV_WAY);
}

void hal_l2cc_mon_setup(const uint8_t event[HAL_L2CC_COUNTERS], bool irq)
{
    uint32_t when = irq ? EV_IRQ_OVERFLOW : EV_IRQ_NONE;

    hal_io_write32(L2_EV_CONTROL, 0);
    hal_io_write32(L2_EV_CONFIG0, ((uint32_t)event[0] << EV_EVENT_SHIFT) | when);
    hal_io_write32(L2_EV_CONFIG1, ((uint32_t)event[1] << EV_EVENT_SHIFT) | when);
    hal_io_write32(L2_EV_CONTROL, EV_RESET_BOTH);
    hal_io_write32(L2_INT_CLEAR, INT_EVENT_COUNTER);
    hal_io_write32(L2_INT_MASK, irq ? INT_EVENT_COUNTER : 0U);
}

bool hal_l2cc_mon_answers(const uint8_t event[HAL_L2CC_COUNTERS])
{
    return ((hal_io_read32(L2_EV_CONFIG0) >> EV_EVENT_SHIFT) & 0xfU) == event[0] &&
           ((hal_io_read32(L2_EV_CONFIG1) >> EV_EVENT_SHIFT) & 0xfU) == event[1];
}

void hal_l2cc_mon_start(void)
{
    hal_io_write32(L2_EV_CONTROL, EV_ENABLE);
}

void hal_l2cc_mon_stop(void)
{
    hal_io_write32(L2_EV_CONTROL, 0);
}

uint32_t hal_l2cc_mon_read(unsigned i)
{
    return hal_io_read32(i == 0 ? L2_EV_COUNT0 : L2_EV_COUNT1);
}

bool hal_l2cc_mon_overflow(void)
{
    return (hal_io_read32(L2_INT_RAW) & INT_EVENT_COUNTER) != 0;
}

void hal_l2cc_mon_overflow_clear(void)
{
    hal_io_write32(L2_INT_CLEAR, INT_EVENT_COUNTER);
}

unsigned hal_l2cc_mon_irq(void)
{
    return BOARD_IRQ_L220;
}

#else /* a board without the cache */

uint32_t hal_l2cc_id(void)
{
    return 0;
}

bool hal_l2cc_enabled(void)
{
    return false;
}

int hal_l2cc_enable(void)
{
    return HAL_OK;
}

int hal_l2cc_clean_all(void)
{
    return HAL_OK;
}

int hal_l2cc_clean_invalidate_all(void)
{
    return HAL_OK;
}

void hal_l2cc_mon_setup(const uint8_t event[HAL_L2CC_COUNTERS], bool irq)
{
    (void)event;
    (void)irq;
}

bool hal_l2cc_mon_answers(const uint8_t event[HAL_L2CC_COUNTERS])
{
    (void)event;
    return false;
}

void hal_l2cc_mon_start(void)
{
}

void hal_l2cc_mon_stop(void)
{
}

uint32_t hal_l2cc_mon_read(unsigned i)
{
    (void)i;
    return 0;
}

bool hal_l2cc_mon_overflow(void)
{
    return false;
}

void hal_l2cc_mon_overflow_clear(void)
{
}

unsigned hal_l2cc_mon_irq(void)
{
    return 0;
}

#endif
