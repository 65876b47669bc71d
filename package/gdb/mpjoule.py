# SPDX-License-Identifier: GPL-2.0-or-later
"""What gdb needs to know of the runtime: its threads. gdb's own threads are the cores.

gdb-multiarch -x mpjoule.py ...

info mpj-threads          every thread: id, name, state, core, where it is
mpj-backtrace [ID|NAME]   the frames of one, also of one that has no core; without: of all
"""

import gdb

REGISTERS = [f"r{i}" for i in range(13)] + ["lr", "pc"]
RUNTIME = ("./firmware/", "./hal/", "./link/")  # its sources, as they are compiled
FREE = 0  # enum mpj_thread_state
STATES = ["free", "ready", "running", "blocked", "ended"]


class Thread:
    """One of the runtime's, at this stop."""

    def __init__(self, value):
        self.id = int(value["id"])
        self.name = value["name"].string(errors="replace") or ("main" if self.id == 1 else f"thread {self.id}")
        self.state = int(value["state"])
        self.frame = value["frame"]
        self.info = value["info"]
        self.core = None  # number of the one that it runs on

    def waits_for(self):
        """Words for what a blocked one waits for."""
        kind = str(self.info["kind"]).removeprefix("MPJ_WAIT_").lower().replace("_", " ")
        symbol = gdb.execute(f"info symbol {int(self.info['object'])}", to_string=True).split()
        return f"blocked: {kind}" + (f" {symbol[0]}" if symbol and symbol[0] != "No" else "")

    def registers(self):
        """Those it goes on with."""
        frame = self.frame.dereference()
        found = {f"r{i}": int(frame["r"][i]) for i in range(13)}
        found.update(lr=int(frame["lr"]), pc=int(frame["pc"]), sp=int(self.frame) + frame.type.sizeof)
        return found


def cores():
    """{number: gdb's thread} of the cores; QEMU counts them from 1."""
    return {t.ptid[1] - 1: t for t in gdb.selected_inferior().threads()}


def threads():
    """The runtime's threads, by id; none before it has begun."""
    sched = gdb.parse_and_eval("mpj_sched")
    found = {}
    if not int(sched["live"]):
        return []
    low, high = sched["slot"].type.range()
    for slot in range(low, high + 1):
        pointer = sched["slot"][slot]
        if int(pointer):
            thread = Thread(pointer.dereference())
            found[int(pointer)] = thread
            if len(found) >= int(sched["live"]) + 64:
                break
    for core in range(sched["core"].type.range()[1] + 1):
        running = found.get(int(sched["core"][core]["cur"]))
        if running:
            running.core = core
    return sorted((t for t in found.values() if t.state != FREE), key=lambda t: t.id)


def on_core(thread, do):
    """Calls do() with the thread's core selected, or with its registers in a core's: they are put back."""
    was = gdb.selected_thread()
    frame = gdb.selected_frame()
    try:
        if thread.core is not None:
            cores()[thread.core].switch()
            gdb.newest_frame().select()
            do()
            return
        gdb.newest_frame().select()
        saved = {name: int(gdb.parse_and_eval(f"(unsigned)${name}")) for name in [*REGISTERS, "sp"]}
        try:
            for name, value in thread.registers().items():
                gdb.execute(f"set ${name} = {value}")
            do()
        finally:
            gdb.newest_frame().select()
            for name, value in saved.items():
                gdb.execute(f"set ${name} = {value}")
    finally:
        was.switch()
        if frame.is_valid():
            frame.select()


def place(thread):
    """Where it is: the innermost function of the program and its line."""
    words = []

    def look():
        frame = gdb.newest_frame()
        best = frame
        while frame is not None:
            symtab = frame.find_sal().symtab
            if symtab and not symtab.filename.startswith(RUNTIME) and "/newlib/" not in symtab.filename:
                best = frame
                break
            frame = frame.older()
        sal = best.find_sal()
        line = f" at {sal.symtab.filename.rsplit('/', 1)[-1]}:{sal.line}" if sal.symtab else ""
        words.append(f"{best.name() or hex(best.pc())}{line}")

    try:
        on_core(thread, look)
    except gdb.error as e:
        words.append(f"? ({e})")
    return words[0]


class InfoThreads(gdb.Command):
    """List the runtime's threads: id, name, state, core, the innermost function of the program."""

    def __init__(self):
        super().__init__("info mpj-threads", gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        found = threads()
        if not found:
            print("The runtime has no threads yet.")
            return
        print(f"  {'Id':<4} {'Name':<16} {'State':<28} Where")
        for t in found:
            state = f"running on core {t.core}" if t.core is not None else STATES[t.state]
            if t.core is None and STATES[t.state] == "blocked":
                state = t.waits_for()
            here = "*" if t.core is not None and t.core == gdb.selected_thread().ptid[1] - 1 else " "
            print(f"{here} {t.id:<4} {t.name:<16} {state:<28} {place(t)}")


class Backtrace(gdb.Command):
    """Frames of a thread of the runtime: mpj-backtrace [ID|NAME]. Without an argument: of all."""

    def __init__(self):
        super().__init__("mpj-backtrace", gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        found = [t for t in threads() if argument in ("", str(t.id), t.name)]
        if not found:
            raise gdb.GdbError(f"No thread {argument}: see info mpj-threads.")
        for t in found:
            print(f"Thread {t.id} \"{t.name}\"")
            on_core(t, lambda: gdb.execute("backtrace"))


def name_cores(_event=None):
    """gdb's threads, which are the cores, get the names of what runs on them."""
    try:
        running = {t.core: t for t in threads() if t.core is not None}
        for core, thread in cores().items():
            thread.name = f"{running[core].name} ({running[core].id})" if core in running else "idle"
    except (gdb.error, KeyError):
        pass  # a program without the runtime's symbols


def forget_cores(_event):
    """What runs on them changes; gdb tells of a stop before it asks us for names."""
    for thread in cores().values():
        thread.name = None


# The emulator listens when it has started, and answers when it comes to it: a busy machine is slow.
gdb.execute("set tcp connect-timeout 120")
gdb.execute("set remotetimeout 60")
InfoThreads()
Backtrace()
gdb.events.stop.connect(name_cores)
gdb.events.cont.connect(forget_cores)
