/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any bytes as what U-Boot prints on its console: lines, prompts, answers of crc32. */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "uboot_text.h"

/* What is kept is text, and ends within its array. */
static void check_line(const char *line, size_t cap)
{
    const size_t n = strnlen(line, cap);

    if (n == cap)
        abort();
    for (size_t i = 0; i < n; i++) {
        if (line[i] < ' ' || line[i] > '~')
            abort();
    }
}

/* A line that is taken for a checksum has all of it. */
static void check_crc(const char *line)
{
    struct uboot_crc crc;
    char want[80];

    if (!uboot_text_crc(line, &crc))
        return;
    snprintf(want, sizeof(want), "32 for %08x ... %08x ==> %08x", crc.first, crc.last, crc.crc);
    if (strcasestr(line, want) == NULL)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct uboot_text t = {0};
    unsigned prompts = 0;

    for (size_t i = 0; i < size; i++) {
        const bool ended = uboot_text_take(&t, data[i]);

        if (t.len >= sizeof(t.line) || t.line[t.len] != '\0' ||
            (ended && (data[i] != '\n' || t.len != 0)))
            abort();
        if (ended) {
            check_line(t.last, sizeof(t.last));
            check_crc(t.last);
        }
        if (ended && uboot_text_unknown(t.last))
            uboot_text_clear(&t);
        prompts += uboot_text_prompts(&t, "=> ");
    }
    check_line(t.line, sizeof(t.line));
    if (t.bytes != size || t.strange > t.bytes || prompts > size)
        abort();
    (void)uboot_text_strange(&t);
    return 0;
}

static size_t say(uint8_t *out, size_t cap, size_t n, const char *text)
{
    const size_t len = strlen(text);

    if (n + len > cap)
        return n;
    memcpy(out + n, text, len);
    return n + len;
}

size_t fuzz_seed(uint8_t *out, size_t cap, uint32_t (*rng)(void))
{
    static const char *const parts[] = {
        "\r\nU-Boot 2023.01 (Jun 22 2026)\r\n\r\nDRAM:  256 MiB\r\n",
        "Hit any key to stop autoboot:  2 \b\b\b 1 \b\b\b 0 \r\n",
        "=> ",
        "\r\n=> ",
        "echo mpjoule-1\r\nmpjoule-1\r\n=> ",
        "Unknown command 'crc32' - try 'help'\r\n",
        "## Ready for binary (ymodem) download to 0x40008000 at 115200 bps...\r\nCCC",
        "\rCACHE: Misaligned operation at range [40008000, 4002c9f0]\r\n",
        "\x1b[1;32mgreen\x1b[0m\tcolumns\x1b"
        "c\r\n",
        "\x80\xff\xfe\xf0\x00\x07",
    };
    size_t n = 0;

    for (unsigned i = 0; i < 12 && n + 200 < cap; i++) {
        char crc[100];

        if (rng() % 4U != 0) {
            n = say(out, cap, n, parts[rng() % (sizeof(parts) / sizeof(parts[0]))]);
            continue;
        }
        snprintf(crc, sizeof(crc), "%s32 for %08x ... %08x ==> %0*x\r\n",
                 rng() % 2U ? "crc" : "CRC", rng(), rng(), rng() % 8U ? 8 : 7, rng() & 0xfffffffU);
        n = say(out, cap, n, crc);
    }
    return n;
}
