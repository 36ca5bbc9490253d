"""Ranks are killed at random moments, some in the middle of a checkpoint; nothing is lost.

After each kill: mpirun has ended within PATIENCE seconds with a code that is not 0, no process is left,
every file that is complete by its name can be read, and the next start goes on from the newest
checkpoint. A run that got through all its kills has the answer of one without, bit for bit.

    test_kill.py [KILLS [SEED]]
"""

import contextlib
import os
import pathlib
import random
import re
import shutil
import signal
import sys
import time
import unittest

from fault_kit import PATIENCE, Fault, Job, check_files_open, check_same, failing_calls, record

KILLS = 4
SEED = 1

MOMENTS = ["any time", "a checkpoint", "a snapshot", "the start"]
STARTS = {"a checkpoint": ("checkpoint-", ".h5.tmp"), "a snapshot": ("fields_", ".hdf.tmp")}


def describe(job):
    """What the processes of a job that does not end wait for."""
    lines = []
    for process in sorted({job.process.pid} | job.left()):
        try:
            words, where, state = (pathlib.Path(f"/proc/{process}/{name}").read_text()
                                   for name in ("cmdline", "wchan", "stat"))
        except OSError:
            continue
        state, parent = state.rsplit(")", 1)[1].split()[:2]
        words = words.replace("\0", " ")[:120]
        lines.append(f"{process} of {parent}, {state} in {where}: {words}")
    return "\n" + "\n".join(lines)


class Kill(Fault):
    def wait_for(self, job, moment, chance):
        """Until the moment to kill; False: the job was over before."""
        if moment == "any time":
            end = time.monotonic() + chance.uniform(0.0, self.seconds)
            while time.monotonic() < end and not job.is_over():
                time.sleep(0.005)
        elif moment == "the start":
            while not job.find_ranks() and not job.is_over():
                time.sleep(0.002)
            time.sleep(chance.uniform(0.0, 0.5))
        else:
            first, last = STARTS[moment]
            skip = chance.randrange(4)  # so many are let through
            seen = set()
            while not job.is_over():
                names = {name for name in self.names() if name.startswith(first)
                         and name.endswith(last)}
                seen |= names
                if names and len(seen) > skip:
                    time.sleep(chance.choice([0.0, 0.0, 0.001, 0.003]))
                    break
        return not job.is_over()

    def names(self):
        try:
            return os.listdir(self.results)
        except FileNotFoundError:
            return []

    def kill(self, job, moment, chance):
        """Kill one rank, sometimes both. False: it was too late."""
        if not self.wait_for(job, moment, chance):
            return False
        ranks = job.find_ranks()
        if not ranks:
            return False
        inside = any(name.endswith(".tmp") for name in self.names())
        killed = 0
        for rank in ranks if chance.random() < 0.2 else [chance.choice(ranks)]:
            with contextlib.suppress(ProcessLookupError):  # mpirun may have ended the second one
                os.kill(rank, signal.SIGKILL)
                killed += 1
        if killed == 0:
            return False
        began = time.monotonic()
        code = job.wait(PATIENCE)
        seconds = time.monotonic() - began
        if code is None and not job.left() and "PMIX ERROR: UNREACHABLE" in job.text():
            # Open MPI 4.1.4 may wait for itself where a rank dies while it registers; no rank is
            # left, and the caller ends mpirun.
            check_files_open(self, self.results)
            record(f"a rank killed at {moment}", "ranks ended, files whole, but mpirun hung in PMIx")
            return True
        if code is None:
            self.fail(f"mpirun goes on {PATIENCE} s after a rank was killed at {moment}: "
                      f"{describe(job)}\n{job.text()}")
        if code == 0:  # it was just done
            return False
        while job.left() and time.monotonic() < began + PATIENCE:
            time.sleep(0.05)
        self.assertEqual(job.left(), set(), f"processes live {PATIENCE} s after a rank was killed")
        files = check_files_open(self, self.results)
        where = "in" if moment in STARTS else "at"
        record(f"a rank killed {where} {moment}", "ended, code not 0, files whole",
               f"{seconds:.1f} s, code {code}, {files} files, in the middle of a file: {inside}")
        return True

    def test_kills(self):
        chance = random.Random(SEED)
        answer = self.answer()
        began = time.monotonic()
        self.seconds = 4.0
        kills = finished = tries = 0
        fresh = True
        while kills < KILLS:
            tries += 1
            self.assertLess(tries, 6 * KILLS + 20, "runs end before they can be killed")
            moment = MOMENTS[chance.randrange(len(MOMENTS)) if tries > 2 else tries % 2]
            job = self.run_job("--quiet", *([] if fresh else ["--restart", "auto"]))
            try:
                if self.kill(job, moment, chance):
                    kills += 1
                    fresh = False
                    continue
                code = job.wait(PATIENCE)
                self.assertEqual(code, 0, job.text())
                self.seconds = 0.5 * self.seconds + 0.5 * (time.monotonic() - job.began)
            finally:
                job.end()
            # It got to the end with all kills so far behind it.
            check_same(self, self.results, answer)
            finished += 1
            shutil.rmtree(self.results)
            fresh = True
        if not fresh:
            self.restart()
            check_same(self, self.results, answer)
            finished += 1
        record("runs with kills, gone on with to the end", "the answer of a run without, bit for bit",
               f"{finished} runs")
        print(f"{kills} kills, {finished} runs to the end, "
              f"{time.monotonic() - began:.0f} s, seed {SEED}")

    def kill_at(self, number, name, *words, rank=0):
        """A run of which a rank, the root, is killed within write `number` to files named so."""
        fault = {"LD_PRELOAD": failing_calls(),
                 "SEDGE_FAIL_WRITE": f"{rank}:{number}:{name}"}
        job = self.run_job("--quiet", *words, environment=fault)
        try:
            code = job.wait(PATIENCE)
            self.assertNotIn(code, (0, None), f"write {number} to {name}: {job.text()}")
        finally:
            job.end()
        return check_files_open(self, self.results)

    def test_series(self):
        """The root is killed while it makes a file of series: a new one, and the one that takes an
        old one's place when a run goes on. In between a rank is killed in a checkpoint."""
        answer = self.answer()
        moments = [(number, name) for name in ("energy.h5", "probes.h5", "slices.h5")
                   for number in ((1, 2) if KILLS > 2 else (1,))]
        for number, name in moments:
            self.kill_at(number, name)
            self.assertFalse((self.results / name).exists(), (number, name))
        # A rank that is not the root writes nothing of a checkpoint by HDF5: it is killed while its
        # thread writes the first values, and later the last array. The checkpoint before is whole.
        for number, step, go_on in ((1, 28, []), (4, 40, ["--restart", "auto"])):
            self.kill_at(number, f"checkpoint-{step}.h5", *go_on, rank=1)
            whole = [name for name in self.names() if re.fullmatch(r"checkpoint-\d+\.h5", name)]
            self.assertEqual(max(int(name[11:-3]) for name in whole), step - 4)
            self.assertIn(f"checkpoint-{step}.h5.tmp", self.names())
        for number, name in moments:
            self.kill_at(number, name, "--restart", "auto")
            self.assertTrue((self.results / name).exists(), (number, name))
        self.restart()
        check_same(self, self.results, answer)
        self.assertEqual([name for name in self.names() if name.endswith(".tmp")], [])
        record("a rank killed while it makes a file of series",
               "ended, code not 0, files whole; the answer of a run without, bit for bit",
               f"{2 * len(moments) + 2} kills")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        KILLS = int(sys.argv[1])
    if len(sys.argv) > 2:
        SEED = int(sys.argv[2])
    unittest.main(argv=sys.argv[:1])
