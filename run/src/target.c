/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/run_target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "run/boards.h"
#include "run/cache.h"
#include "run/calibration.h"
#include "run/kinds.h"
#include "run/paths.h"
#include "run/recipe.h"

/* ---- the emulator ------------------------------------------------------------------ */

static int make_emulator(struct mpj_target **out, const struct run_recipe *r, struct mpj_err *err)
{
    const char *const sandbox = getenv("MPJOULE_SANDBOX");
    char *errors = NULL;
    struct tile_machine board;
    struct mpj_emulator_options emulator = {
        .open = sandbox != NULL && strcmp(sandbox, "off") == 0,
        .qemu = r->target->qemu,
        .elf = r->elf,
        .board = &board,
        .calibration = r->target->calibration_file,
        .quantum = r->quantum,
        .seed = r->seed,
        .profile = r->profile,
        .bound = r->bound,
        .bounds = r->bounds,
        .gdb = r->gdb,
        .what_if = r->what_if,
        .what_ifs = r->what_ifs,
        .machine = getenv("MPJOULE_QEMU_MACHINE"),
        .extra = getenv("MPJOULE_QEMU_ARGS"),
        .timeout_s = r->session.timeout_s,
        .cancelled = r->load_cancelled != NULL ? r->load_cancelled : r->session.cancelled,
        .ctx = r->session.ctx,
    };
    struct stat st;
    int result;

    if (r->files.errors != NULL) {
        if (lstat(r->files.errors, &st) == 0 && S_ISDIR(st.st_mode))
            return mpj_err_set(err, MPJ_E_IO,
                               "%s is a folder; it must be a file, for the emulator's output",
                               r->files.errors);
        errors = run_errors_new(r->files.errors);
        if (errors == NULL)
            return mpj_err_nomem(err);
    }
    emulator.errors = errors;
    result = run_kind_load(&board, r->image->board, err);
    if (result == MPJ_E_OK)
        result = mpj_emulator_new(out, &emulator, err);
    free(errors);
    return result;
}

static int find_emulator(struct run_target *t, const struct run_options *o, struct mpj_err *err)
{
    t->make = make_emulator;
    snprintf(t->kind, sizeof(t->kind), "%s", o->kind != NULL ? o->kind : TILE_BOARD_DEFAULT);
    if (t->calibration == NULL)
        t->calibration = o->elf != NULL ? run_program_calibration(t->usual, o->elf)
                                        : run_kind_calibration(t->kind);
    t->qemu = run_path_qemu();
    if (t->qemu == NULL)
        return mpj_err_nomem(err);
    if (!run_emulator_sum(t->qemu, t->emulator_sha256))
        t->emulator_sha256[0] = '\0';
    if (strcmp(t->calibration, RUN_NO_MODEL) == 0)
        return MPJ_E_OK;
    t->calibration_file = run_path_calibration(t->calibration);
    if (t->calibration_file == NULL)
        return mpj_err_nomem(err);
    if (run_calibration_sha256(t->calibration_file, t->calibration_sha256, err) == MPJ_E_OK)
        return MPJ_E_OK;
    t->calibration_sha256[0] = '\0';
    /* a pipe would be waited for, or be empty for the emulator; what else cannot be read is an
     * error of who uses it */
    return err->code == MPJ_E_USAGE ? err->code : MPJ_E_OK;
}

/* ---- boards ------------------------------------------------------------------------ */

static int make_serial(struct mpj_target **out, const struct run_recipe *r, struct mpj_err *err)
{
    return run_board_serial(out, r->target->board, r->elf, r->lost, r->session.timeout_s, err);
}

/* Into the board's RAM, unless its flash holds the program. */
static int boot(struct mpj_loader *l, const struct mpj_loader_info *info,
                const struct mpj_content *c, const struct run_recipe *r, struct mpj_err *err)
{
    const char *const board = r->target->name;
    struct mpj_loader_upload upload;
    int result;

    if (mpj_loader_same(info, c))
        return mpj_loader_boot(l, MPJ_LOADER_FLASHED, err);
    if (c->image.kind == MPJ_LOADER_IN_PLACE)
        return mpj_err_set(err, MPJ_E_USAGE,
                           "%s runs from flash, but the flash of %s has another program: write it "
                           "with `mpjoule flash %s %s`",
                           r->elf, board, board, r->elf);
    result = mpj_loader_upload(l, c, r->upload, r->upload_ctx, &upload, err);
    return result == MPJ_E_OK ? mpj_loader_boot(l, MPJ_LOADER_UPLOADED, err) : result;
}

static int load_board(struct mpj_target *t, const struct run_recipe *r, struct mpj_err *err)
{
    struct mpj_loader *l = NULL;
    struct mpj_loader_info info;
    struct mpj_content c = {0};
    struct tile_machine kind;
    int result;

    result = run_kind_load_resident(&kind, r->image->board, err);
    if (result == MPJ_E_OK)
        result = mpj_content_read(&c, r->elf, &kind, err);
    if (result == MPJ_E_OK)
        result =
            run_loader_open(&l, t, r->target->board,
                            r->load_cancelled != NULL ? r->load_cancelled : r->session.cancelled,
                            r->session.ctx, &info, err);
    if (result == MPJ_E_OK)
        result = boot(l, &info, &c, r, err);
    mpj_loader_close(l);
    mpj_content_free(&c);
    return result;
}

/* From the prompt of U-Boot into the board's RAM. */
static int load_uboot(struct mpj_target *t, const struct run_recipe *r, struct mpj_err *err)
{
    struct mpj_content c;
    const struct mpj_uboot_start start = {
        .settings = &r->target->board->uboot,
        .program = &c,
        .progress = r->upload,
        .progress_ctx = r->upload_ctx,
        .cancelled = r->load_cancelled != NULL ? r->load_cancelled : r->session.cancelled,
        .ctx = r->session.ctx,
    };
    int result = mpj_content_read_ram(&c, r->elf, err);

    if (result == MPJ_E_OK)
        result = mpj_uboot_boot(t, &start, err);
    mpj_content_free(&c);
    return result;
}

/* Finds the board by its name or port, or takes one of several. */
static int find_board(struct run_target *t, const struct run_options *o, struct mpj_err *err)
{
    if (!run_board_several(o->target))
        return run_board_find(&t->boards, &t->port, &t->board, o->target, o->boards, err);
    if (run_boards_load(&t->boards, o->boards, err) != MPJ_E_OK || t->boards == NULL)
        return err->code;
    return run_board_take_any(&t->lock, &t->board, t->boards, o->target, o->wait_s, err);
}

/* ---- both -------------------------------------------------------------------------- */

int run_target_find(struct run_target *t, const struct run_options *o, struct mpj_err *err)
{
    t->name = o->target;
    t->calibration = o->calibration;
    if (strcmp(o->target, RUN_EMULATOR) == 0)
        return find_emulator(t, o, err);
    if (find_board(t, o, err) != MPJ_E_OK)
        return err->code;
    if (run_board_kind(t->kind, t->board, err) != MPJ_E_OK)
        return err->code;
    if (o->kind != NULL && strcmp(o->kind, run_target_own(t)) != 0)
        return mpj_err_set(err, MPJ_E_USAGE, "%s is a %s; only the emulator can be run as a %s",
                           t->board->id, run_target_own(t), o->kind);
    t->make = make_serial;
    if (run_board_has_loader(t->board))
        t->load = load_board;
    else if (run_board_has_uboot(t->board))
        t->load = load_uboot;
    t->name = t->board->id;
    if (t->calibration == NULL)
        t->calibration = t->board->calibration;
    return MPJ_E_OK;
}

int run_target_fits(const struct run_target *t, const struct mpj_image *image, const char *elf,
                    struct mpj_err *err)
{
    struct tile_machine machine;
    struct mpj_err why;

    if (t->make == make_emulator) {
        if (run_kind_load(&machine, image->board, &why) != MPJ_E_OK)
            return mpj_err_set(err, MPJ_E_ELF, "%s cannot be emulated: %s", elf, why.text);
        if (machine.platform[0] == '\0')
            return mpj_err_set(err, MPJ_E_ELF,
                               "%s is for the board %s, which has no emulated machine", elf,
                               image->board);
        return MPJ_E_OK;
    }
    return run_target_is_board(t) ? run_board_fits(t->board, image, elf, err) : MPJ_E_OK;
}

int run_target_take(struct run_target *t, const struct run_options *o, const char *purpose,
                    struct mpj_err *err)
{
    return run_target_is_board(t) && t->lock == NULL
               ? run_board_take(&t->lock, t->board, purpose, o->wait_s, err)
               : MPJ_E_OK;
}

void run_target_release(struct run_target *t)
{
    mpj_lock_release(t->lock);
    mpj_boards_free(t->boards);
    free(t->calibration_file);
    free(t->qemu);
    memset(t, 0, sizeof(*t));
}

const char *run_target_calibration(const struct run_target *t)
{
    const char *const slash = t->calibration != NULL ? strrchr(t->calibration, '/') : NULL;

    return slash != NULL ? slash + 1 : t->calibration;
}
