/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mpjoule flash: puts a program into a board's flash. */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "cli_options.h"
#include "commands.h"
#include "run/boards.h"
#include "run/paths.h"
#include "upload_show.h"

struct flash_options {
    const char *boards;
    const char *board;
    const char *elf;
    unsigned wait_s;
    bool forget;
    bool info;
    bool quiet;
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
        o->wait_s = (unsigned)cli_whole(state, "--wait", arg, 0, 1000000);
        return 0;
    case 'f':
        o->forget = true;
        return 0;
    case 'i':
        o->info = true;
        return 0;
    case 'q':
        o->quiet = true;
        return 0;
    case ARGP_KEY_ARG:
        if (o->board == NULL)
            o->board = arg;
        else if (o->elf == NULL)
            o->elf = arg;
        else
            argp_error(state, "unexpected argument \"%s\": one board and one program", arg);
        return 0;
    case ARGP_KEY_END:
        if (o->board == NULL)
            argp_error(state, "no board given: `mpjoule boards` lists them");
        if (o->elf == NULL && !o->forget && !o->info)
            argp_error(state, "no program given: pass an ELF file, --info or --forget");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void show(const struct mpj_board *board, const struct mpj_loader_info *i)
{
    printf("%s: loader version %u, flash of %u MB, id 0x%08x\n", board->id, i->version,
           i->flash_bytes >> 20, i->flash_id);
    if (i->busy > 0)
        printf(
            "last upload: its bytes kept the loader busy for %.3f s, for %u us at a time at most\n",
            i->busy / 1e6, i->longest);
    if (i->slot == MPJ_LOADER_NO_SLOT) {
        printf("no program\n");
        return;
    }
    printf("program %.*s in slot %u, %u bytes, build ", (int)i->name.len, (const char *)i->name.p,
           i->slot, i->bytes);
    for (size_t n = 0; n < i->build_id.len; n++)
        printf("%02x", i->build_id.p[n]);
    printf(", written as number %u\n", i->sequence);
}

static int write_program(struct mpj_loader *l, const struct flash_options *o,
                         const struct mpj_content *c, struct mpj_err *err)
{
    struct cli_progress progress = {.quiet = o->quiet};
    struct mpj_loader_upload upload = {0};
    int result = mpj_loader_upload(l, c, cli_progress_show, &progress, &upload, err);

    if (result == MPJ_E_OK && !o->quiet)
        cli_upload_show(&upload);
    if (result == MPJ_E_OK)
        result = mpj_loader_flash(l, cli_progress_show, &progress, err);
    cli_progress_end(&progress);
    return result;
}

static int with_board(const struct flash_options *o, const struct mpj_board *board,
                      const struct mpj_content *c, struct mpj_err *err)
{
    struct mpj_target *target = NULL;
    struct mpj_loader *loader = NULL;
    struct mpj_loader_info info;
    int result = run_board_serial(&target, board, o->elf, 0, err);

    if (result == MPJ_E_OK)
        result = run_loader_open(&loader, target, board, NULL, NULL, &info, err);
    if (result == MPJ_E_OK && info.flash_bytes == 0)
        result = mpj_err_set(err, MPJ_E_FLASH, "%s: %s", board->id,
                             mpj_loader_strerror(MPJ_LOADER_NO_FLASH));
    if (result == MPJ_E_OK && o->forget)
        result = mpj_loader_forget(loader, err);
    if (result == MPJ_E_OK && o->elf != NULL)
        result = write_program(loader, o, c, err);
    if (result == MPJ_E_OK)
        result = mpj_loader_info(loader, &info, err);
    if (result == MPJ_E_OK && !o->quiet)
        show(board, &info);
    mpj_loader_close(loader);
    mpj_target_free(target);
    return result;
}

int cmd_flash(int argc, char **argv)
{
    static char name[] = "mpjoule flash";
    static const struct argp_option known[] = {
        {"boards", 'b', "FILE", 0, "The list of boards", 0},
        {"wait", 'w', "S", 0, "Wait up to S seconds for a busy board (default 0)", 0},
        {"forget", 'f', NULL, 0, "Forget the program: boot nothing", 0},
        {"info", 'i', NULL, 0, "Only say what is there", 0},
        {"quiet", 'q', NULL, 0, "No progress, no summary", 0},
        {0},
    };
    static const struct argp argp = {
        .options = known,
        .parser = parse,
        .args_doc = "BOARD [app.elf]",
        .doc = "Put a program into a board's flash. See `mpjoule help flash`."};
    struct flash_options o = {0};
    struct mpj_boards *list = NULL;
    struct mpj_board port;
    const struct mpj_board *board = NULL;
    struct mpj_content c = {0};
    struct mpj_lock *lock = NULL;
    struct mpj_err err;
    char *locks = run_path_locks();
    int result;

    argv[0] = name;
    argp_err_exit_status = CLI_FAILURE;
    argp_parse(&argp, argc, argv, 0, NULL, &o);
    result = locks == NULL ? mpj_err_set(&err, MPJ_E_NOMEM, "out of memory") : MPJ_E_OK;
    if (result == MPJ_E_OK)
        result = run_board_find(&list, &port, &board, o.board, o.boards, &err);
    if (result == MPJ_E_OK && o.elf != NULL) /* before the board is touched */
        result = mpj_content_read(&c, o.elf, &err);
    if (result == MPJ_E_OK)
        result = mpj_lock_take(&lock, locks, board, "mpjoule flash", o.wait_s, &err);
    if (result == MPJ_E_OK)
        result = with_board(&o, board, &c, &err);
    mpj_lock_release(lock);
    mpj_content_free(&c);
    mpj_boards_free(list);
    free(locks);
    return result == MPJ_E_OK ? 0 : cli_fail_board(&err);
}
