/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks of the heap, which do nothing here. */
#ifndef MPJ_MCHECK_H
#define MPJ_MCHECK_H

enum mcheck_status { MCHECK_DISABLED = -1, MCHECK_OK, MCHECK_FREE, MCHECK_HEAD, MCHECK_TAIL };

#ifdef __cplusplus
extern "C" {
#endif

/* Returns 0 and has no effect. */
int mcheck(void (*fn)(enum mcheck_status status));
int mcheck_pedantic(void (*fn)(enum mcheck_status status));
void mcheck_check_all(void);
enum mcheck_status mprobe(void *p);
void mtrace(void);
void muntrace(void);

#ifdef __cplusplus
}
#endif

#endif
