/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Code of functions: instructions and source lines, with the cost of each. */
#ifndef CODE_H
#define CODE_H

#include <capstone/capstone.h>
#include <stdbool.h>
#include <stdint.h>

#include "report/run.h"

#define CODE_EVENTS     4U   /* columns of events */
#define CODE_TARGET_MAX 240U /* text of a branch's target */

/* Cost of an instruction or a line. */
struct code_cost {
    uint64_t executions, cycles;
    int64_t fj;
    int64_t ev[CODE_EVENTS];
};

/* A source line, and all its instructions in the function. */
struct code_line {
    const char *file; /* "": unknown */
    int number;
    struct code_cost cost;
};

/* One copy of a function. */
struct code {
    const struct mpj_prof_copy *copy;
    uint32_t start, size;
    bool thumb;
    unsigned executed; /* instructions */
    bool energy;       /* it is known */
    unsigned events;
    char *event[CODE_EVENTS];
    struct code_cost *cost; /* of each halfword from the start on */
    /* by code_decode() */
    size_t insns; /* and constants between them; each of at most 4 bytes */
    cs_insn *insn;
    unsigned *line_of; /* index of each instruction's line */
    unsigned lines;
    struct code_line *line;
    struct code_cost sum;
};

/* A source file; lines are without control characters, tabs as blanks. */
struct code_source {
    char *path;
    char **text;
    unsigned lines;      /* 0: it cannot be read, is empty, or was refused */
    const char *refused; /* why it may not be shown; NULL: it may be */
    bool newer;          /* it was changed after the program was made */
};

struct code_reader;

/* Opens a program and its run. MPJ_E_ELF: the program cannot be read. *out is NULL on error. */
int code_open(struct code_reader **out, const char *store, const char *elf, struct mpj_err *err);
void code_close(struct code_reader *r);

/* Reads what a copy of a function cost; free with code_free(), in any case. MPJ_E_ELF: the program
 * has no size for it. */
int code_read(struct code_reader *r, const struct mpj_prof_func *f,
              const struct mpj_prof_copy *copy, struct code *out, struct mpj_err *err);
/* Finds its instructions and their lines. */
int code_decode(struct code_reader *r, struct code *c, struct mpj_err *err);
void code_free(struct code *c);
/* Returns the cost of an instruction of it. */
const struct code_cost *code_cost(const struct code *c, size_t insn);
/* Writes the target of a branch as "<function+0x8>"; "" for other instructions. */
const char *code_target(struct code_reader *r, const cs_insn *insn, char out[CODE_TARGET_MAX]);

/* Returns a source file, which is read once. The program names it, so that it may be any file of
 * the machine: refuses all that are not C, C++ or assembler sources by their name, are below /proc,
 * /sys or /dev (links resolved), or are large. NULL: out of memory. Valid as long as r. */
const struct code_source *code_source(struct code_reader *r, const char *path);
/* Returns the text of a line of it; NULL: unknown. */
const char *code_text(const struct code_source *s, int number);

#endif
