#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A board behind a server of serial ports (ser2net), over the network: RFC 2217 and plain TCP.
# usage: network.sh CASE...   (environment: board.sh)
# cases: rfc2217 tcp labs errors hostile
# shellcheck disable=SC2119 # `line` without faults
set -euo pipefail
# shellcheck source=tests/hil/board.sh
. "$(dirname "$0")/board.sh"
board_in_ram
export PATH=$PATH:/usr/sbin # ser2net's

server=
# shellcheck disable=SC2317 # called when the test ends
leave_all() {
    local status=$?
    stop_server
    leave "$status"
}
trap leave_all EXIT

read -r rfc raw nobody < <("$root/tests/harness/free_ports.py" 3)
# By the kernel's list: a look that connects would have the serial port for a while.
# shellcheck disable=SC2317 # called through until_so
listens() { grep -q "^ *[0-9]*: 0100007F:$(printf %04X "$1") 00000000:0000 0A " /proc/net/tcp; }
# On every address, of IPv4 or IPv6.
# shellcheck disable=SC2317
listens_anywhere() { cat /proc/net/tcp /proc/net/tcp6 | grep -q "^ *[0-9]*: 0*:$(printf %04X "$1") 0*:0000 0A "; }
# The server has a serial port open, or none.
# shellcheck disable=SC2317
has_port() { [ -n "$(find "/proc/$server/fd" -lname '/dev/pts/*')" ]; }
# shellcheck disable=SC2317
has_none() { ! has_port; }

stop_server() {
    [ -z "$server" ] || { kill -9 "$server" || true; wait "$server"; } 2>/dev/null || true
    server=
}

# serve: ser2net in front of the line's pseudo-terminal.
serve() {
    stop_server
    cat >"$dir/ser2net.yaml" <<EOF
%YAML 1.1
---
connection: &rfc
    accepter: telnet(rfc2217),tcp,127.0.0.1,$rfc
    connector: serialdev,$dir/pty,115200n81,local
    options: {telnet-brk-on-sync: false}
connection: &raw
    accepter: tcp,127.0.0.1,$raw
    connector: serialdev,$dir/pty,115200n81,local
EOF
    "$LEASH" $$ ser2net -n -d -c "$dir/ser2net.yaml" -u >"$dir/ser2net.out" 2>&1 &
    server=$!
    if ! until_so 60 listens "$raw" || ! until_so 60 listens "$rfc"; then
        die "ser2net does not listen: $(cat "$dir/ser2net.out")"
    fi
}

# agrees PORT: to one client's RFC 2217, and then closes with a line of text.
agrees() {
    python3 - "$1" <<'EOF'
import socket
import sys

with socket.create_server(("127.0.0.1", int(sys.argv[1]))) as server:
    server.settimeout(60)
    client = server.accept()[0]
    with client:
        client.settimeout(60)
        client.sendall(b"\xff\xfd\x2c" + b"all ports are taken\r\n")  # IAC DO COM-PORT-OPTION
        client.shutdown(socket.SHUT_WR)
        while client.recv(4096):
            pass
EOF
}

# inflates PORT WHEN: to each client, starts to compress, which nobody has agreed to: 6000 bytes from a few.
# WHEN: first, or agreed, once RFC 2217 is agreed to, and the bit rate with it.
inflates() {
    exec "$LEASH" $$ python3 - "$@" <<'EOF'
import socket
import sys
import time
import zlib

with socket.create_server(("127.0.0.1", int(sys.argv[1]))) as server:
    while True:
        client = server.accept()[0]
        with client:
            client.settimeout(60)
            if sys.argv[2] == "agreed":  # IAC DO COM-PORT-OPTION, and 115200 bit/s are set
                client.sendall(b"\xff\xfd\x2c")
                asked = b""
                while b"\xff\xfa\x2c\x01" not in asked:
                    asked += client.recv(4096)
                client.sendall(b"\xff\xfa\x2c\x65\x00\x01\xc2\x00\xff\xf0")
                time.sleep(1)  # the port is open by then
            client.sendall(b"\xff\xfa\x56\xff\xf0" + zlib.compress(b"A" * 6000))
            try:
                while client.recv(4096):
                    pass
            except OSError:
                pass
EOF
}

# at URL [LINE...]: the board tile0 is there.
at() {
    boards "${@:2}"
    sed -i "s|port: .*|port: $1|" "$MPJOULE_BOARDS"
}

run() { # NAME
    mpjoule run --target tile0 -o "$dir/$1.mpj" --sample-ms 0.1 --quiet "$APPS/matmul.elf" -- 64 float 30 >"$dir/$1.out" 2>"$dir/$1.err" ||
        fail "$1: status $?: $(head -1 "$dir/$1.err"); $(tail -n 2 "$dir/ser2net.out")"
    cmp "$dir/clean.mplog" "$dir/$1.mplog" || fail "$1: not the log of the port itself"
    cmp "$dir/clean.out" "$dir/$1.out" || fail "$1: not its output"
}

# What the port itself gives.
clean() {
    boards 'boot: command'
    line
    mpjoule run --target tile0 -o "$dir/clean.mpj" --sample-ms 0.1 --quiet "$APPS/matmul.elf" -- 64 float 30 >"$dir/clean.out" 2>"$dir/clean.err" ||
        fail "the port itself: $(head -1 "$dir/clean.err")"
}

for part in "$@"; do
    case $part in
    rfc2217)
        clean
        line
        serve
        at "rfc2217://127.0.0.1:$rfc" 'boot: command'
        run faster # the bit rate is raised and put back through the server
        # by its URL, without a list: nothing starts the board
        until_so 60 has_none || fail "the server keeps the port"
        line
        outcome 118 'did not answer within 5 s (--timeout): no HELLO' run --target "rfc2217://127.0.0.1:$rfc" --timeout 5 "$APPS/hello.elf"
        ;;
    tcp)
        clean
        line
        serve
        at "tcp://localhost:$raw" 'boot: command'
        run plain
        at "tcp://localhost:$raw" 'boot: command' 'bit_rate: 921600'
        outcome 125 'a tcp:// port stays at 115200 bit/s' boards
        ;;
    labs) # ser2net as labgrid's exporter starts it; the lists of boards that ci/ makes for labgrid and LAVA
        line
        "$LEASH" $$ ser2net -d -n -Y "connection: &con01#  accepter: telnet(rfc2217,mode=server),tcp,$rfc" \
            -Y "  connector: serialdev(nouucplock=true),$dir/pty,115200n81,local" -Y '  options:' -Y '    max-connections: 10' \
            >"$dir/ser2net.out" 2>&1 &
        server=$!
        until_so 60 listens_anywhere "$rfc" || die "ser2net does not listen: $(cat "$dir/ser2net.out")"
        mkdir "$dir/bin"
        cat >"$dir/bin/labgrid-client" <<EOF
#!/usr/bin/env python3
from pprint import pformat
import sys
if sys.argv[1:] == ["-p", "free", "show"]:
    sys.exit()
if sys.argv[1:] != ["-p", "rack", "show"]:
    sys.exit(f"labgrid-client: {sys.argv[1:]}")
print("Place 'rack':\\n  matches:\\n    box/tile0/*\\n  acquired: box/me")
for cls, params in (("NetworkPowerPort", {"model": "netio", "host": "power-2", "index": "3"}),
                    ("NetworkSerialPort", {"host": "localhost", "port": $rfc, "speed": 115200,
                                           "extra": {"path": "/dev/ttyUSB0", "proxy": "box", "proxy_required": False}}),
                    ("USBVideo", {"host": "box", "busnum": 1, "devnum": 7, "extra": {}})):
    print(f"Acquired resource '{cls}' (box/tile0/{cls}/{cls}):")
    print("  " + pformat({"acquired": "rack", "avail": True, "cls": cls, "params": params}).replace("\\n", "\\n  "))
EOF
        chmod +x "$dir/bin/labgrid-client"
        start="start: exec env -u LD_PRELOAD $dir/start"
        export PATH=$dir/bin:$PATH
        "$root/ci/labgrid.sh" rack "$start" >"$MPJOULE_BOARDS" || fail "labgrid.sh"
        grep -q "power_cycle: labgrid-client -p rack power cycle" "$MPJOULE_BOARDS" || fail "$(cat "$MPJOULE_BOARDS")"
        outcome 0 'hello: 4 cores' run --target labgrid --quiet -o "$dir/x.mpj" "$APPS/hello.elf"
        ends 1 'is it acquired' "$root/ci/labgrid.sh" free
        line
        export LAVA_CONNECTION_COMMAND="telnet localhost $rfc" LAVA_HARD_RESET_COMMAND="touch '$dir/a file' && sleep 0.1"
        "$root/ci/lava.sh" "$start" >"$MPJOULE_BOARDS" || fail "lava.sh"
        outcome 0 'hello: 4 cores' run --target lava --quiet -o "$dir/x.mpj" "$APPS/hello.elf"
        line
        sed -i '/start:/d' "$MPJOULE_BOARDS" # only the power: it runs, and nothing starts the program
        outcome 118 'no HELLO' run --target lava --quiet --timeout 3 -o "$dir/x.mpj" "$APPS/hello.elf"
        [ -e "$dir/a file" ] || fail "the command for the power did not run"
        ends 1 'expected "telnet HOST PORT"' env LAVA_CONNECTION_COMMAND=cu "$root/ci/lava.sh"
        ends 2 'LAVA_CONNECTION_COMMAND' env -u LAVA_CONNECTION_COMMAND "$root/ci/lava.sh"
        ;;
    errors)
        line
        serve
        at "tcp://127.0.0.1:$nobody" 'boot: command'
        outcome 117 'cannot connect to tcp://127.0.0.1' run --target tile0 "$APPS/hello.elf"
        at "rfc2217://127.0.0.1:$raw" 'boot: command'
        outcome 117 'does not support RFC 2217' run --target tile0 "$APPS/hello.elf"
        at "rfc2217://127.0.0.1" 'boot: command'
        outcome 125 'is not tcp://HOST:PORT' run --target tile0 "$APPS/hello.elf"
        outcome 125 'telnet://h:1" is not tcp://HOST:PORT' run --target telnet://h:1 "$APPS/hello.elf"
        at "rfc2217://127.0.0.1:$rfc" 'boot: command'
        outcome 0 'tile0 .*remote *free' boards
        outcome 0 '"port_is": "remote"' boards --json
        at "tcp://no-such-host.invalid:1" 'boot: command'
        outcome 117 'no-such-host.invalid' run --target tile0 "$APPS/hello.elf"
        # a server that agrees first, and then has no port
        agrees "$nobody" &
        until_so 60 listens "$nobody" || fail "nobody agrees"
        at "rfc2217://127.0.0.1:$nobody" 'boot: command'
        outcome 117 'closed the connection: all ports are taken' run --target tile0 "$APPS/hello.elf"
        # one user at a time
        until_so 60 has_none || fail "the server keeps the port"
        line
        exec 3<>"/dev/tcp/127.0.0.1/$rfc"
        until_so 60 has_port || fail "the server does not open the port"
        at "rfc2217://127.0.0.1:$rfc" 'boot: command'
        outcome 117 'closed the connection' run --target tile0 "$APPS/hello.elf"
        exec 3>&-
        line
        serve
        # the server goes in the middle of a run
        mpjoule run --target tile0 -o "$dir/lost.mpj" --quiet "$APPS/hang.elf" >"$dir/out" 2>"$dir/err" &
        command=$!
        until_so 60 grep -q -a 'here I stay' "$dir/lost.mplog.new" || fail "the run does not begin"
        stop_server
        status=0
        wait "$command" || status=$?
        [ "$status" -eq 120 ] || fail "the server's end: status $status, $(head -1 "$dir/err")"
        grep -q 'did not come back\|lost the connection' "$dir/err" || fail "the server's end: $(head -1 "$dir/err")"
        mpjoule boards >"$dir/out" || fail "the list of boards"
        ;;
    hostile) # a server that compresses what it sends, and has 6000 bytes written where 4096 fit
        hosts() { # WHEN STATUS WORDS
            inflates "$nobody" "$1" &
            server=$!
            until_so 60 listens "$nobody" || fail "nobody listens"
            outcome "$2" "$3" run --target "rfc2217://127.0.0.1:$nobody" --timeout 5 "$APPS/hello.elf"
            stop_server
        }
        hosts first 120 "ended the connection to rfc2217://127.0.0.1:$nobody: the server compresses"
        hosts agreed 118 'no HELLO, but 0 other bytes' # it connects again, in vain
        ;;
    *) die "no case $part" ;;
    esac
done
finish "board over the network: $*"
