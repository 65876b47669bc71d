/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any file as a page: what it carries, or one line that says what is wrong and nothing left behind.
 */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/tempdir.h"
#include "fuzz_file.h"
#include "report/page.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct mpj_tempdir folder;
    const char *const page = fuzz_file(data, size);
    struct mpj_err err;
    char *file = NULL;

    if (folder.path == NULL && mpj_tempdir_make(&folder, &err) != MPJ_E_OK)
        abort();
    (void)mpj_page_is(page);
    if (mpj_page_take(&file, page, folder.path, &err) == MPJ_E_OK) {
        /* it is there, in that folder */
        if (strncmp(file, folder.path, strlen(folder.path)) != 0 || unlink(file) != 0)
            abort();
        free(file);
    } else if (file != NULL || strchr(err.text, '\n') != NULL) {
        abort();
    }
    return 0;
}
