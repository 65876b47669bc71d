/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a line that damages bits carries: full frames of a run from a target to the host, over a
 * line of 115200 bit/s in virtual time, whole as to a host that knows no parts, and in parts.
 * usage: line-errors [--frames N] [--limit S] [--check]
 *   --frames N  of the run (201)
 *   --limit S   of line time, after which what has arrived counts (400)
 *   --check     all frames arrive in parts on every line, and on a good one as fast as whole
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/link_rig.h"

#define MEMORY (4U << 20) /* the target keeps the whole run */

struct outcome {
    uint32_t got;
    double seconds, rate; /* bytes of frames a second */
    bool all;
};

static struct outcome transfer(double bit_error, bool whole, uint32_t frames, uint32_t limit_s)
{
    const struct lossy_faults faults = {.bit_error = bit_error};
    struct rig *const r = rig_new(1, &faults, MEMORY);
    struct outcome o;

    r->whole = whole;
    r->to_send = frames;
    r->pace = frames;
    r->length = MPJ_FRAME_PAYLOAD_MAX;
    o.all = rig_run(r, limit_s * 1000U);
    o.got = r->got;
    o.seconds = r->now / 1000.0;
    o.rate = (double)r->bytes / o.seconds;
    rig_free(r);
    return o;
}

int main(int argc, char **argv)
{
    static const struct option known[] = {
        {"frames", 1, NULL, 'f'}, {"limit", 1, NULL, 'l'}, {"check", 0, NULL, 'c'}, {0}};
    static const double errors[] = {0, 1e-5, 1e-4, 3e-4, 1e-3};
    uint32_t frames = 201;
    uint32_t limit = 400;
    bool check = false;
    bool wrong = false;
    int c;

    while ((c = getopt_long(argc, argv, "", known, NULL)) != -1) {
        if (c == 'f')
            frames = (uint32_t)strtoul(optarg, NULL, 10);
        else if (c == 'l')
            limit = (uint32_t)strtoul(optarg, NULL, 10);
        else if (c == 'c')
            check = true;
        else
            return 2;
    }
    if (frames < 1 || frames > RIG_SLOTS / 2U || limit < 1 || limit > 4000000U || optind < argc) {
        fprintf(stderr, "line-errors: 1 to %u frames, at least a second\n", RIG_SLOTS / 2U);
        return 2;
    }
    printf("bit errors   whole: frames        s   bytes/s   parts: frames        s   bytes/s\n");
    for (unsigned i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
        const struct outcome a = transfer(errors[i], true, frames, limit);
        const struct outcome b = transfer(errors[i], false, frames, limit);

        printf("%10g %9u of %-3u %8.1f %9.0f %9u of %-3u %8.1f %9.0f\n", errors[i], a.got, frames,
               a.seconds, a.rate, b.got, frames, b.seconds, b.rate);
        if (!b.all || (errors[i] == 0 && b.rate < 0.99 * a.rate) ||
            (a.all && b.rate < 0.9 * a.rate)) {
            wrong = true;
            fprintf(stderr, "line-errors: %g: parts do worse\n", errors[i]);
        }
    }
    return check && wrong;
}
