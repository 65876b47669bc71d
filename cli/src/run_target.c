/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `mpjoule run` runs on: the emulator, a board of the list, or whatever is on a port. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "run.h"

int run_find_target(struct run *r, struct mpj_err *err)
{
    if (strcmp(r->o.target, RUN_SIM) == 0)
        return MPJ_E_OK;
    if (cli_board_find(&r->boards, &r->port_board, &r->board, r->o.target, r->o.boards, err) !=
        MPJ_E_OK)
        return err->code;
    if (r->o.calibration == NULL)
        r->o.calibration = r->board->calibration;
    r->o.jobs = 1; /* there is one of it */
    return MPJ_E_OK;
}

const char *run_calibration_name(const struct run *r)
{
    const char *const given = r->o.calibration;
    const char *const slash = given != NULL ? strrchr(given, '/') : NULL;

    return slash != NULL ? slash + 1 : given;
}

int run_take_target(struct run *r, struct mpj_err *err)
{
    char *folder;
    int result;

    if (!run_on_board(r))
        return MPJ_E_OK;
    folder = cli_path_locks();
    if (folder == NULL)
        return mpj_err_set(err, MPJ_E_NOMEM, "out of memory");
    result = mpj_lock_take(&r->lock, folder, r->board, "mpjoule run", r->o.wait_s, err);
    free(folder);
    return result;
}

void run_release_target(struct run *r)
{
    mpj_lock_release(r->lock);
    mpj_boards_free(r->boards);
}

int run_make_target(struct mpj_target **out, const struct run *r, const char *errors,
                    struct mpj_err *err)
{
    const struct mpj_sim_options sim = {
        .qemu = r->qemu,
        .elf = r->o.elf,
        .calibration = r->calibration,
        .errors = errors,
        .quantum = r->o.quantum,
        .seed = r->o.seed,
        .machine = getenv("MPJOULE_QEMU_MACHINE"),
        .extra = getenv("MPJOULE_QEMU_ARGS"),
    };
    struct mpj_serial_options serial = {.elf = r->o.elf};

    if (!run_on_board(r))
        return mpj_sim_new(out, &sim, err);
    serial.name = r->board->id;
    serial.path = r->board->port;
    serial.usb_serial = r->board->usb_serial;
    serial.rate = r->board->bit_rate;
    serial.start = r->board->start != NULL ? r->board->start : r->board->power_cycle;
    return mpj_serial_new(out, &serial, err);
}

bool run_may_retry(int code)
{
    switch (code) { /* faults of the infrastructure; a program's verdict is one */
    case MPJ_E_NO_PORT:
    case MPJ_E_TARGET:
    case MPJ_E_NO_ANSWER:
    case MPJ_E_LINK:
    case MPJ_E_FLASH:
        return true;
    default:
        return false;
    }
}
