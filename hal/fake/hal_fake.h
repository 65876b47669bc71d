/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A machine of plain memory for unit tests on a host: the drivers of hal/soc and hal/board run on
 * it unchanged. Registers hold what was last written until a test scripts them: with a value, or
 * with functions called on access.
 *
 * One machine per process; hal_fake_reset() empties it. Not thread-safe.
 */
#ifndef HAL_FAKE_H
#define HAL_FAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Called instead of accessing the plain register. read: returns the value. write: may store it with
 * hal_fake_poke(). addr: as accessed. */
typedef uint32_t (*hal_fake_read_fn)(void *ctx, uintptr_t addr);
typedef void (*hal_fake_write_fn)(void *ctx, uintptr_t addr, uint32_t value);

/* Resets the machine: all registers zero, no scripts, empty log, core 0, interrupts unmasked. */
void hal_fake_reset(void);

/* Reads (peek) or writes (poke) a word register directly, past any script and log. */
uint32_t hal_fake_peek(uintptr_t addr);
void hal_fake_poke(uintptr_t addr, uint32_t value);

/* Scripts a range of addresses [first, end). NULL: plain memory for that direction. If ranges
 * overlap, the one set last applies. At most 16 ranges. */
void hal_fake_script(uintptr_t first, uintptr_t end, hal_fake_read_fn on_read,
                     hal_fake_write_fn on_write, void *ctx);

/* Returns the address of a CP15 register, for peek, poke and script: each register is a word of its
 * own, in one bank per core. */
uintptr_t hal_fake_cp15(unsigned core, unsigned crn, unsigned op1, unsigned crm, unsigned op2);

/* Selects the core that executes from now on. */
void hal_fake_set_core(unsigned core);

/* Sets a function that hal_wfi() calls; NULL: hal_wfi() returns at once. */
void hal_fake_on_wfi(void (*fn)(void *ctx), void *ctx);
unsigned hal_fake_wfi_count(void);

/* Log of the writes since the reset, in order, CP15 included; the first HAL_FAKE_LOG_MAX are
 * kept. */
#define HAL_FAKE_LOG_MAX 4096U
struct hal_fake_write {
    uintptr_t addr;
    uint32_t value;
    uint8_t bytes; /* 1 or 4 */
};
size_t hal_fake_log(const struct hal_fake_write **log);
void hal_fake_log_clear(void);

/* Scripts a PMU, an SCU monitor and L220 event counters that behave as the hardware does
 * (enable, reset, flags that clear on one; so do the timers' flags). hal_fake_count() adds n to
 * every running counter of a kind whose index is in the mask; counters overflow as real ones. */
enum hal_fake_monitor { HAL_FAKE_PMU, HAL_FAKE_SCU, HAL_FAKE_L2 };
void hal_fake_monitors(void);
void hal_fake_count(enum hal_fake_monitor m, unsigned core, uint32_t mask, uint64_t n);

/* Creates a pair of Intel CFI chips at an address: unlock, erase, program word and buffer, status,
 * query. Allocates `bytes` (a power of two) of memory, all 0xff; hal_fake_cfi_free() frees it. */
struct hal_fake_cfi;
struct hal_fake_cfi *hal_fake_cfi_new(uintptr_t base, uint32_t bytes, uint32_t block_bytes,
                                      uint32_t buffer_bytes, unsigned command_set);
void hal_fake_cfi_free(struct hal_fake_cfi *f);
uint8_t *hal_fake_cfi_memory(struct hal_fake_cfi *f);
/* Sets the status bits that both chips report at the end of the next operation, or the number of
 * polls until they are ready. */
void hal_fake_cfi_fail(struct hal_fake_cfi *f, uint16_t status);
void hal_fake_cfi_busy(struct hal_fake_cfi *f, unsigned polls);
/* Makes the supply fail during the operation-th change of the array from now on (a word programmed
 * or a block erased; 0: never): that change is done in part, bits chosen by the seed, and fn is
 * called, which must not return (longjmp). */
void hal_fake_cfi_cut(struct hal_fake_cfi *f, unsigned operation, unsigned seed,
                      void (*fn)(void *ctx), void *ctx);
/* Returns the number of changes of the array so far. */
unsigned hal_fake_cfi_operations(const struct hal_fake_cfi *f);
/* Switches the chips on again: reading, locked. */
void hal_fake_cfi_power_on(struct hal_fake_cfi *f);

#endif
