"""Early ends: signals and the wall-clock limit lead to a checkpoint, exit code 5, and a restart that
ends as if nothing had happened."""

import contextlib
import math
import os
import pathlib
import re
import shutil
import signal
import subprocess
import time
import unittest

from kit import DECK, MPIEXEC, PLATES, PROGRAM, Case, read_json, sides

try:
    import h5py
except ImportError:
    h5py = None

USAGE, STOPPED = 1, 5
LONG = DECK.replace("steps: 20", "steps: 100000000").replace("{every: 10}", "{every: 4}")
SOLVE = PLATES.replace("order: 1", "order: 7").replace("[2, 2, 2]", "[10, 10, 10]")  # takes seconds
SLOW = {"SEDGE_TEST_PAUSE": "1000"}  # ranks sleep while they wait for each other (idle_ranks.c)
SECONDS = 600  # for what takes some on an idle machine; only a run that hangs needs them


def children(parent):
    """The processes that `parent` started and that still are its children."""
    found = []
    for process in filter(str.isdigit, os.listdir("/proc")):  # pathlib's glob fails where one ends meanwhile
        try:
            fields = pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[1]) == parent:
            found.append(int(process))
    return sorted(found)


def name_of(process):
    """Its program; "" once it has ended."""
    try:
        return pathlib.Path(f"/proc/{process}/comm").read_text().strip()
    except OSError:
        return ""


def catches(process, number):
    """Has the process a handler for this signal?"""
    text = pathlib.Path(f"/proc/{process}/status").read_text()
    mask = int(re.search(r"^SigCgt:\s*([0-9a-f]+)", text, re.MULTILINE).group(1), 16)
    return mask >> (number - 1) & 1 == 1


class Running:
    """`sedge run`, going on while the test does something to it."""

    def __init__(self, folder, *words, ranks=0, environment=None):
        command = [PROGRAM, "run", *map(str, words)]
        if ranks > 0:
            command = [MPIEXEC, "-n", str(ranks), "--oversubscribe", *command]
        self.folder, self.ranks = folder, ranks
        self.process = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL,
                                        env={**os.environ, "OMPI_MCA_mpi_yield_when_idle": "1",
                                             **(environment or {})},
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def is_over(self):
        return self.process.poll() is not None

    def wait_for(self, condition):
        end = time.monotonic() + SECONDS
        while not condition():
            if self.is_over() or time.monotonic() > end:
                self.process.kill()
                raise AssertionError(self.process.communicate()[0].decode())
            time.sleep(0.02)

    def has_steps(self):
        """Have samples of the energy after that of step 0 reached the disk?"""
        try:
            with h5py.File(self.folder / "deck-results/energy.h5", swmr=True) as file:
                return any(file["step"][()] > 0)
        except (OSError, KeyError, ValueError):  # not there, or being written
            return False

    def has_begun(self):
        return (self.folder / "deck-results/fields_000000.hdf").exists()

    def wait_for_steps(self):
        self.wait_for(self.has_begun)
        if h5py is None:
            time.sleep(2)
        else:
            self.wait_for(self.has_steps)

    def rank(self, index):
        """The process of a rank, which mpirun started in this order."""
        return children(self.process.pid)[index] if self.ranks > 0 else self.process.pid

    def end(self):
        """Exit code, all that was printed."""
        out, _ = self.process.communicate(timeout=SECONDS)
        return self.process.returncode, out.decode(errors="replace")


class Stop(Case):
    def setUp(self):
        super().setUp()
        self.deck = self.write("deck.yaml", LONG)
        self.results = self.folder / "deck-results"

    def report(self):
        return read_json(self.results / "report.json")

    def check_stopped(self, code, out, reason, code_wanted=STOPPED):
        self.assertEqual(code, code_wanted, out)
        message = re.search(r"^sedge: (stopped by .*)$", out, re.MULTILINE)
        self.assertIsNotNone(message, out)
        self.assertTrue(message.group(1).startswith(f"stopped by {reason} after step "), out)
        self.assertIn("--restart auto", message.group(1))
        self.assertEqual(out.count("stopped by"), 1, out)
        report = self.report()
        self.assertEqual((report["exit_code"], report["outcome"]), (STOPPED, message.group(1)))
        step = int(re.search(r"after step (\d+)", out).group(1))
        self.assertEqual(report["steps"], step)
        self.assertTrue((self.results / f"checkpoint-{step}.h5").is_file())
        self.assertEqual(list(self.results.glob("*.tmp")), [])
        if h5py is not None:
            with h5py.File(self.results / "probes.h5") as file:
                self.assertEqual(len(file["time"]), step // 3 + 1)
            with h5py.File(self.results / "energy.h5") as file:
                self.assertEqual(list(file["step"]), list(range(0, step + 1, 4)))
        return step

    def check_going_on(self, step, ranks):
        """From the checkpoint to some steps later: the same bits as without the stop."""
        steps = f"time.steps={step + 30}"
        self.succeed("run", self.deck, "--restart", "auto", "--set", steps, ranks=ranks)
        self.succeed("run", self.deck, "--set", steps, "--output", "whole", ranks=ranks)
        whole = read_json(self.folder / "whole/report.json")
        for key in ("energy", "l2_error", "linf_error", "steps", "time"):
            self.assertEqual(self.report()[key], whole[key])

    def signalled(self, number, target, ranks, reason):
        shutil.rmtree(self.results, ignore_errors=True)
        with Running(self.folder, self.deck, ranks=ranks) as run:
            run.wait_for_steps()
            os.kill(run.process.pid if target == "mpirun" else run.rank(target), number)
            return self.check_stopped(*run.end(), reason)

    def test_one_process(self):
        step = self.signalled(signal.SIGUSR1, 0, 0, "SIGUSR1")
        self.assertGreater(step, 0)
        self.check_going_on(step, 0)
        self.signalled(signal.SIGTERM, 0, 0, "SIGTERM")
        self.signalled(signal.SIGINT, 0, 0, "SIGINT")
        self.signalled(signal.SIGHUP, 0, 0, "SIGHUP")  # its terminal is gone

    def test_mpirun_passes_it_on(self):
        step = self.signalled(signal.SIGUSR2, "mpirun", 2, "SIGUSR2")
        self.check_going_on(step, 2)

    def test_one_rank_alone(self):
        self.signalled(signal.SIGTERM, 1, 2, "SIGTERM")
        self.signalled(signal.SIGUSR1, 0, 3, "SIGUSR1")

    def test_folder_is_one_runs(self):
        """A second run does not write into the files of one that goes on, nor take its checkpoints."""
        with Running(self.folder, self.deck) as run:
            run.wait_for_steps()
            self.refuse(USAGE, ["another run writes into output folder 'deck-results'", "--output"],
                        "run", self.deck, "--quiet", "--restart", "auto", ranks=(0,))
            deck = self.write("solve.yaml", PLATES)
            self.refuse(USAGE, ["another run writes into output folder 'deck-results'"], "run", deck,
                        "--quiet", "--output", "deck-results", ranks=(0,))
            self.assertIsNone(run.process.poll())
            os.kill(run.process.pid, signal.SIGKILL)  # such an end lets the folder go, too
            self.assertRegex(run.end()[1], r"(?m)^  kernels .*$")  # what it said before the steps
        self.succeed("run", self.deck, "--quiet", "--set", "time.steps=5")

    def test_two_interrupts(self):
        with Running(self.folder, self.deck) as run:
            run.wait_for_steps()
            os.kill(run.process.pid, signal.SIGSTOP)  # both arrive before it can do anything
            os.kill(run.process.pid, signal.SIGINT)
            os.kill(run.process.pid, signal.SIGCONT)
            # It may be quicker, and over before it is looked at.
            run.wait_for(lambda: run.is_over() or not catches(run.process.pid, signal.SIGINT))
            run.process.send_signal(signal.SIGINT)
            code, out = run.end()
            self.assertIn(code, (-signal.SIGINT, STOPPED), out)

    def slow_compiler(self, name):
        """(environment, file): a compiler that waits for the file, and nothing compiled so far."""
        go = self.folder / f"{name}-go"
        compiler = self.write(name, f"#!/bin/sh\nwhile ! test -e '{go}'; do sleep 0.05; done\n"
                                    "exec cc \"$@\"\n")
        compiler.chmod(0o755)
        return {"SEDGE_CC": str(compiler), "SEDGE_CACHE_DIR": str(self.folder / f"{name}-cache")}, go

    def below(self, process):
        """The helper and all below it; not MPI's own process, which would end the run."""
        found = []
        pids = [pid for pid in children(process) if name_of(pid) != "orted"]
        while pids:
            found += pids
            pids = [child for pid in pids for child in children(pid)]
        return found

    def test_hanging_compiler(self):
        """A signal does not wait for it: there is nothing to keep yet."""
        # The last one hangs when it is asked for its target: then a signal is blocked, since devices'
        # libraries may bring handlers of their own, and the wait ends after half a minute.
        for number, hangs in ((signal.SIGUSR1, "kernel.c"), (signal.SIGTERM, "kernel.c"),
                              (signal.SIGHUP, "-###")):
            name, marker = f"cc-{number:d}", self.folder / f"at-work-{number:d}"
            compiler = self.write(name, f"""#!/bin/sh
case "$*" in *{hangs}*) ;; *) exec cc "$@";; esac
: > '{marker}'
while :; do sleep 0.05; done
""")
            compiler.chmod(0o755)
            environment = {"SEDGE_CC": str(compiler), "SEDGE_CC_SECONDS": "200",
                           "SEDGE_CACHE_DIR": str(self.folder / f"{name}-cache")}
            with Running(self.folder, self.deck, environment=environment) as run:
                run.wait_for(marker.exists)
                working = [pid for pid in self.below(run.process.pid) if name_of(pid) == name]
                os.kill(run.process.pid, number)
                code, out = run.end()
            self.assertEqual(code, STOPPED, out)
            self.assertRegex(out, f"sedge: stopped by a signal while .*/{name} was at work, before "
                                  "the first step")
            self.assertEqual(out.count("sedge: "), 1, out)
            self.assertEqual(list(self.results.glob("checkpoint-*")), [])
            end = time.monotonic() + SECONDS
            while any(name_of(pid) == name for pid in working):  # killed, too
                self.assertLess(time.monotonic(), end)
                time.sleep(0.02)

    def test_first_moments(self):
        """A signal from the first line of the program on is kept until there is a state to keep."""
        self.succeed("run", self.deck, "--quiet", "--set", "time.steps=1", "--output", "first")
        for number in (signal.SIGUSR1, signal.SIGTERM, signal.SIGINT):
            with Running(self.folder, self.deck, "--set", "time.steps=1000000") as run:
                about = pathlib.Path(f"/proc/{run.process.pid}/status")
                while not re.search(r"(?m)^SigBlk:\s*0*[1-9a-f]", about.read_text()):
                    self.assertIsNone(run.process.poll())
                os.kill(run.process.pid, number)
                self.check_stopped(*run.end(), signal.Signals(number).name)

    def test_compiler_survives(self):
        """Batch systems send a signal to all processes of a job, to a compiler at work, too."""
        environment, go = self.slow_compiler("slow-cc")
        with Running(self.folder, self.deck, environment=environment) as run:
            def send():
                for pid in self.below(run.process.pid):
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGUSR1)

            run.wait_for(lambda: "slow-cc" in map(name_of, self.below(run.process.pid)))
            send()
            go.touch()
            run.wait_for(lambda: send() or run.has_begun())
            run.wait_for_steps()
            os.kill(run.process.pid, signal.SIGUSR1)
            self.check_stopped(*run.end(), "SIGUSR1")

    def test_during_snapshots(self):
        """A snapshot each step: the signal comes while one is written, which is finished."""
        words = (self.deck, "--set", "time.steps=100000", "--set", "output.snapshots=100000")
        with Running(self.folder, *words, ranks=2) as run:
            run.wait_for_steps()
            os.kill(run.process.pid, signal.SIGUSR2)
            step = self.check_stopped(*run.end(), "SIGUSR2")
        series = read_json(self.results / "fields.hdf.series")["files"]
        self.assertEqual(len(series), step + 1)
        self.assertEqual(len(list(self.results.glob("fields_*.hdf"))), step + 1)

    def test_wall_limit(self):
        result = self.sedge("run", self.deck, "--set", "time.wall=0.05 min", ranks=2, environment=SLOW)
        self.check_stopped(result.code, result.out + result.err, "the limit of 3 s (time.wall)")
        # What the start of the process and the mesh took is gone by then.
        self.assertRegex(result.out, r"(?m)^  limit +[0-3] s from now \(time\.wall\)")
        self.assertRegex(result.out, r"(?m)^  stopped +\d+ steps, t = ")

    def test_without_time(self):
        """An equation without time keeps nothing: a signal ends it at once, also one that came while
        the deck and the mesh were read, and leaves no file that looks complete and is not."""
        deck = self.write("deck.yaml", SOLVE)
        for ranks, early in ((0, True), (0, False), (2, False)):
            with self.subTest(ranks=ranks, early=early):
                shutil.rmtree(self.results, ignore_errors=True)
                with Running(self.folder, deck, ranks=ranks) as run:
                    run.wait_for(lambda: ranks == 0 or len(children(run.process.pid)) == ranks)
                    rank = run.rank(ranks - 1)
                    run.wait_for(lambda: catches(rank, signal.SIGTERM))
                    if not early:
                        run.wait_for(lambda: self.results.exists())
                    os.kill(rank, signal.SIGTERM)
                    code, out = run.end()
                # mpirun ends the others and says 128 + signal, as a shell does.
                self.assertEqual(code, -signal.SIGTERM if ranks == 0 else 128 + signal.SIGTERM, out)
                self.assertNotIn("stopped by", out)
                left = [path.name for path in self.results.glob("*")]
                self.assertFalse({"report.json", "fields.hdf.series"} & set(left), left)

    def test_device_that_is_behind(self):
        """The host must not queue all steps up to the next sample of the energy before it looks at
        the clock again: 20 of them take more than half a second with one thread. PoCL takes 11 s of CPU
        for order 5; the program of order 2 is that of other tests, too."""
        if "opencl    none" in self.succeed("devices").out:
            self.skipTest("no OpenCL")
        deck = self.write("deck.yaml", LONG.replace("[2, 2, 2]", "[12, 12, 12]").replace("{every: 4}", "{every: 100}")
                          .replace("  probes: {every: 3, points: {inside: [0.3, 0.4, 0.2]}}\n", ""))
        self.succeed("run", deck, "--device", "opencl", "--tune", "off", "--set", "time.steps=20",
                     "--set", "output.checkpoint.wall=0.1 s", "--set", "output.snapshots=0",
                     environment={"SEDGE_THREADS": "1"})
        self.assertGreaterEqual(self.report()["checkpoints"], 2)  # one is that of the end

    def test_slurm_limit(self):
        environment = {**SLOW, "SLURM_JOB_END_TIME": str(int(time.time()) + 4), "SLURM_JOB_ID": "17"}
        result = self.sedge("run", self.deck, environment=environment, ranks=2)
        self.check_stopped(result.code, result.out + result.err, "the limit of Slurm's job 17")
        environment["SLURM_JOB_END_TIME"] = "soon"
        self.refuse(USAGE, ["SLURM_JOB_END_TIME is 'soon'", "time.wall"], "run", self.deck,
                    environment=environment, ranks=(0, 2))
        self.succeed("run", self.deck, "--set", "time.wall=0", "--set", "time.steps=5",
                     environment=environment)

    def test_wrong_limits(self):
        for value in ("-1", "soon", "5 weeks"):
            self.refuse(USAGE, ["time.wall"], "run", self.deck, "--set", f"time.wall={value}",
                        ranks=[0])


class Decay(Case):
    DIPOLE = """\
equation: maxwell
order: 1
precision: fp64
mesh: {box: {cells: [4, 4, 4]}}
time: {end: 60, stop: {energy: 1e-3}}
materials: {domain: {epsilon: 1}}
""" + sides("absorbing") + """\
sources:
  - {type: dipole, position: [0.5, 0.5, 0.5], direction: [0, 0, 1], signal: {type: ricker, frequency: 1}}
monitors: {energy: {every: 7}}
output: {snapshots: 0, checkpoint: {steps: 45, keep: 99}}
kernels: {tune: "off"}
"""

    def test_stop(self):
        """The run ends at the first check after the source has ended (at 3.2) and a wave has crossed the cube at
        which the energy is small: on all ranks at the same one, and in a run that goes on from before or from there."""
        deck = self.write("deck.yaml", self.DIPOLE)
        words = ["run", deck, "--device", "host", "--quiet"]
        self.succeed(*words, "--output", "one")
        one = read_json(self.folder / "one/report.json")
        self.assertEqual(one["steps"] % 7, 0)
        self.assertLess(one["energy"]["final"], 1e-3 * one["energy"]["peak"])
        self.assertTrue(3.2 + math.sqrt(3) < one["time"] < 15, one["time"])
        self.succeed(*words, "--output", "two", ranks=2)
        self.assertEqual(read_json(self.folder / "two/report.json")["steps"], one["steps"])
        self.assertIn("done by time.stop.energy,", self.succeed(*words[:-1], "--output", "one", "--restart", "auto").out)
        self.assertEqual(read_json(self.folder / "one/report.json")["steps"], one["steps"])
        self.succeed(*words, "--output", "parts", "--restart", "one/checkpoint-45.h5")
        again = read_json(self.folder / "parts/report.json")
        self.assertEqual((again["steps"], again["steps_before"]), (one["steps"], 45))
        for command in ("run", "check"):
            self.refuse(USAGE, ["time.stop: the sources do not end"], command, deck, "--set",
                        "sources.0.signal={type: cw, frequency: 1}", ranks=(0,))
            self.refuse(USAGE, ["time.stop.spectra: no monitor has frequencies"], command, deck, "--set",
                        "time.stop={spectra: 1e-3}", ranks=(0,))
        self.refuse(USAGE, ["time.stop.energy 2 is outside"], "check", deck, "--set", "time.stop.energy=2", ranks=(0,))
        self.refuse(USAGE, ["time.stop needs 'energy' or 'spectra'"], "check", deck, "--set", "time.stop={}", ranks=(0,))
        self.assertNotIn("was not reached", self.succeed(*words[:-1], "--output", "one", "--restart", "auto").out)
        out = self.succeed(*words[:-1], "--output", "short", "--set", "time.end=3").out
        self.assertRegex(out, r"time.stop.energy 0.001 was not reached: the energy is still 0\.\d+ of its greatest; raise time.end")
        out = self.succeed(*words[:-1], "--output", "charges", "--set", "time={end: 6, stop: {energy: 1e-3}}", "--set",
                           "sources.0.signal={type: gaussian, width: 0.4}").out
        self.assertRegex(out, r"time.stop.energy 0.001 was not reached: .* the sources leave charges, whose field stays\n")

        # Without a rule for its end a run tells when spectra of pulses are cut off.
        spectra = (*words[:-1], "--output", "cut", "--set", "monitors.spectra={p: {points: {p: [0.4, 0.4, 0.8]}, frequencies: {list: [1]}}}",
                   "--set")
        told = r"warning +fields are left: their energy is still [\de.-]+ of its greatest, and spectra are cut off; raise time.end"
        self.assertRegex(self.succeed(*spectra, "time={end: 3}").out, told)
        for settings in (("time={end: 3}", "--set", "monitors.spectra={}"), ("time={end: 3}", "--set", "sources.0.signal={type: cw, frequency: 1}"),
                         ("time={end: 6}", "--set", "sources.0.signal={type: gaussian, width: 0.4}")):  # that leaves charges
            self.assertNotIn("fields are left", self.succeed(*spectra, *settings).out)

    # A cavity that rings: amplitudes fall by e in some 95, which is 7 windows of 14.2.
    RING = """\
equation: maxwell
order: 2
precision: fp64
mesh: {box: {cells: [2, 2, 1]}}
time: {end: 1500, integrator: ndblsrk144, stop: {spectra: 0.02}}
materials: {domain: {epsilon: 1, conductivity: 0.001}}
""" + sides("pec") + """\
sources:
  - {type: dipole, position: [0.4, 0.45, 0.5], direction: [0, 0, 1], signal: {type: ricker, frequency: 0.5}}
monitors:
  frequencies: {list: [0.7071]}
  spectra:
    a: {points: {a: [0.3, 0.4, 0.2]}}
    b: {points: {b: [0.6, 0.7, 0.4]}, fields: [H]}
  flux: {xmin: {surface: xmin}}
output: {snapshots: 0, checkpoint: {steps: 470, keep: 99}}
kernels: {tune: "off"}
"""

    @unittest.skipIf(h5py is None, "needs h5py")
    def test_spectra(self):
        """The spectra of the run that ends by itself are within the tolerance of those of a run that goes on until
        1e-4 is left. Their changes alone, a window apart, are within it much earlier (at some 240, not 383), when the
        spectra still change by a tenth. On all ranks the same step, and in runs that go on from before or from there."""
        deck = self.write("ring.yaml", self.RING)
        words = ["run", deck, "--device", "host", "--quiet"]

        def compute(folder, *more, **options):
            out = self.succeed(*words, "--output", folder, *more, **options).out
            with h5py.File(self.folder / folder / "spectra.h5") as file:
                found = [file[f"spectra/{name}"][()] for name in ("a/E", "a/H", "b/H")]
            return read_json(self.folder / folder / "report.json"), found, out

        one, spectra, _ = compute("one")
        self.assertEqual(one["ended_by"], "time.stop.spectra")
        self.assertLess(one["spectra_remain"], 0.02)
        with h5py.File(self.folder / "one/energy.h5") as file:
            self.assertEqual(file["step"][-1], one["steps"])
        middle = ("--restart", self.folder / "one/checkpoint-1410.h5")
        whole, exact, _ = compute("whole", *middle, "--set", "time.stop.spectra=1e-4")
        self.assertLess(whole["time"], 1500)
        for ours, final in zip(spectra, exact):
            self.assertLess(abs(ours - final).max(), 0.02 * abs(final).max())
        two, again, _ = compute("two", ranks=2)
        self.assertEqual(two["steps"], one["steps"])
        report, again, _ = compute("parts", *middle, ranks=2)
        self.assertEqual((report["steps"], report["steps_before"]), (one["steps"], 1410))
        self.assertEqual(report["spectra_remain"], two["spectra_remain"])
        for ours, first in zip(again, spectra):
            self.assertEqual((ours != first).sum(), 0)
        report, _, out = compute("one", "--restart", "auto")
        self.assertEqual((report["steps"], report["steps_before"]), (one["steps"], one["steps"]))
        self.assertNotIn("%", out)
        for end, text in ("10", "reached, and the run is too short to tell what remains: "), ("150", "reached: spectra are "):
            out = self.succeed(*words[:-1], "--output", "short", "--set", "time.end=" + end).out
            self.assertIn("time.stop.spectra 0.02 was not " + text, out)
        again = self.succeed(*words[:-1], "--output", "short", "--set", "time.end=150", "--restart", "auto").out
        bound = [line for line in out.splitlines() if "what is still to come" in line]
        self.assertEqual([line for line in again.splitlines() if "what is still to come" in line], bound)
        self.assertEqual(len(bound), 1)


if __name__ == "__main__":
    os.environ.setdefault("SEDGE_THREADS", "1")
    unittest.main()
