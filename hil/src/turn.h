/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The turn of processes that wait for a board: a ticket is a file next to the board's lock, named
 * by the time it was drawn, which its process has locked. One of a process that has died counts for
 * nothing.
 */
#ifndef TURN_H
#define TURN_H

#include <stdbool.h>
#include <stdint.h>

struct turn {
    char *path; /* NULL: no ticket */
    int fd;
};

/* Draws a ticket for the lock at a path. time: nanoseconds of a clock that all processes of the
 * machine share. Without one (no memory, no space) the process waits out of turn. */
void turn_draw(struct turn *t, const char *lock, uint64_t time);
void turn_drop(struct turn *t);
/* Returns true if no living process has an older ticket; NULL or no ticket: any at all. */
bool turn_has_come(const struct turn *t, const char *lock);

#endif
