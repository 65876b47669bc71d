/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any text as gate.yaml: programs and their limits. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "fuzz_file.h"
#include "gate/gate.h"

/* What may be in a gate that was read. */
static void check(const struct run_gate *g)
{
    if (g->programs == 0 || g->layouts > RUN_GATE_MOST || g->repeat > RUN_GATE_MOST)
        abort();
    for (unsigned i = 0; i < g->programs; i++) {
        const struct run_gate_program *const p = &g->program[i];
        if (strchr(p->name, '/') != NULL || (i > 0 && strcmp(p->name, p[-1].name) <= 0) ||
            p->limits.n == 0)
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct run_gate g = {.programs = 0};
    struct mpj_err err;

    if (run_gate_read(&g, fuzz_file(data, size), &err) == MPJ_E_OK)
        check(&g);
    else if (err.text[0] == '\0' || strchr(err.text, '\n') != NULL)
        abort();
    run_gate_free(&g);
    return 0;
}

size_t fuzz_seed(uint8_t *out, size_t cap, uint32_t (*rng)(void))
{
    static const char *const line[] = {
        "    limits: {time: 1 %, energy: [1 %, 3.5 mJ], instr: 7}\n",
        "    limits: {time: 12 ms}\n",
        "    functions: {fft: {time: 2 %, calls: 0 %}, g: {l1: 1}}\n",
        "    regions: {\"main:7\": {energy: 20 uJ}}\n",
        "    marks: {begin: {time: 1 s}}\n",
        "    sources: [a.c, b.c]\n",
        "    program: p.elf\n",
        "    arguments: [-n, 7]\n    run: {cores: 2}\n",
        "  q-2:\n",
        "  ../r:\n",
        "limits: {time: 3 %}\n",
        "layouts: 5\n",
        "repeat: 100\n",
        "baseline: b.json\n",
        "? [a]\n: b\n"};
    static const char *const head = "programs:\n  p:\n    program: p.elf\n";
    size_t n = strlen(head);

    if (cap < n)
        return 0;
    memcpy(out, head, n);
    for (uint32_t i = rng() % 8U; i > 0; i--) {
        const char *const text = line[rng() % (sizeof(line) / sizeof(line[0]))];
        if (strlen(text) > cap - n)
            break;
        memcpy(out + n, text, strlen(text));
        n += strlen(text);
    }
    return n;
}
