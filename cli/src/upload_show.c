/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "upload_show.h"

#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"

#define BAR 24U /* characters of a progress bar */

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

void cli_upload_show(const struct mpj_loader_upload *u)
{
    if (u->resumed > 0)
        fprintf(stderr, "%u bytes were already there from an interrupted upload\n", u->resumed);
    if (u->bytes > 0)
        fprintf(
            stderr,
            "%u bytes in %.2f s as %llu bytes on the line at %u bit/s: %.1f %% of its capacity\n",
            u->bytes, u->seconds, (unsigned long long)u->line, u->rate,
            100.0 * u->bytes / (double)u->line);
}
