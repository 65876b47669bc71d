/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parking of cores that a run does not use. The tile has no power controller: such a core leaves
 * coherence, announces that in the SCU's CPU status, and waits in WFI, which saves energy.
 */
#ifndef HAL_POWER_H
#define HAL_POWER_H

/*
 * Parks the calling core once: cleans its data cache, leaves coherence (Auxiliary Control Register,
 * SMP bit; DDI 0360, "Control Coprocessor CP15"), announces DORMANT, waits in WFI, and undoes all
 * that when an interrupt arrives.
 *
 * IRQ must be masked and stays masked: the interrupt that woke the core is left pending. No
 * interrupt may be pending at entry, or the wait ends at once. Not from interrupt handlers. The CPU
 * status register holds all cores: callers serialise, so that no two cores park or wake at the same
 * moment.
 */
void hal_power_park(void);

#endif
