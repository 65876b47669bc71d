# SPDX-License-Identifier: GPL-2.0-or-later
"""Random VFPv2 instructions in functions that vfp_driver.c calls.

void function_N(uint32_t *in, uint32_t *out, uint32_t fpscr): d0..d15 from in; afterwards to out, which
gets FPSCR (word 32) and a mix of what comparisons and transfers gave (r3, word 33), too.
"""
import random

CONDITIONS = [""] * 5 + ["gt", "lt", "eq", "ne", "vs", "pl"]
THREE = ["vadd", "vsub", "vmul", "vnmul", "vmla", "vmls", "vnmla", "vnmls", "vdiv", "vadd", "vsub", "vmul", "vmla"]


class Stream:
    """Makes instructions; each method returns the lines of one kind."""

    def __init__(self, seed):
        self.rng = random.Random(seed)

    def single(self):
        return f"s{self.rng.randrange(32)}"

    def double(self):
        return f"d{self.rng.randrange(16)}"

    def registers(self, name, count):
        """An operation on registers of one precision."""
        kind, reg = self.rng.choice([("f32", self.single), ("f64", self.double)])
        return [f"{name}{self.rng.choice(CONDITIONS)}.{kind} {', '.join(reg() for _ in range(count))}"]

    def arithmetic(self):
        return self.registers(self.rng.choice(THREE), 3)

    def unary(self):
        return self.registers(self.rng.choice(["vsqrt", "vabs", "vneg", "vmov"]), 2)

    def convert(self):
        number, kind = self.rng.choice(["s32", "u32"]), self.rng.choice(["f32", "f64"])
        reg = self.single() if kind == "f32" else self.double()
        name = self.rng.choice(["vcvt", "vcvtr"])
        return [self.rng.choice([f"vcvt.f64.f32 {self.double()}, {self.single()}",
                                 f"vcvt.f32.f64 {self.single()}, {self.double()}",
                                 f"{name}.{number}.{kind} {self.single()}, {reg}",
                                 f"{name}.{number}.{kind} {self.single()}, {reg}",
                                 f"vcvt.{kind}.{number} {reg}, {self.single()}"])]

    def compare(self):
        name = self.rng.choice(["vcmp", "vcmpe"])
        zero = self.rng.random() < 0.3
        lines = self.registers(name, 1) if zero else self.registers(name, 2)
        return [lines[0] + (", #0" if zero else ""), "vmrs APSR_nzcv, fpscr", "adc r3, r3, r3, ror #7",
                "addvs r3, r3, #1", "addmi r3, r3, #3"]

    def status(self):
        """What has been raised so far, which is then cleared."""
        return ["vmrs r12, fpscr", "eor r3, r12, r3, ror #31", "bic r12, r12, #0x9f", "vmsr fpscr, r12"]

    def move(self):
        d = self.double()
        return self.rng.choice([
            [f"vmov r12, {self.single()}", "eor r3, r3, r12", f"vmov {self.single()}, r12"],
            [f"vmov r4, r5, {d}", f"vmov {self.double()}, r5, r4"],
            [f"vldr {self.single()}, [r0, #{4 * self.rng.randrange(64)}]"],
            [f"vldr {d}, [r0, #{8 * self.rng.randrange(32)}]"],
            ["add r12, r0, #8", f"vldmia r12!, {{s{self.rng.randrange(28)}}}", "sub r12, r12, r0", "eor r3, r3, r12"],
            [f"vpush {{{d}}}", f"vpop {{{self.double()}}}"],
        ])

    def multiple(self):
        """Up to 8 words or doubles of in (64 words), which may be changed."""
        count = self.rng.randint(1, 8)
        name, words = self.rng.choice([("s", 1), ("d", 2)])
        first = self.rng.randrange((32 if name == "s" else 16) - count + 1)
        registers = f"{{{name}{first}-{name}{first + count - 1}}}" if count > 1 else f"{{{name}{first}}}"
        start = 4 * words * self.rng.randint(0, 64 // words - count)
        op = self.rng.choice(["vldm", "vstm"])
        order = self.rng.choice(["le", "be"])
        access = self.rng.choice([
            [f"add r12, r0, #{start}", f"{op}ia r12, {registers}"],
            [f"add r12, r0, #{start}", f"{op}ia r12!, {registers}"],
            [f"add r12, r0, #{start + 4 * words * count}", f"{op}db r12!, {registers}"],
        ])
        return [f"setend {order}", *access, "setend le", "sub r12, r12, r0", "eor r3, r3, r12"]

    def instruction(self):
        kinds = [(self.arithmetic, 62), (self.unary, 11), (self.convert, 12), (self.compare, 7), (self.status, 3),
                 (self.move, 5), (self.multiple, 4)]
        return self.rng.choices([k for k, _ in kinds], [w for _, w in kinds])[0]()

    def function(self, n):
        lines = [f".type function_{n}, %function", f"function_{n}:", "push {r4-r11, lr}", "vpush {d8-d15}",
                 "vmsr fpscr, r2", "mov r3, #0", "cmp r0, r1", "vldmia r0, {d0-d15}"]
        for _ in range(self.rng.randint(8, 45)):
            lines += self.instruction()
        return [*lines, "vmrs r12, fpscr", "bic r4, r12, #0x370000", "vmsr fpscr, r4", "vstmia r1, {d0-d15}",
                "str r12, [r1, #128]", "str r3, [r1, #132]", "vpop {d8-d15}", "mov r12, #0x03000000",
                "vmsr fpscr, r12", "pop {r4-r11, pc}"]


def generate(seed, functions):
    """The text of an assembler file with a table of so many functions."""
    stream = Stream(seed)
    lines = [".syntax unified", ".arch armv6k", ".fpu vfpv2", ".text", ".arm"]
    for n in range(functions):
        lines += stream.function(n)
    lines += [".data", ".balign 4", ".global functions, functions_end", "functions:"]
    lines += [f".word function_{n}" for n in range(functions)]
    return "\n".join([*lines, "functions_end:", ""])
