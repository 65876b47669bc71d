/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Code that the program has written, as far as the caches are concerned. */
#ifndef MPJ_SYS_CACHECTL_H
#define MPJ_SYS_CACHECTL_H

#define ICACHE 1
#define DCACHE 2
#define BCACHE (ICACHE | DCACHE)

/* All cores execute what has been written to these bytes. Whichever cache is named, both are seen
 * to. Returns 0. */
int cacheflush(void *first, int bytes, int cache);

#endif
