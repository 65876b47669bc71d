/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions are grouped by the last two letters of their names, and the groups are placed in a
 * random order with gaps between them: the linker's script needs no list of functions for that.
 */
#include "cc_layout.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

#define SCRIPT   "mpj_ram.ld"
#define REST     "*(.text .stub .text.*" /* of the script: functions that no pattern named */
#define LETTERS  "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_."
#define CLASSES  13U /* of letters; CLASSES * CLASSES groups */
#define GAPS     8U  /* before a group: fewer than this many times GAP */
#define GAP      8U  /* bytes: the grain of the code's layout in a line */
#define DATA_GAP 8U
#define WAY      8192U /* bytes of a way of the data cache: skips beyond meet the same sets */
#define PAGE     4096U

static uint64_t draw(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15U); /* splitmix64 */

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
}

static unsigned below(uint64_t *state, unsigned n)
{
    return (unsigned)(draw(state) % n);
}

/* Distributes the letters to classes at random, each class as between the brackets of a pattern. */
static void draw_classes(uint64_t *state, char class[CLASSES][sizeof(LETTERS)])
{
    char letter[] = LETTERS;
    const unsigned n = sizeof(LETTERS) - 1;

    memset(class, 0, CLASSES * sizeof(class[0]));
    for (unsigned i = n - 1; i > 0; i--) {
        const unsigned k = below(state, i + 1);
        const char c = letter[i];
        letter[i] = letter[k];
        letter[k] = c;
    }
    for (unsigned i = 0; i < n; i++)
        class[i % CLASSES][strlen(class[i % CLASSES])] = letter[i];
}

static void put_order(uint64_t state, FILE *f)
{
    char last[CLASSES][sizeof(LETTERS)];
    char second[CLASSES][sizeof(LETTERS)];
    unsigned order[CLASSES * CLASSES];

    draw_classes(&state, last);
    draw_classes(&state, second);
    for (unsigned i = 0; i < CLASSES * CLASSES; i++)
        order[i] = i;
    for (unsigned i = CLASSES * CLASSES - 1; i > 0; i--) {
        const unsigned k = below(&state, i + 1);
        const unsigned c = order[i];
        order[i] = order[k];
        order[k] = c;
    }
    for (unsigned i = 0; i < CLASSES * CLASSES; i++)
        fprintf(f, ". += %u;\n*(.text.*[%s][%s])\n", GAP * below(&state, GAPS),
                second[order[i] / CLASSES], last[order[i] % CLASSES]);
}

struct script {
    const char *from; /* the usual one */
    uint64_t state;
};

/* Writes the linker's script with the order in it. */
static int put_script(const void *what, FILE *f, struct mpj_err *err)
{
    const struct script *const s = what;
    FILE *const from = fopen(s->from, "re");
    char *line = NULL;
    size_t size = 0;
    bool found = false;

    if (from == NULL)
        return mpj_err_errno(err, "cannot read %s", s->from);
    while (getline(&line, &size, from) > 0) {
        if (strstr(line, REST) != NULL) {
            put_order(s->state, f);
            found = true;
        }
        fputs(line, f);
    }
    free(line);
    fclose(from);
    if (!found)
        return mpj_err_set(
            err, MPJ_E_TARGET,
            "%s has no line with \"%s\": the runtime is from another version of mpjoule", s->from,
            REST);
    return ferror(f) ? mpj_err_errno(err, "cannot write the order of functions") : MPJ_E_OK;
}

__attribute__((format(printf, 2, 0))) static int add(struct cc_layout *l, const char *format,
                                                     unsigned value, struct mpj_err *err)
{
    /* formats are those below */
    if (asprintf(&l->arg[l->args], format, value) < 0)
        return mpj_err_nomem(err);
    l->args++;
    return MPJ_E_OK;
}

int cc_layout_make(struct cc_layout *l, const char *number, const char *firmware,
                   struct mpj_err *err)
{
    char *end;
    const unsigned long n = strtoul(number, &end, 10);
    struct script script = {.state = n * 0x2545f4914f6cdd1dU};
    uint64_t state = ~script.state;
    char *from;
    char *path;
    int result;

    if (number[0] < '0' || number[0] > '9' || *end != '\0' || n > CC_LAYOUT_MAX)
        return mpj_err_set(err, MPJ_E_USAGE, CC_LAYOUT "N takes a number from 0 to %u, not \"%s\"",
                           CC_LAYOUT_MAX, number);
    if (l->args > 0)
        return mpj_err_set(err, MPJ_E_USAGE, CC_LAYOUT "N occurs twice");
    if (add(l, "-ffunction-sections", 0, err) != MPJ_E_OK || n == 0)
        return err->code;
    if (mpj_tempdir_make(&l->folder, err) != MPJ_E_OK)
        return err->code;
    if (asprintf(&from, "%s/" SCRIPT, firmware) < 0)
        return mpj_err_nomem(err);
    if (asprintf(&path, "%s/" SCRIPT, l->folder.path) < 0) {
        free(from);
        return mpj_err_nomem(err);
    }
    script.from = from;
    result = mpj_file_replace(path, put_script, &script, err);
    free(path);
    free(from);
    if (result != MPJ_E_OK)
        return result;
    if (asprintf(&l->arg[l->args], "-B%s/", l->folder.path) < 0)
        return mpj_err_nomem(err);
    l->args++;
    if (add(l, "-Wl,--defsym=__mpj_skip_data=%u", DATA_GAP * below(&state, WAY / DATA_GAP), err) !=
            MPJ_E_OK ||
        add(l, "-Wl,--defsym=__mpj_skip_bss=%u", DATA_GAP * below(&state, WAY / DATA_GAP), err) !=
            MPJ_E_OK ||
        add(l, "-Wl,--defsym=__mpj_skip_heap=%u", PAGE * below(&state, 16), err) != MPJ_E_OK)
        return err->code;
    return add(l, "-Wl,--defsym=__mpj_skip_stack=%u", DATA_GAP * below(&state, 256), err);
}

void cc_layout_free(struct cc_layout *l)
{
    while (l->args > 0)
        free(l->arg[--l->args]);
    mpj_tempdir_remove(&l->folder);
}
