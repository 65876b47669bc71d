/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The only user and the only group, root: they own all files and the program. Changing to another
 * one is EPERM, and other names are unknown. */
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#define SAME ((uid_t)-1) /* leaves this id unchanged */

static char name[] = "root";
static char secret[] = "x";
static char home[] = "/";
static char shell[] = "/bin/sh";
static char *no_members[] = {NULL};

static struct passwd user = {
    .pw_name = name, .pw_passwd = secret, .pw_gecos = name, .pw_dir = home, .pw_shell = shell};
static struct group group = {.gr_name = name, .gr_passwd = secret, .gr_mem = no_members};
static unsigned users_given, groups_given;

static int become(bool own)
{
    if (own)
        return 0;
    errno = EPERM;
    return -1;
}

static bool own(uid_t id)
{
    return id == getuid() || id == SAME;
}

int setuid(uid_t id)
{
    return become(id == getuid());
}

int setgid(gid_t id)
{
    return become(id == getgid());
}

int seteuid(uid_t id)
{
    return setuid(id);
}

int setegid(gid_t id)
{
    return setgid(id);
}

int setreuid(uid_t real, uid_t effective)
{
    return become(own(real) && own(effective));
}

int setregid(gid_t real, gid_t effective)
{
    return become((real == getgid() || real == (gid_t)-1) &&
                  (effective == getgid() || effective == (gid_t)-1));
}

int getresuid(uid_t *real, uid_t *effective, uid_t *saved)
{
    *real = *effective = *saved = getuid();
    return 0;
}

int getresgid(gid_t *real, gid_t *effective, gid_t *saved)
{
    *real = *effective = *saved = getgid();
    return 0;
}

int setresuid(uid_t real, uid_t effective, uid_t saved)
{
    return become(own(real) && own(effective) && own(saved));
}

int setresgid(gid_t real, gid_t effective, gid_t saved)
{
    return setregid(real, effective) == 0 ? setregid(saved, saved) : -1;
}

/* Returns 0: there are no supplementary groups. */
int getgroups(int size, gid_t list[])
{
    (void)list;
    if (size >= 0)
        return 0;
    errno = EINVAL;
    return -1;
}

int setgroups(size_t count, const gid_t *list)
{
    (void)list;
    return become(count == 0);
}

int initgroups(const char *of, gid_t id)
{
    return become(strcmp(of, name) == 0 && id == getgid());
}

char *getlogin(void)
{
    return name;
}

int getlogin_r(char *out, size_t size)
{
    if (size < sizeof(name))
        return ERANGE;
    memcpy(out, name, sizeof(name));
    return 0;
}

/* ---- the user -------------------------------------------------------------------- */

struct passwd *getpwuid(uid_t id)
{
    return id == getuid() ? &user : NULL;
}

struct passwd *getpwnam(const char *of)
{
    return strcmp(of, name) == 0 ? &user : NULL;
}

static int give_user(bool known, struct passwd *out, struct passwd **result)
{
    *out = user;
    *result = known ? out : NULL;
    return 0;
}

int getpwuid_r(uid_t id, struct passwd *out, char *buf, size_t size, struct passwd **result)
{
    (void)buf;
    (void)size;
    return give_user(id == getuid(), out, result);
}

int getpwnam_r(const char *of, struct passwd *out, char *buf, size_t size, struct passwd **result)
{
    (void)buf;
    (void)size;
    return give_user(strcmp(of, name) == 0, out, result);
}

struct passwd *getpwent(void)
{
    return users_given++ == 0 ? &user : NULL;
}

void setpwent(void)
{
    users_given = 0;
}

void endpwent(void)
{
    setpwent();
}

/* ---- the group ------------------------------------------------------------------- */

struct group *getgrgid(gid_t id)
{
    return id == getgid() ? &group : NULL;
}

struct group *getgrnam(const char *of)
{
    return strcmp(of, name) == 0 ? &group : NULL;
}

static int give_group(bool known, struct group *out, struct group **result)
{
    *out = group;
    *result = known ? out : NULL;
    return 0;
}

int getgrgid_r(gid_t id, struct group *out, char *buf, size_t size, struct group **result)
{
    (void)buf;
    (void)size;
    return give_group(id == getgid(), out, result);
}

int getgrnam_r(const char *of, struct group *out, char *buf, size_t size, struct group **result)
{
    (void)buf;
    (void)size;
    return give_group(strcmp(of, name) == 0, out, result);
}

struct group *getgrent(void)
{
    return groups_given++ == 0 ? &group : NULL;
}

void setgrent(void)
{
    groups_given = 0;
}

void endgrent(void)
{
    setgrent();
}
