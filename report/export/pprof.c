/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pprof's profile (github.com/google/pprof, proto/profile.proto), gzipped: a sample per call path
 * with energy, time, cycles and events, and labels for thread, core and region. Each function is
 * one location. Tables precede references to them, which are numbers, so the file is written in one
 * pass.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "export/pb.h"
#include "export/profile_out.h"
#include "report_int.h"
#include "view/profile_text.h"

/* Fields of message Profile, and of its submessages. */
enum {
    PROFILE_SAMPLE_TYPE = 1,
    PROFILE_SAMPLE = 2,
    PROFILE_LOCATION = 4,
    PROFILE_FUNCTION = 5,
    PROFILE_STRING = 6,
    PROFILE_DURATION = 10,
    PROFILE_COMMENT = 13,
    PROFILE_DEFAULT = 14,
    TYPE_NAME = 1,
    TYPE_UNIT = 2,
    SAMPLE_LOCATION = 1,
    SAMPLE_VALUE = 2,
    SAMPLE_LABEL = 3,
    LABEL_KEY = 1,
    LABEL_TEXT = 2,
    LABEL_NUMBER = 3,
    LOCATION_ID = 1,
    LOCATION_ADDRESS = 3,
    LOCATION_LINE = 4,
    LINE_FUNCTION = 1,
    LINE_LINE = 2,
    FUNCTION_ID = 1,
    FUNCTION_NAME = 2,
    FUNCTION_SYSTEM_NAME = 3,
    FUNCTION_FILE = 4,
    FUNCTION_LINE = 5,
};

#define CHUNK 16384

struct writing {
    const struct mpj_report *r;
    const struct mpj_profile *p;
    struct pb message, part, inner;
    uint64_t strings;
    uint64_t word_thread, word_core, word_region;
    unsigned *shown; /* items */
    unsigned n;
    struct whole *w;  /* [item] */
    uint64_t rest_ns; /* not yet in a sample, in ns * Hz */
    z_stream z;
    FILE *f;
    bool failed;
};

/* ---- gzip ------------------------------------------------------------------------------ */

static void deflate_to(struct writing *c, const unsigned char *data, size_t len, int flush)
{
    unsigned char out[CHUNK];

    c->z.next_in = (unsigned char *)(uintptr_t)data;
    c->z.avail_in = (unsigned)len;
    do {
        c->z.next_out = out;
        c->z.avail_out = sizeof(out);
        if (deflate(&c->z, flush) == Z_STREAM_ERROR)
            c->failed = true;
        fwrite(out, 1, sizeof(out) - c->z.avail_out, c->f);
    } while (c->z.avail_out == 0 && !c->failed);
}

/* Writes a field of the profile that is a message. */
static void put(struct writing *c, unsigned field, const struct pb *m)
{
    c->failed = c->failed || m->failed;
    pb_clear(&c->message);
    pb_message(&c->message, field, m);
    c->failed = c->failed || c->message.failed;
    deflate_to(c, c->message.at, c->message.len, Z_NO_FLUSH);
}

static void put_number(struct writing *c, unsigned field, uint64_t v)
{
    pb_clear(&c->message);
    pb_number(&c->message, field, v);
    deflate_to(c, c->message.at, c->message.len, Z_NO_FLUSH);
}

/* Writes the next string; returns its number. */
static uint64_t string(struct writing *c, const char *text)
{
    pb_clear(&c->message);
    pb_text(&c->message, PROFILE_STRING, text);
    deflate_to(c, c->message.at, c->message.len, Z_NO_FLUSH);
    return c->strings++;
}

/* ---- tables ---------------------------------------------------------------------------- */

static void put_type(struct writing *c, const char *name, const char *unit)
{
    const uint64_t n = string(c, name);
    const uint64_t u = string(c, unit);

    pb_clear(&c->part);
    pb_number(&c->part, TYPE_NAME, n);
    pb_number(&c->part, TYPE_UNIT, u);
    put(c, PROFILE_SAMPLE_TYPE, &c->part);
}

/* Writes energy first, then time, then the events. */
static void put_types(struct writing *c)
{
    const struct mpj_profile *const p = c->p;

    if (p->energy >= 0)
        c->shown[c->n++] = (unsigned)p->energy;
    for (unsigned i = 0; i < p->first_cause; i++) {
        if ((int)i != p->energy && p->sum[i] + p->chip[i] > 0)
            c->shown[c->n++] = i;
    }
    for (unsigned i = 0; i < c->n; i++) {
        const unsigned item = c->shown[i];
        c->w[i] = profile_whole(p, (int)item);
        if ((int)item == p->energy)
            put_type(c, "energy", "nanojoules");
        else
            put_type(c, p->item[item].name, p->item[item].unit);
    }
    if (p->cycles >= 0 && p->clock_hz > 0)
        put_type(c, "time", "nanoseconds");
}

/* Writes function and location `id`, which is its index + 1; the chip's is the last. */
static void put_function(struct writing *c, uint64_t id, const struct mpj_prof_func *func)
{
    const uint64_t name = string(c, func->label);
    const uint64_t symbol = string(c, func->name);
    const uint64_t file = string(c, func->file != NULL ? func->file : "");

    pb_clear(&c->part);
    pb_number(&c->part, FUNCTION_ID, id);
    pb_number(&c->part, FUNCTION_NAME, name);
    pb_number(&c->part, FUNCTION_SYSTEM_NAME, symbol);
    pb_number(&c->part, FUNCTION_FILE, file);
    pb_number(&c->part, FUNCTION_LINE, (uint64_t)func->line);
    put(c, PROFILE_FUNCTION, &c->part);
    pb_clear(&c->inner);
    pb_number(&c->inner, LINE_FUNCTION, id);
    pb_number(&c->inner, LINE_LINE, (uint64_t)func->line);
    pb_clear(&c->part);
    pb_number(&c->part, LOCATION_ID, id);
    if (func->address >= 0)
        pb_number(&c->part, LOCATION_ADDRESS, (uint64_t)func->address);
    pb_message(&c->part, LOCATION_LINE, &c->inner);
    put(c, PROFILE_LOCATION, &c->part);
}

/* ---- samples --------------------------------------------------------------------------- */

/* Adds a label; a text, as a number of 0 means that there is none. */
static void add_label(struct writing *c, uint64_t key, const char *text)
{
    const uint64_t value = string(c, text);

    pb_clear(&c->inner);
    pb_number(&c->inner, LABEL_KEY, key);
    pb_number(&c->inner, LABEL_TEXT, value);
    pb_message(&c->part, SAMPLE_LABEL, &c->inner);
}

/* Converts further cycles to nanoseconds, whose sum is exact. */
static uint64_t next_ns(struct writing *c, uint64_t cycles)
{
    const uint64_t hz = c->p->clock_hz;
    const uint64_t rest = c->rest_ns + cycles % hz * 1000000000U;

    c->rest_ns = rest % hz;
    return cycles / hz * 1000000000U + rest / hz;
}

static void add_values(struct writing *c, const int64_t *v)
{
    const struct mpj_profile *const p = c->p;

    pb_clear(&c->inner);
    for (unsigned i = 0; i < c->n; i++)
        pb_varint(&c->inner, whole_take(&c->w[i], v[c->shown[i]]));
    if (p->cycles >= 0 && p->clock_hz > 0)
        pb_varint(&c->inner, next_ns(c, (uint64_t)v[p->cycles]));
    pb_message(&c->part, SAMPLE_VALUE, &c->inner);
}

static void put_sample(struct writing *c, uint32_t node)
{
    const struct mpj_profile *const p = c->p;
    const struct mpj_prof_node *const n = &p->node[node];
    char text[120];

    pb_clear(&c->part);
    pb_clear(&c->inner);
    for (uint32_t at = node; at != MPJ_PROF_NO_PARENT; at = p->node[at].parent)
        pb_varint(&c->inner, p->node[at].func + 1U);
    pb_message(&c->part, SAMPLE_LOCATION, &c->inner);
    add_values(c, p->self + (size_t)node * p->items);
    if (n->thread >= 0) {
        profile_thread(c->r->run, n->thread, MPJ_PROF_NONE, text, sizeof(text));
        add_label(c, c->word_thread, text);
    }
    if (n->core >= 0) {
        snprintf(text, sizeof(text), "%" PRId64, n->core);
        add_label(c, c->word_core, text);
    }
    if (n->region >= 0) {
        profile_region(c->r->run, n->region, text, sizeof(text));
        add_label(c, c->word_region, text);
    }
    put(c, PROFILE_SAMPLE, &c->part);
}

static void put_all(struct writing *c)
{
    const struct mpj_profile *const p = c->p;
    const struct mpj_prof_func chip = {.name = (char *)(uintptr_t)MPJ_PROF_CHIP,
                                       .label = (char *)(uintptr_t)MPJ_PROF_CHIP,
                                       .address = -1};
    char label[400];

    string(c, "");
    c->word_thread = string(c, "thread");
    c->word_core = string(c, "core");
    c->word_region = string(c, "region");
    put_types(c);
    for (unsigned i = 0; i < p->funcs; i++)
        put_function(c, i + 1U, &p->func[i]);
    put_function(c, p->funcs + 1U, &chip);
    for (uint32_t i = 0; i < p->nodes; i++)
        put_sample(c, i);
    pb_clear(&c->part);
    pb_clear(&c->inner);
    pb_varint(&c->inner, p->funcs + 1U);
    pb_message(&c->part, SAMPLE_LOCATION, &c->inner);
    add_values(c, p->chip);
    put(c, PROFILE_SAMPLE, &c->part);
    profile_label(c->r->run, label, sizeof(label));
    put_number(c, PROFILE_COMMENT, string(c, label));
    put_number(c, PROFILE_DURATION, (uint64_t)(c->r->run->time_s * 1e9));
    put_number(c, PROFILE_DEFAULT, 4); /* the name of the first type, after "" and three words */
    deflate_to(c, NULL, 0, Z_FINISH);
}

static int put_pprof(const struct mpj_report *r, FILE *f, struct mpj_err *err)
{
    const struct mpj_profile *const p = r->run->profile;
    struct writing c = {.r = r, .p = p, .f = f};
    int result = profile_out_check(r, true, err);

    if (result != MPJ_E_OK)
        return result;
    c.shown = calloc(p->items + 1U, sizeof(*c.shown));
    c.w = calloc(p->items + 1U, sizeof(*c.w));
    c.failed = c.shown == NULL || c.w == NULL;
    /* 15 + 16: the largest window, and gzip's header, whose time is 0 */
    if (!c.failed && deflateInit2(&c.z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8,
                                  Z_DEFAULT_STRATEGY) == Z_OK) {
        put_all(&c);
        deflateEnd(&c.z);
    } else {
        c.failed = true;
    }
    pb_free(&c.message);
    pb_free(&c.part);
    pb_free(&c.inner);
    free(c.shown);
    free(c.w);
    return c.failed ? mpj_err_nomem(err) : MPJ_E_OK;
}

static mpj_report_put *pprof_of(const struct mpj_view *view)
{
    return profile_exports(view) ? put_pprof : NULL;
}

const struct mpj_exporter exporter_pprof = {"pprof", "pb.gz", pprof_of, false, false};
