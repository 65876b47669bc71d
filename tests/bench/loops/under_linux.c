/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The loops under Linux, by perf_event_open(): a group of the cycle counter and two raw events of
 * the calling thread, which is bound to core 0. The first process of a kernel whose only other
 * work is its ticks. Ends by a reboot.
 */
#define _GNU_SOURCE /* bind_to */
#include "loops.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/reboot.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CYCLES 0xffU

static int group[3] = {-1, -1, -1};

/* Ends the program, and with it the emulator. */
static void fail(const char *what)
{
    printf("loops: %s: %s\n", what, strerror(errno));
    fflush(stdout);
    if (getpid() == 1)
        reboot(RB_AUTOBOOT);
    exit(1);
}

static int open_event(unsigned event, int leader, unsigned exclude_kernel)
{
    struct perf_event_attr attr;

    memset(&attr, 0, sizeof attr);
    attr.size = sizeof attr;
    attr.type = PERF_TYPE_RAW;
    attr.config = event;
    attr.disabled = leader < 0;
    attr.read_format = PERF_FORMAT_GROUP;
    attr.exclude_kernel = exclude_kernel & 1;
    return (int)syscall(SYS_perf_event_open, &attr, 0, -1, leader, 0);
}

/* Opens the group anew only for other events: that goes through much of the kernel. */
static void choose(unsigned event0, unsigned event1)
{
    static unsigned chosen[3] = {CYCLES, CYCLES, CYCLES};

    if (chosen[1] == event0 && chosen[2] == event1)
        return;
    for (unsigned i = 3; i-- > 0;)
        if (group[i] >= 0)
            close(group[i]);
    chosen[1] = event0;
    chosen[2] = event1;
    for (unsigned i = 0; i < 3; i++)
        if ((group[i] = open_event(chosen[i], i ? group[0] : -1, 0)) < 0)
            fail("perf_event_open");
}

void count_begin(unsigned event0, unsigned event1)
{
    choose(event0, event1);
    if (ioctl(group[0], PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP) != 0 ||
        ioctl(group[0], PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP) != 0)
        fail("cannot start the counters");
}

void count_end(struct loops_counts *out)
{
    struct {
        uint64_t n, value[3];
    } got;

    if (ioctl(group[0], PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP) != 0)
        fail("cannot stop the counters");
    if (read(group[0], &got, sizeof got) != sizeof got || got.n != 3)
        fail("cannot read the counters");
    out->cycles = (uint32_t)got.value[0];
    out->event[0] = (uint32_t)got.value[1];
    out->event[1] = (uint32_t)got.value[2];
}

static void bind_to(int core)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET(core, &set);
    if (sched_setaffinity(0, sizeof set, &set) != 0)
        fail("sched_setaffinity");
}

static void *partner(void *memory)
{
    bind_to(1);
    loops_partner(memory);
    return NULL;
}

int main(void)
{
    char *memory = aligned_alloc(1U << 20, LOOPS_MEMORY);
    pthread_t other;
    int user_only;

    bind_to(0);
    if (!memory)
        fail("no memory");
    user_only = open_event(CYCLES, -1, 1);
    printf("user-only %s\n", user_only < 0 ? strerror(errno) : "counted");
    loops_measure(memory);
    memset(memory, 0, 4096);
    if (pthread_create(&other, NULL, partner, memory) != 0)
        fail("no thread");
    while (((volatile uint32_t *)memory)[1] == 0)
        ; /* until the partner is under way */
    loops_measure_contended(memory);
    pthread_join(other, NULL);
    loops_measure_long();
    puts("loops: done");
    fflush(stdout);
    if (getpid() == 1)
        reboot(RB_AUTOBOOT);
    return 0;
}
