# SPDX-License-Identifier: GPL-2.0-or-later
"""Loops of known length (tests/bench/loops), measured under Linux and on the bare tile, and what they are to count.

The same object file is linked into both programs. EXPECTED is derived by hand from the loops, the cycle timings
(sim/calibrations/realview-eb-mpcore.conf) and the sizes of caches and TLBs; nothing of it is measured.
"""
import collections
import os
import re
import sys

from harness import CORE_EVENTS, MPJOULE, ROOT, must
from on_linux import CROSS, LINUX, initramfs, source

LOOPS = f"{ROOT}/tests/bench/loops"
CYCLES = ("cycles", "ifetch_stall", "ddep_stall", "lsu_stall")  # events whose unit they are

COMMON = {"branch": 1, "folded": 1}  # bne: predicted, taken, folded from its second time on
PAGE = 1 / 128  # a page of 4 KB per so many lines
WALK = 4 + 30 + 30  # micro TLB from the main one, and two descriptors of 30; a section has one
# Per round: on both; what 4 KB pages add under Linux.
EXPECTED = {
    # 4 additions of a cycle, subs.
    "add": ({"cycles": 5, "instr": 6}, {}),
    # Issue 2, latency 4, an early operand: 5 each; subs fits into a wait. Stalled 15 - 3 * 2 - 1.
    "mul": ({"cycles": 15, "instr": 5, "ddep_stall": 8}, {}),
    # Four loads and subs; the fourth writes what the first wrote: a cycle until that one has arrived.
    "load": ({"cycles": 6, "instr": 6, "ddep_stall": 1, "dcache_rd": 4}, {}),
    # Latency 3, early address: 4. Stalled 4 - 2.
    "chase-l1": ({"cycles": 4, "instr": 3, "ddep_stall": 2, "dcache_rd": 1}, {}),
    # 4, SCU 4, L220 22.
    "chase-l2": ({"cycles": 30, "instr": 3, "ddep_stall": 28, "dcache_rd": 1, "dcache_rd_miss": 1, "ext_req": 1},
                 {"cycles": 4 * PAGE, "ddep_stall": 4 * PAGE, "dutlb_miss": PAGE}),
    # And memory 92.
    "chase-memory": ({"cycles": 122, "instr": 3, "ddep_stall": 120, "dcache_rd": 1, "dcache_rd_miss": 1,
                      "ext_req": 1},
                     {"cycles": WALK * PAGE, "ddep_stall": WALK * PAGE, "dutlb_miss": PAGE, "tlb_miss": PAGE}),
    # 16 pages in turn: 8 entries of the micro TLB always miss, 64 of the main one hold them: 4 and 4.
    "chase-16-pages": ({"cycles": 8, "instr": 3, "ddep_stall": 6, "dcache_rd": 1, "dutlb_miss": 1}, {}),
    # 128 pages, 1 MB apart: none is in the main TLB. A section takes one descriptor.
    "chase-128-pages": ({"cycles": 38, "instr": 3, "ddep_stall": 36, "dcache_rd": 1, "dutlb_miss": 1, "tlb_miss": 1},
                        {"cycles": 30, "ddep_stall": 30}),
    # Four stores and subs.
    "store": ({"cycles": 5, "instr": 6, "dcache_wr": 4}, {}),
    # The memory's bus: a line read, 3 slots of 16, another written back, 2. Stalled 80 - 2.
    "store-lines": ({"cycles": 80, "instr": 3, "lsu_stall": 78, "dcache_wr": 1, "dcache_wr_miss": 1,
                     "dcache_evict": 1, "ext_req": 1}, {"dutlb_miss": PAGE, "tlb_miss": PAGE}),
    # The same for 8 words; of two words of a double word the second merges.
    "store-words": ({"cycles": 10, "instr": 3, "lsu_stall": 8, "dcache_wr": 1, "dcache_wr_miss": 1 / 8,
                     "dcache_evict": 1 / 8, "ext_req": 1 / 8, "sb_merge": 1 / 2},
                    {"dutlb_miss": PAGE / 8, "tlb_miss": PAGE / 8}),
    # 4 moves and subs; both branches fold.
    "branch-right": ({"cycles": 5, "instr": 7, "branch": 2, "folded": 2}, {}),
    # movs, subs, mov, and the mov that is skipped half the time; of four branches not taken, taken, taken, not
    # taken a counter that began at "strongly not taken" has the second, third and fourth wrong: 7 less 1 since the
    # flags, and the right one, not taken, 1.
    "branch-wrong": ({"cycles": (4 * 3 + 2 + 3 * 6 + 1) / 4, "instr": 5.5, "branch": 2, "branch_mispred": 3 / 4}, {}),
    # bl 1, bx lr 4, subs, mov.
    "call": ({"cycles": 7, "instr": 5, "branch": 3}, {}),
    # bx to a register 5, subs.
    "indirect": ({"cycles": 6, "instr": 3, "branch": 2, "branch_notpred": 1, "pc_change": 1}, {}),
    # The store is done at once, in a line of its own: str, subs, and the barrier's 3.
    "drain": ({"cycles": 5, "instr": 4, "dcache_wr": 1, "sb_drain": 1}, {}),
    # Latency 9 less 1 forwarded, four times. Stalled 32 - 4 - 1.
    "vfp": ({"cycles": 32, "instr": 6, "ddep_stall": 27}, {}),
    # 16385 cycles and 2049 lines, 22 less 3 hidden; round-robin: a loop over twice the cache always misses.
    # In so few rounds bne does not get to be folded.
    "fetch": ({"cycles": 16385 + 2049 * 19, "instr": 16386, "folded": 0, "icache_miss": 2049, "ext_req": 2049,
               "ifetch_stall": 2049 * 19}, {"cycles": 17 * 4, "ifetch_stall": 17 * 4, "iutlb_miss": 17}),
    # The line goes to and fro, lookup 4 and transfer 12 each way. Stalled 32 - 4. The store of a round merges
    # with the one before.
    "contended": ({"cycles": 32, "instr": 5, "ddep_stall": 28, "dcache_rd": 1, "dcache_wr": 1, "dcache_rd_miss": 1,
                   "ext_req": 1, "sb_merge": 1}, {}),
}
# Which of a round's two accesses finds the line gone depends on when the other core comes; ext_req has both.
UNSETTLED = {("contended", "dcache_rd_miss"), ("contended", "dcache_wr_miss")}
# Linux's names for our events (its enum armv6mpcore_perf_types), by meaning, not by number.
NAMES = {
    "ICACHE_MISS": "icache_miss", "IBUF_STALL": "ifetch_stall", "DDEP_STALL": "ddep_stall",
    "ITLB_MISS": "iutlb_miss", "DTLB_MISS": "dutlb_miss", "BR_EXEC": "branch", "BR_NOTPREDICT": "branch_notpred",
    "BR_MISPREDICT": "branch_mispred", "INSTR_EXEC": "instr", "DCACHE_RDACCESS": "dcache_rd",
    "DCACHE_RDMISS": "dcache_rd_miss", "DCACHE_WRACCESS": "dcache_wr", "DCACHE_WRMISS": "dcache_wr_miss",
    "DCACHE_EVICTION": "dcache_evict", "SW_PC_CHANGE": "pc_change", "MAIN_TLB_MISS": "tlb_miss",
    "EXPL_MEM_ACCESS": "ext_req", "LSU_FULL_STALL": "lsu_stall", "WBUF_DRAINED": "sb_drain", "CPU_CYCLES": "cycles"}
# The same of the L220's monitor (arch/arm/mm/cache-l2x0-pmu.c).
L2_NAMES = {"co": "l2_castout", "drhit": "l2_drhit", "drreq": "l2_drreq", "dwhit": "l2_dwhit", "dwreq": "l2_dwreq",
            "dwtreq": "l2_dwtreq", "irhit": "l2_irhit", "irreq": "l2_irreq", "wa": "l2_walloc"}

# rounds: of each loop; counts: (loop, event) -> number; long: cycles, and what ticks added to cycles and instructions
Measured = collections.namedtuple("Measured", "rounds counts long text")


def expected(loop, event, linux):
    """Per round."""
    both, pages = EXPECTED[loop]
    return {**COMMON, **both}.get(event, 0) + (pages.get(event, 0) if linux else 0)


def linux_events():
    """The events of Linux's driver for this core: name -> number."""
    text = source("arch/arm/kernel/perf_event_v6.c")
    return {m[1]: int(m[2], 16) for m in re.finditer(r"ARMV6MPCORE_PERFCTR_(\w+)\s*=\s*(0x[0-9A-F]+)", text)}


def linux_l2_events():
    """The same of the L220."""
    text = source("arch/arm/mm/cache-l2x0-pmu.c")
    return {m[1]: int(m[2], 16) for m in re.finditer(r"\tL220_PLUS_EVENT_ATTR\((\w+),\s*(0x[0-9a-f]+)\)", text)}


def tile_events(monitor="PMU"):
    """Ours, of PMU or L2: name -> (number, meaning)."""
    with open(f"{ROOT}/tile/include/tile_events.h", encoding="utf-8") as handle:
        tables = re.split(r"#define TILE_(\w+?)_\w+\(X\)", handle.read())
    rows = "".join(text for name, text in zip(tables[1::2], tables[2::2]) if name == monitor)
    return {m[2]: (int(m[1], 0), m[3])
            for m in re.finditer(r'X\(\w+,\s*(\w+),\s*"(\w+)",\s*"\w+",[\s\\]*"([^"]+)"\)', rows)}


def build(folder):
    """Both programs and the initramfs."""
    at = {name: os.path.join(folder, name) for name in ("loops.o", "tile.elf", "init")}
    must(MPJOULE, "cc", "-c", f"{LOOPS}/loops.S", "-o", at["loops.o"])
    must(MPJOULE, "cc", "-O2", f"{LOOPS}/loops.c", f"{LOOPS}/on_tile.c", at["loops.o"], "-o", at["tile.elf"])
    must(*CROSS, f"{LOOPS}/loops.c", f"{LOOPS}/under_linux.c", at["loops.o"], "-o", at["init"])
    at["initramfs.gz"] = initramfs(folder, {"init": at["init"]})
    return at


def parse(text):
    rounds, counts, cycles, extra = {}, {}, {}, None
    for words in map(str.split, text.splitlines()):
        if words[:1] == ["count"] and len(words) == 6:
            loop, number = words[1], int(words[3])
            rounds[loop] = int(words[2])
            counts[loop, CORE_EVENTS[number]] = int(words[4])
            cycles.setdefault(loop, []).append(int(words[5]))
        elif words[:1] == ["long"] and len(words) == 4:
            extra = tuple(map(int, words[1:]))
    for loop, values in cycles.items():
        counts[loop, "cycles"] = sorted(values)[len(values) // 2]
    return Measured(rounds, counts, extra, text)


def measure(folder):
    """What mpjoule and what Linux count."""
    at = build(folder)
    tile = must(MPJOULE, "run", "--quiet", "--cores", "2", "-o", f"{folder}/tile.mpj", at["tile.elf"], cwd=folder)
    linux = must(f"{LINUX}/run.sh", "--cores", "2", "--initramfs", at["initramfs.gz"])
    for who, done in (("mpjoule", tile), ("Linux", linux)):
        if "loops: done" not in done.stdout:
            sys.exit(f"the loops have not ended under {who}:\n{done.stdout[-2000:]}")
    return parse(tile.stdout), parse(linux.stdout)
