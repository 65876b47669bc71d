/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files of mpjoule itself, found relative to the running executable (in a build tree or installed
 * as PREFIX/bin/mpjoule) or named by the environment: MPJOULE_QEMU, MPJOULE_FIRMWARE,
 * MPJOULE_CALIBRATIONS, MPJOULE_GROUPS, MPJOULE_MODELS, MPJOULE_SKELETON, MPJOULE_CI,
 * MPJOULE_GDB, MPJOULE_PRELOAD, MPJOULE_LOCKS, MPJOULE_PORT_LOCKS. All are allocated; NULL when
 * out of memory. They need not exist.
 */
#ifndef RUN_PATHS_H
#define RUN_PATHS_H

/* The emulator. */
char *run_path_qemu(void);
/* The library that `mpjoule build` loads into the programs of a build. */
char *run_path_preload(void);
/* Folder of the firmware's build, with the runtimes of all boards. */
char *run_path_firmware(void);
/* In it, the folders of boards other than the default one. */
#define RUN_BOARDS_FOLDER "board"
/* Folder of what is a board's own: what `mpjoule cc --board NAME` finds first, the board's
 * description (mpj_kind.h), apps/. That of the default board is run_path_firmware(). */
char *run_path_runtime(const char *board);
/* One of our applications, built for that board: "recorder.elf". */
char *run_path_app(const char *board, const char *name);
/* What a flash of a board begins with: the boot stage and the resident loader. Not every board has
 * them (run/kinds.h). */
char *run_path_loader(const char *board);
/* The installer of the resident loader. */
char *run_path_installer(const char *board);
/* File of a calibration: by name, also of one of the assumptions, or a path as it is. */
char *run_path_calibration(const char *name);
/* Folder of calibrations that assume something else (run/assumptions.h). */
char *run_path_assumptions(void);
/* Laws beside the calibrations: how a chip of other sizes differs (run/explore.h). */
char *run_path_laws(void);
/* Folder of the counter groups. */
char *run_path_groups(void);
/* Folder of the energy models (in it: fitted, published). */
char *run_path_models(void);
/* Folder of what `mpjoule init` begins with: a program, its build and its gate. */
char *run_path_skeleton(void);
/* What gdb loads to know the threads of the runtime. */
char *run_path_gdb(void);
/* Folder of the pipeline files. */
char *run_path_ci(void);
/* Folder of the boards' locks. */
char *run_path_locks(void);
/* Folder of the locks of serial ports that terminal programs make, too (mpj_uucp.h). */
char *run_path_port_locks(void);

#endif
