/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The UART of the link to the host, 8 data bits, no parity, 1 stop bit. One user at a time; callers
 * serialise. Callable from interrupt handlers. Only hal_uart_write() and
 * hal_uart_drain() block.
 */
#ifndef HAL_UART_H
#define HAL_UART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sets the rate in bit/s and switches the UART on, FIFOs on, interrupts off. 0, or HAL_EINVAL for a
 * rate that its clock cannot divide to within 2 %. */
int hal_uart_init(uint32_t baud);

/* True if hal_uart_init() would accept the rate. */
bool hal_uart_possible(uint32_t baud);

/* Puts a byte into the transmit FIFO; false if that is full. */
bool hal_uart_try_put(uint8_t byte);

/* Sends len bytes; polls until each fits into the FIFO (about 87 us a byte at 115200 bit/s). */
void hal_uart_write(const void *data, size_t len);

/* Polls until the last byte has left the shift register. */
void hal_uart_drain(void);

/* The next received byte, or -1 if the receive FIFO is empty. */
int hal_uart_try_get(void);

/* Transmit interrupt on or off: it is raised when a filled FIFO has drained to room for 12 bytes. A
 * FIFO that was never filled may not raise it. */
void hal_uart_tx_interrupt(bool on);

/* Interrupt ID of the UART. */
unsigned hal_uart_irq(void);

/* Tells the emulator whether the program can do nothing until the host has answered (OUT1, not
 * wired on the boards: UARTCR of a PL011, MCR of a 16550): if so, modelled time stops while a read
 * finds the receive FIFO empty. */
void hal_uart_waiting(bool on);

/* Tells the emulator whether what the calling core does is the transport of the program's input or
 * output (PL011: UARTCR.OUT2, not wired either; 16550: bit 0 of the scratch register, since its
 * OUT2 may switch the interrupt): it then costs no modelled time, which stands still for all cores.
 * Off wherever the core has to wait for another one. Returns what it was. */
bool hal_uart_transport(bool on);

#endif
