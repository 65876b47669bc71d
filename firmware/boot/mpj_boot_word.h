/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MPJ_BOOT_WORD_H
#define MPJ_BOOT_WORD_H

#include <stdint.h>

/* Contents of MPJ_BOOT_WORD when the image started: MPJ_BOOT_GUARDED, or anything else. */
extern uint32_t mpj_boot_word;

#endif
