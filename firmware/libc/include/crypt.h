/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hashes of passwords. */
#ifndef MPJ_CRYPT_H
#define MPJ_CRYPT_H

struct crypt_data {
    char output[384];
    char initialized;
};

#ifdef __cplusplus
extern "C" {
#endif

/* Fails with ENOSYS. */
char *crypt(const char *text, const char *setting);
char *crypt_r(const char *text, const char *setting, struct crypt_data *data);

#ifdef __cplusplus
}
#endif

#endif
