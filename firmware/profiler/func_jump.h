/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The first instruction of newlib's longjmp(), and the offset of the
 * stack pointer among the registers that it loads.
 */
#ifndef MPJ_FUNC_JUMP_H
#define MPJ_FUNC_JUMP_H

#include <_newlib_version.h>

#define MPJ_FUNC_TEXT_OF(x) #x
#define MPJ_FUNC_TEXT(x)    MPJ_FUNC_TEXT_OF(x)

#if __NEWLIB__ > 4 || (__NEWLIB__ == 4 && __NEWLIB_MINOR__ >= 3)
#define MPJ_FUNC_JUMP        0xe8b06ff0 /* ldm r0!, {r4-r9, sl, fp, sp, lr} */
#define MPJ_FUNC_JUMP_LEAVES "32"
#else
#define MPJ_FUNC_JUMP        0xe8b07ff0 /* ldm r0!, {r4-r9, sl, fp, ip, sp, lr} */
#define MPJ_FUNC_JUMP_LEAVES "36"
#endif
#define MPJ_FUNC_JUMP_WORD MPJ_FUNC_TEXT(MPJ_FUNC_JUMP) /* for assembly */

#endif
