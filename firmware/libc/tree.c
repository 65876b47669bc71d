/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tsearch() and its like: the GNU C library's, as gnulib has them (README.md), and tdestroy(),
 * which gnulib leaves out. newlib's tree degenerates to a list if keys come in order. */
/* NOLINTBEGIN(bugprone-suspicious-include) */
#include <gnulib/lib/tsearch.c>
/* NOLINTEND(bugprone-suspicious-include) */

void tdestroy(void *root, void (*done)(void *))
{
    const node n = root;

    if (n == NULL)
        return;
    tdestroy(n->left, done);
    tdestroy(n->right, done);
    done((void *)n->key);
    free(n);
}
