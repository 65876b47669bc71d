/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One cache line handed to and fro between cores 0 and 1, 1000 times each way.
 *
 * The turn is passed by an SGI, for which the other core waits in WFI with IRQ masked, so that the
 * line is the only memory they share and nobody touches it out of turn. Each turn loads and
 * stores it: the load brings the line over from the other core, which had changed it. So
 * core 0 gets 1000 lines from another core, core 1 as many, and 2000 lines migrate; what else
 * the cores fetch in between is private to them.
 */
#include "hal_gic.h"
#include "hal_scu.h"
#include "known.h"
#include "mpj_irq.h"

#define TURNS 1000U

static volatile uint32_t line[8] __attribute__((aligned(32)));
static uint32_t counted[3];

/* Waits for the SGI of the other core, which it takes from the controller itself. */
static void wait_turn(void)
{
    for (;;) {
        uint32_t ack;

        hal_wfi();
        ack = hal_gic_ack();
        if (HAL_GIC_ID(ack) >= HAL_GIC_IDS)
            continue;
        hal_gic_end(ack);
        if (HAL_GIC_ID(ack) == MPJ_SGI_WAKE)
            return;
    }
}

static void play(void *arg)
{
    static const uint8_t events[HAL_SCU_COUNTERS] = {MPJ_EVENT_SCU_C2C_CPU0, MPJ_EVENT_SCU_C2C_CPU1,
                                                     MPJ_EVENT_SCU_MIGRATION};
    unsigned core = mpj_core_id();
    hal_irq_state irq;

    (void)arg;
    if (core > 1)
        return;
    irq = hal_irq_save();
    if (core == 1)
        hal_gic_send(MPJ_SGI_WAKE, 1); /* here, and done with what the call itself shares */
    if (core == 0) {
        wait_turn();
        line[0]++; /* the line is here, and changed */
        mpj_monitors_take();
    }
    /* The first turn is not counted: it brings what the others need besides the line, constants
     * among the code's in lines that the other core holds. */
    for (uint32_t i = 0; i <= TURNS; i++) {
        if (core == 1) {
            wait_turn();
            line[0]++;
            hal_gic_send(MPJ_SGI_WAKE, 1);
        } else {
            if (i == 1) {
                hal_scu_mon_setup(events, 0);
                hal_scu_mon_start();
            }
            hal_gic_send(MPJ_SGI_WAKE, 2);
            wait_turn();
            line[0]++;
        }
    }
    if (core == 0) {
        hal_scu_mon_stop();
        for (unsigned i = 0; i < 3; i++)
            counted[i] = hal_scu_mon_read(i);
        hal_gic_send(MPJ_SGI_WAKE, 2);
    } else {
        wait_turn(); /* until core 0 has stopped the monitor */
    }
    hal_irq_restore(irq);
}

int main(void)
{
    if (mpj_core_count() < 2) {
        printf("needs two cores\n");
        return 1;
    }
    mpj_on_cores(2, play, NULL);
    printf("value %lu\n", (unsigned long)line[0]);
    printf("c2c_cpu0 %lu\nc2c_cpu1 %lu\nmigration %lu\n", (unsigned long)counted[0],
           (unsigned long)counted[1], (unsigned long)counted[2]);
    return 0;
}
