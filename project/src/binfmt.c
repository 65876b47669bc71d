/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "project/binfmt.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "image_magic.h"
#include "run/paths.h"

#define NAME    "mpjoule"
#define MOST    1900U /* bytes of a registration, a little less than the kernel takes */
#define INSTEAD "; without it: `mpjoule exec PROGRAM`, or `mpjoule build` for a project"

/* Returns the folder of the file system. MPJOULE_BINFMT: another one, for tests. */
static const char *folder(void)
{
    const char *const named = getenv("MPJOULE_BINFMT");

    return named != NULL && named[0] != '\0' ? named : "/proc/sys/fs/binfmt_misc";
}

/* Writes to an existing file of the folder. False and errno. */
static bool tell(const char *file, const char *text)
{
    const size_t len = strlen(text);
    char path[4096];
    ssize_t n;
    int error;
    int fd;

    snprintf(path, sizeof(path), "%s/%s", folder(), file);
    fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    n = write(fd, text, len);
    error = errno;
    close(fd);
    errno = n < 0 ? error : EIO;
    return n == (ssize_t)len;
}

int run_binfmt_status(struct run_binfmt *b, struct mpj_err *err)
{
    static const char key[] = "interpreter ";
    char path[4096];
    char line[4096];
    FILE *f;

    *b = (struct run_binfmt){.registered = false};
    snprintf(path, sizeof(path), "%s/" NAME, folder());
    f = fopen(path, "re");
    if (f == NULL)
        return MPJ_E_OK;
    b->registered = true;
    while (b->interpreter == NULL && fgets(line, sizeof(line), f) != NULL) {
        if (strncmp(line, key, sizeof(key) - 1U) != 0)
            continue;
        line[strcspn(line, "\n")] = '\0';
        b->interpreter = strdup(line + sizeof(key) - 1U);
        if (b->interpreter == NULL) {
            fclose(f);
            return mpj_err_nomem(err);
        }
    }
    fclose(f);
    return MPJ_E_OK;
}

/* Writes ":NAME:M::MAGIC::INTERPRETER:" with every byte of the magic as \xHH. */
static int registration(char out[MOST], const char *interpreter, struct mpj_err *err)
{
    size_t n = (size_t)snprintf(out, MOST, ":" NAME ":M::");
    int more;

    for (size_t i = 0; i < IMAGE_MAGIC_BYTES; i++)
        n += (size_t)snprintf(out + n, MOST - n, "\\x%02x", (unsigned char)IMAGE_MAGIC[i]);
    more = snprintf(out + n, MOST - n, "::%s:", interpreter);
    if (strpbrk(interpreter, ":\n") != NULL || more < 0 || (size_t)more >= MOST - n ||
        strlen(interpreter) > 126U)
        return mpj_err_set(
            err, MPJ_E_TARGET,
            "the kernel accepts no handler at %s: at most 126 bytes, without a colon" INSTEAD,
            interpreter);
    return MPJ_E_OK;
}

/* True if the file system is there, mounted now if need be. */
static bool mounted(void)
{
    char path[4096];

    snprintf(path, sizeof(path), "%s/register", folder());
    return access(path, F_OK) == 0 ||
           (mount("binfmt_misc", folder(), "binfmt_misc", 0, NULL) == 0 && access(path, F_OK) == 0);
}

int run_binfmt_remove(struct mpj_err *err)
{
    if (tell(NAME, "-1") || errno == ENOENT)
        return MPJ_E_OK;
    return mpj_err_set(err, MPJ_E_TARGET, "cannot remove the handler %s/" NAME ": %s", folder(),
                       strerror(errno));
}

int run_binfmt_register(struct mpj_err *err)
{
    char *const firmware = run_path_firmware();
    char *interpreter = NULL;
    char *real = NULL;
    char text[MOST];
    int result = MPJ_E_OK;

    if (firmware == NULL || asprintf(&interpreter, "%s/mpjoule-exec", firmware) < 0) {
        interpreter = NULL;
        result = mpj_err_nomem(err);
    } else if ((real = realpath(interpreter, NULL)) == NULL) {
        result = mpj_err_set(err, MPJ_E_TARGET, "%s is missing: see `mpjoule doctor`", interpreter);
    } else {
        result = registration(text, real, err);
    }
    if (result == MPJ_E_OK && !mounted())
        result = mpj_err_set(err, MPJ_E_TARGET,
                             "binfmt_misc cannot be used here (%s: %s); it needs root" INSTEAD,
                             folder(), strerror(errno));
    if (result == MPJ_E_OK)
        result = run_binfmt_remove(err);
    if (result == MPJ_E_OK && !tell("register", text))
        result = mpj_err_set(err, MPJ_E_TARGET, "cannot register a handler in %s: %s" INSTEAD,
                             folder(), strerror(errno));
    free(firmware);
    free(interpreter);
    free(real);
    return result;
}
