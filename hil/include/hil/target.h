/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A target runs firmware and has a serial line: the emulator or a board. A session (hil/session.h)
 * drives it; the layers above do not depend on its kind.
 */
#ifndef HIL_TARGET_H
#define HIL_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/errors.h"
#include "tile_machine.h"

struct mpj_target;

/* Operations of a kind of target. Every target structure begins with struct mpj_target. */
struct mpj_target_ops {
    /* Starts the target with its program; returns a non-blocking descriptor of the line. A board
     * whose port is open already (its loader has started the program) is left as it is. */
    int (*open)(struct mpj_target *t, struct mpj_err *err);
    /* Writes the reason why the line broke, as far as it can be found, into *err. */
    int (*lost)(struct mpj_target *t, struct mpj_err *err);
    /* Ends the target. graceful: the session is over, let it finish by itself first. */
    int (*close)(struct mpj_target *t, bool graceful, struct mpj_err *err);
    /* Returns the emulator's truth, after close; NULL: none. */
    const char *(*truth)(struct mpj_target *t, size_t *len);
    /* Returns its profile of functions (docs/profile-file.md), after close; NULL: not for this
     * target. */
    const char *(*profile)(struct mpj_target *t, size_t *len);
    void (*free)(struct mpj_target *t);

    /* Read and write the line's bytes without waiting; only for targets on a serial port
     * (reliable). Return the number of bytes, 0: none now, or MPJ_E_LINK: the port has gone. */
    ssize_t (*read)(struct mpj_target *t, void *buf, size_t n, struct mpj_err *err);
    ssize_t (*write)(struct mpj_target *t, const void *buf, size_t n, struct mpj_err *err);
    /* Changes the line's bit rate once everything written is out. */
    int (*rate)(struct mpj_target *t, uint32_t bits_per_s, struct mpj_err *err);
    /* Looks for the port again after it has gone; returns a new descriptor, or MPJ_E_NO_PORT: not
     * yet. */
    int (*reopen)(struct mpj_target *t, struct mpj_err *err);
    /* Restarts the board; MPJ_E_NO_ANSWER when there is no command for it. */
    int (*restart)(struct mpj_target *t, struct mpj_err *err);
};

struct mpj_target {
    const struct mpj_target_ops *ops;
    const char *name; /* for results: "sim", or the board's id */
    bool reliable;    /* the line may lose bytes: acknowledge, send again */
    uint32_t rate;    /* bits per second to negotiate; 0: as it is */
};

/* Frees a target of any kind (closing it first if need be); NULL is allowed. */
void mpj_target_free(struct mpj_target *t);

struct mpj_emulator_options {
    const char *qemu;                 /* path of the emulator */
    const struct tile_machine *board; /* emulated board: its platform, cores and RAM */
    const char *elf;                  /* program in RAM; NULL: it starts from nor */
    const char *nor;                  /* file of the NOR flash, which it starts from; NULL: none */
    bool cold_ram;                    /* its RAM does not answer before it has been set up */
    const char *calibration; /* path of the calibration file; NULL: no chip model, any QEMU */
    const char *errors;      /* file that is created for the emulator's messages, as mpj_file_grow()
                                does; NULL: not kept */
    uint32_t quantum;        /* cycles; 0: the emulator's default */
    uint64_t seed;
    struct mpj_emulator_profile {
        bool functions, moments, instructions;
        uint32_t wave_us; /* step of the power waveform; 0: none */
    } profile;            /* files to write in addition to the truth; needs a calibration */
    const struct mpj_emulator_bound {
        double time_s, energy_j;
    } * bound;       /* the run is lost (MPJ_E_BOUND) when it has reached one of these in both */
    unsigned bounds; /* at most TILE_BOUNDS_MAX */
    const char *gdb; /* it waits for a debugger on this socket, which it creates for this user only;
                        NULL: it does not */
    const char *const *what_if; /* costs that are changed: `mpjoule run --what-if` */
    unsigned what_ifs;
    const char *machine;          /* more machine properties, "name=value,..."; NULL: none */
    const char *extra;            /* more arguments, separated by spaces; NULL: none */
    bool open;                    /* without QEMU's sandbox (seccomp), for one that has none */
    unsigned timeout_s;           /* from its start to the open line, 60 at most; 0: that */
    bool (*cancelled)(void *ctx); /* until then, twenty times a second. True: end it; NULL: never */
    void *ctx;
};

struct mpj_serial_options {
    const char *name;       /* of the board, for results and messages */
    const char *path;       /* port; NULL: the adapter with usb_serial */
    const char *usb_serial; /* NULL: any */
    const char *locks;      /* folder of the locks of ports (hil/uucp.h); NULL: they do not count */
    uint32_t rate;          /* bits per second to negotiate; 0: stays at 115200 */
    const char *start;      /* shell command that makes the board start the program, run when the
                               port is open; NULL: it does by itself */
    const char *reset_line; /* hil/port.h: asserted for a moment, it resets the board, where no
                               command does; released otherwise. NULL: none */
    bool reset;             /* ... also when the port is open, before start */
    const char *restart; /* the same for a board whose loader is expected to be there already: run
                            when it does not answer; NULL: none */
    const char *power_cycle; /* run when the port is open, before all else; NULL: none */
    const char *elf;         /* for these commands: MPJOULE_ELF, with MPJOULE_BOARD, MPJOULE_PORT */
    unsigned timeout_s;      /* ... which end by then, or are ended; 0: no limit. Signals to end
                                (base/stop.h) and the death of this process end them as well */
    bool whole; /* start and restart are power cycles as well. One that has begun gets 10 s more, or
                   until one more signal, and outlives this process: the board must not stay off */
};

/* Creates a target for a board on a serial port. Strings are copied. Nothing is opened before
 * open. */
int mpj_serial_new(struct mpj_target **out, const struct mpj_serial_options *opt,
                   struct mpj_err *err);

/* Creates a target for the emulator. Strings are copied. Nothing is started before open. close ends
 * it with all processes of its group: SIGTERM first, SIGKILL after 5 s or one more signal to end
 * (base/stop.h). */
int mpj_emulator_new(struct mpj_target **out, const struct mpj_emulator_options *opt,
                     struct mpj_err *err);
/* Checks the path of a debugger's socket, where the emulator would remove any file. Open does so,
 * too. MPJ_E_USAGE: too long, or something else is there; MPJ_E_BUSY: a program waits at it. */
int mpj_emulator_gdb(const char *path, struct mpj_err *err);

#endif
