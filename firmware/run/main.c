/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From the start code to main() and from its end to the end of the session. Core 0. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hal_cpu.h"
#include "hal_gic.h"
#include "hal_l2cc.h"
#include "hal_pmu.h"
#include "hal_scu.h"
#include "hal_sys.h"
#include "hal_timer.h"
#include "hal_uart.h"
#include "hal_watchdog.h"
#include "mpj_cold.h"
#include "mpj_fault.h"
#include "mpj_host.h"
#include "mpj_in.h"
#include "mpj_irq.h"
#include "mpj_out.h"
#include "mpj_prof.h"
#include "mpj_sched.h"
#include "mpj_smp.h"
#include "mpj_target_run.h"
#include "mpj_tls.h"
#include "mpj_trace.h"

#define LINK_BAUD     115200U
#define GUARD_MS      6000U /* also two periods of the sampler */

#define MHZ           1000000U
#define MEASURE_TICKS (HAL_SYS_TIME_HZ / 1000U)
#define MEASURE_READS 100000U /* some ms at least */
#define SLICE_US_MIN  100U
#define SLICE_US_MAX  1000000U

typedef void initialiser(int argc, char **argv, char **envp);

int main(int argc, char **argv, char **envp);
void _init(void);
extern void (*const __mpj_start[])(void), (*const __mpj_start_end[])(void);
extern initialiser *const __preinit_array_start[], *const __init_array_end[];
_Noreturn void mpj_boot_main(void);

extern char **environ;
static struct mpj_host_start session;
static volatile bool running;

static void rotate_others(void)
{
    uint32_t others = mpj_smp_active() & ~1U;

    if (others != 0)
        hal_gic_send(MPJ_SGI_EVENTS, others);
}

#if BOARD_IRQ_PMU0 == 0
static void poll_others(void)
{
    const uint32_t others = mpj_smp_active() & ~1U;

    if (others != 0)
        hal_gic_send(MPJ_SGI_POLL, others);
}
#endif

static void attach_profiler(unsigned cores)
{
    for (unsigned i = 0; i < cores && BOARD_IRQ_PMU0 != 0; i++)
        mpj_irq_attach(hal_pmu_irq(i), mpj_prof_irq_pmu, NULL);
    for (unsigned i = 0; i < HAL_SCU_COUNTERS && BOARD_IRQ_SCU0 != 0; i++)
        mpj_irq_attach(hal_scu_mon_irq(i), mpj_prof_irq_scu, NULL);
    if (hal_l2cc_mon_irq() != 0)
        mpj_irq_attach(hal_l2cc_mon_irq(), mpj_prof_irq_l2, NULL);
    mpj_irq_attach(HAL_IRQ_SECOND_TIMER, mpj_prof_irq_sample, NULL);
    mpj_irq_attach(MPJ_SGI_EVENTS, mpj_prof_irq_rotate, NULL);
    mpj_prof_on_rotate(rotate_others);
#if BOARD_IRQ_PMU0 == 0
    mpj_irq_attach(MPJ_SGI_POLL, mpj_prof_irq_pmu, NULL);
    mpj_prof_on_poll(poll_others);
#endif
}

/* Runs in interrupt context on each other core. */
static void core_arm(void *arg)
{
    (void)arg;
    mpj_prof_core_arm();
    mpj_cold_core();
}

/* Arms the monitors, whose code depends on the events that are counted, and then removes all traces
 * of that in caches, predictors and time. One core after the other, so that the lines they share
 * always end up in the same place. */
static void arm(void)
{
    hal_irq_state irq;

    for (uint32_t others = mpj_smp_active() & ~1U; others != 0; others &= others - 1U)
        mpj_smp_interrupt(others & -others, core_arm, NULL);
    irq = hal_irq_save();
    mpj_prof_core_arm();
    mpj_prof_chip_arm();
    hal_irq_restore(irq);
    mpj_cold_start(mpj_in_is_reliable());
}

/* State of the common start: the cores start counting together, when core 0 sets `go`. */
static volatile uint32_t armed, go;

/* Runs in interrupt context on each other core. */
static void core_start(void *arg)
{
    (void)arg;
    __atomic_add_fetch(&armed, 1U, __ATOMIC_RELEASE);
    while (__atomic_load_n(&go, __ATOMIC_ACQUIRE) == 0)
        ;
    mpj_prof_core_start();
}

static void core_stop(void *arg)
{
    (void)arg;
    mpj_prof_core_stop();
}

static uint32_t sample_us(void)
{
    if (BOARD_POWERS == 0 || (session.config.flags & MPJ_CONFIG_NO_ADC) != 0)
        return MPJ_PROF_KEEPALIVE_US;
    return session.config.adc_period_us != 0 ? session.config.adc_period_us : MPJ_PROF_ADC_US;
}

/* Makes the sampler's interrupt feed the watchdog that the loader started, from now on. */
static void guard(void)
{
    const uint32_t us = sample_us();

    if (session.guarded)
        hal_watchdog_start(GUARD_MS + us / 500U);
}

static void begin(void)
{
    uint32_t others = mpj_smp_active() & ~1U;
    hal_irq_state irq;
    bool called;

    arm();
    called = mpj_smp_interrupt_begin(others, core_start, NULL);
    while (__atomic_load_n(&armed, __ATOMIC_ACQUIRE) != (uint32_t)__builtin_popcount(others))
        ;
    irq = hal_irq_save();
    running = true;
    mpj_prof_warm();
    (void)mpj_prof_chip_start();
    mpj_prof_core_start();
    __atomic_store_n(&go, 1U, __ATOMIC_RELEASE);
    mpj_sched_begin();
    hal_irq_restore(irq);
    if (called)
        mpj_smp_interrupt_end();
    mpj_prof_send_begin();
}

static void stop_on_core0(void *arg)
{
    (void)arg;
    mpj_prof_core_halt(); /* its totals are read only when the LED is off */
    (void)mpj_prof_chip_stop();
    mpj_prof_core_stop();
}

_Noreturn void mpj_run_exit(int status, enum mpj_end_reason reason)
{
    mpj_run_end();
    mpj_host_end(status, reason);
}

void mpj_run_end(void)
{
    hal_irq_state irq;
    bool called;

    if (!running)
        return;
    running = false;
    mpj_prof_between(mpj_sched_freeze);
    if (hal_cpu_id() != 0) {
        irq = hal_irq_save();
        mpj_prof_core_halt();
        hal_irq_restore(irq);
        /* Only core 0 can access the sampler's timer. */
        mpj_smp_interrupt(1U, stop_on_core0, NULL);
        called = mpj_smp_interrupt_begin(mpj_smp_active() & ~1U, core_stop, NULL);
        irq = hal_irq_save();
        core_stop(NULL);
        hal_irq_restore(irq);
    } else {
        called = mpj_smp_interrupt_begin(mpj_smp_active() & ~1U, core_stop, NULL);
        irq = hal_irq_save();
        stop_on_core0(NULL);
        hal_irq_restore(irq);
    }
    if (called)
        mpj_smp_interrupt_end();
    mpj_trace_send();
    mpj_thread_stacks_seen();
    mpj_host_memory();
    mpj_prof_send_end();
}

/* Measures the clock to the megahertz, as the ratio of the private timer to the time base. Does
 * nothing if a counter does not count, which others report. */
static void measure_clock(void)
{
    uint32_t begin = 0, first = 0, ticks, counted, hz;

    hal_timer_start(HAL_TIMER_PRIVATE, UINT32_MAX, false);
    /* The first pass fills the caches: a miss between the two readings would look like a slower
     * clock. */
    for (unsigned i = 0; i < 2U; i++) {
        begin = hal_sys_ticks32();
        first = hal_timer_left(HAL_TIMER_PRIVATE);
    }
    for (unsigned i = 0; i < MEASURE_READS; i++) {
        ticks = hal_sys_ticks32() - begin;
        counted = first - hal_timer_left(HAL_TIMER_PRIVATE);
        if (ticks < MEASURE_TICKS)
            continue;
        hz =
            (uint32_t)(((uint64_t)counted * 2U * HAL_SYS_TIME_HZ / MHZ + ticks / 2U) / ticks) * MHZ;
        if (hz != 0)
            hal_sys_clock_set(hz);
        break;
    }
    hal_timer_stop(HAL_TIMER_PRIVATE);
}

/* Sets the time slice to MPJ_SLICE_US of the environment; 0: threads of equal priority do not share
 * a core. */
static const char *take_slice(char *const *envp)
{
    static const char name[] = "MPJ_SLICE_US=";
    uint32_t us = 0;
    const char *p;

    while (*envp != NULL && strncmp(*envp, name, sizeof(name) - 1U) != 0)
        envp++;
    if (*envp == NULL)
        return NULL;
    p = *envp + sizeof(name) - 1U;
    do {
        if (*p < '0' || *p > '9' || us > SLICE_US_MAX)
            return "MPJ_SLICE_US: expected microseconds, 0 or 100 to 1000000";
        us = us * 10U + (uint32_t)(*p++ - '0');
    } while (*p != '\0');
    if (us != 0 && (us < SLICE_US_MIN || us > SLICE_US_MAX))
        return "MPJ_SLICE_US: expected microseconds, 0 or 100 to 1000000";
    mpj_sched_slice((uint32_t)hal_sys_ticks_of_us(us));
    return NULL;
}

_Noreturn void mpj_boot_main(void)
{
    unsigned cores;
    uint32_t detail = 0;
    const char *why = NULL;
    int r;

    mpj_mem_open();
    hal_sys_ticks_init();
    hal_sys_running(false);
    mpj_tls_core_init(0);
    (void)hal_uart_init(LINK_BAUD);
    hal_gic_dist_init();
    hal_gic_cpu_init();
    measure_clock();
    hal_irq_enable();
    r = hal_l2cc_enable();
    cores = mpj_smp_start();
    mpj_host_open(&session, mpj_smp_cores());
    if (cores == 0)
        mpj_fatal(MPJ_TERR_CORES, mpj_smp_active(), "not every core started");
    if (r != 0)
        mpj_fatal(MPJ_TERR_RUNTIME, 0, "the L220 did not complete its invalidation");
    if ((session.config.flags & MPJ_CONFIG_NO_COUNTERS) == 0) {
        r = mpj_prof_check((session.config.flags & MPJ_CONFIG_NO_ADC) == 0, &detail);
        if (r != 0)
            mpj_fatal((uint32_t)r, detail, NULL);
    }
    r = mpj_prof_configure(&session.config, cores, &why);
    if (r == 0 && session.rotation.count > 0)
        r = mpj_prof_rotate(&session.rotation, &why);
    if (r != 0)
        mpj_fatal((uint32_t)r, 0, why);
    attach_profiler(cores);
    mpj_smp_park(session.config.cores_mask);
    mpj_sched_init(mpj_smp_active());
    why = take_slice(session.envp);
    if (why != NULL)
        mpj_fatal(MPJ_TERR_CONFIG, 0, why);
    if (session.trace.flags != 0 &&
        mpj_trace_configure(&session.trace, session.chosen, sample_us(), &why) != 0)
        mpj_fatal(MPJ_TERR_CONFIG, 0, why);
    environ = session.envp;
    guard();
    _init();
    for (void (*const *start)(void) = __mpj_start; start != __mpj_start_end; start++)
        (*start)();
    begin();
    /* Constructors, with main()'s arguments as on Linux. They belong to the run: they may print,
     * and create threads. The pre-initialisers, which run first, precede the others in memory. */
    for (initialiser *const *c = __preinit_array_start; c < __init_array_end; c++)
        (*c)(session.argc, session.argv, session.envp);
    exit(main(session.argc, session.argv, session.envp));
}
