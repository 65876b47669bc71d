/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions that programs for Linux configure and link with and that nothing here can do: they fail
 * with ENOSYS. docs/manual/programs-for-linux.md has the same list, and a test compares the two.
 * Weak, so that a program may bring its own. As with the GNU C library, the linker warns of them,
 * and <limits.h> has a macro __stub_NAME for each, by which configure scripts know (gnu/stubs.h,
 * which the build makes from this file).
 */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#include "cancel.h"

long mpj_unsupported(void);
long mpj_unsupported_wait(void);
void *mpj_unsupported_null(void);
int mpj_unsupported_number(void);

long mpj_unsupported(void)
{
    errno = ENOSYS;
    return -1;
}

/* For those that are cancellation points all the same. */
long mpj_unsupported_wait(void)
{
    mpj_cancel_point();
    return mpj_unsupported();
}

void *mpj_unsupported_null(void)
{
    errno = ENOSYS;
    return NULL;
}

/* For those that return the error instead of setting errno. */
int mpj_unsupported_number(void)
{
    return ENOSYS;
}

/* What newlib's towctrans() calls for encodings of Japanese, and does not have: those are not here.
 */
int mpj_same_letter(int c);

int mpj_same_letter(int c)
{
    return c;
}

/* The names stand for functions of many types; the linker need not know them. */
#define AS(to, name)                                                                               \
    __asm__(".weak " #name "\n\t.type " #name ", %function\n\t.set " #name ", " #to);
#define SAYS(name)                                                                                 \
    __asm__(".pushsection .gnu.warning." #name ",\"\",%progbits\n\t.ascii \"" #name                \
            " is not implemented on the target: it always fails with ENOSYS\"\n\t.popsection");
#define FAILS(name)   AS(mpj_unsupported, name) SAYS(name)
#define WAITS(name)   AS(mpj_unsupported_wait, name) SAYS(name)
#define NOTHING(name) AS(mpj_unsupported_null, name) SAYS(name)
#define NUMBER(name)  AS(mpj_unsupported_number, name) SAYS(name)
/* What newlib calls by the name with an underscore. */
#define CALL(name) AS(mpj_unsupported, _##name) SAYS(name)

/* There is no shell, which NULL asks for: so it does not always fail, and the linker is silent. */
__attribute__((weak)) int system(const char *command)
{
    mpj_cancel_point();
    if (command == NULL)
        return 0;
    errno = ENOSYS;
    return -1;
}

/* clang-format off */
AS(mpj_same_letter, _jp2uc_l) AS(mpj_same_letter, _uc2jp_l)

/* processes */
CALL(execve) CALL(fork) WAITS(wait) AS(mpj_unsupported_wait, _wait) WAITS(waitpid) FAILS(vfork) FAILS(daemon)
FAILS(execl) FAILS(execle) FAILS(execlp) FAILS(execlpe) FAILS(execv) FAILS(execvp) FAILS(execvpe)
FAILS(fexecve) FAILS(pclose) NOTHING(popen)
NUMBER(posix_spawn) NUMBER(posix_spawnp)
NUMBER(posix_spawn_file_actions_addclose) NUMBER(posix_spawn_file_actions_adddup2)
NUMBER(posix_spawn_file_actions_addopen) NUMBER(posix_spawn_file_actions_destroy)
NUMBER(posix_spawn_file_actions_init)
NUMBER(posix_spawnattr_destroy) NUMBER(posix_spawnattr_getflags)
NUMBER(posix_spawnattr_getpgroup) NUMBER(posix_spawnattr_getschedparam)
NUMBER(posix_spawnattr_getschedpolicy) NUMBER(posix_spawnattr_getsigdefault)
NUMBER(posix_spawnattr_getsigmask) NUMBER(posix_spawnattr_init)
NUMBER(posix_spawnattr_setflags) NUMBER(posix_spawnattr_setpgroup)
NUMBER(posix_spawnattr_setschedparam) NUMBER(posix_spawnattr_setschedpolicy)
NUMBER(posix_spawnattr_setsigdefault) NUMBER(posix_spawnattr_setsigmask)
FAILS(getpgid) FAILS(setpgid) FAILS(setpgrp) FAILS(getsid) FAILS(setsid)
FAILS(tcgetpgrp) FAILS(tcsetpgrp) WAITS(waitid)

/* users, groups and machines */
FAILS(getpeereid)
NOTHING(cuserid) NOTHING(getpass) NOTHING(getusershell)
FAILS(setusershell) FAILS(endusershell)
FAILS(getdomainname) FAILS(sethostname) FAILS(gethostid)
FAILS(iruserok) FAILS(ruserok) FAILS(rresvport) FAILS(revoke) FAILS(vhangup)
NOTHING(crypt) FAILS(encrypt) FAILS(setkey)
NOTHING(crypt_r) FAILS(setutxent) FAILS(endutxent)
NOTHING(getutxent) NOTHING(getutxid) NOTHING(getutxline) NOTHING(pututxline)

/* networks */
FAILS(socket) FAILS(bind) WAITS(connect) FAILS(listen) WAITS(accept) WAITS(accept4)
FAILS(getsockname) FAILS(getpeername) FAILS(sockatmark)
NOTHING(gethostbyname) NOTHING(gethostbyaddr) NOTHING(gethostent) FAILS(sethostent) FAILS(endhostent)
NOTHING(getnetbyname) NOTHING(getnetbyaddr) NOTHING(getnetent) FAILS(setnetent) FAILS(endnetent)
NOTHING(getprotobyname) NOTHING(getprotobynumber) NOTHING(getprotoent) FAILS(setprotoent)
FAILS(endprotoent) NOTHING(getservbyname) NOTHING(getservbyport) NOTHING(getservent)
FAILS(setservent) FAILS(endservent)
NOTHING(if_nametoindex) NOTHING(if_indextoname) NOTHING(if_nameindex)

/* System V and the loader */
FAILS(ftok) FAILS(shmget) FAILS(shmat) FAILS(shmdt) FAILS(shmctl)
FAILS(semget) FAILS(semop) FAILS(semtimedop) FAILS(semctl)
FAILS(msgget) WAITS(msgsnd) WAITS(msgrcv) FAILS(msgctl)
NOTHING(dlopen) NOTHING(dlsym) NOTHING(dlvsym) FAILS(dlclose)

/* files */
FAILS(chroot)
FAILS(futimesat)
FAILS(symlink) FAILS(symlinkat)
FAILS(mkfifo) FAILS(mkfifoat) FAILS(mknod) FAILS(mknodat)
FAILS(shm_open) FAILS(shm_unlink)
FAILS(posix_openpt) FAILS(grantpt) FAILS(unlockpt) NOTHING(ptsname)
NOTHING(ctermid) NOTHING(ttyname) NUMBER(ttyname_r) FAILS(setdtablesize)
FAILS(wordexp) FAILS(wordfree) FAILS(iconv) FAILS(iconv_open) FAILS(iconv_close)
FAILS(openpty) FAILS(forkpty) NOTHING(setmntent) NOTHING(getmntent) FAILS(addmntent)
FAILS(inotify_init) FAILS(inotify_init1) FAILS(inotify_add_watch) FAILS(inotify_rm_watch)
FAILS(getxattr) FAILS(lgetxattr) FAILS(fgetxattr) FAILS(setxattr) FAILS(lsetxattr) FAILS(fsetxattr)
FAILS(listxattr) FAILS(llistxattr) FAILS(flistxattr)
FAILS(removexattr) FAILS(lremovexattr) FAILS(fremovexattr)
FAILS(strfmon) FAILS(strfmon_l) FAILS(fmtmsg)

/* clocks, signals and threads */
NOTHING(getdate) FAILS(adjtime) FAILS(settimeofday) FAILS(clock_getenable_attr) FAILS(clock_setenable_attr)
FAILS(signalfd) NOTHING(dladdr)
    /* clang-format on */
