/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The session with the host: handshake, end of the run, reset. */
#ifndef MPJ_HOST_H
#define MPJ_HOST_H

#include <stdbool.h>

#include "mpj_records.h"
#include "mpj_trace_records.h"

struct mpj_host_start {
    struct mpj_config_rec config;
    struct mpj_rotation_rec rotation;  /* count 0: none */
    struct mpj_trace_config trace;     /* flags 0: no tracing */
    uint8_t chosen[MPJ_FUNC_MAX / 8U]; /* functions, one bit each (MPJ_TRACE_CHOICE) */
    int argc;
    char **argv;  /* argc + 1 pointers, the last NULL */
    char **envp;  /* ends with NULL */
    bool guarded; /* the resident loader left its watchdog running */
};

/* Sends HELLO until the host sends START; fills *s (its strings live for the run). Ends the run
 * itself if START is invalid. Core 0. */
void mpj_host_open(struct mpj_host_start *s, unsigned cores);

/* Implements the kernel's hook (mpj_hooks.h): returns true if mpj_host_open() has returned. Any
 * context, also before .bss is zeroed. */
bool mpj_host_listens(void);
/* Sends the record and END, then resets. From the fault handler. */
_Noreturn void mpj_host_fault(const struct mpj_fault *f);
/* Sends an error of the runtime and END, then resets. */
_Noreturn void mpj_host_error(const struct mpj_error_rec *e);

/* Sends the part of the stack that a call chain needs, from its pointer upwards. From the fault
 * handler. */
void mpj_host_stack(uint32_t sp);
/* Sends the memory use of the heap. After the run, or from the fault handler. */
void mpj_host_memory(void);

/* Returns the program's name, argv[0] without folders; any context after mpj_host_open(). */
const char *mpj_host_program(void);

/* Sends END and resets the board. Thread context, monitors stopped, records sent. */
_Noreturn void mpj_host_end(int exit_status, enum mpj_end_reason reason);

#endif
