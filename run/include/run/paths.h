/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the files of mpjoule itself, relative to the running executable (in a build tree or
 * installed as PREFIX/bin/mpjoule) or by the environment: MPJOULE_QEMU, MPJOULE_FIRMWARE,
 * MPJOULE_CALIBRATIONS, MPJOULE_GROUPS, MPJOULE_MODELS, MPJOULE_SKELETON, MPJOULE_CI, MPJOULE_GDB,
 * MPJOULE_PRELOAD, MPJOULE_LOCKS, MPJOULE_PORT_LOCKS. All functions return allocated paths; NULL
 * when out of memory. The files need not exist.
 */
#ifndef RUN_PATHS_H
#define RUN_PATHS_H

/* Returns the path of the emulator. */
char *run_path_qemu(void);
/* Returns the library that `mpjoule build` loads into the programs of a build. */
char *run_path_preload(void);
/* Returns the folder of the firmware's build, with the runtimes of all boards. */
char *run_path_firmware(void);
/* Subfolder with the folders of boards other than the default one. */
#define RUN_BOARDS_FOLDER "board"
/* Returns the folder of a board's own files: those that `mpjoule cc --board NAME` finds first, the
 * board's description (hil/kind.h), apps/. For the default board it is run_path_firmware(). */
char *run_path_runtime(const char *board);
/* Returns the path of one of the firmware's applications, built for that board: "recorder.elf". */
char *run_path_app(const char *board, const char *name);
/* Returns the image at the begin of a board's flash: the boot stage and the resident loader. Not
 * every board has one (run/kinds.h). */
char *run_path_loader(const char *board);
/* Returns the path of the installer of the resident loader. */
char *run_path_installer(const char *board);
/* Returns the file of a calibration: by name, also of one of the assumptions, or a path
 * unchanged. */
char *run_path_calibration(const char *name);
/* Returns the folder of calibrations with other assumptions (run/assumptions.h). */
char *run_path_assumptions(void);
/* Returns the file of laws in the folder of the calibrations: how a chip of other sizes differs
 * (search/explore.h). */
char *run_path_laws(void);
/* Returns the folder of the counter groups. */
char *run_path_groups(void);
/* Returns the folder of the energy models (in it: fitted, published). */
char *run_path_models(void);
/* Returns the folder of the skeleton of `mpjoule init`: a program, its build and its gate. */
char *run_path_skeleton(void);
/* Returns the script that lets gdb see the threads of the runtime. */
char *run_path_gdb(void);
/* Returns the folder of the pipeline files. */
char *run_path_ci(void);
/* Returns the folder of the boards' locks. */
char *run_path_locks(void);
/* Returns the folder of the locks of serial ports that terminal programs create as well
 * (hil/uucp.h). */
char *run_path_port_locks(void);
/* Returns the folder of what is known of boards' sessions (run/health.h); NULL: this user has
 * none. */
char *run_path_health(void);

#endif
