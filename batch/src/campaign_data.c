/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prepares and ends a campaign: its target, its folder, its data set. */
#include "campaign_int.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sha2.h>

#include "base/json.h"
#include "run/boards.h"
#include "run/kinds.h"

/* Computes the SHA-256 of the program file; for a list, of those of all its programs. */
static void firmware_hash(const struct run_campaign *c, char out[65])
{
    SHA2_CTX s;

    if (c->list == NULL) {
        memcpy(out, c->program[0].image.sha256, 65);
        return;
    }
    SHA256Init(&s);
    for (unsigned i = 0; i < c->programs; i++)
        SHA256Update(&s, (const uint8_t *)c->program[i].image.sha256, 64);
    SHA256End(&s, out);
}

struct label {
    const char *key;  /* NULL: this campaign does not have it */
    const char *text; /* NULL: it is a number */
    uint64_t number;
};

static int put_label(const struct run_campaign *c, const struct label *label, struct mpj_err *err)
{
    char number[24];

    snprintf(number, sizeof(number), "%" PRIu64, label->number);
    return mpj_dataset_label(c->data, label->key, label->text != NULL ? label->text : number, err);
}

#define LABEL(kind, option, ...) {#option, NULL, o->option},

static int open_data(struct run_campaign *c, struct mpj_err *err)
{
    const struct run_options *const o = &c->o;
    const char *const calibration = run_target_calibration(&c->target);
    char hash[65];
    const struct label label[] = {
        {"kind", c->list != NULL ? "list" : "random", 0},
        {"target", run_board_several(c->o.target) ? c->o.target : c->target.name, 0},
        {"calibration", calibration != NULL ? calibration : "unknown", 0},
        {"firmware_sha256", hash, 0},
        {"version", MPJ_VERSION, 0},
        {"noise_seed", NULL, o->seed},
        {"quantum", NULL, o->quantum},
        MPJ_SETTINGS_ALL(LABEL) /* sample_us, ... */
        {"passes", NULL, c->passes},
        {"programs", NULL, c->programs},
        {c->list == NULL ? "generator_seed" : NULL, NULL, c->generator_seed},
        {o->rotate ? "rotate_ms" : NULL, NULL, o->rotate_ms},
    };
    const size_t labels = sizeof(label) / sizeof(label[0]);

    firmware_hash(c, hash);
    if (mpj_dataset_open(&c->data, c->path, err) != MPJ_E_OK)
        return err->code;
    if (mpj_dataset_meter(c->data, c->meter_channel, err) != MPJ_E_OK)
        return err->code;
    for (size_t i = 0; i < labels; i++) {
        if (label[i].key != NULL && put_label(c, &label[i], err) != MPJ_E_OK)
            return err->code;
    }
    for (unsigned i = 0; i < c->programs; i++) {
        const struct run_campaign_program *const p = &c->program[i];
        const struct mpj_dataset_plan row = {p->name, p->family, p->description, p->threads};
        if (mpj_dataset_program(c->data, i, &row, err) != MPJ_E_OK)
            return err->code;
    }
    return mpj_dataset_begin(c->data, err);
}

static int make_folder(struct run_campaign *c, struct mpj_err *err)
{
    if (json_check_text("the name of the data set", c->path, err) != MPJ_E_OK)
        return err->code;
    if (asprintf(&c->work, "%s.work", c->path) < 0) {
        c->work = NULL;
        return mpj_err_nomem(err);
    }
    if (mkdir(c->work, 0777) != 0 && errno != EEXIST)
        return mpj_err_errno(err, "cannot create %s", c->work);
    return MPJ_E_OK;
}

const char *run_campaign_meter(const struct run_campaign *c)
{
    const char *const command = c->o.meter != NULL        ? c->o.meter
                                : c->target.board != NULL ? c->target.board->meter
                                                          : NULL;

    return command != NULL && command[0] != '\0' ? command : NULL;
}

/* Checks that the meter requested exists, and belongs to this machine. */
static int check_meter(const struct run_campaign *c, struct mpj_err *err)
{
    if (c->meter_channel == NULL)
        return MPJ_E_OK;
    if (run_campaign_meter(c) == NULL)
        return mpj_err_set(err, MPJ_E_USAGE,
                           "no external meter given: pass its command with --meter, or set the "
                           "board's `meter` in the list of boards");
    if (c->engine.kind != RUN_ENGINE_LOCAL)
        return mpj_err_set(err, MPJ_E_USAGE,
                           "a meter measures what runs on this machine: --engine local");
    return MPJ_E_OK;
}

/* Takes the board, and others with its tag: one alone with a meter. */
static int take_boards(struct run_campaign *c, struct mpj_err *err)
{
    static const char purpose[] = "mpjoule model campaign";
    const struct run_board_request r = {.target = c->o.target,
                                        .boards = c->o.boards,
                                        .calibration = c->o.calibration,
                                        .purpose = purpose,
                                        .most = c->meter_channel == NULL ? c->o.jobs : 1,
                                        .note = c->engine.note};

    if (!run_target_is_board(&c->target))
        return MPJ_E_OK;
    if (run_target_take(&c->target, &c->o, purpose, err) != MPJ_E_OK)
        return err->code;
    return run_board_pool_add(&c->pool, &c->target, &r, err);
}

int run_campaign_prepare(struct run_campaign *c, struct mpj_err *err)
{
    struct run_target *const t = &c->target;

    if (c->board != NULL && c->o.calibration == NULL)
        c->o.calibration = run_kind_calibration(c->board);
    if (run_target_find(t, &c->o, err) != MPJ_E_OK)
        return err->code;
    if (run_target_is_board(t) && c->engine.kind != RUN_ENGINE_LOCAL)
        return mpj_err_set(err, MPJ_E_USAGE,
                           "a board is measured from one machine: --engine local");
    if (check_meter(c, err) != MPJ_E_OK)
        return err->code;
    if (t->calibration != NULL && strcmp(t->calibration, RUN_NO_MODEL) == 0)
        return mpj_err_set(err, MPJ_E_USAGE,
                           "a campaign needs a calibration: nothing is measured without one");
    if (t->calibration_file != NULL && access(t->calibration_file, R_OK) != 0)
        return mpj_err_errno(err, "cannot read the calibration %s", t->calibration_file);
    if (!c->o.events)
        mpj_selection_all(&c->o.selection);
    c->passes = mpj_plan_passes(&c->o.selection, c->o.rotate);
    if (make_folder(c, err) != MPJ_E_OK || run_campaign_programs(c, err) != MPJ_E_OK ||
        take_boards(c, err) != MPJ_E_OK)
        return err->code;
    return open_data(c, err);
}

void run_campaign_release(struct run_campaign *c)
{
    mpj_dataset_close(c->data);
    run_campaign_programs_free(c);
    if (c->work != NULL)
        rmdir(c->work); /* stays when it holds files that explain a failure */
    free(c->work);
    run_board_pool_release(c->pool);
    c->pool = NULL;
    run_target_release(&c->target);
}
