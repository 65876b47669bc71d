/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/offer.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hil/board.h"
#include "run/calibration.h"
#include "run/kinds.h"
#include "run/options.h"
#include "run/paths.h"

int run_offer_prepare(struct run_offer *r, struct mpj_offer_options *opt, const char *kind,
                      const char *calibration, struct mpj_err *err)
{
    const char *const sandbox = getenv("MPJOULE_SANDBOX");
    struct mpj_emulator_options *const e = &opt->emulator;
    char sha256[65];

    memset(r, 0, sizeof(*r));
    if (kind == NULL)
        kind = TILE_BOARD_DEFAULT;
    if (run_kind_load(&r->board, kind, err) != MPJ_E_OK)
        return err->code;
    if (r->board.platform[0] == '\0')
        return mpj_err_set(err, MPJ_E_USAGE, "the board %s has no emulated machine", kind);
    if (!opt->in_ram && strcmp(kind, TILE_BOARD_DEFAULT) != 0)
        return mpj_err_set(err, MPJ_E_USAGE,
                           "the resident loader does not support the board %s: --ram, with --link",
                           kind);
    e->board = &r->board;
    r->qemu = run_path_qemu();
    r->calibration =
        run_path_calibration(calibration != NULL ? calibration : run_kind_calibration(kind));
    r->loader = run_path_loader(kind);
    if (r->qemu == NULL || r->calibration == NULL || r->loader == NULL)
        return mpj_err_nomem(err);
    if (run_calibration_sha256(r->calibration, sha256, err) != MPJ_E_OK)
        return err->code;
    e->qemu = r->qemu;
    e->calibration = r->calibration;
    e->open = sandbox != NULL && strcmp(sandbox, "off") == 0;
    e->machine = getenv("MPJOULE_QEMU_MACHINE");
    e->extra = getenv("MPJOULE_QEMU_ARGS");
    opt->loader = r->loader;
    return MPJ_E_OK;
}

void run_offer_free(struct run_offer *r)
{
    free(r->qemu);
    free(r->calibration);
    free(r->loader);
    free(r->list);
}

/* Writes a value in single quotes, in YAML's form. */
static void put_quoted(FILE *f, const char *s)
{
    fputc('\'', f);
    for (; *s != '\0'; s++)
        fprintf(f, *s == '\'' ? "''" : "%c", *s);
    fputc('\'', f);
}

/* Writes a word for the shell, whatever is in it. */
static void put_word(FILE *f, const char *s)
{
    fputc('\'', f);
    for (; *s != '\0'; s++)
        fprintf(f, *s == '\'' ? "'\\''" : "%c", *s);
    fputc('\'', f);
}

/* Writes the command that switches it off and on, and brings a program into its RAM if it has no
 * flash. False: out of memory. */
static bool put_restart(FILE *f, const char *link, bool in_ram)
{
    char self[PATH_MAX];
    const ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
    char *command = NULL;
    size_t size = 0;
    FILE *const c = open_memstream(&command, &size);

    if (c == NULL)
        return false;
    self[n > 0 ? n : 0] = '\0';
    put_word(c, self);
    fputs(" boards --quiet --restart ", c);
    put_word(c, link);
    if (in_ram)
        fputs(" \"$MPJOULE_ELF\"", c);
    if (fclose(c) != 0) {
        free(command);
        return false;
    }
    fputs(in_ram ? "    boot: command\n    start: " : "    power_cycle: ", f);
    put_quoted(f, command);
    fputc('\n', f);
    free(command);
    return true;
}

int run_offer_list(struct run_offer *r, const struct mpj_offer_options *opt,
                   const struct mpj_offer *board, struct mpj_err *err)
{
    const char *const port = mpj_offer_port(board);
    char here[PATH_MAX] = "";
    char link[2 * PATH_MAX];
    FILE *f;

    if (opt->cable.link != NULL && port[0] != '/' && getcwd(here, sizeof(here)) != NULL)
        strncat(here, "/", sizeof(here) - strlen(here) - 1);
    snprintf(link, sizeof(link), "%s%s", here, port);
    if (asprintf(&r->list, "%s/boards.yaml", mpj_offer_folder(board)) < 0) {
        r->list = NULL;
        return mpj_err_nomem(err);
    }
    f = fopen(r->list, "we");
    if (f == NULL)
        return mpj_err_errno(err, "cannot write %s", r->list);
    fputs("boards:\n  - id: " RUN_OFFER_ID "\n    port: ", f);
    put_quoted(f, link);
    fprintf(f, "\n    platform: %s\n    notes: emulated\n", r->board.platform);
    if (!opt->in_ram)
        fputs("    boot: loader\n", f);
    if (opt->cable.link != NULL && !put_restart(f, link, opt->in_ram)) {
        fclose(f);
        return mpj_err_nomem(err);
    }
    return fclose(f) == 0 ? MPJ_E_OK : mpj_err_errno(err, "cannot write %s", r->list);
}
