/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * 16550A: see the header. What is sent is gone at once, whatever the divisor, as
 * with the other UARTs of the emulator; modem inputs are those of a peer that is
 * ready. The interrupt of a FIFO that is not filled to its trigger level, which on
 * the chip comes four characters later, comes at once.
 */
#include "qemu/osdep.h"
#include "chardev/char-serial.h"
#include "exec/mpj.h"
#include "hw/char/mpj_16550.h"
#include "hw/irq.h"
#include "hw/qdev-properties.h"
#include "hw/qdev-properties-system.h"
#include "qemu/module.h"

enum { DATA, IER, IIR, LCR, MCR, LSR, MSR, SCR, REGISTERS };
#define FRACTION    9

#define IER_DATA    0x01
#define IER_EMPTY   0x02
#define IER_LINE    0x04

#define IIR_NONE    0x01
#define IIR_EMPTY   0x02
#define IIR_DATA    0x04
#define IIR_LINE    0x06
#define IIR_FIFOS   0xc0

#define FCR_ENABLE  0x01
#define FCR_CLEAR   0x02

#define LCR_DIVISOR 0x80

#define MCR_OUT1    0x04
#define MCR_LOOP    0x10

#define LSR_DATA    0x01
#define LSR_OVERRUN 0x02
#define LSR_EMPTY   0x60 /* holding register and transmitter */

#define MSR_READY   0xb0 /* carrier, data set ready, clear to send */

#define SCR_TRANSPORT 0x01

static uint8_t pending(const Mpj16550 *s)
{
    if ((s->ier & IER_LINE) && s->overrun) {
        return IIR_LINE;
    }
    if ((s->ier & IER_DATA) && s->count) {
        return IIR_DATA;
    }
    return (s->ier & IER_EMPTY) && s->thr_empty ? IIR_EMPTY : IIR_NONE;
}

static void update(Mpj16550 *s)
{
    qemu_set_irq(s->irq, pending(s) != IIR_NONE);
}

static unsigned depth(const Mpj16550 *s)
{
    return s->fcr & FCR_ENABLE ? MPJ_16550_FIFO : 1;
}

static void put(void *opaque, uint8_t byte)
{
    Mpj16550 *s = opaque;

    if (s->count == depth(s)) {
        s->overrun = true;
    } else {
        s->fifo[(s->head + s->count++) % MPJ_16550_FIFO] = byte;
    }
    update(s);
}

static uint8_t take(Mpj16550 *s)
{
    uint8_t byte = 0;

    mpj_host_wait(&s->host);
    if (s->count) {
        byte = s->fifo[s->head];
        s->head = (s->head + 1) % MPJ_16550_FIFO;
        s->count--;
        update(s);
    }
    if (!mpj_host_held(&s->host)) {
        qemu_chr_fe_accept_input(&s->chr);
    }
    return byte;
}

static uint8_t line_status(Mpj16550 *s)
{
    uint8_t status = LSR_EMPTY;

    mpj_host_wait(&s->host);
    if (s->count) {
        status |= LSR_DATA;
    }
    if (s->overrun) {
        status |= LSR_OVERRUN;
        s->overrun = false;
        update(s);
    }
    return status;
}

static uint8_t interrupt(Mpj16550 *s)
{
    uint8_t id = pending(s);

    if (id == IIR_EMPTY) {
        s->thr_empty = false;
        update(s);
    }
    return id | (s->fcr & FCR_ENABLE ? IIR_FIFOS : 0);
}

/* In the loop the outputs DTR, RTS, OUT1, OUT2 are the inputs. */
static uint8_t modem_status(const Mpj16550 *s)
{
    uint8_t m = s->mcr;

    if (!(m & MCR_LOOP)) {
        return MSR_READY;
    }
    return (m & 2) << 3 | (m & 1) << 5 | (m & 4) << 4 | (m & 8) << 4;
}

static uint64_t mpj_16550_read(void *opaque, hwaddr offset, unsigned size)
{
    Mpj16550 *s = opaque;
    bool divisor = s->lcr & LCR_DIVISOR;

    if (s->in_reset) {
        return 0;
    }
    switch (offset) {
    case DATA:
        return divisor ? s->dll : take(s);
    case IER:
        return divisor ? s->dlm : s->ier;
    case IIR:
        return interrupt(s);
    case LCR:
        return s->lcr;
    case MCR:
        return s->mcr;
    case LSR:
        return line_status(s);
    case MSR:
        return modem_status(s);
    case SCR:
        return s->scr;
    case FRACTION:
        return s->fraction;
    default:
        return 0;
    }
}

static void transmit(Mpj16550 *s, uint8_t byte)
{
    if (s->mcr & MCR_LOOP) {
        put(s, byte);
    } else {
        mpj_host_send(&s->host, byte);
    }
    s->thr_empty = true;
    update(s);
}

static void set_interrupts(Mpj16550 *s, uint8_t value)
{
    if (value & ~s->ier & IER_EMPTY) {
        s->thr_empty = true; /* as it is */
    }
    s->ier = value & 0x0f;
    mpj_host_release(&s->host, depth(s));
    qemu_chr_fe_accept_input(&s->chr);
    update(s);
}

static void set_fifos(Mpj16550 *s, uint8_t value)
{
    if (((value ^ s->fcr) & FCR_ENABLE) || (value & FCR_CLEAR)) {
        s->count = 0;
    }
    s->fcr = value & 0xc9;
    update(s);
}

static void mpj_16550_write(void *opaque, hwaddr offset, uint64_t value,
                            unsigned size)
{
    Mpj16550 *s = opaque;
    bool divisor = s->lcr & LCR_DIVISOR;

    if (s->in_reset) {
        return;
    }
    switch (offset) {
    case DATA:
        if (divisor) {
            s->dll = value;
        } else {
            transmit(s, value);
        }
        break;
    case IER:
        if (divisor) {
            s->dlm = value;
        } else {
            set_interrupts(s, value);
        }
        break;
    case IIR: /* FCR */
        set_fifos(s, value);
        break;
    case LCR:
        s->lcr = value;
        break;
    case MCR:
        s->mcr = value & 0x1f;
        break;
    case SCR:
        s->scr = value;
        if (s->host.wait) {
            mpj_hold(value & SCR_TRANSPORT);
        }
        break;
    case FRACTION:
        s->fraction = value;
        break;
    default:
        break;
    }
}

static const MemoryRegionOps mpj_16550_ops = {
    .read = mpj_16550_read,
    .write = mpj_16550_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .impl = { .min_access_size = 1, .max_access_size = 1 },
};

/* ---- the host's side ----------------------------------------------------- */

static bool polled(void *opaque)
{
    Mpj16550 *s = opaque;

    return !(s->ier & IER_DATA);
}

static bool waiting(void *opaque)
{
    Mpj16550 *s = opaque;

    return s->mcr & MCR_OUT1;
}

static unsigned received(void *opaque)
{
    Mpj16550 *s = opaque;

    return s->count;
}

static const MpjHostOps host_ops = {
    .held = polled,
    .waiting = waiting,
    .received = received,
    .put = put,
};

static int can_receive(void *opaque)
{
    Mpj16550 *s = opaque;

    if (mpj_host_held(&s->host)) {
        return mpj_host_can_receive(&s->host);
    }
    return depth(s) - MIN(s->count, depth(s));
}

static void receive(void *opaque, const uint8_t *buf, int size)
{
    Mpj16550 *s = opaque;
    int i;

    if (mpj_host_held(&s->host)) {
        mpj_host_receive(&s->host, buf, size);
        return;
    }
    for (i = 0; i < size; i++) {
        put(s, buf[i]);
    }
}

static void event(void *opaque, QEMUChrEvent what)
{
    Mpj16550 *s = opaque;

    mpj_host_event(&s->host, what);
}

/* ---- the device ---------------------------------------------------------- */

static void mpj_16550_reset(DeviceState *dev)
{
    Mpj16550 *s = MPJ_16550(dev);

    s->ier = s->fcr = s->lcr = s->mcr = s->scr = 0;
    s->dll = s->dlm = s->fraction = 0;
    s->thr_empty = s->overrun = false;
    s->head = s->count = 0;
    update(s);
}

static void set_reset(void *opaque, int line, int level)
{
    Mpj16550 *s = opaque;

    s->in_reset = level;
    if (level) {
        mpj_16550_reset(DEVICE(s));
    }
}

static void mpj_16550_realize(DeviceState *dev, Error **errp)
{
    Mpj16550 *s = MPJ_16550(dev);

    mpj_host_init(&s->host, &s->chr, &host_ops, s);
    qemu_chr_fe_set_handlers(&s->chr, can_receive, receive, event, NULL, s,
                             NULL, true);
}

static void mpj_16550_init(Object *obj)
{
    Mpj16550 *s = MPJ_16550(obj);

    memory_region_init_io(&s->iomem, obj, &mpj_16550_ops, s, "mpj-16550", 32);
    sysbus_init_mmio(SYS_BUS_DEVICE(obj), &s->iomem);
    sysbus_init_irq(SYS_BUS_DEVICE(obj), &s->irq);
    qdev_init_gpio_in_named(DEVICE(obj), set_reset, "reset", 1);
}

static const VMStateDescription vmstate_mpj_16550 = {
    .name = "mpj-16550",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (VMStateField[]) {
        VMSTATE_STRUCT(host, Mpj16550, 1, vmstate_mpj_host, MpjHost),
        VMSTATE_BOOL(in_reset, Mpj16550),
        VMSTATE_UINT8(ier, Mpj16550),
        VMSTATE_UINT8(fcr, Mpj16550),
        VMSTATE_UINT8(lcr, Mpj16550),
        VMSTATE_UINT8(mcr, Mpj16550),
        VMSTATE_UINT8(scr, Mpj16550),
        VMSTATE_UINT8(dll, Mpj16550),
        VMSTATE_UINT8(dlm, Mpj16550),
        VMSTATE_UINT8(fraction, Mpj16550),
        VMSTATE_BOOL(thr_empty, Mpj16550),
        VMSTATE_BOOL(overrun, Mpj16550),
        VMSTATE_UINT8_ARRAY(fifo, Mpj16550, MPJ_16550_FIFO),
        VMSTATE_UINT32(head, Mpj16550),
        VMSTATE_UINT32(count, Mpj16550),
        VMSTATE_END_OF_LIST()
    }
};

static Property mpj_16550_properties[] = {
    DEFINE_PROP_CHR("chardev", Mpj16550, chr),
    DEFINE_PROP_BOOL("wait-for-host", Mpj16550, host.wait, false),
    DEFINE_PROP_END_OF_LIST(),
};

static void mpj_16550_class_init(ObjectClass *oc, void *data)
{
    DeviceClass *dc = DEVICE_CLASS(oc);

    dc->realize = mpj_16550_realize;
    dc->reset = mpj_16550_reset;
    dc->vmsd = &vmstate_mpj_16550;
    device_class_set_props(dc, mpj_16550_properties);
}

static const TypeInfo mpj_16550_info = {
    .name = TYPE_MPJ_16550,
    .parent = TYPE_SYS_BUS_DEVICE,
    .instance_size = sizeof(Mpj16550),
    .instance_init = mpj_16550_init,
    .class_init = mpj_16550_class_init,
};

static void mpj_16550_register_types(void)
{
    type_register_static(&mpj_16550_info);
}

type_init(mpj_16550_register_types)
