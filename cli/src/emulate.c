/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "emulate.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/stop.h"
#include "cli.h"
#include "cli_options.h"
#include "tile_limits.h"

enum {
    LINK = 0x200,
    LISTEN,
    NOR,
    RAM,
    COLD_RAM,
    RESTART,
    BIT_ERRORS,
    DROP,
    DUPLICATE,
    DELAY,
    DELAY_MS,
    NOISE,
    RATE,
    UNPLUG,
    UNPLUG_MS,
    POWER_CUT,
    CUTS
};

#define MS_MOST   3600000U
#define RATE_MOST 4000000U
#define TICK_MS   20
#define GRACE_S   10.0 /* of a command that has had SIGTERM */

static double share(struct argp_state *state, const char *name, const char *arg)
{
    return cli_number(state, name, arg, 0, 1);
}

static uint32_t whole(struct argp_state *state, const char *name, const char *arg, uint64_t low,
                      uint64_t high)
{
    return (uint32_t)cli_whole(state, name, arg, low, high);
}

/* Parses the faults of the line. */
static error_t parse_fault(int key, char *arg, struct argp_state *state, struct cli_emulate *e)
{
    struct mpj_cable_options *const c = &e->offer.cable;

    switch (key) {
    case BIT_ERRORS:
        c->faults.bit_error = share(state, "--bit-errors", arg);
        return 0;
    case DROP:
        c->faults.drop = share(state, "--drop", arg);
        return 0;
    case DUPLICATE:
        c->faults.twice = share(state, "--duplicate", arg);
        return 0;
    case DELAY:
        c->faults.stall = share(state, "--delay", arg);
        return 0;
    case DELAY_MS:
        c->faults.stall_ms = whole(state, "--delay-ms", arg, 1, MS_MOST);
        return 0;
    case NOISE:
        c->noise = whole(state, "--noise", arg, 0, 65536);
        return 0;
    case RATE:
        c->rate = whole(state, "--rate", arg, 300, RATE_MOST);
        return 0;
    case UNPLUG:
        c->unplug = cli_whole(state, "--unplug", arg, 1, UINT64_MAX);
        return 0;
    case UNPLUG_MS:
        c->unplug_ms = whole(state, "--unplug-ms", arg, 1, MS_MOST);
        return 0;
    case POWER_CUT:
        e->offer.power_cut = cli_whole(state, "--power-cut", arg, 1, UINT64_MAX);
        return 0;
    case CUTS:
        e->offer.cuts = whole(state, "--cuts", arg, 1, UINT32_MAX);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int cli_emulate_split(struct cli_emulate *e, int argc, char **argv)
{
    for (int i = 1; i + 1 < argc; i++) {
        if (strcmp(argv[i], "--") == 0) {
            e->command = argv + i + 1;
            argv[i] = NULL;
            return i;
        }
    }
    return argc;
}

static void argument(struct cli_emulate *e, char *arg, struct argp_state *state)
{
    if (e->restart != NULL && e->elf == NULL) {
        e->elf = arg;
    } else if (e->kind == NULL) {
        e->kind = arg;
    } else {
        argp_error(state, "unexpected argument \"%s\"", arg);
    }
}

static void check(struct cli_emulate *e, struct argp_state *state)
{
    const struct mpj_offer_options *const o = &e->offer;

    if (e->restart != NULL && e->offers)
        argp_error(state, "--emulate and --restart exclude each other");
    if (e->restart != NULL && e->kind != NULL)
        argp_error(state, "unexpected argument \"%s\": expected one program", e->kind);
    if (e->restart == NULL && !e->offers && (e->kind != NULL || e->command != NULL))
        argp_error(state, "unexpected argument \"%s\": only --emulate and --restart take arguments",
                   e->kind != NULL ? e->kind : e->command[0]);
    if (o->cable.link != NULL && o->cable.listen != NULL)
        argp_error(state, "--link and --listen exclude each other: a terminal or a TCP port");
    if (o->in_ram && (o->nor != NULL || o->emulator.cold_ram))
        argp_error(state, "--ram has no flash: it excludes --nor and --cold-ram");
    if (o->in_ram && o->cable.link == NULL)
        argp_error(state, "--ram needs --link: `boards --restart LINK` loads the programs");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct cli_emulate *const e = state->input;
    struct mpj_offer_options *const o = &e->offer;

    switch (key) {
    case ARGP_KEY_INIT:
        o->emulator.seed = o->cable.seed = TILE_SEED_DEFAULT;
        o->cable.faults.stall_ms = 200;
        o->cable.unplug_ms = 500;
        o->cuts = 1;
        return 0;
    case 'e':
        e->offers = true;
        return 0;
    case LINK:
        o->cable.link = arg;
        return 0;
    case LISTEN:
        o->cable.listen = arg;
        return 0;
    case NOR:
        o->nor = arg;
        return 0;
    case RAM:
        o->in_ram = true;
        return 0;
    case COLD_RAM:
        o->emulator.cold_ram = true;
        return 0;
    case RESTART:
        e->restart = arg;
        return 0;
    case 'c':
        e->calibration = arg;
        return 0;
    case 's':
        o->emulator.seed = o->cable.seed = cli_whole(state, "--seed", arg, 0, UINT64_MAX);
        return 0;
    case ARGP_KEY_ARG:
        argument(e, arg, state);
        return 0;
    case ARGP_KEY_END:
        check(e, state);
        return 0;
    default:
        return parse_fault(key, arg, state, e);
    }
}

static const struct argp_option known[] = {
    {"emulate", 'e', NULL, 0, "Offer an emulated board until Ctrl-C, or while COMMAND runs", 0},
    {"link", LINK, "PATH", 0, "Name for the pseudo-terminal", 0},
    {"listen", LISTEN, "[HOST:]PORT", 0, "A TCP port (0: a free one) instead of a terminal", 0},
    {"nor", NOR, "FILE", 0, "File of the flash (default: a temporary flash with the loader)", 0},
    {"ram", RAM, NULL, 0, "No flash: --restart loads programs into RAM", 0},
    {"cold-ram", COLD_RAM, NULL, 0, "RAM does not respond before the boot stage has initialised it",
     0},
    {"restart", RESTART, "LINK", 0,
     "Switch the board with that link off and on, with app.elf in its RAM", 0},
    {"calibration", 'c', "NAME", 0, "Calibration of the chip", 0},
    {"seed", 's', "N", 0,
     "Seed of the noise of its ADC and of all faults (default " TILE_TEXT(TILE_SEED_DEFAULT) ")",
     0},
    {"bit-errors", BIT_ERRORS, "P", 0, "Probability that a bit on the line is wrong", 1},
    {"drop", DROP, "P", 0, "Probability that a byte is lost", 1},
    {"duplicate", DUPLICATE, "P", 0, "Probability that a byte arrives twice", 1},
    {"delay", DELAY, "P", 0, "Probability in each millisecond that the line stalls", 1},
    {"delay-ms", DELAY_MS, "MS", 0, "... for this time at most (default 200)", 1},
    {"noise", NOISE, "BYTES", 0, "Send BYTES bytes of another program first", 1},
    {"rate", RATE, "BITS", 0, "Bits per second of the line (default: no limit)", 1},
    {"unplug", UNPLUG, "BYTES", 0, "The port vanishes after BYTES bytes to the host", 1},
    {"unplug-ms", UNPLUG_MS, "MS", 0, "... for this time (default 500)", 1},
    {"power-cut", POWER_CUT, "BYTES", 0, "The supply fails briefly after BYTES bytes on the line",
     1},
    {"cuts", CUTS, "N", 0, "... N times (default 1)", 1},
    {0},
};

const struct argp cli_emulate_argp = {.options = known, .parser = parse};

/* ---- running ---------------------------------------------------------------- */

static void event(void *ctx, const char *text)
{
    (void)ctx;
    if (!cli_quiet())
        cli_note("%s", text);
}

static pid_t start_command(char **command, const char *list, const char *port, struct mpj_err *err)
{
    const pid_t self = getpid();
    sigset_t mask;
    pid_t pid;

    mpj_stop_block(&mask);
    pid = fork();
    if (pid == 0) {
        mpj_stop_inherit(&mask);
        if (prctl(PR_SET_PDEATHSIG, SIGTERM) != 0 || getppid() != self)
            _exit(CLI_FAILURE);
        setenv("MPJOULE_BOARDS", list, 1);
        setenv("MPJOULE_PORT", port, 1);
        execvp(command[0], command);
        fprintf(stderr, "mpjoule: cannot run %s: %s\n", command[0], strerror(errno));
        _exit(CLI_FAILURE);
    }
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    if (pid < 0)
        mpj_err_errno(err, "cannot start a process for %s", command[0]);
    return pid;
}

/* True when the command has ended; sets *status to its exit status, CLI_FAILURE if that is
 * lost. */
static bool ended(pid_t pid, int *status)
{
    int raw;
    const pid_t got = waitpid(pid, &raw, WNOHANG);

    if (got < 0 && errno != EINTR) {
        *status = CLI_FAILURE;
        return true;
    }
    if (got <= 0)
        return false;
    *status = WIFEXITED(raw) ? WEXITSTATUS(raw) : 128 + WTERMSIG(raw);
    return true;
}

/* Waits for the end of a command that has had SIGTERM; ends it when it takes too long. */
static void await(pid_t pid)
{
    const double begin = mpj_clock_s();
    int ignored;

    while (!ended(pid, &ignored)) {
        if (mpj_clock_s() - begin >= GRACE_S)
            kill(pid, SIGKILL);
        poll(NULL, 0, TICK_MS);
    }
}

/* Lets the board live until a signal to end, or the end of the command, which gets SIGTERM when
 * the board fails. */
static int serve(struct mpj_offer *board, pid_t pid, int *status, struct mpj_err *err)
{
    unsigned signalled = 0;

    while (pid > 0 ? !ended(pid, status) : mpj_stop_count() == 0) {
        if (mpj_offer_turn(board, err) != MPJ_E_OK) {
            if (pid > 0)
                kill(pid, SIGTERM);
            return err->code;
        }
        if (pid > 0 && mpj_stop_count() > signalled)
            kill(pid, signalled++ == 0 ? SIGTERM : SIGKILL);
    }
    return MPJ_E_OK;
}

static int offer(struct cli_emulate *e, struct run_offer *r, int *status, struct mpj_err *err)
{
    struct mpj_offer *board;
    pid_t pid = 0;
    int result = mpj_offer_open(&board, &e->offer, err);

    if (result == MPJ_E_OK)
        result = run_offer_list(r, &e->offer, board, err);
    if (result == MPJ_E_OK && e->command != NULL) {
        pid = start_command(e->command, r->list, mpj_offer_port(board), err);
        result = pid < 0 ? err->code : MPJ_E_OK;
    } else if (result == MPJ_E_OK) {
        printf("%s\n", mpj_offer_port(board));
        fflush(stdout);
        if (!cli_quiet())
            cli_note("Ctrl-C ends this board. In another terminal: export MPJOULE_BOARDS=%s; its "
                     "name there is `" RUN_OFFER_ID "`",
                     r->list);
    }
    if (result == MPJ_E_OK)
        result = serve(board, pid, status, err);
    mpj_offer_close(board);
    if (result != MPJ_E_OK && pid > 0) /* what it still asks of the board fails at once now */
        await(pid);
    return result;
}

int cli_emulate_run(struct cli_emulate *e)
{
    struct run_offer r;
    struct mpj_err err;
    int status = 0;
    int result;

    if (e->restart != NULL) {
        result = mpj_offer_restart(e->restart, e->elf, &err);
        return result == MPJ_E_OK ? 0 : cli_fail_board(&err);
    }
    mpj_stop_catch();
    mpj_pipe_ignore();
    e->offer.event = event;
    result = run_offer_prepare(&r, &e->offer, e->kind, e->calibration, &err);
    if (result == MPJ_E_OK)
        result = offer(e, &r, &status, &err);
    run_offer_free(&r);
    return result == MPJ_E_OK ? status : cli_fail_board(&err);
}
