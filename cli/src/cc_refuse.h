/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options of gcc that cannot work on the target. */
#ifndef CC_REFUSE_H
#define CC_REFUSE_H

#include <stdbool.h>

/* Returns the option among a compiler's words, without its name, that asks for what the target
 * cannot do, and in *why what to do instead; NULL: none. Both live as long as the
 * words. */
const char *cc_refused(char *const *words, int count, const char **why);

/* True if a word asks for coverage. */
bool cc_covers(const char *word);

#endif
