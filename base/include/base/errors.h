/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Errors of the host components: a negative code and one line that says what failed, with context.
 */
#ifndef BASE_ERRORS_H
#define BASE_ERRORS_H

#include <stdbool.h>
#include <stdint.h>

enum mpj_code {
    MPJ_E_OK = 0,
    MPJ_E_NOMEM = -1,
    MPJ_E_USAGE = -2,     /* invalid argument */
    MPJ_E_IO = -3,        /* a file or socket of this machine */
    MPJ_E_FULL = -4,      /* no space left for the log or the store */
    MPJ_E_ELF = -5,       /* not a program for this target, or of another firmware ABI */
    MPJ_E_TARGET = -6,    /* the emulator or board is missing or does not start */
    MPJ_E_NO_ANSWER = -7, /* it starts but does not speak */
    MPJ_E_IDENTITY = -8,  /* it speaks but is not what was requested */
    MPJ_E_LINK = -9,      /* link lost or records missing */
    MPJ_E_TIMEOUT = -10,  /* the run took longer than allowed */
    MPJ_E_FAULT = -11,    /* the program faulted */
    MPJ_E_PROGRAM = -12,  /* the target's runtime ended the run with an error */
    MPJ_E_LOG = -13,      /* a log that cannot be read */
    MPJ_E_STORE = -14,    /* a store that cannot be read or written */
    MPJ_E_CANCELLED = -15,
    MPJ_E_NO_PORT = -16, /* the serial port is not there */
    MPJ_E_BUSY = -17, /* another process holds the board or the port, or this user may not use it */
    MPJ_E_FLASH = -18,  /* writing the flash failed */
    MPJ_E_BOARDS = -19, /* the list of boards cannot be used */
    MPJ_E_BOUND = -20,  /* the run was ended because it is beyond its bound */
};

struct mpj_err {
    int code; /* enum mpj_code */
    char text[512];
};

/* Sets code and text (printf); returns code, so that "return mpj_err_set(...)" reads well. */
__attribute__((format(printf, 3, 4))) int mpj_err_set(struct mpj_err *e, int code, const char *fmt,
                                                      ...);

/* Sets MPJ_E_NOMEM and its text; returns the code. */
int mpj_err_nomem(struct mpj_err *e);

/* Sets code and text for a failed system call: appends ": strerror(errno)"; a full disk becomes
 * MPJ_E_FULL. Preserves errno. An empty name at the end of the text is shown as "". */
__attribute__((format(printf, 2, 3))) int mpj_err_errno(struct mpj_err *e, const char *fmt, ...);

/* True if a Unicode character hides text: it has no width, changes the direction of the text after
 * it, or begins a line. */
bool mpj_text_hides(uint32_t c);
/* Makes one line of text from other sources (child processes, files): replaces control characters,
 * C1 ones, those of mpj_text_hides() and bytes that are not UTF-8 by spaces, so that nothing in it
 * commands a terminal. */
void mpj_text_clean(char *text);
/* Cleans text of several lines, or of columns, likewise, but keeps \n and \t. */
void mpj_text_clean_lines(char *text);

#endif
