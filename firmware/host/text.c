/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mpj_text.h"

#include <string.h>

#include "hal_uart.h"

#define DIGITS 10U

static void (*reset)(void); /* NULL: no text */

void mpj_text_begin(void (*at)(void))
{
    reset = at;
}

bool mpj_text_on(void)
{
    return reset != NULL;
}

bool mpj_text_byte(uint8_t byte)
{
    return (byte >= ' ' && byte <= '~') || byte == '\r' || byte == '\n' || byte == '\t' ||
           byte == '\b' || byte == 0x7f;
}

static void say(const char *text)
{
    hal_uart_write(text, strlen(text));
}

static void say_decimal(uint32_t value)
{
    char digits[DIGITS];
    unsigned n = DIGITS;

    do {
        digits[--n] = (char)('0' + value % 10U);
        value /= 10U;
    } while (value != 0);
    hal_uart_write(digits + n, DIGITS - n);
}

static void say_hex(uint32_t value)
{
    char digits[] = "0x00000000";

    for (unsigned i = sizeof(digits) - 2U; value != 0; i--, value >>= 4)
        digits[i] = "0123456789abcdef"[value & 15U];
    say(digits);
}

void mpj_text_invite(void)
{
    static const char text[] =
        "\r\nmpjoule: waits for the host; Enter starts the program, with its output as text\r\n";

    hal_uart_write(text, sizeof(text)); /* its zero separates it from the next frame */
}

void mpj_text_write(const void *data, size_t len)
{
    const char *p = data;
    int c;

    while ((c = hal_uart_try_get()) >= 0) {
        if (!mpj_text_byte((uint8_t)c))
            reset();
    }
    while (len > 0) {
        const char *const end = memchr(p, '\n', len);
        const size_t n = end != NULL ? (size_t)(end - p) : len;

        hal_uart_write(p, n);
        if (end != NULL)
            say("\r\n");
        p += n + (end != NULL);
        len -= n + (end != NULL);
    }
}

void mpj_text_fault(const struct mpj_fault *f)
{
    say("\r\nmpjoule: ");
    say(mpj_fault_name(f->kind));
    say(" at ");
    say_hex(f->r[15]);
    say(", address ");
    say_hex(f->kind == MPJ_FAULT_PREFETCH ? f->ifar : f->dfar);
    say(", return address ");
    say_hex(f->r[14]);
    say(", core ");
    say_decimal(f->core);
    say(", thread ");
    say_decimal(f->thread);
}

void mpj_text_error(const struct mpj_error_rec *e)
{
    say("\r\nmpjoule: ");
    say(mpj_target_strerror(e->code));
    if (e->text.len > 0)
        say(": ");
    hal_uart_write(e->text.p, e->text.len);
}

void mpj_text_end(int32_t status)
{
    say("\r\nmpjoule: the program has ended with status ");
    if (status < 0)
        say("-");
    say_decimal(status < 0 ? 0U - (uint32_t)status : (uint32_t)status);
    say("\r\n");
    hal_uart_drain();
}
