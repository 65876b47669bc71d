/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "out_lock.h"

#include "mpj_out.h"

unsigned out_lock_waits;

bool mpj_out_try_lock(volatile uint32_t *word)
{
    if (*word != 0)
        return false;
    *word = 1;
    return true;
}

void mpj_out_lock(volatile uint32_t *word)
{
    if (!mpj_out_try_lock(word))
        out_lock_waits++;
}

void mpj_out_unlock(volatile uint32_t *word)
{
    *word = 0;
}

void mpj_out_unlock_tried(volatile uint32_t *word)
{
    *word = 0;
}
