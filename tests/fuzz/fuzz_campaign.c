/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any text as the list of a campaign's programs. Nothing is compiled; what a line names lies in
 * the folder of the input, or does not exist.
 */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "campaign_int.h"
#include "fuzz_file.h"

/* In place of `mpjoule cc`. */
int run_campaign_compile(const char *folder, const char *board, const char *source,
                         const char *options, const char *out, struct mpj_err *err)
{
    if (board[0] == '\0' || folder[0] == '\0' || out[0] != '/')
        abort();
    if (strlen(source) % 2U != 0)
        return mpj_err_set(err, MPJ_E_ELF, "%s %s does not compile", source, options);
    return symlink(FUZZ_PROGRAM, out) == 0 ? MPJ_E_OK : mpj_err_errno(err, "cannot make %s", out);
}

/* A file that the list names. */
static int take(void *ctx, const char *path, struct mpj_err *err)
{
    (void)ctx;
    if (path[0] == '\0')
        abort();
    return strlen(path) > 1000 ? mpj_err_set(err, MPJ_E_USAGE, "%s is an output", path) : MPJ_E_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct run_campaign c = {
        .list = fuzz_file(data, size), .work = strdup(fuzz_folder()), .reads = {.take = take}};
    struct mpj_err err;

    if (c.work == NULL || chdir(fuzz_folder()) != 0)
        abort();
    if (access("program.elf", F_OK) != 0 && symlink(FUZZ_PROGRAM, "program.elf") != 0)
        abort();
    if (run_campaign_programs(&c, &err) == MPJ_E_OK) {
        for (unsigned i = 0; i < c.programs; i++) {
            if (c.program[i].name[0] == '\0' || c.program[i].argc < 1 ||
                c.program[i].argv[c.program[i].argc] != NULL)
                abort();
        }
    } else if (err.text[0] == '\0') {
        abort();
    }
    run_campaign_programs_free(&c);
    free(c.work);
    return 0;
}

size_t fuzz_seed(uint8_t *out, size_t cap, uint32_t (*rng)(void))
{
    static const char *const line[] = {"# a comment\n",
                                       "\n",
                                       "a|f|program.elf|-n 1\n",
                                       "b|f|./program.elf|\n",
                                       "c|g|ab.c -O2|x y\n",
                                       "d d/|g|my file.c\n",
                                       "d e|g|a.c\n",
                                       "f|g|hello.elf\n",
                                       "a|h|program.elf\n",
                                       "no fields\n",
                                       "|f|p\n"};
    size_t n = 0;

    for (uint32_t i = rng() % 6U; i > 0; i--) {
        const char *const text = line[rng() % (sizeof(line) / sizeof(line[0]))];

        if (strlen(text) > cap - n)
            break;
        memcpy(out + n, text, strlen(text));
        n += strlen(text);
    }
    return n;
}
