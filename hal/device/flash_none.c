/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A board without NOR flash. */
#include "hal_flash.h"

#include <string.h>

#include "hal_err.h"

uintptr_t hal_flash_bank(unsigned bank)
{
    (void)bank;
    return 0;
}

int hal_flash_probe(struct hal_flash *f, uintptr_t base)
{
    (void)base;
    memset(f, 0, sizeof(*f));
    return HAL_ENODEV;
}

int hal_flash_block(const struct hal_flash *f, uint32_t offset, uint32_t *start, uint32_t *bytes)
{
    (void)f;
    (void)offset;
    (void)start;
    (void)bytes;
    return HAL_EINVAL;
}

int hal_flash_unlock(const struct hal_flash *f, uint32_t offset)
{
    (void)f;
    (void)offset;
    return HAL_EINVAL;
}

int hal_flash_erase(const struct hal_flash *f, uint32_t offset)
{
    (void)f;
    (void)offset;
    return HAL_EINVAL;
}

int hal_flash_program(const struct hal_flash *f, uint32_t offset, const void *data, size_t len)
{
    (void)f;
    (void)offset;
    (void)data;
    (void)len;
    return HAL_EINVAL;
}

int hal_flash_read(const struct hal_flash *f, uint32_t offset, void *data, size_t len)
{
    (void)f;
    (void)offset;
    (void)data;
    (void)len;
    return HAL_EINVAL;
}

void hal_flash_vpp(bool on)
{
    (void)on;
}
