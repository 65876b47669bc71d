/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Adds the figures of a commit to a history. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/child.h"
#include "base/tempdir.h"
#include "gate/history.h"
#include "judge_int.h"

#define SHA_SHOWN 12 /* digits in a file's name */

/* Runs git, whose first line of output is taken. Returns its exit status; negative: err. */
static int git(const struct mpj_tempdir *t, const char *const *words, char *line, size_t size,
               struct mpj_err *err)
{
    char out[300];
    char why[300];
    struct mpj_child c = {.file = "/usr/bin/env", .argv = words, .out = out, .err = why};
    int status = -1;
    FILE *f;

    snprintf(out, sizeof(out), "%s/out", t->path);
    snprintf(why, sizeof(why), "%s/err", t->path);
    if (mpj_child_run(&c, &status, err) != MPJ_E_OK)
        return err->code;
    f = fopen(out, "re");
    if (f == NULL || fgets(line, (int)size, f) == NULL)
        line[0] = '\0';
    if (f != NULL)
        fclose(f);
    return status;
}

int mpj_commit_here(struct mpj_commit *out, struct mpj_err *err)
{
    static const char *const show[] = {"env", "git", "show", "-s", "--format=%ct %H", "HEAD", NULL};
    static const char *const clean[] = {"env", "git", "diff", "--quiet", "HEAD", NULL};
    struct mpj_tempdir t;
    char line[200];
    int result;

    *out = (struct mpj_commit){.time = 0};
    if (mpj_tempdir_make(&t, err) != MPJ_E_OK)
        return err->code;
    result = git(&t, show, line, sizeof(line), err);
    if (result == 0 && sscanf(line, "%lld %64[0-9a-f]", &out->time, out->sha) != 2)
        result = 1;
    if (result > 0)
        result = mpj_err_set(err, MPJ_E_USAGE,
                             "a history is of commits, and there is none here: commit first");
    if (result == 0) {
        result = git(&t, clean, line, sizeof(line), err);
        if (result > 0)
            result = mpj_err_set(err, MPJ_E_USAGE,
                                 "files differ from the commit %.12s, so the figures would not be "
                                 "its own: commit them first",
                                 out->sha);
    }
    mpj_tempdir_remove(&t);
    return result;
}

/* Returns the file's root: that of the same commit, or a new one. NULL: err. */
static json_t *root_of(const char *path, const struct mpj_commit *c, struct mpj_err *err)
{
    json_t *root;

    if (access(path, F_OK) == 0)
        return gate_file_read(path, MPJ_HISTORY, "--history", err);
    root = json_pack("{s:s,s:{s:s,s:I},s:{}}", "schema", MPJ_HISTORY, "commit", "sha", c->sha,
                     "time", (json_int_t)c->time, "programs");
    if (root == NULL)
        mpj_err_nomem(err);
    return root;
}

/* Adds the measured programs to the file of the commit, where other gates may have put theirs. */
static int add(const char *path, const struct mpj_commit *c, const struct mpj_gate_result *r,
               struct mpj_err *err)
{
    json_t *const root = root_of(path, c, err);
    int result = root != NULL ? MPJ_E_OK : err->code;

    for (unsigned i = 0; result == MPJ_E_OK && i < r->programs; i++) {
        const struct mpj_gate_program *const p = &r->program[i];
        json_t *const kept = p->now != NULL ? mpj_gate_reduce(p->now, p->limits, true) : NULL;
        if (kept != NULL)
            json_object_set_new(json_object_get(root, "programs"), p->name, kept);
        else if (p->now != NULL)
            result = mpj_err_nomem(err);
    }
    if (result == MPJ_E_OK)
        result = gate_file_write(path, root, err);
    json_decref(root);
    return result;
}

int mpj_history_add(const char *folder, const struct mpj_commit *c, const struct mpj_gate_result *r,
                    struct mpj_err *err)
{
    struct gate_lock lock;
    char *path = NULL;
    int result;

    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return mpj_err_errno(err, "cannot make the folder %s", folder);
    if (asprintf(&path, "%s/%010lld-%.*s.json", folder, c->time, SHA_SHOWN, c->sha) < 0)
        return mpj_err_nomem(err);
    result = gate_file_lock(&lock, path, err);
    if (result == MPJ_E_OK) {
        result = add(path, c, r, err);
        gate_file_unlock(&lock);
    }
    free(path);
    return result;
}
