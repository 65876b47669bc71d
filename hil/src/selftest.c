/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hil/selftest_items.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpj_records.h"
#include "tile_limits.h"

#define LINE_MAX_BYTES 1024U
#define FIELDS_MAX     9U
#define NO_UPPER       INT32_MAX                        /* as the firmware writes "no bound" */
#define BOARD_HEADER   "hal/board/%s/include/hal_map.h" /* of the board of that name */

struct mpj_selftest *mpj_selftest_new(void)
{
    struct mpj_selftest *const t = calloc(1, sizeof(*t));

    if (t == NULL)
        return NULL;
    t->pattern = 1;
    snprintf(t->board, sizeof(t->board), "%s", TILE_BOARD_DEFAULT);
    return t;
}

void mpj_selftest_free(struct mpj_selftest *t)
{
    if (t == NULL)
        return;
    for (size_t i = 0; i < t->items; i++) {
        struct mpj_selftest_item *const m = &t->item[i];

        free(m->name);
        free(m->unit);
        free(m->change);
        free(m->text);
        free(m->reason);
    }
    for (size_t i = 0; i < t->notes; i++)
        free(t->note[i]);
    free(t->item);
    free(t->note);
    free(t->part);
    free(t->rest);
    free(t);
}

const char *mpj_selftest_verdict_name(enum mpj_selftest_verdict v)
{
    static const char *const names[MPJ_SELFTEST_VERDICTS] = {"ok", "differs", "fails", "skipped"};

    return names[v];
}

/* ---- items ------------------------------------------------------------------------- */

static char *copy(struct mpj_selftest *t, const char *s)
{
    char *const out = strdup(s);

    t->no_memory = t->no_memory || out == NULL;
    return out;
}

/* Finds the item of that name: the last one, or a new one. NULL: out of memory. */
static struct mpj_selftest_item *item(struct mpj_selftest *t, const char *name)
{
    struct mpj_selftest_item *more;

    for (size_t i = 0; i < t->items; i++) {
        if (t->item[i].name != NULL && strcmp(t->item[i].name, name) == 0)
            return &t->item[i];
    }
    more = realloc(t->item, (t->items + 1U) * sizeof(*more));
    if (more == NULL) {
        t->no_memory = true;
        return NULL;
    }
    t->item = more;
    more += t->items++;
    memset(more, 0, sizeof(*more));
    more->name = copy(t, name);
    return more;
}

/* Describes the change. "-": nothing to change. A mere name is a macro of the board's header. */
static void describe(struct mpj_selftest *t, struct mpj_selftest_item *m, const char *unit,
                     const char *change, const char *text)
{
    if (m->text != NULL)
        return;
    m->unit = copy(t, unit);
    m->text = copy(t, text);
    if (strcmp(change, "-") == 0)
        return;
    if (strchr(change, ':') != NULL) {
        m->change = copy(t, change);
    } else if (asprintf(&m->change, BOARD_HEADER ":%s", t->board, change) < 0) {
        m->change = NULL;
        t->no_memory = true;
    }
}

static void judge(struct mpj_selftest_item *m)
{
    bool within = true;
    bool dead = m->low > 0;

    if (m->reason != NULL)
        return; /* a fault, or skipped */
    for (unsigned i = 0; i < m->values; i++) {
        within = within && m->value[i] >= m->low && m->value[i] <= m->high;
        dead = dead && m->value[i] == 0;
    }
    if (within)
        m->verdict = MPJ_SELFTEST_OK;
    else
        m->verdict = dead || m->change == NULL ? MPJ_SELFTEST_FAILS : MPJ_SELFTEST_DIFFERS;
}

static void add_value(struct mpj_selftest_item *m, int64_t value, int64_t low, int64_t high)
{
    m->measured = true;
    m->low = low;
    m->high = high;
    if (m->values < MPJ_SELFTEST_VALUES)
        m->value[m->values++] = value;
    else if (value < low || value > high)
        m->value[MPJ_SELFTEST_VALUES - 1] =
            value; /* more than can be shown: the one that matters */
    judge(m);
}

int mpj_selftest_add(struct mpj_selftest *t, const char *name, int64_t value, int64_t low,
                     int64_t high, const char *unit, const char *change, const char *text,
                     struct mpj_err *err)
{
    struct mpj_selftest_item *const m = item(t, name);

    if (m != NULL) {
        describe(t, m, unit != NULL ? unit : "", change != NULL ? change : "-", text);
        add_value(m, value, low, high);
    }
    return t->no_memory ? mpj_err_nomem(err) : MPJ_E_OK;
}

/* ---- the firmware's lines ------------------------------------------------------------ */

/* Reads a whole number; anything else makes the line free text. */
static bool number(const char *s, int64_t *out)
{
    char *end;

    errno = 0;
    *out = strtoll(s, &end, 0);
    return *s != '\0' && *end == '\0' && errno == 0;
}

static void on_item(struct mpj_selftest *t, char *f[], unsigned n)
{
    struct mpj_selftest_item *m;
    int64_t value;
    int64_t low;
    int64_t high;

    if (n != 9 || !number(f[3], &value) || !number(f[4], &low) || !number(f[5], &high))
        return;
    m = item(t, f[1]);
    if (m == NULL)
        return;
    describe(t, m, f[6], f[7], f[8]);
    add_value(m, value, low, high == NO_UPPER ? INT64_MAX : high);
    t->lines++;
}

/* Returns the meaning of the low bits of a fault status: those that distinguish "no such address"
 * from the rest. */
static const char *status_name(int64_t status)
{
    switch ((status & 0xf) | (status >> 6 & 0x10)) {
    case 0x1:
        return "alignment";
    case 0x5:
    case 0x7:
        return "not mapped";
    case 0x8:
        return "external abort: no device responds";
    case 0xd:
    case 0xf:
        return "not allowed";
    case 0x16:
        return "late external abort: no device responds";
    default:
        return "see DDI 0360";
    }
}

static void on_fault(struct mpj_selftest *t, char *f[], unsigned n)
{
    struct mpj_selftest_item *m;
    int64_t kind;
    int64_t status;

    if (n != 8 || !number(f[3], &kind) || !number(f[4], &status))
        return;
    m = item(t, f[1]);
    if (m == NULL)
        return;
    describe(t, m, "", f[6], f[7]);
    m->verdict = MPJ_SELFTEST_FAILS;
    t->lines++;
    if (m->reason != NULL)
        return; /* one core's is enough */
    if (asprintf(&m->reason, "%s at 0x%s (%s)", mpj_fault_name((uint32_t)kind), f[5] + 2,
                 status_name(status)) < 0) {
        m->reason = NULL;
        t->no_memory = true;
    }
}

static void on_skip(struct mpj_selftest *t, const char *name, const char *reason, bool absent)
{
    struct mpj_selftest_item *const m = item(t, name);

    if (m == NULL || m->reason != NULL)
        return;
    m->verdict = MPJ_SELFTEST_SKIPPED;
    m->absent = absent;
    m->reason = copy(t, reason);
    t->lines++;
}

static void on_note(struct mpj_selftest *t, const char *text)
{
    char **const more = realloc(t->note, (t->notes + 1U) * sizeof(*more));

    if (more == NULL) {
        t->no_memory = true;
        return;
    }
    t->note = more;
    more[t->notes] = copy(t, text);
    if (more[t->notes] != NULL)
        t->notes++;
}

static void on_line(struct mpj_selftest *t, char *line)
{
    char *f[FIELDS_MAX];
    unsigned n = 0;
    int64_t lines;

    mpj_text_clean_lines(line); /* whatever the target says */
    for (char *p = line; p != NULL && n < FIELDS_MAX; n++) {
        f[n] = p;
        p = strchr(p, '\t');
        if (p != NULL)
            *p++ = '\0';
    }
    if (strcmp(f[0], "@item") == 0) {
        on_item(t, f, n);
    } else if (strcmp(f[0], "@fault") == 0 && n == 8 && strncmp(f[5], "0x", 2) == 0) {
        on_fault(t, f, n);
    } else if (strcmp(f[0], "@skip") == 0 && (n == 3 || (n == 4 && strcmp(f[3], "absent") == 0))) {
        on_skip(t, f[1], f[2], n == 4);
    } else if (strcmp(f[0], "@note") == 0 && n == 2) {
        on_note(t, f[1]);
    } else if (strcmp(f[0], "@part") == 0 && n == 2) {
        free(t->part);
        t->part = copy(t, f[1]);
    } else if (strcmp(f[0], "@end") == 0 && n == 2 && number(f[1], &lines)) {
        t->complete = lines > 0 && (uint64_t)lines == t->lines;
    }
}

void mpj_selftest_output(struct mpj_selftest *t, const void *data, size_t len)
{
    const char *p = data;

    while (len > 0) {
        const char *const end = memchr(p, '\n', len);
        const size_t n = end != NULL ? (size_t)(end - p) : len;
        char *const more = realloc(t->rest, t->rest_len + n + 1U);

        if (more == NULL) {
            t->no_memory = true;
            return;
        }
        t->rest = more;
        memcpy(more + t->rest_len, p, n);
        t->rest_len += n;
        more[t->rest_len] = '\0';
        if (end != NULL) {
            on_line(t, more);
            t->rest_len = 0;
        } else if (t->rest_len > LINE_MAX_BYTES) {
            t->rest_len = 0; /* no line of ours is that long */
        }
        p += n + (end != NULL ? 1U : 0U);
        len -= n + (end != NULL ? 1U : 0U);
    }
}

/* ---- pattern ----------------------------------------------------------------------- */

/* Returns the next byte of the pattern, with the generator of the target (st_line.c). */
static uint8_t next_byte(uint32_t *state)
{
    *state = *state * 1664525U + 1013904223U;
    return (*state & 0x60000000U) == 0 ? 0 : (uint8_t)(*state >> 16);
}

void mpj_selftest_make_pattern(uint8_t *out, size_t len)
{
    uint32_t state = 1;

    for (size_t i = 0; i < len; i++)
        out[i] = next_byte(&state);
}

void mpj_selftest_pattern(struct mpj_selftest *t, const void *data, size_t len)
{
    const uint8_t *const p = data;

    for (size_t i = 0; i < len; i++) {
        if (p[i] == next_byte(&t->pattern))
            t->right++;
        else
            t->wrong++;
    }
}

/* ---- verdict ------------------------------------------------------------------------ */

bool mpj_selftest_count(const struct mpj_selftest *t, unsigned count[MPJ_SELFTEST_VERDICTS])
{
    size_t absent = 0;

    memset(count, 0, MPJ_SELFTEST_VERDICTS * sizeof(*count));
    for (size_t i = 0; i < t->items; i++) {
        count[t->item[i].verdict]++;
        absent += t->item[i].absent ? 1U : 0U;
    }
    return t->complete && !t->no_memory && count[MPJ_SELFTEST_OK] > 0 &&
           count[MPJ_SELFTEST_OK] + absent == t->items;
}
