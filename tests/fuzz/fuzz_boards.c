/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any text as boards.yaml: a list, or one line that says what is wrong. */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz_file.h"
#include "hil/board.h"

/* Each tag is found, and none that is empty. */
static void check_tags(const struct mpj_board *b)
{
    char tag[64]; /* one that fits no id is refused */
    const char *p = b->tags != NULL ? b->tags : "";

    if (mpj_board_tagged(b, "") || (b->tags == NULL && mpj_board_tagged(b, "a")))
        abort();
    while (*p != '\0') {
        const size_t n = strcspn(p, " ");

        if (n == 0 || n >= sizeof(tag))
            abort();
        memcpy(tag, p, n);
        tag[n] = '\0';
        if (!mpj_board_tagged(b, tag))
            abort();
        p += n + (p[n] == ' ');
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mpj_boards *all = NULL;
    struct mpj_err err;

    if (mpj_boards_load(&all, fuzz_file(data, size), &err) != MPJ_E_OK) {
        if (all != NULL || strchr(err.text, '\n') != NULL)
            abort();
        return 0;
    }
    for (size_t i = 0; i < all->count; i++) {
        const struct mpj_board *const b = mpj_boards_find(all, all->board[i].id);
        const struct mpj_identity seen = {
            .sys_id = 0x01400400, .proc_id = 0x06000000, .midr = 0x410fb024};

        if (b == NULL || mpj_boards_find(all, "") != NULL)
            abort();
        check_tags(b);
        (void)mpj_identity_check(&b->identity, &seen, b->id, &err);
        if (mpj_identity_check(&b->identity, &b->identity, b->id, &err) != MPJ_E_OK)
            abort();
    }
    mpj_boards_free(all);
    return 0;
}

/* One or two boards, some keys of each with a value that may be wrong. */
size_t fuzz_seed(uint8_t *out, size_t cap, uint32_t (*rng)(void))
{
    static const char *const ports[] = {"port: /dev/ttyUSB0",      "usb_serial: A1",
                                        "port: tcp://h:1",         "notes: none",
                                        "port: rfc2217://[::1]:9", "port: telnet://h:65536"};
    static const char *const line[] = {"port: /dev/ttyUSB1",
                                       "tags: a",
                                       "tags: [a, b-1]",
                                       "tags: -a",
                                       "tags: [a, [b]]",
                                       "reset_line: break",
                                       "reset_line: x",
                                       "start: uboot",
                                       "boot: uboot",
                                       "uboot: {prompt: \"# \", transfer: tftp, folder: /f}",
                                       "uboot: {transfer: loady, fresh: on, verify: no, wait: 5}",
                                       "uboot: {transfer: other}",
                                       "uboot: {folder: /f, before: \"\\x01\"}",
                                       "uboot: {stop_keys: \" \", stop_when: a, wait: 3601}",
                                       "meter: yes",
                                       "bit_rate: 921600",
                                       "bit_rate: 1",
                                       "bit_rate: -1",
                                       "bit_rate: 0x1c200",
                                       "boot: self",
                                       "boot: loader",
                                       "boot: command",
                                       "boot: other",
                                       "start: reset",
                                       "power_cycle: cycle",
                                       "platform: realview-eb-mpcore",
                                       "platform: other",
                                       "calibration: mprofiler",
                                       "notes: \"a\\nb\\e\"",
                                       "notes:",
                                       "start:",
                                       "start: [a]",
                                       "identity: {sys_id: 0x01400400, proc_id: 1, midr: 2}",
                                       "identity: {flash_id: 5, other: 1}",
                                       "identity: 5",
                                       "? [a]\n    : b"};
    char text[2000] = "boards:\n";
    size_t n = strlen(text);

    if (rng() % 16U == 0)
        n = (size_t)snprintf(text, sizeof(text), "other: 1\n");
    for (uint32_t b = 1 + rng() % 2U; b > 0; b--) {
        n += (size_t)snprintf(text + n, sizeof(text) - n, "  - id: tile%u\n",
                              (unsigned)(rng() % 2U));
        n += (size_t)snprintf(text + n, sizeof(text) - n, "    %s\n",
                              ports[rng() % (sizeof(ports) / sizeof(ports[0]))]);
        for (uint32_t i = rng() % 6U; i > 0; i--)
            n += (size_t)snprintf(text + n, sizeof(text) - n, "    %s\n",
                                  line[rng() % (sizeof(line) / sizeof(line[0]))]);
    }
    n = n < cap ? n : cap;
    memcpy(out, text, n);
    return n;
}
