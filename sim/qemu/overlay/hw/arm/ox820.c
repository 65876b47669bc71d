/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * OX820 (PLX NAS7820): the system on a chip of the Pogoplug series 3 and of many NAS
 * boxes, what a program of ours and Linux need of it. Two cores, no level-2 cache, no
 * power meter. Sources, all of Linux 6.1 unless said:
 *
 *   addresses, interrupts, clocks   ox820.dtsi
 *   timers                          timer-oxnas-rps.c
 *   interrupt controller of RPS     irq-versatile-fpga.c, as ox820.dtsi names it
 *   start of core 1                 mach-oxnas/platsmp.c
 *   reset and clock bits            reset-oxnas.c, clk-oxnas.c, oxnas-restart.c
 *   scratch words 2, 3              OpenWrt's PCIe driver (SYS_CTRL_SCRATCHWORD2)
 *   boot ROM at 0x40000000, line 5  the vendor's Linux (ROM_BASE_PA, a comment;
 *   of timer 2                      RPS_TIMER_2_INTERRUPT)
 *
 * Inferred: what the boot ROM's pen does beyond what Linux counts on; that a timer
 * counts load + 1 ticks a period, and wraps to its greatest value if it is not
 * periodic. No public document says which interrupts the monitors of the cores and
 * the SCU have: they have none here. Not there: NAND, network, USB, SATA, PCIe,
 * GPIO, copro.
 */
#include "qemu/osdep.h"
#include "cpu.h"
#include "exec/address-spaces.h"
#include "exec/mpj.h"
#include "hw/arm/boot.h"
#include "hw/arm/mpj_board.h"
#include "hw/arm/mpj_tile.h"
#include "hw/char/mpj_16550.h"
#include "hw/irq.h"
#include "hw/sysbus.h"
#include "migration/vmstate.h"
#include "qapi/error.h"
#include "qemu/error-report.h"
#include "qemu/timer.h"
#include "qemu/units.h"
#include "sysemu/reset.h"
#include "sysemu/runstate.h"
#include "sysemu/sysemu.h"

#define ROM_BASE     0x40000000
#define ROM_BYTES    (16 * KiB)
#define UART1_BASE   0x44200000 /* the first: Linux's uart0 */
#define UART2_BASE   0x44300000
#define RPS_BASE     0x44400000
#define SYS_BASE     0x44e00000
#define SEC_BASE     0x44f00000
#define PRIVATE_BASE 0x47000000
#define SRAM_BASE    0x50000000
#define SRAM_BYTES   (64 * KiB)
#define RAM_BASE     0x60000000
#define RAM_MAX      (512 * MiB)

enum { IRQ_RPS = 5, IRQ_UART1 = 23, IRQ_UART2 = 24 };

static const MpjBoard board = {
    .ram_base = RAM_BASE,
    .ram_max = RAM_MAX,
    .private_base = PRIVATE_BASE,
};

/* ---- RPS: timers and their interrupt controller ---------------------------- */

#define TIMERS       2
#define TIMER_MAX    0xffffffu
#define TICK_NS      160 /* 6.25 MHz: oscillator / 4 */
#define ENABLE       0x80
#define PERIODIC     0x40
#define TIMER_LINE   4 /* of the first */

enum { RPS_STATUS, RPS_RAW, RPS_SET, RPS_CLEAR, RPS_SOFT };
enum { TIMER_LOAD, TIMER_VALUE, TIMER_CONTROL, TIMER_CLEAR };

typedef struct RpsTimer {
    uint32_t load, control;
    uint32_t count;  /* at `since` */
    int64_t since;
    QEMUTimer *zero; /* when it comes to 0 */
} RpsTimer;

static struct rps {
    uint32_t raw, enabled;
    RpsTimer timer[TIMERS];
    qemu_irq irq;
    MemoryRegion io;
} rps;

static void rps_update(void)
{
    qemu_set_irq(rps.irq, (rps.raw & rps.enabled) != 0);
}

static int64_t tick_ns(const RpsTimer *t)
{
    static const uint16_t prescale[4] = { 1, 16, 256, 256 };

    return (int64_t)TICK_NS * prescale[t->control >> 2 & 3];
}

static uint32_t period(const RpsTimer *t)
{
    return (t->control & PERIODIC ? t->load : TIMER_MAX) + 1;
}

static uint32_t timer_count(const RpsTimer *t, int64_t now)
{
    uint64_t ticks;

    if (!(t->control & ENABLE) || now <= t->since) { /* a core may be earlier */
        return t->count;
    }
    ticks = (now - t->since) / tick_ns(t);
    if (ticks <= t->count) {
        return t->count - ticks;
    }
    return period(t) - 1 - (ticks - t->count - 1) % period(t);
}

static void timer_arm(RpsTimer *t, int64_t after)
{
    uint64_t ticks, whole = period(t);
    int64_t zero = t->since + t->count * tick_ns(t);

    if (!(t->control & ENABLE)) {
        timer_del(t->zero);
        return;
    }
    if (zero <= after) {
        ticks = (after - zero) / tick_ns(t) / whole + 1;
        zero += ticks * whole * tick_ns(t);
    }
    timer_mod_ns(t->zero, zero);
}

static void timer_zero(void *opaque)
{
    RpsTimer *t = opaque;

    rps.raw |= 1u << (TIMER_LINE + (t - rps.timer));
    timer_arm(t, qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL));
    rps_update();
}

/* Lets the timer count from @count, with these bits of control. */
static void timer_set(RpsTimer *t, uint32_t count, uint32_t control)
{
    t->since = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
    t->count = count;
    t->control = control;
    timer_arm(t, t->since);
}

static uint64_t timer_read(const RpsTimer *t, unsigned reg)
{
    switch (reg) {
    case TIMER_LOAD:
        return t->load;
    case TIMER_VALUE:
        return timer_count(t, qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL));
    case TIMER_CONTROL:
        return t->control;
    default:
        return 0;
    }
}

static void timer_write(RpsTimer *t, unsigned reg, uint32_t value)
{
    switch (reg) {
    case TIMER_LOAD:
        t->load = value & TIMER_MAX;
        timer_set(t, t->load, t->control);
        break;
    case TIMER_CONTROL:
        timer_set(t, timer_count(t, qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL)),
                  value & 0xcc);
        break;
    case TIMER_CLEAR:
        rps.raw &= ~(1u << (TIMER_LINE + (t - rps.timer)));
        rps_update();
        break;
    default:
        break;
    }
}

static uint64_t rps_read(void *opaque, hwaddr offset, unsigned size)
{
    if (offset >= 0x200 && offset < 0x200 + TIMERS * 0x20) {
        return timer_read(&rps.timer[(offset - 0x200) / 0x20],
                          offset % 0x20 / 4);
    }
    switch (offset / 4) {
    case RPS_STATUS:
        return rps.raw & rps.enabled;
    case RPS_RAW:
        return rps.raw;
    case RPS_SET:
        return rps.enabled;
    default:
        return 0;
    }
}

static void rps_write(void *opaque, hwaddr offset, uint64_t value, unsigned size)
{
    if (offset >= 0x200 && offset < 0x200 + TIMERS * 0x20) {
        timer_write(&rps.timer[(offset - 0x200) / 0x20], offset % 0x20 / 4,
                    value);
        return;
    }
    switch (offset / 4) {
    case RPS_SET:
        rps.enabled |= value;
        break;
    case RPS_CLEAR:
        rps.enabled &= ~value;
        break;
    default:
        return;
    }
    rps_update();
}

static const MemoryRegionOps rps_ops = {
    .read = rps_read,
    .write = rps_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
};

static void rps_reset(void *opaque)
{
    unsigned i;

    rps.raw = rps.enabled = 0;
    for (i = 0; i < TIMERS; i++) {
        rps.timer[i].load = TIMER_MAX;
        timer_set(&rps.timer[i], TIMER_MAX, 0);
    }
    rps_update();
}

static int rps_post_load(void *opaque, int version_id)
{
    unsigned i;

    for (i = 0; i < TIMERS; i++) {
        timer_arm(&rps.timer[i], qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL));
    }
    return 0;
}

static const VMStateDescription vmstate_rps_timer = {
    .name = "ox820-rps-timer",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (VMStateField[]) {
        VMSTATE_UINT32(load, RpsTimer),
        VMSTATE_UINT32(control, RpsTimer),
        VMSTATE_UINT32(count, RpsTimer),
        VMSTATE_INT64(since, RpsTimer),
        VMSTATE_END_OF_LIST()
    }
};

static const VMStateDescription vmstate_rps = {
    .name = "ox820-rps",
    .version_id = 1,
    .minimum_version_id = 1,
    .post_load = rps_post_load,
    .fields = (VMStateField[]) {
        VMSTATE_UINT32(raw, struct rps),
        VMSTATE_UINT32(enabled, struct rps),
        VMSTATE_STRUCT_ARRAY(timer, struct rps, TIMERS, 1, vmstate_rps_timer,
                             RpsTimer),
        VMSTATE_END_OF_LIST()
    }
};

static void rps_new(qemu_irq irq)
{
    unsigned i;

    rps.irq = irq;
    for (i = 0; i < TIMERS; i++) {
        rps.timer[i].zero = timer_new_ns(QEMU_CLOCK_VIRTUAL, timer_zero,
                                         &rps.timer[i]);
    }
    memory_region_init_io(&rps.io, NULL, &rps_ops, NULL, "ox820.rps", 0x1000);
    memory_region_add_subregion(get_system_memory(), RPS_BASE, &rps.io);
    vmstate_register(NULL, 0, &vmstate_rps, &rps);
    qemu_register_reset(rps_reset, NULL);
}

/* ---- system controller ------------------------------------------------------ */

#define WORDS     (0x200 / 4)

#define CLK_STAT  0x24
#define RST_STAT  0x28
#define CLK_SET   0x2c
#define CLK_CLEAR 0x30
#define RST_SET   0x34
#define RST_CLEAR 0x38
#define PEN_ENTRY 0xc4 /* scratch words 0 and 1: mach-oxnas/platsmp.c */
#define PEN_CORE  0xc8
#define MARK      0xcc /* scratch word 2: bit 0 is 1 while the measured program runs */

#define RST_SCU   (1u << 0)
#define RST_ARM0  (1u << 2)
#define RST_UART1 17
#define RST_UART2 18

/* sys: the system controller, sec: the other one, which has the pins of bank 1. */
static struct sysctl {
    uint32_t sys[WORDS], sec[WORDS];
    qemu_irq uart[2]; /* their resets */
    MemoryRegion sys_io, sec_io;
} sysctl;

static uint64_t words_read(void *opaque, hwaddr offset, unsigned size)
{
    const uint32_t *words = opaque;

    return offset < WORDS * 4 ? words[offset / 4] : 0;
}

static void sec_write(void *opaque, hwaddr offset, uint64_t value, unsigned size)
{
    if (offset < WORDS * 4) {
        sysctl.sec[offset / 4] = value;
    }
}

static void set_blocks_reset(uint32_t blocks)
{
    sysctl.sys[RST_STAT / 4] = blocks;
    qemu_set_irq(sysctl.uart[0], blocks >> RST_UART1 & 1);
    qemu_set_irq(sysctl.uart[1], blocks >> RST_UART2 & 1);
}

static void sys_write(void *opaque, hwaddr offset, uint64_t value, unsigned size)
{
    uint32_t *s = sysctl.sys;

    switch (offset) {
    case CLK_STAT:
    case RST_STAT:
        break;
    case CLK_SET:
        s[CLK_STAT / 4] |= value;
        break;
    case CLK_CLEAR:
        s[CLK_STAT / 4] &= ~value;
        break;
    case RST_SET:
        if (value & (RST_SCU | RST_ARM0)) { /* it clears itself */
            qemu_system_reset_request(SHUTDOWN_CAUSE_GUEST_RESET);
        } else {
            set_blocks_reset(s[RST_STAT / 4] | value);
        }
        break;
    case RST_CLEAR:
        set_blocks_reset(s[RST_STAT / 4] & ~value);
        break;
    case MARK:
        if ((s[MARK / 4] ^ value) & 1) {
            mpj_board_window(value & 1);
        }
        /* fall through */
    default:
        if (offset < WORDS * 4) {
            s[offset / 4] = value;
        }
    }
}

static const MemoryRegionOps sys_ops = {
    .read = words_read,
    .write = sys_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .impl = { .min_access_size = 4, .max_access_size = 4 },
};

static const MemoryRegionOps sec_ops = {
    .read = words_read,
    .write = sec_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .impl = { .min_access_size = 4, .max_access_size = 4 },
};

/* Resets to the state that a boot loader leaves: the UARTs are on. */
static void sysctl_reset(void *opaque)
{
    memset(sysctl.sys, 0, sizeof(sysctl.sys));
    memset(sysctl.sec, 0, sizeof(sysctl.sec));
    set_blocks_reset(0);
}

static const VMStateDescription vmstate_sysctl = {
    .name = "ox820-sysctl",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (VMStateField[]) {
        VMSTATE_UINT32_ARRAY(sys, struct sysctl, WORDS),
        VMSTATE_UINT32_ARRAY(sec, struct sysctl, WORDS),
        VMSTATE_END_OF_LIST()
    }
};

static void sysctl_new(DeviceState *uart1, DeviceState *uart2)
{
    MemoryRegion *sys = get_system_memory();

    sysctl.uart[0] = qdev_get_gpio_in_named(uart1, "reset", 0);
    sysctl.uart[1] = qdev_get_gpio_in_named(uart2, "reset", 0);
    memory_region_init_io(&sysctl.sys_io, NULL, &sys_ops, sysctl.sys,
                          "ox820.sys", 0x1000);
    memory_region_add_subregion(sys, SYS_BASE, &sysctl.sys_io);
    memory_region_init_io(&sysctl.sec_io, NULL, &sec_ops, sysctl.sec,
                          "ox820.sec", 0x1000);
    memory_region_add_subregion(sys, SEC_BASE, &sysctl.sec_io);
    vmstate_register(NULL, 0, &vmstate_sysctl, &sysctl);
    qemu_register_reset(sysctl_reset, NULL);
}

/* ---- boot ROM ----------------------------------------------------------------- */

/*
 * Loop of core 1 until it is asked for: it lets interrupts through to its
 * processor, waits for one, and jumps to the address in scratch word 0 when
 * word 1 has its number. Core 0 switches on its interface of the interrupt
 * controller.
 */
static const ARMInsnFixup pen[] = {
    { 0xe3a00447 }, /*    mov   r0, #0x47000000 */
    { 0xe2800c01 }, /*    add   r0, r0, #0x100 */
    { 0xe3a010f0 }, /*    mov   r1, #0xf0 */
    { 0xe5801004 }, /*    str   r1, [r0, #4]        priority mask */
    { 0xe3a04311 }, /*    mov   r4, #0x44000000 */
    { 0xe384460e }, /*    orr   r4, r4, #0xe00000 */
    { 0xee105fb0 }, /*    mrc   p15, 0, r5, c0, c0, 5 */
    { 0xe2055003 }, /*    and   r5, r5, #3 */
    { 0xe3a00000 }, /*    mov   r0, #0 */
    { 0xee070f9a }, /* 1: mcr   p15, 0, r0, c7, c10, 4 */
    { 0xee070f90 }, /*    mcr   p15, 0, r0, c7, c0, 4 */
    { 0xe59410c8 }, /*    ldr   r1, [r4, #0xc8]     core */
    { 0xe1510005 }, /*    cmp   r1, r5 */
    { 0x1afffffa }, /*    bne   1b */
    { 0xe59400c4 }, /*    ldr   r0, [r4, #0xc4]     entry */
    { 0xe12fff10 }, /*    bx    r0 */
    { 0, FIXUP_TERMINATOR }
};

static Notifier done_notifier;

/*
 * Starts core 1 in the pen. Runs after the boot code's handlers, which send
 * every core to the image.
 */
static void start_in_pen(void *opaque)
{
    CPUState *cs;

    CPU_FOREACH(cs) {
        if (cs != first_cpu) {
            cpu_set_pc(cs, ROM_BASE);
        }
    }
}

static void machine_done(Notifier *notifier, void *data)
{
    qemu_register_reset(start_in_pen, NULL);
}

static void no_secondary_boot(ARMCPU *cpu, const struct arm_boot_info *info)
{
}

static struct arm_boot_info binfo = {
    .loader_start = RAM_BASE,
    .write_secondary_boot = no_secondary_boot, /* the pen does it */
    .secondary_cpu_reset_hook = no_secondary_boot,
    .board_id = -1, /* by device tree only */
};

/* ---- the machine --------------------------------------------------------------- */

static void memory(MachineState *machine)
{
    MemoryRegion *sys = get_system_memory();
    MemoryRegion *sram = g_new(MemoryRegion, 1);
    MemoryRegion *rom = g_new(MemoryRegion, 1);

    memory_region_add_subregion(sys, RAM_BASE, machine->ram);
    memory_region_init_ram(sram, NULL, "ox820.sram", SRAM_BYTES, &error_fatal);
    memory_region_add_subregion(sys, SRAM_BASE, sram);
    memory_region_init_rom(rom, NULL, "ox820.rom", ROM_BYTES, &error_fatal);
    memory_region_add_subregion(sys, ROM_BASE, rom);
}

static void ox820_init(MachineState *machine)
{
    DeviceState *priv, *uart1, *uart2;

    if (machine->ram_size > RAM_MAX) {
        error_report("-m: this board has up to 512 MB");
        exit(1);
    }
    mpj_board_chip(machine, &board);
    memory(machine);
    priv = mpj_tile_cores(machine, PRIVATE_BASE);
    mpj_tile_monitors(priv, machine->smp.cpus, MPJ_NO_IRQ, MPJ_NO_IRQ);
    uart1 = mpj_tile_uart(TYPE_MPJ_16550, 0, UART1_BASE,
                          qdev_get_gpio_in(priv, IRQ_UART1));
    uart2 = mpj_tile_uart(TYPE_MPJ_16550, 1, UART2_BASE,
                          qdev_get_gpio_in(priv, IRQ_UART2));
    rps_new(qdev_get_gpio_in(priv, IRQ_RPS));
    sysctl_new(uart1, uart2);
    done_notifier.notify = machine_done;
    qemu_add_machine_init_done_notifier(&done_notifier);
    arm_write_bootloader("ox820.pen", &address_space_memory, ROM_BASE, pen, NULL);
    binfo.ram_size = machine->ram_size;
    arm_load_kernel(ARM_CPU(first_cpu), machine, &binfo);
}

static void ox820_class_init(ObjectClass *oc, void *data)
{
    MachineClass *mc = MACHINE_CLASS(oc);

    mc->desc = "OX820 (PLX NAS7820), as in the Pogoplug series 3";
    mc->init = ox820_init;
    mc->max_cpus = 2;
    mc->default_cpus = 2;
    mc->ignore_memory_transaction_failures = true;
    mc->default_cpu_type = ARM_CPU_TYPE_NAME("arm11mpcore");
    mc->default_ram_size = 128 * MiB;
    mc->default_ram_id = "ox820.ram";
    mc->minimum_page_bits = 12;
    mpj_board_class_init(oc);
}

static const TypeInfo ox820_type = {
    .name = MACHINE_TYPE_NAME("ox820"),
    .parent = TYPE_MACHINE,
    .class_init = ox820_class_init,
};

static void ox820_register(void)
{
    type_register_static(&ox820_type);
}

type_init(ox820_register)
