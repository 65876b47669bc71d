/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists the files that a gate will read. */
#include "gate/gate.h"
#include "run/inputs.h"

int run_inputs_gate(const struct run_inputs *r, const struct run_gate *g, struct mpj_err *err)
{
    int result = run_inputs_file(r, g->file, err);

    if (result == MPJ_E_OK && !g->update)
        result = run_inputs_file(r, g->baseline != NULL ? g->baseline : RUN_GATE_BASELINE, err);
    if (result == MPJ_E_OK)
        result = run_inputs_file(r, g->boards, err);
    for (unsigned i = 0; i < g->programs && result == MPJ_E_OK; i++)
        result = run_inputs_tune(r, &g->program[i].tune, err);
    return result;
}
