/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reports where threads run: OMP_AFFINITY_FORMAT and the functions that use it. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif
#include "omp.h"
#include "omp_int.h"
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FORMAT_MAX 256
#define FIELD_MAX  128

static char set_format[FORMAT_MAX];

static const char *present_format(void)
{
    const char *env = getenv("OMP_AFFINITY_FORMAT");

    if (set_format[0] != '\0')
        return set_format;
    return env && *env ? env : "level %L thread %i affinity %A";
}

void omp_set_affinity_format(const char *format)
{
    snprintf(set_format, sizeof(set_format), "%s", format);
}

size_t omp_get_affinity_format(char *buffer, size_t size)
{
    const char *format = present_format();
    if (size)
        snprintf(buffer, size, "%s", format);
    return strlen(format);
}

static const struct {
    char letter;
    const char *name;
} fields[] = {
    {'t', "team_num"},
    {'T', "num_teams"},
    {'L', "nesting_level"},
    {'n', "thread_num"},
    {'N', "num_threads"},
    {'a', "ancestor_tnum"},
    {'H', "host"},
    {'P', "process_id"},
    {'i', "native_thread_id"},
    {'A', "thread_affinity"},
};

/* Writes the cores that the calling thread may use: 0-1,3. */
static void cores(char *text, size_t size)
{
    cpu_set_t set;
    size_t at = 0;

    text[0] = '\0';
    if (pthread_getaffinity_np(pthread_self(), sizeof(set), &set) != 0)
        return;
    for (int first = 0, last; first < CPU_SETSIZE && at < size; first = last + 1) {
        last = first;
        if (!CPU_ISSET(first, &set))
            continue;
        while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, &set))
            last++;
        at += (size_t)snprintf(text + at, size - at, last > first ? "%s%d-%d" : "%s%d",
                               at ? "," : "", first, last);
    }
}

static void field(const struct omp_thread *thr, char letter, char *text)
{
    int value;

    switch (letter) {
    case 't':
        value = omp_get_team_num();
        break;
    case 'T':
        value = omp_get_num_teams();
        break;
    case 'L':
        value = (int)thr->s.team->level;
        break;
    case 'n':
        value = (int)thr->s.tid;
        break;
    case 'N':
        value = (int)thr->s.team->n;
        break;
    case 'a':
        value = thr->s.team->level ? (int)thr->s.team->parent_tid : -1;
        break;
    case 'P':
        value = (int)getpid();
        break;
    case 'i':
        value = (int)thr->id;
        break;
    case 'H':
        if (gethostname(text, FIELD_MAX) != 0)
            text[0] = '\0';
        return;
    case 'A':
        cores(text, FIELD_MAX);
        return;
    default:
        snprintf(text, FIELD_MAX, "undefined");
        return;
    }
    snprintf(text, FIELD_MAX, "%d", value);
}

/* Returns the field's letter, given as such or as its name in braces; 0: unknown. Moves *f past
 * it. */
static char letter_of(const char **f)
{
    const char *name = *f + 1;
    const char *end;

    if (**f == '\0')
        return 0;
    if (**f != '{')
        return *(*f)++;
    end = strchr(name, '}');
    *f = end ? end + 1 : name + strlen(name);
    for (size_t i = 0; end && i < sizeof(fields) / sizeof(fields[0]); i++) {
        if (strlen(fields[i].name) == (size_t)(end - name) &&
            strncmp(fields[i].name, name, (size_t)(end - name)) == 0)
            return fields[i].letter;
    }
    return 0;
}

struct out {
    char *buffer;
    size_t size, at;
};

static void put(struct out *out, char c)
{
    if (out->at + 1 < out->size)
        out->buffer[out->at] = c;
    out->at++;
}

/* Expands %[0][.]size and the field: at least `size` wide, right-aligned with a dot, padded with
 * zeros after a 0. */
static void put_field(struct out *out, const struct omp_thread *thr, const char **f)
{
    const bool zeros = **f == '0';
    const bool right = (*f)[zeros] == '.';
    size_t width, len;
    char text[FIELD_MAX];
    const char *t = text;
    char *end;
    char letter;

    *f += zeros + right;
    width = strtoul(*f, &end, 10);
    *f = end;
    letter = letter_of(f);
    field(thr, letter, text);
    len = strlen(text);
    if (right && zeros && *t == '-' && letter != 'H')
        put(out, *t++);
    for (size_t i = len; right && i < width; i++)
        put(out, zeros && letter != 'H' && letter != 'A' ? '0' : ' ');
    for (; *t; t++)
        put(out, *t);
    for (size_t i = len; !right && i < width; i++)
        put(out, ' ');
}

size_t omp_capture_affinity(char *buffer, size_t size, const char *format)
{
    const struct omp_thread *thr = omp_self();
    struct out out = {.buffer = buffer, .size = size};
    const char *f = format && *format ? format : present_format();

    while (*f) {
        if (*f != '%') {
            put(&out, *f++);
        } else if (f[1] == '%') {
            put(&out, '%');
            f += 2;
        } else {
            f++;
            put_field(&out, thr, &f);
        }
    }
    if (size)
        buffer[out.at < size ? out.at : size - 1] = '\0';
    return out.at;
}

void omp_display_affinity(const char *format)
{
    char line[FORMAT_MAX];
    omp_capture_affinity(line, sizeof(line), format);
    fprintf(stderr, "%s\n", line);
}

void omp_show_affinity(struct omp_thread *thr)
{
    char line[FORMAT_MAX];
    uint32_t hash = 2166136261U; /* FNV-1a */
    omp_capture_affinity(line, sizeof(line), NULL);
    for (const char *c = line; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 16777619U;
    hash |= 1U;
    if (hash != thr->shown)
        fprintf(stderr, "%s\n", line);
    thr->shown = hash;
}
