/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parts that boards with an ARM11 MPCore have in common: see the header. */
#include "qemu/osdep.h"
#include "cpu.h"
#include "exec/mpj.h"
#include "hw/arm/mpj_board.h"
#include "hw/arm/mpj_tile.h"
#include "hw/block/flash.h"
#include "hw/cpu/arm11mpcore.h"
#include "hw/irq.h"
#include "hw/misc/mpj_pmu.h"
#include "hw/qdev-clock.h"
#include "hw/qdev-properties.h"
#include "hw/watchdog/cmsdk-apb-watchdog.h"
#include "qapi/error.h"
#include "qemu/units.h"
#include "sysemu/block-backend.h"
#include "sysemu/blockdev.h"
#include "sysemu/sysemu.h"
#include "tile_board.h"

#define NOR_BANK   (TILE_NOR_BANK_MIB * MiB)
#define NOR_SECTOR (256 * KiB) /* two chips with 128 KiB sectors */

#define DOG_HZ     24000000

/*
 * After a reset; bits 18, 16 and 6..3 read as ones on ARM11. QEMU's MP11 has 0:
 * Linux's decompressor then takes an instruction of ARMv7, whose exception ends
 * well only by chance, on boards with RAM at address 0.
 */
#define RESET_SCTLR 0x00050078

DeviceState *mpj_tile_cores(MachineState *machine, hwaddr base)
{
    DeviceState *priv = qdev_new(TYPE_ARM11MPCORE_PRIV);
    unsigned n = machine->smp.cpus, i;

    qdev_prop_set_uint32(priv, "num-cpu", n);
    for (i = 0; i < n; i++) {
        Object *cpu = object_new(machine->cpu_type);

        if (object_property_find(cpu, "page-bits")) {
            /* Extended page tables only: no 1 KB pages. */
            object_property_set_int(cpu, "page-bits",
                                    MACHINE_GET_CLASS(machine)->minimum_page_bits,
                                    &error_fatal);
        }
        ARM_CPU(cpu)->reset_sctlr = RESET_SCTLR;
        qdev_realize(DEVICE(cpu), NULL, &error_fatal);
    }
    sysbus_realize_and_unref(SYS_BUS_DEVICE(priv), &error_fatal);
    sysbus_mmio_map(SYS_BUS_DEVICE(priv), 0, base);
    for (i = 0; i < n; i++) {
        sysbus_connect_irq(SYS_BUS_DEVICE(priv), i,
                           qdev_get_gpio_in(DEVICE(qemu_get_cpu(i)), ARM_CPU_IRQ));
    }
    return priv;
}

void mpj_tile_monitors(DeviceState *priv, unsigned num_cpu, int pmu, int scu)
{
    DeviceState *scu_dev = DEVICE(object_resolve_path_component(OBJECT(priv),
                                                                "scu"));
    DeviceState *pmu_dev = qdev_new(TYPE_MPJ_PMU);
    unsigned i;

    qdev_prop_set_uint32(pmu_dev, "num-cpu", num_cpu);
    sysbus_realize_and_unref(SYS_BUS_DEVICE(pmu_dev), &error_fatal);
    for (i = 0; i < num_cpu && pmu != MPJ_NO_IRQ; i++) {
        sysbus_connect_irq(SYS_BUS_DEVICE(pmu_dev), i,
                           qdev_get_gpio_in(priv, pmu + i));
    }
    for (i = 0; i < MPJ_SCU_MONITORS && scu != MPJ_NO_IRQ; i++) {
        sysbus_connect_irq(SYS_BUS_DEVICE(scu_dev), i,
                           qdev_get_gpio_in(priv, scu + i));
    }
}

DeviceState *mpj_tile_nor(unsigned bank, hwaddr base)
{
    g_autofree char *name = g_strdup_printf("realview.nor%u", bank);
    DriveInfo *drive = drive_get(IF_PFLASH, 0, bank);
    DeviceState *dev = qdev_new(TYPE_PFLASH_CFI01);

    if (drive) {
        qdev_prop_set_drive(dev, "drive", blk_by_legacy_dinfo(drive));
    }
    qdev_prop_set_uint32(dev, "num-blocks", NOR_BANK / NOR_SECTOR);
    qdev_prop_set_uint64(dev, "sector-length", NOR_SECTOR);
    qdev_prop_set_uint8(dev, "width", 4);
    qdev_prop_set_uint8(dev, "device-width", 2);
    qdev_prop_set_bit(dev, "big-endian", false);
    qdev_prop_set_uint16(dev, "id0", 0x89);
    qdev_prop_set_uint16(dev, "id1", 0x18);
    qdev_prop_set_string(dev, "name", name);
    sysbus_realize_and_unref(SYS_BUS_DEVICE(dev), &error_fatal);
    sysbus_mmio_map(SYS_BUS_DEVICE(dev), 0, base);
    return dev;
}

/* Adds the watchdog: the successor in the CMSDK has the same registers. */
void mpj_tile_watchdog(hwaddr base)
{
    DeviceState *dev = qdev_new(TYPE_CMSDK_APB_WATCHDOG);
    Clock *clk = clock_new(OBJECT(dev), "mpj-wdogclk");

    clock_set_hz(clk, DOG_HZ);
    qdev_connect_clock_in(dev, "WDOGCLK", clk);
    sysbus_realize_and_unref(SYS_BUS_DEVICE(dev), &error_fatal);
    sysbus_mmio_map(SYS_BUS_DEVICE(dev), 0, base);
}

DeviceState *mpj_tile_uart(const char *type, unsigned n, hwaddr base,
                           qemu_irq irq)
{
    DeviceState *dev = qdev_new(type);

    qdev_prop_set_chr(dev, "chardev", serial_hd(n));
    qdev_prop_set_bit(dev, "wait-for-host", n == 0 && mpj_on());
    sysbus_realize_and_unref(SYS_BUS_DEVICE(dev), &error_fatal);
    sysbus_mmio_map(SYS_BUS_DEVICE(dev), 0, base);
    sysbus_connect_irq(SYS_BUS_DEVICE(dev), 0, irq);
    return dev;
}
