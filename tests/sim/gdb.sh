#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# `mpjoule run --gdb`: whatever a debugger does that changes no register and no memory, the run is the
# same to the byte as without one. Threads of the runtime by name. What can go wrong with a debugger.
set -euo pipefail
# shellcheck source=tests/harness/harness.sh
. "$(dirname "$0")/../harness/harness.sh"
own_folder
script=$root/package/gdb/mpjoule.py
export HOME=$dir XDG_CACHE_HOME=$dir # no gdbinit, no history of ours

cat >prog.c <<'C'
#include <pthread.h>
#include <stdio.h>

static int shared;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((noinline)) static int work(int n, int k)
{
    int s = 0;

    for (int i = 0; i < n; i++)
        s += i * k;
    pthread_mutex_lock(&lock);
    shared += s;
    pthread_mutex_unlock(&lock);
    return s;
}

static void *worker(void *arg)
{
    volatile int sink;

    for (int i = 0; i < 40; i++)
        sink = work(200 + i, (int)(long)arg);
    return (void *)(long)sink;
}

int main(void)
{
    const char *const name[] = {"alpha", "beta", "gamma"};
    pthread_t t[3];

    for (long i = 0; i < 3; i++) {
        pthread_create(&t[i], NULL, worker, (void *)(i + 1));
        pthread_setname_np(t[i], name[i]);
    }
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    printf("%d\n", shared);
    return 0;
}
C
"$mpjoule" cc -D_GNU_SOURCE -O2 -g prog.c -o prog.elf
"$mpjoule" run --quiet --instructions --json plain.json -o plain.mpj prog.elf >plain.out
"$mpjoule" run --quiet --cores 2 --json two.json -o two.mpj prog.elf >/dev/null

free_port() { "$root/tests/harness/free_ports.py"; }

# debugged NAME STATUS GDB-SCRIPT OPTIONS...: a run under gdb, which executes the file; NAME.said has what gdb says,
# NAME.json the result.
debugged() {
    local name=$1 want=$2 commands=$3 port status=0 run
    shift 3
    port=$(free_port)
    timeout 1000 "$mpjoule" run --quiet "--gdb=$port" --json "$name.json" -o "$name.mpj" "$@" prog.elf >"$name.out" 2>"$name.err" &
    run=$!
    timeout 1000 gdb-multiarch -nx -batch -ex 'set pagination off' -ex 'set confirm off' -x "$script" \
        -ex "target remote :$port" -x "$commands" prog.elf >"$name.said" 2>&1 || true
    wait "$run" || status=$?
    [ "$status" -eq "$want" ] || fail "$name: status $status, not $want: $(tail -n 2 "$name.err") $(tail -n 5 "$name.said")"
}
same() { cmp -s "$1" "$2" || fail "$2 is not the run without a debugger: $(diff "$1" "$2" | head -n 4)"; }
said() { grep -qE -- "$2" "$1" || fail "$1 does not say \"$2\": $(tail -n 40 "$1")"; }

# ---- breakpoints, steps, backtraces, names -------------------------------------------------------
cat >look.gdb <<'G'
info mpj-threads
break work if k == 3
continue
info threads
info mpj-threads
bt
mpj-backtrace main
mpj-backtrace nobody
G
cat >steps.py <<'P'
import gdb
gdb.execute("break work")
gdb.execute("break pthread_mutex_unlock")
for i, what in enumerate(["continue", "stepi", "next", "stepi 7", "step", "continue", "watched", "locked"] * 6):
    gdb.execute("thread %d" % (i % 4 + 1))
    if what == "locked": # one core steps; the others run as far as the model needs
        gdb.execute("set scheduler-locking on")
        gdb.execute("stepi 3")
        gdb.execute("set scheduler-locking replay")
    elif what == "watched":
        gdb.execute("info mpj-threads")
        gdb.execute("mpj-backtrace")
    else:
        gdb.execute(what)
print("stopped 48 times")
gdb.execute("delete")
gdb.execute("continue")
P
debugged look 0 look.gdb --instructions
same plain.json look.json
same plain.out look.out
said look.said '^The runtime has no threads yet'
said look.said '^Thread 4 hit Breakpoint 1, work \(n=.*k=.*3\) at prog.c:11'
said look.said '^\* 4 .*"gamma \(4\)" \(CPU#3'
said look.said '^  2 +alpha +running on core 1 +work at prog.c:'
said look.said '^#1 .* in worker \(.*\) at prog.c:24'
said look.said '^#[1-9] .* in main \(\) at prog.c:3[0-9]'
said look.said '^No thread nobody: see info mpj-threads'
debugged steps 0 steps.py --instructions
same plain.json steps.json
said steps.said '^stopped 48 times'

# a thread without a core: its frames are read through the registers of one, which are put back
sed 's/mpj-backtrace main/mpj-backtrace main\nmpj-backtrace alpha\nmpj-backtrace beta/' look.gdb >two.gdb
debugged twice 0 two.gdb --cores 2
same two.json twice.json
said twice.said '^  1 +main +(ready|blocked: join).* main at prog.c:3'
said twice.said '^#[1-9] .* in pthread_join '
[ "$(grep -c '^#[1-9] .* in worker ' twice.said)" -ge 2 ] || fail "frames of threads: $(cat twice.said)"

# ---- Ctrl-C in gdb, gdb is killed, gdb kills, the port is taken ------------------------------------
cat >interrupt.py <<'P'
import gdb, os, signal, threading
threading.Timer(0.05, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
gdb.execute("break work if n == 100000") # is never true, and takes its time
gdb.execute("continue")
print("interrupted")
gdb.execute("delete")
gdb.execute("continue")
P
debugged interrupt 0 interrupt.py --instructions
same plain.json interrupt.json
said interrupt.said '^(interrupted|Quit)'
printf 'break work\ncontinue\npython import os; os.kill(os.getpid(), 9)\n' >gone.gdb
debugged gone 0 gone.gdb --instructions
same plain.json gone.json
printf 'break work\ncontinue\nkill\n' >kill.gdb
debugged kill 125 kill.gdb
said kill.err '^mpjoule: the debugger has killed the program'
[ "$(grep -c '^mpjoule' kill.err)" = 2 ] || fail "more than its announcement and one line: $(cat kill.err)"
exec {taken}> >(python3 -c '
import socket, sys
s = socket.socket()
s.bind(("127.0.0.1", 0))
s.listen()
open("port", "w").write(str(s.getsockname()[1]))
sys.stdin.read()')
until [ -s port ]; do sleep 0.1; done
ends 125 "port $(cat port) of this machine is in use" timeout 60 "$mpjoule" run "--gdb=$(cat port)" -o taken.mpj prog.elf
exec {taken}>&-
# nobody comes: Ctrl-C ends it, and --timeout, if one is asked for
ends 124 "did not end within 1 s" timeout 60 "$mpjoule" run "--gdb=$(free_port)" --timeout 1 -o alone.mpj prog.elf
refused "--gdb is for the emulator" run --gdb --target tile0 prog.elf
refused "--gdb takes a whole number from 1 to 65535" run --gdb=0 prog.elf

finish "$(wc -c <plain.json) bytes of results, the same under a debugger"
