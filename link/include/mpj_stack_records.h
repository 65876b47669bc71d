/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * FAULT_STACK records (SPEC.md): what a call chain needs of the stack of a fault. Only those of its
 * words are sent that point into the code or into the stack itself, and what repeats, as it does
 * while a function calls itself, as a number of repetitions: a stack of 8 MB takes some hundred
 * bytes then.
 *
 * Freestanding, no allocation.
 */
#ifndef MPJ_STACK_RECORDS_H
#define MPJ_STACK_RECORDS_H

#include <stdbool.h>

#include "mpj_records.h"

#define MPJ_STACK_BYTES_MAX 880U /* of words in one record: fits a frame */
#define MPJ_STACK_PAST      32U  /* words back that can be repeated */

enum mpj_stack_kind {
    MPJ_STACK_CODE = 0,    /* an address in the code */
    MPJ_STACK_POINTER = 1, /* an address in the stack */
    MPJ_STACK_AGAIN = 2,   /* no word: the last ones again */
};

/* The stack from `from` up to `to`: whatever it holds that is not here points neither into the code
 * nor into the stack. */
struct mpj_stack_rec {
    uint32_t from, to;
    struct mpj_bytes words; /* for mpj_stack_words() */
};
int mpj_stack_put(struct mpj_writer *w, const struct mpj_stack_rec *s);
int mpj_stack_get(const struct mpj_rec *rec, struct mpj_stack_rec *out);

/* Calls fn for each word of the record, upwards, until that returns false. Returns 0, or
 * MPJ_LINK_ERR_FORMAT for words that cannot be read or lie outside [from, to). */
int mpj_stack_words(const struct mpj_stack_rec *s,
                    bool (*fn)(void *ctx, uint32_t address, uint32_t value), void *ctx);

struct mpj_stack_entry {
    uint32_t gap; /* words left out since the last one */
    uint32_t kind;
    uint32_t value; /* pointers: less their own address */
};

/* A record in the making. */
struct mpj_stack_coder {
    struct mpj_writer w;
    uint32_t from;
    uint32_t next; /* address after the last word */
    uint32_t code; /* the last one */
    uint32_t count;
    uint32_t period, again; /* so many words are as those `period` before them */
    struct mpj_stack_entry past[MPJ_STACK_PAST];
    uint8_t bytes[MPJ_STACK_BYTES_MAX];
};

void mpj_stack_start(struct mpj_stack_coder *c, uint32_t from);
/* Adds the word at an address, above all before it; kind: not MPJ_STACK_AGAIN. False: the record is
 * full without it. */
bool mpj_stack_add(struct mpj_stack_coder *c, uint32_t address, uint32_t value, uint32_t kind);
/* Sets *out to the record, up to `to`; its words lie in the coder. */
void mpj_stack_finish(struct mpj_stack_coder *c, uint32_t to, struct mpj_stack_rec *out);

#endif
