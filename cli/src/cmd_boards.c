/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mpjoule boards: lists boards, which are attached and which are free; emulated ones
 * (emulate.h). */
#include <argp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include "base/json.h"
#include "cli.h"
#include "commands.h"
#include "emulate.h"
#include "hil/port.h"
#include "report/machine.h"
#include "run/boards.h"
#include "run/health.h"
#include "run/kinds.h"
#include "run/paths.h"
#include "tile_limits.h"

enum { HEALTH = 0x300, QUARANTINE, LIFT };

struct boards_options {
    const char *file;
    const char *board; /* that one of these is about: */
    char named[64];
    int what;
    const char *reason; /* of the quarantine */
    bool json;
    bool kinds; /* that programs can be built for, instead of the list */
    struct cli_emulate emulate;
};

struct state {
    char *port; /* its path; NULL: not attached */
    enum mpj_port_state is;
    char holder[200];
    char quarantine[200];
    char warning[300];
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct boards_options *const o = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->err_stream = cli_usage_stream();
        state->child_inputs[0] = &o->emulate;
        return 0;
    case 'b':
        o->file = arg;
        return 0;
    case 'k':
        o->kinds = true;
        return 0;
    case QUARANTINE:
        o->reason = strchr(arg, '=');
        if (o->reason == NULL || o->reason == arg || o->reason[1] == '\0' ||
            (size_t)(o->reason - arg) >= sizeof(o->named))
            argp_error(state, "--quarantine takes BOARD=REASON");
        snprintf(o->named, sizeof(o->named), "%.*s", (int)(o->reason++ - arg), arg);
        o->board = o->named;
        o->what = key;
        return 0;
    case HEALTH:
    case LIFT:
        o->board = arg;
        o->what = key;
        return 0;
    case 'j':
        o->json = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void look(const struct mpj_board *b, const char *locks, const char *ports, struct state *s)
{
    const struct mpj_port_id id = {b->port, b->usb_serial, ports};
    struct mpj_err ignored;

    s->is = MPJ_PORT_ABSENT;
    if (mpj_port_find(&s->port, &id, &ignored) == MPJ_E_OK)
        s->is = mpj_port_state(s->port);
    mpj_quarantine_get(locks, b, s->quarantine, sizeof(s->quarantine));
    run_health_warning(b, s->warning, sizeof(s->warning));
    mpj_lock_holder(locks, b, s->holder, sizeof(s->holder));
    if (s->holder[0] == '\0')
        mpj_port_holder(&id, s->holder, sizeof(s->holder));
}

static const char *const states[] = {[MPJ_PORT_ABSENT] = "absent",
                                     [MPJ_PORT_ATTACHED] = "attached",
                                     [MPJ_PORT_REMOTE] = "remote",
                                     [MPJ_PORT_OTHER] = "not a serial port"};

static json_t *to_json(const struct mpj_board *b, const struct state *s)
{
    json_t *const o = json_object();

    json_put_text(o, "id", b->id);
    json_put_text(o, "platform", b->platform);
    json_put_text(o, "port", s->port != NULL ? s->port : b->port);
    json_put_text(o, "usb_serial", b->usb_serial);
    json_object_set_new(o, "bit_rate", json_integer(b->bit_rate));
    json_put_text(o, "boot", b->boot);
    json_put_text(o, "calibration", b->calibration);
    json_put_text(o, "notes", b->notes);
    json_put_text(o, "tags", b->tags);
    json_object_set_new(o, "attached",
                        s->is == MPJ_PORT_REMOTE ? json_null()
                                                 : json_boolean(s->is == MPJ_PORT_ATTACHED));
    json_put_text(o, "port_is", states[s->is]);
    json_object_set_new(o, "free", json_boolean(s->holder[0] == '\0'));
    if (s->holder[0] != '\0')
        json_put_text(o, "holder", s->holder);
    if (s->quarantine[0] != '\0')
        json_put_text(o, "quarantine", s->quarantine);
    if (s->warning[0] != '\0')
        json_put_text(o, "warning", s->warning);
    return o;
}

static void to_text(const struct mpj_board *b, const struct state *s)
{
    char port[120];

    snprintf(port, sizeof(port), "%s%s", s->port == NULL && b->port == NULL ? "USB " : "",
             s->port != NULL   ? s->port
             : b->port != NULL ? b->port
                               : b->usb_serial);
    mpj_text_clean(port);
    printf("%-12s %-22s %7u  %-8s %s%s\n", b->id, port, b->bit_rate, states[s->is],
           s->holder[0] == '\0' ? "free" : "taken by ", s->holder);
    if (b->tags != NULL)
        printf("%-12s tags: %s\n", "", b->tags);
    if (b->notes != NULL)
        printf("%-12s %s\n", "", b->notes);
    if (s->quarantine[0] != '\0')
        printf("%-12s in quarantine: %s\n", "", s->quarantine);
    if (s->warning[0] != '\0')
        printf("%-12s last session: %s\n", "", s->warning);
}

/* ---- kinds of boards --------------------------------------------------------------- */

static void kind_text(const struct tile_machine *m)
{
    unsigned mib = 0;
    char power[40] = "no power channels";

    for (uint32_t i = 0; i < m->rams; i++)
        mib += m->ram[i].bytes >> 20;
    if (m->powers > 0)
        snprintf(power, sizeof(power), "%u power channels", m->powers);
    printf("%-14s %-20s %u cores at %.0f MHz, %u MB, %s%s\n%-14s %s\n", m->name,
           m->platform[0] != '\0' ? m->platform : "-", m->cores, m->core_hz / 1e6, mib, power,
           strcmp(m->name, TILE_BOARD_DEFAULT) == 0 ? " (the default)" : "", "", m->title);
}

static int show_kinds(const struct boards_options *o)
{
    struct run_kinds kinds;
    struct mpj_err err;
    json_t *const all = o->json ? json_array() : NULL;
    const int result = run_kinds_load(&kinds, &err);

    for (size_t i = 0; i < kinds.count && result == MPJ_E_OK; i++) {
        if (o->json)
            json_array_append_new(all, mpj_machine_json(&kinds.kind[i].machine));
        else
            kind_text(&kinds.kind[i].machine);
    }
    if (o->json && result == MPJ_E_OK) {
        json_dumpf(all, stdout, JSON_INDENT(2));
        putchar('\n');
    }
    json_decref(all);
    run_kinds_free(&kinds);
    return result == MPJ_E_OK ? 0 : cli_fail(&err);
}

/* ---- one board --------------------------------------------------------------------- */

static int about_board(const struct boards_options *o)
{
    char *const locks = run_path_locks();
    struct mpj_boards *list = NULL;
    const struct mpj_board *board = NULL;
    struct mpj_board port;
    struct mpj_err err;
    int result = locks != NULL ? MPJ_E_OK : mpj_err_nomem(&err);

    if (result == MPJ_E_OK)
        result = run_board_find(&list, &port, &board, o->board, o->file, &err);
    if (result == MPJ_E_OK && o->what == HEALTH)
        result = run_health_show(board, stdout, &err);
    if (result == MPJ_E_OK && o->what == QUARANTINE)
        result = mpj_quarantine_put(locks, board, o->reason, &err);
    if (result == MPJ_E_OK && o->what == LIFT)
        result = run_health_lift(board, &err);
    mpj_boards_free(list);
    free(locks);
    return result == MPJ_E_OK ? 0 : cli_fail(&err);
}

int cmd_boards(int argc, char **argv)
{
    static char name[] = "mpjoule boards";
    static const struct argp_option known[] = {
        {"boards", 'b', "FILE", 0,
         "List of boards (default: MPJOULE_BOARDS, else the user's, else that of /etc)", 0},
        {"json", 'j', NULL, 0, "Print JSON", 0},
        {"kinds", 'k', NULL, 0, "List the kinds of boards to build programs for", 0},
        {"health", HEALTH, "BOARD", 0, "Show how its last sessions ended, one JSON line each", 0},
        {"quarantine", QUARANTINE, "BOARD=REASON", 0, "Exclude a board from any:TAG", 0},
        {"lift", LIFT, "BOARD", 0, "End a board's quarantine", 0},
        {0},
    };
    static const struct argp_child children[] = {
        {&cli_emulate_argp, 0, "An emulated board, instead of the list:", 1}, {0}};
    static const struct argp argp = {
        .options = known,
        .parser = parse,
        .args_doc = "[--emulate [KIND] [-- COMMAND...]]\n--restart LINK [app.elf]",
        .doc = "List the boards and their users, or emulate a board. See `mpjoule help boards`.",
        .children = children};
    struct boards_options o = {0};
    struct mpj_boards *list = NULL;
    struct mpj_err err;
    json_t *all = NULL;
    char *locks;
    char *ports;
    int status = 0;

    argc = cli_emulate_split(&o.emulate, argc, argv);
    cli_arguments(&argp, argc, argv, name, &o);
    if (o.kinds)
        return show_kinds(&o);
    if (o.what != 0)
        return about_board(&o);
    if (o.emulate.offers || o.emulate.restart != NULL)
        return cli_emulate_run(&o.emulate);
    locks = run_path_locks();
    ports = run_path_port_locks();
    if (locks == NULL || ports == NULL) {
        mpj_err_nomem(&err);
        status = cli_fail(&err);
        goto out;
    }
    if (run_boards_load(&list, o.file, &err) != MPJ_E_OK) {
        status = cli_fail(&err);
        goto out;
    }
    all = o.json ? json_array() : NULL;
    if (!o.json && list->count > 0)
        printf("%-12s %-22s %7s  %-8s %s\n", "board", "port", "bit/s", "port is", "board is");
    for (size_t i = 0; i < list->count; i++) {
        struct state s = {0};
        look(&list->board[i], locks, ports, &s);
        if (o.json)
            json_array_append_new(all, to_json(&list->board[i], &s));
        else
            to_text(&list->board[i], &s);
        free(s.port);
    }
    if (o.json) {
        json_dumpf(all, stdout, JSON_INDENT(2));
        putchar('\n');
    }
out:
    json_decref(all);
    mpj_boards_free(list);
    free(locks);
    free(ports);
    return status;
}
