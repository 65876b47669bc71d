/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "uboot_text.h"

#include <string.h>

#define ESC     0x1bU
#define DIGITS  8U  /* of a number in an answer of crc32 */
#define ENOUGH  64U /* bytes before which nothing is said about them */
#define ESC_MAX 16U

void uboot_text_clear(struct uboot_text *t)
{
    t->len = 0;
    t->line[0] = '\0';
    t->returned = false;
    t->escape = 0;
}

static bool end_line(struct uboot_text *t)
{
    const bool any = t->len > 0;

    if (any)
        memcpy(t->last, t->line, t->len + 1);
    uboot_text_clear(t);
    return any;
}

/* Skips escape sequences (colours, cursor): ESC [ parameters letter, or ESC and one byte. */
static bool in_escape(struct uboot_text *t, uint8_t byte)
{
    if (t->escape == 0 && byte != ESC)
        return false;
    t->escape++;
    if ((t->escape == 2 && byte != '[') || (t->escape > 2 && byte >= '@') || t->escape > ESC_MAX)
        t->escape = 0;
    return true;
}

static void put(struct uboot_text *t, uint8_t byte)
{
    if (t->returned) { /* what follows overwrites the line */
        t->len = 0;
        t->returned = false;
    }
    if (t->len < UBOOT_LINE_MAX)
        t->line[t->len++] = (char)byte;
    t->line[t->len] = '\0';
}

bool uboot_text_take(struct uboot_text *t, uint8_t byte)
{
    t->bytes++;
    if (byte == '\n')
        return end_line(t);
    if (in_escape(t, byte))
        return false;
    if (byte == '\r') {
        t->returned = true;
    } else if (byte == '\b') {
        if (t->len > 0)
            t->line[--t->len] = '\0';
    } else if (byte == '\t') {
        put(t, ' ');
    } else if (byte >= ' ' && byte < 0x7f) {
        put(t, byte);
    } else {
        t->strange += byte != 0 && byte != '\a';
    }
    return false;
}

bool uboot_text_prompts(const struct uboot_text *t, const char *prompt)
{
    return !t->returned && t->len > 0 && strcmp(t->line, prompt) == 0;
}

bool uboot_text_strange(const struct uboot_text *t)
{
    return t->bytes >= ENOUGH && t->strange >= t->bytes / 4;
}

/* Reads a number of 8 hexadecimal digits; returns what follows, NULL: none. */
static const char *number(const char *p, uint32_t *out)
{
    unsigned n = 0;

    for (*out = 0; n <= DIGITS; p++, n++) {
        const int c = *p | 0x20;
        if (*p >= '0' && *p <= '9')
            *out = *out << 4 | (uint32_t)(*p - '0');
        else if (c >= 'a' && c <= 'f')
            *out = *out << 4 | (uint32_t)(c - 'a' + 10);
        else
            break;
    }
    return n == DIGITS ? p : NULL;
}

static const char *word(const char *p, const char *w)
{
    return p != NULL && strncmp(p, w, strlen(w)) == 0 ? p + strlen(w) : NULL;
}

bool uboot_text_crc(const char *line, struct uboot_crc *out)
{
    const char *p = strstr(line, "32 for ");

    if (p == NULL)
        return false;
    p = number(p + strlen("32 for "), &out->first);
    p = word(p, " ... ");
    p = p != NULL ? number(p, &out->last) : NULL;
    p = word(p, " ==> ");
    p = p != NULL ? number(p, &out->crc) : NULL;
    return p != NULL && strspn(p, " ") == strlen(p);
}

bool uboot_text_unknown(const char *line)
{
    return strstr(line, "Unknown command") != NULL;
}
