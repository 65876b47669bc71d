/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sections of memory that all cores read. */
#ifndef BASIS_SIZE_H
#define BASIS_SIZE_H

#ifdef BASIS_SMALL /* for boards of 128 MB, 85 of which it takes: tlb_main reads the code, too */
#define BASIS_FAR  44U
#define BASIS_READ (BASIS_FAR + BASIS_CODE)
#else
#define BASIS_FAR  112U
#define BASIS_READ BASIS_FAR /* sections tlb_main reads: more than the main TLB has entries */
#endif

#endif
