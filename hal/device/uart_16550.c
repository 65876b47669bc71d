/* SPDX-License-Identifier: GPL-2.0-or-later */
/* UART: 16550A and what is compatible with it, registers BOARD_UART_STRIDE bytes apart. */
#include "hal_uart.h"

#include "hal_cpu.h"
#include "hal_err.h"
#include "hal_io.h"
#include "hal_map.h"

#define REG(n)      (BOARD_UART0_BASE + (n) * (unsigned)BOARD_UART_STRIDE)

#define RBR         REG(0U) /* read: receiver; write: transmitter; with DLAB the divisor's low byte */
#define IER         REG(1U) /* with DLAB the divisor's high byte */
#define FCR         REG(2U)
#define LCR         REG(3U)
#define MCR         REG(4U)
#define LSR         REG(5U)
#define DLF         REG(9U) /* OX820: three more bits of the divisor, below the point */

#define FCR_ON      0x07U /* FIFOs on and emptied, receiver's interrupt at one byte */
#define LCR_8N1     0x03U
#define LCR_DLAB    0x80U
#define MCR_DTR_RTS 0x03U
#define MCR_OUT1    0x04U
#define MCR_OUT2    0x08U
#define LSR_READY   0x01U /* a byte was received */
#define LSR_EMPTY   0x20U /* the transmit FIFO is */
#define LSR_IDLE    0x40U /* and the shift register */
#define IER_TX      0x02U
#define FIFO        16U

static uint32_t transport[HAL_CORES_MAX]; /* MCR_OUT2 or 0 */
static uint32_t free_places;              /* of the transmit FIFO, at least */

static uint8_t get(uintptr_t reg)
{
    return hal_io_read8(reg);
}

static void put(uintptr_t reg, uint32_t value)
{
    hal_io_write8(reg, (uint8_t)value);
}

/* Units of the divisor in a whole one. */
static uint32_t parts(void)
{
    return BOARD_UART_DIVISOR == TILE_DIVISOR_8THS ? 8U : 1U;
}

/* Divisor for a rate, clock / (16 * baud) in its units; 0 when the clock cannot make it within 2 %.
 */
static uint32_t divisor(uint32_t baud)
{
    const uint64_t scaled = (uint64_t)BOARD_UART_HZ * parts();
    uint64_t div, real;

    if (baud == 0 || baud > BOARD_UART_HZ / 16U)
        return 0;
    div = (scaled + 8ULL * baud) / (16ULL * baud);
    if (div < parts() || div >= 65536ULL * parts())
        return 0;
    real = scaled / (16U * div);
    return real > baud + baud / 50U || real < baud - baud / 50U ? 0 : (uint32_t)div;
}

bool hal_uart_possible(uint32_t baud)
{
    return divisor(baud) != 0;
}

int hal_uart_init(uint32_t baud)
{
    const uint32_t div = divisor(baud);
    const uint32_t whole = div / parts();

    if (div == 0)
        return HAL_EINVAL;
    put(IER, 0);
    put(LCR, LCR_DLAB | LCR_8N1);
    put(RBR, whole & 0xffU);
    put(IER, whole >> 8);
    if (parts() > 1U)
        put(DLF, div % parts() << 5);
    put(LCR, LCR_8N1);
    put(FCR, FCR_ON);
    put(MCR, MCR_DTR_RTS);
    free_places = FIFO;
    return HAL_OK;
}

bool hal_uart_try_put(uint8_t byte)
{
    if (free_places == 0) {
        if ((get(LSR) & LSR_EMPTY) == 0)
            return false;
        free_places = FIFO;
    }
    free_places--;
    put(RBR, byte);
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
    while ((get(LSR) & LSR_IDLE) == 0)
        ;
    free_places = FIFO;
}

int hal_uart_try_get(void)
{
    if ((get(LSR) & LSR_READY) == 0)
        return -1;
    return (int)get(RBR);
}

void hal_uart_tx_interrupt(bool on)
{
    put(IER, on ? IER_TX : 0U);
}

unsigned hal_uart_irq(void)
{
    return BOARD_IRQ_UART0;
}

void hal_uart_waiting(bool on)
{
    put(MCR, MCR_DTR_RTS | transport[hal_cpu_id()] | (on ? MCR_OUT1 : 0U));
}

bool hal_uart_transport(bool on)
{
    uint32_t *const mine = &transport[hal_cpu_id()];
    const bool was = *mine != 0;

    if (was != on) {
        *mine = on ? MCR_OUT2 : 0U;
        put(MCR, MCR_DTR_RTS | *mine);
    }
    return was;
}
