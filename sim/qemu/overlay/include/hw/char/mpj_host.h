/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The host's side of a UART that leads to it. Wait-for-host rule: bytes from the
 * host are kept aside and become visible only to a guest that says (by a modem
 * output that the board does not connect) that it waits for them; time stops
 * while it waits. So what the guest sees does not depend on the host's speed.
 */
#ifndef HW_CHAR_MPJ_HOST_H
#define HW_CHAR_MPJ_HOST_H

#include "chardev/char-fe.h"
#include "hw/qdev-core.h"
#include "migration/vmstate.h"
#include "qemu/notify.h"
#include "qemu/thread.h"

typedef struct MpjHostOps {
    /*
     * True if reception is polled. By interrupts the guest sees bytes as they
     * come.
     */
    bool (*held)(void *uart);
    /* True if the guest says that it waits. */
    bool (*waiting)(void *uart);
    /* Returns the number of bytes in its receive FIFO. */
    unsigned (*received)(void *uart);
    /* Puts one byte into it. */
    void (*put)(void *uart, uint8_t byte);
} MpjHostOps;

typedef struct MpjHost {
    bool wait; /* the rule holds */
    bool gone;
    const MpjHostOps *ops;
    void *uart; /* a device */
    CharBackend *chr;
    QemuCond cond;
    uint8_t data[4096];
    uint32_t head;
    uint32_t len;
    /* Sent by the guest, not yet handed over: one system call a byte is slow. */
    uint8_t sent[4096];
    uint32_t sent_len;
    QEMUTimer *sent_timer;
    Notifier shutdown;
    bool signalled; /* QEMU is to end: the host must take what is sent, */
    int patience;   /* or is given up after so many times 100 us */
} MpjHost;

extern const VMStateDescription vmstate_mpj_host;

/* Called when the device is realized; h->wait has been set. */
void mpj_host_init(MpjHost *h, CharBackend *chr, const MpjHostOps *ops,
                   void *uart);
/* Returns true if bytes from the host are kept aside. */
bool mpj_host_held(const MpjHost *h);
/*
 * Waits for one byte if the guest waits for it; from a read that finds nothing
 * received.
 */
void mpj_host_wait(MpjHost *h);
/*
 * Sends a byte of the guest: blocks while the host is slow, nothing is ever
 * dropped.
 */
void mpj_host_send(MpjHost *h, uint8_t byte);
/*
 * Releases what was kept aside, up to @fifo bytes: the guest has changed to
 * interrupts.
 */
void mpj_host_release(MpjHost *h, unsigned fifo);

/*
 * Handle the character device: how much may come while held, what came, events.
 */
int mpj_host_can_receive(const MpjHost *h);
void mpj_host_receive(MpjHost *h, const uint8_t *buf, int size);
void mpj_host_event(MpjHost *h, QEMUChrEvent event);

#endif
