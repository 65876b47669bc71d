/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Processes: there is only one, so that all of these return ENOSYS. */
#ifndef MPJ_LIBC_SPAWN_H
#define MPJ_LIBC_SPAWN_H

#include <bits/sigset.h>
#include <features.h>
#include <sched.h>
#include <sys/types.h>

typedef struct {
    short __flags;
    pid_t __group;
    sigset_t __default;
    sigset_t __mask;
    struct sched_param __priority;
    int __policy;
    int __more[16];
} posix_spawnattr_t;

typedef struct {
    int __allocated;
    int __used;
    struct __mpj_spawn *__actions;
    int __more[16];
} posix_spawn_file_actions_t;

#define POSIX_SPAWN_RESETIDS      0x01
#define POSIX_SPAWN_SETPGROUP     0x02
#define POSIX_SPAWN_SETSIGDEF     0x04
#define POSIX_SPAWN_SETSIGMASK    0x08
#define POSIX_SPAWN_SETSCHEDPARAM 0x10
#define POSIX_SPAWN_SETSCHEDULER  0x20
#if defined(__USE_GNU)
#define POSIX_SPAWN_USEVFORK 0x40
#define POSIX_SPAWN_SETSID   0x80
#endif

__MPJ_BEGIN

int posix_spawn(pid_t *__restrict, const char *__restrict,
                const posix_spawn_file_actions_t *__restrict, const posix_spawnattr_t *__restrict,
                char *const[__restrict], char *const[__restrict]);
int posix_spawnp(pid_t *, const char *, const posix_spawn_file_actions_t *,
                 const posix_spawnattr_t *, char *const[], char *const[]);
int posix_spawnattr_init(posix_spawnattr_t *);
int posix_spawnattr_destroy(posix_spawnattr_t *);
int posix_spawnattr_getsigdefault(const posix_spawnattr_t *__restrict, sigset_t *__restrict);
int posix_spawnattr_setsigdefault(posix_spawnattr_t *__restrict, const sigset_t *__restrict);
int posix_spawnattr_getsigmask(const posix_spawnattr_t *__restrict, sigset_t *__restrict);
int posix_spawnattr_setsigmask(posix_spawnattr_t *__restrict, const sigset_t *__restrict);
int posix_spawnattr_getflags(const posix_spawnattr_t *__restrict, short *__restrict);
int posix_spawnattr_setflags(posix_spawnattr_t *_attr, short);
int posix_spawnattr_getpgroup(const posix_spawnattr_t *__restrict, pid_t *__restrict);
int posix_spawnattr_setpgroup(posix_spawnattr_t *, pid_t);
int posix_spawnattr_getschedpolicy(const posix_spawnattr_t *__restrict, int *__restrict);
int posix_spawnattr_setschedpolicy(posix_spawnattr_t *, int);
int posix_spawnattr_getschedparam(const posix_spawnattr_t *__restrict,
                                  struct sched_param *__restrict);
int posix_spawnattr_setschedparam(posix_spawnattr_t *__restrict,
                                  const struct sched_param *__restrict);
int posix_spawn_file_actions_init(posix_spawn_file_actions_t *);
int posix_spawn_file_actions_destroy(posix_spawn_file_actions_t *);
int posix_spawn_file_actions_addopen(posix_spawn_file_actions_t *__restrict, int,
                                     const char *__restrict, int, mode_t);
int posix_spawn_file_actions_addclose(posix_spawn_file_actions_t *, int);
int posix_spawn_file_actions_adddup2(posix_spawn_file_actions_t *, int, int);

__MPJ_END

#endif
