/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The CP15 performance monitors and auxiliary control of the four MP11 cores. */
#ifndef HW_MISC_MPJ_PMU_H
#define HW_MISC_MPJ_PMU_H

#include "hw/misc/mpj_counter.h"
#include "hw/sysbus.h"
#include "qom/object.h"

#define TYPE_MPJ_PMU "mpj-pmu"
OBJECT_DECLARE_SIMPLE_TYPE(MpjPmuState, MPJ_PMU)

/* Order of op2 in CP15 c15,c12. */
enum { MPJ_PMNC, MPJ_CCNT, MPJ_PMN0, MPJ_PMN1, MPJ_PMU_REGS };

#define MPJ_ACTLR_RESET 0x0f
#define MPJ_ACTLR_SMP   0x20

typedef struct MpjPmuCore {
    uint32_t pmnc;  /* enable, divider, interrupt enables, event selectors */
    uint32_t flags; /* overflow: bit 0 PMN0, 1 PMN1, 2 CCNT */
    MpjCounter n[3]; /* PMN0, PMN1, CCNT */
    uint32_t actlr;
    uint8_t index;
    QEMUTimer *timer;
    qemu_irq irq;
} MpjPmuCore;

struct MpjPmuState {
    SysBusDevice parent_obj;

    uint32_t num_cpu;
    MpjPmuCore core[MPJ_CORES];
};

/* Read and write for the core itself; RAZ/WI without a model. */
uint32_t mpj_pmu_read(unsigned core, unsigned reg);
void mpj_pmu_write(unsigned core, unsigned reg, uint32_t value);
uint32_t mpj_actlr_read(unsigned core, uint32_t without_model);
void mpj_actlr_write(unsigned core, uint32_t value);
/* Returns a bit per core: it takes part in coherency. */
uint32_t mpj_smp_mask(void);

#endif
