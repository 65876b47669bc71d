/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The waits of a deadlock: names for the addresses that the target sends. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/symbols.h"
#include "report_int.h"

#define CALL " at "

/* Writes the place of the call, not of the instruction it returns to. */
static void put_place(struct mpj_symbols *s, uint32_t address, FILE *f)
{
    struct mpj_place p;
    const char *file;

    mpj_symbols_lookup(s, address - 4U, &p);
    if (p.function == NULL)
        return;
    fprintf(f, " (%s", p.function);
    if (p.file != NULL) {
        file = strrchr(p.file, '/');
        fprintf(f, ", %s:%d", file != NULL ? file + 1 : p.file, p.line);
    }
    fputc(')', f);
}

static void put_variable(struct mpj_symbols *s, uint32_t address, FILE *f)
{
    uint32_t offset = 0;
    const char *const name = mpj_symbols_variable(s, address, &offset);

    if (name == NULL)
        return;
    if (offset == 0)
        fprintf(f, " (%s)", name);
    else
        fprintf(f, " (%s+%" PRIu32 ")", name, offset);
}

char *mpj_deadlock_names(struct mpj_symbols *s, const char *text)
{
    char *out = NULL;
    size_t size = 0;
    FILE *const f = open_memstream(&out, &size);
    const char *from = text;
    const char *at;

    if (f == NULL)
        return NULL;
    while ((at = strstr(from, "0x")) != NULL) {
        char *end;
        const uint32_t address = (uint32_t)strtoul(at, &end, 16);
        const size_t call = strlen(CALL);

        fwrite(from, 1, (size_t)(end - from), f);
        if (s != NULL && (size_t)(at - text) >= call && strncmp(at - call, CALL, call) == 0)
            put_place(s, address, f);
        else if (s != NULL)
            put_variable(s, address, f);
        from = end;
    }
    fputs(from, f);
    if (fclose(f) != 0) {
        free(out);
        return NULL;
    }
    return out;
}
