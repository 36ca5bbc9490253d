"""What the fault tests share: a small job with much output, its answer, and a book of outcomes.

Python's standard library; with h5py results are compared in full and every HDF5 file is opened.
"""

import ctypes
import fcntl
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(os.environ["SEDGE_SOURCE_DIR"]) / "tests/cli"))

from kit import DECK, FOLDER, MPIEXEC, PROGRAM, SOURCE, Case  # noqa: E402, F401

try:
    import h5py
    import numpy
except ImportError:
    h5py = None

# Seconds after which a job of these tests is done, also one that a process was taken from, on a machine
# that is busy with ten times as much. On an idle one all take some: Open MPI sends SIGTERM, waits,
# sends SIGKILL.
PATIENCE = 600

STEPS = 60
JOB = DECK.replace("steps: 20", f"steps: {STEPS}").replace("every: 10", "every: 2")
JOB = JOB.replace("output: {snapshots: 2}", "output: {snapshots: 6, checkpoint: {steps: 4}}")
JOB = JOB.replace("monitors:", "monitors:\n  slices: {cut: {normal: y, at: 0.4, resolution: 8}}")

# Ranks that wait give the processor away: these tests run on busy machines.
os.environ.setdefault("OMPI_MCA_mpi_yield_when_idle", "1")
os.environ.setdefault("SEDGE_THREADS", "1")


def failing_calls():
    """The value of LD_PRELOAD for calls that fail, before what the tests have there."""
    return ":".join(filter(None, (os.environ["SEDGE_FAIL_CALLS"], os.environ.get("LD_PRELOAD"))))


def record(fault, outcome, details=""):
    """Note one try of a fault."""
    line = json.dumps({"fault": fault, "outcome": outcome, "details": details})
    with open(FOLDER / "outcomes.jsonl", "a") as book:
        book.write(line + "\n")


def can_mount():
    """A small file system in memory can be mounted here (root, and the container allows it)."""
    if os.geteuid() != 0:
        return False
    place = FOLDER / "mount-trial"
    place.mkdir(parents=True, exist_ok=True)
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", place],
                      stderr=subprocess.DEVNULL).returncode != 0:
        return False
    subprocess.run(["umount", place], check=True)
    return True


class Mounted:
    """A file system in memory at `place`, of `size`, for a with statement."""

    def __init__(self, place, size):
        self.place, self.size = place, size

    def __enter__(self):
        self.place.mkdir(parents=True, exist_ok=True)
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={self.size}", "tmpfs", self.place],
                       check=True)
        return self

    def again(self, options):
        subprocess.run(["mount", "-o", f"remount,{options}", self.place], check=True)

    def __exit__(self, *what):
        subprocess.run(["umount", "-l", self.place], check=True)


# ---- results -------------------------------------------------------------------------------------

# What tells of when or by whom a file was written, not of what is in it.
SKIPPED = {"deck", "version", "title"}


def read_file(path):
    """All datasets of a file, by name."""
    found = {}

    def take(name, thing):
        if isinstance(thing, h5py.Dataset):
            found[name] = thing[()]

    with open_file(path) as file:
        file.visititems(take)
    return found


def open_file(path):
    """A file of series whose writer was killed says that it is still written; then it is read as
    one that is, as sedge-plot does."""
    try:
        return h5py.File(path, "r")
    except OSError:
        return h5py.File(open_written(path))


def open_written(path):
    """Nobody writes any more: what cannot be read at once is damaged. HDF5 would try it a hundred
    times, with pauses that double, unless told by a function that h5py does not have."""
    access = h5py.h5p.create(h5py.h5p.FILE_ACCESS)
    hdf5 = ctypes.CDLL(h5py.h5p.__file__)  # with what it is linked to
    if hdf5.H5Pset_metadata_read_attempts(ctypes.c_int64(access.id), 1) < 0:
        raise RuntimeError("HDF5 refuses to read metadata once")
    return h5py.h5f.open(os.fsencode(path), h5py.h5f.ACC_RDONLY | h5py.h5f.ACC_SWMR_READ, access)


def whole_files(folder):
    """Files that are complete by their names."""
    return sorted(path for path in pathlib.Path(folder).glob("*")
                  if path.suffix in (".h5", ".hdf"))


def check_files_open(case, folder):
    """Every file that is complete by its name opens, and all of it can be read."""
    if h5py is None:
        return 0
    for path in whole_files(folder):
        try:
            read_file(path)
        except (OSError, RuntimeError) as error:
            case.fail(f"{path} cannot be read: {error}")
    return len(whole_files(folder))


def is_checkpoint(name):
    return name.startswith("checkpoint-")


def step_of(name):
    return int(name[len("checkpoint-"):-len(".h5")])


def check_same(case, folder, wanted):
    """The results in two folders are the same, bit for bit: same ranks, same kernels."""
    names, found = (sorted(path.name for path in whole_files(place)) for place in (wanted, folder))
    # A kill after the last checkpoint got its name leaves the one that it takes the place of.
    more = [name for name in found if is_checkpoint(name) and name not in names]
    oldest = min(step_of(name) for name in names if is_checkpoint(name))
    case.assertTrue(not more or len(more) == 1 and step_of(more[0]) < oldest, found)
    case.assertEqual([name for name in found if name not in more], names)
    if h5py is None:
        ours, others = (json.loads((pathlib.Path(place) / "report.json").read_text())
                        for place in (folder, wanted))
        case.assertEqual(ours["l2_error"], others["l2_error"])
        return
    for name in names:
        if is_checkpoint(name):  # its header has the seconds that it took
            continue
        ours, others = read_file(folder / name), read_file(wanted / name)
        case.assertEqual(sorted(ours), sorted(others), name)
        for part in ours:
            case.assertTrue(numpy.array_equal(ours[part], others[part]), (folder, name, part))


# ---- a job under mpirun --------------------------------------------------------------------------


def processes():
    """(process, parent, session, state) of all processes."""
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            with open(f"/proc/{entry}/stat") as file:
                text = file.read()
        except OSError:
            continue
        fields = text[text.rindex(")") + 2:].split()
        yield int(entry), int(fields[1]), int(fields[3]), fields[0]


class Job:
    """`mpirun -n RANKS sedge run ...` in a session of its own."""

    def __init__(self, words, folder, ranks=2, environment=None):
        self.command = [MPIEXEC, "-n", str(ranks), "--oversubscribe", PROGRAM, *map(str, words)]
        self.log = open(pathlib.Path(folder) / "job.log", "w+")
        self.began = time.monotonic()
        self.process = subprocess.Popen(
            self.command, cwd=folder, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log,
            env={**os.environ, **(environment or {})}, start_new_session=True)
        self.ranks = ranks

    def is_over(self):
        return self.process.poll() is not None

    def find_ranks(self):
        """Processes of the ranks, in no order; their helpers are children of theirs."""
        found = []
        for process, parent, _, state in processes():
            if parent != self.process.pid or state == "Z":
                continue
            try:
                program = os.readlink(f"/proc/{process}/exe")
            except OSError:
                continue
            if program == os.path.realpath(PROGRAM):
                found.append(process)
        return found

    def left(self):
        """Processes of the job that still live; ranks have process groups of their own, but all
        descend from mpirun or have its session."""
        ours = {self.process.pid}
        alive = list(processes())
        for _ in range(4):
            ours |= {process for process, parent, _, _ in alive if parent in ours}
        ours |= {process for process, _, session, _ in alive if session == self.process.pid}
        return {process for process, _, _, state in alive
                if process in ours and state not in "ZX" and process != self.process.pid}

    def wait(self, seconds):
        """The exit code; None if it still runs after so long."""
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def end(self):
        """Whatever is left of it goes."""
        left = self.left()
        if not self.is_over():
            self.process.kill()
            self.process.wait()
        for process in left:
            try:
                os.kill(process, signal.SIGKILL)
            except OSError:
                pass
        self.log.close()

    def text(self):
        self.log.flush()
        self.log.seek(0)
        return self.log.read()


class Fault(Case):
    """A test with the job's deck, and its answer, which is computed once."""

    def setUp(self):
        super().setUp()
        self.deck = self.write("deck.yaml", JOB)
        self.results = self.folder / "deck-results"

    @classmethod
    def answer(cls):
        """The results of the job without faults, of the program as it is now."""
        with open(FOLDER / "answer.lock", "w") as lock:  # the other tests make it, too
            fcntl.flock(lock, fcntl.LOCK_EX)
            compiler = pathlib.Path(os.environ.get("SEDGE_CC", "")).name  # answers differ by rounding
            return cls.make_answer(FOLDER / f"answer-{compiler}", os.stat(PROGRAM))

    @staticmethod
    def make_answer(place, about):
        made, mark = place / "whole", f"{about.st_mtime_ns} {about.st_size}"
        if not made.exists() or made.read_text() != mark:
            shutil.rmtree(place, ignore_errors=True)
            place.mkdir(parents=True)
            (place / "deck.yaml").write_text(JOB)
            job = Job(["run", "deck.yaml", "--device", "host", "--quiet"], place)
            code = job.wait(PATIENCE)
            text = job.text()
            job.end()
            if code != 0:
                raise RuntimeError(f"the job fails without faults: {code}\n{text}")
            made.write_text(mark)
        return place / "deck-results"

    def run_job(self, *words, **options):
        return Job(["run", "deck.yaml", "--device", "host", *words], self.folder, **options)

    def restart(self, *words):
        """Go on to the end, undisturbed."""
        job = self.run_job("--restart", "auto", "--quiet", *words)
        code = job.wait(PATIENCE)
        text = job.text()
        job.end()
        self.assertEqual(code, 0, text)
        return text
