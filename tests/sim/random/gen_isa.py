# SPDX-License-Identifier: GPL-2.0-or-later
"""Random integer instructions of ARMv6K: ARM and Thumb code in functions that isa_driver.c calls.

Each function loads r0..r9 and the flags from the state it is given, executes its instructions, and
stores them back. In between r11 is the middle of the state's memory, r10 the same (the base of
accesses that write back), and r12 a small offset. Whatever is executed, memory accesses stay within 4
KB around r11, and what the architecture leaves undefined is not generated.
"""
import random

CONDITIONS = ["eq", "ne", "cs", "cc", "mi", "pl", "vs", "vc", "hi", "ls", "ge", "lt", "gt", "le"]
ARM_LEAVES = 16
THUMB_LEAVES = 24
RESTORE = "mov r10, r11"


class Stream:
    """Makes instructions; each method returns the lines of one kind."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.labels = 0

    # ---- operands -------------------------------------------------------------------

    def reg(self):
        return f"r{self.rng.randrange(10)}"

    def regs(self, count):
        return [f"r{n}" for n in self.rng.sample(range(10), count)]

    def cond(self):
        return self.rng.choice([""] * 10 + CONDITIONS)

    def flags(self):
        return self.rng.choice(["", "s"])

    def label(self):
        self.labels += 1
        return f".L{self.labels}"

    def shift(self):
        amount = self.rng.randint
        return self.rng.choice([""] * 4 + [f", lsl #{amount(1, 31)}", f", lsr #{amount(1, 32)}",
                                           f", asr #{amount(1, 32)}", f", ror #{amount(1, 31)}", ", rrx"])

    def operand(self):
        kind = self.rng.random()
        if kind < 0.35:
            value, turn = self.rng.randrange(256), self.rng.randrange(16) * 2
            return f"#{(value >> turn | value << (32 - turn)) & 0xffffffff}"
        if kind < 0.75:
            return self.reg() + self.shift()
        return f"{self.reg()}, {self.rng.choice(['lsl', 'lsr', 'asr', 'ror'])} {self.reg()}"

    def small(self):
        """r12: 0..255."""
        return f"and r12, {self.reg()}, #0xff"

    def base(self, step, last):
        """r10: a multiple of step at or above r11."""
        return f"add r10, r11, #{step * self.rng.randint(0, last)}"

    # ---- arithmetic -----------------------------------------------------------------

    def data(self):
        op = self.rng.choice(["and", "eor", "sub", "rsb", "add", "adc", "sbc", "rsc", "orr", "bic", "mov",
                              "mvn", "tst", "teq", "cmp", "cmn"])
        if op in ("mov", "mvn"):
            return [f"{op}{self.flags()}{self.cond()} {self.reg()}, {self.operand()}"]
        if op in ("tst", "teq", "cmp", "cmn"):
            return [f"{op}{self.cond()} {self.reg()}, {self.operand()}"]
        return [f"{op}{self.flags()}{self.cond()} {self.reg()}, {self.reg()}, {self.operand()}"]

    def multiply(self):
        a, b, d, e = self.regs(4)
        pick, s, c = self.rng.choice, self.flags(), self.cond()
        halves = pick(["bb", "bt", "tb", "tt"])
        return [pick([
            f"mul{s}{c} {a}, {b}, {d}", f"mla{s}{c} {a}, {b}, {d}, {e}",
            f"{pick(['umull', 'smull', 'umlal', 'smlal'])}{s}{c} {a}, {b}, {d}, {e}",
            f"umaal{c} {a}, {b}, {d}, {e}",
            f"smul{halves}{c} {a}, {b}, {d}", f"smla{halves}{c} {a}, {b}, {d}, {e}",
            f"smlal{halves}{c} {a}, {b}, {d}, {e}",
            f"smulw{pick('bt')}{c} {a}, {b}, {d}", f"smlaw{pick('bt')}{c} {a}, {b}, {d}, {e}",
            f"{pick(['smuad', 'smuadx', 'smusd', 'smusdx'])}{c} {a}, {b}, {d}",
            f"{pick(['smlad', 'smladx', 'smlsd', 'smlsdx', 'usada8'])}{c} {a}, {b}, {d}, {e}",
            f"{pick(['smlald', 'smlaldx', 'smlsld', 'smlsldx'])}{c} {a}, {b}, {d}, {e}",
            f"smmul{pick(['', 'r'])}{c} {a}, {b}, {d}",
            f"{pick(['smmla', 'smmls'])}{pick(['', 'r'])}{c} {a}, {b}, {d}, {e}",
            f"usad8{c} {a}, {b}, {d}",
        ])]

    def media(self):
        pick, amount, c = self.rng.choice, self.rng.randint, self.cond()
        a, b, d = self.reg(), self.reg(), self.reg()
        turn = f"ror #{8 * self.rng.randrange(4)}"
        lanes = pick(["s", "q", "sh", "u", "uq", "uh"]) + pick(["add16", "add8", "sub16", "sub8", "asx", "sax"])
        extend = pick(["sxt", "uxt"])
        return [pick([
            f"{lanes}{c} {a}, {b}, {d}", f"sel{c} {a}, {b}, {d}",
            f"ssat{c} {a}, #{amount(1, 32)}, {b}, lsl #{amount(0, 31)}",
            f"usat{c} {a}, #{amount(0, 31)}, {b}, asr #{amount(1, 32)}",
            f"ssat16{c} {a}, #{amount(1, 16)}, {b}", f"usat16{c} {a}, #{amount(0, 15)}, {b}",
            f"pkhbt{c} {a}, {b}, {d}, lsl #{amount(0, 31)}", f"pkhtb{c} {a}, {b}, {d}, asr #{amount(1, 32)}",
            f"{extend}{pick(['ab', 'ah', 'ab16'])}{c} {a}, {b}, {d}, {turn}",
            f"{extend}{pick(['b', 'h', 'b16'])}{c} {a}, {b}, {turn}",
            f"{pick(['rev', 'rev16', 'revsh', 'clz'])}{c} {a}, {b}",
            f"{pick(['qadd', 'qsub', 'qdadd', 'qdsub'])}{c} {a}, {b}, {d}",
        ])]

    def status(self):
        a, c = self.reg(), self.cond()
        return self.rng.choice([
            [f"mrs{c} {a}, cpsr", f"and {a}, {a}, #0xf0000000"],
            [f"msr{c} cpsr_f, #{self.rng.randrange(16) << 28}"],
            [f"msr{c} cpsr_s, #{self.rng.randrange(16) << 16}"],
        ])

    # ---- memory ---------------------------------------------------------------------

    def load_store(self):
        """Words, halves and bytes at any alignment."""
        pick, offset, c = self.rng.choice, self.rng.randint(-250, 250), self.cond()
        word = pick(["ldr", "str", "ldrb", "strb"])
        half = pick(["ldrh", "strh", "ldrsh", "ldrsb"])
        shift = pick(["", ", lsl #2", ", lsl #3", ", lsr #1"])
        return pick([
            [f"{word}{c} {self.reg()}, [r11, #{self.rng.randint(-2000, 2000)}]"],
            [f"{half}{c} {self.reg()}, [r11, #{offset}]"],
            [self.small(), f"{word}{c} {self.reg()}, [r11, {pick(['', '-'])}r12{shift}]"],
            [self.small(), f"{half}{c} {self.reg()}, [r11, {pick(['', '-'])}r12]"],
        ])

    def write_back(self):
        pick, offset, c = self.rng.choice, self.rng.randint(-250, 250), self.cond()
        word = pick(["ldr", "str", "ldrb", "strb"])
        half = pick(["ldrh", "strh", "ldrsh", "ldrsb"])
        user = pick(["ldrt", "strt", "ldrbt", "strbt"])
        either = [f"[r10, #{offset}]!", f"[r10], #{offset}"]
        access = pick([
            f"{word}{c} {self.reg()}, {pick([*either, '[r10], -r12, lsl #1', '[r10, r12]!'])}",
            f"{half}{c} {self.reg()}, {pick([*either, '[r10], r12', '[r10, -r12]!'])}",
            f"{user}{c} {self.reg()}, [r10], #{offset}",
        ])
        return [self.small(), access, f"sub {self.reg()}, r10, r11", RESTORE]

    def multiple(self):
        numbers = sorted(self.rng.sample(range(10), self.rng.randint(1, 9)))
        names = ", ".join(f"r{n}" for n in numbers)
        op = self.rng.choice(["ldm", "stm"]) + self.rng.choice(["ia", "ib", "da", "db"]) + self.cond()
        back = self.rng.choice(["", "!"])
        return [self.base(4, 60), f"{op} r10{back}, {{{names}}}", f"sub {self.reg()}, r10, r11", RESTORE]

    def double(self):
        even = 2 * self.rng.randrange(5)
        op = self.rng.choice(["ldrd", "strd"]) + self.cond()
        return [f"{op} r{even}, r{even + 1}, [r11, #{8 * self.rng.randint(-31, 31)}]"]

    def swap(self):
        a, b = self.regs(2)
        return [self.base(4, 60), f"swp{self.rng.choice(['', 'b'])}{self.cond()} {a}, {self.rng.choice([a, b])}, [r10]",
                RESTORE]

    def exclusive(self):
        """A pair, with something or nothing in between, sometimes somewhere else or a half only."""
        size = self.rng.choice(["", "b", "h", "d"])
        between = self.rng.choice([["nop"], ["nop"], ["clrex"], ["str r0, [r10]"], ["strb r1, [r10, #1]"],
                                   ["add r10, r10, #8"], ["ldr r2, [r10]"]])
        fails, value, other = self.regs(3)
        c = self.cond()
        if size == "d":
            first, second = self.rng.sample([0, 2, 4, 6], 2)
            fails = self.rng.choice(["r8", "r9"])
            load = f"ldrexd r{first}, r{first + 1}, [r10]"
            store = f"strexd{c} {fails}, r{second}, r{second + 1}, [r10]"
        else:
            load = f"ldrex{size} {value}, [r10]"
            store = f"strex{size}{c} {fails}, {self.rng.choice([value, other])}, [r10]"
        lines = self.rng.choice([[load, *between, store]] * 8 + [[store], [load]])
        return [self.base(8, 30), *lines, RESTORE]

    def big_endian(self):
        """Data of the other byte order."""
        lines = ["setend be"]
        for _ in range(self.rng.randint(1, 3)):
            lines += self.rng.choice([self.load_store, self.write_back, self.multiple, self.double, self.swap,
                                      self.exclusive])()
        return [*lines, "setend le"]

    # ---- flow -----------------------------------------------------------------------

    def forward(self):
        end = self.label()
        body = [f"add {self.reg()}, {self.reg()}, {self.operand()}" for _ in range(self.rng.randint(1, 3))]
        return [f"b{self.rng.choice(CONDITIONS)} {end}", *body, f"{end}:"]

    def call(self):
        if self.rng.random() < 0.5:
            return [f"bl arm_{self.rng.randrange(ARM_LEAVES)}"]
        return [f"blx thumb_{self.rng.randrange(THUMB_LEAVES)}"]

    def loop(self):
        again = self.label()
        return [f"and r12, {self.reg()}, #7", f"{again}:", f"add {self.reg()}, {self.reg()}, {self.reg()}, ror #3",
                f"ldr {self.reg()}, [r11, #{4 * self.rng.randint(0, 50)}]", "subs r12, r12, #1", f"bpl {again}"]

    def instruction(self):
        kinds = [(self.data, 28), (self.multiply, 12), (self.media, 12), (self.load_store, 14),
                 (self.write_back, 8), (self.multiple, 5), (self.double, 3), (self.swap, 2), (self.exclusive, 5),
                 (self.big_endian, 3), (self.status, 3), (self.forward, 6), (self.call, 6), (self.loop, 2)]
        return self.rng.choices([k for k, _ in kinds], [w for _, w in kinds])[0]()

    # ---- Thumb ----------------------------------------------------------------------

    def low(self):
        return f"r{self.rng.randrange(8)}"

    def thumb_data(self):
        a, b, d = self.low(), self.low(), self.low()
        number = self.rng.randrange
        two = self.rng.choice(["adcs", "sbcs", "eors", "ands", "orrs", "rors", "lsls", "bics", "mvns", "tst", "cmp",
                               "cmn", "negs", "rev", "rev16", "revsh", "sxth", "sxtb", "uxth", "uxtb"])
        return [self.rng.choice([
            f"{two} {a}, {b}", f"{two} {a}, {b}", f"adds {a}, {b}, {d}", f"subs {a}, {b}, #{number(8)}",
            f"lsls {a}, {b}, #{number(32)}", f"asrs {a}, {b}, #{1 + number(32)}", f"lsrs {a}, {b}, #{1 + number(32)}",
            f"muls {a}, {b}, {a}", f"movs {a}, #{number(256)}", f"cmp {a}, #{number(256)}", f"add {a}, r9",
            f"mov r8, {a}", f"cmp {a}, r8",
        ])]

    def thumb_memory(self):
        size = self.rng.choice([("", 4), ("b", 1), ("h", 2)])
        op = self.rng.choice(["ldr", "str"])
        data, index = f"r{self.rng.randrange(6)}", "r6"
        signed = self.rng.choice(["ldrsh", "ldrsb"])
        return ["mov r7, r11", self.rng.choice(["movs r6, #5", "movs r6, #128", "movs r6, #62"]), *self.rng.choice([
            [f"{op}{size[0]} {data}, [r7, #{size[1] * self.rng.randrange(32)}]"],
            [f"{op}{size[0]} {data}, [r7, {index}]"],
            [f"{signed} {data}, [r7, {index}]"],
            [f"{self.rng.choice(['ldmia', 'stmia'])} r7!, {{r0, r2, r5}}", "mov r6, r11", "subs r7, r7, r6"],
            ["setend be", f"{op}{size[0]} {data}, [r7, {index}]", "setend le"],
        ]), "movs r7, #0"]

    def thumb_forward(self):
        end = self.label()
        return [f"b{self.rng.choice(CONDITIONS)} {end}", f"adds {self.low()}, #{self.rng.randrange(200)}", f"{end}:"]

    def thumb_leaf(self, n):
        lines = [".thumb_func", f"thumb_{n}:", "push {r4, r6, r7, lr}"]
        for _ in range(self.rng.randint(2, 12)):
            lines += self.rng.choices([self.thumb_data, self.thumb_memory, self.thumb_forward], [6, 4, 1])[0]()
        return [*lines, "pop {r4, r6, r7, pc}"]

    # ---- the file -------------------------------------------------------------------

    def arm_leaf(self, n):
        lines = [f"arm_{n}:"]
        for _ in range(self.rng.randint(1, 5)):
            op = self.rng.choice(["adds", "eors", "subs", "orrs"])
            lines.append(f"{op} {self.reg()}, {self.reg()}, {self.reg()}, ror #{self.rng.randint(1, 31)}")
        return [*lines, self.rng.choice(["bx lr", "mov pc, lr"])]

    def function(self, n):
        """void function_N(uint32_t *state): words 0..9 r0..r9, 10 flags, 11 flags afterwards."""
        lines = [f".type function_{n}, %function", f"function_{n}:", "push {r4-r12, lr}", "push {r0}",
                 "add r11, r0, #4096", RESTORE, "clrex", "ldr r12, [r0, #40]", "msr cpsr_fs, r12", "mov r12, #0",
                 "ldmia r0, {r0-r9}"]
        for _ in range(self.rng.randint(6, 40)):
            lines += self.instruction()
        return [*lines, "mrs r12, cpsr", "pop {r10}", "stmia r10, {r0-r9}", "ldr r11, =0xf80f0000",
                "and r12, r12, r11", "str r12, [r10, #44]", "pop {r4-r12, pc}", ".ltorg"]


def generate(seed, functions):
    """The text of an assembler file with a table of so many functions."""
    stream = Stream(seed)
    lines = [".syntax unified", ".arch armv6k", ".text", ".arm"]
    for n in range(ARM_LEAVES):
        lines += stream.arm_leaf(n)
    lines.append(".thumb")
    for n in range(THUMB_LEAVES):
        lines += stream.thumb_leaf(n)
    lines += [".arm", ".balign 4"]
    for n in range(functions):
        lines += stream.function(n)
    lines += [".data", ".balign 4", ".global functions, functions_end", "functions:"]
    lines += [f".word function_{n}" for n in range(functions)]
    return "\n".join([*lines, "functions_end:", ""])
