/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * RealView Platform Baseboard for ARM11 MPCore: what a program of ours and Linux
 * need of it. Addresses and interrupts from Linux 6.1, arm-realview-pb11mp.dts.
 * Not there: display, keyboard, network, USB, and the system and memory controllers:
 * RAM answers from the start (no cold-ram=).
 */
#include "qemu/osdep.h"
#include "cpu.h"
#include "exec/address-spaces.h"
#include "exec/mpj.h"
#include "hw/arm/boot.h"
#include "hw/arm/mpj_board.h"
#include "hw/arm/mpj_tile.h"
#include "hw/char/pl011.h"
#include "hw/intc/realview_gic.h"
#include "hw/qdev-properties.h"
#include "hw/sysbus.h"
#include "qapi/error.h"
#include "qemu/error-report.h"
#include "qemu/units.h"
#include "tile_board.h"

#define RAM_BASE     0x70000000
#define RAM_MAX      (512 * MiB)
#define LOW_BYTES    (256 * MiB) /* of the RAM at address 0, too */
#define SYS_BASE     0x10000000
#define FLAGS        (SYS_BASE + 0x30)
#define NOR_BASE     0x40000000
#define NOR_BANKS    2
#define GIC2_BASE    0x1e000000
#define PRIVATE_BASE 0x1f000000
#define L220_BASE    0x1f002000
#define PEN_BASE     0xe0000000 /* QEMU's replacement for the Boot Monitor */

/* SYS_ID: board HBI-0159, the rest inferred; SYS_PROCID: inferred, as on the EB. */
#define SYS_ID       0x01590500
#define PROC_ID      0x06000000

/* Inputs of the chip's controller. */
enum {
    IRQ_TIMER01 = 1, IRQ_TIMER23 = 2, IRQ_UART0 = 4, IRQ_UART1 = 5, IRQ_RTC = 6,
    IRQ_GIC2 = 10, IRQ_PMU = 17, IRQ_L220 = 29,
    IRQ_SCU = 21, /* inferred: as on the EB's tile, whose other lines are the same */
};
/* Inputs of the baseboard's controller. */
enum { IRQ2_UART2 = 14, IRQ2_UART3 = 15 };

static const MpjBoard board = {
    .ram_base = RAM_BASE,
    .ram_max = RAM_MAX,
    .low_bytes = LOW_BYTES,
    .nor_base = NOR_BASE,
    .nor_banks = NOR_BANKS,
    .private_base = PRIVATE_BASE,
};

static struct arm_boot_info binfo = {
    .loader_start = RAM_BASE,
    .smp_loader_start = PEN_BASE,
    .smp_bootreg_addr = FLAGS,
    .gic_cpu_if_addr = PRIVATE_BASE + 0x100,
    .board_id = -1, /* by device tree only */
};

static void memory(MachineState *machine)
{
    MemoryRegion *sys = get_system_memory();
    MemoryRegion *low = g_new(MemoryRegion, 1);
    MemoryRegion *pen = g_new(MemoryRegion, 1);

    memory_region_add_subregion(sys, RAM_BASE, machine->ram);
    memory_region_init_alias(low, NULL, "pb11mp.low", machine->ram, 0,
                             MIN(machine->ram_size, LOW_BYTES));
    memory_region_add_subregion(sys, 0, low);
    memory_region_init_ram(pen, NULL, "pb11mp.pen", 4 * KiB, &error_fatal);
    memory_region_add_subregion(sys, PEN_BASE, pen);
}

static DeviceState *system_registers(void)
{
    DeviceState *dev = qdev_new("realview_sysctl");

    qdev_prop_set_uint32(dev, "sys_id", SYS_ID);
    qdev_prop_set_uint32(dev, "proc_id", PROC_ID);
    sysbus_realize_and_unref(SYS_BUS_DEVICE(dev), &error_fatal);
    sysbus_mmio_map(SYS_BUS_DEVICE(dev), 0, SYS_BASE);
    return dev;
}

static void uarts(DeviceState *priv)
{
    DeviceState *gic2 = sysbus_create_simple(TYPE_REALVIEW_GIC, GIC2_BASE,
                                             qdev_get_gpio_in(priv, IRQ_GIC2));

    mpj_tile_uart(TYPE_PL011, 0, 0x10009000, qdev_get_gpio_in(priv, IRQ_UART0));
    mpj_tile_uart(TYPE_PL011, 1, 0x1000a000, qdev_get_gpio_in(priv, IRQ_UART1));
    mpj_tile_uart(TYPE_PL011, 2, 0x1000b000,
                  qdev_get_gpio_in(gic2, IRQ2_UART2));
    mpj_tile_uart(TYPE_PL011, 3, 0x1000c000,
                  qdev_get_gpio_in(gic2, IRQ2_UART3));
}

static void flash(DeviceState *sysctl)
{
    unsigned i;

    for (i = 0; i < NOR_BANKS; i++) {
        DeviceState *bank = mpj_tile_nor(i, NOR_BASE +
                                            i * TILE_NOR_BANK_MIB * MiB);

        qdev_connect_gpio_out_named(sysctl, "flash-vpp", i,
                                    qdev_get_gpio_in_named(bank, "vpp", 0));
    }
}

static void pb11mp_init(MachineState *machine)
{
    DeviceState *priv, *l2, *sysctl;

    if (machine->ram_size > RAM_MAX) {
        error_report("-m: this board has up to 512 MB");
        exit(1);
    }
    mpj_board_chip(machine, &board);
    memory(machine);
    priv = mpj_tile_cores(machine, PRIVATE_BASE);
    mpj_tile_monitors(priv, machine->smp.cpus, IRQ_PMU, IRQ_SCU);
    l2 = sysbus_create_varargs("l2x0", L220_BASE, NULL);
    sysbus_connect_irq(SYS_BUS_DEVICE(l2), 0, qdev_get_gpio_in(priv, IRQ_L220));
    sysctl = system_registers();
    uarts(priv);
    sysbus_create_simple("sp804", 0x10011000,
                         qdev_get_gpio_in(priv, IRQ_TIMER01));
    sysbus_create_simple("sp804", 0x10012000,
                         qdev_get_gpio_in(priv, IRQ_TIMER23));
    sysbus_create_simple("pl031", 0x10017000, qdev_get_gpio_in(priv, IRQ_RTC));
    mpj_tile_watchdog(0x10010000);
    flash(sysctl);
    binfo.ram_size = machine->ram_size;
    arm_load_kernel(ARM_CPU(first_cpu), machine, &binfo);
}

static void pb11mp_class_init(ObjectClass *oc, void *data)
{
    MachineClass *mc = MACHINE_CLASS(oc);

    mc->desc = "ARM RealView Platform Baseboard for ARM11 MPCore";
    mc->init = pb11mp_init;
    mc->max_cpus = 4;
    mc->default_cpus = 4;
    mc->ignore_memory_transaction_failures = true;
    mc->default_cpu_type = ARM_CPU_TYPE_NAME("arm11mpcore");
    mc->default_ram_size = RAM_MAX;
    mc->default_ram_id = "pb11mp.ram";
    mc->minimum_page_bits = 12;
    mpj_board_class_init(oc);
}

static const TypeInfo pb11mp_type = {
    .name = MACHINE_TYPE_NAME("pb11mp"),
    .parent = TYPE_MACHINE,
    .class_init = pb11mp_class_init,
};

static void pb11mp_register(void)
{
    type_register_static(&pb11mp_type);
}

type_init(pb11mp_register)
