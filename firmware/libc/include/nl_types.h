/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Message catalogues, of which there are none. */
#ifndef MPJ_NL_TYPES_H
#define MPJ_NL_TYPES_H

#define NL_SETD       1
#define NL_CAT_LOCALE 1

typedef void *nl_catd;
#ifndef _NL_ITEM_DECLARED /* defined by <langinfo.h> */
#define _NL_ITEM_DECLARED
typedef int nl_item;
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Returns (nl_catd)-1 with ENOENT. */
nl_catd catopen(const char *name, int flags);
/* Returns the program's text. */
char *catgets(nl_catd catalogue, int set, int number, const char *text);
int catclose(nl_catd catalogue);

#ifdef __cplusplus
}
#endif

#endif
