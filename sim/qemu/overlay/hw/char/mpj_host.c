/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Code that UARTs which lead to the host have in common: see the header. */
#include "qemu/osdep.h"
#include <sys/ioctl.h>
#include "chardev/char-serial.h"
#include "chardev/char-socket.h"
#include "exec/mpj.h"
#include "hw/char/mpj_host.h"
#include "hw/core/cpu.h"
#include "qemu/main-loop.h"
#include "qemu/timer.h"
#include "sysemu/runstate.h"
#include "sysemu/sysemu.h"

/* The host may send again when no more than this waits for the guest. */
#define ENOUGH (sizeof_field(MpjHost, data) / 2)

bool mpj_host_held(const MpjHost *h)
{
    return h->wait && h->ops->held(h->uart);
}

static void release(MpjHost *h)
{
    h->ops->put(h->uart, h->data[h->head]);
    h->head = (h->head + 1) % sizeof(h->data);
    if (h->len-- == ENOUGH + 1) {
        qemu_chr_fe_accept_input(h->chr); /* it may send again */
    }
}

void mpj_host_release(MpjHost *h, unsigned fifo)
{
    while (h->len && !mpj_host_held(h) && h->ops->received(h->uart) < fifo) {
        release(h);
    }
}

/*
 * Hands bytes over; blocks while the host is slow: nothing is ever dropped.
 * Only when a signal is to end QEMU, a host that takes nothing for a second is
 * given up.
 */
static void hand_over(MpjHost *h, const uint8_t *data, int len)
{
    int done = 0;

    while (done < len && h->patience > 0) {
        int n = qemu_chr_fe_write(h->chr, data + done, len - done);

        if (n > 0) {
            done += n;
            continue;
        }
        if (n == 0 || errno != EAGAIN) {
            return;
        }
        h->signalled |= qemu_shutdown_requested_get() == SHUTDOWN_CAUSE_HOST_SIGNAL;
        h->patience -= h->signalled;
        g_usleep(100);
    }
}

/*
 * Notes the request, which is gone later, while the guest still runs for a
 * time.
 */
static void on_shutdown(Notifier *n, void *cause)
{
    MpjHost *h = container_of(n, MpjHost, shutdown);

    h->signalled |= *(ShutdownCause *)cause == SHUTDOWN_CAUSE_HOST_SIGNAL;
}

static void flush_sent(void *opaque)
{
    MpjHost *h = opaque;

    if (h->sent_len) {
        hand_over(h, h->sent, h->sent_len);
        h->sent_len = 0;
    }
}

void mpj_host_send(MpjHost *h, uint8_t byte)
{
    if (!h->wait) {
        hand_over(h, &byte, 1);
        return;
    }
    if (h->sent_len == 0) {
        timer_mod(h->sent_timer, qemu_clock_get_ms(QEMU_CLOCK_REALTIME) + 5);
    }
    h->sent[h->sent_len++] = byte;
    if (h->sent_len == sizeof(h->sent)) {
        flush_sent(h);
    }
}

/*
 * Waits up to two seconds: bytes that the other side of a pseudo-terminal has
 * not read when QEMU closes it are lost.
 */
static void drain_pty(MpjHost *h)
{
    Chardev *chr = h->chr->chr;
    int unread, fd;

    if (!chr || !CHARDEV_IS_PTY(chr) || h->gone) {
        return;
    }
    fd = open(chr->filename + strlen("pty:"), O_RDONLY | O_NOCTTY | O_NONBLOCK);
    if (fd < 0) {
        return;
    }
    /* The kernel moves bytes over a little later: only a second zero counts. */
    for (int i = 0, zeros = 0; i < 200 && zeros < 2; i++) {
        g_usleep(10000);
        if (ioctl(fd, FIONREAD, &unread) != 0) {
            break;
        }
        zeros = unread ? 0 : zeros + 1;
    }
    close(fd);
}

static void on_vm_state(void *opaque, bool running, RunState state)
{
    if (running) {
        return;
    }
    flush_sent(opaque);
    if (state == RUN_STATE_SHUTDOWN) {
        drain_pty(opaque);
    }
}

static void host_is_gone(MpjHost *h)
{
    /* Only a pseudo-terminal may be opened again. */
    if (object_dynamic_cast(OBJECT(h->chr->chr), TYPE_CHARDEV_PTY)) {
        return;
    }
    qemu_system_shutdown_request(SHUTDOWN_CAUSE_HOST_ERROR);
}

void mpj_host_wait(MpjHost *h)
{
    while (h->ops->received(h->uart) == 0 && h->ops->waiting(h->uart) &&
           mpj_host_held(h)) {
        if (h->len) {
            release(h);
            return;
        }
        if (!current_cpu || runstate_check(RUN_STATE_SHUTDOWN) ||
            (runstate_is_running() && current_cpu->stop)) {
            return;
        }
        if (!runstate_is_running()) {
            /* Out of this access, but it has not been: the guest sees no stop. */
            DEVICE(h->uart)->mem_reentrancy_guard.engaged_in_io = false;
            mpj_access_again(current_cpu);
        }
        flush_sent(h);
        if (h->gone) {
            host_is_gone(h);
        }
        qemu_chr_fe_accept_input(h->chr);
        /* The time limit is for a stop of the machine, which does not signal. */
        qemu_cond_timedwait_iothread(&h->cond, 20);
    }
}

int mpj_host_can_receive(const MpjHost *h)
{
    /* Not byte by byte as the guest takes them: each costs two changes of thread. */
    return h->len <= ENOUGH ? sizeof(h->data) - h->len : 0;
}

void mpj_host_receive(MpjHost *h, const uint8_t *buf, int size)
{
    for (int i = 0; i < size; i++) {
        h->data[(h->head + h->len) % sizeof(h->data)] = buf[i];
        h->len++;
    }
    qemu_cond_broadcast(&h->cond);
}

void mpj_host_event(MpjHost *h, QEMUChrEvent event)
{
    if (!h->wait) {
        return;
    }
    if (event == CHR_EVENT_OPENED) {
        h->gone = false;
    } else if (event == CHR_EVENT_CLOSED) {
        h->gone = true;
        /* Nor is what the guest sends taken: the run is over. */
        if (object_dynamic_cast(OBJECT(h->chr->chr), TYPE_CHARDEV_SOCKET)) {
            qemu_system_shutdown_request(SHUTDOWN_CAUSE_HOST_ERROR);
        }
        qemu_cond_broadcast(&h->cond);
    }
}

void mpj_host_init(MpjHost *h, CharBackend *chr, const MpjHostOps *ops,
                   void *uart)
{
    h->chr = chr;
    h->ops = ops;
    h->uart = uart;
    h->patience = 10000;
    h->shutdown.notify = on_shutdown;
    qemu_register_shutdown_notifier(&h->shutdown);
    if (h->wait) {
        qemu_cond_init(&h->cond);
        h->sent_timer = timer_new_ms(QEMU_CLOCK_REALTIME, flush_sent, h);
        qemu_add_vm_change_state_handler(on_vm_state, h);
    }
}

const VMStateDescription vmstate_mpj_host = {
    .name = "mpj-host",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (VMStateField[]) {
        VMSTATE_UINT8_ARRAY(data, MpjHost, 4096),
        VMSTATE_UINT32(head, MpjHost),
        VMSTATE_UINT32(len, MpjHost),
        VMSTATE_END_OF_LIST()
    }
};
