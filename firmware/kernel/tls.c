/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mpj_tls.h"

#include <stdint.h>
#include <string.h>
#include <sys/reent.h>

#include "hal_cpu.h"
#include "mpj_layout.h"

#define TLS_HEAD 8U

/* Linker script: the values are the symbols' addresses. */
extern char __tls_image[], __tls_image_end[], __tls_bytes[], __tls_align[], __tls_blocks[],
    __tls_block_bytes[];

size_t mpj_tls_align(void)
{
    size_t align = (size_t)__tls_align;

    return align < TLS_HEAD ? TLS_HEAD : align;
}

/* Returns the offset of the image: the first multiple of its alignment after the head. */
static size_t image_offset(void)
{
    size_t align = mpj_tls_align();

    return (TLS_HEAD + align - 1U) & ~(align - 1U);
}

size_t mpj_tls_bytes(void)
{
    return image_offset() + (size_t)__tls_bytes;
}

void mpj_tls_init(void *block)
{
    char *p = block;
    size_t image = (size_t)(__tls_image_end - __tls_image);

    memset(p, 0, TLS_HEAD);
    p += image_offset();
    memcpy(p, __tls_image, image);
    memset(p + image, 0, (size_t)__tls_bytes - image);
}

void mpj_tls_core_init(unsigned core)
{
    void *block = __tls_blocks + core * (size_t)__tls_block_bytes;

    mpj_tls_init(block);
    hal_cpu_set_tls(block);
    *(void *volatile *)MPJ_CORE_PAGE = _GLOBAL_REENT;
}
