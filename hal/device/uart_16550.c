/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * UART0: 16550A, a FIFO of 16 bytes. Registers are BOARD_UART_STRIDE bytes apart, each accessed as
 * a byte. The OX820 has a ninth one with three more bits of the divisor in its bits 7..5 (public
 * U-Boot sources for it; Linux 6.1 runs it on whole divisors).
 *
 * The emulator reads outputs that drive nothing on a chip: MCR.OUT1, and bit 0 of the scratch
 * register. OUT2 is not used, since it enables the interrupt where a 16550 is on a PC's bus.
 */
#include "hal_uart.h"

#include "hal_cpu.h"
#include "hal_err.h"
#include "hal_io.h"
#include "hal_map.h"
#include "tile_machine.h"

#define REGISTER(n)   (BOARD_UART0_BASE + (n) * (unsigned)(BOARD_UART_STRIDE))
#define UART_DATA     REGISTER(0U)
#define UART_DLL      REGISTER(0U)
#define UART_IER      REGISTER(1U)
#define UART_DLM      REGISTER(1U)
#define UART_FCR      REGISTER(2U)
#define UART_LCR      REGISTER(3U)
#define UART_MCR      REGISTER(4U)
#define UART_LSR      REGISTER(5U)
#define UART_SCR      REGISTER(7U)
#define UART_FRACTION REGISTER(9U)

#define FCR_ON        0x07U /* FIFOs on and emptied; receive interrupt from the first byte on */
#define LCR_8N1       0x03U
#define LCR_DIVISOR   0x80U
#define MCR_ON        0x03U /* DTR, RTS */
#define MCR_OUT1      0x04U
#define IER_EMPTY     0x02U
#define LSR_DATA      0x01U
#define LSR_EMPTY     0x20U /* nothing left in the transmit FIFO */
#define LSR_IDLE      0x40U /* nor in the shift register */
#define SCR_TRANSPORT 0x01U

#define FIFO          16U

/* The divisor is clock / (16 * rate) in PARTS. */
#define PARTS      (BOARD_UART_DIVISOR == TILE_DIVISOR_8THS ? 8U : 1U)
#define RATE_CLOCK (BOARD_UART_HZ / 16U * PARTS + BOARD_UART_HZ % 16U * PARTS / 16U)

static unsigned free_bytes; /* at least that many fit into the transmit FIFO */
static uint8_t transport[HAL_CORES_MAX];

/* Returns the divisor in PARTS, or 0 when the clock cannot make the rate within 2 %. */
static uint32_t divisor(uint32_t baud)
{
    uint32_t div;
    uint32_t real;

    if (baud == 0 || baud > BOARD_UART_HZ / 16U)
        return 0;
    div = (RATE_CLOCK + baud / 2U) / baud;
    if (div < PARTS || div >= 65536U * PARTS)
        return 0;
    real = RATE_CLOCK / div;
    return real > baud + baud / 50U || real < baud - baud / 50U ? 0 : div;
}

bool hal_uart_possible(uint32_t baud)
{
    return divisor(baud) != 0;
}

int hal_uart_init(uint32_t baud)
{
    const uint32_t div = divisor(baud);

    if (div == 0)
        return HAL_EINVAL;
    hal_io_write8(UART_IER, 0);
    hal_io_write8(UART_LCR, LCR_DIVISOR | LCR_8N1);
    hal_io_write8(UART_DLL, (uint8_t)(div / PARTS));
    hal_io_write8(UART_DLM, (uint8_t)(div / PARTS >> 8));
    if (PARTS > 1U)
        hal_io_write8(UART_FRACTION, (uint8_t)(div % PARTS << 5));
    hal_io_write8(UART_LCR, LCR_8N1);
    hal_io_write8(UART_FCR, FCR_ON);
    hal_io_write8(UART_MCR, MCR_ON);
    hal_io_write8(UART_SCR, 0);
    free_bytes = FIFO;
    return HAL_OK;
}

bool hal_uart_try_put(uint8_t byte)
{
    if (free_bytes == 0) {
        if ((hal_io_read8(UART_LSR) & LSR_EMPTY) == 0)
            return false;
        free_bytes = FIFO;
    }
    free_bytes--;
    hal_io_write8(UART_DATA, byte);
    return true;
}

void hal_uart_write(const void *data, size_t len)
{
    const uint8_t *p = data;

    for (size_t i = 0; i < len; i++) {
        while (!hal_uart_try_put(p[i]))
            ;
    }
}

void hal_uart_drain(void)
{
    while ((hal_io_read8(UART_LSR) & LSR_IDLE) == 0)
        ;
    free_bytes = FIFO;
}

int hal_uart_try_get(void)
{
    if ((hal_io_read8(UART_LSR) & LSR_DATA) == 0)
        return -1;
    return (int)hal_io_read8(UART_DATA);
}

void hal_uart_tx_interrupt(bool on)
{
    hal_io_write8(UART_IER, on ? IER_EMPTY : 0U);
}

unsigned hal_uart_irq(void)
{
    return BOARD_IRQ_UART0;
}

void hal_uart_waiting(bool on)
{
    hal_io_write8(UART_MCR, on ? MCR_ON | MCR_OUT1 : MCR_ON);
}

bool hal_uart_transport(bool on)
{
    uint8_t *const mine = &transport[hal_cpu_id()];
    const bool was = *mine != 0;

    if (was != on) {
        *mine = on ? SCR_TRANSPORT : 0U;
        hal_io_write8(UART_SCR, *mine);
    }
    return was;
}
