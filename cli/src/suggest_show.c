/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mpjoule report --suggest: prints the expected cost of measuring functions. */
#include <stdio.h>

#include "base/file.h"
#include "cli.h"
#include "report/suggest.h"

#define ROWS 20U

int cli_suggest(const char *store, const char *file, unsigned groups, double most,
                struct mpj_err *err)
{
    struct mpj_suggestion s = {0};
    int result = mpj_suggest(&s, store, groups, most, err);

    if (result == MPJ_E_OK)
        result = mpj_file_write(file, mpj_suggestion_put, &s, err);
    if (result == MPJ_E_OK) {
        printf("       calls        cost  function\n");
        for (size_t i = 0; i < s.count && i < ROWS; i++)
            printf("%12.0f  %8.2f %%  %s%s\n", s.func[i].calls, 100 * s.func[i].share,
                   s.func[i].name, s.func[i].left_out ? "  (left out)" : "");
        if (s.count > ROWS)
            printf("  and %zu more\n", s.count - ROWS);
        printf("--entries --groups %u: %.2f %% of the time; with --filter %s: %.2f %%\n", groups,
               100 * s.all, file, 100 * s.with);
    }
    mpj_suggestion_free(&s);
    return result;
}
