/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "board_loader.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"

#define BAR      24U  /* characters of a progress bar */
#define ALIVE_MS 1500 /* for a loader that is there: it answers at once */
#define WAIT_MS  15000
#define CALLS    3 /* sessions begun before one that answered and fell silent is given up */

void cli_progress_end(struct cli_progress *p)
{
    if (p->open)
        fputc('\n', stderr);
    p->open = false;
}

static const char *phase_name(char phase)
{
    switch (phase) {
    case 'u':
        return "upload";
    case 'e':
        return "erase";
    case 'p':
        return "program";
    default:
        return "verify";
    }
}

void cli_progress_show(void *ctx, char phase, uint32_t done, uint32_t total, uint32_t rate)
{
    struct cli_progress *const p = ctx;
    const bool terminal = isatty(STDERR_FILENO) != 0;
    double took;

    if (p->quiet)
        return;
    if (p->phase != phase) {
        cli_progress_end(p);
        p->phase = phase;
        p->started = mpj_clock_s();
        p->first = phase == 'u' ? p->first : 0;
    }
    if (!terminal && done != total)
        return;
    took = mpj_clock_s() - p->started;
    fprintf(stderr, "%s%-8s ", terminal ? "\r" : "", phase_name(phase));
    if (terminal) {
        const unsigned filled = (unsigned)((uint64_t)done * BAR / total);
        fprintf(stderr, "[%.*s%*s] ", (int)filled, "########################", (int)(BAR - filled),
                "");
    }
    fprintf(stderr, "%3u %%  %u of %u bytes", (unsigned)((uint64_t)done * 100U / total), done,
            total);
    if (phase == 'u' && took > 0.5 && done > p->first) {
        const double bytes_s = (double)(done - p->first) / took;
        fprintf(stderr, ", %.1f kB/s of %.1f, %.0f s left  ", bytes_s / 1000.0,
                (double)rate / 10000.0, (double)(total - done) / bytes_s);
    }
    p->open = true;
    if (done == total)
        cli_progress_end(p);
    fflush(stderr);
}

int cli_board_serial(struct mpj_target **target, const struct mpj_board *board, const char *elf,
                     struct mpj_err *err)
{
    const char *const command = board->start != NULL ? board->start : board->power_cycle;
    struct mpj_serial_options serial = {
        .name = board->id,
        .path = board->port,
        .usb_serial = board->usb_serial,
        .rate = board->bit_rate,
        .elf = elf,
    };

    if (cli_board_has_loader(board))
        serial.restart = command;
    else
        serial.start = command;
    return mpj_serial_new(target, &serial, err);
}

bool cli_board_has_loader(const struct mpj_board *board)
{
    return board->boot != NULL &&
           strcmp(board->boot, MPJ_BOARD_LOADER) == 0; /* a bare port has none */
}

/* Before anything is written: the board is the one the list describes. */
static int identify(struct mpj_loader *l, const struct mpj_board *board,
                    const struct mpj_hello *hello, struct mpj_loader_info *info,
                    struct mpj_err *err)
{
    struct mpj_identity seen;

    memset(&seen, 0, sizeof(seen));
    seen.sys_id = hello->sys_id;
    seen.proc_id = hello->proc_id;
    seen.midr = hello->midr;
    if (mpj_identity_check(&board->identity, &seen, board->id, err) != MPJ_E_OK ||
        mpj_loader_info(l, info, err) != MPJ_E_OK)
        return err->code;
    seen.flash_id = info->flash_id != 0 ? info->flash_id : UINT32_MAX;
    return mpj_identity_check(&board->identity, &seen, board->id, err);
}

int cli_loader_open(struct mpj_loader **out, struct mpj_target *target,
                    const struct mpj_board *board, bool (*cancelled)(void *ctx), void *ctx,
                    struct mpj_loader_info *info, struct mpj_err *err)
{
    const bool resident = cli_board_has_loader(board);
    const struct mpj_loader_patience patience = {
        .alive_ms = resident ? ALIVE_MS : WAIT_MS,
        .wait_ms = resident ? WAIT_MS : 0,
        .cancelled = cancelled,
        .ctx = ctx,
    };
    struct mpj_hello hello;

    for (unsigned calls = 1;; calls++) {
        if (mpj_loader_open(out, target, &patience, &hello, err) != MPJ_E_OK)
            return err->code;
        /* Until its first request the loader may give up the bit rate that was agreed on, when it
         * hears nothing for a while; the host cannot know, and begins anew. */
        const int result = identify(*out, board, &hello, info, err);
        if (result != MPJ_E_LINK || calls == CALLS)
            return result;
        mpj_loader_close(*out);
        *out = NULL;
    }
}

void cli_upload_show(const struct mpj_loader_upload *u)
{
    if (u->resumed > 0)
        fprintf(stderr, "%u bytes were there from an interrupted upload\n", u->resumed);
    if (u->bytes > 0)
        fprintf(stderr, "%u bytes in %.2f s as %llu bytes of the line at %u bit/s: %.1f %% of it\n",
                u->bytes, u->seconds, (unsigned long long)u->line, u->rate,
                100.0 * u->bytes / (double)u->line);
}
