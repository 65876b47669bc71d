/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The list of boards (docs/man/mpjoule-boards.md), and the locks people and CI jobs share. */
#ifndef HIL_BOARD_H
#define HIL_BOARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/errors.h"
#include "hil/uboot.h"
#include "mpj_records.h"

/* Identity that a board must report; 0: anything. */
struct mpj_identity {
    uint32_t sys_id;   /* SYS_ID */
    uint32_t proc_id;  /* SYS_PROCID */
    uint32_t midr;     /* main ID of core 0 */
    uint32_t flash_id; /* manufacturer << 16 | device, as CFI has them */
};

struct mpj_board {
    char *id;
    char *platform;   /* of its kind (tile_machine.h): "realview-eb-mpcore"; NULL: unknown */
    size_t line;      /* of the list, where it begins */
    char *port;       /* path; NULL: by usb_serial */
    char *usb_serial; /* NULL: by port */
    uint32_t bit_rate;
    char *boot;        /* "self": runs the program by itself; "command": start runs it;
                          MPJ_BOARD_LOADER: the resident loader takes it;
                          MPJ_BOARD_UBOOT (`start: uboot` in the list): U-Boot's prompt does */
    char *start;       /* shell command; NULL: none */
    char *power_cycle; /* shell command; NULL: none */
    char *reset_line;  /* hil/port.h: of the port, resets it; NULL: none */
    char *meter;       /* shell command that prints seconds and watts; NULL: none */
    char *calibration; /* name; NULL: unknown */
    char *notes;       /* NULL: none */
    char *tags;        /* words, a blank between two; NULL: none */
    struct mpj_identity identity;
    struct mpj_uboot uboot; /* of a board with MPJ_BOARD_UBOOT */
};

struct mpj_boards {
    char *file;
    size_t count;
    struct mpj_board *board;
};

#define MPJ_BOARD_LOADER "loader"
#define MPJ_BOARD_UBOOT  "uboot"
#define MPJ_BOARD_RATE   921600U

/* Reads a list; the caller checks the platforms. MPJ_E_BOARDS with file, line and fault. *out: free
 * with mpj_boards_free(), NULL on error. */
int mpj_boards_load(struct mpj_boards **out, const char *file, struct mpj_err *err);
void mpj_boards_free(struct mpj_boards *b);
/* Returns the board with that id; NULL when there is none. */
const struct mpj_board *mpj_boards_find(const struct mpj_boards *b, const char *id);
/* Returns true if the board has that tag. */
bool mpj_board_tagged(const struct mpj_board *b, const char *tag);

/* Compares HELLO with the expected identity: the text of MPJ_E_IDENTITY has the register that
 * differs. A flash id of 0 in *seen was not read and is not compared. */
int mpj_identity_check(const struct mpj_identity *want, const struct mpj_identity *seen,
                       const char *board, struct mpj_err *err);

/* Returns the bit rate of a board whose list gives none; port: its path, NULL: one by
 * usb_serial. */
uint32_t mpj_board_rate(const char *port);

struct mpj_lock;

/*
 * Takes the board for this process: a lock on a file in the folder, named after the port (that of
 * an attached adapter, for one by usb_serial), released when the process ends, in any way. purpose:
 * a word for others ("run"). The text of MPJ_E_BUSY has the holder and the time since when. wait_s:
 * how long to wait for it; a signal to end (base/stop.h) ends the wait with MPJ_E_CANCELLED. *out
 * is NULL on error.
 */
int mpj_lock_take(struct mpj_lock **out, const char *folder, const struct mpj_board *board,
                  const char *purpose, unsigned wait_s, struct mpj_err *err);
/*
 * Takes one of n boards, the first in the order given that is free; processes that wait for one of
 * them get it in the order in which they began to wait, and before one that comes then. ports:
 * folder of the locks of ports (hil/port.h): a board whose port another program has is not free;
 * NULL: that does not count. Returns the index of the board, or an error as above.
 */
int mpj_lock_take_any(struct mpj_lock **out, const char *folder,
                      const struct mpj_board *const *board, size_t n, const char *ports,
                      const char *purpose, unsigned wait_s, struct mpj_err *err);
void mpj_lock_release(struct mpj_lock *l);
/* Returns the descriptor that holds the lock, for a child that runs something on the board. */
int mpj_lock_descriptor(const struct mpj_lock *l);
/* Uses the lock of the parent, if the descriptor is one that holds this board's lock; false: it is
 * not, *out is NULL and the descriptor is left alone. Releasing it leaves it to the parent. */
bool mpj_lock_inherit(struct mpj_lock **out, const char *folder, const struct mpj_board *board,
                      int fd);

/* Puts a board in quarantine, for all users of the machine and until it restarts: a tag does not
 * choose it. reason: a line. MPJ_E_OK also when it is in quarantine already, whose reason stays. */
int mpj_quarantine_put(const char *folder, const struct mpj_board *board, const char *reason,
                       struct mpj_err *err);
/* Writes the reason of the board's quarantine, "" when it is in none. */
void mpj_quarantine_get(const char *folder, const struct mpj_board *board, char *out, size_t cap);
/* Ends the quarantine. MPJ_E_IO: another user's, who is not this one or root. */
int mpj_quarantine_lift(const char *folder, const struct mpj_board *board, struct mpj_err *err);
/* Writes one line on the holder of the board, "" when it is free. */
void mpj_lock_holder(const char *folder, const struct mpj_board *board, char *out, size_t cap);

#endif
