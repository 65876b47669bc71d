/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads of a run that did not end: the target reports them at the end, the emulator's truth has
 * them at any time. */
#include <inttypes.h>

#include "report_int.h"

#define NAME 18

/* Returns the program's outermost function that the thread executed; NULL: unknown. */
static const char *name_of(const struct mpj_run *run, unsigned id)
{
    const struct mpj_profile *const p = run->profile;

    for (unsigned i = 0; p != NULL && i < p->nodes; i++) { /* parents come first */
        const struct mpj_prof_node *const n = &p->node[i];
        if (n->thread == (int64_t)id && p->func[n->func].kind == MPJ_FUNC_PROGRAM)
            return p->func[n->func].label;
    }
    return id == 1 ? "main" : NULL;
}

void text_partial_threads(const struct mpj_run *run, FILE *f)
{
    const struct mpj_truth *const t = &run->truth;
    bool head = false;

    for (unsigned i = 0; run->partial && run->threads == 0 && i < t->threads; i++) {
        const char *const name = name_of(run, t->thread[i].id);
        char digits[TEXT_DIGITS];
        char instr[TEXT_DIGITS] = "-";
        if (t->thread[i].id == 0)
            continue;
        if (!head)
            fprintf(f, "\nThreads until then, by the emulator's truth\n  %*s%12s%18s%18s%14s\n",
                    NAME + 5, "", "run ms", "cycles", "instructions", "energy mJ");
        head = true;
        text_digits(digits, t->thread[i].cycles);
        if (t->thread[i].has[MPJ_ROW_INSTR])
            text_digits(instr, t->thread[i].ev[MPJ_ROW_INSTR]);
        fprintf(f, "  %4u %-*.*s%12.3f%18s%18s%14.4f\n", t->thread[i].id, NAME, NAME,
                name != NULL ? name : "-",
                (double)(t->thread[i].cycles - t->thread[i].wfi_cycles) / run->clock_hz * 1e3,
                digits, instr, t->thread[i].energy_uj / 1e3);
    }
}
