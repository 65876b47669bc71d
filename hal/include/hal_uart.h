/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * UART0 (PL011): the link to the host, 8N1. One user at a time; callers
 * serialise. Callable from interrupt handlers. Never blocks except where said.
 */
#ifndef HAL_UART_H
#define HAL_UART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sets the rate and switches on, FIFOs on, no interrupts. 0 or HAL_EINVAL for a rate the clock
 * cannot make within 2 %. */
int hal_uart_init(uint32_t baud);
/* True when hal_uart_init() would take the rate. */
bool hal_uart_possible(uint32_t baud);
/* Sends a byte if there is room; false when there is none. */
bool hal_uart_try_put(uint8_t byte);
/* Sends all bytes, waiting for room (about 87 us a byte at 115200). */
void hal_uart_write(const void *data, size_t len);
/* Waits until the last byte has left the shift register. */
void hal_uart_drain(void);
/* Next received byte, or -1 when there is none. */
int hal_uart_try_get(void);

/* Interrupt while the transmitter has room for 12 bytes or more, on or off. A transmitter that was
 * filled raises it when it gets there; one that was empty all along may not. */
void hal_uart_tx_interrupt(bool on);
/* Its number at the interrupt controller. */
unsigned hal_uart_irq(void);

/* Says that the program can do nothing until the host has answered (UARTCR.OUT1; not wired on
 * the board). The emulator then stops modelled time while a read finds no byte. */
void hal_uart_waiting(bool on);

#endif
