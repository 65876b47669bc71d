# SPDX-License-Identifier: GPL-2.0-or-later
"""A Slurm cluster of several nodes on this machine, as root, with folders, ports and daemons of its own.

It has a keeper, which ends with whoever made it, however that ends, and takes daemons and jobs along:
orphans of the daemons become its children.
"""
import ctypes
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import time

from free_ports import free_ports

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
START_S = 60  # for all nodes to answer

CONF = """ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={control}
AuthType=auth/none
CredType=cred/none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SwitchType=switch/none
MpiDefault=none
SlurmUser=root
SlurmdUser=root
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/%n
SlurmctldPidFile={folder}/control.pid
SlurmdPidFile={folder}/%n.pid
SlurmctldLogFile={folder}/control.log
SlurmdLogFile={folder}/%n.log
SlurmdTimeout=2
MessageTimeout=3
ReturnToService=2
KillWait=2
SchedulerParameters=sched_interval=1,batch_sched_delay=0,bf_interval=1
MaxArraySize=4
TaskProlog={folder}/prolog
"""


def available():
    """Whether there is a Slurm that can be started."""
    return os.geteuid() == 0 and all(shutil.which(c) for c in ("slurmctld", "slurmd", "sbatch"))


def children(pid):
    try:
        return [int(c) for c in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def words(pid, kind):
    """Of its command line or environment."""
    try:
        return pathlib.Path(f"/proc/{pid}/{kind}").read_text(errors="replace").split("\0")
    except OSError:
        return []


def end(pid):
    """Kills what a process of ours has below itself, then itself."""
    for child in children(pid):
        end(child)
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def keep(commands, parent):
    """The keeper: starts the daemons, waits for its end, which is the end of all."""
    prctl = ctypes.CDLL(None).prctl
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM, signal.SIGCHLD, signal.SIGINT])
    if os.getppid() != parent:
        os._exit(1)
    for command in commands:
        subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                         preexec_fn=lambda: signal.pthread_sigmask(signal.SIG_SETMASK, []))
    while signal.sigwait([signal.SIGTERM, signal.SIGCHLD]) != signal.SIGTERM:
        while True:  # buries orphans
            try:
                if os.waitpid(-1, os.WNOHANG)[0] == 0:
                    break
            except ChildProcessError:
                break
    while children(os.getpid()):
        for child in children(os.getpid()):
            end(child)
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            pass
    os._exit(0)


class Cluster:
    """with Cluster(folder) as c: commands of Slurm with c.environment. c.prolog: what the nodes' tasks get as
    environment, shell commands that print "export NAME=VALUE"."""

    def __init__(self, folder, nodes=2, prolog=""):
        self.folder, self.nodes, self.prolog = pathlib.Path(folder), [f"n{i}" for i in range(nodes)], prolog
        self.environment = {**os.environ, "SLURM_CONF": f"{folder}/slurm.conf"}
        self.keeper = None

    def __enter__(self):
        for _ in range(3):  # ports may be taken by others in the meantime
            if self.start():
                return self
            self.__exit__()
        sys.exit(f"no cluster in {START_S} s: see {self.folder}/*.log")

    def start(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        host = socket.gethostname()
        control, *each = free_ports(1 + len(self.nodes))
        lines = [CONF.format(folder=self.folder, host=host, control=control)]
        for name, port in zip(self.nodes, each):
            lines.append(f"NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs=1 RealMemory=1\n")
        lines.append("PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP\n")
        for name in ["state", *self.nodes]:
            (self.folder / name).mkdir(parents=True)
        conf = self.folder / "slurm.conf"
        conf.write_text("".join(lines))
        (self.folder / "prolog").write_text(f"#!/bin/sh\n{self.prolog}\n")
        (self.folder / "prolog").chmod(0o755)
        commands = [["slurmctld", "-D", "-f", conf]] + [["slurmd", "-D", "-f", conf, "-N", n] for n in self.nodes]
        parent = os.getpid()
        self.keeper = os.fork()
        if self.keeper == 0:
            keep(commands, parent)
        limit = time.time() + START_S
        while time.time() < limit and os.waitpid(self.keeper, os.WNOHANG)[0] == 0:
            if self.slurm("sinfo", "-h", "-o", "%t%D").stdout.strip() == f"idle{len(self.nodes)}":
                return True
            time.sleep(0.2)
        return False

    def __exit__(self, *_):
        if self.keeper is not None:
            os.kill(self.keeper, signal.SIGTERM)
            os.waitpid(self.keeper, 0)
        self.keeper = None

    def slurm(self, *command):
        return subprocess.run(command, env=self.environment, capture_output=True, text=True, check=False, timeout=60)

    def kill(self, node):
        """A node is gone at once, with all that runs there."""
        for pid in children(self.keeper):
            if node in words(pid, "cmdline") or any(f"SLURMD_NODENAME={node}" in words(child, "environ")
                                                    for child in children(pid)):
                end(pid)
