/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads what U-Boot prints, byte by byte: lines, the prompt, results of commands. */
#ifndef UBOOT_TEXT_H
#define UBOOT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UBOOT_LINE_MAX 400U

struct uboot_text {                /* zero-initialise */
    char line[UBOOT_LINE_MAX + 1]; /* the unfinished line as a terminal shows it */
    size_t len;
    char last[UBOOT_LINE_MAX + 1]; /* the last finished line that is not empty */
    bool returned;                 /* a carriage return came last */
    uint8_t escape;                /* within an escape sequence: its bytes so far */
    uint64_t bytes, strange;       /* received; of these, not text */
};

/* Takes a byte. True: it ended a line that is not empty, which is in `last`. */
bool uboot_text_take(struct uboot_text *t, uint8_t byte);
/* Forgets the unfinished line. */
void uboot_text_clear(struct uboot_text *t);
/* True if the unfinished line is the prompt and nothing else. */
bool uboot_text_prompts(const struct uboot_text *t, const char *prompt);
/* True if a quarter of what came, or more, is not text: another bit rate, or a program. */
bool uboot_text_strange(const struct uboot_text *t);

/* Parses the result of `crc32`, "crc32 for FIRST ... LAST ==> CRC". False: another line. */
struct uboot_crc {
    uint32_t first, last, crc;
};
bool uboot_text_crc(const char *line, struct uboot_crc *out);
/* True for the answer to a command that this U-Boot does not have. */
bool uboot_text_unknown(const char *line);

#endif
