/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calibration files. Lines are `key = value`, `include other.conf` (relative to
 * the including file) or empty; `#` starts a comment. Values are decimal integers
 * except `name`. A file may override keys of files it included, but may not give a key
 * twice itself. Unknown keys are errors, and every key must be given except for the scale of the
 * ADC: it is the tile's, as the host decodes it, unless a file models a board that differs.
 */
#include "chip_int.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_MAX_LEN  512U
#define INCLUDE_DEPTH 4U
#define L2_LEAST_KB   64

struct key {
    const char *name;
    size_t offset;
    int32_t lo, hi;
};

#define KEY_ENTRY(field, lo, hi) {#field, offsetof(struct mpj_params, field), lo, hi},
static const struct key keys[] = {MPJ_PARAM_LIST(KEY_ENTRY)};
#undef KEY_ENTRY
#define KEYS (sizeof(keys) / sizeof(keys[0]))

/* Facts of the tile that need not be given; the other keys are 0 here. */
static const struct mpj_params tile = {
    .adc_uv_per_step = TILE_ADC_UV_PER_STEP,
    .adc_na_per_step = TILE_ADC_NA_PER_STEP,
    .adc_pll_na_per_step = TILE_ADC_PLL_NA_PER_STEP,
};

struct reader {
    struct mpj_params *prm;
    char *err;
    size_t errlen;
    /* The file that gave each key: 0 none, else 1 + order of the file. Entry KEYS is `name`. */
    uint16_t given[KEYS + 1];
    uint16_t files;
};

/* Writes one line for the caller and is the code to return. snprintf() takes a NULL of size 0. */
#define fail(r, code, ...) ((void)snprintf((r)->err, (r)->errlen, __VA_ARGS__), (code))

static char *trim(char *s)
{
    while (*s == ' ' || *s == '\t')
        s++;
    size_t n = strlen(s);
    while (n > 0 && (s[n - 1] == ' ' || s[n - 1] == '\t' || s[n - 1] == '\r' || s[n - 1] == '\n'))
        s[--n] = '\0';
    return s;
}

static bool name_ok(const char *s)
{
    size_t n = strspn(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-");
    return n > 0 && s[n] == '\0' && n < MPJ_PARAM_NAME_MAX;
}

static int mark(struct reader *r, const char *path, unsigned line, size_t index, const char *key,
                uint16_t file)
{
    if (r->given[index] == file)
        return fail(r, MPJ_ERR_PARAM, "%s:%u: %s: given twice in this file", path, line, key);
    r->given[index] = file;
    return MPJ_OK;
}

static int set_key(struct reader *r, const char *path, unsigned line, const char *key,
                   const char *value, uint16_t file)
{
    if (strcmp(key, "name") == 0) {
        if (!name_ok(value))
            return fail(r, MPJ_ERR_PARAM, "%s:%u: name: expected 1 to %u of A-Z a-z 0-9 . _ -",
                        path, line, MPJ_PARAM_NAME_MAX - 1);
        memcpy(r->prm->name, value, strlen(value) + 1);
        return mark(r, path, line, KEYS, key, file);
    }
    for (size_t i = 0; i < KEYS; i++) {
        if (strcmp(key, keys[i].name) != 0)
            continue;
        char *end;
        errno = 0;
        long long v = strtoll(value, &end, 10);
        if (errno || end == value || *end != '\0' || v < keys[i].lo || v > keys[i].hi)
            return fail(r, MPJ_ERR_PARAM, "%s:%u: %s: expected an integer from %d to %d, got '%s'",
                        path, line, key, (int)keys[i].lo, (int)keys[i].hi, value);
        int32_t v32 = (int32_t)v;
        memcpy((char *)r->prm + keys[i].offset, &v32, sizeof(v32));
        return mark(r, path, line, i, key, file);
    }
    return fail(r, MPJ_ERR_PARAM, "%s:%u: %s: unknown key", path, line, key);
}

static int read_file(struct reader *r, const char *path, unsigned depth);

static int read_include(struct reader *r, const char *path, unsigned line, const char *name,
                        unsigned depth)
{
    if (*name == '\0')
        return fail(r, MPJ_ERR_PARAM, "%s:%u: include: expected a file name", path, line);
    if (depth + 1 >= INCLUDE_DEPTH)
        return fail(r, MPJ_ERR_PARAM, "%s:%u: include: nested deeper than %u files, or in a circle",
                    path, line, INCLUDE_DEPTH);
    const char *slash = strrchr(path, '/');
    size_t dir = slash && name[0] != '/' ? (size_t)(slash - path) + 1 : 0;
    size_t len = dir + strlen(name) + 1;
    char *full = malloc(len);
    if (!full)
        return fail(r, MPJ_ERR_NOMEM, "%s:%u: out of memory", path, line);
    memcpy(full, path, dir);
    memcpy(full + dir, name, len - dir);
    int rc = read_file(r, full, depth + 1);
    free(full);
    return rc;
}

static int read_line(struct reader *r, const char *path, unsigned line, char *text, uint16_t file,
                     unsigned depth)
{
    char *hash = strchr(text, '#');
    if (hash)
        *hash = '\0';
    char *s = trim(text);
    if (*s == '\0')
        return MPJ_OK;
    if (strncmp(s, "include", 7) == 0 && (s[7] == ' ' || s[7] == '\t' || s[7] == '\0'))
        return read_include(r, path, line, trim(s + 7), depth);
    char *eq = strchr(s, '=');
    if (!eq)
        return fail(r, MPJ_ERR_PARAM, "%s:%u: expected 'key = value' or 'include file'", path,
                    line);
    *eq = '\0';
    return set_key(r, path, line, trim(s), trim(eq + 1), file);
}

static int read_file(struct reader *r, const char *path, unsigned depth)
{
    FILE *f = fopen(path, "re");
    if (!f)
        return fail(r, MPJ_ERR_IO, "%s: cannot open calibration: %s", path, strerror(errno));
    uint16_t file = ++r->files;
    char text[LINE_MAX_LEN];
    unsigned line = 0;
    int rc = MPJ_OK;
    while (rc == MPJ_OK && fgets(text, sizeof(text), f)) {
        line++;
        if (strlen(text) == sizeof(text) - 1 && text[sizeof(text) - 2] != '\n')
            rc = fail(r, MPJ_ERR_PARAM, "%s:%u: line longer than %u characters", path, line,
                      LINE_MAX_LEN - 2);
        else
            rc = read_line(r, path, line, text, file, depth);
    }
    if (rc == MPJ_OK && ferror(f))
        rc = fail(r, MPJ_ERR_IO, "%s: read error", path);
    fclose(f);
    return rc;
}

static bool of_tile(const struct key *k)
{
    int32_t v;
    memcpy(&v, (const char *)&tile + k->offset, sizeof(v));
    return v != 0;
}

static bool power_of_two(int32_t v)
{
    return v > 0 && (v & (v - 1)) == 0;
}

/* Checks constraints beyond ranges: array sizes that must match. */
static int check(struct reader *r, const char *path)
{
    const struct mpj_params *p = r->prm;
    if (!power_of_two(p->l1i_kb) || !power_of_two(p->l1i_ways))
        return fail(r, MPJ_ERR_PARAM, "%s: l1i_kb, l1i_ways: expected powers of two", path);
    if (!power_of_two(p->l1d_kb) || !power_of_two(p->l1d_ways))
        return fail(r, MPJ_ERR_PARAM, "%s: l1d_kb, l1d_ways: expected powers of two", path);
    if ((p->l2_kb != 0 && (!power_of_two(p->l2_kb) || p->l2_kb < L2_LEAST_KB)) ||
        !power_of_two(p->l2_ways))
        return fail(r, MPJ_ERR_PARAM,
                    "%s: l2_kb, l2_ways: expected powers of two, l2_kb 0 (no L2) or from %d", path,
                    L2_LEAST_KB);
    if (!power_of_two(p->tlb_entries) || !power_of_two(p->tlb_ways))
        return fail(r, MPJ_ERR_PARAM, "%s: tlb_entries, tlb_ways: expected powers of two", path);
    return MPJ_OK;
}

int params_read(struct mpj_params *prm, const char *path, char *err, size_t errlen)
{
    struct reader r = {.prm = prm, .err = err, .errlen = err ? errlen : 0};
    *prm = tile;
    int rc = read_file(&r, path, 0);
    if (rc != MPJ_OK)
        return rc;
    if (!r.given[KEYS])
        return fail(&r, MPJ_ERR_PARAM, "%s: name: missing", path);
    for (size_t i = 0; i < KEYS; i++)
        if (!r.given[i] && !of_tile(&keys[i]))
            return fail(&r, MPJ_ERR_PARAM, "%s: %s: missing, expected an integer from %d to %d",
                        path, keys[i].name, (int)keys[i].lo, (int)keys[i].hi);
    return check(&r, path);
}
