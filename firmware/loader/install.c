/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The installer: an image that runs from RAM, wherever in it it was put (loader_start.S), by JTAG,
 * Boot Monitor or a YMODEM receiver, and writes the resident loader it carries to the start of the
 * flash. It talks plain text at 115200 8N1, to a person or to scripts/first-install, and asks
 * before it overwrites anything but an older loader.
 */
#include <string.h>

#include "hal_cpu.h"
#include "hal_err.h"
#include "hal_flash.h"
#include "hal_map.h"
#include "hal_sys.h"
#include "hal_uart.h"
#include "mpj_frame.h"
#include "mpj_slots.h"

#define BAUD     115200U
#define ASK      (HAL_SYS_TIME_HZ * 120U)
#define WORD(p)  (*(const volatile uint32_t *)(p))
#define ERASED   0xffffffffU
#define MESSAGES "mpjoule installer: "

extern const uint8_t install_payload[], install_payload_end[];

void mpj_loader_main(void);

/* ---- text ------------------------------------------------------------------------- */

static void say(const char *text)
{
    hal_uart_write(text, strlen(text));
}

static void say_number(uint32_t v, uint32_t base)
{
    char buf[11];
    unsigned at = sizeof(buf);

    do {
        const uint32_t d = v % base;

        buf[--at] = (char)(d < 10U ? '0' + d : 'a' + d - 10U);
        v /= base;
    } while (v != 0);
    say(base == 16U ? "0x" : "");
    hal_uart_write(buf + at, sizeof(buf) - at);
}

/* One line: what, and a number of meaning. */
static void tell(const char *what, uint32_t v, uint32_t base, const char *unit)
{
    say(MESSAGES);
    say(what);
    say_number(v, base);
    say(unit);
    say("\r\n");
}

/* The last line: nothing more happens until the board is reset. */
static _Noreturn void stop(const char *why, int code)
{
    say(MESSAGES "FAILED: ");
    say(why);
    say(" (");
    say_number((uint32_t)-code, 10);
    say(")\r\n");
    hal_uart_drain();
    for (;;)
        hal_wfi();
}

/* A 'y' from the user; anything else, or nothing within two minutes, means no. */
static bool yes(void)
{
    const uint32_t begin = hal_sys_ticks32();
    int c = -1;

    hal_uart_waiting(true);
    while (c < 0 && hal_sys_ticks32() - begin < ASK)
        c = hal_uart_try_get();
    hal_uart_waiting(false);
    return c == 'y';
}

/* ---- the work ----------------------------------------------------------------------- */

static bool same(const struct hal_flash *f, const uint8_t *payload, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes; i += 4U) {
        uint32_t v;

        memcpy(&v, payload + i, 4U);
        if (WORD(f->base + i) != v)
            return false;
    }
    return true;
}

/* Whether there is anything but an erased flash or a loader of ours in what will be erased. */
static bool foreign(const struct hal_flash *f, const uint8_t *payload, uint32_t bytes)
{
    const uint32_t first = WORD(f->base);
    uint32_t ours;

    memcpy(&ours, payload, 4U); /* every loader begins with the same instruction */
    if (first == ours)
        return false;
    for (uint32_t i = 0; i < bytes; i += 4U) {
        if (WORD(f->base + i) != ERASED)
            return true;
    }
    return false;
}

void mpj_loader_main(void)
{
    const uint32_t bytes = (uint32_t)(install_payload_end - install_payload);
    uint32_t last = 0, start, block, end = 0;
    struct hal_flash f;
    int r;

    (void)hal_uart_init(BAUD);
    say("\r\n");
    tell("loader of ", bytes, 10, " bytes");
    tell("CRC-32 ", mpj_crc32(0, install_payload, bytes), 16, "");
    r = hal_flash_probe(&f, hal_flash_bank(0));
    if (r != HAL_OK)
        stop("no flash found at BOARD_NOR0_BASE", r);
    tell("flash of ", f.bytes >> 20, 10, " MB");
    while (end < bytes) {
        r = hal_flash_block(&f, end, &start, &block);
        if (r != HAL_OK || start + block > MPJ_SLOTS_LOADER_BYTES)
            stop("the loader does not fit into its part of the flash", r);
        end = start + block;
    }
    if (same(&f, install_payload, bytes)) {
        say(MESSAGES "it is there already\r\n");
    } else {
        if (foreign(&f, install_payload, end)) {
            tell("the flash holds something else; its first word is ", WORD(f.base), 16, "");
            say(MESSAGES "overwrite it? y or n: ");
            if (!yes())
                stop("nothing was changed", 0);
            say("y\r\n");
        }
        hal_flash_vpp(true);
        for (uint32_t at = 0; at < end && r == HAL_OK; at += block) {
            tell("erasing at ", at, 16, "");
            r = hal_flash_block(&f, at, &start, &block);
            if (r == HAL_OK)
                r = hal_flash_erase(&f, at);
        }
        if (r != HAL_OK)
            stop("erase", r);
        /* The first block's first words last: a flash without them starts nothing half written. */
        say(MESSAGES "programming\r\n");
        last = bytes < 64U ? bytes : 64U;
        r = hal_flash_program(&f, last, install_payload + last, bytes - last);
        if (r == HAL_OK)
            r = hal_flash_program(&f, 0, install_payload, last);
        hal_flash_vpp(false);
        if (r != HAL_OK)
            stop("program", r);
        if (!same(&f, install_payload, bytes))
            stop("it reads back otherwise", 0);
    }
    tell("verified, CRC-32 ", mpj_crc32(0, (const void *)f.base, bytes), 16, "");
    say(MESSAGES "DONE: set the board to start from the flash at 0x40000000, and reset it\r\n");
    hal_uart_drain();
    for (;;) {
        hal_sys_reset();
        hal_wfi();
    }
}
