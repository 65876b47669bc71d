/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cores out of use. The tile has no power controller: a core that is not needed
 * leaves coherence, says so in the SCU's CPU status, and waits in WFI, which is
 * what saves energy.
 */
#ifndef HAL_POWER_H
#define HAL_POWER_H

/*
 * Parks the calling core once: cleans its data cache, leaves coherence, announces DORMANT, waits
 * in WFI, and undoes all that when an interrupt comes. IRQ must be masked and stays so: the
 * interrupt that woke the core is left pending, and nothing may be pending at entry, or the wait
 * ends at once. The CPU status register holds all cores: callers serialise, so that no two cores
 * enter or leave at the same moment.
 */
void hal_power_park(void);

#endif
