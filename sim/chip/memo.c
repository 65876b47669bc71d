/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memoized walks.
 *
 * Programs repeat themselves, so a scoreboard that differs from the foreseen one goes through
 * the same few states. Each state gets a number, and the result of a step (instructions that
 * issue, a late value, the end of a block) is memoized under the number of the state it started
 * from: usually the scoreboard itself is not touched. A step is a function of its key,
 * so a memoized result and a new walk give the same result.
 */
#include "flow_int.h"

#include <stdlib.h>
#include <string.h>

#define BOARDS     (1U << 15)
#define BOARD_HASH (1U << 16)

int memo_new(struct flow *f)
{
    f->board = calloc(BOARDS, sizeof(*f->board));
    f->board_hash = calloc(BOARD_HASH, sizeof(*f->board_hash));
    f->memo = calloc(MEMOS, sizeof(*f->memo));
    f->boards = 1;
    f->memo_mask = MEMOS_FIRST - 1;
    return f->board && f->board_hash && f->memo ? MPJ_OK : MPJ_ERR_NOMEM;
}

void memo_free(struct flow *f)
{
    free(f->board);
    free(f->board_hash);
    free(f->memo);
}

void memo_forget(struct flow *f)
{
    if (f->boards == 1)
        return;
    f->boards = 1;
    memset(f->board_hash, 0, BOARD_HASH * sizeof(*f->board_hash));
    memset(f->memo, 0, (f->memo_mask + 1) * sizeof(*f->memo));
}

bool memo_full(const struct flow *f)
{
    return f->boards > BOARDS * 3 / 4;
}

const struct mpj_pipe *memo_board(const struct flow *f, uint32_t number)
{
    return &f->board[number];
}

/* Returns a time relative to `now`; those before it by more than `margin` cycles are over. */
static uint32_t from_now(uint32_t at, uint32_t now, uint32_t margin)
{
    return at == 0 || at + margin <= now ? 0 : at - now + PIPE_FIRST;
}

/* Normalizes a scoreboard: it starts at PIPE_FIRST, without times that are over. */
static void shift(const struct mpj_params *prm, const struct mpj_pipe *p, struct mpj_pipe *out)
{
    uint32_t now = p->cycle;
    memset(out, 0, sizeof(*out));
    out->cycle = PIPE_FIRST;
    for (unsigned i = 0; i < sizeof(p->ready) / sizeof(*p->ready); i++) {
        bool early = i < 16 && p->late_class[i] != LATE_LOCK;
        out->ready[i] = from_now(p->ready[i], now, early ? (uint32_t)prm->pipe_early : 0);
        if (out->ready[i])
            out->late_class[i] = p->late_class[i];
    }
    for (unsigned i = 0; i < sizeof(p->unit_free) / sizeof(*p->unit_free); i++)
        out->unit_free[i] = from_now(p->unit_free[i], now, 0);
    out->flags_at = from_now(p->flags_at, now, UINT8_MAX - 1);
    out->flags_age = p->flags_age;
    out->late = from_now(p->late, now, 0);
    out->blocked = from_now(p->blocked, now, 0);
    out->flags = from_now(p->flags, now, 0);
}

/* Returns the scoreboard as bytes: all of it is set, gaps included. */
static const unsigned char *bytes_of(const struct mpj_pipe *shifted)
{
    return (const unsigned char *)shifted;
}

uint32_t memo_number(struct flow *f, const struct mpj_params *prm, const struct mpj_pipe *p)
{
    struct mpj_pipe *next = &f->board[f->boards];
    if (f->boards == BOARDS - 1)
        return 0;
    shift(prm, p, next);
    for (uint32_t h = flow_hash(bytes_of(next), sizeof(*next));; h++) {
        uint32_t *n = &f->board_hash[h & (BOARD_HASH - 1)];
        if (*n == 0)
            return *n = f->boards++;
        if (memcmp(bytes_of(&f->board[*n]), bytes_of(next), sizeof(*next)) == 0)
            return *n;
    }
}
