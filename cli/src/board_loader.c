/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "board_loader.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define WAIT_MS 15000

static double now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

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
        p->started = now_s();
        p->first = phase == 'u' ? p->first : 0;
    }
    if (!terminal && done != total)
        return;
    took = now_s() - p->started;
    fprintf(stderr, "%s%-8s %3u %%  %u of %u bytes", terminal ? "\r" : "", phase_name(phase),
            (unsigned)((uint64_t)done * 100U / total), done, total);
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

int cli_loader_open(struct mpj_loader **out, struct mpj_target **target,
                    const struct mpj_board *board, const char *elf, struct mpj_err *err)
{
    const struct mpj_serial_options serial = {
        .name = board->id,
        .path = board->port,
        .usb_serial = board->usb_serial,
        .rate = board->bit_rate,
        .start = board->start != NULL ? board->start : board->power_cycle,
        .elf = elf,
    };
    struct mpj_identity seen;
    struct mpj_hello hello;

    *out = NULL;
    if (mpj_serial_new(target, &serial, err) != MPJ_E_OK)
        return err->code;
    if (mpj_loader_open(out, *target, WAIT_MS, &hello, err) != MPJ_E_OK)
        return err->code;
    memset(&seen, 0, sizeof(seen));
    seen.sys_id = hello.sys_id;
    seen.proc_id = hello.proc_id;
    seen.midr = hello.midr;
    return mpj_identity_check(&board->identity, &seen, board->id, err);
}

int cli_loader_boot(const struct mpj_board *board, const char *elf, bool quiet, struct mpj_err *err)
{
    struct cli_progress progress = {.quiet = quiet};
    struct mpj_target *target = NULL;
    struct mpj_loader *loader = NULL;
    struct mpj_loader_info info;
    struct mpj_content c;
    enum mpj_loader_source from = MPJ_LOADER_UPLOADED;
    uint32_t resumed = 0;
    int result = mpj_content_read(&c, elf, err);

    if (result == MPJ_E_OK)
        result = cli_loader_open(&loader, &target, board, elf, err);
    if (result == MPJ_E_OK)
        result = mpj_loader_info(loader, &info, err);
    if (result == MPJ_E_OK) {
        if (info.bytes == c.image.bytes && info.crc == c.image.crc)
            from = MPJ_LOADER_FLASHED;
        else if (c.image.kind == MPJ_LOADER_IN_PLACE)
            result = mpj_err_set(err, MPJ_E_IDENTITY,
                                 "%s runs from the flash, and %s holds another program: "
                                 "`mpjoule flash %s %s` first",
                                 elf, board->id, board->id, elf);
        else
            result = mpj_loader_upload(loader, &c, cli_progress_show, &progress, &resumed, err);
    }
    if (result == MPJ_E_OK)
        result = mpj_loader_boot(loader, from, err);
    cli_progress_end(&progress);
    mpj_loader_close(loader);
    mpj_target_free(target);
    mpj_content_free(&c);
    return result;
}
