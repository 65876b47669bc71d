/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `mpjoule run` runs on: the emulator, a board of the list, or whatever is on a port. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "board_loader.h"
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

    if (!run_on_board(r))
        return mpj_sim_new(out, &sim, err);
    return cli_board_serial(out, r->board, r->o.elf, err);
}

/* Into the board's RAM, unless its flash holds it. */
static int load(struct mpj_loader *l, const struct mpj_loader_info *info,
                const struct mpj_content *c, const struct run *r, struct mpj_err *err)
{
    struct cli_progress progress = {.quiet = r->o.quiet || isatty(STDERR_FILENO) == 0};
    struct mpj_loader_upload upload;
    int result;

    if (mpj_loader_same(info, c))
        return mpj_loader_boot(l, MPJ_LOADER_FLASHED, err);
    if (c->image.kind == MPJ_LOADER_IN_PLACE)
        return mpj_err_set(err, MPJ_E_USAGE,
                           "%s runs from the flash, and %s has another program there: put it there "
                           "with `mpjoule flash %s %s`",
                           r->o.elf, r->board->id, r->board->id, r->o.elf);
    result = mpj_loader_upload(l, c, cli_progress_show, &progress, &upload, err);
    cli_progress_end(&progress);
    return result == MPJ_E_OK ? mpj_loader_boot(l, MPJ_LOADER_UPLOADED, err) : result;
}

int run_load_target(const struct run *r, struct mpj_target *t, bool (*cancelled)(void *ctx),
                    void *ctx, struct mpj_err *err)
{
    struct mpj_loader *l = NULL;
    struct mpj_loader_info info;
    struct mpj_content c;
    int result;

    if (!run_on_board(r) || !cli_board_has_loader(r->board))
        return MPJ_E_OK;
    result = mpj_content_read(&c, r->o.elf, err);
    if (result == MPJ_E_OK)
        result = cli_loader_open(&l, t, r->board, cancelled, ctx, &info, err);
    if (result == MPJ_E_OK)
        result = load(l, &info, &c, r, err);
    mpj_loader_close(l);
    mpj_content_free(&c);
    return result;
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
