/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared objects: there are none, and dlopen() returns NULL. */
#ifndef MPJ_DLFCN_H
#define MPJ_DLFCN_H

#define RTLD_LAZY     0x0001
#define RTLD_NOW      0x0002
#define RTLD_NOLOAD   0x0004
#define RTLD_DEEPBIND 0x0008
#define RTLD_LOCAL    0
#define RTLD_GLOBAL   0x0100
#define RTLD_NODELETE 0x1000
#define RTLD_DEFAULT  ((void *)0)
#define RTLD_NEXT     ((void *)-1)

typedef struct {
    const char *dli_fname;
    void *dli_fbase;
    const char *dli_sname;
    void *dli_saddr;
} Dl_info;

#ifdef __cplusplus
extern "C" {
#endif

/* Fails with ENOSYS. */
void *dlopen(const char *file, int mode);
void *dlsym(void *__restrict handle, const char *__restrict name);
void *dlvsym(void *__restrict handle, const char *__restrict name, const char *__restrict version);
int dlclose(void *handle);
int dladdr(const void *address, Dl_info *info);
/* Returns a message which says that there are no shared objects. */
char *dlerror(void);

#ifdef __cplusplus
}
#endif

#endif
