#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Random sequences of instructions take the same cycles however they are cut into blocks.

usage: blocks.py [--misses] [--seeds N,N] [--sequences N] [--source FILE]

Each sequence (arithmetic, multiplications, accesses that hit the L1, VFP) runs in a loop, in these forms:
    rolled      the loop: the sequence, subs, and a predicted bne, which is folded and costs nothing
    twice, four the same unrolled: a subs where the loop ended
    cut1, cut2  folded branches to the next instruction at random places, or over some words
    moved1, 2   at another place, where translation cuts it elsewhere: each 128 bytes from the start of
                a block, and at a multiple of 1 KB
    far         the second half in another page
which must agree to the cycle. A few words put into it must cost what they stand for:
    call        a part of it as a function: bl is 1 cycle, bx lr 4 (the return stack is right)
    wrong       a branch that is always mispredicted: 6 cycles
    untaken     a conditional branch that is never taken, in no BTAC entry: 1 cycle
    taken       one that is always taken: folded
each compared with as many independent movs in one piece (call_as and so on). All of it once more with
fastpath=off, which must give the same.

--misses: each sequence has one load of a line that is in the L220 but not in the L1, another line each
time. Who needs the value waits for it, wherever that is; the rest goes on. (One, as two that are near
each other may meet at a port, whose slots do not move with the loop.)

Cycles are those of 240 times the sequence, in a loop that has settled. --source keeps the program.
"""
import argparse
import os
import random
import re
import sys
import tempfile

sys.path.insert(0, f"{os.path.dirname(__file__)}/../harness")
from harness import MPJOULE, PROGRAM_HEADERS, cc, must, usage, write  # noqa: E402

# r0: points to itself, or to the next line that misses; r2: offsets; r10: base; lr: calls
DATA = ["r1", "r3", "r4", "r6", "r7", "r8", "r9"]
PAIRS = [("r6", "r7"), ("r8", "r9")]
REPEAT = 240
NEXT = "add r0, r0, #32"
MOV = "mov lr, r11"  # needs nothing that is awaited, and nobody needs it
END = "subs r5, r5, #1"  # once per sequence, also where the loop is unrolled


class Sequence:
    """A random one."""

    def __init__(self, rng, misses):
        self.rng = rng
        self.misses = misses

    def r(self):
        return self.rng.choice(DATA)

    def s(self):
        return f"s{self.rng.randrange(16)}"

    def d(self):
        return f"d{self.rng.randrange(8)}"

    def one(self, *forms):
        return [self.rng.choice(forms)]

    def alu(self):
        r, rng = self.r, self.rng
        op, s = rng.choice(["add", "sub", "eor", "orr", "bic", "adc", "rsb"]), rng.choice(["", "", "s"])
        shift = rng.choice(["lsl", "lsr", "asr", "ror"])
        return self.one(
            f"{op}{s} {r()}, {r()}, {r()}", f"{op}{s} {r()}, {r()}, #{rng.randrange(256)}",
            f"{op}{s} {r()}, {r()}, {r()}, {shift} #{rng.randint(1, 31)}",
            f"{op}{s} {r()}, {r()}, {r()}, {shift} {r()}", f"mov {r()}, {r()}", f"cmp {r()}, {r()}",
            f"addne {r()}, {r()}, {r()}", f"clz {r()}, {r()}", f"uxtb {r()}, {r()}, ror #8",
            f"uadd8 {r()}, {r()}, {r()}", f"qadd {r()}, {r()}, {r()}")

    def mul(self):
        a, b, c, e = self.rng.sample(DATA, 4)
        return self.one(
            f"mul {a}, {b}, {c}", f"muls {a}, {b}, {c}", f"mla {a}, {b}, {c}, {e}", f"umull {a}, {b}, {c}, {e}",
            f"smull {a}, {b}, {c}, {e}", f"umlal {a}, {b}, {c}, {e}", f"smlal {a}, {b}, {c}, {e}",
            f"umaal {a}, {b}, {c}, {e}", f"smulbt {a}, {b}, {c}", f"smlabb {a}, {b}, {c}, {e}",
            f"smlalbb {a}, {b}, {c}, {e}", f"smmul {a}, {b}, {c}", f"smmla {a}, {b}, {c}, {e}",
            f"smlad {a}, {b}, {c}, {e}", f"mla {a}, {b}, {c}, {a}")

    def memory(self):
        r, rng = self.r, self.rng
        word, two, half = 4 * rng.randrange(60), 8 * rng.randrange(30), 2 * rng.randrange(120)
        even, odd = rng.choice(PAIRS)
        some = ", ".join(sorted(rng.sample(DATA, rng.randint(2, 6))))
        offset = f"and r2, {r()}, #28"
        chase = f"ldr {r()}, [r10]" if self.misses else "ldr r0, [r0]"
        return rng.choice([
            [chase], [f"ldr {r()}, [r10, #{word}]"], [f"ldrb {r()}, [r10, #{half}]"],
            [f"ldrsh {r()}, [r10, #{half}]"], [f"ldrd {even}, {odd}, [r10, #{two}]"],
            [f"ldr {r()}, [r10], #0"], [f"str {r()}, [r10, #0]!"], [f"str {r()}, [r10, #{word}]"],
            [f"strh {r()}, [r10, #{half}]"], [f"strd {even}, {odd}, [r10, #{two}]"],
            [offset, f"ldr {r()}, [r10, r2]"], [offset, f"ldr {r()}, [r10, r2, lsl #2]"],
            [offset, f"ldr {r()}, [r10, r2, lsl #1]"], [offset, f"ldr {r()}, [r10, -r2]"],
            [offset, f"str {r()}, [r10, -r2]"], [f"ldm r10, {{{some}}}"], [f"stm r10, {{{some}}}"]])

    def vfp(self):
        r, s, d, rng = self.r, self.s, self.d, self.rng
        op = rng.choice(["fadd", "fsub", "fmul", "fmac", "fnmul", "fmsc"])
        a, b = rng.sample(DATA, 2)
        if rng.random() < 0.1:
            return self.one(f"fdivs {s()}, {s()}, {s()}", f"fdivd {d()}, {d()}, {d()}", f"fsqrts {s()}, {s()}",
                            f"fsqrtd {d()}, {d()}")
        word, two, n = 4 * rng.randrange(60), 8 * rng.randrange(30), rng.randint(0, 3)
        return rng.choice([
            [f"{op}s {s()}, {s()}, {s()}"], [f"{op}d {d()}, {d()}, {d()}"], [f"{op}s {s()}, {s()}, {s()}"],
            [f"{op}d {d()}, {d()}, {d()}"], [f"fcpys {s()}, {s()}"], [f"fnegd {d()}, {d()}"],
            [f"fcvtds {d()}, {s()}"], [f"fcvtsd {s()}, {d()}"], [f"fsitod {d()}, {s()}"],
            [f"ftosizs {s()}, {s()}"], [f"fcmps {s()}, {s()}"], [f"fcmpd {d()}, {d()}", "fmstat"],
            ["fmstat"], [f"fmrs {r()}, {s()}"], [f"fmsr {s()}, {r()}"], [f"fmrrd {a}, {b}, {d()}"],
            [f"fmdrr {d()}, {a}, {b}"], [f"flds {s()}, [r10, #{word}]"], [f"fldd {d()}, [r10, #{two}]"],
            [f"fsts {s()}, [r10, #{word}]"], [f"fstd {d()}, [r10, #{two}]"],
            [f"fldmiad r10, {{d{n}-d{n + rng.randint(1, 4)}}}"],
            [f"fstmiad r10, {{d{n}-d{n + rng.randint(1, 4)}}}"]])

    def make(self):
        # Half of them of a kind or two, so that one kind's chains cross the borders.
        kinds = self.rng.sample([self.alu, self.mul, self.memory, self.vfp], self.rng.choice([1, 2, 4, 4]))
        length, out = self.rng.randint(4, 44), []
        while len(out) < length:
            out += self.rng.choice(kinds)()
        if self.misses:
            at = self.rng.randint(0, len(out))
            out[at:at] = self.miss()
        return out

    def miss(self):
        some = ", ".join(sorted(self.rng.sample(DATA, 3)))
        return self.rng.choice([
            [f"ldr {self.r()}, [r0], #32"], [f"ldrb {self.r()}, [r0], #32"], [f"fldd {self.d()}, [r0]", NEXT],
            [f"flds {self.s()}, [r0]", NEXT], [f"ldm r0, {{{some}}}", NEXT]])


def loop(body):
    return ["1:", *body, "bne 1b"]


def cut(rng, seq):
    """Folded branches in between. Two in 8 bytes would share an entry of the BTAC, and one that begins
    a block is not folded."""
    out, last, n = [], 0, 20
    for i, insn in enumerate(seq):
        if i - last >= 2 and rng.random() < 0.4:
            skip = ["mov lr, r12"] * rng.choice([0, 0, 1, 2, 3])
            out += [f"b {n}f", *skip, f"{n}:"]
            last, n = i, n + 1
        out.append(insn)
    return out


def moved(rng, body):
    return ["b 7f", ".balign 1024", f".space {1024 - 4 * rng.randint(1, len(body))}", "7:", *body]


def far(seq):
    """The halves' branches lie in different entries of the BTAC: 512 bytes apart in a kilobyte."""
    half = len(seq) // 2
    return ["b 7f", ".balign 1024", "7:", "1:", *seq[:half], "b 8f", ".balign 1024", ".space 1536", "8:",
            *seq[half:], END, "bne 1b"]


def forms(rng, seq):
    """name: (lines, with what it must agree)"""
    at, back = sorted(rng.sample(range(1, len(seq)), 2))
    a, b, c = seq[:at], seq[at:back], seq[back:]
    body = [*seq, END]
    return {
        "rolled": (loop(body), None),
        "twice": (loop(body * 2), "rolled"),
        "four": (loop(body * 4), "rolled"),
        "cut1": (loop([*cut(rng, seq), END]), "rolled"),
        "cut2": (loop([*cut(rng, seq), END]), "rolled"),
        "moved1": (moved(rng, loop(body)), "rolled"),
        "moved2": (moved(rng, loop(body)), "rolled"),
        "far": (far(seq), "rolled"),
        "call_as": (loop([*a, MOV, *b, *[MOV] * 4, *c, END]), None),
        "call": ([*loop([*a, "bl 8f", *c, END]), "b 9f", "8:", *b, "bx lr", "9:"], "call_as"),
        "wrong_as": (loop([*a, "tst r5, #1", *[MOV] * 6, *b, *c, END]), None),
        "wrong": (loop([*a, "tst r5, #1", "beq 2f", "2:", *b, *c, END]), "wrong_as"),
        "untaken_as": (loop([*a, "cmp r11, r11", MOV, *b, *c, END]), None),
        "untaken": (loop([*a, "cmp r11, r11", "bne 2f", "2:", *b, *c, END]), "untaken_as"),
        "taken_as": (loop([*a, "cmp r11, r11", *b, *c, END]), None),
        "taken": (loop([*a, "cmp r11, r11", "beq 2f", MOV, "2:", *b, *c, END]), "taken_as"),
    }


def program(cases, misses):
    out = ['#include "known.h"', '#include "hal_cache.h"', f"#define REPEAT {REPEAT}U",
           f"#define EMPTY {'hal_cache_clean_invalidate' if misses else 'NULL'}",
           "static uint32_t memory[4096] __attribute__((aligned(16384)));"]
    for name, (lines, _) in cases.items():
        setup = ["add r10, r10, #512"]
        if misses:  # the sequence's other lines, one after the other: none meets another at a port
            setup.append("add r0, r10, #512")
            for at in range(-32, 256, 32):
                setup += [f"ldr lr, [r10, #{at}]", "add lr, lr, #1"]
        lines = [*setup, *lines]
        text = '"\n    "'.join(line + "\\n\\t" for line in lines)
        out.append(f'KNOWN_PROBE({name},\n    "{text}");')
    out.append("static const struct {\n    known_probe *probe;\n    const char *name;\n} table[] = {")
    out += [f'    {{{name}, "{name}"}},' for name in cases]
    out.append("""};
int main(void)
{
    mpj_monitors_take();
    memory[0] = (uint32_t)(uintptr_t)memory;
    for (unsigned i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        struct known_counts c = known_more(table[i].probe, memory, REPEAT, MPJ_EVENT_DCACHE_RD_MISS,
                                           MPJ_EVENT_DCACHE_WR_MISS, EMPTY);
        printf("%s %lu %lu\\n", table[i].name, (unsigned long)c.cycles,
               (unsigned long)(c.event[0] + c.event[1]));
    }
    return 0;
}
""")
    return "\n".join(out)


def run(elf, machine):
    env = {**os.environ, "MPJOULE_QEMU_MACHINE": machine} if machine else os.environ
    done = must(MPJOULE, "run", "--quiet", elf, env=env, cwd=os.path.dirname(elf))
    found = re.findall(r"^(\w+) (\d+) (\d+)$", done.stdout, re.M)
    if not found:
        sys.exit("blocks: the program printed nothing")
    return {name: (int(cycles), int(misses)) for name, cycles, misses in found}


def main():
    parser = argparse.ArgumentParser(usage=usage(__doc__))
    parser.add_argument("--seeds", default="1,2,3")
    parser.add_argument("--sequences", type=int, default=12)
    parser.add_argument("--misses", action="store_true")
    parser.add_argument("--source")
    opt = parser.parse_args()
    cases, sequences = {}, {}
    for seed in map(int, opt.seeds.split(",")):
        rng = random.Random(seed)
        for i in range(opt.sequences):
            key = f"s{seed}_{i}"
            sequences[key] = Sequence(rng, opt.misses).make()
            for form, (lines, like) in forms(rng, sequences[key]).items():
                cases[f"{key}_{form}"] = (lines, like and f"{key}_{like}")
    with tempfile.TemporaryDirectory() as folder:
        source, elf = opt.source or f"{folder}/blocks.c", f"{folder}/blocks.elf"
        cc(write(source, program(cases, opt.misses)), elf, "-std=gnu11", "-O2", f"-I{PROGRAM_HEADERS}")
        cycles, portable = (run(elf, machine) for machine in (None, "fastpath=off"))
    bad, worst = {}, set()
    for name, (_, like) in cases.items():
        (have, misses), form = cycles[name], name.split("_", 2)[2]
        if misses != (REPEAT if opt.misses else 0):
            bad.setdefault(form, []).append(f"{name}: {misses} misses, {REPEAT if opt.misses else 0} expected")
        if portable[name][0] != have:
            bad.setdefault("fastpath=off", []).append(f"{name}: {have}, with fastpath=off {portable[name][0]}")
        if like and have != cycles[like][0]:
            bad.setdefault(form, []).append(f"{name}: {have} cycles of {REPEAT}, {like} {cycles[like][0]}")
            worst.add("_".join(name.split("_")[:2]))
    for form, lines in bad.items():
        print(f"{form}: {len(lines)} of {len(sequences)} differ")
        print("\n".join("    " + line for line in lines[:3]))
    for key in sorted(worst, key=lambda k: len(sequences[k]))[:1]:
        print(f"the shortest of them, {key}: " + "; ".join(sequences[key]))
    print(f"{len(sequences)} sequences, {sum(like is not None for _, like in cases.values())} comparisons, "
          f"{sum(map(len, bad.values()))} differ")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
