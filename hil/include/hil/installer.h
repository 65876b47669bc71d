/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The installer (firmware/loader/install.c) as a program that a resident loader puts into RAM and
 * starts: it writes a new loader, or restores the former content of the first megabyte of the
 * flash.
 */
#ifndef HIL_INSTALLER_H
#define HIL_INSTALLER_H

#include "hil/loader.h"

#define MPJ_INSTALLER_BACKUP 0x100000U /* bytes of a backup: the loader's part of the flash */

/*
 * Builds the content for mpj_loader_upload() from the installer's file (install.bin), and from a
 * backup that it shall restore instead, unless that is NULL. MPJ_E_IO, MPJ_E_ELF when a file is not
 * valid. Free with mpj_content_free(), also after an error.
 */
int mpj_installer_content(struct mpj_content *out, const char *installer, const char *backup,
                          struct mpj_err *err);

/* Takes a line of the installer, without its "mpjoule installer: ". */
typedef void (*mpj_installer_say)(void *ctx, const char *line);

/*
 * Follows the installer that mpj_loader_boot() has started on the target, to its end. MPJ_E_FLASH:
 * it failed; MPJ_E_LINK: it fell silent, or the port has gone for long; MPJ_E_CANCELLED: cancelled
 * (NULL: never) returned true, and the installer continues on its own. It does not overwrite
 * content that is neither a loader nor erased.
 */
int mpj_installer_follow(struct mpj_target *t, mpj_installer_say say, bool (*cancelled)(void *ctx),
                         void *ctx, struct mpj_err *err);

#endif
