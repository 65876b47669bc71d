/* SPDX-License-Identifier: GPL-2.0-or-later */
/* UART0: PL011, DDI 0183. */
#include "hal_uart.h"

#include "hal_cpu.h"
#include "hal_err.h"
#include "hal_io.h"
#include "hal_map.h"

#define UART_DR   (BOARD_UART0_BASE + 0x00U)
#define UART_FR   (BOARD_UART0_BASE + 0x18U)
#define UART_IBRD (BOARD_UART0_BASE + 0x24U)
#define UART_FBRD (BOARD_UART0_BASE + 0x28U)
#define UART_LCRH (BOARD_UART0_BASE + 0x2cU)
#define UART_CR   (BOARD_UART0_BASE + 0x30U)
#define UART_IFLS (BOARD_UART0_BASE + 0x34U)
#define UART_IMSC (BOARD_UART0_BASE + 0x38U)
#define UART_ICR  (BOARD_UART0_BASE + 0x44U)

#define FR_BUSY   (1U << 3)
#define FR_RXFE   (1U << 4)
#define FR_TXFF   (1U << 5)
#define LCRH_8N1F 0x70U  /* 8 bits, no parity, FIFOs on */
#define CR_ENABLE 0x301U /* UART, transmitter, receiver */
#define IFLS_LOW  0x00U  /* transmitter: at an eighth; receiver likewise */
#define INT_TX    (1U << 5)
#define CR_OUT1   (1U << 12)
#define CR_OUT2   (1U << 13)

static uint32_t transport[HAL_CORES_MAX]; /* CR_OUT2 or 0 */

/* Returns the divisor for a rate, clock / (16 * baud) in 64ths, or 0 when the clock cannot make it
 * within 2 %. */
static uint32_t divisor(uint32_t baud)
{
    uint32_t div;
    uint32_t real;

    if (baud == 0 || baud > BOARD_UART_HZ / 16U)
        return 0;
    div = (BOARD_UART_HZ * 4U + baud / 2U) / baud;
    if (div >= 65536U * 64U)
        return 0;
    real = BOARD_UART_HZ * 4U / div;
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
    hal_io_write32(UART_CR, 0);
    hal_io_write32(UART_IMSC, 0);
    hal_io_write32(UART_ICR, 0x7ffU);
    hal_io_write32(UART_IBRD, div / 64U);
    hal_io_write32(UART_FBRD, div % 64U);
    hal_io_write32(UART_LCRH, LCRH_8N1F); /* latches the divisors */
    hal_io_write32(UART_IFLS, IFLS_LOW);
    hal_io_write32(UART_CR, CR_ENABLE);
    return HAL_OK;
}

bool hal_uart_try_put(uint8_t byte)
{
    if ((hal_io_read32(UART_FR) & FR_TXFF) != 0)
        return false;
    hal_io_write32(UART_DR, byte);
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
    while ((hal_io_read32(UART_FR) & FR_BUSY) != 0)
        ;
}

int hal_uart_try_get(void)
{
    if ((hal_io_read32(UART_FR) & FR_RXFE) != 0)
        return -1;
    return (int)(hal_io_read32(UART_DR) & 0xffU);
}

void hal_uart_tx_interrupt(bool on)
{
    hal_io_write32(UART_IMSC, on ? INT_TX : 0U);
}

unsigned hal_uart_irq(void)
{
    return BOARD_IRQ_UART0;
}

void hal_uart_waiting(bool on)
{
    hal_io_write32(UART_CR, CR_ENABLE | transport[hal_cpu_id()] | (on ? CR_OUT1 : 0U));
}

bool hal_uart_transport(bool on)
{
    uint32_t *const mine = &transport[hal_cpu_id()];
    const bool was = *mine != 0;

    if (was != on) {
        *mine = on ? CR_OUT2 : 0U;
        hal_io_write32(UART_CR, CR_ENABLE | *mine);
    }
    return was;
}
