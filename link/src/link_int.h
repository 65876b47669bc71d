/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Within the link: frames in parts (parts.c) for the state machine (link.c). */
#ifndef LINK_INT_H
#define LINK_INT_H

#include "mpj_link.h"

/* First byte of a PART: its first unit, and */
#define MPJ_PART_LAST  0x80U /* the frame ends with it */
#define MPJ_PART_ROUND 0x40U /* the sender has sent what it had to of this frame */
#define MPJ_PART_UNIT  0x3fU

/* Most bytes that an ACK has for parts: no run, a size, the units of frames. */
#define MPJ_PART_LIST (3U + 4U * MPJ_LINK_LISTED)

static inline struct mpj_link_ahead *mpj_ahead(const struct mpj_link *l, uint32_t seq)
{
    return &l->cfg.ahead[seq & (l->cfg.ahead_count - 1U)];
}

/* Forgets what is here of a frame. */
void mpj_part_forget(struct mpj_link_ahead *a);
/* Takes a part; true when the frame is complete. */
bool mpj_part_gather(struct mpj_link_ahead *a, const struct mpj_frame *f);

/* Reads the next run of missing frames in an ACK, with at after the previous one: moves at to its
 * first frame. False: there is none. */
bool mpj_run_next(const struct mpj_link *l, struct mpj_reader *r, uint32_t *at, uint32_t *missing);
/* Reads what an ACK about the frames from seq on has for parts; r is at its runs and stays there.
 * False: the runs are not to be sent again now. */
bool mpj_part_heard(struct mpj_link *l, uint32_t seq, const struct mpj_reader *r);
/* Notes that no acknowledgement came in time. */
void mpj_part_unheard(struct mpj_link *l);

/* Judges the line for an ACK that is about to be sent: whether it is to be too short for a list
 * of units, how many missing frames its runs may have; writes what follows them. mark: past the
 * runs. */
bool mpj_part_brief(struct mpj_link *l);
uint32_t mpj_part_most(const struct mpj_link *l, bool brief);
void mpj_part_status(const struct mpj_link *l, struct mpj_writer *w, uint32_t mark, bool brief);

/* Splits the current frame into parts, if it is to be. */
void mpj_part_begin(struct mpj_link *l);
/* Chooses the next part. */
void mpj_part_next(struct mpj_link *l);

#endif
