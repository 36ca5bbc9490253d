"""A Slurm of one node, for one test: munged, slurmctld and slurmd as this user's own processes.

They listen on free ports of the loopback device, keep all state in one folder, need no systemd, no
cgroups and no name service, and end with the `with` block. Where Slurm insists on cgroups that this
machine lacks, starting it raises unittest.SkipTest, which says so.
"""

import contextlib
import getpass
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import unittest

PROGRAMS = ["munged", "mungekey", "slurmctld", "slurmd", "sbatch", "squeue", "scancel", "scontrol"]
START_SECONDS = 300  # until the node is idle; some seconds are normal

CONF = """\
ClusterName=sedge
SlurmctldHost={host}(127.0.0.1)
GresTypes=gpu
SlurmctldPort={controller_port}
SlurmdPort={node_port}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
SchedulerType=sched/builtin
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
MailProg=/bin/true
ReturnToService=2
KillWait=5
NodeName={host} NodeAddr=127.0.0.1 CPUs=2{gpus} State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""

# No plugin that is asked for above needs cgroups. By default slurmd looks for them all the same, and
# ends where no cgroup file system is mounted, as in a bare chroot; with the name of a version it does not.
CGROUP_CONF = """\
CgroupPlugin=cgroup/v1
IgnoreSystemd=yes
"""


def find(name):
    """Daemons lie in /usr/sbin, which not every user has in the PATH."""
    return shutil.which(name) or shutil.which(name, path="/usr/sbin:/sbin")


def missing():
    return [name for name in PROGRAMS if find(name) is None]


def free_ports(count):
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]


class Slurm:
    def __init__(self, gpus=False):
        """With GPUs the node has two, as far as Slurm can tell: for jobs that only ask for them."""
        self.gpus = gpus

    def __enter__(self):
        # Not the build folder: the path of a socket has at most 107 bytes.
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="sedge-slurm-", dir="/tmp"))
        self.daemons = []
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_):
        self.stop()

    def start(self):
        host = socket.gethostname().split(".")[0]
        ports = free_ports(2)
        for name in ("state", "spool"):
            (self.folder / name).mkdir(mode=0o755)
        self.folder.chmod(0o755)
        (self.folder / "slurm.conf").write_text(CONF.format(
            host=host, user=getpass.getuser(), folder=self.folder, controller_port=ports[0],
            node_port=ports[1], gpus=" Gres=gpu:2" if self.gpus else ""))
        (self.folder / "gres.conf").write_text(
            "Name=gpu File=/dev/null\nName=gpu File=/dev/zero\n" if self.gpus else "")
        (self.folder / "cgroup.conf").write_text(CGROUP_CONF)
        self.environment = {name: value for name, value in os.environ.items()
                            if not name.startswith(("SLURM", "SBATCH"))}
        self.environment["SLURM_CONF"] = str(self.folder / "slurm.conf")
        key = self.folder / "munge.key"
        subprocess.run([find("mungekey"), "--create", f"--keyfile={key}"], check=True)
        self.daemon("munged", "--foreground", "--num-threads=2", f"--key-file={key}",
                    f"--socket={self.folder}/munge.socket", f"--pid-file={self.folder}/munged.pid",
                    f"--log-file={self.folder}/munged.log", f"--seed-file={self.folder}/munge.seed")
        self.wait_for(lambda: (self.folder / "munge.socket").exists(), "munged's socket")
        self.daemon("slurmctld", "-D", "-i", "-f", self.folder / "slurm.conf")
        self.started = time.monotonic()
        self.daemon("slurmd", "-D", "-f", self.folder / "slurm.conf", "-N", host)
        self.wait_for(lambda: "idle" in self.ask("sinfo", "-h", "-o", "%T"), "an idle node")

    def daemon(self, name, *words):
        with open(self.folder / f"{name}.out", "wb") as out:
            self.daemons.append(subprocess.Popen(
                [find(name), *map(str, words)], env=self.environment, cwd=self.folder, stdout=out,
                stderr=out, stdin=subprocess.DEVNULL, start_new_session=True))

    def wait_for(self, condition, what):
        end = time.monotonic() + START_SECONDS
        while not condition():
            dead = [d.args[0] for d in self.daemons if d.poll() is not None]
            if dead and "Unable to initialize cgroup plugin" in self.logs():
                raise unittest.SkipTest("this Slurm needs cgroups, and none are mounted in /sys/fs/cgroup")
            if dead or time.monotonic() > end:
                raise RuntimeError(f"Slurm does not start here: no {what}"
                                   f"{f' ({dead} ended)' if dead else ''}\n{self.logs()}")
            time.sleep(0.1)

    def answer(self, program, *words):
        """What a command of Slurm prints; None if it fails, again and again."""
        for pause in (0.1, 0.3, 0.9, 0):  # where the controller is busy it does not always answer
            done = subprocess.run([program, *map(str, words)], env=self.environment, timeout=300,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            if done.returncode == 0:
                return done.stdout.decode()
            time.sleep(pause)
        return None

    def ask(self, program, *words):
        """The same; "" if it fails."""
        return self.answer(program, *words) or ""

    def submit(self, folder, *words, environment):
        """sbatch; the number of the job."""
        done = subprocess.run(["sbatch", "--parsable", *map(str, words)], cwd=folder, timeout=300,
                              env={**self.environment, **environment}, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE)
        if done.returncode != 0:
            raise RuntimeError(f"sbatch: {done.stderr.decode()}{self.logs()}")
        return int(done.stdout)

    def waiting(self):
        """How many jobs wait or run; one where Slurm does not say."""
        jobs = self.answer("squeue", "-h", "-o", "%i")
        return 1 if jobs is None else len(jobs.split())

    def job(self, number):
        """What `scontrol show job` says, as a dictionary."""
        words = self.ask("scontrol", "-o", "show", "job", number).split()
        return dict(word.split("=", 1) for word in words if "=" in word)

    def logs(self):
        parts = []
        for path in sorted(self.folder.glob("*.log")) + sorted(self.folder.glob("*.out")):
            lines = path.read_text(errors="replace").splitlines()[-30:]
            parts += [f"---- {path.name}", *lines]
        return "\n".join(parts)

    def stop(self):
        """Jobs first, then the daemons, last started first."""
        if len(self.daemons) == 3:
            self.ask("scancel", "--signal=KILL", "--full", "--user", getpass.getuser())
            self.ask("scancel", "--user", getpass.getuser())
            end = time.monotonic() + 60
            while self.waiting() > 0 and time.monotonic() < end:
                time.sleep(0.2)
        for daemon in reversed(self.daemons):
            if daemon.poll() is None:
                daemon.send_signal(signal.SIGTERM)
                try:
                    daemon.wait(10)
                except subprocess.TimeoutExpired:
                    daemon.kill()
                    daemon.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
