/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The installer: an image that runs from RAM, at whatever address it was put (loader_start.S), by
 * JTAG, Boot Monitor, a YMODEM receiver or the loader itself. It writes the boot stage and the
 * loader it carries to the start of the flash (mpj_copies.h), or restores the previous contents. It
 * communicates in plain text at 115200 8N1, with a user, scripts/first-install or `mpjoule flash
 * --install`, and asks before it overwrites anything but an older loader.
 */
#include <string.h>

#include "hal_cpu.h"
#include "hal_err.h"
#include "hal_flash.h"
#include "hal_map.h"
#include "hal_sys.h"
#include "hal_uart.h"
#include "hal_watchdog.h"
#include "loader_layout.h"
#include "mpj_copies.h"
#include "mpj_frame.h"

#define BAUD        115200U
#define ASK         (HAL_SYS_TIME_HZ * 120U)
#define MESSAGES    "mpjoule installer: "
#define BACKUP_LINE 64U

extern const uint8_t install_boot[], install_boot_end[];
extern const uint8_t install_loader[], install_loader_end[];

#define ORDER_WAIT    1U /* wait for a host that sends GO */
#define ORDER_BACKUP  2U /* wait until the host has saved the flash's first megabyte */
#define RESET_WARNING "the chips do not take it; the board may not start from the flash now"
#define GO            4U /* that many 'G' in a row */
#define TRIES         3U

/* Orders of the host, which finds this structure by its magic and fills it in. */
static const volatile struct {
    uint8_t magic[16];
    uint32_t flags;
    uint32_t address, bytes, crc; /* content to restore instead of an installation; bytes 0: none */
    uint32_t own;                 /* address at which the host may put the installer itself */
} order = {.magic = "mpjoule-order", .address = LOADER_RESTORE, .own = MPJ_RAM_FIRST};

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

/* Prints one line: a text, and a number with its unit. */
static void tell(const char *what, uint32_t v, uint32_t base, const char *unit)
{
    say(MESSAGES);
    say(what);
    say_number(v, base);
    say(unit);
    say("\r\n");
}

/* Prints the last line: nothing more happens until the board is reset. */
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

/* Returns true for a 'y' from the user; anything else, or nothing within two minutes, means no. */
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

/* Waits for GO, since the host's last words to a loader that started this image may still
 * arrive. */
static void wait_for_go(void)
{
    unsigned seen = 0;

    hal_uart_waiting(true);
    while (seen < GO) {
        const int c = hal_uart_try_get();

        if (c >= 0)
            seen = c == 'G' ? seen + 1U : 0;
    }
    hal_uart_waiting(false);
}

/* ---- the work ----------------------------------------------------------------------- */

/* Sends lines of "backup: ", the offset, 64 bytes, and their CRC-32. */
static void send_backup(const uint8_t *bank)
{
    static const char digit[] = "0123456789abcdef";

    for (uint32_t at = 0; at < (4U * MPJ_COPIES_PART); at += BACKUP_LINE) {
        char text[2U * BACKUP_LINE];

        for (uint32_t i = 0; i < BACKUP_LINE; i++) {
            text[2U * i] = digit[bank[at + i] >> 4];
            text[2U * i + 1U] = digit[bank[at + i] & 0xfU];
        }
        say("backup: ");
        say_number(at, 16);
        say(" ");
        hal_uart_write(text, sizeof(text));
        say(" ");
        say_number(mpj_crc32(0, bank + at, BACKUP_LINE), 16);
        say("\r\n");
    }
    tell("sent the first megabyte, CRC-32 ", mpj_crc32(0, bank, (4U * MPJ_COPIES_PART)), 16, "");
}

static void step(void *ctx, char what, uint32_t offset)
{
    (void)ctx;
    if (what != 'j')
        tell(what == 'b' ? "writing the boot stage at " : "writing at ", offset, 16, "");
}

static _Noreturn void done(const char *what, uint32_t crc, const char *then)
{
    tell(what, crc, 16, "");
    say(MESSAGES "DONE: ");
    say(then);
    say("\r\n");
    hal_uart_drain();
    for (;;) {
        hal_sys_reset();
        hal_wfi();
    }
}

static void restore(const struct hal_flash *f)
{
    const uint8_t *const content = (const uint8_t *)(uintptr_t)order.address;
    const uint32_t bytes = order.bytes;
    int r;

    tell("to restore: bytes ", bytes, 10, "");
    if (mpj_crc32(0, content, bytes) != order.crc)
        stop("they are not where they should be, or damaged; nothing was changed", 0);
    r = mpj_copies_restore(f, (const uint8_t *)f->base, content, bytes, step, NULL);
    for (unsigned n = 1; n < TRIES && r != HAL_OK && r != HAL_EINVAL; n++) {
        tell("failed, once more: ", (uint32_t)-r, 10, "");
        r = mpj_copies_restore(f, (const uint8_t *)f->base, content, bytes, step, NULL);
    }
    if (r != HAL_OK)
        stop(r == HAL_EINVAL ? "the backup is too large to restore; nothing was changed"
                             : RESET_WARNING,
             r);
    done("restored, CRC-32 ", mpj_crc32(0, (const void *)f->base, bytes),
         "what was there before is back; reset the board");
}

static void install(const struct hal_flash *f)
{
    const struct mpj_copies_new what = {
        .boot = install_boot,
        .loader = install_loader,
        .boot_bytes = (uint32_t)(install_boot_end - install_boot),
        .loader_bytes = (uint32_t)(install_loader_end - install_loader),
    };
    const uint8_t *const bank = (const uint8_t *)f->base;
    const uint32_t crc = mpj_crc32(0, what.loader, what.loader_bytes);
    enum mpj_copies_state state;
    int r;

    tell("loader of ", what.loader_bytes, 10, " bytes");
    tell("CRC-32 ", crc, 16, "");
    r = mpj_copies_look(f, bank, &what, &state);
    if (r != HAL_OK)
        stop("the loader does not fit into its part of the flash", r);
    switch (state) {
    case MPJ_COPIES_SAME:
        say(MESSAGES "it is there already\r\n");
        break;
    case MPJ_COPIES_BEGUN:
        say(MESSAGES "an installation was interrupted: it is resumed\r\n");
        break;
    case MPJ_COPIES_OURS:
        say(MESSAGES "it takes the place of another loader\r\n");
        break;
    case MPJ_COPIES_ERASED:
        break;
    case MPJ_COPIES_FOREIGN:
        tell("the flash holds something else; its first word is ", *(const volatile uint32_t *)bank,
             16, "");
        say(MESSAGES "overwrite it? y or n: ");
        if (!yes())
            stop("nothing was changed", 0);
        say("y\r\n");
        break;
    }
    if (state != MPJ_COPIES_SAME) {
        r = mpj_copies_install(f, bank, &what, step, NULL);
        for (unsigned n = 1; n < TRIES && r != HAL_OK; n++) {
            tell("failed, once more: ", (uint32_t)-r, 10, "");
            r = mpj_copies_install(f, bank, &what, step, NULL);
        }
        if (r != HAL_OK)
            stop(RESET_WARNING, r);
        r = mpj_copies_look(f, bank, &what, &state);
        if (r != HAL_OK || state != MPJ_COPIES_SAME)
            stop("it reads back otherwise", r);
    }
    done("verified, CRC-32 ", crc,
         "set the board to start from the flash at " TILE_TEXT(BOARD_NOR0_BASE) ", and reset it");
}

void mpj_loader_main(void)
{
    struct hal_flash f;
    int r;

    hal_watchdog_stop(); /* a loader may have started it */
    (void)hal_uart_init(BAUD);
    if ((order.flags & ORDER_WAIT) != 0)
        wait_for_go();
    say("\r\n");
    r = hal_flash_probe(&f, hal_flash_bank(0));
    if (r != HAL_OK)
        stop("no flash found at BOARD_NOR0_BASE", r);
    tell("flash of ", f.bytes >> 20, 10, " MB");
    if ((order.flags & ORDER_BACKUP) != 0) {
        send_backup((const uint8_t *)f.base);
        say(MESSAGES "is the copy whole, and kept? y or n: ");
        if (!yes())
            stop("nothing was changed", 0);
        say("y\r\n");
    }
    if (order.bytes != 0)
        restore(&f);
    else
        install(&f);
}
