/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cache maintenance for code that the program has written. */
#ifndef MPJ_SYS_CACHECTL_H
#define MPJ_SYS_CACHECTL_H

#define ICACHE 1
#define DCACHE 2
#define BCACHE (ICACHE | DCACHE)

/* Makes all cores execute the code that has been written to these bytes. Handles both caches,
 * whichever one is named. Returns 0. */
int cacheflush(void *first, int bytes, int cache);

#endif
