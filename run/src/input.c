/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Provides the program's stdin when it is read more than once. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "passes_int.h"

/* Copies all of it into a file that has no name. */
static int copy(int from, const char *path, FILE *to, struct mpj_err *err)
{
    char buf[65536];
    ssize_t n;

    while ((n = read(from, buf, sizeof(buf))) > 0) {
        if (fwrite(buf, 1, (size_t)n, to) != (size_t)n)
            return mpj_err_errno(err, "cannot keep the content of %s (--stdin)", path);
    }
    if (n < 0)
        return mpj_err_errno(err, "cannot read %s (--stdin)", path);
    return fflush(to) == 0 ? MPJ_E_OK
                           : mpj_err_errno(err, "cannot keep the content of %s (--stdin)", path);
}

int run_keep_input(struct run_measurement *r, struct mpj_err *err)
{
    struct run_options *const o = &r->o;
    const bool again = r->passes > 1 || o->retries > 0;
    struct stat st;
    int result = MPJ_E_OK;
    int from;

    if (o->input == NULL || !again)
        return MPJ_E_OK;
    from = open(o->input, O_RDONLY | O_CLOEXEC);
    if (from < 0)
        return mpj_err_errno(err, "cannot open %s (--stdin)",
                             o->input[0] != '\0' ? o->input : "\"\"");
    if (fstat(from, &st) == 0 && !S_ISREG(st.st_mode)) {
        r->input = tmpfile();
        if (r->input == NULL)
            result = mpj_err_errno(err, "cannot keep the content of %s (--stdin)", o->input);
        else
            result = copy(from, o->input, r->input, err);
        if (result == MPJ_E_OK) {
            snprintf(r->input_path, sizeof(r->input_path), "/proc/self/fd/%d", fileno(r->input));
            o->input = r->input_path;
        }
    }
    close(from);
    return result;
}
