/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Error codes of the hardware layer. Functions return 0 or a positive payload on success. */
#ifndef HAL_ERR_H
#define HAL_ERR_H

enum hal_error {
    HAL_OK = 0,
    HAL_EINVAL = -1,  /* argument outside its range or misaligned */
    HAL_ENODEV = -2,  /* no device answers */
    HAL_ENOTSUP = -3, /* the device is of a kind this driver does not know */
    HAL_EIO = -4,     /* the device reports failure */
    HAL_ETIMEOUT = -5 /* no answer within the bound */
};

#endif
