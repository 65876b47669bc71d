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

/* Sets the rate in bit/s and switches the UART on, FIFOs on, interrupts off. Returns 0, or
 * HAL_EINVAL for a rate that its clock cannot divide to within 2 %. */
int hal_uart_init(uint32_t baud);

/* Returns true if hal_uart_init() would accept the rate. */
bool hal_uart_possible(uint32_t baud);

/* Puts a byte into the transmit FIFO; returns false if that is full. */
bool hal_uart_try_put(uint8_t byte);

/* Sends len bytes; polls until each fits into the FIFO (about 87 us a byte at 115200 bit/s). */
void hal_uart_write(const void *data, size_t len);

/* Polls until the last byte has left the shift register. */
void hal_uart_drain(void);

/* Returns the next received byte, or -1 if the receive FIFO is empty. */
int hal_uart_try_get(void);

/* Switches the transmit interrupt: it is raised when a filled FIFO has drained until 12 bytes fit.
 * A FIFO that was never filled may not raise it. */
void hal_uart_tx_interrupt(bool on);

/* Returns the interrupt ID of the UART. */
unsigned hal_uart_irq(void);

/* Shows the emulator whether the program can do nothing until the host has answered (OUT1, not
 * wired on the boards: UARTCR of a PL011, MCR of a 16550): if so, modelled time stops while a read
 * finds the receive FIFO empty. */
void hal_uart_waiting(bool on);

/* Shows the emulator whether the calling core is transporting the program's input or output (PL011:
 * UARTCR.OUT2, not wired either; 16550: bit 0 of the scratch register, since its OUT2 may switch
 * the interrupt): the transport then costs no modelled time, which stops for all cores. Must be off
 * wherever the core has to wait for another one. Returns the previous state. */
bool hal_uart_transport(bool on);

#endif
