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

# waits NAME OPTIONS...: a run in the background that waits for gdb, $run; $socket is where.
waits() {
    local name=$1
    shift
    timeout 1000 "$mpjoule" run --quiet --gdb --json "$name.json" -o "$name.mpj" "$@" prog.elf >"$name.out" 2>"$name.err" &
    run=$!
    until socket=$(sed -n "s/.*'target remote \([^']*\)'.*/\1/p" "$name.err") && [ -S "$socket" ]; do
        kill -0 "$run" || die "$name: $(cat "$name.err")"
        sleep 0.05
    done
    sleep 0.1 # from the socket's name to its being open
}

# debugged NAME STATUS GDB-SCRIPT OPTIONS...: a run under gdb, which executes the file; NAME.said has what gdb says,
# NAME.json the result.
debugged() {
    local name=$1 want=$2 commands=$3 status=0 run socket
    shift 3
    waits "$name" "$@"
    timeout 1000 gdb-multiarch -nx -batch -ex 'set pagination off' -ex 'set confirm off' -x "$script" \
        -ex "target remote $socket" -x "$commands" prog.elf >"$name.said" 2>&1 || true
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
gdb.execute(f"break {LINE} if $sp == 1") # is never true, and takes its time
gdb.execute("continue")
print("interrupted")
gdb.execute("delete")
gdb.execute("continue")
P
sed -i "s/{LINE}/$(grep -n 's += i' prog.c | cut -d: -f1)/" interrupt.py
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

# ---- who else may connect ---------------------------------------------------------------------------
# A debugger's monitor commands write files as the user: no TCP port, and a folder that others may not enter.
waits private
emulator=$(pgrep -n -f -- "-gdb unix:$socket")
owned=$(find "/proc/$emulator/fd" -lname 'socket:*' -printf '%l\n' | tr -dc '0-9\n')
for inode in $owned; do
    ! awk '{ print $10 }' /proc/net/tcp /proc/net/tcp6 | grep -qx "$inode" || fail "an open TCP port"
done
[ "$(stat -c %a "$(dirname "$socket")")" = 700 ] || fail "others may enter the folder of $socket"
[ "$(stat -c %a "$socket")" = 700 ] || fail "others may connect: $(stat -c %A "$socket")"
connects() { "$@" python3 -c 'import socket, sys; socket.socket(socket.AF_UNIX).connect(sys.argv[1])' "$socket"; }
if [ "$(id -u)" = 0 ]; then
    ! connects setpriv --reuid 65534 --clear-groups 2>/dev/null || fail "another user connects"
fi
grep -z '^on,.*spawn=deny' "/proc/$emulator/cmdline" >/dev/null || fail "no sandbox under a debugger"
kill "$run"
wait "$run" || true
if [ -e "$socket" ] || [ -e "$(dirname "$socket")" ]; then fail "the socket is left"; fi
# a path of the user's, under any umask
(umask 0 && exec timeout 1000 "$mpjoule" run --quiet --gdb=here -o named.mpj prog.elf) >named.out 2>named.err &
run=$!
until [ -S here ]; do sleep 0.05; done
sleep 0.1
[ "$(stat -c %a here)" = 700 ] || fail "others may connect: $(stat -c %A here)"
ends 125 'another program waits at here' "$mpjoule" run --gdb=here -o second.mpj prog.elf
kill "$run"
wait "$run" || true
python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("here")' # left by one that was killed
limited true 1 124 'did not end within @ s' timeout 600 "$mpjoule" run --gdb=here --timeout @ -o alone.mpj prog.elf
[ ! -e here ] || fail "the socket is left"
echo mine >file
ends 125 'file is there already, and no socket' "$mpjoule" run --gdb=file -o alone.mpj prog.elf
[ "$(cat file)" = mine ] || fail "a file was replaced by a socket"
! grep -q 'is waiting for' err || fail "a debugger was asked for"
ln -s file link
ends 125 'link is there already, and no socket' "$mpjoule" run --gdb=link -o alone.mpj prog.elf
ends 125 'longer than 107 bytes' "$mpjoule" run "--gdb=/$(printf '%0110d' 0)" -o alone.mpj prog.elf
# nobody comes: Ctrl-C ends it, and --timeout, if one is asked for
limited true 1 124 'did not end within @ s' timeout 600 "$mpjoule" run --gdb --timeout @ -o alone.mpj prog.elf
refused "--gdb needs the emulator" run --gdb --target tile0 prog.elf
refused '--gdb takes the path of a Unix socket, not "1234": a port would be open to every user' run --gdb=1234 prog.elf

finish "$(wc -c <plain.json) bytes of results, the same under a debugger"
