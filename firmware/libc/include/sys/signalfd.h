/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Signals by descriptor, as Linux declares them. */
#ifndef MPJ_SYS_SIGNALFD_H
#define MPJ_SYS_SIGNALFD_H

#include <bits/sigset.h>
#include <fcntl.h>
#include <stdint.h>

#define SFD_CLOEXEC  O_CLOEXEC
#define SFD_NONBLOCK O_NONBLOCK

struct signalfd_siginfo {
    uint32_t ssi_signo;
    int32_t ssi_errno, ssi_code;
    uint32_t ssi_pid, ssi_uid;
    int32_t ssi_fd;
    uint32_t ssi_tid, ssi_band, ssi_overrun, ssi_trapno;
    int32_t ssi_status, ssi_int;
    uint64_t ssi_ptr, ssi_utime, ssi_stime, ssi_addr;
    uint8_t mpj_rest[48];
};

#ifdef __cplusplus
extern "C" {
#endif

/* Fails with ENOSYS. */
int signalfd(int fd, const sigset_t *set, int flags);

#ifdef __cplusplus
}
#endif

#endif
