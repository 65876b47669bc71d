/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hal_fake.h"

#include <string.h>

#include "hal_cpu.h"
#include "hal_io.h"
#include "hal_map.h"

#define WORDS_MAX   1024U
#define SCRIPTS_MAX 16U
/* Addresses of the CP15 registers, far from any board address: one bank of 64 KB per core. */
#define CP15_BASE 0xc0000000U

static struct {
    struct {
        uintptr_t addr;
        uint32_t value;
    } word[WORDS_MAX];
    size_t words;
    struct {
        uintptr_t first, end;
        hal_fake_read_fn on_read;
        hal_fake_write_fn on_write;
        void *ctx;
    } script[SCRIPTS_MAX];
    size_t scripts;
    struct hal_fake_write log[HAL_FAKE_LOG_MAX];
    size_t logged;
    unsigned core;
    bool masked[HAL_CORES_MAX];
    uint32_t context[HAL_CORES_MAX];
    const void *tls[HAL_CORES_MAX];
    void *self[HAL_CORES_MAX];
    void (*on_wfi)(void *ctx);
    void *wfi_ctx;
    unsigned wfi_count;
} fake;

void hal_fake_reset(void)
{
    memset(&fake, 0, sizeof(fake));
}

static uint32_t *word(uintptr_t addr)
{
    static uint32_t overflow;

    addr &= ~(uintptr_t)3;
    for (size_t i = 0; i < fake.words; i++) {
        if (fake.word[i].addr == addr)
            return &fake.word[i].value;
    }
    if (fake.words == WORDS_MAX)
        return &overflow;
    fake.word[fake.words].addr = addr;
    fake.word[fake.words].value = 0;
    return &fake.word[fake.words++].value;
}

uint32_t hal_fake_peek(uintptr_t addr)
{
    return *word(addr);
}

void hal_fake_poke(uintptr_t addr, uint32_t value)
{
    *word(addr) = value;
}

void hal_fake_script(uintptr_t first, uintptr_t end, hal_fake_read_fn on_read,
                     hal_fake_write_fn on_write, void *ctx)
{
    if (fake.scripts == SCRIPTS_MAX)
        return;
    fake.script[fake.scripts].first = first;
    fake.script[fake.scripts].end = end;
    fake.script[fake.scripts].on_read = on_read;
    fake.script[fake.scripts].on_write = on_write;
    fake.script[fake.scripts].ctx = ctx;
    fake.scripts++;
}

static int script_of(uintptr_t addr)
{
    for (size_t i = fake.scripts; i > 0; i--) {
        if (addr >= fake.script[i - 1].first && addr < fake.script[i - 1].end)
            return (int)(i - 1);
    }
    return -1;
}

static uint32_t read_any(uintptr_t addr)
{
    int i = script_of(addr);

    if (i >= 0 && fake.script[i].on_read != NULL)
        return fake.script[i].on_read(fake.script[i].ctx, addr);
    return *word(addr);
}

static void write_any(uintptr_t addr, uint32_t value, uint8_t bytes)
{
    int i = script_of(addr);

    if (fake.logged < HAL_FAKE_LOG_MAX)
        fake.log[fake.logged++] = (struct hal_fake_write){addr, value, bytes};
    if (i >= 0 && fake.script[i].on_write != NULL) {
        fake.script[i].on_write(fake.script[i].ctx, addr, value);
    } else if (bytes == 1) {
        unsigned shift = 8U * (unsigned)(addr & 3U);
        uint32_t *w = word(addr);

        *w = (*w & ~(0xffU << shift)) | (value << shift);
    } else {
        *word(addr) = value;
    }
}

uint32_t hal_io_read32(uintptr_t addr)
{
    return read_any(addr);
}

void hal_io_write32(uintptr_t addr, uint32_t value)
{
    write_any(addr, value, 4);
}

/* Reads a byte; a script returns the byte itself, since its registers may be a byte apart. */
uint8_t hal_io_read8(uintptr_t addr)
{
    int i = script_of(addr);

    if (i >= 0 && fake.script[i].on_read != NULL)
        return (uint8_t)fake.script[i].on_read(fake.script[i].ctx, addr);
    return (uint8_t)(*word(addr) >> (8U * (unsigned)(addr & 3U)));
}

void hal_io_write8(uintptr_t addr, uint8_t value)
{
    write_any(addr, value, 1);
}

uintptr_t hal_fake_cp15(unsigned core, unsigned crn, unsigned op1, unsigned crm, unsigned op2)
{
    return CP15_BASE + core * 0x10000U + (((crn * 8U + op1) * 16U + crm) * 8U + op2) * 4U;
}

uint32_t hal_cp15_read(unsigned crn, unsigned op1, unsigned crm, unsigned op2)
{
    return read_any(hal_fake_cp15(fake.core, crn, op1, crm, op2));
}

void hal_cp15_write(unsigned crn, unsigned op1, unsigned crm, unsigned op2, uint32_t value)
{
    write_any(hal_fake_cp15(fake.core, crn, op1, crm, op2), value, 4);
}

void hal_fake_set_core(unsigned core)
{
    fake.core = core % HAL_CORES_MAX;
}

void hal_fake_on_wfi(void (*fn)(void *ctx), void *ctx)
{
    fake.on_wfi = fn;
    fake.wfi_ctx = ctx;
}

unsigned hal_fake_wfi_count(void)
{
    return fake.wfi_count;
}

size_t hal_fake_log(const struct hal_fake_write **log)
{
    *log = fake.log;
    return fake.logged;
}

void hal_fake_log_clear(void)
{
    fake.logged = 0;
}

/* ---- hal_cpu.h -------------------------------------------------------------------- */

unsigned hal_cpu_id(void)
{
    return fake.core;
}

hal_irq_state hal_irq_save(void)
{
    hal_irq_state s = fake.masked[fake.core] ? 1U : 0U;

    fake.masked[fake.core] = true;
    return s;
}

void hal_irq_restore(hal_irq_state s)
{
    fake.masked[fake.core] = s != 0;
}

void hal_irq_enable(void)
{
    fake.masked[fake.core] = false;
}

void hal_irq_disable(void)
{
    fake.masked[fake.core] = true;
}

bool hal_irq_masked(void)
{
    return fake.masked[fake.core];
}

void hal_dmb(void)
{
}

void hal_dsb(void)
{
}

void hal_isb(void)
{
}

bool hal_cpu_predict(bool on)
{
    const uint32_t z = 1U << 11;
    const uint32_t v = hal_cp15_read(1, 0, 0, 0);

    hal_cp15_write(1, 0, 0, 0, on ? v | z : v & ~z);
    return (v & z) != 0;
}

void hal_wfi(void)
{
    fake.wfi_count++;
    if (fake.on_wfi != NULL)
        fake.on_wfi(fake.wfi_ctx);
}

uint32_t hal_cpu_midr(void)
{
    return 0x410fb022U;
}

void hal_cpu_set_context(uint32_t id)
{
    fake.context[fake.core] = id;
}

uint32_t hal_cpu_context(void)
{
    return fake.context[fake.core];
}

void hal_cpu_set_tls(const void *block)
{
    fake.tls[fake.core] = block;
}

void *hal_cpu_tls(void)
{
    return (void *)(uintptr_t)fake.tls[fake.core];
}

void hal_cpu_set_self(void *thread)
{
    fake.self[fake.core] = thread;
}

void *hal_cpu_self(void)
{
    return fake.self[fake.core];
}
