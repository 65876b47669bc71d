/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * State of the baseboard after a reset: the memory controller (PL340, DDI 0331)
 * has to be set up before the SDRAM answers, and the flash is mapped at address
 * 0 until the system controller (SP810, DDI 0254) ends that. With cold-ram=off
 * both have been done, as by a Boot Monitor.
 */
#include "qemu/osdep.h"
#include "exec/address-spaces.h"
#include "hw/arm/mpj_board.h"
#include "hw/sysbus.h"
#include "migration/vmstate.h"
#include "qemu/units.h"
#include "sysemu/reset.h"
#include "tile_board.h"

#define SCTL_BASE  0x10001000
#define SCTL_REMAP 0x100 /* write: the flash leaves address 0 */
#define SCTL_STAT  0x200 /* it has left */

#define DMC_BASE   0x10018000
#define CHIPS      2

/* direct_cmd, bits 19..18, in the order they have to come to a chip */
enum { PRECHARGE, REFRESH, MODE, NOP };

static struct memory {
    bool cold;
    uint32_t sctl;
    uint32_t dmc[0x400 / 4];
    uint32_t status;          /* 0 configuration, 1 ready, 2 paused */
    uint8_t step[CHIPS];      /* of the sequence below */
    uint8_t refreshed[CHIPS]; /* refreshes since the last precharge */
    bool sdram;               /* the chips are awake */
    bool mapped;              /* the flash is not at 0 */
    MemoryRegion sctl_io, dmc_io, dead, remap;
} m;

static void apply(void)
{
    memory_region_transaction_begin();
    memory_region_set_enabled(&m.dead, !(m.sdram && m.status == 1));
    memory_region_set_enabled(&m.remap, !m.mapped);
    memory_region_transaction_commit();
}

/*
 * Executes a direct command: NOP, precharge, at least two refreshes after it,
 * then the mode.
 */
static void direct(uint32_t val)
{
    unsigned chip = (val >> 20) & 3;
    unsigned command = (val >> 18) & 3;

    if (m.status != 0 || chip >= CHIPS) {
        return;
    }
    switch (command) {
    case NOP:
        m.step[chip] = 1;
        break;
    case PRECHARGE:
        if (m.step[chip] != 0) {
            m.step[chip] = 2;
            m.refreshed[chip] = 0;
        }
        break;
    case REFRESH:
        if (m.step[chip] >= 2 && ++m.refreshed[chip] >= 2) {
            m.step[chip] = 3;
        }
        break;
    case MODE:
        if (m.step[chip] == 3) {
            m.step[chip] = 4;
        }
        break;
    }
}

static uint32_t bytes(void)
{
    uint32_t all = 0;
    unsigned chips = 1 + ((m.dmc[0x0c / 4] >> 21) & 3);
    unsigned i;

    for (i = 0; i < chips && i < CHIPS; i++) {
        if (m.step[i] == 4) {
            all += (256 - (m.dmc[0x200 / 4 + i] & 0xff)) * 16 * MiB;
        }
    }
    return all;
}

static uint64_t dmc_read(void *opaque, hwaddr offset, unsigned size)
{
    return offset == 0 ? m.status : offset < sizeof(m.dmc) ? m.dmc[offset / 4]
                                                           : 0;
}

static void dmc_write(void *opaque, hwaddr offset, uint64_t val, unsigned size)
{
    switch (offset) {
    case 0x04: /* memc_cmd: 0 go, 3 pause, 4 configure */
        if (val == 0) {
            m.status = 1;
            m.sdram = m.sdram || (bytes() >= TILE_RAM_MIB * MiB &&
                                  m.dmc[0x10 / 4] != 0);
        } else if (val == 3 && m.status == 1) {
            m.status = 2;
        } else if (val == 4 && m.status != 1) {
            m.status = 0;
        }
        apply();
        break;
    case 0x08:
        direct(val);
        break;
    default:
        if (m.status == 0 && offset < sizeof(m.dmc)) {
            m.dmc[offset / 4] = val;
        }
    }
}

static uint64_t sctl_read(void *opaque, hwaddr offset, unsigned size)
{
    return offset == 0 ? m.sctl | (m.mapped ? SCTL_STAT : 0) : 0;
}

static void sctl_write(void *opaque, hwaddr offset, uint64_t val, unsigned size)
{
    if (offset != 0) {
        return;
    }
    m.sctl = val & ~SCTL_STAT;
    if (val & SCTL_REMAP) {
        m.mapped = true;
        apply();
    }
}

/*
 * Reads where no chip drives the lines: any value, and an abort where
 * strict=on.
 */
static MemTxResult dead_read(void *opaque, hwaddr offset, uint64_t *data,
                             unsigned size, MemTxAttrs attrs)
{
    *data = offset * 0x9e3779b9u ^ 0xa5c35a3cu;
    return MEMTX_DECODE_ERROR;
}

static MemTxResult dead_write(void *opaque, hwaddr offset, uint64_t data,
                              unsigned size, MemTxAttrs attrs)
{
    return MEMTX_DECODE_ERROR;
}

static const MemoryRegionOps dmc_ops = {
    .read = dmc_read,
    .write = dmc_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
};

static const MemoryRegionOps sctl_ops = {
    .read = sctl_read,
    .write = sctl_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
};

static const MemoryRegionOps dead_ops = {
    .read_with_attrs = dead_read,
    .write_with_attrs = dead_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
};

static void memory_reset(void *opaque)
{
    memset(m.dmc, 0, sizeof(m.dmc));
    memset(m.step, 0, sizeof(m.step));
    memset(m.refreshed, 0, sizeof(m.refreshed));
    m.sctl = 0;
    m.status = m.cold ? 0 : 1;
    m.sdram = m.mapped = !m.cold;
    apply();
}

static int memory_post_load(void *opaque, int version_id)
{
    apply();
    return 0;
}

static const VMStateDescription vmstate_memory = {
    .name = "mpj-memory",
    .version_id = 1,
    .minimum_version_id = 1,
    .post_load = memory_post_load,
    .fields = (VMStateField[]) {
        VMSTATE_UINT32(sctl, struct memory),
        VMSTATE_UINT32_ARRAY(dmc, struct memory, 0x400 / 4),
        VMSTATE_UINT32(status, struct memory),
        VMSTATE_UINT8_ARRAY(step, struct memory, CHIPS),
        VMSTATE_UINT8_ARRAY(refreshed, struct memory, CHIPS),
        VMSTATE_BOOL(sdram, struct memory),
        VMSTATE_BOOL(mapped, struct memory),
        VMSTATE_END_OF_LIST()
    }
};

void mpj_board_memory(MemoryRegion *flash, bool cold)
{
    MemoryRegion *sysmem = get_system_memory();

    m.cold = cold;
    memory_region_init_io(&m.sctl_io, NULL, &sctl_ops, NULL, "mpj.sctl", 0x1000);
    memory_region_add_subregion(sysmem, SCTL_BASE, &m.sctl_io);
    memory_region_init_io(&m.dmc_io, NULL, &dmc_ops, NULL, "mpj.dmc", 0x1000);
    memory_region_add_subregion(sysmem, DMC_BASE, &m.dmc_io);
    memory_region_init_io(&m.dead, NULL, &dead_ops, NULL, "mpj.dead",
                          TILE_RAM_MIB * MiB);
    memory_region_init_alias(&m.remap, NULL, "mpj.remap", flash, 0,
                             TILE_NOR_BANK_MIB * MiB);
    memory_region_set_enabled(&m.dead, false);
    memory_region_set_enabled(&m.remap, false);
    memory_region_add_subregion_overlap(sysmem, 0, &m.dead, 1);
    memory_region_add_subregion_overlap(sysmem, 0, &m.remap, 2);
    vmstate_register(NULL, 0, &vmstate_memory, &m);
    qemu_register_reset(memory_reset, NULL);
}
