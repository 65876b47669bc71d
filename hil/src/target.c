/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hil/target.h"

void mpj_target_free(struct mpj_target *t)
{
    if (t != NULL)
        t->ops->free(t);
}
