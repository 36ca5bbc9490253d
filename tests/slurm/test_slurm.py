"""The scripts of input/slurm on a real Slurm.

Scripts: resubmit.sh, whose job is signalled before its limit, stops with a checkpoint, submits itself
again, the next one goes on, and the end is that of an uninterrupted run; and one-node.sh.
Steps: many-nodes.sh and gpus.sh, on one node, whose ranks srun starts by PMIx.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))

from kit import DECK, FOLDER, MPIEXEC, PROGRAM, SOURCE, Case, read_json  # noqa: E402

from slurm_kit import Slurm, missing  # noqa: E402

try:
    import h5py
except ImportError:
    h5py = None

SKIPPED = 77         # CTest's SKIP_RETURN_CODE
RUN_SECONDS = 6.0    # that the whole run shall take
PERIOD = 30.0        # slurmctld looks at limits so often
LIMIT_SECONDS = 900  # for all jobs together
TRIES = 5

JOB = DECK.replace("order: 2\n", "order: 2\ndevice: host\n").replace("steps: 20", "steps: STEPS")
JOB = JOB.replace("every: 10", "every: 5").replace("snapshots: 2", "snapshots: 4")

# Both runs: two ranks that share what cores there are. Small steps take long since a rank that waits for the
# other one sleeps for 1000 microseconds (tests/idle_ranks.c): runs of some seconds, of which a tenth is CPU.
ENVIRONMENT = {"SEDGE": PROGRAM, "OMPI_MCA_mpi_yield_when_idle": "1", "SEDGE_TEST_PAUSE": "1000"}


slurm = None  # one for all tests


def setUpModule():
    global slurm
    try:
        slurm = Slurm(gpus="Steps" in sys.argv).__enter__()
    except unittest.SkipTest as reason:
        print(f"SKIPPED: {reason}")
        sys.exit(SKIPPED)
    unittest.addModuleCleanup(slurm.__exit__)


class Jobs(Case):
    def script(self, name, *changes):
        """A script with its header changed, as a user does."""
        text = (SOURCE / "input/slurm" / name).read_text()
        for old, new in changes:
            self.assertEqual(text.count(old), 1, old)
            text = text.replace(old, new)
        return self.write(name, text)

    def resubmit(self, limit, seconds):
        return self.script("resubmit.sh", ("--ntasks=8", "--ntasks=2"),
                           ("--time=04:00:00", f"--time={limit}"),
                           ("--signal=B:USR1@180", f"--signal=B:USR1@{seconds}"))

    def run_alone(self, deck, output):
        start = time.monotonic()
        done = subprocess.run([MPIEXEC, "-n", "2", "--oversubscribe", PROGRAM, "run", str(deck),
                               "--output", output, "--quiet"], cwd=self.folder, timeout=LIMIT_SECONDS,
                              env={**os.environ, **ENVIRONMENT}, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        self.assertEqual(done.returncode, 0, done.stdout.decode())
        return time.monotonic() - start

    def measured_deck(self):
        """A deck that takes about RUN_SECONDS, whatever else the machine does."""
        steps = 100
        path = self.write("deck.yaml", JOB.replace("STEPS", str(steps)))
        loops = []
        for again in range(3):  # the least: other tests run beside this one, now more, now less
            self.run_alone(path, f"measure-{again}")
            report = read_json(self.folder / f"measure-{again}/report.json")
            loops.append(report["wall_seconds"]["loop"])
        steps = min(max(int(RUN_SECONDS * steps / min(loops)), 600), 5000)
        return self.write("deck.yaml", JOB.replace("STEPS", str(steps))), steps

    def outputs(self):
        """Of all jobs, oldest first."""
        found = sorted(self.folder.glob("sedge-*.out"), key=lambda p: int(p.stem.split("-")[1]))
        return [path.read_text(errors="replace") for path in found]

    def follow(self, job, by_hand=False):
        """Until no job is left. If Slurm has not signalled when half is done, tell it to."""
        sent = False
        end = time.monotonic() + LIMIT_SECONDS
        while slurm.waiting() > 0:
            texts = self.outputs()
            self.assertLess(time.monotonic(), end, "\n".join(texts) + slurm.logs())
            if by_hand and not sent and len(texts) == 1 and re.search(r"^ +[5-8]\d %", texts[0],
                                                                      re.MULTILINE):
                slurm.ask("scancel", "--batch", "--signal=USR1", job)
                sent = True
            time.sleep(0.2)
        return sent

    def compare(self, first, second):
        """Series and fields of two runs, to the last bit."""
        one, two = read_json(first / "report.json"), read_json(second / "report.json")
        for key in ("energy", "l2_error", "linf_error", "steps", "time", "ranks"):
            self.assertEqual(one[key], two[key])
        if h5py is None:
            return
        files = ["energy.h5", "probes.h5"]
        files += [path.name for path in sorted(first.glob("fields_*.hdf"))]
        self.assertEqual(len(files), 7)
        for name in files:
            with h5py.File(first / name) as left, h5py.File(second / name) as right:
                paths = []
                left.visititems(lambda path, item: paths.append(path)
                                if isinstance(item, h5py.Dataset) else None)
                self.assertTrue(paths)
                for path in paths:
                    self.assertEqual(left[path].shape, right[path].shape, (name, path))
                    self.assertEqual(left[path][()].tobytes(), right[path][()].tobytes(),
                                     (name, path))


class Scripts(Jobs):
    def submit_and_signal(self, deck, alone, by_limit):
        """One job and those that it submits: (number, whether the signal is the test's, outputs).

        Only the first job has a short limit, by sbatch's command line: wherever Slurm's look at the
        limits falls, the jobs that follow are not signalled."""
        for path in self.folder.glob("sedge-*.out"):
            path.unlink()
        shutil.rmtree(self.folder / "jobs", ignore_errors=True)
        options = []
        if by_limit:
            # Slurm looks at limits every PERIOD seconds; let it do so in the middle of the run.
            passed = time.monotonic() - slurm.started + alone / 2
            wait = PERIOD - passed % PERIOD
            time.sleep(wait if wait < PERIOD - 5 else 0)
            options = ["--time=00:01:00", "--signal=B:USR1@58"]
        job = slurm.submit(self.folder, *options, self.resubmit("00:30:00", 10), deck.name,
                           "--output", "jobs", environment=ENVIRONMENT)
        by_hand = self.follow(job, by_hand=True)
        return job, by_hand, self.outputs()

    def test_signal_before_the_limit(self):
        deck, steps = self.measured_deck()
        alone = self.run_alone(deck, "alone")
        early = 0
        for _ in range(TRIES):  # on a busy machine the signal may come too early, or too late
            job, by_hand, texts = self.submit_and_signal(deck, alone, by_limit=early < 2)
            if "stopped by SIGUSR2 after step 0 of" in texts[0]:
                self.assertIn("no step since job", texts[0])
                early += 1
            elif len(texts) == 1 and f"job {job} ended with exit code 0" in texts[0]:
                steps *= 2
                deck = self.write("deck.yaml", JOB.replace("STEPS", str(steps)))
                alone = self.run_alone(deck, "alone")
            else:
                break
        whole = "\n".join(texts)
        print(f"{steps} steps, alone {alone:.1f} s, {len(texts)} jobs, signalled "
              f"{'by scancel' if by_hand else 'by the limit'}", flush=True)
        self.assertGreaterEqual(len(texts), 2, whole + slurm.logs())
        self.assertIn("stopped by SIGUSR2 after step", texts[0], whole)
        self.assertRegex(texts[0], rf"job {job} came to step \d+; job \d+ goes on")
        self.assertRegex(texts[1], r"restart +from 'jobs/checkpoint-\d+\.h5'")
        self.assertRegex(texts[-1], r"job \d+ ended with exit code 0")
        self.assertEqual(slurm.job(job).get("JobState"), "COMPLETED")
        stopped = read_json(self.folder / f"sedge-{job}.json")
        self.assertEqual(stopped["exit_code"], 5)
        self.assertTrue(0 < stopped["steps"] < steps, stopped["steps"])
        self.compare(self.folder / "alone", self.folder / "jobs")

    def test_errors_end_it(self):
        """A deck that cannot run is not submitted again, and the job has the program's code."""
        deck = self.write("deck.yaml", JOB.replace("STEPS", "-1"))
        job = slurm.submit(self.folder, self.resubmit("00:05:00", 10), deck.name,
                           environment=ENVIRONMENT)
        self.follow(job)
        texts = self.outputs()
        self.assertEqual(len(texts), 1, texts)
        self.assertIn("ended with exit code 1", texts[0])
        self.assertEqual(slurm.job(job).get("ExitCode"), "1:0")

    def test_signals_to_the_scripts(self):
        """A script that is signalled stops its run with a checkpoint; one that was told to end
        (SIGTERM, as scancel or preemption sends it) submits no other job."""
        one_node = self.script("one-node.sh", ("--ntasks=8", "--ntasks=2"),
                               ("--cpus-per-task=4", "--cpus-per-task=1"))
        deck = self.write("deck.yaml", JOB.replace("STEPS", "1000000"))
        for script, number in ((one_node, "USR1"), (self.resubmit("00:10:00", 10), "TERM")):
            with self.subTest(script=script.name):
                output = self.folder / script.stem
                job = slurm.submit(self.folder, script, deck.name, "--output", output.name,
                                   environment=ENVIRONMENT)
                end = time.monotonic() + LIMIT_SECONDS
                while not list(output.glob("fields_*.hdf")) and time.monotonic() < end:
                    time.sleep(0.1)
                slurm.ask("scancel", "--batch", f"--signal={number}", job)
                self.follow(job)
                text = self.outputs()[-1]
                self.assertIn("stopped by SIGUSR2 after step", text)
                self.assertEqual(slurm.job(job).get("ExitCode"), "5:0", text)
                self.assertEqual(len(list(output.glob("checkpoint-*.h5"))), 1)
        self.assertIn(f"job {job} was cancelled; not submitted again", text)
        self.assertEqual(len(self.outputs()), 2)

    def test_one_node(self):
        """The program knows the job's limit, from Slurm or through the script."""
        script = self.script("one-node.sh", ("--ntasks=8", "--ntasks=2"),
                             ("--cpus-per-task=4", "--cpus-per-task=1"),
                             ("--time=01:00:00", "--time=00:10:00"))
        deck = self.write("deck.yaml", JOB.replace("STEPS", "10"))
        job = slurm.submit(self.folder, script, deck.name, environment=ENVIRONMENT)
        self.follow(job)
        text = self.outputs()[0]
        limit = re.search(r"limit +(\d+) s from now \(Slurm's\)", text)
        self.assertIsNotNone(limit, text)
        self.assertTrue(500 < int(limit.group(1)) <= 600, text)
        self.assertEqual(slurm.job(job).get("ExitCode"), "0:0", text)
        self.assertEqual(read_json(self.folder / "deck-results/report.json")["ranks"], 2)


class Steps(Jobs):
    ENVIRONMENT = {**ENVIRONMENT, "OMPI_MCA_pml": "ob1", "OMPI_MCA_btl": "self,vader"}

    def run_script(self, script, deck, output, signal_at=None):
        """A job's whole output. `signal_at`: its step is signalled as soon as that is in it."""
        for path in self.folder.glob("sedge-*.out"):
            path.unlink()
        job = slurm.submit(self.folder, script, deck.name, "--output", output,
                           environment=self.ENVIRONMENT)
        end = time.monotonic() + LIMIT_SECONDS
        while slurm.waiting() > 0:
            texts = self.outputs()
            self.assertLess(time.monotonic(), end, "\n".join(texts) + slurm.logs())
            if signal_at is not None and texts and re.search(signal_at, texts[0], re.MULTILINE):
                slurm.ask("scancel", "--signal=USR1", job)
                signal_at = None
            time.sleep(0.2)
        self.assertIsNone(signal_at, "the job has ended before")
        return self.outputs()[0], slurm.job(job).get("ExitCode")

    def test_many_nodes(self):
        """Signalled by Slurm, the ranks stop; the same job again goes on to the same end."""
        deck = self.write("deck.yaml", JOB.replace("STEPS", "1000"))
        self.run_alone(deck, "alone")
        script = self.script("many-nodes.sh", ("--nodes=4", "--nodes=1"),
                             ("--ntasks-per-node=8", "--ntasks-per-node=2"),
                             ("--cpus-per-task=4", "--cpus-per-task=1"))
        text, code = self.run_script(script, deck, "jobs", signal_at=r"^ +[2-8]\d %")
        self.assertIn("stopped by SIGUSR1 after step", text)
        self.assertRegex(text, r"limit +\d+ s from now \(Slurm's\)")
        self.assertEqual(code, "5:0", text)
        text, code = self.run_script(script, deck, "jobs")
        self.assertRegex(text, r"restart +from 'jobs/checkpoint-\d+\.h5'")
        self.assertEqual(code, "0:0", text)
        self.compare(self.folder / "alone", self.folder / "jobs")

    def test_gpus(self):
        """A rank a GPU that the job asks for. The node has none: the word cuda is changed, or refused."""
        changes = (("--ntasks-per-node=4", "--ntasks-per-node=2"),
                   ("--gpus-per-node=4", "--gpus-per-node=2"),
                   ("--cpus-per-task=8", "--cpus-per-task=1"))
        deck = self.write("deck.yaml", JOB.replace("STEPS", "10").replace("device: host\n", ""))
        text, code = self.run_script(
            self.script("gpus.sh", *changes, ("--device cuda", "--device host")), deck, "host")
        self.assertEqual(code, "0:0", text)
        self.assertEqual(read_json(self.folder / "host/report.json")["ranks"], 2)
        if not pathlib.Path("/dev/nvidiactl").exists():
            text, code = self.run_script(self.script("gpus.sh", *changes), deck, "cuda")
            self.assertIn("device 'cuda' cannot be used", text)
            self.assertEqual(code, "3:0", text)


if __name__ == "__main__":
    lacking = missing()
    if lacking and os.environ.get("CI") != "true":
        print(f"SKIPPED: no {', '.join(lacking)} here (packages slurmctld slurmd slurm-client munge)")
        sys.exit(SKIPPED)
    FOLDER.mkdir(parents=True, exist_ok=True)
    unittest.main()
