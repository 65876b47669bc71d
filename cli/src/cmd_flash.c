/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mpjoule flash: puts a program into a board's flash. */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/stop.h"
#include "cli.h"
#include "cli_options.h"
#include "commands.h"
#include "hil/installer.h"
#include "run/boards.h"
#include "run/kinds.h"
#include "run/paths.h"
#include "tile_limits.h"
#include "upload_show.h"

struct flash_options {
    const char *boards;
    const char *board;
    const char *elf;
    const char *restore;
    unsigned wait_s;
    unsigned timeout_s;
    bool forget;
    bool info;
    bool install;
    double begun; /* with the board */
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct flash_options *const o = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->err_stream = cli_usage_stream();
        return 0;
    case 'b':
        o->boards = arg;
        return 0;
    case 'w':
        o->wait_s = (unsigned)cli_whole(state, "--wait", arg, 0, CLI_WAIT_MAX);
        return 0;
    case 't':
        o->timeout_s = (unsigned)cli_whole(state, "--timeout", arg, 1, 1000000);
        return 0;
    case 'I':
        o->install = true;
        return 0;
    case 'R':
        o->restore = arg;
        return 0;
    case 'f':
        o->forget = true;
        return 0;
    case 'i':
        o->info = true;
        return 0;
    case ARGP_KEY_ARG:
        if (o->board == NULL)
            o->board = arg;
        else if (o->elf == NULL)
            o->elf = arg;
        else
            argp_error(state, "unexpected argument \"%s\": expected one board and one program",
                       arg);
        return 0;
    case ARGP_KEY_END:
        if (o->board == NULL)
            argp_error(state, "no board given: `mpjoule boards` lists them");
        if (o->elf == NULL && !o->forget && !o->info && !o->install && o->restore == NULL)
            argp_error(state, "no program given: pass an ELF file, --info, --forget, --install or "
                              "--restore");
        if ((o->elf != NULL) + o->info + o->forget + o->install + (o->restore != NULL) > 1)
            argp_error(state, "a program, --info, --forget, --install and --restore exclude each "
                              "other");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void show(const struct mpj_board *board, const struct mpj_loader_info *i)
{
    char name[MPJ_LOADER_NAME_MAX + 1];

    snprintf(name, sizeof(name), "%.*s", (int)i->name.len, (const char *)i->name.p);
    mpj_text_clean(name); /* the flash's word */
    printf("%s: loader version %u, flash of %u MB, id 0x%08x\n", board->id, i->version,
           i->flash_bytes >> 20, i->flash_id);
    if (i->busy > 0)
        printf("last upload: the loader was busy for %.3f s, at most %u us at a time\n",
               i->busy / 1e6, i->longest);
    if (i->slot == MPJ_LOADER_NO_SLOT) {
        printf("no program\n");
        return;
    }
    printf("program %s in slot %u, %u bytes, build ", name, i->slot, i->bytes);
    for (size_t n = 0; n < i->build_id.len; n++)
        printf("%02x", i->build_id.p[n]);
    printf(", written as number %u\n", i->sequence);
}

static int write_program(struct mpj_loader *l, const struct mpj_content *c, struct mpj_err *err)
{
    struct cli_progress progress = {.quiet = cli_quiet()};
    struct mpj_loader_upload upload = {0};
    int result = mpj_loader_upload(l, c, cli_progress_show, &progress, &upload, err);

    if (result == MPJ_E_OK && !cli_quiet())
        cli_upload_show(&upload);
    if (result == MPJ_E_OK)
        result = mpj_loader_flash(l, cli_progress_show, &progress, err);
    cli_progress_end(&progress);
    return result;
}

static bool late(const struct flash_options *o)
{
    return o->timeout_s > 0 && mpj_clock_s() - o->begun >= o->timeout_s;
}

static bool cancelled(void *ctx)
{
    return mpj_stop_count() > 0 || late(ctx);
}

static void say(void *ctx, const char *line)
{
    (void)ctx;
    if (!cli_quiet())
        fprintf(stderr, "installer: %s\n", line);
}

/* Uploads the installer into RAM and runs it; closes *loader, and the board restarts with what the
 * installer has written. */
static int run_installer(struct mpj_loader **loader, struct mpj_target *target,
                         struct flash_options *o, const struct mpj_content *c, struct mpj_err *err)
{
    struct cli_progress progress = {.quiet = cli_quiet()};
    struct mpj_loader_upload upload;
    struct mpj_err ignored;
    int result = mpj_loader_upload(*loader, c, cli_progress_show, &progress, &upload, err);

    cli_progress_end(&progress);
    if (result != MPJ_E_OK)
        return result;
    result = mpj_loader_boot(*loader, MPJ_LOADER_UPLOADED, err);
    mpj_loader_close(*loader);
    *loader = NULL;
    if (result == MPJ_E_OK)
        result = mpj_installer_follow(target, say, cancelled, o, err);
    target->ops->close(target, false, &ignored);
    return result;
}

static int with_board(struct flash_options *o, const struct mpj_board *board,
                      const struct mpj_content *c, struct mpj_err *err)
{
    struct mpj_target *target = NULL;
    struct mpj_loader *loader = NULL;
    struct mpj_loader_info info;
    const bool installs = o->install || o->restore != NULL;
    int result = run_board_serial(&target, board, o->elf, false, o->timeout_s, err);

    if (result == MPJ_E_OK)
        result = run_loader_open(&loader, target, board, cancelled, o, &info, err);
    if (result == MPJ_E_OK && info.flash_bytes == 0 && !installs)
        result = mpj_err_set(err, MPJ_E_FLASH, "%s: %s", board->id,
                             mpj_loader_strerror(MPJ_LOADER_NO_FLASH));
    if (result == MPJ_E_OK && o->forget)
        result = mpj_loader_forget(loader, err);
    if (result == MPJ_E_OK && o->elf != NULL)
        result = write_program(loader, c, err);
    if (result == MPJ_E_OK && installs)
        result = run_installer(&loader, target, o, c, err);
    if (result == MPJ_E_OK && o->install)
        result = run_loader_open(&loader, target, board, cancelled, o, &info, err);
    if (result == MPJ_E_OK && o->restore == NULL)
        result = mpj_loader_info(loader, &info, err);
    if (result == MPJ_E_OK && !cli_quiet() && o->restore == NULL)
        show(board, &info);
    mpj_loader_close(loader);
    mpj_target_free(target);
    if (result == MPJ_E_CANCELLED && mpj_stop_count() == 0)
        result = mpj_err_set(err, MPJ_E_TIMEOUT, "%s: not finished within %u s (--timeout)",
                             board->id, o->timeout_s);
    return result;
}

/* Reads the content for the board, before the board is touched. */
static int read_content(struct mpj_content *c, const struct flash_options *o,
                        const struct tile_machine *kind, struct mpj_err *err)
{
    char *installer;
    int result;

    if (o->elf != NULL)
        return mpj_content_read(c, o->elf, kind, err);
    if (!o->install && o->restore == NULL)
        return MPJ_E_OK;
    installer = run_path_installer(kind->name);
    result = installer == NULL ? mpj_err_nomem(err)
                               : mpj_installer_content(c, installer, o->restore, err);
    free(installer);
    return result;
}

/* Finds the kind of the board; one of a port that no list names is the program's, or the default
 * one. A program of another kind would be written to the flash, but not run. */
static int find_kind(struct tile_machine *out, const struct flash_options *o,
                     const struct mpj_board *board, struct mpj_err *err)
{
    char name[TILE_NAME_SIZE];
    struct mpj_image image;

    if (run_board_kind(name, board, err) != MPJ_E_OK)
        return err->code;
    if (o->elf != NULL) {
        if (mpj_image_check(&image, o->elf, err) != MPJ_E_OK ||
            run_board_fits(board, &image, o->elf, err) != MPJ_E_OK)
            return err->code;
        memcpy(name, image.board, sizeof(name));
    }
    return run_kind_load_resident(out, name[0] != '\0' ? name : TILE_BOARD_DEFAULT, err);
}

int cmd_flash(int argc, char **argv)
{
    static char name[] = "mpjoule flash";
    static const struct argp_option known[] = {
        {"boards", 'b', "FILE", 0, "List of boards (see `mpjoule help boards`)", 0},
        {"wait", 'w', "S", 0, "Wait up to S seconds for a busy board (default 0)", 0},
        {"forget", 'f', NULL, 0, "Forget the program: the loader waits for the host", 0},
        {"info", 'i', NULL, 0, "Only show the contents of the flash", 0},
        {"install", 'I', NULL, 0, "Replace the loader by the one of this build", 0},
        {"restore", 'R', "FILE", 0,
         "Restore the first megabyte from the backup that scripts/first-install made", 0},
        {"timeout", 't', "S", 0, "Give up after S seconds with the board (default: never)", 0},
        {0},
    };
    static const struct argp argp = {
        .options = known,
        .parser = parse,
        .args_doc = "BOARD [app.elf]",
        .doc = "Write a program into a board's flash. See `mpjoule help flash`."};
    struct flash_options o = {0};
    struct mpj_boards *list = NULL;
    struct mpj_board port;
    const struct mpj_board *board = NULL;
    struct tile_machine kind;
    struct mpj_content c = {0};
    struct mpj_lock *lock = NULL;
    struct mpj_err err;
    int result;

    cli_arguments(&argp, argc, argv, name, &o);
    result = run_board_find(&list, &port, &board, o.board, o.boards, &err);
    if (result == MPJ_E_OK && run_board_has_uboot(board))
        result = mpj_err_set(&err, MPJ_E_USAGE,
                             "%s is started from the prompt of U-Boot (start: uboot) and has no "
                             "mpjoule loader: `mpjoule run --target %s` uploads into its RAM",
                             board->id, board->id);
    if (result == MPJ_E_OK)
        result = find_kind(&kind, &o, board, &err);
    if (result == MPJ_E_OK)
        result = read_content(&c, &o, &kind, &err);
    if (result == MPJ_E_OK)
        result = run_board_take(&lock, board, "mpjoule flash", o.wait_s, &err);
    mpj_stop_catch();
    o.begun = mpj_clock_s();
    if (result == MPJ_E_OK)
        result = with_board(&o, board, &c, &err);
    mpj_lock_release(lock);
    mpj_content_free(&c);
    mpj_boards_free(list);
    return result == MPJ_E_OK ? 0 : cli_fail_board(&err);
}
