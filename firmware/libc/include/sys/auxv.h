/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The auxiliary vector: facts that a kernel passes to a program. */
#ifndef MPJ_SYS_AUXV_H
#define MPJ_SYS_AUXV_H

#define AT_NULL     0
#define AT_PAGESZ   6
#define AT_UID      11
#define AT_EUID     12
#define AT_GID      13
#define AT_EGID     14
#define AT_PLATFORM 15
#define AT_HWCAP    16
#define AT_CLKTCK   17
#define AT_SECURE   23
#define AT_RANDOM   25
#define AT_HWCAP2   26
#define AT_EXECFN   31
/* Bits of AT_HWCAP. */
#define HWCAP_SWP       1
#define HWCAP_HALF      2
#define HWCAP_THUMB     4
#define HWCAP_FAST_MULT 16
#define HWCAP_VFP       64
#define HWCAP_EDSP      128
#define HWCAP_NEON      4096
#define HWCAP_VFPv3     8192
#define HWCAP_TLS       32768
#define HWCAP_IDIV      0x60000

#ifdef __cplusplus
extern "C" {
#endif

/* Returns AT_PAGESZ, AT_CLKTCK, AT_HWCAP, the ids and AT_SECURE; for others 0 with ENOENT. */
unsigned long getauxval(unsigned long type);

#ifdef __cplusplus
}
#endif

#endif
